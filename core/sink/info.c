/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was recorded: reads a whole .etl, verifies it and counts its events by kind. The words for
 * people are in info-text.c. */
#include "config.h"
#include "sink/info-private.h"

#include <errno.h>
#include <string.h>
#include <glib/gi18n-lib.h>

/* 285 years. */
#define MOST_DURATION_NS 9e18
#define UNIX_EPOCH_FILETIME G_GINT64_CONSTANT (116444736000000000)
/* A badly damaged file has a fault a buffer; what is beyond this is counted. */
#define MOST_FAULTS 100
#define N_HOOKS 65536

/* Kinds that a hook does not name: by GUID and name, or GUID and opcode. */
typedef struct
{
  WprEtlGuid guid;
  guint8 header_type;
  guint16 id;       /* opcode, or id of an event without a schema */
  const char *name; /* of a self-describing event, else "" */
  char *own_name, *provider;
  guint64 count;
} NamedKind;

typedef struct
{
  WprTraceInfo *info;
  guint64 *hooks;    /* of N_HOOKS */
  GHashTable *named; /* NamedKind, itself the key */
  NamedKind *last;   /* events come in runs of a kind */
  guint64 n_faults, last_buffer;
  gint64 first_ticks, last_ticks;
  guint64 size;
  guint32 buffer_bytes;
  WprInfoPulse pulse;
  gpointer pulse_data;
  gboolean cancelled;
} Counting;

static guint
named_hash (gconstpointer key)
{
  const NamedKind *kind = key;
  guint hash = kind->guid.data1 ^ kind->id;

  for (const char *p = kind->name; *p != '\0'; p++)
    hash = hash * 33 + (guint8)*p;
  return hash;
}

static gboolean
named_equal (gconstpointer a, gconstpointer b)
{
  const NamedKind *x = a, *y = b;

  return x->id == y->id && x->header_type == y->header_type
         && memcmp (&x->guid, &y->guid, sizeof x->guid) == 0 && strcmp (x->name, y->name) == 0;
}

static void
named_free (gpointer data)
{
  NamedKind *kind = data;

  g_free (kind->own_name);
  g_free (kind->provider);
  g_free (kind);
}

static void
count_named (Counting *self, const WprEtlEvent *event)
{
  NamedKind key = { .guid = event->guid,
                    .header_type = event->header_type,
                    .id = event->schema != NULL                                      ? 0
                          : event->provider[0] != '\0'                               ? event->hook
                          : event->header_type == 0x13 || event->header_type == 0x12 ? event->hook
                                                                                     : event->type,
                    .name = event->name };
  NamedKind *kind;

  if (self->last != NULL && named_equal (self->last, &key))
    {
      self->last->count++;
      return;
    }
  kind = g_hash_table_lookup (self->named, &key);
  if (kind == NULL)
    {
      kind = g_new (NamedKind, 1);
      *kind = key;
      kind->name = kind->own_name = g_strdup (event->name);
      kind->provider = g_strdup (event->provider);
      g_hash_table_add (self->named, kind);
    }
  kind->count++;
  self->last = kind;
}

static gboolean
visit (const WprEtlEvent *event, gpointer data)
{
  Counting *self = data;

  if (event->buffer != self->last_buffer)
    {
      self->last_buffer = event->buffer;
      if (self->pulse != NULL
          && !self->pulse (event->buffer, self->size, self->pulse_data))
        {
          self->cancelled = TRUE;
          return FALSE;
        }
    }
  self->info->n_events++;
  if (event->buffer > 0 && event->ticks > self->last_ticks)
    self->last_ticks = event->ticks;
  switch (event->header_type)
    {
    case 0x01 ... 0x04:
    case 0x10:
    case 0x11:
      self->hooks[event->hook]++;
      break;
    default:
      count_named (self, event);
      if (event->schema != NULL && g_str_equal (event->provider, "Linux.Recorder"))
        wpr_info_take_fact (self->info, event);
      else if (event->schema != NULL && g_str_equal (event->provider, "Linux.Symbols"))
        wpr_info_take_symbols (self->info, event);
    }
  return TRUE;
}

