/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recordings of the save folder, and raw ones that were not finished: values of the main
 * thread; files are touched beside it (aside.h). Signals: "changed" (the list of unfinished
 * ones, or whether it is being read), "looked" (into a file), "toast" (char *text), "trouble" (char
 * *heading, char *body), "cannot-trash" (char *name), "progress" (double fraction) while one is
 * finished, "stale" (the folder that is watched has changed). */
#pragma once

#include <wpr-recorder.h>
#include "recording-item.h"

G_BEGIN_DECLS

#define WPR_TYPE_RECORDINGS (wpr_recordings_get_type ())
G_DECLARE_FINAL_TYPE (WprRecordings, wpr_recordings, WPR, RECORDINGS, GObject)

WprRecordings *wpr_recordings_new (void);
/* Ends the workers; what is being finished is given up and kept. */
void wpr_recordings_close (WprRecordings *self);

/* Of WprRecordingItem, newest first. */
GListModel *wpr_recordings_get_items (WprRecordings *self);
/* Of WprUnfinished *, none that is still recorded. */
const GPtrArray *wpr_recordings_get_unfinished (WprRecordings *self);
gboolean wpr_recordings_was_read (WprRecordings *self);
/* Why there is no list, in a sentence; NULL: there is one, or it is being read. */
const char *wpr_recordings_get_fault (WprRecordings *self);
const char *wpr_recordings_get_folder (WprRecordings *self);
/* Free bytes there; 0 where not known. */
guint64 wpr_recordings_get_free_bytes (WprRecordings *self);

/* Reads the folder (again); what is known of its files stays known. */
void wpr_recordings_read (WprRecordings *self, const char *folder);
/* While TRUE, "stale" says when it is to be read again; from the next reading on. */
void wpr_recordings_set_watched (WprRecordings *self, gboolean watched);
/* Looks into the file once; the item says "changed". */
void wpr_recordings_look (WprRecordings *self, WprRecordingItem *item);
/* title: without ".etl". Never over another file. */
void wpr_recordings_rename (WprRecordings *self, const char *name, const char *title);
void wpr_recordings_set_note (WprRecordings *self, const char *name, const char *note);
void wpr_recordings_trash (WprRecordings *self, const char *name);
/* For good: where there is no bin. */
void wpr_recordings_delete (WprRecordings *self, const char *name);
/* One at a time; "progress", then the list has the file. */
void wpr_recordings_finish (WprRecordings *self, const char *store_path, WprSaveFlags flags);
/* The store that is being finished, or NULL. */
const char *wpr_recordings_get_finishing (WprRecordings *self);
void wpr_recordings_stop_finishing (WprRecordings *self);
void wpr_recordings_discard (WprRecordings *self, const char *store_path);

G_END_DECLS
