/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Show, copy, note, rename, bin; asks before what cannot be undone. */
#include "config.h"
#include "recordings-actions.h"

#include <glib/gi18n.h>
#include <string.h>
#include "note-dialog.h"
#include "show-file.h"

static WprRecordings *
get_recordings (gpointer page)
{
  return wpr_recordings_page_get_recordings (WPR_RECORDINGS_PAGE (page));
}

static char *
get_path (GtkWidget *page, GVariant *parameter)
{
  return g_build_filename (wpr_recordings_get_folder (get_recordings (page)),
                           g_variant_get_bytestring (parameter), NULL);
}

static void
do_show (GtkWidget *page, const char *name, GVariant *parameter)
{
  g_autofree char *path = get_path (page, parameter);
  wpr_show_file (GTK_WINDOW (gtk_widget_get_root (page)), path);
}

static void
do_open_folder (GtkWidget *page, const char *name, GVariant *parameter)
{
  const char *folder = wpr_recordings_get_folder (get_recordings (page));
  if (folder != NULL)
    wpr_show_folder (GTK_WINDOW (gtk_widget_get_root (page)), folder);
}

static void
do_copy (GtkWidget *page, const char *name, GVariant *parameter)
{
  g_autofree char *path = get_path (page, parameter);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (page), path);
  g_signal_emit_by_name (get_recordings (page), "toast", _ ("Path copied"));
}

/* ---- a sentence or a name is asked for ---- */

typedef struct
{
  WprRecordingsPage *page;
  char *name;
  GtkWidget *entry;
  void (*take) (WprRecordings *recordings, const char *name, const char *text);
} Question;

static void
free_question (gpointer data, GClosure *closure)
{
  Question *question = data;
  g_object_unref (question->page);
  g_free (question->name);
  g_free (question);
}

static void
on_answer (GtkWidget *dialog, const char *response, gpointer data)
{
  Question *question = data;
  if (strcmp (response, "take") == 0)
    question->take (get_recordings (question->page), question->name,
                    gtk_editable_get_text (GTK_EDITABLE (question->entry)));
}

static void
ask (GtkWidget *page, GVariant *parameter, const char *heading, const char *label,
     const char *accept, const char *text,
     void (*take) (WprRecordings *recordings, const char *name, const char *text))
{
  GtkWidget *dialog
      = adw_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (page)), heading, NULL);
  GtkWidget *entry = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (dialog), entry);
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "cancel", _ ("Cancel"), "take",
                                    accept, NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "take",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "take");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "cancel");
  Question *question = g_new0 (Question, 1);
  question->page = g_object_ref (WPR_RECORDINGS_PAGE (page));
  question->name = g_strdup (g_variant_get_bytestring (parameter));
  question->entry = entry;
  question->take = take;
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_answer), question, free_question, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (entry);
}

static WprRecordingItem *
find_item (GtkWidget *page, const char *name)
{
  GListModel *items = wpr_recordings_get_items (get_recordings (page));
  for (guint i = 0; i < g_list_model_get_n_items (items); i++)
    {
      g_autoptr (WprRecordingItem) item = g_list_model_get_item (items, i);
      if (strcmp (wpr_recording_item_get_name (item), name) == 0)
        return g_steal_pointer (&item);
    }
  return NULL;
}

static void
do_rename (GtkWidget *page, const char *name, GVariant *parameter)
{
  g_autoptr (WprRecordingItem) item = find_item (page, g_variant_get_bytestring (parameter));
  if (item != NULL)
    ask (page, parameter, _ ("Rename this recording"), _ ("File name"), _ ("Rename"),
         wpr_recording_item_get_title (item), wpr_recordings_rename);
}

static void
take_note (GObject *owner, const char *name, const char *note)
{
  wpr_recordings_set_note (WPR_RECORDINGS (owner), name, note);
}

static void
do_note (GtkWidget *page, const char *name, GVariant *parameter)
{
  const char *file = g_variant_get_bytestring (parameter);
  g_autoptr (WprRecordingItem) item = find_item (page, file);
  if (item != NULL)
    wpr_note_dialog_show (GTK_WINDOW (gtk_widget_get_root (page)),
                          wpr_recording_item_get_brief (item)->note,
                          G_OBJECT (get_recordings (page)), file, take_note);
}

static void
do_trash (GtkWidget *page, const char *name, GVariant *parameter)
{
  wpr_recordings_trash (get_recordings (page), g_variant_get_bytestring (parameter));
}

/* One row an action. */
static const struct
{
  const char *name, *parameter_type;
  GtkWidgetActionActivateFunc activate;
} actions[] = {
  { "recordings.open-folder", NULL, do_open_folder },
  { "recordings.show", "ay", do_show },
  { "recordings.copy", "ay", do_copy },
  { "recordings.note", "ay", do_note },
  { "recordings.rename", "ay", do_rename },
  { "recordings.trash", "ay", do_trash },
};

void
wpr_recordings_actions_install (GtkWidgetClass *klass)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (klass, actions[i].name, actions[i].parameter_type,
                                     actions[i].activate);
}
