/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file manager's D-Bus interface alone can point at a file; where it does not answer, the
 * folder is opened. */
#include "config.h"
#include "show-file.h"

#include <glib/gi18n.h>
#include "window.h"

typedef struct
{
  GtkWindow *window;
  char *folder;
} Show;

static void
free_show (Show *show)
{
  g_object_unref (show->window);
  g_free (show->folder);
  g_free (show);
}

static void
on_folder_shown (GObject *object, GAsyncResult *result, gpointer data)
{
  Show *show = data;
  if (!gtk_show_uri_full_finish (show->window, result, NULL))
    {
      /* Translators: %s is a folder */
      g_autofree char *text
          = g_strdup_printf (_ ("No program here shows folders. It is in %s"), show->folder);
      wpr_window_toast (WPR_WINDOW (show->window), text);
    }
  free_show (show);
}

static void
open_folder (Show *show)
{
  g_autofree char *uri = g_filename_to_uri (show->folder, NULL, NULL);
  gtk_show_uri_full (show->window, uri, GDK_CURRENT_TIME, NULL, on_folder_shown, show);
}

void
wpr_show_folder (GtkWindow *window, const char *folder)
{
  Show *show = g_new0 (Show, 1);
  show->window = g_object_ref (window);
  show->folder = g_strdup (folder);
  open_folder (show);
}

static void
on_items_shown (GObject *object, GAsyncResult *result, gpointer data)
{
  g_autoptr (GVariant) answer
      = g_dbus_connection_call_finish (G_DBUS_CONNECTION (object), result, NULL);
  if (answer != NULL)
    free_show (data);
  else
    open_folder (data);
}

void
wpr_show_file (GtkWindow *window, const char *path)
{
  Show *show = g_new0 (Show, 1);
  show->window = g_object_ref (window);
  show->folder = g_path_get_dirname (path);
  GDBusConnection *bus = g_application_get_dbus_connection (g_application_get_default ());
  if (bus == NULL)
    {
      open_folder (show);
      return;
    }
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
  const char *uris[] = { uri, NULL };
  g_dbus_connection_call (bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1",
                          "org.freedesktop.FileManager1", "ShowItems",
                          g_variant_new ("(^ass)", uris, ""), NULL, G_DBUS_CALL_FLAGS_NONE, -1,
                          NULL, on_items_shown, show);
}
