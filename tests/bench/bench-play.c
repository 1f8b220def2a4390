/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast a store is played, one core: scheduler events, system calls, reads of files, samples
 * with stacks, each into a sink that only counts, into an .etl, into one with names of functions
 * and into a compressed one. And what memory it takes for a recording and for one four times as
 * long. Usage: bench-play [MILLION_EVENTS] bench-play memory MB [MB...] [KEEP.etl]   memory of
 * writing files of that size; the last is kept Prints, asserts nothing. */
#include "config.h"
#include "../core/trace/kit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../core/trace/kit-formats.h"
#include "perf/event.h"
#include "sink/sink-etl-private.h"

#define N_CPUS 2
#define BATCH 20000
#define ROW_READ N_ROWS /* behind the kit's; its exit follows */
#define KERNEL_FRAMES 12
#define USER_FRAMES 12
#define USER_PLACES 4096 /* a process; of 50: 200 000, as a busy desktop has in minutes */

typedef enum
{
  LOAD_SCHEDULER,
  LOAD_SYSCALLS,
  LOAD_FILES,
  LOAD_SAMPLES,
  N_LOADS
} Load;
static const char *const load_names[N_LOADS]
    = { "scheduler", "syscalls", "files", "samples with stacks" };

/* ---- making ---- */

static void
put_stack_sample (Kit *kit, guint cpu, WprTime time, guint32 tid, guint64 at)
{
  struct
  {
    struct perf_event_header header;
    guint64 id, ip;
    guint32 pid, tid;
    guint64 time;
    guint32 cpu, reserved;
    guint64 n, kernel, kernel_frames[KERNEL_FRAMES], user, user_frames[USER_FRAMES];
  } record = { .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, sizeof record },
               .id = kit_id (ROW_CPU_CLOCK, cpu),
               .ip = 0xffffffff81000000 + at % 4096 * 16,
               .pid = tid,
               .tid = tid,
               .time = (guint64)time,
               .cpu = cpu,
               .n = 2 + KERNEL_FRAMES + USER_FRAMES,
               .kernel = (guint64)PERF_CONTEXT_KERNEL,
               .user = (guint64)PERF_CONTEXT_USER };
  for (guint i = 0; i < KERNEL_FRAMES; i++)
    record.kernel_frames[i] = 0xffffffff81000000 + (at + i) % 4096 * 64;
  for (guint i = 0; i < USER_FRAMES; i++)
    record.user_frames[i] = 0x7f0000000000 + (at * 7 + i) % USER_PLACES * 16;
  kit_bytes (kit, cpu, &record, sizeof record);
}

/* read() of a descriptor, as an operation on a file. */
static void
add_reads (Kit *kit)
{
  static const char *const names[] = { "enter_read", "exit_read" };
  static const char *const fields[]
      = { FIELD ("unsigned int fd", 16, 8, 0) FIELD ("char * buf", 24, 8, 0)
              FIELD ("size_t count", 32, 8, 0),
          FIELD ("long ret", 16, 8, 1) };
  for (guint32 i = 0; i < G_N_ELEMENTS (names); i++)
    {
      WprStoreEvent event = { .row = ROW_READ + i,
                              .name = g_strdup_printf ("syscalls:sys_%s", names[i]),
                              .kind = WPR_PERF_TRACEPOINT,
                              .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID
                                             | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
                              .period = 1,
                              .format = g_strdup_printf (
                                  "name: sys_%s\nID: %u\n%s%s%s", names[i], 700 + i,
                                  COMMON FIELD ("int __syscall_nr", 8, 4, 1), fields[i], NO_PRINT),
                              .as_file = TRUE };
      g_array_append_val (kit->manifest->events, event);
      for (guint cpu = 0; cpu < N_CPUS; cpu++)
        {
          WprStoreId id = { kit_id ((Row)event.row, cpu), event.row, cpu };
          g_array_append_val (kit->manifest->ids, id);
        }
    }
}

static void
put_read (Kit *kit, guint cpu, WprTime time, guint32 tid, gboolean exit)
{
  const gint64 enter[] = { 700 | (gint64)tid << 32, 0, 7, 0x7000, 4096 };
  const gint64 leave[] = { 701 | (gint64)tid << 32, 0, 4096 };
  kit_sample (kit, (Row)(ROW_READ + exit), cpu, time, tid, tid, exit ? leave : enter,
              exit ? sizeof leave : sizeof enter);
}

