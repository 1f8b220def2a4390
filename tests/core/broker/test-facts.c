/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the service reads for a client: the same as root reads itself, and not more than it may
 * tell. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/files.h"
#include "service.h"
#include "world/open-files.h"
#include "world/world.h"

#define SECRET "WPR_TEST_SECRET=never-to-be-told"

/* A program of yet another user that goes on while it is looked at; its environment has a secret,
 * its command line a word. */
static pid_t
start_stranger (void)
{
  static char *const environment[] = { (char *)SECRET, NULL };
  static char *const arguments[] = { (char *)"sleep", (char *)"98765", NULL };
  int pair[2];
  char c;
  if (pipe2 (pair, O_CLOEXEC) != 0)
    return -1;
  pid_t pid = fork ();
  if (pid == 0)
    {
      if (setresgid (SOMEBODY, SOMEBODY, SOMEBODY) != 0
          || setresuid (SOMEBODY, SOMEBODY, SOMEBODY) != 0)
        _exit (1);
      execve ("/bin/sleep", arguments, environment);
      _exit (1);
    }
  close (pair[1]);
  while (read (pair[0], &c, 1) > 0)
    ;
  close (pair[0]);
  /* Until the loader has mapped the library. */
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  g_autofree char *path = g_strdup_printf ("/proc/%d/maps", (int)pid);
  for (gboolean mapped = FALSE; !mapped && g_get_monotonic_time () < end; g_usleep (10000))
    {
      g_autofree char *maps = NULL;
      mapped = g_file_get_contents (path, &maps, NULL, NULL) && strstr (maps, "libc.so") != NULL;
    }
  return pid;
}

static int
set_up (void **state)
{
  pid_t pid = start_stranger ();
  *state = GINT_TO_POINTER (pid);
  return pid > 0 ? 0 : 1;
}

static int
tear_down (void **state)
{
  kill (GPOINTER_TO_INT (*state), SIGKILL);
  waitpid (GPOINTER_TO_INT (*state), NULL, 0);
  return 0;
}

static void
run (ClientFunc func, gboolean contents, gpointer data)
{
  g_autoptr (Service) service = service_start (WPR_BROKER_ORPHAN_S, 0);
  int fd = service_serve (service, NOBODY, FALSE, contents, NULL);
  assert_true (fd >= 0);
  assert_int_equal (client_run (NOBODY, func, fd, data), 0);
}

/* ---- rundown ---- */

