/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every key that does something in the whole window. help-overlay.ui tells people of them: a test
 * compares the two. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *action; /* "win.record" */
  const char *keys;   /* as gtk_accelerator_parse() takes them */
} WprShortcut;

/* NULL behind the last. */
const WprShortcut *wpr_shortcut_get (guint index);

G_END_DECLS
