/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One child, and whether the place is narrow. It may be made smaller than the child's wide layout
 * wants: by the next frame the child has its narrow one. */
#include "config.h"
#include "narrow-bin.h"

#define NARROW_BELOW 600 /* pixels: two tiles, not four, in a row */

struct _WprNarrowBin
{
  GtkWidget parent;
  GtkWidget *child;
  gboolean narrow;
  gboolean is_narrow; /* as of the last allocation */
  guint update;       /* source id */
};

G_DEFINE_FINAL_TYPE (WprNarrowBin, wpr_narrow_bin, GTK_TYPE_WIDGET)

enum
{
  PROP_CHILD = 1,
  PROP_NARROW,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

static gboolean
update_narrow (gpointer data)
{
  WprNarrowBin *self = data;
  self->update = 0;
  if (self->narrow != self->is_narrow)
    {
      self->narrow = self->is_narrow;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_NARROW]);
    }
  return G_SOURCE_REMOVE;
}

static void
wpr_narrow_bin_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                        int *natural, int *minimum_baseline, int *natural_baseline)
{
  WprNarrowBin *self = WPR_NARROW_BIN (widget);
  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (self->child == NULL)
    return;
  if (orientation == GTK_ORIENTATION_VERTICAL && for_size >= 0)
    {
      int least = 0;
      gtk_widget_measure (self->child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
      for_size = MAX (for_size, least);
    }
  gtk_widget_measure (self->child, orientation, for_size, minimum, natural, NULL, NULL);
  *minimum = 0; /* the page scrolls, and the window has a least size of its own */
}

static void
wpr_narrow_bin_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  WprNarrowBin *self = WPR_NARROW_BIN (widget);
  self->is_narrow = width < NARROW_BELOW;
  if (self->is_narrow != self->narrow && self->update == 0)
    self->update = g_idle_add_full (GTK_PRIORITY_RESIZE, update_narrow, self, NULL);
  if (self->child == NULL)
    return;
  int least_width = 0, least_height = 0;
  gtk_widget_measure (self->child, GTK_ORIENTATION_HORIZONTAL, -1, &least_width, NULL, NULL, NULL);
  width = MAX (width, least_width);
  gtk_widget_measure (self->child, GTK_ORIENTATION_VERTICAL, width, &least_height, NULL, NULL,
                      NULL);
  gtk_widget_allocate (self->child, width, MAX (height, least_height), baseline, NULL);
}

static void
set_child (WprNarrowBin *self, GtkWidget *child)
{
  g_clear_pointer (&self->child, gtk_widget_unparent);
  self->child = child;
  if (child != NULL)
    gtk_widget_set_parent (child, GTK_WIDGET (self));
}

static void
wpr_narrow_bin_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_CHILD)
    set_child (WPR_NARROW_BIN (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
wpr_narrow_bin_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  WprNarrowBin *self = WPR_NARROW_BIN (object);
  if (id == PROP_CHILD)
    g_value_set_object (value, self->child);
  else if (id == PROP_NARROW)
    g_value_set_boolean (value, self->narrow);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
wpr_narrow_bin_dispose (GObject *object)
{
  WprNarrowBin *self = WPR_NARROW_BIN (object);
  g_clear_handle_id (&self->update, g_source_remove);
  set_child (self, NULL);
  G_OBJECT_CLASS (wpr_narrow_bin_parent_class)->dispose (object);
}

static void
wpr_narrow_bin_class_init (WprNarrowBinClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  object_class->set_property = wpr_narrow_bin_set_property;
  object_class->get_property = wpr_narrow_bin_get_property;
  object_class->dispose = wpr_narrow_bin_dispose;
  widget_class->measure = wpr_narrow_bin_measure;
  widget_class->size_allocate = wpr_narrow_bin_size_allocate;
  properties[PROP_CHILD] = g_param_spec_object ("child", NULL, NULL, GTK_TYPE_WIDGET,
                                                G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  properties[PROP_NARROW] = g_param_spec_boolean ("narrow", NULL, NULL, FALSE,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
wpr_narrow_bin_init (WprNarrowBin *self)
{
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

gboolean
wpr_narrow_bin_get_narrow (WprNarrowBin *self)
{
  return self->narrow;
}
