/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What changes while it records: rows dropped, filtered anew, rings enlarged, CPUs that come back.
 * Nothing else of the recording has a gap by it. */
#include "config.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/wpr-error.h"
#include "perf/opener-local.h"

gboolean
wpr_local_opener_drop (WprOpener *opener, guint32 row, GArray *counts, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);

  for (guint i = 0; i < self->events->len; i++)
    if (g_array_index (self->events, WprPerfEvent, i).row == row)
      {
        guint ring = g_array_index (self->events, WprPerfEvent, i).ring;
        g_array_remove_index (self->events, i);
        for (guint s = 0; s < self->slots->len; s++)
          {
            WprSlot *slot = self->slots->pdata[s];
            if (slot->ring == ring && counts != NULL)
              wpr_slot_finish_row (slot, row, counts);
            wpr_slot_close_row (slot, row, FALSE);
          }
        return TRUE;
      }
  return wpr_local_opener_no_such_row (row, error);
}

/* The members of a row of a slot, as they are now; FALSE if one of them has a filter already. */
static gboolean
filter_in_place (WprSlot *slot, const WprPerfEvent *event, int *reason)
{
  for (guint g = 0; g < slot->groups->len; g++)
    {
      WprGroup *group = slot->groups->pdata[g];
      for (guint m = 0; m < group->members->len; m++)
        {
          WprMember *member = &g_array_index (group->members, WprMember, m);
          if (member->row != event->row)
            continue;
          if (member->filtered)
            return FALSE;
          *reason = wpr_member_filter (member, event);
        }
    }
  return TRUE;
}

gboolean
wpr_local_opener_filter (WprOpener *opener, guint32 row, const guint32 *skip_tids, gsize n,
                         WprOpened *opened, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  WprPerfEvent *event = wpr_local_opener_find_event (self, row);
  int reason = 0;
  int id;

  if (event == NULL)
    return wpr_local_opener_no_such_row (row, error);
  g_return_val_if_fail (event->kind == WPR_PERF_TRACEPOINT, FALSE);

  event->n_skip_tids = (guint32)n;
  for (gsize i = 0; i < n; i++)
    event->skip_tids[i] = skip_tids[i];
  reason = wpr_local_opener_look_up (event, &id);
  for (guint i = 0; i < self->slots->len && reason == 0; i++)
    {
      WprSlot *slot = self->slots->pdata[i];
      if (slot->ring != event->ring || filter_in_place (slot, event, &reason))
        continue;
      reason = wpr_slot_open_event (slot, event, id, TRUE, opened);
      if (reason != 0)
        break;
      wpr_slot_reschedule (slot);
      wpr_slot_close_row (slot, row, TRUE);
    }
  if (reason != 0)
    wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                   _ ("The recorder could not be kept out of “%s”: %s."), event->name,
                   g_strerror (reason));
  return reason == 0;
}

/* Every member of a slot to the ring of another leader. */
static void
send_members_to (WprSlot *slot, int ring_fd)
{
  for (guint g = 0; g < slot->groups->len; g++)
    {
      WprGroup *group = slot->groups->pdata[g];
      for (guint m = 0; m < group->members->len; m++)
        {
          int fd = g_array_index (group->members, WprMember, m).fd;
          if (ioctl (fd, PERF_EVENT_IOC_SET_OUTPUT, ring_fd) < 0)
            g_warning ("SET_OUTPUT on CPU %u: %s", slot->cpu, g_strerror (errno));
        }
    }
  slot->ring_fd = ring_fd;
}

/* ---- larger rings ---- */

void
wpr_growth_clear (WprGrowth *growth)
{
  g_clear_pointer (&growth->slots, g_ptr_array_unref);
  g_clear_pointer (&growth->fds, g_array_unref);
  g_clear_pointer (&growth->mapped, g_ptr_array_unref);
  growth->bytes = 0;
}

/* The leaders that were opened since. */
static void
close_leaders (WprOpenerLocal *self, guint first)
{
  for (guint i = first; i < self->leader_fds->len; i++)
    close (g_array_index (self->leader_fds, int, i));
  g_array_set_size (self->leader_fds, first);
}

