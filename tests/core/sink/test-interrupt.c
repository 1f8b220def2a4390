/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ISR, DPC, timer DPC and system calls, byte by byte; where names without an address go. */
#include "config.h"
#include "sink-kit.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "sink/kallsyms.h"

#define MS 1000000

static WprEvent
interrupt (WprInterruptKind what, gint64 start, gint64 time, guint32 number, const char *name)
{
  WprEvent event
      = { .kind = WPR_EVENT_INTERRUPT, .time = time, .cpu = 1, .pid = 9, .tid = 9, .row = 0 };

  event.u.interrupt.what = what;
  event.u.interrupt.start = start;
  event.u.interrupt.number = number;
  event.u.interrupt.result = 1;
  event.u.interrupt.name = name;
  event.u.interrupt.key = what;
  return event;
}

static void
an_interrupt_is_an_isr_of_a_driver_of_its_name (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = interrupt (WPR_INTERRUPT_IRQ, 5 * MS, 6 * MS, 0x1b, "eth0-rx");
  WprEvent other = interrupt (WPR_INTERRUPT_IRQ, 7 * MS, 8 * MS, 0x1c, "nvme0q1");
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_event (kit, &event);
  kit_event (kit, &other);
  event.time = 9 * MS;
  kit_event (kit, &event);
  kit_finish (kit);
  /* u64 start, P routine, u8 result, u16 vector, u8 0 */
  at = kit_hook (kit, 0x0f43, 0, &size);
  kit_assert (at, size,
              "0200 11c0 2400 430f 60ea 0000 0000 0000"
              "50c3 0000 0000 0000 0000 e0ff ffff ffff 01 1b00 00");
  at = kit_hook (kit, 0x0f43, 1, &size);
  assert_memory_equal (at + 0x18, "\x00\x10\xe0\xff\xff\xff\xff\xff", 8);
  at = kit_hook (kit, 0x0f43, 2, &size);
  assert_memory_equal (at + 0x18, "\x00\x00\xe0\xff\xff\xff\xff\xff", 8);
  /* Told before its first use, and again at the end: a page, of the kernel, by its driver's name.
   */
  assert_int_equal (kit_count_hook (kit, 0x1403), 2);
  assert_int_equal (kit_count_hook (kit, 0x1404), 2);
  at = kit_hook (kit, 0x1403, 0, &size);
  kit_assert (at, size,
              "0300 02c0 7800 0314 0000 0000 0400 0000 60ea 0000 0000 0000 0000 0000 0000 0000"
              "0000 e0ff ffff ffff 0010 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000"
              "0000 e0ff ffff ffff 0000 0000 0000 0000 0000 0000 0000 0000"
              "5c00 4400 7200 6900 7600 6500 7200 5c00 6500 7400 6800 3000 2d00 7200 7800 0000");
  g_autofree char *told = kit_fields (kit, "Routine", 0);
  assert_string_equal (told, "Address=0xffffffffffe00000 Kind=interrupt Number=27 Name=eth0-rx");
}

static void
a_softirq_is_a_dpc_and_a_timer_a_timer_dpc (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent soft = interrupt (WPR_INTERRUPT_SOFTIRQ, 5 * MS, 6 * MS, 3, "");
  WprEvent timer = interrupt (WPR_INTERRUPT_TIMER, 6 * MS, 7 * MS, 0, "");
  WprEvent tasklet = interrupt (WPR_INTERRUPT_TASKLET, 7 * MS, 8 * MS, 0, "");
  const guint8 *at;
  guint size;

  timer.u.interrupt.routine = 0xffffffff81234560;
  tasklet.u.interrupt.routine = 0xffffffffc0111110;
  kit_begin (kit);
  kit_event (kit, &soft);
  kit_event (kit, &timer);
  kit_event (kit, &tasklet);
  kit_finish (kit);
  at = kit_hook (kit, 0x0f44, 0, &size);
  kit_assert (at, size,
              "0200 11c0 2000 440f 60ea 0000 0000 0000 50c3 0000 0000 0000 ???? ???? ???? ????");
  at = kit_hook (kit, 0x0f45, 0, &size);
  kit_assert (at, size,
              "0200 11c0 2000 450f 7011 0100 0000 0000 60ea 0000 0000 0000 6045 2381 ffff ffff");
  at = kit_hook (kit, 0x0f44, 1, &size);
  kit_assert (at, size,
              "0200 11c0 2000 440f 8038 0100 0000 0000 7011 0100 0000 0000 1011 11c0 ffff ffff");
  /* The made-up recording is of no boot: its softirq has a name and no address. */
  g_autofree char *told = kit_fields (kit, "Routine", 0);
  assert_string_equal (told, "Address=0xffffffffffe00000 Kind=softirq Number=3 Name=NET_RX");
}

