/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to record. The list comes from the model once; every change makes a wish, and the plan of it
 * comes back. */
#include "config.h"
#include "choose-page.h"

#include <glib/gi18n.h>
#include <string.h>
#include "custom-group.h"
#include "customs.h"
#include "narrow-bin.h"
#include "options-pane.h"
#include "plan-bar.h"
#include "profile-row.h"
#include "row-texts.h"
#include "symptom-bar.h"
#include "unlock-bar.h"

struct _WprChoosePage
{
  AdwBin parent;
  /* template */
  GtkWidget *unlock_bar;
  GtkWidget *search;
  GtkWidget *groups;
  GtkWidget *nothing_found;
  GtkWidget *also_on;
  GtkWidget *options;
  GtkWidget *narrow;
  GtkWidget *list_scroll;
  GtkWidget *symptoms;
  GtkWidget *bar;
  /* owned */
  WprModel *model;
  WprSettings *settings;
  GPtrArray *rows;   /* of WprProfileRow, borrowed from the groups; of built-in profiles */
  GtkWidget *custom; /* the last of the groups; NULL until "loaded" */
  char **before;     /* what was on before a symptom chose */
  guint wish_source; /* several changes in one turn of the loop make one wish */
};

G_DEFINE_FINAL_TYPE (WprChoosePage, wpr_choose_page, ADW_TYPE_BIN)

static guint chosen_signal;

/* ---- the wish ---- */

/* waiting: also what waits for its file to come. */
static char **
list_on (WprChoosePage *self, gboolean waiting)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  for (guint i = 0; i < self->rows->len; i++)
    {
      WprProfileRow *row = self->rows->pdata[i];
      if (wpr_profile_row_get_on (row))
        g_strv_builder_add (names, wpr_profile_item_get_id (wpr_profile_row_get_item (row)));
    }
  wpr_custom_group_list_on (WPR_CUSTOM_GROUP (self->custom), names, waiting);
  return g_strv_builder_end (names);
}

static WprWish *
make_wish (WprChoosePage *self, gboolean waiting)
{
  WprWish *wish = g_new0 (WprWish, 1);
  wish->names = list_on (self, waiting);
  wpr_options_pane_get (WPR_OPTIONS_PANE (self->options), wish);
  return wish;
}

static gboolean
send_wish (gpointer data)
{
  WprChoosePage *self = data;
  self->wish_source = 0;
  g_autoptr (WprWish) wish = make_wish (self, FALSE);
  g_autoptr (WprWish) lasting = make_wish (self, TRUE);
  wpr_model_set_wish (self->model, wish);
  wpr_settings_set_wish (self->settings, lasting);
  return G_SOURCE_REMOVE;
}

static void
queue_wish (WprChoosePage *self)
{
  if (self->wish_source == 0 && self->rows->len > 0)
    self->wish_source = g_idle_add (send_wish, self);
}

/* ---- the list ---- */

static void
on_search (WprChoosePage *self)
{
  const char *query = gtk_editable_get_text (GTK_EDITABLE (self->search));
  g_autoptr (GStrvBuilder) hidden_on = g_strv_builder_new ();
  guint n_shown = 0;
  for (GtkWidget *group = gtk_widget_get_first_child (self->groups); group != NULL;
       group = gtk_widget_get_next_sibling (group))
    gtk_widget_hide (group);
  for (guint i = 0; i < self->rows->len; i++)
    {
      WprProfileRow *row = self->rows->pdata[i];
      if (wpr_profile_row_search (row, query))
        {
          n_shown++;
          gtk_widget_show (gtk_widget_get_ancestor (GTK_WIDGET (row), ADW_TYPE_PREFERENCES_GROUP));
        }
      else if (wpr_profile_row_get_on (row))
        g_strv_builder_add (hidden_on, wpr_profile_item_get_title (wpr_profile_row_get_item (row)));
    }
  if (self->custom != NULL)
    n_shown += wpr_custom_group_search (WPR_CUSTOM_GROUP (self->custom), query, hidden_on);
  g_auto (GStrv) titles = g_strv_builder_end (hidden_on);
  g_autofree char *joined = g_strjoinv (_ (", "), titles);
  /* Translators: below a filtered list; %s are titles of profiles that it hides */
  g_autofree char *also = g_strdup_printf (_ ("Also switched on: %s"), joined);
  gtk_label_set_label (GTK_LABEL (self->also_on), also);
  gtk_widget_set_visible (self->also_on, titles[0] != NULL);
  gtk_widget_set_visible (self->nothing_found, n_shown == 0 && self->rows->len > 0);
  gtk_widget_set_visible (self->symptoms, *query == '\0');
}

