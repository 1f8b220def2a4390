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
#include "kit.h"
#include "profile-file.h"

static gboolean chinese;

/* What stands on the page, in the language of this run. */
static const char *
say (const char *english, const char *zh_cn)
{
  return chinese ? zh_cn : english;
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
expect_ready (Screen *screen)
{
  kit_wait_text (screen, say ("Ada asks you", "Ada请您"));
  kit_wait_text (screen, "Open the menu.");
  kit_wait_text (screen, "Wait for it.");
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
  kit_wait_text (screen, say ("Recording for", "已录制"));
  run_named_programs ("guided", 5);
  if (by_keys)
    screen_keys ("key ctrl+r");
  else
    screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Stop and Save", "停止并保存"));
  kit_wait_text (screen, say ("Saved, and complete", "已保存，内容完整"));
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
  kit_wait_text (screen, "Programs that begin");
  assert_null (screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Close This Page", "关闭此页")));
}

static void
a_faulty_guide_says_what_is_wrong_and_whom_to_tell (void **state)
{
  Screen *screen = *state;
  g_autofree char *guide = write_guide ("1024K");
  screen_start_with (screen, (const char *[]){ wprui, guide, NULL },
                     (const char *[]){ chinese ? "LANGUAGE=zh_CN" : "LANGUAGE=en", NULL });
  kit_wait_text (screen,
                 say ("This file cannot be used. Tell Ada.", "此文件无法使用。请告诉Ada。"));
  kit_wait_text (screen, say ("BufferSize", "BufferSize"));
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"), ATSPI_STATE_SENSITIVE,
                     FALSE);
}

static void
a_guide_that_is_not_there_says_so (void **state)
{
  Screen *screen = *state;
  screen_start_with (screen, (const char *[]){ wprui, "--guide", "/nowhere/guide.wprp", NULL },
                     (const char *[]){ chinese ? "LANGUAGE=zh_CN" : "LANGUAGE=en", NULL });
  kit_wait_text (screen,
                 say ("This file cannot be used. Tell whoever", "此文件无法使用。请告诉发给"));
  kit_wait_text (screen, say ("The file is not there", "文件已不"));
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  chinese = argc > 3 && strcmp (argv[3], "zh_CN") == 0;
  const struct CMUnitTest tests[] = {
    kit_test (the_ticket_and_the_note_are_in_the_file_and_in_its_name),
    kit_test (a_guide_opened_in_a_window_that_runs_is_done_by_keys),
    kit_test (an_ordinary_profile_goes_into_the_list),
    kit_test (a_faulty_guide_says_what_is_wrong_and_whom_to_tell),
    kit_test (a_guide_that_is_not_there_says_so),
  };
  return kit_run (tests);
}
