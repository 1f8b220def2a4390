/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A process whose priorities, states, names, user and program are known, through the independent
 * walker. */
#include "config.h"

#include <elf.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "walked.h"

#define NICE 10 /* 15 - 30 x 14 / 39 */
#define NICE_BASE 5
#define FIFO 50 /* 16 + 49 x 15 / 98 */
#define FIFO_BASE 23
#define SOMEBODY 4711

typedef struct
{
  pid_t nice, fifo, stopped, user;
  gboolean is_fifo, is_user; /* where the kernel lets us */
} People;

static void
nap (guint n)
{
  for (guint i = 0; i < n; i++)
    g_usleep (1000);
}

static pid_t
child (void (*work) (void))
{
  pid_t pid = fork ();

  if (pid != 0)
    return pid;
  work ();
  _exit (0);
}

static void
be_nice (void)
{
  prctl (PR_SET_NAME, "quite-nice");
  setpriority (PRIO_PROCESS, 0, NICE);
  nap (20);
}

static void
be_urgent (void)
{
  struct sched_param param = { .sched_priority = FIFO };

  if (sched_setscheduler (0, SCHED_FIFO, &param) != 0)
    _exit (1);
  nap (20);
}

static void
be_stopped (void)
{
  raise (SIGSTOP);
}

static void
be_somebody (void)
{
  if (setgid (SOMEBODY) != 0 || setuid (SOMEBODY) != 0)
    _exit (1);
  execl ("/bin/sleep", "sleep", "0.8", NULL);
  _exit (2);
}

static gboolean
ended_well (pid_t pid)
{
  int status = -1;

  assert_int_equal (waitpid (pid, &status, 0), pid);
  return status == 0;
}

static People
live (void)
{
  People people = { .nice = child (be_nice),
                    .fifo = child (be_urgent),
                    .stopped = child (be_stopped),
                    .user = child (be_somebody) };
  int status;

  people.is_fifo = ended_well (people.fifo);
  people.is_user = ended_well (people.user);
  assert_true (ended_well (people.nice));
  assert_int_equal (waitpid (people.stopped, &status, WUNTRACED), people.stopped);
  nap (5);
  kill (people.stopped, SIGCONT);
  assert_true (ended_well (people.stopped));
  return people;
}

/* Of the switches away from a thread: its priority as last seen, and whether a state was. */
typedef struct
{
  guint n, priority;
  gboolean states[8][40]; /* by state and reason */
} Away;

static Away
away (const Drive *d, pid_t tid)
{
  g_auto (GStrv) lines = walked (d, "0524");
  Away result = { 0 };
  Raw raw;

  for (guint i = 0; lines[i] != NULL; i++)
    if (walked_parse (lines[i], &raw) && walked_u32 (raw.bytes + 4) == (guint32)tid)
      {
        assert_int_equal (raw.size, 24);
        assert_true (raw.bytes[14] < 8 && raw.bytes[12] < 40);
        result.states[raw.bytes[14]][raw.bytes[12]] = TRUE;
        if (raw.bytes[14] == 5) /* waits: it had settled by then */
          result.priority = raw.bytes[9];
        result.n++;
      }
  return result;
}

static void
check_switches (const Drive *d, const People *people)
{
  Away nice = away (d, people->nice), fifo = away (d, people->fifo);
  Away stopped = away (d, people->stopped);

  assert_true (nice.n >= 15);
  assert_int_equal (nice.priority, NICE_BASE);
  assert_true (nice.states[5][6]);  /* waiting, user request */
  assert_true (nice.states[4][22]); /* terminated */
  if (people->is_fifo)
    assert_int_equal (fifo.priority, FIFO_BASE);
  else
    print_message ("SCHED_FIFO is refused: not looked at\n");
  assert_true (stopped.states[5][5]); /* waiting, suspended */
}

