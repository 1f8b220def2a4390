/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a WprHistory. Time runs left to right in every language. Gutters are measured from the text
 * they hold, so they follow the size of text. */
#include "config.h"
#include "graph.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>
#include "format.h"
#include "strip.h"

#define LEAST_HEIGHT 118
#define GAP 8            /* pixels between text and the plot */
#define LEAST_GONE_S 1.5 /* what a ring holds is known to a second */
#define FLAG_SIZE 8
#define BRACKET_DROP 8 /* pixels the bracket's ends reach down */
#define DIM .7         /* as style.css dims; high contrast does not */

typedef struct
{
  GdkRGBA text, accent, error, fill;
  double dim;
} Colors;

/* Texts that stay for many pictures. */
typedef enum
{
  TEXT_HOLDS,
  TEXT_GONE,
  TEXT_LOST,
  TEXT_FLAG, /* of each in turn */
  N_TEXTS
} Text;

struct _WprGraph
{
  GtkWidget parent;
  const WprHistory *history;
  WprStrip *strip;
  /* what stays from picture to picture: grid, numbers, seconds; and of what it was made */
  GskRenderNode *still; /* NULL: to be made */
  guint64 still_scale;
  gboolean still_memory;
  int still_width, still_height;
  int line_height, left, right;
  PangoLayout *texts[N_TEXTS]; /* NULL: to be made */
  Colors colors;
  gboolean colored; /* the colors are looked up */
};

G_DEFINE_FINAL_TYPE (WprGraph, wpr_graph, GTK_TYPE_WIDGET)

typedef struct
{
  WprGraph *self;
  const WprHistory *history;
  GtkSnapshot *snapshot;
  const Colors *colors;
  int line_height;
  WprPlot plot;
} Picture;

/* ---- measures ---- */

static double
x_of (const Picture *picture, double second)
{
  return CLAMP (wpr_plot_x (&picture->plot, second), picture->plot.left, picture->plot.right);
}

static GdkRGBA
faded (const GdkRGBA *color, double alpha)
{
  GdkRGBA result = *color;
  result.alpha *= (float)alpha;
  return result;
}

/* On whole pixels: as cheap as anything can be drawn. */
static void
append_rectangle (Picture *picture, double x, double y, double width, double height,
                  const GdkRGBA *color, double alpha)
{
  GdkRGBA shade = faded (color, alpha);
  if (width > 0 && height > 0)
    gtk_snapshot_append_color (
        picture->snapshot, &shade,
        &GRAPHENE_RECT_INIT (floorf (x), floorf (y), ceilf (width), ceilf (height)));
}

static void
append_row (Picture *picture, double from, double to, double y, const GdkRGBA *color, double alpha)
{
  append_rectangle (picture, from, y, floor (to) - floor (from), 1, color, alpha);
}

static void
append_column (Picture *picture, double x, double from, double to, const GdkRGBA *color,
               double alpha)
{
  append_rectangle (picture, x, from, 1, floor (to) - floor (from), color, alpha);
}

/* ---- texts ---- */

static PangoLayout *
lay_out_text (WprGraph *self, Text which, const char *text)
{
  if (self->texts[which] == NULL)
    self->texts[which] = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL);
  PangoLayout *layout = self->texts[which];
  if (g_strcmp0 (pango_layout_get_text (layout), text) != 0)
    pango_layout_set_text (layout, text, -1);
  return layout;
}

static int
text_width (PangoLayout *layout)
{
  int width = 0;
  pango_layout_get_pixel_size (layout, &width, NULL);
  return width;
}

/* align: 0 begins at x, 0.5 is centred there, 1 ends there. y is the top. */
static void
append_layout (Picture *picture, PangoLayout *layout, double x, double y, double align,
               const GdkRGBA *color)
{
  graphene_point_t at = GRAPHENE_POINT_INIT (floorf (x - text_width (layout) * align), floorf (y));
  gtk_snapshot_save (picture->snapshot);
  gtk_snapshot_translate (picture->snapshot, &at);
  gtk_snapshot_append_layout (picture->snapshot, layout, color);
  gtk_snapshot_restore (picture->snapshot);
}

static void
append_text (Picture *picture, PangoLayout *layout, const char *text, double x, double y,
             double align, const GdkRGBA *color)
{
  pango_layout_set_text (layout, text, -1);
  append_layout (picture, layout, x, y, align, color);
}

/* ---- what stays ---- */