static GtkWidget *
add_group (WprChoosePage *self, const char *title, gboolean alone)
{
  GtkWidget *group = adw_preferences_group_new ();
  /* a heading over the one row that says the same would be noise */
  if (!alone)
    adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (group), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  gtk_box_append (GTK_BOX (self->groups), group);
  return group;
}

static void
on_row_toggled (WprChoosePage *self)
{
  queue_wish (self);
}

static void
add_rows (WprChoosePage *self, GListModel *profiles)
{
  g_autoptr (GHashTable) groups = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < g_list_model_get_n_items (profiles); i++)
    {
      g_autoptr (WprProfileItem) item = g_list_model_get_item (profiles, i);
      const char *category = wpr_profile_item_get_category (item);
      const char *title = wpr_profile_item_get_category_title (item);
      GtkWidget *group = g_hash_table_lookup (groups, category);
      if (group == NULL)
        {
          group
              = add_group (self, title, g_strcmp0 (title, wpr_profile_item_get_title (item)) == 0);
          g_hash_table_insert (groups, g_strdup (category), group);
        }
      GtkWidget *row = wpr_profile_row_new (item);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), row);
      g_ptr_array_add (self->rows, row);
      g_signal_connect_swapped (row, "toggled", G_CALLBACK (on_row_toggled), self);
    }
}

static void
restore_choice (WprChoosePage *self)
{
  g_autoptr (WprWish) wish = wpr_settings_get_wish (self->settings);
  const char *const *names = (const char *const *)wish->names;
  for (guint i = 0; i < self->rows->len; i++)
    {
      WprProfileRow *row = self->rows->pdata[i];
      const char *id = wpr_profile_item_get_id (wpr_profile_row_get_item (row));
      wpr_profile_row_set_on (row, g_strv_contains (names, id));
    }
  for (; *names != NULL; names++)
    if (strchr (*names, '!') != NULL)
      wpr_custom_group_want (WPR_CUSTOM_GROUP (self->custom), *names);
  wpr_options_pane_set (WPR_OPTIONS_PANE (self->options), wish);
}

static void
on_lock (WprChoosePage *self)
{
  wpr_unlock_bar_show (WPR_UNLOCK_BAR (self->unlock_bar), self->model);
}

static void
on_loaded (WprChoosePage *self)
{
  on_lock (self);
  add_rows (self, wpr_model_get_profiles (self->model));
  self->custom = wpr_custom_group_new (wpr_model_get_customs (self->model));
  gtk_box_append (GTK_BOX (self->groups), self->custom);
  g_signal_connect_swapped (self->custom, "changed", G_CALLBACK (queue_wish), self);
  g_signal_connect_swapped (self->custom, "arrived", G_CALLBACK (on_search), self);
  restore_choice (self);
  on_search (self);
  queue_wish (self);
}

/* ---- what would come of it ---- */

static void
on_planned (WprChoosePage *self)
{
  wpr_options_pane_show_plan (WPR_OPTIONS_PANE (self->options), wpr_model_get_plan (self->model),
                              wpr_model_get_plan_error (self->model),
                              wpr_model_get_estimate (self->model),
                              wpr_model_get_memory_bytes (self->model));
  wpr_plan_bar_show (WPR_PLAN_BAR (self->bar), self->model);
  on_lock (self);
}

static void
on_worth (WprChoosePage *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      WprProfileRow *row = self->rows->pdata[i];
      const char *id = wpr_profile_item_get_id (wpr_profile_row_get_item (row));
      wpr_profile_row_show_worth (row, wpr_model_get_worth (self->model, id));
    }
  if (self->custom != NULL)
    wpr_custom_group_show_worth (WPR_CUSTOM_GROUP (self->custom), self->model);
}

/* ---- symptoms ---- */

/* Exactly these of the built-in profiles; a person's own stay as they are. */
static void
choose (WprChoosePage *self, const char *const *names)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      WprProfileRow *row = self->rows->pdata[i];
      const char *id = wpr_profile_item_get_id (wpr_profile_row_get_item (row));
      wpr_profile_row_set_on (row, g_strv_contains (names, id));
    }
}

