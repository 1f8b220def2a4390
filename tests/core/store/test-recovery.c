/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whatever happens to the writer or to the files, what is whole is read: cut at every byte, killed
 * at any moment, no space, strange files in the folder. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wpr-error.h"
#include "stores.h"

static guint16
record_size (guint64 number)
{
  return (guint16)(16 + 8 * (number % 5));
}

static char *
small_store (const char *parent)
{
  WprStore *store = wpr_store_create (parent, sample_manifest ("small"), NULL, NULL);
  char *path = g_strdup (wpr_store_get_path (store));
  for (guint64 i = 0; i < 12; i++)
    {
      assert_true (write_record (store, 0, 0, record_size (i), i));
      assert_true (write_sideband (store, record_size (i), i));
      assert_true (wpr_store_add_note (store, WPR_NOTE_MARK, 0, (WprTime)i, 0, 0, "text", 4, NULL));
    }
  wpr_store_close (store);
  return path;
}

static gboolean
count_note (const WprStoreNote *note, gpointer data)
{
  guint *n = data;
  assert_int_equal (note->time, *n);
  assert_memory_equal (note->payload, "text", 4);
  (*n)++;
  return TRUE;
}

/* How many of the records fit whole into `size` bytes. */
static guint64
whole_records (gsize size, gsize *bytes)
{
  guint64 n = 0;
  for (*bytes = 0; n < 12 && *bytes + record_size (n) <= size; n++)
    *bytes += record_size (n);
  return n;
}

static void
check_cut (WprStoreReader *reader, const char *name, gsize length)
{
  gsize size, cut, bytes;
  guint n = 0;
  const guint8 *data;
  guint64 expected = whole_records (g_str_equal (name, "notes") ? G_MAXINT32 : length, &bytes);
  if (g_str_equal (name, "data-0-0"))
    data = wpr_store_reader_data (reader, 0, 0, 0, &size, &cut);
  else
    data = wpr_store_reader_sideband (reader, 0, &size, &cut);
  assert_int_equal (size, bytes);
  assert_int_equal (count_records (data, size, 0), expected);
  if (!g_str_equal (name, "notes"))
    assert_int_equal (cut, length - bytes);
  wpr_store_reader_notes (reader, count_note, &n);
  assert_int_equal (n, g_str_equal (name, "notes") ? length / 32 : 12); /* 28 + 4 bytes each */
}

static void
cut_at_every_byte_the_whole_records_are_read (void **state)
{
  static const char *const names[] = { "data-0-0", "sideband", "notes" };
  char *parent = temporary_new ();
  g_autofree char *path = small_store (parent);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *file = g_build_filename (path, "epoch-000001", names[i], NULL);
      g_autofree char *contents = NULL;
      gsize size;
      assert_true (g_file_get_contents (file, &contents, &size, NULL));
      for (gsize length = size + 1; length-- > 0;)
        {
          assert_int_equal (truncate (file, (off_t)length), 0);
          g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
          assert_non_null (reader);
          check_cut (reader, names[i], length);
        }
      assert_true (g_file_set_contents (file, contents, (gssize)size, NULL));
    }
  temporary_free (parent);
}

