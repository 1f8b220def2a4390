/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Start: plan on this machine, open everything disabled, sideband, /proc, collectors; in that
 * order, so that nothing starts unseen. */
#include "config.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "base/log.h"
#include "recorder/local.h"

/* A file-mode epoch is at most this share of the free space, so that the guard has old ones to
 * delete on a small disk. */
#define EPOCHS_OF_FREE_SPACE 32
#define EPOCH_MOST (64 * 1024 * 1024)
#define EPOCH_LEAST (1024 * 1024)

/* ---- plan ---- */

gboolean
wpr_local_add_files (WprLibrary *library, GVariant *files, GError **error)
{
  if (!files)
    return TRUE;
  GVariantIter iter;
  const char *name;
  GVariant *bytes;
  g_variant_iter_init (&iter, files);
  while (g_variant_iter_next (&iter, "(&s@ay)", &name, &bytes))
    {
      g_autoptr (GBytes) content = g_variant_get_data_as_bytes (bytes);
      gboolean good = wpr_library_add_bytes (library, content, name, error);
      g_variant_unref (bytes);
      if (!good)
        return FALSE;
    }
  return TRUE;
}

gboolean
wpr_local_check_strict (const WprPlan *plan, GError **error)
{
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = g_ptr_array_index (plan->missing, i);
      if (!missing->strict)
        continue;
      wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                     _ ("The profile is strict and %s cannot be recorded: %s"), missing->what,
                     missing->text);
      return FALSE;
    }
  return TRUE;
}

static gboolean
wpr_start_plan (WprLocal *local, GVariant *files, GCancellable *cancellable, GError **error)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  local->machine = wpr_machine_probe ();
  if (!wpr_local_add_files (library, files, error))
    return FALSE;
  local->plan = wpr_plan_new (library, local->choice, local->machine, error);
  if (!local->plan)
    return FALSE;
  if (local->plan->needs_rights || local->plan->rights == WPR_RIGHTS_NONE)
    {
      wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0, "%s",
                     wpr_machine_get_rights_text (local->machine));
      return FALSE;
    }
  if (!wpr_local_check_strict (local->plan, error))
    return FALSE;
  for (guint i = 0; i < local->plan->notices->len; i++)
    wpr_local_notice (local, WPR_NOTICE_INFO, "plan", "%s",
                      (const char *)g_ptr_array_index (local->plan->notices, i));
  return wpr_local_unlock_for_plan (local, cancellable, error);
}

/* ---- opening ---- */

/* Of what the plan was made for. */
static WprOpener *
wpr_start_opener (WprLocal *local)
{
  if (local->broker)
    return wpr_local_broker_opener (local);
  return local->plan->rights == WPR_RIGHTS_OWN
             ? wpr_opener_own_new (wpr_machine_get_sees_kernel (local->machine))
             : wpr_opener_local_new ();
}

static void
wpr_start_session (WprLocal *local, const char *program)
{
  WprSession *session = wpr_local_session (local);
  local->manifest = wpr_local_manifest (local, program);
  session->plan = local->plan;
  session->machine = local->machine;
  session->manifest = local->manifest;
  session->world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  session->opener = wpr_start_opener (local);
  session->own_tids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (session->own_tids, local->tids, G_N_ELEMENTS (local->tids));
  session->backward = local->plan->mode == WPR_MODE_MEMORY;
  local->clocks = wpr_clock_table_new ();
  local->sources = wpr_sources_new ();
  local->marks = g_ptr_array_index (local->sources, local->sources->len - 1);
}

/* The kernel's events are what a recording is; the others join if they can. */
static gboolean
wpr_start_prepare (WprLocal *local, GError **error)
{
  for (guint i = 0; i < local->sources->len; i++)
    {
      g_autoptr (GError) why = NULL;
      if (wpr_source_prepare (g_ptr_array_index (local->sources, i), &local->session, &why))
        continue;
      if (i == 0 || local->plan->strict)
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return FALSE;
        }
      wpr_local_notice (local, WPR_NOTICE_WARNING, "source-failed", "%s", why->message);
    }
  return TRUE;
}

static void
wpr_start_warn_of_memory_disk (WprLocal *local)
{
  struct statfs info;
  if (fstatfs (wpr_store_get_folder_fd (local->session.store), &info) == 0
      && info.f_type == TMPFS_MAGIC)
    wpr_local_notice (
        local, WPR_NOTICE_WARNING, "store-in-memory",
        _ ("The raw recording lies in memory (%s is a tmpfs), so it takes memory from "
           "the programs that are recorded. Choose a folder on a disk with "
           "-recordtempto."),
        wpr_store_get_path (local->session.store));
}

/* The folder raw stores lie in, also where memory mode will save. */
static gboolean
wpr_start_disk (WprLocal *local, const char *parent, GError **error)
{
  if (!local->choice->record_to || geteuid () != 0)
    g_mkdir_with_parents (parent, 0700);
  local->disk_fd = wpr_open_folder_careful (parent, error);
  return local->disk_fd >= 0;
}

