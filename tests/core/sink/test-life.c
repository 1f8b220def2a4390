/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes, threads, images, ids, the machine: byte by byte against genuine events of "Shutdown"
 * (build 18362) where it has them, else ETL.md. */
#include "config.h"
#include "sink-kit.h"

#include <linux/perf_event.h>
#include <string.h>

#define MS 1000000

/* ---- a small history, fed as sideband ---- */

static void
feed (Kit *kit, guint32 type, guint16 misc, gint64 time, guint32 pid, gconstpointer body,
      gsize size)
{
  WprRecord record = { .type = type,
                       .misc = misc,
                       .row = G_MAXUINT32,
                       .pid = pid,
                       .tid = pid,
                       .time = time,
                       .body = body,
                       .body_size = (guint32)size };

  wpr_world_feed (kit->world, &record);
}

static void
feed_fork (Kit *kit, gint64 time, guint32 parent, guint32 pid)
{
  struct
  {
    guint32 pid, ppid, tid, ptid;
    gint64 time;
  } body = { pid, parent, pid, parent, time };

  feed (kit, PERF_RECORD_FORK, 0, time, parent, &body, sizeof body);
}

static void
feed_exec (Kit *kit, gint64 time, guint32 pid, const char *name)
{
  struct
  {
    guint32 pid, tid;
    char name[16];
  } body = { pid, pid, "" };

  strncpy (body.name, name, sizeof body.name - 1);
  feed (kit, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, time, pid, &body, sizeof body);
}

static void
feed_mmap (Kit *kit, gint64 time, guint32 pid, guint64 start, const char *path)
{
  struct
  {
    guint32 pid, tid;
    guint64 start, length, offset;
    guint8 build_id_size, pad[3];
    guint8 build_id[20];
    guint32 protection, flags;
    char path[64];
  } body = { pid, pid, start, 0x2000, 0x1000, 20, { 0 }, { 0 }, 5, 2, "" };

  for (guint i = 0; i < 20; i++)
    body.build_id[i] = (guint8)(0xa0 + i);
  strncpy (body.path, path, sizeof body.path - 1);
  feed (kit, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID | PERF_RECORD_MISC_USER, time, pid,
        &body, sizeof body);
}

/* Process 300, born before the recording, with one image. */
static Kit *
kit_with_process (void)
{
  Kit *kit = kit_new ();

  feed_fork (kit, 1000, 1, 300);
  feed_exec (kit, 2000, 300, "daemon");
  feed_mmap (kit, 3000, 300, 0x400000, "/usr/bin/daemon");
  return kit;
}

/* Shutdown, 0x100b8: Process DCStart of Idle, with our key, page table and token. */
static void
idle_is_pid_0_as_in_a_genuine_rundown (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_finish (kit);
  at = kit_hook (kit, 0x0303, 0, &size);
  kit_assert (at, size,
              "0400 11c0 5b00 0303 1027 0000 0000 0000"
              "0000 0000 0000 0000 0000 0000 0000 0000"
              "ffff ffff 0000 0000 0000 0000 0000 0000"
              "0000 0000 0100 0000 0000 0000 0000 0000"
              "0000 0000 0101 0000 0000 0005 1200 0000"
              "4964 6c65 0000 0000 0000 00");
  at = kit_hook (kit, 0x0303, 1, &size); /* System */
  kit_assert (at + 0x18, 8, "0400 0000 0000 0000");
  assert_string_equal ((const char *)at + 0x50, "System");
  at = kit_hook (kit, 0x0304, 0, &size); /* and at the end */
  assert_int_equal (size, 0x5b);
}

/* Shutdown, 0x10118: Thread DCStart of TID 0; a thread a CPU, its affinity that CPU. */
static void
each_cpu_has_a_thread_0_as_in_a_genuine_rundown (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_finish (kit);
  for (guint cpu = 0; cpu < 2; cpu++)
    {
      at = kit_hook (kit, 0x0503, cpu, &size);
      assert_int_equal (at[0x20 + 40], 1 << cpu);
      kit_assert (at, size,
                  "0300 02c0 6a00 0305 0000 0000 0000 0000"
                  "1027 0000 0000 0000 0000 0000 0000 0000"
                  "0000 0000 0000 0000 0000 0000 0000 0000"
                  "0000 0000 0000 0000 0000 0000 0000 0000"
                  "0000 0000 0000 0000 ??00 0000 0000 0000"
                  "0000 0000 0000 0000 0000 0000 0000 0000"
                  "0000 0000 0005 0200 0000");
    }
}

