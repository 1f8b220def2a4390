/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main thread's part: the list, and what is asked. What touches files is in
 * recordings-work.c. */
#include "config.h"
#include "recordings-private.h"

#include <glib/gi18n.h>
#include <string.h>

G_DEFINE_FINAL_TYPE (WprRecordings, wpr_recordings, G_TYPE_OBJECT)

guint wpr_recordings_signals[WPR_RECORDINGS_N_SIGNALS];

static void
wpr_recordings_finalize (GObject *object)
{
  WprRecordings *self = WPR_RECORDINGS (object);
  g_clear_object (&self->items);
  g_clear_pointer (&self->unfinished, g_ptr_array_unref);
  g_clear_object (&self->finish);
  g_clear_object (&self->monitor);
  g_free (self->finishing);
  g_free (self->folder);
  g_free (self->fault);
  G_OBJECT_CLASS (wpr_recordings_parent_class)->finalize (object);
}

static void
wpr_recordings_class_init (WprRecordingsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_recordings_finalize;
  static const struct
  {
    const char *name;
    guint n_types;
    GType types[2];
  } signals[WPR_RECORDINGS_N_SIGNALS] = {
    [WPR_RECORDINGS_CHANGED] = { "changed", 0, { 0 } },
    [WPR_RECORDINGS_LOOKED] = { "looked", 0, { 0 } },
    [WPR_RECORDINGS_TOAST] = { "toast", 1, { G_TYPE_STRING } },
    [WPR_RECORDINGS_TROUBLE] = { "trouble", 2, { G_TYPE_STRING, G_TYPE_STRING } },
    [WPR_RECORDINGS_CANNOT_TRASH] = { "cannot-trash", 1, { G_TYPE_STRING } },
    [WPR_RECORDINGS_PROGRESS] = { "progress", 1, { G_TYPE_DOUBLE } },
    [WPR_RECORDINGS_STALE] = { "stale", 0, { 0 } },
  };
  for (guint i = 0; i < WPR_RECORDINGS_N_SIGNALS; i++)
    wpr_recordings_signals[i]
        = g_signal_newv (signals[i].name, WPR_TYPE_RECORDINGS, G_SIGNAL_RUN_LAST, NULL, NULL, NULL,
                         NULL, G_TYPE_NONE, signals[i].n_types, (GType *)signals[i].types);
}

static void
wpr_recordings_init (WprRecordings *self)
{
  self->items = g_list_store_new (WPR_TYPE_RECORDING_ITEM);
  self->unfinished = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_unfinished_free);
}

WprRecordings *
wpr_recordings_new (void)
{
  return g_object_new (WPR_TYPE_RECORDINGS, NULL);
}

void
wpr_recordings_close (WprRecordings *self)
{
  wpr_recordings_stop_finishing (self);
  g_clear_pointer (&self->files, wpr_aside_free);
  g_clear_pointer (&self->finisher, wpr_aside_free);
  self->closed = TRUE;
  wpr_recordings_set_watched (self, FALSE);
}

GListModel *
wpr_recordings_get_items (WprRecordings *self)
{
  return G_LIST_MODEL (self->items);
}

const GPtrArray *
wpr_recordings_get_unfinished (WprRecordings *self)
{
  return self->unfinished;
}

gboolean
wpr_recordings_was_read (WprRecordings *self)
{
  return self->was_read;
}

const char *
wpr_recordings_get_fault (WprRecordings *self)
{
  return self->fault;
}

void
wpr_recordings_set_watched (WprRecordings *self, gboolean watched)
{
  self->watched = watched;
  if (!watched)
    g_clear_object (&self->monitor);
}

static void
on_folder_changed (WprRecordings *self)
{
  wpr_recordings_emit (self, WPR_RECORDINGS_STALE);
}

void
wpr_recordings_take_monitor (WprRecordings *self, GFileMonitor *monitor)
{
  if (!self->watched)
    return;
  g_set_object (&self->monitor, monitor);
  g_signal_connect_object (monitor, "changed", G_CALLBACK (on_folder_changed), self,
                           G_CONNECT_SWAPPED);
}

void
wpr_recordings_take_silence (WprRecordings *self)
{
  self->silent = TRUE;
  g_free (self->fault);
  self->fault = g_strdup (
      _ ("It does not answer. The disk or share it lies on may be gone or very busy. Its "
         "recordings are listed once it answers."));
  wpr_recordings_emit (self, WPR_RECORDINGS_CHANGED);
}

const char *
wpr_recordings_get_folder (WprRecordings *self)
{
  return self->folder;
}

guint64
wpr_recordings_get_free_bytes (WprRecordings *self)
{
  return self->free_bytes;
}

const char *
wpr_recordings_get_finishing (WprRecordings *self)
{
  return self->finishing;
}

void
wpr_recordings_stop_finishing (WprRecordings *self)
{
  if (self->finish != NULL)
    g_cancellable_cancel (self->finish);
}

static char *
make_key (WprRecordingItem *item)
{
  return g_strdup_printf ("%s\n%" G_GUINT64_FORMAT "\n%" G_GINT64_FORMAT,
                          wpr_recording_item_get_name (item), wpr_recording_item_get_size (item),
                          wpr_recording_item_get_saved_us (item));
}

/* A file that is as it was keeps its item, and with it what was seen in it. */
void
wpr_recordings_take_list (WprRecordings *self, GPtrArray *items, GPtrArray *unfinished,
                          guint64 free_bytes, const char *fault)
{
  self->silent = FALSE;
  g_free (self->fault);
  self->fault = g_strdup (fault);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->items));
  gboolean same = n == items->len;
  g_autoptr (GPtrArray) old = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < n; i++)
    {
      WprRecordingItem *item = g_list_model_get_item (G_LIST_MODEL (self->items), i);
      g_ptr_array_add (old, item);
      g_hash_table_insert (known, make_key (item), item);
    }
  for (guint i = 0; i < items->len; i++)
    {
      g_autofree char *key = make_key (items->pdata[i]);
      WprRecordingItem *item = g_hash_table_lookup (known, key);
      if (item != NULL)
        {
          g_object_unref (items->pdata[i]);
          items->pdata[i] = g_object_ref (item);
        }
      same = same && items->pdata[i] == old->pdata[i];
    }
  if (!same)
    g_list_store_splice (self->items, 0, n, items->pdata, items->len);
  g_clear_pointer (&self->unfinished, g_ptr_array_unref);
  self->unfinished = g_ptr_array_ref (unfinished);
  self->free_bytes = free_bytes;
  self->was_read = TRUE;
  wpr_recordings_emit (self, WPR_RECORDINGS_CHANGED);
}

void
wpr_recordings_take_finished (WprRecordings *self, const char *toast)
{
  g_clear_pointer (&self->finishing, g_free);
  g_clear_object (&self->finish);
  wpr_recordings_emit (self, WPR_RECORDINGS_CHANGED);
  if (toast != NULL)
    wpr_recordings_emit (self, WPR_RECORDINGS_TOAST, toast);
}
