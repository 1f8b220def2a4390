/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wprui: finds its translations and runs the window. */
#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>
#include "application.h"

/* The folder of this executable, by which an uninstalled build finds what belongs to it. */
static char *
find_own_folder (void)
{
  g_autofree char *path = g_file_read_link ("/proc/self/exe", NULL);
  return path ? g_path_get_dirname (path) : g_strdup (WPR_BINDIR);
}

/* From the build folder they are two folders up, in po. */
static void
bind_texts (const char *beside)
{
  g_autofree char *built = g_build_filename (beside, "..", "..", "po", NULL);
  const char *folder = g_file_test (built, G_FILE_TEST_IS_DIR) ? built : WPR_LOCALEDIR;
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

int
main (int argc, char **argv)
{
  g_autofree char *beside = find_own_folder ();
  bind_texts (beside);
  g_set_prgname ("wprui");
  g_set_application_name (_ ("Performance Recorder"));
  g_autoptr (GApplication) application = wpr_application_new (beside);
  return g_application_run (application, argc, argv);
}
