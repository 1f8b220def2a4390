/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of the graph: what of them does not change any more is painted once, every few
 * seconds, and moved by whole pixels from then on; only their newest end is drawn anew. Main
 * thread. Does not live here: what they mean, their colours. */
#pragma once

#include <gtk/gtk.h>
#include "history.h"

G_BEGIN_DECLS

#define WPR_STRIP_ABOVE 2 /* pixels a line may reach over the plot */

/* Where a history is drawn, in pixels. */
typedef struct
{
  const WprHistory *history;
  double now; /* of the right edge, seconds since start */
  int left, right, top, bottom;
} WprPlot;

/* May lie outside of the plot. */
double wpr_plot_x (const WprPlot *plot, double second);
/* share: 0..1 */
double wpr_plot_y (const WprPlot *plot, double share);

/* How the lines look where a save would write them, and where that is over. */
typedef enum
{
  WPR_STRIP_KEPT,
  WPR_STRIP_GONE,
  WPR_STRIP_N
} WprStripPart;

/* Of the area below the rate, the rate, and the fullest buffer; transparent: none. */
typedef struct
{
  GdkRGBA area, rate, fill;
} WprStripColors;

typedef struct _WprStrip WprStrip;

WprStrip *wpr_strip_new (void);
void wpr_strip_free (WprStrip *strip);
/* What is painted is of another recording, or has other colors. */
void wpr_strip_forget (WprStrip *strip);

/* Sets plot->now to the moment at which what is painted lies on whole pixels; device: pixels of the
 * display for one. */
void wpr_strip_place (WprStrip *strip, WprPlot *plot, int device);
/* Draws the lines between two x. After wpr_strip_place(), with at least one moment. */
void wpr_strip_append (WprStrip *strip, const WprPlot *plot, GtkSnapshot *snapshot,
                       WprStripPart part, const WprStripColors *colors, double from, double to);
/* TRUE: drawn now it would look otherwise than it was drawn, if only because time went on. */
gboolean wpr_strip_moves (const WprStrip *strip, const WprHistory *history);

G_END_DECLS
