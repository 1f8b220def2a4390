/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The smallest sink: counts by kind. */
#include "config.h"
#include "sink/sink.h"

typedef struct
{
  WprSink parent;
  guint64 counts[WPR_EVENT_N_KINDS];
  guint64 n_inferred, n_stacks, lost;
  gint64 first, last;
  guint64 n_back;    /* events earlier than one before on their CPU */
  GArray *cpu_times; /* gint64, by CPU */
} Summary;

static const char *const names[WPR_EVENT_N_KINDS] = {
  [WPR_EVENT_TRACEPOINT] = "tracepoint",
  [WPR_EVENT_SWITCH] = "switch",
  [WPR_EVENT_WAKING] = "waking",
  [WPR_EVENT_SAMPLE] = "sample",
  [WPR_EVENT_FAULT] = "fault",
  [WPR_EVENT_DISK_ISSUE] = "disk issue",
  [WPR_EVENT_DISK_COMPLETE] = "disk complete",
  [WPR_EVENT_SYSCALL_ENTER] = "system call",
  [WPR_EVENT_SYSCALL_EXIT] = "system call's return",
  [WPR_EVENT_BEGUN] = "begun",
  [WPR_EVENT_MEMORY] = "address space",
  [WPR_EVENT_SOCKET] = "socket",
  [WPR_EVENT_INTERRUPT] = "interrupt",
  [WPR_EVENT_THROTTLE] = "throttle",
  [WPR_EVENT_FILE_OP] = "file operation",
  [WPR_EVENT_FILE_END] = "file operation end",
  [WPR_EVENT_FILE_NAME] = "file name",
  [WPR_EVENT_JOINED] = "joined",
  [WPR_EVENT_PROCESS_START] = "process start",
  [WPR_EVENT_PROCESS_END] = "process end",
  [WPR_EVENT_THREAD_START] = "thread start",
  [WPR_EVENT_THREAD_END] = "thread end",
  [WPR_EVENT_THREAD_NAME] = "thread name",
  [WPR_EVENT_IMAGE_LOAD] = "image load",
  [WPR_EVENT_MARK] = "mark",
  [WPR_EVENT_COUNTERS] = "counters",
  [WPR_EVENT_CLOCK_STEP] = "clock step",
  [WPR_EVENT_LOSS] = "loss",
  [WPR_EVENT_CPU_GAP] = "CPU gap",
  [WPR_EVENT_NOTICE] = "notice",
};

static gboolean
summary_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  return TRUE;
}

static gboolean
summary_event (WprSink *sink, const WprEvent *event, GError **error)
{
  Summary *self = (Summary *)sink;
  gint64 *last;

  g_return_val_if_fail (event->kind < WPR_EVENT_N_KINDS, FALSE);
  self->counts[event->kind]++;
  self->n_inferred += event->inferred ? 1 : 0;
  self->n_stacks += event->n_callchain > 0 ? 1 : 0;
  if (self->first == 0)
    self->first = event->time;
  self->last = MAX (self->last, event->time);
  if (event->cpu < G_MAXUINT16)
    {
      if (event->cpu >= self->cpu_times->len)
        g_array_set_size (self->cpu_times, event->cpu + 1);
      last = &g_array_index (self->cpu_times, gint64, event->cpu);
      self->n_back += event->time < *last ? 1 : 0;
      *last = MAX (*last, event->time);
    }
  return TRUE;
}

static gboolean
summary_end (WprSink *sink, const WprTraceContext *context, GError **error)
{
  ((Summary *)sink)->lost = context->lost;
  return TRUE;
}

static void
summary_free (WprSink *sink)
{
  g_array_unref (((Summary *)sink)->cpu_times);
  g_free (sink);
}

static const WprSinkClass summary_class
    = { summary_begin, summary_event, summary_end, summary_free };

WprSink *
wpr_sink_summary_new (void)
{
  Summary *self = g_new0 (Summary, 1);

  self->parent.klass = &summary_class;
  self->cpu_times = g_array_new (FALSE, TRUE, sizeof (gint64));
  return &self->parent;
}

guint64
wpr_sink_summary_count (WprSink *sink, WprEventKind kind)
{
  g_return_val_if_fail (sink->klass == &summary_class && kind < WPR_EVENT_N_KINDS, 0);
  return ((Summary *)sink)->counts[kind];
}

char *
wpr_sink_summary_text (WprSink *sink)
{
  const Summary *self = (const Summary *)sink;
  GString *text = g_string_new (NULL);

  g_return_val_if_fail (sink->klass == &summary_class, NULL);
  for (guint i = 0; i < WPR_EVENT_N_KINDS; i++)
    if (self->counts[i] > 0)
      g_string_append_printf (text, "%12" G_GUINT64_FORMAT "  %s\n", self->counts[i], names[i]);
  g_string_append_printf (text,
                          "inferred %" G_GUINT64_FORMAT ", with stacks %" G_GUINT64_FORMAT
                          ", lost %" G_GUINT64_FORMAT ", out of order %" G_GUINT64_FORMAT
                          ", %.3f s\n",
                          self->n_inferred, self->n_stacks, self->lost, self->n_back,
                          (double)(self->last - self->first) / 1e9);
  return g_string_free (text, FALSE);
}
