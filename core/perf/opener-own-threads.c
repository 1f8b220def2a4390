/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of single threads. Each is inherited, so that what a thread starts comes along; a thread
 * that was born while the list was made is known by the record of its birth, which its parent's
 * sideband event writes: born after its parent's events were open it has them already, and a second
 * set would record everything twice. */
#include "config.h"
#include "perf/opener-own.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "perf/event-private.h"

/* Lists of all threads that are made until one brings nothing new; a machine that starts threads
 * faster than that is not caught up with. */
#define ROUNDS_MOST 8
/* Names in one sentence. */
#define NAMED_MOST 8

/* One opening of some carriers on all threads. */
typedef struct
{
  WprOpenerOwn *own;
  WprOpenerLocal *local;
  const GArray *carriers; /* WprOwnCarrier */
  guint cpu;              /* G_MAXUINT: all */
  WprOpened *opened;
  GHashTable *since; /* tid -> gint64 *: when its events were open */
  GHashTable *born;  /* tid -> WprTask *: by the sideband */
  GArray *seen;      /* guint64: of each slot, how far its ring was looked at */
  guint need;        /* descriptors a thread */
  gboolean is_fresh; /* nothing was open before; the sideband is among the carriers */
} Opening;

/* ---- which events ---- */

static gboolean
can_carry (const WprOpenerOwn *self, const WprPerfEvent *event)
{
  return (event->kind == WPR_PERF_SOFTWARE || event->kind == WPR_PERF_HARDWARE)
         && !g_hash_table_contains (self->refused, GUINT_TO_POINTER (event->row));
}

/* Descriptors are what is short: where a ring set has another event it tells the switches, too. */
static void
add_carrier (WprOpenerOwn *self, guint index, GArray *carriers)
{
  const GArray *events = WPR_OPENER_LOCAL (self)->events;
  const WprPerfEvent *event = &g_array_index (events, WprPerfEvent, index);
  WprOwnCarrier carrier = { index, event->kind == WPR_PERF_SWITCHES };
  gboolean is_first = TRUE;

  if (g_hash_table_contains (self->refused, GUINT_TO_POINTER (event->row)))
    return;
  for (guint i = 0; i < events->len; i++)
    {
      const WprPerfEvent *other = &g_array_index (events, WprPerfEvent, i);
      if (other->ring != event->ring
          || g_hash_table_contains (self->apart, GUINT_TO_POINTER (event->ring)))
        continue;
      if (event->kind == WPR_PERF_SWITCHES && can_carry (self, other))
        return;
      if (other->kind == WPR_PERF_SWITCHES && is_first && can_carry (self, event))
        carrier.switches = TRUE;
    }
  for (guint i = 0; i < index; i++)
    {
      const WprPerfEvent *other = &g_array_index (events, WprPerfEvent, i);
      is_first = is_first && (other->ring != event->ring || !can_carry (self, other));
    }
  carrier.switches &= is_first || event->kind == WPR_PERF_SWITCHES;
  g_array_append_val (carriers, carrier);
}

GArray *
wpr_own_carriers (WprOpenerOwn *self, guint ring)
{
  const GArray *events = WPR_OPENER_LOCAL (self)->events;
  GArray *carriers = g_array_new (FALSE, FALSE, sizeof (WprOwnCarrier));
  for (guint i = 0; i < events->len; i++)
    if (ring == G_MAXUINT || g_array_index (events, WprPerfEvent, i).ring == ring)
      add_carrier (self, i, carriers);
  return carriers;
}

static guint
count_slots (const Opening *opening, guint ring)
{
  guint n = 0;
  for (guint i = 0; i < opening->local->slots->len; i++)
    {
      const WprSlot *slot = opening->local->slots->pdata[i];
      n += slot->ring == ring && (opening->cpu == G_MAXUINT || slot->cpu == opening->cpu);
    }
  return n;
}

static guint
count_needed (const Opening *opening)
{
  const GArray *events = opening->local->events;
  guint n = 0;
  for (guint i = 0; i < opening->carriers->len; i++)
    {
      const WprOwnCarrier *carrier = &g_array_index (opening->carriers, WprOwnCarrier, i);
      n += count_slots (opening, g_array_index (events, WprPerfEvent, carrier->event).ring);
    }
  return n;
}

/* As the last: see has_inherited(). */
static gboolean
has_sideband (const Opening *opening)
{
  guint n = opening->carriers->len;
  return n > 0
         && g_array_index (opening->local->events, WprPerfEvent,
                           g_array_index (opening->carriers, WprOwnCarrier, n - 1).event)
                    .kind
                == WPR_PERF_SIDEBAND;
}

/* ---- one event ---- */

static void
fill_attr (const WprOpenerOwn *self, const WprSlot *slot, const WprPerfEvent *event,
           const WprOwnCarrier *carrier, struct perf_event_attr *attr)
{
  wpr_perf_event_fill_attr (event, slot->spec.backward, attr);
  /* An inherited event cannot be read as a group. */
  attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
  attr->inherit = 1;
  attr->context_switch = carrier->switches != FALSE;
  attr->disabled = !slot->running;
  if (!self->sees_kernel)
    wpr_perf_leave_kernel_out (attr);
  if (event->kind == WPR_PERF_HARDWARE)
    attr->config |= wpr_perf_pmu_of_cpu (slot->cpu);
}

