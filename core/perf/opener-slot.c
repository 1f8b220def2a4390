/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens leaders and members on one CPU, and knows what older kernels lack. Does not live here:
 * which CPUs and events, mapping, the verbs (opener-local.c). */
#include "config.h"
#include "perf/opener-slot.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "perf/event-private.h"

int
wpr_perf_open (struct perf_event_attr *attr, int task, guint cpu, int group_fd, unsigned long flags)
{
  return (int)syscall (SYS_perf_event_open, attr, task, (int)cpu, group_fd,
                       flags | PERF_FLAG_FD_CLOEXEC);
}

static void
free_group (gpointer data)
{
  WprGroup *group = data;
  for (guint i = 0; i < group->members->len; i++)
    close (g_array_index (group->members, WprMember, i).fd);
  g_array_unref (group->members);
  g_free (group);
}

WprSlot *
wpr_slot_new (guint ring, guint cpu, const WprRingSpec *spec, WprPerfLacks *lacks,
              GArray *leader_fds)
{
  WprSlot *slot = g_new0 (WprSlot, 1);
  slot->ring = ring;
  slot->cpu = cpu;
  slot->task = -1;
  slot->spec = *spec;
  slot->ring_fd = -1;
  slot->groups = g_ptr_array_new_with_free_func (free_group);
  slot->lacks = lacks;
  slot->leader_fds = leader_fds;
  return slot;
}

void
wpr_slot_free (WprSlot *slot)
{
  g_clear_pointer (&slot->mapped, wpr_ring_free);
  g_ptr_array_unref (slot->groups);
  g_free (slot);
}

void
wpr_slot_close_all (WprSlot *slot)
{
  g_ptr_array_set_size (slot->groups, 0);
}

/* Takes away what this kernel is known to lack. */
static void
without_lacks (struct perf_event_attr *attr, const WprPerfLacks *lacks)
{
  if (lacks->no_lost)
    attr->read_format &= ~(guint64)PERF_FORMAT_LOST;
  if (lacks->no_build_id)
    attr->build_id = 0;
  if (lacks->no_ksymbol)
    attr->ksymbol = 0;
}

/* (EINVAL): leaves out one after the other, the newest first: a leader's may be LOST, the
 * sideband's build_id and ksymbol. */
int
wpr_perf_open_known (struct perf_event_attr *attr, int task, guint cpu, int group_fd,
                     unsigned long flags, gboolean is_leader, WprPerfLacks *lacks)
{
  WprPerfLacks trial = *lacks;
  gboolean *const of_leader[] = { &trial.no_lost, NULL };
  gboolean *const of_sideband[] = { &trial.no_build_id, &trial.no_ksymbol, NULL };
  gboolean *const *next = is_leader ? of_leader : of_sideband;

  for (;; next++)
    {
      struct perf_event_attr copy = *attr;
      without_lacks (&copy, &trial);
      int fd = wpr_perf_open (&copy, task, cpu, group_fd, flags);
      if (fd >= 0)
        *lacks = trial;
      if (fd >= 0 || errno != EINVAL || *next == NULL)
        return fd;
      **next = TRUE;
    }
}

