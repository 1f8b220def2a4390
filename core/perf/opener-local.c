/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The opener that opens here: one group a CPU and ring set, the leader first, its ring mapped by
 * us, then every event as a member. What a single CPU needs is in opener-slot.c. */
#include "config.h"
#include "perf/event.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/wpr-error.h"
#include "perf/event-private.h"
#include "perf/opener-slot.h"
#include "perf/ring.h"

/* Rings are not halved below this: smaller ones lose events at any rate. */
#define RING_PAGES_LEAST 16

#define WPR_TYPE_OPENER_LOCAL (wpr_opener_local_get_type ())
G_DECLARE_FINAL_TYPE (WprOpenerLocal, wpr_opener_local, WPR, OPENER_LOCAL, WprOpener)

struct _WprOpenerLocal
{
  WprOpener parent_instance;

  GArray *events;     /* WprPerfEvent, names owned */
  GArray *rings;      /* WprRingSpec, bytes as granted */
  GPtrArray *slots;   /* WprSlot */
  GPtrArray *mapped;  /* WprRing: keeps the memory until close */
  GArray *leader_fds; /* int */
  WprPerfLacks lacks;
};

G_DEFINE_FINAL_TYPE (WprOpenerLocal, wpr_opener_local, WPR_TYPE_OPENER)

static void
clear_event (gpointer data)
{
  g_free ((char *)((WprPerfEvent *)data)->name);
}

static void
keep_event (WprOpenerLocal *self, const WprPerfEvent *event)
{
  WprPerfEvent kept = *event;
  kept.name = g_strdup (event->name);
  g_array_append_val (self->events, kept);
}

static WprPerfEvent *
find_event (WprOpenerLocal *self, guint32 row)
{
  for (guint i = 0; i < self->events->len; i++)
    {
      WprPerfEvent *event = &g_array_index (self->events, WprPerfEvent, i);
      if (event->row == row)
        return event;
    }
  return NULL;
}

static gboolean
no_such_row (guint32 row, GError **error)
{
  wpr_set_error (error, WPR_ERROR_INTERNAL, 0, _ ("Event %u is not among those being recorded."),
                 row);
  return FALSE;
}

/* ---- refusals ---- */

/* What each CPU said of one event: one refusal where all said the same. */
static void
note_refusals (guint32 row, const GArray *refused, guint n_asked, WprOpened *opened)
{
  gboolean alike = refused->len == n_asked && n_asked > 0;
  for (guint i = 1; alike && i < refused->len; i++)
    alike = g_array_index (refused, WprRefusal, i).error_number
            == g_array_index (refused, WprRefusal, 0).error_number;

  if (alike)
    {
      WprRefusal all = { .row = row,
                         .cpu = G_MAXUINT,
                         .error_number = g_array_index (refused, WprRefusal, 0).error_number };
      g_array_append_val (opened->refusals, all);
    }
  else
    g_array_append_vals (opened->refusals, refused->data, refused->len);
}

static void
refuse (GArray *refused, guint32 row, guint cpu, int error_number)
{
  WprRefusal refusal = { .row = row, .cpu = cpu, .error_number = error_number };
  g_array_append_val (refused, refusal);
}

/* Errno that stands in the way of an event on any CPU, or 0 with a tracepoint's id. */
static int
look_up (const WprPerfEvent *event, int *id)
{
  guint32 type;
  guint64 config;

  *id = -1;
  switch (event->kind)
    {
    case WPR_PERF_TRACEPOINT:
      *id = wpr_tracefs_id (event->name);
      return *id >= 0 ? 0 : errno;
    case WPR_PERF_SOFTWARE:
    case WPR_PERF_HARDWARE:
      return wpr_perf_event_config (event, &type, &config) ? 0 : ENOENT;
    default:
      return 0;
    }
}

/* One event on every CPU of its ring set. */
static void
open_event (WprOpenerLocal *self, const WprPerfEvent *event, gboolean live, WprOpened *opened)
{
  g_autoptr (GArray) refused = g_array_new (FALSE, FALSE, sizeof (WprRefusal));
  guint n_asked = 0;
  int id;
  int missing = look_up (event, &id);

  for (guint i = 0; i < self->slots->len; i++)
    {
      WprSlot *slot = self->slots->pdata[i];
      if (slot->ring != event->ring)
        continue;
      n_asked++;
      int reason = missing != 0 ? missing : wpr_slot_open_event (slot, event, id, live, opened);
      if (reason != 0)
        refuse (refused, event->row, slot->cpu, reason);
      else if (live)
        wpr_slot_reschedule (slot);
    }
  note_refusals (event->row, refused, n_asked, opened);
}

