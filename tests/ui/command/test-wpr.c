/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Real recordings through the real wpr: every verb that drives one, what two people at one
 * recording meet, and what is left after kill -9, SIGTERM and -duration. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wpr-child.h"

#define RUNS 200

/* A name no other program has; at most 15 letters, as the kernel keeps them. */
static char probe_name[16];
static char *probe_path;

/* As the recorder opens its least demanding event: everything of one CPU. */
static int
refusal (void)
{
  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_CPU_CLOCK,
                                  .disabled = 1 };
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    return errno;
  close (fd);
  return 0;
}

static void
skip_without_rights (void)
{
  int error_number = refusal ();
  if (error_number == EACCES || error_number == EPERM)
    skip ();
}

/* A copy of true(1) under the name. */
static void
make_probe (void)
{
  g_autofree char *bytes = NULL;
  gsize size = 0;
  g_snprintf (probe_name, sizeof probe_name, "wprt%08x", g_random_int ());
  probe_path = child_path (probe_name);
  assert_true (g_file_get_contents ("/bin/true", &bytes, &size, NULL));
  assert_true (g_file_set_contents (probe_path, bytes, (gssize)size, NULL));
  assert_int_equal (g_chmod (probe_path, 0755), 0);
}

static void
run_probe (guint n)
{
  char *argv[] = { probe_path, NULL };
  for (guint i = 0; i < n; i++)
    assert_true (
        g_spawn_sync ("/", argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL));
}

/* Saved, or saved with losses: this machine may be busy, and then it must say so. */
static void
check_saved (const Ran *ran)
{
  if (ran->status == 7)
    {
      assert_says (ran->err, "0xc5586000");
      return;
    }
  assert_status (*ran, 0);
}

/* The file is whole, and says itself how many events it holds. */
static gint64
check_info (const char *path)
{
  g_auto (Ran) text = wpr_run ("-info", path, NULL);
  g_auto (Ran) json = wpr_run ("-info", path, "-json", NULL);
  assert_status (text, 0);
  assert_status (json, 0);
  gint64 n = json_number (json.out, "events", 0);
  assert_true (n > 0);
  return n;
}

/* How many processes of the name begin in the file, by a reader that shares nothing with the
 * writer. */
static guint
n_named (const char *path)
{
  const char *argv[] = { g_getenv ("WPR_WALKER"), path, "starts", NULL };
  g_autofree char *out = NULL;
  g_autofree char *end = g_strconcat (" ", probe_name, NULL);
  g_autoptr (GError) error = NULL;
  int status = 0;
  guint n = 0;
  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                     &error))
    fail_msg ("%s", error->message);
  if (!g_spawn_check_wait_status (status, NULL))
    fail_msg ("the walker says: %s", out);
  g_auto (GStrv) lines = g_strsplit (out, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    n += g_str_has_prefix (lines[i], "start ") && g_str_has_suffix (lines[i], end);
  return n;
}

static void
start (const char *instance, const char *mode)
{
  g_auto (Ran) ran = mode != NULL ? wpr_run ("-start", "CPU", mode, "-instancename", instance, NULL)
                                  : wpr_run ("-start", "CPU", "-instancename", instance, NULL);
  assert_status (ran, 0);
  assert_says (ran.out, "CPU");
  assert_says (ran.out, "kinds of events");
  assert_says (ran.out, "wpr -stop FILE.etl");
  assert_says (ran.out, instance);
}

/* ---- one recording, both modes ---- */

