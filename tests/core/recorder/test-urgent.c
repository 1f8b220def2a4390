/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The draining thread goes first, for as long as it drains, and hands that to nobody. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <glib.h>
#include <sched.h>
#include "recorder/urgent.h"

static gpointer
policy_of_a_thread (gpointer data)
{
  return GINT_TO_POINTER (sched_getscheduler (0));
}

/* Whether this user may do it at all, tried by the test itself. */
static gboolean
real_time_is_allowed (void)
{
  struct sched_param one = { .sched_priority = 1 }, none = { 0 };
  gboolean allowed = sched_setscheduler (0, SCHED_RR | SCHED_RESET_ON_FORK, &one) == 0;
  sched_setscheduler (0, SCHED_OTHER, &none);
  return allowed;
}

static void
a_thread_is_raised_and_put_back (void **state)
{
  gboolean allowed = real_time_is_allowed ();

  assert_int_equal (sched_getscheduler (0), SCHED_OTHER);
  wpr_urgent_begin ();
  wpr_urgent_begin ();
  assert_int_equal (sched_getscheduler (0) & ~SCHED_RESET_ON_FORK,
                    allowed ? SCHED_RR : SCHED_OTHER);
  GThread *thread = g_thread_new ("other", policy_of_a_thread, NULL);
  assert_int_equal (GPOINTER_TO_INT (g_thread_join (thread)), SCHED_OTHER);
  wpr_urgent_end ();
  assert_int_equal (sched_getscheduler (0), SCHED_OTHER);
  wpr_urgent_end ();
  assert_int_equal (sched_getscheduler (0), SCHED_OTHER);
}

static gpointer
end_elsewhere (gpointer data)
{
  wpr_urgent_end ();
  return NULL;
}

static void
another_thread_does_not_end_it (void **state)
{
  wpr_urgent_begin ();
  int policy = sched_getscheduler (0);
  g_thread_join (g_thread_new ("other", end_elsewhere, NULL));
  assert_int_equal (sched_getscheduler (0), policy);
  wpr_urgent_end ();
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_thread_is_raised_and_put_back),
    cmocka_unit_test (another_thread_does_not_end_it),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
