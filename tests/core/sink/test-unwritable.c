/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Saving where it cannot be: a full disk, a disk that fails, a folder that is read-only, file
 * systems without unnamed files or hard links. Whatever happens there is a whole file or none, and
 * the raw recording stays. Calls fail here before the C library is asked. */
#include "config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "kit.h"
#include "sink/sink.h"
#include "wpr-trace.h"

/* ---- calls that fail ---- */

static struct
{
  gboolean armed;
  gssize left;     /* bytes that can still be written */
  int write_errno; /* then */
  int sync_errno, tmpfile_errno, link_errno;
} fails;

ssize_t
write (int fd, const void *bytes, size_t size)
{
  if (fails.armed && fails.write_errno != 0)
    {
      if (fails.left <= 0)
        {
          errno = fails.write_errno;
          return -1;
        }
      size = MIN (size, (size_t)fails.left);
      fails.left -= (gssize)size;
    }
  return syscall (SYS_write, fd, bytes, size);
}

int
fsync (int fd)
{
  if (!fails.armed || fails.sync_errno == 0)
    return 0; /* quicker */
  errno = fails.sync_errno;
  return -1;
}

int
openat64 (int folder, const char *path, int flags, ...)
{
  va_list args;
  mode_t mode;

  va_start (args, flags);
  mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg (args, mode_t) : 0;
  va_end (args);
  if (fails.armed && fails.tmpfile_errno != 0 && (flags & O_TMPFILE) == O_TMPFILE)
    {
      errno = fails.tmpfile_errno;
      return -1;
    }
  return (int)syscall (SYS_openat, folder, path, flags, mode);
}

int
linkat (int from_folder, const char *from, int to_folder, const char *to, int flags)
{
  if (!fails.armed || fails.link_errno == 0)
    return (int)syscall (SYS_linkat, from_folder, from, to_folder, to, flags);
  errno = fails.link_errno;
  return -1;
}

/* ---- places ---- */

static Kit *
make_store (void)
{
  Kit *kit = kit_new (FALSE, 1, 2);

  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  for (guint i = 0; i < 60000; i++)
    kit_switch (kit, i % 2, 2 * SECOND + (WprTime)i * 50000, 700 + i % 2, STATE_S, 702 + i % 2);
  kit_flush (kit);
  kit_finish (kit, 9 * SECOND);
  return kit;
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
remove_all (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      assert_int_equal (g_unlink (path), 0);
    }
}

static const WprSinkOptions ways[]
    = { { FALSE, 0 }, { TRUE, 0 }, { FALSE, 1 << 20 }, { TRUE, 1 << 17 } };

/* 0, or the code of the error; the files are checked. */
static int
save (Kit *kit, const char *folder, const WprSinkOptions *options)
{
  g_autoptr (WprTrace) trace = wpr_trace_open (kit->path, NULL);
  g_autoptr (GError) error = NULL;
  int fd = wpr_open_folder (folder, NULL);
  WprSinkResult result = { 0 };
  gboolean good;

  assert_true (fd >= 0);
  fails.armed = TRUE;
  good = wpr_sink_save_etl (trace, fd, "x.etl", options, NULL, NULL, &result, &error);
  fails.armed = FALSE;
  close (fd);
  if (!good)
    {
      assert_int_equal (error->domain, WPR_ERROR);
      assert_true (strlen (error->message) > 20);
      return error->code;
    }
  g_auto (GStrv) names
      = result.names != NULL ? g_strdupv (result.names) : g_strsplit (result.name, "\n", -1);
  assert_int_equal (count_files (folder), g_strv_length (names));
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autoptr (WprTraceInfo) info = wpr_trace_info_read (path, NULL, NULL);

      assert_non_null (info);
      assert_int_equal (info->faults->len, 0);
      assert_true (info->complete);
    }
  wpr_sink_result_clear (&result);
  return 0;
}

/* Fails with `code` and leaves nothing; without what fails it works, from the same store. */
static void
expect (Kit *kit, const char *folder, const WprSinkOptions *options, int code)
{
  assert_int_equal (save (kit, folder, options), code);
  assert_int_equal (count_files (folder), 0);
  memset (&fails, 0, sizeof fails);
  assert_int_equal (save (kit, folder, options), 0);
  remove_all (folder);
}

static void
a_disk_that_is_full_or_fails_leaves_nothing (void **state)
{
  static const struct
  {
    int number, code;
  } rows[] = { { ENOSPC, WPR_ERROR_NO_SPACE },
               { EDQUOT, WPR_ERROR_NO_SPACE },
               { EIO, WPR_ERROR_INTERNAL } };
  g_autoptr (Kit) kit = make_store ();
  g_autofree char *folder = g_dir_make_tmp ("wpr-full-XXXXXX", NULL);

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++)
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      for (gssize left = 0; left < 300000; left += 140001)
        for (guint named = 0; named < 2; named++)
          {
            fails.write_errno = rows[i].number;
            fails.left = left;
            fails.tmpfile_errno = named ? EOPNOTSUPP : 0;
            expect (kit, folder, &ways[w], rows[i].code);
          }
  assert_int_equal (g_rmdir (folder), 0);
}

