/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A real recording of programs whose functions are known: what the file names them, read by the
 * independent walker. Static functions, stripped programs, libraries that were loaded later, files
 * that are gone, code without a file, and maps of names that lead a recorder astray. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "base/files.h"
#include "drive.h"

/* Of its own processor time: with a sample a millisecond each function is met often. */
#define WORK_MS "150"

typedef struct
{
  GPid pid;
  int in, out;
} Program;

static char *
fixture (const char *name)
{
  return g_build_filename (g_getenv ("WPR_FIXTURES"), name, NULL);
}

/* Until it has done its work; it then waits. */
static Program
run (const char *path, const char *first, const char *second)
{
  const char *argv[] = { path, first, second, NULL };
  g_autoptr (GError) error = NULL;
  Program program;
  char answer[5] = "";
  if (!g_spawn_async_with_pipes (NULL, (char **)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                 &program.pid, &program.in, &program.out, NULL, &error))
    fail_msg ("%s", error->message);
  assert_int_equal (read (program.out, answer, 4), 4);
  assert_string_equal (answer, "done");
  return program;
}

static void
end (Program *program)
{
  close (program->in);
  close (program->out);
  assert_int_equal (waitpid (program->pid, NULL, 0), program->pid);
}

/* Lines of the walker about one kind of event, NULL-terminated. */
static char **
walk (const Drive *d, const char *name, const char *what)
{
  g_autofree char *path = drive_path (d, name);
  const char *argv[] = { g_getenv ("WPR_WALKER"), path, what, NULL };
  g_autofree char *out = NULL;
  int status = -1;
  assert_non_null (argv[0]);
  assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL,
                             &status, NULL));
  assert_int_equal (status, 0);
  return g_strsplit (out, "\n", -1);
}

/* The number of the image whose path ends so; -1. Its line is checked to hold `with`. */
static int
image_of (const Drive *d, const char *name, const char *path_end, const char *with)
{
  g_auto (GStrv) lines = walk (d, name, "Linux.Symbols/Image");
  g_autofree char *wanted = g_strdup_printf ("%s BuildId=", path_end);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *number = strstr (lines[i], " Image=");
      if (number == NULL || strstr (lines[i], wanted) == NULL)
        continue;
      if (strstr (lines[i], with) == NULL)
        fail_msg ("%s is not in: %s", with, lines[i]);
      return (int)g_ascii_strtoll (number + strlen (" Image="), NULL, 10);
    }
  return -1;
}

static gboolean
has_function (const Drive *d, const char *name, int image, const char *function)
{
  g_auto (GStrv) lines = walk (d, name, "Linux.Symbols/Function");
  g_autofree char *of_image = g_strdup_printf (" Image=%d ", image);
  g_autofree char *named = g_strdup_printf (" Name=%s", function);
  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], of_image) != NULL && g_str_has_suffix (lines[i], named))
      return TRUE;
  return FALSE;
}

static void
assert_functions (const Drive *d, const char *name, const char *path_end, const char *with,
                  const char *const *functions)
{
  int image = image_of (d, name, path_end, with);
  if (image < 0)
    fail_msg ("no image %s", path_end);
  for (guint i = 0; functions[i] != NULL; i++)
    if (!has_function (d, name, image, functions[i]))
      fail_msg ("%s has no function %s", path_end, functions[i]);
}

