/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a recording ended. */
#include "config.h"
#include "result-page.h"

#include <glib/gi18n.h>
#include "format.h"
#include "gap-strip.h"
#include "narrow-bin.h"
#include "profile-item.h"
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
  GtkWidget *cure;
  GtkWidget *cure_text;
  GtkWidget *rows;
  GtkWidget *file_row;
  GtkWidget *note_row;
  GtkWidget *about_row;
  GtkWidget *parts_row;
  GtkWidget *narrow;
  GtkWidget *actions;
  GtkWidget *show;
  GtkWidget *open_with;
  GtkWidget *finish;
  GtkWidget *elsewhere;
  GtkWidget *again;
};

G_DEFINE_FINAL_TYPE (WprResultPage, wpr_result_page, ADW_TYPE_BIN)

/* One row an outcome. */
static const struct
{
  const char *verdict;
  const char *opened; /* the verdict of a file that was not recorded just now */
  const char *seal;   /* what the seal says to those who do not see it */
  const char *icon_name;
  const char *css_class;
} looks[] = {
  [WPR_OUTCOME_WHOLE] = { N_ ("Saved, and complete"), N_ ("A complete recording"), N_ ("Complete"),
                          "object-select-symbolic", "whole" },
  [WPR_OUTCOME_HOLED] = { N_ ("Saved, with a gap"), N_ ("A recording with a gap"),
                          N_ ("Events were lost"), "dialog-warning-symbolic", "holed" },
  [WPR_OUTCOME_DAMAGED] = { N_ ("Saved, but damaged"), N_ ("A damaged recording"), N_ ("Damaged"),
                            "dialog-error-symbolic", "failed" },
  [WPR_OUTCOME_LATER] = { N_ ("Kept, not finished"), NULL, N_ ("Not finished"),
                          "document-open-recent-symbolic", "later" },
  [WPR_OUTCOME_FAILED]
  = { N_ ("Not saved"), N_ ("Cannot be read"), N_ ("Failed"), "dialog-error-symbolic", "failed" },
};

static char *
describe_saved (const WprOutcome *outcome, const WprStats *stats)
{
  g_autofree char *events = wpr_format_count (outcome->events);
  g_autofree char *span = wpr_format_span (outcome->duration_ns / 1e9);
  if (outcome->kind == WPR_OUTCOME_DAMAGED)
    return g_strdup (outcome->message ? outcome->message
                                      : _ ("What is intact can be read, the rest cannot."));
  if (outcome->checking)
    /* Translators: a span of time */
    return g_strdup_printf (_ ("%s. Its events are being counted and checked…"), span);
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
  gtk_widget_set_visible (self->cure, !outcome->opened);
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
  gtk_label_set_label (GTK_LABEL (self->cure_text),
                       _ ("Buffers twice as large hold twice as much of a burst."));
}

/* text NULL: no row */
static void
show_row (GtkWidget *row, const char *text)
{
  gtk_widget_set_visible (row, text != NULL);
  g_autofree char *escaped = g_markup_escape_text (text != NULL ? text : "", -1);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), escaped);
}

static void
show_origin (WprResultPage *self, const WprOutcome *outcome, GListModel *profiles)
{
  g_autofree char *titles = wpr_profile_items_join (profiles, outcome->profiles);
  g_autofree char *text = g_strdup_printf ("%s%s%s", outcome->about ? outcome->about : "",
                                           *titles != '\0' ? "\n" : "", titles);
  show_row (self->about_row, outcome->about ? text : NULL);
}

static void
show_file (WprResultPage *self, const WprOutcome *outcome, GListModel *profiles)
{
  gboolean saved = outcome->name != NULL;
  gtk_widget_set_visible (self->rows, saved);
  gtk_widget_set_visible (self->show, saved);
  gtk_widget_set_visible (self->open_with, saved);
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
  show_row (self->note_row, has_note ? outcome->note : _ ("Nobody has said"));
  show_origin (self, outcome, profiles);
  g_autofree char *parts = outcome->parts ? g_strjoinv ("\n", outcome->parts) : NULL;
  show_row (self->parts_row, parts);
}

void
wpr_result_page_show (WprResultPage *self, const WprOutcome *outcome, const WprStats *stats,
                      GListModel *profiles)
{
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
    gtk_widget_remove_css_class (self->seal, looks[i].css_class);
  gtk_widget_add_css_class (self->seal, looks[outcome->kind].css_class);
  gtk_image_set_from_icon_name (GTK_IMAGE (self->seal), looks[outcome->kind].icon_name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->seal), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (looks[outcome->kind].seal), -1);
  const char *opened = looks[outcome->kind].opened;
  gtk_label_set_label (GTK_LABEL (self->verdict), outcome->opened && opened != NULL
                                                      ? _ (opened)
                                                      : _ (looks[outcome->kind].verdict));
  g_autofree char *detail
      = outcome->name != NULL ? describe_saved (outcome, stats) : g_strdup (outcome->message);
  const char *recorded = outcome->name != NULL ? wpr_text_recorded (outcome->rights, TRUE) : "";
  const char *lines[] = { outcome->reason, detail, recorded };
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    if (lines[i] != NULL && *lines[i] != '\0')
      g_string_append_printf (all, "%s%s", all->len > 0 ? "\n" : "", lines[i]);
  gtk_label_set_label (GTK_LABEL (self->detail), all->str);
  show_gap (self, outcome, outcome->opened ? wpr_gaps_get_stats (outcome->gaps) : stats);
  show_file (self, outcome, profiles);
  gtk_widget_set_visible (self->finish, outcome->store != NULL);
  gtk_widget_set_visible (self->elsewhere, outcome->store != NULL);
}

void
wpr_result_page_set_programs (WprResultPage *self, GMenuModel *programs)
{
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (self->open_with), programs);
}

static void
on_narrow (WprResultPage *self)
{
  gboolean narrow = wpr_narrow_bin_get_narrow (WPR_NARROW_BIN (self->narrow));
  GtkOrientation orientation = narrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->actions), orientation);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->cure), orientation);
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
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, cure);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, cure_text);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, about_row);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, parts_row);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, open_with);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, finish);
  gtk_widget_class_bind_template_child (widget_class, WprResultPage, elsewhere);
}

static void
wpr_result_page_init (WprResultPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->narrow, "notify::narrow", G_CALLBACK (on_narrow), self);
}
