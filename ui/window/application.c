/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program: one window, its settings, its shortcuts. */
#include "config.h"
#include "application.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>
#include "settings.h"
#include "shortcuts.h"
#include "window.h"

/* How long the end may take. Nothing is lost that is not there yet: a note is in its file whole or
 * not at all, a raw recording stays. */
#define QUIT_MS 2000

struct _WprApplication
{
  AdwApplication parent;
  WprSettings *settings;
  WprWindow *window; /* kept until the worker has ended */
  char *beside;
};

G_DEFINE_FINAL_TYPE (WprApplication, wpr_application, ADW_TYPE_APPLICATION)

static void
show_about (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  adw_show_about_window (gtk_application_get_active_window (GTK_APPLICATION (data)),
                         "application-name", _ ("Performance Recorder"), "application-icon",
                         WPR_APP_ID, "version", WPR_VERSION, "license-type", GTK_LICENSE_GPL_3_0,
                         "comments", _ ("Record what the computer does while it is slow"), NULL);
}

/* The manual is a page of the project's own: beside the build, else where it is installed; in the
 * language of the texts. */
static char *
find_help (WprApplication *self)
{
  /* Translators: the folder of the manual in your language: C or zh_CN */
  const char *language = C_ ("folder of the manual", "C");
  const char *roots[] = { self->beside, WPR_DATADIR };
  const char *below[] = { "../../resources/help", "help" };
  for (guint i = 0; i < G_N_ELEMENTS (roots); i++)
    {
      g_autofree char *path
          = g_build_filename (roots[i] ? roots[i] : "", below[i], language, "index.html", NULL);
      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  return NULL;
}

static void
show_help (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (data));
  g_autofree char *path = find_help (WPR_APPLICATION (data));
  g_autoptr (GFile) file = path != NULL ? g_file_new_for_path (path) : NULL;
  g_autofree char *uri = file != NULL ? g_file_get_uri (file) : NULL;
  if (uri != NULL)
    gtk_show_uri (window, uri, GDK_CURRENT_TIME);
  else if (window != NULL)
    wpr_window_toast (WPR_WINDOW (window),
                      _ ("The manual is not installed. “man wpr” tells more."));
}

static void
record_now (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_application_activate (G_APPLICATION (data));
  wpr_window_record_now (WPR_APPLICATION (data)->window);
}

/* The button of a notification. */
static void
show (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_application_activate (G_APPLICATION (data));
}

/* The file as g_file_parse_name() takes it, the ticket, the note. */
static void
show_guide (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const char *name, *ticket, *note;
  g_variant_get (parameter, "(&s&s&s)", &name, &ticket, &note);
  g_application_activate (G_APPLICATION (data));
  wpr_window_show_guide (WPR_APPLICATION (data)->window, name, ticket, note);
}

static void
quit (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (data));
  if (window != NULL)
    gtk_window_close (window);
}

static const GActionEntry entries[] = {
  { .name = "about", .activate = show_about },
  { .name = "help", .activate = show_help },
  { .name = "record-now", .activate = record_now },
  { .name = "show", .activate = show },
  { .name = "guide", .activate = show_guide, .parameter_type = "(sss)" },
  { .name = "quit", .activate = quit },
};

static const GOptionEntry option_entries[] = {
  { "record-now", 'r', G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, NULL,
    N_ ("Start recording with the settings of last time"), NULL },
  { "guide", 'g', G_OPTION_FLAG_NONE, G_OPTION_ARG_FILENAME, NULL,
    N_ ("Show what a profile file asks for on one page, with one button"), N_ ("FILE") },
  { "ticket", 't', G_OPTION_FLAG_NONE, G_OPTION_ARG_STRING, NULL,
    N_ ("With --guide: the number of a helpdesk's ticket"), N_ ("NUMBER") },
  { "note", 'n', G_OPTION_FLAG_NONE, G_OPTION_ARG_STRING, NULL, N_ ("With --guide: what is wrong"),
    N_ ("TEXT") },
  { "version", 'v', G_OPTION_FLAG_NONE, G_OPTION_ARG_NONE, NULL, N_ ("Print the version"), NULL },
  { NULL },
};

static void
wpr_application_startup (GApplication *application)
{
  G_APPLICATION_CLASS (wpr_application_parent_class)->startup (application);
  WprApplication *self = WPR_APPLICATION (application);
  g_action_map_add_action_entries (G_ACTION_MAP (self), entries, G_N_ELEMENTS (entries), self);
  const WprShortcut *shortcut;
  for (guint i = 0; (shortcut = wpr_shortcut_get (i)) != NULL; i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (self), shortcut->action,
                                           (const char *[]){ shortcut->keys, NULL });
  gtk_window_set_default_icon_name (WPR_APP_ID);
  self->settings = wpr_settings_new (self->beside);
}

/* The one there is, also if it is hidden; not its dialogs. */
static GtkWindow *
find_window (WprApplication *self)
{
  for (GList *l = gtk_application_get_windows (GTK_APPLICATION (self)); l != NULL; l = l->next)
    if (WPR_IS_WINDOW (l->data))
      return l->data;
  return NULL;
}