static void
copy_program (const char *name, const char *to)
{
  g_autofree char *from = fixture (name), *bytes = NULL;
  gsize size = 0;
  assert_true (g_file_get_contents (from, &bytes, &size, NULL));
  assert_true (
      g_file_set_contents_full (to, bytes, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
}

static gboolean
kernel_is_told (void)
{
  g_autofree char *text = NULL;
  return g_file_get_contents ("/proc/kallsyms", &text, NULL, NULL)
         && !g_str_has_prefix (text, "0000000000000000 ");
}

static void
check_known (const Drive *d, const char *name)
{
  static const char *const both[] = { "known_static", "known_exported", NULL },
                           *const exported[] = { "known_exported", NULL },
                           *const library[] = { "library_static", "library_exported", NULL };
  assert_functions (d, name, "/known-pie", "Source=symtab", both);
  assert_functions (d, name, "/known-fixed", "Source=symtab", both);
  assert_functions (d, name, "/libknown.so", "Source=symtab", library);
  assert_functions (d, name, "/known-stripped", "Source=dynsym", exported);
  assert_false (
      has_function (d, name, image_of (d, name, "/known-stripped", "State=named"), "known_static"));
  assert_functions (d, name, "/known-mini", "Source=minidebug", both);
}

static void
functions_that_ran_are_named_in_the_file (void **state)
{
  static const char *const both[] = { "known_static", "known_exported", NULL };
  static const char *const names[] = { "known-pie", "known-fixed", "known-stripped", "known-mini" };
  Drive d;
  Answer answer = { 0 };
  Program programs[G_N_ELEMENTS (names) + 2];
  guint n = 0;
  drive_init (&d);
  g_autofree char *library = fixture ("libknown.so");
  g_autofree char *deleted = g_build_filename (d.root, "known-deleted", NULL);
  g_autofree char *replaced = g_build_filename (d.root, "known-replaced", NULL);
  copy_program ("known-pie", deleted);
  copy_program ("known-pie", replaced);
  drive_start (&d, drive_choice ("CPU", WPR_MODE_FILE), &answer);
  assert_good (&answer);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = fixture (names[i]);
      programs[n++] = run (path, WORK_MS, i == 0 ? library : NULL);
    }
  programs[n++] = run (deleted, WORK_MS, NULL);
  assert_int_equal (g_unlink (deleted), 0);
  /* One that ends before the file is written, and has another program in its place by then. */
  Program gone = run (replaced, WORK_MS, NULL);
  end (&gone);
  assert_int_equal (g_unlink (replaced), 0);
  copy_program ("known-fixed", replaced);
  drive_stop (&d, "names.etl", NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  while (n > 0)
    end (&programs[--n]);

  check_known (&d, "names.etl");
  if (geteuid () == 0)
    assert_functions (&d, "names.etl", "/known-deleted", "State=named", both);
  assert_true (image_of (&d, "names.etl", "/known-replaced", "State=gone") >= 0);
  if (kernel_is_told ())
    assert_true (image_of (&d, "names.etl", "Path=[kernel.kallsyms]", "State=named") >= 0);
  assert_true (g_ptr_array_find_with_equal_func (d.phases, "names", g_str_equal, NULL));

  g_autoptr (WprTraceInfo) info = read_info (&d, "names.etl");
  assert_true (info->n_functions >= 10);
  assert_true (info->n_addresses >= info->n_addresses_named && info->n_addresses_named > 10);
  assert_true (info->n_frames_named > 500); /* six programs of 150 samples each */
  assert_true (info->n_unnamed_images >= 1);
  drive_clear (&d);
}

static void
memory_mode_names_them_as_well (void **state)
{
  static const char *const both[] = { "known_static", "known_exported", NULL };
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  g_autofree char *path = fixture ("known-pie");
  drive_start (&d, drive_choice ("CPU", WPR_MODE_MEMORY), &answer);
  assert_good (&answer);
  Program program = run (path, WORK_MS, NULL);
  drive_save (&d, "saved.etl", &answer);
  assert_good (&answer);
  drive_stop (&d, "stopped.etl", NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  end (&program);
  assert_functions (&d, "saved.etl", "/known-pie", "State=named", both);
  assert_functions (&d, "stopped.etl", "/known-pie", "State=named", both);
  drive_clear (&d);
}

static void
without_names_nothing_of_them_is_in_the_file (void **state)
{
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  g_autofree char *path = fixture ("known-pie");
  drive_start (&d, drive_choice ("CPU", WPR_MODE_FILE), &answer);
  assert_good (&answer);
  Program program = run (path, WORK_MS, NULL);
  wpr_recorder_set_save_flags (d.recorder, WPR_SAVE_NO_NAMES);
  drive_stop (&d, "plain.etl", NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  end (&program);
  g_autoptr (WprTraceInfo) info = read_info (&d, "plain.etl");
  assert_int_equal (info->n_addresses, 0);
  g_autofree char *file = drive_path (&d, "plain.etl");
  assert_int_equal (count_in_file (file, "Linux.Symbols"), 0);
  assert_false (g_ptr_array_find_with_equal_func (d.phases, "names", g_str_equal, NULL));
  drive_clear (&d);
}

/* As in a container: the path means something only where the program runs. */
static void
files_of_another_mount_namespace_are_named (void **state)
{
  static const char *const both[] = { "known_static", "known_exported", NULL };
  const char *probe[] = { "unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt", NULL };
  int status = -1;
  if (geteuid () != 0
      || !g_spawn_sync (NULL, (char **)probe, NULL,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                        &status, NULL)
      || status != 0)
    {
      print_message ("skipped: this process cannot mount anything in a namespace of its own\n");
      skip ();
    }
  Drive d;
  Answer answer = { 0 };
  drive_init (&d);
  g_autofree char *path = fixture ("known-pie"), *unshare = g_find_program_in_path ("unshare");
  g_autofree char *inside = g_build_filename (d.root, "inside", NULL);
  g_autofree char *script = g_build_filename (d.root, "script", NULL);
  g_autofree char *text
      = g_strdup_printf ("#!/bin/sh\nmount -t tmpfs none '%s' && cp '%s' '%s/known-hidden' && exec "
                         "'%s/known-hidden' " WORK_MS "\n",
                         inside, path, inside, inside);
  assert_int_equal (g_mkdir (inside, 0700), 0);
  assert_true (g_file_set_contents_full (script, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  drive_start (&d, drive_choice ("CPU", WPR_MODE_FILE), &answer);
  assert_good (&answer);
  Program program = run (unshare, "-m", script);
  g_autofree char *hidden = g_build_filename (inside, "known-hidden", NULL);
  assert_int_equal (g_access (hidden, F_OK), -1);
  drive_stop (&d, "hidden.etl", NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  end (&program);
  assert_functions (&d, "hidden.etl", "/known-hidden", "Source=symtab", both);
  drive_clear (&d);
}

/* ---- cancelling ---- */

static void
cancel_at_names (WprRecorder *recorder, const char *phase, double fraction, guint64 done,
                 guint64 total, gpointer cancellable)
{
  if (g_str_equal (phase, "names"))
    g_cancellable_cancel (cancellable);
}

/* The file may be finished before the word arrives. TRUE: it was cancelled. */
static gboolean
cancel_one (void)
{
  static const char *const both[] = { "known_static", "known_exported", NULL };
  Drive d;
  Answer answer = { 0 };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autofree char *path = fixture ("known-pie");
  gboolean cancelled;
  drive_init (&d);
  drive_start (&d, drive_choice ("CPU", WPR_MODE_FILE), &answer);
  assert_good (&answer);
  Program program = run (path, WORK_MS, NULL);
  g_signal_connect (d.recorder, "progress", G_CALLBACK (cancel_at_names), cancellable);
  drive_stop_begin (&d, "cancelled.etl", cancellable, &answer);
  drive_wait (&answer.done);
  cancelled = !answer.good;
  if (cancelled)
    {
      assert_refused (&answer, WPR_ERROR_CANCELLED);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray) left = wpr_unfinished_list (&error);
      assert_int_equal (left->len, 1);
      const WprUnfinished *store = g_ptr_array_index (left, 0);
      g_autoptr (WprSaved) saved
          = wpr_recover (store->path, d.save_fd, "recovered.etl", NULL, NULL, NULL, &error);
      assert_non_null (saved);
      assert_functions (&d, "recovered.etl", "/known-pie", "State=named", both);
    }
  answer_clear (&answer);
  end (&program);
  drive_clear (&d);
  return cancelled;
}

static void
cancelled_while_names_are_looked_for_the_recording_is_kept (void **state)
{
  for (guint i = 0; i < 10; i++)
    if (cancel_one ())
      return;
  fail_msg ("%s", "it was never cancelled in time");
}

/* ---- code without a file ---- */

static gboolean
jit_is_named (const Drive *d, const char *name, GPid pid)
{
  g_auto (GStrv) lines = walk (d, name, "Linux.Symbols/JitFunction");
  g_autofree char *of = g_strdup_printf (" ProcessId=%d ", (int)pid);
  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], of) != NULL)
      {
        assert_true (g_str_has_suffix (lines[i], " Name=known jitted"));
        return TRUE;
      }
  return FALSE;
}

static gboolean
map_is_told (const Drive *d, const char *name, GPid pid, const char *state)
{
  g_auto (GStrv) lines = walk (d, name, "Linux.Symbols/Image");
  g_autofree char *of = g_strdup_printf (" Path= BuildId= ProcessId=%d ", (int)pid);
  g_autofree char *with = g_strdup_printf (" State=%s ", state);
  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], of) != NULL)
      return strstr (lines[i], with) != NULL;
  return FALSE;
}