/* ---- leaders and rings ---- */

static void
append_leader (const WprSlot *slot, int fd, gsize bytes, WprOpened *opened)
{
  WprLeader leader = { .ring = slot->ring, .cpu = slot->cpu, .fd = fd, .bytes = bytes };
  g_array_append_val (opened->leaders, leader);
}

/* Slots of one ring set, each with its leader. */
static GPtrArray *
open_leaders (WprOpenerLocal *self, guint ring, const guint *cpus, gsize n_cpus, int *last_errno,
              WprOpened *opened)
{
  GPtrArray *slots = g_ptr_array_new ();
  g_autoptr (GArray) refused = g_array_new (FALSE, FALSE, sizeof (WprRefusal));

  for (gsize i = 0; i < n_cpus; i++)
    {
      g_autoptr (WprSlot) slot
          = wpr_slot_new (ring, cpus[i], &g_array_index (self->rings, WprRingSpec, ring),
                          &self->lacks, self->leader_fds);
      slot->ring_fd = wpr_slot_open_leader (slot);
      if (slot->ring_fd < 0)
        {
          *last_errno = errno;
          refuse (refused, WPR_ROW_LEADER, cpus[i], errno);
          continue;
        }
      wpr_slot_add_group (slot, slot->ring_fd, FALSE);
      g_ptr_array_add (slots, g_steal_pointer (&slot));
    }
  note_refusals (WPR_ROW_LEADER, refused, (guint)n_cpus, opened);
  return slots;
}

/* Maps a ring of equal size for each descriptor, all or none. */
static gboolean
map_rings (WprOpenerLocal *self, const int *fds, gsize n, gsize bytes, gboolean backward,
           GError **error)
{
  g_autoptr (GPtrArray) mapped = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_ring_free);

  for (gsize i = 0; i < n; i++)
    {
      WprRing *ring = wpr_ring_map (fds[i], bytes, backward, error);
      if (ring == NULL)
        return FALSE;
      g_ptr_array_add (mapped, ring);
    }
  g_ptr_array_extend_and_steal (self->mapped, g_steal_pointer (&mapped));
  return TRUE;
}

static gboolean
map_slots (WprOpenerLocal *self, const GPtrArray *slots, GError **error)
{
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  for (guint i = 0; i < slots->len; i++)
    g_array_append_val (fds, ((WprSlot *)slots->pdata[i])->ring_fd);
  const WprSlot *first = slots->pdata[0];
  return map_rings (self, (const int *)fds->data, fds->len, first->spec.bytes, first->spec.backward,
                    error);
}

/* FALSE if no set can be any smaller. */
static gboolean
halve_the_largest (GPtrArray *const *sets, gsize n_sets)
{
  gsize least = RING_PAGES_LEAST * (gsize)sysconf (_SC_PAGESIZE), most = 0;
  GPtrArray *largest = NULL;

  for (gsize set = 0; set < n_sets; set++)
    if (sets[set]->len > 0 && ((WprSlot *)sets[set]->pdata[0])->spec.bytes > most)
      {
        largest = sets[set];
        most = ((WprSlot *)largest->pdata[0])->spec.bytes;
      }
  if (largest == NULL || most / 2 < least)
    return FALSE;
  for (guint i = 0; i < largest->len; i++)
    ((WprSlot *)largest->pdata[i])->spec.bytes /= 2;
  return TRUE;
}

/* Maps the rings of new slots, a set an array, and takes the slots over; all or none. What is too
 * much is taken from the largest set, so that the first leaves the last one something. */
static gboolean
map_sets (WprOpenerLocal *self, GPtrArray *const *sets, gsize n_sets, WprOpened *opened,
          GError **error)
{
  guint had = self->mapped->len;
  gboolean good;

  do
    {
      g_clear_error (error);
      g_ptr_array_set_size (self->mapped, (gint)had);
      good = TRUE;
      for (gsize set = 0; set < n_sets && good; set++)
        good = sets[set]->len == 0 || map_slots (self, sets[set], error);
    }
  while (!good && halve_the_largest (sets, n_sets));

  for (gsize set = 0; set < n_sets; set++)
    for (guint i = 0; i < sets[set]->len; i++)
      {
        WprSlot *slot = sets[set]->pdata[i];
        if (!good)
          {
            wpr_slot_free (slot);
            continue;
          }
        g_array_index (self->rings, WprRingSpec, slot->ring).bytes = slot->spec.bytes;
        append_leader (slot, slot->ring_fd, slot->spec.bytes, opened);
        g_ptr_array_add (self->slots, slot);
      }
  return good;
}

