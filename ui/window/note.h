/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was wrong, into a finished recording: into each of its files, so that none is sent without
 * it. Waits for the disk: worker thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* name: any file of the recording. Errors as of wpr_trace_add_note(); if only others could not be
 * had, which those are. A file that is not beside it any more is passed over. */
gboolean wpr_note_add (const char *folder, const char *name, const char *note, GError **error);
/* The same in a folder that is open. */
gboolean wpr_note_add_at (int folder_fd, const char *name, const char *note, GError **error);

G_END_DECLS
