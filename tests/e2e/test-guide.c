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
#include "hands.h"
#include "kit.h"
#include "profile-file.h"

static const char *drag_files;
static gboolean chinese;

/* What stands on the page, in the language of this run. */
static const char *
say (const char *english, const char *zh_cn)
{
  return chinese ? zh_cn : english;
}

static const char *const *
get_language (void)
{
  static const char *const english[] = { "LANGUAGE=en", NULL };
  static const char *const zh_cn[] = { "LANGUAGE=zh_CN", NULL };
  return chinese ? zh_cn : english;
}

/* Makes a guide of a profile: takes its path and returns it. */
static char *
make_guide (char *profile)
{
  g_autofree char *path = profile;
  g_autofree char *text = NULL;
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_autoptr (GString) guide = g_string_new (text);
  g_string_replace (guide, "Author=\"Helpdesk\"",
                    "Tag=\"guide: Ada\" Comments=\"1. Open the menu. 2. Wait for it.\"", 1);
  assert_true (g_file_set_contents (path, guide->str, guide->len, NULL));
  return g_steal_pointer (&path);
}

/* Of the profile of profile-file.h. */
static char *
write_guide (const char *size)
{
  return make_guide (write_profile ("guide.wprp", size, "Exec"));
}

static void
expect_ready (Screen *screen)
{
  kit_wait_text (screen, say ("Ada asks you", "“Ada”请您"));
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
  kit_wait_text (screen, say ("Recording for", "已录制 "));
  run_named_programs ("guided", 5);
  if (by_keys)
    screen_keys ("key ctrl+r");
  else
    screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Stop and Save", "停止并保存"));
  kit_wait_text (screen, say ("Saved", "已保存"));
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Show File", "显示文件"),
                     ATSPI_STATE_SENSITIVE, TRUE);
  return the_saved_file ();
}

/* By the keyboard: behind the steps come the two rows, which in libadwaita 1.2 do not say that they
 * have the keyboard. */
/* A character that is on no key is put on one first, and the window has to hear of that. */
static void
type_words (Screen *screen, const char *ticket, const char *note)
{
  g_autofree char *type_ticket = g_strdup_printf ("type --delay 80 '%s'", ticket);
  g_autofree char *type_note = g_strdup_printf ("type --delay 80 '%s'", note);
  hands_tab_to (screen, ATSPI_ROLE_LIST_ITEM,
                say ("Press Show File, and send it to Ada.", "按“显示文件”，并把它发给“Ada”。"));
  screen_keys ("key Tab");
  screen_keys (type_ticket);
  screen_keys ("key Tab");
  screen_keys (type_note);
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
                     get_language ());
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
  screen_start_with (screen, (const char *[]){ wprui, NULL }, get_language ());
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
  screen_start_with (screen, (const char *[]){ wprui, profile, NULL }, get_language ());
  kit_wait_text (screen, "Programs that begin");
  assert_null (screen_find (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Close This Page", "关闭此页")));
}

static void
a_faulty_guide_says_what_is_wrong_and_whom_to_tell (void **state)
{
  Screen *screen = *state;
  g_autofree char *guide = write_guide ("1024K");
  screen_start_with (screen, (const char *[]){ wprui, guide, NULL }, get_language ());
  kit_wait_text (screen,
                 say ("This file cannot be used. Tell Ada.", "此文件无法使用。请告诉“Ada”。"));
  kit_wait_text (screen, say ("BufferSize", "BufferSize"));
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"), ATSPI_STATE_SENSITIVE,
                     FALSE);
}

static void
a_guide_that_is_not_there_says_so (void **state)
{
  Screen *screen = *state;
  screen_start_with (screen, (const char *[]){ wprui, "--guide", "/nowhere/guide.wprp", NULL },
                     get_language ());
  kit_wait_text (screen,
                 say ("This file cannot be used. Tell whoever", "此文件无法使用。请告诉发给"));
  kit_wait_text (screen, say ("The file is not there", "文件已不"));
}

/* Dropped, its words typed on the page: a ticket with slashes, and words of two scripts. */
static void
a_guide_is_dropped_and_its_words_are_typed (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *guide = write_guide ("256");
  screen_start (screen, wprui, get_language ());
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"), ATSPI_STATE_SENSITIVE,
                     TRUE);
  hands_drop (drag_files, (const char *[]){ guide, NULL });
  expect_ready (screen);
  screen_keys ("mousemove 300 300");
  type_words (screen, "INC/2026/4711", "菜单 froze");
  g_autofree char *file = record (screen, FALSE);
  g_autofree char *base = g_path_get_basename (file);
  if (!g_str_has_suffix (
          base, say (" Ticket INC 2026 4711 菜单 froze.etl", " 工单 INC 2026 4711 菜单 froze.etl")))
    fail_msg ("it is called “%s”", base);
  g_autofree char *info = run_program (0, wpr, "-info", file, NULL);
  if (strstr (info, say ("Ticket INC/2026/4711: 菜单 froze", "工单 INC/2026/4711：菜单 froze"))
      == NULL)
    fail_msg ("no description in: %s", info);
}