static void
a_cut_manifest_is_refused_with_a_sentence (void **state)
{
  char *parent = temporary_new ();
  g_autofree char *path = small_store (parent);
  g_autofree char *file = g_build_filename (path, "manifest", NULL);
  struct stat st;
  assert_int_equal (stat (file, &st), 0);
  for (off_t length = st.st_size; length-- > 0;)
    {
      g_autoptr (GError) error = NULL;
      assert_int_equal (truncate (file, length), 0);
      assert_null (wpr_store_reader_open (path, &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
    }
  assert_int_equal (unlink (file), 0);
  assert_null (wpr_store_reader_open (path, NULL));
  temporary_free (parent);
}

static void
half_a_record_is_cut_back (void **state)
{
  char *parent = temporary_new ();
  WprStore *store = wpr_store_create (parent, sample_manifest ("x"), NULL, NULL);
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  assert_true (write_record (store, 0, 0, 64, 0));
  assert_int_equal (write (wpr_store_data_fd (store, 0, 0, NULL), "half", 4), 4);
  assert_int_equal (write (wpr_store_sideband_fd (store, NULL), "half", 4), 4);
  assert_true (wpr_store_cut_back (store, NULL));
  assert_true (write_record (store, 0, 0, 64, 1));
  assert_true (write_sideband (store, 64, 0));
  wpr_store_close (store);
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  gsize size, cut;
  const guint8 *data = wpr_store_reader_data (reader, 0, 0, 0, &size, &cut);
  assert_int_equal (count_records (data, size, 0), 2);
  assert_int_equal (cut, 0);
  assert_int_equal (count_records (wpr_store_reader_sideband (reader, 0, &size, &cut), 64, 0), 1);
  assert_int_equal (size, 64);
  temporary_free (parent);
}

static char *full_disk;

static gboolean
count_notice (const WprStoreNote *note, gpointer data)
{
  *(guint *)data += note->kind == WPR_NOTE_NOTICE && note->size == 5000;
  return TRUE;
}

static void
a_full_disk_is_said_and_loses_nothing_written (void **state)
{
  full_disk = temporary_new ();
  if (mount ("tmpfs", full_disk, "tmpfs", 0, "size=256k,mode=0700") != 0)
    skip (); /* only root may */
  g_autoptr (GError) error = NULL;
  WprStore *store = wpr_store_create (full_disk, sample_manifest ("full"), NULL, &error);
  assert_null (error);
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  g_autofree char *text = g_strnfill (5000, 'x');
  assert_true (wpr_store_add_note (store, WPR_NOTE_NOTICE, 0, 1, 0, 0, text, 5000, &error));
  guint64 n = 0;
  while (write_record (store, 0, 0, 1000, n))
    assert_true (++n < 1000);
  assert_true (n > 100);
  assert_true (wpr_store_cut_back (store, NULL));
  /* What was cut made room for a note or two, then it is full for notes too. */
  guint notes = 1;
  while (wpr_store_add_note (store, WPR_NOTE_NOTICE, 0, 1, 0, 0, text, 5000, &error))
    assert_true (++notes < 1000);
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE));
  WprStoreReader *reader = wpr_store_reader_open (path, NULL);
  gsize size, cut;
  const guint8 *data = wpr_store_reader_data (reader, 0, 0, 0, &size, &cut);
  assert_int_equal (count_records (data, size, 0), n);
  wpr_store_reader_free (reader);
  /* Room is made by giving up the oldest epoch, though there is none for what it leaves. */
  assert_true (wpr_store_rotate (store, NULL));
  assert_true (wpr_store_set_most (store, 1, NULL));
  assert_true (write_record (store, 0, 0, 1000, 0));
  wpr_store_close (store);
  guint n_notices = 0;
  reader = wpr_store_reader_open (path, NULL);
  assert_true (wpr_store_reader_bytes_dropped (reader) > n * 1000);
  wpr_store_reader_notes (reader, count_notice, &n_notices);
  assert_int_equal (n_notices, notes);
  wpr_store_reader_free (reader);
}

static int
unmount (void **state)
{
  if (full_disk == NULL)
    return 0;
  umount2 (full_disk, MNT_DETACH);
  temporary_free (g_steal_pointer (&full_disk));
  return 0;
}

/* ---- killed ---- */

static void
write_until_killed (const char *parent, int ready)
{
  WprStoreLimits limits = { .epoch_bytes = 40000, .most_bytes = 0 };
  WprStore *store = wpr_store_create (parent, sample_manifest ("killed"), &limits, NULL);
  if (write (ready, "x", 1) != 1)
    _exit (1);
  for (guint64 n = 0;; n++)
    {
      write_record (store, 0, n % 2, record_size (n / 2), n / 2);
      if (n % 7 == 0)
        wpr_store_add_note (store, WPR_NOTE_MARK, 0, (WprTime)(n / 7), 0, 0, "text", 4, NULL);
      if (n % 50 == 0)
        {
          WprStoreId id = { .id = n };
          wpr_store_add_ids (store, &id, 1, NULL);
        }
      if (wpr_store_wants_rotate (store))
        wpr_store_rotate (store, NULL);
    }
}

static void
check_killed (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, &error);
  guint64 next[2] = { 0, 0 };
  guint n_notes = 0;
  assert_null (error);
  assert_int_equal (wpr_store_reader_manifest (reader)->events->len, 1);
  assert_false (wpr_store_in_use (path));
  assert_false (wpr_store_reader_stopped (reader));
  for (guint epoch = 0; epoch < wpr_store_reader_n_epochs (reader); epoch++)
    for (guint cpu = 0; cpu < 2; cpu++)
      {
        gsize size, cut;
        const guint8 *data = wpr_store_reader_data (reader, epoch, 0, cpu, &size, &cut);
        next[cpu] += count_records (data, size, next[cpu]);
        assert_true (cut == 0 || epoch + 1 == wpr_store_reader_n_epochs (reader));
      }
  wpr_store_reader_notes (reader, count_note, &n_notes);
}

