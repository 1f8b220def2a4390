/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one profile records: plain words, and inside them the events and who asked for each. */
#include "config.h"
#include "details-window.h"

#include <glib/gi18n.h>
#include <string.h>
#include "fit.h"
#include "format.h"
#include "naming.h"
#include "texts.h"

struct _WprDetailsWindow
{
  AdwWindow parent;
  /* template */
  GtkWidget *toasts;
  GtkWidget *heading;
  GtkWidget *copy;
  GtkWidget *sentence;
  GtkWidget *addition;
  GtkWidget *records;
  GtkWidget *missing;
  GtkWidget *notes;
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

static GtkWidget *
new_badge (const char *words)
{
  GtkWidget *badge = gtk_label_new (words);
  gtk_widget_set_valign (badge, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (badge, "badge");
  return badge;
}

/* One expander a sentence in plain words, in the order of the plan. */
typedef struct
{
  const char *plain;
  GtkWidget *expander;
  guint n_items;
  guint64 samples_per_s;
  gboolean always; /* whatever is chosen */
  gboolean has_stack;
  gboolean is_new;
} Kind;

static Kind *
find_kind (GArray *kinds, const char *plain)
{
  for (guint i = 0; i < kinds->len; i++)
    {
      Kind *kind = &g_array_index (kinds, Kind, i);
      if (g_str_equal (kind->plain, plain))
        return kind;
    }
  return NULL;
}

static GtkWidget *
new_item_row (const WprDetails *details, const WprDetailsItem *item)
{
  GtkWidget *row = new_row (ADW_TYPE_ACTION_ROW, item->name, item->sentence);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 0);
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
  gtk_widget_add_css_class (row, "kernel-name");
  if (details->others != NULL && item->is_new)
    /* Translators: an event that no other profile that is switched on records */
    adw_action_row_add_suffix (ADW_ACTION_ROW (row), new_badge (_ ("new")));
  return row;
}

static char *
describe_kind (const Kind *kind)
{
  if (kind->samples_per_s > 0)
    {
      g_autofree char *rate = wpr_format_count (kind->samples_per_s);
      /* Translators: %s is a number */
      return g_strdup_printf (ngettext ("%s sample a second on each CPU",
                                        "%s samples a second on each CPU", kind->samples_per_s),
                              rate);
    }
  if (kind->always)
    return g_strdup (_ ("Always recorded"));
  g_autofree char *count = wpr_format_count (kind->n_items);
  return g_strdup_printf (ngettext ("%s kind of event", "%s kinds of events", kind->n_items),
                          count);
}

static void
add_item (WprDetailsWindow *self, GArray *kinds, const WprDetails *details,
          const WprDetailsItem *item)
{
  Kind *kind = find_kind (kinds, item->plain);
  if (kind == NULL)
    {
      Kind first = { .plain = item->plain };
      first.expander = new_row (ADW_TYPE_EXPANDER_ROW, item->plain, "");
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->records), first.expander);
      g_array_append_val (kinds, first);
      kind = &g_array_index (kinds, Kind, kinds->len - 1);
    }
  kind->n_items++;
  kind->samples_per_s = MAX (kind->samples_per_s, item->samples_per_s);
  kind->always |= item->always;
  kind->has_stack |= item->has_stack;
  kind->is_new |= details->others != NULL && item->is_new;
  adw_expander_row_add_row (ADW_EXPANDER_ROW (kind->expander), new_item_row (details, item));
}

static void
fill_records (WprDetailsWindow *self, const WprDetails *details)
{
  g_autoptr (GArray) kinds = g_array_new (FALSE, FALSE, sizeof (Kind));
  for (guint i = 0; i < details->items->len; i++)
    add_item (self, kinds, details, details->items->pdata[i]);
  for (guint i = 0; i < kinds->len; i++)
    {
      const Kind *kind = &g_array_index (kinds, Kind, i);
      g_autofree char *subtitle = describe_kind (kind);
      adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (kind->expander), subtitle);
      if (kind->is_new)
        adw_expander_row_add_action (ADW_EXPANDER_ROW (kind->expander), new_badge (_ ("new")));
      if (kind->has_stack)
        adw_expander_row_add_action (ADW_EXPANDER_ROW (kind->expander),
                                     new_badge (_ ("call stacks")));
    }
  gtk_widget_set_visible (self->records, kinds->len > 0);
}

