/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A line takes children while their natural widths fit; a child alone on a line may get less.
 * How wide it must be does not depend on how high it is: GTK 4.8's boxes guess a label's width from
 * a height that was measured for another one, and push what is behind it out of the window. */
#include "config.h"
#include "wrap-layout.h"

struct _WprWrapLayout
{
  GtkLayoutManager parent;
  int spacing, line_spacing;
  double xalign;
  gboolean fill, wrap;
};

G_DEFINE_FINAL_TYPE (WprWrapLayout, wpr_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

enum
{
  PROP_SPACING = 1,
  PROP_LINE_SPACING,
  PROP_XALIGN,
  PROP_FILL,
  PROP_WRAP,
  N_PROPS
};
static GParamSpec *properties[N_PROPS];

/* One line: from `first` on, `n` children that are seen, `width` pixels with what is between. */
typedef struct
{
  GtkWidget *first;
  int n, width, widest;
} Line;

static int
measure_natural (GtkWidget *child)
{
  int natural = 0;
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return natural;
}

static GtkWidget *
next_shown (GtkWidget *child)
{
  while (child != NULL && !gtk_widget_should_layout (child))
    child = gtk_widget_get_next_sibling (child);
  return child;
}

/* The line that begins with `child`; returns what begins the next one, NULL after the last. */
static GtkWidget *
take_line (WprWrapLayout *self, GtkWidget *child, int width, Line *line)
{
  *line = (Line){ .first = child };
  for (; child != NULL; child = next_shown (gtk_widget_get_next_sibling (child)))
    {
      int natural = measure_natural (child);
      int needed = line->n > 0 ? line->width + self->spacing + natural : natural;
      if (line->n > 0 && needed > width)
        break;
      line->n++;
      line->width = needed;
      line->widest = MAX (line->widest, natural);
    }
  return child;
}

/* How wide one of its children is in a place of `width` pixels. */
static int
share_of (WprWrapLayout *self, const Line *line, GtkWidget *child, int width)
{
  int natural = measure_natural (child);
  if (line->width > width)
    return width;
  if (!self->fill)
    return natural;
  int each = (width - (line->n - 1) * self->spacing) / line->n;
  return line->widest <= each ? each : natural + (width - line->width) / line->n;
}

static int
measure_line (WprWrapLayout *self, const Line *line, int width)
{
  int most = 0;
  GtkWidget *child = line->first;
  for (int i = 0; i < line->n; i++)
    {
      int height = 0;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, share_of (self, line, child, width),
                          NULL, &height, NULL, NULL);
      most = MAX (most, height);
      child = next_shown (gtk_widget_get_next_sibling (child));
    }
  return most;
}

static void
measure_width (WprWrapLayout *self, GtkWidget *widget, int *minimum, int *natural)
{
  for (GtkWidget *child = next_shown (gtk_widget_get_first_child (widget)); child != NULL;
       child = next_shown (gtk_widget_get_next_sibling (child)))
    {
      int least = 0, wanted = 0;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &wanted, NULL, NULL);
      *minimum = MAX (*minimum, least);
      *natural += wanted + (*natural > 0 ? self->spacing : 0);
    }
  if (!self->wrap)
    *minimum = *natural;
}

static void
wpr_wrap_layout_measure (GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation,
                         int for_size, int *minimum, int *natural, int *minimum_baseline,
                         int *natural_baseline)
{
  WprWrapLayout *self = WPR_WRAP_LAYOUT (manager);
  *minimum = *natural = 0;
  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      measure_width (self, widget, minimum, natural);
      return;
    }
  int width = for_size >= 0 ? for_size : G_MAXINT;
  Line line;
  for (GtkWidget *child = next_shown (gtk_widget_get_first_child (widget)); child != NULL;)
    {
      child = take_line (self, child, width, &line);
      *natural += measure_line (self, &line, for_size >= 0 ? width : line.width)
                  + (*natural > 0 ? self->line_spacing : 0);
    }
  *minimum = *natural;
}

static void
wpr_wrap_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                          int baseline)
{
  WprWrapLayout *self = WPR_WRAP_LAYOUT (manager);
  gboolean from_right = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  Line line;
  int y = 0;
  for (GtkWidget *next, *child = next_shown (gtk_widget_get_first_child (widget)); child != NULL;
       child = next)
    {
      next = take_line (self, child, width, &line);
      int tall = measure_line (self, &line, width);
      int x = self->fill ? 0 : (int)(MAX (width - line.width, 0) * self->xalign);
      if (y == 0 && next == NULL)
        tall = MAX (tall, height);
      for (int i = 0; i < line.n; i++)
        {
          int share = share_of (self, &line, child, width);
          GtkAllocation place = { from_right ? width - x - share : x, y, share, tall };
          gtk_widget_size_allocate (child, &place, -1);
          x += share + self->spacing;
          child = next_shown (gtk_widget_get_next_sibling (child));
        }
      y += tall + self->line_spacing;
    }
}

static GtkSizeRequestMode
wpr_wrap_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
wpr_wrap_layout_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  WprWrapLayout *self = WPR_WRAP_LAYOUT (object);
  switch (id)
    {
    case PROP_SPACING:
      self->spacing = g_value_get_int (value);
      break;
    case PROP_LINE_SPACING:
      self->line_spacing = g_value_get_int (value);
      break;
    case PROP_XALIGN:
      self->xalign = g_value_get_double (value);
      break;
    case PROP_FILL:
      self->fill = g_value_get_boolean (value);
      break;
    case PROP_WRAP:
      self->wrap = g_value_get_boolean (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  gtk_layout_manager_layout_changed (GTK_LAYOUT_MANAGER (self));
}

static void
wpr_wrap_layout_class_init (WprWrapLayoutClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);
  const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS;
  object_class->set_property = wpr_wrap_layout_set_property;
  layout_class->measure = wpr_wrap_layout_measure;
  layout_class->allocate = wpr_wrap_layout_allocate;
  layout_class->get_request_mode = wpr_wrap_layout_get_request_mode;
  properties[PROP_SPACING] = g_param_spec_int ("spacing", NULL, NULL, 0, G_MAXSHORT, 0, flags);
  properties[PROP_LINE_SPACING]
      = g_param_spec_int ("line-spacing", NULL, NULL, 0, G_MAXSHORT, 0, flags);
  properties[PROP_XALIGN] = g_param_spec_double ("xalign", NULL, NULL, 0, 1, 0, flags);
  properties[PROP_FILL] = g_param_spec_boolean ("fill", NULL, NULL, FALSE, flags);
  properties[PROP_WRAP] = g_param_spec_boolean ("wrap", NULL, NULL, TRUE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
wpr_wrap_layout_init (WprWrapLayout *self)
{
  self->wrap = TRUE;
}
