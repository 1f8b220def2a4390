/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters read at an interval and marks: into the store in file mode, kept for a save in memory
 * mode; both without opening any kernel event. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "source/source.h"

/* ---- a plan by hand: four samplers ---- */

static const WprPlanItem items[] = {
  { .kind = WPR_ITEM_SAMPLER, .name = "meminfo", .interval_ns = 20000000 },
  { .kind = WPR_ITEM_SAMPLER, .name = "vmstat", .interval_ns = 20000000 },
  { .kind = WPR_ITEM_SAMPLER, .name = "psi", .interval_ns = 20000000 },
  { .kind = WPR_ITEM_SAMPLER, .name = "rss", .interval_ns = 20000000 },
};

typedef struct
{
  char *root, *parent;
  GPtrArray *items, *collectors;
  WprPlanCollector collector;
  WprPlan plan;
  WprSession session;
  GPtrArray *told;
} Bench;

static void
on_notice (gpointer data, WprSeverity severity, const char *id, const char *text)
{
  g_ptr_array_add (((Bench *)data)->told, g_strdup (text));
}

static WprManifest *
new_manifest (void)
{
  WprManifest *manifest = wpr_manifest_new ();
  manifest->instance = g_strdup ("Test");
  manifest->boot_id = g_strdup ("01234567-89ab");
  return manifest;
}

static void
bench_init (Bench *b, gboolean backward)
{
  memset (b, 0, sizeof *b);
  b->root = g_dir_make_tmp ("wpr-test-XXXXXX", NULL);
  b->parent = g_build_filename (b->root, "raw", NULL);
  b->told = g_ptr_array_new_with_free_func (g_free);
  b->items = g_ptr_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    g_ptr_array_add (b->items, (gpointer)&items[i]);
  b->collector = (WprPlanCollector){ .name = "C", .items = b->items };
  b->collectors = g_ptr_array_new ();
  g_ptr_array_add (b->collectors, &b->collector);
  b->plan = (WprPlan){ .collectors = b->collectors };
  b->session = (WprSession){
    .plan = &b->plan,
    .manifest = new_manifest (),
    .backward = backward,
    .notice = on_notice,
    .notice_data = b,
  };
}

static void
bench_clear (Bench *b)
{
  if (b->session.store)
    wpr_store_close (b->session.store);
  else
    wpr_manifest_free (b->session.manifest);
  g_ptr_array_unref (b->items);
  g_ptr_array_unref (b->collectors);
  g_ptr_array_unref (b->told);
  g_autofree char *folder = g_path_get_dirname (b->root);
  g_autofree char *name = g_path_get_basename (b->root);
  int fd = wpr_open_folder (folder, NULL);
  assert_true (wpr_remove_tree_at (fd, name, NULL));
  close (fd);
  g_free (b->root);
  g_free (b->parent);
}

/* ---- what is in a store ---- */

typedef struct
{
  guint n[G_N_ELEMENTS (items)];
  gint64 mem_total, own_rss;
  GPtrArray *marks;
} Found;

static void
found_values (Found *found, guint item, GVariant *values)
{
  GVariantIter iter;
  const char *name;
  gint64 value;
  g_autofree char *own = g_strdup_printf ("%u ", (guint)getpid ());
  assert_true (g_variant_n_children (values) > 0);
  g_variant_iter_init (&iter, values);
  while (g_variant_iter_next (&iter, "(&sx)", &name, &value))
    {
      if (item == 0 && strcmp (name, "MemTotal") == 0)
        found->mem_total = value;
      if (item == 3 && g_str_has_prefix (name, own))
        found->own_rss = value;
    }
}

static gboolean
found_note (const WprStoreNote *note, gpointer data)
{
  Found *found = data;
  if (note->kind == WPR_NOTE_MARK)
    g_ptr_array_add (found->marks, g_strndup ((const char *)note->payload, note->size));
  if (note->kind != WPR_NOTE_SAMPLER)
    return TRUE;
  const guint8 *end = memchr (note->payload, '\0', note->size);
  assert_non_null (end);
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    {
      if (strcmp ((const char *)note->payload, items[i].name) != 0)
        continue;
      gsize size = note->size - (gsize)(end + 1 - note->payload);
      g_autoptr (GBytes) bytes = g_bytes_new (end + 1, size);
      g_autoptr (GVariant) values
          = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE ("a(sx)"), bytes, FALSE));
      found->n[i]++;
      found_values (found, i, values);
    }
  return TRUE;
}

static void
find (const char *path, Found *found)
{
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  assert_non_null (reader);
  *found = (Found){ .marks = g_ptr_array_new_with_free_func (g_free) };
  wpr_store_reader_notes (reader, found_note, found);
}

