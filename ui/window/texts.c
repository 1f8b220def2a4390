/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences made of figures. */
#include "config.h"
#include "texts.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>
#include "format.h"

char *
wpr_text_subject (const WprSubject *subject)
{
  /* Translators: between the names of profiles: "First level triage, CPU usage" */
  g_autofree char *titles = g_strjoinv (_ (", "), subject->titles);
  const char *mode = subject->mode == WPR_MODE_FILE ? _ ("File") : _ ("Memory");
  const char *level = g_strcmp0 (subject->level, "light") == 0 ? C_ ("detail level", "light")
                                                               : C_ ("detail level", "verbose");
  const char *recorded = wpr_text_recorded (subject->rights, FALSE);
  /* Translators: profiles; logging mode; detail level: "CPU usage. Memory, verbose." */
  g_autofree char *what = g_strdup_printf (_ ("%s. %s, %s."), titles, mode, level);
  return g_strjoin (*recorded != '\0' ? " " : "", what, recorded, NULL);
}

char *
wpr_text_lock (WprModel *model)
{
  const char *words = wpr_model_get_lock_words (model);
  const char *rights = wpr_model_get_rights_text (model);
  gboolean own = wpr_model_get_rights (model) > WPR_RIGHTS_NONE;
  switch (wpr_model_get_lock (model))
    {
    case WPR_LOCK_FIXED:
      return g_strdup (rights != NULL ? rights : "");
    case WPR_LOCK_ASKING:
      return g_strdup (_ ("Waiting for an administrator’s approval…"));
    case WPR_LOCK_CLOSED:
      if (*words == '\0')
        return g_strdup (own ? _ ("Recording the whole system needs an administrator’s approval. "
                                  "Your own programs need none.")
                             : _ ("Recording needs an administrator’s approval."));
      /* Translators: a sentence that says why the whole system may not be recorded */
      return own ? g_strdup_printf (_ ("%s Your own programs can be recorded all the same."), words)
                 : g_strdup (words);
    default:
      return g_strdup ("");
    }
}

const char *
wpr_text_recorded (const char *rights, gboolean over)
{
  if (g_strcmp0 (rights, "own") == 0)
    return over ? _ ("Only your programs were recorded.") : _ ("Only your programs are recorded.");
  if (g_strcmp0 (rights, "system") == 0)
    return over ? _ ("All programs were recorded, without the kernel’s own events.")
                : _ ("All programs are recorded, without the kernel’s own events.");
  return "";
}

char *
wpr_text_origin (const WprSubject *subject)
{
  if (subject->ours)
    return NULL;
  g_autofree char *when = wpr_format_time_of_day (subject->started_realtime_ns);
  const char *program = *subject->program ? subject->program : "wpr";
  if (*subject->user == '\0')
    /* Translators: a program, a time of day */
    return g_strdup_printf (_ ("Started with %s at %s"), program, when);
  /* Translators: a program, a user, a time of day */
  return g_strdup_printf (_ ("Started with %s by %s at %s"), program, subject->user, when);
}

const char *
wpr_text_collector (const WprCollectorStats *collector)
{
  if (collector->kind == WPR_COLLECTOR_SYSTEM)
    return _ ("System collector");
  return collector->name;
}

char *
wpr_text_loss (guint64 lost, guint64 events)
{
  g_autofree char *part = wpr_format_count (lost);
  g_autofree char *all = wpr_format_count (events);
  return g_strdup_printf (ngettext ("%s of %s events was lost", "%s of %s events were lost",
                                    (gulong)MIN (lost, G_MAXUINT)),
                          part, all);
}

typedef struct
{
  const char *collector;
  gint64 first, last;
  guint n_collectors, n_cpus, cpu;
} LossSpan;

static void
add_losses (LossSpan *span, const WprCollectorStats *collector)
{
  if (collector->n_losses == 0)
    return;
  span->n_collectors++;
  span->collector = wpr_text_collector (collector);
  for (guint i = 0; i < collector->n_losses; i++)
    {
      const WprLossSecond *loss = &collector->losses[i];
      if (span->n_cpus == 0 || loss->cpu != span->cpu)
        span->n_cpus++; /* one, or several: more need not be known */
      span->cpu = loss->cpu;
      span->first = MIN (span->first, loss->second);
      span->last = MAX (span->last, loss->second + 1);
    }
}

char *
wpr_text_loss_where (const WprStats *stats)
{
  LossSpan span = { .first = G_MAXINT64 };
  for (guint i = 0; i < stats->n_collectors; i++)
    add_losses (&span, &stats->collectors[i]);
  if (span.n_cpus == 0)
    return NULL;
  g_autofree char *from = wpr_format_minutes (span.first);
  g_autofree char *to = wpr_format_minutes (span.last);
  if (span.n_collectors > 1)
    return g_strdup_printf (_ ("Several collectors, between %s and %s"), from, to);
  if (span.n_cpus > 1)
    /* Translators: a collector, minutes and seconds since the start */
    return g_strdup_printf (_ ("%s, several CPUs, between %s and %s"), span.collector, from, to);
  /* Translators: a collector, the number of a CPU, minutes and seconds since the start */
  return g_strdup_printf (_ ("%s, CPU %u, between %s and %s"), span.collector, span.cpu, from, to);
}

