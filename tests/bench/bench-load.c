/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The load a recorder is measured under, counted by a group of its own that records nothing:
 *
 *   bench-load KIND AMOUNT CPUS [EVENT,EVENT...]
 *
 * KIND: switches (two threads a CPU wake each other AMOUNT times), syscalls (AMOUNT calls a CPU),
 * paced (100 000 calls a second and CPU for AMOUNT seconds), stacks (deep calls for AMOUNT
 * seconds), disk (AMOUNT writes of 4 KiB a CPU, past the page cache, in /var/tmp), idle (AMOUNT
 * seconds). CPUS: how many CPUs, from 0. Prints one line of JSON. */
#include "config.h"
#include "perf/event.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PACED_CALLS_A_SECOND 100000
#define PACED_SLICE_US 5000
#define STACK_DEPTH 40
#define WRITE_BYTES 4096
#define WRITE_BLOCKS 1024 /* of the file: written over and over */

typedef struct
{
  const char *kind;
  guint64 amount;
  guint cpu;
  int here[2], there[2]; /* pipes of the pair */
} Load;

static void
bind_to (guint cpu)
{
  cpu_set_t set;
  CPU_ZERO (&set);
  CPU_SET (cpu, &set);
  sched_setaffinity (0, sizeof set, &set);
}

static void
pass_on (int from, int to, guint64 n, gboolean first)
{
  char token = 'x';
  for (guint64 i = 0; i < n; i++)
    if ((first && (write (to, &token, 1) != 1 || read (from, &token, 1) != 1))
        || (!first && (read (from, &token, 1) != 1 || write (to, &token, 1) != 1)))
      exit (3);
}

static gpointer
answer (gpointer data)
{
  Load *load = data;
  bind_to (load->cpu);
  pass_on (load->here[0], load->there[1], load->amount, FALSE);
  return NULL;
}

static void
run_switches (Load *load)
{
  if (pipe (load->here) != 0 || pipe (load->there) != 0)
    exit (3);
  GThread *other = g_thread_new ("answer", answer, load);
  pass_on (load->there[0], load->here[1], load->amount, TRUE);
  g_thread_join (other);
}

static void
run_syscalls (Load *load)
{
  for (guint64 i = 0; i < load->amount; i++)
    syscall (SYS_getppid);
}

/* In slices, and from the clock: a slice that was late is made up for. */
static void
run_paced (Load *load)
{
  gint64 begin = g_get_monotonic_time ();
  gint64 end = begin + (gint64)load->amount * G_USEC_PER_SEC;
  guint64 made = 0;
  for (gint64 now = begin; now < end; now = g_get_monotonic_time ())
    {
      guint64 due = (guint64)(now - begin) * PACED_CALLS_A_SECOND / G_USEC_PER_SEC;
      for (; made < due; made++)
        syscall (SYS_getppid);
      g_usleep (PACED_SLICE_US);
    }
}

static guint64 __attribute__ ((noinline)) go_deeper (guint depth, guint64 n)
{
  volatile guint64 sum = 0;
  if (depth > 0)
    return go_deeper (depth - 1, n) + 1;
  while (n-- > 0)
    sum += n;
  return sum;
}

static void
run_stacks (Load *load)
{
  gint64 end = g_get_monotonic_time () + (gint64)load->amount * G_USEC_PER_SEC;
  while (g_get_monotonic_time () < end)
    go_deeper (STACK_DEPTH, 100000);
}

static void
run_disk (Load *load)
{
  int fd = open ("/var/tmp", O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
  void *block = aligned_alloc (WRITE_BYTES, WRITE_BYTES);
  if (fd < 0 || block == NULL)
    exit (3);
  memset (block, 'x', WRITE_BYTES);
  for (guint64 i = 0; i < load->amount; i++)
    if (pwrite (fd, block, WRITE_BYTES, (off_t)(i % WRITE_BLOCKS * WRITE_BYTES)) != WRITE_BYTES)
      exit (3);
  free (block);
  close (fd);
}

static void
run_idle (Load *load)
{
  g_usleep (load->amount * G_USEC_PER_SEC);
}

static const struct
{
  const char *kind;
  void (*run) (Load *load);
} kinds[] = {
  { "switches", run_switches }, { "syscalls", run_syscalls }, { "paced", run_paced },
  { "stacks", run_stacks },     { "disk", run_disk },         { "idle", run_idle },
};

static gpointer
run_load (gpointer data)
{
  Load *load = data;
  bind_to (load->cpu);
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].kind, load->kind))
      kinds[i].run (load);
  return NULL;
}

