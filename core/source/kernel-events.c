/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the plan to events that are open: rows, ring sets, ids; and what the kernel refused, told.
 * Nothing is switched on here. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include <glib/gi18n-lib.h>

#include "base/log.h"
#include "source/kernel.h"
#include "source/sideband.h"

/* The sideband: 736 bytes a started program, so 10 Hz carries 7 000 starts a second a CPU. */
#define SIDEBAND_BYTES (512 * 1024)
/* Wakes long before it is full; else the tick finds it. */
#define SIDEBAND_WATERMARK (SIDEBAND_BYTES / 4)
/* File mode: smaller is needless waking, larger lost events while the ring was far from full. */
#define WATERMARK_LEAST (256 * 1024)
#define WATERMARK_MOST (1024 * 1024)

static const struct
{
  WprItemKind item;
  WprPerfKind kind;
} kinds[] = {
  { WPR_ITEM_TRACEPOINT, WPR_PERF_TRACEPOINT },
  { WPR_ITEM_SOFTWARE, WPR_PERF_SOFTWARE },
  { WPR_ITEM_HARDWARE, WPR_PERF_HARDWARE },
  { WPR_ITEM_SWITCHES, WPR_PERF_SWITCHES },
};

static const struct
{
  WprStack stack;
  WprCallchain callchain;
} callchains[] = {
  { WPR_STACK_NONE, WPR_CALLCHAIN_NONE },
  { WPR_STACK_KERNEL, WPR_CALLCHAIN_KERNEL },
  { WPR_STACK_FULL, WPR_CALLCHAIN_FULL },
};

/* With the threads that run already and bear another name than their program. Interned. */
static const char *
wpr_kernel_filter (WprSourceKernel *self, const WprPlanItem *item, const WprSession *session)
{
  guint left_out = 0;
  if (item->filter == NULL || item->programs == NULL)
    return item->filter != NULL ? g_intern_string (item->filter) : NULL;
  if (self->programs == NULL)
    self->programs = wpr_programs_new ("/proc");
  g_autofree char *filter
      = wpr_programs_filter (self->programs, item->filter, item->programs, &left_out);
  if (left_out > 0)
    {
      g_autofree char *number = g_strdup_printf ("%u", left_out);
      g_autofree char *text = g_strdup_printf (
          _ ("The kernel's filter of %s has no room for %s more threads of the programs that were "
             "asked for; what they do is not recorded."),
          item->name, number);
      session->notice (session->notice_data, WPR_NOTICE_WARNING, "filter-full", text);
    }
  return g_intern_string (filter);
}

/* FALSE for an item that is not the kernel's to record. */
gboolean
wpr_kernel_row (WprSourceKernel *self, const WprPlanItem *item, const WprSession *session,
                WprPerfEvent *event)
{
  gboolean ours = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].item == item->kind)
      {
        event->kind = kinds[i].kind;
        ours = TRUE;
      }
  if (!ours)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (callchains); i++)
    if (callchains[i].stack == item->stack)
      event->callchain = callchains[i].callchain;
  event->name = g_intern_string (wpr_kprobes_name (&self->probes, item->name));
  event->period = item->period;
  if (item->period == 0 && item->interval_ns > 0)
    event->frequency = MAX (1, WPR_NS_PER_SECOND / item->interval_ns);
  event->addr = item->kind == WPR_ITEM_SOFTWARE && g_str_has_suffix (item->name, "faults");
  /* One user frame where user stacks are not walked (docs/etl.md, StackWalk). */
  event->regs = item->stack == WPR_STACK_KERNEL;
  event->filter = wpr_kernel_filter (self, item, session);
  if (item->skip_self && item->kind == WPR_ITEM_TRACEPOINT)
    {
      event->n_skip_tids = MIN (session->own_tids->len, WPR_PERF_FILTER_MOST);
      for (guint i = 0; i < event->n_skip_tids; i++)
        event->skip_tids[i] = g_array_index (session->own_tids, guint32, i);
    }
  return TRUE;
}

/* The row's number is its place in the manifest. */
void
wpr_kernel_add_row (WprSourceKernel *self, WprManifest *manifest, guint32 collector,
                    WprPerfEvent *event, const char *name, gboolean as_file)
{
  event->row = manifest->events->len;
  WprStoreEvent stored = {
    .row = event->row,
    .collector = collector,
    .name = g_strdup (name),
    .kind = event->kind,
    .sample_type = wpr_perf_event_sample_type (event),
    .period = event->period,
    .frequency = event->frequency,
    .callchain = event->callchain,
    .as_file = as_file,
    .format = event->kind == WPR_PERF_TRACEPOINT ? wpr_tracefs_format (event->name) : NULL,
  };
  g_array_append_val (manifest->events, stored);
  g_array_append_val (self->events, *event);
}

