/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every step in every state: what is possible leads where the life cycle says, all else is refused
 * with the right code. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recorder/transition.h"

/* All that is possible; written from the life cycle's picture, not from the table. */
static const struct
{
  WprState from;
  WprStep step;
  WprState to;
} possible[] = {
  { WPR_STATE_IDLE, WPR_STEP_START, WPR_STATE_PREPARING },
  { WPR_STATE_SAVED, WPR_STEP_START, WPR_STATE_PREPARING },
  { WPR_STATE_CANCELLED, WPR_STEP_START, WPR_STATE_PREPARING },
  { WPR_STATE_FAILED, WPR_STEP_START, WPR_STATE_PREPARING },
  { WPR_STATE_PREPARING, WPR_STEP_STARTED, WPR_STATE_RECORDING },
  { WPR_STATE_PREPARING, WPR_STEP_CANCEL, WPR_STATE_CANCELLED },
  { WPR_STATE_PREPARING, WPR_STEP_FAIL, WPR_STATE_FAILED },
  { WPR_STATE_RECORDING, WPR_STEP_SAVE, WPR_STATE_RECORDING },
  { WPR_STATE_RECORDING, WPR_STEP_MARK, WPR_STATE_RECORDING },
  { WPR_STATE_RECORDING, WPR_STEP_STOP, WPR_STATE_STOPPING },
  { WPR_STATE_RECORDING, WPR_STEP_CANCEL, WPR_STATE_CANCELLED },
  { WPR_STATE_RECORDING, WPR_STEP_FAIL, WPR_STATE_FAILED },
  { WPR_STATE_STOPPING, WPR_STEP_MERGE, WPR_STATE_MERGING },
  { WPR_STATE_STOPPING, WPR_STEP_FAIL, WPR_STATE_FAILED },
  { WPR_STATE_MERGING, WPR_STEP_SAVED, WPR_STATE_SAVED },
  { WPR_STATE_MERGING, WPR_STEP_FAIL, WPR_STATE_FAILED },
};

static int
expected (WprState from, WprStep step)
{
  for (guint i = 0; i < G_N_ELEMENTS (possible); i++)
    if (possible[i].from == from && possible[i].step == step)
      return (int)possible[i].to;
  return -1;
}

static void
every_step_in_every_state (void **state)
{
  for (int from = WPR_STATE_IDLE; from <= WPR_STATE_FAILED; from++)
    for (int step = 0; step < WPR_STEP_N; step++)
      {
        g_autoptr (GError) error = NULL;
        WprState to = (WprState)99;
        gboolean good = wpr_transition ((WprState)from, (WprStep)step, &to, &error);
        int want = expected ((WprState)from, (WprStep)step);
        assert_int_equal (good, want >= 0);
        assert_int_equal (to, want >= 0 ? want : 99);
        assert_int_equal (error == NULL, good);
        if (error)
          assert_true (error->domain == WPR_ERROR && *error->message);
      }
}

static void
assert_code (WprState from, WprStep step, WprErrorCode code, guint32 number)
{
  g_autoptr (GError) error = NULL;
  WprState to;
  assert_false (wpr_transition (from, step, &to, &error));
  assert_int_equal (error->code, code);
  assert_int_equal (wpr_error_get_number (error), number);
}

static void
refusals_carry_the_code_and_wpr_number (void **state)
{
  assert_code (WPR_STATE_IDLE, WPR_STEP_STOP, WPR_ERROR_NOT_RECORDING, 0xc5583000);
  assert_code (WPR_STATE_IDLE, WPR_STEP_MARK, WPR_ERROR_NOT_RECORDING, 0xc5583000);
  assert_code (WPR_STATE_MERGING, WPR_STEP_STOP, WPR_ERROR_STATE, 0xc5583000);
  assert_code (WPR_STATE_SAVED, WPR_STEP_CANCEL, WPR_ERROR_STATE, 0xc5583000);
  assert_code (WPR_STATE_RECORDING, WPR_STEP_START, WPR_ERROR_ALREADY_RECORDING, 0xc5583001);
  assert_code (WPR_STATE_PREPARING, WPR_STEP_START, WPR_ERROR_ALREADY_RECORDING, 0xc5583001);
  assert_code (WPR_STATE_MERGING, WPR_STEP_CANCEL, WPR_ERROR_STATE, 0xc5583000);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_step_in_every_state),
    cmocka_unit_test (refusals_carry_the_code_and_wpr_number),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
