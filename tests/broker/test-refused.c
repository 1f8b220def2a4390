/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A user whom polkit's rules do not let record (with-system-bus refuse). */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bus.h"

static void
begin_is_refused_by_name_and_noted (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *name = NULL;
  assert_int_equal (bus_begin (bus, "{'instance': <'no'>, 'interactive': <true>}", &name), -1);
  assert_string_equal (name, "Refused");
  assert_int_equal (
      journal_wait (WORDS ("wpr-broker", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e0a", "instance no")), 1);
}

static void
ask_says_no (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *answer = bus_ask (bus);
  assert_string_equal (answer, "no");
}

/* The broker counts by the minutes of this clock. */
static gint64
minute_now (void)
{
  return g_get_monotonic_time () / (60 * G_USEC_PER_SEC);
}

/* What was sent to the journal before is in the test's file once this is. */
static void
wait_for_the_journal (void)
{
  static const GLogField mark[] = { { "MESSAGE", "the test has come that far", -1 } };
  assert_int_equal (g_log_writer_journald (G_LOG_LEVEL_MESSAGE, mark, 1, NULL),
                    G_LOG_WRITER_HANDLED);
  assert_int_equal (journal_wait (WORDS ("the test has come that far")), 1);
}

/* Ten a minute, then one line that says so. A minute may end meanwhile. */
static void
a_loop_of_refusals_does_not_fill_the_journal (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  gint64 first = minute_now ();
  for (int i = 0; i < 50; i++)
    {
      g_autofree char *name = NULL;
      assert_int_equal (bus_begin (bus, "{'instance': <'loop'>}", &name), -1);
      assert_string_equal (name, "Refused");
    }
  guint n_minutes = (guint)(minute_now () - first) + 1;
  assert_in_range (n_minutes, 1, 4); /* else no minute need have had more than ten */
  wait_for_the_journal ();
  assert_in_range (journal_wait (WORDS ("More of this minute")), 1, n_minutes);
  assert_in_range (journal_wait (WORDS ("instance loop")), 1, 11 * n_minutes);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (begin_is_refused_by_name_and_noted),
    cmocka_unit_test (ask_says_no),
    cmocka_unit_test (a_loop_of_refusals_does_not_fill_the_journal),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
