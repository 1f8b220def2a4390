/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into the window and the recorder by the tests. While the file WPR_EIO exists, what the
 * recorder writes below WPR_SAVE_DIR fails as on a disk that breaks. The clock that people see is
 * ahead by the seconds in the file WPR_CLOCK, and the computer has slept for those in WPR_SLEPT. */
#undef _FILE_OFFSET_BITS /* which would make one of pwrite() and pwrite64() */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__ (&name))dlsym (RTLD_NEXT, #name))

/* By system calls: these functions are called by nearly everything. 0 without the file. */
static long
read_seconds (const char *variable)
{
  const char *path = getenv (variable);
  char text[16] = "";
  int fd = path != NULL ? (int)syscall (SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0)
    return 0;
  if (syscall (SYS_read, fd, text, sizeof text - 1) < 0)
    text[0] = '\0';
  syscall (SYS_close, fd);
  return strtol (text, NULL, 10);
}

static int
is_ours (void)
{
  return strcmp (program_invocation_short_name, "wprui") == 0
         || strcmp (program_invocation_short_name, "wpr") == 0;
}

int
clock_gettime (clockid_t clock, struct timespec *out)
{
  int error = errno;
  int result = (int)syscall (SYS_clock_gettime, clock, out);
  if (result == 0 && is_ours ())
    {
      if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        out->tv_sec += read_seconds ("WPR_CLOCK");
      else if (clock == CLOCK_BOOTTIME)
        out->tv_sec += read_seconds ("WPR_SLEPT");
      errno = error;
    }
  return result;
}

int
gettimeofday (struct timeval *restrict out, void *restrict zone)
{
  struct timespec now;
  (void)zone;
  clock_gettime (CLOCK_REALTIME, &now);
  *out = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
  return 0;
}

static int
fails (int fd)
{
  const char *path = getenv ("WPR_EIO"), *folder = getenv ("WPR_SAVE_DIR");
  char link[32], place[PATH_MAX] = "";
  if (path == NULL || folder == NULL || strcmp (program_invocation_short_name, "wpr") != 0
      || syscall (SYS_faccessat, AT_FDCWD, path, F_OK) != 0)
    return 0;
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  return syscall (SYS_readlinkat, AT_FDCWD, link, place, sizeof place - 1) > 0
         && strncmp (place, folder, strlen (folder)) == 0;
}

#define WRITING(type, name, parameters, arguments) \
  type name parameters                             \
  {                                                \
    if (fails (fd))                                \
      {                                            \
        errno = EIO;                               \
        return -1;                                 \
      }                                            \
    return REAL (name) arguments;                  \
  }

WRITING (ssize_t, write, (int fd, const void *bytes, size_t size), (fd, bytes, size))
WRITING (ssize_t, writev, (int fd, const struct iovec *parts, int n), (fd, parts, n))
WRITING (ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size, at))
WRITING (ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t at),
         (fd, bytes, size, at))
WRITING (int, fsync, (int fd), (fd))