/* ---- counting ---- */

static int
open_counter (const char *name, guint cpu, int leader)
{
  struct perf_event_attr attr = { .size = sizeof attr, .disabled = leader < 0 };
  attr.type = name != NULL ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE;
  attr.config = name != NULL ? (guint64)wpr_tracefs_id (name) : PERF_COUNT_SW_DUMMY;
  return (int)syscall (SYS_perf_event_open, &attr, -1, (int)cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/* fds: a leader and a counter of each event, CPU by CPU. */
static GArray *
open_counters (char **events, const GArray *cpus)
{
  GArray *fds = g_array_new (FALSE, FALSE, sizeof (int));
  for (guint i = 0; i < cpus->len; i++)
    {
      guint cpu = g_array_index (cpus, guint, i);
      int leader = open_counter (NULL, cpu, -1);
      g_array_append_val (fds, leader);
      for (char **event = events; *event != NULL; event++)
        {
          int fd = open_counter (*event, cpu, leader);
          if (fd < 0)
            {
              fprintf (stderr, "%s cannot be counted: %s\n", *event, g_strerror (errno));
              exit (2);
            }
          g_array_append_val (fds, fd);
        }
    }
  return fds;
}

static void
switch_counters (const GArray *fds, guint n_events, unsigned long request)
{
  for (guint i = 0; i < fds->len; i += n_events + 1)
    ioctl (g_array_index (fds, int, i), request, 0);
}

static guint64
count_of (const GArray *fds, guint n_events, guint event)
{
  guint64 sum = 0, count;
  for (guint i = 0; i < fds->len; i += n_events + 1)
    if (read (g_array_index (fds, int, i + 1 + event), &count, sizeof count) == sizeof count)
      sum += count;
  return sum;
}

int
main (int argc, char **argv)
{
  if (argc < 4)
    {
      fprintf (stderr, "usage: bench-load KIND AMOUNT CPUS [EVENT,EVENT...]\n");
      return 1;
    }
  g_auto (GStrv) events = g_strsplit (argc > 4 ? argv[4] : "", ",", -1);
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  g_autoptr (GPtrArray) threads = g_ptr_array_new ();
  guint n_cpus = MIN ((guint)atoi (argv[3]), cpus->len);
  g_autofree Load *loads = g_new0 (Load, n_cpus);
  guint n_events = g_strv_length (events);
  g_autoptr (GArray) fds = open_counters (events, cpus);

  switch_counters (fds, n_events, PERF_EVENT_IOC_ENABLE);
  gint64 begin = g_get_monotonic_time ();
  for (guint i = 0; i < n_cpus; i++)
    {
      loads[i] = (Load){ .kind = argv[1],
                         .amount = g_ascii_strtoull (argv[2], NULL, 10),
                         .cpu = g_array_index (cpus, guint, i) };
      g_ptr_array_add (threads, g_thread_new ("load", run_load, &loads[i]));
    }
  for (guint i = 0; i < n_cpus; i++)
    g_thread_join (threads->pdata[i]);
  double seconds = (double)(g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  switch_counters (fds, n_events, PERF_EVENT_IOC_DISABLE);

  guint64 all = 0;
  printf ("{\"seconds\":%.6f,\"counts\":{", seconds);
  for (guint i = 0; i < n_events; i++)
    {
      guint64 count = count_of (fds, n_events, i);
      all += count;
      printf ("%s\"%s\":%" G_GUINT64_FORMAT, i > 0 ? "," : "", events[i], count);
    }
  printf ("},\"events\":%" G_GUINT64_FORMAT "}\n", all);
  return 0;
}
