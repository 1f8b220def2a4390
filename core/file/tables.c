/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first reading of a file, in its own order: who was there, what lay where, which stacks have
 * which keys, and what is damaged. */
#include "config.h"
#include "file/file-private.h"

#include <glib/gi18n-lib.h>
#include "base/wpr-error.h"

#define MOST_FAULTS 100
#define CHECK_EVERY 4096 /* events between two looks at the cancellable */

typedef struct
{
  WprTraceFile *file;
  GCancellable *cancellable;
  gboolean *has_switched; /* a CPU */
  gboolean cancelled;
  GString *text;
} Filling;

/* Names that layouts of several versions give one thing. */
static const char *const pid_names[] = { "ProcessId", "ProcessID", NULL };
static const char *const tid_names[] = { "TThreadId", "ThreadId", "ThreadID", NULL };
static const char *const stamp_names[] = { "TimeDateStamp", "TimeDateStamp0", NULL };
static const char *const base_names[] = { "ImageBase", NULL };
static const char *const size_names[] = { "ImageSize", NULL };
static const char *const process_names[] = { "ImageFileName", "ImageName", NULL };
static const char *const file_names[] = { "FileName", "ImageFileName", NULL };

static const WprEtlField *
find_field (const WprEtlField *fields, guint n, const char *const *names)
{
  for (; *names != NULL; names++)
    for (guint i = 0; i < n; i++)
      if (g_str_equal (fields[i].name, *names))
        return &fields[i];
  return NULL;
}

static gboolean
get_number (const WprEtlField *fields, guint n, const char *const *names, guint64 *value)
{
  const WprEtlField *field = find_field (fields, n, names);

  return field != NULL && wpr_etl_field_get_uint64 (field, value);
}

static const char *
get_text (Filling *self, const WprEtlField *fields, guint n, const char *const *names)
{
  const WprEtlField *field = find_field (fields, n, names);

  g_string_truncate (self->text, 0);
  if (field != NULL)
    wpr_etl_field_append_text (field, self->text);
  return self->text->str;
}

static guint
get_fields (Filling *self, const WprEtlEvent *event, const WprEtlField **fields)
{
  WprEtlDecoder *decoder = self->file->decoder;

  return wpr_etl_decoder_fields (decoder, event, wpr_etl_decoder_kind (decoder, event), fields);
}

static void
note_process (Filling *self, const WprEtlEvent *event, WprWhoNote note)
{
  const WprEtlField *fields;
  guint n = get_fields (self, event, &fields);
  guint64 pid;

  if (get_number (fields, n, pid_names, &pid))
    wpr_who_note_process (self->file->who, note, event->ticks, (guint32)pid,
                          get_text (self, fields, n, process_names));
}

static void
note_thread (Filling *self, const WprEtlEvent *event, WprWhoNote note)
{
  const WprEtlField *fields;
  guint n = get_fields (self, event, &fields);
  guint64 pid, tid;

  if (get_number (fields, n, pid_names, &pid) && get_number (fields, n, tid_names, &tid))
    wpr_who_note_thread (self->file->who, note, event->ticks, (guint32)tid, (guint32)pid);
}

static void
note_image (Filling *self, const WprEtlEvent *event, WprWhoNote note)
{
  const WprEtlField *fields;
  guint n = get_fields (self, event, &fields);
  guint64 pid = 0, stamp = 0, base, size;

  get_number (fields, n, pid_names, &pid);
  get_number (fields, n, stamp_names, &stamp);
  if (get_number (fields, n, base_names, &base) && get_number (fields, n, size_names, &size))
    wpr_modules_note_image (self->file->modules, (guint32)pid, base, size,
                            note == WPR_WHO_START ? event->ticks : G_MININT64, (guint32)stamp,
                            get_text (self, fields, n, file_names));
}

static const struct
{
  guint16 hook;
  void (*func) (Filling *self, const WprEtlEvent *event, WprWhoNote note);
  WprWhoNote note;
} notes[] = {
  { 0x0301, note_process, WPR_WHO_START }, { 0x0302, note_process, WPR_WHO_END },
  { 0x0303, note_process, WPR_WHO_THERE }, { 0x0304, note_process, WPR_WHO_AT_END },
  { 0x0501, note_thread, WPR_WHO_START },  { 0x0502, note_thread, WPR_WHO_END },
  { 0x0503, note_thread, WPR_WHO_THERE },  { 0x0504, note_thread, WPR_WHO_AT_END },
  { 0x0548, note_thread, WPR_WHO_NAME },   { 0x030a, note_image, WPR_WHO_START },
  { 0x1403, note_image, WPR_WHO_THERE },   { 0x1404, note_image, WPR_WHO_AT_END },
};

/* ---- Linux.Symbols ---- */

static void
note_symbol_image (Filling *self, const WprEtlField *fields, guint n)
{
  static const char *const image[] = { "Image", NULL }, *const path[] = { "Path", NULL },
                           *const build_id[] = { "BuildId", NULL };
  guint64 number;

  if (!get_number (fields, n, image, &number))
    return;
  g_autofree char *id = g_strdup (get_text (self, fields, n, build_id));
  wpr_functions_note_image (self->file->functions, (guint32)number,
                            get_text (self, fields, n, path), id);
}

