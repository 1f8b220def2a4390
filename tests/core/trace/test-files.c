/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names and descriptors: a key a name, and never more of them than are kept. */
#include "config.h"
#include "trace/files.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static guint
drain (WprFiles *files, WprFileNaming naming)
{
  WprEvent event;
  guint n = 0;
  while (wpr_files_next_name (files, &event))
    n += event.u.file_name.naming == naming;
  return n;
}

static void
a_name_has_one_key (void **state)
{
  WprFiles *files = wpr_files_new ();
  guint64 key = wpr_file_key (wpr_files_named (files, 1, WPR_FILES_CWD, "/a/b"));
  assert_int_equal (wpr_file_key (wpr_files_named (files, 2, WPR_FILES_CWD, "/a/./b")), key);
  assert_int_not_equal (wpr_file_key (wpr_files_named (files, 2, WPR_FILES_CWD, "/a/c")), key);
  /* Against which folder nobody knows. */
  assert_string_equal (wpr_file_name (wpr_files_named (files, 2, 5, "b")), "b of PID 2");
  assert_int_equal (drain (files, WPR_FILE_NAME_CREATED), 3);
  wpr_files_forget (files, wpr_files_named (files, 1, WPR_FILES_CWD, "/a/b"));
  assert_int_equal (drain (files, WPR_FILE_NAME_GONE), 1);
  assert_int_not_equal (wpr_file_key (wpr_files_named (files, 1, WPR_FILES_CWD, "/a/b")), key);
  wpr_files_free (files);
}

static void
names_are_kept_up_to_a_number (void **state)
{
  WprFiles *files = wpr_files_new ();
  guint gone = 0;
  for (guint i = 0; i < WPR_FILES_MOST_NAMES + 1000; i++)
    {
      g_autofree char *path = g_strdup_printf ("/tmp/%u", i);
      wpr_files_named (files, 1, WPR_FILES_CWD, path);
      gone += drain (files, WPR_FILE_NAME_GONE);
    }
  assert_int_equal (gone, 1000);
  g_autoptr (GPtrArray) list = wpr_files_list (files);
  assert_int_equal (list->len, WPR_FILES_MOST_NAMES);
  assert_string_equal (wpr_file_name (g_ptr_array_index (list, 0)), "/tmp/1000");
  wpr_files_free (files);
}

static void
descriptors_are_kept_up_to_a_number (void **state)
{
  WprFiles *files = wpr_files_new ();
  for (guint32 pid = 1; pid <= 200000; pid++)
    {
      wpr_files_descriptor (files, pid, 20);
      drain (files, WPR_FILE_NAME_CREATED);
    }
  /* 32 places each. */
  assert_int_equal (wpr_files_n_untracked (files), 200000 - WPR_FILES_MOST_DESCRIPTORS / 32);
  for (guint32 pid = 1; pid <= 200000; pid++)
    wpr_files_ended (files, pid);
  guint64 before = wpr_files_n_untracked (files);
  wpr_files_descriptor (files, 7, 65535);
  assert_int_equal (wpr_files_n_untracked (files), before);
  wpr_files_free (files);
}

static void
what_fork_shares_lives_as_long_as_one_has_it (void **state)
{
  WprFiles *files = wpr_files_new ();
  const WprFileObject *object = wpr_files_descriptor (files, 1, 3);
  guint64 number = object->number;
  wpr_files_forked (files, 2, 1);
  wpr_files_ended (files, 1);
  assert_int_equal (wpr_files_descriptor (files, 2, 3)->number, number);
  assert_int_equal (drain (files, WPR_FILE_NAME_GONE), 0);
  wpr_files_close_range (files, 2, 3, G_MAXUINT32);
  assert_int_equal (drain (files, WPR_FILE_NAME_GONE), 1);
  assert_int_not_equal (wpr_files_descriptor (files, 2, 3)->number, number);
  wpr_files_forked (files, 2, 2); /* its own parent: nonsense */
  wpr_files_free (files);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_name_has_one_key),
    cmocka_unit_test (names_are_kept_up_to_a_number),
    cmocka_unit_test (descriptors_are_kept_up_to_a_number),
    cmocka_unit_test (what_fork_shares_lives_as_long_as_one_has_it),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
