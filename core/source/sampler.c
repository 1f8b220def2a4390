/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of the whole machine, read from /proc at an interval: memory, virtual memory, pressure
 * (PSI), and who holds most memory. Memory mode keeps its own bounded history. */
#include "config.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "source/source.h"

/* An hour of all four at their intervals is about 9 MiB; the oldest go first. */
#define HISTORY_BYTES (16 * 1024 * 1024)
#define INTERVAL_NS WPR_NS_PER_SECOND
#define RSS_INTERVAL_NS (10 * WPR_NS_PER_SECOND)
#define RSS_MOST 64
#define FILE_MOST (64 * 1024)

typedef struct
{
  const char *name;                       /* of the plan's item */
  void (*read) (GVariantBuilder *values); /* adds (sx) */
  gint64 interval_ns;                     /* unless the plan says otherwise */
  const char *path;                       /* what must be there */
} WprSamplerKind;

typedef struct
{
  const WprSamplerKind *kind;
  gint64 interval_ns;
  WprTime due;
} WprSamplerItem;

typedef struct
{
  WprTime when;
  GByteArray *bytes;
} WprSamplerRow;

#define WPR_TYPE_SOURCE_SAMPLER (wpr_source_sampler_get_type ())
G_DECLARE_FINAL_TYPE (WprSourceSampler, wpr_source_sampler, WPR, SOURCE_SAMPLER, WprSource)

struct _WprSourceSampler
{
  WprSource parent_instance;
  GArray *items;   /* WprSamplerItem */
  GQueue *history; /* WprSamplerRow *, oldest first; memory mode */
  gsize history_bytes;
  gboolean running;
};

G_DEFINE_FINAL_TYPE (WprSourceSampler, wpr_source_sampler, WPR_TYPE_SOURCE)

/* ---- what is read ---- */

static const char *const meminfo_fields[] = {
  "MemTotal",     "MemFree",        "MemAvailable", "Buffers",      "Cached",
  "SwapCached",   "Active",         "Inactive",     "Active(anon)", "Inactive(anon)",
  "Active(file)", "Inactive(file)", "Unevictable",  "Mlocked",      "SwapTotal",
  "SwapFree",     "Dirty",          "Writeback",    "AnonPages",    "Mapped",
  "Shmem",        "KReclaimable",   "Slab",         "SReclaimable", "SUnreclaim",
  "KernelStack",  "PageTables",     "CommitLimit",  "Committed_AS", "VmallocUsed",
  "Percpu",       "AnonHugePages",
};

static const char *const vmstat_fields[] = {
  "pgpgin",
  "pgpgout",
  "pswpin",
  "pswpout",
  "pgfault",
  "pgmajfault",
  "pgfree",
  "pgactivate",
  "pgdeactivate",
  "pgrefill",
  "pgscan_kswapd",
  "pgscan_direct",
  "pgsteal_kswapd",
  "pgsteal_direct",
  "pginodesteal",
  "slabs_scanned",
  "kswapd_inodesteal",
  "pageoutrun",
  "pgmigrate_success",
  "compact_stall",
  "compact_fail",
  "compact_success",
  "thp_fault_alloc",
  "thp_fault_fallback",
  "oom_kill",
  "workingset_refault_anon",
  "workingset_refault_file",
  "nr_dirty",
  "nr_writeback",
  "drop_pagecache",
};

static gboolean
wpr_sampler_wants (const char *const *fields, gsize n, const char *name, gsize length)
{
  for (gsize i = 0; i < n; i++)
    if (strncmp (fields[i], name, length) == 0 && fields[i][length] == '\0')
      return TRUE;
  return FALSE;
}

