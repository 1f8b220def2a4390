/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan as JSON, schema version 1:
 * {"version":1,"mode":"memory"|"file","level":"light"|"verbose","profiles":[id],"kinds":n,
 *  "memory_bytes":n,"duration_s":n,"max_bytes":n,"sequential":b,"flush_timer_s":n,
 *  "flush_bytes":n,"stack_cache_kb":n,"strict":b,"needs_rights":b,"rights":"none"|"own"|"system"|
 *  "full","unlock":b,"rights_text","rights_help","open_files":n,"digest":hex,
 *  "collectors":[{"name","kind":"system"|"event","buffer_kb","buffers_asked","buffers_granted",
 *    "bytes_asked","bytes_granted","ring_bytes","items":[{"name","kind","description","stack":
 *    "none"|"kernel"|"full","interval_ns","period","filter","programs":[],"asked_by":[],
 *    "keywords":[],"profiles":[]}]}],
 *  "missing":[{"what","reason","text","asked_by":[]}],"notices":[]} */
#include "config.h"
#include "wpr-profile.h"

static void
wpr_json_append_string (GString *json, const char *text)
{
  g_string_append_c (json, '"');
  for (; *text != '\0'; text++)
    if (*text == '"' || *text == '\\')
      g_string_append_printf (json, "\\%c", *text);
    else if ((guchar)*text < 0x20)
      g_string_append_printf (json, "\\u%04x", (guchar)*text);
    else
      g_string_append_c (json, *text);
  g_string_append_c (json, '"');
}

static void
wpr_json_append_text (GString *json, const char *key, const char *value)
{
  g_string_append_printf (json, "\"%s\":", key);
  wpr_json_append_string (json, value);
  g_string_append_c (json, ',');
}

static void
wpr_json_append_number (GString *json, const char *key, guint64 value)
{
  g_string_append_printf (json, "\"%s\":%" G_GUINT64_FORMAT ",", key, value);
}

static void
wpr_json_append_boolean (GString *json, const char *key, gboolean value)
{
  g_string_append_printf (json, "\"%s\":%s,", key, value ? "true" : "false");
}

/* Without a comma behind it. */
static void
wpr_json_append_texts (GString *json, const char *key, const GPtrArray *texts)
{
  g_string_append_printf (json, "\"%s\":[", key);
  for (guint i = 0; i < texts->len; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      wpr_json_append_string (json, g_ptr_array_index (texts, i));
    }
  g_string_append_c (json, ']');
}

static const char *const item_kinds[]
    = { "tracepoint", "software", "hardware", "sideband", "sampler", "switches" };
static const char *const stacks[] = { "none", "kernel", "full" };
static const char *const reasons[]
    = { "not-here", "refused", "no-counterpart", "needs-rights", "later" };

static void
wpr_json_append_item (GString *json, const WprPlanItem *item)
{
  g_string_append_c (json, '{');
  wpr_json_append_text (json, "name", item->name);
  wpr_json_append_text (json, "kind", item_kinds[item->kind]);
  wpr_json_append_text (json, "description", wpr_plan_item_describe (item));
  wpr_json_append_text (json, "stack", stacks[item->stack]);
  wpr_json_append_number (json, "interval_ns", item->interval_ns);
  wpr_json_append_number (json, "period", item->period);
  if (item->filter != NULL)
    wpr_json_append_text (json, "filter", item->filter);
  if (item->programs != NULL)
    {
      wpr_json_append_texts (json, "programs", item->programs);
      g_string_append_c (json, ',');
    }
  wpr_json_append_texts (json, "asked_by", item->asked_by);
  g_string_append_c (json, ',');
  wpr_json_append_texts (json, "keywords", item->keywords);
  g_string_append_c (json, ',');
  wpr_json_append_texts (json, "profiles", item->profiles);
  g_string_append_c (json, '}');
}

