/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The figures: sums, rates, what a ring holds. One immutable snapshot a tick. */
#include "config.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "recorder/figures.h"

/* A rate is over the last second: counts come twice a second. */
#define RATE_POINTS 3

typedef struct
{
  guint n;
  struct
  {
    WprTime when;
    guint64 value;
  } points[RATE_POINTS]; /* oldest first */
} WprRate;

typedef struct
{
  WprRate events;
  double events_per_s;
  GArray *losses; /* WprLossSecond: the newest WPR_STATS_LOSSES */
} WprCollectorFigures;

struct _WprFigures
{
  const WprSession *session;
  WprCollectorFigures *collectors;
  guint n_collectors;
  GArray *cpus; /* WprCpuStats, one run a collector */
  WprRate bytes, cost;
  double bytes_per_s, recorder_cpu;
  gint64 cpu_at_start_ns;
  guint64 wakeups_at_start;
};

static gint64
wpr_cost_cpu (void)
{
  struct timespec spent;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &spent);
  return spent.tv_sec * WPR_NS_PER_SECOND + spent.tv_nsec;
}

static guint64
wpr_cost_wakeups (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return (guint64)usage.ru_nvcsw;
}

WprFigures *
wpr_figures_new (const WprSession *session)
{
  WprFigures *figures = g_new0 (WprFigures, 1);
  figures->session = session;
  figures->n_collectors = session->manifest->collectors->len;
  figures->collectors = g_new0 (WprCollectorFigures, figures->n_collectors + 1);
  for (guint i = 0; i < figures->n_collectors; i++)
    figures->collectors[i].losses = g_array_new (FALSE, FALSE, sizeof (WprLossSecond));
  figures->cpus = g_array_new (FALSE, TRUE, sizeof (WprCpuStats));
  figures->cpu_at_start_ns = wpr_cost_cpu ();
  figures->wakeups_at_start = wpr_cost_wakeups ();
  return figures;
}

void
wpr_figures_free (WprFigures *figures)
{
  if (!figures)
    return;
  for (guint i = 0; i < figures->n_collectors; i++)
    g_array_unref (figures->collectors[i].losses);
  g_free (figures->collectors);
  g_array_unref (figures->cpus);
  g_free (figures);
}

void
wpr_figures_cost (WprFigures *figures, gint64 *cpu_ns, guint64 *wakeups)
{
  *cpu_ns = wpr_cost_cpu () - figures->cpu_at_start_ns;
  *wakeups = wpr_cost_wakeups () - figures->wakeups_at_start;
}

/* Per second since the oldest point; the newest is added. */
static double
wpr_rate_add (WprRate *rate, WprTime when, guint64 value)
{
  if (rate->n == RATE_POINTS)
    {
      memmove (rate->points, rate->points + 1, (RATE_POINTS - 1) * sizeof rate->points[0]);
      rate->n--;
    }
  rate->points[rate->n].when = when;
  rate->points[rate->n++].value = value;
  WprTime span = when - rate->points[0].when;
  if (span <= 0 || value < rate->points[0].value)
    return 0;
  return (double)(value - rate->points[0].value) * (double)WPR_NS_PER_SECOND / (double)span;
}

static void
wpr_figures_add_losses (WprFigures *figures, const WprMoment *moment, const GArray *losses)
{
  gint64 second = (moment->now - moment->started - 1) / WPR_NS_PER_SECOND;
  for (guint i = 0; i < losses->len; i++)
    {
      const WprSourceLoss *loss = &g_array_index (losses, WprSourceLoss, i);
      if (loss->collector >= figures->n_collectors)
        continue;
      GArray *kept = figures->collectors[loss->collector].losses;
      WprLossSecond *last
          = kept->len > 0 ? &g_array_index (kept, WprLossSecond, kept->len - 1) : NULL;
      if (last && last->cpu == loss->cpu && last->second == second)
        {
          last->count += loss->count;
          continue;
        }
      WprLossSecond lost = { loss->cpu, second, loss->count };
      if (kept->len == WPR_STATS_LOSSES)
        g_array_remove_index (kept, 0);
      g_array_append_val (kept, lost);
    }
}

