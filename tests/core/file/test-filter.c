/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EXPR: what is true of a made-up event, and what a bad one is answered with. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/wpr-error.h"
#include "file/filter.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define START (G_GINT64_CONSTANT (1796043600) * SECOND) /* 2026-11-30 13:00:00 UTC */

static const guint8 guid[16] = { 0xf1, 0xfd, 0xb3, 0x3d, 0x2c, 0x1a, 0xd1, 0x11,
                                 0x84, 0xf4, 0x00, 0x00, 0xf8, 0x04, 0x64, 0xe3 };
static const guint8 data[] = { 0xde, 0xad, 0xbe, 0xef };

#define TEXT(s) .type = WPR_TRACE_FIELD_STRING, .text = s, .size = sizeof s - 1

/* The event everything below is asked about. */
static const struct
{
  WprFilterName name;
  WprTraceField value;
} event[] = {
  { WPR_FILTER_PROCESS_NAME, { TEXT ("myapp") } },
  { WPR_FILTER_PROCESS_ID, { .type = WPR_TRACE_FIELD_UINT, .u = 4711 } },
  { WPR_FILTER_THREAD_ID, { .type = WPR_TRACE_FIELD_UINT, .u = 4712 } },
  { WPR_FILTER_PROVIDER, { TEXT ("Linux.sched") } },
  { WPR_FILTER_PROVIDER_GUID, { .type = WPR_TRACE_FIELD_BYTES, .bytes = guid, .size = 16 } },
  { WPR_FILTER_EVENT_NAME, { TEXT ("sched_waking") } },
  { WPR_FILTER_EVENT_ID, { .type = WPR_TRACE_FIELD_UINT, .u = 0 } },
  { WPR_FILTER_LEVEL, { .type = WPR_TRACE_FIELD_UINT, .u = 4 } },
  { WPR_FILTER_KEYWORDS, { .type = WPR_TRACE_FIELD_UINT, .u = 0x8000000000000011 } },
  { WPR_FILTER_CPU, { .type = WPR_TRACE_FIELD_UINT, .u = 3 } },
  { WPR_FILTER_TIME, { .type = WPR_TRACE_FIELD_INT, .i = 2 * SECOND } },
  { WPR_FILTER_FIELD, { "Signed", WPR_TRACE_FIELD_INT, .i = -12 } },
  { WPR_FILTER_FIELD, { "Least", WPR_TRACE_FIELD_INT, .i = G_MININT64 } },
  { WPR_FILTER_FIELD, { "Most", WPR_TRACE_FIELD_UINT, .u = G_MAXUINT64 } },
  { WPR_FILTER_FIELD, { "Ratio", WPR_TRACE_FIELD_DOUBLE, .d = 0.5 } },
  { WPR_FILTER_FIELD, { "Nan", WPR_TRACE_FIELD_DOUBLE, .d = NAN } },
  { WPR_FILTER_FIELD, { "Done", WPR_TRACE_FIELD_BOOL, .u = 1 } },
  { WPR_FILTER_FIELD, { "Path", TEXT ("/usr/lib/libFoo.so") } },
  { WPR_FILTER_FIELD, { "Digits", TEXT ("12") } },
  { WPR_FILTER_FIELD, { "Empty", TEXT ("") } },
  { WPR_FILTER_FIELD, { "Odd \"name\"", TEXT ("a\\b\"c") } },
  { WPR_FILTER_FIELD, { "Data", WPR_TRACE_FIELD_BYTES, .bytes = data, .size = 4 } },
  { WPR_FILTER_FIELD, { "Where", WPR_TRACE_FIELD_ADDRESS, .u = 0xffffffff81000000 } },
  { WPR_FILTER_FIELD, { "When", WPR_TRACE_FIELD_TIME, .i = START + SECOND } },
  { WPR_FILTER_FIELD, { "Level", WPR_TRACE_FIELD_UINT, .u = 9 } },
  { WPR_FILTER_FIELD, { "温度", WPR_TRACE_FIELD_UINT, .u = 37 } },
};

static gboolean
get (gpointer subject, WprFilterName name, const char *field, WprTraceField *value)
{
  for (gsize i = 0; i < G_N_ELEMENTS (event); i++)
    if (event[i].name == name
        && (field == NULL || g_ascii_strcasecmp (event[i].value.name, field) == 0))
      {
        *value = event[i].value;
        return TRUE;
      }
  return FALSE;
}

