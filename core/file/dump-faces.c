/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The three formats of `wpr -dump`: lines for people, CSV, JSON. What each holds is documented in
 * wpr(1); a change of meaning there grows WPR_DUMP_VERSION. */
#include "config.h"
#include "file/dump-private.h"

#include <glib/gi18n-lib.h>

#define WPR_DUMP_VERSION 1

static void
put_literal (WprDump *self, const char *text)
{
  wpr_put_text (&self->put, text);
}

static gboolean
wants_stack (const WprDump *self)
{
  return (self->flags & WPR_DUMP_STACKS) != 0;
}

/* ---- for people ---- */

#define PROCESS_COLUMNS 26 /* a name of 15, and a pid of 7 in brackets */
#define TID_COLUMNS 7
#define EVENT_COLUMNS 30
#define STACK_INDENT 16

/* Columns of a terminal: a Chinese character takes two. */
static void
put_title (WprDump *self, const char *title, int columns, gboolean is_right)
{
  int n = 0;

  for (const char *p = title; *p != '\0'; p = g_utf8_next_char (p))
    n += g_unichar_iswide (g_utf8_get_char (p)) ? 2 : 1;
  for (int i = n; is_right && i < columns; i++)
    wpr_put_char (&self->put, ' ');
  put_literal (self, title);
  for (int i = n; !is_right && i < columns; i++)
    wpr_put_char (&self->put, ' ');
  put_literal (self, "  ");
}

static void
begin_text (WprDump *self, const char *name)
{
  const WprTraceHeader *header = wpr_trace_file_get_header (self->file);

  put_literal (self, "# ");
  wpr_put_plain (&self->put, name, strlen (name));
  if (header->start_realtime_ns > 0)
    {
      put_literal (self, "  ");
      wpr_dump_put_iso (&self->put, &self->clock, header->start_realtime_ns);
    }
  put_literal (self, "\n#");
  put_title (self, _ ("Seconds"), 13, TRUE);
  put_title (self, _ ("Wall clock"), 15, FALSE);
  put_title (self, _ ("CPU"), 3, TRUE);
  put_title (self, _ ("Process (id)"), PROCESS_COLUMNS, FALSE);
  put_title (self, _ ("Thread"), TID_COLUMNS, TRUE);
  put_title (self, _ ("Event"), EVENT_COLUMNS, FALSE);
  put_literal (self, _ ("Fields"));
  wpr_put_char (&self->put, '\n');
}

static void
put_process (WprDump *self, gconstpointer process)
{
  const WprTraceEvent *event = &self->file->event;
  guint64 from = wpr_put_position (&self->put);

  if (event->process[0] != '\0')
    {
      wpr_put_plain (&self->put, event->process, strlen (event->process));
      wpr_put_char (&self->put, ' ');
    }
  if (event->pid != WPR_NOBODY)
    {
      wpr_put_char (&self->put, '(');
      wpr_put_unsigned (&self->put, event->pid);
      wpr_put_char (&self->put, ')');
    }
  else
    wpr_put_char (&self->put, '-');
  wpr_put_pad (&self->put, from, PROCESS_COLUMNS);
  put_literal (self, "  ");
}

static void
put_event_name (WprDump *self, gconstpointer kind)
{
  const WprTraceEvent *event = &self->file->event;
  guint64 from = wpr_put_position (&self->put);

  wpr_put_plain (&self->put, event->provider, strlen (event->provider));
  wpr_put_char (&self->put, '/');
  wpr_put_plain (&self->put, event->name, strlen (event->name));
  wpr_put_pad (&self->put, from, EVENT_COLUMNS);
  put_literal (self, "  ");
}

static void
put_text_stack (WprDump *self)
{
  guint n;
  const guint64 *frames = wpr_trace_file_get_stack (self->file, &n);

  for (guint i = 0; i < n; i++)
    {
      guint64 from = wpr_put_position (&self->put);
      const char *what = wpr_dump_describe_frame (self, frames, i);

      wpr_put_pad (&self->put, from, STACK_INDENT);
      wpr_put_hex (&self->put, frames[i]);
      if (*what != '\0')
        {
          wpr_put_pad (&self->put, from, STACK_INDENT + 20);
          wpr_put_plain (&self->put, what, strlen (what));
        }
      wpr_put_char (&self->put, '\n');
    }
}

