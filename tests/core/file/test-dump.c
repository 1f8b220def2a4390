/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events as text, CSV and JSON, and text that would break them. */
#include "config.h"
#include "file-kit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file/put.h"

/* Everything a dump writes. */
static char *
dump (FileKit *kit, WprTraceDumpFormat format, const char *filter)
{
  gboolean stacks = format != WPR_DUMP_CSV || filter == NULL;
  g_autoptr (WprTraceFile) file
      = wpr_trace_file_open (kit->path, stacks ? WPR_TRACE_STACKS : WPR_TRACE_PLAIN, NULL, NULL);
  g_autoptr (GError) error = NULL;
  int fd = memfd_create ("dump", MFD_CLOEXEC);
  assert_non_null (file);
  assert_true (wpr_trace_file_set_filter (file, filter, NULL, NULL));
  if (!wpr_trace_file_dump (file, fd, "kit.etl", format, stacks ? WPR_DUMP_STACKS : WPR_DUMP_PLAIN,
                            NULL, &error))
    fail_msg ("%s", error->message);
  struct stat st;
  assert_int_equal (fstat (fd, &st), 0);
  char *text = g_malloc0 ((gsize)st.st_size + 1);
  assert_int_equal (pread (fd, text, (size_t)st.st_size, 0), st.st_size);
  close (fd);
  return text;
}

static FileKit *
make (void)
{
  static const guint64 frames[] = { 0xffffffff81000010, 0x401000 };
  FileKit *kit = file_kit_new (2, 100);
  file_kit_process (kit, 0, 0, 0x0303, 10, "my \"app\"");
  file_kit_event (kit, 1, 1.5, 10, 11, "Linux.test", "tick", "u:N", "7", "s:Text",
                  "a,b\n\"c\"\\\x1b\xff;", NULL);
  file_kit_stack (kit, 1, 1.5, 1.5, 10, 11, frames, 2);
  file_kit_event (kit, 1, 2, KIT_NONE, KIT_NONE, "Linux.test", "tock", NULL);
  file_kit_finish (kit, 0);
  return kit;
}

static void
text_has_an_event_a_line (void **state)
{
  g_autoptr (FileKit) kit = make ();
  g_autofree char *text = dump (kit, WPR_DUMP_TEXT, "Provider == Linux.test");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  assert_int_equal (g_strv_length (lines), 7);
  assert_string_equal (lines[0], "# kit.etl  2026-11-30T15:00:00.000000000+02:00");
  assert_true (g_str_has_prefix (lines[1], "#      Seconds  Wall clock"));
  assert_string_equal (
      lines[2], "     0.0015000  15:00:00.001500    1  my \"app\" (10)                    11  "
                "Linux.test/tick                 N=7 Text=\"a,b\\n\\\"c\\\"\\\\\\x1b\xc3\xbf;\"");
  assert_string_equal (lines[3], "                0xffffffff81000010");
  assert_string_equal (lines[4], "                0x401000");
  assert_string_equal (
      lines[5],
      "     0.0020000  15:00:00.002000    1  -                                 -  Linux.test/tock  "
      "               ");
  assert_string_equal (lines[6], "");
}

static void
csv_is_as_rfc_4180_has_it (void **state)
{
  g_autoptr (FileKit) kit = make ();
  g_autofree char *text = dump (kit, WPR_DUMP_CSV, NULL);
  g_auto (GStrv) lines = g_strsplit (text, "\r\n", -1);
  assert_string_equal (lines[0], "time_s,time,cpu,pid,tid,process,provider,event,id,version,opcode,"
                                 "level,keywords,fields,stack");
  guint n = g_strv_length (lines);
  assert_string_equal (lines[n - 1], "");
  assert_string_equal (
      lines[n - 3],
      "0.001500000,2026-11-30T15:00:00.001500000+02:00,1,10,11,\"my \"\"app\"\"\",\"Linux.test\","
      "\"tick\",0,0,0,4,0x10,\"N=7 Text=\"\"a,b\\n\\\"\"c\\\"\"\\\\\\x1b\xc3\xbf;\"\"\","
      "\"0xffffffff81000010;0x401000\"");
  assert_string_equal (lines[n - 2], "0.002000000,2026-11-30T15:00:00.002000000+02:00,1,,,\"\","
                                     "\"Linux.test\",\"tock\",0,0,0,4,0x10,\"\",\"\"");
}

