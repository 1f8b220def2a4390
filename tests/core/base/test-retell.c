/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sentence in another language is told in this process's own; what is none stays. The catalogues
 * are those of the build. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <libintl.h>
#include <locale.h>
#include <string.h>
#include "base/retell.h"
#include "config.h"

static void
assert_retold (const char *text, const char *told)
{
  g_autofree char *got = wpr_retell (text);
  assert_string_equal (got, told);
}

static void
speak (const char *language)
{
  g_setenv ("LANGUAGE", language, TRUE);
  setlocale (LC_ALL, "C"); /* a change is what makes gettext look at LANGUAGE again */
  setlocale (LC_ALL, "C.UTF-8");
}

static void
english_is_told_in_chinese (void **state)
{
  speak ("zh_CN");
  assert_retold ("The recording was saved as /tmp/a%sb.etl.", "录制已保存为 /tmp/a%sb.etl。");
  assert_retold ("1 recording", "1 个录制文件");
  assert_retold ("12,345 recordings", "12,345 个录制文件");
}

static void
chinese_is_told_in_english (void **state)
{
  speak ("en");
  assert_retold ("录制已保存为 /tmp/a.etl。", "The recording was saved as /tmp/a.etl.");
  assert_retold ("1 个录制文件", "1 recording");
  assert_retold ("12,345 个录制文件", "12,345 recordings");
}

static void
ones_own_language_stays (void **state)
{
  speak ("zh_CN");
  assert_retold ("录制已保存为 /tmp/a.etl。", "录制已保存为 /tmp/a.etl。");
  speak ("en");
  assert_retold ("The recording was saved as /tmp/a.etl.",
                 "The recording was saved as /tmp/a.etl.");
}

/* A reason within the sentence, and the system's reason within that. */
static void
reasons_are_told_too (void **state)
{
  speak ("zh_CN");
  g_autofree char *text = wpr_retell (
      "The raw recording cannot be written: The recording was saved as /tmp/a.etl. It is stopped; "
      "what was recorded is kept.");
  assert_non_null (strstr (text, "录制已保存为 /tmp/a.etl。"));
  assert_null (strstr (text, "cannot be written"));
}

static void
what_no_message_makes_stays (void **state)
{
  speak ("zh_CN");
  const char *const texts[] = { "",
                                "%",
                                "%s",
                                "a: b",
                                "The recording was saved as",
                                "\xff\xfe",
                                "%s%s%s%n",
                                "nothing of ours: 5 %" };
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    assert_retold (texts[i], texts[i]);
}

/* A text made to be hard to match, and one that is too long, end soon and as they are. */
static void
hard_texts_end (void **state)
{
  speak ("zh_CN");
  g_autoptr (GString) hard = g_string_new (NULL);
  for (guint i = 0; i < 200; i++)
    g_string_append (hard, ", 1, %s“ in “”: . ");
  assert_retold (hard->str, hard->str);
  for (guint i = 0; i < 10000; i++)
    g_string_append (hard, "events ");
  assert_retold (hard->str, hard->str);
}

int
main (void)
{
  g_autofree char *folder = g_build_filename (g_getenv ("WPR_BUILD_ROOT"), "po", NULL);
  bindtextdomain (GETTEXT_PACKAGE, folder);
  bind_textdomain_codeset (GETTEXT_PACKAGE, "UTF-8");
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (english_is_told_in_chinese),  cmocka_unit_test (chinese_is_told_in_english),
    cmocka_unit_test (ones_own_language_stays),     cmocka_unit_test (reasons_are_told_too),
    cmocka_unit_test (what_no_message_makes_stays), cmocka_unit_test (hard_texts_end),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
