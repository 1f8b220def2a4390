/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real wpr as a child. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wpr-child.h"

static char *folder, *save_folder, *program;
static char **environment;

static char *
make_folder (const char *name)
{
  char *path = g_build_filename (folder, name, NULL);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  return path;
}

int
child_setup (void **state)
{
  static const char *const dirs[][2]
      = { { "run", "WPR_RUNTIME_DIR" }, { "state", "WPR_STATE_DIR" } };
  folder = g_dir_make_tmp ("wpr-command-XXXXXX", NULL);
  program = g_build_filename (g_getenv ("WPR_BUILD_ROOT"), "ui", "command", "wpr", NULL);
  environment = g_get_environ ();
  environment = g_environ_setenv (environment, "LC_ALL", "C.UTF-8", TRUE);
  environment = g_environ_unsetenv (environment, "LANGUAGE");
  environment = g_environ_setenv (environment, "WPR_RECORDER", program, TRUE);
  for (gsize i = 0; i < G_N_ELEMENTS (dirs); i++)
    {
      g_autofree char *path = make_folder (dirs[i][0]);
      environment = g_environ_setenv (environment, dirs[i][1], path, TRUE);
    }
  save_folder = make_folder ("saved");
  environment = g_environ_setenv (environment, "WPR_SAVE_DIR", save_folder, TRUE);
  return 0;
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) dir
      = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *entry;
  while (dir != NULL && (entry = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, entry, NULL);
      remove_tree (child);
    }
  g_remove (path);
}

/* A recorder that was told to end still closes its socket and its lock. */
static void
wait_for_recorders (void)
{
  g_autofree char *path = child_path ("run");
  for (int i = 0; i < 100; i++)
    {
      g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
      const char *entry;
      guint n_locks = 0;
      while ((entry = g_dir_read_name (dir)) != NULL)
        n_locks += g_str_has_suffix (entry, ".lock");
      if (n_locks == 0)
        return;
      g_usleep (50 * 1000);
    }
}

int
child_teardown (void **state)
{
  wait_for_recorders ();
  remove_tree (folder);
  g_clear_pointer (&folder, g_free);
  g_clear_pointer (&save_folder, g_free);
  g_clear_pointer (&program, g_free);
  g_clear_pointer (&environment, g_strfreev);
  return 0;
}

const char *
child_folder (void)
{
  return folder;
}

const char *
child_save_folder (void)
{
  return save_folder;
}

char *
child_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

void
ran_clear (Ran *ran)
{
  g_clear_pointer (&ran->out, g_free);
  g_clear_pointer (&ran->err, g_free);
}

static GPtrArray *
words (const char *first, va_list args)
{
  GPtrArray *argv = g_ptr_array_new ();
  g_ptr_array_add (argv, program);
  for (const char *word = first; word != NULL; word = va_arg (args, const char *))
    g_ptr_array_add (argv, (gpointer)word);
  g_ptr_array_add (argv, NULL);
  return argv;
}

static void
become_nobody (gpointer data)
{
  if (setgid (65534) != 0 || setuid (65534) != 0)
    _exit (99);
}

static Ran
run (GPtrArray *argv, GSpawnChildSetupFunc setup, char **env)
{
  Ran ran = { 0 };
  int status = 0;
  g_autoptr (GError) error = NULL;
  if (!g_spawn_sync (folder, (char **)argv->pdata, env, G_SPAWN_DEFAULT, setup, NULL, &ran.out,
                     &ran.err, &status, &error))
    fail_msg ("%s", error->message);
  ran.status = WIFEXITED (status) ? WEXITSTATUS (status) : -1;
  return ran;
}

Ran
wpr_run (const char *first, ...)
{
  va_list args;
  va_start (args, first);
  g_autoptr (GPtrArray) argv = words (first, args);
  va_end (args);
  return run (argv, NULL, environment);
}

Ran
wpr_run_bare (void)
{
  gpointer argv[] = { program, NULL };
  GPtrArray none = { argv, G_N_ELEMENTS (argv) };
  return run (&none, NULL, environment);
}

/* Folders of its own: ours are closed to it. */
static Ran
run_as_nobody (GPtrArray *argv, const char *own)
{
  g_auto (GStrv) env = g_strdupv (environment);
  assert_int_equal (chmod (folder, 0711), 0);
  env = g_environ_setenv (env, "WPR_RUNTIME_DIR", own, TRUE);
  env = g_environ_setenv (env, "WPR_STATE_DIR", own, TRUE);
  env = g_environ_setenv (env, "WPR_CACHE_DIR", own, TRUE);
  return run (argv, become_nobody, env);
}

Ran
wpr_run_as_nobody (const char *first, ...)
{
  va_list args;
  va_start (args, first);
  g_autoptr (GPtrArray) argv = words (first, args);
  va_end (args);
  g_autofree char *own = g_dir_make_tmp ("wpr-nobody-XXXXXX", NULL);
  assert_int_equal (chown (own, 65534, 65534), 0);
  Ran ran = run_as_nobody (argv, own);
  remove_tree (own);
  return ran;
}

Ran
wpr_run_as_nobody_in (const char *own, const char *first, ...)
{
  va_list args;
  va_start (args, first);
  g_autoptr (GPtrArray) argv = words (first, args);
  va_end (args);
  return run_as_nobody (argv, own);
}

void
child_remove (const char *path)
{
  remove_tree (path);
}

GPid
wpr_begin (int *out_fd, const char *first, ...)
{
  va_list args;
  GPid pid = 0;
  g_autoptr (GError) error = NULL;
  va_start (args, first);
  g_autoptr (GPtrArray) argv = words (first, args);
  va_end (args);
  if (!g_spawn_async_with_pipes (folder, (char **)argv->pdata, environment,
                                 G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, NULL, out_fd, NULL,
                                 &error))
    fail_msg ("%s", error->message);
  return pid;
}

void
check_status (const Ran *ran, int expected, const char *file, int line)
{
  if (ran->status == expected)
    return;
  print_error ("exit status %d, not %d\nstdout: %s\nstderr: %s\n", ran->status, expected, ran->out,
               ran->err);
  _fail (file, line);
}

void
check_says (const char *text, const char *wanted, const char *file, int line)
{
  if (strstr (text, wanted) != NULL)
    return;
  print_error ("no \"%s\" in: %s\n", wanted, text);
  _fail (file, line);
}

gint64
json_number (const char *json, const char *key, guint nth)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\":", key);
  const char *at = json;
  for (guint i = 0; at != NULL && i <= nth; i++)
    {
      at = strstr (at, quoted);
      at = at != NULL ? at + strlen (quoted) : NULL;
    }
  return at != NULL ? g_ascii_strtoll (at, NULL, 10) : -1;
}

GPid
recorder_pid (const char *instance)
{
  g_auto (Ran) ran = wpr_run ("-status", "-json", "-instancename", instance, NULL);
  assert_status (ran, 0);
  gint64 pid = json_number (ran.out, "pid", 0);
  assert_true (pid > 1);
  return (GPid)pid;
}

void
wait_gone (const char *instance)
{
  for (int i = 0; i < 100; i++)
    {
      g_auto (Ran) ran = wpr_run ("-status", "-instancename", instance, NULL);
      if (ran.status == 3)
        return;
      g_usleep (100 * 1000);
    }
  fail_msg ("%s still records", instance);
}