static gboolean
open_sets (WprOpenerLocal *self, const guint *cpus, gsize n_cpus, int *last_errno,
           WprOpened *opened, GError **error)
{
  g_autoptr (GError) local_error = NULL;
  g_autoptr (GPtrArray) sets = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ptr_array_unref);

  for (guint set = 0; set < self->rings->len; set++)
    g_ptr_array_add (sets, open_leaders (self, set, cpus, n_cpus, last_errno, opened));
  if (map_sets (self, (GPtrArray *const *)sets->pdata, sets->len, opened, &local_error))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

static void
say_no_leader (int error_number, GError **error)
{
  if (error_number == EACCES || error_number == EPERM)
    wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                   _ ("The kernel does not let you record system-wide. Start the recorder as root, "
                      "or give it the right to (CAP_PERFMON)."));
  else if (error_number == EMFILE || error_number == ENFILE)
    wpr_set_error (error, WPR_ERROR_NO_SPACE, 0,
                   _ ("The limit of open files is too low to record. Raise it (ulimit -n)."));
  else
    wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                   _ ("This kernel cannot record events (perf_event_open: %s)."),
                   g_strerror (error_number));
}

/* ---- the verbs ---- */

static gboolean
local_open (WprOpener *opener, const WprPerfEvent *events, gsize n_events, const WprRingSpec *rings,
            gsize n_rings, const guint *cpus, gsize n_cpus, WprOpened *opened, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  int last_errno = 0;

  g_return_val_if_fail (self->slots->len == 0, FALSE);

  wpr_raise_nofile ();
  g_array_append_vals (self->rings, rings, (guint)n_rings);
  if (!open_sets (self, cpus, n_cpus, &last_errno, opened, error))
    {
      wpr_opener_close (opener);
      return FALSE;
    }
  if (self->slots->len == 0)
    {
      say_no_leader (last_errno, error);
      wpr_opener_close (opener);
      return FALSE;
    }

  for (gsize i = 0; i < n_events; i++)
    {
      keep_event (self, &events[i]);
      open_event (self, &events[i], FALSE, opened);
    }
  return TRUE;
}

static gboolean
local_add (WprOpener *opener, const WprPerfEvent *event, WprOpened *opened, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);

  g_return_val_if_fail (event->ring < self->rings->len, FALSE);
  g_return_val_if_fail (find_event (self, event->row) == NULL, FALSE);

  keep_event (self, event);
  open_event (self, event, TRUE, opened);
  return TRUE;
}

static gboolean
local_drop (WprOpener *opener, guint32 row, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);

  for (guint i = 0; i < self->events->len; i++)
    if (g_array_index (self->events, WprPerfEvent, i).row == row)
      {
        g_array_remove_index (self->events, i);
        for (guint s = 0; s < self->slots->len; s++)
          wpr_slot_close_row (self->slots->pdata[s], row, FALSE);
        return TRUE;
      }
  return no_such_row (row, error);
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

static gboolean
local_filter (WprOpener *opener, guint32 row, const guint32 *skip_tids, gsize n, WprOpened *opened,
              GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  WprPerfEvent *event = find_event (self, row);
  int reason = 0;
  int id;

  if (event == NULL)
    return no_such_row (row, error);
  g_return_val_if_fail (event->kind == WPR_PERF_TRACEPOINT, FALSE);

  event->n_skip_tids = (guint32)n;
  for (gsize i = 0; i < n; i++)
    event->skip_tids[i] = skip_tids[i];
  reason = look_up (event, &id);
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

static gboolean
local_grow (WprOpener *opener, guint ring, gsize bytes, WprOpened *opened, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GPtrArray) slots = g_ptr_array_new ();
  guint n_leaders = self->leader_fds->len;

  g_return_val_if_fail (ring < self->rings->len, FALSE);

  WprRingSpec *spec = &g_array_index (self->rings, WprRingSpec, ring);
  for (guint i = 0; i < self->slots->len; i++)
    {
      WprSlot *slot = self->slots->pdata[i];
      int fd = slot->ring == ring ? wpr_slot_open_leader (slot) : -1;
      if (slot->ring != ring || fd < 0)
        continue;
      g_ptr_array_add (slots, slot);
      g_array_append_val (fds, fd);
    }
  if (!map_rings (self, (const int *)fds->data, fds->len, bytes, spec->backward, error))
    {
      for (guint i = n_leaders; i < self->leader_fds->len; i++)
        close (g_array_index (self->leader_fds, int, i));
      g_array_set_size (self->leader_fds, n_leaders);
      return FALSE;
    }

  spec->bytes = bytes;
  for (guint i = 0; i < slots->len; i++)
    {
      WprSlot *slot = slots->pdata[i];
      slot->spec.bytes = bytes;
      send_members_to (slot, g_array_index (fds, int, i));
      append_leader (slot, slot->ring_fd, bytes, opened);
    }
  return TRUE;
}

