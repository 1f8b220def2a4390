/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last 60 seconds, and the scale of the axis: it grows at once and shrinks after ten seconds,
 * or every burst would make it jump twice. */
#include "config.h"
#include "history.h"

#include <math.h>

#define NS_PER_S 1e9
#define SHRINK_AFTER_S 10
/* The recorder counts events twice a second: readings in between repeat the last one, and a line
 * through repetitions would be a staircase. */
#define REPEAT_S 0.95

static void
clear_flag (gpointer flag)
{
  g_free (((WprFlag *)flag)->words);
}

WprHistory *
wpr_history_new (void)
{
  WprHistory *history = g_new0 (WprHistory, 1);
  history->holds_s = -1;
  history->scale = 1;
  history->moments = g_array_new (FALSE, FALSE, sizeof (WprMoment));
  history->flags = g_array_new (FALSE, FALSE, sizeof (WprFlag));
  g_array_set_clear_func (history->flags, clear_flag);
  history->gaps = g_array_new (FALSE, FALSE, sizeof (WprGap));
  return history;
}

void
wpr_history_free (WprHistory *history)
{
  g_array_unref (history->moments);
  g_array_unref (history->flags);
  g_array_unref (history->gaps);
  g_free (history);
}

guint64
wpr_scale_for (double peak)
{
  static const guint steps[] = { 1, 2, 3, 5 };
  /* the axis of any 64-bit rate ends below 10^19 */
  for (guint64 power = 1; power < G_GUINT64_CONSTANT (1000000000000000000); power *= 10)
    for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
      if (3.0 * steps[i] * power >= peak)
        return steps[i] * power;
  return G_GUINT64_CONSTANT (1000000000000000000);
}

/* Keeps one point older than the left edge: the line enters the picture from there. */
static void
drop_old (WprHistory *history)
{
  double edge = history->now - WPR_HISTORY_S;
  guint drop = 0;
  while (drop + 1 < history->moments->len
         && g_array_index (history->moments, WprMoment, drop + 1).second <= edge)
    drop++;
  if (drop > 0)
    g_array_remove_range (history->moments, 0, drop);
  while (history->flags->len > 0 && g_array_index (history->flags, WprFlag, 0).second < edge)
    g_array_remove_index (history->flags, 0);
}

static void
add_gap (WprHistory *history, gint64 second, guint64 lost)
{
  guint at = 0;
  while (at < history->gaps->len && g_array_index (history->gaps, WprGap, at).second < second)
    at++;
  if (at < history->gaps->len && g_array_index (history->gaps, WprGap, at).second == second)
    g_array_index (history->gaps, WprGap, at).lost += lost;
  else
    {
      WprGap gap = { second, lost };
      g_array_insert_val (history->gaps, at, gap);
    }
}

/* The recorder keeps the newest seconds with losses itself: read them anew each time. */
static void
read_gaps (WprHistory *history, const WprStats *stats)
{
  g_array_set_size (history->gaps, 0);
  for (guint i = 0; i < stats->n_collectors; i++)
    {
      const WprCollectorStats *collector = &stats->collectors[i];
      for (guint j = 0; j < collector->n_losses; j++)
        if (collector->losses[j].second >= (gint64)floor (history->now) - WPR_HISTORY_S)
          add_gap (history, collector->losses[j].second, collector->losses[j].count);
    }
}

/* A buffer that lost events was full, also where it was empty again when it was looked at. */
static void
fill_gaps (WprHistory *history)
{
  for (guint i = 0; i < history->moments->len; i++)
    {
      WprMoment *moment = &g_array_index (history->moments, WprMoment, i);
      for (guint j = 0; j < history->gaps->len; j++)
        if (g_array_index (history->gaps, WprGap, j).second == (gint64)floor (moment->second))
          moment->fill = 1;
    }
}

static void
follow_scale (WprHistory *history)
{
  guint64 wanted = wpr_scale_for (wpr_history_get_peak (history));
  if (wanted > history->scale || history->moments->len <= 1)
    history->scale = wanted;
  if (wanted == history->scale)
    history->shrink_at = history->now + SHRINK_AFTER_S;
  else if (history->now >= history->shrink_at)
    history->scale = wanted;
}

void
wpr_history_push (WprHistory *history, const WprStats *stats)
{
  WprMoment moment = { stats->elapsed_ns / NS_PER_S, stats->events_per_s, stats->fill, FALSE };
  history->now = moment.second;
  history->memory = stats->mode == WPR_MODE_MEMORY;
  history->holds_s = history->memory ? stats->holds_s : -1;
  guint n = history->moments->len;
  const WprMoment *last = n > 0 ? &g_array_index (history->moments, WprMoment, n - 1) : NULL;
  moment.counted
      = n == 0 || moment.rate != last->rate || moment.second - history->counted_at >= REPEAT_S;
  /* in memory mode the fill is not drawn */
  gboolean filled = !history->memory && last != NULL && last->fill != moment.fill;
  if ((moment.counted || filled) && (last == NULL || moment.second > last->second))
    {
      g_array_append_val (history->moments, moment);
      if (moment.counted)
        history->counted_at = moment.second;
    }
  read_gaps (history, stats);
  fill_gaps (history);
  drop_old (history);
  follow_scale (history);
}

void
wpr_history_flag (WprHistory *history, double second, const char *words)
{
  WprFlag flag = { second, g_strdup (words ? words : "") };
  g_array_append_val (history->flags, flag);
}

void
wpr_history_name_flag (WprHistory *history, const char *words)
{
  if (history->flags->len == 0)
    return;
  WprFlag *flag = &g_array_index (history->flags, WprFlag, history->flags->len - 1);
  g_free (flag->words);
  flag->words = g_strdup (words);
}

guint64
wpr_history_get_lost (const WprHistory *history)
{
  guint64 lost = 0;
  for (guint i = 0; i < history->gaps->len; i++)
    lost += g_array_index (history->gaps, WprGap, i).lost;
  return lost;
}

double
wpr_history_get_full (const WprHistory *history)
{
  return (double)history->scale * WPR_HISTORY_STEPS;
}

double
wpr_history_get_peak (const WprHistory *history)
{
  double peak = 0;
  for (guint i = 0; i < history->moments->len; i++)
    peak = MAX (peak, g_array_index (history->moments, WprMoment, i).rate);
  return peak;
}
