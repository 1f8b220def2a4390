/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real wpr, as somebody. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glib/gstdio.h>
#include <grp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wpr-as.h"

/* What a user has by default, and less than the rings of this test. */
#define MEMLOCK (8 * 1024 * 1024)

char *place, *program;

void
ran_clear (Ran *ran)
{
  g_free (ran->out);
  g_free (ran->err);
}

void
step_down (gpointer data)
{
  struct rlimit limit = { MEMLOCK, MEMLOCK };
  if (setrlimit (RLIMIT_MEMLOCK, &limit) != 0 || setgroups (0, NULL) != 0
      || setresgid (NOBODY, NOBODY, NOBODY) != 0 || setresuid (NOBODY, NOBODY, NOBODY) != 0)
    _exit (99);
}

char **
environment_of (const char *who)
{
  g_autofree char *run = g_build_filename (place, who, "run", NULL);
  g_autofree char *state = g_build_filename (place, who, "state", NULL);
  g_autofree char *save = g_build_filename (place, who, "saved", NULL);
  g_autofree char *roots = g_build_filename (place, "root", "run", NULL);
  char **environment = g_get_environ ();
  environment = g_environ_setenv (environment, "LC_ALL", "C.UTF-8", TRUE);
  environment = g_environ_setenv (environment, "WPR_RECORDER", program, TRUE);
  environment = g_environ_setenv (environment, "WPR_RUNTIME_DIR", run, TRUE);
  environment = g_environ_setenv (environment, "WPR_STATE_DIR", state, TRUE);
  environment = g_environ_setenv (environment, "WPR_SAVE_DIR", save, TRUE);
  environment = g_environ_setenv (environment, "WPR_ROOT_RUNTIME_DIR", roots, TRUE);
  return g_environ_unsetenv (environment, "WPR_CACHE_DIR");
}

void
make_folders (const char *who, uid_t uid)
{
  static const char *const names[] = { "", "run", "state", "saved" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (place, who, names[i], NULL);
      g_mkdir (path, 0755);
      assert_int_equal (chown (path, uid, uid), 0);
    }
}

Ran
wpr_as (const char *who, const char *first, ...)
{
  Ran ran = { 0 };
  va_list args;
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_ptr_array_add (argv, program);
  va_start (args, first);
  for (const char *word = first; word != NULL; word = va_arg (args, const char *))
    g_ptr_array_add (argv, (gpointer)word);
  va_end (args);
  g_ptr_array_add (argv, NULL);
  gboolean is_sudo = g_str_equal (who, "sudo"), is_user = g_str_equal (who, "user");
  g_auto (GStrv) environment = environment_of (is_sudo ? "root" : who);
  if (is_sudo)
    environment = g_environ_setenv (environment, "SUDO_UID", "65534", TRUE);
  g_autoptr (GError) error = NULL;
  if (!g_spawn_sync ("/", (char **)argv->pdata, environment, G_SPAWN_DEFAULT,
                     is_user ? step_down : NULL, NULL, &ran.out, &ran.err, &ran.status, &error))
    fail_msg ("%s", error->message);
  ran.status = WIFEXITED (ran.status) ? WEXITSTATUS (ran.status) : -1;
  return ran;
}

void
check_status (const Ran *ran, int wanted, int line)
{
  if (ran->status != wanted)
    fail_msg ("line %d: %d instead of %d\n%s%s", line, ran->status, wanted, ran->out, ran->err);
}

void
check_says (const char *text, const char *words, int line)
{
  if (strstr (text, words) == NULL)
    fail_msg ("line %d: no “%s” in:\n%s", line, words, text);
}
