/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payloads of notes that are numbers: packed, in the machine's byte order. What each kind means is
 * said at WprNoteKind in store.h. Copy them out: a payload may lie at any address. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define WPR_PACKED __attribute__ ((packed))

typedef struct WPR_PACKED
{
  guint32 collector, row; /* row G_MAXUINT32: not known */
  guint64 count;
} WprLossPayload;

typedef struct WPR_PACKED
{
  guint32 collector;
  gint64 from, to; /* MONOTONIC; to G_MAXINT64: did not come back */
} WprGapPayload;

typedef struct WPR_PACKED
{
  guint32 row, collector; /* collector G_MAXUINT32: the sideband's own ring */
  guint64 counted, lost;
} WprTallyPayload;

typedef struct WPR_PACKED
{
  guint32 collector;
  guint64 bytes_ever, kept, overwritten;
} WprRingPayload;

typedef struct WPR_PACKED
{
  gint64 cpu_ns;
  guint64 wakeups;
} WprCostPayload;

/* WPR_NOTE_UID; WPR_NOTE_CMDLINE: `when`, then the text without a NUL. */
typedef struct WPR_PACKED
{
  gint64 when;
  guint32 uid;
} WprUidPayload;

/* WPR_NOTE_FILES: one look into a process' /proc/PID/fd; a process with many has several notes. */
typedef struct WPR_PACKED
{
  guint32 look; /* number of the look into all of /proc that this belongs to, and WPR_LOOK_LAST */
} WprFilesPayload;
#define WPR_LOOK_LAST 0x80000000u /* made when all events were over */
typedef struct WPR_PACKED
{
  gint32 fd;       /* AT_FDCWD: the current folder */
  guint32 flags;   /* O_APPEND, O_CLOEXEC .. */
  gint64 position; /* -1: not known */
  guint16 size;    /* of the path that follows, without a NUL */
} WprFilesEntry;

G_END_DECLS