static void
event_text (WprDump *self, const WprTraceEvent *event)
{
  wpr_put_seconds (&self->put, event->time_ns, 7, 14);
  put_literal (self, "  ");
  if (event->realtime_ns > 0)
    wpr_dump_put_time_of_day (&self->put, &self->clock, event->realtime_ns, 6);
  else
    put_literal (self, "-              ");
  put_literal (self, "  ");
  wpr_put_padded (&self->put, event->cpu, 3);
  put_literal (self, "  ");
  wpr_dump_put_memo (self, &self->processes[event->pid % WPR_DUMP_PROCESSES], event->process,
                     event->pid, put_process);
  if (event->tid != WPR_NOBODY)
    wpr_put_padded (&self->put, event->tid, TID_COLUMNS);
  else
    put_literal (self, "      -");
  put_literal (self, "  ");
  wpr_dump_put_memo (self, &wpr_dump_kind (self)->title, self->file->kind, 0, put_event_name);
  wpr_dump_put_fields (self);
  wpr_put_char (&self->put, '\n');
  if (wants_stack (self))
    put_text_stack (self);
}

static void
end_nothing (WprDump *self)
{
}

const WprDumpFace wpr_dump_text = { begin_text, event_text, end_nothing };

/* ---- CSV (RFC 4180) ---- */

static void
begin_csv (WprDump *self, const char *name)
{
  put_literal (self, "time_s,time,cpu,pid,tid,process,provider,event,id,version,opcode,level,"
                     "keywords,fields,stack\r\n");
  self->put.doubles_quotes = TRUE;
}

/* In quotation marks, whatever is in it. */
static void
put_cell (WprDump *self, const char *text)
{
  wpr_put_char (&self->put, '"');
  wpr_put_plain (&self->put, text, strlen (text));
  put_literal (self, "\",");
}

static void
put_csv_number (WprDump *self, guint64 value)
{
  wpr_put_unsigned (&self->put, value);
  wpr_put_char (&self->put, ',');
}

static void
put_csv_id (WprDump *self, guint32 id)
{
  if (id != WPR_NOBODY)
    wpr_put_unsigned (&self->put, id);
  wpr_put_char (&self->put, ',');
}

static void
put_csv_stack (WprDump *self)
{
  guint n;
  const guint64 *frames = wpr_trace_file_get_stack (self->file, &n);

  wpr_put_char (&self->put, '"');
  for (guint i = 0; i < n; i++)
    {
      const char *what = wpr_dump_describe_frame (self, frames, i);

      if (i > 0)
        wpr_put_char (&self->put, ';');
      if (*what != '\0')
        wpr_put_plain (&self->put, what, strlen (what));
      else
        wpr_put_hex (&self->put, frames[i]);
    }
  wpr_put_char (&self->put, '"');
}

static void
event_csv (WprDump *self, const WprTraceEvent *event)
{
  wpr_put_seconds (&self->put, event->time_ns, 9, 0);
  wpr_put_char (&self->put, ',');
  if (event->realtime_ns > 0)
    wpr_dump_put_iso (&self->put, &self->clock, event->realtime_ns);
  wpr_put_char (&self->put, ',');
  put_csv_number (self, event->cpu);
  put_csv_id (self, event->pid);
  put_csv_id (self, event->tid);
  put_cell (self, event->process);
  put_cell (self, event->provider);
  put_cell (self, event->name);
  put_csv_number (self, event->id);
  put_csv_number (self, event->version);
  put_csv_number (self, event->opcode);
  put_csv_number (self, event->level);
  wpr_put_hex (&self->put, event->keywords);
  put_literal (self, ",\"");
  wpr_dump_put_fields (self);
  put_literal (self, "\",");
  if (wants_stack (self))
    put_csv_stack (self);
  put_literal (self, "\r\n");
}

const WprDumpFace wpr_dump_csv = { begin_csv, event_csv, end_nothing };

/* ---- JSON, an object a line ---- */

static void
put_key_text (WprDump *self, const char *key, const char *text)
{
  put_literal (self, key);
  wpr_put_json (&self->put, text, strlen (text));
}

