/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording whose events are the broker's: its session is asked for, what only it may read is
 * read, and it is watched: when it goes, so do the events. All on the worker. */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <glib-unix.h>
#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "base/log.h"
#include "recorder/local.h"
#include "world/open-files.h"

/* Of a recording that was killed: what its rings mean, see orphan.c. */
#define KEPT_TYPE "(ayauxxay)"
/* The world changes all the time and is kept now and then: who came and went since has no name.
 * Saving and packing one of 700 processes takes some 50 ms. */
#define KEEP_EACH_US (30 * G_USEC_PER_SEC)
/* At most this share of the time. */
#define KEEP_SHARE 200

/* ---- the session ---- */

void
wpr_local_drop_broker (WprLocal *local)
{
  if (local->broker_watch)
    {
      g_source_destroy (local->broker_watch);
      g_clear_pointer (&local->broker_watch, g_source_unref);
    }
  g_clear_pointer (&local->broker, wpr_broker_session_unref);
}

/* What was let in to record in memory may write a file, too: nothing is asked twice. */
static gboolean
wpr_broker_fits (const WprLocal *local, const char *mode, gboolean contents)
{
  return local->broker && !wpr_broker_session_is_over (local->broker)
         && (g_str_equal (local->broker_mode, mode) || g_str_equal (local->broker_mode, "memory"))
         && (local->broker_contents || !contents);
}

gboolean
wpr_local_unlock (WprLocal *local, const char *mode, gboolean contents, GCancellable *cancellable,
                  GError **error)
{
  if (wpr_broker_fits (local, mode, contents))
    return TRUE;
  g_autoptr (GError) why = NULL;
  WprBrokerSession *session
      = wpr_broker_begin (mode, contents, TRUE, local->instance, cancellable, &why);
  if (!session)
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  wpr_local_drop_broker (local);
  local->broker = session;
  local->broker_mode = mode;
  local->broker_contents = contents;
  return TRUE;
}

/* Probes see what programs do inside: they are asked for by themselves. */
static gboolean
wpr_broker_wants_contents (const WprPlan *plan)
{
  for (guint c = 0; c < plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, c);
      for (guint i = 0; i < collector->items->len; i++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, i);
          if (item->kind == WPR_ITEM_TRACEPOINT && g_str_has_prefix (item->name, "kprobe:"))
            return TRUE;
        }
    }
  return FALSE;
}

gboolean
wpr_local_unlock_for_plan (WprLocal *local, GCancellable *cancellable, GError **error)
{
  const char *mode = local->plan->mode == WPR_MODE_MEMORY ? "memory" : "file";
  if (!local->plan->unlock)
    {
      wpr_local_drop_broker (local);
      return TRUE;
    }
  if (!wpr_local_unlock (local, mode, FALSE, cancellable, error))
    return FALSE;
  if (wpr_broker_wants_contents (local->plan))
    wpr_log (WPR_LOG_NOTICE, "%s: probes are not asked of the broker", local->instance);
  return wpr_local_learn_formats (local, local->plan, error);
}

/* ---- what only it may read ---- */

gboolean
wpr_local_learn_formats (WprLocal *local, const WprPlan *plan, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  for (guint c = 0; local->broker && c < plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, c);
      for (guint i = 0; i < collector->items->len; i++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, i);
          if (item->kind == WPR_ITEM_TRACEPOINT && !g_str_has_prefix (item->name, "kprobe:"))
            g_ptr_array_add (names, (gpointer)item->name);
        }
    }
  return names->len == 0
         || wpr_broker_facts_formats (local->broker, (const char *const *)names->pdata, names->len,
                                      error);
}

gboolean
wpr_local_broker_rundown (WprLocal *local, GError **error)
{
  WprWorld *world = local->session.world;
  g_autoptr (GBytes) bytes
      = wpr_broker_facts_rundown (local->broker, local->broker_contents, error);
  if (!bytes || !wpr_world_load (world, bytes, error))
    return FALSE;
  wpr_world_fill_in (world, "/proc");
  return TRUE;
}

static GPtrArray *
wpr_broker_open_files (gpointer data, gboolean positions)
{
  WprLocal *local = data;
  g_autoptr (GError) error = NULL;
  GPtrArray *files
      = local->broker ? wpr_broker_facts_descriptors (local->broker, positions, &error) : NULL;
  if (!files && error)
    wpr_log (WPR_LOG_NOTICE, "%s: %s", local->instance, error->message);
  return files;
}