static void
run (WprSource *source, Bench *b)
{
  assert_true (wpr_source_start (source, &b->session, TRUE, NULL));
  assert_true (wpr_source_drain (source, &b->session, NULL)); /* not begun: reads nothing */
  assert_true (wpr_source_start (source, &b->session, FALSE, NULL));
  for (guint i = 0; i < 5; i++)
    {
      assert_true (wpr_source_drain (source, &b->session, NULL));
      g_usleep (30 * 1000);
    }
  assert_true (wpr_source_stop (source, &b->session, NULL));
  assert_true (wpr_source_drain (source, &b->session, NULL)); /* over: reads nothing */
}

static void
assert_sampled (const Found *found, gboolean has_psi)
{
  assert_int_equal (found->n[0], 5);
  assert_int_equal (found->n[1], 5);
  assert_int_equal (found->n[2], has_psi ? 5 : 0);
  assert_int_equal (found->n[3], 5);
  assert_int_equal (found->mem_total % 4096, 0);
  assert_true (found->mem_total > 64 * 1024 * 1024);
}

static void
counters_are_read_when_due (void **state)
{
  g_autofree char *psi = wpr_read_small ("/proc/pressure/memory", 4096, NULL);
  gboolean has_psi = psi != NULL;
  for (guint backward = 0; backward < 2; backward++)
    {
      Bench b;
      Found found;
      WprStoreLimits limits = { 0 };
      bench_init (&b, backward);
      g_autoptr (WprSource) source = wpr_source_sampler_new ();
      assert_true (wpr_source_prepare (source, &b.session, NULL));
      assert_int_equal (b.told->len, has_psi ? 0 : 1);
      if (!backward)
        b.session.store = wpr_store_create (b.parent, b.session.manifest, &limits, NULL);
      run (source, &b);
      WprStore *store = b.session.store;
      WprTime from = 0;
      if (backward)
        {
          store = wpr_store_create (b.parent, new_manifest (), &limits, NULL);
          assert_true (wpr_source_copy (source, &b.session, store, &from, NULL));
        }
      g_autofree char *path = g_strdup (wpr_store_get_path (store));
      if (backward)
        wpr_store_close (store);
      else
        {
          wpr_store_close (g_steal_pointer (&b.session.store));
          b.session.manifest = new_manifest ();
        }
      find (path, &found);
      assert_sampled (&found, has_psi);
      g_ptr_array_unref (found.marks);
      bench_clear (&b);
    }
}

static void
a_save_leaves_out_what_is_older_than_its_span (void **state)
{
  Bench b;
  Found found;
  WprStoreLimits limits = { 0 };
  WprClockReading now;
  bench_init (&b, TRUE);
  g_autoptr (WprSource) source = wpr_source_sampler_new ();
  assert_true (wpr_source_prepare (source, &b.session, NULL));
  run (source, &b);
  wpr_clock_read (&now);
  WprStore *store = wpr_store_create (b.parent, new_manifest (), &limits, NULL);
  /* Two seconds later than now: one interval before that still lies behind every reading. */
  WprTime from = now.monotonic_ns + 2 * WPR_NS_PER_SECOND;
  assert_true (wpr_source_copy (source, &b.session, store, &from, NULL));
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  wpr_store_close (store);
  find (path, &found);
  assert_int_equal (found.n[0], 0);
  g_ptr_array_unref (found.marks);
  bench_clear (&b);
}

static void
marks_are_kept_for_the_whole_recording (void **state)
{
  Bench b;
  WprStoreLimits limits = { 0 };
  bench_init (&b, TRUE);
  g_autoptr (WprSource) source = wpr_source_mark_new ();
  assert_true (wpr_source_mark_add (source, &b.session, "now", 1, 0, NULL));
  assert_true (wpr_source_mark_add (source, &b.session, "jetzt \xff 文", 2, 1, NULL));
  for (guint i = 0; i < 2; i++)
    {
      Found found;
      WprStore *store = wpr_store_create (b.parent, new_manifest (), &limits, NULL);
      WprTime from = G_MAXINT64 / 2; /* whatever the rings still hold */
      assert_true (wpr_source_copy (source, &b.session, store, &from, NULL));
      g_autofree char *path = g_strdup (wpr_store_get_path (store));
      wpr_store_close (store);
      find (path, &found);
      assert_int_equal (found.marks->len, 2);
      assert_string_equal (g_ptr_array_index (found.marks, 0), "now");
      assert_true (g_utf8_validate (g_ptr_array_index (found.marks, 1), -1, NULL));
      g_ptr_array_unref (found.marks);
      assert_true (wpr_store_delete (path, NULL));
    }
  bench_clear (&b);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (counters_are_read_when_due),
    cmocka_unit_test (a_save_leaves_out_what_is_older_than_its_span),
    cmocka_unit_test (marks_are_kept_for_the_whole_recording),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