static void
status_while_recording (const char *instance, const char *mode)
{
  g_auto (Ran) text
      = wpr_run ("-status", "profiles", "collectors", "-details", "-instancename", instance, NULL);
  assert_status (text, 0);
  assert_says (text.out, instance);
  assert_says (text.out, "CPU.Verbose");
  assert_says (text.out, "WPR System Collector");
  assert_says (text.out, "sched:sched_switch");
  g_auto (Ran) json = wpr_run ("-status", "-json", NULL);
  g_autofree char *quoted = g_strdup_printf ("\"mode\":\"%s\"", mode);
  assert_status (json, 0);
  assert_says (json.out, "\"state\":\"recording\"");
  assert_says (json.out, "\"program\":\"wpr\"");
  assert_says (json.out, quoted);
  assert_true (json_number (json.out, "elapsed_ns", 0) > 0);
  assert_true (json_number (json.out, "buffers_granted", 0) > 0);
  static const char *const figures[]
      = { "overwritten",     "save_bytes", "holds_s",          "disk_free_bytes", "disk_full_s",
          "recorder_cpu_ns", "losses",     "recorder_wakeups", "worst_cpu" };
  for (guint i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      g_autofree char *key = g_strdup_printf ("\"%s\":", figures[i]);
      assert_says (json.out, key);
    }
}

static void
nothing_stops_before_the_target_is_good (const char *instance)
{
  g_autofree char *exists = child_path ("exists.etl");
  assert_true (g_file_set_contents (exists, "mine", -1, NULL));
  g_auto (Ran) taken = wpr_run ("-stop", exists, "-instancename", instance, NULL);
  assert_status (taken, 11);
  g_auto (Ran) folder = wpr_run ("-stop", "/no/such/a.etl", "-instancename", instance, NULL);
  assert_status (folder, 11);
  assert_says (folder.err, "/no/such");
  g_auto (Ran) proc = wpr_run ("-stop", "/proc/a.etl", "-instancename", instance, NULL);
  assert_status (proc, 11);
  g_auto (Ran) none = wpr_run ("-stop", "-instancename", instance, NULL);
  assert_status (none, 1);
  g_auto (Ran) second = wpr_run ("-start", "CPU", "-instancename", instance, NULL);
  assert_status (second, 4);
  assert_says (second.err, "0xc5583001");
  assert_says (second.err, "with wpr");
  g_auto (Ran) status = wpr_run ("-status", "-json", "-instancename", instance, NULL);
  assert_says (status.out, "\"state\":\"recording\"");
  g_autofree char *content = NULL;
  assert_true (g_file_get_contents (exists, &content, NULL, NULL));
  assert_string_equal (content, "mine");
  assert_int_equal (g_unlink (exists), 0);
}

static void
stop_and_check (const char *instance, const char *file)
{
  g_autofree char *path = child_path (file);
  /* What nobody here knows is complained of once the file is there. */
  g_auto (Ran) stop = wpr_run ("-stop", "-fancy", "value", file, "窗口 is \"slow\"", "-skipPdbGen",
                               "-instancename", instance, NULL);
  check_saved (&stop);
  assert_says (stop.err, "-fancy");
  assert_null (strstr (stop.err, "-skipPdbGen"));
  check_info (path);
  g_auto (Ran) info = wpr_run ("-info", path, NULL);
  assert_says (info.out, "窗口 is \"slow\"");
  assert_says (info.out, "CPU.Verbose");
  assert_null (strstr (info.out, "Linux.Symbols"));
  assert_int_equal (n_named (path), RUNS);
  g_auto (Ran) again = wpr_run ("-stop", "again.etl", "-instancename", instance, NULL);
  assert_status (again, 3);
  assert_int_equal (g_unlink (path), 0);
}

static void
memory_mode_from_start_to_file (void **state)
{
  g_autofree char *saved = child_path ("saved now.etl");
  skip_without_rights ();
  start ("mem", NULL);
  status_while_recording ("mem", "memory");
  nothing_stops_before_the_target_is_good ("mem");
  run_probe (RUNS);
  g_auto (Ran) mark = wpr_run ("-marker", "-it hangs now", "-instancename", "mem", NULL);
  assert_status (mark, 0);
  g_auto (Ran) save = wpr_run ("-save", "saved now.etl", "-instancename", "mem", NULL);
  check_saved (&save);
  assert_int_equal (n_named (saved), RUNS);
  assert_int_equal (g_unlink (saved), 0);
  stop_and_check ("mem", "slow.etl");
}