static const struct
{
  const char *text;
  gboolean result;
} truths[] = {
  { "ProcessName=\"myapp\" && Level<=3", FALSE },
  { "ProcessName=\"myapp\" && Level<=4", TRUE },
  { "ProcessName == myapp", TRUE },
  { "processname==myapp", TRUE },
  { "ProcessName == MyApp", FALSE },
  { "ProcessName ~ APP", TRUE },
  { "ProcessName ~ apps", FALSE },
  { "ProcessName ~ \"\"", TRUE },
  { "ProcessName != myapp", FALSE },
  { "ProcessName < n", TRUE },
  { "ProcessName > my", TRUE },
  { "ProcessId = 4711 && ThreadId = 0x1268", TRUE },
  { "ProcessId == \"4711\"", TRUE },
  { "ProcessId == -1", FALSE },
  { "ProcessId > -1", TRUE },
  { "Provider = Linux.sched && EventName ~ waking", TRUE },
  { "Provider == {3db3fdf1-1a2c-11d1-84f4-0000f80464e3}", TRUE },
  { "Provider == {3DB3FDF1-1A2C-11D1-84F4-0000F80464E3}", TRUE },
  { "Provider != {3db3fdf1-1a2c-11d1-84f4-0000f80464e4}", TRUE },
  { "EventId >= 0 && EventId < 1", TRUE },
  { "Keywords ~ 0x10", TRUE },
  { "Keywords ~ 0x12", FALSE },
  { "Keywords == 0x8000000000000011", TRUE },
  { "Cpu == 3 || Cpu == 4", TRUE },
  { "Cpu == 4 || Cpu == 5", FALSE },
  { "!(Cpu == 4)", TRUE },
  { "!Cpu == 3", FALSE },
  { "!!Cpu == 3", TRUE },
  { "Cpu == 4 && Cpu == 3 || Cpu == 3", TRUE },
  { "Cpu == 4 && (Cpu == 3 || Cpu == 3)", FALSE },
  { "Cpu == 3 || Cpu == 3 && Cpu == 4", TRUE },
  { "!(Cpu == 3 && Level == 4) || !(Cpu == 4 || Level == 5)", TRUE },
  { "Time >= 1.5 && Time <= 2", TRUE },
  { "Time > 2", FALSE },
  { "Time == 2000ms", TRUE },
  { "Time >= \"2026-11-30 13:00:02Z\" && Time < 2026-11-30T13:00:02.1Z", TRUE },
  { "Signed == -12 && Signed < -11.5 && Signed > -0x0d", TRUE },
  { "Signed < 18446744073709551615", TRUE },
  { "Least == -9223372036854775808", TRUE },
  { "Least > -18446744073709551615", TRUE },
  { "Most == 18446744073709551615 && Most == 0xffffffffffffffff", TRUE },
  { "Most > 9223372036854775807 && Most != -1", TRUE },
  { "Most == 18446744073709551616", TRUE }, /* a real number, and as such the same */
  { "Ratio == 0.5 && Ratio < 1 && Ratio > 1e-3", TRUE },
  { "Nan == 0 || Nan < 0 || Nan >= 0", FALSE },
  { "Nan != 0", TRUE },
  { "Done == true && Done == YES && Done == 1 && Done != false", TRUE },
  { "Done == maybe || Done != maybe", FALSE },
  { "Path ~ libfoo && path == /usr/lib/libFoo.so", TRUE },
  { "Digits == 12", TRUE },
  { "Digits == 12.0", FALSE },
  { "Empty == \"\" && !Empty ~ x", TRUE },
  { "\"Odd \\\"name\\\"\" == \"a\\\\b\\\"c\"", TRUE },
  { "Data == deadbeef && Data ~ ADBE && Data != 0xdead", TRUE },
  { "Data ~ dba", FALSE },
  { "Where >= 0xffff800000000000", TRUE },
  { "When > 2026-11-30T13:00:00Z && When == 1", TRUE },
  { "When == tomorrow || When != tomorrow", FALSE },
  { "Level == 4 && .Level == 9 && \"Level\" == 9", TRUE },
  { "Nothing == 1 || Nothing != 1 || Nothing ~ 1", FALSE },
  { "!(Nothing == 1)", TRUE },
  { "温度 == 37", TRUE },
  { "  Cpu\t==\n3  ", TRUE },
};

static void
what_is_true_of_an_event (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (truths); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (WprFilter) filter = wpr_filter_new (truths[i].text, NULL, &error);
      if (filter == NULL)
        fail_msg ("%s: %s", truths[i].text, error->message);
      assert_true (wpr_filter_set_start (filter, START, NULL));
      if (wpr_filter_matches (filter, get, NULL) != truths[i].result)
        fail_msg ("%s is %s", truths[i].text, truths[i].result ? "false" : "true");
    }
}

