/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a profile's words do to a real recording: counters, filters in the kernel, limits of the
 * file, the sampling interval. Skipped only where the kernel refuses this test the same event. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include <glib/gstdio.h>

#include "wpr-child.h"

#define HEAD "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles>"
#define SC(inside)                                                                       \
  "<SystemCollector Id=\"SC\"><BufferSize Value=\"256\"/><Buffers Value=\"32\"/>" inside \
  "</SystemCollector>"
#define SP(keyword, inside)                                                                \
  "<SystemProvider Id=\"SP\"><Keywords><Keyword Value=\"" keyword "\"/></Keywords>" inside \
  "</SystemProvider>"
#define PROFILE                                                                          \
  "<Profile Id=\"P.Light.File\" Name=\"P\" Description=\"d\" LoggingMode=\"File\" "      \
  "DetailLevel=\"Light\"><Collectors><SystemCollectorId Value=\"SC\"><SystemProviderId " \
  "Value=\"SP\"/>"
#define TAIL "</Collectors></Profile></Profiles></WindowsPerformanceRecorder>"

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

static char *
write_profile (const char *name, const char *text)
{
  char *path = child_path (name);
  assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

/* Count of an event in an -info -json; 0 if there is none. */
static gint64
count_of (const char *json, const char *provider, const char *name)
{
  g_autofree char *key
      = g_strdup_printf ("{\"provider\":\"%s\",\"name\":\"%s\",\"count\":", provider, name);
  const char *at = strstr (json, key);
  return at != NULL ? g_ascii_strtoll (at + strlen (key), NULL, 10) : 0;
}

/* A copy of cat under another name, so that nobody else is it. */
static char *
copy_cat (const char *name)
{
  g_autofree char *content = NULL;
  gsize size = 0;
  char *path = child_path (name);
  assert_true (g_file_get_contents ("/bin/cat", &content, &size, NULL));
  assert_true (g_file_set_contents (path, content, (gssize)size, NULL));
  assert_int_equal (g_chmod (path, 0700), 0);
  return path;
}

static void
run_program (const char *program, const char *argument)
{
  const char *argv[] = { program, argument, NULL };
  assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                             NULL, NULL, NULL, NULL));
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

static void
counters_and_filters_are_the_kernels (void **state)
{
  skip_without_rights ();
  g_autofree char *profile = write_profile (
      "filters.wprp",
      HEAD SC (
          "") "<EventCollector Id=\"EC\" Name=\"E\"><BufferSize Value=\"256\"/><Buffers "
              "Value=\"32\"/></EventCollector>" SP (
                  "Pool",
                  "<PoolTags><PoolTag Value=\"dent\"/></PoolTags>") "<HardwareCounter "
                                                                    "Id=\"HC\"><SampledCounters><"
                                                                    "SampledCounter "
                                                                    "Value=\"task-clock\" "
                                                                    "Interval=\"1000000\"/></"
                                                                    "SampledCounters></"
                                                                    "HardwareCounter><"
                                                                    "EventProvider Id=\"EP\" "
                                                                    "Name=\"Microsoft-Windows-"
                                                                    "Kernel-File\" "
                                                                    "ProcessExeFilter=\"wpr-test-"
                                                                    "cat.exe\"/>" PROFILE
                                                                    "<HardwareCounterId "
                                                                    "Value=\"HC\"/></"
                                                                    "SystemCollectorId><"
                                                                    "EventCollectorId Value=\"EC\">"
                                                                    "<EventProviders><"
                                                                    "EventProviderId "
                                                                    "Value=\"EP\"/></"
                                                                    "EventProviders></"
                                                                    "EventCollectorId>" TAIL);
  g_autofree char *ours = copy_cat ("wpr-test-cat"), *other = copy_cat ("wpr-else-cat");
  g_autofree char *file = child_path ("filters.etl");
  g_auto (Ran) start = wpr_run ("-start", profile, "-filemode", NULL);
  assert_status (start, 0);
  for (guint i = 0; i < 20; i++)
    {
      run_program (ours, profile);
      run_program (other, profile);
    }
  g_auto (Ran) flush = wpr_run ("-flush", NULL);
  assert_status (flush, 0);
  g_auto (Ran) stop = wpr_run ("-stop", file, NULL);
  assert_status (stop, 0);
  g_auto (Ran) info = wpr_run ("-info", file, "-json", NULL);
  assert_status (info, 0);
  /* Each of ours writes once; of anybody else nothing is there. */
  assert_int_equal (count_of (info.out, "Linux.syscalls", "sys_enter_write"), 20);
  assert_int_equal (count_of (info.out, "Linux.syscalls", "sys_exit_write"), 20);
  assert_true (count_of (info.out, "Linux.task-clock", "task-clock") > 0);
  gint64 caches = count_of (info.out, "Linux.kmem", "kmem_cache_alloc");
  assert_true (caches > 0 && caches < count_of (info.out, "Linux.kmem", "kmalloc"));
}

