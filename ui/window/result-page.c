/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a recording ended. */
#include "config.h"
#include "result-page.h"

#include <glib/gi18n.h>
#include "format.h"
#include "gap-strip.h"
#include "narrow-bin.h"
#include "texts.h"

struct _WprResultPage
{
  AdwBin parent;
  /* template */
  GtkWidget *seal;
  GtkWidget *verdict;
  GtkWidget *detail;
  GtkWidget *gap_card;
  GtkWidget *gap_text;
  GtkWidget *gap_strip;
  GtkWidget *rows;
  GtkWidget *file_row;
  GtkWidget *note_row;
  GtkWidget *narrow;
  GtkWidget *actions;
  GtkWidget *show;
  GtkWidget *again;
};

G_DEFINE_FINAL_TYPE (WprResultPage, wpr_result_page, ADW_TYPE_BIN)

/* One row an outcome. */
static const struct
{
  const char *verdict;
  const char *seal; /* what the seal says to those who do not see it */
  const char *icon_name;
  const char *css_class;
} looks[] = {
  [WPR_OUTCOME_WHOLE]
  = { N_ ("Saved, and complete"), N_ ("Complete"), "object-select-symbolic", "whole" },
  [WPR_OUTCOME_HOLED]
  = { N_ ("Saved, with a gap"), N_ ("Events were lost"), "dialog-warning-symbolic", "holed" },
  [WPR_OUTCOME_LATER]
  = { N_ ("Kept, not finished"), N_ ("Not finished"), "document-open-recent-symbolic", "later" },
  [WPR_OUTCOME_FAILED] = { N_ ("Not saved"), N_ ("Failed"), "dialog-error-symbolic", "failed" },
};

static char *
describe_saved (const WprOutcome *outcome, const WprStats *stats)
{
  g_autofree char *events = wpr_format_count (outcome->events);
  g_autofree char *span = wpr_format_span (outcome->duration_ns / 1e9);
  if (outcome->lost > 0)
    {
      /* the file holds what was not lost */
      guint64 all = outcome->events + outcome->lost;
      g_autofree char *loss = wpr_text_loss (outcome->lost, all);
      g_autofree char *share = wpr_format_loss_share (outcome->lost, all);
      /* Translators: "1,204 of 3,412,081 events were lost", a percentage */
      return g_strdup_printf (_ ("%s, or %s."), loss, share);
    }
  if (stats != NULL && stats->mode == WPR_MODE_MEMORY)
    /* Translators: a span of time, a number of events */
    return g_strdup_printf (_ ("The last %s: %s events, none lost."), span, events);
  /* Translators: a span of time, a number of events */
  return g_strdup_printf (_ ("%s: %s events, none lost."), span, events);
}

static void
show_gap (WprResultPage *self, const WprOutcome *outcome, const WprStats *stats)
{
  g_autofree char *where = outcome->lost > 0 && stats != NULL ? wpr_text_loss_where (stats) : NULL;
  gtk_widget_set_visible (self->gap_card, where != NULL);
  if (where == NULL)
    return;
  const char *format = wpr_text_loss_is_placed (stats)
                           /* Translators: %s is where and when: "System collector, CPU 1, between
                            * 1:41 and 1:43" */
                           ? _ ("%s. Before and after these seconds nothing is missing.")
                           : _ ("%s. Others were lost before; when is not known any more.");
  g_autoptr (GString) text = g_string_new (format);
  g_string_replace (text, "%s", where, 1);
  gtk_label_set_label (GTK_LABEL (self->gap_text), text->str);
  wpr_gap_strip_show (WPR_GAP_STRIP (self->gap_strip), stats, where);
}

static void
show_file (WprResultPage *self, const WprOutcome *outcome)
{
  gboolean saved = outcome->name != NULL;
  gtk_widget_set_visible (self->rows, saved);
  gtk_widget_set_visible (self->show, saved);
  if (!saved)
    return;
  g_autofree char *title = g_markup_escape_text (outcome->name, -1);
  g_autofree char *size = wpr_format_bytes (outcome->size);
  g_autofree char *folder = wpr_text_folder (outcome->folder);
  /* Translators: a size, a folder */
  g_autofree char *where = g_strdup_printf (_ ("%s, in %s"), size, folder);
  g_autofree char *subtitle = g_markup_escape_text (where, -1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->file_row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->file_row), subtitle);
  gboolean has_note = outcome->note != NULL && *outcome->note != '\0';
  gtk_widget_set_visible (self->note_row, has_note);
  g_autofree char *note = g_markup_escape_text (has_note ? outcome->note : "", -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->note_row), note);
}

void
wpr_result_page_show (WprResultPage *self, const WprOutcome *outcome, const WprStats *stats)
{
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    gtk_widget_remove_css_class (self->seal, looks[i].css_class);
  gtk_widget_add_css_class (self->seal, looks[outcome->kind].css_class);
  gtk_image_set_from_icon_name (GTK_IMAGE (self->seal), looks[outcome->kind].icon_name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->seal), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (looks[outcome->kind].seal), -1);
  gtk_label_set_label (GTK_LABEL (self->verdict), _ (looks[outcome->kind].verdict));
  g_autofree char *detail
      = outcome->name != NULL ? describe_saved (outcome, stats) : g_strdup (outcome->message);
  gtk_label_set_label (GTK_LABEL (self->detail), detail);
  show_gap (self, outcome, stats);
  show_file (self, outcome);
}

static void
on_narrow (WprResultPage *self)
{
  gboolean narrow = wpr_narrow_bin_get_narrow (WPR_NARROW_BIN (self->narrow));
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->actions),
                                  narrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
}

static void
wpr_result_page_class_init (WprResultPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  g_type_ensure (WPR_TYPE_GAP_STRIP);
  g_type_ensure (WPR_TYPE_NARROW_BIN);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/result-page.ui");
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, seal);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, verdict);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, detail);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, gap_card);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, gap_text);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, gap_strip);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, rows);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, file_row);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, note_row);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, narrow);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, actions);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, show);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, again);
}

static void
wpr_result_page_init (WprResultPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->narrow, "notify::narrow", G_CALLBACK (on_narrow), self);
}
