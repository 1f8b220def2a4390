/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FileIo, byte by byte. */
#include "config.h"
#include "sink-kit.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define MS 1000000

static WprEvent
make (WprFileOp op)
{
  WprEvent event
      = { .kind = WPR_EVENT_FILE_OP, .time = 5 * MS, .cpu = 1, .pid = 9, .tid = 10, .row = 5 };

  event.u.file.op = op;
  event.u.file.request = 0x11;
  event.u.file.object = 0xfffffa8000000020;
  event.u.file.key = 0xfffff8a000000030;
  event.u.file.offset = -1;
  return event;
}

/* Behind the header: hook, time 5 ms = 0xc350. */
static void
check (const WprEvent *event, guint16 hook, const char *hex)
{
  g_autoptr (Kit) kit = kit_new ();
  const guint8 *at;
  guint size;

  kit_begin (kit);
  kit_event (kit, event);
  kit_finish (kit);
  at = kit_hook (kit, hook, 0, &size);
  kit_assert (at, size, hex);
}

static void
an_open_is_a_create (void **state)
{
  WprEvent event = make (WPR_FILE_CREATE);

  event.u.file.flags = O_CREAT | O_TRUNC | O_WRONLY | O_DIRECT;
  event.u.file.path = "/é";
  check (&event, 0x0440,
         "0300 11c0 6400 4004 50c3 0000 0000 0000"
         "1100 0000 0000 0000 2000 0000 80fa ffff 0a00 0000 2800 0005 8000 0000 0700 0000"
         "5c00 4400 6500 7600 6900 6300 6500 5c00 4800 6100 7200 6400 6400 6900 7300 6b00"
         "5600 6f00 6c00 7500 6d00 6500 3100 5c00 e900 0000");
}

static void
a_read_and_a_write (void **state)
{
  WprEvent event = make (WPR_FILE_READ);

  event.u.file.offset = 0x1234;
  event.u.file.size = 0x1000;
  check (&event, 0x0443,
         "0300 11c0 3c00 4304 50c3 0000 0000 0000"
         "3412 0000 0000 0000 1100 0000 0000 0000 2000 0000 80fa ffff 3000 0000 a0f8 ffff"
         "0a00 0000 0010 0000 0001 0000");
  event.u.file.op = WPR_FILE_WRITE;
  event.u.file.offset = -1; /* at the end, wherever that is */
  event.u.file.flags = O_APPEND | O_DIRECT;
  check (&event, 0x0444,
         "0300 11c0 3c00 4404 50c3 0000 0000 0000"
         "ffff ffff ffff ffff 1100 0000 0000 0000 2000 0000 80fa ffff 3000 0000 a0f8 ffff"
         "0a00 0000 0010 0000 0102 0000");
}

