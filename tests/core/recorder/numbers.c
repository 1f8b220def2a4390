/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbered events, and finding them again. */
#include "config.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "numbers.h"
#include "perf/event.h"

typedef struct
{
  guint cpu, n;
  guint64 last;
  gint *n_going; /* threads that have not made their n calls yet */
} Run;

static gpointer
numbers_thread (gpointer data)
{
  Run *run = data;
  cpu_set_t set;
  CPU_ZERO (&set);
  CPU_SET (run->cpu, &set);
  sched_setaffinity (0, sizeof set, &set);
  /* All end together: else others' events push out the numbers of the first to end. */
  for (guint64 i = 0; i < run->n || g_atomic_int_get (run->n_going) > 0; i++)
    {
      syscall (SYS_getppid, (long)i);
      run->last = i;
      if (i + 1 == run->n)
        g_atomic_int_dec_and_test (run->n_going);
    }
  return NULL;
}

GArray *
numbers_run (guint n)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();
  g_autofree Run *runs = g_new0 (Run, cpus->len);
  GArray *last = g_array_new (FALSE, TRUE, sizeof (guint64));
  gint n_going = (gint)cpus->len;
  for (guint i = 0; i < cpus->len; i++)
    {
      runs[i] = (Run){ .cpu = g_array_index (cpus, guint, i), .n = n, .n_going = &n_going };
      g_ptr_array_add (threads, g_thread_new ("numbers", numbers_thread, &runs[i]));
    }
  for (guint i = 0; i < threads->len; i++)
    {
      g_thread_join (g_ptr_array_index (threads, i));
      if (last->len <= runs[i].cpu)
        g_array_set_size (last, runs[i].cpu + 1);
      g_array_index (last, guint64, runs[i].cpu) = runs[i].last;
    }
  return last;
}

static gboolean
numbers_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  ((Numbers *)sink)->world = context->world;
  return TRUE;
}

static void
numbers_call (Numbers *numbers, const WprEvent *event)
{
  const WprField *id = wpr_format_field (event->format, "id");
  const WprField *args = wpr_format_field (event->format, "args");
  guint32 size = 0;
  guint64 number = 0;
  if (event->pid != numbers->pid || wpr_field_int (id, event->raw, event->raw_size) != SYS_getppid)
    {
      numbers->n_other++;
      return;
    }
  const guint8 *bytes = wpr_field_bytes (args, event->raw, event->raw_size, &size);
  assert_true (size >= sizeof number);
  memcpy (&number, bytes, sizeof number);
  while (numbers->per_cpu->len <= event->cpu)
    {
      GArray *empty = g_array_new (FALSE, FALSE, sizeof (guint64));
      g_array_append_val (numbers->per_cpu, empty);
    }
  g_array_append_val (g_array_index (numbers->per_cpu, GArray *, event->cpu), number);
}

static void
numbers_thread_known (Numbers *numbers, const WprEvent *event, guint32 tid, guint32 pid)
{
  WprTime when = event->time - numbers->boot_minus_monotonic_ns;
  if (tid == 0)
    return;
  const char *name = wpr_world_thread_name (numbers->world, tid, when);
  gboolean process
      = pid == 0 || pid == G_MAXUINT32 || wpr_world_process (numbers->world, pid, when);
  if (*name && process)
    return;
  if (!numbers->nameless)
    numbers->nameless = g_strdup_printf (
        "thread %u of process %u, name \"%s\", %s CPU %u %.3f ms after the first", tid, pid, name,
        tid == event->u.sw.prev_tid ? "from" : "to", event->cpu,
        (double)(event->time - numbers->first) / 1e6);
  numbers->n_nameless++;
}

static gboolean
numbers_event (WprSink *sink, const WprEvent *event, GError **error)
{
  Numbers *numbers = (Numbers *)sink;
  if (event->kind == WPR_EVENT_SYSCALL_ENTER && event->format
      && strcmp (event->format->name, "sys_enter") == 0)
    numbers_call (numbers, event);
  if (numbers->first == 0)
    numbers->first = event->time;
  if (event->kind == WPR_EVENT_SWITCH)
    {
      numbers->n_switches++;
      numbers_thread_known (numbers, event, event->u.sw.prev_tid, event->u.sw.prev_pid);
      numbers_thread_known (numbers, event, event->u.sw.next_tid, event->u.sw.next_pid);
    }
  return TRUE;
}

static gboolean
numbers_end (WprSink *sink, const WprTraceContext *context, GError **error)
{
  return TRUE;
}

static void
numbers_free (WprSink *sink)
{
}

static const WprSinkClass numbers_class
    = { numbers_begin, numbers_event, numbers_end, numbers_free };

void
numbers_init (Numbers *numbers)
{
  WprClockReading now;
  wpr_clock_read (&now);
  *numbers = (Numbers){
    .sink = { &numbers_class },
    .pid = (guint32)getpid (),
    .per_cpu = g_array_new (FALSE, FALSE, sizeof (GArray *)),
    .boot_minus_monotonic_ns = now.boottime_ns - now.monotonic_ns,
  };
}

void
numbers_clear (Numbers *numbers)
{
  for (guint i = 0; i < numbers->per_cpu->len; i++)
    g_array_unref (g_array_index (numbers->per_cpu, GArray *, i));
  g_array_unref (numbers->per_cpu);
  g_free (numbers->nameless);
}

WprTrace *
numbers_play (Numbers *numbers, const char *store_path)
{
  g_autoptr (GError) error = NULL;
  WprTrace *trace = wpr_trace_open (store_path, &error);
  WprSink *sinks[] = { &numbers->sink };
  if (!trace || !wpr_trace_play (trace, sinks, 1, NULL, NULL, &error))
    fail_msg ("%s", error->message);
  return trace;
}

guint64
numbers_found (const Numbers *numbers)
{
  guint64 sum = 0;
  for (guint i = 0; i < numbers->per_cpu->len; i++)
    sum += g_array_index (numbers->per_cpu, GArray *, i)->len;
  return sum;
}
