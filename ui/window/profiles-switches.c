/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The switches are made when the row is first opened. A switch stands where the recording is, not
 * where it was pressed: until the answer it is insensitive. */
#include "config.h"
#include "profiles-switches.h"

#include <glib/gi18n.h>
#include "customs.h"
#include "profile-item.h"

typedef struct
{
  WprProfileItem *item;
  GtkWidget *toggle;
} Entry;

struct _WprProfilesSwitches
{
  AdwExpanderRow parent;
  WprModel *model;
  GArray *entries; /* of Entry; NULL until opened */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (WprProfilesSwitches, wpr_profiles_switches, ADW_TYPE_EXPANDER_ROW)

static gboolean
is_on (const WprSubject *subject, WprProfileItem *item)
{
  return subject != NULL && subject->names != NULL
         && g_strv_contains ((const char *const *)subject->names, wpr_profile_item_get_name (item));
}

/* The last one stays on: a recording of nothing is none. */
static void
update (WprProfilesSwitches *self)
{
  const WprSubject *subject = wpr_model_get_subject (self->model);
  if (self->entries == NULL || subject == NULL)
    return;
  gboolean only_one = g_strv_length (subject->names) == 1;
  self->updating = TRUE;
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = &g_array_index (self->entries, Entry, i);
      gboolean on = is_on (subject, entry->item);
      gboolean possible = wpr_profile_item_has (entry->item, WPR_LEVEL_VERBOSE, subject->mode)
                          || wpr_profile_item_has (entry->item, WPR_LEVEL_LIGHT, subject->mode);
      gtk_switch_set_active (GTK_SWITCH (entry->toggle), on);
      gtk_widget_set_sensitive (entry->toggle, on ? !only_one : possible);
    }
  self->updating = FALSE;
}

static void
on_toggled (WprProfilesSwitches *self, GParamSpec *pspec, GtkSwitch *toggle)
{
  if (self->updating)
    return;
  for (guint i = 0; i < self->entries->len; i++)
    {
      Entry *entry = &g_array_index (self->entries, Entry, i);
      if (entry->toggle != GTK_WIDGET (toggle))
        continue;
      gtk_widget_set_sensitive (entry->toggle, FALSE);
      wpr_model_switch_profile (self->model, wpr_profile_item_get_id (entry->item),
                                gtk_switch_get_active (toggle));
    }
}

static void
add_entry (WprProfilesSwitches *self, WprProfileItem *item)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *toggle = gtk_switch_new ();
  Entry entry = { .item = g_object_ref (item), .toggle = toggle };
  const char *title = wpr_profile_item_get_title (item);
  g_autofree char *escaped = g_markup_escape_text (title, -1);
  g_autofree char *symptom = g_markup_escape_text (wpr_profile_item_get_symptom (item), -1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), escaped);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), symptom);
  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  /* the row names it after its title already */
  gtk_accessible_update_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  wpr_profile_item_get_symptom (item), -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (self), row);
  g_signal_connect_object (toggle, "notify::active", G_CALLBACK (on_toggled), self,
                           G_CONNECT_SWAPPED);
  g_array_append_val (self->entries, entry);
}

static void
clear_entry (gpointer data)
{
  g_object_unref (((Entry *)data)->item);
}

static void
on_expanded (WprProfilesSwitches *self)
{
  if (self->entries != NULL || self->model == NULL
      || !adw_expander_row_get_expanded (ADW_EXPANDER_ROW (self)))
    return;
  self->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_array_set_clear_func (self->entries, clear_entry);
  GListModel *profiles = wpr_model_get_profiles (self->model);
  for (guint i = 0; i < g_list_model_get_n_items (profiles); i++)
    {
      g_autoptr (WprProfileItem) item = g_list_model_get_item (profiles, i);
      add_entry (self, item);
    }
  WprCustoms *customs = wpr_model_get_customs (self->model);
  g_auto (GStrv) files = wpr_customs_list (customs);
  for (guint i = 0; files[i] != NULL; i++)
    {
      const WprCustomFile *file = wpr_customs_get_file (customs, files[i]);
      for (guint j = 0; file != NULL && file->usable && j < file->items->len; j++)
        add_entry (self, file->items->pdata[j]);
    }
  update (self);
}

static void
wpr_profiles_switches_dispose (GObject *object)
{
  WprProfilesSwitches *self = WPR_PROFILES_SWITCHES (object);
  g_clear_pointer (&self->entries, g_array_unref);
  g_clear_object (&self->model);
  G_OBJECT_CLASS (wpr_profiles_switches_parent_class)->dispose (object);
}

static void
wpr_profiles_switches_class_init (WprProfilesSwitchesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = wpr_profiles_switches_dispose;
}

static void
wpr_profiles_switches_init (WprProfilesSwitches *self)
{
  g_signal_connect (self, "notify::expanded", G_CALLBACK (on_expanded), NULL);
}

void
wpr_profiles_switches_set_model (WprProfilesSwitches *self, WprModel *model)
{
  g_return_if_fail (WPR_IS_PROFILES_SWITCHES (self) && self->model == NULL);
  self->model = g_object_ref (model);
  g_signal_connect_object (model, "subject", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "switched", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
}