int
wpr_broker_kallsyms_fd (WprBrokerSession *session, GError **error)
{
  if (!session || wpr_broker_session_is_over (session))
    return -1;
  g_autoptr (GBytes) text = wpr_broker_facts_kallsyms (session, error);
  int fd = text ? memfd_create ("wpr-kallsyms", MFD_CLOEXEC) : -1;
  gsize size = 0;
  const char *bytes = text ? g_bytes_get_data (text, &size) : NULL;
  if (fd >= 0 && wpr_write_all (fd, bytes, size, error))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

int
wpr_local_kallsyms (WprLocal *local)
{
  g_autoptr (GError) error = NULL;
  int fd = wpr_broker_kallsyms_fd (local->broker, &error);
  if (error)
    wpr_log (WPR_LOG_NOTICE, "%s: %s", local->instance, error->message);
  return fd;
}

/* ---- should this process be killed ---- */

/* Consumes what it is given; NULL if it cannot be. */
static GBytes *
wpr_kept_convert (GBytes *bytes, GConverter *converter)
{
  g_autoptr (GBytes) from = bytes;
  g_autoptr (GConverter) how = converter;
  g_autoptr (GInputStream) plain = g_memory_input_stream_new_from_bytes (from);
  g_autoptr (GInputStream) input = g_converter_input_stream_new (plain, how);
  g_autoptr (GOutputStream) output = g_memory_output_stream_new_resizable ();
  if (g_output_stream_splice (output, input, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, NULL) < 0)
    return NULL;
  return g_memory_output_stream_steal_as_bytes (G_MEMORY_OUTPUT_STREAM (output));
}

/* Packed, and small enough to be kept beside the rest; else empty. */
static GVariant *
wpr_kept_world (const WprWorld *world, gsize rest)
{
  g_autoptr (GBytes) packed
      = wpr_kept_convert (wpr_world_save (world),
                          G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 1)));
  gsize size = packed ? g_bytes_get_size (packed) : 0;
  if (size == 0 || rest + size + 4096 > WPR_BROKER_KEPT_MOST)
    return g_variant_new_array (G_VARIANT_TYPE_BYTE, NULL, 0);
  return g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, packed, TRUE);
}

void
wpr_local_keep_now_and_then (WprLocal *local)
{
  if (local->broker && g_get_monotonic_time () >= local->keep_next_us)
    wpr_local_keep (local);
}

void
wpr_local_keep (WprLocal *local)
{
  WprSession *session = &local->session;
  g_autoptr (GError) error = NULL;
  gint64 begun = g_get_monotonic_time ();
  if (!local->broker || !session->backward || !local->sources
      || wpr_broker_session_is_over (local->broker))
    return;
  const GArray *sets = wpr_source_kernel_ring_sets (g_ptr_array_index (local->sources, 0));
  g_autoptr (GBytes) manifest = wpr_manifest_to_bytes (session->manifest);
  gsize size;
  gconstpointer bytes = g_bytes_get_data (manifest, &size);
  g_autoptr (GVariant) kept = g_variant_ref_sink (g_variant_new (
      "(@ay@auxx@ay)", g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes, size, 1),
      g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, sets->data, sets->len, 4),
      (gint64)session->started_ns, local->started_realtime_ns,
      wpr_kept_world (session->world, size)));
  g_autoptr (GBytes) all = g_variant_get_data_as_bytes (kept);
  if (!wpr_broker_facts_keep (local->broker, all, &error))
    wpr_log (WPR_LOG_NOTICE, "%s: what is recorded ends with this process: %s", local->instance,
             error->message);
  gint64 now = g_get_monotonic_time ();
  local->keep_next_us = now + MAX (KEEP_EACH_US, (now - begun) * KEEP_SHARE);
}

/* ---- when it goes ---- */

