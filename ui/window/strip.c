/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture of the graph was mostly the filling of its outline, ten times a second: it is the copy
 * of an image instead. (Not a texture: GTK 4.8 converts each of its pixels to floating point and
 * back where it draws without a graphics card.) */
#include "config.h"
#include "strip.h"

#include <math.h>

#define REMAKE_S 5.0 /* as long as this the newest end may become */

struct _WprStrip
{
  cairo_surface_t *painted[WPR_STRIP_N]; /* NULL: not yet */
  /* of what */
  gboolean made;
  guint64 scale;
  int width, height, device;
  gboolean memory;
  guint n_gaps; /* a loss that is known later changes what was before */
  gint64 newest_gap;
  double now;   /* of the right edge */
  double joint; /* the second from which on lines are drawn anew */
  double split; /* pixels from the left; nothing is painted from there on */
  double shift; /* pixels it was moved to the left when it was drawn last */
};

double
wpr_plot_x (const WprPlot *plot, double second)
{
  double share = 1 - (plot->now - second) / WPR_HISTORY_S;
  return plot->left + share * (plot->right - plot->left);
}

double
wpr_plot_y (const WprPlot *plot, double share)
{
  return plot->bottom - CLAMP (share, 0, 1) * (plot->bottom - plot->top);
}

/* ---- outlines ---- */

/* The rate at the left edge, on the line from a moment before it to the next one. */
static double
rate_at_edge (const WprMoment *before, const WprMoment *next, double edge)
{
  double share = (edge - before->second) / (next->second - before->second);
  return before->rate + (next->rate - before->rate) * CLAMP (share, 0, 1);
}

/* From a second on, through the readings alone; returns where it begins. */
static double
trace_rate (const WprPlot *plot, cairo_t *cr, double joint)
{
  const GArray *moments = plot->history->moments;
  double full = wpr_history_get_full (plot->history), edge = plot->now - WPR_HISTORY_S;
  double begin = plot->right;
  for (guint i = 0; i < moments->len; i++)
    {
      const WprMoment *moment = &g_array_index (moments, WprMoment, i);
      if (moment->second < joint || (!moment->counted && i > 0))
        continue;
      gboolean before = moment->second < edge && i + 1 < moments->len;
      double rate = before ? rate_at_edge (moment, moment + 1, edge) : moment->rate;
      double x = wpr_plot_x (plot, before ? edge : moment->second);
      begin = MIN (begin, x);
      cairo_line_to (cr, x, wpr_plot_y (plot, rate / full));
    }
  const WprMoment *last = &g_array_index (moments, WprMoment, moments->len - 1);
  cairo_line_to (cr, plot->right, wpr_plot_y (plot, last->rate / full));
  return begin;
}

static void
trace_fill (const WprPlot *plot, cairo_t *cr, double joint)
{
  const GArray *moments = plot->history->moments;
  for (guint i = 0; i < moments->len; i++)
    {
      const WprMoment *moment = &g_array_index (moments, WprMoment, i);
      if (moment->second >= joint)
        cairo_line_to (cr, wpr_plot_x (plot, moment->second), wpr_plot_y (plot, moment->fill));
    }
  const WprMoment *last = &g_array_index (moments, WprMoment, moments->len - 1);
  cairo_line_to (cr, plot->right, wpr_plot_y (plot, last->fill));
}

