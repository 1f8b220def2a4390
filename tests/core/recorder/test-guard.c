/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How much a raw recording may hold: arithmetic on made-up disks. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorder/guard.h"

#define MIB (G_GUINT64_CONSTANT (1) << 20)
#define GIB (G_GUINT64_CONSTANT (1) << 30)

static void
the_reserve_is_a_gib_or_five_per_cent (void **state)
{
  assert_int_equal (wpr_guard_reserve (1000 * GIB), GIB);
  assert_int_equal (wpr_guard_reserve (20 * GIB), GIB);
  assert_int_equal (wpr_guard_reserve (100 * MIB), 5 * MIB);
  assert_int_equal (wpr_guard_reserve (0), 0);
}

static void
the_merge_needs_as_much_again (void **state)
{
  /* 10 GiB free of 100, nothing written: 9 GiB to share between store and file. */
  assert_int_equal (wpr_guard_most (10 * GIB, 100 * GIB, 0, 0), 9 * GIB / 2);
  /* What it has written already counts to what it may hold. */
  assert_int_equal (wpr_guard_most (8 * GIB, 100 * GIB, 2 * GIB, 0), 9 * GIB / 2);
  /* Another recording's merge comes first. */
  assert_int_equal (wpr_guard_most (10 * GIB, 100 * GIB, 0, 4 * GIB), 5 * GIB / 2);
}

static void
nothing_is_left_of_a_full_disk (void **state)
{
  assert_int_equal (wpr_guard_most (0, 100 * GIB, 0, 0), 0);
  assert_int_equal (wpr_guard_most (GIB, 100 * GIB, 0, 0), 0);
  assert_int_equal (wpr_guard_most (2 * GIB, 100 * GIB, GIB, 10 * GIB), 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_reserve_is_a_gib_or_five_per_cent),
    cmocka_unit_test (the_merge_needs_as_much_again),
    cmocka_unit_test (nothing_is_left_of_a_full_disk),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
