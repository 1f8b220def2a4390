/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a trace is played to. */
#pragma once

#include "base/behalf.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Writes a genuine .etl to fd (seekable, empty). fd stays the caller's. */
WprSink *wpr_sink_etl_new (int fd, GError **error);
/* Names of the functions in stacks and samples are looked for at the end and written along. Before
 * playing. */
typedef struct
{
  const WprProgress *progress; /* phase "names"; NULL ok */
  GCancellable *cancellable;   /* NULL ok */
  gboolean debuginfod;         /* ask the servers DEBUGINFOD_URLS names, too */
} WprSinkNamesWish;
void wpr_sink_etl_want_names (WprSink *self, const WprSinkNamesWish *wish);
void wpr_sink_etl_totals (WprSink *self, guint64 *events, guint64 *bytes); /* after play */
/* Counts by kind; for tests and ten-second runs without a display. */
WprSink *wpr_sink_summary_new (void);
char *wpr_sink_summary_text (WprSink *self);
guint64 wpr_sink_summary_count (WprSink *self, WprEventKind kind);
void wpr_sink_free (WprSink *self);

/* Store -> finished, verified .etl in a folder: plays, reads the file back whole, links it. The
 * store is left alone. */
typedef struct
{
  gboolean compress;
  /* A file that would grow over this is followed by another: NAME.etl, NAME-2.etl .., each complete
   * by itself. 0: everything is one file. Where what belongs into every file takes more than half
   * of it, it is twice that. */
  guint64 part_bytes;
  gboolean no_names;   /* of functions */
  gboolean debuginfod; /* see WprSinkNamesWish */
  WprBehalf *behalf;   /* whose files they are; NULL: this process's. Borrowed */
} WprSinkOptions;
typedef struct
{
  guint64 size, events, lost; /* of all files */
  gint64 duration_ns;
  gboolean complete;
  char *name;   /* of the first */
  char **names; /* of all; NULL where there is but one */
} WprSinkResult;
void wpr_sink_result_clear (WprSinkResult *result);
/* options: NULL: neither. All files are there, or none is. */
gboolean wpr_sink_save_etl (WprTrace *trace, int folder_fd, const char *name,
                            const WprSinkOptions *options, const WprProgress *progress,
                            GCancellable *cancellable, WprSinkResult *result, GError **error);

G_END_DECLS