/* What the kernel cannot put on the disk in the end is no file either. */
static void
what_cannot_be_synced_is_not_there (void **state)
{
  g_autoptr (Kit) kit = make_store ();
  g_autofree char *folder = g_dir_make_tmp ("wpr-sync-XXXXXX", NULL);

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++)
    {
      fails.sync_errno = EIO;
      expect (kit, folder, &ways[w], WPR_ERROR_NOT_WRITABLE);
      fails.sync_errno = ENOSPC;
      expect (kit, folder, &ways[w], WPR_ERROR_NO_SPACE);
    }
  assert_int_equal (g_rmdir (folder), 0);
}

static void
without_unnamed_files_or_links_it_is_the_same (void **state)
{
  static const int tmpfile_errnos[] = { EOPNOTSUPP, EISDIR, EINVAL };
  g_autoptr (Kit) kit = make_store ();
  g_autofree char *folder = g_dir_make_tmp ("wpr-fat-XXXXXX", NULL);

  for (guint w = 0; w < G_N_ELEMENTS (ways); w++)
    for (guint i = 0; i < G_N_ELEMENTS (tmpfile_errnos); i++)
      for (guint links = 0; links < 2; links++)
        {
          g_autofree char *path = g_build_filename (folder, "x.etl", NULL);

          fails.tmpfile_errno = tmpfile_errnos[i];
          fails.link_errno = links ? 0 : EPERM;
          assert_int_equal (save (kit, folder, &ways[w]), 0);
          /* And never over what is there. */
          assert_int_equal (save (kit, folder, &ways[w]), WPR_ERROR_NOT_WRITABLE);
          memset (&fails, 0, sizeof fails);
          remove_all (folder);
        }
  assert_int_equal (g_rmdir (folder), 0);
}

/* A writer that was killed where files have names at once leaves one, until the next is written. */
static void
what_the_dead_left_goes (void **state)
{
  static const char *const names[]
      = { ".wpr-0123456789abcdef.partial", ".wpr-fedcba9876543210.partial", ".wpr-mine.partial" };
  g_autoptr (Kit) kit = make_store ();
  g_autofree char *folder = g_dir_make_tmp ("wpr-left-XXXXXX", NULL);
  int fds[G_N_ELEMENTS (names)];
  int fd = wpr_open_folder (folder, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    fds[i] = openat (fd, names[i], O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  /* The first is dead, the second lives; the third is somebody's. */
  assert_int_equal (flock (fds[1], LOCK_EX | LOCK_NB), 0);
  fails.tmpfile_errno = EOPNOTSUPP;
  fails.armed = TRUE;
  assert_true (wpr_new_file_check (fd, "x.etl", NULL));
  fails.armed = FALSE;
  assert_int_equal (count_files (folder), 2);
  assert_int_equal (faccessat (fd, names[0], F_OK, 0), -1);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    close (fds[i]);
  close (fd);
  memset (&fails, 0, sizeof fails);
  remove_all (folder);
  assert_int_equal (g_rmdir (folder), 0);
}

/* The real thing, where this may be mounted. */
static void
a_small_or_read_only_file_system (void **state)
{
  g_autoptr (Kit) kit = make_store ();
  g_autofree char *folder = g_dir_make_tmp ("wpr-tmpfs-XXXXXX", NULL);

  if (mount ("none", folder, "tmpfs", 0, "size=1m") != 0)
    {
      assert_int_equal (g_rmdir (folder), 0);
      skip ();
    }
  int full = save (kit, folder, &ways[0]), parts = save (kit, folder, &ways[2]);
  guint left = count_files (folder);
  int small = save (kit, folder, &ways[1]); /* compressed it fits */
  remove_all (folder);
  mount ("none", folder, NULL, MS_REMOUNT | MS_RDONLY, NULL);
  int read_only = save (kit, folder, &ways[0]);
  assert_int_equal (umount (folder), 0);
  assert_int_equal (g_rmdir (folder), 0);
  assert_int_equal (full, WPR_ERROR_NO_SPACE);
  assert_int_equal (parts, WPR_ERROR_NO_SPACE);
  assert_int_equal (left, 0);
  assert_int_equal (small, 0);
  assert_int_equal (read_only, WPR_ERROR_NOT_WRITABLE);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_disk_that_is_full_or_fails_leaves_nothing),
    cmocka_unit_test (what_cannot_be_synced_is_not_there),
    cmocka_unit_test (without_unnamed_files_or_links_it_is_the_same),
    cmocka_unit_test (what_the_dead_left_goes),
    cmocka_unit_test (a_small_or_read_only_file_system),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