static void
simple_operations (void **state)
{
  static const struct
  {
    WprFileOp op;
    guint16 hook;
    const char *hex;
  } rows[] = { { WPR_FILE_CLEANUP, 0x0441, "4104" },
               { WPR_FILE_CLOSE, 0x0442, "4204" },
               { WPR_FILE_FLUSH, 0x0449, "4904" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprEvent event = make (rows[i].op);
      g_autofree char *hex = g_strdup_printf (
          "0300 11c0 2c00 %s 50c3 0000 0000 0000"
          "1100 0000 0000 0000 2000 0000 80fa ffff 3000 0000 a0f8 ffff 0a00 0000",
          rows[i].hex);

      check (&event, rows[i].hook, hex);
    }
}

static void
operations_by_name_or_about_it (void **state)
{
  WprEvent event = make (WPR_FILE_QUERY_INFO);

  check (&event, 0x044a,
         "0300 11c0 3800 4a04 50c3 0000 0000 0000"
         "1100 0000 0000 0000 2000 0000 80fa ffff 3000 0000 a0f8 ffff"
         "0000 0000 0000 0000 0a00 0000 1200 0000");
  event = make (WPR_FILE_DELETE);
  event.u.file.object = 0;
  event.u.file.path = "path of PID 9";
  check (&event, 0x044f,
         "0300 11c0 5400 4f04 50c3 0000 0000 0000"
         "1100 0000 0000 0000 0000 0000 0000 0000 3000 0000 a0f8 ffff"
         "0000 0000 0000 0000 0a00 0000 0d00 0000"
         "7000 6100 7400 6800 2000 6f00 6600 2000 5000 4900 4400 2000 3900 0000");
  event.u.file.op = WPR_FILE_RENAME;
  event.u.file.path = "n";
  check (&event, 0x0450,
         "0300 11c0 3c00 5004 50c3 0000 0000 0000"
         "1100 0000 0000 0000 0000 0000 0000 0000 3000 0000 a0f8 ffff"
         "0000 0000 0000 0000 0a00 0000 0a00 0000 6e00 0000");
  event = make (WPR_FILE_DIR_ENUM);
  event.u.file.size = 32768;
  check (&event, 0x0448,
         "0300 11c0 3a00 4804 50c3 0000 0000 0000"
         "1100 0000 0000 0000 2000 0000 80fa ffff 3000 0000 a0f8 ffff"
         "0a00 0000 0080 0000 0100 0000 0000 0000 0000");
}

static void
an_end_says_what_came_of_it (void **state)
{
  static const struct
  {
    WprFileOp op;
    gint64 result;
    const char *hex;
  } rows[] = { { WPR_FILE_READ, 4096, "0010 0000 0000 0000 0000 0000" },
               { WPR_FILE_READ, 0, "0000 0000 0000 0000 1100 00c0" },
               { WPR_FILE_WRITE, 0, "0000 0000 0000 0000 0000 0000" },
               { WPR_FILE_CREATE, -ENOENT, "0000 0000 0000 0000 3400 00c0" },
               { WPR_FILE_CREATE, -ELOOP, "0000 0000 0000 0000 2800 00e0" },
               { WPR_FILE_CREATE, G_MININT64, "0000 0000 0000 0000 ff0f 00e0" } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      WprEvent event = make (rows[i].op);
      g_autofree char *hex = g_strdup_printf ("0300 11c0 2400 4c04 50c3 0000 0000 0000"
                                              "1100 0000 0000 0000 %s",
                                              rows[i].hex);

      event.kind = WPR_EVENT_FILE_END;
      event.u.file.size = 4096;
      event.u.file.result = rows[i].result;
      check (&event, 0x044c, hex);
    }
}

static void
names_of_keys (void **state)
{
  static const guint16 hooks[] = {
    [WPR_FILE_NAME_CREATED] = 0x0420, [WPR_FILE_NAME_KNOWN] = 0x0424, [WPR_FILE_NAME_GONE] = 0x0423
  };

  for (guint i = 0; i < G_N_ELEMENTS (hooks); i++)
    {
      WprEvent event = { .kind = WPR_EVENT_FILE_NAME, .time = 5 * MS, .row = G_MAXUINT32 };
      g_autofree char *hex = g_strdup_printf ("0200 11c0 1c00 %02x04 50c3 0000 0000 0000"
                                              "3000 0000 a0f8 ffff 6600 0000",
                                              hooks[i] & 0xff);

      event.u.file_name.key = 0xfffff8a000000030;
      event.u.file_name.text = "f";
      event.u.file_name.naming = i;
      check (&event, hooks[i], hex);
    }
}

/* The rundown at the end: whatever is known then. */
static void
all_known_names_are_told_at_the_end (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprFiles *files = wpr_files_new ();
  guint size;

  wpr_files_named (files, 1, WPR_FILES_CWD, "/one");
  wpr_files_forget (files, wpr_files_named (files, 1, WPR_FILES_CWD, "/gone"));
  wpr_files_descriptor (files, 1, 7);
  kit->context.files = files;
  kit_begin (kit);
  kit_finish (kit);
  assert_int_equal (kit_count_hook (kit, 0x0424), 2);
  assert_int_equal (kit_hook (kit, 0x0424, 0, &size)[0x18], '\\');
  assert_memory_equal (kit_hook (kit, 0x0424, 1, &size) + 0x18, "f\0d\0 \0007", 7);
  wpr_files_free (files);
}

/* A record that another event tells of is counted, and nothing is written for it. */
static void
a_joined_record_is_not_written_twice (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  WprEvent event = { .kind = WPR_EVENT_JOINED, .time = 5 * MS, .row = 0 };
  guint64 before, after;

  kit_begin (kit);
  wpr_sink_etl_totals (kit->sink, &before, NULL);
  kit_event (kit, &event);
  wpr_sink_etl_totals (kit->sink, &after, NULL);
  assert_int_equal (before, after);
  kit_finish (kit);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (an_open_is_a_create),
    cmocka_unit_test (a_read_and_a_write),
    cmocka_unit_test (simple_operations),
    cmocka_unit_test (operations_by_name_or_about_it),
    cmocka_unit_test (an_end_says_what_came_of_it),
    cmocka_unit_test (names_of_keys),
    cmocka_unit_test (all_known_names_are_told_at_the_end),
    cmocka_unit_test (a_joined_record_is_not_written_twice),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
