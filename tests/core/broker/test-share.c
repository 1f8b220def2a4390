/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of a session whose CPUs come while it records, with an opener that opens nothing. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <unistd.h>
#include "broker/client/client-private.h"
#include "broker/session-private.h"

#define BYTES (1024 * 1024)

/* ---- an opener for which CPU 1 is offline when it opens ---- */

#define FAKE_TYPE_OPENER (fake_opener_get_type ())
G_DECLARE_FINAL_TYPE (FakeOpener, fake_opener, FAKE, OPENER, WprOpener)
struct _FakeOpener
{
  WprOpener parent_instance;
};
G_DEFINE_FINAL_TYPE (FakeOpener, fake_opener, WPR_TYPE_OPENER)

static void
add_leader (guint cpu, gsize bytes, WprOpened *opened)
{
  WprLeader leader = { .cpu = cpu, .fd = -1, .bytes = bytes };
  g_array_append_val (opened->leaders, leader);
}

static gboolean
fake_open (WprOpener *opener, const WprPerfEvent *events, gsize n_events, const WprRingSpec *rings,
           gsize n_rings, const guint *cpus, gsize n_cpus, WprOpened *opened, GError **error)
{
  add_leader (0, rings[0].bytes, opened);
  return TRUE;
}

static gboolean
fake_cpu_online (WprOpener *opener, guint cpu, WprOpened *opened, GError **error)
{
  add_leader (cpu, BYTES, opened);
  return TRUE;
}

static gboolean
fake_grow_ahead (WprOpener *opener, guint ring, gsize bytes, GError **error)
{
  return TRUE;
}

static gboolean
fake_grow (WprOpener *opener, guint ring, gsize bytes, WprOpened *opened, GError **error)
{
  add_leader (0, bytes, opened);
  return TRUE;
}

static void
fake_close (WprOpener *opener)
{
}

static void
fake_opener_class_init (FakeOpenerClass *klass)
{
  WprOpenerClass *opener_class = WPR_OPENER_CLASS (klass);
  opener_class->open = fake_open;
  opener_class->cpu_online = fake_cpu_online;
  opener_class->grow_ahead = fake_grow_ahead;
  opener_class->grow = fake_grow;
  opener_class->close = fake_close;
}

static void
fake_opener_init (FakeOpener *self)
{
}

/* ---- a session of it ---- */

/* The answer's code. */
static int
ask (WprServed *served, WprBrokerVerb verb, GVariant *args)
{
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GVariant) request = g_variant_ref_sink (
      g_variant_new (WPR_BROKER_REQUEST, served->number + 1, (guint32)verb, args));
  gboolean malformed;
  int sealed;
  guint32 code;
  g_autoptr (GVariant) answer
      = g_variant_ref_sink (wpr_served_answer (served, request, fds, &sealed, &malformed));
  assert_false (malformed);
  assert_int_equal (sealed, -1);
  g_variant_get_child (answer, 1, "u", &code);
  return (int)code;
}

/* CPUs 0 and 1 are asked for. */
static WprServed *
open_two (void)
{
  const WprBrokerGrant grant = { .uid = 1, .instance = "test" };
  const guint32 cpus[] = { 0, 1 };
  GVariantBuilder specs;
  wpr_broker_set_limits (0, 64 * BYTES);
  WprServed *served = wpr_served_new (&grant, g_object_new (FAKE_TYPE_OPENER, NULL));
  g_variant_builder_init (&specs, G_VARIANT_TYPE ("a" WPR_BROKER_RING));
  g_variant_builder_add (&specs, WPR_BROKER_RING, (guint64)BYTES, FALSE, 0);
  assert_int_equal (
      ask (served, WPR_BROKER_OPEN,
           g_variant_new ("(@" WPR_BROKER_ROWS "a" WPR_BROKER_RING "@au)",
                          wpr_broker_pack_rows (NULL, 0), &specs,
                          g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, cpus, 2, 4))),
      0);
  assert_int_equal (served->bytes, BYTES);
  return served;
}

static void
test_cpu_that_was_offline_takes_its_share_when_it_comes (void **state)
{
  if (wpr_cpus_possible () < 2)
    skip ();
  WprServed *served = open_two ();
  wpr_broker_set_limits (0, BYTES / 2);
  assert_int_equal (ask (served, WPR_BROKER_CPU_ONLINE, g_variant_new_uint32 (1)),
                    WPR_ERROR_NO_SPACE);
  wpr_broker_set_limits (0, 64 * BYTES);
  assert_int_equal (ask (served, WPR_BROKER_CPU_ONLINE, g_variant_new_uint32 (1)), 0);
  assert_int_equal (served->bytes, 2 * BYTES);
  wpr_served_free (served);
}

static void
test_cpu_that_comes_between_ahead_and_grow_is_no_stray (void **state)
{
  if (wpr_cpus_possible () < 2)
    skip ();
  WprServed *served = open_two ();
  guint64 bytes = 2 * BYTES;
  assert_int_equal (ask (served, WPR_BROKER_GROW_AHEAD, g_variant_new ("(ut)", 0, bytes)), 0);
  assert_int_equal (served->n_stray, 1);
  assert_int_equal (served->bytes, 3 * BYTES);
  assert_int_equal (ask (served, WPR_BROKER_CPU_ONLINE, g_variant_new_uint32 (1)), 0);
  assert_int_equal (ask (served, WPR_BROKER_GROW, g_variant_new ("(ut)", 0, bytes)), 0);
  assert_int_equal (served->n_stray, 0);
  assert_int_equal (served->bytes, 4 * BYTES);
  wpr_served_free (served);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_cpu_that_was_offline_takes_its_share_when_it_comes),
    cmocka_unit_test (test_cpu_that_comes_between_ahead_and_grow_is_no_stray),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