static void
wpr_application_activate (GApplication *application)
{
  WprApplication *self = WPR_APPLICATION (application);
  GtkWindow *window = find_window (self);
  if (window == NULL)
    {
      window = GTK_WINDOW (wpr_window_new (GTK_APPLICATION (self), self->settings));
      self->window = WPR_WINDOW (g_object_ref (window));
    }
  gtk_window_present (window);
}

/* The action an option asks for and its parameter; NULL: none. */
static const char *
find_action (GVariantDict *options, GVariant **parameter)
{
  const char *file = NULL, *ticket = "", *note = "";
  *parameter = NULL;
  if (g_variant_dict_contains (options, "record-now"))
    return "record-now";
  if (!g_variant_dict_lookup (options, "guide", "^&ay", &file))
    return NULL;
  g_variant_dict_lookup (options, "ticket", "&s", &ticket);
  g_variant_dict_lookup (options, "note", "&s", &note);
  g_autoptr (GFile) place = g_file_new_for_commandline_arg (file);
  g_autofree char *name = g_file_get_parse_name (place);
  *parameter = g_variant_new ("(sss)", name, ticket, note);
  return "guide";
}

/* What an option asks for is asked of the instance that runs, else of this one. */
static int
wpr_application_handle_local_options (GApplication *application, GVariantDict *options)
{
  g_autoptr (GError) error = NULL;
  if (g_variant_dict_contains (options, "version"))
    {
      g_print ("%s %s\n", _ ("Performance Recorder"), WPR_VERSION);
      return EXIT_SUCCESS;
    }
  if (g_variant_dict_contains (options, "record-now") && g_variant_dict_contains (options, "guide"))
    {
      g_printerr ("%s\n", _ ("--record-now does not go with --guide: what a guide asks for is "
                             "started by the button of its page. Leave one of the two out."));
      return EXIT_FAILURE;
    }
  GVariant *parameter;
  const char *action = find_action (options, &parameter);
  if (action == NULL)
    return -1;
  if (!g_application_register (application, NULL, &error))
    {
      g_printerr ("%s\n", error->message);
      return EXIT_FAILURE;
    }
  g_action_group_activate_action (G_ACTION_GROUP (application), action, parameter);
  /* an instance that runs does it; a first one goes on to its main loop */
  return g_application_get_is_remote (application) ? EXIT_SUCCESS : -1;
}

static void
wpr_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  g_application_activate (application);
  WprWindow *window = WPR_APPLICATION (application)->window;
  g_autoptr (GPtrArray) profiles = g_ptr_array_new ();
  for (int i = 0; i < n_files; i++)
    {
      g_autofree char *name = g_file_get_basename (files[i]);
      gsize length = name != NULL ? strlen (name) : 0;
      if (length > 4 && g_ascii_strcasecmp (name + length - 4, ".etl") == 0)
        wpr_window_show_recording (window, files[i]);
      else
        g_ptr_array_add (profiles, files[i]);
    }
  if (profiles->len > 0)
    wpr_window_add_profiles (window, (GFile **)profiles->pdata, (int)profiles->len);
}

/* A share that does not answer may hold a thread for ever: it does not hold the process. */
static gpointer
end_anyway (gpointer data)
{
  g_usleep (QUIT_MS * 1000);
  _exit (EXIT_SUCCESS);
}

/* Who is started meanwhile shall not ask a program that is ending. */
static void
give_up_name (GApplication *application)
{
  GDBusConnection *bus = g_application_get_dbus_connection (application);
  if (bus == NULL || g_application_get_is_remote (application))
    return;
  g_dbus_connection_call (bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                          "org.freedesktop.DBus", "ReleaseName",
                          g_variant_new ("(s)", g_application_get_application_id (application)),
                          NULL, G_DBUS_CALL_FLAGS_NO_AUTO_START, -1, NULL, NULL, NULL);
}

/* Settings first: they are to last, whatever hangs. */
static void
wpr_application_shutdown (GApplication *application)
{
  WprApplication *self = WPR_APPLICATION (application);
  g_thread_unref (g_thread_new ("wprui-end", end_anyway, NULL));
  give_up_name (application);
  g_settings_sync ();
  if (self->window != NULL)
    wpr_window_close_model (self->window);
  G_APPLICATION_CLASS (wpr_application_parent_class)->shutdown (application);
  g_clear_object (&self->window);
  g_clear_object (&self->settings);
}

static void
wpr_application_finalize (GObject *object)
{
  g_free (WPR_APPLICATION (object)->beside);
  G_OBJECT_CLASS (wpr_application_parent_class)->finalize (object);
}

static void
wpr_application_class_init (WprApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_application_finalize;
  application_class->startup = wpr_application_startup;
  application_class->activate = wpr_application_activate;
  application_class->open = wpr_application_open;
  application_class->handle_local_options = wpr_application_handle_local_options;
  application_class->shutdown = wpr_application_shutdown;
}

static void
wpr_application_init (WprApplication *self)
{
}

GApplication *
wpr_application_new (const char *beside)
{
  WprApplication *self = g_object_new (WPR_TYPE_APPLICATION, "application-id", WPR_APP_ID, "flags",
                                       G_APPLICATION_HANDLES_OPEN, "resource-base-path",
                                       "/io/github/performance_recorder/Wpr", NULL);
  self->beside = g_strdup (beside);
  g_application_add_main_option_entries (G_APPLICATION (self), option_entries);
  return G_APPLICATION (self);
}
