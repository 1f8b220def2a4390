/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording of this kernel, played: what the switches say of a thread's CPU time, those that had
 * to be inferred included, agrees with what the kernel accounts for it. */
#include "config.h"
#include "kit.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "perf/event.h"
#include "perf/ring.h"

/* What a storm of switches beside this writes while a busy machine does not let this drain: some
 * 6 MB/s a CPU, for five seconds. */
#define RING_BYTES (32 << 20)
#define SIDEBAND_BYTES (4 << 20)
#define MOST_CPUS 16
#define RECORD_NS (1500 * MS)

typedef struct
{
  const char *name;
  WprPerfKind kind;
} Wanted;
static const Wanted wanted[] = { { "sched:sched_switch", WPR_PERF_TRACEPOINT },
                                 { "sched:sched_waking", WPR_PERF_TRACEPOINT },
                                 { "sched:sched_wakeup_new", WPR_PERF_TRACEPOINT },
                                 { "sideband", WPR_PERF_SIDEBAND } };
#define SIDEBAND 3

static gint64
now (clockid_t clock)
{
  struct timespec ts;
  clock_gettime (clock, &ts);
  return (gint64)ts.tv_sec * SECOND + ts.tv_nsec;
}

/* The same event without any of our code: only what this refuses may be skipped. */
static gboolean
kernel_refuses (int *error_number)
{
  int id = wpr_tracefs_id ("sched:sched_switch");
  struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
                                  .size = sizeof attr,
                                  .config = id > 0 ? (guint64)id : 0,
                                  .sample_type = PERF_SAMPLE_RAW,
                                  .sample_period = 1,
                                  .disabled = 1 };
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  *error_number = errno;
  if (fd >= 0)
    close (fd);
  return fd < 0;
}

/* ---- the load: half the time busy in bursts of some milliseconds, each after a sleep ---- */

static void
burn (gint64 ns)
{
  gint64 until = now (CLOCK_THREAD_CPUTIME_ID) + ns;
  volatile guint64 x = 0;
  while (now (CLOCK_THREAD_CPUTIME_ID) < until)
    for (guint i = 0; i < 1000; i++)
      x += i;
}

static pid_t
start_load (gboolean bursts, const int go[2])
{
  pid_t pid = fork ();
  char c;
  if (pid != 0)
    return pid;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  close (go[1]);
  if (read (go[0], &c, 1) < 0)
    _exit (1);
  for (guint i = 0; i < 100; i++)
    {
      burn (bursts ? 3 * MS : 8 * MS);
      if (bursts)
        g_usleep (4000);
    }
  _exit (0);
}

/* ---- recording ---- */

typedef struct
{
  WprOpener *opener;
  WprOpened opened;
  WprRing *rings[2][MOST_CPUS];
  WprStore *store;
} Recording;

static void
add_ids (WprManifest *manifest, const WprOpened *opened)
{
  for (guint i = 0; i < opened->ids->len; i++)
    {
      const WprEventId *id = &g_array_index (opened->ids, WprEventId, i);
      WprStoreId row = { id->id, id->row, id->cpu };
      g_array_append_val (manifest->ids, row);
    }
}

static void
map_rings (Recording *self)
{
  for (guint i = 0; i < self->opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (self->opened.leaders, WprLeader, i);
      if (leader->bytes == 0)
        continue;
      assert_true (leader->cpu < MOST_CPUS && leader->ring < 2);
      self->rings[leader->ring][leader->cpu]
          = wpr_ring_map (leader->fd, leader->bytes, FALSE, NULL);
      assert_non_null (self->rings[leader->ring][leader->cpu]);
    }
}

static void
open_recording (Recording *self, Kit *kit)
{
  GError *error = NULL;
  WprManifest *manifest = kit->manifest;
  WprPerfEvent events[G_N_ELEMENTS (wanted)];
  WprRingSpec specs[2] = { { RING_BYTES, FALSE, 0 }, { SIDEBAND_BYTES, FALSE, 0 } };
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  g_array_set_size (manifest->events, 0);
  g_array_set_size (manifest->ids, 0);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      events[i] = (WprPerfEvent){ .row = i,
                                  .ring = i == SIDEBAND ? 1 : 0,
                                  .kind = wanted[i].kind,
                                  .name = wanted[i].name,
                                  .period = 1 };
      WprStoreEvent row
          = { .row = i,
              .name = g_strdup (wanted[i].name),
              .kind = wanted[i].kind,
              .sample_type = wpr_perf_event_sample_type (&events[i]),
              .format = wanted[i].kind == WPR_PERF_TRACEPOINT ? wpr_tracefs_format (wanted[i].name)
                                                              : NULL };
      g_array_append_val (manifest->events, row);
    }
  self->opener = wpr_opener_local_new ();
  if (!wpr_opener_open (self->opener, events, G_N_ELEMENTS (events), specs, 2,
                        (const guint *)(gpointer)cpus->data, cpus->len, &self->opened, &error))
    fail_msg ("%s", error->message);
  add_ids (manifest, &self->opened);
  manifest->max_possible_cpu = wpr_cpus_possible () - 1;
  map_rings (self);
}

