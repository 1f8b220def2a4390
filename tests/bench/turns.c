/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded by bench-window.py into a program with a window: how long its main loop was away from
 * poll(), which is how long nobody was answered: every handler of one turn, its own and GTK's, and
 * painting. Written into the file WPR_TURNS names, which is mapped; a zero there begins anew. */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef struct
{
  uint64_t longest_ns;     /* of the clock */
  uint64_t longest_cpu_ns; /* what of a turn the program itself used, whoever else was running */
  uint64_t turns;
} Turns;

static Turns *turns;
static uint64_t begin_ns, begin_cpu_ns;

static uint64_t
read_clock (clockid_t clock)
{
  struct timespec now;
  clock_gettime (clock, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

__attribute__ ((constructor)) static void
begin (void)
{
  const char *path = getenv ("WPR_TURNS");
  int file = path ? open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate (file, sizeof (Turns)) != 0)
    return;
  void *mapped = mmap (NULL, sizeof (Turns), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close (file);
  if (mapped != MAP_FAILED)
    turns = mapped;
  unsetenv ("LD_PRELOAD"); /* not into what it starts */
}

int
poll (struct pollfd *fds, nfds_t n_fds, int timeout)
{
  static int (*real) (struct pollfd *, nfds_t, int);
  if (real == NULL)
    real = (int (*) (struct pollfd *, nfds_t, int))dlsym (RTLD_NEXT, "poll");
  if (turns == NULL || getpid () != gettid ())
    return real (fds, n_fds, timeout);
  if (begin_ns != 0)
    {
      uint64_t took = read_clock (CLOCK_MONOTONIC) - begin_ns;
      uint64_t cpu = read_clock (CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
      turns->longest_ns = took > turns->longest_ns ? took : turns->longest_ns;
      turns->longest_cpu_ns = cpu > turns->longest_cpu_ns ? cpu : turns->longest_cpu_ns;
      turns->turns++;
    }
  int n = real (fds, n_fds, timeout);
  begin_cpu_ns = read_clock (CLOCK_THREAD_CPUTIME_ID);
  begin_ns = read_clock (CLOCK_MONOTONIC);
  return n;
}