/* Lines "name[:] value [kB]": those wanted, kB as bytes. */
static void
wpr_sampler_read_lines (const char *path, const char *const *fields, gsize n,
                        GVariantBuilder *values)
{
  g_autofree char *text = wpr_read_small (path, FILE_MOST, NULL);
  for (char *line = text, *end; line && *line; line = *end ? end + 1 : end)
    {
      end = strchrnul (line, '\n');
      gsize length = strcspn (line, ": \n");
      if (!wpr_sampler_wants (fields, n, line, length))
        continue;
      const char *at = line + length;
      at += strspn (at, ": ");
      char *unit = NULL;
      gint64 value = g_ascii_strtoll (at, &unit, 10);
      if (unit && strncmp (unit, " kB", 3) == 0)
        value *= 1024;
      g_autofree char *name = g_strndup (line, length);
      g_variant_builder_add (values, "(sx)", name, value);
    }
}

static void
wpr_sampler_read_meminfo (GVariantBuilder *values)
{
  wpr_sampler_read_lines ("/proc/meminfo", meminfo_fields, G_N_ELEMENTS (meminfo_fields), values);
}

static void
wpr_sampler_read_vmstat (GVariantBuilder *values)
{
  wpr_sampler_read_lines ("/proc/vmstat", vmstat_fields, G_N_ELEMENTS (vmstat_fields), values);
}

/* "some avg10=1.23 avg60=.. avg300=.. total=45": the share of the last 10 s in hundredths of a per
 * cent, and the time stalled so far in us. */
static void
wpr_sampler_read_pressure_line (const char *what, const char *line, GVariantBuilder *values)
{
  g_autofree char *kind = g_strndup (line, strcspn (line, " "));
  const char *avg10 = strstr (line, "avg10="), *total = strstr (line, "total=");
  if (!avg10 || !total)
    return;
  g_autofree char *share = g_strdup_printf ("%s_%s_avg10", what, kind);
  g_autofree char *time = g_strdup_printf ("%s_%s_total_us", what, kind);
  double percent = g_ascii_strtod (avg10 + strlen ("avg10="), NULL);
  g_variant_builder_add (values, "(sx)", share, (gint64)(percent * 100 + 0.5));
  g_variant_builder_add (values, "(sx)", time,
                         g_ascii_strtoll (total + strlen ("total="), NULL, 10));
}

static void
wpr_sampler_read_psi (GVariantBuilder *values)
{
  static const char *const resources[] = { "cpu", "io", "memory", "irq" };
  for (guint i = 0; i < G_N_ELEMENTS (resources); i++)
    {
      g_autofree char *path = g_strconcat ("/proc/pressure/", resources[i], NULL);
      g_autofree char *text = wpr_read_small (path, 1024, NULL);
      g_auto (GStrv) lines = text ? g_strsplit (text, "\n", -1) : NULL;
      for (guint l = 0; lines && lines[l]; l++)
        if (*lines[l])
          wpr_sampler_read_pressure_line (resources[i], lines[l], values);
    }
}

typedef struct
{
  guint32 pid;
  gint64 bytes;
} WprRss;

static int
wpr_rss_compare (gconstpointer a, gconstpointer b)
{
  const WprRss *x = a, *y = b;
  return (x->bytes < y->bytes) - (x->bytes > y->bytes);
}

static void
wpr_sampler_read_rss (GVariantBuilder *values)
{
  DIR *proc = opendir ("/proc");
  if (!proc)
    return;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (WprRss));
  gint64 page = sysconf (_SC_PAGESIZE);
  char path[64];
  for (struct dirent *entry; (entry = readdir (proc)) != NULL;)
    {
      if (!g_ascii_isdigit (entry->d_name[0]))
        continue;
      WprRss rss = { .pid = (guint32)strtoul (entry->d_name, NULL, 10) };
      g_snprintf (path, sizeof path, "/proc/%u/statm", rss.pid);
      g_autofree char *statm = wpr_read_small (path, 256, NULL);
      const char *at = statm ? strchr (statm, ' ') : NULL;
      rss.bytes = at ? g_ascii_strtoll (at, NULL, 10) * page : 0;
      if (rss.bytes > 0)
        g_array_append_val (all, rss);
    }
  closedir (proc);
  g_array_sort (all, wpr_rss_compare);
  for (guint i = 0; i < MIN (all->len, RSS_MOST); i++)
    {
      const WprRss *rss = &g_array_index (all, WprRss, i);
      g_snprintf (path, sizeof path, "/proc/%u/comm", rss->pid);
      g_autofree char *comm = wpr_read_small (path, 64, NULL);
      g_autofree char *valid = comm ? g_utf8_make_valid (g_strchomp (comm), -1) : NULL;
      g_autofree char *name = g_strdup_printf ("%u %s", rss->pid, valid ? valid : "");
      g_variant_builder_add (values, "(sx)", name, rss->bytes);
    }
}

