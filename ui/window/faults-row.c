/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a file, what to write instead, and where. */
#include "config.h"
#include "faults-row.h"

#include <glib/gi18n.h>
#include "format.h"
#include "search.h"

struct _WprFaultsRow
{
  AdwExpanderRow parent;
  char *title;
  char *subtitle;
};

G_DEFINE_FINAL_TYPE (WprFaultsRow, wpr_faults_row, ADW_TYPE_EXPANDER_ROW)

static void
wpr_faults_row_finalize (GObject *object)
{
  WprFaultsRow *self = WPR_FAULTS_ROW (object);
  g_free (self->title);
  g_free (self->subtitle);
  G_OBJECT_CLASS (wpr_faults_row_parent_class)->finalize (object);
}

static void
wpr_faults_row_class_init (WprFaultsRowClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = wpr_faults_row_finalize;
}

static void
wpr_faults_row_init (WprFaultsRow *self)
{
}

/* One row an entry of the menu. */
static const struct
{
  const char *label;
  const char *action;
} entries[] = {
  { N_ ("Open File"), "win.open-profile" },
  { N_ ("Check Again"), "win.check-profile" },
  { N_ ("Remove"), "win.remove-profile" },
};

/* A menu is made when it is opened: it takes more than the rest of a row. */
static void
make_menu (GtkMenuButton *button, gpointer name)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      g_autoptr (GMenuItem) item = g_menu_item_new (_ (entries[i].label), NULL);
      g_menu_item_set_action_and_target (item, entries[i].action, "s", name);
      g_menu_append_item (menu, item);
    }
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

GtkWidget *
wpr_custom_menu_new (const WprCustomFile *file)
{
  GtkWidget *button = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_menu_button_set_create_popup_func (GTK_MENU_BUTTON (button), make_menu, g_strdup (file->name),
                                         g_free);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  /* Translators: %s is the name of a file */
  g_autofree char *label = g_strdup_printf (_ ("Menu of %s"), file->shown);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_widget_set_tooltip_text (button, label);
  return button;
}

static GtkWidget *
new_fault_row (const WprCustomFault *fault)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *what = g_markup_escape_text (fault->what, -1);
  g_autofree char *advice = g_markup_escape_text (fault->advice, -1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), what);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), advice);
  if (fault->line == 0)
    return row;
  g_autofree char *place = g_strdup_printf (_ ("Line %u, column %u"), fault->line, fault->column);
  GtkWidget *label = gtk_label_new (place);
  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_add_css_class (label, "dim-label");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  return row;
}

static char *
describe (const WprCustomFile *file)
{
  guint n = file->faults->len;
  g_autofree char *count = wpr_format_count (n);
  if (file->usable)
    /* Translators: a number, and the name of a file that can be used nevertheless */
    return g_strdup_printf (ngettext ("%s remark on %s. It is recorded without that.",
                                      "%s remarks on %s. It is recorded without that.", n),
                            count, file->shown);
  /* Translators: a number, and the name of a file */
  return g_strdup_printf (ngettext ("%s fault in %s. It can be used once it is corrected.",
                                    "%s faults in %s. It can be used once they are corrected.", n),
                          count, file->shown);
}

GtkWidget *
wpr_faults_row_new (const WprCustomFile *file)
{
  WprFaultsRow *self = g_object_new (WPR_TYPE_FAULTS_ROW, NULL);
  AdwExpanderRow *row = ADW_EXPANDER_ROW (self);
  /* of a file that can be used the profiles have rows of their own */
  self->title = g_strdup (file->title != NULL && !file->usable ? file->title : file->shown);
  self->subtitle = describe (file);
  GtkWidget *icon = gtk_image_new_from_icon_name (file->usable ? "dialog-warning-symbolic"
                                                               : "dialog-error-symbolic");
  gtk_widget_add_css_class (icon, file->usable ? "warning" : "error");
  adw_expander_row_add_prefix (row, icon);
  adw_expander_row_add_action (row, wpr_custom_menu_new (file));
  for (guint i = 0; i < file->faults->len; i++)
    adw_expander_row_add_row (row, new_fault_row (file->faults->pdata[i]));
  adw_expander_row_set_expanded (row, !file->usable);
  wpr_faults_row_search (self, "");
  return GTK_WIDGET (self);
}

gboolean
wpr_faults_row_search (WprFaultsRow *self, const char *query)
{
  g_autofree char *words = g_strjoin ("\n", self->title, self->subtitle, NULL);
  g_autofree char *folded = wpr_search_fold (words);
  gboolean shown = wpr_search_matches (folded, query);
  gtk_widget_set_visible (GTK_WIDGET (self), shown);
  if (!shown)
    return FALSE;
  g_autofree char *title = wpr_search_markup (self->title, query);
  g_autofree char *subtitle = wpr_search_markup (self->subtitle, query);
  /* GTK 4.8 keeps the emphasis of before where only the markup is another */
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), "");
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), "");
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), title);
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self), subtitle);
  return TRUE;
}
