/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that stopping, saving and recovering write: compressed, in several parts, completed.
 * Skipped only where the kernel refuses this test the same event. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include <glib/gstdio.h>

#include "wpr-child.h"

static const char profile_text[]
    = "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles>"
      "<SystemCollector Id=\"SC\"><BufferSize Value=\"1024\"/><Buffers Value=\"64\"/>"
      "</SystemCollector>"
      "<SystemProvider Id=\"SP\"><Keywords><Keyword Value=\"SystemCall\"/></Keywords>"
      "</SystemProvider>"
      "<Profile Id=\"P.Light.File\" Name=\"P\" Description=\"d\" LoggingMode=\"File\" "
      "DetailLevel=\"Light\"><Collectors><SystemCollectorId Value=\"SC\"><SystemProviderId "
      "Value=\"SP\"/></SystemCollectorId></Collectors></Profile></Profiles>"
      "</WindowsPerformanceRecorder>";

/* A system-wide tracepoint with data, as the recorder opens them. */
static void
skip_without_rights (void)
{
  struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
                                  .size = sizeof attr,
                                  .sample_type = PERF_SAMPLE_RAW,
                                  .sample_period = 1,
                                  .disabled = 1 };
  g_autofree char *id = NULL;
  errno = 0;
  if (g_file_get_contents ("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", &id, NULL, NULL))
    attr.config = g_ascii_strtoull (id, NULL, 10);
  long fd = id != NULL ? syscall (SYS_perf_event_open, &attr, -1, 0, -1, 0) : -1;
  if (fd < 0 && (errno == EACCES || errno == EPERM || errno == ENOENT))
    skip ();
  assert_true (fd >= 0);
  close ((int)fd);
}

static void
call_often (guint n)
{
  int fd = open ("/dev/zero", O_RDONLY | O_CLOEXEC);
  char byte;
  for (guint i = 0; i < n; i++)
    assert_int_equal (read (fd, &byte, 1), 1);
  close (fd);
}

static char *
write_profile (void)
{
  char *path = child_path ("calls.wprp");
  assert_true (g_file_set_contents (path, profile_text, -1, NULL));
  return path;
}

static gint64
size_of (const char *path)
{
  GStatBuf st;
  assert_int_equal (g_stat (path, &st), 0);
  return st.st_size;
}

static void
a_size_of_files_makes_several (void **state)
{
  skip_without_rights ();
  g_autofree char *profile = write_profile ();
  g_autofree char *first = child_path ("many.etl"), *second = child_path ("many-2.etl"),
                  *third = child_path ("many-3.etl");
  g_auto (Ran) start
      = wpr_run ("-start", profile, "-filemode", "-maxsize", "8", "-maxfiles", "16", NULL);
  assert_status (start, 0);
  call_often (500000);
  g_auto (Ran) stop = wpr_run ("-stop", first, "too slow", NULL);
  assert_true (stop.status == 0 || stop.status == 7);
  assert_says (stop.out, "each complete by itself");
  assert_says (stop.out, "many.etl\n");
  assert_says (stop.out, "many-2.etl\n");
  assert_true (size_of (first) <= 8 << 20);
  assert_true (size_of (second) <= 8 << 20);
  g_auto (Ran) info = wpr_run ("-info", second, NULL);
  assert_status (info, 0);
  assert_says (info.out, "2 of ");
  assert_says (info.out, "many.etl");
  assert_says (info.out, "too slow");
  g_auto (Ran) json = wpr_run ("-info", second, "-json", NULL);
  assert_status (json, 0);
  assert_int_equal (json_number (json.out, "part", 0), 2);
  gint64 n = json_number (json.out, "n_parts", 0);
  assert_true (n >= 2);
  if (n >= 3)
    assert_true (size_of (third) > 0);
}