static gboolean
wpr_broker_gone (int fd, GIOCondition condition, gpointer data)
{
  WprLocal *local = data;
  if (!wpr_broker_session_is_over (local->broker))
    return G_SOURCE_CONTINUE;
  WprSession *session = &local->session;
  g_clear_pointer (&local->broker_watch, g_source_unref);
  if (local->state != WPR_STATE_RECORDING)
    return G_SOURCE_REMOVE;
  for (guint i = 0; i < local->sources->len; i++)
    wpr_source_withdraw (g_ptr_array_index (local->sources, i), session);
  wpr_local_notice (local, WPR_NOTICE_WARNING, "rights-withdrawn",
                    _ ("The right to record this computer was withdrawn: the recording service has "
                       "ended. From here on no event of the kernel is recorded; what was recorded "
                       "is kept, and marks and figures of the system go on. Stop and start anew to "
                       "go on recording."));
  wpr_log (WPR_LOG_NOTICE, "%s: the broker has gone", local->instance);
  g_mutex_lock (&local->lock);
  g_autoptr (GVariant) before = local->description;
  g_auto (GVariantDict) d = G_VARIANT_DICT_INIT (before);
  g_variant_dict_insert (&d, "withdrawn", "b", TRUE);
  local->description = g_variant_ref_sink (g_variant_dict_end (&d));
  g_mutex_unlock (&local->lock);
  return G_SOURCE_REMOVE;
}

void
wpr_local_watch_broker (WprLocal *local)
{
  if (!local->broker)
    return;
  /* Answers make it readable; only its end is waited for. */
  local->broker_watch
      = g_unix_fd_source_new (wpr_broker_session_get_fd (local->broker), G_IO_HUP | G_IO_ERR);
  g_source_set_callback (local->broker_watch, (GSourceFunc)(void (*) (void))wpr_broker_gone, local,
                         NULL);
  g_source_attach (local->broker_watch, wpr_worker_get_context (local->worker));
}

WprOpener *
wpr_local_broker_opener (WprLocal *local)
{
  local->session.open_files = wpr_broker_open_files;
  local->session.open_files_data = local;
  return wpr_opener_broker_new (local->broker);
}

/* ---- what was kept ---- */

WprManifest *
wpr_kept_manifest (GBytes *kept, GArray **sets, gint64 *started_ns, gint64 *started_realtime_ns,
                   GBytes **world, GError **error)
{
  gsize n;
  g_autoptr (GVariant) all
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (KEPT_TYPE), kept, FALSE));
  g_autoptr (GVariant) manifest = NULL;
  g_autoptr (GVariant) numbers = NULL;
  g_autoptr (GVariant) packed = NULL;
  g_variant_get (all, "(@ay@auxx@ay)", &manifest, &numbers, started_ns, started_realtime_ns,
                 &packed);
  *world = g_variant_get_size (packed) == 0
               ? NULL
               : wpr_kept_convert (
                   g_variant_get_data_as_bytes (packed),
                   G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB)));
  const guint32 *values = g_variant_get_fixed_array (numbers, &n, sizeof *values);
  *sets = g_array_new (FALSE, FALSE, sizeof *values);
  g_array_append_vals (*sets, values, (guint)n);
  g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes (manifest);
  return wpr_manifest_from_bytes (bytes, error);
}

/* ---- asked for before the start ---- */

typedef struct
{
  WprLocal *local;
  GTask *task;
  gboolean contents;
} WprUnlockCall;

/* The mode of the start is not known yet; most record in memory. */
static void
wpr_unlock_run (gpointer data)
{
  WprUnlockCall *call = data;
  WprLocal *local = call->local;
  GError *error = NULL;
  if (local->state != WPR_STATE_IDLE)
    wpr_set_error (&error, WPR_ERROR_STATE, 0,
                   _ ("The recording has begun already; whether it may is asked before."));
  else if (wpr_local_unlock (local, "memory", call->contents, g_task_get_cancellable (call->task),
                             &error))
    {
      wpr_recorder_return_boolean (call->task);
      return;
    }
  wpr_recorder_return_error (call->task, error);
}

void
wpr_local_hook_unlock (WprRecorderBackend *backend, GTask *task, gboolean contents)
{
  WprUnlockCall call = { (WprLocal *)backend, task, contents };
  wpr_worker_call (call.local->worker, wpr_unlock_run, g_memdup2 (&call, sizeof call), g_free);
}

static void
wpr_bus_name_run (gpointer data)
{
  GTask *task = data;
  GError *error = NULL;
  char *name = wpr_broker_bus_name (&error);
  if (name)
    wpr_recorder_return_string (task, name);
  else
    wpr_recorder_return_error (task, error);
}

void
wpr_local_hook_bus_name (WprRecorderBackend *backend, GTask *task)
{
  wpr_worker_call (((WprLocal *)backend)->worker, wpr_bus_name_run, task, NULL);
}