static void
drain (Recording *self)
{
  for (guint cpu = 0; cpu < MOST_CPUS; cpu++)
    {
      if (self->rings[0][cpu] != NULL)
        {
          int fd = wpr_store_data_fd (self->store, 0, cpu, NULL);
          gssize n = wpr_ring_drain (self->rings[0][cpu], fd, 0, NULL);
          assert_true (n >= 0);
          wpr_store_wrote (self->store, 0, cpu, (gsize)n);
        }
      if (self->rings[1][cpu] != NULL)
        {
          gssize n = wpr_ring_drain (self->rings[1][cpu], wpr_store_sideband_fd (self->store, NULL),
                                     0, NULL);
          assert_true (n >= 0);
          wpr_store_wrote_sideband (self->store, (gsize)n);
        }
    }
}

static void
switch_all (Recording *self, unsigned long request)
{
  for (guint i = 0; i < self->opened.leaders->len; i++)
    ioctl (g_array_index (self->opened.leaders, WprLeader, i).fd, request, 0);
}

static void
close_recording (Recording *self)
{
  for (guint i = 0; i < 2; i++)
    for (guint cpu = 0; cpu < MOST_CPUS; cpu++)
      wpr_ring_free (self->rings[i][cpu]);
  wpr_opener_close (self->opener);
  g_object_unref (self->opener);
  wpr_opened_clear (&self->opened);
}

/* What the kernel counted of a row on all CPUs, and lost. */
static guint64
counted (const Recording *self, guint32 row)
{
  guint64 sum = 0;
  gboolean has_lost;
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  for (guint i = 0; i < self->opened.leaders->len; i++)
    assert_true (wpr_group_read (g_array_index (self->opened.leaders, WprLeader, i).fd, counts,
                                 &has_lost, NULL));
  for (guint i = 0; i < counts->len; i++)
    for (guint j = 0; j < self->opened.ids->len; j++)
      {
        const WprGroupCount *count = &g_array_index (counts, WprGroupCount, i);
        const WprEventId *id = &g_array_index (self->opened.ids, WprEventId, j);
        if (id->id == count->id && id->row == row)
          {
            sum += count->count;
            assert_int_equal (count->lost, 0);
          }
      }
  return sum;
}

/* ---- what the switches tell ---- */

typedef struct
{
  WprSink sink;
  guint32 tids[2];
  gint64 on_since[2], busy[2];
  guint64 n_switches, n_wakings, n_broken;
  guint32 current[MOST_CPUS];
  gboolean known[MOST_CPUS];
} Account;

static gboolean
account_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  return TRUE;
}

static gboolean
account_event (WprSink *sink, const WprEvent *event, GError **error)
{
  Account *self = (Account *)sink;
  self->n_wakings += event->kind == WPR_EVENT_WAKING && !event->u.waking.is_new;
  if (event->kind != WPR_EVENT_SWITCH)
    return TRUE;
  self->n_switches += !event->inferred;
  self->n_broken += self->known[event->cpu] && self->current[event->cpu] != event->u.sw.prev_tid;
  self->known[event->cpu] = TRUE;
  self->current[event->cpu] = event->u.sw.next_tid;
  for (guint i = 0; i < 2; i++)
    {
      if (event->u.sw.prev_tid == self->tids[i] && self->on_since[i] >= 0)
        {
          self->busy[i] += event->time - self->on_since[i];
          self->on_since[i] = -1;
        }
      if (event->u.sw.next_tid == self->tids[i])
        self->on_since[i] = event->time;
    }
  return TRUE;
}

static const WprSinkClass account_class = { account_begin, account_event, account_begin, NULL };

