/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real wpr of a user without rights, whose kernel events the broker opens, beside root's of the
 * same time: below with-system-bus, as root, which steps down for the user's part. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus.h"
#include "wpr-as.h"

/* Until when what must come is waited for. */
#define WAIT_US (60 * G_USEC_PER_SEC)

/* Switches, forks, files: what the profile has events for. */
static void
work (void)
{
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *out = NULL;
      g_spawn_command_line_sync ("/bin/ls -R /usr/share/doc/dbus", &out, NULL, NULL, NULL);
      g_usleep (50 * 1000);
    }
}

/* The same all the time, once it has been done: on a busy machine rings in memory keep seconds
 * only, and what they are to hold must not be older. */
typedef struct
{
  GThread *thread;
  gint stop;
} Working;

static gpointer
keep_working (gpointer data)
{
  while (!g_atomic_int_get (&((Working *)data)->stop))
    work ();
  return NULL;
}

static void
work_on (Working *working)
{
  work ();
  working->thread = g_thread_new ("work", keep_working, working);
}

static void
work_no_more (Working *working)
{
  g_atomic_int_set (&working->stop, TRUE);
  g_thread_join (working->thread);
}

static char *
path_of (const char *who, const char *name)
{
  return g_build_filename (place, who, name, NULL);
}

/* "provider name" -> number, of wpr -info -json. */
static GHashTable *
counts_of (const char *json)
{
  GHashTable *counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (const char *at = json; (at = strstr (at, "{\"provider\":\"")) != NULL; at++)
    {
      char provider[128] = "", name[128] = "";
      unsigned long long n = 0;
      if (sscanf (at, "{\"provider\":\"%127[^\"]\",\"name\":\"%127[^\"]\",\"count\":%llu", provider,
                  name, &n)
          == 3)
        g_hash_table_insert (counts, g_strconcat (provider, " ", name, NULL),
                             GSIZE_TO_POINTER ((gsize)n));
    }
  return counts;
}

static char *
info_of (const char *who, const char *file)
{
  g_auto (Ran) ran = wpr_as (who, "-info", file, "-json", NULL);
  assert_status (ran, 0);
  return g_steal_pointer (&ran.out);
}

static gint64
number (const char *json, const char *key)
{
  g_autofree char *word = g_strdup_printf ("\"%s\":", key);
  const char *at = strstr (json, word);
  return at != NULL ? g_ascii_strtoll (at + strlen (word), NULL, 10) : -1;
}

/* "provider event" -> number, of the programs this test starts: others' doings, and those of the
 * wpr that stops first, are in one recording only. */
static GHashTable *
kinds_of_work (const char *who, const char *file)
{
  GHashTable *kinds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (Ran) ran = wpr_as (who, "-dump", file, "-filter", "ProcessName==\"ls\"", "-csv", NULL);
  assert_status (ran, 0);
  g_auto (GStrv) lines = g_strsplit (ran.out, "\n", -1);
  for (guint i = 1; lines[0] != NULL && lines[i] != NULL; i++)
    {
      /* time_s, time, cpu, pid, tid, process, provider, event, ... */
      g_auto (GStrv) columns = g_strsplit (lines[i], ",", 9);
      if (g_strv_length (columns) < 9)
        continue;
      char *kind = g_strconcat (columns[6], " ", columns[7], NULL);
      gsize n = GPOINTER_TO_SIZE (g_hash_table_lookup (kinds, kind));
      g_hash_table_insert (kinds, kind, GSIZE_TO_POINTER (n + 1));
    }
  assert_true (g_hash_table_size (kinds) > 10);
  return kinds;
}

/* Every kind of event of the one of which there are some is in the other, too. */
static void
check_kinds (GHashTable *of, GHashTable *in, const char *what)
{
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_iter_init (&iter, of);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (GPOINTER_TO_SIZE (value) >= 20 && !g_hash_table_contains (in, key))
      fail_msg ("%s has no “%s”, of which the other has %lu", what, (char *)key,
                (gulong)GPOINTER_TO_SIZE (value));
}

static double
named_share (const char *info)
{
  return (double)number (info, "frames_named") / (double)MAX (number (info, "frames"), 1);
}

static void
check_named (const char *of_user, const char *of_root)
{
  double user = named_share (of_user), root = named_share (of_root);
  if (user < 0.1 || user < root * 0.6)
    fail_msg ("%.3f of the frames are named, of root's %.3f", user, root);
}