static void
json_is_an_object_a_line (void **state)
{
  g_autoptr (FileKit) kit = make ();
  g_autofree char *text = dump (kit, WPR_DUMP_JSON, "Provider == Linux.test");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  assert_int_equal (g_strv_length (lines), 5);
  assert_string_equal (
      lines[0], "{\"kind\":\"trace\",\"version\":1,\"file\":\"kit.etl\",\"start\":"
                "\"2026-11-30T13:00:00.000000000Z\",\"end\":\"2026-11-30T13:00:10.000000000Z\","
                "\"cpus\":2,\"pointer_size\":8,\"events_lost\":0,\"buffers_lost\":0,"
                "\"logger_name\":\"NT Kernel Logger\"}");
  assert_string_equal (
      lines[1], "{\"kind\":\"event\",\"time_ns\":1500000,\"time\":"
                "\"2026-11-30T13:00:00.001500000Z\",\"cpu\":1,\"pid\":10,\"tid\":11,\"process\":"
                "\"my \\\"app\\\"\",\"provider\":\"Linux.test\",\"event\":\"tick\",\"id\":0,"
                "\"event_version\":0,\"opcode\":0,\"level\":4,\"keywords\":\"0x10\",\"fields\":"
                "{\"N\":7,\"Text\":\"a,b\\u000a\\\"c\\\"\\\\\\u001b\xc3\xbf;\"},\"stack\":["
                "{\"address\":\"0xffffffff81000010\"},{\"address\":\"0x401000\"}]}");
  assert_non_null (strstr (lines[2], "\"pid\":null,\"tid\":null,\"process\":\"\""));
  assert_string_equal (lines[3], "{\"kind\":\"end\",\"events\":2,\"faults\":[]}");
}

static void
writing_that_fails_is_told (void **state)
{
  g_autoptr (FileKit) kit = file_kit_new (1, 100);
  for (guint i = 0; i < 20000; i++)
    file_kit_call (kit, 0, i, i);
  file_kit_finish (kit, 0);
  g_autoptr (WprTraceFile) file = wpr_trace_file_open (kit->path, WPR_TRACE_PLAIN, NULL, NULL);
  g_autoptr (GError) full = NULL;
  g_autoptr (GError) closed = NULL;
  int fd = open ("/dev/full", O_WRONLY | O_CLOEXEC), ends[2];
  assert_true (fd >= 0);
  assert_false (
      wpr_trace_file_dump (file, fd, "kit.etl", WPR_DUMP_TEXT, WPR_DUMP_PLAIN, NULL, &full));
  assert_true (g_error_matches (full, WPR_ERROR, WPR_ERROR_NO_SPACE));
  close (fd);
  assert_int_equal (pipe (ends), 0);
  close (ends[0]);
  assert_false (
      wpr_trace_file_dump (file, ends[1], "kit.etl", WPR_DUMP_CSV, WPR_DUMP_PLAIN, NULL, &closed));
  assert_true (g_error_matches (closed, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE));
  close (ends[1]);
}

/* ---- characters ---- */

typedef void (*Func) (WprPut *put);

static void
assert_put (Func func, const char *expected)
{
  int fd = memfd_create ("put", MFD_CLOEXEC);
  char found[512] = "";
  WprPut put;
  wpr_put_init (&put, fd);
  func (&put);
  assert_true (wpr_put_flush (&put));
  assert_true (pread (fd, found, sizeof found - 1, 0) >= 0);
  assert_string_equal (found, expected);
  wpr_put_clear (&put);
  close (fd);
}