static void
append_axes (Picture *picture, PangoLayout *layout)
{
  const WprPlot *plot = &picture->plot;
  const Colors *colors = picture->colors;
  GdkRGBA dimmed = faded (&colors->text, colors->dim);
  double above = picture->line_height / 2.0;
  for (int i = 0; i <= WPR_HISTORY_STEPS; i++)
    {
      double y = wpr_plot_y (plot, (double)i / WPR_HISTORY_STEPS);
      g_autofree char *label = wpr_format_count (picture->history->scale * i);
      append_row (picture, plot->left, plot->right, y, &colors->text, i == 0 ? .25 : .1);
      append_text (picture, layout, label, plot->left - GAP, y - above, 1, &dimmed);
    }
  if (picture->history->memory)
    return;
  g_autofree char *full = wpr_format_percent (1, 0);
  g_autofree char *empty = wpr_format_percent (0, 0);
  double x = gtk_widget_get_width (GTK_WIDGET (picture->self));
  append_text (picture, layout, full, x, plot->top - above, 1, &colors->fill);
  append_text (picture, layout, empty, x, plot->bottom - above, 1, &colors->fill);
}

static void
append_seconds (Picture *picture, PangoLayout *layout)
{
  /* Translators: below the graph, from left to right; seconds before now */
  const char *labels[] = { _ ("60 s ago"), _ ("45 s"), _ ("30 s"), _ ("15 s"), _ ("now") };
  static const double aligns[] = { 0, .5, .5, .5, 1 };
  const WprPlot *plot = &picture->plot;
  double width = plot->right - plot->left;
  GdkRGBA dimmed = faded (&picture->colors->text, picture->colors->dim);
  pango_layout_set_text (layout, labels[0], -1);
  gboolean all = text_width (layout) * 6 < width;
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    if (all || i % 2 == 0)
      append_text (picture, layout, labels[i], plot->left + width * i / 4, plot->bottom + 4,
                   aligns[i], &dimmed);
}

/* ---- what moves ---- */

/* Left of it nothing is kept any more; the left edge of the plot: there is no such place. */
static double
edge_of (const Picture *picture)
{
  const WprHistory *history = picture->history;
  return history->memory && history->holds_s >= 0 ? x_of (picture, history->now - history->holds_s)
                                                  : picture->plot.left;
}

static void
append_lines (Picture *picture)
{
  const WprPlot *plot = &picture->plot;
  const Colors *colors = picture->colors;
  const GdkRGBA none = { 0 };
  gboolean memory = picture->history->memory;
  double edge = floor (edge_of (picture));
  WprStripColors gone = { faded (&colors->text, .1), faded (&colors->text, .35), none };
  WprStripColors kept
      = { faded (&colors->accent, .28), colors->accent, memory ? none : colors->fill };
  /* what is no longer kept, then what a save would write */
  wpr_strip_append (picture->self->strip, plot, picture->snapshot, WPR_STRIP_GONE, &gone,
                    plot->left, edge);
  wpr_strip_append (picture->self->strip, plot, picture->snapshot, WPR_STRIP_KEPT, &kept, edge,
                    plot->right);
}

static void
append_gaps (Picture *picture)
{
  const GArray *gaps = picture->history->gaps;
  const WprPlot *plot = &picture->plot;
  const GdkRGBA *error = &picture->colors->error;
  double plot_height = plot->bottom - plot->top;
  guint64 most = 1;
  for (guint i = 0; i < gaps->len; i++)
    most = MAX (most, g_array_index (gaps, WprGap, i).lost);
  double from = 0, to = 0;
  for (guint i = 0; i < gaps->len; i++)
    {
      const WprGap *gap = &g_array_index (gaps, WprGap, i);
      double x1 = floor (x_of (picture, gap->second));
      double x2 = MAX (floor (x_of (picture, gap->second + 1)), x1 + 3);
      double height = ceil (plot_height * (.15 + .45 * gap->lost / most));
      from = i == 0 ? x1 : MIN (from, x1);
      to = MAX (to, x2);
      append_rectangle (picture, x1, plot->top, x2 - x1, plot_height, error, .16);
      append_rectangle (picture, (x1 + x2) / 2 - 1.5, plot->bottom - height, 3, height, error, 1);
    }
  if (gaps->len == 0)
    return;
  g_autofree char *count = wpr_format_count (wpr_history_get_lost (picture->history));
  /* Translators: a number of events */
  g_autofree char *label = g_strdup_printf (_ ("%s lost"), count);
  PangoLayout *layout = lay_out_text (picture->self, TEXT_LOST, label);
  double half = text_width (layout) / 2.0;
  double middle = CLAMP ((from + to) / 2, plot->left + half, plot->right - half);
  append_layout (picture, layout, middle, plot->top - picture->line_height - 3, .5, error);
}

