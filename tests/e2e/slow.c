/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into wprui by the tests: while the file WPR_SLOW exists, every call of the core and
 * every call about a file takes five seconds on the window's other threads, and calls about what
 * lies below WPR_SHARE (without it: WPR_SAVE_DIR) take as long on every thread, as on a share that
 * answers late. Calls of the core are as slow on the main thread, so that one that is made there is
 * seen as what it is: a frozen window. Where the file says "share", the core and other files are as
 * fast as ever, and the share does not answer at all. The file goes: whoever waits goes on. */
#undef _FILE_OFFSET_BITS /* which would make one of open() and open64() */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wpr-recorder.h>
#include <wpr-trace.h>

#define SLOW_MS 5000
#define STEP_MS 20

#define REAL(name) ((__typeof__ (&name))dlsym (RTLD_NEXT, #name))

typedef enum
{
  FAST,
  SLOW,
  SHARE_HANGS
} Pace;

/* By system calls, which nothing here stands before. */
static Pace
get_pace (void)
{
  const char *path = getenv ("WPR_SLOW");
  char word[8] = "";
  if (path == NULL || strcmp (program_invocation_short_name, "wprui") != 0)
    return FAST;
  int fd = (int)syscall (SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return FAST;
  long n = syscall (SYS_read, fd, word, sizeof word - 1);
  syscall (SYS_close, fd);
  return n >= 5 && strncmp (word, "share", 5) == 0 ? SHARE_HANGS : SLOW;
}

static void
wait_slowly (void)
{
  for (int ms = 0; ms < SLOW_MS && get_pace () == SLOW; ms += STEP_MS)
    usleep (STEP_MS * 1000);
}

static int
is_beside (void)
{
  char name[16] = "";
  pthread_getname_np (pthread_self (), name, sizeof name);
  return strncmp (name, "wprui-", 6) == 0;
}

static void
core_call (void)
{
  wait_slowly ();
}

static int
is_below (const char *path, const char *share)
{
  return share != NULL && strncmp (path, share, strlen (share)) == 0;
}

/* at: what the path begins from if it does not begin with a slash. */
static void
file_call (int at, const char *path)
{
  int error = errno;
  char begin[PATH_MAX] = "", link[32];
  Pace pace = get_pace ();
  if (pace == FAST)
    return;
  if (path != NULL && *path == '/')
    at = AT_FDCWD;
  else if (at != AT_FDCWD)
    {
      snprintf (link, sizeof link, "/proc/self/fd/%d", at);
      if (syscall (SYS_readlinkat, AT_FDCWD, link, begin, sizeof begin - 1) > 0)
        path = begin;
    }
  const char *named = getenv ("WPR_SHARE");
  int share = path != NULL && is_below (path, named != NULL ? named : getenv ("WPR_SAVE_DIR"));
  if (pace == SLOW && (share || is_beside ()))
    wait_slowly ();
  while (share && get_pace () == SHARE_HANGS)
    usleep (STEP_MS * 1000);
  errno = error;
}

/* ---- files: one row a call ---- */

#define OPEN(name, parameters, arguments, at, path) \
  int name parameters                               \
  {                                                 \
    mode_t mode = 0;                                \
    if ((flags & (O_CREAT | __O_TMPFILE)) != 0)     \
      {                                             \
        va_list rest;                               \
        va_start (rest, flags);                     \
        mode = va_arg (rest, mode_t);               \
        va_end (rest);                              \
      }                                             \
    file_call (at, path);                           \
    return REAL (name) arguments;                   \
  }
#define FILE_CALL(type, name, parameters, arguments, at, path) \
  type name parameters                                         \
  {                                                            \
    file_call (at, path);                                      \
    return REAL (name) arguments;                              \
  }

#define HERE AT_FDCWD
OPEN (open, (const char *path, int flags, ...), (path, flags, mode), HERE, path)
OPEN (open64, (const char *path, int flags, ...), (path, flags, mode), HERE, path)
OPEN (openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), at, path)
OPEN (openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), at, path)
FILE_CALL (int, stat, (const char *restrict path, struct stat *restrict out), (path, out), HERE,
           path)
FILE_CALL (int, stat64, (const char *restrict path, struct stat64 *restrict out), (path, out), HERE,
           path)
FILE_CALL (int, lstat, (const char *restrict path, struct stat *restrict out), (path, out), HERE,
           path)
FILE_CALL (int, lstat64, (const char *restrict path, struct stat64 *restrict out), (path, out),
           HERE, path)
