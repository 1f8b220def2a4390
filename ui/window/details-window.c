/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one profile records: plain words, and inside them the events and who asked for each. */
#include "config.h"
#include "details-window.h"

#include <glib/gi18n.h>
#include "format.h"

struct _WprDetailsWindow
{
  AdwWindow parent;
  /* template */
  GtkWidget *toasts;
  GtkWidget *heading;
  GtkWidget *copy;
  GtkWidget *sentence;
  GtkWidget *records;
  GtkWidget *missing;
  GtkWidget *collectors;
  /* owned */
  char *text;
};

G_DEFINE_FINAL_TYPE (WprDetailsWindow, wpr_details_window, ADW_TYPE_WINDOW)

static GtkWidget *
new_row (GType type, const char *title, const char *subtitle)
{
  g_autofree char *escaped_title = g_markup_escape_text (title, -1);
  g_autofree char *escaped_subtitle = g_markup_escape_text (subtitle, -1);
  return g_object_new (type, "title", escaped_title, "subtitle", escaped_subtitle, NULL);
}

static void
add_badge (GtkWidget *row, const char *words)
{
  GtkWidget *badge = gtk_label_new (words);
  gtk_widget_set_valign (badge, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (badge, "badge");
  adw_expander_row_add_action (ADW_EXPANDER_ROW (row), badge);
}

static char *
join (const GPtrArray *words)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; words != NULL && i < words->len; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? "; " : "", (const char *)words->pdata[i]);
  return g_string_free (out, FALSE);
}

static void
add_item (WprDetailsWindow *self, GHashTable *by_words, const WprPlanItem *item, const char *words)
{
  GtkWidget *expander = g_hash_table_lookup (by_words, words);
  if (expander == NULL)
    {
      expander = new_row (ADW_TYPE_EXPANDER_ROW, words, "");
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->records), expander);
      g_hash_table_insert (by_words, (char *)words, expander);
      if (item->stack != WPR_STACK_NONE)
        add_badge (expander, _ ("call stacks"));
    }
  g_autofree char *asked = join (item->asked_by);
  g_autofree char *subtitle = NULL;
  if (*asked == '\0')
    subtitle = g_strdup (_ ("Always recorded"));
  else
    /* Translators: %s names profiles and their keywords */
    subtitle = g_strdup_printf (_ ("Asked for by %s"), asked);
  GtkWidget *row = new_row (ADW_TYPE_ACTION_ROW, item->name, subtitle);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
  adw_expander_row_add_row (ADW_EXPANDER_ROW (expander), row);
}

static void
fill_records (WprDetailsWindow *self, const WprDetails *details)
{
  g_autoptr (GHashTable) by_words = g_hash_table_new (g_str_hash, g_str_equal);
  guint n = 0;
  for (guint i = 0; i < details->plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = details->plan->collectors->pdata[i];
      for (guint j = 0; j < collector->items->len; j++, n++)
        add_item (self, by_words, collector->items->pdata[j], details->plain->pdata[n]);
      g_autofree char *granted = wpr_format_count (collector->buffers_granted);
      g_autofree char *kb = wpr_format_count (collector->buffer_kb);
      g_autofree char *size = wpr_format_bytes (collector->bytes_granted);
      /* Translators: a number, a number, a size: "384 buffers of 1,024 KB, 384 MB of memory" */
      g_autofree char *subtitle
          = g_strdup_printf (_ ("%s buffers of %s KB, %s of memory"), granted, kb, size);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->collectors),
                                 new_row (ADW_TYPE_ACTION_ROW, collector->name, subtitle));
    }
  gtk_widget_set_visible (self->records, n > 0);
}

static void
fill_missing (WprDetailsWindow *self, const WprPlan *plan)
{
  gtk_widget_set_visible (self->missing, plan->missing->len > 0);
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = plan->missing->pdata[i];
      GtkWidget *row = new_row (ADW_TYPE_ACTION_ROW, missing->what, missing->text);
      adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->missing), row);
    }
}

static void
on_copy (WprDetailsWindow *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                          self->text ? self->text : "");
  adw_toast_overlay_add_toast (ADW_TOAST_OVERLAY (self->toasts), adw_toast_new (_ ("Copied")));
}

GtkWidget *
wpr_details_window_new (GtkWindow *parent, const WprDetails *details)
{
  WprDetailsWindow *self = g_object_new (WPR_TYPE_DETAILS_WINDOW, "transient-for", parent, "title",
                                         details->title, NULL);
  const WprPlan *plan = details->plan;
  adw_window_title_set_title (ADW_WINDOW_TITLE (self->heading), details->title);
  if (plan != NULL && plan->profiles->len > 0)
    adw_window_title_set_subtitle (ADW_WINDOW_TITLE (self->heading), plan->profiles->pdata[0]);
  gtk_label_set_label (GTK_LABEL (self->sentence), plan ? details->symptom : details->error);
  gtk_widget_set_visible (self->sentence,
                          *gtk_label_get_label (GTK_LABEL (self->sentence)) != '\0');
  self->text = g_strdup (details->text);
  gtk_widget_set_visible (self->copy, plan != NULL);
  gtk_widget_set_visible (self->records, plan != NULL);
  gtk_widget_set_visible (self->missing, plan != NULL);
  gtk_widget_set_visible (self->collectors, plan != NULL);
  if (plan != NULL)
    {
      fill_records (self, details);
      fill_missing (self, plan);
    }
  return GTK_WIDGET (self);
}

static void
wpr_details_window_finalize (GObject *object)
{
  g_free (WPR_DETAILS_WINDOW (object)->text);
  G_OBJECT_CLASS (wpr_details_window_parent_class)->finalize (object);
}

static void
wpr_details_window_class_init (WprDetailsWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_details_window_finalize;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/details-window.ui");
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, heading);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, copy);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, sentence);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, records);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, missing);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, collectors);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
wpr_details_window_init (WprDetailsWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->copy, "clicked", G_CALLBACK (on_copy), self);
}
