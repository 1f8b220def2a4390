/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each step of the ladder on the real kernel: an ordinary user records with perf_event_paranoid as
 * it is given, and the file holds what the step promises and nothing of others. The parent is root,
 * sets the kernel's knob and lets a stranger be busy; the user is a child that executes this test
 * anew. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "drive.h"
#include "etl/reader.h"

#define KNOB "/proc/sys/kernel/perf_event_paranoid"
#define NOBODY 65534
/* Some 300 samples, a third of them outside the kernel. */
#define BUSY_MS 300
/* Memory mode keeps the newest only: of rings of 2 MiB, beside a flood of page faults. */
#define LEAST 5
#define KERNEL_SIDE G_GUINT64_CONSTANT (0x8000000000000000)

static const struct
{
  const char *name;
  int paranoid;
  WprRights rights;
  gboolean kernel; /* own programs: their kernel side is seen */
  gboolean backward;
} steps[] = {
  { "own", 2, WPR_RIGHTS_OWN, FALSE, FALSE },
  { "own-memory", 2, WPR_RIGHTS_OWN, FALSE, TRUE },
  { "own-kernel", 1, WPR_RIGHTS_OWN, TRUE, FALSE },
  { "system", 0, WPR_RIGHTS_SYSTEM, TRUE, FALSE },
  { "system-memory", 0, WPR_RIGHTS_SYSTEM, TRUE, TRUE },
  /* The rights would do for tracepoints, but their numbers are root's. */
  { "no-numbers", -1, WPR_RIGHTS_SYSTEM, TRUE, FALSE },
};

/* ---- busy threads ---- */

typedef struct
{
  guint32 tid;
  gint stop;
  gint cpu_ms; /* so long it ran */
  GThread *thread;
} Busy;

