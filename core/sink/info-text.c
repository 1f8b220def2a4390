/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A WprTraceInfo for people and for programs. */
#include "config.h"
#include "sink/info-private.h"

#include <glib/gi18n-lib.h>

/* ---- for people ---- */

static char *
local_time (gint64 realtime_ns)
{
  g_autoptr (GDateTime) time = NULL;

  if (realtime_ns <= 0)
    return g_strdup (_ ("not known"));
  time = g_date_time_new_from_unix_local (realtime_ns / G_GINT64_CONSTANT (1000000000));
  return time != NULL ? g_date_time_format (time, "%F %T %z") : g_strdup (_ ("not known"));
}

/* Columns of a terminal: a Chinese character takes two. */
static int
columns (const char *text)
{
  int n = 0;

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p))
    n += g_unichar_iswide (g_utf8_get_char (p)) ? 2 : 1;
  return n;
}

static void G_GNUC_PRINTF (3, 4)
    add_line (GString *text, const char *label, const char *format, ...)
{
  va_list args;

  g_string_append (text, label);
  g_string_append_printf (text, "%*s", MAX (18 - columns (label), 1), "");
  va_start (args, format);
  g_string_append_vprintf (text, format, args);
  va_end (args);
  g_string_append_c (text, '\n');
}

static void
add_list (GString *text, const char *title, const GPtrArray *list)
{
  if (list->len == 0)
    return;
  g_string_append_printf (text, "\n%s\n", title);
  for (guint i = 0; i < list->len; i++)
    {
      g_auto (GStrv) lines = g_strsplit (g_ptr_array_index (list, i), "\n", -1);

      for (guint k = 0; lines[k] != NULL; k++)
        g_string_append_printf (text, k == 0 ? "  %s\n" : "      %s\n", lines[k]);
    }
}

/* What was not looked at at all is no loss, and must be said all the same. */
static void
add_rights (GString *text, const WprTraceInfo *info)
{
  if (g_strcmp0 (info->rights, "own") == 0)
    add_line (text, _ ("Rights"), _ ("Only programs of %s were recorded, nothing of others"),
              info->user != NULL ? info->user : "?");
  else if (g_strcmp0 (info->rights, "system") == 0)
    add_line (text, _ ("Rights"),
              _ ("All programs were recorded, but no events that carry data of the kernel"));
}

static void
add_recording (GString *text, const WprTraceInfo *info)
{
  if (info->note != NULL)
    add_line (text, _ ("What was wrong"), "%s", info->note);
  for (guint i = 0; i < info->profiles->len; i++)
    add_line (text, i == 0 ? _ ("Profiles") : "", "%s",
              (const char *)g_ptr_array_index (info->profiles, i));
  if (info->host != NULL)
    add_line (text, _ ("Host"), "%s", info->host);
  if (info->kernel != NULL)
    add_line (text, _ ("Kernel"), "%s", info->kernel);
  if (info->tool_version != NULL)
    add_line (text, _ ("Recorded by"), "Performance Recorder %s", info->tool_version);
  add_rights (text, info);
}

/* One of several files of a recording, and where the others are. */
static void
add_part (GString *text, const WprTraceInfo *info)
{
  if (info->n_parts < 2)
    return;
  /* TRANSLATORS: "2 of 5": the second file of a recording that is five files */
  add_line (text, _ ("Part"), _ ("%u of %u"), info->part, info->n_parts);
  for (guint i = 0; i < info->parts->len; i++)
    add_line (text, i == 0 ? _ ("All parts") : "", "%s",
              (const char *)g_ptr_array_index (info->parts, i));
}

static void
add_order (GString *text, const WprTraceInfo *info)
{
  if (info->furthest_back_ns <= 0)
    return;
  if (info->n_clamped == 0)
    add_line (text, _ ("Late records"), _ ("by up to %.3f ms; all were put in order"),
              (double)info->furthest_back_ns / 1e6);
  else
    add_line (text, _ ("Late records"),
              _ ("by up to %.3f ms; put in order but for %llu, which came later than that can be "
                 "done and got the time of the one before"),
              (double)info->furthest_back_ns / 1e6, (unsigned long long)info->n_clamped);
}

