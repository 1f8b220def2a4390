/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Several files into one: their records in the order of wall-clock time, written beside, read back,
 * then given its name. Does not live here: clocks (merge-times.c), what the files are
 * (merge-facts.c). */
#include "config.h"
#include "file/merge-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "etl/layout.h"

#define CHECK_EVERY 4096 /* records between two looks at the cancellable */
/* Numbers of images in Linux.Symbols are a file's own; each file gets a range. */
#define IMAGE_NUMBERS (1u << 20)
#define HOOK_HEADER 0x0000
#define HOOK_MASKS 0x0005
#define HOOK_PARTITION 0x0050
#define LOGGER_NAME "[multiple files]" /* as merged files of Windows have it */

/* ---- reading ---- */

static gboolean
is_kernel_event (const WprEtlEvent *event)
{
  return event->header_type <= WPR_ETL_HEAD_COMPACT || event->header_type == WPR_ETL_HEAD_PERFINFO
         || event->header_type == WPR_ETL_HEAD_PERFINFO32;
}

/* The records of a header buffer are the new file's own; what they ask is joined. */
static gboolean
is_of_header (WprMerge *self, const WprEtlEvent *event)
{
  if (!is_kernel_event (event)
      || (event->hook != HOOK_HEADER
          && (event->buffer > 0 || (event->hook != HOOK_MASKS && event->hook != HOOK_PARTITION))))
    return FALSE;
  for (guint i = 0; event->hook == HOOK_MASKS && event->payload_size >= 32 && i < 8; i++)
    self->group_masks[i] |= wpr_etl_get32 (event->payload + 4 * i);
  return TRUE;
}

/* The input's next record that is copied. */
static void
advance (WprMerge *self, WprMergeInput *input)
{
  do
    input->next = wpr_etl_cursor_next (input->file->cursor);
  while (input->next != NULL && is_of_header (self, input->next));
  if (input->next != NULL)
    input->next_ticks = wpr_merge_ticks (input, input->next->ticks);
}

static WprMergeInput *
earliest (WprMerge *self)
{
  WprMergeInput *found = NULL;

  for (guint i = 0; i < self->n; i++)
    if (self->inputs[i].next != NULL
        && (found == NULL || self->inputs[i].next_ticks < found->next_ticks))
      found = &self->inputs[i];
  return found;
}

/* ---- writing ---- */

/* Image and Function of Linux.Symbols begin with the image's number. */
static void
fix_image_number (const WprMerge *self, const WprMergeInput *input, guint8 *copy)
{
  const WprEtlEvent *event = input->next;
  guint8 *at = copy + (event->payload - event->record);

  if (event->schema == NULL || event->payload_size < 4
      || !g_str_equal (event->provider, "Linux.Symbols")
      || (!g_str_equal (event->name, "Image") && !g_str_equal (event->name, "Function")))
    return;
  wpr_etl_put32 (at, wpr_etl_get32 (at) + (guint32)(input - self->inputs) * IMAGE_NUMBERS);
}

static gboolean
copy_record (WprMerge *self, const WprMergeInput *input, GError **error)
{
  const WprEtlEvent *event = input->next;
  guint8 *copy;

  if (event->record_size > WPR_ETL_MOST_RECORD)
    {
      self->merged->n_left_out++;
      return TRUE;
    }
  copy = wpr_etl_writer_add_record (self->writer, input->first_cpu + event->cpu, input->next_ticks,
                                    event->record, event->record_size, event->time_at, error);
  if (copy == NULL)
    return FALSE;
  if (is_kernel_event (event))
    wpr_merge_fix_times (input, event, copy);
  else
    fix_image_number (self, input, copy);
  return TRUE;
}

static gboolean
copy_records (WprMerge *self, GError **error)
{
  WprMergeInput *input;
  guint64 n = 0;

  while ((input = earliest (self)) != NULL)
    {
      if (++n % CHECK_EVERY == 0 && g_cancellable_is_cancelled (self->cancellable))
        {
          wpr_set_error (error, WPR_ERROR_CANCELLED, 0, _ ("Merging was cancelled."));
          return FALSE;
        }
      if (!copy_record (self, input, error))
        return FALSE;
      advance (self, input);
    }
  return TRUE;
}

static gboolean
write_all (WprMerge *self, int fd, const char *name, GError **error)
{
  const WprEtlFileInfo *first = wpr_etl_file_info (self->inputs[0].file->etl);
  WprEtlHeaderInfo info = { .n_cpus = self->n_cpus,
                            .cpu_mhz = first->cpu_mhz,
                            .boot_filetime = self->start_filetime - self->start_ticks,
                            .start_filetime = self->start_filetime,
                            .start_ticks = self->start_ticks,
                            .bias_minutes = first->bias_minutes,
                            .logger_name = LOGGER_NAME,
                            .file_name = name };

  /* The header buffers' records come first, and the masks in them. */
  for (guint i = 0; i < self->n; i++)
    advance (self, &self->inputs[i]);
  memcpy (info.group_masks, self->group_masks, sizeof info.group_masks);
  self->writer = wpr_etl_writer_new (fd, &info, error);
  return self->writer != NULL && wpr_merge_write_facts (self, error) && copy_records (self, error)
         && wpr_etl_writer_finish (self->writer, self->end_filetime, self->merged->events_lost,
                                   (guint32)MIN (self->merged->buffers_lost, G_MAXUINT32), error);
}