static void
put_events (Kit *kit, Load load, guint64 i)
{
  guint cpu = i % N_CPUS;
  /* Threads 1000 to 1024 take turns on CPU 0, 1025 to 1049 on CPU 1: each wakes the next and goes
   * to sleep. */
  guint64 turn = i / N_CPUS / 2;
  guint32 tid = 1000 + cpu * 25 + (guint32)(turn % 25);
  guint32 next = 1000 + cpu * 25 + (guint32)((turn + 1) % 25);
  WprTime time = SECOND + (WprTime)i * 1000;
  switch (load)
    {
    case LOAD_SCHEDULER:
      if (i / N_CPUS % 2 == 0)
        kit_waking (kit, cpu, time, tid, next, cpu);
      else
        kit_switch (kit, cpu, time, tid, STATE_S, next);
      break;
    case LOAD_SYSCALLS:
      kit_plain (kit, i / N_CPUS % 2 == 0 ? ROW_SYS_ENTER : ROW_SYS_EXIT, cpu, time, 1000 + cpu);
      break;
    case LOAD_FILES:
      put_read (kit, cpu, time, 1000 + cpu, i / N_CPUS % 2 != 0);
      break;
    default:
      put_stack_sample (kit, cpu, time, tid, i);
      break;
    }
}

static Kit *
make (Load load, guint64 n)
{
  Kit *kit = kit_new (FALSE, 1, N_CPUS);
  if (load == LOAD_FILES)
    add_reads (kit);
  kit_begin (kit, NULL);
  kit_clock (kit, SECOND, SLEPT, WALL);
  for (guint32 tid = 1000; tid < 1050; tid++)
    {
      kit_fork (kit, 0, SECOND / 2, tid, 1, tid, 1);
      kit_comm (kit, 0, SECOND / 2 + 1, tid, tid, "worker", TRUE);
    }
  for (guint64 i = 0; i < n; i++)
    {
      put_events (kit, load, i);
      if (i % BATCH != BATCH - 1)
        continue;
      kit_flush (kit);
      if (wpr_store_wants_rotate (kit->store))
        kit_rotate (kit);
    }
  kit_finish (kit, SECOND + (WprTime)n * 1000);
  return kit;
}

/* ---- playing, in a process of its own for its peak of memory ---- */

static gboolean
count_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  return TRUE;
}

static gboolean
count_event (WprSink *sink, const WprEvent *event, GError **error)
{
  return TRUE;
}

static const WprSinkClass count_class = { count_begin, count_event, count_begin, NULL };

static gint64
cpu_ns (void)
{
  struct timespec ts;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &ts);
  return (gint64)ts.tv_sec * SECOND + ts.tv_nsec;
}

typedef struct
{
  gint64 wall_ns, cpu_ns;
  guint64 events, bytes;
  glong peak_kib, anonymous_kib;
} Result;

typedef enum
{
  INTO_NOTHING,
  INTO_ETL,
  INTO_NAMED,
  INTO_COMPRESSED,
} Into;
static const char *const into_names[] = { "counting", "etl", "with names", "compressed" };

/* Of this process, now: the pages of mapped files are the kernel's to take back. */
static glong
anonymous_kib (void)
{
  g_autofree char *text = NULL;
  const char *line;
  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL)
      || (line = strstr (text, "RssAnon:")) == NULL)
    return 0;
  return strtol (line + strlen ("RssAnon:"), NULL, 10);
}

