/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stop: the target is found good before anything stops; DISABLE, final counts, drain to the end (or
 * the copy of the rings), then the merge. And cancel, and stopping by itself. */
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "base/log.h"
#include "recorder/local.h"
#include "recorder/merge.h"

/* ---- into the raw store ---- */

/* A disk that is full at the very end still takes what is in the rings once old epochs went. */
static void
wpr_stop_sources (WprLocal *local)
{
  for (guint i = 0; i < local->sources->len; i++)
    {
      g_autoptr (GError) why = NULL;
      if (wpr_source_stop (g_ptr_array_index (local->sources, i), &local->session, &why))
        continue;
      wpr_log (WPR_LOG_NOTICE, "%s: %s", local->instance, why->message);
      if (g_error_matches (why, WPR_ERROR, WPR_ERROR_NO_SPACE) && local->session.store)
        {
          WprStore *store = local->session.store;
          wpr_store_cut_back (store, NULL);
          wpr_store_set_most (store, MAX (wpr_store_bytes (store) / 2, 1), NULL);
          wpr_store_rotate (store, NULL);
          g_clear_error (&why);
          if (wpr_source_drain (g_ptr_array_index (local->sources, i), &local->session, &why))
            continue;
        }
      wpr_local_notice (local, WPR_NOTICE_WARNING, "stop-incomplete",
                        _ ("The newest events could not be written: %s"), why->message);
    }
}

static char *
wpr_stop_note (WprLocal *local)
{
  g_mutex_lock (&local->lock);
  char *note = g_strdup (local->note);
  g_mutex_unlock (&local->lock);
  return note;
}

/* All is in a store that is closed then; its path, and a hold of it. ring_store: memory mode's,
 * taken over. NULL with error if not even that could be: nothing is left. */
static char *
wpr_stop_halt (WprLocal *local, WprStore *ring_store, WprStoreHold *hold, GError **error)
{
  WprSession *session = &local->session;
  g_autofree char *note = wpr_stop_note (local);
  WprStore *store = session->backward ? ring_store : session->store;
  g_autofree char *path = g_strdup (wpr_store_get_path (store));
  wpr_local_end_ticks (local);
  wpr_stop_sources (local);
  wpr_local_read_clocks (local);
  wpr_local_figures (local);
  gboolean good = session->backward ? wpr_local_fill_ring_store (local, store, note, error)
                                    : wpr_local_note_end (local, store, note, NULL);
  *hold = wpr_store_hold (store);
  wpr_store_close (store);
  session->store = NULL;
  local->kallsyms_fd = wpr_local_kallsyms (local); /* while there is somebody to ask */
  if (!session->backward)
    session->manifest = NULL;
  wpr_local_close_sources (local);
  if (good || !session->backward)
    return g_steal_pointer (&path);
  wpr_store_delete_held (hold, path, NULL);
  wpr_store_hold_clear (hold);
  return NULL;
}

/* ---- with a target ---- */

static char *
wpr_stop_path_of (int folder_fd, const char *name)
{
  g_autofree char *link = g_strdup_printf ("/proc/self/fd/%d", folder_fd);
  g_autofree char *folder = g_file_read_link (link, NULL);
  return g_build_filename (folder ? folder : "", name, NULL);
}

/* The last figures are what is in the file. */
static void
wpr_stop_final_figures (WprLocal *local, const WprSaved *saved)
{
  g_autoptr (WprStats) last = wpr_recorder_ref_stats (local->parent.recorder);
  WprStats values = *last;
  values.state = local->state;
  values.events = saved->events;
  values.lost = MAX (values.lost, saved->lost);
  values.events_per_s = 0;
  g_autoptr (WprStats) stats = wpr_stats_new (&values);
  wpr_recorder_set_stats (local->parent.recorder, stats);
}

/* Takes the additions. */
static void
wpr_stop_describe (WprLocal *local, GVariantDict *additions)
{
  g_autoptr (GVariant) added = g_variant_ref_sink (g_variant_dict_end (additions));
  GVariantIter iter;
  const char *key;
  GVariant *value;
  g_mutex_lock (&local->lock);
  g_autoptr (GVariant) before = local->description;
  g_auto (GVariantDict) d = G_VARIANT_DICT_INIT (before);
  g_variant_iter_init (&iter, added);
  while (g_variant_iter_loop (&iter, "{&sv}", &key, &value))
    g_variant_dict_insert_value (&d, key, value);
  local->description = g_variant_ref_sink (g_variant_dict_end (&d));
  g_mutex_unlock (&local->lock);
}