static void
draw (const WprPlot *plot, cairo_t *cr, const WprStripColors *colors, double joint)
{
  cairo_new_path (cr);
  double begin = trace_rate (plot, cr, joint);
  cairo_path_t *rate = cairo_copy_path (cr);
  cairo_line_to (cr, plot->right, plot->bottom);
  cairo_line_to (cr, begin, plot->bottom);
  cairo_close_path (cr);
  gdk_cairo_set_source_rgba (cr, &colors->area);
  cairo_fill (cr);
  cairo_append_path (cr, rate);
  cairo_path_destroy (rate);
  gdk_cairo_set_source_rgba (cr, &colors->rate);
  cairo_set_line_width (cr, 2);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke (cr);
  if (gdk_rgba_is_clear (&colors->fill))
    return;
  trace_fill (plot, cr, joint);
  gdk_cairo_set_source_rgba (cr, &colors->fill);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

/* ---- what is painted ---- */

WprStrip *
wpr_strip_new (void)
{
  return g_new0 (WprStrip, 1);
}

void
wpr_strip_forget (WprStrip *strip)
{
  for (guint i = 0; i < WPR_STRIP_N; i++)
    g_clear_pointer (&strip->painted[i], cairo_surface_destroy);
  strip->made = FALSE;
}

void
wpr_strip_free (WprStrip *strip)
{
  wpr_strip_forget (strip);
  g_free (strip);
}

/* In the middle between the two newest counts: a line there stays as it is. */
static void
find_joint (WprStrip *strip, const WprPlot *plot)
{
  const GArray *moments = plot->history->moments;
  const WprMoment *newest = NULL;
  strip->joint = 0;
  strip->split = 0;
  for (guint i = moments->len; i > 0; i--)
    {
      const WprMoment *moment = &g_array_index (moments, WprMoment, i - 1);
      if (!moment->counted)
        continue;
      if (newest != NULL)
        {
          double middle = (moment->second + newest->second) / 2;
          strip->joint = moment->second;
          strip->split = MAX (floor (wpr_plot_x (plot, middle) - plot->left), 0);
          return;
        }
      newest = moment;
    }
}

static cairo_surface_t *
paint (const WprStrip *strip, const WprPlot *plot, const WprStripColors *colors)
{
  int width = (int)strip->split * strip->device;
  int height = (strip->height + WPR_STRIP_ABOVE) * strip->device;
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  WprPlot here = { .history = plot->history,
                   .now = strip->now,
                   .right = strip->width,
                   .top = WPR_STRIP_ABOVE,
                   .bottom = WPR_STRIP_ABOVE + strip->height };
  cairo_surface_set_device_scale (image, strip->device, strip->device);
  cairo_t *cr = cairo_create (image);
  cairo_rectangle (cr, 0, 0, strip->width, here.bottom);
  cairo_clip (cr);
  draw (&here, cr, colors, 0);
  cairo_destroy (cr);
  return image;
}

static gboolean
is_of (const WprStrip *strip, const WprPlot *plot, int device)
{
  return strip->made && strip->width == plot->right - plot->left
         && strip->height == plot->bottom - plot->top && strip->device == device;
}

static gint64
find_newest_gap (const WprHistory *history)
{
  const GArray *gaps = history->gaps;
  return gaps->len > 0 ? g_array_index (gaps, WprGap, gaps->len - 1).second : -1;
}

static gboolean
is_stale (const WprStrip *strip, const WprHistory *history)
{
  return strip->scale != history->scale || strip->memory != history->memory
         || strip->n_gaps != history->gaps->len || strip->newest_gap != find_newest_gap (history)
         || strip->shift < 0 || history->now - strip->now > REMAKE_S;
}

static double
find_shift (const WprStrip *strip, const WprHistory *history)
{
  double pixels = (history->now - strip->now) / WPR_HISTORY_S * strip->width;
  return round (pixels * strip->device) / strip->device;
}

static double
find_now (const WprStrip *strip)
{
  return strip->now + strip->shift / strip->width * WPR_HISTORY_S;
}

/* On the same pixels as before, or lines would tremble each time. */
static void
make (WprStrip *strip, const WprPlot *plot, int device)
{
  const WprHistory *history = plot->history;
  WprPlot painted = *plot;
  double now = is_of (strip, plot, device) ? find_now (strip) : history->now;
  wpr_strip_forget (strip);
  strip->made = TRUE;
  strip->now = painted.now = now;
  strip->shift = 0;
  strip->scale = history->scale;
  strip->memory = history->memory;
  strip->n_gaps = history->gaps->len;
  strip->newest_gap = find_newest_gap (history);
  strip->width = plot->right - plot->left;
  strip->height = plot->bottom - plot->top;
  strip->device = device;
  find_joint (strip, &painted);
}

void
wpr_strip_place (WprStrip *strip, WprPlot *plot, int device)
{
  const WprHistory *history = plot->history;
  if (is_of (strip, plot, device))
    strip->shift = find_shift (strip, history);
  if (!is_of (strip, plot, device) || is_stale (strip, history))
    make (strip, plot, device);
  plot->now = find_now (strip);
}

/* No larger than what is in it. */
static graphene_rect_t
find_place (const WprPlot *plot, const WprStripColors *colors, double from, double to)
{
  const WprHistory *history = plot->history;
  double peak = wpr_history_get_peak (history) / wpr_history_get_full (history);
  double top = gdk_rgba_is_clear (&colors->fill) ? floor (wpr_plot_y (plot, peak)) : plot->top;
  return GRAPHENE_RECT_INIT ((float)from, (float)top - WPR_STRIP_ABOVE, (float)(to - from),
                             plot->bottom - (float)top + WPR_STRIP_ABOVE);
}

void
wpr_strip_append (WprStrip *strip, const WprPlot *plot, GtkSnapshot *snapshot, WprStripPart part,
                  const WprStripColors *colors, double from, double to)
{
  double first = g_array_index (plot->history->moments, WprMoment, 0).second;
  double split = plot->left + strip->split - strip->shift;
  /* the line is two pixels wide */
  from = MAX (from, floor (wpr_plot_x (plot, first)) - 1);
  if (to <= from)
    return;
  graphene_rect_t place = find_place (plot, colors, from, to);
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &place);
  if (strip->split >= 1 && split > from)
    {
      if (strip->painted[part] == NULL)
        strip->painted[part] = paint (strip, plot, colors);
      cairo_set_source_surface (cr, strip->painted[part], plot->left - strip->shift,
                                plot->top - WPR_STRIP_ABOVE);
      cairo_paint (cr);
    }
  if (split < to)
    {
      cairo_rectangle (cr, MAX (from, split), plot->top - WPR_STRIP_ABOVE, to - MAX (from, split),
                       plot->bottom - plot->top + WPR_STRIP_ABOVE);
      cairo_clip (cr);
      draw (plot, cr, colors, strip->joint);
    }
  cairo_destroy (cr);
}

gboolean
wpr_strip_moves (const WprStrip *strip, const WprHistory *history)
{
  return !strip->made || find_shift (strip, history) != strip->shift;
}
