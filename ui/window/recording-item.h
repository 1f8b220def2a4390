/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A saved recording as the list shows it: a value made in the worker, read in the main thread. What
 * is in the file is known only once it was looked at; "changed" says so. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_SEAL_UNKNOWN, /* not looked at yet */
  WPR_SEAL_COMPLETE,
  WPR_SEAL_LOST,
  WPR_SEAL_DAMAGED,
  WPR_SEAL_UNREADABLE /* no trace, or it may not be read */
} WprSeal;

#define WPR_TYPE_RECORDING_ITEM (wpr_recording_item_get_type ())
G_DECLARE_FINAL_TYPE (WprRecordingItem, wpr_recording_item, WPR, RECORDING_ITEM, GObject)

/* What a look at the file gave. */
typedef struct
{
  WprSeal seal;
  guint64 lost;
  char **profiles; /* "CPU.Verbose.File"; NULL: unknown */
  char *note;      /* NULL: none */
} WprRecordingBrief;
void wpr_recording_brief_clear (WprRecordingBrief *brief);

/* name: as the file system has it, without the folder. saved_us: wall clock. */
WprRecordingItem *wpr_recording_item_new (const char *name, guint64 size, gint64 saved_us);
const char *wpr_recording_item_get_name (WprRecordingItem *self);
/* Without ".etl", always UTF-8. */
const char *wpr_recording_item_get_title (WprRecordingItem *self);
guint64 wpr_recording_item_get_size (WprRecordingItem *self);
gint64 wpr_recording_item_get_saved_us (WprRecordingItem *self);
const WprRecordingBrief *wpr_recording_item_get_brief (WprRecordingItem *self);
/* Takes what is in brief. */
void wpr_recording_item_set_brief (WprRecordingItem *self, WprRecordingBrief *brief);
/* Every word of the query is in its title or note, whatever the case. */
gboolean wpr_recording_item_matches (WprRecordingItem *self, const char *query);
/* TRUE the first time: it is to be looked at. */
gboolean wpr_recording_item_begin_look (WprRecordingItem *self);

G_END_DECLS