static const WprSamplerKind kinds[] = {
  { "meminfo", wpr_sampler_read_meminfo, INTERVAL_NS, "/proc/meminfo" },
  { "vmstat", wpr_sampler_read_vmstat, INTERVAL_NS, "/proc/vmstat" },
  { "psi", wpr_sampler_read_psi, INTERVAL_NS, "/proc/pressure/memory" },
  { "rss", wpr_sampler_read_rss, RSS_INTERVAL_NS, "/proc/self/statm" },
};

/* ---- the hooks ---- */

static void
wpr_sampler_add_item (WprSourceSampler *self, WprSession *session, const WprPlanItem *plan)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (strcmp (kinds[i].name, plan->name) != 0)
        continue;
      for (guint j = 0; j < self->items->len; j++)
        if (g_array_index (self->items, WprSamplerItem, j).kind == &kinds[i])
          return;
      /* Readable, not only there: PSI may be built in and switched off. */
      g_autofree char *text = wpr_read_small (kinds[i].path, FILE_MOST, NULL);
      if (!text)
        {
          g_autofree char *told = g_strdup_printf (
              _ ("%s is not recorded: this kernel does not offer %s."), plan->name, kinds[i].path);
          session->notice (session->notice_data, WPR_NOTICE_INFO, "event-refused", told);
          g_ptr_array_add (session->manifest->missing,
                           g_strdup_printf ("%s: no %s", plan->name, kinds[i].path));
          return;
        }
      WprSamplerItem item = { &kinds[i], kinds[i].interval_ns, 0 };
      if (plan->interval_ns > 0)
        item.interval_ns = (gint64)plan->interval_ns;
      g_array_append_val (self->items, item);
    }
}

static gboolean
wpr_source_sampler_prepare (WprSource *source, WprSession *session, GError **error)
{
  for (guint c = 0; c < session->plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (session->plan->collectors, c);
      for (guint i = 0; i < collector->items->len; i++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, i);
          if (item->kind == WPR_ITEM_SAMPLER)
            wpr_sampler_add_item (WPR_SOURCE_SAMPLER (source), session, item);
        }
    }
  return TRUE;
}

static gboolean
wpr_source_sampler_set (WprSource *source, WprSession *session, const WprPlanItem *plan,
                        gboolean on, GError **error)
{
  WprSourceSampler *self = WPR_SOURCE_SAMPLER (source);
  if (plan->kind != WPR_ITEM_SAMPLER)
    return TRUE;
  for (guint i = self->items->len; i > 0; i--)
    if (g_str_equal (g_array_index (self->items, WprSamplerItem, i - 1).kind->name, plan->name))
      g_array_remove_index (self->items, i - 1);
  if (on)
    wpr_sampler_add_item (self, session, plan);
  return TRUE;
}

static gboolean
wpr_source_sampler_start (WprSource *source, WprSession *session, gboolean sideband, GError **error)
{
  WPR_SOURCE_SAMPLER (source)->running |= !sideband;
  return TRUE;
}

static gboolean
wpr_source_sampler_stop (WprSource *source, WprSession *session, GError **error)
{
  WPR_SOURCE_SAMPLER (source)->running = FALSE;
  return TRUE;
}

static void
wpr_sampler_row_free (WprSamplerRow *row)
{
  g_byte_array_unref (row->bytes);
  g_free (row);
}

static gboolean
wpr_sampler_note (WprStore *store, const WprSamplerRow *row, GError **error)
{
  return wpr_store_add_note (store, WPR_NOTE_SAMPLER, 0, row->when, 0, 0, row->bytes->data,
                             row->bytes->len, error);
}

