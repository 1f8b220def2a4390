/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the recorder says, each once, the newest first, until it is closed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "remarks.h"

static gboolean
add (WprRemarks *remarks, WprSeverity severity, gint64 when_ns, const char *id, const char *text)
{
  const WprNotice notice = { severity, when_ns, (char *)id, (char *)text };
  return wpr_remarks_add (remarks, &notice);
}

static void
assert_says (WprRemarks *remarks, const char *text)
{
  const WprNotice *notice = wpr_remarks_get (remarks);
  if (text == NULL)
    {
      assert_null (notice);
      return;
    }
  assert_non_null (notice);
  assert_string_equal (notice->text, text);
}

static void
the_newest_hides_the_one_before_until_it_is_closed (void **state)
{
  WprRemarks *remarks = wpr_remarks_new ();
  assert_says (remarks, NULL);
  assert_true (add (remarks, WPR_NOTICE_WARNING, 1, "store-in-memory", "in memory"));
  assert_true (add (remarks, WPR_NOTICE_ERROR, 2, "disk-low", "nearly full"));
  assert_says (remarks, "nearly full");
  assert_int_equal (wpr_remarks_get (remarks)->severity, WPR_NOTICE_ERROR);
  wpr_remarks_close (remarks);
  assert_says (remarks, "in memory");
  wpr_remarks_close (remarks);
  assert_says (remarks, NULL);
  wpr_remarks_close (remarks);
  wpr_remarks_free (remarks);
}

/* Told when it came, and with all that were there. */
static void
what_comes_twice_is_there_once (void **state)
{
  WprRemarks *remarks = wpr_remarks_new ();
  assert_true (add (remarks, WPR_NOTICE_WARNING, 1, "cpu-lost", "gone"));
  assert_false (add (remarks, WPR_NOTICE_WARNING, 1, "cpu-lost", "gone"));
  wpr_remarks_close (remarks);
  assert_false (add (remarks, WPR_NOTICE_WARNING, 1, "cpu-lost", "gone"));
  assert_says (remarks, NULL);
  assert_true (add (remarks, WPR_NOTICE_WARNING, 9, "cpu-lost", "gone"));
  assert_says (remarks, "gone");
  wpr_remarks_free (remarks);
}

/* Figures say what was lost, the file what is for it alone. */
static void
losses_and_trifles_are_not_said (void **state)
{
  WprRemarks *remarks = wpr_remarks_new ();
  assert_false (add (remarks, WPR_NOTICE_INFO, 1, "plan", "a plan"));
  assert_true (add (remarks, WPR_NOTICE_WARNING, 2, "loss", "lost"));
  assert_says (remarks, NULL);
  wpr_remarks_free (remarks);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_newest_hides_the_one_before_until_it_is_closed),
    cmocka_unit_test (what_comes_twice_is_there_once),
    cmocka_unit_test (losses_and_trifles_are_not_said),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
