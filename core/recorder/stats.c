/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values a recorder hands out: figures (one immutable block, reference counted), notices and
 * what was saved; and each as a GVariant, for the other process. Who fills them is elsewhere. */
#include "config.h"

#include <string.h>

#include "recorder/recorder-private.h"

typedef struct
{
  gatomicrefcount refs;
  WprStats stats;
} WprStatsBlock;

#define BLOCK(s) ((WprStatsBlock *)((char *)(s)-G_STRUCT_OFFSET (WprStatsBlock, stats)))

static const char *const state_names[] = {
  [WPR_STATE_IDLE] = "idle",           [WPR_STATE_PREPARING] = "preparing",
  [WPR_STATE_RECORDING] = "recording", [WPR_STATE_STOPPING] = "stopping",
  [WPR_STATE_MERGING] = "merging",     [WPR_STATE_SAVED] = "saved",
  [WPR_STATE_CANCELLED] = "cancelled", [WPR_STATE_FAILED] = "failed",
};

const char *
wpr_state_name (WprState state)
{
  g_return_val_if_fail ((guint)state < G_N_ELEMENTS (state_names), "failed");
  return state_names[state];
}

/* ---- figures ---- */

/* Copies n bytes to *at, moves it on (8-aligned) and returns the copy. */
static gpointer
wpr_stats_place (char **at, gconstpointer from, gsize n)
{
  char *to = *at;
  if (n)
    memcpy (to, from, n);
  *at += (n + 7) & ~(gsize)7;
  return to;
}

static gsize
wpr_stats_room (gsize n)
{
  return (n + 7) & ~(gsize)7;
}

static const char *
wpr_stats_text (const char *text)
{
  return text ? text : "";
}

WprStats *
wpr_stats_new (const WprStats *values)
{
  gsize room = wpr_stats_room (sizeof (WprStatsBlock))
               + wpr_stats_room (values->n_collectors * sizeof (WprCollectorStats));
  for (guint i = 0; i < values->n_collectors; i++)
    {
      const WprCollectorStats *c = &values->collectors[i];
      room += wpr_stats_room (c->n_cpus * sizeof (WprCpuStats))
              + wpr_stats_room (c->n_losses * sizeof (WprLossSecond))
              + wpr_stats_room (strlen (wpr_stats_text (c->name)) + 1)
              + wpr_stats_room (strlen (wpr_stats_text (c->session)) + 1);
    }
  WprStatsBlock *block = g_malloc (room);
  char *at = (char *)block + wpr_stats_room (sizeof (WprStatsBlock));
  g_atomic_ref_count_init (&block->refs);
  block->stats = *values;
  WprCollectorStats *collectors = wpr_stats_place (
      &at, values->collectors, values->n_collectors * sizeof (WprCollectorStats));
  block->stats.collectors = collectors;
  for (guint i = 0; i < values->n_collectors; i++)
    {
      WprCollectorStats *c = &collectors[i];
      const char *name = wpr_stats_text (c->name), *session = wpr_stats_text (c->session);
      c->cpus = wpr_stats_place (&at, c->cpus, c->n_cpus * sizeof (WprCpuStats));
      c->losses = wpr_stats_place (&at, c->losses, c->n_losses * sizeof (WprLossSecond));
      c->name = wpr_stats_place (&at, name, strlen (name) + 1);
      c->session = wpr_stats_place (&at, session, strlen (session) + 1);
    }
  return &block->stats;
}

WprStats *
wpr_stats_ref (WprStats *stats)
{
  g_return_val_if_fail (stats, NULL);
  g_atomic_ref_count_inc (&BLOCK (stats)->refs);
  return stats;
}

void
wpr_stats_unref (WprStats *stats)
{
  if (stats && g_atomic_ref_count_dec (&BLOCK (stats)->refs))
    g_free (BLOCK (stats));
}

static GVariant *
wpr_collector_to_variant (const WprCollectorStats *c)
{
  GVariantBuilder cpus, losses;
  g_variant_builder_init (&cpus, G_VARIANT_TYPE ("a" WPR_STATS_CPU_TYPE));
  g_variant_builder_init (&losses, G_VARIANT_TYPE ("a(uxt)"));
  for (guint i = 0; i < c->n_cpus; i++)
    {
      const WprCpuStats *p = &c->cpus[i];
      g_variant_builder_add (&cpus, WPR_STATS_CPU_TYPE, p->cpu, p->online, p->ring_bytes,
                             p->used_bytes, p->fill, p->holds_s, p->bytes, p->events, p->lost,
                             p->overwritten_bytes);
    }
  for (guint i = 0; i < c->n_losses; i++)
    g_variant_builder_add (&losses, "(uxt)", c->losses[i].cpu, c->losses[i].second,
                           c->losses[i].count);
  return g_variant_new ("(ssuuuuutdudtdttta" WPR_STATS_CPU_TYPE "a(uxt))", c->name, c->session,
                        (guint32)c->kind, c->buffer_kb, c->buffers_asked, c->buffers_total,
                        c->buffers_free, c->buffers_written, c->fill, c->worst_cpu, c->holds_s,
                        c->events, c->events_per_s, c->lost, c->overwritten_bytes, c->bytes_written,
                        &cpus, &losses);
}

