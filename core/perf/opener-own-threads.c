/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events of single threads. Each is inherited, so that what a thread starts comes along; a thread
 * that was born while the list was made is known by the record of its birth, which its parent's
 * sideband event writes: born after its parent's events were open it has them already, and a second
 * set would record everything twice.
 *
 * The events are inherited at the begin of a birth, in /proc the thread is seen after that, and the
 * record is written at the end. So of each thread the sideband is opened first: whose birth it did
 * not tell has inherited nothing that is recorded. Who was born while the rest was opened, or a
 * little later, may have a part of it: then the parent is started over with, which takes from all
 * of its children what they have. A birth may be told late, too: see take_late(). */
#include "config.h"
#include "perf/opener-own.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "perf/event-private.h"

/* Lists of all threads that are made until one brings nothing new; a machine that starts threads
 * faster than that is not caught up with. */
#define ROUNDS_MOST 8
/* How long a birth takes at most, but for one that is interrupted: some 50 us. A thread whose
 * parent's events were not open that much earlier may have some of them only. */
#define BIRTH_NS G_GINT64_CONSTANT (300000)
/* How often a thread is started over with. */
#define AGAIN_MOST 32

/* A thread that was looked at: who it starts has none of its events before, all of them after. */
typedef struct
{
  gint64 none_before; /* NEVER: its events are not open */
  gint64 all_after;
  guint32 origin; /* the thread whose events these are: itself or a forebear */
} Known;

#define NEVER G_MAXINT64