static void
code_made_at_run_time_is_named_by_its_own_plain_map_only (void **state)
{
#if defined __x86_64__ || defined __aarch64__
  static const struct
  {
    const char *how, *state;
    gboolean needs_root;
  } rows[] = {
    { "plain", "named", FALSE },      { "link", "not-trusted", FALSE },
    { "pipe", "not-trusted", FALSE }, { "large", "too-large", FALSE },
    { "other", "not-trusted", TRUE },
  };
  Drive d;
  Answer answer = { 0 };
  Program programs[G_N_ELEMENTS (rows)];
  gboolean ran[G_N_ELEMENTS (rows)] = { FALSE };
  drive_init (&d);
  g_autofree char *path = fixture ("known-jit");
  drive_start (&d, drive_choice ("CPU", WPR_MODE_FILE), &answer);
  assert_good (&answer);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (!rows[i].needs_root || geteuid () == 0)
      {
        programs[i] = run (path, WORK_MS, rows[i].how);
        ran[i] = TRUE;
      }
  drive_stop (&d, "jit.etl", NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (!ran[i])
        continue;
      end (&programs[i]);
      assert_int_equal (jit_is_named (&d, "jit.etl", programs[i].pid), i == 0);
      if (!map_is_told (&d, "jit.etl", programs[i].pid, rows[i].state))
        fail_msg ("a %s map is not told as %s", rows[i].how, rows[i].state);
    }
  drive_clear (&d);
#else
  skip ();
#endif
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (functions_that_ran_are_named_in_the_file),
    cmocka_unit_test (memory_mode_names_them_as_well),
    cmocka_unit_test (files_of_another_mount_namespace_are_named),
    cmocka_unit_test (without_names_nothing_of_them_is_in_the_file),
    cmocka_unit_test (cancelled_while_names_are_looked_for_the_recording_is_kept),
    cmocka_unit_test (code_made_at_run_time_is_named_by_its_own_plain_map_only),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