/* S-1-22-1-uid, behind a token of 16 bytes; then the program's name. */
static void
check_user (const Drive *d, const People *people)
{
  static const guint8 unix_user[] = { 1, 2, 0, 0, 0, 0, 0, 22, 1, 0, 0, 0 };
  g_auto (GStrv) lines = walked (d, "0301");
  guint n = 0;
  Raw raw;

  if (!people->is_user)
    {
      print_message ("another user is refused: not looked at\n");
      return;
    }
  for (guint i = 0; lines[i] != NULL; i++)
    if (walked_parse (lines[i], &raw) && walked_u32 (raw.bytes + 8) == (guint32)people->user
        && strcmp ((const char *)raw.bytes + 36 + 16 + 16, "sleep") == 0)
      {
        const gunichar2 *line = (const gunichar2 *)(raw.bytes + 36 + 16 + 16 + sizeof "sleep");
        gunichar2 copy[32];
        g_autofree char *command = NULL;

        assert_memory_equal (raw.bytes + 36 + 16, unix_user, sizeof unix_user);
        n += walked_u32 (raw.bytes + 36 + 16 + 12) == SOMEBODY;
        memcpy (copy, line, sizeof copy);
        copy[31] = 0;
        command = g_utf16_to_utf8 (copy, -1, NULL, NULL, NULL);
        assert_string_equal (command, "sleep 0.8");
        assert_int_equal (walked_u32 (raw.bytes + 12), getpid ());
      }
  assert_true (n > 0);
}

/* Where a file begins to run, by its own header. */
static guint64
entry_of (const char *path)
{
  g_autofree char *bytes = NULL;
  gsize size = 0;

  assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  return size >= sizeof (Elf64_Ehdr) && bytes[EI_CLASS] == ELFCLASS64
             ? ((const Elf64_Ehdr *)bytes)->e_entry
             : 0;
}

static void
check_start (const Drive *d, const People *people)
{
  g_autofree char *program = realpath ("/bin/sleep", NULL);
  guint64 entry = entry_of (program), base = 0, start = 0;
  g_auto (GStrv) images = walked (d, "images");
  g_auto (GStrv) threads = walked (d, "0501");
  g_autofree char *load = g_strdup_printf ("load %d ", people->user);
  Raw raw;

  if (!people->is_user || entry == 0)
    return;
  for (guint i = 0; images[i] != NULL; i++)
    if (g_str_has_prefix (images[i], load) && g_str_has_suffix (images[i], "\\sleep"))
      base = g_ascii_strtoull (images[i] + strlen (load), NULL, 16);
  for (guint i = 0; threads[i] != NULL; i++)
    if (walked_parse (threads[i], &raw) && walked_u32 (raw.bytes + 4) == (guint32)people->user
        && walked_u64 (raw.bytes + 48) != 0)
      start = walked_u64 (raw.bytes + 48);
  assert_true (base != 0);
  assert_true (start == base + entry); /* a program that may lie anywhere is linked at 0 */
}

/* The nice one ends as such, whatever it began as. */
static void
check_end (const Drive *d, const People *people)
{
  g_auto (GStrv) lines = walked (d, "0502");
  guint n = 0;
  Raw raw;

  for (guint i = 0; lines[i] != NULL; i++)
    if (walked_parse (lines[i], &raw) && walked_u32 (raw.bytes + 4) == (guint32)people->nice)
      {
        assert_int_equal (raw.bytes[68], NICE_BASE);
        n++;
      }
  assert_int_equal (n, 1);
}

/* The name a thread gives itself, and that of its process. */
static void
check_names (const Drive *d, const People *people)
{
  g_auto (GStrv) lines = walked (d, "0548");
  guint n = 0;
  Raw raw;

  for (guint i = 0; lines[i] != NULL; i++)
    if (walked_parse (lines[i], &raw) && walked_u32 (raw.bytes + 4) == (guint32)people->nice)
      {
        g_autofree char *name
            = g_utf16_to_utf8 ((const gunichar2 *)(raw.bytes + 8), -1, NULL, NULL, NULL);

        n += g_str_equal (name, "quite-nice");
      }
  assert_int_equal (n, 1);
}

static void
processes_and_threads_are_what_they_were (void **state)
{
  People people;
  Drive d;

  walked_start (&d, "CPU");
  people = live ();
  walked_stop (&d);
  check_switches (&d, &people);
  check_user (&d, &people);
  check_start (&d, &people);
  check_names (&d, &people);
  check_end (&d, &people);
  drive_clear (&d);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (processes_and_threads_are_what_they_were),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
