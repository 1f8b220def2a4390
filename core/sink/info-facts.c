/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a file says of its own recording: events of provider Linux.Recorder as sentences. */
#include "config.h"
#include "sink/info-private.h"

#include <string.h>

/* A file with more is told in part: an -info of a million lines helps nobody. */
#define MOST_FACTS 20000
#define MOST_VALUE 65536
#define MOST_PARTS 4096 /* ours are far fewer */
#define MOST_COLLECTORS 256

/* A field's value for people; FALSE where it is none. */
static gboolean
field_text (const WprEtlField *field, GString *text)
{
  g_string_truncate (text, 0);
  if (field->is_array || field->type == WPR_ETL_TYPE_BINARY || field->type == WPR_ETL_TYPE_STRUCT)
    return FALSE;
  if (field->type == WPR_ETL_TYPE_BOOL32)
    {
      guint64 value = 0;

      wpr_etl_field_get_uint64 (field, &value);
      g_string_append (text, value != 0 ? "yes" : "no");
      return TRUE;
    }
  wpr_etl_field_append_text (field, text);
  if (text->len > MOST_VALUE)
    g_string_truncate (text, MOST_VALUE);
  return TRUE;
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
    { "Recording", "User", &info->user },
    { "Recording", "Rights", &info->rights },
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
  if (g_str_equal (event, "Completed") && g_str_equal (field, "LeftOutBytes"))
    {
      info->was_completed = TRUE;
      info->left_out_bytes = g_ascii_strtoull (value, NULL, 10);
    }
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

static gint64
get_number (const WprEtlField *fields, guint n, const char *name)
{
  gint64 value = 0;

  for (guint i = 0; i < n; i++)
    if (g_str_equal (fields[i].name, name))
      wpr_etl_field_get_int64 (&fields[i], &value);
  return value;
}

/* Where events were lost, and what the collectors are called by which it is said: those come first.
 */
static void
take_losses (WprTraceInfo *info, const char *event, const WprEtlField *fields, guint n)
{
  gint64 collector = get_number (fields, n, "Collector");
  WprLostSecond *loss;

  if (collector < 0 || collector >= MOST_COLLECTORS)
    return;
  if (g_str_equal (event, "Collector"))
    {
      g_autoptr (GString) name = g_string_new (NULL);

      while (info->collectors->len <= (guint)collector)
        g_ptr_array_add (info->collectors, g_strdup (""));
      for (guint i = 0; i < n; i++)
        if (g_str_equal (fields[i].name, "Name") && field_text (&fields[i], name))
          {
            g_free (info->collectors->pdata[collector]);
            info->collectors->pdata[collector] = g_utf8_make_valid (name->str, -1);
          }
      return;
    }
  if (!g_str_equal (event, "EventsLost") || info->losses->len >= MOST_FACTS)
    return;
  loss = g_new0 (WprLostSecond, 1);
  loss->collector = g_strdup ((guint)collector < info->collectors->len
                                  ? g_ptr_array_index (info->collectors, collector)
                                  : "");
  loss->cpu = (guint)get_number (fields, n, "Cpu");
  loss->second = get_number (fields, n, "Second");
  loss->count = (guint64)MAX (get_number (fields, n, "Count"), 0);
  g_ptr_array_add (info->losses, loss);
}

/* One field: "Profile: CPU.Verbose.Memory". More: "Tally: Row 3, Name sched:sched_switch, ..". */
void
wpr_info_take_fact (WprTraceInfo *info, WprEtlDecoder *decoder, const WprEtlEvent *event,
                    const WprEtlKind *kind)
{
  g_autoptr (GString) fact = g_string_new (kind->name), value = g_string_new (NULL);
  g_autofree char *only = NULL;
  const WprEtlField *fields;
  guint n_fields = wpr_etl_decoder_fields (decoder, event, kind, &fields), n = 0;

  take_losses (info, kind->name, fields, n_fields);
  for (guint i = 0; i < n_fields; i++)
    {
      if (!field_text (&fields[i], value))
        continue;
      take_own (info, kind->name, fields[i].name, value->str);
      g_string_append_printf (fact, "%s %s %s", n == 0 ? ":" : ",", fields[i].name, value->str);
      if (n++ == 0)
        only = g_strdup (value->str);
    }
  if (n == 1)
    g_string_printf (fact, "%s: %s", kind->name, only);
  if (info->facts->len < MOST_FACTS)
    g_ptr_array_add (info->facts, g_utf8_make_valid (fact->str, -1));
}
