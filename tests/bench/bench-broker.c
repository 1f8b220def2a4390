/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The broker beside opening directly (with-system-bus --root allow): start time, opening and
 * closing 50 events on every CPU in turns, requests a second, memory. On a busy machine the time
 * from call to answer is that of others, too; the CPU time of both processes is not. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "broker/client/client.h"

#define N_EVENTS 50
#define N_ROUNDS 6
#define N_REQUESTS 5000
#define RING_BYTES (1024 * 1024)

typedef struct
{
  double open_ms, open_cpu_ms, close_ms;
} Times;

static WprPerfEvent events[N_EVENTS];

static void
die (const char *what, const GError *error)
{
  fprintf (stderr, "%s: %s\n", what, error != NULL ? error->message : "failed");
  exit (1);
}

/* Tracepoints with a hook of their own each, which is what takes long; those of system calls share
 * two. */
static void
choose_events (void)
{
  static const char *const systems[]
      = { "sched", "block", "timer", "irq", "workqueue", "writeback" };
  guint n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (systems); i++)
    {
      g_autofree char *path = g_build_filename (wpr_tracefs_path (), "events", systems[i], NULL);
      g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
      for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
        {
          g_autofree char *event = g_strdup_printf ("%s:%s", systems[i], name);
          if (n == N_EVENTS || wpr_tracefs_id (event) < 0)
            continue;
          events[n] = (WprPerfEvent){
            .row = n, .kind = WPR_PERF_TRACEPOINT, .name = g_steal_pointer (&event), .period = 1
          };
          n++;
        }
    }
  if (n < N_EVENTS)
    die ("events", NULL);
}

static guint32
pid_of_broker (void)
{
  guint32 pid = 0;
  g_autoptr (GDBusConnection) bus = g_bus_get_sync (G_BUS_TYPE_SYSTEM, NULL, NULL);
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "GetConnectionUnixProcessID", g_variant_new ("(s)", "io.github.performance_recorder.Broker"),
      G_VARIANT_TYPE ("(u)"), G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  if (answer != NULL)
    g_variant_get (answer, "(u)", &pid);
  return pid;
}

static guint64
memory_of_broker (void)
{
  g_autofree char *path = g_strdup_printf ("/proc/%u/status", pid_of_broker ());
  g_autofree char *status = wpr_read_small (path, 65536, NULL);
  const char *rss = status != NULL ? strstr (status, "VmRSS:") : NULL;
  return rss != NULL ? g_ascii_strtoull (rss + strlen ("VmRSS:"), NULL, 10) : 0;
}

/* CPU time so far of this process and of all threads of the service, which sleep: the kernel's
 * figure of a thread that runs is as old as the last tick. */
static double
cpu_ms (guint32 pid)
{
  struct timespec own;
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &own);
  double ms = (double)own.tv_sec * 1e3 + (double)own.tv_nsec / 1e6;
  g_autofree char *path = g_strdup_printf ("/proc/%u/task", pid);
  g_autoptr (GDir) tasks = g_dir_open (path, 0, NULL);
  for (const char *task; tasks != NULL && (task = g_dir_read_name (tasks)) != NULL;)
    {
      g_autofree char *name = g_build_filename (path, task, "schedstat", NULL);
      g_autofree char *text = wpr_read_small (name, 4096, NULL);
      ms += text != NULL ? g_ascii_strtod (text, NULL) / 1e6 : 0;
    }
  return ms;
}

/* Opens and closes once; the least of all rounds is kept. */
static void
measure (WprOpener *opener, guint32 broker, Times *times)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  WprRingSpec spec = { .bytes = RING_BYTES };
  WprOpened opened = { 0 };
  double cpu_begun = cpu_ms (broker);
  gint64 begun = g_get_monotonic_time ();
  if (!wpr_opener_open (opener, events, N_EVENTS, &spec, 1, (const guint *)cpus->data, cpus->len,
                        &opened, &error))
    die ("open", error);
  gint64 open = g_get_monotonic_time ();
  double cpu_open = cpu_ms (broker);
  if (opened.ids->len != N_EVENTS * cpus->len)
    die ("events", NULL);
  wpr_opened_clear (&opened);
  wpr_opener_close (opener);
  gint64 closed = g_get_monotonic_time ();
  times->open_ms = MIN (times->open_ms, (double)(open - begun) / 1000);
  times->open_cpu_ms = MIN (times->open_cpu_ms, cpu_open - cpu_begun);
  times->close_ms = MIN (times->close_ms, (double)(closed - open) / 1000);
}

/* The smallest request there is: a socket's way there and back. */
static double
requests_a_second (WprBrokerSession *session)
{
  gint64 begun = g_get_monotonic_time ();
  for (guint i = 0; i < N_REQUESTS; i++)
    if (!wpr_broker_facts_formats (session, NULL, 0, NULL))
      die ("request", NULL);
  return N_REQUESTS * 1e6 / (double)(g_get_monotonic_time () - begun);
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  Times direct = { 1e9, 1e9, 1e9 }, broker = direct;
  gint64 begun = g_get_monotonic_time ();
  WprBrokerAnswer answer = wpr_broker_ask ();
  double start_ms = (double)(g_get_monotonic_time () - begun) / 1000;
  if (answer == WPR_BROKER_NO)
    die ("ask", NULL);
  begun = g_get_monotonic_time ();
  g_autoptr (WprBrokerSession) session
      = wpr_broker_begin ("file", FALSE, FALSE, "bench", NULL, &error);
  if (session == NULL)
    die ("begin", error);
  double begin_ms = (double)(g_get_monotonic_time () - begun) / 1000;
  guint64 idle_kb = memory_of_broker ();
  guint32 pid = pid_of_broker ();

  choose_events ();
  g_autoptr (WprOpener) local = wpr_opener_local_new ();
  g_autoptr (WprOpener) remote = wpr_opener_broker_new (session);
  for (guint i = 0; i < N_ROUNDS; i++)
    {
      measure (local, pid, &direct);
      measure (remote, pid, &broker);
    }
  begun = g_get_monotonic_time ();
  g_autoptr (GBytes) rundown = wpr_broker_facts_rundown (session, FALSE, NULL);
  double rundown_ms = (double)(g_get_monotonic_time () - begun) / 1000;
  g_autoptr (GBytes) symbols = wpr_broker_facts_kallsyms (session, NULL);
  printf ("start by the first call %.0f ms, begin a session %.1f ms\n", start_ms, begin_ms);
  printf ("open %u events on every CPU: directly %.1f ms, broker %.1f ms: %.2f x\n", N_EVENTS,
          direct.open_ms, broker.open_ms, broker.open_ms / direct.open_ms);
  printf ("CPU time of that, both processes: directly %.1f ms, broker %.1f ms: %.2f x\n",
          direct.open_cpu_ms, broker.open_cpu_ms, broker.open_cpu_ms / direct.open_cpu_ms);
  printf ("close them: directly %.0f ms, broker %.0f ms\n", direct.close_ms, broker.close_ms);
  printf ("requests a second: %.0f; list of processes (%zu KiB) %.0f ms\n",
          requests_a_second (session), rundown != NULL ? g_bytes_get_size (rundown) / 1024 : 0,
          rundown_ms);
  printf ("memory of the service: %" G_GUINT64_FORMAT " KiB, after all that %" G_GUINT64_FORMAT
          " KiB\n",
          idle_kb, memory_of_broker ());
  return 0;
}
