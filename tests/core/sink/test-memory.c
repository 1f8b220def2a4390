/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Page faults and address space, byte by byte; the names of files that were faulted in. */
#include "config.h"
#include "sink-kit.h"

#include <string.h>

#define MS 1000000

static WprEvent
fault (WprFaultKind kind, gint64 time)
{
  WprEvent event = { .kind = WPR_EVENT_FAULT,
                     .time = time,
                     .cpu = 1,
                     .pid = 0x64,
                     .tid = 0x65,
                     .row = 0,
                     .addr = 0x7f0000001234,
                     .ip = 0x401000 };

  event.u.fault.kind = kind;
  event.u.fault.major = kind == WPR_FAULT_HARD;
  event.u.fault.start = time - MS;
  return event;
}

static void
each_kind_of_fault_has_its_hook (void **state)
{
  static const struct
  {
    WprFaultKind kind;
    guint16 hook;
  } rows[] = { { WPR_FAULT_TRANSITION, 0x020a },
               { WPR_FAULT_DEMAND_ZERO, 0x020b },
               { WPR_FAULT_COPY_ON_WRITE, 0x020c } };
  g_autoptr (Kit) kit = kit_new ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprEvent event = fault (rows[i].kind, (5 + i) * MS);

      kit_event (kit, &event);
    }
  kit_finish (kit);
  at = kit_hook (kit, 0x020a, 0, &size);
  kit_assert (at, size,
              "0200 04c0 2800 0a02 6500 0000 6400 0000 50c3 0000 0000 0000"
              "3412 0000 007f 0000 0010 4000 0000 0000");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    assert_int_equal (kit_count_hook (kit, rows[i].hook), 1);
  assert_int_equal (kit_count_hook (kit, 0x0220), 0);
}

/* Its file has no mapping here and the recording is of no boot: a number is all that is known. */
static void
a_hard_fault_names_its_file (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = fault (WPR_FAULT_HARD, 6 * MS);
  const guint8 *at;
  guint size;

  event.u.fault.dev = 254 << 20 | 3;
  event.u.fault.inode = 4711;
  event.u.fault.offset = 0x7000;
  kit_begin (kit);
  kit_event (kit, &event);
  event.time += MS;
  event.u.fault.with_soft = TRUE;
  kit_event (kit, &event);
  event.time += MS;
  event.u.fault.inode = 0;
  kit_event (kit, &event);
  kit_finish (kit);
  /* u64 start, u64 offset, P address, P file, u32 thread, u32 bytes */
  at = kit_hook (kit, 0x0220, 0, &size);
  kit_assert (at, size,
              "0200 11c0 3800 2002 60ea 0000 0000 0000 50c3 0000 0000 0000 0070 0000 0000 0000"
              "3412 0000 007f 0000 1000 0000 b0f8 ffff ???? ???? 0010 0000");
  assert_memory_equal (at + 0x30, "\x65\0\0\0", 4);
  at = kit_hook (kit, 0x0220, 2, &size);
  assert_memory_equal (at + 0x28, "\0\0\0\0\0\0\0\0", 8); /* of no file */
  /* Among all faults it is one of them too. */
  assert_int_equal (kit_count_hook (kit, 0x020e), 2);
  assert_int_equal (kit_count_hook (kit, 0x0424), 1);
  at = kit_hook (kit, 0x0424, 0, &size);
  kit_assert (at, size,
              "0200 11c0 4e00 2404 ???? ???? ???? ???? 1000 0000 b0f8 ffff"
              "6900 6e00 6f00 6400 6500 2000 3400 3700 3100 3100 2000 6f00 6600 2000 6400 6500 7600"
              "6900 6300 6500 2000 3200 3500 3400 3a00 3300 0000");
}

/* Code is mapped where the world knows it. */
static void
the_name_is_that_of_the_mapping (void **state)
{
  static const char path[] = "/usr/lib/libx.so";
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = fault (WPR_FAULT_HARD, 6 * MS);
  struct
  {
    guint32 pid, tid;
    guint64 start, length, offset;
    guint32 major, minor;
    guint64 inode, generation;
    guint32 prot, flags;
    char path[24];
  } body = { 0x64, 0x64, 0x7f0000001000, 0x2000, 0, 0, 0, 0, 0, 5, 2, "" };
  WprRecord record = { .type = PERF_RECORD_MMAP2,
                       .misc = PERF_RECORD_MISC_USER,
                       .time = 2 * MS,
                       .pid = 0x64,
                       .tid = 0x64,
                       .body = (const guint8 *)&body,
                       .body_size = sizeof body };
  const guint8 *at;
  guint size;

  strcpy (body.path, path);
  wpr_world_feed (kit->world, &record);
  event.u.fault.dev = 254 << 20 | 3;
  event.u.fault.inode = 4711;
  kit_begin (kit);
  kit_event (kit, &event);
  event.time += MS;
  kit_event (kit, &event);
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x0424), 1);
  at = kit_hook (kit, 0x0424, 0, &size);
  assert_memory_equal (at + 0x10 + 8, u"\\Device\\HarddiskVolume1\\usr\\lib\\libx.so", 2 * 40);
}

static void
address_space_comes_and_goes (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_MEMORY, .time = 5 * MS, .pid = 0x64, .tid = 0x65, .row = 0 };
  const guint8 *at;
  guint size;

  event.u.memory.allocated = 0x7f0000001000;
  event.u.memory.allocated_size = 0x3000;
  event.u.memory.committed = TRUE;
  event.u.memory.freed = 0x7f0000009000;
  event.u.memory.freed_size = 0x1000;
  event.u.memory.released = TRUE;
  kit_begin (kit);
  kit_event (kit, &event);
  event.time += MS;
  event.u.memory.committed = FALSE;
  event.u.memory.freed_size = 0;
  kit_event (kit, &event);
  event.u.memory.allocated_size = 0;
  event.u.memory.freed_size = 0x1000;
  event.u.memory.released = FALSE;
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0262, 0, &size);
  kit_assert (at, size,
              "0200 04c0 3000 6202 6500 0000 6400 0000 50c3 0000 0000 0000"
              "0010 0000 007f 0000 0030 0000 0000 0000 6400 0000 0030 0000");
  at = kit_hook (kit, 0x0263, 0, &size);
  kit_assert (at, size,
              "0200 04c0 3000 6302 6500 0000 6400 0000 50c3 0000 0000 0000"
              "0090 0000 007f 0000 0010 0000 0000 0000 6400 0000 0080 0000");
  assert_int_equal (kit_count_hook (kit, 0x0262), 2);
  at = kit_hook (kit, 0x0262, 1, &size);
  assert_memory_equal (at + 0x18 + 20, "\0\x20\0\0", 4); /* only reserved */
  assert_int_equal (kit_count_hook (kit, 0x0263), 2);
  at = kit_hook (kit, 0x0263, 1, &size);
  assert_memory_equal (at + 0x18 + 20, "\0\x40\0\0", 4); /* only its memory */
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (each_kind_of_fault_has_its_hook),
    cmocka_unit_test (a_hard_fault_names_its_file),
    cmocka_unit_test (the_name_is_that_of_the_mapping),
    cmocka_unit_test (address_space_comes_and_goes),
  };

  return cmocka_run_group_tests_name ("memory", tests, NULL, NULL);
}