static void
wpr_kernel_add_collector (WprManifest *manifest, const WprPlanCollector *plan)
{
  WprStoreCollector collector = {
    .name = g_strdup (plan->name),
    .session = g_strdup_printf ("WPR_initiated_%s_%s", manifest->instance, plan->name),
    .kind = plan->kind,
    .buffer_kb = plan->buffer_kb,
    .buffers_asked = plan->buffers_asked,
    .buffers_granted = plan->buffers_granted,
    .ring_bytes = plan->ring_bytes,
  };
  g_array_append_val (manifest->collectors, collector);
}

static void
wpr_kernel_add_ring_set (GArray *specs, gsize bytes, gboolean backward)
{
  WprRingSpec spec = { .bytes = bytes, .backward = backward };
  if (!backward)
    spec.watermark = (guint32)MIN (CLAMP (bytes / 16, WATERMARK_LEAST, WATERMARK_MOST), bytes / 4);
  g_array_append_val (specs, spec);
}

/* One ring set a collector that has items of the kernel's; ring sets in `sets` -> collector. */
static void
wpr_kernel_rows_of_plan (WprSourceKernel *self, WprSession *session, GArray *specs, GArray *sets)
{
  for (guint c = 0; c < session->plan->collectors->len; c++)
    {
      const WprPlanCollector *plan = g_ptr_array_index (session->plan->collectors, c);
      guint ring = specs->len;
      gboolean any = FALSE;
      wpr_kernel_add_collector (session->manifest, plan);
      for (guint i = 0; i < plan->items->len; i++)
        {
          const WprPlanItem *item = g_ptr_array_index (plan->items, i);
          WprPerfEvent event = { .ring = ring };
          if (!wpr_kernel_row (self, item, session, &event))
            continue;
          wpr_kernel_add_row (self, session->manifest, c, &event, item->name,
                              wpr_source_is_file (item));
          any = TRUE;
        }
      if (!any)
        continue;
      wpr_kernel_add_ring_set (specs, plan->ring_bytes, session->backward);
      g_array_append_val (sets, c);
    }
}

static void
wpr_kernel_add_sideband (WprSourceKernel *self, WprSession *session, GArray *specs, GArray *sets)
{
  WprPerfEvent event = { .ring = specs->len, .kind = WPR_PERF_SIDEBAND, .name = "sideband" };
  WprRingSpec spec = { .bytes = SIDEBAND_BYTES, .watermark = SIDEBAND_WATERMARK };
  guint32 collector = WPR_COLLECTOR_SIDEBAND;
  wpr_kernel_add_row (self, session->manifest, collector, &event, event.name, FALSE);
  g_array_append_val (specs, spec);
  g_array_append_val (sets, collector);
}

const WprPerfEvent *
wpr_kernel_event (WprSourceKernel *self, guint32 row)
{
  /* Nobody else adds rows, so mostly the row is the index. */
  if (row < self->events->len && g_array_index (self->events, WprPerfEvent, row).row == row)
    return &g_array_index (self->events, WprPerfEvent, row);
  for (guint i = 0; i < self->events->len; i++)
    if (g_array_index (self->events, WprPerfEvent, i).row == row)
      return &g_array_index (self->events, WprPerfEvent, i);
  return NULL;
}

/* ---- refusals ---- */

const char *
wpr_kernel_refusal_reason (int error_number)
{
  switch (error_number)
    {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return _ ("this kernel has no such event");
    case EPERM:
    case EACCES:
      return _ ("the kernel refuses it");
    case EKEYREJECTED: /* what the broker answers for what is not on its list */
      return _ ("the recording service does not open it for you");
    case EMFILE:
    case ENFILE:
      return _ ("too many files are open: raise the limit with \"ulimit -n\"");
    case E2BIG:
      return _ ("the group of events is full: choose fewer profiles");
    default:
      return g_strerror (error_number);
    }
}

static void
wpr_kernel_tell_no_leader (WprSession *session, const WprRefusal *refusal)
{
  g_autofree char *text = g_strdup_printf (_ ("Nothing of CPU %u is recorded: %s."), refusal->cpu,
                                           wpr_kernel_refusal_reason (refusal->error_number));
  session->notice (session->notice_data, WPR_NOTICE_WARNING, "cpu-refused", text);
  wpr_log (WPR_LOG_REFUSED, "%s", text);
}

/* A CPU that is away gets its events when it is back. */
static gboolean
wpr_kernel_is_away (const WprSourceKernel *self, guint cpu)
{
  for (guint i = 0; i < self->rings->len; i++)
    {
      const WprKernelRing *ring = &g_array_index (self->rings, WprKernelRing, i);
      if (ring->cpu == cpu)
        return !ring->online;
    }
  return FALSE;
}