/* Who did not ask for the stop has no other answer. */
static void
wpr_stop_describe_saved (WprLocal *local, const WprSaved *saved)
{
  g_auto (GVariantDict) d = G_VARIANT_DICT_INIT (NULL);
  g_variant_dict_insert (&d, "saved-folder", "^ay", local->stopped_folder);
  g_variant_dict_insert (&d, "saved-name", "^ay", saved->name);
  g_variant_dict_insert (&d, "saved-size", "t", saved->size);
  g_variant_dict_insert (&d, "saved-events", "t", saved->events);
  g_variant_dict_insert (&d, "saved-lost", "t", saved->lost);
  g_variant_dict_insert (&d, "saved-duration", "x", saved->duration_ns);
  wpr_stop_describe (local, &d);
}

static void
wpr_stop_merged (WprLocal *local, WprSaved *saved, GError *error)
{
  if (!saved)
    {
      wpr_local_notice (local, WPR_NOTICE_ERROR, "not-saved", "%s", error->message);
      g_free (local->kept);
      local->kept = g_strdup (local->stopped_store);
      wpr_local_over (local, g_error_copy (error));
      return;
    }
  g_free (local->kept);
  local->kept = g_build_filename (local->stopped_folder, saved->name, NULL);
  wpr_stop_describe_saved (local, saved);
  /* Told before the state: who waits for the end then knows where the file is. */
  guint n_parts = saved->parts ? g_strv_length (saved->parts) : 1;
  if (n_parts > 1)
    wpr_local_notice (local, WPR_NOTICE_INFO, "saved",
                      _ ("The recording was saved as %u files: %s to %s."), n_parts, local->kept,
                      saved->parts[n_parts - 1]);
  else
    wpr_local_notice (local, WPR_NOTICE_INFO, "saved", _ ("The recording was saved as %s."),
                      local->kept);
  wpr_local_step (local, WPR_STEP_SAVED, NULL);
  wpr_stop_final_figures (local, saved);
  wpr_log (WPR_LOG_STOP, "%s saved as %s", local->instance, local->kept);
  wpr_local_over (local, NULL);
}

/* Everything that can refuse, before anything stops. *ring_store: memory mode. */
static gboolean
wpr_stop_possible (WprLocal *local, int folder_fd, const char *name, WprBehalf *behalf,
                   WprStore **ring_store, GError **error)
{
  WprState to;
  if (!wpr_transition (local->state, WPR_STEP_STOP, &to, error)
      || !wpr_new_file_check_for (folder_fd, name, behalf, error))
    return FALSE;
  if (!local->session.backward)
    return TRUE;
  *ring_store = wpr_local_new_ring_store (local, error);
  return *ring_store != NULL;
}

static void
wpr_stop_set_note (WprLocal *local, const char *note)
{
  if (!note)
    return;
  g_mutex_lock (&local->lock);
  g_free (local->note);
  local->note = g_strdup (note);
  g_mutex_unlock (&local->lock);
}

/* Takes over folder_fd and, unless it returns FALSE, the task. */
static gboolean
wpr_stop_into (WprLocal *local, GTask *task, int folder_fd, const char *name, const char *note,
               GError **error)
{
  WprStore *ring_store = NULL;
  g_autoptr (WprBehalf) behalf
      = task ? wpr_behalf_ref (wpr_recorder_task_behalf (task)) : wpr_behalf_of_caller ();
  if (!wpr_stop_possible (local, folder_fd, name, behalf, &ring_store, error))
    {
      close (folder_fd);
      return FALSE;
    }
  wpr_stop_set_note (local, note); /* of a stop that was refused nothing stays */
  wpr_local_step (local, WPR_STEP_STOP, NULL);
  GError *why = NULL;
  WprStoreHold hold = WPR_STORE_HOLD_NONE;
  g_free (local->stopped_store);
  local->stopped_store = wpr_stop_halt (local, ring_store, &hold, &why);
  if (!local->stopped_store)
    {
      close (folder_fd);
      if (task)
        wpr_recorder_return_error (task, g_error_copy (why));
      wpr_local_over (local, why);
      return TRUE;
    }
  g_free (local->stopped_folder);
  local->stopped_folder = wpr_stop_path_of (folder_fd, NULL);
  wpr_local_step (local, WPR_STEP_MERGE, NULL);
  wpr_merge_queue (local, task, local->stopped_store, hold, local->kallsyms_fd, folder_fd, name,
                   NULL, wpr_stop_merged);
  return TRUE;
}