/* ---- reading back ---- */

typedef struct
{
  guint64 n;
  char *fault; /* the first */
} Found;

static gboolean
count_event (const WprEtlEvent *event, gpointer data)
{
  ((Found *)data)->n++;
  return TRUE;
}

static void
keep_fault (guint64 offset, const char *fault, gpointer data)
{
  Found *found = data;

  if (found->fault == NULL)
    found->fault = g_strdup (fault);
}

static gboolean
read_back (WprMerge *self, int fd, GError **error)
{
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  g_autoptr (WprEtlFile) file = wpr_etl_file_open (path, error);
  Found found = { 0, NULL };
  guint64 written = wpr_etl_writer_events (self->writer) + 3; /* the header buffer's */

  if (file == NULL)
    return FALSE;
  wpr_etl_file_visit (file, count_event, keep_fault, &found);
  self->merged->n_events = found.n;
  self->merged->size_bytes = wpr_etl_file_size (file);
  self->merged->n_clamped = wpr_etl_writer_clamped (self->writer);
  if (found.fault == NULL && found.n == written)
    return TRUE;
  wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                 _ ("The merged file did not pass its check (%s); nothing was written. The files "
                    "it was made of are as they were."),
                 found.fault != NULL ? found.fault : _ ("events are missing"));
  g_free (found.fault);
  return FALSE;
}

/* ---- all of it ---- */

static gboolean
open_inputs (WprMerge *self, const char *const *paths, GError **error)
{
  for (guint i = 0; i < self->n; i++)
    {
      WprMergeInput *input = &self->inputs[i];

      input->shown = g_filename_display_basename (paths[i]);
      for (guint k = 0; k < i; k++)
        if (g_str_equal (paths[i], paths[k]))
          {
            wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                           _ ("“%s” is named twice. Name each file once."), input->shown);
            return FALSE;
          }
      input->file = wpr_trace_file_open (paths[i], WPR_TRACE_PLAIN, self->cancellable, error);
      if (input->file == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
tell_left_out (WprMerge *self)
{
  const WprTraceMerged *merged = self->merged;

  if (merged->n_clamped > 0)
    g_ptr_array_add (merged->notices,
                     g_strdup_printf (_ ("Time goes back %llu times in the files; the events in "
                                         "question have the time of the one before."),
                                      (unsigned long long)merged->n_clamped));
  if (merged->n_left_out > 0)
    g_ptr_array_add (merged->notices,
                     g_strdup_printf (_ ("%llu events are too large for the new file and were "
                                         "left out."),
                                      (unsigned long long)merged->n_left_out));
}

static gboolean
merge (WprMerge *self, const char *const *paths, int folder_fd, const char *name, GError **error)
{
  /* First the target: nobody waits for what cannot be written. */
  g_autoptr (WprBehalf) behalf = wpr_behalf_of_caller ();
  g_autoptr (WprNewFile) target = wpr_new_file_open_for (folder_fd, name, behalf, error);

  if (target == NULL || !open_inputs (self, paths, error) || !wpr_merge_survey (self, error)
      || !write_all (self, wpr_new_file_get_fd (target), name, error)
      || !read_back (self, wpr_new_file_get_fd (target), error)
      || !wpr_new_file_commit (target, error))
    return FALSE;
  tell_left_out (self);
  return TRUE;
}

WprTraceMerged *
wpr_trace_merge_files (const char *const *paths, guint n_paths, int folder_fd, const char *name,
                       GCancellable *cancellable, GError **error)
{
  WprMerge self = { .n = n_paths, .cancellable = cancellable };
  gboolean ok;

  g_return_val_if_fail (paths != NULL && n_paths > 0 && name != NULL, NULL);
  self.inputs = g_new0 (WprMergeInput, n_paths);
  self.merged = g_new0 (WprTraceMerged, 1);
  self.merged->notices = g_ptr_array_new_with_free_func (g_free);
  ok = merge (&self, paths, folder_fd, name, error);
  for (guint i = 0; i < n_paths; i++)
    {
      wpr_trace_file_close (self.inputs[i].file);
      g_free (self.inputs[i].shown);
    }
  g_free (self.inputs);
  wpr_etl_writer_free (self.writer);
  if (!ok)
    g_clear_pointer (&self.merged, wpr_trace_merged_free);
  return self.merged;
}

void
wpr_trace_merged_free (WprTraceMerged *merged)
{
  if (merged == NULL)
    return;
  g_ptr_array_unref (merged->notices);
  g_free (merged);
}