GVariant *
wpr_stats_to_variant (const WprStats *s)
{
  GVariantBuilder collectors;
  g_variant_builder_init (&collectors, G_VARIANT_TYPE ("a" WPR_STATS_COLLECTOR_TYPE));
  for (guint i = 0; i < s->n_collectors; i++)
    g_variant_builder_add_value (&collectors, wpr_collector_to_variant (&s->collectors[i]));
  return g_variant_new ("((uuxxtd)(ttttd)(uudtd)(dxtu)a" WPR_STATS_COLLECTOR_TYPE ")",
                        (guint32)s->state, (guint32)s->mode, s->started_realtime_ns, s->elapsed_ns,
                        s->events, s->events_per_s, s->lost, s->overwritten_bytes, s->bytes_written,
                        s->save_bytes, s->fill, s->worst_collector, s->worst_cpu, s->holds_s,
                        s->disk_free_bytes, s->disk_full_s, s->recorder_cpu, s->recorder_cpu_ns,
                        s->recorder_wakeups, s->n_marks, &collectors);
}

/* A row of WPR_STATS_CPU_TYPE as it lies in memory. Rows are read ten times a second, one a CPU and
 * collector: a value of its own for each number would be most of the cost of a window that looks.
 */
typedef struct
{
  guint32 cpu;
  guint8 online;
  guint64 ring_bytes, used_bytes;
  double fill, holds_s;
  guint64 bytes, events, lost, overwritten_bytes;
} WprCpuRow;

G_STATIC_ASSERT (sizeof (WprCpuRow) == 72);
G_STATIC_ASSERT (G_STRUCT_OFFSET (WprCpuRow, online) == 4);
G_STATIC_ASSERT (G_STRUCT_OFFSET (WprCpuRow, ring_bytes) == 8);
/* A row "(uxt)" lies in memory as this does. */
G_STATIC_ASSERT (sizeof (WprLossSecond) == 24);
G_STATIC_ASSERT (G_STRUCT_OFFSET (WprLossSecond, second) == 8);
G_STATIC_ASSERT (G_STRUCT_OFFSET (WprLossSecond, count) == 16);

static WprCpuStats *
wpr_cpus_from_variant (GVariant *variant, guint *n)
{
  gsize n_rows = 0;
  const WprCpuRow *row = g_variant_get_fixed_array (variant, &n_rows, sizeof (WprCpuRow));
  WprCpuStats *cpus = g_new0 (WprCpuStats, n_rows + 1);
  for (gsize i = 0; i < n_rows; i++, row++)
    cpus[i] = (WprCpuStats){ row->cpu,  row->online != 0,      row->ring_bytes, row->used_bytes,
                             row->fill, row->holds_s,          row->bytes,      row->events,
                             row->lost, row->overwritten_bytes };
  *n = (guint)n_rows;
  return cpus;
}

static WprLossSecond *
wpr_losses_from_variant (GVariant *variant, guint *n)
{
  gsize n_rows = 0;
  gconstpointer rows = g_variant_get_fixed_array (variant, &n_rows, sizeof (WprLossSecond));
  WprLossSecond *losses = g_new0 (WprLossSecond, n_rows + 1);
  if (n_rows > 0)
    memcpy (losses, rows, n_rows * sizeof (WprLossSecond));
  *n = (guint)n_rows;
  return losses;
}

/* Strings point into the variant; cpus and losses are freed by the caller. */
static void
wpr_collector_from_variant (GVariant *variant, WprCollectorStats *c)
{
  guint32 kind = 0;
  g_autoptr (GVariant) cpus = NULL;
  g_autoptr (GVariant) losses = NULL;
  g_variant_get (variant, "(&s&suuuuutdudtdttt@a" WPR_STATS_CPU_TYPE "@a(uxt))", &c->name,
                 &c->session, &kind, &c->buffer_kb, &c->buffers_asked, &c->buffers_total,
                 &c->buffers_free, &c->buffers_written, &c->fill, &c->worst_cpu, &c->holds_s,
                 &c->events, &c->events_per_s, &c->lost, &c->overwritten_bytes, &c->bytes_written,
                 &cpus, &losses);
  c->kind = (WprCollectorKind)kind;
  c->cpus = wpr_cpus_from_variant (cpus, &c->n_cpus);
  c->losses = wpr_losses_from_variant (losses, &c->n_losses);
}

