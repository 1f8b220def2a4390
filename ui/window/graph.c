/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a WprHistory. Time runs left to right in every language. Gutters are measured from the text
 * they hold, so they follow the size of text. */
#include "config.h"
#include "graph.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include "format.h"

#define LEAST_HEIGHT 118
#define GAP 8            /* pixels between text and the plot */
#define LEAST_GONE_S 1.5 /* what a ring holds is known to a second */
#define STEPS 3          /* grid lines above zero */
#define FLAG_SIZE 8
#define BRACKET_DROP 8 /* pixels the bracket's ends reach down */
#define DIM .7         /* as style.css dims; high contrast does not */

struct _WprGraph
{
  GtkWidget parent;
  const WprHistory *history;
  /* what stays from picture to picture: grid, numbers, seconds; and of what it was made */
  GskRenderNode *still; /* NULL: to be made */
  guint64 still_scale;
  gboolean still_memory;
  int still_width, still_height;
  int line_height, left, right;
};

G_DEFINE_FINAL_TYPE (WprGraph, wpr_graph, GTK_TYPE_WIDGET)

typedef struct
{
  WprGraph *self;
  const WprHistory *history;
  cairo_t *cr;
  PangoLayout *layout;
  GdkRGBA text, accent, error, fill, neutral;
  double dim;
  int line_height;
  double left, right, top, bottom; /* the plot */
} Picture;

/* ---- measures ---- */

static double
x_of (const Picture *picture, double second)
{
  double share = 1 - (picture->history->now - second) / WPR_HISTORY_S;
  return picture->left + CLAMP (share, 0, 1) * (picture->right - picture->left);
}

static double
y_of (const Picture *picture, double share)
{
  return picture->bottom - CLAMP (share, 0, 1) * (picture->bottom - picture->top);
}

static int
text_width (Picture *picture, const char *text)
{
  int width = 0;
  pango_layout_set_text (picture->layout, text, -1);
  pango_layout_get_pixel_size (picture->layout, &width, NULL);
  return width;
}

static void
set_color (Picture *picture, const GdkRGBA *color, double alpha)
{
  cairo_set_source_rgba (picture->cr, color->red, color->green, color->blue, color->alpha * alpha);
}

/* align: 0 begins at x, 0.5 is centred there, 1 ends there. y is the top. */
static void
draw_text (Picture *picture, const char *text, double x, double y, double align)
{
  int width = text_width (picture, text);
  cairo_move_to (picture->cr, floor (x - width * align), floor (y));
  pango_cairo_show_layout (picture->cr, picture->layout);
}

static void
line (Picture *picture, double x1, double y1, double x2, double y2)
{
  cairo_move_to (picture->cr, floor (x1) + .5, floor (y1) + .5);
  cairo_line_to (picture->cr, floor (x2) + .5, floor (y2) + .5);
  cairo_stroke (picture->cr);
}

/* ---- parts ---- */

static void
draw_axes (Picture *picture)
{
  cairo_set_line_width (picture->cr, 1);
  for (int i = 0; i <= STEPS; i++)
    {
      double y = y_of (picture, (double)i / STEPS);
      g_autofree char *label = wpr_format_count (picture->history->scale * i);
      set_color (picture, &picture->text, i == 0 ? .25 : .1);
      line (picture, picture->left, y, picture->right, y);
      set_color (picture, &picture->text, picture->dim);
      draw_text (picture, label, picture->left - GAP, y - picture->line_height / 2.0, 1);
    }
  if (picture->history->memory)
    return;
  g_autofree char *full = wpr_format_percent (1, 0);
  g_autofree char *empty = wpr_format_percent (0, 0);
  set_color (picture, &picture->fill, 1);
  double x = gtk_widget_get_width (GTK_WIDGET (picture->self));
  draw_text (picture, full, x, picture->top - picture->line_height / 2.0, 1);
  draw_text (picture, empty, x, picture->bottom - picture->line_height / 2.0, 1);
}

static void
draw_seconds (Picture *picture)
{
  /* Translators: below the graph, from left to right; seconds before now */
  const char *labels[] = { _ ("60 s ago"), _ ("45 s"), _ ("30 s"), _ ("15 s"), _ ("now") };
  double width = picture->right - picture->left;
  gboolean all = text_width (picture, labels[0]) * 6 < width;
  set_color (picture, &picture->text, picture->dim);
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    if (all || i % 2 == 0)
      draw_text (picture, labels[i], picture->left + width * i / 4, picture->bottom + 4,
                 i == 0   ? 0
                 : i == 4 ? 1
                          : .5);
}

