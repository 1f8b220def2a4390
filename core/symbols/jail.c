/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One forked process for a row of pieces; one more for the rest when a piece ended it. */
#include "config.h"
#include "symbols/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols/jail-filter.h"

#define NOBODY 65534 /* the kernel's own overflow id */
#define MOST_FDS 256
#define US_PER_S (1000 * 1000)

/* What a piece's answer begins with, in the pipe. */
typedef struct
{
  guint32 index;
  gint32 answer;
  guint64 size;
} Frame;

/* ---- inside ---- */

static int
compare_ints (const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

/* All but 0-2 and those given. */
static void
close_others (const int *fds, guint n_fds, int own)
{
  int keep[MOST_FDS + 1];
  guint n = 0;
  unsigned from = 3;
  for (guint i = 0; i < n_fds && n < MOST_FDS; i++)
    if (fds[i] >= 0)
      keep[n++] = fds[i];
  keep[n++] = own;
  qsort (keep, n, sizeof *keep, compare_ints);
  for (guint i = 0; i < n; i++)
    {
      if ((unsigned)keep[i] > from)
        syscall (SYS_close_range, from, (unsigned)keep[i] - 1, 0);
      from = MAX (from, (unsigned)keep[i] + 1);
    }
  syscall (SYS_close_range, from, ~0u, 0);
}

static void
set_limit (int which, guint64 value)
{
  struct rlimit limit = { value, value };
  setrlimit (which, &limit);
}

/* Bytes of private memory as the limit on them counts, so that the limit is on what is added. */
static guint64
own_data_bytes (void)
{
  unsigned long pages = 0;
  FILE *file = fopen ("/proc/self/statm", "re");
  if (file == NULL)
    return 0;
  if (fscanf (file, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
    pages = 0;
  fclose (file);
  return (guint64)pages * (guint64)sysconf (_SC_PAGESIZE);
}

static void
lock_up (const WprJail *jail, int out)
{
  static const int plain[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE, SIGTERM, SIGINT };
  guint64 data = own_data_bytes ();
  for (gsize i = 0; i < G_N_ELEMENTS (plain); i++)
    signal (plain[i], SIG_DFL);
  close_others (jail->fds, jail->n_fds, out);
  set_limit (RLIMIT_CORE, 0);
  if (data > 0)
    set_limit (RLIMIT_DATA, data + jail->most_memory);
  set_limit (RLIMIT_FSIZE, jail->most_memory);
  set_limit (RLIMIT_CPU, (guint64)(jail->n * jail->piece_us / US_PER_S) + 1);
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (geteuid () == 0)
    {
      /* The calls themselves: what the C library does around them is for threads, and there is one
       * here. */
      syscall (SYS_setgroups, 0, NULL);
      syscall (SYS_setresgid, NOBODY, NOBODY, NOBODY);
      syscall (SYS_setresuid, NOBODY, NOBODY, NOBODY);
    }
  prctl (PR_SET_PDEATHSIG, SIGKILL); /* behind the change of user, which takes it back */
  wpr_jail_filter ();
}

static gboolean
write_whole (int fd, const void *bytes, gsize size)
{
  const guint8 *at = bytes;
  while (size > 0)
    {
      ssize_t n = write (fd, at, size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      at += n;
      size -= (gsize)n;
    }
  return TRUE;
}

static void G_GNUC_NORETURN
work (const WprJail *jail, guint first, int out)
{
  lock_up (jail, out);
  for (guint i = first; i < jail->n; i++)
    {
      guint8 *bytes = NULL;
      gsize size = 0;
      Frame frame = { .index = i, .answer = jail->work (i, &bytes, &size, jail->data) };
      frame.size = bytes != NULL ? size : 0;
      if (!write_whole (out, &frame, sizeof frame) || !write_whole (out, bytes, (gsize)frame.size))
        _exit (1);
      free (bytes);
    }
  _exit (0);
}

/* ---- outside ---- */

typedef enum
{
  READ_WHOLE,
  READ_ENDED,
  READ_LATE,
  READ_CANCELLED
} ReadResult;

static ReadResult
read_whole (const WprJail *jail, int fd, void *to, gsize size, gint64 until_us)
{
  GPollFD cancel = { .fd = -1 };
  gboolean has_cancel
      = jail->cancellable != NULL && g_cancellable_make_pollfd (jail->cancellable, &cancel);
  ReadResult result = READ_WHOLE;
  while (size > 0 && result == READ_WHOLE)
    {
      struct pollfd polls[2] = { { fd, POLLIN, 0 }, { cancel.fd, POLLIN, 0 } };
      gint64 left_us = until_us - g_get_monotonic_time ();
      int n = left_us > 0 ? poll (polls, has_cancel ? 2 : 1, (int)(left_us / 1000) + 1) : 0;
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        result = READ_LATE;
      else if (polls[1].revents != 0)
        result = READ_CANCELLED;
      else
        {
          ssize_t got = read (fd, to, size);
          if (got <= 0)
            result = READ_ENDED;
          else
            {
              to = (guint8 *)to + got;
              size -= (gsize)got;
            }
        }
    }
  if (has_cancel)
    g_cancellable_release_fd (jail->cancellable);
  return result;
}

static WprJailFate
fate_of (ReadResult result)
{
  return result == READ_LATE ? WPR_JAIL_TOO_SLOW : WPR_JAIL_CRASHED;
}

/* One answer. What the process of its own says is not believed: it may be anybody's by now. */
static ReadResult
take_answer (const WprJail *jail, int fd, guint index, WprJailFate *fate)
{
  gint64 until_us = MIN (g_get_monotonic_time () + jail->piece_us, jail->deadline_us);
  Frame frame;
  ReadResult result = read_whole (jail, fd, &frame, sizeof frame, until_us);
  *fate = fate_of (result);
  if (result != READ_WHOLE)
    return result;
  if (frame.index != index || frame.size > jail->most_bytes)
    {
      *fate = frame.index == index ? WPR_JAIL_TOO_LARGE : WPR_JAIL_CRASHED;
      return READ_ENDED;
    }
  g_autofree guint8 *bytes = frame.size > 0 ? g_try_malloc (frame.size) : NULL;
  if (frame.size > 0 && bytes == NULL)
    {
      *fate = WPR_JAIL_TOO_LARGE;
      return READ_ENDED;
    }
  result = read_whole (jail, fd, bytes, frame.size, until_us);
  *fate = fate_of (result);
  if (result != READ_WHOLE)
    return result;
  g_autoptr (GBytes) whole
      = bytes != NULL ? g_bytes_new_take (g_steal_pointer (&bytes), frame.size) : NULL;
  jail->result (index, WPR_JAIL_DONE, frame.answer, whole, jail->data);
  return READ_WHOLE;
}

/* From piece `first` on in one process. Returns the first piece that was not begun; n when done. */
static guint
run_from (const WprJail *jail, guint first, gboolean *cancelled)
{
  int ends[2];
  pid_t pid = -1;
  guint i = first;
  ReadResult result = READ_WHOLE;
  WprJailFate fate = WPR_JAIL_NOT_BEGUN;
  if (g_get_monotonic_time () < jail->deadline_us && pipe2 (ends, O_CLOEXEC) == 0)
    {
      pid = fork ();
      if (pid == 0)
        work (jail, first, ends[1]);
      close (ends[1]);
      if (pid < 0)
        close (ends[0]);
    }
  if (pid < 0)
    {
      for (; i < jail->n; i++)
        jail->result (i, WPR_JAIL_NOT_BEGUN, 0, NULL, jail->data);
      return i;
    }
  while (i < jail->n && (result = take_answer (jail, ends[0], i, &fate)) == READ_WHOLE)
    i++;
  close (ends[0]);
  kill (pid, SIGKILL);
  while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
    ;
  *cancelled = result == READ_CANCELLED;
  if (result == READ_WHOLE || *cancelled)
    return i;
  jail->result (i, fate, 0, NULL, jail->data);
  return i + 1;
}

gboolean
wpr_jail_run (const WprJail *jail)
{
  gboolean cancelled = g_cancellable_is_cancelled (jail->cancellable);
  for (guint i = 0; i < jail->n && !cancelled;)
    i = run_from (jail, i, &cancelled);
  return !cancelled;
}
