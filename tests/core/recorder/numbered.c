/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbered calls: made, and read again. */
#include "config.h"

#include "numbered.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "perf/event.h"

/* ---- a workload that numbers its calls, on each CPU, until it is told to end ---- */

static gpointer
call_thread (gpointer data)
{
  Caller *caller = data;
  cpu_set_t set;
  CPU_ZERO (&set);
  CPU_SET (caller->cpu, &set);
  sched_setaffinity (0, sizeof set, &set);
  for (guint64 i = 0; !g_atomic_int_get (caller->stop); i++)
    {
      syscall (SYS_getppid, (long)i);
      g_atomic_int_inc (&caller->made);
      if (caller->pause_us > 0 && i % 64 == 63)
        g_usleep (caller->pause_us);
    }
  return NULL;
}

void
work_begin (Workload *work, guint pause_us)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  memset (work, 0, sizeof *work);
  work->n = MIN (cpus->len, CPUS_MOST);
  for (guint i = 0; i < work->n; i++)
    {
      Caller *caller = &work->callers[i];
      caller->cpu = g_array_index (cpus, guint, i);
      caller->pause_us = pause_us;
      caller->stop = &work->stop;
      caller->thread = g_thread_new ("caller", call_thread, caller);
    }
}

void
work_wait (Workload *work, gint n)
{
  for (guint i = 0; i < work->n; i++)
    {
      gint until = g_atomic_int_get (&work->callers[i].made) + n;
      while (g_atomic_int_get (&work->callers[i].made) < until)
        g_usleep (500);
    }
}

void
work_end (Workload *work)
{
  g_atomic_int_set (&work->stop, 1);
  for (guint i = 0; i < work->n; i++)
    g_thread_join (work->callers[i].thread);
}

/* ---- what is in a store ---- */

static gboolean
watch_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  return TRUE;
}

static void
watch_call (Watch *watch, const WprEvent *event)
{
  Seen seen = { event->time, 0 };
  guint32 size = 0;
  if (event->pid != watch->pid || !event->format
      || wpr_field_int (wpr_format_field (event->format, "id"), event->raw, event->raw_size)
             != SYS_getppid)
    return;
  const guint8 *bytes = wpr_field_bytes (wpr_format_field (event->format, "args"), event->raw,
                                         event->raw_size, &size);
  assert_true (size >= sizeof seen.number && event->cpu < CPUS_MOST);
  memcpy (&seen.number, bytes, sizeof seen.number);
  g_array_append_val (watch->events[event->cpu], seen);
}

static void
watch_switch (Watch *watch, const WprEvent *event)
{
  if (event->inferred)
    return;
  watch->n_switches++;
  watch->first_switch = watch->first_switch ? watch->first_switch : event->time;
  watch->last_switch = event->time;
  if (event->n_callchain == 0)
    return;
  watch->n_stacks++;
  watch->first_stack = watch->first_stack ? watch->first_stack : event->time;
}

static gboolean
watch_event (WprSink *sink, const WprEvent *event, GError **error)
{
  Watch *watch = (Watch *)sink;
  if (event->row != G_MAXUINT32 && !event->inferred)
    {
      if (watch->rows->len <= event->row)
        g_array_set_size (watch->rows, event->row + 1);
      g_array_index (watch->rows, guint64, event->row)++;
    }
  if (event->kind == WPR_EVENT_MARK)
    {
      g_ptr_array_add (watch->marks, g_strdup (event->u.text));
      g_array_append_val (watch->mark_times, event->time);
    }
  else if (event->kind == WPR_EVENT_SYSCALL_ENTER)
    watch_call (watch, event);
  else if (event->kind == WPR_EVENT_SWITCH)
    watch_switch (watch, event);
  else if (event->kind == WPR_EVENT_COUNTERS)
    watch->n_counters++;
  return TRUE;
}

static void
watch_free (WprSink *sink)
{
}

static const WprSinkClass watch_class = { watch_begin, watch_event, watch_begin, watch_free };

static void
watch_init (Watch *watch)
{
  *watch = (Watch){ .sink = { &watch_class }, .pid = (guint32)getpid () };
  for (guint i = 0; i < CPUS_MOST; i++)
    watch->events[i] = g_array_new (FALSE, FALSE, sizeof (Seen));
  watch->marks = g_ptr_array_new_with_free_func (g_free);
  watch->mark_times = g_array_new (FALSE, FALSE, sizeof (gint64));
  watch->rows = g_array_new (FALSE, TRUE, sizeof (guint64));
}

void
watch_clear (Watch *watch)
{
  for (guint i = 0; i < CPUS_MOST; i++)
    g_array_unref (watch->events[i]);
  g_ptr_array_unref (watch->marks);
  g_array_unref (watch->mark_times);
  g_array_unref (watch->rows);
}

WprTrace *
watch_play (Watch *watch, const char *path)
{
  g_autoptr (GError) error = NULL;
  WprTrace *trace = wpr_trace_open (path, &error);
  WprSink *sinks[] = { &watch->sink };
  watch_init (watch);
  if (!trace || !wpr_trace_play (trace, sinks, 1, NULL, NULL, &error))
    fail_msg ("%s", error->message);
  return trace;
}

gint64
mark_time (const Watch *watch, const char *part)
{
  for (guint i = 0; i < watch->marks->len; i++)
    if (strstr (g_ptr_array_index (watch->marks, i), part))
      return g_array_index (watch->mark_times, gint64, i);
  fail_msg ("no mark says %s", part);
  return 0;
}

guint64
assert_row_adds_up (const Watch *watch, const WprTraceContext *context, const char *name,
                    guint n_offs, guint64 *lost)
{
  guint64 seen = 0, counted = 0;
  *lost = 0;
  for (guint i = 0; i < context->manifest->events->len; i++)
    {
      if (strcmp (g_array_index (context->manifest->events, WprStoreEvent, i).name, name) != 0)
        continue;
      seen += i < watch->rows->len ? g_array_index (watch->rows, guint64, i) : 0;
      for (guint t = 0; t < context->tallies->len; t++)
        {
          const WprTraceTally *tally = &g_array_index (context->tallies, WprTraceTally, t);
          counted += tally->row == i ? tally->counted : 0;
          *lost += tally->row == i ? tally->lost : 0;
        }
    }
  if (seen + *lost > counted || seen + *lost + n_offs * context->manifest->n_cpus < counted)
    fail_msg ("%s: %" G_GUINT64_FORMAT " in the file + %" G_GUINT64_FORMAT
              " lost, %" G_GUINT64_FORMAT " counted",
              name, seen, *lost, counted);
  return seen;
}

void
assert_unbroken (const Watch *watch, const Workload *work)
{
  for (guint i = 0; i < work->n; i++)
    {
      const GArray *seen = watch->events[work->callers[i].cpu];
      assert_true (seen->len > 0);
      for (guint j = 1; j < seen->len; j++)
        assert_int_equal (g_array_index (seen, Seen, j).number,
                          g_array_index (seen, Seen, j - 1).number + 1);
    }
}