static void
who_lived_before_is_run_down_with_name_and_image (void **state)
{
  g_autoptr (Kit) kit = kit_with_process ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_finish (kit);
  at = kit_hook (kit, 0x0303, 2, &size);
  kit_assert (at + 0x10, 0x28,
              "e803 0000 0000 0000 2c01 0000 0100 0000 0000 0000 0000 0000"
              "0000 0000 0000 0000 0000 0000 0100 0000");
  kit_assert (at + 0x44, 12, "0101 0000 0000 0000 0000 0000"); /* whose it is nobody said */
  assert_string_equal ((const char *)at + 0x50, "daemon");
  /* Shutdown, 0x13358, has the same 0x48 bytes in front of the name. */
  at = kit_hook (kit, 0x1403, 0, &size);
  kit_assert (at, size,
              "0300 11c0 9600 0314 1027 0000 0000 0000"
              "00f0 3f00 0000 0000 0030 0000 0000 0000"
              "2c01 0000 0000 0000 a0a1 a2a3 0000 0000"
              "00f0 3f00 0000 0000 0000 0000 0000 0000"
              "0000 0000 0000 0000"
              "5c00 4400 6500 7600 6900 6300 6500 5c00 4800 6100 7200 6400 6400 6900 7300 6b00"
              "5600 6f00 6c00 7500 6d00 6500 3100 5c00 7500 7300 7200 5c00 6200 6900 6e00 5c00"
              "6400 6100 6500 6d00 6f00 6e00 0000");
  assert_int_equal (kit_count_hook (kit, 0x1404), 1);
  assert_int_equal (kit_count_hook (kit, 0x0504), 2 + kit_count_hook (kit, 0x0304) - 2);
}

/* What it loads within the recording is no part of how that began; it is there at the end. */
static void
what_is_loaded_later_was_not_there_at_the_beginning (void **state)
{
  g_autoptr (Kit) kit = kit_with_process ();

  feed_mmap (kit, 5 * MS, 300, 0x500000, "/usr/lib/plugin.so");
  kit_begin (kit);
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x1403), 1);
  assert_int_equal (kit_count_hook (kit, 0x1404), 2);
}

static gboolean
is_classic (const guint8 *event, const char *guid_hex, guint8 type)
{
  for (guint i = 0; i < 16; i++)
    if (event[0x18 + i]
        != (g_ascii_xdigit_value (guid_hex[2 * i]) << 4
            | g_ascii_xdigit_value (guid_hex[2 * i + 1])))
      return FALSE;
  return event[2] == 0x14 && event[4] == type;
}

static const guint8 *
find_classic (Kit *kit, const char *guid_hex, guint8 type, guint *size)
{
  for (guint at = KIT_BUFFER + 0x48; at + 0x30 < kit->file->len; at += 8)
    if (is_classic (kit->file->data + at, guid_hex, type))
      {
        *size = kit->file->data[at] | (guint)kit->file->data[at + 1] << 8;
        return kit->file->data + at;
      }
  fail_msg ("there is no classic event of type %u", type);
  return NULL;
}

/* ETL.md: Info {base, size, pid, stamp, name}, DbgID_RSDS {base, pid, signature, age, name}. */
static void
build_ids_become_image_ids (void **state)
{
  static const char image_id[] = "d775e6b35425184f830b2762732560de";
  g_autoptr (Kit) kit = kit_with_process ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_finish (kit);
  at = find_classic (kit, image_id, 0, &size);
  kit_assert (at + 4, 12, "0000 0200 ffff ffff 2c01 0000");
  kit_assert (at + 0x30, size - 0x30,
              "00f0 3f00 0000 0000 0030 0000 0000 0000 2c01 0000 a0a1 a2a3"
              "6400 6100 6500 6d00 6f00 6e00 0000");
  at = find_classic (kit, image_id, 36, &size);
  kit_assert (at + 0x30, size - 0x30,
              "00f0 3f00 0000 0000 2c01 0000 a0a1 a2a3 a4a5 a6a7 a8a9 aaab acad aeaf"
              "0100 0000 6461 656d 6f6e 00");
}

static void
the_one_volume_is_the_root_folder (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_finish (kit);
  at = find_classic (kit, "91ee799bfdb5c041a2434248e266e9d0", 35, &size);
  kit_assert (at + 0x30, size - 0x30,
              "5c00 4400 6500 7600 6900 6300 6500 5c00 4800 6100 7200 6400 6400 6900 7300 6b00"
              "5600 6f00 6c00 7500 6d00 6500 3100 5c00 0000 5c00 0000");
}