static void
wpr_json_append_collector (GString *json, const WprPlanCollector *collector)
{
  g_string_append_c (json, '{');
  wpr_json_append_text (json, "name", collector->name);
  wpr_json_append_text (json, "kind", collector->kind == WPR_COLLECTOR_SYSTEM ? "system" : "event");
  wpr_json_append_number (json, "buffer_kb", collector->buffer_kb);
  wpr_json_append_number (json, "buffers_asked", collector->buffers_asked);
  wpr_json_append_number (json, "buffers_granted", collector->buffers_granted);
  wpr_json_append_number (json, "bytes_asked", collector->bytes_asked);
  wpr_json_append_number (json, "bytes_granted", collector->bytes_granted);
  wpr_json_append_number (json, "ring_bytes", collector->ring_bytes);
  g_string_append (json, "\"items\":[");
  for (guint i = 0; i < collector->items->len; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      wpr_json_append_item (json, g_ptr_array_index (collector->items, i));
    }
  g_string_append (json, "]}");
}

static void
wpr_json_append_missing (GString *json, const WprPlanMissing *missing)
{
  g_string_append_c (json, '{');
  wpr_json_append_text (json, "what", missing->what);
  wpr_json_append_text (json, "reason", reasons[missing->reason]);
  wpr_json_append_text (json, "text", missing->text);
  wpr_json_append_texts (json, "asked_by", missing->asked_by);
  g_string_append_c (json, '}');
}

static void
wpr_json_append_notes (GString *json, const GPtrArray *notes)
{
  g_string_append (json, "\"notes\":[");
  for (guint i = 0; i < notes->len; i++)
    {
      const WprPlanNote *note = g_ptr_array_index (notes, i);
      g_string_append (json, i > 0 ? ",{" : "{");
      wpr_json_append_text (json, "file", note->file);
      wpr_json_append_number (json, "line", note->line);
      wpr_json_append_number (json, "column", note->column);
      wpr_json_append_text (json, "path", note->path);
      g_string_append (json, "\"text\":");
      wpr_json_append_string (json, note->text);
      g_string_append_c (json, '}');
    }
  g_string_append (json, "],");
}

char *
wpr_plan_to_json (const WprPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);
  GString *json = g_string_new ("{\"version\":1,");
  wpr_json_append_text (json, "mode", plan->mode == WPR_MODE_FILE ? "file" : "memory");
  wpr_json_append_text (json, "level", plan->level == WPR_LEVEL_LIGHT ? "light" : "verbose");
  wpr_json_append_texts (json, "profiles", plan->profiles);
  g_string_append_c (json, ',');
  wpr_json_append_number (json, "kinds", plan->n_kinds);
  wpr_json_append_number (json, "memory_bytes", plan->memory_bytes);
  wpr_json_append_number (json, "duration_s", plan->duration_s);
  wpr_json_append_number (json, "max_bytes", plan->max_bytes);
  wpr_json_append_boolean (json, "sequential", plan->is_sequential);
  wpr_json_append_number (json, "stack_cache_kb", plan->stack_cache_kb);
  wpr_json_append_number (json, "part_bytes", plan->part_bytes);
  wpr_json_append_number (json, "flush_timer_s", plan->flush_timer_s);
  wpr_json_append_number (json, "flush_bytes", plan->flush_bytes);
  wpr_json_append_boolean (json, "strict", plan->strict);
  wpr_json_append_boolean (json, "needs_rights", plan->needs_rights);
  wpr_json_append_text (json, "rights", wpr_rights_name (plan->rights));
  wpr_json_append_boolean (json, "unlock", plan->unlock);
  wpr_json_append_text (json, "rights_text", plan->rights_text);
  wpr_json_append_text (json, "rights_help", plan->rights_help);
  wpr_json_append_number (json, "open_files", plan->open_files);
  wpr_json_append_text (json, "digest", plan->digest);
  g_string_append (json, "\"collectors\":[");
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      wpr_json_append_collector (json, g_ptr_array_index (plan->collectors, i));
    }
  g_string_append (json, "],\"missing\":[");
  for (guint i = 0; i < plan->missing->len; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      wpr_json_append_missing (json, g_ptr_array_index (plan->missing, i));
    }
  g_string_append (json, "],");
  wpr_json_append_notes (json, plan->notes);
  wpr_json_append_texts (json, "notices", plan->notices);
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}
