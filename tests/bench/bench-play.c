/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How fast a store is played, one core: scheduler events, system calls, samples with stacks, each
 * into a sink that only counts and into an .etl. And what memory it takes for a recording and for
 * one four times as long. Usage: bench-play [MILLION_EVENTS]. Prints, asserts nothing. */
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

#include "sink/sink.h"

#define N_CPUS 2
#define BATCH 20000
#define KERNEL_FRAMES 12
#define USER_FRAMES 12

typedef enum
{
  LOAD_SCHEDULER,
  LOAD_SYSCALLS,
  LOAD_SAMPLES,
  N_LOADS
} Load;
static const char *const load_names[N_LOADS] = { "scheduler", "syscalls", "samples with stacks" };

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
    record.user_frames[i] = 0x7f0000000000 + (at * 7 + i) % 65536 * 16;
  kit_bytes (kit, cpu, &record, sizeof record);
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
    default:
      put_stack_sample (kit, cpu, time, tid, i);
      break;
    }
}

static Kit *
make (Load load, guint64 n)
{
  Kit *kit = kit_new (FALSE, 1, N_CPUS);
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
  glong peak_kib;
} Result;

static void
play (const Kit *kit, gboolean etl, Result *result)
{
  g_autoptr (GError) error = NULL;
  WprSink counting = { &count_class };
  g_autofree char *path = g_build_filename (kit->parent, "bench.etl", NULL);
  int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  WprSink *sink = etl ? wpr_sink_etl_new (fd, &error) : &counting;
  WprTraceCounters counters;
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
  if (etl)
    wpr_sink_free (sink);
  close (fd);
  unlink (path);
}

static Result
play_in_child (const Kit *kit, gboolean etl)
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
      play (kit, etl, &result);
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
print_result (const char *what, const char *into, const Result *r)
{
  if (r->events == 0)
    {
      printf ("%-20s %-8s failed\n", what, into);
      return;
    }
  printf ("%-20s %-8s %9" G_GUINT64_FORMAT " events  %5.2f M events/s a core (CPU)  %5.2f M/s "
          "(wall)  %5.1f B/event  peak RSS %ld KiB\n",
          what, into, r->events, (double)r->events * 1e3 / (double)r->cpu_ns,
          (double)r->events * 1e3 / (double)r->wall_ns, (double)r->bytes / (double)r->events,
          r->peak_kib);
}

int
main (int argc, char **argv)
{
  double millions = argc > 1 ? g_ascii_strtod (argv[1], NULL) : 2;
  guint64 n = (guint64)(CLAMP (millions, 0.01, 1000) * 1e6);
  for (guint load = 0; load < N_LOADS; load++)
    {
      g_autoptr (Kit) kit = make (load, n);
      Result counted = play_in_child (kit, FALSE), etl = play_in_child (kit, TRUE);
      print_result (load_names[load], "counting", &counted);
      print_result (load_names[load], "etl", &etl);
    }
  g_autoptr (Kit) four = make (LOAD_SCHEDULER, 4 * n);
  Result counted = play_in_child (four, FALSE), etl = play_in_child (four, TRUE);
  print_result ("scheduler, 4x length", "counting", &counted);
  print_result ("scheduler, 4x length", "etl", &etl);
  return 0;
}
