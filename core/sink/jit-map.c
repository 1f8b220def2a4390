/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /tmp is everybody's, and whoever runs a JIT compiler is not whoever records: nothing is followed,
 * and nothing is opened that is not a plain file. */
#include "config.h"
#include "sink/jit-map.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/files.h"

#define NS_PER_SEC G_GINT64_CONSTANT (1000000000)
/* A dying process' last writes come after its exit is recorded. */
#define AFTER_END_NS (2 * NS_PER_SEC)
#define FIELD_START_TICKS 22 /* of /proc/PID/stat */

/* Whether the pid is still the recording's process. */
static gboolean
lives (const WprProcess *process)
{
  g_autofree char *path = g_strdup_printf ("/proc/%u/stat", process->pid);
  gsize size = 0;
  g_autofree char *text = wpr_read_small (path, 4096, &size);
  const char *at = text != NULL ? strrchr (text, ')') : NULL; /* a name may hold anything */
  guint64 ticks;
  if (at == NULL || process->end != WPR_WORLD_ALIVE)
    return FALSE;
  for (guint field = 2; field < FIELD_START_TICKS && at != NULL; field++)
    {
      at = strchr (at, ' ');
      at = at != NULL ? at + 1 : NULL;
    }
  ticks = at != NULL ? g_ascii_strtoull (at, NULL, 10) : 0;
  return ticks != 0 && (process->start_ticks == 0 || process->start_ticks == ticks);
}

/* The pid as the process itself knows it: the last of the line. */
static guint32
own_pid (guint32 pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%u/status", pid);
  gsize size = 0;
  g_autofree char *text = wpr_read_small (path, 65536, &size);
  char *line = text != NULL ? strstr (text, "\nNSpid:") : NULL;
  if (line == NULL)
    return pid;
  line[1 + strcspn (line + 1, "\n")] = '\0';
  const char *last = strrchr (line, '\t');
  guint64 own = last != NULL ? g_ascii_strtoull (last + 1, NULL, 10) : 0;
  return own > 0 && own <= G_MAXUINT32 ? (guint32)own : pid;
}

static gboolean
may_be_read (const struct stat *st, const WprProcess *process)
{
  return S_ISREG (st->st_mode) && (st->st_mode & S_IWOTH) == 0 && st->st_uid == process->uid;
}

/* Links within the path lead within the root; the file itself is none. */
static int
open_beneath (const char *root, const char *path)
{
  struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
                          .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
  int root_fd = open (root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0)
    return -1;
  int fd = (int)syscall (SYS_openat2, root_fd, path, &how, sizeof how);
  int errsv = errno;
  close (root_fd);
  errno = errsv;
  return fd;
}

/* Opened for reading only once it is known to be what it should: opening a device does things. */
static int
open_again (int path_fd, const WprProcess *process, struct stat *st, WprSymbolsState *state)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", path_fd);
  *state = WPR_SYMBOLS_NOT_TRUSTED;
  if (fstat (path_fd, st) != 0 || !may_be_read (st, process))
    return -1;
  int fd = open (link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0)
    *state = WPR_SYMBOLS_NOT_ALLOWED;
  return fd;
}

/* What a process that is over has left is its own if it was written while it lived: a later
 * process of that pid writes the same file anew. */
static gboolean
is_of_its_time (const WprTraceContext *context, const WprProcess *process, const struct stat *st)
{
  gint64 written = (gint64)st->st_mtim.tv_sec * NS_PER_SEC + st->st_mtim.tv_nsec;
  gint64 shift = context->start_realtime_ns - context->start_time;
  if (process->start != WPR_WORLD_BEFORE
      && written < wpr_trace_boottime (context, process->start) + shift)
    return FALSE;
  return process->end == WPR_WORLD_ALIVE
         || written <= wpr_trace_boottime (context, process->end) + shift + AFTER_END_NS;
}

int
wpr_jit_map_open (const WprTraceContext *context, const WprProcess *process, WprSymbolsState *state)
{
  gboolean alive = lives (process);
  g_autofree char *root = alive ? g_strdup_printf ("/proc/%u/root", process->pid) : g_strdup ("/");
  g_autofree char *path
      = g_strdup_printf ("tmp/perf-%u.map", alive ? own_pid (process->pid) : process->pid);
  struct stat st;
  int path_fd = open_beneath (root, path);
  *state = errno == EACCES || errno == EPERM ? WPR_SYMBOLS_NOT_ALLOWED : WPR_SYMBOLS_NONE;
  if (path_fd < 0)
    return -1;
  int fd = open_again (path_fd, process, &st, state);
  close (path_fd);
  if (fd >= 0 && !alive && !is_of_its_time (context, process, &st))
    {
      close (fd);
      fd = -1;
      *state = WPR_SYMBOLS_GONE;
    }
  return fd;
}
