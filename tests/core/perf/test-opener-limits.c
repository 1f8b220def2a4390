/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the local opener meets limits of the kernel: what is refused is said, rings shrink where
 * they must, more events than a group holds get another. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/wpr-error.h"
#include "recording.h"

static const WprPerfEvent numbered
    = { .row = 1, .kind = WPR_PERF_TRACEPOINT, .name = NUMBERED_EVENT, .period = 1 };

static void
what_the_kernel_lacks_is_a_refusal (void **state)
{
  static const WprPerfEvent events[] = {
    { .row = 0, .kind = WPR_PERF_SOFTWARE, .name = "page-faults", .period = 1 },
    { .row = 1, .kind = WPR_PERF_TRACEPOINT, .name = "no:such_event", .period = 1 },
    { .row = 2, .kind = WPR_PERF_TRACEPOINT, .name = "../../x:y", .period = 1 },
    { .row = 3, .kind = WPR_PERF_SOFTWARE, .name = "no-such", .period = 1 },
    { .row = 4, .kind = WPR_PERF_HARDWARE, .name = "no-such", .frequency = 1000 },
  };
  static const int reasons[] = { 0, ENOENT, EINVAL, ENOENT, ENOENT };
  g_autoptr (WprOpener) opener = wpr_opener_local_new ();
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  WprRingSpec spec = { .bytes = 64 << 10 };
  WprOpened opened = { 0 };

  assert_true (wpr_opener_open (opener, events, G_N_ELEMENTS (events), &spec, 1,
                                (const guint *)cpus->data, cpus->len, &opened, NULL));
  assert_int_equal (opened.leaders->len, cpus->len);
  assert_int_equal (opened.ids->len, cpus->len);
  assert_int_equal (opened.refusals->len, 4);
  for (guint i = 0; i < opened.refusals->len; i++)
    {
      const WprRefusal *refusal = &g_array_index (opened.refusals, WprRefusal, i);
      assert_int_equal (refusal->row, i + 1);
      assert_int_equal (refusal->cpu, G_MAXUINT);
      assert_int_equal (refusal->error_number, reasons[refusal->row]);
    }
  wpr_opened_clear (&opened);
}

/* 680 members fill a group's answer; the others get a leader of their own and the same ring. */
static void
more_events_than_a_group_holds_get_a_second_one (void **state)
{
  enum
  {
    N_EVENTS = 700
  };
  g_autofree WprPerfEvent *events = g_new0 (WprPerfEvent, N_EVENTS);
  for (guint32 i = 0; i < N_EVENTS; i++)
    events[i] = (WprPerfEvent){
      .row = i, .kind = WPR_PERF_SOFTWARE, .name = "emulation-faults", .period = 1
    };
  events[0].name = "page-faults";
  events[N_EVENTS - 1] = numbered;
  events[N_EVENTS - 1].row = N_EVENTS - 1;
  g_autoptr (Recording) recording = recording_new (events, N_EVENTS, 1 << 20, FALSE);
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  guint64 count, lost;

  assert_int_equal (recording->opened.leaders->len, 2 * cpus->len);
  assert_int_equal (recording->opened.ids->len, N_EVENTS * cpus->len);
  recording_switch (recording, TRUE);
  g_autoptr (GPtrArray) work = workloads_start (100, 0);
  for (guint i = 0; i < 50; i++)
    {
      guint8 *page = mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      *(volatile guint8 *)page = 1;
      munmap (page, 4096);
    }
  workloads_finish (work);
  recording_switch (recording, FALSE);
  recording_collect (recording);
  recording_counts (recording, 0, &count, &lost);
  assert_true (count >= 50);
  assert_int_equal (recording_rows (recording, 0) + lost, count);
  recording_counts (recording, N_EVENTS - 1, &count, &lost);
  assert_true (count >= 100 * work->len);
  assert_int_equal (recording_rows (recording, N_EVENTS - 1) + lost, count);
}

/* A user nobody else is, nor has been just now (locked memory is counted by user, and given back
 * some time after the last of its programs), with one right and nothing lockable. In a child, since
 * it gives rights up. 0 or where it failed. */
static int
become_nobody_who_may_record (uid_t uid)
{
  struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct caps[2] = { 0 };
  struct rlimit limit = { 0, 0 };

  caps[CAP_PERFMON / 32].effective = caps[CAP_PERFMON / 32].permitted = 1u << CAP_PERFMON % 32;
  return prctl (PR_SET_KEEPCAPS, 1) == 0 && setuid (uid) == 0
                 && syscall (SYS_capset, &header, caps) == 0
                 && setrlimit (RLIMIT_MEMLOCK, &limit) == 0
             ? 0
             : 10;
}

