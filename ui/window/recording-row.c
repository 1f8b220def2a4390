/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row of the recordings. What is in the file comes later than its name. */
#include "config.h"
#include "recording-row.h"

#include <glib/gi18n.h>
#include <string.h>
#include "format.h"
#include "profile-item.h"

struct _WprRecordingRow
{
  AdwBin parent;
  /* template */
  GtkWidget *seal, *title, *profiles, *note, *verdict, *size, *menu;
  /* owned */
  WprRecordingItem *item;
  GListModel *titles;
};

G_DEFINE_FINAL_TYPE (WprRecordingRow, wpr_recording_row, ADW_TYPE_BIN)

static const struct
{
  const char *icon_name, *css_class, *words;
} seals[] = {
  [WPR_SEAL_UNKNOWN] = { "content-loading-symbolic", "dim-label", "" },
  [WPR_SEAL_COMPLETE] = { "emblem-ok-symbolic", "success", N_ ("Complete") },
  [WPR_SEAL_LOST] = { "dialog-warning-symbolic", "warning", N_ ("Events were lost") },
  [WPR_SEAL_DAMAGED] = { "dialog-error-symbolic", "error", N_ ("Damaged") },
  [WPR_SEAL_UNREADABLE] = { "dialog-question-symbolic", "dim-label", N_ ("Not readable") },
};

static void
wpr_recording_row_dispose (GObject *object)
{
  WprRecordingRow *self = WPR_RECORDING_ROW (object);
  wpr_recording_row_show (self, NULL, NULL);
  G_OBJECT_CLASS (wpr_recording_row_parent_class)->dispose (object);
}

static void
wpr_recording_row_class_init (WprRecordingRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_recording_row_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/recording-row.ui");
  gtk_widget_class_bind_template_child (widget_class, WprRecordingRow, seal);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingRow, title);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingRow, profiles);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingRow, note);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingRow, verdict);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingRow, size);
  gtk_widget_class_bind_template_child (widget_class, WprRecordingRow, menu);
}

static void
wpr_recording_row_init (WprRecordingRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
wpr_recording_row_new (void)
{
  return g_object_new (WPR_TYPE_RECORDING_ROW, NULL);
}

WprRecordingItem *
wpr_recording_row_get_item (WprRecordingRow *self)
{
  return self->item;
}

static char *
describe_when (WprRecordingItem *item)
{
  gint64 us = wpr_recording_item_get_saved_us (item);
  g_autoptr (GDateTime) then = g_date_time_new_from_unix_local (us / G_USEC_PER_SEC);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  gboolean recent = then != NULL && g_date_time_difference (now, then) < 2 * G_TIME_SPAN_DAY;
  if (then == NULL)
    return g_strdup ("");
  /* Translators: a date: the day and the short month */
  return g_date_time_format (then, recent ? "%H:%M" : C_ ("date", "%-d %b"));
}

static void
show_optional (GtkWidget *label, const char *text)
{
  gtk_label_set_label (GTK_LABEL (label), text);
  gtk_widget_set_visible (label, *text != '\0');
}

static void
show_seal (WprRecordingRow *self, const WprRecordingBrief *brief)
{
  g_autofree char *count = wpr_format_count (brief->lost);
  /* Translators: a number of events */
  g_autofree char *lost = g_strdup_printf (_ ("%s lost"), count);
  const char *words = *seals[brief->seal].words != '\0' ? _ (seals[brief->seal].words) : "";
  const char *verdict = brief->seal == WPR_SEAL_LOST && brief->lost > 0 ? lost : words;
  for (guint i = 0; i < G_N_ELEMENTS (seals); i++)
    {
      gtk_widget_remove_css_class (self->seal, seals[i].css_class);
      gtk_widget_remove_css_class (self->verdict, seals[i].css_class);
    }
  gtk_widget_add_css_class (self->seal, seals[brief->seal].css_class);
  if (brief->seal != WPR_SEAL_COMPLETE)
    gtk_widget_add_css_class (self->verdict, seals[brief->seal].css_class);
  gtk_image_set_from_icon_name (GTK_IMAGE (self->seal), seals[brief->seal].icon_name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->seal), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  verdict, -1);
  gtk_label_set_label (GTK_LABEL (self->verdict), verdict);
}

static void
update (WprRecordingRow *self)
{
  const WprRecordingBrief *brief = wpr_recording_item_get_brief (self->item);
  g_autofree char *titles = wpr_profile_items_join (self->titles, brief->profiles);
  /* Translators: a sentence of the person's, in quotation marks */
  g_autofree char *note = brief->note ? g_strdup_printf (_ ("“%s”"), brief->note) : g_strdup ("");
  g_autofree char *bytes = wpr_format_bytes (wpr_recording_item_get_size (self->item));
  g_autofree char *when = describe_when (self->item);
  /* Translators: a size, a time: "96 MB, 10:12" */
  g_autofree char *size = g_strdup_printf (_ ("%s, %s"), bytes, when);
  gtk_label_set_label (GTK_LABEL (self->title), wpr_recording_item_get_title (self->item));
  show_optional (self->profiles, titles);
  show_optional (self->note, note);
  gtk_label_set_label (GTK_LABEL (self->size), size);
  show_seal (self, brief);
}

/* One row an entry of the menu. */
static const struct
{
  const char *label, *action;
} entries[] = {
  { N_ ("Show in Folder"), "recordings.show" },   { N_ ("Copy Path"), "recordings.copy" },
  { N_ ("Edit Note…"), "recordings.note" },       { N_ ("Rename…"), "recordings.rename" },
  { N_ ("Move to the Bin"), "recordings.trash" },
};

static void
fill_menu (WprRecordingRow *self)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      g_autoptr (GMenuItem) entry = g_menu_item_new (_ (entries[i].label), NULL);
      g_menu_item_set_action_and_target_value (
          entry, entries[i].action,
          g_variant_new_bytestring (wpr_recording_item_get_name (self->item)));
      g_menu_append_item (menu, entry);
    }
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->menu), G_MENU_MODEL (menu));
  /* Translators: the menu of one recording, %s is its name */
  g_autofree char *label
      = g_strdup_printf (_ ("Menu: %s"), wpr_recording_item_get_title (self->item));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->menu), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_widget_set_tooltip_text (self->menu, _ ("What to do with it"));
}

void
wpr_recording_row_show (WprRecordingRow *self, WprRecordingItem *item, GListModel *profiles)
{
  if (self->item != NULL)
    g_signal_handlers_disconnect_by_data (self->item, self);
  if (self->titles != NULL)
    g_signal_handlers_disconnect_by_data (self->titles, self);
  g_clear_object (&self->item);
  g_clear_object (&self->titles);
  if (item == NULL)
    return;
  self->item = g_object_ref (item);
  self->titles = g_object_ref (profiles);
  g_signal_connect_swapped (item, "changed", G_CALLBACK (update), self);
  /* the profiles may be read later than the folder */
  g_signal_connect_swapped (profiles, "items-changed", G_CALLBACK (update), self);
  fill_menu (self);
  update (self);
}
