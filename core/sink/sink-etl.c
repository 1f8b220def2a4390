/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink that writes an .etl: one row a kind of event, and what comes before and after them. */
#include "config.h"
#include "sink/sink-etl-private.h"

#include <time.h>
#include <glib/gi18n-lib.h>
#include "base/wpr-error.h"

/* 1601 to 1970 in 100 ns. */
#define UNIX_EPOCH_FILETIME G_GINT64_CONSTANT (116444736000000000)
/* Ids are below PID_MAX_LIMIT (4 194 304): the bits take at most 512 KiB. */
#define MOST_PIDS (1u << 22)
#define NORMAL_PRIORITY 8
/* A group of the kernel's has at most 680 events; a stranger's manifest may say anything. */
#define MOST_ROWS 4096

gint64
wpr_sink_etl_ticks (gint64 time_ns)
{
  return time_ns / 100;
}

/* ---- one row a kind ---- */

typedef gboolean (*WriteFunc) (WprSinkEtl *self, const WprEvent *event, GError **error);

/* Another event tells of it. */
static gboolean
write_nothing (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  return TRUE;
}

static const WriteFunc rows[WPR_EVENT_N_KINDS] = {
  [WPR_EVENT_TRACEPOINT] = wpr_sink_etl_tracepoint,
  [WPR_EVENT_SWITCH] = wpr_sink_etl_switch,
  [WPR_EVENT_WAKING] = wpr_sink_etl_waking,
  [WPR_EVENT_SAMPLE] = wpr_sink_etl_sample,
  [WPR_EVENT_FAULT] = wpr_sink_etl_fault,
  [WPR_EVENT_DISK_ISSUE] = wpr_sink_etl_disk_issue,
  [WPR_EVENT_DISK_COMPLETE] = wpr_sink_etl_disk_complete,
  [WPR_EVENT_SYSCALL_ENTER] = wpr_sink_etl_syscall_enter,
  [WPR_EVENT_SYSCALL_EXIT] = wpr_sink_etl_syscall_exit,
  [WPR_EVENT_BEGUN] = wpr_sink_etl_begun,
  [WPR_EVENT_MEMORY] = wpr_sink_etl_memory,
  [WPR_EVENT_SOCKET] = wpr_sink_etl_socket,
  [WPR_EVENT_INTERRUPT] = wpr_sink_etl_interrupt,
  [WPR_EVENT_THROTTLE] = wpr_sink_etl_recorder_event,
  [WPR_EVENT_FILE_OP] = wpr_sink_etl_file_op,
  [WPR_EVENT_FILE_END] = wpr_sink_etl_file_end,
  [WPR_EVENT_FILE_NAME] = wpr_sink_etl_file_name,
  [WPR_EVENT_JOINED] = write_nothing,
  [WPR_EVENT_PROCESS_START] = wpr_sink_etl_process,
  [WPR_EVENT_PROCESS_END] = wpr_sink_etl_process,
  [WPR_EVENT_THREAD_START] = wpr_sink_etl_thread,
  [WPR_EVENT_THREAD_END] = wpr_sink_etl_thread,
  [WPR_EVENT_THREAD_NAME] = wpr_sink_etl_thread_name,
  [WPR_EVENT_IMAGE_LOAD] = wpr_sink_etl_image,
  [WPR_EVENT_MARK] = wpr_sink_etl_mark,
  [WPR_EVENT_COUNTERS] = wpr_sink_etl_counters,
  [WPR_EVENT_CLOCK_STEP] = wpr_sink_etl_recorder_event,
  [WPR_EVENT_LOSS] = wpr_sink_etl_recorder_event,
  [WPR_EVENT_CPU_GAP] = wpr_sink_etl_recorder_event,
  [WPR_EVENT_NOTICE] = wpr_sink_etl_recorder_event,
};