static void
play (const Kit *kit, Into into, const char *keep, Result *result)
{
  g_autoptr (GError) error = NULL;
  WprSink counting = { &count_class };
  g_autofree char *path = g_build_filename (kit->parent, "bench.etl", NULL);
  int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  WprSink *sink = into == INTO_NOTHING ? &counting
                                       : wpr_sink_etl_new_part (fd, NULL, into == INTO_COMPRESSED);
  const WprSinkNamesWish wish = { 0 };
  WprTraceCounters counters;
  if (into == INTO_NAMED)
    wpr_sink_etl_want_names (sink, &wish);
  gint64 wall = g_get_monotonic_time (), cpu = cpu_ns ();
  g_autoptr (WprTrace) trace = wpr_trace_open (kit->path, &error);
  if (trace == NULL || sink == NULL || !wpr_trace_play (trace, &sink, 1, NULL, NULL, &error))
    {
      g_printerr ("%s\n", error->message);
      _exit (1);
    }
  wpr_trace_counters (trace, &counters);
  result->wall_ns = (g_get_monotonic_time () - wall) * 1000;
  result->cpu_ns = cpu_ns () - cpu;
  result->events = counters.events;
  result->bytes = (guint64)lseek (fd, 0, SEEK_END);
  result->anonymous_kib = anonymous_kib ();
  if (into != INTO_NOTHING)
    wpr_sink_free (sink);
  close (fd);
  if (keep == NULL || rename (path, keep) != 0)
    unlink (path);
}

static Result
play_in_child (const Kit *kit, Into into, const char *keep)
{
  Result result = { 0 };
  struct rusage usage;
  int pipe_fds[2], status;
  if (pipe (pipe_fds) != 0)
    abort ();
  fflush (stdout);
  pid_t pid = fork ();
  if (pid == 0)
    {
      play (kit, into, keep, &result);
      _exit (write (pipe_fds[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
  close (pipe_fds[1]);
  if (read (pipe_fds[0], &result, sizeof result) != sizeof result)
    result.events = 0;
  close (pipe_fds[0]);
  wait4 (pid, &status, 0, &usage);
  result.peak_kib = usage.ru_maxrss;
  return result;
}

static void
print_result (const char *what, Into into, const Result *r)
{
  if (r->events == 0)
    {
      printf ("%-20s %-10s failed\n", what, into_names[into]);
      return;
    }
  printf ("%-20s %-10s %9" G_GUINT64_FORMAT " events  %5.2f M events/s a core (CPU)  %5.2f M/s "
          "(wall)  %5.1f B/event  peak RSS %ld KiB, %ld of it not files\n",
          what, into_names[into], r->events, (double)r->events * 1e3 / (double)r->cpu_ns,
          (double)r->events * 1e3 / (double)r->wall_ns, (double)r->bytes / (double)r->events,
          r->peak_kib, r->anonymous_kib);
}

/* A sample with its stack is so many bytes in a file. */
#define SAMPLE_BYTES 257

/* Files of the sizes: what writing each takes, side by side. */
static int
measure_memory (char **words)
{
  guint n = g_strv_length (words);
  const char *keep = n > 0 && g_str_has_suffix (words[n - 1], ".etl") ? words[n - 1] : NULL;
  for (guint i = 0; words[i] != NULL && words[i] != keep; i++)
    {
      gboolean last = words[i + 1] == NULL || words[i + 1] == keep;
      guint64 bytes = g_ascii_strtoull (words[i], NULL, 10) * 1000000;
      g_autofree char *what = g_strdup_printf ("%s MB", words[i]);
      g_autoptr (Kit) kit = make (LOAD_SAMPLES, MAX (bytes / SAMPLE_BYTES, 1000));
      Result etl = play_in_child (kit, INTO_ETL, last ? keep : NULL);
      print_result (what, INTO_ETL, &etl);
      Result compressed = play_in_child (kit, INTO_COMPRESSED, NULL);
      print_result (what, INTO_COMPRESSED, &compressed);
      fflush (stdout);
    }
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc > 2 && strcmp (argv[1], "memory") == 0)
    return measure_memory (argv + 2);
  double millions = argc > 1 ? g_ascii_strtod (argv[1], NULL) : 2;
  guint64 n = (guint64)(CLAMP (millions, 0.01, 1000) * 1e6);
  for (guint load = 0; load < N_LOADS; load++)
    {
      g_autoptr (Kit) kit = make (load, n);
      for (Into into = INTO_NOTHING; into <= INTO_COMPRESSED; into++)
        {
          Result result = play_in_child (kit, into, NULL);
          print_result (load_names[load], into, &result);
        }
    }
  g_autoptr (Kit) four = make (LOAD_SCHEDULER, 4 * n);
  for (Into into = INTO_NOTHING; into <= INTO_COMPRESSED; into++)
    {
      Result result = play_in_child (four, into, NULL);
      print_result ("scheduler, 4x length", into, &result);
    }
  return 0;
}
