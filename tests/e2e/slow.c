/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into wprui by the tests: while the file WPR_SLOW exists, every call of the core and
 * every call about a file takes five seconds on the window's worker, and calls about what lies
 * below WPR_SAVE_DIR take as long on every thread, as on a share that answers late. Calls of the
 * core are as slow on the main thread, so that one that is made there is seen as what it is: a
 * frozen window. The file goes: whoever waits goes on. */
#undef _FILE_OFFSET_BITS /* which would make one of open() and open64() */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wpr-recorder.h>

#define SLOW_MS 5000
#define STEP_MS 20

#define REAL(name) ((__typeof__ (&name))dlsym (RTLD_NEXT, #name))

static int
is_slow_now (void)
{
  const char *path = getenv ("WPR_SLOW");
  return path != NULL && strcmp (program_invocation_short_name, "wprui") == 0
         && syscall (SYS_faccessat, AT_FDCWD, path, F_OK) == 0;
}

static void
wait_slowly (void)
{
  for (int ms = 0; ms < SLOW_MS && is_slow_now (); ms += STEP_MS)
    usleep (STEP_MS * 1000);
}

static int
is_worker (void)
{
  char name[16] = "";
  pthread_getname_np (pthread_self (), name, sizeof name);
  return strcmp (name, "wprui-worker") == 0;
}

static void
core_call (void)
{
  wait_slowly ();
}

static void
file_call (const char *path)
{
  int error = errno;
  const char *share = getenv ("WPR_SAVE_DIR");
  if (is_worker () || (share != NULL && path != NULL && strncmp (path, share, strlen (share)) == 0))
    wait_slowly ();
  errno = error;
}

/* ---- files: one row a call ---- */

#define OPEN(name, parameters, arguments, path) \
  int name parameters                           \
  {                                             \
    mode_t mode = 0;                            \
    if ((flags & (O_CREAT | __O_TMPFILE)) != 0) \
      {                                         \
        va_list rest;                           \
        va_start (rest, flags);                 \
        mode = va_arg (rest, mode_t);           \
        va_end (rest);                          \
      }                                         \
    file_call (path);                           \
    return REAL (name) arguments;               \
  }
#define FILE_CALL(type, name, parameters, arguments, path) \
  type name parameters                                     \
  {                                                        \
    file_call (path);                                      \
    return REAL (name) arguments;                          \
  }

OPEN (open, (const char *path, int flags, ...), (path, flags, mode), path)
OPEN (open64, (const char *path, int flags, ...), (path, flags, mode), path)
OPEN (openat, (int at, const char *path, int flags, ...), (at, path, flags, mode), path)
OPEN (openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode), path)
FILE_CALL (int, stat, (const char *restrict path, struct stat *restrict out), (path, out), path)
FILE_CALL (int, stat64, (const char *restrict path, struct stat64 *restrict out), (path, out), path)
FILE_CALL (int, lstat, (const char *restrict path, struct stat *restrict out), (path, out), path)
FILE_CALL (int, lstat64, (const char *restrict path, struct stat64 *restrict out), (path, out),
           path)
FILE_CALL (int, fstatat64,
           (int at, const char *restrict path, struct stat64 *restrict out, int flags),
           (at, path, out, flags), path)
FILE_CALL (int, statx,
           (int at, const char *restrict path, int flags, unsigned mask,
            struct statx *restrict out),
           (at, path, flags, mask, out), path)
FILE_CALL (int, access, (const char *path, int mode), (path, mode), path)
FILE_CALL (int, mkdir, (const char *path, mode_t mode), (path, mode), path)
FILE_CALL (DIR *, opendir, (const char *path), (path), path)
FILE_CALL (int, rename, (const char *from, const char *to), (from, to), from)
FILE_CALL (int, unlink, (const char *path), (path), path)
FILE_CALL (int, fsync, (int file), (file), NULL)

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
CORE (void, wpr_recorder_set_note, (WprRecorder * self, const char *note), (self, note))
CORE (void, wpr_recorder_mark_async,
      (WprRecorder * self, const char *text, GCancellable *cancellable,
       GAsyncReadyCallback callback, gpointer data),
      (self, text, cancellable, callback, data))
