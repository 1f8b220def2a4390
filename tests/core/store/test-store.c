/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is written comes back: manifest, records, notes, world; locks and lists. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/wpr-error.h"
#include "stores.h"

/* In place of libc's: what the store asks to have on the disk. */
static gint n_synced;

int
fdatasync (int fd)
{
  g_atomic_int_inc (&n_synced);
  return fsync (fd);
}

static gboolean
collect_text (const WprStoreNote *note, gpointer data)
{
  if (note->kind == WPR_NOTE_MARK)
    g_string_append_printf (data, "%.*s@%" G_GINT64_FORMAT "/%u;", (int)note->size,
                            (const char *)note->payload, note->time, note->tid);
  return TRUE;
}

static void
check_manifest (const WprManifest *m)
{
  assert_string_equal (m->plan_text, "a plan\nof two lines");
  assert_null (m->user);
  assert_int_equal (m->memory_bytes, G_GUINT64_CONSTANT (1) << 40);
  assert_int_equal (m->sample_interval_ns, 1000000);
  assert_string_equal (g_ptr_array_index (m->profiles, 0), "CPU.Verbose.File");
  assert_int_equal (m->events->len, 1);
  assert_string_equal (g_array_index (m->events, WprStoreEvent, 0).format,
                       "name: sched_switch\nID: 317\n");
  assert_int_equal (g_array_index (m->events, WprStoreEvent, 0).sample_type, 0x1234567890);
  assert_int_equal (g_array_index (m->collectors, WprStoreCollector, 0).ring_bytes, 4 << 20);
  assert_int_equal (m->ids->len, 2);
  assert_int_equal (g_array_index (m->ids, WprStoreId, 0).id, 0xdeadbeefcafe);
  assert_int_equal (g_array_index (m->ids, WprStoreId, 1).id, 99);
}

static void
what_is_written_comes_back (void **state)
{
  g_autoptr (GError) error = NULL;
  char *parent = temporary_new ();
  WprStore *store = wpr_store_create (parent, sample_manifest ("WprApp"), NULL, &error);
  assert_null (error);
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  for (guint64 i = 0; i < 100; i++)
    assert_true (write_record (store, 0, (guint)i % 2, 48, i / 2));
  assert_true (write_sideband (store, 24, 0));
  assert_true (wpr_store_add_note (store, WPR_NOTE_MARK, 1, 42, 7, 8, "here", 4, NULL));
  g_autoptr (GBytes) world = g_bytes_new_static ("world", 5);
  assert_true (wpr_store_checkpoint (store, world, NULL));
  WprStoreId id = { .id = 99, .row = 3, .cpu = 0 };
  assert_true (wpr_store_add_ids (store, &id, 1, NULL));
  WprClockReading reading = { 5, 6, 7 };
  wpr_store_add_note (store, WPR_NOTE_CLOCK, 0, 5, 0, 0, &reading, sizeof reading, NULL);
  assert_true (wpr_store_in_use (path));
  wpr_store_close (store);
  assert_false (wpr_store_in_use (path));
  struct stat st;
  assert_int_equal (stat (path, &st), 0);
  assert_int_equal (st.st_mode & 07777, 0700);

  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, &error);
  assert_null (error);
  check_manifest (wpr_store_reader_manifest (reader));
  assert_int_equal (wpr_store_reader_n_epochs (reader), 1);
  for (guint cpu = 0; cpu < 2; cpu++)
    {
      gsize size, cut;
      const guint8 *bytes = wpr_store_reader_data (reader, 0, 0, cpu, &size, &cut);
      assert_int_equal (count_records (bytes, size, 0), 50);
      assert_int_equal (cut, 0);
      wpr_store_reader_release (reader, 0, 0, cpu);
    }
  gsize size;
  assert_null (wpr_store_reader_data (reader, 0, 0, 5, &size, NULL));
  assert_int_equal (size, 0);
  assert_int_equal (count_records (wpr_store_reader_sideband (reader, 0, &size, NULL), 24, 0), 1);
  g_autoptr (GString) marks = g_string_new (NULL);
  wpr_store_reader_notes (reader, collect_text, marks);
  assert_string_equal (marks->str, "here@42/8;");
  g_autoptr (GBytes) back = wpr_store_reader_world (reader);
  assert_true (g_bytes_equal (back, world));
  g_autoptr (WprClockTable) clocks = wpr_store_reader_clocks (reader);
  assert_int_equal (wpr_clock_table_boottime (clocks, 105), 106);
  assert_false (wpr_store_reader_stopped (reader));
  assert_int_equal (wpr_store_reader_bytes_dropped (reader), 0);
  assert_true (wpr_store_reader_bytes (reader) > 100 * 48);

  assert_true (wpr_store_delete (path, NULL));
  assert_int_not_equal (stat (path, &st), 0);
  temporary_free (parent);
}

static void
stores_are_listed_oldest_first (void **state)
{
  char *parent = temporary_new ();
  WprStore *first = wpr_store_create (parent, sample_manifest ("zz"), NULL, NULL);
  WprStore *second = wpr_store_create (parent, sample_manifest ("aa"), NULL, NULL);
  g_autofree char *stranger = g_build_filename (parent, "aa-not-a-store", NULL);
  assert_int_equal (mkdir (stranger, 0700), 0);
  g_autoptr (GPtrArray) all = wpr_store_list (parent);
  assert_int_equal (all->len, 2);
  assert_string_equal (g_ptr_array_index (all, 0), wpr_store_get_path (first));
  assert_string_equal (g_ptr_array_index (all, 1), wpr_store_get_path (second));
  wpr_store_close (first);
  assert_false (wpr_store_in_use (g_ptr_array_index (all, 0)));
  assert_true (wpr_store_in_use (g_ptr_array_index (all, 1)));
  wpr_store_close (second);
  temporary_free (parent);
}

static void
a_name_that_is_a_path_is_refused (void **state)
{
  g_autoptr (GError) error = NULL;
  char *parent = temporary_new ();
  assert_null (wpr_store_create (parent, sample_manifest ("../x"), NULL, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
  temporary_free (parent);
}

/* Behind the writer's back, each file that grew, and its folder; of an epoch that ends, too. */
static void
what_grew_is_put_on_the_disk (void **state)
{
  char *parent = temporary_new ();
  WprStore *store = wpr_store_create (parent, sample_manifest ("WprApp"), NULL, NULL);
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  assert_non_null (store);
  assert_true (write_record (store, 0, 0, 48, 1));
  assert_true (write_record (store, 0, 1, 48, 1));
  gint before = g_atomic_int_get (&n_synced);
  assert_int_equal (wpr_store_sync_behind (store), 2);
  assert_int_equal (wpr_store_sync_behind (store), 0);
  assert_true (write_record (store, 0, 1, 48, 2));
  assert_int_equal (wpr_store_sync_behind (store), 1);
  assert_true (write_record (store, 0, 0, 48, 2));
  assert_true (wpr_store_rotate (store, NULL));
  assert_int_equal (wpr_store_sync_behind (store), 0);
  wpr_store_close (store); /* waits for it */
  assert_int_equal (g_atomic_int_get (&n_synced) - before, 2 + 1 + 1 + 1 + 1);
  temporary_free (parent);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_is_written_comes_back),
    cmocka_unit_test (what_grew_is_put_on_the_disk),
    cmocka_unit_test (stores_are_listed_oldest_first),
    cmocka_unit_test (a_name_that_is_a_path_is_refused),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
