/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files are: which are of one computer, when each began, what a person must know about
 * them together; and the events that keep each file's header. */
#include "config.h"
#include "file/merge-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include "base/wpr-error.h"
#include "etl/layout.h"

/* Boot times of one boot may differ by what the wall clock was set in between. */
#define SAME_BOOT_TICKS (2 * G_GINT64_CONSTANT (10000000))
#define MOST_CPUS G_MAXUINT16
#define MOST_TEXT 4096 /* of a notice or name, in the new file */
#define IDLE_PID 0
#define SYSTEM_PID 4

static void G_GNUC_PRINTF (2, 3) notice (WprMerge *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (self->merged->notices, g_strdup_vprintf (format, args));
  va_end (args);
}

static const WprEtlFileInfo *
info_of (const WprMergeInput *input)
{
  return wpr_etl_file_info (input->file->etl);
}

/* ---- machines ---- */

static gboolean
is_same_machine (const WprMergeInput *a, const WprMergeInput *b)
{
  gint64 apart;

  if (a->file->boot_id != NULL && b->file->boot_id != NULL)
    return g_str_equal (a->file->boot_id, b->file->boot_id);
  if (a->file->host != NULL && b->file->host != NULL
      && g_ascii_strcasecmp (a->file->host, b->file->host) != 0)
    return FALSE;
  apart = (gint64)((guint64)info_of (a)->boot_filetime - (guint64)info_of (b)->boot_filetime);
  return apart > -SAME_BOOT_TICKS && apart < SAME_BOOT_TICKS;
}

/* Each machine's processors lie behind those of the one before: two computers have a CPU 0 each. */
static gboolean
place_machines (WprMerge *self, GError **error)
{
  g_autofree guint *n_cpus = g_new0 (guint, self->n);
  guint64 n_all = 0;

  for (guint i = 0; i < self->n; i++)
    {
      WprMergeInput *input = &self->inputs[i];

      input->machine = self->n_machines;
      for (guint k = 0; k < i; k++)
        if (is_same_machine (&self->inputs[k], input))
          {
            input->machine = self->inputs[k].machine;
            break;
          }
      if (input->machine == self->n_machines)
        self->n_machines++;
      n_cpus[input->machine] = MAX (n_cpus[input->machine], info_of (input)->n_cpus);
    }
  for (guint machine = 0; machine < self->n_machines; machine++)
    {
      for (guint i = 0; i < self->n; i++)
        if (self->inputs[i].machine == machine)
          self->inputs[i].first_cpu = (guint)n_all;
      n_all += n_cpus[machine];
    }
  if (n_all > MOST_CPUS)
    {
      wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                     _ ("These files are of more than 65535 processors together, which a trace "
                        "file cannot hold. Merge fewer of them."));
      return FALSE;
    }
  self->n_cpus = (guint)n_all;
  return TRUE;
}

/* ---- times ---- */

static void
place_times (WprMerge *self)
{
  const WprMergeInput *first = NULL;

  for (guint i = 0; i < self->n; i++)
    {
      const WprEtlFileInfo *info = info_of (&self->inputs[i]);

      if (info->start_filetime > 0
          && (first == NULL || info->start_filetime < info_of (first)->start_filetime))
        first = &self->inputs[i];
      self->end_filetime = MAX (self->end_filetime, info->end_filetime);
    }
  self->start_filetime = first != NULL ? info_of (first)->start_filetime : 0;
  /* Ticks since boot of the computer that began. */
  if (first != NULL && info_of (first)->boot_filetime > 0
      && info_of (first)->boot_filetime <= self->start_filetime)
    self->start_ticks = self->start_filetime - info_of (first)->boot_filetime;
  for (guint i = 0; i < self->n; i++)
    {
      WprMergeInput *input = &self->inputs[i];

      input->base = self->start_ticks;
      if (info_of (input)->start_filetime > 0)
        input->base += info_of (input)->start_filetime - self->start_filetime;
      else if (self->n > 1)
        notice (self, _ ("“%s” does not say when it was recorded; it was put at the beginning."),
                input->shown);
    }
}

/* ---- what a person must know ---- */

typedef struct
{
  GHashTable *names; /* of one machine: pid -> name */
  guint n;
  guint32 pid;
  const char *here, *there; /* an example */
} Collision;

static void
take_name (guint32 pid, const char *name, gpointer data)
{
  g_hash_table_insert (data, GUINT_TO_POINTER (pid), (gpointer)name);
}

static void
compare_name (guint32 pid, const char *name, gpointer data)
{
  Collision *self = data;
  gpointer there;

  if (pid == IDLE_PID || pid == SYSTEM_PID
      || !g_hash_table_lookup_extended (self->names, GUINT_TO_POINTER (pid), NULL, &there)
      || g_strcmp0 (there, name) == 0)
    return;
  if (self->n++ == 0)
    {
      self->pid = pid;
      self->here = name;
      self->there = there;
    }
}

static void
tell_collisions (WprMerge *self, const WprMergeInput *a, const WprMergeInput *b)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  Collision collision = { .names = names };

  wpr_who_foreach_process (a->file->who, take_name, names);
  wpr_who_foreach_process (b->file->who, compare_name, &collision);
  if (collision.n > 0)
    notice (self,
            ngettext ("“%s” and “%s” are of different computers, and %u process id means another "
                      "process in each, such as %u: “%s” and “%s”. In the new file they cannot "
                      "be told apart.",
                      "“%s” and “%s” are of different computers, and %u process ids mean another "
                      "process in each, such as %u: “%s” and “%s”. In the new file they cannot "
                      "be told apart.",
                      collision.n),
            a->shown, b->shown, collision.n, collision.pid, collision.there, collision.here);
}

