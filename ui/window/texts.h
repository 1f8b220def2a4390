/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences made of figures, used by more than one page. Pure; newly allocated. */
#pragma once

#include "model.h"

G_BEGIN_DECLS

/* "First level triage, CPU usage. Memory, verbose." */
char *wpr_text_subject (const WprSubject *subject);
/* "Started with wpr by ada at 10:02"; NULL for one begun in this window. */
char *wpr_text_origin (const WprSubject *subject);
/* "System collector": what people read for a collector's name. */
const char *wpr_text_collector (const WprCollectorStats *collector);
/* "1,204 of 3,412,081 events were lost". */
char *wpr_text_loss (guint64 lost, guint64 events);
/* "System collector, CPU 1, between 1:41 and 1:43"; NULL if nobody knows. */
char *wpr_text_loss_where (const WprStats *stats);
/* Whether every lost event is among the seconds that are listed. */
gboolean wpr_text_loss_is_placed (const WprStats *stats);
/* "Documents/WPR Files": below the home without it. */
char *wpr_text_folder (const char *folder);
/* Everything of the plan that is missing for the same reason as the one of that index, which is the
 * first: "irq:a, irq:b". */
char *wpr_text_missing (const WprPlan *plan, guint index);
/* A span of time nobody knows exactly: two figures. */
char *wpr_text_about (double span_s);
/* An amount nobody knows exactly: two figures. */
char *wpr_text_about_bytes (double bytes);
/* "5%", "less than 1%". */
char *wpr_text_share (guint64 part, guint64 whole);
/* "Will keep about the last 1 min 20 s": what Start would bring; estimate may be NULL. */
char *wpr_text_forecast (const WprPlan *plan, const WprEstimate *estimate);
/* What this user may record and whether an administrator can be asked, or what became of asking;
 * "" where there is nothing to say. Free with g_free. */
char *wpr_text_lock (WprModel *model);
/* "Only your programs are recorded.", as sentences for a recording that runs or is over; "" where
 * everything is. rights: as of WprSubject. */
const char *wpr_text_recorded (const char *rights, gboolean over);
/* The graph in words: rate, time or fill, losses, marks. */
char *wpr_text_graph (const WprStats *stats, const WprHistory *history);

G_END_DECLS