static const struct
{
  const char *text;
  guint column;
  const char *expected, *found;
} faults[] = {
  { "", 1, "a name", "the end" },
  { "   ", 4, "a name", "the end" },
  { "ProcessName", 12, "one of ==", "the end" },
  { "ProcessName myapp", 13, "one of ==", "“myapp”" },
  { "ProcessName ==", 15, "a value", "the end" },
  { "ProcessName == \"my", 19, "a closing quotation mark", "the end" },
  { "ProcessId == many", 14, "a whole number", "“many”" },
  { "ProcessId == 1.5", 14, "a whole number", "“1.5”" },
  { "ProcessId == 18446744073709551616", 14, "a whole number", "“18446744073709551616”" },
  { "Level ~ 3", 7, "one of ==, !=, <, <=, > and >=", "“~”" },
  { "Time > later", 8, "a time", "“later”" },
  { "Time ~ 3", 6, "one of ==", "“~”" },
  { "Keywords ~ x", 12, "a whole number", "“x”" },
  { "(Cpu == 3", 10, "a closing bracket", "the end" },
  { "Cpu == 3)", 9, "&&, || or the end", "“)”" },
  { "Cpu == 3 Level == 4", 10, "&&, || or the end", "“Level”" },
  { "Cpu == 3 & Level == 4", 10, "&&, || or the end", "“&”" },
  { "Cpu == 3 &&", 12, "a name", "the end" },
  { "|| Cpu == 3", 1, "a name", "“|”" },
  { "Cpu === 3", 7, "a value", "“=”" },
  { "!", 2, "a name", "the end" },
  { "((((Cpu))))==3", 8, "one of ==", "“)”" },
  { ".", 1, "a name", "“.”" },
  { "\"\" == 3", 1, "a name", "“\"”" },
  { "温度 == 3 Cpu", 9, "&&, || or the end", "“Cpu”" },
};

static void
a_bad_one_is_answered_with_its_column (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autoptr (GError) error = NULL;
      guint column = 0;
      g_autoptr (WprFilter) filter = wpr_filter_new (faults[i].text, &column, &error);
      g_autofree char *said = g_strdup_printf ("column %u:", faults[i].column);
      if (filter != NULL)
        fail_msg ("%s is taken", faults[i].text);
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
      if (column != faults[i].column || strstr (error->message, said) == NULL
          || strstr (error->message, faults[i].expected) == NULL
          || strstr (error->message, faults[i].found) == NULL)
        fail_msg ("%s: column %u: %s", faults[i].text, column, error->message);
    }
}

static char *
repeat (const char *part, guint n, const char *last)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < n; i++)
    g_string_append (text, part);
  g_string_append (text, last);
  return g_string_free (text, FALSE);
}

static void
size_and_depth_have_limits (void **state)
{
  const struct
  {
    const char *part;
    guint n;
    const char *last;
    gboolean good;
  } rows[] = {
    { "Cpu==3||", 999, "Cpu==4", TRUE },
    { "Cpu==3||", 1000, "Cpu==4", FALSE },
    { "!", 200, "Cpu==3", TRUE },
    { "!", 201, "Cpu==3", FALSE },
    { "(", 100000, "", FALSE },
    { "!", 1000000, "", FALSE },
    { "Cpu==3&&", 99, "(Cpu==3||Cpu==4)", TRUE },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = repeat (rows[i].part, rows[i].n, rows[i].last);
      g_autoptr (WprFilter) filter = wpr_filter_new (text, NULL, NULL);
      assert_true ((filter != NULL) == rows[i].good);
      if (filter != NULL)
        assert_true (wpr_filter_matches (filter, get, NULL));
    }
}

static void
wall_clock_needs_a_file_that_tells_it (void **state)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprFilter) filter = wpr_filter_new ("Time > 14:00", NULL, NULL);
  assert_false (wpr_filter_set_start (filter, 0, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
  g_autoptr (WprFilter) seconds = wpr_filter_new ("Time > 1 && Path != 14:00", NULL, NULL);
  assert_true (wpr_filter_set_start (seconds, 0, NULL));
  assert_true (wpr_filter_matches (seconds, get, NULL));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_is_true_of_an_event),
    cmocka_unit_test (a_bad_one_is_answered_with_its_column),
    cmocka_unit_test (size_and_depth_have_limits),
    cmocka_unit_test (wall_clock_needs_a_file_that_tells_it),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
