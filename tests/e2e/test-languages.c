/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window in Chinese, from choosing to the library; and a recorder that was begun in another
 * language than the window's: what it tells is read in the window's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <unistd.h>
#include "kit.h"

#define STEP_MS 100
#define SAVING 800 /* steps */

/* What the recorder says, begun by `wpr` in one language and read by the window in another. */
static void
assert_read (Screen *screen, const char *began_in, const char *window_in, const char *begin)
{
  if (!may_record () || geteuid () != 0)
    skip ();
  g_autofree char *place = kit_mount_scarce (KIT_SCARCE_BYTES);
  if (place == NULL)
    skip ();
  g_setenv ("LANGUAGE", began_in, TRUE);
  g_free (run_program (0, wpr, "-start", "CPU", "-filemode", "-recordtempto", place, NULL));
  g_unsetenv ("LANGUAGE");
  g_autofree char *language = g_strconcat ("LANGUAGE=", window_in, NULL);
  screen_start (screen, wprui, (const char *[]){ language, NULL });
  g_object_unref (screen_wait_described (screen, g_str_equal (window_in, "en") ? "Events so far"
                                                                               : "至今的事件数"));
  kit_fill_scarce (place);
  kit_wait_text (screen, begin);
  g_free (run_program (0, wpr, "-cancel", NULL));
}

static void
an_english_recorder_is_read_in_chinese (void **state)
{
  assert_read (*state, "en", "zh_CN", "磁盘将满。从现在起只保留录制中最新的 ");
}

static void
a_chinese_recorder_is_read_in_english (void **state)
{
  assert_read (*state, "zh_CN", "en", "The disk is nearly full. From here on only the newest ");
}

static char *
wait_verdict (Screen *screen)
{
  g_autoptr (AtspiAccessible) verdict = NULL;
  for (guint i = 0; i < SAVING && verdict == NULL; i++)
    {
      screen_sleep (STEP_MS);
      verdict = screen_find_described (screen, "结果");
    }
  assert_non_null (verdict);
  return screen_text (verdict);
}

static void
the_whole_way_in_chinese (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, (const char *[]){ "LANGUAGE=zh_CN", NULL });
  g_object_unref (screen_wait (screen, ATSPI_ROLE_CHECK_BOX, "磁盘 I/O 活动"));
  screen_press (screen, ATSPI_ROLE_CHECK_BOX, "磁盘 I/O 活动");
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "开始", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "开始");
  g_object_unref (screen_wait_described (screen, "至今的事件数"));
  run_named_programs ("e2e-languages", 20);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "停止并保存");
  g_autofree char *words = wait_verdict (screen);
  assert_true (g_str_has_prefix (words, "已保存"));
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (-1, wpr, "-info", file, "-json", NULL);
  assert_true (json_number (info, "events") > 0);
  screen_keys ("key alt+2");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "今天"));
  kit_wait_text (screen, "1 个录制文件，");
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (an_english_recorder_is_read_in_chinese),
    kit_test (a_chinese_recorder_is_read_in_english),
    kit_test (the_whole_way_in_chinese),
  };
  return kit_run (tests);
}