FILE_CALL (int, fstatat, (int at, const char *restrict path, struct stat *restrict out, int flags),
           (at, path, out, flags), at, path)
FILE_CALL (int, fstatat64,
           (int at, const char *restrict path, struct stat64 *restrict out, int flags),
           (at, path, out, flags), at, path)
FILE_CALL (int, statx,
           (int at, const char *restrict path, int flags, unsigned mask,
            struct statx *restrict out),
           (at, path, flags, mask, out), at, path)
FILE_CALL (int, statfs, (const char *path, struct statfs *out), (path, out), HERE, path)
FILE_CALL (int, statfs64, (const char *path, struct statfs64 *out), (path, out), HERE, path)
FILE_CALL (int, statvfs, (const char *restrict path, struct statvfs *restrict out), (path, out),
           HERE, path)
FILE_CALL (int, statvfs64, (const char *restrict path, struct statvfs64 *restrict out), (path, out),
           HERE, path)
FILE_CALL (int, access, (const char *path, int mode), (path, mode), HERE, path)
FILE_CALL (int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags),
           at, path)
FILE_CALL (int, mkdir, (const char *path, mode_t mode), (path, mode), HERE, path)
FILE_CALL (DIR *, opendir, (const char *path), (path), HERE, path)
FILE_CALL (int, rename, (const char *from, const char *to), (from, to), HERE, from)
FILE_CALL (int, renameat2, (int at, const char *from, int to_at, const char *to, unsigned flags),
           (at, from, to_at, to, flags), at, from)
FILE_CALL (int, unlink, (const char *path), (path), HERE, path)
FILE_CALL (int, unlinkat, (int at, const char *path, int flags), (at, path, flags), at, path)
FILE_CALL (int, inotify_add_watch, (int queue, const char *path, uint32_t mask),
           (queue, path, mask), HERE, path)
FILE_CALL (int, fsync, (int file), (file), file, NULL)

/* ---- the core: what thread-guard.c guards ---- */

#define CORE(type, name, parameters, arguments) \
  type name parameters                          \
  {                                             \
    core_call ();                               \
    return REAL (name) arguments;               \
  }

CORE (WprMachine *, wpr_machine_probe, (void), ())
CORE (WprMachine *, wpr_machine_probe_recorder, (void), ())
CORE (WprLibrary *, wpr_library_new, (void), ())
CORE (WprPlan *, wpr_plan_new,
      (WprLibrary * library, const WprChoice *choice, const WprMachine *machine, GError **error),
      (library, choice, machine, error))
CORE (char *, wpr_plan_to_text, (const WprPlan *plan), (plan))
CORE (WprRecorder *, wpr_recorder_spawn, (const char *instance, GError **error), (instance, error))
CORE (WprRecorder *, wpr_recorder_connect, (const char *instance, GError **error),
      (instance, error))
CORE (GPtrArray *, wpr_recorder_list, (GError * *error), (error))
CORE (WprState, wpr_recorder_get_state, (WprRecorder * self), (self))
CORE (WprStats *, wpr_recorder_ref_stats, (WprRecorder * self), (self))
CORE (GPtrArray *, wpr_recorder_get_notices, (WprRecorder * self), (self))
CORE (GVariant *, wpr_recorder_describe, (WprRecorder * self), (self))
CORE (void, wpr_recorder_start_async,
      (WprRecorder * self, const WprChoice *choice, GVariant *files, const char *program,
       GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data),
      (self, choice, files, program, cancellable, callback, data))
CORE (void, wpr_recorder_stop_async,
      (WprRecorder * self, int folder_fd, const char *name, const char *note,
       GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data),
      (self, folder_fd, name, note, cancellable, callback, data))
CORE (GPtrArray *, wpr_unfinished_list, (GError * *error), (error))
CORE (WprTraceInfo *, wpr_trace_brief_read,
      (const char *path, GCancellable *cancellable, GError **error), (path, cancellable, error))
CORE (WprTraceInfo *, wpr_trace_info_read,
      (const char *path, GCancellable *cancellable, GError **error), (path, cancellable, error))
CORE (gboolean, wpr_library_add_bytes,
      (WprLibrary * library, GBytes *bytes, const char *name, GError **error),
      (library, bytes, name, error))
CORE (void, wpr_recorder_set_note, (WprRecorder * self, const char *note), (self, note))
CORE (void, wpr_recorder_mark_async,
      (WprRecorder * self, const char *text, GCancellable *cancellable,
       GAsyncReadyCallback callback, gpointer data),
      (self, text, cancellable, callback, data))
