/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symptoms and their profiles, as a table. */
#include "config.h"
#include "symptom-bar.h"

#include <glib/gi18n.h>

#define GAP 5

struct _WprSymptomBar
{
  AdwBin parent;
};

G_DEFINE_FINAL_TYPE (WprSymptomBar, wpr_symptom_bar, ADW_TYPE_BIN)

static guint chosen_signal;

/* One word each, so that all stand in one line; the sentence is what the profile says. */
static const struct
{
  const char *word;
  const char *sentence;
  const char *profiles;
} symptoms[] = {
  { N_ ("Slow"), N_ ("Everything is slow, or windows stop responding"), "GeneralProfile" },
  { N_ ("Fan"), N_ ("The fan runs, or a program takes 100%"), "CPU" },
  { N_ ("Disk"), N_ ("The disk is always busy"), "DiskIO FileIO" },
  { N_ ("Memory"), N_ ("Memory keeps growing, or programs get killed"), "Memory ResidentSet" },
  { N_ ("Network"), N_ ("Downloads stall, or nothing connects"), "Network" },
  { N_ ("Battery"), N_ ("The battery drains, or the computer wakes by itself"), "Power" },
  { N_ ("Sound"), N_ ("Sound crackles or drops out"), "Audio" },
  { N_ ("Picture"), N_ ("Games and videos stutter"), "GPU Video DesktopComposition" },
};

static void
wpr_symptom_bar_class_init (WprSymptomBarClass *klass)
{
  chosen_signal = g_signal_new ("chosen", WPR_TYPE_SYMPTOM_BAR, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
on_clicked (GtkButton *button, WprSymptomBar *self)
{
  const char *profiles = g_object_get_data (G_OBJECT (button), "profiles");
  g_signal_emit (self, chosen_signal, 0, profiles);
}

static GtkWidget *
new_button (WprSymptomBar *self, guint i)
{
  GtkWidget *button = gtk_button_new_with_label (_ (symptoms[i].word));
  gtk_widget_set_tooltip_text (button, _ (symptoms[i].sentence));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  _ (symptoms[i].sentence), -1);
  gtk_widget_add_css_class (button, "symptom");
  g_object_set_data (G_OBJECT (button), "profiles", (gpointer)symptoms[i].profiles);
  g_signal_connect (button, "clicked", G_CALLBACK (on_clicked), self);
  return button;
}

static void
wpr_symptom_bar_init (WprSymptomBar *self)
{
  GtkWidget *flow = gtk_flow_box_new ();
  gtk_flow_box_set_selection_mode (GTK_FLOW_BOX (flow), GTK_SELECTION_NONE);
  gtk_flow_box_set_column_spacing (GTK_FLOW_BOX (flow), GAP);
  gtk_flow_box_set_row_spacing (GTK_FLOW_BOX (flow), GAP);
  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (flow), G_N_ELEMENTS (symptoms));
  gtk_accessible_update_property (GTK_ACCESSIBLE (flow), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What is wrong"), -1);
  for (guint i = 0; i < G_N_ELEMENTS (symptoms); i++)
    {
      GtkWidget *child = gtk_flow_box_child_new ();
      gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), new_button (self, i));
      gtk_widget_set_focusable (child, FALSE);
      gtk_flow_box_append (GTK_FLOW_BOX (flow), child);
    }
  adw_bin_set_child (ADW_BIN (self), flow);
}