/* Computes, touches fresh memory, calls the kernel for long enough to be sampled there, sleeps. */
static gpointer
be_busy (gpointer data)
{
  Busy *busy = data;
  g_autofree char *sink = g_malloc (1 << 16);
  g_atomic_int_set ((gint *)&busy->tid, (gint)syscall (SYS_gettid));
  while (!g_atomic_int_get (&busy->stop))
    {
      volatile guint64 n = 0;
      for (guint i = 0; i < 500000; i++)
        n += i;
      char *memory
          = mmap (NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      for (guint i = 0; i < 1 << 20; i += 4096)
        memory[i] = 1;
      munmap (memory, 1 << 20);
      int fd = open ("/dev/zero", O_RDONLY | O_CLOEXEC);
      for (guint i = 0; i < 64; i++)
        if (read (fd, sink, 1 << 16) < 0)
          break;
      close (fd);
      struct timespec ran;
      clock_gettime (CLOCK_THREAD_CPUTIME_ID, &ran);
      g_atomic_int_set (&busy->cpu_ms, (gint)(ran.tv_sec * 1000 + ran.tv_nsec / 1000000));
      g_usleep (500);
    }
  return NULL;
}

static void
busy_begin (Busy *busy)
{
  *busy = (Busy){ 0 };
  busy->thread = g_thread_new ("busy", be_busy, busy);
  while (g_atomic_int_get ((gint *)&busy->tid) == 0)
    g_usleep (1000);
}

/* However busy the machine is beside. */
static void
busy_run (Busy *busy, gint cpu_ms)
{
  gint before = g_atomic_int_get (&busy->cpu_ms);
  for (guint i = 0; i < 3000 && g_atomic_int_get (&busy->cpu_ms) - before < cpu_ms; i++)
    g_usleep (10 * 1000);
}

static void
busy_end (Busy *busy)
{
  g_atomic_int_set (&busy->stop, 1);
  g_thread_join (busy->thread);
}

/* ---- what is in the file ---- */

typedef struct
{
  guint32 early, late, stranger; /* threads */
  guint samples_early, samples_late, samples_stranger, samples_kernel;
  guint switches_early, switches_late, switches_stranger, half_known;
  guint faults_early;
  GHashTable *on; /* thread and CPU -> it came last and has not left */
  guint twice;    /* came while on, or left while off */
} Seen;

static guint32
u32_at (const guint8 *at)
{
  guint32 value;
  memcpy (&value, at, sizeof value);
  return value;
}

static void
take_side (Seen *seen, guint cpu, guint32 tid, gboolean comes)
{
  /* Events are in order of time on each CPU. */
  gpointer key = GSIZE_TO_POINTER ((gsize)cpu << 32 | tid), was;
  seen->switches_early += tid == seen->early;
  seen->switches_late += tid == seen->late;
  seen->switches_stranger += tid == seen->stranger;
  seen->half_known += tid == G_MAXUINT32;
  if (tid != seen->early && tid != seen->late)
    return;
  if (g_hash_table_lookup_extended (seen->on, key, NULL, &was)
      && GPOINTER_TO_INT (was) == (int)comes)
    seen->twice++;
  g_hash_table_insert (seen->on, key, GINT_TO_POINTER (comes));
}

static gboolean
take_event (const WprEtlEvent *event, gpointer data)
{
  Seen *seen = data;
  if (event->hook == 0x0f2e && event->payload_size >= 12) /* SampledProfile: ip, thread */
    {
      guint32 tid = u32_at (event->payload + 8);
      guint64 ip;
      memcpy (&ip, event->payload, sizeof ip);
      seen->samples_early += tid == seen->early;
      seen->samples_late += tid == seen->late;
      seen->samples_stranger += tid == seen->stranger;
      seen->samples_kernel += ip >= KERNEL_SIDE && (tid == seen->early || tid == seen->late);
    }
  else if (event->hook == 0x0524 && event->payload_size >= 8) /* CSwitch: new, old */
    {
      take_side (seen, event->cpu, u32_at (event->payload + 4), FALSE);
      take_side (seen, event->cpu, u32_at (event->payload), TRUE);
    }
  else if (event->hook >> 8 == 0x06 || event->hook >> 8 == 0x02)
    seen->faults_early += event->tid == seen->early;
  return TRUE;
}

static void
read_file (const Drive *d, const char *name, Seen *seen)
{
  g_autofree char *path = drive_path (d, name);
  g_autoptr (GError) error = NULL;
  g_autoptr (WprEtlFile) file = wpr_etl_file_open (path, &error);
  assert_non_null (file);
  seen->on = g_hash_table_new (NULL, NULL);
  wpr_etl_file_visit (file, take_event, NULL, seen);
  g_hash_table_unref (seen->on);
  print_message (
      "samples %u %u stranger %u kernel %u, switches %u %u stranger %u half %u twice %u, "
      "faults %u\n",
      seen->samples_early, seen->samples_late, seen->samples_stranger, seen->samples_kernel,
      seen->switches_early, seen->switches_late, seen->switches_stranger, seen->half_known,
      seen->twice, seen->faults_early);
}

/* ---- the user's part ---- */

static guint step;
static guint32 stranger;

static void
check_samples (const Seen *seen, gboolean own)
{
  assert_true (seen->samples_early > LEAST);
  assert_true (seen->samples_late > LEAST); /* inherited */
  assert_int_equal (seen->samples_stranger > 0, !own);
  assert_int_equal (seen->samples_kernel > 0, steps[step].kernel);
}

static void
check_switches (const Seen *seen, gboolean own, guint64 lost)
{
  assert_true (seen->switches_early > LEAST);
  assert_true (seen->switches_late > LEAST);
  assert_int_equal (seen->switches_stranger > 0, !own);
  /* Of all hardly any: who ended before anything was seen of a CPU. */
  if (own)
    assert_true (seen->half_known > LEAST);
  else
    assert_true (seen->half_known * 50 <= seen->switches_early + seen->switches_stranger);
  /* Each was put on and taken off a CPU by turns: nothing is there twice. The small rings of an
   * ordinary user may be too small on a machine that is busy beside. */
  if (lost == 0)
    assert_int_equal (seen->twice, 0);
}

static void
test_a_user_records_what_the_step_promises (void **state)
{
  gboolean own = steps[step].rights == WPR_RIGHTS_OWN;
  Drive d;
  Answer answer = { 0 };
  Busy early, late;
  Seen seen = { 0 };
  drive_init_here (&d);
  g_autoptr (WprMachine) machine = wpr_machine_probe ();
  assert_int_equal (wpr_machine_get_rights (machine), steps[step].rights);
  assert_int_equal (wpr_machine_get_sees_kernel (machine), steps[step].kernel);

  busy_begin (&early);
  WprChoice *choice = drive_choice ("CPU", steps[step].backward ? WPR_MODE_MEMORY : WPR_MODE_FILE);
  wpr_choice_add (choice, "ResidentSet", NULL, -1);
  choice->unlock = FALSE;
  drive_start (&d, choice, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  busy_begin (&late);
  busy_run (&early, BUSY_MS);
  busy_run (&late, BUSY_MS);
  g_autoptr (GVariant) description = wpr_recorder_describe (d.recorder);
  const char *rights = "";
  assert_true (g_variant_lookup (description, "rights", "&s", &rights));
  assert_string_equal (rights, own ? "own" : "system");
  drive_stop (&d, "ladder.etl", NULL, &answer);
  assert_good (&answer);
  busy_end (&early);
  busy_end (&late);

  seen.early = early.tid;
  seen.late = late.tid;
  seen.stranger = stranger;
  read_file (&d, "ladder.etl", &seen);
  check_samples (&seen, own);
  check_switches (&seen, own, answer.saved->lost);
  assert_true (seen.faults_early > LEAST);
  g_autoptr (WprTraceInfo) info = read_info (&d, "ladder.etl");
  assert_string_equal (info->rights, own ? "own" : "system");
  g_autofree char *text = wpr_trace_info_to_text (info);
  assert_non_null (strstr (text, own ? "Only programs of" : "All programs were recorded"));
  answer_clear (&answer);
  drive_clear (&d);
}

/* ---- the parent's part ---- */

static int knob_before;
static int guard[2] = { -1, -1 };

static gboolean
write_knob (int value)
{
  g_autofree char *text = g_strdup_printf ("%d\n", value);
  int fd = open (KNOB, O_WRONLY | O_CLOEXEC);
  gboolean good = fd >= 0 && write (fd, text, strlen (text)) == (gssize)strlen (text);
  if (fd >= 0)
    close (fd);
  return good;
}

/* Whatever becomes of this test, the knob is put back: by who outlives it. */
static void
guard_knob (void)
{
  assert_int_equal (pipe (guard), 0);
  pid_t pid = fork ();
  assert_true (pid >= 0);
  if (pid == 0)
    {
      char byte;
      setsid ();
      close (guard[1]);
      while (read (guard[0], &byte, 1) > 0)
        ;
      write_knob (knob_before);
      _exit (0);
    }
  close (guard[0]);
  fcntl (guard[1], F_SETFD, FD_CLOEXEC);
}

/* Skips the test where nobody may change the knob. */
static void
set_up (void)
{
  g_autofree char *text = wpr_read_small (KNOB, 32, NULL);
  if (geteuid () != 0 || text == NULL)
    {
      print_message ("skipped: only root may change %s\n", KNOB);
      skip ();
    }
  knob_before = (int)g_ascii_strtoll (text, NULL, 10);
  if (!write_knob (knob_before))
    {
      print_message ("skipped: %s cannot be written (%s)\n", KNOB, g_strerror (errno));
      skip ();
    }
  guard_knob ();
}

static int
tear_down (void **state)
{
  if (guard[1] >= 0)
    {
      assert_true (write_knob (knob_before));
      close (guard[1]);
      guard[1] = -1;
      wait (NULL);
    }
  return 0;
}

static void
become_nobody (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (setgroups (0, NULL) != 0 || setresgid (NOBODY, NOBODY, NOBODY) != 0
      || setresuid (NOBODY, NOBODY, NOBODY) != 0)
    _exit (3);
}

/* A folder that the user owns, for all files of the recording. */
static char *
make_home (void)
{
  g_autoptr (GError) error = NULL;
  char *home = g_dir_make_tmp ("wpr-ladder-XXXXXX", &error);
  assert_non_null (home);
  assert_int_equal (chown (home, NOBODY, NOBODY), 0);
  return home;
}

static void
test_step (void **state)
{
  guint index = GPOINTER_TO_UINT (*state);
  set_up ();
  g_autofree char *home = make_home ();
  g_autofree char *number = g_strdup_printf ("%u", index);
  Busy busy;
  g_autoptr (GError) error = NULL;
  g_autofree char *output = NULL;
  int status = 0;
  busy_begin (&busy); /* root's: a stranger to the user */
  g_autofree char *foreign = g_strdup_printf ("%u", busy.tid);
  const char *argv[] = { "/proc/self/exe", number, foreign, NULL };
  g_autofree char *self = g_file_read_link ("/proc/self/exe", &error);
  argv[0] = self;
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "TMPDIR", home, TRUE);
  environment = g_environ_setenv (environment, "HOME", home, TRUE);
  environment = g_environ_unsetenv (environment, "WPR_CACHE_DIR");

  assert_true (write_knob (steps[index].paranoid));
  gboolean ran = g_spawn_sync (NULL, (char **)argv, environment, G_SPAWN_CHILD_INHERITS_STDIN,
                               become_nobody, NULL, &output, NULL, &status, &error);
  write_knob (knob_before);
  busy_end (&busy);
  g_autofree char *parent = g_path_get_dirname (home);
  g_autofree char *name = g_path_get_basename (home);
  int fd = wpr_open_folder (parent, NULL);
  wpr_remove_tree_at (fd, name, NULL);
  close (fd);
  if (!ran) /* the build's folder is closed to others */
    {
      print_message ("skipped: an ordinary user cannot run this test (%s)\n", error->message);
      skip ();
    }
  print_message ("%s", output);
  assert_int_equal (status, 0);
}

int
main (int argc, char **argv)
{
  if (argc == 3)
    {
      const struct CMUnitTest child[] = {
        cmocka_unit_test (test_a_user_records_what_the_step_promises),
      };
      step = (guint)strtoul (argv[1], NULL, 10) % G_N_ELEMENTS (steps);
      stranger = (guint32)strtoul (argv[2], NULL, 10);
      prctl (PR_SET_DUMPABLE, 1);
      return cmocka_run_group_tests (child, NULL, NULL);
    }
  struct CMUnitTest tests[G_N_ELEMENTS (steps)];
  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    tests[i]
        = (struct CMUnitTest){ steps[i].name, test_step, NULL, tear_down, GUINT_TO_POINTER (i) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
