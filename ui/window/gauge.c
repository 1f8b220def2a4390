/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bar of Adwaita's kind in a widget of its own. Who shows it says the same in words: to assistive
 * technology it is nothing. */
#include "config.h"
#include "gauge.h"

#include <adwaita.h>

#define HEIGHT 4
/* Of the text's colour, as libadwaita's bars; high contrast draws an outline. */
#define TROUGH .15

struct _WprGauge
{
  GtkWidget parent;
  double value;
};

G_DEFINE_FINAL_TYPE (WprGauge, wpr_gauge, GTK_TYPE_WIDGET)

static void
append_bar (GtkSnapshot *snapshot, double x, double width, const GdkRGBA *color)
{
  GskRoundedRect bar;
  gsk_rounded_rect_init_from_rect (&bar, &GRAPHENE_RECT_INIT (x, 0, width, HEIGHT), HEIGHT / 2.0);
  gtk_snapshot_push_rounded_clip (snapshot, &bar);
  gtk_snapshot_append_color (snapshot, color, &bar.bounds);
  gtk_snapshot_pop (snapshot);
}

static void
append_outline (GtkSnapshot *snapshot, double width, const GdkRGBA *color)
{
  GskRoundedRect bar;
  gsk_rounded_rect_init_from_rect (&bar, &GRAPHENE_RECT_INIT (0, 0, width, HEIGHT), HEIGHT / 2.0);
  gtk_snapshot_append_border (snapshot, &bar, (float[4]){ 1, 1, 1, 1 },
                              (GdkRGBA[4]){ *color, *color, *color, *color });
}

static void
wpr_gauge_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  GtkStyleContext *context = gtk_widget_get_style_context (widget);
  GdkRGBA text, fill;
  gtk_style_context_get_color (context, &text);
  fill = text;
  gtk_style_context_lookup_color (context, "accent_color", &fill);
  double width = gtk_widget_get_width (widget);
  double filled = width * WPR_GAUGE (widget)->value;
  GdkRGBA trough = text;
  trough.alpha *= TROUGH;
  append_bar (snapshot, 0, width, &trough);
  /* less than round ends of a bar is none */
  if (filled >= HEIGHT)
    append_bar (snapshot,
                gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL ? width - filled : 0, filled,
                &fill);
  if (adw_style_manager_get_high_contrast (adw_style_manager_get_default ()))
    append_outline (snapshot, width, &text);
}

static void
wpr_gauge_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                   int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_VERTICAL ? HEIGHT : 0;
  *minimum_baseline = *natural_baseline = -1;
}

static void
wpr_gauge_class_init (WprGaugeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  widget_class->snapshot = wpr_gauge_snapshot;
  widget_class->measure = wpr_gauge_measure;
  gtk_widget_class_set_css_name (widget_class, "gauge");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
wpr_gauge_init (WprGauge *self)
{
}

void
wpr_gauge_set_value (WprGauge *self, double value)
{
  self->value = CLAMP (value, 0, 1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

double
wpr_gauge_get_value (WprGauge *self)
{
  return self->value;
}