static void
a_call_is_entered_and_left_by_its_thread (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event
      = { .kind = WPR_EVENT_SYSCALL_ENTER, .time = 5 * MS, .pid = 0x64, .tid = 0x65, .row = 0 };
  const guint8 *at;
  guint size;

  event.u.syscall.nr = SYS_getppid;
  kit_begin (kit);
  kit_event (kit, &event);
  event.kind = WPR_EVENT_SYSCALL_EXIT;
  event.time = 6 * MS;
  event.u.syscall.result = -2;
  kit_event (kit, &event);
  event.kind = WPR_EVENT_SYSCALL_ENTER;
  event.u.syscall.nr = 100000; /* none */
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0f33, 0, &size);
  kit_assert (at, size,
              "0200 04c0 2000 330f 6500 0000 6400 0000 50c3 0000 0000 0000"
              "0000 e0ff ffff ffff");
  at = kit_hook (kit, 0x0f34, 0, &size);
  kit_assert (at, size, "0200 04c0 1c00 340f 6500 0000 6400 0000 60ea 0000 0000 0000 feff ffff");
  g_autofree char *told = kit_fields (kit, "Routine", 0);
  g_autofree char *expected = g_strdup_printf (
      "Address=0xffffffffffe00000 Kind=system call Number=%d Name=getppid", SYS_getppid);
  assert_string_equal (told, expected);
  g_autofree char *other = kit_fields (kit, "Routine", 1);
  assert_string_equal (other,
                       "Address=0xffffffffffe01000 Kind=system call Number=100000 Name=100000");
}

/* The kernel's stack of a begin stands behind the event of its end. */
static void
the_stack_of_a_begin_is_that_of_its_end (void **state)
{
  static const guint64 chain[] = { (guint64)-128, 0xffffffff81000010, 0xffffffff81000020 };
  g_autoptr (Kit) kit = kit_new ();
  WprEvent begin = { .kind = WPR_EVENT_BEGUN, .time = 5 * MS, .cpu = 1, .pid = 9, .tid = 9 };
  WprEvent end = interrupt (WPR_INTERRUPT_SOFTIRQ, 5 * MS, 6 * MS, 3, "");
  const guint8 *at;
  guint size;

  begin.callchain = chain;
  begin.n_callchain = G_N_ELEMENTS (chain);
  begin.u.begun.key = end.u.interrupt.key;
  kit_begin (kit);
  kit_event (kit, &begin);
  kit_event (kit, &end);
  end.time = 7 * MS;
  kit_event (kit, &end); /* without a begin: without a stack */
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x1820), 1);
  at = kit_hook (kit, 0x1820, 0, &size);
  kit_assert (at, size,
              "0200 11c0 3000 2018 60ea 0000 0000 0000 60ea 0000 0000 0000 0900 0000 0900 0000"
              "1000 0081 ffff ffff 2000 0081 ffff ffff");
}

/* A machine with more interrupts than pages. */
static void
the_last_page_is_shared (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  for (guint i = 0; i < 600; i++)
    {
      g_autofree char *name = g_strdup_printf ("nvme0q%u", i);
      WprEvent event = interrupt (WPR_INTERRUPT_IRQ, 5 * MS + i * 1000, 6 * MS + i * 1000, i, name);

      kit_event (kit, &event);
    }
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x1403), 511);
  at = kit_hook (kit, 0x0f43, 599, &size);
  assert_memory_equal (at + 0x18, "\x00\xe0\xff\xff\xff\xff\xff\xff", 8);
  at = kit_hook (kit, 0x0f43, 509, &size);
  assert_memory_equal (at + 0x18, "\x00\xd0\xff\xff\xff\xff\xff\xff", 8);
}

static void
addresses_are_found_by_name (void **state)
{
  static const char text[] = "ffffffff81000000 T _text\n"
                             "0000000000000000 t hidden\n"
                             "ffffffff81377c60 T __x64_sys_getppid\n"
                             "ffffffff81377c70 T __x64_sys_getppid\n"
                             "nonsense\n"
                             "ffffffffc0000000 t other\t[module]\n"
                             "ffffffff81360780 t tasklet_action";
  g_autoptr (GHashTable) wanted = g_hash_table_new (g_str_hash, g_str_equal);
  guint64 call = 0, action = 0, hidden = 0, none = 0;
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("wpr-kallsyms-XXXXXX", &path, NULL);

  assert_true (fd >= 0);
  assert_int_equal (write (fd, text, sizeof text - 1), sizeof text - 1);
  close (fd);
  g_hash_table_insert (wanted, (gpointer) "__x64_sys_getppid", &call);
  g_hash_table_insert (wanted, (gpointer) "tasklet_action", &action);
  g_hash_table_insert (wanted, (gpointer) "hidden", &hidden);
  g_hash_table_insert (wanted, (gpointer) "none", &none);
  wpr_kallsyms_find (path, wanted);
  unlink (path);
  assert_true (call == 0xffffffff81377c60);
  assert_true (action == 0xffffffff81360780);
  assert_true (hidden == 0 && none == 0);
  wpr_kallsyms_find ("/nonexistent/kallsyms", wanted); /* no complaint */
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (an_interrupt_is_an_isr_of_a_driver_of_its_name),
    cmocka_unit_test (a_softirq_is_a_dpc_and_a_timer_a_timer_dpc),
    cmocka_unit_test (a_call_is_entered_and_left_by_its_thread),
    cmocka_unit_test (the_stack_of_a_begin_is_that_of_its_end),
    cmocka_unit_test (the_last_page_is_shared),
    cmocka_unit_test (addresses_are_found_by_name),
  };

  return cmocka_run_group_tests_name ("interrupt", tests, NULL, NULL);
}