static void
put_key_number (WprDump *self, const char *key, guint64 value)
{
  put_literal (self, key);
  wpr_put_unsigned (&self->put, value);
}

static void
put_key_time (WprDump *self, const char *key, gint64 realtime_ns)
{
  put_literal (self, key);
  if (realtime_ns <= 0)
    {
      put_literal (self, "null");
      return;
    }
  wpr_put_char (&self->put, '"');
  wpr_dump_put_iso (&self->put, &self->utc, realtime_ns);
  wpr_put_char (&self->put, '"');
}

static void
begin_json (WprDump *self, const char *name)
{
  const WprTraceHeader *header = wpr_trace_file_get_header (self->file);

  put_key_number (self, "{\"kind\":\"trace\",\"version\":", WPR_DUMP_VERSION);
  put_key_text (self, ",\"file\":", name);
  put_key_time (self, ",\"start\":", header->start_realtime_ns);
  put_key_time (self, ",\"end\":", header->end_realtime_ns);
  put_key_number (self, ",\"cpus\":", header->n_cpus);
  put_key_number (self, ",\"pointer_size\":", header->pointer_size);
  put_key_number (self, ",\"events_lost\":", header->events_lost);
  put_key_number (self, ",\"buffers_lost\":", header->buffers_lost);
  put_key_text (self, ",\"logger_name\":", header->logger_name != NULL ? header->logger_name : "");
  put_literal (self, "}\n");
}

static void
put_key_id (WprDump *self, const char *key, guint32 id)
{
  put_literal (self, key);
  if (id != WPR_NOBODY)
    wpr_put_unsigned (&self->put, id);
  else
    put_literal (self, "null");
}

static void
put_json_stack (WprDump *self)
{
  guint n;
  const guint64 *frames = wpr_trace_file_get_stack (self->file, &n);

  if (n == 0)
    return;
  put_literal (self, ",\"stack\":[");
  for (guint i = 0; i < n; i++)
    {
      const char *what = wpr_dump_describe_frame (self, frames, i);

      put_literal (self, i > 0 ? ",{\"address\":\"" : "{\"address\":\"");
      wpr_put_hex (&self->put, frames[i]);
      wpr_put_char (&self->put, '"');
      if (*what != '\0')
        put_key_text (self, ",\"name\":", what);
      wpr_put_char (&self->put, '}');
    }
  wpr_put_char (&self->put, ']');
}

static void
event_json (WprDump *self, const WprTraceEvent *event)
{
  put_literal (self, "{\"kind\":\"event\",\"time_ns\":");
  wpr_put_signed (&self->put, event->time_ns);
  put_key_time (self, ",\"time\":", event->realtime_ns);
  put_key_number (self, ",\"cpu\":", event->cpu);
  put_key_id (self, ",\"pid\":", event->pid);
  put_key_id (self, ",\"tid\":", event->tid);
  put_key_text (self, ",\"process\":", event->process);
  put_key_text (self, ",\"provider\":", event->provider);
  put_key_text (self, ",\"event\":", event->name);
  put_key_number (self, ",\"id\":", event->id);
  put_key_number (self, ",\"event_version\":", event->version);
  put_key_number (self, ",\"opcode\":", event->opcode);
  put_key_number (self, ",\"level\":", event->level);
  put_literal (self, ",\"keywords\":\"");
  wpr_put_hex (&self->put, event->keywords);
  put_literal (self, "\",\"fields\":");
  wpr_dump_put_json_fields (self);
  if (wants_stack (self))
    put_json_stack (self);
  put_literal (self, "}\n");
}

/* Tells that the dump is whole. */
static void
end_json (WprDump *self)
{
  const GPtrArray *faults = wpr_trace_file_get_faults (self->file);

  put_key_number (self, "{\"kind\":\"end\",\"events\":", self->n_shown);
  put_literal (self, ",\"faults\":[");
  for (guint i = 0; i < faults->len; i++)
    put_key_text (self, i > 0 ? "," : "", g_ptr_array_index (faults, i));
  put_literal (self, "]}\n");
}

const WprDumpFace wpr_dump_json = { begin_json, event_json, end_json };
