/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Goes through every page of the real window, from real recordings, takes a picture of each and
 * fails where something has no name. Called by `shots`, one run a look, and as a test, without
 * pictures ("-" for the folder):
 *   shoot WPRUI WPR FOLDER LOOK WIDTH HEIGHT SECONDS [NAME=VALUE ..]
 * SECONDS: how long a recording goes on before it is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include "shot.h"
#include "wpr.h"

Look look;

/* The catalogue is where the built window finds it. */
static void
bind_words (void)
{
  g_autofree char *beside = g_path_get_dirname (look.wprui);
  g_autofree char *folder = g_build_filename (beside, "..", "..", "po", NULL);
  for (const char *const *word = look.words; *word != NULL; word++)
    if (g_str_has_prefix (*word, "LANGUAGE="))
      g_setenv ("LANGUAGE", strchr (*word, '=') + 1, TRUE);
  setlocale (LC_ALL, "");
  bindtextdomain ("wpr", folder);
  bind_textdomain_codeset ("wpr", "UTF-8");
}

int
main (int argc, char **argv)
{
  if (argc < 8)
    return 2;
  g_autofree char *wprui = g_canonicalize_filename (argv[1], NULL);
  g_autofree char *wpr = g_canonicalize_filename (argv[2], NULL);
  look = (Look){ .wprui = wprui,
                 .wpr = wpr,
                 .folder = strcmp (argv[3], "-") == 0 ? NULL : argv[3],
                 .look = argv[4],
                 .width = atoi (argv[5]),
                 .height = atoi (argv[6]),
                 .seconds = (guint)atoi (argv[7]),
                 .words = (const char *const *)argv + 8 };
  g_setenv ("WPR_RECORDER", wpr, TRUE);
  bind_words ();
  atspi_init ();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (scene_choose),          cmocka_unit_test (scene_windows),
    cmocka_unit_test (scene_rights),          cmocka_unit_test (scene_recording),
    cmocka_unit_test (scene_losses),          cmocka_unit_test (scene_ends),
    cmocka_unit_test (scene_recordings),      cmocka_unit_test (scene_guide),
    cmocka_unit_test (everything_has_a_name),
  };
  cmocka_set_test_filter (g_getenv ("E2E_ONLY")); /* "scene_*" */
  return cmocka_run_group_tests (tests, NULL, NULL);
}