/* The events of a process of root's with its image, as text. */
static char *
dump_of (const char *who, const char *file, const char *filter)
{
  g_auto (Ran) ran = wpr_as (who, "-dump", file, "-filter", filter, NULL);
  assert_status (ran, 0);
  return g_steal_pointer (&ran.out);
}

static void
same_in_mode (const char *mode)
{
  g_autofree char *roots = path_of ("root", mode);
  g_autofree char *users = path_of ("user", mode);
  g_autofree char *roots_file = g_strconcat (roots, ".etl", NULL);
  g_autofree char *users_file = g_strconcat (users, ".etl", NULL);
  const char *option = g_str_equal (mode, "file") ? "-filemode" : NULL;
  /* 64 MiB a CPU on two; at most four times that on more. */
  g_auto (Ran) a = wpr_as ("root", "-start", "GeneralProfile", "-start", "FileIO", "-buffersize",
                           "1024", "-buffers", "64", option, NULL);
  assert_status (a, 0);
  g_autofree char *buffers = g_strdup_printf ("%ld", 64 * sysconf (_SC_NPROCESSORS_ONLN));
  g_auto (Ran) b = wpr_as ("user", "-start", "GeneralProfile", "-start", "FileIO", "-buffersize",
                           "1024", "-buffers", buffers, option, NULL);
  assert_status (b, 0);
  g_auto (Ran) status = wpr_as ("user", "-status", "-json", NULL);
  assert_status (status, 0);
  assert_says (status.out, "\"ring_bytes\":67108864");
  Working working = { 0 };
  work_on (&working);
  g_auto (Ran) c = wpr_as ("user", "-stop", users_file, NULL);
  g_auto (Ran) d = wpr_as ("root", "-stop", roots_file, NULL);
  work_no_more (&working);
  if (c.status != 7)
    assert_status (c, 0);
  if (d.status != 7)
    assert_status (d, 0);
  g_autofree char *of_root = info_of ("root", roots_file);
  g_autofree char *of_user = info_of ("user", users_file);
  g_autoptr (GHashTable) kinds_of_root = kinds_of_work ("root", roots_file);
  g_autoptr (GHashTable) kinds_of_user = kinds_of_work ("user", users_file);
  check_kinds (kinds_of_root, kinds_of_user, "the user's");
  check_kinds (kinds_of_user, kinds_of_root, "root's");
  /* Functions are named as in root's, whose recording is the longer one; most are the kernel's. */
  check_named (of_user, of_root);
  /* polkitd is another user's: its name and its image. */
  g_autofree char *process = dump_of ("user", users_file, "ProcessName==\"polkitd\"");
  assert_says (process, "polkitd");
  g_autofree char *images = dump_of ("user", users_file,
                                     "Name==\"ImageRundown\" || "
                                     "TaskName==\"ImageLoad\"");
  struct stat info;
  assert_int_equal (stat (users_file, &info), 0);
  assert_int_equal (info.st_uid, NOBODY);
}

static void
memory_mode_is_the_same_as_root_s (void **state)
{
  same_in_mode ("memory");
}

static void
file_mode_is_the_same_as_root_s (void **state)
{
  same_in_mode ("file");
}

static GPid
recorder_of (const char *who)
{
  g_auto (Ran) ran = wpr_as (who, "-status", "-json", NULL);
  assert_status (ran, 0);
  GPid pid = (GPid)number (ran.out, "pid");
  assert_true (pid > 1);
  return pid;
}

static void
a_killed_recorder_s_rings_are_recovered (void **state)
{
  g_auto (Ran) started = wpr_as ("user", "-start", "CPU", NULL);
  assert_status (started, 0);
  work ();
  /* Then the world is kept, as it is each half a minute. */
  g_auto (Ran) enabled = wpr_as ("user", "-enable", "DiskIO", NULL);
  assert_status (enabled, 0);
  kill (recorder_of ("user"), SIGKILL);
  g_auto (Ran) recovered = { 0 };
  for (gint64 end = g_get_monotonic_time () + WAIT_US; g_get_monotonic_time () < end;)
    {
      ran_clear (&recovered);
      recovered = wpr_as ("user", "-recover", "-json", NULL);
      if (strstr (recovered.out, "\"path\"") != NULL)
        break;
      g_usleep (100 * 1000);
    }
  assert_says (recovered.out, "\"path\"");
  assert_true (number (recovered.out, "events") > 100);
  const char *at = strstr (recovered.out, "\"path\":\"") + strlen ("\"path\":\"");
  g_autofree char *path = g_strndup (at, strcspn (at, "\""));
  g_autofree char *info = info_of ("user", path);
  g_autoptr (GHashTable) counts = counts_of (info);
  gboolean any = FALSE;
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    any |= strstr (key, "CSwitch") != NULL;
  assert_true (any);
  /* The kernel's functions: the broker tells them whoever claims the rings. */
  g_auto (Ran) stacks
      = wpr_as ("user", "-dump", path, "-filter", "ProcessName==\"ls\"", "-stacks", NULL);
  assert_status (stacks, 0);
  assert_says (stacks.out, "schedule+0x");
  /* Those that live, and those that had ended when the world was kept. */
  g_autofree char *process = dump_of ("user", path, "ProcessName==\"test-broker-wpr\"");
  assert_says (process, "test-broker-wpr");
  g_autofree char *ended = dump_of ("user", path, "ProcessName==\"ls\"");
  assert_says (ended, "ls");
  /* Once. */
  g_auto (Ran) again = wpr_as ("user", "-recover", NULL);
  assert_status (again, 0);
  assert_says (again.out, "no unfinished");
}

