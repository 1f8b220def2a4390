/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening an .etl, and its events one after the other. Does not live here: fields (fields.c), the
 * tables (tables.c), whose an event is (owner.c). */
#include "config.h"
#include "file/file-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>
#include "base/wpr-error.h"
#include "file/when.h"

/* ---- opening ---- */

static void
fill_header (WprTraceFile *self)
{
  const WprEtlFileInfo *info = wpr_etl_file_info (self->etl);
  WprTraceHeader *header = &self->header;

  header->size_bytes = wpr_etl_file_size (self->etl);
  header->buffer_bytes = info->buffer_bytes;
  header->n_buffers = info->n_buffers;
  header->n_cpus = info->n_cpus;
  header->pointer_size = info->pointer_size;
  header->cpu_mhz = info->cpu_mhz;
  header->events_lost = info->events_lost;
  header->buffers_lost = info->buffers_lost;
  header->start_realtime_ns = MAX (wpr_filetime_to_realtime (info->start_filetime), 0);
  header->end_realtime_ns = MAX (wpr_filetime_to_realtime (info->end_filetime), 0);
  header->boot_realtime_ns = MAX (wpr_filetime_to_realtime (info->boot_filetime), 0);
  header->perf_frequency = info->perf_frequency;
  header->logger_name = info->logger_name;
}

static WprTraceFile *
file_new (WprEtlFile *etl, WprTraceFlags flags)
{
  WprTraceFile *self = g_new0 (WprTraceFile, 1);

  self->etl = etl;
  self->flags = flags;
  fill_header (self);
  self->decoder = wpr_etl_decoder_new (etl);
  self->who = wpr_who_new ();
  self->modules = wpr_modules_new ();
  self->functions = wpr_functions_new ();
  if ((flags & WPR_TRACE_STACKS) != 0)
    {
      self->keys = wpr_stack_keys_new ();
      self->queue = wpr_stack_queue_new ();
    }
  self->faults = g_ptr_array_new_with_free_func (g_free);
  self->running_first = g_new0 (WprRunning, self->header.n_cpus);
  self->running = g_new0 (WprRunning, self->header.n_cpus);
  self->fields = g_array_new (FALSE, FALSE, sizeof (WprTraceField));
  self->stack = g_array_new (FALSE, FALSE, sizeof (guint64));
  self->texts = g_string_new (NULL);
  self->prefix = g_string_new (NULL);
  self->address = g_string_new (NULL);
  self->from_ns = G_MININT64;
  self->to_ns = G_MAXINT64;
  return self;
}

void
wpr_trace_file_close (WprTraceFile *self)
{
  if (self == NULL)
    return;
  wpr_etl_cursor_free (self->cursor);
  wpr_etl_decoder_free (self->decoder);
  wpr_etl_file_free (self->etl);
  wpr_who_free (self->who);
  wpr_modules_free (self->modules);
  wpr_functions_free (self->functions);
  wpr_stack_keys_free (self->keys);
  wpr_stack_queue_free (self->queue);
  wpr_filter_free (self->filter);
  g_ptr_array_unref (self->faults);
  g_free (self->host);
  g_free (self->boot_id);
  g_free (self->running_first);
  g_free (self->running);
  g_array_unref (self->fields);
  g_array_unref (self->stack);
  g_string_free (self->texts, TRUE);
  g_string_free (self->prefix, TRUE);
  g_string_free (self->address, TRUE);
  g_free (self);
}

WprTraceFile *
wpr_trace_file_new (WprEtlFile *etl, WprTraceFlags flags, GCancellable *cancellable, GError **error)
{
  g_autoptr (WprTraceFile) self = file_new (etl, flags);

  if (!wpr_trace_file_fill_tables (self, cancellable, error))
    return NULL;
  self->header.host = self->host;
  wpr_trace_file_rewind (self);
  return g_steal_pointer (&self);
}

WprTraceFile *
wpr_trace_file_open (const char *path, WprTraceFlags flags, GCancellable *cancellable,
                     GError **error)
{
  WprEtlFile *etl;

  g_return_val_if_fail (path != NULL, NULL);
  etl = wpr_etl_file_open (path, error);
  return etl != NULL ? wpr_trace_file_new (etl, flags, cancellable, error) : NULL;
}

const WprTraceHeader *
wpr_trace_file_get_header (const WprTraceFile *self)
{
  return &self->header;
}

const GPtrArray *
wpr_trace_file_get_faults (const WprTraceFile *self)
{
  return self->faults;
}

void
wpr_trace_file_rewind (WprTraceFile *self)
{
  wpr_etl_cursor_free (self->cursor);
  self->cursor = wpr_etl_cursor_new (self->etl, NULL, NULL);
  memcpy (self->running, self->running_first, self->header.n_cpus * sizeof *self->running);
  if (self->queue != NULL)
    wpr_stack_queue_clear (self->queue);
  self->at_end = self->is_over = FALSE;
  self->raw = NULL;
}

/* ---- what is wanted ---- */

