/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every keyword of the built-in profiles on the real kernel: the load it is about is made, and the
 * file has an event of it with the field one asks it for; else the plan noted that this kernel
 * lacks the event, or the kernel itself counted none. */
#include "config.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "etl/reader.h"
#include "profile/keywords.h"
#include "walked.h"

/* The profiles whose keywords are all there are; others have only some of them. */
static const char *const profiles[]
    = { "CPU",     "DiskIO", "FileIO", "Memory",     "ResidentSet", "VirtualAllocation", "Pool",
        "Network", "Power",  "Handle", "SystemCall", "Drivers",     "Virtualization" };

/* What a keyword is asked for. A kernel event: a field that is not 0 somewhere, by place. One of a
 * tracepoint's own: a field by name. Rows of one keyword are ways to the same; one is enough. */
static const struct
{
  const char *keyword, *kind, *field;
  guint at, size;
} wanted[] = {
  { "ProcessThread", "0301", NULL, 8, 4 },  /* process */
  { "Loader", "030a", NULL, 0, 8 },         /* base */
  { "CpuConfig", "0b0a", NULL, 8, 4 },      /* memory */
  { "CSwitch", "0524", NULL, 0, 4 },        /* thread */
  { "ReadyThread", "0532", NULL, 0, 4 },    /* thread */
  { "SampledProfile", "0f2e", NULL, 0, 8 }, /* address */
  { "DPC", "0f44", NULL, 8, 8 },            /* routine */
  { "DPCQueue", "Linux.irq/softirq_raise", "vec", 0, 0 },
  { "Interrupt", "0f43", NULL, 8, 8 },               /* routine */
  { "InterProcessorInterrupt", "0f43", NULL, 8, 8 }, /* routine */
  { "DiskIO", "010b", NULL, 8, 4 },                  /* bytes */
  { "DiskIOInit", "010d", NULL, 8, 4 },              /* who asked */
  { "SplitIO", "Linux.block/block_split", "sector", 0, 0 },
  { "FileIO", "0444", NULL, 36, 4 },    /* bytes */
  { "FileIOInit", "0440", NULL, 0, 8 }, /* request */
  { "Filename", "0420", NULL, 8, 2 },   /* name */
  { "Filename", "0424", NULL, 8, 2 },
  { "HardFaults", "0220", NULL, 16, 8 }, /* address */
  { "AllFaults", "020a", NULL, 0, 8 },   /* address */
  { "AllFaults", "020b", NULL, 0, 8 },
  { "VirtualAllocation", "0262", NULL, 8, 8 }, /* bytes */
  { "VAMap", "0263", NULL, 8, 8 },
  { "MemoryInfo", "Linux.Sampler/meminfo", "MemFree", 0, 0 },
  { "MemoryInfoWS", "Linux.Sampler/rss", "", 0, 0 },
  { "Memory", "Linux.kmem/mm_page_alloc", "pfn", 0, 0 },
  { "ReferenceSet", "Linux.kmem/mm_page_alloc", "order", 0, 0 },
  { "Pool", "Linux.kmem/kmalloc", "bytes_alloc", 0, 0 },
  { "NetworkTrace", "060a", NULL, 4, 4 }, /* bytes */
  { "Power", "Linux.power/cpu_frequency", "state", 0, 0 },
  { "IdleStates", "Linux.power/cpu_idle", "state", 0, 0 },
  { "WakeCounter", "Linux.power/wakeup_source_activate", "name", 0, 0 },
  { "WakeEvent", "Linux.power/wakeup_source_activate", "name", 0, 0 },
  { "ThreadPriority", "Linux.syscalls/sys_enter_setpriority", "niceval", 0, 0 },
  { "IdealProcessor", "Linux.sched/sched_migrate_task", "dest_cpu", 0, 0 },
  { "SystemCall", "0f33", NULL, 0, 8 }, /* routine */
  { "Timer", "0f45", NULL, 8, 8 },      /* routine */
  { "KernelQueue", "Linux.workqueue/workqueue_execute_start", "function", 0, 0 },
  { "Handle", "Linux.syscalls/sys_enter_socket", "family", 0, 0 },
  { "HvHypercalls", "Linux.kvm/kvm_exit", "exit_reason", 0, 0 },
  { "Drivers", "Linux.workqueue/workqueue_queue_work", "function", 0, 0 },
};

/* ---- the load ---- */

static glong n_hard; /* faults of this program while it was recorded */

static glong
n_major (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_majflt;
}

/* Where temporary files are is often no disk, and has no pages to wait for. */
static char *
load_path (void)
{
  return g_build_filename (g_getenv ("WPR_BUILD_ROOT"), "keywords-load.bin", NULL);
}