/* Mappings as one text: what is compared. */
static char *
describe (const WprWorld *world, guint32 pid, gboolean files)
{
  const WprProcess *process = wpr_world_process (world, pid, G_MAXINT64 - 1);
  if (process == NULL)
    return NULL;
  const WprProgram *program
      = &g_array_index (process->programs, WprProgram, process->programs->len - 1);
  GString *text = g_string_new (NULL);
  g_string_append_printf (text, "%u %u %u %s %s\n", process->pid, process->ppid, process->uid,
                          program->exe, program->comm);
  for (guint i = 0; i < process->mappings->len; i++)
    {
      const WprMapping *m = &g_array_index (process->mappings, WprMapping, i);
      g_string_append_printf (text, "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %s", m->start,
                              m->length, m->path);
      if (files)
        g_string_append_printf (text, " %" G_GUINT64_FORMAT " %" G_GINT64_FORMAT, m->file_size,
                                m->mtime_ns);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

typedef struct
{
  guint32 pid;
  char *by_root; /* as root's own look has it */
} Stranger;

static int
read_rundown (int fd, gpointer data)
{
  const Stranger *stranger = data;
  WprBrokerSession *session = wpr_broker_session_new (fd);
  g_autoptr (GBytes) bytes = wpr_broker_facts_rundown (session, TRUE, NULL);
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  g_autoptr (WprWorld) own = wpr_world_new (WPR_WORLD_MAX_DEAD);
  CHECK (bytes != NULL && wpr_world_load (world, bytes, NULL));
  /* By itself this user learns no mapping of it. */
  wpr_world_read_proc (own, "/proc", 1, NULL);
  g_autofree char *closed = describe (own, stranger->pid, FALSE);
  CHECK (closed != NULL && strstr (closed, "libc") == NULL);
  wpr_world_fill_in (world, "/proc");
  g_autofree char *found = describe (world, stranger->pid, TRUE);
  if (g_strcmp0 (found, stranger->by_root) != 0)
    g_printerr ("%s\nbut root:\n%s\n", found, stranger->by_root);
  CHECK (g_strcmp0 (found, stranger->by_root) == 0);
  /* Everybody may read command lines here, so they are there, too. */
  const WprProcess *process = wpr_world_process (world, stranger->pid, G_MAXINT64 - 1);
  CHECK (g_strcmp0 (g_array_index (process->programs, WprProgram, 0).cmdline, "sleep 98765") == 0);
  wpr_broker_session_unref (session);
  return 0;
}

static void
test_rundown_is_what_root_reads (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  Stranger stranger = { .pid = (guint32)GPOINTER_TO_INT (*state) };
  wpr_world_read_proc (world, "/proc", 1, NULL);
  stranger.by_root = describe (world, stranger.pid, TRUE);
  assert_non_null (strstr (stranger.by_root, "libc"));
  run (read_rundown, FALSE, &stranger);
  g_free (stranger.by_root);
}

/* Processes that are there before and after, all of them. */
static int
count_processes (int fd, gpointer data)
{
  WprBrokerSession *session = wpr_broker_session_new (fd);
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  g_autoptr (WprWorld) own = wpr_world_new (WPR_WORLD_MAX_DEAD);
  wpr_world_read_proc (own, "/proc", 1, NULL);
  g_autoptr (GBytes) bytes = wpr_broker_facts_rundown (session, FALSE, NULL);
  CHECK (bytes != NULL && wpr_world_load (world, bytes, NULL));
  g_autoptr (GPtrArray) there = wpr_world_list_processes (own);
  guint n_missing = 0;
  for (guint i = 0; i < there->len; i++)
    {
      const WprProcess *process = g_ptr_array_index (there, i);
      n_missing += wpr_world_process (world, process->pid, G_MAXINT64 - 1) == NULL;
    }
  CHECK (there->len > 2 && n_missing <= there->len / 10); /* some end meanwhile */
  CHECK (wpr_world_kernel_mappings (world)->len > 0);
  wpr_broker_session_unref (session);
  return 0;
}

static void
test_rundown_has_every_process_and_the_kernel (void **state)
{
  run (count_processes, FALSE, NULL);
}

static int
look_for_secrets (int fd, gpointer data)
{
  gboolean contents = GPOINTER_TO_INT (data);
  WprBrokerSession *session = wpr_broker_session_new (fd);
  g_autoptr (GBytes) asked = wpr_broker_facts_rundown (session, TRUE, NULL);
  g_autoptr (GBytes) unasked = wpr_broker_facts_rundown (session, FALSE, NULL);
  gsize size;
  CHECK (asked != NULL && unasked != NULL);
  const char *text = g_bytes_get_data (asked, &size);
  CHECK (memmem (text, size, "never-to-be-told", 16) == NULL);
  CHECK ((memmem (text, size, "sleep 98765", 11) != NULL) == contents);
  text = g_bytes_get_data (unasked, &size);
  CHECK (memmem (text, size, "never-to-be-told", 16) == NULL);
  CHECK (memmem (text, size, "sleep 98765", 11) == NULL);
  wpr_broker_session_unref (session);
  return 0;
}

static void
test_environment_is_never_told_and_command_lines_only_where_allowed (void **state)
{
  run (look_for_secrets, FALSE, GINT_TO_POINTER (FALSE));
  run (look_for_secrets, TRUE, GINT_TO_POINTER (TRUE));
}

/* ---- the others ---- */

static int
read_descriptors (int fd, gpointer data)
{
  guint32 pid = (guint32)GPOINTER_TO_INT (data);
  WprBrokerSession *session = wpr_broker_session_new (fd);
  g_autoptr (GPtrArray) own = wpr_open_files_read ("/proc", TRUE);
  g_autoptr (GPtrArray) all = wpr_broker_facts_descriptors (session, TRUE, NULL);
  gboolean known = FALSE;
  CHECK (all != NULL && all->len > own->len);
  for (guint i = 0; i < own->len; i++)
    CHECK (((WprOpenFiles *)own->pdata[i])->pid != pid);
  for (guint i = 0; i < all->len; i++)
    {
      const WprOpenFiles *files = all->pdata[i];
      if (files->pid != pid)
        continue;
      const WprOpenFile *first = &g_array_index (files->files, WprOpenFile, 0);
      char cwd[4096] = "";
      CHECK (getcwd (cwd, sizeof cwd) != NULL);
      known = first->fd == AT_FDCWD && g_str_equal (first->path, cwd);
    }
  CHECK (known);
  wpr_broker_session_unref (session);
  return 0;
}

static void
test_descriptors_of_other_users (void **state)
{
  run (read_descriptors, FALSE, *state);
}

static int
read_symbols (int fd, gpointer data)
{
  GBytes *by_root = data;
  WprBrokerSession *session = wpr_broker_session_new (fd);
  g_autoptr (GBytes) bytes = wpr_broker_facts_kallsyms (session, NULL);
  gsize size, expected;
  CHECK (bytes != NULL);
  const char *text = g_bytes_get_data (bytes, &size);
  const char *root = g_bytes_get_data (by_root, &expected);
  /* Programs the kernel compiles come and go at the end. */
  CHECK (size > 1000 && expected > 1000 && memcmp (text, root, MIN (size, expected) / 2) == 0);
  wpr_broker_session_unref (session);
  return 0;
}

static void
test_symbols_are_what_root_reads (void **state)
{
  gsize size = 0;
  char *text = wpr_read_small ("/proc/kallsyms", 64 * 1024 * 1024, &size);
  if (text == NULL || size < 1000)
    skip ();
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, size);
  run (read_symbols, FALSE, bytes);
}

static int
read_formats (int fd, gpointer data)
{
  char **by_root = data;
  const char *names[] = { "sched:sched_switch", "no_such:event",  "kprobes:secret",
                          "../../etc:passwd",   "printk:console", "block:block_rq_issue" };
  WprBrokerSession *session = wpr_broker_session_new (fd);
  CHECK (wpr_tracefs_id (names[0]) < 0);
  CHECK (wpr_broker_facts_formats (session, names, G_N_ELEMENTS (names), NULL));
  g_autofree char *one = wpr_tracefs_format (names[0]);
  g_autofree char *none = wpr_tracefs_format (names[4]);
  CHECK (g_strcmp0 (one, by_root[0]) == 0);
  CHECK (wpr_tracefs_id (names[0]) == (int)g_ascii_strtoll (by_root[1], NULL, 10));
  CHECK (none == NULL && wpr_tracefs_id (names[1]) < 0 && wpr_tracefs_id (names[3]) < 0);
  wpr_broker_session_unref (session);
  return 0;
}

static void
test_formats_are_what_root_reads (void **state)
{
  char *by_root[] = { wpr_tracefs_format ("sched:sched_switch"), NULL };
  if (by_root[0] == NULL)
    skip ();
  by_root[1] = g_strdup_printf ("%d", wpr_tracefs_id ("sched:sched_switch"));
  run (read_formats, FALSE, by_root);
  g_free (by_root[0]);
  g_free (by_root[1]);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_rundown_is_what_root_reads),
    cmocka_unit_test (test_rundown_has_every_process_and_the_kernel),
    cmocka_unit_test (test_environment_is_never_told_and_command_lines_only_where_allowed),
    cmocka_unit_test (test_descriptors_of_other_users),
    cmocka_unit_test (test_symbols_are_what_root_reads),
    cmocka_unit_test (test_formats_are_what_root_reads),
  };
  return cmocka_run_group_tests (tests, set_up, tear_down);
}