static void
put_numbers (WprPut *put)
{
  static const guint64 values[] = { 0, 9, 10, 99, 100, 12345, G_MAXUINT64 };
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      wpr_put_unsigned (put, values[i]);
      wpr_put_char (put, ' ');
      wpr_put_hex (put, values[i]);
      wpr_put_char (put, ' ');
    }
  wpr_put_signed (put, G_MININT64);
  wpr_put_char (put, ' ');
  wpr_put_padded (put, 7, 3);
  wpr_put_zeros (put, 42, 5);
}

static void
put_seconds (WprPut *put)
{
  static const gint64 values[] = { 0, 1, -1, 1500000000, -1500000000, G_MAXINT64, G_MININT64 };
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      wpr_put_seconds (put, values[i], 7, 12);
      wpr_put_char (put, '|');
    }
}

static void
put_doubles (WprPut *put)
{
  static const double values[] = { 0, 0.1, 1.0 / 3, -2.5e-10, 1e300 };
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      wpr_put_double (put, values[i]);
      wpr_put_char (put, ' ');
    }
}

/* Every place in a word of eight, every byte. */
static void
put_escapes (WprPut *put)
{
  wpr_put_plain (put, "abcdefg\x7fhijklmn\t12345678", 24);
  wpr_put_char (put, '|');
  wpr_put_quoted (put, "abcdef\"g\\", 9);
  wpr_put_char (put, '|');
  wpr_put_json (put, "\xc2\x9b\xe4\xb8\xad\0z", 7);
  put->doubles_quotes = TRUE;
  wpr_put_char (put, '|');
  wpr_put_plain (put, "say \"x\"", 7);
}

static void
numbers_and_text_are_exact (void **state)
{
  assert_put (put_numbers, "0 0x0 9 0x9 10 0xa 99 0x63 100 0x64 12345 0x3039 "
                           "18446744073709551615 0xffffffffffffffff -9223372036854775808   700042");
  assert_put (put_seconds, "   0.0000000|   0.0000000|  -0.0000000|   1.5000000|  -1.5000000|"
                           "9223372036.8547758|-9223372036.8547758|");
  assert_put (put_doubles, "0 0.1 0.33333333333333331 -2.5e-10 1e+300 ");
  assert_put (put_escapes, "abcdefg\\x7fhijklmn\\t12345678|\"abcdef\\\"g\\\\\"|"
                           "\"\\u009b\xe4\xb8\xad\\u0000z\"|say \"\"x\"\"");
}

static void
every_length_of_text_is_whole (void **state)
{
  for (gsize size = 0; size < 300; size++)
    for (guint c = 0; c < 2; c++)
      {
        g_autofree char *text = g_malloc0 (size + 2);
        char found[1024] = "";
        int fd = memfd_create ("put", MFD_CLOEXEC);
        WprPut put;
        memset (text, 'x', size);
        if (size > 0)
          text[size * 7 / 8] = c == 0 ? 'y' : '\n';
        wpr_put_init (&put, fd);
        wpr_put_plain (&put, text, size);
        wpr_put_flush (&put);
        assert_int_equal (pread (fd, found, sizeof found - 1, 0),
                          size + (size > 0 && c == 1 ? 1 : 0));
        wpr_put_clear (&put);
        close (fd);
      }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (text_has_an_event_a_line),   cmocka_unit_test (csv_is_as_rfc_4180_has_it),
    cmocka_unit_test (json_is_an_object_a_line),   cmocka_unit_test (writing_that_fails_is_told),
    cmocka_unit_test (numbers_and_text_are_exact), cmocka_unit_test (every_length_of_text_is_whole),
  };
  setenv ("TZ", "EET-2", 1);
  setenv ("LC_ALL", "C", 1);
  tzset ();
  signal (SIGPIPE, SIG_IGN);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
