/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the memory of a ring that others may map is free again. They may map it through any event
 * whose output they sent there, so its leader cannot tell; but with the last mapping, whoever's,
 * the kernel takes every event off the ring. An inert one that is kept here is the witness. */
#include "config.h"
#include "perf/ring.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "perf/event-private.h"

int
wpr_ring_witness_new (int leader_fd, guint cpu, gboolean backward)
{
  struct perf_event_attr attr;
  wpr_perf_fill_common (backward, &attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.disabled = 1;
  attr.read_format = 0;
  int fd = leader_fd >= 0 ? wpr_perf_open (&attr, -1, cpu, -1, 0) : -1;
  if (fd < 0 || ioctl (fd, PERF_EVENT_IOC_SET_OUTPUT, leader_fd) == 0)
    return fd;
  int saved = errno;
  close (fd);
  errno = saved;
  return -1;
}

/* A ring without data is of another size than the one it is on (EINVAL), and is had only by an
 * event that is on none. */
gboolean
wpr_ring_witness_is_free (int witness_fd)
{
  gsize bytes = (gsize)sysconf (_SC_PAGESIZE);
  gpointer page = mmap (NULL, bytes, PROT_READ, MAP_SHARED, witness_fd, 0);
  return page != MAP_FAILED && munmap (page, bytes) == 0;
}
