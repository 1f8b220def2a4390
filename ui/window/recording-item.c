/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved recording of the list. */
#include "config.h"
#include "recording-item.h"

#include <string.h>
#include "search.h"

struct _WprRecordingItem
{
  GObject parent;
  char *name, *title;
  guint64 size;
  gint64 saved_us;
  WprRecordingBrief brief;
  gboolean looked;
};

G_DEFINE_FINAL_TYPE (WprRecordingItem, wpr_recording_item, G_TYPE_OBJECT)

static guint changed_signal;

void
wpr_recording_brief_clear (WprRecordingBrief *brief)
{
  g_clear_pointer (&brief->profiles, g_strfreev);
  g_clear_pointer (&brief->note, g_free);
}

static void
wpr_recording_item_finalize (GObject *object)
{
  WprRecordingItem *self = WPR_RECORDING_ITEM (object);
  g_free (self->name);
  g_free (self->title);
  wpr_recording_brief_clear (&self->brief);
  G_OBJECT_CLASS (wpr_recording_item_parent_class)->finalize (object);
}

static void
wpr_recording_item_class_init (WprRecordingItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_recording_item_finalize;
  changed_signal = g_signal_new ("changed", WPR_TYPE_RECORDING_ITEM, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
wpr_recording_item_init (WprRecordingItem *self)
{
}

WprRecordingItem *
wpr_recording_item_new (const char *name, guint64 size, gint64 saved_us)
{
  WprRecordingItem *self = g_object_new (WPR_TYPE_RECORDING_ITEM, NULL);
  self->name = g_strdup (name);
  self->title = g_filename_display_name (name);
  gsize length = strlen (self->title);
  if (length > 4 && g_ascii_strcasecmp (self->title + length - 4, ".etl") == 0)
    self->title[length - 4] = '\0';
  self->size = size;
  self->saved_us = saved_us;
  return self;
}

const char *
wpr_recording_item_get_name (WprRecordingItem *self)
{
  return self->name;
}

const char *
wpr_recording_item_get_title (WprRecordingItem *self)
{
  return self->title;
}

guint64
wpr_recording_item_get_size (WprRecordingItem *self)
{
  return self->size;
}

gint64
wpr_recording_item_get_saved_us (WprRecordingItem *self)
{
  return self->saved_us;
}

const WprRecordingBrief *
wpr_recording_item_get_brief (WprRecordingItem *self)
{
  return &self->brief;
}

void
wpr_recording_item_set_brief (WprRecordingItem *self, WprRecordingBrief *brief)
{
  wpr_recording_brief_clear (&self->brief);
  self->brief = *brief;
  *brief = (WprRecordingBrief){ 0 };
  self->looked = TRUE;
  g_signal_emit (self, changed_signal, 0);
}

gboolean
wpr_recording_item_begin_look (WprRecordingItem *self)
{
  gboolean first = !self->looked;
  self->looked = TRUE;
  return first;
}

gboolean
wpr_recording_item_matches (WprRecordingItem *self, const char *query)
{
  g_autofree char *text
      = g_strconcat (self->title, "\n", self->brief.note ? self->brief.note : "", NULL);
  g_autofree char *folded = wpr_search_fold (text);
  return wpr_search_matches (folded, query);
}