/* Numbers of Windows' events choose among those of Linux, and among them only. */
static void
event_filters_reach_exactly_their_events (void **state)
{
  skip_without_rights ();
  g_autofree char *profile = write_profile (
      "numbers.wprp",
      "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles><EventCollector Id=\"EC\" Name=\"E\"/>"
      "<EventProvider Id=\"EP\" Name=\"{22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716}\" Level=\"4\">"
      "<Keywords><Keyword Value=\"0x30\"/></Keywords><EventFilters FilterIn=\"true\">"
      "<EventId Value=\"1\"/><EventId Value=\"0x3\"/></EventFilters></EventProvider>"
      "<Profile Id=\"P.Light.File\" Name=\"P\" Description=\"P\" LoggingMode=\"File\" "
      "DetailLevel=\"Light\"><Collectors><EventCollectorId Value=\"EC\"><EventProviders>"
      "<EventProviderId Value=\"EP\"/></EventProviders></EventCollectorId></Collectors></Profile>"
      "</Profiles></WindowsPerformanceRecorder>");
  g_autofree char *cat = copy_cat ("wpr-test-cat"), *file = child_path ("numbers.etl");
  g_auto (Ran) start = wpr_run ("-start", profile, "-filemode", NULL);
  assert_status (start, 0);
  for (guint i = 0; i < 10; i++)
    run_program (cat, profile);
  g_auto (Ran) stop = wpr_run ("-stop", file, NULL);
  assert_status (stop, 0);
  g_auto (Ran) info = wpr_run ("-info", file, "-json", NULL);
  assert_true (count_of (info.out, "Linux.sched", "sched_process_exec") >= 10);
  assert_true (count_of (info.out, "Linux.sched", "sched_process_fork") >= 10);
  assert_true (count_of (info.out, "Linux.task", "task_newtask") >= 10);
  assert_int_equal (count_of (info.out, "Linux.sched", "sched_process_exit"), 0);
  assert_int_equal (count_of (info.out, "Linux.cgroup", "cgroup_mkdir"), 0);
}

static void
profiles_are_switched_while_recording (void **state)
{
  skip_without_rights ();
  g_autofree char *file = child_path ("switched.etl");
  g_auto (Ran) none = wpr_run ("-enable", "DiskIO", NULL);
  assert_status (none, 3);
  g_auto (Ran) start = wpr_run ("-start", "CPU.light", "-filemode", NULL);
  assert_status (start, 0);
  g_auto (Ran) enable = wpr_run ("-enable", "Handle.light+DiskIO", NULL);
  assert_status (enable, 0);
  assert_says (enable.out, "from now on");
  g_auto (Ran) twice = wpr_run ("-enable", "DiskIO", NULL);
  assert_status (twice, 3);
  g_auto (Ran) unknown = wpr_run ("-enable", "DiskI", NULL);
  assert_status (unknown, 2);
  g_auto (Ran) status = wpr_run ("-status", "profiles", NULL);
  assert_says (status.out, "Handle.Light.File");
  g_auto (Ran) disable = wpr_run ("-disable", "CPU", "-disable", "DiskIO", NULL);
  assert_status (disable, 0);
  g_auto (Ran) last = wpr_run ("-disable", "Handle", NULL);
  assert_status (last, 3);
  g_auto (Ran) stop = wpr_run ("-stop", file, NULL);
  assert_status (stop, 0);
  g_auto (Ran) info = wpr_run ("-info", file, "-json", NULL);
  assert_int_equal (count_of (info.out, "Linux.Recorder", "Mark"), 4);
  assert_true (count_of (info.out, "Linux.Recorder", "Profile") >= 3);
}