void
wpr_local_stop (WprLocal *local, GTask *task, int folder_fd, const char *name, const char *note)
{
  GError *error = NULL;
  if (!wpr_stop_into (local, task, folder_fd, name, note, &error))
    wpr_recorder_return_error (task, error);
}

/* ---- by itself ---- */

/* No file can be written: the raw store is what is kept. */
static void
wpr_stop_keep_raw (WprLocal *local, const GError *why_not)
{
  WprStore *ring_store = NULL;
  GError *why = NULL;
  WprStoreHold hold = WPR_STORE_HOLD_NONE;
  if (local->session.backward)
    ring_store = wpr_local_new_ring_store (local, &why);
  wpr_local_step (local, WPR_STEP_STOP, NULL);
  if (local->session.backward && !ring_store)
    {
      wpr_local_end_ticks (local);
      wpr_stop_sources (local);
      wpr_local_close_sources (local);
    }
  else
    local->kept = wpr_stop_halt (local, ring_store, &hold, &why);
  wpr_store_hold_clear (&hold);
  if (!local->kept)
    {
      wpr_local_over (local, why);
      return;
    }
  GError *error = NULL;
  wpr_set_error (&error, WPR_ERROR_NOT_WRITABLE, 0,
                 _ ("%s The recording is kept in %s; \"wpr -recover\" finishes it."),
                 why_not->message, local->kept);
  wpr_local_notice (local, WPR_NOTICE_ERROR, "not-saved", "%s", error->message);
  wpr_local_over (local, error);
}

static int
wpr_stop_open_save_folder (WprLocal *local, char **name, GError **error)
{
  g_autofree char *folder = NULL;
  g_autoptr (WprBehalf) behalf = wpr_behalf_of_caller ();
  int fd = wpr_open_save_folder (local->choice->save_folder, behalf, &folder, error);
  if (fd >= 0)
    *name = wpr_recording_file_name (fd, g_get_real_time () * 1000);
  return fd;
}

void
wpr_local_stop_by_itself (WprLocal *local, WprSeverity severity, const char *id, const char *reason)
{
  if (local->state != WPR_STATE_RECORDING)
    return;
  wpr_local_notice (local, severity, id, "%s", reason);
  g_auto (GVariantDict) d = G_VARIANT_DICT_INIT (NULL);
  g_variant_dict_insert (&d, "by-itself", "s", id);
  wpr_stop_describe (local, &d);
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL;
  int fd = wpr_stop_open_save_folder (local, &name, &error);
  if (fd < 0 || !wpr_stop_into (local, NULL, fd, name, NULL, &error))
    wpr_stop_keep_raw (local, error);
}

/* ---- discard ---- */

gboolean
wpr_local_cancel (WprLocal *local, GError **error)
{
  WprState to;
  WprSession *session = &local->session;
  if (!wpr_transition (local->state, WPR_STEP_CANCEL, &to, error))
    return FALSE;
  wpr_local_end_ticks (local);
  /* Without a store nothing is drained any more. */
  WprStore *store = g_steal_pointer (&session->store);
  g_autofree char *path = store ? g_strdup (wpr_store_get_path (store)) : NULL;
  wpr_stop_sources (local);
  wpr_local_close_sources (local);
  if (store)
    {
      session->manifest = NULL;
      wpr_store_close (store);
      g_autoptr (GError) left = NULL;
      if (!wpr_store_delete (path, &left))
        wpr_local_notice (local, WPR_NOTICE_WARNING, "store-left", "%s", left->message);
    }
  wpr_local_step (local, WPR_STEP_CANCEL, NULL);
  wpr_log (WPR_LOG_STOP, "%s discarded", local->instance);
  wpr_local_over (local, NULL);
  return TRUE;
}
