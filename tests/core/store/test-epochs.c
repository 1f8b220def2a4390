/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Epochs: all CPUs change together; the oldest go whole, and what must outlive them does. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/payload.h"
#include "stores.h"

#define EPOCH 8192
#define MOST (4 * EPOCH)

typedef struct
{
  guint n_calls;
  guint64 n_records; /* of sideband seen, in order */
  guint n_cmdlines;
  GBytes *last;
} Folded;

static gboolean
count_cmdline (const WprStoreNote *note, gpointer data)
{
  ((Folded *)data)->n_cmdlines += note->kind == WPR_NOTE_CMDLINE;
  return TRUE;
}

/* The world of this test: its sequence number as text. */
static GBytes *
fold (GBytes *checkpoint, const guint8 *sideband, gsize size, const guint8 *notes, gsize notes_size,
      gpointer data)
{
  Folded *folded = data;
  if (folded->n_calls == 0)
    assert_true (g_bytes_get_size (checkpoint) == 5
                 && memcmp (g_bytes_get_data (checkpoint, NULL), "world", 5) == 0);
  else
    assert_true (g_bytes_equal (checkpoint, folded->last));
  folded->n_records += count_records (sideband, size, folded->n_records);
  wpr_store_walk_notes (notes, notes_size, count_cmdline, folded);
  folded->n_calls++;
  g_clear_pointer (&folded->last, g_bytes_unref);
  char *text = g_strdup_printf ("world %u", folded->n_calls);
  folded->last = g_bytes_new_take (text, strlen (text));
  return g_bytes_ref (folded->last);
}

static void
add_notes (WprStore *store, guint64 n)
{
  WprLossPayload loss = { .collector = 0, .row = 3, .count = n };
  WprClockReading reading = { (gint64)n * 10, (gint64)n * 10, (gint64)n * 10 };
  gint64 when = (gint64)n;
  if (n >= 700) /* the machine slept once */
    reading.boottime_ns += 1000000000;
  wpr_store_add_note (store, WPR_NOTE_MARK, 0, (WprTime)n, 0, 0, &n, sizeof n, NULL);
  wpr_store_add_note (store, WPR_NOTE_SAMPLER, 0, (WprTime)n, 0, 0, "x", 2, NULL);
  wpr_store_add_note (store, WPR_NOTE_LOSS, 1, (WprTime)n, 0, 0, &loss, sizeof loss, NULL);
  wpr_store_add_note (store, WPR_NOTE_CMDLINE, 0, (WprTime)n, 9, 9, &when, sizeof when, NULL);
  wpr_store_add_note (store, WPR_NOTE_CLOCK, 0, (WprTime)n * 10, 0, 0, &reading, sizeof reading,
                      NULL);
}

typedef struct
{
  guint64 next_mark, next_loss;
  guint n_samplers, n_clocks;
} Seen;

static gboolean
see_note (const WprStoreNote *note, gpointer data)
{
  Seen *seen = data;
  if (note->kind == WPR_NOTE_MARK)
    {
      guint64 n;
      memcpy (&n, note->payload, sizeof n);
      assert_int_equal (n, seen->next_mark);
      seen->next_mark += 10;
    }
  if (note->kind == WPR_NOTE_LOSS)
    {
      WprLossPayload loss;
      memcpy (&loss, note->payload, sizeof loss);
      assert_int_equal (loss.count, seen->next_loss);
      seen->next_loss += 10;
    }
  seen->n_samplers += note->kind == WPR_NOTE_SAMPLER;
  seen->n_clocks += note->kind == WPR_NOTE_CLOCK;
  return TRUE;
}

static void
check_reader (const char *path, const Folded *folded, guint64 n_written, guint64 dropped)
{
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  g_autoptr (GBytes) world = wpr_store_reader_world (reader);
  guint64 next[2] = { G_MAXUINT64, G_MAXUINT64 }, sideband = folded->n_records;
  gsize size;
  Seen seen = { 0, 0, 0, 0 };
  assert_true (g_bytes_equal (world, folded->last));
  assert_int_equal (wpr_store_reader_bytes_dropped (reader), dropped);
  for (guint epoch = 0; epoch < wpr_store_reader_n_epochs (reader); epoch++)
    {
      for (guint cpu = 0; cpu < 2; cpu++)
        {
          const guint8 *data = wpr_store_reader_data (reader, epoch, 0, cpu, &size, NULL);
          if (next[cpu] == G_MAXUINT64)
            memcpy (&next[cpu], data + 8, sizeof next[cpu]);
          next[cpu] += count_records (data, size, next[cpu]);
        }
      const guint8 *data = wpr_store_reader_sideband (reader, epoch, &size, NULL);
      sideband += count_records (data, size, sideband);
    }
  assert_int_equal (next[0], n_written);
  assert_int_equal (next[1], n_written);
  assert_int_equal (sideband, n_written);
  wpr_store_reader_notes (reader, see_note, &seen);
  assert_int_equal (seen.next_mark, n_written);
  assert_int_equal (seen.next_loss, n_written);
  assert_true (seen.n_samplers < n_written / 10 / 2);
  /* Of the readings of deleted epochs few are kept, yet the step is known. */
  assert_true (seen.n_clocks < n_written / 10 / 2);
  g_autoptr (WprClockTable) clocks = wpr_store_reader_clocks (reader);
  assert_int_equal (wpr_clock_table_boottime (clocks, 6999), 6999);
  assert_int_equal (wpr_clock_table_boottime (clocks, 7001), 1000007001);
}

