/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A card with one figure. To assistive technology it is a group: the name, and value and detail as
 * its description. */
#include "config.h"
#include "tile.h"

#include <math.h>
#include <string.h>
#include "figure.h"
#include "gauge.h"

#define GAUGE_STEP 0.004 /* less than a pixel of a gauge 200 pixels wide */
#define GAUGE_LEAP 0.02  /* four of them: seen at once */
/* A detail of another length is a new layout of the window, and is spoken: once a second is enough
 * to read. */
#define DETAIL_US G_USEC_PER_SEC

struct _WprTile
{
  GtkWidget parent;
  /* template */
  GtkWidget *title;
  GtkWidget *icon;
  GtkWidget *value;
  GtkWidget *gauge;
  GtkWidget *detail;
  /* state */
  WprTileMood mood;
  gint64 detail_us; /* when it was shown; 0: never */
  char *spoken;
};

G_DEFINE_FINAL_TYPE (WprTile, wpr_tile, GTK_TYPE_WIDGET)

enum
{
  PROP_TITLE = 1,
  PROP_GAUGE,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

/* One row a mood: style class and icon. */
static const struct
{
  const char *css_class;
  const char *icon_name;
} moods[] = {
  [WPR_TILE_PLAIN] = { NULL, NULL },
  [WPR_TILE_WHOLE] = { "whole", "object-select-symbolic" },
  [WPR_TILE_LOST] = { "lost", "dialog-warning-symbolic" },
};

void
wpr_tile_set_title (WprTile *self, const char *title)
{
  if (g_strcmp0 (gtk_label_get_label (GTK_LABEL (self->title)), title) == 0)
    return;
  gtk_label_set_label (GTK_LABEL (self->title), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
}

static void
set_text (GtkWidget *label, const char *text)
{
  if (strcmp (gtk_label_get_label (GTK_LABEL (label)), text) != 0)
    gtk_label_set_label (GTK_LABEL (label), text);
}

static void
set_mood (WprTile *self, WprTileMood mood)
{
  if (mood == self->mood)
    return;
  if (moods[self->mood].css_class != NULL)
    gtk_widget_remove_css_class (GTK_WIDGET (self), moods[self->mood].css_class);
  if (moods[mood].css_class != NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self), moods[mood].css_class);
  gtk_image_set_from_icon_name (GTK_IMAGE (self->icon), moods[mood].icon_name);
  gtk_widget_set_visible (self->icon, moods[mood].icon_name != NULL);
  self->mood = mood;
}

static void
set_gauge (WprTile *self, double fraction, double least)
{
  WprGauge *gauge = WPR_GAUGE (self->gauge);
  fraction = CLAMP (fraction, 0, 1);
  if (gtk_widget_get_visible (self->gauge) && fabs (wpr_gauge_get_value (gauge) - fraction) > least)
    wpr_gauge_set_value (gauge, fraction);
}

void
wpr_tile_move (WprTile *self, double fraction)
{
  set_gauge (self, fraction, GAUGE_LEAP);
}

void
wpr_tile_show (WprTile *self, const char *value, const char *detail, double fraction,
               WprTileMood mood)
{
  gint64 now_us = g_get_monotonic_time ();
  wpr_figure_show (self->value, value, FALSE);
  set_gauge (self, fraction, GAUGE_STEP);
  if (mood == self->mood && self->detail_us != 0 && now_us - self->detail_us < DETAIL_US)
    return;
  set_mood (self, mood);
  self->detail_us = now_us;
  set_text (self->detail, detail);
  g_autofree char *spoken = g_strdup_printf ("%s, %s", value, detail);
  if (g_strcmp0 (self->spoken, spoken) == 0)
    return;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  spoken, -1);
  g_free (self->spoken);
  self->spoken = g_steal_pointer (&spoken);
}

static void
wpr_tile_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  WprTile *self = WPR_TILE (object);
  if (id == PROP_TITLE)
    wpr_tile_set_title (self, g_value_get_string (value));
  else if (id == PROP_GAUGE)
    gtk_widget_set_visible (self->gauge, g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
wpr_tile_dispose (GObject *object)
{
  GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (object));
  if (child != NULL)
    gtk_widget_unparent (child);
  g_clear_pointer (&WPR_TILE (object)->spoken, g_free);
  G_OBJECT_CLASS (wpr_tile_parent_class)->dispose (object);
}

static void
wpr_tile_class_init (WprTileClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->set_property = wpr_tile_set_property;
  object_class->dispose = wpr_tile_dispose;
  properties[PROP_TITLE]
      = g_param_spec_string ("title", NULL, NULL, "", G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_GAUGE] = g_param_spec_boolean ("gauge", NULL, NULL, FALSE,
                                                 G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  g_type_ensure (WPR_TYPE_GAUGE);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/performance_recorder/Wpr/tile.ui");
  gtk_widget_class_bind_template_child (widget_class, WprTile, title);
  gtk_widget_class_bind_template_child (widget_class, WprTile, icon);
  gtk_widget_class_bind_template_child (widget_class, WprTile, value);
  gtk_widget_class_bind_template_child (widget_class, WprTile, gauge);
  gtk_widget_class_bind_template_child (widget_class, WprTile, detail);
}

static void
wpr_tile_init (WprTile *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