/* ---- one CPU ---- */

static WprCpuStats
wpr_figures_cpu (const WprFigures *figures, const WprMoment *moment, const WprSourceFigures *f)
{
  WprCpuStats cpu = {
    .cpu = f->cpu,
    .online = f->online,
    .ring_bytes = f->ring_bytes,
    .used_bytes = f->used_bytes,
    .fill = f->ring_bytes ? (double)f->used_bytes / (double)f->ring_bytes : 0,
    .holds_s = -1,
    .bytes = f->bytes,
    .events = f->events,
    .lost = f->lost,
    .overwritten_bytes = f->overwritten_bytes,
  };
  double elapsed = (double)(moment->now - moment->started) / (double)WPR_NS_PER_SECOND;
  if (!figures->session->backward)
    return cpu;
  if (f->overwritten_bytes > 0 && f->oldest > 0)
    cpu.holds_s = (double)(moment->now - f->oldest) / (double)WPR_NS_PER_SECOND;
  else if (f->bytes > 0)
    cpu.holds_s = (double)f->ring_bytes * elapsed / (double)f->bytes;
  return cpu;
}

/* ---- one collector ---- */

static void
wpr_figures_sum_cpu (WprCollectorStats *c, const WprCpuStats *cpu, const WprSourceFigures *f,
                     gboolean backward, guint64 *unused)
{
  c->events += cpu->events;
  c->lost += cpu->lost;
  c->overwritten_bytes += cpu->overwritten_bytes;
  c->bytes_written += f->drained_bytes;
  *unused += cpu->ring_bytes - MIN (cpu->used_bytes, cpu->ring_bytes);
  if (cpu->fill > c->fill || c->n_cpus == 0)
    {
      c->fill = cpu->fill;
      c->worst_cpu = cpu->cpu;
    }
  if (backward && cpu->holds_s >= 0 && (c->holds_s < 0 || cpu->holds_s < c->holds_s))
    c->holds_s = cpu->holds_s;
  c->n_cpus++;
}

static void
wpr_figures_collector (WprFigures *figures, const WprMoment *moment, guint index, gboolean counted,
                       const GArray *values, WprCollectorStats *c)
{
  const WprStoreCollector *stored
      = &g_array_index (figures->session->manifest->collectors, WprStoreCollector, index);
  gboolean backward = figures->session->backward;
  guint64 unused = 0, ever = 0, ring_bytes = 0;
  *c = (WprCollectorStats){
    .name = stored->name,
    .session = stored->session,
    .kind = (WprCollectorKind)stored->kind,
    .buffer_kb = stored->buffer_kb,
    .buffers_asked = stored->buffers_asked,
    .holds_s = -1,
  };
  for (guint i = 0; i < values->len; i++)
    {
      const WprSourceFigures *f = &g_array_index (values, WprSourceFigures, i);
      if (f->collector != index)
        continue;
      WprCpuStats cpu = wpr_figures_cpu (figures, moment, f);
      g_array_append_val (figures->cpus, cpu);
      wpr_figures_sum_cpu (c, &cpu, f, backward, &unused);
      ever += backward ? cpu.bytes : f->drained_bytes;
      ring_bytes += cpu.ring_bytes;
    }
  guint64 buffer = MAX (stored->buffer_kb, 1) * G_GUINT64_CONSTANT (1024);
  c->buffers_total = (guint)(ring_bytes / buffer);
  c->buffers_free = (guint)(unused / buffer);
  c->buffers_written = (ever + buffer - 1) / buffer;
  WprCollectorFigures *own = &figures->collectors[index];
  if (counted)
    own->events_per_s = wpr_rate_add (&own->events, moment->now, c->events);
  c->events_per_s = own->events_per_s;
  c->losses = (const WprLossSecond *)(gconstpointer)own->losses->data;
  c->n_losses = own->losses->len;
}