static void
note_function (Filling *self, const WprEtlField *fields, guint n, gboolean is_jit)
{
  static const char *const image[] = { "Image", NULL }, *const pid[] = { "ProcessId", NULL },
                           *const start[] = { "Start", NULL }, *const size[] = { "Size", NULL },
                           *const name[] = { "Name", NULL };
  guint64 owner, from, bytes;

  if (get_number (fields, n, is_jit ? pid : image, &owner) && get_number (fields, n, start, &from)
      && get_number (fields, n, size, &bytes))
    (is_jit ? wpr_functions_note_jit
            : wpr_functions_note_function) (self->file->functions, (guint32)owner, from,
                                            (guint32)bytes, get_text (self, fields, n, name));
}

static void
note_symbols (Filling *self, const WprEtlEvent *event)
{
  const WprEtlField *fields;
  guint n;

  if (!g_str_equal (event->provider, "Linux.Symbols"))
    return;
  n = get_fields (self, event, &fields);
  if (g_str_equal (event->name, "Image"))
    note_symbol_image (self, fields, n);
  else if (g_str_equal (event->name, "Function"))
    note_function (self, fields, n, FALSE);
  else if (g_str_equal (event->name, "JitFunction"))
    note_function (self, fields, n, TRUE);
}

/* ---- whose file it is ---- */

static void
keep_text (Filling *self, const WprEtlField *fields, guint n, const char *const *names, char **kept)
{
  const char *text = get_text (self, fields, n, names);

  if (*kept == NULL && *text != '\0')
    *kept = g_strdup (text);
}

static void
note_recording (Filling *self, const WprEtlEvent *event)
{
  static const char *const host[] = { "Host", NULL }, *const boot[] = { "BootId", NULL };
  const WprEtlField *fields;
  guint n;

  if (!g_str_equal (event->provider, "Linux.Recorder") || !g_str_equal (event->name, "Recording"))
    return;
  n = get_fields (self, event, &fields);
  keep_text (self, fields, n, host, &self->file->host);
  keep_text (self, fields, n, boot, &self->file->boot_id);
}

static void
note_machine (Filling *self, const WprEtlEvent *event)
{
  static const char *const host[] = { "ComputerName", NULL };
  const WprEtlField *fields;
  guint n = get_fields (self, event, &fields);

  keep_text (self, fields, n, host, &self->file->host);
}

/* The first switch of a CPU tells who ran before it. */
static void
note_switch (Filling *self, const WprEtlEvent *event)
{
  WprRunning *cpu = &self->file->running_first[event->cpu];

  if (!self->has_switched[event->cpu] && wpr_owner_switch_from (event, &cpu->tid))
    cpu->is_known = self->has_switched[event->cpu] = TRUE;
}

static void
note_stack (Filling *self, const WprEtlEvent *event)
{
  WprEtlStack stack;

  if (wpr_etl_event_get_stack (event, &stack) && stack.is_own_record && stack.is_keyed
      && stack.n_frames > 0)
    wpr_stack_keys_note (self->file->keys, event->ticks, &stack);
}

static gboolean
visit (const WprEtlEvent *event, gpointer data)
{
  Filling *self = data;

  if (++self->file->n_events % CHECK_EVERY == 0 && g_cancellable_is_cancelled (self->cancellable))
    {
      self->cancelled = TRUE;
      return FALSE;
    }
  switch (event->header_type)
    {
    case 0x01 ... 0x04:
    case 0x10:
    case 0x11:
      break;
    default:
      if (event->schema != NULL && event->provider[0] == 'L')
        {
          note_symbols (self, event);
          note_recording (self, event);
        }
      return TRUE;
    }
  switch (event->hook >> 8)
    {
    case 0x03:
    case 0x14:
    case 0x05:
      for (guint i = 0; i < G_N_ELEMENTS (notes); i++)
        if (notes[i].hook == event->hook)
          notes[i].func (self, event, notes[i].note);
      if (event->hook == 0x0524 && event->cpu < self->file->header.n_cpus)
        note_switch (self, event);
      break;
    case 0x0b:
      if (event->hook == 0x0b0a)
        note_machine (self, event);
      break;
    case 0x18:
      if (self->file->keys != NULL)
        note_stack (self, event);
      break;
    default:
      break;
    }
  return TRUE;
}

static void
take_fault (guint64 offset, const char *fault, gpointer data)
{
  Filling *self = data;

  if (self->file->n_faults++ < MOST_FAULTS)
    g_ptr_array_add (self->file->faults,
                     g_strdup_printf (_ ("At byte %llu: %s."), (unsigned long long)offset, fault));
}

gboolean
wpr_trace_file_fill_tables (WprTraceFile *file, GCancellable *cancellable, GError **error)
{
  Filling self = { .file = file, .cancellable = cancellable, .text = g_string_new (NULL) };

  self.has_switched = g_new0 (gboolean, file->header.n_cpus);
  wpr_etl_file_visit (file->etl, visit, take_fault, &self);
  if (file->n_faults > MOST_FAULTS)
    g_ptr_array_add (file->faults,
                     g_strdup_printf (_ ("And %llu faults more."),
                                      (unsigned long long)(file->n_faults - MOST_FAULTS)));
  wpr_who_finish (file->who);
  wpr_modules_finish (file->modules);
  wpr_functions_finish (file->functions);
  if (file->keys != NULL)
    wpr_stack_keys_finish (file->keys);
  g_free (self.has_switched);
  g_string_free (self.text, TRUE);
  if (self.cancelled)
    wpr_set_error (error, WPR_ERROR_CANCELLED, 0, _ ("Reading the trace was cancelled."));
  return !self.cancelled;
}
