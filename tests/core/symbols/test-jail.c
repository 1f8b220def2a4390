/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Work that crashes, loops, eats memory or answers too much harms nothing but itself. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/jail-filter.h"
#include "symbols/jail.h"

typedef enum
{
  DO_ANSWER,
  DO_CRASH,
  DO_LOOP,
  DO_EAT,
  DO_TOO_LARGE,
  DO_WHO_AM_I,
  DO_USE_FD,
  DO_OPEN,
  DO_FORK,
  DO_EXIT
} Deed;

typedef struct
{
  const Deed *deeds;
  int fd;
  guint n;
  WprJailFate fates[16];
  int answers[16];
  char *texts[16];
} Run;

static int
work (guint index, guint8 **bytes, gsize *size, gpointer data)
{
  const Run *run = data;
  volatile int *nowhere = NULL;
  switch (run->deeds[index])
    {
    case DO_ANSWER:
      *bytes = (guint8 *)strdup ("hello");
      *size = 6;
      return 40 + (int)index;
    case DO_CRASH:
      signal (SIGSEGV, SIG_DFL); /* not a sanitizer's handler: this one is meant */
      return *nowhere;
    case DO_LOOP:
      for (;;)
        sched_yield ();
    case DO_EAT:
      for (guint i = 0; i < 64; i++) /* 4 GiB, of which 16 MiB are allowed */
        {
          char *more = malloc (64 << 20);
          if (more == NULL)
            return -7;
          memset (more, 1, 64 << 20);
        }
      return 0;
    case DO_TOO_LARGE:
      *bytes = calloc (1, 2 << 20);
      *size = 2 << 20;
      return 0;
    case DO_WHO_AM_I:
      return (int)geteuid ();
    case DO_USE_FD:
      return fcntl (run->fd, F_GETFD) < 0 ? errno : 0;
    case DO_OPEN:
      return open ("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0;
    case DO_FORK:
      {
        pid_t pid = fork ();
        if (pid == 0)
          _exit (0);
        return pid < 0 ? errno : 0;
      }
    case DO_EXIT:
      _exit (0);
    }
  return 0;
}

static void
result (guint index, WprJailFate fate, int answer, GBytes *bytes, gpointer data)
{
  Run *run = data;
  assert_int_equal (index, run->n); /* in order, each once */
  run->fates[run->n] = fate;
  run->answers[run->n] = answer;
  run->texts[run->n++] = bytes != NULL ? g_strdup (g_bytes_get_data (bytes, NULL)) : NULL;
}

static gboolean
go (Run *run, const Deed *deeds, guint n, const int *fds, guint n_fds, GCancellable *cancellable)
{
  run->deeds = deeds;
  WprJail jail = { .n = n,
                   .work = work,
                   .result = result,
                   .data = run,
                   .fds = fds,
                   .n_fds = n_fds,
                   .piece_us = 2 * G_USEC_PER_SEC,
                   .deadline_us = g_get_monotonic_time () + 60 * G_USEC_PER_SEC,
                   .most_memory = 16 << 20,
                   .most_bytes = 1 << 20,
                   .cancellable = cancellable };
  gboolean ok = wpr_jail_run (&jail);
  assert_int_equal (waitpid (-1, NULL, WNOHANG), -1); /* nobody is left */
  assert_int_equal (errno, ECHILD);
  return ok;
}

static void
run_clear (Run *run)
{
  for (guint i = 0; i < run->n; i++)
    g_free (run->texts[i]);
}

static void
answers_come_in_order (void **state)
{
  const Deed deeds[] = { DO_ANSWER, DO_ANSWER, DO_ANSWER };
  Run run = { 0 };
  assert_true (go (&run, deeds, G_N_ELEMENTS (deeds), NULL, 0, NULL));
  assert_int_equal (run.n, 3);
  for (guint i = 0; i < 3; i++)
    {
      assert_int_equal (run.fates[i], WPR_JAIL_DONE);
      assert_int_equal (run.answers[i], 40 + (int)i);
      assert_string_equal (run.texts[i], "hello");
    }
  run_clear (&run);
}

static void
a_piece_takes_no_other_with_it (void **state)
{
  const Deed deeds[] = { DO_ANSWER, DO_CRASH,  DO_ANSWER,    DO_LOOP,  DO_ANSWER,
                         DO_EXIT,   DO_ANSWER, DO_TOO_LARGE, DO_ANSWER };
  const WprJailFate fates[]
      = { WPR_JAIL_DONE,    WPR_JAIL_CRASHED, WPR_JAIL_DONE,      WPR_JAIL_TOO_SLOW, WPR_JAIL_DONE,
          WPR_JAIL_CRASHED, WPR_JAIL_DONE,    WPR_JAIL_TOO_LARGE, WPR_JAIL_DONE };
  Run run = { 0 };
  assert_true (go (&run, deeds, G_N_ELEMENTS (deeds), NULL, 0, NULL));
  assert_int_equal (run.n, G_N_ELEMENTS (deeds));
  for (guint i = 0; i < run.n; i++)
    {
      assert_int_equal (run.fates[i], fates[i]);
      assert_true ((run.texts[i] != NULL) == (deeds[i] == DO_ANSWER));
    }
  run_clear (&run);
}

static void
memory_is_limited (void **state)
{
  const Deed deeds[] = { DO_EAT, DO_ANSWER };
  Run run = { 0 };
  assert_true (go (&run, deeds, G_N_ELEMENTS (deeds), NULL, 0, NULL));
  assert_true (run.fates[0] == WPR_JAIL_CRASHED || run.answers[0] == -7);
  assert_int_equal (run.fates[1], WPR_JAIL_DONE);
  run_clear (&run);
}

static void
root_is_nobody_there (void **state)
{
  const Deed deeds[] = { DO_WHO_AM_I };
  Run run = { 0 };
  assert_true (go (&run, deeds, 1, NULL, 0, NULL));
  assert_int_equal (run.answers[0], geteuid () == 0 ? 65534 : (int)geteuid ());
}

static void
only_what_the_work_needs_is_open (void **state)
{
  const Deed deeds[] = { DO_USE_FD };
  int fds[] = { open ("/dev/null", O_RDONLY | O_CLOEXEC), -1 };
  int other = open ("/dev/null", O_RDONLY | O_CLOEXEC);
  Run wanted = { .fd = fds[0] }, unwanted = { .fd = other };
  assert_true (go (&wanted, deeds, 1, fds, G_N_ELEMENTS (fds), NULL));
  assert_int_equal (wanted.answers[0], 0);
  assert_true (go (&unwanted, deeds, 1, fds, G_N_ELEMENTS (fds), NULL));
  assert_int_equal (unwanted.answers[0], EBADF);
  close (fds[0]);
  close (other);
}

static void
it_opens_no_file_and_begins_no_process (void **state)
{
  const Deed deeds[] = { DO_OPEN, DO_FORK, DO_ANSWER };
  Run run = { 0 };
  pid_t pid = fork (); /* a filter cannot be taken off again */
  if (pid == 0)
    _exit (wpr_jail_filter () ? 0 : 1);
  int status = -1;
  assert_int_equal (waitpid (pid, &status, 0), pid);
  if (status != 0)
    skip (); /* this kernel has none, or a sanitizer needs more than it lets through */
  assert_true (go (&run, deeds, G_N_ELEMENTS (deeds), NULL, 0, NULL));
  assert_int_equal (run.answers[0], EPERM);
  assert_int_equal (run.answers[1], EPERM);
  assert_int_equal (run.fates[2], WPR_JAIL_DONE);
  run_clear (&run);
}

static gpointer
cancel_soon (gpointer cancellable)
{
  g_usleep (100 * 1000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

static void
it_can_be_cancelled (void **state)
{
  const Deed deeds[] = { DO_ANSWER, DO_LOOP, DO_ANSWER };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  GThread *thread = g_thread_new ("cancel", cancel_soon, cancellable);
  Run run = { 0 };
  assert_false (go (&run, deeds, G_N_ELEMENTS (deeds), NULL, 0, cancellable));
  assert_int_equal (run.n, 1);
  g_thread_join (thread);
  run_clear (&run);
}

static void
after_the_deadline_nothing_is_begun (void **state)
{
  const Deed deeds[] = { DO_ANSWER, DO_ANSWER };
  Run run = { .deeds = deeds };
  WprJail jail = { .n = 2,
                   .work = work,
                   .result = result,
                   .data = &run,
                   .piece_us = G_USEC_PER_SEC,
                   .deadline_us = g_get_monotonic_time () };
  assert_true (wpr_jail_run (&jail));
  assert_int_equal (run.n, 2);
  assert_int_equal (run.fates[0], WPR_JAIL_NOT_BEGUN);
  assert_int_equal (run.fates[1], WPR_JAIL_NOT_BEGUN);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (answers_come_in_order),
    cmocka_unit_test (a_piece_takes_no_other_with_it),
    cmocka_unit_test (memory_is_limited),
    cmocka_unit_test (root_is_nobody_there),
    cmocka_unit_test (only_what_the_work_needs_is_open),
    cmocka_unit_test (it_opens_no_file_and_begins_no_process),
    cmocka_unit_test (it_can_be_cancelled),
    cmocka_unit_test (after_the_deadline_nothing_is_begun),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