/* What was in the rings when the right went may be taken out later. */
static gint64
events_when_all_are_drained (void)
{
  gint64 before = -1, now = -1;
  for (gint64 end = g_get_monotonic_time () + WAIT_US; g_get_monotonic_time () < end;)
    {
      g_auto (Ran) status = wpr_as ("user", "-status", "-json", NULL);
      now = number (status.out, "events");
      if (before >= 0 && now - before < 100)
        return now;
      before = now;
      g_usleep (G_USEC_PER_SEC); /* figures are told each second */
    }
  fail_msg ("the events became ever more, %" G_GINT64_FORMAT " by now", now);
  return now;
}

static void
without_the_broker_the_rest_goes_on_and_the_file_says_so (void **state)
{
  g_autofree char *file = path_of ("user", "withdrawn.etl");
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_auto (Ran) started = wpr_as ("user", "-start", "CPU", "-filemode", NULL);
  assert_status (started, 0);
  work ();
  guint pid = bus_broker_pid (bus);
  assert_true (pid > 1);
  kill ((pid_t)pid, SIGKILL);
  g_auto (Ran) status = { 0 };
  for (gint64 end = g_get_monotonic_time () + WAIT_US; g_get_monotonic_time () < end;)
    {
      ran_clear (&status);
      status = wpr_as ("user", "-status", "-json", NULL);
      if (strstr (status.out, "rights-withdrawn") != NULL)
        break;
      g_usleep (100 * 1000);
    }
  assert_says (status.out, "rights-withdrawn");
  assert_says (status.out, "\"state\":\"recording\"");
  /* A new service does not bring the old rights back. */
  g_autofree char *asked = bus_ask (bus);
  assert_string_equal (asked, "yes");
  gint64 events = events_when_all_are_drained ();
  work ();
  g_auto (Ran) later = wpr_as ("user", "-status", "-json", NULL);
  assert_in_range (number (later.out, "events"), events, events + 1000);
  g_auto (Ran) mark = wpr_as ("user", "-marker", "still here", NULL);
  assert_status (mark, 0);
  g_auto (Ran) stopped = wpr_as ("user", "-stop", file, NULL);
  assert_status (stopped, 0);
  g_autofree char *info = info_of ("user", file);
  assert_true (number (info, "events") > 100);
  assert_true (number (info, "cpu_gaps") > 0);
  g_autofree char *marks = dump_of ("user", file, "EventName==\"Mark\"");
  g_auto (Ran) all = wpr_as ("user", "-info", file, NULL);
  assert_says (all.out, "or the right to record was withdrawn, and"); /* the verdict */
  assert_says (all.out, "The right to record this computer was withdrawn");
}

static void
root_s_recording_is_seen_and_stopped (void **state)
{
  g_autofree char *file = path_of ("user", "of-root.etl");
  g_auto (Ran) started = wpr_as ("root", "-start", "CPU", "-instancename", "boot", NULL);
  assert_status (started, 0);
  g_auto (Ran) listed = wpr_as ("user", "-status", NULL);
  assert_status (listed, 0);
  assert_says (listed.out, "root:boot");
  g_auto (Ran) grown = wpr_as ("user", "-enable", "DiskIO", "-instancename", "root:boot", NULL);
  assert_status (grown, 5);
  g_auto (Ran) refused
      = wpr_as ("user", "-stop", "/etc/of-root.etl", "-instancename", "root:boot", NULL);
  assert_status (refused, 11);
  assert_false (g_file_test ("/etc/of-root.etl", G_FILE_TEST_EXISTS));
  g_auto (Ran) stopped = wpr_as ("user", "-stop", file, "-instancename", "root:boot", NULL);
  assert_status (stopped, 0);
  struct stat info;
  assert_int_equal (stat (file, &info), 0);
  assert_int_equal (info.st_uid, NOBODY);
  assert_int_equal (info.st_mode & 0777, 0600);
  g_autofree char *text = info_of ("user", file);
  assert_true (number (text, "events") > 10);
}