static void
a_sequential_file_stops_when_it_is_full (void **state)
{
  skip_without_rights ();
  g_autofree char *profile = write_profile (
      "sequential.wprp", HEAD SC ("<MaximumFileSize Value=\"8\" FileMode=\"Sequential\"/>")
                             SP ("SystemCall", "") PROFILE "</SystemCollectorId>" TAIL);
  g_auto (Ran) start = wpr_run ("-start", profile, "-filemode", NULL);
  assert_status (start, 0);
  call_often (200000);
  wait_gone ("WprApp");
  g_auto (Ran) status = wpr_run ("-status", NULL);
  assert_status (status, 3);
  g_autoptr (GDir) dir = g_dir_open (child_save_folder (), 0, NULL);
  const char *name = g_dir_read_name (dir);
  assert_non_null (name);
  g_autofree char *file = g_build_filename (child_save_folder (), name, NULL);
  g_auto (Ran) info = wpr_run ("-info", file, "-json", NULL);
  assert_status (info, 0);
  assert_true (count_of (info.out, "PerfInfo", "SysClEnter") > 30000);
  g_unlink (file);
}

static void
a_circular_file_keeps_the_newest (void **state)
{
  skip_without_rights ();
  g_autofree char *profile = write_profile (
      "circular.wprp", HEAD SC ("") SP ("SystemCall", "") PROFILE "</SystemCollectorId>" TAIL);
  g_autofree char *file = child_path ("circular.etl");
  g_auto (Ran) start
      = wpr_run ("-start", profile, "-filemode", "-maxsize", "8", "-maxfiles", "2", NULL);
  assert_status (start, 0);
  call_often (600000);
  g_auto (Ran) stop = wpr_run ("-stop", file, NULL);
  assert_status (stop, 0);
  g_auto (Ran) info = wpr_run ("-info", file, "-json", NULL);
  gint64 kept = json_number (info.out, "events", 0);
  /* A system call is 92 bytes: 1.2 million of them do not fit into 16 MiB. */
  assert_true (kept > 50000 && kept < 600000);
}

static void
memory_mode_has_nothing_to_flush (void **state)
{
  skip_without_rights ();
  g_auto (Ran) start = wpr_run ("-start", "Handle.light", NULL);
  assert_status (start, 0);
  g_auto (Ran) flush = wpr_run ("-flush", NULL);
  assert_int_not_equal (flush.status, 0);
  assert_says (flush.err, "in memory");
  g_auto (Ran) cancel = wpr_run ("-cancel", NULL);
  assert_status (cancel, 0);
  g_auto (Ran) none = wpr_run ("-flush", NULL);
  assert_status (none, 3);
}

static void
the_sampling_interval_is_kept_until_it_is_reset (void **state)
{
  g_auto (Ran) set = wpr_run ("-setprofint", "20000", NULL);
  assert_status (set, 0);
  g_auto (Ran) get = wpr_run ("-profint", "-json", NULL);
  assert_says (get.out, "\"interval_100ns\":20000");
  g_auto (Ran) details = wpr_run ("-profiledetails", "CPU", "-json", NULL);
  assert_says (details.out, "\"interval_ns\":2000000");
  static const char *const wrong[] = { "0", "1220", "10000001", "often", "" };
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_auto (Ran) ran = wpr_run ("-setprofint", wrong[i], NULL);
      assert_status (ran, 1);
      assert_says (ran.err, "1221");
    }
  g_auto (Ran) reset = wpr_run ("-resetprofint", NULL);
  assert_status (reset, 0);
  g_auto (Ran) again = wpr_run ("-profint", "-json", NULL);
  assert_says (again.out, "\"interval_100ns\":10000,\"set\":false");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (counters_and_filters_are_the_kernels),
    cmocka_unit_test (a_sequential_file_stops_when_it_is_full),
    cmocka_unit_test (a_circular_file_keeps_the_newest),
    cmocka_unit_test (event_filters_reach_exactly_their_events),
    cmocka_unit_test (profiles_are_switched_while_recording),
    cmocka_unit_test (memory_mode_has_nothing_to_flush),
    cmocka_unit_test (the_sampling_interval_is_kept_until_it_is_reset),
  };
  return cmocka_run_group_tests (tests, child_setup, child_teardown);
}