/* ---- the whole ---- */

static void
wpr_figures_sum (WprStats *s, const WprCollectorStats *c, guint index)
{
  s->events += c->events;
  s->events_per_s += c->events_per_s;
  s->lost += c->lost;
  s->overwritten_bytes += c->overwritten_bytes;
  if (c->n_cpus > 0 && c->fill > s->fill)
    {
      s->fill = c->fill;
      s->worst_collector = index;
      s->worst_cpu = c->worst_cpu;
    }
}

/* The span that is complete on all CPUs: since the start, or since the latest moment from which on
 * a ring that wrapped holds everything. */
static double
wpr_figures_span (const WprMoment *moment, const GArray *values)
{
  WprTime from = moment->started;
  for (guint i = 0; i < values->len; i++)
    {
      const WprSourceFigures *f = &g_array_index (values, WprSourceFigures, i);
      if (f->overwritten_bytes > 0)
        from = MAX (from, f->oldest);
    }
  return (double)(moment->now - from) / (double)WPR_NS_PER_SECOND;
}

static void
wpr_figures_disk (WprFigures *figures, const WprMoment *moment, gboolean counted, WprStats *s)
{
  if (figures->session->backward)
    return;
  s->bytes_written = moment->store_bytes;
  if (counted)
    figures->bytes_per_s = wpr_rate_add (&figures->bytes, moment->now, moment->store_bytes);
  if (figures->bytes_per_s > 0 && moment->disk_budget_bytes > 0)
    s->disk_full_s = (double)moment->disk_budget_bytes / figures->bytes_per_s;
}

WprStats *
wpr_figures_take (WprFigures *figures, const WprMoment *moment, gboolean counted,
                  const GArray *values, const GArray *losses)
{
  g_autofree WprCollectorStats *collectors = g_new0 (WprCollectorStats, figures->n_collectors + 1);
  WprStats s = {
    .state = moment->state,
    .mode = figures->session->backward ? WPR_MODE_MEMORY : WPR_MODE_FILE,
    .started_realtime_ns = moment->started_realtime_ns,
    .elapsed_ns = moment->now - moment->started,
    .holds_s = -1,
    .disk_free_bytes = moment->disk_free_bytes,
    .disk_full_s = -1,
    .n_marks = moment->n_marks,
    .n_collectors = figures->n_collectors,
    .collectors = collectors,
  };
  g_array_set_size (figures->cpus, 0);
  wpr_figures_add_losses (figures, moment, losses);
  for (guint i = 0; i < figures->n_collectors; i++)
    {
      wpr_figures_collector (figures, moment, i, counted, values, &collectors[i]);
      wpr_figures_sum (&s, &collectors[i], i);
    }
  /* The array may have moved while it grew: only now do its rows have their place. */
  for (guint i = 0, at = 0; i < figures->n_collectors; at += collectors[i++].n_cpus)
    collectors[i].cpus = &g_array_index (figures->cpus, WprCpuStats, at);
  if (figures->session->backward)
    {
      s.holds_s = wpr_figures_span (moment, values);
      for (guint i = 0; i < figures->cpus->len; i++)
        s.save_bytes += g_array_index (figures->cpus, WprCpuStats, i).used_bytes;
    }
  wpr_figures_disk (figures, moment, counted, &s);
  wpr_figures_cost (figures, &s.recorder_cpu_ns, &s.recorder_wakeups);
  if (counted)
    figures->recorder_cpu = wpr_rate_add (&figures->cost, moment->now, (guint64)s.recorder_cpu_ns)
                            / (double)WPR_NS_PER_SECOND;
  s.recorder_cpu = figures->recorder_cpu;
  return wpr_stats_new (&s);
}