/* Left of the edge and of what stands over it. */
static void
append_gone (Picture *picture, double left, double y)
{
  PangoLayout *layout = lay_out_text (picture->self, TEXT_GONE, _ ("no longer kept"));
  GdkRGBA dimmed = faded (&picture->colors->text, picture->colors->dim);
  /* a ring that has not come round yet holds everything since the start */
  if (picture->history->now - picture->history->holds_s > LEAST_GONE_S
      && left - picture->plot.left > text_width (layout) + 12)
    append_layout (picture, layout, left - GAP, y, 1, &dimmed);
}

static void
append_bracket (Picture *picture)
{
  const WprHistory *history = picture->history;
  const WprPlot *plot = &picture->plot;
  const GdkRGBA *accent = &picture->colors->accent;
  if (!history->memory || history->holds_s < 0)
    return;
  g_autofree char *holds = wpr_format_minutes (history->holds_s);
  /* Translators: over the graph; %s is minutes and seconds */
  g_autofree char *label = g_strdup_printf (_ ("still in memory: the last %s"), holds);
  PangoLayout *layout = lay_out_text (picture->self, TEXT_HOLDS, label);
  double edge = edge_of (picture);
  double y = plot->top - picture->line_height / 2.0 - 3;
  double width = text_width (layout);
  double room = plot->right - edge;
  double middle = room > width + 24 ? (edge + plot->right) / 2 : plot->right - width / 2 - 12;
  double begin = middle - width / 2 - 6;
  if (begin > edge)
    append_row (picture, edge, begin, y, accent, 1);
  append_row (picture, middle + width / 2 + 6, plot->right, y, accent, 1);
  append_column (picture, plot->right - 1, y, y + BRACKET_DROP, accent, 1);
  if (edge > plot->left + 1)
    append_column (picture, edge, begin > edge ? y : plot->top, plot->bottom, accent, 1);
  else if (begin > edge)
    append_column (picture, edge, y, y + BRACKET_DROP, accent, 1);
  append_layout (picture, layout, middle, y - picture->line_height / 2.0, .5, accent);
  append_gone (picture, MIN (edge, begin), y - picture->line_height / 2.0);
}

/* A dashed pole with a pennant. */
static void
append_pole (Picture *picture, double x, gboolean to_left, const GdkRGBA *color)
{
  static const double dashes[] = { 3, 3 };
  const WprPlot *plot = &picture->plot;
  double tip = to_left ? -FLAG_SIZE : FLAG_SIZE;
  graphene_rect_t bounds = GRAPHENE_RECT_INIT (floorf (x) - FLAG_SIZE - 1, plot->top,
                                               2 * FLAG_SIZE + 3, plot->bottom - plot->top + 1);
  cairo_t *cr = gtk_snapshot_append_cairo (picture->snapshot, &bounds);
  gdk_cairo_set_source_rgba (cr, color);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, dashes, 2, 0);
  cairo_move_to (cr, x, plot->top + .5);
  cairo_line_to (cr, x, plot->bottom + .5);
  cairo_stroke (cr);
  cairo_move_to (cr, x, plot->top);
  cairo_line_to (cr, x + tip, plot->top + FLAG_SIZE / 2.0);
  cairo_line_to (cr, x, plot->top + FLAG_SIZE);
  cairo_close_path (cr);
  cairo_fill (cr);
  cairo_destroy (cr);
}

static void
append_flag (Picture *picture, const WprFlag *flag)
{
  const WprPlot *plot = &picture->plot;
  GdkRGBA color = faded (&picture->colors->text, .8);
  double x = floor (x_of (picture, flag->second)) + .5, edge = edge_of (picture);
  PangoLayout *layout = lay_out_text (picture->self, TEXT_FLAG, flag->words);
  double width = FLAG_SIZE + text_width (layout) + 6;
  gboolean crosses = edge > x && edge < x + width && x - width > plot->left;
  gboolean to_left = crosses || x + width > plot->right;
  append_pole (picture, x, to_left, &color);
  if (*flag->words != '\0')
    append_layout (picture, layout, x + (to_left ? -FLAG_SIZE - 4 : FLAG_SIZE + 4),
                   plot->top + FLAG_SIZE / 2.0 - picture->line_height / 2.0, to_left ? 1 : 0,
                   &color);
}

static void
append_moving (Picture *picture)
{
  const WprHistory *history = picture->history;
  if (history->moments->len > 0)
    {
      append_lines (picture);
      append_gaps (picture);
      append_bracket (picture);
    }
  for (guint i = 0; i < history->flags->len; i++)
    append_flag (picture, &g_array_index (history->flags, WprFlag, i));
}

/* ---- widget ---- */

