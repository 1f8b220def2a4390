/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording somebody is asked for by a file: one page, one button, and the ticket in what is
 * saved. In English, or with an argument "zh_CN" in Chinese. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include "profile-file.h"
#include "screen.h"
#include "wpr.h"

static const char *wprui, *wpr;
static gboolean chinese;

/* What stands on the page, in the language of this run. */
static const char *
say (const char *english, const char *zh_cn)
{
  return chinese ? zh_cn : english;
}

static int
set_up (void **state)
{
  clean_places (wpr);
  *state = g_new0 (Screen, 1);
  return 0;
}

static int
tear_down (void **state)
{
  screen_end (*state);
  g_free (*state);
  clean_places (wpr);
  return 0;
}

/* The profile of profile-file.h with a root that makes it a guide. */
static char *
write_guide (const char *size)
{
  g_autofree char *path = write_profile ("guide.wprp", size, "Exec");
  g_autofree char *text = NULL;
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autoptr (GString) guide = g_string_new (text);
  g_string_replace (guide, "Author=\"Helpdesk\"",
                    "Tag=\"guide: Ada\" Comments=\"1. Open the menu. 2. Wait for it.\"", 1);
  assert_true (g_file_set_contents (path, guide->str, guide->len, NULL));
  return g_steal_pointer (&path);
}

static void
wait_for_text (Screen *screen, const char *begin)
{
  for (guint i = 0; i < 200; i++)
    {
      g_autofree char *text = screen_find_text (screen, ATSPI_ROLE_LABEL, begin);
      if (text != NULL)
        return;
      screen_sleep (100);
    }
  screen_dump (screen);
  fail_msg ("nothing says “%s”", begin);
}

static void
expect_ready (Screen *screen)
{
  wait_for_text (screen, say ("Ada asks you", "Ada请您"));
  wait_for_text (screen, "Open the menu.");
  wait_for_text (screen, "Wait for it.");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"), ATSPI_STATE_SENSITIVE,
                     TRUE);
}

/* From Start to the file; keys alone if by_keys. Returns the file. */
static char *
record (Screen *screen, gboolean by_keys)
{
  if (by_keys)
    screen_keys ("key ctrl+r");
  else
    screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"));
  wait_for_text (screen, say ("Recording for", "已录制"));
  run_named_programs ("guided", 5);
  if (by_keys)
    screen_keys ("key ctrl+r");
  else
    screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Stop and Save", "停止并保存"));
  wait_for_text (screen, say ("Saved, and complete", "已保存，内容完整"));
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Show File", "显示文件"),
                     ATSPI_STATE_SENSITIVE, TRUE);
  return the_saved_file ();
}

static void
the_ticket_and_the_note_are_in_the_file_and_in_its_name (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *guide = write_guide ("256");
  screen_start_with (screen,
                     (const char *[]){ wprui, "--guide", guide, "--ticket", "4711", "--note",
                                       "menu: slow/late", NULL },
                     (const char *[]){ chinese ? "LANGUAGE=zh_CN" : "LANGUAGE=en", NULL });
  expect_ready (screen);
  g_autofree char *file = record (screen, FALSE);
  g_autofree char *base = g_path_get_basename (file);
  const char *words = say (" Ticket 4711 menu slow late.etl", " 工单 4711 menu slow late.etl");
  if (!g_str_has_suffix (base, words))
    fail_msg ("it is called “%s”", base);
  const char *description = say ("Ticket 4711: menu: slow/late", "工单 4711：menu: slow/late");
  g_autofree char *info = run_program (0, wpr, "-info", file, NULL);
  if (strstr (info, description) == NULL)
    fail_msg ("no description in: %s", info);
  g_autofree char *dump = run_program (0, wpr, "-dump", file, NULL);
  const char *mark = dump;
  for (; (mark = strstr (mark, "Mark")) != NULL; mark++)
    {
      g_autofree char *line = g_strndup (mark, strcspn (mark, "\n"));
      if (strstr (line, description) != NULL)
        break;
    }
  if (mark == NULL)
    fail_msg ("no mark says “%s”", description);
}

