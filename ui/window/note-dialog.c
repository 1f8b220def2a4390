/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text of several lines: Return begins a new one, so Save Note is a button. */
#include "config.h"
#include "note-dialog.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#define MARGIN 12
#define LEAST_HEIGHT 96 /* four lines */

typedef struct
{
  GObject *owner;
  char *name;
  GtkTextBuffer *text;
  WprNoteFunc take;
} Question;

static void
free_question (gpointer data, GClosure *closure)
{
  Question *question = data;
  g_object_unref (question->owner);
  g_object_unref (question->text);
  g_free (question->name);
  g_free (question);
}

static void
on_response (GtkWidget *dialog, const char *response, gpointer data)
{
  Question *question = data;
  if (g_strcmp0 (response, "save") != 0)
    return;
  GtkTextIter from, to;
  gtk_text_buffer_get_bounds (question->text, &from, &to);
  g_autofree char *text = gtk_text_buffer_get_text (question->text, &from, &to, FALSE);
  question->take (question->owner, question->name, text);
}

static GtkWidget *
new_view (const char *note)
{
  GtkWidget *view = gtk_text_view_new ();
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (view), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (view), MARGIN);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (view), MARGIN);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (view), MARGIN);
  gtk_text_view_set_bottom_margin (GTK_TEXT_VIEW (view), MARGIN);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)), note, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("What was wrong?"), -1);
  return view;
}

void
wpr_note_dialog_show (GtkWindow *parent, const char *note, GObject *owner, const char *name,
                      WprNoteFunc take)
{
  GtkWidget *dialog = adw_message_dialog_new (parent, _ ("What was wrong?"), NULL);
  adw_message_dialog_set_body (
      ADW_MESSAGE_DIALOG (dialog),
      _ ("Goes into the file, so that whoever opens it knows what to look for."));
  GtkWidget *view = new_view (note ? note : "");
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), view);
  gtk_widget_set_size_request (scrolled, -1, LEAST_HEIGHT);
  gtk_widget_add_css_class (scrolled, "card");
  gtk_widget_add_css_class (scrolled, "note-card");
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), scrolled);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("Cancel"), "save",
                                    _ ("Save Note"), NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "save",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  Question *question = g_new0 (Question, 1);
  question->owner = g_object_ref (owner);
  question->name = g_strdup (name);
  question->text = g_object_ref (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)));
  question->take = take;
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_response), question, free_question, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (view);
}