/* 0 or errno. */
static int
open_member (const Opening *opening, WprSlot *slot, const WprOwnCarrier *carrier, guint32 tid,
             guint *n_opened)
{
  const WprPerfEvent *event = &g_array_index (opening->local->events, WprPerfEvent, carrier->event);
  WprGroup *group = slot->groups->pdata[0];
  WprMember member = { .row = event->row, .switches = carrier->switches };
  struct perf_event_attr attr;

  fill_attr (opening->own, slot, event, carrier, &attr);
  member.fd = wpr_perf_open_known (&attr, (int)tid, slot->cpu, -1, 0,
                                   event->kind != WPR_PERF_SIDEBAND, &opening->local->lacks);
  if (member.fd < 0)
    return errno;
  if (ioctl (member.fd, PERF_EVENT_IOC_SET_OUTPUT, slot->ring_fd) < 0
      || ioctl (member.fd, PERF_EVENT_IOC_ID, &member.id) < 0)
    {
      int saved = errno;
      close (member.fd);
      return saved;
    }
  WprEventId id = { .id = member.id, .row = event->row, .cpu = slot->cpu };
  g_array_append_val (group->members, member);
  g_array_append_val (opening->opened->ids, id);
  opening->own->n_open++;
  (*n_opened)++;
  return 0;
}

/* What concerns the thread, its program or the limit of files; else it is about the event, which
 * this kernel has not. */
static gboolean
is_about_thread (int reason)
{
  return reason == ESRCH || reason == EACCES || reason == EPERM || reason == EMFILE
         || reason == ENFILE || reason == ENOMEM;
}

static int
open_carrier (const Opening *opening, const WprOwnCarrier *carrier, guint32 tid, guint *n_opened)
{
  const WprPerfEvent *event = &g_array_index (opening->local->events, WprPerfEvent, carrier->event);
  gpointer row = GUINT_TO_POINTER (event->row);
  for (guint i = 0; i < opening->local->slots->len; i++)
    {
      WprSlot *slot = opening->local->slots->pdata[i];
      if (slot->ring != event->ring || (opening->cpu != G_MAXUINT && slot->cpu != opening->cpu)
          || g_hash_table_contains (opening->own->refused, row))
        continue;
      int reason = open_member (opening, slot, carrier, tid, n_opened);
      if (reason != 0 && is_about_thread (reason))
        return reason;
      if (reason == 0)
        continue;
      g_hash_table_insert (opening->own->refused, row, GINT_TO_POINTER (reason));
      wpr_local_opener_refuse (opening->opened->refusals, event->row, G_MAXUINT, reason);
    }
  return 0;
}

/* The members opened last: of a thread that is not recorded after all. */
static void
take_back (const Opening *opening, guint n_opened)
{
  for (guint i = opening->opened->ids->len; n_opened > 0 && i > 0; i--)
    {
      guint64 id = g_array_index (opening->opened->ids, WprEventId, i - 1).id;
      for (guint s = 0; s < opening->local->slots->len; s++)
        {
          WprGroup *group = ((WprSlot *)opening->local->slots->pdata[s])->groups->pdata[0];
          guint last = group->members->len;
          if (last == 0 || g_array_index (group->members, WprMember, last - 1).id != id)
            continue;
          close (g_array_index (group->members, WprMember, last - 1).fd);
          g_array_set_size (group->members, last - 1);
          g_array_set_size (opening->opened->ids, i - 1);
          opening->own->n_open--;
          n_opened--;
          break;
        }
    }
}

/* All of a thread or nothing. 0 or errno. */
static int
open_thread (const Opening *opening, guint32 tid)
{
  guint n_opened = 0;
  for (guint i = 0; i < opening->carriers->len; i++)
    {
      int reason = open_carrier (opening, &g_array_index (opening->carriers, WprOwnCarrier, i), tid,
                                 &n_opened);
      if (reason == 0)
        continue;
      take_back (opening, n_opened);
      return reason;
    }
  return 0;
}

/* ---- births ---- */

