/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls beside the asking thread: their order, one that takes too long, and the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "aside.h"

#define LIMIT_MS 100

typedef struct
{
  char letter;
  GMutex *gate; /* held: the call hangs */
} Call;

static GMutex gate;
static GString *events;

static void
work (gpointer data)
{
  Call *call = data;
  if (call->gate == NULL)
    return;
  g_mutex_lock (call->gate);
  g_mutex_unlock (call->gate);
}

static void
done (gpointer data)
{
  g_string_append_c (events, ((Call *)data)->letter);
}

static void
late (gpointer data)
{
  g_string_append_c (events, g_ascii_toupper (((Call *)data)->letter));
}

static void
ask (WprAside *aside, char letter, gboolean hangs, gboolean low, gboolean writes)
{
  Call *call = g_new0 (Call, 1);
  call->letter = letter;
  call->gate = hangs ? &gate : NULL;
  const WprAsideCall how = { work, done, late, g_free, low, writes };
  wpr_aside_run (aside, &how, call);
}

/* Until so much was heard of. */
static void
wait_events (guint n)
{
  gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  while (events->len < n && g_get_monotonic_time () < end)
    if (!g_main_context_iteration (NULL, FALSE))
      g_usleep (1000);
}

static int
set_up (void **state)
{
  events = g_string_new (NULL);
  *state = wpr_aside_new ("test-aside", LIMIT_MS);
  return 0;
}

static int
tear_down (void **state)
{
  g_string_free (events, TRUE);
  return 0;
}

static void
calls_run_in_order_and_low_ones_last (void **state)
{
  WprAside *aside = *state;
  g_mutex_lock (&gate);
  ask (aside, 'a', TRUE, FALSE, FALSE);
  ask (aside, 'l', FALSE, TRUE, FALSE);
  ask (aside, 'b', FALSE, FALSE, FALSE);
  ask (aside, 'c', FALSE, FALSE, FALSE);
  g_mutex_unlock (&gate);
  wait_events (4);
  assert_string_equal (events->str, "abcl");
  wpr_aside_free (aside);
}

/* What hangs is told of, what waits behind it goes on, and its answer is taken when it comes. */
static void
one_that_hangs_holds_nobody_up (void **state)
{
  WprAside *aside = *state;
  g_mutex_lock (&gate);
  ask (aside, 'a', TRUE, FALSE, TRUE);
  ask (aside, 'b', FALSE, FALSE, FALSE);
  wait_events (2);
  assert_string_equal (events->str, "Ab");
  g_mutex_unlock (&gate);
  wait_events (3);
  assert_string_equal (events->str, "Aba");
  wpr_aside_free (aside);
}

/* Reading hangs: the end does not wait for it. Writing is ended first. */
static void
the_end_waits_for_what_writes (void **state)
{
  WprAside *aside = *state;
  g_mutex_lock (&gate);
  ask (aside, 'a', TRUE, FALSE, FALSE);
  ask (aside, 'b', FALSE, FALSE, FALSE);
  wpr_aside_free (aside);
  g_mutex_unlock (&gate);
  WprAside *writer = wpr_aside_new ("test-aside", LIMIT_MS);
  ask (writer, 'w', TRUE, FALSE, TRUE);
  ask (writer, 'x', FALSE, TRUE, TRUE);
  wpr_aside_free (writer);
  for (guint i = 0;
       i < 4 && (strchr (events->str, 'w') == NULL || strchr (events->str, 'x') == NULL); i++)
    wait_events (events->len + 1);
  assert_non_null (strchr (events->str, 'w'));
  assert_non_null (strchr (events->str, 'x'));
  assert_null (strchr (events->str, 'b'));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (calls_run_in_order_and_low_ones_last, set_up, tear_down),
    cmocka_unit_test_setup_teardown (one_that_hangs_holds_nobody_up, set_up, tear_down),
    cmocka_unit_test_setup_teardown (the_end_waits_for_what_writes, set_up, tear_down),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
