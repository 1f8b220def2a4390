/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One recording's state, for people. */
#include "config.h"
#include "status.h"

#include <glib/gi18n.h>

#include "say.h"

static const char *const states[] = {
  [WPR_STATE_IDLE] = N_ ("about to begin"), [WPR_STATE_PREPARING] = N_ ("preparing"),
  [WPR_STATE_RECORDING] = N_ ("recording"), [WPR_STATE_STOPPING] = N_ ("stopping"),
  [WPR_STATE_MERGING] = N_ ("saving"),      [WPR_STATE_SAVED] = N_ ("saved"),
  [WPR_STATE_CANCELLED] = N_ ("cancelled"), [WPR_STATE_FAILED] = N_ ("failed"),
};

static char *
joined (GVariant *description, const char *key, const char *separator)
{
  g_autofree const char **names = NULL;
  if (!g_variant_lookup (description, key, "^a&s", &names))
    return g_strdup ("");
  return g_strjoinv (separator, (char **)names);
}

static void
say_head (WprRecorder *recorder, const WprStats *stats, GVariant *description)
{
  g_autofree char *titles = joined (description, "titles", ", ");
  g_autofree char *span = wpr_format_span (stats->elapsed_ns);
  const char *user = "?", *program = "?", *rights = "";
  gint64 started = 0;
  guint32 pid = 0;
  g_variant_lookup (description, "user", "&s", &user);
  g_variant_lookup (description, "program", "&s", &program);
  g_variant_lookup (description, "rights", "&s", &rights);
  g_variant_lookup (description, "started", "x", &started);
  g_variant_lookup (description, "pid", "u", &pid);
  wpr_say (_ ("Recording “%s”: %s, %s, %s"), wpr_recorder_get_instance (recorder),
           _ (states[wpr_recorder_get_state (recorder)]),
           stats->mode == WPR_MODE_FILE ? _ ("to disk") : _ ("in memory"), span);
  wpr_say (_ ("  Profiles      %s"), titles);
  if (started != 0)
    {
      g_autofree char *when = wpr_format_when (started);
      wpr_say (_ ("  Begun         %s by %s with %s (process %u)"), when, user, program, pid);
    }
  if (g_str_equal (rights, "own"))
    wpr_say (_ ("  Sees          only programs of %s"), user);
  else if (g_str_equal (rights, "system"))
    wpr_say (_ ("  Sees          all programs, no data of the kernel's events"));
}

static void
say_figures (const WprStats *stats)
{
  g_autofree char *events = wpr_format_count (stats->events);
  g_autofree char *lost = wpr_format_count (stats->lost);
  wpr_say (_ ("  Events        %s, %.0f a second"), events, stats->events_per_s);
  if (stats->lost > 0)
    wpr_say (_ ("  Lost events   %s (0x%08x)"), lost, 0xc5586000);
  else
    wpr_say (_ ("  Lost events   0"));
  if (stats->mode == WPR_MODE_MEMORY && stats->holds_s >= 0)
    {
      g_autofree char *held = wpr_format_span ((gint64)(stats->holds_s * 1e9));
      wpr_say (_ ("  Buffers       %.0f %% full, hold the last %s"), stats->fill * 100, held);
    }
  else
    wpr_say (_ ("  Buffers       %.0f %% full"), stats->fill * 100);
  if (stats->mode == WPR_MODE_FILE)
    {
      g_autofree char *written = wpr_format_bytes (stats->bytes_written);
      g_autofree char *left = wpr_format_bytes (stats->disk_free_bytes);
      g_autofree char *full
          = stats->disk_full_s >= 0 ? wpr_format_span ((gint64)(stats->disk_full_s * 1e9)) : NULL;
      if (full != NULL)
        wpr_say (_ ("  On disk       %s, %s free, full in %s"), written, left, full);
      else
        wpr_say (_ ("  On disk       %s, %s free"), written, left);
    }
  wpr_say (_ ("  This recorder %.1f %% of one CPU"), stats->recorder_cpu * 100);
}

static void
say_losses (const WprCollectorStats *collector)
{
  for (guint i = 0; i < collector->n_losses; i++)
    {
      g_autofree char *when = wpr_format_span (collector->losses[i].second * 1000000000);
      g_autofree char *count = wpr_format_count (collector->losses[i].count);
      wpr_say (_ ("      %s lost on CPU %u in the second at %s"), count, collector->losses[i].cpu,
               when);
    }
}

static void
say_collector (const WprCollectorStats *c, gboolean details)
{
  wpr_say ("  %-28s %7u %6u/%-6u %8" G_GUINT64_FORMAT " %5.0f %% %12" G_GUINT64_FORMAT
           " %9.0f %9" G_GUINT64_FORMAT,
           c->name, c->buffer_kb, c->buffers_free, c->buffers_total, c->buffers_written,
           c->fill * 100, c->events, c->events_per_s, c->lost);
  say_losses (c);
  if (!details)
    return;
  wpr_say (_ ("      session %s; %u buffers asked for, %u granted"), c->session, c->buffers_asked,
           c->buffers_total);
  for (guint i = 0; i < c->n_cpus; i++)
    {
      const WprCpuStats *cpu = &c->cpus[i];
      g_autofree char *ring = wpr_format_bytes (cpu->ring_bytes);
      g_autofree char *events = wpr_format_count (cpu->events);
      g_autofree char *lost = wpr_format_count (cpu->lost);
      wpr_say (cpu->online ? _ ("      CPU %-4u %s, %.0f %% full, %s events, %s lost")
                           : _ ("      CPU %-4u %s, %.0f %% full, %s events, %s lost, offline"),
               cpu->cpu, ring, cpu->fill * 100, events, lost);
    }
}

static void
say_collectors (const WprStats *stats, GVariant *description, gboolean details)
{
  const char *plan = NULL;
  /* Columns as in WPR: size of a buffer, how many are free of how many, how many were written. */
  wpr_say ("  %-28s %7s %13s %8s %7s %12s %9s %9s", _ ("Collector"), _ ("KB"), _ ("free/total"),
           _ ("written"), _ ("fill"), _ ("events"), _ ("a second"), _ ("lost"));
  for (guint i = 0; i < stats->n_collectors; i++)
    say_collector (&stats->collectors[i], details);
  if (details && g_variant_lookup (description, "plan-text", "&s", &plan))
    g_print ("%s%s", plan, g_str_has_suffix (plan, "\n") ? "" : "\n");
}

void
wpr_status_say (WprRecorder *recorder, gboolean profiles, gboolean collectors, gboolean details)
{
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (recorder);
  g_autoptr (GVariant) description = wpr_recorder_describe (recorder);
  g_autoptr (GPtrArray) notices = wpr_recorder_get_notices (recorder);
  say_head (recorder, stats, description);
  if (profiles)
    {
      g_autofree char *ids = joined (description, "profiles", "\n                ");
      wpr_say ("                %s", ids);
    }
  say_figures (stats);
  if (collectors)
    say_collectors (stats, description, details);
  for (guint i = 0; i < notices->len; i++)
    wpr_say ("  ! %s", ((const WprNotice *)g_ptr_array_index (notices, i))->text);
}
