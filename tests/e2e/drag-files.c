/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file manager as far as a drag needs one: a small window whose whole area, dragged, offers the
 * files of the command line. Writes a line when it shows and when a drag ends. */
#include <gtk/gtk.h>
#include <stdio.h>

#define SIZE 160

static GdkContentProvider *
offer (GtkDragSource *source, double x, double y, gpointer files)
{
  return gdk_content_provider_new_typed (GDK_TYPE_FILE_LIST, files);
}

static void
say (const char *word)
{
  puts (word);
  fflush (stdout);
}

static void
on_end (GtkDragSource *source, GdkDrag *drag, gboolean deleted, gpointer data)
{
  say ("end");
}

static gboolean
on_cancel (GtkDragSource *source, GdkDrag *drag, GdkDragCancelReason reason, gpointer data)
{
  say ("refused");
  return FALSE;
}

static void
on_map (GtkWidget *window)
{
  say ("ready");
}

int
main (int argc, char **argv)
{
  gtk_init ();
  GSList *list = NULL;
  for (int i = argc - 1; i > 0; i--)
    list = g_slist_prepend (list, g_file_new_for_path (argv[i]));
  GdkFileList *files = gdk_file_list_new_from_list (list);
  GtkWidget *window = gtk_window_new ();
  gtk_window_set_title (GTK_WINDOW (window), "drag-files");
  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_default_size (GTK_WINDOW (window), SIZE, SIZE);
  gtk_window_set_child (GTK_WINDOW (window), gtk_label_new ("drag-files"));
  GtkDragSource *source = gtk_drag_source_new ();
  g_signal_connect (source, "prepare", G_CALLBACK (offer), files);
  g_signal_connect (source, "drag-end", G_CALLBACK (on_end), NULL);
  g_signal_connect (source, "drag-cancel", G_CALLBACK (on_cancel), NULL);
  gtk_widget_add_controller (window, GTK_EVENT_CONTROLLER (source));
  g_signal_connect_after (window, "map", G_CALLBACK (on_map), NULL);
  gtk_window_present (GTK_WINDOW (window));
  g_slist_free_full (list, g_object_unref);
  while (g_list_model_get_n_items (gtk_window_get_toplevels ()) > 0)
    g_main_context_iteration (NULL, TRUE);
  g_boxed_free (GDK_TYPE_FILE_LIST, files);
  return 0;
}
