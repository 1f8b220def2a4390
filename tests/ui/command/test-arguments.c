/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How words behind a verb are sorted, and how JSON is written. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <wpr-error.h>

#include "../../../ui/command/arguments.h"
#include "../../../ui/command/json.h"

static const WprOption options[] = {
  { "json", WPR_OPTION_FLAG },           { "instancename", WPR_OPTION_VALUE },
  { "start", WPR_OPTION_AGAIN },         { "compress", WPR_OPTION_LATER },
  { "maxsize", WPR_OPTION_LATER_VALUE },
};

static WprArguments *
parse (const char *const *words)
{
  return wpr_arguments_parse ((int)g_strv_length ((char **)words), (char **)words, options,
                              G_N_ELEMENTS (options));
}

static void
one_dash_or_two_in_any_case (void **state)
{
  const char *const words[] = { "CPU", "--JSON", "-InstanceName", "-x", "-start", "Disk", NULL };
  g_autoptr (WprArguments) arguments = parse (words);
  assert_true (wpr_arguments_check (arguments, 2, NULL));
  assert_true (wpr_arguments_has (arguments, "json"));
  assert_string_equal (wpr_arguments_get (arguments, "instancename"), "-x");
  assert_string_equal (wpr_arguments_word (arguments, 0), "CPU");
  assert_string_equal (wpr_arguments_word (arguments, 1), "Disk");
  assert_null (wpr_arguments_word (arguments, 2));
  assert_false (wpr_arguments_check (arguments, 1, NULL));
}

static void
dashes_that_are_no_options (void **state)
{
  const char *const words[] = { "-5", "-", "--", "-json", NULL };
  g_autoptr (WprArguments) arguments = parse (words);
  assert_int_equal (arguments->words->len, 3);
  assert_false (wpr_arguments_has (arguments, "json"));
  assert_string_equal (wpr_arguments_word (arguments, 2), "-json");
}

static void
faults_are_kept_and_the_rest_is_read (void **state)
{
  const char *const words[]
      = { "-compress", "a.etl", "-maxsize", "5", "-nonsense", "note", "-instancename", NULL };
  g_autoptr (WprArguments) arguments = parse (words);
  g_autoptr (GError) error = NULL;
  assert_int_equal (arguments->words->len, 2);
  assert_string_equal (wpr_arguments_word (arguments, 0), "a.etl");
  assert_string_equal (wpr_arguments_word (arguments, 1), "note");
  assert_int_equal (arguments->faults->len, 4);
  assert_false (wpr_arguments_check (arguments, 9, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_AVAILABLE));
  assert_true (
      g_error_matches (g_ptr_array_index (arguments->faults, 2), WPR_ERROR, WPR_ERROR_USAGE));
}

static void
numbers_have_limits (void **state)
{
  static const struct
  {
    const char *text;
    gboolean ok;
  } rows[]
      = { { "1", TRUE },    { "100", TRUE }, { "0", FALSE },   { "101", FALSE },
          { "-1", FALSE },  { "", FALSE },   { "5x", FALSE },  { " 5", FALSE },
          { "1e2", FALSE }, { "五", FALSE }, { "0x5", FALSE }, { "99999999999999999999", FALSE },
          { "4.0", FALSE } };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *const words[] = { "-instancename", rows[i].text, NULL };
      g_autoptr (WprArguments) arguments = parse (words);
      guint number = 7;
      g_autoptr (GError) error = NULL;
      assert_int_equal (wpr_arguments_number (arguments, "instancename", 1, 100, &number, &error),
                        rows[i].ok);
      assert_int_equal (error == NULL, rows[i].ok);
      if (!rows[i].ok)
        assert_int_equal (number, 7);
    }
}

static void
json_is_escaped (void **state)
{
  WprJson json = WPR_JSON_INIT;
  wpr_json_open (&json, NULL, '{');
  wpr_json_string (&json, "a\"b", "c\\d\n\x01é\xff");
  wpr_json_string (&json, "none", NULL);
  wpr_json_open (&json, "list", '[');
  wpr_json_integer (&json, NULL, -5);
  wpr_json_unsigned (&json, NULL, G_MAXUINT64);
  wpr_json_double (&json, NULL, 0.5);
  wpr_json_double (&json, NULL, 1.0 / 0.0);
  wpr_json_boolean (&json, NULL, TRUE);
  wpr_json_close (&json, ']');
  wpr_json_close (&json, '}');
  assert_string_equal (json.text->str,
                       "{\"a\\\"b\":\"c\\\\d\\u000a\\u0001é\xef\xbf\xbd\",\"none\":null,"
                       "\"list\":[-5,18446744073709551615,0.500000,null,true]}");
  g_string_free (json.text, TRUE);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (one_dash_or_two_in_any_case),
    cmocka_unit_test (dashes_that_are_no_options),
    cmocka_unit_test (faults_are_kept_and_the_rest_is_read),
    cmocka_unit_test (numbers_have_limits),
    cmocka_unit_test (json_is_escaped),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