static void
the_machine_takes_828_bytes (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_finish (kit);
  at = kit_hook (kit, 0x0b0a, 0, &size);
  assert_int_equal (size, 0x20 + 828);
  kit_assert (at + 0x20, 20, "6009 0000 0200 0000 0020 0000 0010 0000 0010 0000");
  kit_assert (at + 0x34, 18, "6b00 6900 7400 2d00 6800 6f00 7300 7400 0000");
  kit_assert (at + 0x20 + 800, 28,
              "0000 0000 0000 0000 ffef ffff ff7f 0000 0900 0000 0000 01 01 0000 0000");
}

/* ---- live ---- */

typedef struct
{
  WprProgram program;
  WprProcess process;
  WprThread thread;
  WprMapping mapping;
} Somebody;

static void
make_somebody (Somebody *who, guint32 pid, const char *exe)
{
  memset (who, 0, sizeof *who);
  who->program
      = (WprProgram){ .when = 5 * MS, .exec = TRUE, .exe = (char *)exe, .comm = (char *)"c" };
  who->process = (WprProcess){
    .pid = pid, .ppid = 300, .uid = 1000, .start = 5 * MS, .end = WPR_WORLD_ALIVE
  };
  who->thread = (WprThread){ .pid = pid, .tid = pid, .start = 5 * MS, .nice = 19 };
  who->mapping = (WprMapping){ .when = 5 * MS, .start = 0x500000, .length = 0x1000 };
}

static WprEvent
life (WprEventKind kind, const Somebody *who, gint64 time)
{
  WprEvent event = { .kind = kind, .time = time, .cpu = 1, .row = G_MAXUINT32 };

  event.pid = event.tid = who->process.pid;
  event.u.life.process = &who->process;
  event.u.life.program = &who->program;
  event.u.life.thread = &who->thread;
  event.u.life.name = "";
  return event;
}

/* The scheduler counts it as nice 0, and a switch says no more than that. */
static void
a_thread_under_sched_idle_has_the_lowest_priority (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent to = { .kind = WPR_EVENT_SWITCH, .cpu = 1, .row = 0 };
  Somebody who;
  guint size;

  to.u.sw.next_tid = 500;
  to.u.sw.next_pid = 500;
  to.u.sw.next_prio = 120;
  make_somebody (&who, 500, "/bin/x");
  kit_begin (kit);
  for (guint i = 0; i < 2; i++)
    {
      who.thread.policy = i == 0 ? 5 : 0;
      WprEvent start = life (WPR_EVENT_THREAD_START, &who, (5 + 2 * i) * MS);
      kit_event (kit, &start);
      to.time = (6 + 2 * i) * MS;
      kit_event (kit, &to);
    }
  kit_finish (kit);
  assert_int_equal (kit_hook (kit, 0x0524, 0, &size)[0x10 + 8], 1);
  assert_int_equal (kit_hook (kit, 0x0524, 1, &size)[0x10 + 8], 8);
}

static void
a_start_tells_image_command_line_and_user (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  Somebody who;
  WprEvent event;
  const guint8 *at;
  guint size;

  make_somebody (&who, 400, "/usr/bin/make");
  who.program.cmdline = (char *)"make \xe7\x8e\xb0";
  kit_begin (kit);
  event = life (WPR_EVENT_PROCESS_START, &who, 5 * MS);
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0301, 0, &size);
  kit_assert (at, size,
              "0400 02c0 7b00 0103 9001 0000 9001 0000 50c3 0000 0000 0000 0000 0000 0000 0000"
              "404b 4c00 0000 0000 9001 0000 2c01 0000 0000 0000 0000 0000 0000 0000 0000 0000"
              "0000 0000 0100 0000 0000 0000 0000 0000 0000 0000"
              "0102 0000 0000 0016 0100 0000 e803 0000" /* S-1-22-1-1000 */
              "6d61 6b65 00 6d00 6100 6b00 6500 2000 b073 0000 0000 0000");
}

static void
threads_start_end_and_are_named (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  Somebody who;
  WprEvent event;
  const guint8 *at;
  guint size;

  make_somebody (&who, 400, "/usr/bin/make");
  kit_begin (kit);
  event = life (WPR_EVENT_THREAD_START, &who, 5 * MS);
  event.tid = 401;
  event.u.life.name = "w";
  kit_event (kit, &event);
  event.kind = WPR_EVENT_THREAD_NAME;
  event.time = 6 * MS;
  event.u.life.name = "xy";
  kit_event (kit, &event);
  event.kind = WPR_EVENT_THREAD_END;
  event.time = 7 * MS;
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0501, 0, &size);
  kit_assert (at, 0x28,
              "0300 02c0 6c00 0105 9101 0000 9001 0000 50c3 0000 0000 0000"
              "0000 0000 0000 0000 9001 0000 9101 0000");
  kit_assert (at + 0x48, size - 0x48,
              "0300 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000"
              "0105 0200 7700 0000");
  at = kit_hook (kit, 0x0548, 0, &size);
  kit_assert (at, size,
              "0200 02c0 2e00 4805 9101 0000 9001 0000 60ea 0000 0000 0000"
              "0000 0000 0000 0000 9001 0000 9101 0000 7800 7900 0000");
  at = kit_hook (kit, 0x0502, 0, &size);
  assert_int_equal (size, 0x6e);
}