/* One opening of some carriers on all threads. */
typedef struct
{
  WprOpenerOwn *own;
  WprOpenerLocal *local;
  const GArray *carriers; /* WprOwnCarrier */
  guint cpu;              /* G_MAXUINT: all */
  WprOpened *opened;
  GHashTable *known; /* tid -> Known * */
  GHashTable *born;  /* tid -> WprTask *: by the sideband */
  GArray *late;      /* guint32: tids that were opened before their birth was told */
  GArray *seen;      /* guint64: of each slot, how far its ring was looked at */
  guint need;        /* descriptors a thread */
  guint n_again;     /* how often a thread was started over with */
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

/* The sideband first. */
GArray *
wpr_own_carriers (WprOpenerOwn *self, guint ring)
{
  const GArray *events = WPR_OPENER_LOCAL (self)->events;
  GArray *carriers = g_array_new (FALSE, FALSE, sizeof (WprOwnCarrier));
  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < events->len; i++)
      {
        const WprPerfEvent *event = &g_array_index (events, WprPerfEvent, i);
        if ((ring == G_MAXUINT || event->ring == ring)
            && (event->kind == WPR_PERF_SIDEBAND) == (pass == 0))
          add_carrier (self, i, carriers);
      }
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
  WprMember member = { .row = event->row, .tid = tid, .switches = carrier->switches };
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

static Known *
look_up (const Opening *opening, guint32 tid)
{
  return g_hash_table_lookup (opening->known, GUINT_TO_POINTER (tid));
}

static void
note_known (const Opening *opening, guint32 tid, const Known *known)
{
  g_hash_table_insert (opening->known, GUINT_TO_POINTER (tid), g_memdup2 (known, sizeof *known));
}

typedef enum
{
  HAS_NONE,
  HAS_SOME, /* or none, or all */
  HAS_ALL
} Inherited;

/* What a thread has by birth, and as what it is known then. A forebear must have been given these
 * events before its child was born; those in between need not live any more. */
static Inherited
find_inherited (const Opening *opening, guint32 tid, Known *known)
{
  const WprTask *task = g_hash_table_lookup (opening->born, GUINT_TO_POINTER (tid));
  const WprTask *at = task;
  const Known *forebear = NULL;
  for (guint i = 0; at != NULL && forebear == NULL && i < g_hash_table_size (opening->born); i++)
    {
      forebear = look_up (opening, at->ptid);
      if (forebear == NULL)
        at = g_hash_table_lookup (opening->born, GUINT_TO_POINTER (at->ptid));
    }
  if (forebear == NULL || at->time < forebear->none_before)
    return HAS_NONE;
  *known = (Known){ task->time, task->time, forebear->origin };
  return at->time < forebear->all_after ? HAS_SOME : HAS_ALL;
}

static void
take_birth (const struct perf_event_header *header, gpointer data)
{
  const Opening *opening = data;
  WprRecord record;
  WprTask task;
  if (header->type != PERF_RECORD_FORK || !wpr_record_parse (header, opening->own->ids, &record)
      || !wpr_record_task (&record, &task))
    return;
  g_hash_table_insert (opening->born, GUINT_TO_POINTER (task.tid), g_memdup2 (&task, sizeof task));
  const Known *known = look_up (opening, task.tid);
  if (known != NULL && known->none_before != NEVER && known->origin == task.tid)
    g_array_append_val (opening->late, task.tid);
}

/* Forward rings are the sideband's; in file mode the others have no births, and are as well. */
static void
peek_at_births (Opening *opening)
{
  for (guint i = 0; i < opening->local->slots->len; i++)
    {
      const WprSlot *slot = opening->local->slots->pdata[i];
      if (!slot->spec.backward)
        wpr_ring_peek (slot->mapped, &g_array_index (opening->seen, guint64, i), take_birth,
                       opening);
    }
}

/* ---- what turned out otherwise ---- */

static gboolean
is_carried_here (const Opening *opening, const WprMember *member)
{
  const GArray *events = opening->local->events;
  for (guint i = 0; i < opening->carriers->len; i++)
    {
      const WprOwnCarrier *carrier = &g_array_index (opening->carriers, WprOwnCarrier, i);
      if (g_array_index (events, WprPerfEvent, carrier->event).row == member->row
          && carrier->switches == member->switches)
        return TRUE;
    }
  return FALSE;
}

static void
forget_id (GArray *ids, guint64 id)
{
  for (guint i = ids->len; i > 0; i--)
    if (g_array_index (ids, WprEventId, i - 1).id == id)
      {
        g_array_remove_index (ids, i - 1);
        return;
      }
}

/* What this opening has opened of a thread, which goes from all that inherited it as well. */
static void
close_thread (const Opening *opening, guint32 tid)
{
  for (guint s = 0; s < opening->local->slots->len; s++)
    {
      const WprSlot *slot = opening->local->slots->pdata[s];
      GArray *members = ((WprGroup *)slot->groups->pdata[0])->members;
      if (opening->cpu != G_MAXUINT && slot->cpu != opening->cpu)
        continue;
      for (guint i = members->len; i > 0; i--)
        {
          const WprMember *member = &g_array_index (members, WprMember, i - 1);
          if (member->tid != tid || !is_carried_here (opening, member))
            continue;
          close (member->fd);
          forget_id (opening->opened->ids, member->id);
          g_array_remove_index (members, i - 1);
          opening->own->n_open--;
        }
    }
}

static gboolean
comes_from (const Opening *opening, guint32 tid, guint32 origin)
{
  for (guint i = 0; i <= g_hash_table_size (opening->born); i++)
    {
      const Known *known = look_up (opening, tid);
      const WprTask *task = g_hash_table_lookup (opening->born, GUINT_TO_POINTER (tid));
      if (known != NULL || task == NULL)
        return known != NULL && known->origin == origin;
      tid = task->ptid;
    }
  return FALSE;
}

/* A thread and all that has its events: as if it had not been seen. */
static void
start_over (Opening *opening, guint32 origin)
{
  GHashTable *const tables[] = { opening->known, opening->born };
  g_autoptr (GArray) tids = g_array_new (FALSE, FALSE, sizeof (guint32));
  opening->n_again++;
  close_thread (opening, origin);
  peek_at_births (opening); /* the last that these events have told */
  for (guint i = 0; i < G_N_ELEMENTS (tables); i++)
    {
      GHashTableIter iter;
      gpointer key;
      g_hash_table_iter_init (&iter, tables[i]);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        {
          guint32 tid = GPOINTER_TO_UINT (key);
          if (comes_from (opening, tid, origin))
            g_array_append_val (tids, tid);
        }
    }
  for (guint i = 0; i < tids->len; i++)
    for (guint k = 0; k < G_N_ELEMENTS (tables); k++)
      g_hash_table_remove (tables[k], GUINT_TO_POINTER (g_array_index (tids, guint32, i)));
}

/* A thread that was opened, and whose birth is told only now: what it has of its parent's it has
 * twice. Where it is not all, its own are those that stay. */
static void
take_late (Opening *opening, guint32 tid)
{
  Known known;
  Inherited inherited
      = look_up (opening, tid) != NULL ? find_inherited (opening, tid, &known) : HAS_NONE;
  if (inherited == HAS_SOME)
    start_over (opening, known.origin);
  else if (inherited == HAS_ALL)
    {
      close_thread (opening, tid);
      note_known (opening, tid, &known);
    }
}

static void
look_for_births (Opening *opening)
{
  peek_at_births (opening);
  while (opening->late->len > 0)
    {
      guint32 tid = g_array_index (opening->late, guint32, opening->late->len - 1);
      g_array_set_size (opening->late, opening->late->len - 1);
      take_late (opening, tid);
    }
}

/* ---- all threads ---- */

static void
leave_out (const Opening *opening, const WprOwnProgram *program)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (opening->own->left_out, program->name));
  g_hash_table_insert (opening->own->left_out, g_strdup (program->name), GUINT_TO_POINTER (n + 1));
}