static char *
verdict (const WprTraceInfo *info)
{
  if (info->end_realtime_ns == 0)
    return g_strdup (
        _ ("Not finished: whoever wrote this file stopped in the middle of it. What is "
           "listed can be read; “wpr -recover FILE.etl” makes a finished file of it."));
  if (info->faults->len > 0)
    return g_strdup (
        _ ("Damaged: see the faults below. Where only the end is missing, “wpr -recover "
           "FILE.etl” makes a finished file of what is there."));
  if (info->was_completed)
    return g_strdup_printf (
        _ ("Completed later: whoever wrote this file stopped in the middle of it. Every buffer and "
           "event that is there was verified; what came after is missing, %llu bytes of it were "
           "there in part."),
        (unsigned long long)info->left_out_bytes);
  if (info->events_lost > 0 || info->buffers_lost > 0)
    return g_strdup (_ ("Events were lost. Record again with more or larger buffers."));
  if (info->n_cpu_gaps > 0)
    return g_strdup (
        _ ("Sound: every buffer and event was verified. But a processor was switched off while "
           "recording, or the right to record was withdrawn, and nothing of it was recorded "
           "meanwhile: see CpuGap below."));
  if (info->unexplained > 0)
    {
      g_autofree char *count = g_strdup_printf ("%" G_GUINT64_FORMAT, info->unexplained);
      /* TRANSLATORS: %s is a number of events; "Tally" is a word of the list further below. */
      return g_strdup_printf (_ ("Nothing was lost on the way, and every buffer and event was "
                                 "verified. But this kernel counted %s more events than it handed "
                                 "over; “Tally” below says which."),
                              count);
    }
  if (info->replaced_bytes > 0)
    return g_strdup (
        _ ("Complete: nothing was lost, every buffer and event was verified. Older events made "
           "room for newer ones: CompleteFrom, below, says from when on all are there."));
  return g_strdup (_ ("Complete: nothing was lost, every buffer and event was verified."));
}

static void
add_names (GString *text, const WprTraceInfo *info)
{
  if (info->n_addresses == 0)
    return;
  /* Each number as text: translators need not know its type. */
  g_autofree char *functions = g_strdup_printf ("%" G_GUINT64_FORMAT, info->n_functions);
  g_autofree char *named = g_strdup_printf ("%" G_GUINT64_FORMAT, info->n_addresses_named);
  g_autofree char *unnamed = g_strdup_printf (
      "%" G_GUINT64_FORMAT, info->n_addresses - MIN (info->n_addresses_named, info->n_addresses));
  add_line (text, _ ("Names"),
            _ ("%s functions; %s addresses have a name, %s have none (%.1f %% of the frames have)"),
            functions, named, unnamed,
            info->n_frames > 0 ? 100.0 * (double)info->n_frames_named / (double)info->n_frames
                               : 0.0);
}

char *
wpr_trace_info_to_text (const WprTraceInfo *info)
{
  GString *text = g_string_new (NULL);
  g_autofree char *start = local_time (info->start_realtime_ns);
  g_autofree char *end = local_time (info->end_realtime_ns);
  g_autofree char *size
      = g_format_size_full (info->size_bytes, G_FORMAT_SIZE_LONG_FORMAT | G_FORMAT_SIZE_IEC_UNITS);

  add_recording (text, info);
  add_part (text, info);
  add_line (text, _ ("Started"), "%s", start);
  add_line (text, _ ("Ended"), "%s", end);
  add_line (text, _ ("Duration"), _ ("%.3f s"), (double)info->duration_ns / 1e9);
  add_line (text, _ ("Size"), "%s", size);
  add_line (text, _ ("Buffers"),
            info->compressed ? _ ("%u of %u bytes, compressed") : _ ("%u of %u bytes"),
            info->n_buffers, info->buffer_bytes);
  add_line (text, _ ("Processors"), "%u", info->n_cpus);
  add_line (text, _ ("Logger"), "%s", info->logger_name != NULL ? info->logger_name : "");
  add_line (text, _ ("Events"), "%" G_GUINT64_FORMAT, info->n_events);
  add_order (text, info);
  add_line (text, _ ("Events lost"), "%u", info->events_lost);
  add_line (text, _ ("Buffers lost"), "%u", info->buffers_lost);
  add_names (text, info);
  g_autofree char *judged = verdict (info);
  add_line (text, _ ("Verdict"), "%s", judged);
  add_list (text, _ ("Faults"), info->faults);

  g_string_append_printf (text, "\n%s\n", _ ("Events by kind"));
  for (guint i = 0; i < info->counts->len; i++)
    {
      const WprEventCount *row = g_ptr_array_index (info->counts, i);

      g_string_append_printf (text, "  %12" G_GUINT64_FORMAT "  %s/%s\n", row->count, row->provider,
                              row->name);
    }
  add_list (text, _ ("What the recorder says"), info->facts);
  return g_string_free (text, FALSE);
}

