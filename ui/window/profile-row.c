/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile in the list. */
#include "config.h"
#include "profile-row.h"

#include <glib/gi18n.h>
#include "row-texts.h"
#include "search.h"

struct _WprProfileRow
{
  AdwActionRow parent;
  /* template */
  GtkWidget *badge;
  GtkWidget *lock;
  GtkWidget *info;
  GtkWidget *toggle;
  /* owned */
  WprProfileItem *item;
  char *query; /* it was last asked for */
};

G_DEFINE_FINAL_TYPE (WprProfileRow, wpr_profile_row, ADW_TYPE_ACTION_ROW)

static guint toggled_signal;

static void
on_active (WprProfileRow *self)
{
  g_signal_emit (self, toggled_signal, 0);
}

static void
wpr_profile_row_finalize (GObject *object)
{
  WprProfileRow *self = WPR_PROFILE_ROW (object);
  g_clear_object (&self->item);
  g_free (self->query);
  G_OBJECT_CLASS (wpr_profile_row_parent_class)->finalize (object);
}

static void
wpr_profile_row_class_init (WprProfileRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_profile_row_finalize;
  toggled_signal = g_signal_new ("toggled", WPR_TYPE_PROFILE_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/profile-row.ui");
  gtk_widget_class_bind_template_child (widget_class, WprProfileRow, badge);
  gtk_widget_class_bind_template_child (widget_class, WprProfileRow, lock);
  gtk_widget_class_bind_template_child (widget_class, WprProfileRow, info);
  gtk_widget_class_bind_template_child (widget_class, WprProfileRow, toggle);
}

static void
wpr_profile_row_init (WprProfileRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  wpr_lay_out_rows (GTK_WIDGET (self));
  g_signal_connect_swapped (self->toggle, "notify::active", G_CALLBACK (on_active), self);
}

/* A switch is described by its symptom; the row names it after its title already. */
static void
name_parts (WprProfileRow *self)
{
  const char *title = wpr_profile_item_get_title (self->item);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->toggle),
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  wpr_profile_item_get_symptom (self->item), -1);
  /* Translators: %s is the title of a profile */
  g_autofree char *info = g_strdup_printf (_ ("What It Records: %s"), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->info), GTK_ACCESSIBLE_PROPERTY_LABEL, info,
                                  -1);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->info), "s",
                                    wpr_profile_item_get_id (self->item));
}

GtkWidget *
wpr_profile_row_new (WprProfileItem *item)
{
  WprProfileRow *self = g_object_new (WPR_TYPE_PROFILE_ROW, NULL);
  self->item = g_object_ref (item);
  name_parts (self);
  wpr_profile_row_search (self, "");
  return GTK_WIDGET (self);
}

WprProfileItem *
wpr_profile_row_get_item (WprProfileRow *self)
{
  return self->item;
}

gboolean
wpr_profile_row_get_on (WprProfileRow *self)
{
  return gtk_switch_get_active (GTK_SWITCH (self->toggle));
}

void
wpr_profile_row_set_on (WprProfileRow *self, gboolean on)
{
  gtk_switch_set_active (GTK_SWITCH (self->toggle), on);
}

void
wpr_profile_row_show_worth (WprProfileRow *self, WprWorth worth)
{
  static const struct
  {
    const char *badge, *why;
  } words[] = {
    [WPR_WORTH_SOMETHING] = { "", "" },
    /* Translators: a badge on a profile all of which other profiles record already */
    [WPR_WORTH_INCLUDED]
    = { N_ ("included"), N_ ("What is switched on records all of it already") },
    /* Translators: a badge on a profile nothing of which can be recorded here */
    [WPR_WORTH_NOTHING] = { N_ ("not available"), N_ ("Nothing of this can be recorded here") },
    /* Translators: a badge on a profile nothing of which this user may record */
    [WPR_WORTH_RIGHTS] = { N_ ("not permitted"), N_ ("Nothing of this can be recorded without an "
                                                     "administrator’s permission") },
    /* Translators: a badge on a profile: what may be recorded of it is recorded already */
    [WPR_WORTH_NO_MORE]
    = { N_ ("adds nothing"), N_ ("What is switched on records all of it that may be recorded "
                                 "without an administrator’s permission") },
  };
  gtk_widget_set_visible (self->lock, (worth & WPR_WORTH_LOCKED) != 0);
  worth &= ~WPR_WORTH_LOCKED;
  /* what is on can be switched off */
  gtk_widget_set_sensitive (self->toggle,
                            worth != WPR_WORTH_RIGHTS || wpr_profile_row_get_on (self));
  gtk_widget_set_visible (self->badge,
                          worth != WPR_WORTH_SOMETHING && !wpr_profile_row_get_on (self));
  if (worth == WPR_WORTH_SOMETHING)
    return;
  gtk_label_set_label (GTK_LABEL (self->badge), _ (words[worth].badge));
  gtk_widget_set_tooltip_text (self->badge, _ (words[worth].why));
}

gboolean
wpr_profile_row_search (WprProfileRow *self, const char *query)
{
  if (g_strcmp0 (query, self->query) == 0)
    return gtk_widget_get_visible (GTK_WIDGET (self));
  g_free (self->query);
  self->query = g_strdup (query);
  gboolean shown = wpr_profile_item_matches (self->item, query);
  gtk_widget_set_visible (GTK_WIDGET (self), shown);
  if (!shown)
    return FALSE;
  g_autofree char *title = wpr_search_markup (wpr_profile_item_get_title (self->item), query);
  g_autofree char *symptom = wpr_search_markup (wpr_profile_item_get_symptom (self->item), query);
  /* GTK 4.8 keeps the emphasis of before where only the markup is another */
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), "");
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), "");
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), symptom);
  return TRUE;
}