static gint64
cpu_time (pid_t pid)
{
  struct rusage usage;
  int status;
  assert_int_equal (wait4 (pid, &status, 0, &usage), pid);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * SECOND
         + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

/* What the machine below took from all CPUs, since it began: a thread is on its CPU then, and the
 * kernel does not count it as its time. */
static gint64
stolen_ns (void)
{
  g_autofree char *text = NULL;
  guint64 figures[8] = { 0 };
  char *at;
  assert_true (g_file_get_contents ("/proc/stat", &text, NULL, NULL));
  at = text + strlen ("cpu");
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    figures[i] = g_ascii_strtoull (at, &at, 10);
  return (gint64)figures[7] * (SECOND / sysconf (_SC_CLK_TCK));
}

static void
play_account (const Kit *kit, Account *account, WprTraceCounters *counters)
{
  WprSink *sinks[] = { &account->sink };
  GError *error = NULL;
  g_autoptr (WprTrace) trace = wpr_trace_open (kit->path, &error);
  assert_true (trace != NULL && wpr_trace_play (trace, sinks, 1, NULL, NULL, &error));
  wpr_trace_counters (trace, counters);
}

static void
assert_time (const Account *account, const gint64 *kernels, gint64 stolen, guint64 inferred)
{
  gint64 steady = account->busy[1] - kernels[1], bursts = account->busy[0] - kernels[0];
  /* A kernel that tells every switch: all time is known to 2 %, and what was stolen. */
  if (inferred == 0)
    {
      assert_true (fabs ((double)steady) < 0.02 * (double)kernels[1] + (double)stolen);
      assert_true (fabs ((double)bursts) < 0.02 * (double)kernels[0] + (double)stolen);
      return;
    }
  /* One that tells neither a switch out of idle nor what woke a thread on an idle CPU: when such a
   * thread began is not in the records, so its time may be short by any amount, and the next thread
   * gets what others did unseen. Never more than was there, and who works without pause is known
   * still. */
  assert_true (fabs ((double)steady) < 0.05 * (double)kernels[1] + (double)stolen);
  assert_true ((double)bursts < 0.25 * (double)kernels[0] + (double)stolen);
  assert_true (account->busy[0] > 0);
}

static void
test_cpu_time (void **state)
{
  int refused, go[2];
  if (kernel_refuses (&refused))
    {
      print_message ("[  SKIPPED ] perf_event_open: %s\n", g_strerror (refused));
      skip ();
    }
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 1);
  Recording recording = { 0 };
  Account account = { .sink = { &account_class }, .on_since = { -1, -1 } };
  gint64 kernels[2], stolen = stolen_ns ();
  open_recording (&recording, kit);
  kit_begin (kit, NULL);
  recording.store = kit->store;
  kit_clock (kit, now (CLOCK_MONOTONIC), SLEPT, WALL);
  switch_all (&recording, PERF_EVENT_IOC_ENABLE);
  /* Born within the recording, so that all their time is in it. */
  assert_int_equal (pipe (go), 0);
  for (guint i = 0; i < 2; i++)
    account.tids[i] = (guint32)start_load (i == 0, go);
  close (go[1]);
  for (gint64 until = now (CLOCK_MONOTONIC) + RECORD_NS; now (CLOCK_MONOTONIC) < until;)
    {
      g_usleep (20000);
      drain (&recording);
    }
  for (guint i = 0; i < 2; i++)
    kernels[i] = cpu_time ((pid_t)account.tids[i]);
  close (go[0]);
  switch_all (&recording, PERF_EVENT_IOC_DISABLE);
  stolen = stolen_ns () - stolen;
  drain (&recording);
  guint64 switches = counted (&recording, 0), wakings = counted (&recording, 1);
  kit_finish (kit, now (CLOCK_MONOTONIC));

  WprTraceCounters counters;
  play_account (kit, &account, &counters);
  close_recording (&recording);
  print_message (
      "%" G_GUINT64_FORMAT " switches, %" G_GUINT64_FORMAT " inferred; bursts %.1f ms "
      "of %.1f, steady %.1f ms of %.1f; stolen %.1f ms; largest reorder %" G_GINT64_FORMAT " ns\n",
      account.n_switches, counters.inferred_switches, (double)account.busy[0] / MS,
      (double)kernels[0] / MS, (double)account.busy[1] / MS, (double)kernels[1] / MS,
      (double)stolen / MS, counters.largest_reorder_ns);
  assert_int_equal (counters.unknown_ids, 0);
  assert_int_equal (counters.undecodable, 0);
  assert_int_equal (counters.clamped, 0);
  /* Every switch the kernel counted is there, and the chain on each CPU has no break. (Of
   * sched_waking this kernel counts a few it neither writes nor calls lost.) */
  assert_int_equal (account.n_switches, switches);
  assert_true (account.n_wakings <= wakings);
  assert_int_equal (account.n_broken, 0);
  assert_time (&account, kernels, stolen, counters.inferred_switches);
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (test_cpu_time) };
  return cmocka_run_group_tests_name ("real", tests, NULL, NULL);
}