/* What the kernel lets this test itself map. */
static gboolean
maps_raw (gsize bytes)
{
  static const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "page-faults" };
  struct perf_event_attr attr;

  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  WprRing *raw = fd >= 0 ? wpr_ring_map (fd, bytes, FALSE, NULL) : NULL;
  gboolean mapped = raw != NULL;
  wpr_ring_free (raw);
  if (fd >= 0)
    close (fd);
  return mapped;
}

static int
shrinks_in_child (void)
{
  g_autoptr (WprOpener) opener = wpr_opener_local_new ();
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  WprRingSpec spec = { .bytes = 16 << 20 };
  static const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "page-faults" };
  WprOpened opened = { 0 };
  int trouble = become_nobody_who_may_record (61244);

  if (trouble != 0)
    return trouble;
  /* No limit where perf_event_paranoid is -1; then nothing may shrink. */
  gboolean unlimited = maps_raw (spec.bytes);
  if (!wpr_opener_open (opener, &event, 1, &spec, 1, (const guint *)cpus->data, cpus->len, &opened,
                        NULL))
    return 1;
  gsize bytes = g_array_index (opened.leaders, WprLeader, 0).bytes;
  for (guint i = 0; i < opened.leaders->len; i++)
    if (g_array_index (opened.leaders, WprLeader, i).bytes != bytes)
      return 2;
  if (unlimited)
    return bytes == spec.bytes ? 0 : 3;
  return bytes < spec.bytes && bytes >= 65536 ? 0 : 4;
}

/* What a large set leaves must do for the next: the sideband is opened after the data. */
static int
two_sets_in_child (void)
{
  g_autoptr (WprOpener) opener = wpr_opener_local_new ();
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  const WprRingSpec specs[] = { { .bytes = 16 << 20, .backward = TRUE }, { .bytes = 512 << 10 } };
  static const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "page-faults" };
  WprOpened opened = { 0 };
  gsize bytes[G_N_ELEMENTS (specs)] = { 0 };
  int trouble = become_nobody_who_may_record (61245);

  if (trouble != 0)
    return trouble;
  if (!wpr_opener_open (opener, &event, 1, specs, G_N_ELEMENTS (specs), (const guint *)cpus->data,
                        cpus->len, &opened, NULL))
    return 1;
  for (guint i = 0; i < opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (opened.leaders, WprLeader, i);
      if (bytes[leader->ring] != 0 && bytes[leader->ring] != leader->bytes)
        return 2;
      bytes[leader->ring] = leader->bytes;
    }
  return bytes[0] >= 65536 && bytes[1] >= 65536 ? 0 : 3;
}

static int
refused_in_child (void)
{
  g_autoptr (WprOpener) opener = wpr_opener_local_new ();
  WprRingSpec spec = { .bytes = 64 << 10 };
  WprOpened opened = { 0 };
  g_autoptr (GError) error = NULL;
  guint cpu = 0;
  static const WprPerfEvent event = { .kind = WPR_PERF_SOFTWARE, .name = "page-faults" };
  struct perf_event_attr attr;

  if (setuid (65534) != 0)
    return 10;
  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  gboolean opens = wpr_opener_open (opener, &event, 1, &spec, 1, &cpu, 1, &opened, &error);
  if (fd >= 0)
    return opens ? 0 : 1;
  return !opens && g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_PERMITTED) ? 0 : 2;
}

static void
run_in_child (int (*func) (void))
{
  int status;
  pid_t pid = fork ();
  if (pid == 0)
    _exit (func ());
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 0);
}

static void
rings_shrink_where_memory_may_not_be_locked (void **state)
{
  if (geteuid () == 0)
    run_in_child (shrinks_in_child);
  if (geteuid () == 0)
    run_in_child (two_sets_in_child);
}

static void
without_rights_opening_says_so (void **state)
{
  if (geteuid () == 0)
    run_in_child (refused_in_child);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_the_kernel_lacks_is_a_refusal),
    cmocka_unit_test (more_events_than_a_group_holds_get_a_second_one),
    cmocka_unit_test (rings_shrink_where_memory_may_not_be_locked),
    cmocka_unit_test (without_rights_opening_says_so),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