static void
sudo_leaves_the_caller_s_files (void **state)
{
  g_autofree char *file = path_of ("user", "sudo.etl");
  g_auto (Ran) started = wpr_as ("sudo", "-start", "CPU", "-filemode", NULL);
  assert_status (started, 0);
  work ();
  g_auto (Ran) stopped = wpr_as ("sudo", "-stop", file, NULL);
  assert_status (stopped, 0);
  struct stat info;
  assert_int_equal (stat (file, &info), 0);
  assert_int_equal (info.st_uid, NOBODY);
  g_auto (Ran) timed = wpr_as ("sudo", "-start", "CPU", "-duration", "1", NULL);
  assert_status (timed, 0);
  /* A link of theirs is not followed by root, wherever it leads; nor is a file put where everybody
   * may replace it. */
  g_autofree char *trap = path_of ("user", "trap");
  g_autofree char *wild = path_of ("user", "wild");
  g_autofree char *beyond = g_build_filename (trap, "sudo.etl", NULL);
  assert_int_equal (symlink ("/var", trap), 0);
  assert_int_equal (lchown (trap, NOBODY, NOBODY), 0);
  assert_int_equal (g_mkdir (wild, 0777), 0);
  assert_int_equal (chmod (wild, 0777), 0);
  g_auto (Ran) led = wpr_as ("sudo", "-start", "CPU", "-recordtempto", trap, NULL);
  assert_status (led, 5);
  g_auto (Ran) open = wpr_as ("sudo", "-start", "CPU", "-recordtempto", wild, NULL);
  assert_status (open, 5);
  g_auto (Ran) again = wpr_as ("sudo", "-start", "CPU", NULL);
  assert_status (again, 0);
  g_auto (Ran) refused = wpr_as ("sudo", "-stop", beyond, NULL);
  assert_status (refused, 5);
  assert_false (g_file_test ("/var/sudo.etl", G_FILE_TEST_EXISTS));
  g_auto (Ran) ended = wpr_as ("sudo", "-cancel", NULL);
  assert_status (ended, 0);
}

/* ---- at a terminal ---- */

/* The user's wpr at a terminal, which answers what is asked for with the words; *said: all that was
 * written there. The exit status. */
