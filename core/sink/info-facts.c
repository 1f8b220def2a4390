/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a file says of its own recording: events of provider Linux.Recorder as sentences. */
#include "config.h"
#include "sink/info-private.h"

#include <string.h>

/* A file with more is told in part: an -info of a million lines helps nobody. */
#define MOST_FACTS 20000
#define MOST_VALUE 65536
#define MOST_PARTS 4096 /* ours are far fewer */
#define OUT_HEX 4

static guint64
unsigned_value (const guint8 *at, guint32 size)
{
  guint64 value = 0;

  memcpy (&value, at, MIN (size, sizeof value));
  return GUINT64_FROM_LE (value);
}

static gint64
signed_value (const guint8 *at, guint32 size)
{
  guint shift = 64 - 8 * MIN (size, 8u);

  return (gint64)(unsigned_value (at, size) << shift) >> shift;
}

char *
wpr_info_field_text (const WprEtlFieldIter *field)
{
  if (field->out_type == OUT_HEX && field->in_type == WPR_TL_U64)
    return g_strdup_printf ("0x%" G_GINT64_MODIFIER "x",
                            unsigned_value (field->value, field->value_size));
  switch (field->in_type)
    {
    case WPR_TL_STRING8:
      return g_utf8_make_valid ((const char *)field->value,
                                (gssize)MIN (field->value_size, MOST_VALUE));
    case WPR_TL_I8:
    case WPR_TL_I16:
    case WPR_TL_I32:
    case WPR_TL_I64:
      return g_strdup_printf ("%" G_GINT64_FORMAT, signed_value (field->value, field->value_size));
    case WPR_TL_U8:
    case WPR_TL_U16:
    case WPR_TL_U32:
    case WPR_TL_U64:
      return g_strdup_printf ("%" G_GUINT64_FORMAT,
                              unsigned_value (field->value, field->value_size));
    case WPR_TL_BOOL32:
      return g_strdup (unsigned_value (field->value, field->value_size) != 0 ? "yes" : "no");
    case WPR_TL_HEX32:
    case WPR_TL_HEX64:
      return g_strdup_printf ("0x%" G_GINT64_MODIFIER "x",
                              unsigned_value (field->value, field->value_size));
    default:
      return NULL;
    }
}

/* Values that have a place of their own in WprTraceInfo. */
static void
take_own (WprTraceInfo *info, const char *event, const char *field, const char *value)
{
  const struct
  {
    const char *event, *field;
    char **to;
  } rows[] = {
    { "Recording", "ToolVersion", &info->tool_version },
    { "Recording", "Host", &info->host },
    { "Recording", "Kernel", &info->kernel },
    { "ProblemDescription", "Text", &info->note },
  };

  if (g_str_equal (event, "Totals") && g_str_equal (field, "Unexplained"))
    info->unexplained = g_ascii_strtoull (value, NULL, 10);
  if (g_str_equal (event, "Totals")
      && (g_str_equal (field, "OverwrittenBytes") || g_str_equal (field, "DroppedBytes")))
    info->replaced_bytes += g_ascii_strtoull (value, NULL, 10);
  if (g_str_equal (event, "Order") && g_str_equal (field, "FurthestBackNs"))
    info->furthest_back_ns = (gint64)g_ascii_strtoull (value, NULL, 10);
  if (g_str_equal (event, "Order") && g_str_equal (field, "ClampedTimes"))
    info->n_clamped = g_ascii_strtoull (value, NULL, 10);
  if (g_str_equal (event, "Part") && g_str_equal (field, "Part"))
    info->part = (guint)g_ascii_strtoull (value, NULL, 10);
  if (g_str_equal (event, "Part") && g_str_equal (field, "Parts"))
    info->n_parts = (guint)g_ascii_strtoull (value, NULL, 10);
  if (g_str_equal (event, "PartName") && g_str_equal (field, "Name")
      && info->parts->len < MOST_PARTS)
    g_ptr_array_add (info->parts, g_strdup (value));
  if (g_str_equal (event, "CpuGap") && g_str_equal (field, "Cpu"))
    info->n_cpu_gaps++;
  if (g_str_equal (event, "Profile"))
    g_ptr_array_add (info->profiles, g_strdup (value));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (event, rows[i].event) && g_str_equal (field, rows[i].field))
      {
        g_free (*rows[i].to);
        *rows[i].to = g_strdup (value);
      }
}

/* One field: "Profile: CPU.Verbose.Memory". More: "Tally: Row 3, Name sched:sched_switch, ..". */
void
wpr_info_take_fact (WprTraceInfo *info, const WprEtlEvent *event)
{
  g_autoptr (GString) fact = g_string_new (event->name);
  g_autofree char *only = NULL;
  WprEtlFieldIter iter;
  guint n = 0;

  wpr_etl_field_iter_init (&iter, event);
  while (wpr_etl_field_iter_next (&iter))
    {
      g_autofree char *value = wpr_info_field_text (&iter);
      g_autofree char *name = g_utf8_make_valid (iter.name, -1);

      if (value == NULL)
        continue;
      take_own (info, event->name, name, value);
      g_string_append_printf (fact, "%s %s %s", n == 0 ? ":" : ",", name, value);
      if (n++ == 0)
        only = g_steal_pointer (&value);
    }
  if (n == 1)
    g_string_printf (fact, "%s: %s", event->name, only);
  if (info->facts->len < MOST_FACTS)
    g_ptr_array_add (info->facts, g_utf8_make_valid (fact->str, -1));
}