static gboolean
sink_etl_event (WprSink *sink, const WprEvent *event, GError **error)
{
  WprSinkEtl *self = (WprSinkEtl *)sink;

  g_return_val_if_fail (event->kind < WPR_EVENT_N_KINDS && rows[event->kind] != NULL, FALSE);
  if (event->row < self->n_rows && event->cpu < self->n_cpus && !event->inferred)
    self->in_file[(gsize)event->row * self->n_cpus + event->cpu]++;
  if (G_UNLIKELY (event->kind == WPR_EVENT_LOSS))
    self->n_lost += event->u.loss.count;
  if (self->names != NULL)
    {
      if (event->n_callchain > 0 || event->ip != 0 || event->user_ip != 0)
        wpr_sink_etl_saw_stack (self, event);
      else if (event->kind == WPR_EVENT_PROCESS_START)
        wpr_sink_names_program (self->names, event);
    }
  return rows[event->kind](self, event, error);
}

gboolean
wpr_sink_etl_add (WprSinkEtl *self, guint cpu, gint64 time, const WprEtlHead *head,
                  WprPayload *payload, GError **error)
{
  self->n_cut_texts += payload->n_cut;
  if (G_UNLIKELY (cpu >= self->n_cpus)) /* a record that lies about its CPU */
    cpu = 0;
  return wpr_etl_writer_add (self->writer, cpu, wpr_sink_etl_ticks (time), head, payload->start,
                             wpr_payload_size (payload), error);
}

void
wpr_sink_etl_set_kernel (WprSinkEtl *self, guint32 pid, gboolean kernel)
{
  guint64 bit = G_GUINT64_CONSTANT (1) << (pid % 64);

  if (pid >= self->n_kernel_pids)
    {
      guint32 n = MAX (self->n_kernel_pids, 32768);

      if (!kernel || pid >= MOST_PIDS)
        return;
      while (n <= pid)
        n *= 2;
      self->kernel_pids = g_renew (guint64, self->kernel_pids, n / 64);
      memset (self->kernel_pids + self->n_kernel_pids / 64, 0, (n - self->n_kernel_pids) / 8);
      self->n_kernel_pids = n;
    }
  if (kernel)
    self->kernel_pids[pid / 64] |= bit;
  else
    self->kernel_pids[pid / 64] &= ~bit;
}

/* ---- before ---- */

/* Minutes that local time is behind UTC, at the recording's start. */
static gint32
bias_minutes (gint64 realtime_ns)
{
  time_t seconds = (time_t)(realtime_ns / G_GINT64_CONSTANT (1000000000));
  struct tm tm;

  return localtime_r (&seconds, &tm) != NULL ? (gint32)(-tm.tm_gmtoff / 60) : 0;
}

static void
make_tables (WprSinkEtl *self)
{
  const WprManifest *manifest = self->context->manifest;

  self->priorities = g_malloc (self->n_cpus);
  memset (self->priorities, NORMAL_PRIORITY, self->n_cpus);
  self->idle_tids = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < manifest->events->len; i++)
    self->n_rows = MAX (self->n_rows, g_array_index (manifest->events, WprStoreEvent, i).row + 1);
  self->n_rows = MIN (self->n_rows, MOST_ROWS);
  self->in_file = g_new0 (guint64, (gsize)self->n_rows * self->n_cpus + 1);
  if (manifest->stack_cache_kb > 0)
    self->stack_cache = wpr_stack_cache_new (manifest->stack_cache_kb);
}

static gboolean
open_writer (WprSinkEtl *self, const WprTraceContext *context, GError **error)
{
  const WprManifest *manifest = context->manifest;
  WprEtlHeaderInfo info = {
    .n_cpus = CLAMP (MAX (manifest->max_possible_cpu + 1, manifest->n_cpus), 1, G_MAXUINT16),
    .cpu_mhz = manifest->cpu_mhz,
    .start_ticks = wpr_sink_etl_ticks (context->start_time),
    .start_filetime = context->start_realtime_ns / 100 + UNIX_EPOCH_FILETIME,
    .bias_minutes = bias_minutes (context->start_realtime_ns),
    .logger_name = "NT Kernel Logger",
    .file_name = manifest->instance,
    .compress = self->compress,
  };

  info.boot_filetime = info.start_filetime - info.start_ticks; /* ticks count from boot */
  wpr_sink_etl_group_masks (manifest, info.group_masks);
  self->writer = wpr_etl_writer_new (self->fd, &info, error);
  if (self->writer == NULL)
    return FALSE;
  self->n_cpus = info.n_cpus;
  if (self->in_file == NULL)
    make_tables (self);
  return TRUE;
}

