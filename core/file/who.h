/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which process had a pid, and which process a thread belonged to, at a time; told by a file's own
 * Process and Thread events, in whatever order they are met. Private to this room. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define WPR_NOBODY G_MAXUINT32

/* What an event says of a process or thread. */
typedef enum
{
  WPR_WHO_THERE, /* rundown at the beginning: was there before */
  WPR_WHO_START,
  WPR_WHO_END,
  WPR_WHO_AT_END, /* rundown at the end: still there */
  WPR_WHO_NAME,   /* of a thread, which need not have begun then */
} WprWhoNote;

typedef struct _WprWho WprWho;
WprWho *wpr_who_new (void);
void wpr_who_free (WprWho *self);

/* While the file is read; names are copied, "" tells nothing. ticks: of the file's clock. */
void wpr_who_note_process (WprWho *self, WprWhoNote note, gint64 ticks, guint32 pid,
                           const char *name);
void wpr_who_note_thread (WprWho *self, WprWhoNote note, gint64 ticks, guint32 tid, guint32 pid);
/* When all is noted, before the first question. */
void wpr_who_finish (WprWho *self);

/* The process' name then; "" where the file does not tell. Holds as long as the table. An event a
 * little outside of a life belongs to the nearest one. */
const char *wpr_who_process (const WprWho *self, guint32 pid, gint64 ticks);
/* Every process, in the order of pids. */
typedef void (*WprWhoFunc) (guint32 pid, const char *name, gpointer data);
void wpr_who_foreach_process (const WprWho *self, WprWhoFunc func, gpointer data);
/* The thread's process; WPR_NOBODY where the file does not tell. */
guint32 wpr_who_thread (const WprWho *self, guint32 tid, gint64 ticks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprWho, wpr_who_free)

G_END_DECLS