static gboolean
wpr_start_store (WprLocal *local, GError **error)
{
  WprSession *session = &local->session;
  g_autofree char *parent = wpr_local_raw_parent (local->choice, error);
  if (!parent || !wpr_start_disk (local, parent, error))
    return FALSE;
  if (session->backward)
    return TRUE;
  WprStoreLimits limits = { .epoch_bytes = EPOCH_MOST };
  guint64 free_bytes = 0, total_bytes = 0;
  if (wpr_free_space (local->disk_fd, &free_bytes, &total_bytes))
    limits.epoch_bytes = CLAMP (free_bytes / EPOCHS_OF_FREE_SPACE, EPOCH_LEAST, EPOCH_MOST);
  if (!local->plan->is_sequential) /* that one stops there, see local-run.c */
    limits.most_bytes = local->plan->max_bytes;
  /* The store takes the manifest over, also when it fails. */
  session->manifest = NULL;
  session->store = wpr_store_create_in (local->disk_fd, parent, g_steal_pointer (&local->manifest),
                                        &limits, error);
  if (!session->store)
    return FALSE;
  session->manifest = (WprManifest *)wpr_store_get_manifest (session->store);
  local->fold = wpr_fold_new (session->manifest);
  wpr_store_set_fold (session->store, wpr_fold_epoch, local->fold);
  WprClockReading now;
  wpr_clock_read (&now);
  for (guint i = 0; i < local->notices->len; i++)
    {
      const char *text = ((WprNotice *)g_ptr_array_index (local->notices, i))->text;
      wpr_store_add_note (session->store, WPR_NOTE_NOTICE, 0, now.monotonic_ns, 0, 0, text,
                          strlen (text), NULL);
    }
  wpr_start_warn_of_memory_disk (local);
  return TRUE;
}

/* ---- switching on ---- */

static gboolean
wpr_start_switch (WprLocal *local, gboolean sideband, GError **error)
{
  for (guint i = 0; i < local->sources->len; i++)
    if (!wpr_source_start (g_ptr_array_index (local->sources, i), &local->session, sideband, error))
      return FALSE;
  return TRUE;
}

/* What starts while /proc is read is seen twice and counted once, never missed. */
static gboolean
wpr_start_rundown (WprLocal *local, GError **error)
{
  WprSession *session = &local->session;
  WprClockReading now;
  guint n_unreadable = 0;
  wpr_clock_read (&now);
  if (local->broker && !wpr_local_broker_rundown (local, error))
    return FALSE;
  if (!local->broker)
    {
      wpr_world_read_proc (session->world, "/proc", now.monotonic_ns, &n_unreadable);
      wpr_world_read_kernel (session->world, now.monotonic_ns);
    }
  if (n_unreadable > 0)
    wpr_local_notice (local, WPR_NOTICE_INFO, "rundown-closed",
                      g_dngettext (GETTEXT_PACKAGE,
                                   "The files that %u running process has loaded cannot be seen, "
                                   "so its functions stay without names.",
                                   "The files that %u running processes have loaded cannot be "
                                   "seen, so their functions stay without names.",
                                   n_unreadable),
                      n_unreadable);
  if (!session->store)
    return TRUE;
  g_autoptr (GBytes) world = wpr_world_save (session->world);
  return wpr_store_checkpoint (session->store, world, error);
}

static gboolean
wpr_start_drain (WprLocal *local, GError **error)
{
  for (guint i = 0; i < local->sources->len; i++)
    if (!wpr_source_drain (g_ptr_array_index (local->sources, i), &local->session, error))
      return FALSE;
  return TRUE;
}

static gboolean
wpr_start_cancelled (WprLocal *local, GCancellable *cancellable, GError **error)
{
  if (!g_atomic_int_get (&local->cancel_start) && !g_cancellable_is_cancelled (cancellable))
    return FALSE;
  wpr_set_error (error, WPR_ERROR_CANCELLED, 0,
                 _ ("The start was cancelled; nothing was recorded."));
  return TRUE;
}

static gboolean
wpr_start_all (WprLocal *local, GVariant *files, const char *program, GCancellable *cancellable,
               GError **error)
{
  wpr_local_wait_closed (local);
  if (!wpr_start_plan (local, files, cancellable, error)
      || wpr_start_cancelled (local, cancellable, error))
    return FALSE;
  wpr_start_session (local, program);
  if (!wpr_start_prepare (local, error) || wpr_start_cancelled (local, cancellable, error)
      || !wpr_start_store (local, error) || !wpr_start_switch (local, TRUE, error)
      || !wpr_start_rundown (local, error) || wpr_start_cancelled (local, cancellable, error))
    return FALSE;
  /* What the sideband told meanwhile must not fill its ring before the first tick. */
  if (!wpr_start_drain (local, error))
    return FALSE;
  local->figures = wpr_figures_new (&local->session);
  WprClockReading now;
  wpr_clock_read (&now);
  local->session.started_ns = now.monotonic_ns;
  local->started_realtime_ns = now.realtime_ns;
  wpr_local_read_clocks (local);
  return wpr_start_switch (local, FALSE, error);
}