static int
at_terminal (const char *answer, char **said, const char *first, ...)
{
  va_list args;
  int terminal, status = 0;
  gboolean answered = FALSE;
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  g_auto (GStrv) environment = environment_of ("user");
  g_ptr_array_add (argv, program);
  va_start (args, first);
  for (const char *word = first; word != NULL; word = va_arg (args, const char *))
    g_ptr_array_add (argv, (gpointer)word);
  va_end (args);
  g_ptr_array_add (argv, NULL);
  pid_t pid = forkpty (&terminal, NULL, NULL, NULL);
  if (pid == 0)
    {
      step_down (NULL);
      execve (program, (char **)argv->pdata, environment);
      _exit (98);
    }
  for (gint64 end = g_get_monotonic_time () + WAIT_US; g_get_monotonic_time () < end;)
    {
      char room[512];
      struct pollfd wait = { terminal, POLLIN, 0 };
      gssize n = poll (&wait, 1, 1000) > 0 ? read (terminal, room, sizeof room) : 0;
      if (n < 0)
        break; /* all who had it have gone */
      g_string_append_len (text, room, n);
      if (answered || strstr (text->str, "assword:") == NULL)
        continue;
      answered = TRUE;
      g_usleep (200 * 1000); /* the agent switches the echo off first */
      assert_int_equal (write (terminal, answer, strlen (answer)), (int)strlen (answer));
    }
  close (terminal);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  *said = g_string_free (g_steal_pointer (&text), FALSE);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

static gboolean
is_running (const char *name)
{
  g_autofree char *out = NULL;
  g_autofree char *command = g_strdup_printf ("pgrep -u 65534 -x %s", name);
  g_spawn_command_line_sync (command, &out, NULL, NULL, NULL);
  return out != NULL && *out != '\0';
}

static void
the_password_is_asked_for_at_the_terminal (void **state)
{
  g_autofree char *said = NULL;
  g_autofree char *file = path_of ("user", "asked.etl");
  int status = at_terminal ("secret\n", &said, "-start", "CPU", NULL);
  if (status != 0)
    fail_msg ("%d:\n%s", status, said);
  assert_null (strstr (said, "secret"));
  assert_false (is_running ("pkttyagent"));
  work ();
  g_auto (Ran) stopped = wpr_as ("user", "-stop", file, NULL);
  assert_status (stopped, 0);
  g_autofree char *info = info_of ("user", file);
  assert_true (number (info, "events") > 100);
}

static void
a_wrong_password_offers_one_s_own_programs (void **state)
{
  g_autofree char *said = NULL;
  int status = at_terminal ("wrong\n", &said, "-start", "CPU", NULL);
  if (status != 5)
    fail_msg ("%d:\n%s", status, said);
  assert_says (said, "-ownprograms");
  assert_false (is_running ("pkttyagent"));
}

/* Who asks is this wpr, about which its own agent is asked; a wrong password leaves it recording.
 */
static void
root_s_recording_is_stopped_with_the_password (void **state)
{
  g_autofree char *said = NULL, *said_first = NULL;
  g_autofree char *file = path_of ("user", "root-s.etl");
  g_auto (Ran) started = wpr_as ("root", "-start", "CPU", "-instancename", "asked", NULL);
  assert_status (started, 0);
  work ();
  int refused
      = at_terminal ("wrong\n", &said_first, "-stop", file, "-instancename", "root:asked", NULL);
  if (refused != 5)
    fail_msg ("%d:\n%s", refused, said_first);
  assert_false (g_file_test (file, G_FILE_TEST_EXISTS));
  int status = at_terminal ("secret\n", &said, "-stop", file, "-instancename", "root:asked", NULL);
  if (status != 0)
    fail_msg ("%d:\n%s", status, said);
  assert_null (strstr (said, "secret"));
  assert_false (is_running ("pkttyagent"));
  g_autofree char *info = info_of ("user", file);
  assert_true (number (info, "events") > 100);
}

static void
without_a_terminal_it_says_what_to_do (void **state)
{
  g_auto (Ran) ran = wpr_as ("user", "-start", "CPU", NULL);
  assert_status (ran, 5);
  assert_says (ran.err, "sudo wpr -start");
  assert_says (ran.err, "-ownprograms");
  g_auto (Ran) status = wpr_as ("user", "-status", NULL);
  assert_status (status, 3);
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest asked[] = {
    cmocka_unit_test (without_a_terminal_it_says_what_to_do),
    cmocka_unit_test (the_password_is_asked_for_at_the_terminal),
    cmocka_unit_test (a_wrong_password_offers_one_s_own_programs),
    cmocka_unit_test (root_s_recording_is_stopped_with_the_password),
  };
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (memory_mode_is_the_same_as_root_s),
    cmocka_unit_test (file_mode_is_the_same_as_root_s),
    cmocka_unit_test (a_killed_recorder_s_rings_are_recovered),
    cmocka_unit_test (without_the_broker_the_rest_goes_on_and_the_file_says_so),
    cmocka_unit_test (root_s_recording_is_seen_and_stopped),
    cmocka_unit_test (sudo_leaves_the_caller_s_files),
  };
  if (geteuid () != 0)
    return 77;
  /* Not the harness's own folder: recordings need a disk. */
  place = g_dir_make_tmp ("wpr-ladder-XXXXXX", NULL);
  g_chmod (place, 0755);
  program = g_build_filename (g_getenv ("WPR_BUILD_ROOT"), "ui", "command", "wpr", NULL);
  make_folders ("user", NOBODY);
  make_folders ("root", 0);
  gboolean is_asked = argc > 1 && g_str_equal (argv[1], "ask");
  if (argc > 1 + is_asked)
    cmocka_set_test_filter (argv[1 + is_asked]);
  int failed = is_asked ? cmocka_run_group_tests (asked, NULL, NULL)
                        : cmocka_run_group_tests (tests, NULL, NULL);
  g_autofree char *remove = g_strdup_printf ("rm -rf '%s'", place);
  if (g_getenv ("WPR_TEST_KEEP") == NULL)
    g_spawn_command_line_sync (remove, NULL, NULL, NULL, NULL);
  return failed;
}
