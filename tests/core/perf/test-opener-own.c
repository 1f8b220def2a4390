/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The opener of own programs on the real kernel, as an ordinary user (a child of this test, which
 * is root): every thread once, also those that are born while the events are opened; no more
 * descriptors than there may be; who keeps secrets is named. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf/event.h"
#include "perf/opener-own.h"
#include "perf/record.h"
#include "perf/ring.h"

/* An ordinary user who has no other programs: whose else there are, and what they have locked, is
 * not this test's. */
#define SOMEBODY 61234
#define CLOCK_ROW 1
#define SWITCH_ROW 2
#define SIDE_ROW 3
/* With the sideband's, half of it, well within what every user may lock (perf_event_mlock_kb). */
#define RING_BYTES (128 * 1024)

static const WprPerfEvent events[] = {
  { .row = CLOCK_ROW, .kind = WPR_PERF_SOFTWARE, .name = "cpu-clock", .period = 1000000 },
  { .row = SWITCH_ROW, .kind = WPR_PERF_SWITCHES, .name = "switches" },
  { .row = SIDE_ROW, .ring = 1, .kind = WPR_PERF_SIDEBAND, .name = "sideband" },
};

/* ---- as somebody else ---- */

/* Runs func in a child that is an ordinary user; what it returns is its exit status. Skips the test
 * only where the kernel refuses the child a plain event of its own. */
typedef int (*AsUser) (void);

static gboolean
may_record_itself (void)
{
  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_CPU_CLOCK,
                                  .sample_period = 1000000,
                                  .exclude_kernel = 1,
                                  .disabled = 1 };
  int fd = (int)syscall (SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

#define REFUSED 77

/* Threads and locked memory as much as the machine gives at all. */
static void
lift_limits (void)
{
  static const int resources[] = { RLIMIT_MEMLOCK, RLIMIT_NPROC };
  struct rlimit limit;
  for (guint i = 0; i < G_N_ELEMENTS (resources); i++)
    if (getrlimit (resources[i], &limit) == 0)
      {
        limit.rlim_cur = limit.rlim_max;
        setrlimit (resources[i], &limit);
      }
}

static void
as_user (AsUser func)
{
  int status = 0;
  if (geteuid () != 0)
    {
      print_message ("skipped: only root can become an ordinary user\n");
      skip ();
    }
  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      lift_limits ();
      if (setgroups (0, NULL) != 0 || setresgid (SOMEBODY, SOMEBODY, SOMEBODY) != 0
          || setresuid (SOMEBODY, SOMEBODY, SOMEBODY) != 0)
        _exit (99);
      prctl (PR_SET_DUMPABLE, 1);
      alarm (100);
      _exit (may_record_itself () ? func () : REFUSED);
    }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  if (WIFEXITED (status) && WEXITSTATUS (status) == REFUSED)
    {
      print_message ("skipped: the kernel refuses an ordinary user events of its own\n");
      skip ();
    }
  if (status != 0)
    fail_msg ("the user's part ended with status 0x%x: above is why", (unsigned)status);
}

