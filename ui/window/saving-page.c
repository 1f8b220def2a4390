/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recording becomes a file. While somebody types, the page stays, also after the end. */
#include "config.h"
#include "saving-page.h"

#include <glib/gi18n.h>
#include <string.h>
#include "format.h"
#include "texts.h"

#define NOTE_DELAY_MS 150 /* after a key: the file may be finished any moment */

struct _WprSavingPage
{
  AdwBin parent;
  /* template */
  GtkWidget *percent;
  GtkWidget *progress;
  GtkWidget *silence;
  GtkWidget *phase_stopped, *phase_collect, *phase_order, *phase_names, *phase_check;
  GtkWidget *note;
  GtkWidget *note_hint;
  GtkWidget *name;
  GtkWidget *compress_row;
  GtkWidget *compress;
  GtkWidget *where;
  GtkWidget *later;
  GtkWidget *done;
  /* owned */
  WprModel *model;
  WprSettings *settings;
  guint note_source;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (WprSavingPage, wpr_saving_page, ADW_TYPE_BIN)

/* One row a phase, in their order; the first is over as soon as the page is there. */
static const struct
{
  const char *id;
  gsize offset;
} phases[] = {
  { "stop", G_STRUCT_OFFSET (WprSavingPage, phase_stopped) },
  { "collect", G_STRUCT_OFFSET (WprSavingPage, phase_collect) },
  { "order", G_STRUCT_OFFSET (WprSavingPage, phase_order) },
  { "names", G_STRUCT_OFFSET (WprSavingPage, phase_names) },
  { "check", G_STRUCT_OFFSET (WprSavingPage, phase_check) },
};

static void
show_phase (WprSavingPage *self, guint index, guint current)
{
  GtkWidget *box = G_STRUCT_MEMBER (GtkWidget *, self, phases[index].offset);
  GtkWidget *icon = gtk_widget_get_first_child (box);
  GtkWidget *count = gtk_widget_get_last_child (box);
  const char *state = index < current ? "done" : index == current ? "working" : "waiting";
  gtk_stack_set_visible_child_name (GTK_STACK (icon), state);
  guint64 done = 0, total = 0;
  wpr_model_get_phase_count (self->model, &done, &total);
  /* bytes; the steps of the others say nothing to a person */
  if (index != current || total == 0 || strcmp (phases[index].id, "collect") == 0
      || strcmp (phases[index].id, "names") == 0)
    {
      gtk_label_set_label (GTK_LABEL (count), "");
      return;
    }
  g_autofree char *part = wpr_format_bytes (done);
  g_autofree char *all = wpr_format_bytes (total);
  /* Translators: how much of a phase is done, two sizes: "12 MB of 96 MB" */
  g_autofree char *text = g_strdup_printf (_ ("%s of %s"), part, all);
  gtk_label_set_label (GTK_LABEL (count), text);
}

/* What the switch does to this file, and to the next. */
static void
show_compress (WprSavingPage *self)
{
  const char *text = wpr_model_get_outcome (self->model) != NULL
                         ? _ ("The file is finished; this is for the next one.")
                     : wpr_model_can_save_again (self->model)
                         ? _ ("About a fifth of the size, a little slower to open")
                         : _ ("This file is being written already; this is for the next one.");
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self->compress_row), text);
}

static void
on_progress (WprSavingPage *self)
{
  show_compress (self);
  gboolean over = wpr_model_get_outcome (self->model) != NULL;
  double fraction = wpr_model_get_fraction (self->model);
  guint current = over ? G_N_ELEMENTS (phases) : 0;
  for (guint i = 0; i < G_N_ELEMENTS (phases) && !over; i++)
    if (strcmp (phases[i].id, wpr_model_get_phase (self->model)) == 0)
      current = i;
  for (guint i = 0; i < G_N_ELEMENTS (phases); i++)
    show_phase (self, i, current);
  g_autofree char *percent = wpr_format_percent (fraction, 0);
  gtk_label_set_label (GTK_LABEL (self->percent), percent);
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (self->progress), fraction);
  gtk_widget_set_visible (self->later, !over);
  gtk_widget_set_visible (self->done, over);
  gtk_text_view_set_editable (GTK_TEXT_VIEW (self->note), !over);
  gtk_editable_set_editable (GTK_EDITABLE (self->name), !over);
  gtk_label_set_label (
      GTK_LABEL (self->note_hint),
      over ? _ ("The file is finished; this is in it.")
           : _ ("Goes into the file, so that whoever opens it knows what to look for."));
  const char *name = wpr_model_get_file_name (self->model);
  if (*gtk_editable_get_text (GTK_EDITABLE (self->name)) == '\0' && *name != '\0')
    {
      self->filling = TRUE;
      gtk_editable_set_text (GTK_EDITABLE (self->name), name);
      self->filling = FALSE;
    }
}

