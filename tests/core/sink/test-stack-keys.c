/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StackCaching: a stack is written once, and events refer to it by keys. */
#include "config.h"
#include "sink-kit.h"

#include <linux/perf_event.h>
#include <string.h>

#define MS 1000000
#define KERNEL G_GUINT64_CONSTANT (0xffffffff81000010)

static void
sample (Kit *kit, gint64 time, const guint64 *frames, guint32 n)
{
  WprEvent event = { .kind = WPR_EVENT_SAMPLE, .time = time, .cpu = 1, .pid = 9, .tid = 10 };

  event.ip = frames[1];
  event.callchain = frames;
  event.n_callchain = n;
  kit_event (kit, &event);
}

static void
one_stack_is_written_once (void **state)
{
  static const guint64 both[]
      = { (guint64)PERF_CONTEXT_KERNEL, KERNEL, (guint64)PERF_CONTEXT_USER, 0x1000, 0x2000 };
  static const guint64 user[] = { (guint64)PERF_CONTEXT_USER, 0x1000, 0x2000 };
  g_autoptr (Kit) kit = kit_new ();
  const guint8 *at;
  guint size;

  kit->manifest->stack_cache_kb = 100;
  kit_begin (kit);
  sample (kit, 5 * MS, both, G_N_ELEMENTS (both));
  sample (kit, 6 * MS, both, G_N_ELEMENTS (both));
  sample (kit, 7 * MS, user, G_N_ELEMENTS (user));
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x1820), 0);
  assert_int_equal (kit_count_hook (kit, 0x1825), 2);
  assert_int_equal (kit_count_hook (kit, 0x1826), 3);
  assert_int_equal (kit_count_hook (kit, 0x1824), 2);
  assert_int_equal (kit_count_hook (kit, 0x1823), 0);
  at = kit_hook (kit, 0x1825, 0, &size);
  kit_assert (at, size,
              "0200 11c0 2800 2518 50c3 0000 0000 0000"
              "50c3 0000 0000 0000 0900 0000 0a00 0000 1000 0000 00c0 ffff");
  at = kit_hook (kit, 0x1826, 2, &size);
  kit_assert (at, size,
              "0200 11c0 2800 2618 7011 0100 0000 0000"
              "7011 0100 0000 0000 0900 0000 0a00 0000 2000 0000 00c0 ffff");
  at = kit_hook (kit, 0x1824, 0, &size);
  kit_assert (at, size,
              "0200 11c0 2000 2418 ???? ???? ???? ????"
              "1000 0000 00c0 ffff 1000 0081 ffff ffff");
  at = kit_hook (kit, 0x1824, 1, &size);
  kit_assert (at, size,
              "0200 11c0 2800 2418 ???? ???? ???? ????"
              "2000 0000 00c0 ffff 0010 0000 0000 0000 0020 0000 0000 0000");
}

static guint64
u64 (const guint8 *at)
{
  guint64 value;

  memcpy (&value, at, sizeof value);
  return GUINT64_FROM_LE (value);
}

/* More stacks than the cache holds: each key is explained all the same, once. */
static void
what_is_dropped_is_told_first (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  g_autoptr (GHashTable) told = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  guint n = 5000, n_deleted, size;

  kit->manifest->stack_cache_kb = 1; /* the least is 64 */
  kit_begin (kit);
  for (guint i = 0; i < n; i++)
    {
      guint64 frames[] = { (guint64)PERF_CONTEXT_USER, 0x1000 + i, 0x2000 };

      sample (kit, 5 * MS + i * 1000, frames, G_N_ELEMENTS (frames));
    }
  kit_finish (kit);
  n_deleted = kit_count_hook (kit, 0x1823);
  assert_true (n_deleted > n / 2);
  assert_int_equal (n_deleted + kit_count_hook (kit, 0x1824), n);
  for (guint i = 0; i < n_deleted; i += 97)
    {
      guint64 key = u64 (kit_hook (kit, 0x1823, i, &size) + 0x10);

      assert_true (g_hash_table_add (told, g_memdup2 (&key, sizeof key)));
      assert_int_equal (u64 (kit_hook (kit, 0x1823, i, &size) + 0x18), 0x1000 + i);
      assert_int_equal (u64 (kit_hook (kit, 0x1826, i, &size) + 0x20), key);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (one_stack_is_written_once),
    cmocka_unit_test (what_is_dropped_is_told_first),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