static void
take_fault (guint64 offset, const char *fault, gpointer data)
{
  Counting *self = data;

  if (self->n_faults++ < MOST_FAULTS)
    g_ptr_array_add (self->info->faults,
                     g_strdup_printf (_ ("At byte %llu: %s."), (unsigned long long)offset, fault));
}

/* ---- the result ---- */

static void
add_count (WprTraceInfo *info, char *provider, char *name, guint64 count)
{
  WprEventCount *row = g_new (WprEventCount, 1);

  *row = (WprEventCount){ provider, name, count };
  g_ptr_array_add (info->counts, row);
}

static void
count_free (gpointer data)
{
  WprEventCount *row = data;

  g_free ((char *)row->provider);
  g_free ((char *)row->name);
  g_free (row);
}

static void
list_named (Counting *self)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->named);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const NamedKind *kind = key;
      const char *provider, *name;

      if (kind->name[0] != '\0')
        add_count (self->info,
                   kind->provider[0] != '\0' ? g_utf8_make_valid (kind->provider, -1)
                                             : wpr_info_guid_text (&kind->guid),
                   g_utf8_make_valid (kind->name, -1), kind->count);
      else if (wpr_info_classic_name (&kind->guid, (guint8)kind->id, &provider, &name))
        add_count (self->info, g_strdup (provider), g_strdup (name), kind->count);
      else
        add_count (self->info, wpr_info_guid_text (&kind->guid),
                   g_strdup_printf (kind->header_type == 0x12 || kind->header_type == 0x13
                                        ? "event %u"
                                        : "opcode %u",
                                    kind->id),
                   kind->count);
    }
}

static void
list_hooks (Counting *self)
{
  const char *provider, *name;

  for (guint hook = 0; hook < N_HOOKS; hook++)
    if (self->hooks[hook] > 0)
      {
        if (wpr_info_hook_name ((guint16)hook, &provider, &name))
          add_count (self->info, g_strdup (provider), g_strdup (name), self->hooks[hook]);
        else
          add_count (self->info, g_strdup_printf ("group 0x%02x", hook >> 8),
                     g_strdup_printf ("opcode %u", hook & 0xff), self->hooks[hook]);
      }
}

static int
compare_counts (gconstpointer a, gconstpointer b)
{
  const WprEventCount *x = *(WprEventCount *const *)a, *y = *(WprEventCount *const *)b;
  int order;

  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  order = strcmp (x->provider, y->provider);
  return order != 0 ? order : strcmp (x->name, y->name);
}

static gint64
realtime (gint64 filetime)
{
  /* ns since 1970 fit into a number until 2262. */
  return filetime > UNIX_EPOCH_FILETIME && filetime - UNIX_EPOCH_FILETIME <= G_MAXINT64 / 100
             ? (filetime - UNIX_EPOCH_FILETIME) * 100
             : 0;
}

static void
finish (Counting *self, WprEtlFileInfo *file)
{
  WprTraceInfo *info = self->info;
  /* A stranger's times may lie further apart than a number holds: then they say nothing. */
  gint64 ticks = (gint64)((guint64)self->last_ticks - (guint64)file->start_ticks);

  info->buffer_bytes = file->buffer_bytes;
  info->n_buffers = file->n_buffers;
  info->n_cpus = file->n_cpus;
  info->pointer_size = file->pointer_size;
  info->events_lost = file->events_lost;
  info->buffers_lost = file->buffers_lost;
  info->perf_frequency = file->perf_frequency;
  info->logger_name = g_steal_pointer (&file->logger_name);
  info->start_realtime_ns = realtime (file->start_filetime);
  info->end_realtime_ns = realtime (file->end_filetime);
  if (info->end_realtime_ns >= info->start_realtime_ns && info->start_realtime_ns > 0)
    info->duration_ns = info->end_realtime_ns - info->start_realtime_ns;
  else if (ticks > 0 && file->perf_frequency > 0)
    info->duration_ns
        = (gint64)MIN ((double)ticks / (double)file->perf_frequency * 1e9, MOST_DURATION_NS);
  if (self->n_faults > MOST_FAULTS)
    g_ptr_array_add (info->faults,
                     g_strdup_printf (_ ("And %llu faults more."),
                                      (unsigned long long)(self->n_faults - MOST_FAULTS)));
  list_hooks (self);
  list_named (self);
  g_ptr_array_sort (info->counts, compare_counts);
  info->complete = info->events_lost == 0 && info->buffers_lost == 0 && info->faults->len == 0
                   && file->end_filetime != 0;
}