int
wpr_slot_open_leader (WprSlot *slot)
{
  struct perf_event_attr attr;

  wpr_perf_fill_common (slot->spec.backward, &attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.disabled = 1;
  attr.watermark = 1;
  /* The kernel takes 0 for half a ring; more than the ring is the whole of it. */
  attr.wakeup_watermark = slot->spec.watermark != 0 ? slot->spec.watermark : G_MAXUINT32;

  if (slot->task >= 0)
    wpr_perf_leave_kernel_out (&attr);
  int fd = wpr_perf_open_known (&attr, slot->task, slot->cpu, -1, 0, TRUE, slot->lacks);
  if (fd >= 0)
    g_array_append_val (slot->leader_fds, fd);
  return fd;
}

WprGroup *
wpr_slot_add_group (WprSlot *slot, int leader_fd, gboolean hardware)
{
  WprGroup *group = g_new0 (WprGroup, 1);
  group->leader_fd = leader_fd;
  group->hardware = hardware;
  group->members = g_array_new (FALSE, FALSE, sizeof (WprMember));
  g_ptr_array_add (slot->groups, group);
  return group;
}

int
wpr_member_filter (WprMember *member, const WprPerfEvent *event)
{
  if (event->n_skip_tids == 0 && event->filter == NULL)
    return 0;

  g_autoptr (GString) filter = g_string_new (NULL);
  for (gsize i = 0; i < event->n_skip_tids; i++)
    g_string_append_printf (filter, "%scommon_pid != %u", i > 0 ? " && " : "", event->skip_tids[i]);
  if (event->filter != NULL)
    g_string_append_printf (filter, "%s(%s)", filter->len > 0 ? " && " : "", event->filter);
  if (ioctl (member->fd, PERF_EVENT_IOC_SET_FILTER, filter->str) < 0)
    return errno;
  member->filtered = TRUE;
  return 0;
}

/* What a member needs once it is open. 0 or errno. */
static int
set_up_member (const WprSlot *slot, const WprGroup *group, const WprPerfEvent *event,
               WprMember *member, gboolean live)
{
  int reason = event->kind == WPR_PERF_TRACEPOINT ? wpr_member_filter (member, event) : 0;
  if (reason != 0)
    return reason;
  if ((group->leader_fd != slot->ring_fd
       && ioctl (member->fd, PERF_EVENT_IOC_SET_OUTPUT, slot->ring_fd) < 0)
      || ioctl (member->fd, PERF_EVENT_IOC_ID, &member->id) < 0
      || (live && ioctl (member->fd, PERF_EVENT_IOC_ENABLE, 0) < 0))
    return errno;
  return 0;
}

static int
open_member (WprSlot *slot, WprGroup *group, const WprPerfEvent *event, int id, gboolean live,
             WprOpened *opened)
{
  struct perf_event_attr attr;
  WprMember member = { .row = event->row };

  wpr_perf_event_fill_attr (event, slot->spec.backward, &attr);
  attr.disabled = live;
  if (event->kind == WPR_PERF_TRACEPOINT)
    attr.config = (guint64)id;
  else if (event->kind == WPR_PERF_HARDWARE)
    attr.config |= wpr_perf_pmu_of_cpu (slot->cpu);

  /* The leader's ring if it has one, and from the first moment on. */
  unsigned long flags = group->leader_fd == slot->ring_fd ? PERF_FLAG_FD_OUTPUT : 0;
  if (event->kind == WPR_PERF_SIDEBAND)
    member.fd
        = wpr_perf_open_known (&attr, -1, slot->cpu, group->leader_fd, flags, FALSE, slot->lacks);
  else
    {
      without_lacks (&attr, slot->lacks);
      member.fd = wpr_perf_open (&attr, -1, slot->cpu, group->leader_fd, flags);
    }
  if (member.fd < 0)
    return errno;

  int reason = set_up_member (slot, group, event, &member, live);
  if (reason != 0)
    {
      close (member.fd);
      return reason;
    }
  WprEventId event_id = { .id = member.id, .row = event->row, .cpu = slot->cpu };
  g_array_append_val (group->members, member);
  g_array_append_val (opened->ids, event_id);
  return 0;
}

/* The newest group of a kind: what does not fit there would not fit an older one. */
static WprGroup *
newest_group (const WprSlot *slot, gboolean hardware)
{
  for (guint i = slot->groups->len; i > 0; i--)
    {
      WprGroup *group = slot->groups->pdata[i - 1];
      if (group->hardware == hardware)
        return group;
    }
  return NULL;
}

/* A group is full at 680 members (E2BIG), one of hardware events when they do not fit the counters
 * (EINVAL). */
static gboolean
is_full (const WprGroup *group, int reason)
{
  return group->members->len > 0 && (reason == E2BIG || (group->hardware && reason == EINVAL));
}

int
wpr_slot_open_event (WprSlot *slot, const WprPerfEvent *event, int id, gboolean live,
                     WprOpened *opened)
{
  gboolean hardware = event->kind == WPR_PERF_HARDWARE;
  WprGroup *group = newest_group (slot, hardware);

  if (group != NULL)
    {
      int reason = open_member (slot, group, event, id, live, opened);
      if (reason == 0 || !is_full (group, reason))
        return reason;
    }

  int leader_fd = wpr_slot_open_leader (slot);
  if (leader_fd < 0)
    return errno;
  group = wpr_slot_add_group (slot, leader_fd, hardware);
  int reason = open_member (slot, group, event, id, live, opened);
  if (reason != 0)
    {
      g_ptr_array_remove (slot->groups, group);
      g_array_set_size (slot->leader_fds, slot->leader_fds->len - 1);
      close (leader_fd);
      return reason;
    }
  WprLeader leader = { .ring = slot->ring, .cpu = slot->cpu, .fd = leader_fd, .bytes = 0 };
  g_array_append_val (opened->leaders, leader);
  return 0;
}

void
wpr_slot_reschedule (const WprSlot *slot)
{
  struct perf_event_attr attr;

  wpr_perf_fill_common (FALSE, &attr);
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  without_lacks (&attr, slot->lacks);
  int fd = wpr_perf_open (&attr, -1, slot->cpu, -1, 0);
  if (fd >= 0)
    close (fd);
}

/* Of the members of a row in a group that was just read. */
static void
keep_counts (const WprGroup *group, guint32 row, const GArray *read, GArray *counts)
{
  for (guint i = 0; i < read->len; i++)
    {
      const WprGroupCount *count = &g_array_index (read, WprGroupCount, i);
      for (guint m = 0; m < group->members->len; m++)
        {
          const WprMember *member = &g_array_index (group->members, WprMember, m);
          if (member->row == row && member->id == count->id)
            g_array_append_val (counts, *count);
        }
    }
}

void
wpr_slot_finish_row (WprSlot *slot, guint32 row, GArray *counts)
{
  g_autoptr (GArray) read = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  for (guint g = 0; g < slot->groups->len; g++)
    {
      WprGroup *group = slot->groups->pdata[g];
      gboolean any = FALSE, has_lost;
      for (guint m = 0; m < group->members->len; m++)
        {
          const WprMember *member = &g_array_index (group->members, WprMember, m);
          if (member->row == row && ioctl (member->fd, PERF_EVENT_IOC_DISABLE, 0) == 0)
            any = TRUE;
        }
      g_array_set_size (read, 0);
      if (any && wpr_group_read (group->leader_fd, read, &has_lost, NULL))
        keep_counts (group, row, read, counts);
    }
}

void
wpr_slot_close_row (WprSlot *slot, guint32 row, gboolean keep_newest)
{
  gboolean keep = keep_newest;

  for (guint g = slot->groups->len; g > 0; g--)
    {
      WprGroup *group = slot->groups->pdata[g - 1];
      for (guint m = group->members->len; m > 0; m--)
        {
          WprMember *member = &g_array_index (group->members, WprMember, m - 1);
          if (member->row != row)
            continue;
          if (!keep)
            {
              close (member->fd);
              g_array_remove_index (group->members, m - 1);
            }
          keep = FALSE;
        }
    }
}