gboolean
wpr_text_loss_is_placed (const WprStats *stats)
{
  guint64 placed = 0;
  for (guint i = 0; i < stats->n_collectors; i++)
    for (guint j = 0; j < stats->collectors[i].n_losses; j++)
      placed += stats->collectors[i].losses[j].count;
  return placed >= stats->lost;
}

char *
wpr_text_folder (const char *folder)
{
  const char *home = g_get_home_dir ();
  gsize length = strlen (home);
  if (length > 1 && strncmp (folder, home, length) == 0 && folder[length] == '/')
    return g_strdup (folder + length + 1);
  return g_strdup (folder);
}

char *
wpr_text_missing (const WprPlan *plan, guint index)
{
  const WprPlanMissing *first = plan->missing->pdata[index];
  GString *names = g_string_new (first->what);
  for (guint i = index + 1; i < plan->missing->len; i++)
    {
      const WprPlanMissing *other = plan->missing->pdata[i];
      if (g_str_equal (other->text, first->text))
        g_string_append_printf (names, _ (", %s"), other->what);
    }
  return g_string_free (names, FALSE);
}

/* Nobody can tell seconds of an hour: two figures are enough. */
char *
wpr_text_about (double span_s)
{
  static const struct
  {
    double above_s, step_s;
  } steps[] = { { 36000, 3600 }, { 3600, 600 }, { 600, 60 }, { 60, 10 }, { 10, 5 }, { 0, 1 } };
  guint i = 0;
  while (span_s < steps[i].above_s)
    i++;
  return wpr_format_span (MAX (round (span_s / steps[i].step_s) * steps[i].step_s, 1));
}

char *
wpr_text_about_bytes (double bytes)
{
  double step = bytes >= 100 ? pow (10, floor (log10 (bytes)) - 1) : 1;
  return wpr_format_bytes ((guint64)(round (bytes / step) * step));
}

char *
wpr_text_share (guint64 part, guint64 whole)
{
  double share = whole > 0 ? (double)part / whole : 0;
  if (part > 0 && share < .005)
    return g_strdup (_ ("less than 1%"));
  return wpr_format_percent (share, 0);
}

char *
wpr_text_forecast (const WprPlan *plan, const WprEstimate *estimate)
{
  if (plan->needs_rights)
    return g_strdup (_ ("Needs an administrator’s permission"));
  if (wpr_details_is_empty (plan))
    return g_strdup (_ ("Nothing of this can be recorded here"));
  gboolean known = estimate != NULL && estimate->known && estimate->bytes_per_s > 0;
  if (plan->mode == WPR_MODE_FILE)
    {
      if (!known)
        return g_strdup (_ ("How fast it grows is not known yet"));
      g_autofree char *rate = wpr_text_about_bytes (estimate->bytes_per_s * 60);
      g_autofree char *room = wpr_text_about (estimate->room_s);
      /* Translators: a size, a span of time */
      return g_strdup_printf (_ ("Will write about %s a minute, room for %s"), rate, room);
    }
  if (!known)
    return g_strdup (_ ("How far back is not known yet"));
  g_autofree char *span = wpr_text_about (estimate->holds_s);
  /* Translators: %s is a span of time */
  return g_strdup_printf (_ ("Will keep about the last %s"), span);
}

static void
append_gap (GString *text)
{
  if (text->len > 0)
    g_string_append_c (text, ' ');
}

char *
wpr_text_graph (const WprStats *stats, const WprHistory *history)
{
  GString *text = g_string_new (NULL);
  g_autofree char *rate = wpr_format_count ((guint64)stats->events_per_s);
  g_string_append_printf (text, _ ("Now %s events a second."), rate);
  if (stats->mode == WPR_MODE_MEMORY && stats->holds_s >= 0)
    {
      g_autofree char *holds = wpr_format_minutes (stats->holds_s);
      append_gap (text);
      g_string_append_printf (text, _ ("Memory holds the last %s."), holds);
    }
  if (stats->mode == WPR_MODE_FILE)
    {
      g_autofree char *fill = wpr_format_percent (stats->fill, 0);
      append_gap (text);
      g_string_append_printf (text, _ ("The fullest buffer is %s full."), fill);
    }
  append_gap (text);
  if (stats->lost > 0)
    {
      g_autofree char *loss = wpr_text_loss (stats->lost, stats->events);
      g_string_append_printf (text, "%s.", loss);
    }
  else
    g_string_append (text, _ ("No events were lost."));
  if (history->flags->len > 0)
    {
      append_gap (text);
      g_string_append_printf (text, ngettext ("%u mark.", "%u marks.", history->flags->len),
                              history->flags->len);
    }
  return g_string_free (text, FALSE);
}