static void
look_up_colors (WprGraph *self)
{
  GtkStyleContext *context = gtk_widget_get_style_context (GTK_WIDGET (self));
  Colors *colors = &self->colors;
  if (self->colored)
    return;
  self->colored = TRUE;
  gtk_style_context_get_color (context, &colors->text);
  colors->dim = adw_style_manager_get_high_contrast (adw_style_manager_get_default ()) ? 1 : DIM;
  colors->accent = colors->error = colors->fill = colors->text;
  gtk_style_context_lookup_color (context, "accent_color", &colors->accent);
  gtk_style_context_lookup_color (context, "error_color", &colors->error);
  gtk_style_context_lookup_color (context, "wpr_fill", &colors->fill);
}

static void
place (Picture *picture, int left, int right, int height)
{
  picture->plot.left = left;
  picture->plot.right = MAX (right, left + 1);
  picture->plot.top = picture->line_height + 6;
  picture->plot.bottom = MAX (height - picture->line_height - 6, picture->plot.top + 1);
}

static void
lay_out (Picture *picture, PangoLayout *layout, int width, int height)
{
  g_autofree char *widest = wpr_format_count (picture->history->scale * WPR_HISTORY_STEPS);
  g_autofree char *full = wpr_format_percent (1, 0);
  pango_layout_set_text (layout, widest, -1);
  int left = text_width (layout) + GAP, right = width;
  pango_layout_get_pixel_size (layout, NULL, &picture->line_height);
  if (!picture->history->memory)
    {
      pango_layout_set_text (layout, full, -1);
      right -= text_width (layout) + GAP;
    }
  place (picture, left, right, height);
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
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL);
  picture->snapshot = gtk_snapshot_new ();
  lay_out (picture, layout, width, height);
  append_axes (picture, layout);
  append_seconds (picture, layout);
  self->still = gtk_snapshot_free_to_node (g_steal_pointer (&picture->snapshot));
  self->still_scale = history->scale;
  self->still_memory = history->memory;
  self->still_width = width;
  self->still_height = height;
  self->line_height = picture->line_height;
  self->left = picture->plot.left;
  self->right = picture->plot.right;
}

static void
wpr_graph_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  WprGraph *self = WPR_GRAPH (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  if (self->history == NULL || width <= 0 || height <= 0)
    return;
  look_up_colors (self);
  Picture picture = { .self = self,
                      .history = self->history,
                      .colors = &self->colors,
                      .plot = { .history = self->history } };
  make_still (self, &picture, width, height);
  picture.line_height = self->line_height;
  place (&picture, self->left, self->right, height);
  wpr_strip_place (self->strip, &picture.plot, gtk_widget_get_scale_factor (widget));
  gtk_snapshot_append_node (snapshot, self->still);
  picture.snapshot = snapshot;
  append_moving (&picture);
}

static void
forget_style (WprGraph *self)
{
  g_clear_pointer (&self->still, gsk_render_node_unref);
  for (guint i = 0; i < N_TEXTS; i++)
    g_clear_object (&self->texts[i]);
  wpr_strip_forget (self->strip);
  self->colored = FALSE;
}

/* Colours, fonts, contrast. */
static void
wpr_graph_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  forget_style (WPR_GRAPH (widget));
  GTK_WIDGET_CLASS (wpr_graph_parent_class)->css_changed (widget, change);
}

static void
wpr_graph_dispose (GObject *object)
{
  forget_style (WPR_GRAPH (object));
  G_OBJECT_CLASS (wpr_graph_parent_class)->dispose (object);
}

static void
wpr_graph_finalize (GObject *object)
{
  wpr_strip_free (WPR_GRAPH (object)->strip);
  G_OBJECT_CLASS (wpr_graph_parent_class)->finalize (object);
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
  G_OBJECT_CLASS (klass)->finalize = wpr_graph_finalize;
  widget_class->snapshot = wpr_graph_snapshot;
  widget_class->css_changed = wpr_graph_css_changed;
  widget_class->measure = wpr_graph_measure;
  gtk_widget_class_set_css_name (widget_class, "graph");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
wpr_graph_init (WprGraph *self)
{
  self->strip = wpr_strip_new ();
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  gtk_widget_add_css_class (GTK_WIDGET (self), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self), "numeric");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Events a second, last 60 seconds"), -1);
}

void
wpr_graph_set_history (WprGraph *self, const WprHistory *history)
{
  if (history != self->history)
    wpr_strip_forget (self->strip);
  self->history = history;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
wpr_graph_move (WprGraph *self)
{
  if (self->history != NULL && wpr_strip_moves (self->strip, self->history))
    gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
wpr_graph_set_description (WprGraph *self, const char *description)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  description, -1);
}
