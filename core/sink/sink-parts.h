/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording into one or several files; private to this room. */
#pragma once

#include "base/files.h"
#include "sink/sink.h"

G_BEGIN_DECLS

/* One of the files, not yet under its name. */
typedef struct
{
  WprNewFile *file;
  WprSink *sink; /* a sink-etl */
  char *name;
  guint64 n_events; /* added; once all is finished */
} WprPart;

/* wish: NULL: no names of functions. Makes the first file's place at once, so that what refuses
 * does so before anything is played. */
WprSink *wpr_sink_parts_new (int folder_fd, const char *name, const WprSinkOptions *options,
                             const WprSinkNamesWish *wish, GError **error);
guint wpr_sink_parts_length (WprSink *self);
WprPart *wpr_sink_parts_get (WprSink *self, guint index);

G_END_DECLS
