/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What writer and reader of a store share: names of files, the frame of a note. Private. */
#pragma once

#include "store/store.h"

G_BEGIN_DECLS

#define WPR_STORE_MANIFEST "manifest"
#define WPR_STORE_MANIFEST_NEW "manifest.new"
#define WPR_STORE_EPOCH_FORMAT "epoch-%06u"
#define WPR_STORE_GONE_FORMAT "gone-%06u"  /* an epoch being deleted: nobody reads it */
#define WPR_STORE_DATA_FORMAT "data-%u-%u" /* collector, cpu */
#define WPR_STORE_SIDEBAND "sideband"
#define WPR_STORE_NOTES "notes"
/* At the head of an epoch, for when it is the oldest: notes of deleted epochs, and the world. */
#define WPR_STORE_KEPT "kept"
#define WPR_STORE_WORLD "world"

/* Manifests hold the formats of a few hundred events and an id an event and CPU. */
#define WPR_STORE_MANIFEST_MOST (256 << 20)

/* In `kept` only: u64, bytes of data in the epochs that were deleted. */
#define WPR_NOTE_DROPPED 0x7fff

typedef struct __attribute__ ((packed))
{
  guint32 size; /* of frame and payload */
  guint16 kind, cpu;
  gint64 time;
  guint32 pid, tid;
  guint32 crc; /* of the frame with crc 0, and the payload */
} WprNoteFrame;

/* A note is at most this: nobody writes longer ones, so a larger size is damage. */
#define WPR_NOTE_MOST (16 << 20)

/* Appends a framed note. */
void wpr_note_append (GByteArray *to, guint kind, guint cpu, WprTime time, guint32 pid, guint32 tid,
                      gconstpointer payload, gsize size);
/* Notes of an epoch that must outlive it, appended to what was kept before. */
void wpr_notes_keep (GByteArray *to, const guint8 *notes, gsize size);
/* Bytes of whole records at the head of raw perf records. */
gsize wpr_records_whole (const guint8 *bytes, gsize size);

/* A whole file beneath a folder; NULL without error if there is none or it is larger. */
GBytes *wpr_store_load (int folder_fd, const char *name, gsize most);
/* Numbers of the epochs in a folder (guint), ascending. */
GArray *wpr_store_epochs (int folder_fd);
/* Bytes of all files of all epochs. */
guint64 wpr_store_folder_bytes (int folder_fd);

G_END_DECLS