/* ---- for programs ---- */

static void
put_json (GString *json, const char *text)
{
  if (text == NULL)
    {
      g_string_append (json, "null");
      return;
    }
  g_string_append_c (json, '"');
  for (const char *p = text; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      g_string_append_printf (json, "\\%c", *p);
    else if ((guint8)*p < 0x20 || *p == 0x7f)
      g_string_append_printf (json, "\\u%04x", (guint8)*p);
    else
      g_string_append_c (json, *p);
  g_string_append_c (json, '"');
}

static void
put_json_text (GString *json, const char *key, const char *text)
{
  g_string_append_printf (json, ",\"%s\":", key);
  put_json (json, text);
}

static void
put_json_list (GString *json, const char *key, const GPtrArray *list)
{
  g_string_append_printf (json, ",\"%s\":[", key);
  for (guint i = 0; i < list->len; i++)
    {
      if (i > 0)
        g_string_append_c (json, ',');
      put_json (json, g_ptr_array_index (list, i));
    }
  g_string_append_c (json, ']');
}

static void
put_json_counts (GString *json, const WprTraceInfo *info)
{
  g_string_append (json, ",\"counts\":[");
  for (guint i = 0; i < info->counts->len; i++)
    {
      const WprEventCount *row = g_ptr_array_index (info->counts, i);

      g_string_append (json, i > 0 ? ",{\"provider\":" : "{\"provider\":");
      put_json (json, row->provider);
      put_json_text (json, "name", row->name);
      g_string_append_printf (json, ",\"count\":%" G_GUINT64_FORMAT "}", row->count);
    }
  g_string_append_c (json, ']');
}

char *
wpr_trace_info_to_json (const WprTraceInfo *info)
{
  GString *json = g_string_new ("{\"version\":1");

  g_string_append_printf (
      json,
      ",\"size_bytes\":%" G_GUINT64_FORMAT
      ",\"buffer_bytes\":%u,\"buffers\":%u,\"cpus\":%u,\"pointer_size\":%u"
      ",\"events\":%" G_GUINT64_FORMAT ",\"events_lost\":%u,\"buffers_lost\":%u"
      ",\"unexplained\":%" G_GUINT64_FORMAT ",\"start_realtime_ns\":%" G_GINT64_FORMAT
      ",\"end_realtime_ns\":%" G_GINT64_FORMAT ",\"duration_ns\":%" G_GINT64_FORMAT
      ",\"perf_frequency\":%" G_GINT64_FORMAT ",\"complete\":%s"
      ",\"replaced_bytes\":%" G_GUINT64_FORMAT ",\"cpu_gaps\":%u"
      ",\"furthest_back_ns\":%" G_GINT64_FORMAT ",\"clamped\":%" G_GUINT64_FORMAT
      ",\"part\":%u,\"n_parts\":%u,\"functions\":%" G_GUINT64_FORMAT
      ",\"addresses\":%" G_GUINT64_FORMAT ",\"addresses_named\":%" G_GUINT64_FORMAT
      ",\"frames\":%" G_GUINT64_FORMAT ",\"frames_named\":%" G_GUINT64_FORMAT
      ",\"compressed\":%s,\"was_completed\":%s",
      info->size_bytes, info->buffer_bytes, info->n_buffers, info->n_cpus, info->pointer_size,
      info->n_events, info->events_lost, info->buffers_lost, info->unexplained,
      info->start_realtime_ns, info->end_realtime_ns, info->duration_ns, info->perf_frequency,
      info->complete ? "true" : "false", info->replaced_bytes, info->n_cpu_gaps,
      info->furthest_back_ns, info->n_clamped, info->part, info->n_parts, info->n_functions,
      info->n_addresses, info->n_addresses_named, info->n_frames, info->n_frames_named,
      info->compressed ? "true" : "false", info->was_completed ? "true" : "false");
  put_json_text (json, "logger_name", info->logger_name);
  put_json_text (json, "host", info->host);
  put_json_text (json, "kernel", info->kernel);
  put_json_text (json, "tool_version", info->tool_version);
  put_json_text (json, "user", info->user);
  put_json_text (json, "rights", info->rights);
  put_json_text (json, "note", info->note);
  put_json_list (json, "profiles", info->profiles);
  put_json_list (json, "parts", info->parts);
  put_json_list (json, "faults", info->faults);
  put_json_counts (json, info);
  put_json_list (json, "facts", info->facts);
  g_string_append_c (json, '}');
  return g_string_free (json, FALSE);
}