static void
file_mode_from_start_to_file (void **state)
{
  skip_without_rights ();
  start ("file", "-filemode");
  status_while_recording ("file", "file");
  nothing_stops_before_the_target_is_good ("file");
  g_auto (Ran) save = wpr_run ("-save", "a.etl", "-instancename", "file", NULL);
  assert_status (save, 3); /* only memory mode has a ring to save */
  run_probe (RUNS);
  stop_and_check ("file", "it's \"slow\" \n 慢.etl");
}

static void
two_recordings_at_once (void **state)
{
  g_autofree char *one = child_path ("one.etl");
  g_autofree char *two = child_path ("two.etl");
  skip_without_rights ();
  start ("one", NULL);
  start ("two", "-filemode");
  g_auto (Ran) status = wpr_run ("-status", "-json", NULL);
  assert_says (status.out, "\"instance\":\"one\"");
  assert_says (status.out, "\"instance\":\"two\"");
  run_probe (RUNS);
  g_auto (Ran) first = wpr_run ("-stop", "one.etl", "-instancename", "one", NULL);
  check_saved (&first);
  g_auto (Ran) second = wpr_run ("-stop", "two.etl", "-instancename", "two", NULL);
  check_saved (&second);
  assert_int_equal (n_named (one), RUNS);
  assert_int_equal (n_named (two), RUNS);
  check_info (one);
  check_info (two);
  g_unlink (one);
  g_unlink (two);
}

/* ---- how else it can end ---- */

/* The only file of the save folder; free it. */
static char *
saved_file (void)
{
  g_autoptr (GDir) dir = g_dir_open (child_save_folder (), 0, NULL);
  const char *entry = g_dir_read_name (dir);
  if (entry == NULL)
    fail_msg ("nothing in the save folder");
  assert_true (g_str_has_suffix (entry, ".etl"));
  char *path = g_build_filename (child_save_folder (), entry, NULL);
  assert_null (g_dir_read_name (dir));
  return path;
}