static void
killed_at_any_moment_it_is_readable (void **state)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  for (int round = 0; round < 25; round++)
    {
      char *parent = temporary_new ();
      int ready[2];
      char byte;
      assert_int_equal (pipe (ready), 0);
      pid_t child = fork ();
      if (child == 0)
        write_until_killed (parent, ready[1]);
      assert_int_equal (read (ready[0], &byte, 1), 1);
      g_autoptr (GPtrArray) stores = wpr_store_list (parent);
      assert_int_equal (stores->len, 1);
      assert_true (wpr_store_in_use (g_ptr_array_index (stores, 0)));
      g_usleep ((gulong)g_rand_int_range (rand, 0, 15000));
      assert_true (wpr_store_in_use (g_ptr_array_index (stores, 0)));
      kill (child, SIGKILL);
      waitpid (child, NULL, 0);
      check_killed (g_ptr_array_index (stores, 0));
      close (ready[0]);
      close (ready[1]);
      temporary_free (parent);
    }
}

/* ---- strange files ---- */

static void
links_and_pipes_in_the_folder_are_not_followed (void **state)
{
  char *parent = temporary_new ();
  g_autofree char *path = small_store (parent);
  g_autofree char *data = g_build_filename (path, "epoch-000001", "data-0-0", NULL);
  g_autofree char *fifo = g_build_filename (path, "epoch-000001", "data-0-1", NULL);
  g_autofree char *notes = g_build_filename (path, "epoch-000001", "notes", NULL);
  g_autofree char *epoch = g_build_filename (path, "epoch-000002", NULL);
  gsize size;
  guint n = 0;
  assert_int_equal (unlink (data), 0);
  assert_int_equal (symlink ("sideband", data), 0);
  assert_int_equal (mkfifo (fifo, 0600), 0);
  assert_int_equal (unlink (notes), 0);
  assert_int_equal (mkfifo (notes, 0600), 0);
  assert_int_equal (symlink ("epoch-000001", epoch), 0);
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  assert_int_equal (wpr_store_reader_n_epochs (reader), 1);
  assert_null (wpr_store_reader_data (reader, 0, 0, 0, &size, NULL));
  assert_null (wpr_store_reader_data (reader, 0, 0, 1, &size, NULL));
  wpr_store_reader_notes (reader, count_note, &n);
  assert_int_equal (n, 0);
  temporary_free (parent);
}

static void
random_bytes_are_read_without_harm (void **state)
{
  static const char *const names[] = { "data-0-0", "sideband", "notes", "kept", "world" };
  char *parent = temporary_new ();
  g_autofree char *path = small_store (parent);
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  for (int round = 0; round < 300; round++)
    {
      for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
        {
          guint8 bytes[512];
          g_autofree char *file = g_build_filename (path, "epoch-000001", names[i], NULL);
          for (gsize b = 0; b < sizeof bytes; b++)
            bytes[b] = g_rand_boolean (rand) ? 0 : (guint8)g_rand_int (rand);
          assert_true (g_file_set_contents (file, (char *)bytes,
                                            g_rand_int_range (rand, 0, sizeof bytes), NULL));
        }
      g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
      gsize size, cut;
      wpr_store_reader_data (reader, 0, 0, 0, &size, &cut);
      assert_true (size + cut <= 512 && size % 8 == 0);
      wpr_store_reader_sideband (reader, 0, &size, &cut);
      g_autoptr (WprClockTable) clocks = wpr_store_reader_clocks (reader);
      g_autoptr (GBytes) world = wpr_store_reader_world (reader);
      assert_non_null (clocks);
    }
  temporary_free (parent);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (cut_at_every_byte_the_whole_records_are_read),
    cmocka_unit_test (a_cut_manifest_is_refused_with_a_sentence),
    cmocka_unit_test (half_a_record_is_cut_back),
    cmocka_unit_test_teardown (a_full_disk_is_said_and_loses_nothing_written, unmount),
    cmocka_unit_test (killed_at_any_moment_it_is_readable),
    cmocka_unit_test (links_and_pipes_in_the_folder_are_not_followed),
    cmocka_unit_test (random_bytes_are_read_without_harm),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