static gint64
now_ns (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static void
note_since (const Opening *opening, guint32 tid, gint64 when)
{
  g_hash_table_insert (opening->since, GUINT_TO_POINTER (tid), g_memdup2 (&when, sizeof when));
}

typedef struct
{
  const Opening *opening;
} Births;

static void
take_birth (const struct perf_event_header *header, gpointer data)
{
  const Opening *opening = ((Births *)data)->opening;
  WprRecord record;
  WprTask task;
  if (header->type != PERF_RECORD_FORK || !wpr_record_parse (header, opening->own->ids, &record)
      || !wpr_record_task (&record, &task))
    return;
  g_hash_table_insert (opening->born, GUINT_TO_POINTER (task.tid), g_memdup2 (&task, sizeof task));
}

/* Forward rings are the sideband's; in file mode the others have no births, and are as well. */
static void
look_for_births (const Opening *opening)
{
  Births births = { opening };
  for (guint i = 0; i < opening->local->slots->len; i++)
    {
      const WprSlot *slot = opening->local->slots->pdata[i];
      if (!slot->spec.backward)
        wpr_ring_peek (slot->mapped, &g_array_index (opening->seen, guint64, i), take_birth,
                       &births);
    }
}

/* Whether a thread has the events by birth. Where nothing was open before, the record of it is the
 * proof: it was written by its parent's sideband event, the last of that thread's to be opened.
 * Else a forebear must have been given these events before its child was born; those in between
 * need not live any more. */
static gboolean
has_inherited (const Opening *opening, guint32 tid)
{
  const WprTask *task = g_hash_table_lookup (opening->born, GUINT_TO_POINTER (tid));
  const WprTask *at = task;
  const gint64 *since = NULL;
  for (guint i = 0; at != NULL && since == NULL && i < g_hash_table_size (opening->born); i++)
    {
      since = g_hash_table_lookup (opening->since, GUINT_TO_POINTER (at->ptid));
      if (since == NULL)
        at = g_hash_table_lookup (opening->born, GUINT_TO_POINTER (at->ptid));
    }
  if (task == NULL || (!opening->is_fresh && (since == NULL || *since > at->time)))
    return FALSE;
  note_since (opening, tid, task->time);
  return TRUE;
}

/* ---- all threads ---- */

static void
leave_out (const Opening *opening, const WprOwnProgram *program)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (opening->own->left_out, program->name));
  g_hash_table_insert (opening->own->left_out, g_strdup (program->name), GUINT_TO_POINTER (n + 1));
}

/* TRUE if any of its threads is new. */
static gboolean
open_program (const Opening *opening, const WprOwnProgram *program)
{
  gboolean any = FALSE;
  for (guint i = 0; i < program->tids->len; i++)
    {
      guint32 tid = g_array_index (program->tids, guint32, i);
      if (g_hash_table_contains (opening->since, GUINT_TO_POINTER (tid))
          || has_inherited (opening, tid))
        continue;
      any = TRUE;
      gboolean has_room = opening->own->n_open + opening->need <= opening->own->most;
      int reason = has_room ? open_thread (opening, tid) : EMFILE;
      /* Also of one that is not opened: it is looked at once. */
      note_since (opening, tid, reason == 0 ? now_ns () : G_MAXINT64);
      if (reason == EMFILE || reason == ENFILE || reason == ENOMEM)
        leave_out (opening, program);
      else if (reason == EACCES || reason == EPERM)
        g_hash_table_add (opening->own->closed, g_strdup (program->name));
    }
  return any;
}

void
wpr_own_open_threads (WprOpenerOwn *self, const GArray *carriers, guint cpu, WprOpened *opened)
{
  WprOpenerLocal *local = WPR_OPENER_LOCAL (self);
  g_autoptr (GHashTable) since = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) born = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GArray) seen = g_array_new (FALSE, TRUE, sizeof (guint64));
  Opening opening = { self, local, carriers, cpu, opened, since, born, seen, 0, FALSE };
  gboolean any = carriers->len > 0;

  g_array_set_size (seen, local->slots->len);
  opening.need = count_needed (&opening);
  opening.is_fresh = self->n_open == 0 && has_sideband (&opening);
  for (guint round = 0; any && round < ROUNDS_MOST; round++)
    {
      g_autoptr (GPtrArray) programs = wpr_own_programs_list ("/proc", getuid ());
      look_for_births (&opening);
      any = FALSE;
      for (guint i = 0; i < programs->len; i++)
        any |= open_program (&opening, programs->pdata[i]);
    }
}

/* ---- what is said ---- */

static char *
join_names (GHashTable *names, guint *n_threads)
{
  GString *joined = g_string_new (NULL);
  GHashTableIter iter;
  gpointer name, n;
  guint n_names = 0;
  *n_threads = 0;
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, &n))
    {
      *n_threads += GPOINTER_TO_UINT (n);
      if (n_names++ < NAMED_MOST)
        g_string_append_printf (joined, "%s%s", joined->len > 0 ? ", " : "", (const char *)name);
    }
  if (n_names > NAMED_MOST)
    g_string_append (joined, ", …");
  return g_string_free (joined, FALSE);
}

void
wpr_own_remark (WprOpenerOwn *self, WprOpened *opened)
{
  guint n_threads;
  if (g_hash_table_size (self->left_out) > 0)
    {
      g_autofree char *names = join_names (self->left_out, &n_threads);
      g_ptr_array_add (
          opened->remarks,
          g_strdup_printf (_ ("There is room for the events of the largest programs only (%u open "
                              "files): %u threads are not recorded, of %s."),
                           self->most, n_threads, names));
      g_hash_table_remove_all (self->left_out);
    }
  if (g_hash_table_size (self->closed) > 0)
    {
      g_autofree char *names = join_names (self->closed, &n_threads);
      g_ptr_array_add (
          opened->remarks,
          g_strdup_printf (_ ("Programs that keep others from looking into them (they run with "
                              "other rights, or hold secrets) are not recorded: %s."),
                           names));
      g_hash_table_remove_all (self->closed);
    }
}