static void
an_image_load_is_hook_030a (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  Somebody who;
  WprEvent event;
  const guint8 *at;
  guint size;

  make_somebody (&who, 400, "/x");
  kit_begin (kit);
  event = life (WPR_EVENT_IMAGE_LOAD, &who, 5 * MS);
  event.u.life.image
      = (WprImage){ .mapping = &who.mapping, .base = 0x500000, .size = 0x3000, .path = "[vdso]" };
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x030a, 0, &size);
  kit_assert (at, size,
              "0300 02c0 6600 0a03 9001 0000 9001 0000 50c3 0000 0000 0000 0000 0000 0000 0000"
              "0000 5000 0000 0000 0030 0000 0000 0000 9001 0000 0000 0000 0000 0000 0000 0000"
              "0000 5000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000"
              "5b00 7600 6400 7300 6f00 5d00 0000");
}

/* Every kernel thread is a thread of PID 4; a number that a program gets later is its own again. */
static void
kernel_threads_belong_to_system (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  Somebody kernel, user;
  WprEvent event;
  const guint8 *at;
  guint size;

  make_somebody (&kernel, 500, NULL);
  kernel.process.kernel = TRUE;
  make_somebody (&user, 500, "/bin/sh");
  kit_begin (kit);
  event = life (WPR_EVENT_PROCESS_START, &kernel, 5 * MS);
  kit_event (kit, &event);
  event = life (WPR_EVENT_THREAD_START, &kernel, 5 * MS);
  kit_event (kit, &event);
  event = (WprEvent){ .kind = WPR_EVENT_WAKING, .time = 6 * MS, .pid = 500, .tid = 500, .cpu = 1 };
  kit_event (kit, &event);
  event = life (WPR_EVENT_PROCESS_START, &user, 7 * MS);
  kit_event (kit, &event);
  event = (WprEvent){ .kind = WPR_EVENT_WAKING, .time = 8 * MS, .pid = 500, .tid = 500, .cpu = 1 };
  kit_event (kit, &event);
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x0301), 1);
  at = kit_hook (kit, 0x0501, 0, &size);
  kit_assert (at + 0x20, 8, "0400 0000 f401 0000");
  at = kit_hook (kit, 0x0532, 0, &size);
  kit_assert (at + 8, 8, "f401 0000 0400 0000");
  at = kit_hook (kit, 0x0532, 1, &size);
  kit_assert (at + 8, 8, "f401 0000 f401 0000");
}

/* A command line of megabytes: cut, and said so. */
static void
long_texts_are_cut_below_60_kib_and_counted (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  g_autofree char *line = g_strnfill (3 << 20, 'x'), *totals = NULL;
  Somebody who;
  WprEvent event;
  const guint8 *at;
  guint size;

  make_somebody (&who, 400, "/usr/bin/make");
  who.program.cmdline = line;
  kit_begin (kit);
  event = life (WPR_EVENT_PROCESS_START, &who, 5 * MS);
  kit_event (kit, &event);
  kit_finish (kit);
  at = kit_hook (kit, 0x0301, 0, &size);
  assert_true (size < 60 * 1024);
  kit_assert (at + size - 10, 10, "7800 2620 0000 0000 0000"); /* x, ellipsis, three NULs */
  totals = kit_fields (kit, "Totals", 0);
  assert_non_null (strstr (totals, "CutTexts=1 "));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (idle_is_pid_0_as_in_a_genuine_rundown),
    cmocka_unit_test (each_cpu_has_a_thread_0_as_in_a_genuine_rundown),
    cmocka_unit_test (who_lived_before_is_run_down_with_name_and_image),
    cmocka_unit_test (what_is_loaded_later_was_not_there_at_the_beginning),
    cmocka_unit_test (build_ids_become_image_ids),
    cmocka_unit_test (the_one_volume_is_the_root_folder),
    cmocka_unit_test (the_machine_takes_828_bytes),
    cmocka_unit_test (a_thread_under_sched_idle_has_the_lowest_priority),
    cmocka_unit_test (a_start_tells_image_command_line_and_user),
    cmocka_unit_test (threads_start_end_and_are_named),
    cmocka_unit_test (an_image_load_is_hook_030a),
    cmocka_unit_test (kernel_threads_belong_to_system),
    cmocka_unit_test (long_texts_are_cut_below_60_kib_and_counted),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
