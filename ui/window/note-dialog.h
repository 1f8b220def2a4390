/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks what was wrong with a recording that is over: a few lines, changed or written anew. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef void (*WprNoteFunc) (GObject *owner, const char *name, const char *note);

/* take: called once with what was written, where it was to be saved. owner: kept until the dialog
 * is gone. name: handed to `take`; may be NULL. */
void wpr_note_dialog_show (GtkWindow *parent, const char *note, GObject *owner, const char *name,
                           WprNoteFunc take);

G_END_DECLS
