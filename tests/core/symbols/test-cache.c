/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cache of tables: kept by the very file, never believed blindly, bounded, emptied. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "base/files.h"
#include "symbols/cache.h"
#include "wpr-trace.h"

static const guint8 build_id[] = { 0xab, 0xcd, 0xef, 1, 2, 3 };

static int
set_up (void **state)
{
  char *root = g_dir_make_tmp ("wpr-cache-XXXXXX", NULL);
  g_autofree char *folder = g_build_filename (root, "cache", NULL);
  g_setenv ("WPR_CACHE_DIR", folder, TRUE);
  *state = root;
  return 0;
}

static int
tear_down (void **state)
{
  g_autofree char *name = g_path_get_basename (*state);
  g_autofree char *parent = g_path_get_dirname (*state);
  int fd = open (parent, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  wpr_remove_tree_at (fd, name, NULL);
  close (fd);
  g_free (*state);
  return 0;
}

static char *
path_of (const char *name)
{
  return g_build_filename (g_getenv ("WPR_CACHE_DIR"), name, NULL);
}

static gboolean
has (const char *key)
{
  g_autoptr (WprSymbolCache) cache = wpr_symbol_cache_open (1 << 20);
  guint32 source = 0;
  g_autoptr (GBytes) bytes = wpr_symbol_cache_get (cache, key, &source);
  if (bytes != NULL)
    {
      assert_int_equal (source, 3);
      assert_int_equal (g_bytes_get_size (bytes), 5);
      assert_memory_equal (g_bytes_get_data (bytes, NULL), "table", 5);
    }
  return bytes != NULL;
}

static void
put (const char *key)
{
  g_autoptr (WprSymbolCache) cache = wpr_symbol_cache_open (1 << 20);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("table", 5);
  assert_non_null (cache);
  wpr_symbol_cache_put (cache, key, 3, bytes);
}

static void
what_was_put_is_there_the_next_time (void **state)
{
  struct stat st;
  g_autofree char *path = path_of ("key");
  assert_false (has ("key"));
  put ("key");
  assert_true (has ("key"));
  assert_false (has ("other"));
  assert_int_equal (stat (path, &st), 0);
  assert_int_equal (st.st_mode & 0777, 0600);
}

static void
a_key_is_of_the_very_file (void **state)
{
  struct stat file = { .st_dev = 1, .st_ino = 2, .st_size = 3 }, other = file,
              debug = { .st_ino = 9 };
  g_autofree char *key = wpr_symbol_cache_key (build_id, sizeof build_id, &file, NULL);
  g_autofree char *same = wpr_symbol_cache_key (build_id, sizeof build_id, &other, NULL);
  g_autofree char *with_debug = wpr_symbol_cache_key (build_id, sizeof build_id, &file, &debug);
  other.st_ctim.tv_nsec = 1;
  g_autofree char *changed = wpr_symbol_cache_key (build_id, sizeof build_id, &other, NULL);
  assert_true (g_str_has_prefix (key, "abcdef010203-"));
  assert_string_equal (key, same);
  assert_string_not_equal (key, with_debug);
  assert_string_not_equal (key, changed);
  assert_null (wpr_symbol_cache_key (build_id, 0, &file, NULL));
}

/* Every bit of it, and every length: not believed, and gone afterwards. */
static void
a_harmed_file_is_not_believed (void **state)
{
  g_autofree char *path = path_of ("key"), *good = NULL;
  gsize size = 0;
  put ("key");
  assert_true (g_file_get_contents (path, &good, &size, NULL));
  for (gsize at = 0; at < size; at++)
    {
      if (at >= 44 && at < 48) /* padding of the head: means nothing */
        continue;
      g_autofree char *bad = g_memdup2 (good, size);
      bad[at] ^= (char)(1 << (at % 8));
      assert_true (
          g_file_set_contents_full (path, bad, (gssize)size, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      assert_false (has ("key"));
      assert_int_equal (g_access (path, F_OK), -1);
    }
  for (gsize cut = 0; cut < size; cut++)
    {
      assert_true (
          g_file_set_contents_full (path, good, (gssize)cut, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
      assert_false (has ("key"));
    }
}

static void
what_is_no_plain_file_of_ours_is_not_read (void **state)
{
  g_autofree char *path = path_of ("key"), *real = path_of ("real");
  put ("real");
  assert_true (has ("real"));
  assert_int_equal (symlink (real, path), 0);
  assert_false (has ("key"));
  g_unlink (path);
  assert_int_equal (mkfifo (path, 0600), 0);
  assert_false (has ("key"));
  g_unlink (path);
  assert_int_equal (mkdir (path, 0700), 0);
  assert_false (has ("key"));
  assert_int_equal (rmdir (path), 0);
  assert_int_equal (g_chmod (real, 0644), 0);
  assert_false (has ("real"));
  if (geteuid () != 0)
    return;
  put ("real");
  assert_int_equal (chown (real, 12345, 12345), 0);
  assert_false (has ("real"));
}

static void
a_folder_that_others_may_enter_is_not_used (void **state)
{
  put ("key");
  assert_int_equal (g_chmod (g_getenv ("WPR_CACHE_DIR"), 0755), 0);
  assert_null (wpr_symbol_cache_open (1 << 20));
  assert_int_equal (g_chmod (g_getenv ("WPR_CACHE_DIR"), 0700), 0);
  assert_true (has ("key"));
}

static void
what_was_not_used_for_longest_goes_first (void **state)
{
  g_autofree char *large = g_malloc0 (64 * 1024);
  g_autoptr (GBytes) bytes = g_bytes_new_static (large, 64 * 1024);
  g_autofree char *first = path_of ("0"), *last = path_of ("31");
  const struct timespec old[] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
  guint left = 0;
  for (guint i = 0; i < 32; i++) /* 2 MiB of 1 */
    {
      g_autoptr (WprSymbolCache) cache = wpr_symbol_cache_open (64 << 20);
      g_autofree char *name = g_strdup_printf ("%u", i), *path = path_of (name);
      wpr_symbol_cache_put (cache, name, 3, bytes);
      if (i < 31)
        assert_int_equal (utimensat (AT_FDCWD, path, old, 0), 0);
    }
  put ("more"); /* with a limit of 1 MiB */
  for (guint i = 0; i < 32; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i), *path = path_of (name);
      left += g_access (path, F_OK) == 0;
    }
  assert_true (left > 0 && left <= 16);
  assert_int_equal (g_access (last, F_OK), 0);
}

static void
it_is_emptied (void **state)
{
  guint n = 0;
  guint64 bytes = 0;
  put ("one");
  put ("two");
  assert_true (wpr_symbol_cache_purge (&n, &bytes, NULL));
  assert_int_equal (n, 2);
  assert_true (bytes > 0);
  assert_false (has ("one"));
  assert_true (wpr_symbol_cache_purge (&n, &bytes, NULL));
  assert_int_equal (n, 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (what_was_put_is_there_the_next_time, set_up, tear_down),
    cmocka_unit_test (a_key_is_of_the_very_file),
    cmocka_unit_test_setup_teardown (a_harmed_file_is_not_believed, set_up, tear_down),
    cmocka_unit_test_setup_teardown (what_is_no_plain_file_of_ours_is_not_read, set_up, tear_down),
    cmocka_unit_test_setup_teardown (a_folder_that_others_may_enter_is_not_used, set_up, tear_down),
    cmocka_unit_test_setup_teardown (what_was_not_used_for_longest_goes_first, set_up, tear_down),
    cmocka_unit_test_setup_teardown (it_is_emptied, set_up, tear_down),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
