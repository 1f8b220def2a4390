/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A raw recording that was not finished: what it is, Finish, Discard. */
#pragma once

#include <adwaita.h>
#include "model.h"
#include "recordings.h"

G_BEGIN_DECLS

GtkWidget *wpr_unfinished_card_new (const WprUnfinished *unfinished, WprRecordings *recordings,
                                    WprModel *model);

G_END_DECLS
