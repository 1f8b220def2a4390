/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last 60 seconds of a recording, as the graph shows them, and the scale of its axis. Plain
 * values, main thread. Does not live here: drawing. */
#pragma once

#include <wpr-recorder.h>

G_BEGIN_DECLS

#define WPR_HISTORY_S 60
#define WPR_HISTORY_STEPS 3 /* grid lines above zero */

typedef struct
{
  double second;    /* since start */
  double rate;      /* events a second */
  double fill;      /* the fullest buffer, 0..1 */
  gboolean counted; /* the rate is a new reading: the line goes through it */
} WprMoment;

typedef struct
{
  double second; /* since start */
  char *words;   /* "" where the person said nothing */
} WprFlag;

typedef struct
{
  gint64 second; /* since start */
  guint64 lost;  /* in that second, on all CPUs and collectors */
} WprGap;

typedef struct
{
  double now;        /* seconds since start */
  double holds_s;    /* what a save would write; -1 not known or file mode */
  gboolean memory;   /* memory mode */
  GArray *moments;   /* of WprMoment, oldest first */
  GArray *flags;     /* of WprFlag */
  GArray *gaps;      /* of WprGap, oldest first */
  guint64 scale;     /* the axis ends at three of these */
  double counted_at; /* second of the newest moment that is counted */
  double shrink_at;  /* seconds since start from which the scale may shrink*/
} WprHistory;

WprHistory *wpr_history_new (void);
void wpr_history_free (WprHistory *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprHistory, wpr_history_free)

/* Takes one reading in; drops what is older than 60 s. */
void wpr_history_push (WprHistory *history, const WprStats *stats);
/* A flag at that second of the recording; words may be NULL. */
void wpr_history_flag (WprHistory *history, double second, const char *words);
/* Gives the newest flag its words. */
void wpr_history_name_flag (WprHistory *history, const char *words);
/* All that was lost within the seconds shown. */
guint64 wpr_history_get_lost (const WprHistory *history);
/* The rate at the upper end of the axis. */
double wpr_history_get_full (const WprHistory *history);
/* The highest rate shown. */
double wpr_history_get_peak (const WprHistory *history);

/* The smallest of 1, 2, 3, 5 times a power of ten of which three reach `peak`; at least 1. */
guint64 wpr_scale_for (double peak);

G_END_DECLS