static void
on_symptom (WprChoosePage *self, const char *profiles)
{
  g_auto (GStrv) names = g_strsplit (profiles, " ", 0);
  g_strfreev (self->before);
  self->before = list_on (self, FALSE);
  choose (self, (const char *const *)names);
  g_autoptr (GStrvBuilder) titles = g_strv_builder_new ();
  for (guint i = 0; i < self->rows->len; i++)
    {
      WprProfileRow *row = self->rows->pdata[i];
      if (wpr_profile_row_get_on (row))
        g_strv_builder_add (titles, wpr_profile_item_get_title (wpr_profile_row_get_item (row)));
    }
  g_auto (GStrv) all = g_strv_builder_end (titles);
  g_autofree char *joined = g_strjoinv (_ (", "), all);
  /* Translators: %s are titles of profiles */
  g_autofree char *text = g_strdup_printf (_ ("Switched on: %s"), joined);
  g_signal_emit (self, chosen_signal, 0, text);
}

void
wpr_choose_page_undo (WprChoosePage *self)
{
  if (self->before != NULL)
    choose (self, (const char *const *)self->before);
}

/* ---- widget ---- */

/* What fits beside the gear at 360 pixels. */
static void
show_hint (WprChoosePage *self, gboolean narrow)
{
  g_object_set (self->search, "placeholder-text",
                narrow ? _ ("What is wrong?") : _ ("What is wrong? Try “slow”, “fan” or “disk”"),
                NULL);
}

static void
on_narrow (WprChoosePage *self)
{
  show_hint (self, wpr_narrow_bin_get_narrow (WPR_NARROW_BIN (self->narrow)));
  wpr_plan_bar_set_narrow (WPR_PLAN_BAR (self->bar),
                           wpr_narrow_bin_get_narrow (WPR_NARROW_BIN (self->narrow)));
  wpr_unlock_bar_set_narrow (WPR_UNLOCK_BAR (self->unlock_bar),
                             wpr_narrow_bin_get_narrow (WPR_NARROW_BIN (self->narrow)));
  if (self->model != NULL)
    wpr_plan_bar_show (WPR_PLAN_BAR (self->bar), self->model);
}

/* What is found begins at the top. */
static void
on_typed (WprChoosePage *self)
{
  GtkAdjustment *view
      = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (self->list_scroll));
  gtk_adjustment_set_value (view, gtk_adjustment_get_lower (view));
  on_search (self);
}

static void
wpr_choose_page_dispose (GObject *object)
{
  WprChoosePage *self = WPR_CHOOSE_PAGE (object);
  g_clear_handle_id (&self->wish_source, g_source_remove);
  g_clear_object (&self->model);
  g_clear_object (&self->settings);
  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_pointer (&self->before, g_strfreev);
  G_OBJECT_CLASS (wpr_choose_page_parent_class)->dispose (object);
}

static void
wpr_choose_page_class_init (WprChoosePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_choose_page_dispose;
  g_type_ensure (WPR_TYPE_NARROW_BIN);
  g_type_ensure (WPR_TYPE_OPTIONS_PANE);
  g_type_ensure (WPR_TYPE_PLAN_BAR);
  g_type_ensure (WPR_TYPE_SYMPTOM_BAR);
  g_type_ensure (WPR_TYPE_UNLOCK_BAR);
  chosen_signal = g_signal_new ("chosen", WPR_TYPE_CHOOSE_PAGE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/choose-page.ui");
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, unlock_bar);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, search);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, groups);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, nothing_found);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, also_on);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, options);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, narrow);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, list_scroll);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, symptoms);
  gtk_widget_class_bind_template_child (widget_class, WprChoosePage, bar);
}

static void
wpr_choose_page_init (WprChoosePage *self)
{
  self->rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  wpr_lay_out_rows (self->options);
  g_signal_connect_swapped (self->search, "search-changed", G_CALLBACK (on_typed), self);
  g_signal_connect_swapped (self->narrow, "notify::narrow", G_CALLBACK (on_narrow), self);
  g_signal_connect_swapped (self->options, "changed", G_CALLBACK (queue_wish), self);
  g_signal_connect_swapped (self->symptoms, "chosen", G_CALLBACK (on_symptom), self);
}

void
wpr_choose_page_set_model (WprChoosePage *self, WprModel *model, WprSettings *settings)
{
  self->model = g_object_ref (model);
  self->settings = g_object_ref (settings);
  g_signal_connect_object (model, "loaded", G_CALLBACK (on_loaded), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "lock", G_CALLBACK (on_lock), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "planned", G_CALLBACK (on_planned), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "worth", G_CALLBACK (on_worth), self, G_CONNECT_SWAPPED);
  wpr_choose_page_show_folder (self);
}

void
wpr_choose_page_focus_search (WprChoosePage *self)
{
  gtk_widget_grab_focus (self->search);
}

void
wpr_choose_page_show_folder (WprChoosePage *self)
{
  wpr_options_pane_set_folder (WPR_OPTIONS_PANE (self->options),
                               wpr_model_get_folder (self->model));
}
