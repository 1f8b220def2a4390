/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The opener that opens here: one group a CPU and ring set, the leader first, its ring mapped by
 * us, then every event as a member. What a single CPU needs is in opener-slot.c, what changes while
 * it records in opener-live.c. */
#include "config.h"
#include "perf/event.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/wpr-error.h"
#include "perf/event-private.h"
#include "perf/opener-local.h"

/* Rings are not halved below this: smaller ones lose events at any rate. */
#define RING_PAGES_LEAST 16

G_DEFINE_TYPE (WprOpenerLocal, wpr_opener_local, WPR_TYPE_OPENER)

static void
clear_event (gpointer data)
{
  g_free ((char *)((WprPerfEvent *)data)->name);
  g_free ((char *)((WprPerfEvent *)data)->filter);
}

void
wpr_local_opener_keep_event (WprOpenerLocal *self, const WprPerfEvent *event)
{
  WprPerfEvent kept = *event;
  kept.name = g_strdup (event->name);
  kept.filter = g_strdup (event->filter);
  g_array_append_val (self->events, kept);
}

WprPerfEvent *
wpr_local_opener_find_event (WprOpenerLocal *self, guint32 row)
{
  for (guint i = 0; i < self->events->len; i++)
    {
      WprPerfEvent *event = &g_array_index (self->events, WprPerfEvent, i);
      if (event->row == row)
        return event;
    }
  return NULL;
}

gboolean
wpr_local_opener_no_such_row (guint32 row, GError **error)
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

void
wpr_local_opener_refuse (GArray *refused, guint32 row, guint cpu, int error_number)
{
  WprRefusal refusal = { .row = row, .cpu = cpu, .error_number = error_number };
  g_array_append_val (refused, refusal);
}

/* Errno that stands in the way of an event on any CPU, or 0 with a tracepoint's id. */
int
wpr_local_opener_look_up (const WprPerfEvent *event, int *id)
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
  int missing = wpr_local_opener_look_up (event, &id);

  for (guint i = 0; i < self->slots->len; i++)
    {
      WprSlot *slot = self->slots->pdata[i];
      if (slot->ring != event->ring)
        continue;
      n_asked++;
      int reason = missing != 0 ? missing : wpr_slot_open_event (slot, event, id, live, opened);
      if (reason != 0)
        wpr_local_opener_refuse (refused, event->row, slot->cpu, reason);
      else if (live)
        wpr_slot_reschedule (slot);
    }
  note_refusals (event->row, refused, n_asked, opened);
}

/* ---- leaders and rings ---- */

void
wpr_local_opener_append_leader (const WprSlot *slot, int fd, gsize bytes, WprOpened *opened)
{
  WprLeader leader = { .ring = slot->ring, .cpu = slot->cpu, .fd = fd, .bytes = bytes };
  g_array_append_val (opened->leaders, leader);
}

/* Slots of one ring set, each with its leader. */
GPtrArray *
wpr_local_opener_open_leaders (WprOpenerLocal *self, guint ring, const guint *cpus, gsize n_cpus,
                               int *last_errno, WprOpened *opened)
{
  GPtrArray *slots = g_ptr_array_new ();
  g_autoptr (GArray) refused = g_array_new (FALSE, FALSE, sizeof (WprRefusal));

  for (gsize i = 0; i < n_cpus; i++)
    {
      g_autoptr (WprSlot) slot
          = wpr_slot_new (ring, cpus[i], &g_array_index (self->rings, WprRingSpec, ring),
                          &self->lacks, self->leader_fds);
      slot->task = self->task;
      slot->ring_fd = wpr_slot_open_leader (slot);
      if (slot->ring_fd < 0)
        {
          *last_errno = errno;
          wpr_local_opener_refuse (refused, WPR_ROW_LEADER, cpus[i], errno);
          continue;
        }
      wpr_slot_add_group (slot, slot->ring_fd, FALSE);
      g_ptr_array_add (slots, g_steal_pointer (&slot));
    }
  note_refusals (WPR_ROW_LEADER, refused, (guint)n_cpus, opened);
  return slots;
}

