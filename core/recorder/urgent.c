/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Raises the thread that drains, and puts it back. With 15 other threads wanting two CPUs, an
 * ordinary thread that wanted 4 % of one waited so long that 4 MiB a CPU lost 60 to 90 % of 700 000
 * events a second; the same as a real-time thread none. It works some microseconds at a time, and
 * the kernel keeps 5 % from real-time threads at any rate. */
#include "config.h"
#include "recorder/urgent.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/log.h"

/* The least there is: before every ordinary thread, behind everybody else's real-time ones. */
#define PRIORITY 1
/* Where real time is not allowed but niceness is; what RealtimeKit gives, too. */
#define NICENESS (-11)

static __thread struct
{
  gboolean raised;
  int policy, nice;
  struct sched_param param;
} before;

void
wpr_urgent_begin (void)
{
  id_t tid = (id_t)syscall (SYS_gettid);
  struct sched_param param = { .sched_priority = PRIORITY };

  if (before.raised)
    return;
  before.policy = sched_getscheduler (0);
  before.nice = getpriority (PRIO_PROCESS, tid);
  before.raised = before.policy >= 0 && sched_getparam (0, &before.param) == 0
                  && (sched_setscheduler (0, SCHED_RR | SCHED_RESET_ON_FORK, &param) == 0
                      || setpriority (PRIO_PROCESS, tid, NICENESS) == 0);
  wpr_debug ("recorder", "the draining thread is %s", before.raised ? "raised" : "an ordinary one");
}

void
wpr_urgent_end (void)
{
  if (!before.raised)
    return;
  sched_setscheduler (0, before.policy, &before.param);
  setpriority (PRIO_PROCESS, (id_t)syscall (SYS_gettid), before.nice);
  before.raised = FALSE;
}
