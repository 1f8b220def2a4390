/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The card is made anew whenever the list is. */
#include "config.h"
#include "unfinished-card.h"

#include <glib/gi18n.h>
#include "format.h"

#define WPR_TYPE_UNFINISHED_CARD (wpr_unfinished_card_get_type ())
G_DECLARE_FINAL_TYPE (WprUnfinishedCard, wpr_unfinished_card, WPR, UNFINISHED_CARD, AdwBin)

struct _WprUnfinishedCard
{
  AdwBin parent;
  GtkWidget *card, *buttons, *title, *detail, *discard, *finish;
  WprRecordings *recordings;
  WprModel *model;
  char *path;
  guint64 bytes;
};

G_DEFINE_FINAL_TYPE (WprUnfinishedCard, wpr_unfinished_card, ADW_TYPE_BIN)

static gboolean
is_being_finished (WprUnfinishedCard *self)
{
  return g_strcmp0 (wpr_recordings_get_finishing (self->recordings), self->path) == 0;
}

static void
update (WprUnfinishedCard *self)
{
  gboolean busy = wpr_recordings_get_finishing (self->recordings) != NULL;
  gboolean own = is_being_finished (self);
  gtk_widget_set_visible (self->discard, !own);
  gtk_widget_set_sensitive (self->finish, own || !busy);
  gtk_button_set_label (GTK_BUTTON (self->finish), own ? _ ("Cancel") : _ ("Finish"));
  if (own)
    return;
  g_autofree char *size = wpr_format_bytes (self->bytes);
  /* Translators: %s is a size */
  g_autofree char *text = g_strdup_printf (_ ("The %s written by then are safe."), size);
  gtk_label_set_label (GTK_LABEL (self->detail), text);
}

static void
on_progress (WprUnfinishedCard *self, double fraction)
{
  if (!is_being_finished (self))
    return;
  g_autofree char *percent = wpr_format_percent (fraction, 0);
  /* Translators: %s is a percentage */
  g_autofree char *text = g_strdup_printf (_ ("Being finished: %s"), percent);
  gtk_label_set_label (GTK_LABEL (self->detail), text);
}

static void
on_finish (WprUnfinishedCard *self)
{
  if (is_being_finished (self))
    wpr_recordings_stop_finishing (self->recordings);
  else
    wpr_recordings_finish (self->recordings, self->path, wpr_model_get_save_flags (self->model));
}

static void
on_response (WprUnfinishedCard *self, const char *response)
{
  if (g_strcmp0 (response, "discard") == 0)
    wpr_recordings_discard (self->recordings, self->path);
}

static void
on_discard (WprUnfinishedCard *self)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))),
                                              _ ("Discard this recording?"), NULL);
  g_autofree char *size = wpr_format_bytes (self->bytes);
  adw_message_dialog_format_body (ADW_MESSAGE_DIALOG (dialog),
                                  /* Translators: %s is a size */
                                  _ ("%s of events will be gone for good."), size);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("Cancel"), "discard",
                                    _ ("Discard"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "discard",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_response), self, G_CONNECT_SWAPPED);
  gtk_window_present (GTK_WINDOW (dialog));
}

void
wpr_unfinished_card_set_narrow (GtkWidget *card, gboolean narrow)
{
  WprUnfinishedCard *self = WPR_UNFINISHED_CARD (card);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->card),
                                  narrow ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL);
  gtk_widget_set_halign (self->buttons, narrow ? GTK_ALIGN_END : GTK_ALIGN_FILL);
}

static void
wpr_unfinished_card_dispose (GObject *object)
{
  WprUnfinishedCard *self = WPR_UNFINISHED_CARD (object);
  g_clear_object (&self->recordings);
  g_clear_object (&self->model);
  g_clear_pointer (&self->path, g_free);
  G_OBJECT_CLASS (wpr_unfinished_card_parent_class)->dispose (object);
}

static void
wpr_unfinished_card_class_init (WprUnfinishedCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  G_OBJECT_CLASS (klass)->dispose = wpr_unfinished_card_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/io/github/performance_recorder/Wpr/unfinished-card.ui");
  gtk_widget_class_bind_template_child (widget_class, WprUnfinishedCard, card);
  gtk_widget_class_bind_template_child (widget_class, WprUnfinishedCard, buttons);
  gtk_widget_class_bind_template_child (widget_class, WprUnfinishedCard, title);
  gtk_widget_class_bind_template_child (widget_class, WprUnfinishedCard, detail);
  gtk_widget_class_bind_template_child (widget_class, WprUnfinishedCard, discard);
  gtk_widget_class_bind_template_child (widget_class, WprUnfinishedCard, finish);
}

static void
wpr_unfinished_card_init (WprUnfinishedCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_swapped (self->finish, "clicked", G_CALLBACK (on_finish), self);
  g_signal_connect_swapped (self->discard, "clicked", G_CALLBACK (on_discard), self);
}

GtkWidget *
wpr_unfinished_card_new (const WprUnfinished *unfinished, WprRecordings *recordings,
                         WprModel *model)
{
  WprUnfinishedCard *self = g_object_new (WPR_TYPE_UNFINISHED_CARD, NULL);
  g_autofree char *when = wpr_format_recent (unfinished->started_realtime_ns);
  /* Translators: %s is a date and time */
  g_autofree char *title = g_strdup_printf (_ ("A recording from %s was not finished"), when);
  self->recordings = g_object_ref (recordings);
  self->model = g_object_ref (model);
  self->path = g_strdup (unfinished->path);
  self->bytes = unfinished->bytes;
  gtk_label_set_label (GTK_LABEL (self->title), title);
  g_signal_connect_object (recordings, "progress", G_CALLBACK (on_progress), self,
                           G_CONNECT_SWAPPED);
  update (self);
  return GTK_WIDGET (self);
}