/* Maps the rings of the slots of one set. */
static gboolean
map_slots (const GPtrArray *slots, GError **error)
{
  for (guint i = 0; i < slots->len; i++)
    {
      WprSlot *slot = slots->pdata[i];
      slot->mapped = wpr_ring_map (slot->ring_fd, slot->spec.bytes, slot->spec.backward, error);
      if (slot->mapped == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
unmap_slots (const GPtrArray *slots)
{
  for (guint i = 0; i < slots->len; i++)
    g_clear_pointer (&((WprSlot *)slots->pdata[i])->mapped, wpr_ring_free);
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
gboolean
wpr_local_opener_map_sets (WprOpenerLocal *self, GPtrArray *const *sets, gsize n_sets,
                           WprOpened *opened, GError **error)
{
  gboolean good;

  do
    {
      g_clear_error (error);
      for (gsize set = 0; set < n_sets; set++)
        unmap_slots (sets[set]);
      good = TRUE;
      for (gsize set = 0; set < n_sets && good; set++)
        good = sets[set]->len == 0 || map_slots (sets[set], error);
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
        wpr_local_opener_append_leader (slot, slot->ring_fd, slot->spec.bytes, opened);
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
    g_ptr_array_add (sets,
                     wpr_local_opener_open_leaders (self, set, cpus, n_cpus, last_errno, opened));
  if (wpr_local_opener_map_sets (self, (GPtrArray *const *)sets->pdata, sets->len, opened,
                                 &local_error))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local_error));
  return FALSE;
}

void
wpr_local_opener_say_no_leader (const WprOpenerLocal *self, int error_number, GError **error)
{
  if (self->task >= 0 && (error_number == EACCES || error_number == EPERM))
    wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                   _ ("The kernel does not let you record your own programs either "
                      "(kernel.perf_event_paranoid). Record as administrator."));
  else if (error_number == EACCES || error_number == EPERM)
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

gboolean
wpr_local_opener_open_sets (WprOpenerLocal *self, const WprRingSpec *rings, gsize n_rings,
                            const guint *cpus, gsize n_cpus, WprOpened *opened, GError **error)
{
  int last_errno = 0;

  wpr_raise_nofile ();
  g_array_append_vals (self->rings, rings, (guint)n_rings);
  gboolean good = open_sets (self, cpus, n_cpus, &last_errno, opened, error);
  if (good && self->slots->len > 0)
    return TRUE;
  if (good)
    wpr_local_opener_say_no_leader (self, last_errno, error);
  wpr_opener_close (WPR_OPENER (self));
  return FALSE;
}

/* ---- the verbs ---- */

static gboolean
local_open (WprOpener *opener, const WprPerfEvent *events, gsize n_events, const WprRingSpec *rings,
            gsize n_rings, const guint *cpus, gsize n_cpus, WprOpened *opened, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);

  g_return_val_if_fail (self->slots->len == 0, FALSE);

  if (!wpr_local_opener_open_sets (self, rings, n_rings, cpus, n_cpus, opened, error))
    return FALSE;
  for (gsize i = 0; i < n_events; i++)
    {
      wpr_local_opener_keep_event (self, &events[i]);
      open_event (self, &events[i], FALSE, opened);
    }
  return TRUE;
}

static gboolean
local_add (WprOpener *opener, const WprPerfEvent *event, WprOpened *opened, GError **error)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);

  g_return_val_if_fail (event->ring < self->rings->len, FALSE);
  g_return_val_if_fail (wpr_local_opener_find_event (self, event->row) == NULL, FALSE);

  wpr_local_opener_keep_event (self, event);
  open_event (self, event, TRUE, opened);
  return TRUE;
}

static void
local_close (WprOpener *opener)
{
  WprOpenerLocal *self = WPR_OPENER_LOCAL (opener);
  wpr_growth_clear (&self->growth);

  for (guint i = 0; i < self->leader_fds->len; i++)
    ioctl (g_array_index (self->leader_fds, int, i), PERF_EVENT_IOC_DISABLE, 0);
  g_ptr_array_set_size (self->slots, 0);
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
  opener_class->drop = wpr_local_opener_drop;
  opener_class->filter = wpr_local_opener_filter;
  opener_class->grow = wpr_local_opener_grow;
  opener_class->grow_ahead = wpr_local_opener_grow_ahead;
  opener_class->cpu_online = wpr_local_opener_cpu_online;
  opener_class->close = local_close;
}

static void
wpr_opener_local_init (WprOpenerLocal *self)
{
  self->task = -1;
  self->events = g_array_new (FALSE, FALSE, sizeof (WprPerfEvent));
  g_array_set_clear_func (self->events, clear_event);
  self->rings = g_array_new (FALSE, FALSE, sizeof (WprRingSpec));
  self->slots = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_slot_free);
  self->leader_fds = g_array_new (FALSE, FALSE, sizeof (int));
}

WprOpener *
wpr_opener_local_new (void)
{
  return g_object_new (WPR_TYPE_OPENER_LOCAL, NULL);
}