static void
oldest_epochs_go_whole_and_are_folded_first (void **state)
{
  char *parent = temporary_new ();
  WprStoreLimits limits = { .epoch_bytes = EPOCH, .most_bytes = MOST };
  WprStore *store = wpr_store_create (parent, sample_manifest ("epochs"), &limits, NULL);
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  g_autoptr (GBytes) world = g_bytes_new_static ("world", 5);
  Folded folded = { .n_calls = 0 };
  guint64 n;
  assert_true (wpr_store_checkpoint (store, world, NULL));
  wpr_store_set_fold (store, fold, &folded);
  for (n = 0; n < 2000; n++)
    {
      assert_true (write_record (store, 0, 0, 64, n));
      assert_true (write_record (store, 0, 1, 64, n));
      assert_true (write_sideband (store, 32, n));
      if (n % 10 == 0)
        add_notes (store, n);
      if (wpr_store_wants_rotate (store))
        {
          assert_true (wpr_store_rotate (store, NULL));
          assert_true (wpr_store_bytes (store) <= MOST);
        }
    }
  guint64 dropped = wpr_store_bytes_dropped (store);
  assert_true (folded.n_calls > 5);
  assert_true (folded.n_cmdlines > 100);
  assert_true (dropped > 2000 * 160 - 2 * MOST);
  wpr_store_close (store);
  check_reader (path, &folded, n, dropped);
  g_clear_pointer (&folded.last, g_bytes_unref);
  temporary_free (parent);
}

static void
less_may_be_kept_from_now_on (void **state)
{
  char *parent = temporary_new ();
  WprStoreLimits limits = { .epoch_bytes = EPOCH };
  WprStore *store = wpr_store_create (parent, sample_manifest ("disk-low"), &limits, NULL);
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  g_autoptr (GBytes) world = g_bytes_new_static ("moved", 5);
  assert_true (wpr_store_checkpoint (store, world, NULL));
  for (guint64 n = 0; n < 1000; n++)
    {
      assert_true (write_record (store, 0, 0, 64, n));
      if (wpr_store_wants_rotate (store))
        assert_true (wpr_store_rotate (store, NULL));
    }
  assert_int_equal (wpr_store_bytes (store), 64000); /* no limit yet */
  assert_true (wpr_store_set_most (store, 20000, NULL));
  assert_true (wpr_store_bytes (store) <= 20000);
  assert_int_equal (wpr_store_bytes (store) + wpr_store_bytes_dropped (store), 64000);
  assert_true (wpr_store_set_most (store, 1, NULL)); /* the current epoch stays */
  assert_true (wpr_store_bytes (store) > 0);
  wpr_store_close (store);
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  assert_int_equal (wpr_store_reader_n_epochs (reader), 1);
  g_autoptr (GBytes) back = wpr_store_reader_world (reader);
  assert_true (g_bytes_equal (back, world));
  temporary_free (parent);
}

/* Killed between writing what the next epoch keeps and deleting the old one: nothing is there
 * twice; killed while deleting: the rest of it is not read. */
static void
a_half_deleted_epoch_is_read_once_or_not_at_all (void **state)
{
  char *parent = temporary_new ();
  WprStoreLimits limits = { .epoch_bytes = EPOCH };
  WprStore *store = wpr_store_create (parent, sample_manifest ("half"), &limits, NULL);
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  guint64 mark = 0;
  wpr_store_add_note (store, WPR_NOTE_MARK, 0, 0, 0, 0, &mark, sizeof mark, NULL);
  assert_true (wpr_store_rotate (store, NULL));
  mark = 10;
  wpr_store_add_note (store, WPR_NOTE_MARK, 0, 0, 0, 0, &mark, sizeof mark, NULL);
  /* As a killed recorder leaves it: kept and world at the head of the second, the first still
   * there. */
  g_autofree char *notes = g_build_filename (path, "epoch-000001", "notes", NULL);
  g_autofree char *kept = g_build_filename (path, "epoch-000002", "kept", NULL);
  g_autofree char *old = g_build_filename (path, "epoch-000001", NULL);
  g_autofree char *gone = g_build_filename (path, "gone-000001", NULL);
  g_autofree char *contents = NULL;
  gsize size;
  assert_true (g_file_get_contents (notes, &contents, &size, NULL));
  assert_true (g_file_set_contents (kept, contents, (gssize)size, NULL));
  wpr_store_close (store);
  for (int round = 0; round < 2; round++)
    {
      Seen seen = { 0, 0, 0, 0 };
      g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
      wpr_store_reader_notes (reader, see_note, &seen);
      assert_int_equal (seen.next_mark, 20);
      assert_int_equal (wpr_store_reader_n_epochs (reader), 2 - round);
      if (round == 0)
        assert_int_equal (rename (old, gone), 0);
    }
  temporary_free (parent);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (oldest_epochs_go_whole_and_are_folded_first),
    cmocka_unit_test (less_may_be_kept_from_now_on),
    cmocka_unit_test (a_half_deleted_epoch_is_read_once_or_not_at_all),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
