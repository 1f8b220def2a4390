/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points in time as people write them. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "file/when.h"

#define MS G_GINT64_CONSTANT (1000000)
#define SECOND (1000 * MS)
#define HOUR (3600 * SECOND)
/* 2026-11-30 13:00:00 UTC; the tests' local time is two hours further. */
#define NOON (G_GINT64_CONSTANT (1796043600) * SECOND)

static const struct
{
  const char *text;
  gboolean good;
  gint64 since_start;
} rows[] = {
  { "0", TRUE, 0 },
  { "1.5", TRUE, 1500 * MS },
  { "+1.5s", TRUE, 1500 * MS },
  { "-2", TRUE, -2 * SECOND },
  { "250ms", TRUE, 250 * MS },
  { "0.000000001", TRUE, 1 },
  { "0.0000000009", TRUE, 0 },
  { "2026-11-30 15:00", TRUE, 0 },
  { "2026-11-30 15:00:05.25", TRUE, 5250 * MS },
  { "2026-11-30T13:00:05Z", TRUE, 5 * SECOND },
  { "2026-11-30T14:00:05+01:00", TRUE, 5 * SECOND },
  { "2026-12-01 15:00:00", TRUE, 24 * HOUR },
  { "15:00:01,5", TRUE, 1500 * MS },
  { "14:59", TRUE, -60 * SECOND },
  { "00:00", TRUE, -15 * HOUR + 24 * HOUR },
  { "", FALSE, 0 },
  { "-", FALSE, 0 },
  { "soon", FALSE, 0 },
  { "1.", FALSE, 0 },
  { ".5", FALSE, 0 },
  { "1m", FALSE, 0 },
  { "1e3", FALSE, 0 },
  { "9999999999", FALSE, 0 },
  { "999999999", FALSE, 0 },
  { "24:00", FALSE, 0 },
  { "12:60", FALSE, 0 },
  { "12", TRUE, 12 * SECOND },
  { "12:", FALSE, 0 },
  { "2026-02-30 12:00", FALSE, 0 },
  { "1912-06-23 12:00", FALSE, 0 },
  { "2026-11-30", FALSE, 0 },
  { "2026-11-30 12:00 Mars", FALSE, 0 },
  { "2026-11-30 12:00:00Europe/Berlin", FALSE, 0 },
};

static void
every_form_is_read (void **state)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprWhen when;
      gint64 ns = -1;
      gboolean good = wpr_when_parse (rows[i].text, strlen (rows[i].text), &when);
      if (good != rows[i].good)
        fail_msg ("\"%s\" is %s", rows[i].text, good ? "taken" : "refused");
      if (!good)
        continue;
      assert_true (wpr_when_resolve (&when, NOON, &ns));
      if (ns != rows[i].since_start)
        fail_msg ("\"%s\" is %lld ns", rows[i].text, (long long)ns);
    }
}

static void
wall_clock_needs_a_file_that_tells_it (void **state)
{
  WprWhen when;
  gint64 ns;
  assert_true (wpr_when_parse ("12:00", 5, &when));
  assert_false (wpr_when_resolve (&when, 0, &ns));
  assert_true (wpr_when_parse ("2026-11-30 12:00", 16, &when));
  assert_false (wpr_when_resolve (&when, -1, &ns));
  assert_true (wpr_when_parse ("3", 1, &when));
  assert_true (wpr_when_resolve (&when, 0, &ns));
  assert_int_equal (ns, 3 * SECOND);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_form_is_read),
    cmocka_unit_test (wall_clock_needs_a_file_that_tells_it),
  };
  setenv ("TZ", "EET-2", 1);
  tzset ();
  return cmocka_run_group_tests (tests, NULL, NULL);
}