static guint
n_raw_recordings (void)
{
  g_autofree char *path = child_path ("state/raw");
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;
  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
kill_while_recording (const char *raw)
{
  g_auto (Ran) begun
      = raw != NULL ? wpr_run ("-start", "CPU", "-filemode", "-recordtempto", raw, "-instancename",
                               "killed", NULL)
                    : wpr_run ("-start", "CPU", "-filemode", "-instancename", "killed", NULL);
  assert_status (begun, 0);
  run_probe (RUNS);
  /* Drained at the latest a tick after it was recorded. */
  g_usleep (500 * 1000);
  assert_int_equal (kill (recorder_pid ("killed"), SIGKILL), 0);
  wait_gone ("killed");
}

static void
killed_elsewhere_and_recovered (void **state)
{
  g_autofree char *raw = child_path ("raw elsewhere");
  skip_without_rights ();
  assert_int_equal (g_mkdir (raw, 0700), 0);
  kill_while_recording (raw);
  assert_int_equal (n_raw_recordings (), 0);
  g_auto (Ran) ran = wpr_run ("-recover", raw, NULL);
  check_saved (&ran);
  g_autofree char *path = saved_file ();
  assert_int_equal (n_named (path), RUNS);
  assert_int_equal (g_unlink (path), 0);
}

static void
killed_and_recovered (void **state)
{
  skip_without_rights ();
  kill_while_recording (NULL);
  assert_int_equal (n_raw_recordings (), 1);
  g_auto (Ran) ran = wpr_run ("-recover", NULL);
  check_saved (&ran);
  g_autofree char *path = saved_file ();
  assert_says (ran.out, path);
  check_info (path);
  assert_int_equal (n_named (path), RUNS);
  assert_int_equal (n_raw_recordings (), 0);
  assert_int_equal (g_unlink (path), 0);
  /* The name is free again. */
  start ("killed", NULL);
  g_auto (Ran) cancel = wpr_run ("-cancel", "-instancename", "killed", NULL);
  assert_status (cancel, 0);
}

/* Two seconds of the most frequent events there are: saving them takes long enough to be stopped.
 */
static void
make_system_calls (void)
{
  for (gint64 end = g_get_monotonic_time () + 2 * G_USEC_PER_SEC; g_get_monotonic_time () < end;)
    for (int i = 0; i < 1000; i++)
      getppid ();
}

static void
wait_for_state (const char *instance, const char *wanted)
{
  g_autofree char *quoted = g_strdup_printf ("\"state\":\"%s\"", wanted);
  for (int i = 0; i < 1000; i++)
    {
      g_auto (Ran) ran = wpr_run ("-status", "-json", "-instancename", instance, NULL);
      if (strstr (ran.out, quoted) != NULL)
        return;
    }
  fail_msg ("%s is never %s", instance, wanted);
}

static void
interrupted_while_saving_it_keeps_the_raw_recording (void **state)
{
  g_autofree char *path = child_path ("never.etl");
  int status = 0, out = -1;
  skip_without_rights ();
  g_auto (Ran) start_it
      = wpr_run ("-start", "SystemCall", "-filemode", "-instancename", "long", NULL);
  assert_status (start_it, 0);
  make_system_calls ();
  GPid stop = wpr_begin (&out, "-stop", path, "-instancename", "long", NULL);
  wait_for_state ("long", "merging");
  g_auto (Ran) second = wpr_run ("-stop", "other.etl", "-instancename", "long", NULL);
  assert_status (second, 3);
  g_auto (Ran) mark = wpr_run ("-marker", "too late", "-instancename", "long", NULL);
  assert_status (mark, 3);
  assert_int_equal (kill (stop, SIGINT), 0);
  assert_int_equal (waitpid (stop, &status, 0), stop);
  close (out);
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 10);
  assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  wait_gone ("long");
  assert_int_equal (n_raw_recordings (), 1);
  g_auto (Ran) recover = wpr_run ("-recover", NULL);
  check_saved (&recover);
  g_autofree char *saved = saved_file ();
  check_info (saved);
  assert_int_equal (g_unlink (saved), 0);
}

/* A recorder that gets no processor while 2 MiB of buffers are flooded must lose events, and every
 * text must say so. */
static void
losses_are_said_everywhere (void **state)
{
  g_autofree char *path = child_path ("lossy.etl");
  skip_without_rights ();
  g_auto (Ran) begun = wpr_run ("-start", "SystemCall.light", "-filemode", "-buffersize", "1024",
                                "-buffers", "2", "-instancename", "lossy", NULL);
  assert_status (begun, 0);
  GPid pid = recorder_pid ("lossy");
  assert_int_equal (kill (pid, SIGSTOP), 0);
  make_system_calls ();
  g_auto (Ran) held = wpr_run ("-status", NULL);
  assert_status (held, 10); /* it is there, and does not answer */
  assert_says (held.err, "lossy");
  assert_int_equal (kill (pid, SIGCONT), 0);
  /* Counts are read twice a second. */
  gint64 lost = 0;
  for (int i = 0; i < 50 && lost <= 0; i++)
    {
      g_usleep (100 * 1000);
      g_auto (Ran) json = wpr_run ("-status", "-json", "-instancename", "lossy", NULL);
      lost = json_number (json.out, "lost", 0);
    }
  assert_true (lost > 0);
  g_auto (Ran) status = wpr_run ("-status", "collectors", "-instancename", "lossy", NULL);
  assert_says (status.out, "0xc5586000");
  assert_says (status.out, " lost on CPU ");
  g_auto (Ran) stop = wpr_run ("-stop", path, "-instancename", "lossy", NULL);
  assert_status (stop, 7);
  assert_says (stop.out, path);
  assert_says (stop.err, "0xc5586000");
  g_auto (Ran) info = wpr_run ("-info", path, "-json", NULL);
  assert_status (info, 0);
  assert_true (json_number (info.out, "events_lost", 0) >= lost);
  assert_int_equal (g_unlink (path), 0);
}