/* Within the child nothing of cmocka's: a wrong answer is its line. */
#define REQUIRE(condition)                                                     \
  do                                                                           \
    if (!(condition))                                                          \
      {                                                                        \
        fprintf (stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
        return 1;                                                              \
      }                                                                        \
  while (0)
/* The same of two numbers, which are told as well. */
#define REQUIRE_NUMBERS(a, is, b)                                                                \
  do                                                                                             \
    {                                                                                            \
      gint64 x = (a), y = (b);                                                                   \
      if (!(x is y))                                                                             \
        {                                                                                        \
          fprintf (stderr,                                                                       \
                   "line %d: %s %s %s does not hold: %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT \
                   "\n",                                                                         \
                   __LINE__, #a, #is, #b, x, y);                                                 \
          return 1;                                                                              \
        }                                                                                        \
    }                                                                                            \
  while (0)

/* Until when what must come at last is waited for: no machine is that busy. */
#define WAIT_US (60 * G_USEC_PER_SEC)

typedef struct
{
  WprOpener *opener;
  WprOpened opened;
  GPtrArray *rings; /* WprRing */
} Own;

static gboolean
own_open (Own *own)
{
  WprRingSpec specs[] = { { .bytes = RING_BYTES }, { .bytes = RING_BYTES / 2 } };
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  g_autoptr (GError) error = NULL;
  memset (own, 0, sizeof *own);
  own->opener = wpr_opener_own_new (FALSE);
  own->rings = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_ring_free);
  if (!wpr_opener_open (own->opener, events, G_N_ELEMENTS (events), specs, G_N_ELEMENTS (specs),
                        (const guint *)cpus->data, cpus->len, &own->opened, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return FALSE;
    }
  for (guint i = 0; i < own->opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (own->opened.leaders, WprLeader, i);
      WprRing *ring = wpr_ring_map (leader->fd, leader->bytes, FALSE, NULL);
      if (ring == NULL)
        return FALSE;
      g_ptr_array_add (own->rings, ring);
    }
  return TRUE;
}

static void
own_switch (Own *own, gboolean on)
{
  for (guint i = 0; i < own->opened.leaders->len; i++)
    wpr_opener_enable (own->opener, &g_array_index (own->opened.leaders, WprLeader, i), on);
}

static void
own_close (Own *own)
{
  g_ptr_array_unref (own->rings);
  wpr_opener_close (own->opener);
  g_object_unref (own->opener);
  wpr_opened_clear (&own->opened);
}

static gboolean
is_remarked (const Own *own, const char *text)
{
  for (guint i = 0; i < own->opened.remarks->len; i++)
    if (strstr (g_ptr_array_index (own->opened.remarks, i), text) != NULL)
      return TRUE;
  return FALSE;
}

/* A child of the child; ready when it writes a byte. */
static pid_t
start_program (void (*run) (int ready))
{
  int ready[2];
  char byte;
  if (pipe (ready) != 0)
    return -1;
  pid_t pid = fork ();
  if (pid == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      close (ready[0]);
      run (ready[1]);
      _exit (0);
    }
  close (ready[1]);
  if (read (ready[0], &byte, 1) != 1)
    pid = -1;
  close (ready[0]);
  return pid;
}

static void
end_program (pid_t pid)
{
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
}

/* ---- more threads than descriptors ---- */

/* Threads: with two events on each CPU, which here share a descriptor, and the sideband's, more
 * than there may be. */
static guint
count_many (void)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  return WPR_OWN_DESCRIPTORS_MOST / (2 * cpus->len) + 200;
}

static gpointer
sleep_on (gpointer data)
{
  pause ();
  return NULL;
}

static void
run_many (int ready)
{
  pthread_attr_t attr;
  pthread_t thread;
  guint n = 0;
  int reason = 0;
  pthread_attr_init (&attr);
  pthread_attr_setstacksize (&attr, 64 * 1024);
  while (n < count_many () && reason == 0)
    {
      reason = pthread_create (&thread, &attr, sleep_on, NULL);
      n += reason == 0;
    }
  prctl (PR_SET_NAME, "wpr-many");
  if (reason != 0)
    fprintf (stderr, "the machine has room for %u threads only: %s\n", n, g_strerror (reason));
  else if (write (ready, "", 1) == 1)
    pause ();
}

static guint
count_files (void)
{
  g_autoptr (GDir) dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;
  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static int
open_more_than_there_may_be (void)
{
  Own own;
  guint before = count_files ();
  pid_t pid = start_program (run_many);
  REQUIRE (pid > 0);
  gboolean good = own_open (&own);
  end_program (pid);
  REQUIRE (good);
  guint n_cpus = own.opened.leaders->len / 2, n_open = own.opened.ids->len;
  /* As many whole threads as fit; on a machine with a lower limit of files less. */
  REQUIRE_NUMBERS (n_open, <=, WPR_OWN_DESCRIPTORS_MOST);
  REQUIRE_NUMBERS (n_open % (2 * n_cpus), ==, 0);
  REQUIRE (is_remarked (&own, "wpr-many"));
  REQUIRE (is_remarked (&own, "largest programs only"));
  REQUIRE_NUMBERS (count_files (), <=, before + n_open + own.opened.leaders->len + 4);
  own_close (&own);
  REQUIRE_NUMBERS (count_files (), <=, before + 4);
  return 0;
}

static void
test_no_more_descriptors_than_there_may_be (void **state)
{
  as_user (open_more_than_there_may_be);
}

/* ---- who may not be looked into ---- */

static void
run_secret (int ready)
{
  prctl (PR_SET_NAME, "wpr-secret");
  prctl (PR_SET_DUMPABLE, 0);
  if (write (ready, "", 1) == 1)
    pause ();
}

static int
open_beside_a_secret (void)
{
  Own own;
  pid_t pid = start_program (run_secret);
  REQUIRE (pid > 0);
  gboolean good = own_open (&own);
  end_program (pid);
  REQUIRE (good);
  REQUIRE (is_remarked (&own, "wpr-secret"));
  REQUIRE (own.opened.ids->len > 0); /* this program's */
  own_close (&own);
  return 0;
}

static void
test_a_program_that_keeps_secrets_is_named (void **state)
{
  as_user (open_beside_a_secret);
}

/* ---- threads that are born meanwhile ---- */

/* One thread starts the next all the time: whenever the events are opened, one is on its way. */
static gpointer
start_next (gpointer data)
{
  pthread_t thread;
  usleep (500);
  if (pthread_create (&thread, NULL, start_next, NULL) == 0)
    pthread_detach (thread);
  return NULL;
}

static void
run_storm (int ready)
{
  prctl (PR_SET_NAME, "wpr-storm");
  start_next (NULL);
  if (write (ready, "", 1) == 1)
    pause ();
}

typedef struct
{
  GHashTable *on; /* tid -> it came last */
  guint32 pid;
  guint n_threads, n_twice;
} Storm;

static void
take_switch (const struct perf_event_header *header, gpointer data)
{
  Storm *storm = data;
  g_autoptr (WprIdTable) none = wpr_id_table_new ();
  WprRecord record;
  WprSwitch sw;
  if (header->type == PERF_RECORD_LOST)
    g_hash_table_remove_all (storm->on); /* what came last is not known any more */
  if (header->type != PERF_RECORD_SWITCH || !wpr_record_parse (header, none, &record)
      || !wpr_record_switch (&record, &sw) || record.pid != storm->pid)
    return;
  gpointer key = GUINT_TO_POINTER (record.tid), was;
  gboolean known = g_hash_table_lookup_extended (storm->on, key, NULL, &was);
  storm->n_threads += !known;
  storm->n_twice += known && GPOINTER_TO_INT (was) == !sw.out;
  g_hash_table_insert (storm->on, key, GINT_TO_POINTER (!sw.out));
}

/* A ring is a CPU's: on it a thread comes and goes by turns, unless it is recorded twice. */
static guint
read_storms (const Own *own, Storm *storms, guint *n_twice)
{
  guint n_threads = 0;
  *n_twice = 0;
  for (guint i = 0; i < own->rings->len; i++)
    {
      wpr_ring_read (g_ptr_array_index (own->rings, i), take_switch, &storms[i]);
      n_threads += storms[i].n_threads;
      *n_twice += storms[i].n_twice;
    }
  return n_threads;
}

/* Many more than the lists of threads could name one by one: born after their parents were seen,
 * nearly all of them inherited. */
#define STORM_THREADS 100
#ifndef STORM_ROUNDS
#define STORM_ROUNDS 5
#endif
/* How long nothing new of the storm is waited for: a thread lives for a millisecond. */
#define STORM_SILENT_US (2 * G_USEC_PER_SEC)

/* Opens, and records until that many threads have been seen, or, as none was to be had before it
 * ended, no more come. */
static gboolean
record_storm (pid_t pid, guint *n_threads, guint *n_twice)
{
  Own own;
  gint64 silent_since = g_get_monotonic_time ();
  if (!own_open (&own))
    return FALSE;
  Storm *storms = g_new0 (Storm, own.rings->len);
  for (guint i = 0; i < own.rings->len; i++)
    storms[i] = (Storm){ .on = g_hash_table_new (NULL, NULL), .pid = (guint32)pid };
  own_switch (&own, TRUE);
  *n_threads = 0;
  while (*n_threads < STORM_THREADS && g_get_monotonic_time () < silent_since + STORM_SILENT_US)
    {
      usleep (10 * 1000);
      guint n = read_storms (&own, storms, n_twice);
      if (n > *n_threads)
        silent_since = g_get_monotonic_time ();
      *n_threads = n;
    }
  own_switch (&own, FALSE);
  for (guint i = 0; i < own.rings->len; i++)
    g_hash_table_unref (storms[i].on);
  g_free (storms);
  own_close (&own);
  return TRUE;
}

static int
open_in_a_storm (void)
{
  guint n_caught = 0, n_missed = 0;
  gint64 end = g_get_monotonic_time () + WAIT_US;
  pid_t pid = start_program (run_storm);
  REQUIRE (pid > 0);
  while (n_caught < STORM_ROUNDS && g_get_monotonic_time () < end)
    {
      guint n_threads = 0, n_twice = 0;
      REQUIRE (record_storm (pid, &n_threads, &n_twice));
      fprintf (stderr, "%u threads of the storm, %u twice\n", n_threads, n_twice);
      REQUIRE_NUMBERS (n_twice, ==, 0);
      n_caught += n_threads >= STORM_THREADS;
      n_missed += n_threads < STORM_THREADS;
    }
  end_program (pid);
  fprintf (stderr, "caught up with %u times, not %u times\n", n_caught, n_missed);
  REQUIRE_NUMBERS (n_caught, ==, STORM_ROUNDS);
  return 0;
}

static void
test_who_is_born_meanwhile_is_recorded_once (void **state)
{
  as_user (open_in_a_storm);
}

/* ---- rows that come and go ---- */

typedef struct
{
  guint n[16];
} Types;

static void
take_type (const struct perf_event_header *header, gpointer data)
{
  ((Types *)data)->n[MIN (header->type, 15)]++;
}

/* Computes and sleeps by turns, and adds what that has brought. */
static void
compute_and_read (Own *own, Types *types)
{
  volatile guint64 n = 0;
  for (guint i = 0; i < 40; i++)
    {
      for (guint j = 0; j < 2000000; j++)
        n += j;
      usleep (1000);
    }
  for (guint i = 0; i < own->rings->len; i++)
    wpr_ring_read (g_ptr_array_index (own->rings, i), take_type, types);
}

/* Until there are samples, if they are to come, and switches. */
static Types
record_types (Own *own, gboolean samples)
{
  Types types = { 0 };
  gint64 end = g_get_monotonic_time () + WAIT_US;
  do
    compute_and_read (own, &types);
  while ((types.n[PERF_RECORD_SWITCH] <= 10 || (samples && types.n[PERF_RECORD_SAMPLE] <= 10))
         && g_get_monotonic_time () < end);
  return types;
}

/* The row that also tells the switches goes: the switches stay. */
static int
drop_and_add (void)
{
  Own own;
  Types types = { 0 };
  g_autoptr (GError) error = NULL;
  REQUIRE (own_open (&own));
  own_switch (&own, TRUE);
  types = record_types (&own, TRUE);
  REQUIRE_NUMBERS (types.n[PERF_RECORD_SAMPLE], >, 10);
  REQUIRE_NUMBERS (types.n[PERF_RECORD_SWITCH], >, 10);
  REQUIRE (wpr_opener_drop (own.opener, CLOCK_ROW, NULL, &error));
  compute_and_read (&own, &types); /* what was in the rings */
  types = record_types (&own, FALSE);
  REQUIRE_NUMBERS (types.n[PERF_RECORD_SAMPLE], ==, 0);
  REQUIRE_NUMBERS (types.n[PERF_RECORD_SWITCH], >, 10);
  REQUIRE (wpr_opener_add (own.opener, &events[0], &own.opened, &error));
  types = record_types (&own, TRUE);
  REQUIRE_NUMBERS (types.n[PERF_RECORD_SAMPLE], >, 10);
  REQUIRE_NUMBERS (types.n[PERF_RECORD_SWITCH], >, 10);
  own_switch (&own, FALSE);
  compute_and_read (&own, &types);
  types = (Types){ 0 };
  compute_and_read (&own, &types);
  REQUIRE_NUMBERS (types.n[PERF_RECORD_SAMPLE], ==, 0);
  REQUIRE_NUMBERS (types.n[PERF_RECORD_SWITCH], ==, 0);
  own_close (&own);
  return 0;
}

static void
test_rows_come_and_go (void **state)
{
  as_user (drop_and_add);
}

/* ---- who is there ---- */

static void
test_programs_are_listed_largest_first (void **state)
{
  g_autoptr (GPtrArray) programs = wpr_own_programs_list ("/proc", getuid ());
  guint64 before = G_MAXUINT64;
  gboolean found = FALSE;
  for (guint i = 0; i < programs->len; i++)
    {
      const WprOwnProgram *program = g_ptr_array_index (programs, i);
      assert_true (program->rss_pages <= before);
      before = program->rss_pages;
      found |= program->pid == (guint32)getpid ();
    }
  assert_true (found);
  assert_true (wpr_own_threads_count (getuid ()) >= 1);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_programs_are_listed_largest_first),
    cmocka_unit_test (test_no_more_descriptors_than_there_may_be),
    cmocka_unit_test (test_a_program_that_keeps_secrets_is_named),
    cmocka_unit_test (test_who_is_born_meanwhile_is_recorded_once),
    cmocka_unit_test (test_rows_come_and_go),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