static void
touch_files (void)
{
  g_autofree char *path = load_path ();
  void *block = NULL;
  int fd = open (path, O_CREAT | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);

  if (fd < 0) /* no such thing there, say on a tmpfs */
    fd = open (path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  assert_true (fd >= 0);
  assert_int_equal (posix_memalign (&block, 4096, 65536), 0);
  memset (block, 1, 65536);
  assert_int_equal (write (fd, block, 65536), 65536);
  fsync (fd);
  posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED);
  volatile guint8 *mapped = mmap (NULL, 65536, PROT_READ, MAP_SHARED, fd, 0);
  assert_true (mapped != MAP_FAILED && mapped[8192] == 1);
  munmap ((void *)mapped, 65536);
  free (block);
  close (fd);
}

static void
touch_memory (void)
{
  const gsize size = 4 << 20;

  for (guint n = 0; n < 4; n++)
    {
      guint8 *at = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

      assert_true (at != MAP_FAILED);
      memset (at, 1, size);
      munmap (at, size);
    }
}

static void
talk (void)
{
  struct sockaddr_in address
      = { .sin_family = AF_INET, .sin_addr.s_addr = g_htonl (INADDR_LOOPBACK) };
  socklen_t size = sizeof address;
  int listener = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int client = socket (AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  char bytes[100] = { 0 };

  assert_int_equal (bind (listener, (struct sockaddr *)&address, size), 0);
  assert_int_equal (listen (listener, 1), 0);
  assert_int_equal (getsockname (listener, (struct sockaddr *)&address, &size), 0);
  assert_int_equal (connect (client, (struct sockaddr *)&address, size), 0);
  int server = accept (listener, NULL, NULL);
  assert_int_equal (send (client, bytes, sizeof bytes, 0), sizeof bytes);
  assert_int_equal (recv (server, bytes, sizeof bytes, MSG_WAITALL), sizeof bytes);
  close (server);
  close (client);
  close (listener);
}

/* From one processor to the next, where there are two. */
static void
wander (void)
{
  cpu_set_t all, one;

  assert_int_equal (sched_getaffinity (0, sizeof all, &all), 0);
  for (guint cpu = 0; cpu < 8; cpu++)
    {
      CPU_ZERO (&one);
      CPU_SET (cpu, &one);
      if (CPU_ISSET (cpu, &all) && sched_setaffinity (0, sizeof one, &one) == 0)
        g_usleep (2000);
    }
  assert_int_equal (sched_setaffinity (0, sizeof all, &all), 0);
}

static void
make_load (Drive *d)
{
  gint64 until = g_get_monotonic_time () + 100000;

  glong before = n_major ();
  touch_files ();
  touch_memory ();
  talk ();
  wander ();
  run_programs (d->root, "true", 5, 2);
  setpriority (PRIO_PROCESS, 0, getpriority (PRIO_PROCESS, 0));
  while (g_get_monotonic_time () < until) /* samples */
    syscall (SYS_getppid);
  n_hard = n_major () - before;
  g_usleep (1200000); /* what is read once a second */
}

/* ---- the file ---- */

/* Rows that were seen, in one pass: the file is large, and the walker would go through it for each.
 */
typedef struct
{
  gboolean seen[G_N_ELEMENTS (wanted)];
} Seen;

static gboolean
has_number (const WprEtlEvent *event, guint at, guint size)
{
  for (guint i = 0; at + size <= event->payload_size && i < size; i++)
    if (event->payload[at + i] != 0)
      return TRUE;
  return FALSE;
}

/* The schema has each field's name, with its NUL. */
static gboolean
has_field (const WprEtlEvent *event, const char *field)
{
  return memmem (event->schema, event->schema_size, field, strlen (field) + 1) != NULL;
}

static gboolean
look (const WprEtlEvent *event, gpointer data)
{
  Seen *seen = data;
  char kind[160];

  if (event->schema != NULL)
    g_snprintf (kind, sizeof kind, "%s/%s", event->provider, event->name);
  else
    g_snprintf (kind, sizeof kind, "%04x", event->hook);
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    if (!seen->seen[i] && g_str_equal (wanted[i].kind, kind))
      seen->seen[i] = wanted[i].field == NULL ? has_number (event, wanted[i].at, wanted[i].size)
                                              : has_field (event, wanted[i].field);
  return TRUE;
}

/* How often the kernel counted an event; -1: it was not recorded. Of faults it gives fewer than it
 * counts (see layouts): how many were given. */
static gint64
counted (char **tallies, const char *event)
{
  const char *figure = g_str_has_suffix (event, "-faults") ? "InFile=" : "Counted=";
  g_autofree char *name = g_strdup_printf (" Name=%s ", event);
  gint64 n = -1;

  for (guint i = 0; tallies[i] != NULL; i++)
    if (strstr (tallies[i], name) != NULL)
      n = MAX (n, 0)
          + (gint64)g_ascii_strtoull (strstr (tallies[i], figure) + strlen (figure), NULL, 10);
  return n;
}

static gboolean
is_noted (char **notes, const char *event)
{
  g_autofree char *text = g_strdup_printf ("What=%s: ", event);

  for (guint i = 0; notes[i] != NULL; i++)
    if (strstr (notes[i], text) != NULL)
      return TRUE;
  return FALSE;
}

/* The wanted event itself was not there to be had, or nothing of it happened. What the kernel
 * counts of hard faults are everybody's, the recorder's too, which are not in the file. */
static gboolean
is_excused (const char *keyword, const char *kind, char **tallies, char **notes)
{
  if (g_str_equal (keyword, "HardFaults") && n_hard == 0)
    return TRUE;
  const WprKeywordRow *row = wpr_keyword_find (keyword);
  const char *slash = strchr (kind, '/');

  assert_non_null (row);
  for (guint i = 0; row->events != NULL && row->events[i] != NULL; i++)
    {
      const char *event = row->events[i][0] == '?' ? row->events[i] + 1 : row->events[i];
      const char *name = strrchr (event, '/') != NULL ? strrchr (event, '/') + 1 : event;
      const char *colon = strchr (event, ':');

      if (slash != NULL && colon != NULL && !g_str_equal (colon + 1, slash + 1))
        continue; /* one beside it */
      if (counted (tallies, name) > 0)
        return FALSE;
      if (row->events[i][0] != '?' && counted (tallies, name) < 0 && !is_noted (notes, name))
        return FALSE;
    }
  return TRUE;
}

/* Nobody forgot to say here what a new keyword is asked for. */
static void
check_complete (void)
{
  g_autofree char *folder = g_build_filename (g_getenv ("WPR_SOURCE_ROOT"), "profiles", NULL);
  g_autoptr (GRegex) regex = g_regex_new ("<Keyword Value=\"(\\w+)\"", 0, 0, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  assert_non_null (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;
      g_autoptr (GMatchInfo) match = NULL;

      if (!g_str_has_suffix (name, ".wprp"))
        continue;
      assert_true (g_file_get_contents (path, &text, NULL, NULL));
      for (g_regex_match (regex, text, 0, &match); g_match_info_matches (match);
           g_match_info_next (match, NULL))
        {
          g_autofree char *keyword = g_match_info_fetch (match, 1);
          gboolean found = FALSE;

          for (guint i = 0; i < G_N_ELEMENTS (wanted) && !found; i++)
            found = g_str_equal (wanted[i].keyword, keyword);
          if (!found)
            fail_msg ("what is %s of %s asked for?", keyword, name);
        }
    }
}

static void
check_file (const Drive *d)
{
  g_auto (GStrv) tallies = walked (d, "Linux.Recorder/Tally");
  g_auto (GStrv) notes = walked (d, "Linux.Recorder/NotAvailable");
  g_autofree char *path = drive_path (d, "layouts.etl");
  g_autoptr (WprEtlFile) file = wpr_etl_file_open (path, NULL);
  Seen seen = { { FALSE } };

  assert_non_null (file);
  wpr_etl_file_visit (file, look, NULL, &seen);
  for (guint i = 0; i < G_N_ELEMENTS (wanted);)
    {
      const char *keyword = wanted[i].keyword;
      guint first = i;
      gboolean found = FALSE;

      for (; i < G_N_ELEMENTS (wanted) && g_str_equal (wanted[i].keyword, keyword); i++)
        found = found || seen.seen[i];
      if (found)
        continue;
      if (!is_excused (keyword, wanted[first].kind, tallies, notes))
        fail_msg ("%s: no %s, and nobody says why", keyword, wanted[first].kind);
      print_message ("%s: this kernel has no such event, or it did not happen\n", keyword);
    }
}

static void
each_keyword_has_its_event (void **state)
{
  g_autofree char *path = load_path ();
  WprChoice *choice;
  Answer answer = { 0 };
  Drive d;

  check_complete ();
  drive_init (&d);
  choice = drive_choice (profiles[0], WPR_MODE_FILE);
  for (guint i = 1; i < G_N_ELEMENTS (profiles); i++)
    wpr_choice_add (choice, profiles[i], NULL, -1);
  drive_start (&d, choice, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  make_load (&d);
  walked_stop (&d);
  unlink (path);
  check_file (&d);
  drive_clear (&d);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (each_keyword_has_its_event),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