/* ---- failing ---- */

static void
wpr_start_undo (WprLocal *local)
{
  WprSession *session = &local->session;
  g_autofree char *path = session->store ? g_strdup (wpr_store_get_path (session->store)) : NULL;
  if (session->store)
    wpr_store_close (g_steal_pointer (&session->store));
  if (path)
    wpr_store_delete (path, NULL);
  session->manifest = NULL;
  wpr_local_close_sources (local);
}

static char *
wpr_start_join (const GPtrArray *strings)
{
  GString *joined = g_string_new (NULL);
  for (guint i = 0; i < strings->len; i++)
    g_string_append_printf (joined, "%s%s", i ? "+" : "",
                            (const char *)g_ptr_array_index (strings, i));
  return g_string_free (joined, FALSE);
}

gboolean
wpr_local_start (WprLocal *local, WprChoice *choice, GVariant *files, const char *program,
                 GCancellable *cancellable, GError **error)
{
  if (!wpr_local_step (local, WPR_STEP_START, error))
    {
      wpr_choice_free (choice);
      return FALSE;
    }
  wpr_local_clear (local);
  local->choice = choice;
  local->files = files ? g_variant_ref (files) : NULL;
  /* None of the last recording's figures. */
  g_autoptr (WprStats) none = wpr_stats_new (
      &(WprStats){ .state = local->state, .mode = choice->mode, .holds_s = -1, .disk_full_s = -1 });
  wpr_recorder_set_stats (local->parent.recorder, none);
  g_autoptr (GError) why = NULL;
  if (!wpr_start_all (local, files, program, cancellable, &why))
    {
      wpr_start_undo (local);
      if (g_error_matches (why, WPR_ERROR, WPR_ERROR_CANCELLED))
        {
          wpr_local_step (local, WPR_STEP_CANCEL, NULL);
          wpr_local_over (local, NULL);
        }
      else
        wpr_local_over (local, g_error_copy (why));
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  wpr_local_keep (local);
  wpr_local_watch_broker (local);
  wpr_local_begin_ticks (local);
  wpr_local_describe (local, program);
  wpr_local_step (local, WPR_STEP_STARTED, NULL);
  g_autofree char *profiles = wpr_start_join (local->plan->profiles);
  wpr_log (WPR_LOG_START, "%s records %s (%s), begun by %s", local->instance, profiles,
           local->session.backward ? "memory" : "file", program ? program : "?");
  return TRUE;
}

static GVariant *
wpr_start_strings (const GPtrArray *strings)
{
  return g_variant_new_strv ((const char *const *)strings->pdata, strings->len);
}

void
wpr_local_describe (WprLocal *local, const char *program)
{
  const WprPlan *plan = local->plan;
  const WprManifest *manifest = local->session.manifest;
  GVariantDict d;
  g_variant_dict_init (&d, NULL);
  g_variant_dict_insert_value (&d, "profiles", wpr_start_strings (plan->profiles));
  g_variant_dict_insert_value (&d, "titles", wpr_start_strings (plan->titles));
  g_variant_dict_insert (&d, "mode", "s", plan->mode == WPR_MODE_FILE ? "file" : "memory");
  g_variant_dict_insert (&d, "level", "s", plan->level == WPR_LEVEL_LIGHT ? "light" : "verbose");
  g_variant_dict_insert (&d, "rights", "s", wpr_rights_name (plan->rights));
  g_variant_dict_insert (&d, "rights-text", "s", plan->rights_text);
  g_variant_dict_insert (&d, "rights-help", "s", plan->rights_help);
  g_variant_dict_insert (&d, "user", "s", manifest->user);
  g_variant_dict_insert (&d, "program", "s", program ? program : "");
  g_variant_dict_insert (&d, "pid", "u", (guint32)getpid ());
  g_variant_dict_insert (&d, "started", "x", local->started_realtime_ns);
  g_variant_dict_insert (&d, "plan-text", "s", manifest->plan_text);
  g_variant_dict_insert (&d, "plan-json", "s", manifest->plan_json);
  g_variant_dict_insert (&d, "digest", "s", plan->digest);
  g_variant_dict_insert (&d, "store", "s",
                         local->session.store ? wpr_store_get_path (local->session.store) : "");
  GVariant *description = g_variant_ref_sink (g_variant_dict_end (&d));
  g_mutex_lock (&local->lock);
  g_variant_unref (local->description);
  local->description = description;
  g_mutex_unlock (&local->lock);
}