/* What switching it on adds to what is switched on. */
static void
fill_addition (WprDetailsWindow *self, const WprDetails *details)
{
  gtk_widget_set_visible (self->addition, details->others != NULL);
  if (details->others == NULL)
    return;
  g_autofree char *count = wpr_format_count (details->n_new);
  g_autofree char *text = NULL;
  if (details->n_new == 0)
    /* Translators: %s are titles of profiles */
    text = g_strdup_printf (_ ("Adds nothing to %s: all of it is recorded already."),
                            details->others);
  else
    /* Translators: titles of profiles, a number */
    text = g_strdup_printf (ngettext ("To %s it adds %s kind of event, marked “new”.",
                                      "To %s it adds %s kinds of events, marked “new”.",
                                      details->n_new),
                            details->others, count);
  gtk_label_set_label (GTK_LABEL (self->addition), text);
}

static void
fill_collectors (WprDetailsWindow *self, const WprPlan *plan)
{
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = plan->collectors->pdata[i];
      if (collector->items->len == 0)
        continue;
      g_autofree char *granted = wpr_format_count (collector->buffers_granted);
      g_autofree char *kb = wpr_format_count (collector->buffer_kb);
      g_autofree char *size = wpr_format_bytes (collector->bytes_granted);
      /* Translators: a number, a number, a size: "384 buffers of 1,024 KB, 384 MB of memory" */
      g_autofree char *subtitle
          = g_strdup_printf (_ ("%s buffers of %s KB, %s of memory"), granted, kb, size);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->collectors),
                                 new_row (ADW_TYPE_ACTION_ROW, collector->name, subtitle));
    }
}

static void
add_note (WprDetailsWindow *self, const char *text, const char *place)
{
  GtkWidget *row = new_row (ADW_TYPE_ACTION_ROW, text, place);
  adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 0);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->notes), row);
}

/* One row a sentence: twenty events that are missing for the same reason need one explanation. */
static void
fill_missing (WprDetailsWindow *self, const WprPlan *plan)
{
  g_autoptr (GPtrArray) done = g_ptr_array_new ();
  gtk_widget_set_visible (self->missing, plan->missing->len > 0);
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = plan->missing->pdata[i];
      if (g_ptr_array_find_with_equal_func (done, missing->text, g_str_equal, NULL))
        continue;
      g_ptr_array_add (done, (char *)missing->text);
      g_autofree char *names = wpr_text_missing (plan, i);
      GtkWidget *row = new_row (ADW_TYPE_ACTION_ROW, names, missing->text);
      if (strchr (names, ':') != NULL)
        gtk_widget_add_css_class (row, "kernel-name");
      GtkWidget *icon = gtk_image_new_from_icon_name ("dialog-warning-symbolic");
      gtk_widget_add_css_class (icon, "warning");
      adw_action_row_add_prefix (ADW_ACTION_ROW (row), icon);
      adw_action_row_set_title_lines (ADW_ACTION_ROW (row), 0);
      adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
      adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->missing), row);
    }
}

/* What the profile says that is done otherwise here, or not at all; with its place in the file. */
static void
fill_notes (WprDetailsWindow *self, const WprPlan *plan)
{
  gtk_widget_set_visible (self->notes, plan->notices->len + plan->notes->len > 0);
  for (guint i = 0; i < plan->notices->len; i++)
    add_note (self, plan->notices->pdata[i], "");
  for (guint i = 0; i < plan->notes->len; i++)
    {
      const WprPlanNote *note = plan->notes->pdata[i];
      g_autofree char *place = g_strdup_printf (_ ("Line %u, column %u"), note->line, note->column);
      add_note (self, note->text, note->line > 0 ? place : "");
    }
}

static void
on_copy (WprDetailsWindow *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)),
                          self->text ? self->text : "");
  wpr_name_and_add_toast (self->toasts, adw_toast_new (_ ("Copied")));
}

GtkWidget *
wpr_details_window_new (GtkWindow *parent, const WprDetails *details)
{
  WprDetailsWindow *self = g_object_new (WPR_TYPE_DETAILS_WINDOW, "transient-for", parent, "title",
                                         details->title, NULL);
  wpr_fit_to_display (GTK_WINDOW (self));
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
  gtk_widget_set_visible (self->notes, plan != NULL);
  gtk_widget_set_visible (self->addition, plan != NULL);
  gtk_widget_set_visible (self->collectors, plan != NULL);
  if (plan != NULL)
    {
      fill_addition (self, details);
      fill_records (self, details);
      fill_missing (self, plan);
      fill_notes (self, plan);
      fill_collectors (self, plan);
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
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, addition);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, records);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, missing);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, notes);
  gtk_widget_class_bind_template_child (widget_class, WprDetailsWindow, collectors);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
wpr_details_window_init (WprDetailsWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->copy, "clicked", G_CALLBACK (on_copy), self);
}