WprStats *
wpr_stats_from_variant (GVariant *variant)
{
  if (!variant || !g_variant_is_of_type (variant, G_VARIANT_TYPE (WPR_STATS_TYPE)))
    return NULL;
  WprStats s = { 0 };
  guint32 state = 0, mode = 0;
  g_autoptr (GVariant) list = g_variant_get_child_value (variant, 4);
  g_variant_get (variant, "((uuxxtd)(ttttd)(uudtd)(dxtu)@a" WPR_STATS_COLLECTOR_TYPE ")", &state,
                 &mode, &s.started_realtime_ns, &s.elapsed_ns, &s.events, &s.events_per_s, &s.lost,
                 &s.overwritten_bytes, &s.bytes_written, &s.save_bytes, &s.fill, &s.worst_collector,
                 &s.worst_cpu, &s.holds_s, &s.disk_free_bytes, &s.disk_full_s, &s.recorder_cpu,
                 &s.recorder_cpu_ns, &s.recorder_wakeups, &s.n_marks, NULL);
  if (state > WPR_STATE_FAILED || mode > WPR_MODE_FILE)
    return NULL;
  s.state = (WprState)state;
  s.mode = (WprMode)mode;
  s.n_collectors = (guint)g_variant_n_children (list);
  g_autofree WprCollectorStats *collectors = g_new0 (WprCollectorStats, s.n_collectors + 1);
  /* Kept until copied: the names point into them. */
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify)g_variant_unref);
  for (guint i = 0; i < s.n_collectors; i++)
    {
      GVariant *child = g_variant_get_child_value (list, i);
      g_ptr_array_add (kept, child);
      wpr_collector_from_variant (child, &collectors[i]);
    }
  s.collectors = collectors;
  WprStats *stats = wpr_stats_new (&s);
  for (guint i = 0; i < s.n_collectors; i++)
    {
      g_free ((gpointer)collectors[i].cpus);
      g_free ((gpointer)collectors[i].losses);
    }
  return stats;
}

/* ---- notices ---- */

WprNotice *
wpr_notice_new (WprSeverity severity, gint64 realtime_ns, const char *id, const char *text)
{
  WprNotice *notice = g_new (WprNotice, 1);
  notice->severity = severity;
  notice->realtime_ns = realtime_ns ? realtime_ns : g_get_real_time () * 1000;
  notice->id = g_strdup (id);
  notice->text = g_strdup (text);
  return notice;
}

WprNotice *
wpr_notice_copy (const WprNotice *notice)
{
  return wpr_notice_new (notice->severity, notice->realtime_ns, notice->id, notice->text);
}

void
wpr_notice_free (WprNotice *notice)
{
  if (!notice)
    return;
  g_free (notice->id);
  g_free (notice->text);
  g_free (notice);
}

GVariant *
wpr_notice_to_variant (const WprNotice *notice)
{
  return g_variant_new (WPR_NOTICE_TYPE, (guint32)notice->severity, notice->realtime_ns, notice->id,
                        notice->text);
}

WprNotice *
wpr_notice_from_variant (GVariant *variant)
{
  if (!variant || !g_variant_is_of_type (variant, G_VARIANT_TYPE (WPR_NOTICE_TYPE)))
    return NULL;
  guint32 severity = 0;
  gint64 when = 0;
  const char *id = NULL, *text = NULL;
  g_variant_get (variant, "(ux&s&s)", &severity, &when, &id, &text);
  return wpr_notice_new ((WprSeverity)MIN (severity, WPR_NOTICE_ERROR), when, id, text);
}

/* ---- what was saved ---- */

void
wpr_saved_free (WprSaved *saved)
{
  if (!saved)
    return;
  g_free (saved->name);
  g_strfreev (saved->parts);
  g_free (saved);
}

GVariant *
wpr_saved_to_variant (const WprSaved *saved)
{
  GVariantBuilder parts;
  g_variant_builder_init (&parts, G_VARIANT_TYPE ("as"));
  /* A file's name is bytes, a string of D-Bus is UTF-8. */
  for (guint i = 0; saved->parts && saved->parts[i]; i++)
    g_variant_builder_add_value (
        &parts, g_variant_new_take_string (g_utf8_make_valid (saved->parts[i], -1)));
  g_autofree char *name = g_utf8_make_valid (saved->name ? saved->name : "", -1);
  return g_variant_new (WPR_SAVED_TYPE, name, saved->size, saved->events, saved->lost,
                        saved->duration_ns, saved->complete, &parts);
}

WprSaved *
wpr_saved_from_variant (GVariant *variant)
{
  if (!variant || !g_variant_is_of_type (variant, G_VARIANT_TYPE (WPR_SAVED_TYPE)))
    return NULL;
  WprSaved *saved = g_new0 (WprSaved, 1);
  g_autoptr (GVariantIter) parts = NULL;
  g_variant_get (variant, WPR_SAVED_TYPE, &saved->name, &saved->size, &saved->events, &saved->lost,
                 &saved->duration_ns, &saved->complete, &parts);
  if (g_variant_iter_n_children (parts) > 0)
    saved->parts = g_new0 (char *, g_variant_iter_n_children (parts) + 1);
  for (guint i = 0; saved->parts && g_variant_iter_next (parts, "s", &saved->parts[i]); i++)
    ;
  return saved;
}