/* The name has what a name can have of them; the recording has all. */
static void
a_ticket_of_two_hundred_characters_is_recorded (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *guide = write_guide ("256");
  g_autoptr (GString) ticket = g_string_new (NULL);
  for (guint i = 0; i < 200; i++)
    g_string_append (ticket, "单");
  screen_start_with (screen,
                     (const char *[]){ wprui, "--guide", guide, "--ticket", ticket->str, NULL },
                     get_language ());
  expect_ready (screen);
  g_autofree char *file = record (screen, FALSE);
  assert_non_null (strstr (file, "单单单单单单单单单单.etl"));
  g_autofree char *info = run_program (0, wpr, "-info", file, NULL);
  assert_non_null (strstr (info, ticket->str));
}

/* What it asks for and is not here is said, and nothing starts that would record nothing. */
static void
what_is_missing_here_is_said (void **state)
{
  Screen *screen = *state;
  g_autofree char *guide
      = make_guide (write_provider_profile ("guide.wprp", "Keys", "tracepoint:nosuch:keys"));
  screen_start_with (screen, (const char *[]){ wprui, guide, NULL }, get_language ());
  kit_wait_text (screen, say ("Nothing of it can be recorded", "其中没有任何内容可以"));
  kit_wait_text (screen, "nosuch:keys");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"), ATSPI_STATE_SENSITIVE,
                     FALSE);
}

static void
record_now_closes_a_guide_that_waits (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *guide = write_guide ("256");
  screen_start_with (screen, (const char *[]){ wprui, guide, NULL }, get_language ());
  expect_ready (screen);
  g_free (run_program (0, wprui, "--record-now", NULL));
  g_object_unref (screen_wait_described (screen, say ("Events so far", "至今的事件数")));
  g_object_unref (
      screen_wait (screen, ATSPI_ROLE_LABEL,
                   say ("First level triage. Memory, verbose.", "初步诊断。内存，详细。")));
}

static void
record_now_leaves_a_guide_that_records_alone (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  g_autofree char *guide = write_guide ("256");
  screen_start_with (screen, (const char *[]){ wprui, guide, NULL }, get_language ());
  expect_ready (screen);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start", "开始"));
  kit_wait_text (screen, say ("Recording for", "已录制 "));
  g_free (run_program (0, wprui, "--record-now", NULL));
  kit_wait_text (screen, say ("Stop the recording of this page first", "请先停止此页的录制"));
  kit_wait_text (screen, say ("Recording for", "已录制 "));
}

/* It would start what its page is there to ask for. */
static void
a_guide_is_not_started_from_the_command_line (void **state)
{
  g_autofree char *guide = write_guide ("256");
  g_free (run_program (EXIT_FAILURE, wprui, "--guide", guide, "--record-now", NULL));
}

static void
its_keys_are_told (void **state)
{
  Screen *screen = *state;
  g_autofree char *guide = write_guide ("256");
  screen_start_with (screen, (const char *[]){ wprui, guide, NULL }, get_language ());
  expect_ready (screen);
  screen_keys ("mousemove 300 300");
  screen_keys ("key ctrl+question");
  kit_wait_text (screen, say ("Show the saved file", "显示已保存的文件"));
  screen_keys ("key Escape");
  screen_sleep (1500);
  screen_keys ("key alt+Left");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, say ("CPU usage", "CPU 使用情况")));
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 3))
    return 2;
  drag_files = argv[3];
  chinese = argc > 4 && strcmp (argv[4], "zh_CN") == 0;
  const struct CMUnitTest tests[] = {
    kit_test (the_ticket_and_the_note_are_in_the_file_and_in_its_name),
    kit_test (a_guide_opened_in_a_window_that_runs_is_done_by_keys),
    kit_test (an_ordinary_profile_goes_into_the_list),
    kit_test (a_faulty_guide_says_what_is_wrong_and_whom_to_tell),
    kit_test (a_guide_that_is_not_there_says_so),
    kit_test (a_guide_is_dropped_and_its_words_are_typed),
    kit_test (a_ticket_of_two_hundred_characters_is_recorded),
    kit_test (what_is_missing_here_is_said),
    kit_test (record_now_closes_a_guide_that_waits),
    kit_test (record_now_leaves_a_guide_that_records_alone),
    kit_test (a_guide_is_not_started_from_the_command_line),
    kit_test (its_keys_are_told),
  };
  return kit_run (tests);
}