/* One notice an event, however many CPUs refused it. */
void
wpr_kernel_tell_refusals (WprSourceKernel *self, WprSession *session, guint first)
{
  g_autoptr (GHashTable) told = g_hash_table_new (NULL, NULL);
  for (guint i = first; i < self->opened.refusals->len; i++)
    {
      const WprRefusal *refusal = &g_array_index (self->opened.refusals, WprRefusal, i);
      const WprPerfEvent *event = wpr_kernel_event (self, refusal->row);
      if (refusal->row == WPR_ROW_LEADER)
        wpr_kernel_tell_no_leader (session, refusal);
      if (!event || wpr_kernel_is_away (self, refusal->cpu)
          || !g_hash_table_add (told, GUINT_TO_POINTER (refusal->row)))
        continue;
      const char *reason = wpr_kernel_refusal_reason (refusal->error_number);
      g_autofree char *text
          = refusal->cpu == G_MAXUINT
                ? g_strdup_printf (_ ("%s is not recorded: %s."), event->name, reason)
                : g_strdup_printf (_ ("%s is not recorded on CPU %u: %s."), event->name,
                                   refusal->cpu, reason);
      session->notice (session->notice_data, WPR_NOTICE_INFO, "event-refused", text);
      g_ptr_array_add (session->manifest->missing, g_strdup_printf ("%s: %s", event->name, reason));
      wpr_log (WPR_LOG_REFUSED, "%s", text);
    }
}

/* What the opener has to say beside, to the person and in the file. */
void
wpr_kernel_tell_remarks (WprSourceKernel *self, WprSession *session, guint first)
{
  for (guint i = first; i < self->opened.remarks->len; i++)
    {
      const char *text = g_ptr_array_index (self->opened.remarks, i);
      session->notice (session->notice_data, WPR_NOTICE_INFO, "own-programs", text);
      g_ptr_array_add (session->manifest->missing, g_strdup (text));
      wpr_log (WPR_LOG_NOTICE, "%s", text);
    }
}

/* ---- opening ---- */

/* Whether a profile said that it cannot do without this event. */
static gboolean
wpr_kernel_is_strict (const WprPlan *plan, const char *name)
{
  for (guint c = 0; c < plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, c);
      for (guint i = 0; i < collector->items->len; i++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, i);
          if (item->strict && g_str_equal (item->name, name))
            return TRUE;
        }
    }
  return FALSE;
}

/* A plan of which the kernel gave not one event is no recording. */
static gboolean
wpr_kernel_check_any (WprSourceKernel *self, WprSession *session, GError **error)
{
  gboolean asked = FALSE, given = FALSE;
  int refused = 0;
  for (guint i = 0; i < self->events->len; i++)
    asked |= g_array_index (self->events, WprPerfEvent, i).kind != WPR_PERF_SIDEBAND;
  for (guint i = 0; i < self->opened.ids->len; i++)
    {
      const WprPerfEvent *event
          = wpr_kernel_event (self, g_array_index (self->opened.ids, WprEventId, i).row);
      given |= event && event->kind != WPR_PERF_SIDEBAND;
    }
  if (self->opened.refusals->len > 0)
    refused = g_array_index (self->opened.refusals, WprRefusal, 0).error_number;
  for (guint i = 0; session->plan->strict && i < self->opened.refusals->len; i++)
    {
      const WprRefusal *refusal = &g_array_index (self->opened.refusals, WprRefusal, i);
      const WprPerfEvent *event = wpr_kernel_event (self, refusal->row);
      if (!event || !wpr_kernel_is_strict (session->plan, event->name))
        continue;
      wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                     _ ("The profile is strict and %s cannot be recorded: %s."), event->name,
                     wpr_kernel_refusal_reason (refusal->error_number));
      return FALSE;
    }
  if (!asked || given)
    return TRUE;
  gboolean rights = refused == EPERM || refused == EACCES;
  wpr_set_error (error, rights ? WPR_ERROR_NOT_PERMITTED : WPR_ERROR_NOT_AVAILABLE, 0,
                 _ ("Not one of the events could be opened: %s. %s"),
                 wpr_kernel_refusal_reason (refused),
                 wpr_machine_get_rights_text (session->machine));
  return FALSE;
}

gboolean
wpr_kernel_open (WprSourceKernel *self, WprSession *session, GError **error)
{
  g_autoptr (GArray) specs = g_array_new (FALSE, TRUE, sizeof (WprRingSpec));
  g_autoptr (GArray) sets = g_array_new (FALSE, TRUE, sizeof (guint32));
  wpr_raise_nofile ();
  wpr_kprobes_sweep ();
  wpr_kernel_rows_of_plan (self, session, specs, sets);
  g_clear_pointer (&self->programs, wpr_programs_free);
  wpr_kernel_add_sideband (self, session, specs, sets);
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  if (!wpr_opener_open (self->opener, (const WprPerfEvent *)self->events->data, self->events->len,
                        (const WprRingSpec *)specs->data, specs->len, (const guint *)cpus->data,
                        cpus->len, &self->opened, error))
    return FALSE;
  self->ring_sets = g_steal_pointer (&sets);
  wpr_kernel_tell_refusals (self, session, 0);
  wpr_kernel_tell_remarks (self, session, 0);
  wpr_kernel_add_ids (self, session, 0);
  return wpr_kernel_check_any (self, session, error);
}