/* From Start to the file by keys alone. */
static void
a_guide_opened_in_a_window_that_runs_is_done_by_keys (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *guide = write_guide ("256");
  screen_start_with (screen, (const char *[]){ wprui, NULL },
                     (const char *[]){ chinese ? "LANGUAGE=zh_CN" : "LANGUAGE=en", NULL });
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"), ATSPI_STATE_SENSITIVE,
                     TRUE);
  g_free (run_program (0, wprui, guide, NULL));
  expect_ready (screen);
  screen_keys ("mousemove 40 300");
  g_autofree char *file = record (screen, TRUE);
  g_autofree char *base = g_path_get_basename (file);
  assert_null (strstr (base, say ("Ticket", "工单")));
  /* the rest of the window is a press away */
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Close This Page", "关闭此页"));
  g_object_unref (screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Record Again", "再次录制")));
}

static void
an_ordinary_profile_goes_into_the_list (void **state)
{
  Screen *screen = *state;
  g_autofree char *profile = write_profile ("plain.wprp", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, profile, NULL },
                     (const char *[]){ chinese ? "LANGUAGE=zh_CN" : "LANGUAGE=en", NULL });
  wait_for_text (screen, "Programs that begin");
  assert_null (screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Close This Page", "关闭此页")));
}

static void
a_faulty_guide_says_what_is_wrong_and_whom_to_tell (void **state)
{
  Screen *screen = *state;
  g_autofree char *guide = write_guide ("1024K");
  screen_start_with (screen, (const char *[]){ wprui, guide, NULL },
                     (const char *[]){ chinese ? "LANGUAGE=zh_CN" : "LANGUAGE=en", NULL });
  wait_for_text (screen,
                 say ("This file cannot be used. Tell Ada.", "此文件无法使用。请告诉Ada。"));
  wait_for_text (screen, say ("BufferSize", "BufferSize"));
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"), ATSPI_STATE_SENSITIVE,
                     FALSE);
}

static void
a_guide_that_is_not_there_says_so (void **state)
{
  Screen *screen = *state;
  screen_start_with (screen, (const char *[]){ wprui, "--guide", "/nowhere/guide.wprp", NULL },
                     (const char *[]){ chinese ? "LANGUAGE=zh_CN" : "LANGUAGE=en", NULL });
  wait_for_text (screen,
                 say ("This file cannot be used. Tell whoever", "此文件无法使用。请告诉发给"));
  wait_for_text (screen, say ("The file is not there", "文件已不"));
}

int
main (int argc, char **argv)
{
  if (argc < 3)
    return 2;
  for (int i = 1; i <= 2; i++)
    argv[i] = g_canonicalize_filename (argv[i], NULL);
  wprui = argv[1];
  wpr = argv[2];
  chinese = argc > 3 && strcmp (argv[3], "zh_CN") == 0;
  g_setenv ("WPR_RECORDER", wpr, TRUE);
  atspi_init ();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (the_ticket_and_the_note_are_in_the_file_and_in_its_name,
                                     set_up, tear_down),
    cmocka_unit_test_setup_teardown (a_guide_opened_in_a_window_that_runs_is_done_by_keys, set_up,
                                     tear_down),
    cmocka_unit_test_setup_teardown (an_ordinary_profile_goes_into_the_list, set_up, tear_down),
    cmocka_unit_test_setup_teardown (a_faulty_guide_says_what_is_wrong_and_whom_to_tell, set_up,
                                     tear_down),
    cmocka_unit_test_setup_teardown (a_guide_that_is_not_there_says_so, set_up, tear_down),
  };
  cmocka_set_test_filter (g_getenv ("E2E_ONLY"));
  int failed = cmocka_run_group_tests (tests, NULL, NULL);
  for (int i = 1; i <= 2; i++)
    g_free (argv[i]);
  return failed;
}