/* An empty event that ends a rundown. */
static gboolean
rundown_complete (WprSinkEtl *self, gint64 time, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x0008, .version = 2 };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  return wpr_sink_etl_add (self, 0, time, &head, &payload, error);
}

static gboolean
sink_etl_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  WprSinkEtl *self = (WprSinkEtl *)sink;

  g_return_val_if_fail (self->writer == NULL, FALSE);
  self->context = context;
  if (self->whole == NULL)
    self->whole = context;
  return open_writer (self, context, error) && wpr_sink_etl_recorder_begin (self, error)
         && wpr_sink_etl_interval (self, context->start_time, FALSE, error)
         && wpr_sink_etl_rundown (self, FALSE, error) && wpr_sink_etl_begin_routines (self, error)
         && wpr_sink_etl_begin_mapped (self, error)
         && rundown_complete (self, context->start_time, error);
}

gboolean
wpr_sink_etl_begin_part (WprSinkEtl *self, const WprTraceContext *whole, GError **error)
{
  self->whole = whole;
  if (whole->counters != NULL)
    self->before = *whole->counters;
  wpr_sink_etl_see_waiting (self);
  return sink_etl_begin (&self->parent, &self->part, error);
}

/* ---- after ---- */

static gboolean
end_content (WprSinkEtl *self, GError **error)
{
  const WprTraceContext *context = self->context;

  /* Stacks of who is away go on waiting in the next file. */
  return (self->goes_on || wpr_sink_etl_end_stacks (self, error))
         && wpr_sink_etl_end_stack_keys (self, error)
         && wpr_sink_etl_interval (self, context->end_time, TRUE, error)
         && wpr_sink_etl_rundown (self, TRUE, error) && wpr_sink_etl_end_mapped (self, error)
         && wpr_sink_etl_file_rundown (self, error)
         && rundown_complete (self, context->end_time, error) && wpr_sink_etl_machine (self, error)
         && wpr_sink_etl_image_ids (self, error) && wpr_sink_etl_names (self, error)
         && wpr_sink_etl_recorder_end (self, error) && wpr_sink_etl_order (self, error);
}

gboolean
wpr_sink_etl_end_part (WprSinkEtl *self, gboolean goes_on, GError **error)
{
  self->goes_on = goes_on;
  return end_content (self, error) && wpr_etl_writer_park (self->writer, error);
}

gboolean
wpr_sink_etl_finish (WprSinkEtl *self, GError **error)
{
  const WprTraceContext *context = self->context;
  gint64 end_ticks
      = wpr_sink_etl_ticks (context->end_time) - wpr_sink_etl_ticks (context->start_time);

  return wpr_sink_etl_description (self, error)
         && wpr_etl_writer_finish (self->writer,
                                   context->start_realtime_ns / 100 + UNIX_EPOCH_FILETIME
                                       + MAX (end_ticks, 0),
                                   context->lost, 0, error);
}

static gboolean
sink_etl_end (WprSink *sink, const WprTraceContext *context, GError **error)
{
  WprSinkEtl *self = (WprSinkEtl *)sink;

  g_return_val_if_fail (self->writer != NULL, FALSE);
  self->context = context;
  return end_content (self, error) && wpr_sink_etl_finish (self, error);
}

static void
sink_etl_free (WprSink *sink)
{
  WprSinkEtl *self = (WprSinkEtl *)sink;

  wpr_sink_etl_recorder_free (self);
  wpr_etl_writer_free (self->writer);
  wpr_stacks_free (self->stacks);
  g_clear_pointer (&self->last_priorities, g_byte_array_unref);
  wpr_stack_cache_free (self->stack_cache);
  wpr_sink_names_free (self->names);
  g_clear_pointer (&self->held, g_hash_table_unref);
  wpr_routines_free (self->routines);
  wpr_mapped_files_free (self->mapped);
  g_clear_pointer (&self->by_row, g_ptr_array_unref);
  g_clear_pointer (&self->by_format, g_hash_table_unref);
  g_clear_pointer (&self->counter_kinds, g_hash_table_unref);
  g_clear_pointer (&self->disks, g_array_unref);
  g_free (self->scratch);
  g_free (self->priorities);
  g_clear_pointer (&self->idle_tids, g_hash_table_unref);
  g_free (self->in_file);
  g_free (self->kernel_pids);
  g_free (self);
}