void
wpr_kernel_add_ids (WprSourceKernel *self, WprSession *session, guint first_id)
{
  g_autoptr (GArray) added = g_array_new (FALSE, TRUE, sizeof (WprStoreId));
  for (guint i = first_id; i < self->opened.ids->len; i++)
    {
      const WprEventId *id = &g_array_index (self->opened.ids, WprEventId, i);
      const WprPerfEvent *event = wpr_kernel_event (self, id->row);
      if (!event)
        continue;
      WprStoreId stored = { id->id, id->row, id->cpu };
      WprKernelMember member = {
        .id = id->id,
        .row = id->row,
        .collector = wpr_kernel_collector (self, event->ring),
        .cpu = id->cpu,
      };
      g_array_append_val (added, stored);
      g_array_append_val (self->members, member);
      g_hash_table_insert (self->by_id, g_memdup2 (&id->id, sizeof id->id),
                           GUINT_TO_POINTER (self->members->len));
      wpr_id_table_add (self->ids, id->id, id->row, wpr_perf_event_sample_type (event));
      if (event->kind == WPR_PERF_SIDEBAND)
        wpr_sideband_add_id (self->sideband, id->id, id->row, wpr_perf_event_sample_type (event));
    }
  if (session->store && added->len > 0 && !session->gathers)
    wpr_store_add_ids (session->store, (const WprStoreId *)added->data, added->len, NULL);
  else
    g_array_append_vals (session->manifest->ids, added->data, added->len);
}

/* ---- rings ---- */

static void
wpr_kernel_tell_shrunk (WprSession *session, guint32 collector, gsize got)
{
  WprStoreCollector *c
      = &g_array_index (session->manifest->collectors, WprStoreCollector, collector);
  g_autofree char *asked = g_format_size_full (c->ring_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *granted = g_format_size_full (got, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *text = g_strdup_printf (
      _ ("Memory for the buffers of \"%s\" is short: each CPU got %s instead of %s. Smaller "
         "buffers, fewer profiles or a higher limit of locked memory (ulimit -l) help."),
      c->name, granted, asked);
  session->notice (session->notice_data, WPR_NOTICE_WARNING, "ring-shrunk", text);
  wpr_log (WPR_LOG_NOTICE, "%s", text);
}

/* The manifest says what was granted: the least of its rings. */
void
wpr_kernel_note_granted (WprSession *session, guint32 collector, gsize got, guint n_cpus)
{
  WprStoreCollector *c
      = &g_array_index (session->manifest->collectors, WprStoreCollector, collector);
  if (got < c->ring_bytes)
    wpr_kernel_tell_shrunk (session, collector, got);
  c->ring_bytes = got;
  if (c->buffer_kb > 0)
    c->buffers_granted = (guint32)(got * n_cpus / (c->buffer_kb * G_GUINT64_CONSTANT (1024)));
}

gboolean
wpr_kernel_map (WprSourceKernel *self, WprSession *session, guint first_leader, GError **error)
{
  for (guint i = first_leader; i < self->opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (self->opened.leaders, WprLeader, i);
      if (leader->bytes == 0) /* a further group: its records go to the ring that is there */
        continue;
      guint32 collector = wpr_kernel_collector (self, leader->ring);
      gboolean backward = session->backward && collector != WPR_COLLECTOR_SIDEBAND;
      WprKernelRing ring = {
        .collector = collector,
        .cpu = leader->cpu,
        .leader_fd = leader->fd,
        .ring = wpr_ring_map (leader->fd, leader->bytes, backward, error),
        .online = TRUE,
        .counted_at = G_MAXUINT64,
      };
      if (!ring.ring)
        return FALSE;
      g_array_append_val (self->rings, ring);
    }
  for (guint32 c = 0; c < session->manifest->collectors->len; c++)
    {
      gsize least = G_MAXSIZE;
      guint n = 0;
      for (guint i = 0; i < self->rings->len; i++)
        if (g_array_index (self->rings, WprKernelRing, i).collector == c)
          {
            least = MIN (least, wpr_ring_size (g_array_index (self->rings, WprKernelRing, i).ring));
            n++;
          }
      if (n > 0)
        wpr_kernel_note_granted (session, c, least, n);
    }
  return TRUE;
}
