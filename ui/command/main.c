/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr: finds the verb and runs it. */
#include "config.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <unistd.h>
#include <wpr-error.h>
#include <wpr-recorder.h>

#include "arguments.h"
#include "say.h"
#include "verbs.h"

/* Words that other programs have taught people to type. */
static const struct
{
  const char *word, *verb;
} also[]
    = { { "h", "help" }, { "?", "help" }, { "v", "version" }, { "details", "profiledetails" } };

static const WprVerb *
find_verb (const char *word)
{
  g_autofree char *name = wpr_option_name (word);
  if (name == NULL)
    name = g_ascii_strdown (word, -1); /* "wpr start CPU" means what it says */
  for (gsize i = 0; i < G_N_ELEMENTS (also); i++)
    if (g_str_equal (also[i].word, name))
      return wpr_verb_find (also[i].verb);
  return wpr_verb_find (name);
}

/* From the build folder the translations are two folders up, in po. */
static void
bind_texts (void)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *beside = program != NULL ? g_path_get_dirname (program) : NULL;
  g_autofree char *built
      = beside != NULL ? g_build_filename (beside, "..", "..", "po", NULL) : NULL;
  gboolean is_built = built != NULL && g_file_test (built, G_FILE_TEST_IS_DIR);
  setlocale (LC_ALL, "");
  bindtextdomain (GETTEXT_PACKAGE, is_built ? built : WPR_LOCALEDIR);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  textdomain (GETTEXT_PACKAGE);
}

/* With root's rights nothing is read or kept below a home, which under sudo is another person's:
 * where libdebuginfod keeps what it was sent is said here, while there is but one thread. */
static void
keep_out_of_homes (void)
{
  if (geteuid () == 0)
    g_setenv ("DEBUGINFOD_CACHE_PATH", "/var/cache/wpr/debuginfod", FALSE);
}

int
main (int argc, char **argv)
{
  keep_out_of_homes ();
  bind_texts ();
  g_set_prgname ("wpr");

  if (argc < 2)
    {
      wpr_verb_help (0, NULL);
      return WPR_ERROR_USAGE;
    }
  if (g_str_equal (argv[1], "--recorder"))
    return wpr_verb_recorder (argc - 2, argv + 2);
  if (g_str_equal (argv[1], "--probe"))
    return wpr_recorder_host_probe ();
  const WprVerb *verb = find_verb (argv[1]);
  g_autoptr (GError) error = NULL;
  if (verb != NULL && verb->run != NULL)
    return verb->run (argc - 2, argv + 2);
  if (verb != NULL)
    wpr_set_error (&error, WPR_ERROR_NOT_AVAILABLE, 0, _ ("wpr -%s is not in this version."),
                   verb->name);
  else
    wpr_set_error (&error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("wpr has no command \"%s\". \"wpr -help\" lists them all."), argv[1]);
  return wpr_complain (error, FALSE);
}