/* The rate at the left edge, on the line from a moment before it to the next one. */
static double
rate_at_edge (const WprMoment *before, const WprMoment *next, double edge)
{
  double share = (edge - before->second) / (next->second - before->second);
  return before->rate + (next->rate - before->rate) * CLAMP (share, 0, 1);
}

/* The outline of the rate, through the readings alone. */
static void
trace_rate (Picture *picture)
{
  const GArray *moments = picture->history->moments;
  double full = (double)picture->history->scale * STEPS;
  double edge = picture->history->now - WPR_HISTORY_S;
  for (guint i = 0; i < moments->len; i++)
    {
      const WprMoment *moment = &g_array_index (moments, WprMoment, i);
      if (!moment->counted && i > 0)
        continue;
      double rate = moment->second < edge && i + 1 < moments->len
                        ? rate_at_edge (moment, moment + 1, edge)
                        : moment->rate;
      cairo_line_to (picture->cr, x_of (picture, moment->second), y_of (picture, rate / full));
    }
  const WprMoment *last = &g_array_index (moments, WprMoment, moments->len - 1);
  cairo_line_to (picture->cr, picture->right, y_of (picture, last->rate / full));
}

static void
draw_rate_part (Picture *picture, double from, double to, const GdkRGBA *color, double line_alpha,
                double area_alpha)
{
  if (to <= from)
    return;
  const WprMoment *first = &g_array_index (picture->history->moments, WprMoment, 0);
  cairo_save (picture->cr);
  cairo_rectangle (picture->cr, from, 0, to - from, picture->bottom);
  cairo_clip (picture->cr);
  cairo_new_path (picture->cr);
  trace_rate (picture);
  cairo_path_t *path = cairo_copy_path (picture->cr);
  cairo_line_to (picture->cr, picture->right, picture->bottom);
  cairo_line_to (picture->cr, x_of (picture, first->second), picture->bottom);
  cairo_close_path (picture->cr);
  set_color (picture, color, area_alpha);
  cairo_fill (picture->cr);
  cairo_append_path (picture->cr, path);
  cairo_path_destroy (path);
  set_color (picture, color, line_alpha);
  cairo_set_line_width (picture->cr, 2);
  cairo_set_line_join (picture->cr, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke (picture->cr);
  cairo_restore (picture->cr);
}

static void
draw_rate (Picture *picture)
{
  double edge = picture->left;
  const WprHistory *history = picture->history;
  if (history->memory && history->holds_s >= 0)
    edge = x_of (picture, history->now - history->holds_s);
  /* what is no longer kept, then what a save would write */
  draw_rate_part (picture, picture->left, edge, &picture->neutral, .35, .1);
  draw_rate_part (picture, edge, picture->right, &picture->accent, 1, .28);
}

static void
draw_fill (Picture *picture)
{
  const GArray *moments = picture->history->moments;
  cairo_new_path (picture->cr);
  for (guint i = 0; i < moments->len; i++)
    {
      const WprMoment *moment = &g_array_index (moments, WprMoment, i);
      cairo_line_to (picture->cr, x_of (picture, moment->second), y_of (picture, moment->fill));
    }
  const WprMoment *last = &g_array_index (moments, WprMoment, moments->len - 1);
  cairo_line_to (picture->cr, picture->right, y_of (picture, last->fill));
  set_color (picture, &picture->fill, 1);
  cairo_set_line_width (picture->cr, 1.5);
  cairo_stroke (picture->cr);
}

static void
draw_gaps (Picture *picture)
{
  const GArray *gaps = picture->history->gaps;
  guint64 most = 1;
  for (guint i = 0; i < gaps->len; i++)
    most = MAX (most, g_array_index (gaps, WprGap, i).lost);
  double from = 0, to = 0;
  for (guint i = 0; i < gaps->len; i++)
    {
      const WprGap *gap = &g_array_index (gaps, WprGap, i);
      double x1 = x_of (picture, gap->second), x2 = MAX (x_of (picture, gap->second + 1), x1 + 3);
      from = i == 0 ? x1 : MIN (from, x1);
      to = MAX (to, x2);
      set_color (picture, &picture->error, .16);
      cairo_rectangle (picture->cr, x1, picture->top, x2 - x1, picture->bottom - picture->top);
      cairo_fill (picture->cr);
      double height = (picture->bottom - picture->top) * (.15 + .45 * gap->lost / most);
      set_color (picture, &picture->error, 1);
      cairo_rectangle (picture->cr, (x1 + x2) / 2 - 1.5, picture->bottom - height, 3, height);
      cairo_fill (picture->cr);
    }
  if (gaps->len == 0)
    return;
  g_autofree char *count = wpr_format_count (wpr_history_get_lost (picture->history));
  /* Translators: a number of events */
  g_autofree char *label = g_strdup_printf (_ ("%s lost"), count);
  double half = text_width (picture, label) / 2.0;
  double middle = CLAMP ((from + to) / 2, picture->left + half, picture->right - half);
  draw_text (picture, label, middle, picture->top - picture->line_height - 3, .5);
}

/* Left of it nothing is kept any more; 0: there is no such place. */
static double
edge_of (const Picture *picture)
{
  const WprHistory *history = picture->history;
  return history->memory && history->holds_s >= 0 ? x_of (picture, history->now - history->holds_s)
                                                  : 0;
}

static void
draw_bracket (Picture *picture)
{
  const WprHistory *history = picture->history;
  if (!history->memory || history->holds_s < 0)
    return;
  g_autofree char *holds = wpr_format_minutes (history->holds_s);
  /* Translators: over the graph; %s is minutes and seconds */
  g_autofree char *label = g_strdup_printf (_ ("still in memory: the last %s"), holds);
  double edge = edge_of (picture);
  double y = picture->top - picture->line_height / 2.0 - 3;
  double width = text_width (picture, label);
  double room = picture->right - edge;
  double middle = room > width + 24 ? (edge + picture->right) / 2 : picture->right - width / 2 - 12;
  set_color (picture, &picture->accent, 1);
  cairo_set_line_width (picture->cr, 1);
  double begin = middle - width / 2 - 6;
  if (begin > edge)
    line (picture, edge, y, begin, y);
  line (picture, middle + width / 2 + 6, y, picture->right - 1, y);
  line (picture, picture->right - 1, y, picture->right - 1, y + BRACKET_DROP);
  if (edge > picture->left + 1)
    line (picture, edge, begin > edge ? y : picture->top, edge, picture->bottom);
  else if (begin > edge)
    line (picture, edge, y, edge, y + BRACKET_DROP);
  draw_text (picture, label, middle, y - picture->line_height / 2.0, .5);
  /* a ring that has not come round yet holds everything since the start */
  const char *gone = _ ("no longer kept");
  double left = MIN (edge, begin);
  if (history->now - history->holds_s > LEAST_GONE_S
      && left - picture->left > text_width (picture, gone) + 12)
    {
      set_color (picture, &picture->text, picture->dim);
      draw_text (picture, gone, left - GAP, y - picture->line_height / 2.0, 1);
    }
}

static void
draw_flag (Picture *picture, const WprFlag *flag)
{
  double x = floor (x_of (picture, flag->second)) + .5, y = picture->top;
  double width = FLAG_SIZE + text_width (picture, flag->words) + 6;
  double edge = edge_of (picture);
  gboolean crosses = edge > x && edge < x + width && x - width > picture->left;
  gboolean to_left = crosses || x + width > picture->right;
  static const double dashes[] = { 3, 3 };
  set_color (picture, &picture->text, .8);
  cairo_set_line_width (picture->cr, 1);
  cairo_set_dash (picture->cr, dashes, 2, 0);
  line (picture, x, y, x, picture->bottom);
  cairo_set_dash (picture->cr, NULL, 0, 0);
  cairo_move_to (picture->cr, x, y);
  cairo_line_to (picture->cr, x + (to_left ? -FLAG_SIZE : FLAG_SIZE), y + FLAG_SIZE / 2.0);
  cairo_line_to (picture->cr, x, y + FLAG_SIZE);
  cairo_close_path (picture->cr);
  cairo_fill (picture->cr);
  if (*flag->words != '\0')
    draw_text (picture, flag->words, x + (to_left ? -FLAG_SIZE - 4 : FLAG_SIZE + 4),
               y + FLAG_SIZE / 2.0 - picture->line_height / 2.0, to_left ? 1 : 0);
}

/* ---- widget ---- */

static void
look_up_colors (Picture *picture)
{
  GtkStyleContext *context = gtk_widget_get_style_context (GTK_WIDGET (picture->self));
  gtk_style_context_get_color (context, &picture->text);
  picture->dim = adw_style_manager_get_high_contrast (adw_style_manager_get_default ()) ? 1 : DIM;
  picture->accent = picture->error = picture->fill = picture->neutral = picture->text;
  gtk_style_context_lookup_color (context, "accent_color", &picture->accent);
  gtk_style_context_lookup_color (context, "error_color", &picture->error);
  gtk_style_context_lookup_color (context, "wpr_fill", &picture->fill);
}

static void
place (Picture *picture, double left, double right, int height)
{
  picture->left = left;
  picture->right = right;
  picture->top = picture->line_height + 6;
  picture->bottom = height - picture->line_height - 6;
}

static void
lay_out (Picture *picture, int width, int height)
{
  g_autofree char *widest = wpr_format_count (picture->history->scale * STEPS);
  g_autofree char *full = wpr_format_percent (1, 0);
  PangoRectangle logical;
  int left = text_width (picture, widest) + GAP;
  pango_layout_get_pixel_extents (picture->layout, NULL, &logical);
  picture->line_height = logical.height;
  int right = width - (picture->history->memory ? 0 : text_width (picture, full) + GAP);
  place (picture, left, right, height);
}

static void
begin_part (Picture *picture, GtkSnapshot *snapshot, const graphene_rect_t *bounds)
{
  picture->cr = gtk_snapshot_append_cairo (snapshot, bounds);
}

/* Its texts are most of the work of a picture. */
static void
make_still (WprGraph *self, Picture *picture, int width, int height)
{
  const WprHistory *history = self->history;
  if (self->still != NULL && history->scale == self->still_scale
      && history->memory == self->still_memory && width == self->still_width
      && height == self->still_height)
    return;
  g_clear_pointer (&self->still, gsk_render_node_unref);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  begin_part (picture, snapshot, &GRAPHENE_RECT_INIT (0, 0, width, height));
  lay_out (picture, width, height);
  draw_axes (picture);
  draw_seconds (picture);
  cairo_destroy (picture->cr);
  self->still = gtk_snapshot_free_to_node (snapshot);
  self->still_scale = history->scale;
  self->still_memory = history->memory;
  self->still_width = width;
  self->still_height = height;
  self->line_height = picture->line_height;
  self->left = (int)picture->left;
  self->right = (int)picture->right;
}

static void
draw_moving (Picture *picture)
{
  const WprHistory *history = picture->history;
  if (history->moments->len > 0)
    {
      draw_rate (picture);
      draw_gaps (picture);
      if (!history->memory)
        draw_fill (picture);
      draw_bracket (picture);
    }
  for (guint i = 0; i < history->flags->len; i++)
    draw_flag (picture, &g_array_index (history->flags, WprFlag, i));
}

static void
wpr_graph_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  WprGraph *self = WPR_GRAPH (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  if (self->history == NULL || width <= 0 || height <= 0)
    return;
  Picture picture = { .self = self, .history = self->history };
  picture.layout = gtk_widget_create_pango_layout (widget, NULL);
  look_up_colors (&picture);
  make_still (self, &picture, width, height);
  picture.line_height = self->line_height;
  place (&picture, self->left, self->right, height);
  if (self->still != NULL)
    gtk_snapshot_append_node (snapshot, self->still);
  /* texts of marks may reach over the edges of the plot, none below it */
  begin_part (&picture, snapshot,
              &GRAPHENE_RECT_INIT (0, 0, width, (float)ceil (picture.bottom) + 1));
  draw_moving (&picture);
  cairo_destroy (picture.cr);
  g_object_unref (picture.layout);
}

static void
forget_still (WprGraph *self)
{
  g_clear_pointer (&self->still, gsk_render_node_unref);
}

/* Colours, fonts, contrast. */
static void
wpr_graph_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  forget_still (WPR_GRAPH (widget));
  GTK_WIDGET_CLASS (wpr_graph_parent_class)->css_changed (widget, change);
}

static void
wpr_graph_dispose (GObject *object)
{
  forget_still (WPR_GRAPH (object));
  G_OBJECT_CLASS (wpr_graph_parent_class)->dispose (object);
}

static void
wpr_graph_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                   int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? 200 : LEAST_HEIGHT;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 600 : LEAST_HEIGHT;
  *minimum_baseline = *natural_baseline = -1;
}

static void
wpr_graph_class_init (WprGraphClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_graph_dispose;
  widget_class->snapshot = wpr_graph_snapshot;
  widget_class->css_changed = wpr_graph_css_changed;
  widget_class->measure = wpr_graph_measure;
  gtk_widget_class_set_css_name (widget_class, "graph");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
wpr_graph_init (WprGraph *self)
{
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (GTK_WIDGET (self), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self), "numeric");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Events a second, last 60 seconds"), -1);
}

void
wpr_graph_set_history (WprGraph *self, const WprHistory *history)
{
  self->history = history;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
wpr_graph_set_description (WprGraph *self, const char *description)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  description, -1);
}
