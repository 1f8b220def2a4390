/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See kit.h: the half that plays. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

static gboolean
on_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  ((Recorder *)sink)->begun++;
  return TRUE;
}

static const char *
text_of (const WprEvent *event)
{
  switch (event->kind)
    {
    case WPR_EVENT_MARK:
    case WPR_EVENT_NOTICE:
      return event->u.text;
    case WPR_EVENT_COUNTERS:
      return event->u.counters.name;
    case WPR_EVENT_PROCESS_START:
    case WPR_EVENT_PROCESS_END:
      return event->u.life.program->comm;
    case WPR_EVENT_THREAD_START:
    case WPR_EVENT_THREAD_END:
    case WPR_EVENT_THREAD_NAME:
      return event->u.life.name;
    case WPR_EVENT_IMAGE_LOAD:
      return event->u.life.image.path;
    case WPR_EVENT_INTERRUPT:
      return event->u.interrupt.name;
    case WPR_EVENT_FILE_OP:
      return event->u.file.path;
    case WPR_EVENT_FILE_NAME:
      return event->u.file_name.text;
    default:
      return NULL;
    }
}

static gboolean
on_event (WprSink *sink, const WprEvent *event, GError **error)
{
  Recorder *self = (Recorder *)sink;
  self->n++;
  if (self->any_cpu && event->cpu >= G_N_ELEMENTS (self->last))
    return TRUE;
  assert_true (event->cpu < G_N_ELEMENTS (self->last));
  self->n_back_on_cpu += event->time < self->last[event->cpu];
  self->last[event->cpu] = event->time;
  self->n_back += event->time < self->newest && !event->inferred;
  self->newest = MAX (self->newest, event->time);
  if (self->keeps)
    {
      Seen seen = { *event, g_strdup (text_of (event)) };
      g_array_append_val (self->seen, seen);
    }
  if (self->cancel != NULL && self->n == self->cancel_at)
    g_cancellable_cancel (self->cancel);
  if (self->n == self->fail_at)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE, "full");
      return FALSE;
    }
  return TRUE;
}

static gboolean
on_end (WprSink *sink, const WprTraceContext *context, GError **error)
{
  Recorder *self = (Recorder *)sink;
  self->ended++;
  g_free (self->description);
  self->description = g_strdup (context->description);
  return TRUE;
}

static const WprSinkClass recorder_class = { on_begin, on_event, on_end, NULL };

static void
clear_seen (gpointer data)
{
  g_free (((Seen *)data)->text);
}

void
recorder_init (Recorder *recorder)
{
  memset (recorder, 0, sizeof *recorder);
  recorder->sink.klass = &recorder_class;
  recorder->keeps = TRUE;
  recorder->seen = g_array_new (FALSE, FALSE, sizeof (Seen));
  g_array_set_clear_func (recorder->seen, clear_seen);
}

void
recorder_clear (Recorder *recorder)
{
  g_array_unref (recorder->seen);
  g_free (recorder->description);
}

WprTrace *
kit_play (Kit *kit, Recorder *recorder)
{
  GError *error = NULL;
  WprTrace *trace = wpr_trace_open (kit->path, &error);
  if (error != NULL)
    fail_msg ("%s", error->message);
  WprSink *sinks[] = { &recorder->sink };
  gboolean ok = wpr_trace_play (trace, sinks, 1, NULL, NULL, &error);
  if (error != NULL)
    fail_msg ("%s", error->message);
  assert_true (ok);
  assert_int_equal (recorder->begun, 1);
  assert_int_equal (recorder->ended, 1);
  /* Whatever the test is about. */
  assert_int_equal (recorder->n_back_on_cpu, 0);
  assert_int_equal (recorder->n_back, 0);
  return trace;
}

const Seen *
recorder_nth (const Recorder *recorder, WprEventKind kind, guint nth)
{
  for (guint i = 0; i < recorder->seen->len; i++)
    {
      const Seen *seen = &g_array_index (recorder->seen, Seen, i);
      if (seen->event.kind == kind && nth-- == 0)
        return seen;
    }
  fail_msg ("no such event");
  return NULL;
}

guint
recorder_count (const Recorder *recorder, WprEventKind kind)
{
  guint n = 0;
  for (guint i = 0; i < recorder->seen->len; i++)
    n += g_array_index (recorder->seen, Seen, i).event.kind == kind;
  return n;
}