/* Who is waited for, where it takes long. */
static void
on_silence (WprSavingPage *self)
{
  const char *text = wpr_model_get_silence (self->model);
  gtk_label_set_label (GTK_LABEL (self->silence), text ? text : "");
  gtk_widget_set_visible (self->silence, text != NULL);
}

static gboolean
send_note (gpointer data)
{
  WprSavingPage *self = data;
  self->note_source = 0;
  GtkTextIter from, to;
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note));
  gtk_text_buffer_get_bounds (buffer, &from, &to);
  g_autofree char *text = gtk_text_buffer_get_text (buffer, &from, &to, FALSE);
  wpr_model_set_note (self->model, text);
  return G_SOURCE_REMOVE;
}

static void
on_note_changed (WprSavingPage *self)
{
  if (self->filling)
    return;
  wpr_model_hold_result (self->model, TRUE);
  if (self->note_source == 0)
    self->note_source = g_timeout_add (NOTE_DELAY_MS, send_note, self);
}

static void
on_name_changed (WprSavingPage *self)
{
  if (self->filling)
    return;
  wpr_model_hold_result (self->model, TRUE);
  wpr_model_set_file_name (self->model, gtk_editable_get_text (GTK_EDITABLE (self->name)));
}

static void
on_compress (WprSavingPage *self)
{
  if (self->filling)
    return;
  gboolean compress = gtk_switch_get_active (GTK_SWITCH (self->compress));
  wpr_settings_set_compress (self->settings, compress);
  wpr_model_set_compress (self->model, compress);
}

void
wpr_saving_page_enter (WprSavingPage *self)
{
  g_autofree char *folder = wpr_text_folder (wpr_model_get_folder (self->model));
  /* Translators: %s is a folder */
  g_autofree char *where = g_strdup_printf (_ ("Saves to %s"), folder);
  gtk_label_set_label (GTK_LABEL (self->where), where);
  self->filling = TRUE;
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note)),
                            wpr_model_get_note (self->model), -1);
  gtk_editable_set_text (GTK_EDITABLE (self->name), wpr_model_get_file_name (self->model));
  gtk_switch_set_active (GTK_SWITCH (self->compress), wpr_model_get_compress (self->model));
  self->filling = FALSE;
  wpr_model_hold_result (self->model, FALSE);
  on_silence (self);
  on_progress (self);
}

static void
wpr_saving_page_dispose (GObject *object)
{
  WprSavingPage *self = WPR_SAVING_PAGE (object);
  g_clear_handle_id (&self->note_source, g_source_remove);
  g_clear_object (&self->model);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (wpr_saving_page_parent_class)->dispose (object);
}

static void
wpr_saving_page_class_init (WprSavingPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_saving_page_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/saving-page.ui");
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, percent);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, progress);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, silence);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, phase_stopped);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, phase_collect);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, phase_order);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, phase_check);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, phase_names);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, compress_row);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, compress);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, note);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, note_hint);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, name);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, where);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, later);
  gtk_widget_class_bind_template_child (widget_class, WprSavingPage, done);
}

static void
wpr_saving_page_init (WprSavingPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note)), "changed",
                            G_CALLBACK (on_note_changed), self);
  g_signal_connect_swapped (self->name, "changed", G_CALLBACK (on_name_changed), self);
  g_signal_connect_swapped (self->compress, "notify::active", G_CALLBACK (on_compress), self);
}

void
wpr_saving_page_set_model (WprSavingPage *self, WprModel *model, WprSettings *settings)
{
  self->model = g_object_ref (model);
  self->settings = g_object_ref (settings);
  self->filling = TRUE;
  gtk_switch_set_active (GTK_SWITCH (self->compress), wpr_model_get_compress (model));
  self->filling = FALSE;
  g_signal_connect_object (model, "silence", G_CALLBACK (on_silence), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (model, "progress", G_CALLBACK (on_progress), self, G_CONNECT_SWAPPED);
}
