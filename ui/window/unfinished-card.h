/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A raw recording that was not finished: what it is, Finish, Discard. */
#pragma once

#include <adwaita.h>
#include "model.h"
#include "recordings.h"

G_BEGIN_DECLS

GtkWidget *wpr_unfinished_card_new (const WprUnfinished *unfinished, WprRecordings *recordings,
                                    WprModel *model);
/* The buttons stand below the words. */
void wpr_unfinished_card_set_narrow (GtkWidget *card, gboolean narrow);

G_END_DECLS