static void
wpr_sampler_keep (WprSourceSampler *self, WprSamplerRow *row)
{
  g_queue_push_tail (self->history, row);
  self->history_bytes += row->bytes->len;
  while (self->history_bytes > HISTORY_BYTES && self->history->length > 1)
    {
      WprSamplerRow *oldest = g_queue_pop_head (self->history);
      self->history_bytes -= oldest->bytes->len;
      wpr_sampler_row_free (oldest);
    }
}

static gboolean
wpr_sampler_take (WprSourceSampler *self, WprSession *session, const WprSamplerKind *kind,
                  WprTime now, GError **error)
{
  GVariantBuilder values;
  g_variant_builder_init (&values, G_VARIANT_TYPE ("a(sx)"));
  kind->read (&values);
  g_autoptr (GVariant) variant = g_variant_ref_sink (g_variant_builder_end (&values));
  WprSamplerRow *row = g_new (WprSamplerRow, 1);
  row->when = now;
  row->bytes = g_byte_array_new ();
  g_byte_array_append (row->bytes, (const guint8 *)kind->name, (guint)strlen (kind->name) + 1);
  g_byte_array_append (row->bytes, g_variant_get_data (variant),
                       (guint)g_variant_get_size (variant));
  if (session->backward || !session->store)
    {
      wpr_sampler_keep (self, row);
      return TRUE;
    }
  gboolean good = wpr_sampler_note (session->store, row, error);
  wpr_sampler_row_free (row);
  return good;
}

static gboolean
wpr_source_sampler_drain (WprSource *source, WprSession *session, GError **error)
{
  WprSourceSampler *self = WPR_SOURCE_SAMPLER (source);
  if (!self->running || self->items->len == 0)
    return TRUE;
  WprClockReading now;
  wpr_clock_read (&now);
  for (guint i = 0; i < self->items->len; i++)
    {
      WprSamplerItem *item = &g_array_index (self->items, WprSamplerItem, i);
      if (now.monotonic_ns < item->due)
        continue;
      /* No catching up after a pause: one reading then says all. */
      item->due = MAX (item->due + item->interval_ns, now.monotonic_ns + item->interval_ns / 2);
      if (!wpr_sampler_take (self, session, item->kind, now.monotonic_ns, error))
        return FALSE;
    }
  return TRUE;
}

/* One reading before the span, so that its first moment has a value. */
static gboolean
wpr_source_sampler_copy (WprSource *source, WprSession *session, WprStore *store,
                         WprTime *complete_from, GError **error)
{
  WprSourceSampler *self = WPR_SOURCE_SAMPLER (source);
  for (GList *l = self->history->head; l; l = l->next)
    {
      const WprSamplerRow *row = l->data;
      if (row->when < *complete_from - INTERVAL_NS)
        continue;
      if (!wpr_sampler_note (store, row, error))
        return FALSE;
    }
  return TRUE;
}

static void
wpr_source_sampler_finalize (GObject *object)
{
  WprSourceSampler *self = WPR_SOURCE_SAMPLER (object);
  g_array_unref (self->items);
  g_queue_free_full (self->history, (GDestroyNotify)wpr_sampler_row_free);
  G_OBJECT_CLASS (wpr_source_sampler_parent_class)->finalize (object);
}

static void
wpr_source_sampler_class_init (WprSourceSamplerClass *klass)
{
  WprSourceClass *source_class = WPR_SOURCE_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_source_sampler_finalize;
  source_class->prepare = wpr_source_sampler_prepare;
  source_class->start = wpr_source_sampler_start;
  source_class->stop = wpr_source_sampler_stop;
  source_class->drain = wpr_source_sampler_drain;
  source_class->copy = wpr_source_sampler_copy;
  source_class->set = wpr_source_sampler_set;
}

static void
wpr_source_sampler_init (WprSourceSampler *self)
{
  self->items = g_array_new (FALSE, FALSE, sizeof (WprSamplerItem));
  self->history = g_queue_new ();
}

WprSource *
wpr_source_sampler_new (void)
{
  return g_object_new (WPR_TYPE_SOURCE_SAMPLER, NULL);
}
