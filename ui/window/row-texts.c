/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of libadwaita has title and subtitle, which wrap, in a GtkBox. Asked how wide it must be at
 * a height, which a row asks again and again, GtkBox of GTK 4.8 searches by halves: 140 layouts a
 * label before the first frame, a third of all the work there. The layout here answers what fits
 * every height: the width of the longest word. Where a newer libadwaita builds its rows of other
 * parts, nothing is done. */
#include "config.h"
#include "row-texts.h"

#define SPACING 3 /* as libadwaita's style has it */

static void
measure (GtkWidget *box, GtkOrientation orientation, int for_size, int *minimum, int *natural,
         int *minimum_baseline, int *natural_baseline)
{
  gboolean across = orientation == GTK_ORIENTATION_HORIZONTAL;
  guint n = 0;
  *minimum = *natural = 0;
  for (GtkWidget *child = gtk_widget_get_first_child (box); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int least = 0, wanted = 0;
      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, orientation, across ? -1 : for_size, &least, &wanted, NULL, NULL);
      *minimum = across ? MAX (*minimum, least) : *minimum + least + (n > 0 ? SPACING : 0);
      *natural = across ? MAX (*natural, wanted) : *natural + wanted + (n > 0 ? SPACING : 0);
      n++;
    }
}

/* One below the other, in the middle. */
static void
allocate (GtkWidget *box, int width, int height, int baseline)
{
  int wanted = 0;
  measure (box, GTK_ORIENTATION_VERTICAL, width, &(int){ 0 }, &wanted, NULL, NULL);
  int y = MAX (height - wanted, 0) / 2;
  for (GtkWidget *child = gtk_widget_get_first_child (box); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int tall = 0;
      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, NULL, &tall, NULL, NULL);
      gtk_widget_size_allocate (child, &(GtkAllocation){ 0, y, width, tall }, -1);
      y += tall + SPACING;
    }
}

static GtkSizeRequestMode
get_mode (GtkWidget *box)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static gboolean
is_label (GtkWidget *widget, const char *css_class)
{
  return GTK_IS_LABEL (widget) && gtk_widget_has_css_class (widget, css_class);
}

void
wpr_lay_out_rows (GtkWidget *widget)
{
  GtkWidget *first = gtk_widget_get_first_child (widget);
  if (GTK_IS_BOX (widget) && gtk_widget_has_css_class (widget, "title") && first != NULL
      && is_label (first, "title") && is_label (gtk_widget_get_last_child (widget), "subtitle"))
    {
      gtk_widget_set_layout_manager (widget, gtk_custom_layout_new (get_mode, measure, allocate));
      return;
    }
  for (GtkWidget *child = first; child != NULL; child = gtk_widget_get_next_sibling (child))
    wpr_lay_out_rows (child);
}
