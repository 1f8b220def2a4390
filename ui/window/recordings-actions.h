/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be done to a recording of the list: actions "recordings.*" of the page; their target is
 * the file's name, a bytestring. */
#pragma once

#include "recordings-page.h"

G_BEGIN_DECLS

void wpr_recordings_actions_install (GtkWidgetClass *klass);
/* recordings-page.c */
WprRecordings *wpr_recordings_page_get_recordings (WprRecordingsPage *self);

G_END_DECLS