gboolean
wpr_trace_file_set_filter (WprTraceFile *self, const char *expr, guint *column, GError **error)
{
  g_autoptr (WprFilter) filter = NULL;

  if (expr != NULL)
    {
      filter = wpr_filter_new (expr, column, error);
      if (filter == NULL || !wpr_filter_set_start (filter, self->header.start_realtime_ns, error))
        return FALSE;
    }
  g_clear_pointer (&self->filter, wpr_filter_free);
  self->filter = g_steal_pointer (&filter);
  return TRUE;
}

static gboolean
parse_limit (const WprTraceFile *self, const char *text, gint64 *ns, GError **error)
{
  WprWhen when;

  if (text == NULL)
    return TRUE;
  if (!wpr_when_parse (text, strlen (text), &when))
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                     _ ("“%s” is no time. Give seconds since the beginning, such as 1.5, or wall "
                        "clock, such as \"2026-11-30 14:00:05\" or 14:00:05."),
                     text);
      return FALSE;
    }
  if (!wpr_when_resolve (&when, self->header.start_realtime_ns, ns))
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                     _ ("This file does not say when it was recorded, so “%s” cannot be found in "
                        "it. Give the time in seconds since its beginning."),
                     text);
      return FALSE;
    }
  return TRUE;
}

gboolean
wpr_trace_file_set_range (WprTraceFile *self, const char *from, const char *to, GError **error)
{
  gint64 from_ns = G_MININT64, to_ns = G_MAXINT64;

  if (!parse_limit (self, from, &from_ns, error) || !parse_limit (self, to, &to_ns, error))
    return FALSE;
  self->from_ns = from_ns;
  self->to_ns = to_ns;
  return TRUE;
}

/* ---- one event ---- */

static void
set_text (WprTraceField *value, const char *text)
{
  value->type = WPR_TRACE_FIELD_STRING;
  value->text = text;
  value->size = strlen (text);
}

static gboolean
set_number (WprTraceField *value, guint64 u)
{
  value->type = WPR_TRACE_FIELD_UINT;
  value->u = u;
  return TRUE;
}

static gboolean
get_fact (const WprTraceEvent *event, WprFilterName name, WprTraceField *value)
{
  switch (name)
    {
    case WPR_FILTER_PROCESS_NAME:
      set_text (value, event->process);
      return event->pid != WPR_NOBODY;
    case WPR_FILTER_PROVIDER:
      set_text (value, event->provider);
      return TRUE;
    case WPR_FILTER_EVENT_NAME:
      set_text (value, event->name);
      return TRUE;
    case WPR_FILTER_PROVIDER_GUID:
      value->type = WPR_TRACE_FIELD_BYTES;
      value->bytes = event->provider_guid;
      value->size = sizeof event->provider_guid;
      return TRUE;
    case WPR_FILTER_PROCESS_ID:
      return set_number (value, event->pid) && event->pid != WPR_NOBODY;
    case WPR_FILTER_THREAD_ID:
      return set_number (value, event->tid) && event->tid != WPR_NOBODY;
    case WPR_FILTER_EVENT_ID:
      return set_number (value, event->id);
    case WPR_FILTER_LEVEL:
      return set_number (value, event->level);
    case WPR_FILTER_KEYWORDS:
      return set_number (value, event->keywords);
    case WPR_FILTER_CPU:
      return set_number (value, event->cpu);
    default:
      value->type = WPR_TRACE_FIELD_INT;
      value->i = event->time_ns;
      return TRUE;
    }
}

static gboolean
get_value (gpointer subject, WprFilterName name, const char *field, WprTraceField *value)
{
  WprTraceFile *self = subject;
  const WprEtlField *raw;
  guint n;

  if (name != WPR_FILTER_FIELD)
    return get_fact (&self->event, name, value);
  n = wpr_trace_file_raw_fields (self, &raw);
  for (guint i = 0; i < n; i++)
    if (raw[i].depth == 0 && raw[i].type != WPR_ETL_TYPE_STRUCT
        && g_ascii_strcasecmp (raw[i].name, field) == 0)
      {
        g_string_truncate (self->texts, 0);
        self->has_fields = FALSE;
        wpr_field_convert (self, &raw[i], value);
        if (value->type == WPR_TRACE_FIELD_STRING)
          value->text = self->texts->str + value->u;
        return TRUE;
      }
  return strchr (field, '.') != NULL && wpr_trace_file_copy_field (self, field, value);
}