static void
tell_file (WprMerge *self, const WprMergeInput *input)
{
  const GPtrArray *faults = input->file->faults;

  if (faults->len > 0)
    {
      self->merged->is_damaged = TRUE;
      notice (self, _ ("“%s” is damaged; what is whole of it was taken. %s"), input->shown,
              (const char *)g_ptr_array_index (faults, 0));
    }
  if (info_of (input)->pointer_size != 8)
    notice (self,
            _ ("“%s” is of a 32-bit system. Its events are kept as they are; other programs may "
               "expect those of a 64-bit system."),
            input->shown);
  self->merged->events_lost += info_of (input)->events_lost;
  self->merged->buffers_lost += info_of (input)->buffers_lost;
}

gboolean
wpr_merge_survey (WprMerge *self, GError **error)
{
  if (!place_machines (self, error))
    return FALSE;
  for (guint i = 0; i < self->n; i++)
    {
      tell_file (self, &self->inputs[i]);
      for (guint k = 0; k < i; k++)
        if (self->inputs[k].machine != self->inputs[i].machine)
          tell_collisions (self, &self->inputs[k], &self->inputs[i]);
    }
  place_times (self);
  return TRUE;
}

/* ---- events ---- */

typedef struct
{
  GByteArray *payload;
  WprEtlSchema *schema;
} Fact;

static void
add_number (Fact *self, const char *name, WprTlType type, guint64 value)
{
  guint64 bytes = GUINT64_TO_LE (value);

  wpr_etl_schema_add_field (self->schema, name, type, 0, 0);
  g_byte_array_append (self->payload, (const guint8 *)&bytes,
                       type == WPR_TL_U32 ? sizeof (guint32) : sizeof (guint64));
}

static void
add_text (Fact *self, const char *name, const char *text)
{
  g_autofree char *valid
      = text != NULL ? g_utf8_make_valid (text, (gssize)strnlen (text, MOST_TEXT)) : g_strdup ("");

  wpr_etl_schema_add_field (self->schema, name, WPR_TL_STRING8, 0, 0);
  g_byte_array_append (self->payload, (const guint8 *)valid, (guint)strlen (valid) + 1);
}

static Fact
fact_new (const char *name)
{
  return (Fact){ g_byte_array_new (), wpr_etl_schema_new ("Linux.Recorder", name) };
}

/* Writes and frees. */
static gboolean
fact_write (Fact *self, WprEtlWriter *writer, gint64 ticks, GError **error)
{
  WprEtlHead head = { .pid = WPR_NOBODY, .tid = WPR_NOBODY };
  gboolean ok;

  wpr_etl_schema_fill_head (self->schema, &head);
  ok = wpr_etl_writer_add (writer, 0, ticks, &head, self->payload->data, self->payload->len, error);
  g_byte_array_unref (self->payload);
  wpr_etl_schema_free (self->schema);
  return ok;
}

static gboolean
write_file (WprMerge *self, guint index, GError **error)
{
  const WprMergeInput *input = &self->inputs[index];
  const WprEtlFileInfo *info = info_of (input);
  Fact fact = fact_new ("MergedFile");

  add_number (&fact, "Number", WPR_TL_U32, index);
  add_text (&fact, "File", input->shown);
  add_text (&fact, "Host", input->file->host);
  add_text (&fact, "LoggerName", info->logger_name);
  add_number (&fact, "Machine", WPR_TL_U32, input->machine);
  add_number (&fact, "FirstCpu", WPR_TL_U32, input->first_cpu);
  add_number (&fact, "Cpus", WPR_TL_U32, info->n_cpus);
  add_number (&fact, "BootTime", WPR_TL_FILETIME, (guint64)info->boot_filetime);
  add_number (&fact, "StartTime", WPR_TL_FILETIME, (guint64)info->start_filetime);
  add_number (&fact, "EndTime", WPR_TL_FILETIME, (guint64)info->end_filetime);
  add_number (&fact, "StartTicks", WPR_TL_I64, (guint64)info->start_ticks);
  add_number (&fact, "Frequency", WPR_TL_I64, (guint64)info->perf_frequency);
  add_number (&fact, "ClockType", WPR_TL_U32, info->clock_type);
  add_number (&fact, "PointerSize", WPR_TL_U32, info->pointer_size);
  add_number (&fact, "OsBuild", WPR_TL_U32, info->os_build);
  add_number (&fact, "LogFileMode", WPR_TL_U32, info->mode);
  add_number (&fact, "BufferSize", WPR_TL_U32, info->buffer_bytes);
  add_number (&fact, "Buffers", WPR_TL_U32, info->n_buffers);
  add_number (&fact, "EventsLost", WPR_TL_U32, info->events_lost);
  add_number (&fact, "BuffersLost", WPR_TL_U32, info->buffers_lost);
  return fact_write (&fact, self->writer, self->start_ticks, error);
}

gboolean
wpr_merge_write_facts (WprMerge *self, GError **error)
{
  const GPtrArray *notices = self->merged->notices;

  for (guint i = 0; i < self->n; i++)
    if (!write_file (self, i, error))
      return FALSE;
  for (guint i = 0; i < notices->len; i++)
    {
      Fact fact = fact_new ("MergeNotice");

      add_text (&fact, "Text", g_ptr_array_index (notices, i));
      if (!fact_write (&fact, self->writer, self->start_ticks, error))
        return FALSE;
    }
  return TRUE;
}