static void
terminated_it_saves (void **state)
{
  static const int signals[] = { SIGTERM, SIGINT };
  skip_without_rights ();
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      start ("term", NULL);
      run_probe (RUNS);
      assert_int_equal (kill (recorder_pid ("term"), signals[i]), 0);
      wait_gone ("term");
      g_autofree char *path = saved_file ();
      check_info (path);
      assert_int_equal (n_named (path), RUNS);
      assert_int_equal (n_raw_recordings (), 0);
      assert_int_equal (g_unlink (path), 0);
    }
}

static void
it_stops_by_itself (void **state)
{
  skip_without_rights ();
  g_auto (Ran) ran
      = wpr_run ("-start", "CPU.light", "-duration", "2", "-instancename", "self", NULL);
  check_saved (&ran);
  g_autofree char *path = saved_file ();
  assert_says (ran.out, path);
  check_info (path);
  assert_int_equal (g_unlink (path), 0);
  /* Who did not wait is told, too. */
  wait_gone ("self");
  g_usleep (200 * 1000);
  g_auto (Ran) stop = wpr_run ("-stop", "late.etl", "-instancename", "self", NULL);
  assert_status (stop, 3);
  assert_says (stop.err, path);
}

/* The runtime folder goes when its user logs out. */
static void
a_recorder_nobody_can_find_saves_and_ends (void **state)
{
  g_autofree char *socket_path = child_path ("run/lone.socket");
  skip_without_rights ();
  start ("lone", NULL);
  GPid pid = recorder_pid ("lone");
  assert_int_equal (g_unlink (socket_path), 0);
  for (int i = 0; i < 300 && kill (pid, 0) == 0; i++)
    g_usleep (100 * 1000);
  assert_int_equal (kill (pid, 0), -1);
  g_autofree char *path = saved_file ();
  check_info (path);
  assert_int_equal (g_unlink (path), 0);
}

static void
cancelled_nothing_is_left (void **state)
{
  skip_without_rights ();
  start ("cancel", "-filemode");
  assert_int_equal (n_raw_recordings (), 1);
  g_auto (Ran) ran = wpr_run ("-cancel", "-instancename", "cancel", NULL);
  assert_status (ran, 0);
  wait_gone ("cancel");
  assert_int_equal (n_raw_recordings (), 0);
}

static void
a_cut_file_is_damaged (void **state)
{
  g_autofree char *path = child_path ("cut.etl");
  struct stat info;
  skip_without_rights ();
  start ("cut", NULL);
  run_probe (20);
  g_auto (Ran) stop = wpr_run ("-stop", "cut.etl", "-instancename", "cut", NULL);
  check_saved (&stop);
  assert_int_equal (stat (path, &info), 0);
  assert_int_equal (truncate (path, info.st_size / 2), 0);
  g_auto (Ran) text = wpr_run ("-info", "cut.etl", NULL);
  assert_status (text, 9);
  assert_int_equal (g_unlink (path), 0);
}

static int
setup (void **state)
{
  child_setup (state);
  make_probe ();
  return 0;
}

static int
teardown (void **state)
{
  g_free (probe_path);
  return child_teardown (state);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (memory_mode_from_start_to_file),
    cmocka_unit_test (file_mode_from_start_to_file),
    cmocka_unit_test (two_recordings_at_once),
    cmocka_unit_test (killed_and_recovered),
    cmocka_unit_test (killed_elsewhere_and_recovered),
    cmocka_unit_test (interrupted_while_saving_it_keeps_the_raw_recording),
    cmocka_unit_test (losses_are_said_everywhere),
    cmocka_unit_test (terminated_it_saves),
    cmocka_unit_test (it_stops_by_itself),
    cmocka_unit_test (a_recorder_nobody_can_find_saves_and_ends),
    cmocka_unit_test (cancelled_nothing_is_left),
    cmocka_unit_test (a_cut_file_is_damaged),
  };
  return cmocka_run_group_tests (tests, setup, teardown);
}
