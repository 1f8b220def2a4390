/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recording's state, for programs: version 1 of the schema in wpr(1). */
#include "config.h"
#include "status.h"

/* null where nobody knows. */
static void
add_seconds (WprJson *out, const char *key, double seconds)
{
  if (seconds >= 0)
    wpr_json_double (out, key, seconds);
  else
    wpr_json_raw (out, key, "null");
}

static void
add_cpu (WprJson *out, const WprCpuStats *cpu)
{
  wpr_json_open (out, NULL, '{');
  wpr_json_unsigned (out, "cpu", cpu->cpu);
  wpr_json_boolean (out, "online", cpu->online);
  wpr_json_unsigned (out, "ring_bytes", cpu->ring_bytes);
  wpr_json_unsigned (out, "used_bytes", cpu->used_bytes);
  wpr_json_double (out, "fill", cpu->fill);
  wpr_json_unsigned (out, "bytes", cpu->bytes);
  wpr_json_unsigned (out, "events", cpu->events);
  wpr_json_unsigned (out, "lost", cpu->lost);
  wpr_json_unsigned (out, "overwritten", cpu->overwritten_bytes);
  add_seconds (out, "holds_s", cpu->holds_s);
  wpr_json_close (out, '}');
}

static void
add_losses (WprJson *out, const WprCollectorStats *collector)
{
  wpr_json_open (out, "losses", '[');
  for (guint i = 0; i < collector->n_losses; i++)
    {
      wpr_json_open (out, NULL, '{');
      wpr_json_unsigned (out, "cpu", collector->losses[i].cpu);
      wpr_json_integer (out, "second", collector->losses[i].second);
      wpr_json_unsigned (out, "count", collector->losses[i].count);
      wpr_json_close (out, '}');
    }
  wpr_json_close (out, ']');
}

static void
add_collector (WprJson *out, const WprCollectorStats *collector)
{
  guint64 bytes = 0;
  for (guint i = 0; i < collector->n_cpus; i++)
    bytes += collector->cpus[i].bytes;
  wpr_json_open (out, NULL, '{');
  wpr_json_string (out, "name", collector->name);
  wpr_json_string (out, "session", collector->session);
  wpr_json_string (out, "kind", collector->kind == WPR_COLLECTOR_SYSTEM ? "system" : "event");
  wpr_json_unsigned (out, "buffer_kb", collector->buffer_kb);
  wpr_json_unsigned (out, "buffers_asked", collector->buffers_asked);
  wpr_json_unsigned (out, "buffers_granted", collector->buffers_total);
  wpr_json_unsigned (out, "buffers_free", collector->buffers_free);
  wpr_json_unsigned (out, "buffers_written", collector->buffers_written);
  wpr_json_double (out, "fill", collector->fill);
  wpr_json_unsigned (out, "worst_cpu", collector->worst_cpu);
  add_seconds (out, "holds_s", collector->holds_s);
  wpr_json_unsigned (out, "events", collector->events);
  wpr_json_double (out, "events_per_s", collector->events_per_s);
  wpr_json_unsigned (out, "lost", collector->lost);
  wpr_json_unsigned (out, "overwritten", collector->overwritten_bytes);
  wpr_json_unsigned (out, "bytes", bytes);
  wpr_json_unsigned (out, "bytes_written", collector->bytes_written);
  add_losses (out, collector);
  wpr_json_open (out, "cpus", '[');
  for (guint i = 0; i < collector->n_cpus; i++)
    add_cpu (out, &collector->cpus[i]);
  wpr_json_close (out, ']');
  wpr_json_close (out, '}');
}

static const char *const severities[] = { "info", "warning", "error" };

static void
add_notices (WprJson *out, WprRecorder *recorder)
{
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (recorder);
  wpr_json_open (out, "notices", '[');
  for (guint i = 0; i < notices->len; i++)
    {
      const WprNotice *notice = g_ptr_array_index (notices, i);
      wpr_json_open (out, NULL, '{');
      wpr_json_string (out, "severity", severities[MIN (notice->severity, WPR_NOTICE_ERROR)]);
      wpr_json_string (out, "id", notice->id);
      wpr_json_integer (out, "realtime_ns", notice->realtime_ns);
      wpr_json_string (out, "text", notice->text);
      wpr_json_close (out, '}');
    }
  wpr_json_close (out, ']');
}

static void
add_description (WprJson *out, GVariant *description)
{
  static const char *const texts[] = { "level", "rights", "user", "program", "digest" };
  g_autofree const char **profiles = NULL;
  gint64 started = 0;
  guint32 pid = 0;
  g_variant_lookup (description, "pid", "u", &pid);
  g_variant_lookup (description, "started", "x", &started);
  g_variant_lookup (description, "profiles", "^a&s", &profiles);
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_utc (started / 1000000000);
  g_autofree char *date = started != 0 ? g_date_time_format (when, "%FT%TZ") : NULL;
  wpr_json_unsigned (out, "pid", pid);
  wpr_json_string (out, "started", date);
  wpr_json_integer (out, "started_ns", started);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      const char *text = NULL;
      g_variant_lookup (description, texts[i], "&s", &text);
      wpr_json_string (out, texts[i], text);
    }
  wpr_json_strings (out, "profiles", profiles,
                    profiles != NULL ? g_strv_length ((char **)profiles) : 0);
}

void
wpr_status_to_json (WprRecorder *recorder, WprJson *out)
{
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (recorder);
  g_autoptr (GVariant) description = wpr_recorder_describe (recorder);
  wpr_json_open (out, NULL, '{');
  wpr_json_string (out, "instance", wpr_recorder_get_instance (recorder));
  wpr_json_string (out, "state", wpr_state_name (wpr_recorder_get_state (recorder)));
  wpr_json_string (out, "mode", stats->mode == WPR_MODE_FILE ? "file" : "memory");
  add_description (out, description);
  wpr_json_integer (out, "elapsed_ns", stats->elapsed_ns);
  wpr_json_unsigned (out, "events", stats->events);
  wpr_json_double (out, "events_per_s", stats->events_per_s);
  wpr_json_unsigned (out, "lost", stats->lost);
  wpr_json_unsigned (out, "overwritten", stats->overwritten_bytes);
  wpr_json_unsigned (out, "bytes_written", stats->bytes_written);
  wpr_json_unsigned (out, "save_bytes", stats->save_bytes);
  wpr_json_double (out, "fill", stats->fill);
  add_seconds (out, "holds_s", stats->holds_s);
  wpr_json_unsigned (out, "disk_free_bytes", stats->disk_free_bytes);
  add_seconds (out, "disk_full_s", stats->disk_full_s);
  wpr_json_unsigned (out, "marks", stats->n_marks);
  wpr_json_double (out, "recorder_cpu", stats->recorder_cpu);
  wpr_json_integer (out, "recorder_cpu_ns", stats->recorder_cpu_ns);
  wpr_json_unsigned (out, "recorder_wakeups", stats->recorder_wakeups);
  wpr_json_open (out, "collectors", '[');
  for (guint i = 0; i < stats->n_collectors; i++)
    add_collector (out, &stats->collectors[i]);
  wpr_json_close (out, ']');
  add_notices (out, recorder);
  wpr_json_close (out, '}');
}