/* A slot whose CPU went away: its events are dead for good, the ring is not. */
static gboolean
revive (WprSlot *slot, WprOpened *opened)
{
  int fd = wpr_slot_open_leader (slot);
  if (fd < 0)
    return FALSE;
  wpr_slot_close_all (slot);
  wpr_slot_add_group (slot, fd, FALSE);
  append_leader (slot, fd, 0, opened);
  return TRUE;
}

static WprSlot *
find_slot (WprOpenerLocal *self, guint ring, guint cpu)
{
  for (guint i = 0; i < self->slots->len; i++)
    {
      WprSlot *slot = self->slots->pdata[i];
      if (slot->ring == ring && slot->cpu == cpu)
        return slot;
    }
  return NULL;
}

static gboolean
local_cpu_online (WprOpener *opener, guint cpu, WprOpened *opened, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  int last_errno = 0;

  for (guint ring = 0; ring < self->rings->len; ring++)
    {
      WprSlot *slot = find_slot (self, ring, cpu);
      if (slot == NULL)
        {
          g_autoptr (GPtrArray) slots = open_leaders (self, ring, &cpu, 1, &last_errno, opened);
          if (slots->len == 0)
            {
              say_no_leader (last_errno, error);
              return FALSE;
            }
          if (!map_sets (self, &slots, 1, opened, error))
            return FALSE;
          slot = slots->pdata[0];
        }
      else if (!revive (slot, opened))
        {
          say_no_leader (errno, error);
          return FALSE;
        }
      for (guint i = 0; i < self->events->len; i++)
        {
          const WprPerfEvent *event = &g_array_index (self->events, WprPerfEvent, i);
          int id;
          int reason = event->ring == ring ? look_up (event, &id) : 0;
          if (event->ring == ring && reason == 0)
            reason = wpr_slot_open_event (slot, event, id, FALSE, opened);
          if (reason != 0)
            refuse (opened->refusals, event->row, cpu, reason);
        }
    }
  return TRUE;
}

static void
local_close (WprOpener *opener)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);

  for (guint i = 0; i < self->leader_fds->len; i++)
    ioctl (g_array_index (self->leader_fds, int, i), PERF_EVENT_IOC_DISABLE, 0);
  g_ptr_array_set_size (self->slots, 0);
  g_ptr_array_set_size (self->mapped, 0);
  for (guint i = 0; i < self->leader_fds->len; i++)
    close (g_array_index (self->leader_fds, int, i));
  g_array_set_size (self->leader_fds, 0);
  g_array_set_size (self->events, 0);
  g_array_set_size (self->rings, 0);
}

static void
wpr_opener_local_finalize (GObject *object)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (object);

  local_close (WPR_OPENER (self));
  g_array_unref (self->events);
  g_array_unref (self->rings);
  g_ptr_array_unref (self->slots);
  g_ptr_array_unref (self->mapped);
  g_array_unref (self->leader_fds);
  G_OBJECT_CLASS (wpr_opener_local_parent_class)->finalize (object);
}

static void
wpr_opener_local_class_init (WprOpenerLocalClass *klass)
{
  WprOpenerClass *opener_class = WPR_OPENER_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = wpr_opener_local_finalize;
  opener_class->open = local_open;
  opener_class->add = local_add;
  opener_class->drop = local_drop;
  opener_class->filter = local_filter;
  opener_class->grow = local_grow;
  opener_class->cpu_online = local_cpu_online;
  opener_class->close = local_close;
}

static void
wpr_opener_local_init (WprOpenerLocal *self)
{
  self->events = g_array_new (FALSE, FALSE, sizeof (WprPerfEvent));
  g_array_set_clear_func (self->events, clear_event);
  self->rings = g_array_new (FALSE, FALSE, sizeof (WprRingSpec));
  self->slots = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_slot_free);
  self->mapped = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_ring_free);
  self->leader_fds = g_array_new (FALSE, FALSE, sizeof (int));
}

WprOpener *
wpr_opener_local_new (void)
{
  return g_object_new (WPR_TYPE_OPENER_LOCAL, NULL);
}