static const WprSinkClass sink_etl_class
    = { sink_etl_begin, sink_etl_event, sink_etl_end, sink_etl_free };

WprSink *
wpr_sink_etl_new (int fd, GError **error)
{
  return wpr_sink_etl_new_part (fd, NULL, FALSE);
}

/* All that is not of one file. */
static void
take_over (WprSinkEtl *self, WprSinkEtl *previous)
{
  self->n_cpus = previous->n_cpus;
  self->n_rows = previous->n_rows;
  self->n_kernel_pids = previous->n_kernel_pids;
  previous->n_kernel_pids = 0;
  self->scratch = g_steal_pointer (&previous->scratch);
  self->priorities = g_steal_pointer (&previous->priorities);
  self->idle_tids = g_steal_pointer (&previous->idle_tids);
  self->last_priorities = g_steal_pointer (&previous->last_priorities);
  self->kernel_pids = g_steal_pointer (&previous->kernel_pids);
  self->stacks = g_steal_pointer (&previous->stacks);
  self->stack_cache = g_steal_pointer (&previous->stack_cache);
  self->names = g_steal_pointer (&previous->names);
  self->held = g_steal_pointer (&previous->held);
  self->routines = g_steal_pointer (&previous->routines);
  self->mapped = g_steal_pointer (&previous->mapped);
  self->by_row = g_steal_pointer (&previous->by_row);
  self->by_format = g_steal_pointer (&previous->by_format);
  self->counter_kinds = g_steal_pointer (&previous->counter_kinds);
  self->recorder_kinds = g_steal_pointer (&previous->recorder_kinds);
  self->disks = g_steal_pointer (&previous->disks);
  self->in_file = g_steal_pointer (&previous->in_file);
}

WprSink *
wpr_sink_etl_new_part (int fd, WprSink *previous, gboolean compress)
{
  WprSinkEtl *self;

  g_return_val_if_fail (fd >= 0, NULL);
  self = g_new0 (WprSinkEtl, 1);
  self->parent.klass = &sink_etl_class;
  self->fd = fd;
  self->compress = compress;
  if (previous != NULL)
    {
      take_over (self, (WprSinkEtl *)previous);
      return &self->parent;
    }
  self->scratch = g_malloc (WPR_SCRATCH_BYTES);
  self->stacks = wpr_stacks_new ();
  self->last_priorities = g_byte_array_new ();
  self->held = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->routines = wpr_routines_new ();
  self->mapped = wpr_mapped_files_new ();
  self->by_row = g_ptr_array_new ();
  self->by_format = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify)wpr_generic_free);
  self->counter_kinds = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                               (GDestroyNotify)wpr_etl_schema_free);
  self->disks = g_array_new (FALSE, FALSE, sizeof (WprSinkDisk));
  return &self->parent;
}

void
wpr_sink_etl_want_names (WprSink *sink, const WprSinkNamesWish *wish)
{
  WprSinkEtl *self = (WprSinkEtl *)sink;

  g_return_if_fail (sink->klass == &sink_etl_class && self->names == NULL);
  self->names = wpr_sink_names_new (wish);
}

void
wpr_sink_etl_totals (WprSink *sink, guint64 *events, guint64 *bytes)
{
  const WprSinkEtl *self = (const WprSinkEtl *)sink;

  g_return_if_fail (sink->klass == &sink_etl_class);
  if (events != NULL)
    *events = self->writer != NULL ? wpr_etl_writer_events (self->writer) : 0;
  if (bytes != NULL)
    *bytes = self->writer != NULL ? wpr_etl_writer_bytes (self->writer) : 0;
}

void
wpr_sink_free (WprSink *self)
{
  if (self != NULL)
    self->klass->free (self);
}