WprTraceInfo *
wpr_trace_info_from_bytes (const guint8 *bytes, gsize size, WprInfoPulse pulse, gpointer data,
                           GError **error)
{
  g_autoptr (WprTraceInfo) info = g_new0 (WprTraceInfo, 1);
  Counting self = { .info = info, .size = size, .pulse = pulse, .pulse_data = data };
  WprEtlFileInfo file;
  gboolean ok;

  info->size_bytes = size;
  info->profiles = g_ptr_array_new_with_free_func (g_free);
  info->counts = g_ptr_array_new_with_free_func (count_free);
  info->facts = g_ptr_array_new_with_free_func (g_free);
  info->parts = g_ptr_array_new_with_free_func (g_free);
  info->faults = g_ptr_array_new_with_free_func (g_free);
  self.buffer_bytes = size >= 4 ? GUINT32_FROM_LE (*(const guint32 *)bytes) : 0;
  self.hooks = g_new0 (guint64, N_HOOKS);
  self.named = g_hash_table_new_full (named_hash, named_equal, named_free, NULL);

  ok = wpr_etl_read (bytes, size, &file, visit, take_fault, &self, error);
  if (ok && self.cancelled)
    {
      wpr_set_error (error, WPR_ERROR_CANCELLED, 0, _ ("Reading the trace was cancelled."));
      wpr_etl_file_info_clear (&file);
      ok = FALSE;
    }
  if (ok)
    finish (&self, &file);
  g_free (self.hooks);
  g_hash_table_unref (self.named);
  return ok ? g_steal_pointer (&info) : NULL;
}

static gboolean
pulse_cancellable (guint64 done, guint64 total, gpointer data)
{
  return !g_cancellable_is_cancelled (data);
}

WprTraceInfo *
wpr_trace_info_read (const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GError) local = NULL;
  static const guint8 nothing[4];

  g_return_val_if_fail (path != NULL, NULL);
  /* Opening a pipe waits for somebody to write into it. */
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_autofree char *name = g_filename_display_name (path);

      wpr_set_error (error, WPR_ERROR_DAMAGED, 0,
                     _ ("\"%s\" is a folder, a device or a pipe, not a trace. Name a file."), name);
      return NULL;
    }
  file = g_mapped_file_new (path, FALSE, &local);
  if (file == NULL)
    {
      g_autofree char *name = g_filename_display_name (path);

      wpr_set_error (error,
                     g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_ACCES)
                         ? WPR_ERROR_NOT_PERMITTED
                         : WPR_ERROR_DAMAGED,
                     0,
                     _ ("The trace \"%s\" cannot be read: %s. Check the name and that you may "
                        "read it."),
                     name, local->message);
      return NULL;
    }
  return wpr_trace_info_from_bytes (
      g_mapped_file_get_length (file) > 0 ? (const guint8 *)g_mapped_file_get_contents (file)
                                          : nothing,
      g_mapped_file_get_length (file), pulse_cancellable, cancellable, error);
}

void
wpr_trace_info_free (WprTraceInfo *info)
{
  if (info == NULL)
    return;
  g_free (info->logger_name);
  g_free (info->host);
  g_free (info->kernel);
  g_free (info->tool_version);
  g_free (info->note);
  g_ptr_array_unref (info->profiles);
  g_ptr_array_unref (info->counts);
  g_ptr_array_unref (info->facts);
  g_ptr_array_unref (info->parts);
  g_ptr_array_unref (info->faults);
  g_free (info);
}