static void
open_new_thread (Opening *opening, const WprOwnProgram *program, guint32 tid)
{
  gboolean has_room = opening->own->n_open + opening->need <= opening->own->most;
  Known known = { now_ns (), 0, tid };
  int reason = has_room ? open_thread (opening, tid) : EMFILE;
  known.all_after = now_ns () + BIRTH_NS;
  /* Also of one that is not opened: it is looked at once. */
  if (reason != 0)
    known.none_before = NEVER;
  note_known (opening, tid, &known);
  if (reason == EMFILE || reason == ENFILE || reason == ENOMEM)
    leave_out (opening, program);
  else if (reason == EACCES || reason == EPERM)
    g_hash_table_add (opening->own->closed, g_strdup (program->name));
}

/* The threads that the program has now. TRUE if any of them is new. */
static gboolean
open_listed (Opening *opening, WprOwnProgram *program)
{
  gboolean any = FALSE;
  wpr_own_program_relist ("/proc", program);
  look_for_births (opening);
  for (guint i = 0; i < program->tids->len; i++)
    {
      guint32 tid = g_array_index (program->tids, guint32, i);
      Known known;
      if (look_up (opening, tid) != NULL)
        continue;
      Inherited inherited = find_inherited (opening, tid, &known);
      if (inherited == HAS_SOME && opening->n_again < AGAIN_MOST)
        {
          start_over (opening, known.origin);
          return TRUE;
        }
      if (inherited != HAS_NONE)
        {
          note_known (opening, tid, &known);
          continue;
        }
      any = TRUE;
      open_new_thread (opening, program, tid);
    }
  return any;
}

/* At once until it has no new ones: threads may live for a millisecond only, and start the next. */
static gboolean
open_program (Opening *opening, WprOwnProgram *program)
{
  gboolean any = FALSE, more = TRUE;
  for (guint round = 0; more && round < ROUNDS_MOST; round++)
    {
      more = open_listed (opening, program);
      any |= more;
    }
  return any;
}

void
wpr_own_open_threads (WprOpenerOwn *self, const GArray *carriers, guint cpu, WprOpened *opened)
{
  WprOpenerLocal *local = WPR_OPENER_LOCAL (self);
  g_autoptr (GHashTable) known = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GHashTable) born = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GArray) late = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GArray) seen = g_array_new (FALSE, TRUE, sizeof (guint64));
  Opening opening = { .own = self,
                      .local = local,
                      .carriers = carriers,
                      .cpu = cpu,
                      .opened = opened,
                      .known = known,
                      .born = born,
                      .late = late,
                      .seen = seen };
  gboolean any = carriers->len > 0;

  g_array_set_size (seen, local->slots->len);
  opening.need = count_needed (&opening);
  for (guint round = 0; any && round < ROUNDS_MOST; round++)
    {
      g_autoptr (GPtrArray) programs = wpr_own_programs_list ("/proc", getuid ());
      any = FALSE;
      for (guint i = 0; i < programs->len; i++)
        any |= open_program (&opening, programs->pdata[i]);
    }
}
