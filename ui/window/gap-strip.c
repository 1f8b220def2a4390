/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as a strip. Time runs left to right in every language. */
#include "config.h"
#include "gap-strip.h"

#include <glib/gi18n.h>
#include <math.h>
#include "format.h"

#define BAR 8       /* pixels */
#define LEAST_GAP 3 /* a second of an hour must still be seen */
#define TEXT_BELOW 4

typedef struct
{
  gint64 from, to; /* seconds since start */
} Gap;

struct _WprGapStrip
{
  GtkWidget parent;
  double duration_s;
  GArray *gaps; /* of Gap */
};

G_DEFINE_FINAL_TYPE (WprGapStrip, wpr_gap_strip, GTK_TYPE_WIDGET)

static int
line_height (GtkWidget *widget)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, "0");
  int height = 0;
  pango_layout_get_pixel_size (layout, NULL, &height);
  return height;
}

static void
append_bar (GtkSnapshot *snapshot, const GdkRGBA *color, double x, double width)
{
  GskRoundedRect bar;
  gsk_rounded_rect_init_from_rect (&bar, &GRAPHENE_RECT_INIT (x, 0, width, BAR), BAR / 2.0);
  gtk_snapshot_push_rounded_clip (snapshot, &bar);
  gtk_snapshot_append_color (snapshot, color, &GRAPHENE_RECT_INIT (x, 0, width, BAR));
  gtk_snapshot_pop (snapshot);
}

/* Where the text ended up; nothing is drawn over what ends at `taken`. */
static double
append_text (GtkWidget *widget, GtkSnapshot *snapshot, const char *text, double middle,
             double taken, double most, const GdkRGBA *color)
{
  g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (widget, text);
  int width = 0;
  pango_layout_get_pixel_size (layout, &width, NULL);
  double x = floor (CLAMP (middle - width / 2.0, 0, MAX (most - width, 0)));
  if (x < taken)
    return taken;
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (x, BAR + TEXT_BELOW));
  gtk_snapshot_append_layout (snapshot, layout, color);
  gtk_snapshot_restore (snapshot);
  return x + width + 12;
}

static void
wpr_gap_strip_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  WprGapStrip *self = WPR_GAP_STRIP (widget);
  double width = gtk_widget_get_width (widget);
  if (self->duration_s <= 0 || width <= 0)
    return;
  GtkStyleContext *context = gtk_widget_get_style_context (widget);
  GdkRGBA text, trough, gap_color;
  gtk_style_context_get_color (context, &text);
  trough = gap_color = text;
  trough.alpha *= .18;
  gtk_style_context_lookup_color (context, "warning_color", &gap_color);
  append_bar (snapshot, &trough, 0, width);
  g_autofree char *end = wpr_format_minutes (self->duration_s);
  double taken = append_text (widget, snapshot, "0:00", 0, 0, width, &text);
  for (guint i = 0; i < self->gaps->len; i++)
    {
      const Gap *gap = &g_array_index (self->gaps, Gap, i);
      double from = width * CLAMP (gap->from / self->duration_s, 0, 1);
      double to = width * CLAMP (gap->to / self->duration_s, 0, 1);
      to = MAX (to, from + LEAST_GAP);
      append_bar (snapshot, &gap_color, MIN (from, width - LEAST_GAP), to - from);
      g_autofree char *first = wpr_format_minutes (gap->from);
      g_autofree char *last = wpr_format_minutes (gap->to);
      /* time runs left to right in any language */
      g_autofree char *label = g_strdup_printf ("\u200e%s – %s", first, last);
      taken = append_text (widget, snapshot, label, (from + to) / 2, taken, width, &text);
    }
  append_text (widget, snapshot, end, width, taken, width, &text);
}

static void
wpr_gap_strip_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                       int *natural, int *minimum_baseline, int *natural_baseline)
{
  int size
      = orientation == GTK_ORIENTATION_HORIZONTAL ? 120 : BAR + TEXT_BELOW + line_height (widget);
  *minimum = *natural = size;
  *minimum_baseline = *natural_baseline = -1;
}

static void
wpr_gap_strip_finalize (GObject *object)
{
  g_array_unref (WPR_GAP_STRIP (object)->gaps);
  G_OBJECT_CLASS (wpr_gap_strip_parent_class)->finalize (object);
}

static void
wpr_gap_strip_class_init (WprGapStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_gap_strip_finalize;
  widget_class->snapshot = wpr_gap_strip_snapshot;
  widget_class->measure = wpr_gap_strip_measure;
  gtk_widget_class_set_css_name (widget_class, "gapstrip");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
wpr_gap_strip_init (WprGapStrip *self)
{
  self->gaps = g_array_new (FALSE, FALSE, sizeof (Gap));
  gtk_widget_add_css_class (GTK_WIDGET (self), "caption");
  gtk_widget_add_css_class (GTK_WIDGET (self), "numeric");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("When events were lost"), -1);
}

static int
compare_seconds (gconstpointer a, gconstpointer b)
{
  gint64 first = *(const gint64 *)a, second = *(const gint64 *)b;
  return (first > second) - (first < second);
}

/* Seconds that touch are one gap. */
static void
join_seconds (WprGapStrip *self, GArray *seconds)
{
  g_array_sort (seconds, compare_seconds);
  g_array_set_size (self->gaps, 0);
  for (guint i = 0; i < seconds->len; i++)
    {
      gint64 second = g_array_index (seconds, gint64, i);
      Gap *last
          = self->gaps->len > 0 ? &g_array_index (self->gaps, Gap, self->gaps->len - 1) : NULL;
      if (last != NULL && second <= last->to)
        last->to = MAX (last->to, second + 1);
      else
        {
          Gap gap = { second, second + 1 };
          g_array_append_val (self->gaps, gap);
        }
    }
}

void
wpr_gap_strip_show (WprGapStrip *self, const WprStats *stats, const char *words)
{
  g_autoptr (GArray) seconds = g_array_new (FALSE, FALSE, sizeof (gint64));
  for (guint i = 0; i < stats->n_collectors; i++)
    for (guint j = 0; j < stats->collectors[i].n_losses; j++)
      g_array_append_val (seconds, stats->collectors[i].losses[j].second);
  join_seconds (self, seconds);
  self->duration_s = stats->elapsed_ns / 1e9;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words,
                                  -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
