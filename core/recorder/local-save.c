/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory mode into a store: what the rings hold, without pausing them, and all that is known beside
 * them. A save is a job beside the state, one at a time; the recording goes on. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "base/log.h"
#include "recorder/local.h"
#include "recorder/merge.h"
#include "store/payload.h"

/* Beside the rings a store holds formats, the world and notes. */
#define BESIDE_BYTES (16 * 1024 * 1024)

/* ---- the store of one epoch ---- */

static gboolean
wpr_save_has_room (WprLocal *local, GError **error)
{
  g_autoptr (WprStats) stats = wpr_recorder_ref_stats (local->parent.recorder);
  guint64 free_bytes = 0, total_bytes = 0, need = stats->save_bytes + BESIDE_BYTES;
  if (!wpr_free_space (local->disk_fd, &free_bytes, &total_bytes) || free_bytes > need)
    return TRUE;
  g_autofree char *need_text = g_format_size_full (need, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *free_text = g_format_size_full (free_bytes, G_FORMAT_SIZE_IEC_UNITS);
  wpr_set_error (error, WPR_ERROR_NO_SPACE, 0,
                 _ ("Saving what the buffers hold needs %s of disk space for a while, and %s are "
                    "free. Free some space and try again; the recording goes on."),
                 need_text, free_text);
  return FALSE;
}

WprStore *
wpr_local_new_ring_store (WprLocal *local, GError **error)
{
  g_autofree char *parent = wpr_local_raw_parent (local->choice, error);
  if (!parent || !wpr_save_has_room (local, error))
    return NULL;
  WprStoreLimits limits = { .epoch_bytes = G_MAXUINT64, .transient = TRUE };
  return wpr_store_create_in (local->disk_fd, parent, wpr_manifest_copy (local->manifest), &limits,
                              error);
}

gboolean
wpr_local_note_end (WprLocal *local, WprStore *store, const char *note, GError **error)
{
  WprClockReading now;
  gint64 cpu_ns;
  guint64 wakeups;
  wpr_clock_read (&now);
  wpr_figures_cost (local->figures, &cpu_ns, &wakeups);
  WprCostPayload cost = { cpu_ns, wakeups };
  if (note && *note
      && !wpr_store_add_note (store, WPR_NOTE_DESCRIPTION, 0, now.monotonic_ns, 0, 0, note,
                              strlen (note), error))
    return FALSE;
  return wpr_store_add_note (store, WPR_NOTE_COST, 0, now.monotonic_ns, 0, 0, &cost, sizeof cost,
                             error)
         && wpr_store_add_note (store, WPR_NOTE_STOPPED, 0, now.monotonic_ns, 0, 0, &now,
                                sizeof now, error);
}

static gboolean
wpr_save_note_clocks (WprLocal *local, WprStore *store, GError **error)
{
  wpr_local_read_clocks (local);
  for (guint i = 0; i < wpr_clock_table_length (local->clocks); i++)
    {
      const WprClockReading *reading = wpr_clock_table_get (local->clocks, i);
      if (!wpr_store_add_note (store, WPR_NOTE_CLOCK, 0, reading->monotonic_ns, 0, 0, reading,
                               sizeof *reading, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
wpr_save_note_notices (WprLocal *local, WprStore *store, GError **error)
{
  WprClockReading now;
  wpr_clock_read (&now);
  for (guint i = 0; i < local->notices->len; i++)
    {
      const WprNotice *notice = g_ptr_array_index (local->notices, i);
      WprTime when = now.monotonic_ns - (now.realtime_ns - notice->realtime_ns);
      if (!wpr_store_add_note (store, WPR_NOTE_NOTICE, 0, when, 0, 0, notice->text,
                               strlen (notice->text), error))
        return FALSE;
    }
  return TRUE;
}

gboolean
wpr_local_fill_ring_store (WprLocal *local, WprStore *store, const char *note, GError **error)
{
  WprSession *session = &local->session;
  WprTime complete_from = session->started_ns;
  if (!wpr_save_note_clocks (local, store, error))
    return FALSE;
  for (guint i = 0; i < local->sources->len; i++)
    if (!wpr_source_copy (g_ptr_array_index (local->sources, i), session, store, &complete_from,
                          error))
      return FALSE;
  g_autoptr (GBytes) world = wpr_world_save (session->world);
  return wpr_store_checkpoint (store, world, error) && wpr_save_note_notices (local, store, error)
         && wpr_local_note_end (local, store, note, error);
}

/* ---- the job ---- */

static void
wpr_save_done (WprLocal *local, WprSaved *saved, GError *error)
{
  local->saving = FALSE;
}

static gboolean
wpr_save_possible (WprLocal *local, int folder_fd, const char *name, WprBehalf *behalf,
                   GError **error)
{
  WprState to;
  if (!wpr_transition (local->state, WPR_STEP_SAVE, &to, error))
    return FALSE;
  if (!local->session.backward)
    {
      wpr_set_error (
          error, WPR_ERROR_STATE, 0xc558200a,
          _ ("This recording goes to a file, so there is no buffer to save while it goes "
             "on. Stop it to get its file."));
      return FALSE;
    }
  if (local->saving)
    {
      wpr_set_error (error, WPR_ERROR_STATE, 0,
                     _ ("A save is being written already. Wait for it and save again."));
      return FALSE;
    }
  return wpr_new_file_check_for (folder_fd, name, behalf, error);
}

void
wpr_local_save (WprLocal *local, GTask *task, int folder_fd, const char *name, const char *note)
{
  GError *error = NULL;
  WprStore *store = NULL;
  if (wpr_save_possible (local, folder_fd, name, wpr_recorder_task_behalf (task), &error))
    store = wpr_local_new_ring_store (local, &error);
  if (!store)
    {
      close (folder_fd);
      wpr_recorder_return_error (task, error);
      return;
    }
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  gboolean good = wpr_local_fill_ring_store (local, store, note, &error);
  WprStoreHold hold = wpr_store_hold (store);
  wpr_store_close (store);
  if (!good)
    {
      wpr_store_delete_held (&hold, path, NULL);
      wpr_store_hold_clear (&hold);
      close (folder_fd);
      wpr_recorder_return_error (task, error);
      return;
    }
  local->saving = TRUE;
  wpr_merge_queue (local, task, path, hold, wpr_local_kallsyms (local), folder_fd, name, note,
                   wpr_save_done);
}
