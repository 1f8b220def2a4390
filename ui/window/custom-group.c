/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows follow the files: a switch a profile, an expander a file with faults. */
#include "config.h"
#include "custom-group.h"

#include <string.h>
#include "faults-row.h"
#include "profile-row.h"

struct _WprCustomGroup
{
  AdwPreferencesGroup parent;
  GtkWidget *add_row;
  GPtrArray *rows;     /* every row but the last, borrowed */
  GPtrArray *profiles; /* of these the WprProfileRow, borrowed */
  GtkWidget *newest;   /* first row of the newest file, or NULL; borrowed */
};

G_DEFINE_FINAL_TYPE (WprCustomGroup, wpr_custom_group, ADW_TYPE_PREFERENCES_GROUP)

static void
wpr_custom_group_finalize (GObject *object)
{
  WprCustomGroup *self = WPR_CUSTOM_GROUP (object);
  g_ptr_array_unref (self->rows);
  g_ptr_array_unref (self->profiles);
  G_OBJECT_CLASS (wpr_custom_group_parent_class)->finalize (object);
}

static void
wpr_custom_group_class_init (WprCustomGroupClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_custom_group_finalize;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/custom-group.ui");
  gtk_widget_class_bind_template_child (widget_class, WprCustomGroup, add_row);
}

static void
wpr_custom_group_init (WprCustomGroup *self)
{
  self->rows = g_ptr_array_new ();
  self->profiles = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
wpr_custom_group_new (void)
{
  return g_object_new (WPR_TYPE_CUSTOM_GROUP, NULL);
}

static void
add_row (WprCustomGroup *self, GtkWidget *row)
{
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self), row);
  g_ptr_array_add (self->rows, row);
}

static void
add_file (WprCustomGroup *self, const WprCustomFile *file)
{
  guint first = self->rows->len;
  for (guint i = 0; i < file->items->len; i++)
    {
      GtkWidget *row = wpr_profile_row_new (file->items->pdata[i]);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), wpr_custom_menu_new (file));
      add_row (self, row);
      g_ptr_array_add (self->profiles, row);
    }
  if (file->faults->len > 0)
    {
      GtkWidget *row = wpr_faults_row_new (file);
      g_object_set_data_full (G_OBJECT (row), "shown", g_strdup (file->shown), g_free);
      add_row (self, row);
    }
  if (file->fresh)
    self->newest = self->rows->pdata[first];
}

void
wpr_custom_group_set_files (WprCustomGroup *self, const GPtrArray *files)
{
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP (self);
  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove (group, self->rows->pdata[i]);
  g_ptr_array_set_size (self->rows, 0);
  g_ptr_array_set_size (self->profiles, 0);
  self->newest = NULL;
  /* a group only appends: Add stays the last */
  g_autoptr (GtkWidget) last = g_object_ref (self->add_row);
  adw_preferences_group_remove (group, last);
  for (guint i = 0; i < files->len; i++)
    add_file (self, files->pdata[i]);
  adw_preferences_group_add (group, last);
}

const GPtrArray *
wpr_custom_group_get_profile_rows (WprCustomGroup *self)
{
  return self->profiles;
}

guint
wpr_custom_group_search (WprCustomGroup *self, const char *query)
{
  guint n_shown = 0;
  g_autofree char *folded = g_utf8_casefold (query, -1);
  for (guint i = 0; i < self->rows->len; i++)
    {
      GtkWidget *row = self->rows->pdata[i];
      const char *shown = g_object_get_data (G_OBJECT (row), "shown");
      if (shown == NULL)
        continue;
      g_autofree char *hay = g_utf8_casefold (shown, -1);
      gboolean found = strstr (hay, folded) != NULL;
      gtk_widget_set_visible (row, found);
      n_shown += found;
    }
  if (n_shown > 0 || *query == '\0')
    gtk_widget_show (GTK_WIDGET (self));
  return n_shown;
}

/* A view scrolls to what has a place in it: a new row has one after the next layout. */
static gboolean
focus_when_placed (GtkWidget *row, GdkFrameClock *clock, gpointer data)
{
  if (gtk_widget_get_height (row) == 0)
    return G_SOURCE_CONTINUE;
  gtk_widget_grab_focus (row);
  return G_SOURCE_REMOVE;
}

void
wpr_custom_group_show_newest (WprCustomGroup *self)
{
  if (self->newest != NULL && gtk_widget_get_visible (self->newest))
    gtk_widget_add_tick_callback (self->newest, focus_when_placed, NULL, NULL);
}