static void
describe_event (WprTraceFile *self, const WprOwner *owner, gint64 time_ns)
{
  const WprEtlEvent *raw = self->raw;
  WprTraceEvent *event = &self->event;
  const guint8 *guid = (const guint8 *)&self->kind->guid;

  event->time_ns = time_ns;
  event->realtime_ns = self->header.start_realtime_ns > 0
                           ? (gint64)((guint64)self->header.start_realtime_ns + (guint64)time_ns)
                           : 0;
  event->cpu = raw->cpu;
  event->pid = owner->pid;
  event->tid = owner->tid;
  event->process
      = owner->pid != WPR_NOBODY ? wpr_who_process (self->who, owner->pid, raw->ticks) : "";
  event->provider = self->kind->provider;
  event->name = self->kind->name;
  memcpy (event->provider_guid, guid, sizeof event->provider_guid);
  event->opcode = raw->type;
  event->id = raw->header_type == 0x12 || raw->header_type == 0x13 ? raw->hook : raw->type;
  event->version = raw->version;
  event->level = raw->level;
  event->keywords = raw->keyword;
  event->payload_bytes = raw->payload_size;
}

/* TRUE if the event is wanted; it is the current one then. */
static gboolean
take_event (WprTraceFile *self, const WprEtlEvent *raw, const WprOwner *owner)
{
  gint64 time_ns = wpr_etl_ticks_to_ns (wpr_etl_file_info (self->etl), raw->ticks);

  /* The order of time holds in a sound file: nothing that is wanted comes behind the end. */
  if (time_ns > self->to_ns && self->n_faults == 0 && raw->buffer > 0)
    self->is_over = TRUE;
  if (time_ns < self->from_ns || time_ns > self->to_ns)
    return FALSE;
  self->raw = raw;
  self->kind = wpr_etl_decoder_kind (self->decoder, raw);
  self->has_raw_fields = self->has_fields = self->has_stack = FALSE;
  describe_event (self, owner, time_ns);
  return self->filter == NULL || wpr_filter_matches (self->filter, get_value, self);
}

/* ---- stacks ---- */

/* A record that is another event's stack goes to it. */
static gboolean
attach_stack (WprTraceFile *self, const WprEtlEvent *raw)
{
  WprEtlStack stack;
  const guint64 *frames;
  guint n;

  if (raw->hook >> 8 != 0x18 || !wpr_etl_event_get_stack (raw, &stack) || !stack.is_own_record)
    return FALSE;
  if (stack.is_keyed && stack.n_frames == 0)
    {
      frames = wpr_stack_keys_find (self->keys, stack.match, raw->ticks, &n);
      return frames != NULL && wpr_stack_queue_attach (self->queue, &stack, frames, n);
    }
  if (stack.is_keyed)
    return FALSE; /* tells a key: a record of its own */
  g_array_set_size (self->stack, 0);
  for (guint i = 0; i < stack.n_frames; i++)
    {
      guint64 frame = wpr_etl_stack_frame (&stack, i);

      g_array_append_val (self->stack, frame);
    }
  return wpr_stack_queue_attach (self->queue, &stack, (const guint64 *)(gpointer)self->stack->data,
                                 stack.n_frames);
}

/* Fills the queue, and gives what has waited longest. */
static const WprWaiting *
next_waiting (WprTraceFile *self)
{
  while (!self->at_end && !wpr_stack_queue_is_full (self->queue))
    {
      const WprEtlEvent *raw = wpr_etl_cursor_next (self->cursor);
      WprOwner owner;

      if (raw == NULL)
        self->at_end = TRUE;
      else if (!attach_stack (self, raw))
        {
          wpr_owner_find (self->who, self->running, self->header.n_cpus, raw, &owner);
          wpr_stack_queue_push (self->queue, raw, &owner);
        }
    }
  return wpr_stack_queue_pop (self->queue);
}

const WprTraceEvent *
wpr_trace_file_next (WprTraceFile *self)
{
  const WprWaiting *waiting;
  const WprEtlEvent *raw;
  WprOwner owner;

  self->waiting_frames = NULL;
  if (self->queue != NULL)
    {
      while (!self->is_over && (waiting = next_waiting (self)) != NULL)
        if (take_event (self, &waiting->event, &waiting->owner))
          {
            self->waiting_frames = waiting->frames;
            return &self->event;
          }
    }
  else
    while (!self->is_over && (raw = wpr_etl_cursor_next (self->cursor)) != NULL)
      {
        wpr_owner_find (self->who, self->running, self->header.n_cpus, raw, &owner);
        if (take_event (self, raw, &owner))
          return &self->event;
      }
  self->raw = NULL;
  return NULL;
}

const guint64 *
wpr_trace_file_get_stack (WprTraceFile *self, guint *n)
{
  WprEtlStack stack;

  *n = 0;
  if (self->raw == NULL)
    return NULL;
  if (!self->has_stack)
    {
      g_array_set_size (self->stack, 0);
      if (self->waiting_frames != NULL)
        g_array_append_vals (self->stack, self->waiting_frames->data, self->waiting_frames->len);
      else if (wpr_etl_event_get_stack (self->raw, &stack) && stack.n_frames > 0)
        for (guint i = 0; i < stack.n_frames; i++)
          {
            guint64 frame = wpr_etl_stack_frame (&stack, i);

            g_array_append_val (self->stack, frame);
          }
      self->has_stack = TRUE;
    }
  *n = self->stack->len;
  return *n > 0 ? (const guint64 *)(gpointer)self->stack->data : NULL;
}