/* A CPU that is offline keeps the ring it has. */
gboolean
wpr_local_opener_grow_ahead (WprOpener *opener, guint ring, gsize bytes, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  WprGrowth *growth = &self->growth;
  guint n_leaders = self->leader_fds->len;

  g_return_val_if_fail (ring < self->rings->len && bytes > 0, FALSE);

  wpr_growth_clear (growth);
  growth->slots = g_ptr_array_new ();
  growth->fds = g_array_new (FALSE, FALSE, sizeof (int));
  growth->mapped = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_ring_free);
  gboolean backward = g_array_index (self->rings, WprRingSpec, ring).backward;
  for (guint i = 0; i < self->slots->len; i++)
    {
      WprSlot *slot = self->slots->pdata[i];
      int fd = slot->ring == ring ? wpr_slot_open_leader (slot) : -1;
      if (fd < 0)
        continue;
      WprRing *mapped = wpr_ring_map (fd, bytes, backward, error);
      if (mapped == NULL)
        {
          wpr_growth_clear (growth);
          close_leaders (self, n_leaders);
          return FALSE;
        }
      g_ptr_array_add (growth->slots, slot);
      g_array_append_val (growth->fds, fd);
      g_ptr_array_add (growth->mapped, mapped);
    }
  growth->ring = ring;
  growth->bytes = bytes;
  return TRUE;
}

gboolean
wpr_local_opener_grow (WprOpener *opener, guint ring, gsize bytes, WprOpened *opened,
                       GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  WprGrowth *growth = &self->growth;

  g_return_val_if_fail (ring < self->rings->len, FALSE);

  if ((growth->bytes != bytes || growth->ring != ring)
      && !wpr_local_opener_grow_ahead (opener, ring, bytes, error))
    return FALSE;
  g_array_index (self->rings, WprRingSpec, ring).bytes = bytes;
  for (guint i = 0; i < growth->slots->len; i++)
    {
      WprSlot *slot = growth->slots->pdata[i];
      slot->spec.bytes = bytes;
      send_members_to (slot, g_array_index (growth->fds, int, i));
      wpr_local_opener_append_leader (slot, slot->ring_fd, bytes, opened);
      g_clear_pointer (&slot->mapped, wpr_ring_free);
      slot->mapped = g_ptr_array_index (growth->mapped, i);
    }
  g_ptr_array_set_free_func (growth->mapped, NULL); /* the slots took them over */
  wpr_growth_clear (growth);
  return TRUE;
}

/* ---- CPUs that come back ---- */

/* A slot whose CPU went away: its events are dead for good, the ring is not. */
static gboolean
revive (WprSlot *slot, WprOpened *opened)
{
  int fd = wpr_slot_open_leader (slot);
  if (fd < 0)
    return FALSE;
  wpr_slot_close_all (slot);
  wpr_slot_add_group (slot, fd, FALSE);
  wpr_local_opener_append_leader (slot, fd, 0, opened);
  return TRUE;
}

WprSlot *
wpr_local_opener_find_slot (WprOpenerLocal *self, guint ring, guint cpu)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      WprSlot *slot = self->slots->pdata[i];
      if (slot->ring == ring && slot->cpu == cpu)
        return slot;
    }
  return NULL;
}

gboolean
wpr_local_opener_cpu_online (WprOpener *opener, guint cpu, WprOpened *opened, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  int last_errno = 0;

  for (guint ring = 0; ring < self->rings->len; ring++)
    {
      WprSlot *slot = wpr_local_opener_find_slot (self, ring, cpu);
      if (slot == NULL)
        {
          g_autoptr (GPtrArray) slots
              = wpr_local_opener_open_leaders (self, ring, &cpu, 1, &last_errno, opened);
          if (slots->len == 0)
            {
              wpr_local_opener_say_no_leader (self, last_errno, error);
              return FALSE;
            }
          if (!wpr_local_opener_map_sets (self, &slots, 1, opened, error))
            return FALSE;
          slot = slots->pdata[0];
        }
      else if (!revive (slot, opened))
        {
          wpr_local_opener_say_no_leader (self, errno, error);
          return FALSE;
        }
      for (guint i = 0; i < self->events->len; i++)
        {
          const WprPerfEvent *event = &g_array_index (self->events, WprPerfEvent, i);
          int id;
          int reason = event->ring == ring ? wpr_local_opener_look_up (event, &id) : 0;
          if (event->ring == ring && reason == 0)
            reason = wpr_slot_open_event (slot, event, id, FALSE, opened);
          if (reason != 0)
            wpr_local_opener_refuse (opened->refusals, event->row, cpu, reason);
        }
    }
  return TRUE;
}