static void
compress_shrinks_and_keeps_everything (void **state)
{
  skip_without_rights ();
  g_autofree char *profile = write_profile ();
  g_autofree char *file = child_path ("small.etl");
  g_auto (Ran) start = wpr_run ("-start", profile, "-filemode", NULL);
  assert_status (start, 0);
  call_often (50000);
  g_auto (Ran) stop = wpr_run ("-stop", file, "-compress", NULL);
  assert_true (stop.status == 0 || stop.status == 7);
  g_auto (Ran) info = wpr_run ("-info", file, "-json", NULL);
  assert_status (info, 0);
  assert_says (info.out, "\"compressed\":true");
  gint64 events = json_number (info.out, "events", 0);
  assert_true (events > 100000);
  assert_true (size_of (file) < events * 12); /* 24 and more each, uncompressed */
}

static void
compress_is_of_a_save_too (void **state)
{
  skip_without_rights ();
  g_autofree char *file = child_path ("saved.etl"), *plain = child_path ("plain.etl");
  g_auto (Ran) start = wpr_run ("-start", "CPU.light", NULL);
  assert_status (start, 0);
  g_auto (Ran) save = wpr_run ("-save", file, "-compress", NULL);
  assert_status (save, 0);
  g_auto (Ran) stop = wpr_run ("-stop", plain, NULL);
  assert_true (stop.status == 0 || stop.status == 7);
  g_auto (Ran) one = wpr_run ("-info", file, "-json", NULL);
  assert_says (one.out, "\"compressed\":true");
  g_auto (Ran) other = wpr_run ("-info", plain, "-json", NULL);
  assert_says (other.out, "\"compressed\":false");
}

static void
recover_completes_a_file (void **state)
{
  g_autofree char *file = child_path ("plain.etl"), *kept = child_path ("plain-unfinished.etl");
  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    skip (); /* nothing could be recorded */
  gint64 size = size_of (file);
  assert_int_equal (truncate (file, size - 70000), 0);
  g_auto (Ran) cut = wpr_run ("-info", file, NULL);
  assert_status (cut, 9);
  assert_says (cut.out, "wpr -recover");
  g_auto (Ran) recover = wpr_run ("-recover", file, NULL);
  assert_status (recover, 0);
  assert_says (recover.out, "Finished");
  assert_says (recover.out, "plain-unfinished.etl");
  assert_int_equal (size_of (kept), size - 70000);
  g_auto (Ran) info = wpr_run ("-info", file, NULL);
  assert_status (info, 0);
  assert_says (info.out, "Completed later");
  g_auto (Ran) again = wpr_run ("-recover", file, "-json", NULL);
  assert_status (again, 0);
  assert_says (again.out, "\"original\":null");
  g_auto (Ran) none = wpr_run ("-recover", "/nonexistent/x.etl", NULL);
  assert_status (none, 11);
}

static void
a_recovered_recording_is_split_and_compressed_likewise (void **state)
{
  skip_without_rights ();
  g_autofree char *profile = write_profile ();
  g_auto (Ran) start
      = wpr_run ("-start", profile, "-filemode", "-maxsize", "8", "-maxfiles", "16", NULL);
  assert_status (start, 0);
  call_often (500000);
  g_auto (Ran) flush = wpr_run ("-flush", NULL);
  assert_status (flush, 0);
  kill (recorder_pid ("WprApp"), SIGKILL);
  wait_gone ("WprApp");
  g_auto (Ran) recover = wpr_run ("-recover", "-json", "-compress", NULL);
  assert_true (recover.status == 0 || recover.status == 7);
  assert_says (recover.out, "\"recovered\":[{");
  g_autofree char *end = g_strdup (strstr (recover.out, "\"path\":\"") + 8);
  *strchr (end, '"') = '\0';
  g_auto (Ran) info = wpr_run ("-info", end, "-json", NULL);
  assert_says (info.out, "\"compressed\":true");
  assert_true (size_of (end) <= 8 << 20);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_size_of_files_makes_several),
    cmocka_unit_test (compress_shrinks_and_keeps_everything),
    cmocka_unit_test (compress_is_of_a_save_too),
    cmocka_unit_test (recover_completes_a_file),
    cmocka_unit_test (a_recovered_recording_is_split_and_compressed_likewise),
  };
  return cmocka_run_group_tests (tests, child_setup, child_teardown);
}
