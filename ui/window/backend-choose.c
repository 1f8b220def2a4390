/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker's part in choosing: the profiles there are, the plan of a wish and what it would cost,
 * what one profile records, a wish saved as a profile. */
#include "config.h"
#include "backend-post.h"

#include <glib/gi18n.h>
#include <string.h>
#include "profile-item.h"

/* Two readings of /proc so far apart say how busy the computer is. */
#define LOAD_SPAN_MS 2000
/* A wish that changes so much later has it looked at anew; while nothing changes nothing is read.
 */
#define LOAD_LASTS_US (20 * G_USEC_PER_SEC)
/* Of how many profiles it is found out whether they would add something: planning each takes a
 * millisecond. */
#define JUDGED_MOST 64

/* ---- profiles ---- */

void
wpr_backend_do_load (gpointer data)
{
  WprBackend *backend = ((WprJob *)data)->backend;
  ASSERT_WORKER (backend);
  backend->library = wpr_library_new ();
  backend->machine = wpr_machine_probe_recorder ();
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; i < wpr_library_get_n_profiles (backend->library); i++)
    {
      const WprProfile *profile = wpr_library_get_profile (backend->library, i);
      if (!profile->internal)
        g_ptr_array_add (items, wpr_profile_item_new (profile));
    }
  wpr_backend_show_lock (backend);
  wpr_backend_post_loaded (backend, items, wpr_machine_get_rights_text (backend->machine),
                           wpr_machine_get_memory (backend->machine));
}

/* ---- a wish as the core wants it ---- */

/* A level the profile lacks gives way to the one it has. */
static int
level_for (WprBackend *backend, const char *name, const char *source, const WprWish *wish)
{
  const WprProfile *profile = wpr_library_find (backend->library, name, source, NULL);
  if (profile == NULL || profile->has[wish->level][wish->mode])
    return wish->level;
  return -1;
}

/* Leaves out `without`, which may be NULL. */
static WprChoice *
make_choice (WprBackend *backend, const WprWish *wish, const char *const *ids, const char *without)
{
  WprChoice *choice = wpr_choice_new ();
  for (; *ids != NULL; ids++)
    {
      if (g_strcmp0 (*ids, without) == 0)
        continue;
      const char *source;
      const char *name = wpr_backend_split_id (backend, *ids, &source);
      wpr_choice_add (choice, name, source, level_for (backend, name, source, wish));
    }
  choice->mode = wish->mode;
  choice->buffer_size_kb = wish->buffer_kb;
  choice->buffers = wish->buffers;
  choice->duration_s = wish->stop_after_s;
  choice->save_folder = g_strdup (wish->folder);
  if (wish->mode == WPR_MODE_FILE && wish->stop_at_mb != 0)
    {
      choice->max_size_mb = wish->stop_at_mb;
      choice->stop_at_max_size = TRUE;
    }
  /* never a question nobody expects: what needs one is asked before the start */
  choice->unlock = wish->unlock || wpr_machine_get_unlock (backend->machine) == WPR_UNLOCK_YES;
  choice->sample_interval_100ns = wpr_sample_interval_get ();
  return choice;
}

WprChoice *
wpr_backend_make_choice (WprBackend *backend, const WprWish *wish)
{
  return make_choice (backend, wish, (const char *const *)wish->names, NULL);
}

/* ---- what it costs ---- */

void
wpr_backend_estimate (WprBackend *backend)
{
  if (backend->plan == NULL || backend->load_us == 0)
    return;
  WprEstimate *estimate = g_new (WprEstimate, 1);
  wpr_estimate_plan (estimate, backend->plan, wpr_machine_get_n_cpus (backend->machine),
                     backend->rates, backend->free_bytes);
  wpr_backend_post_estimate (backend, backend->plan_serial, estimate);
}

static gboolean
on_load_span_over (gpointer data)
{
  WprBackend *backend = data;
  WprLoad now;
  wpr_load_read (&now);
  wpr_load_rates (&backend->load, &now, backend->rates);
  backend->load_us = now.time_us;
  g_clear_pointer (&backend->load_source, g_source_unref);
  wpr_backend_estimate (backend);
  return G_SOURCE_REMOVE;
}

static void
look_at_load (WprBackend *backend)
{
  if (backend->load_source != NULL
      || (backend->load_us != 0 && g_get_monotonic_time () - backend->load_us < LOAD_LASTS_US))
    return;
  wpr_load_read (&backend->load);
  backend->load_source = wpr_backend_add_timer (LOAD_SPAN_MS, on_load_span_over, backend);
}

/* ---- plans ---- */

static gboolean
lacks_rights (const WprPlan *plan)
{
  for (guint i = 0; i < plan->missing->len; i++)
    if (((const WprPlanMissing *)plan->missing->pdata[i])->reason == WPR_MISSING_NEEDS_RIGHTS)
      return TRUE;
  return plan->needs_rights;
}

/* Without any rights it is the same with every profile, which the window says once. */
static WprWorth
judge (const WprPlan *alone, const WprPlan *plan)
{
  if (alone->needs_rights)
    return alone->rights == WPR_RIGHTS_NONE ? WPR_WORTH_SOMETHING : WPR_WORTH_RIGHTS;
  if (wpr_details_is_empty (alone))
    return WPR_WORTH_NOTHING;
  if (plan == NULL || wpr_details_count_new (alone, plan) > 0)
    return WPR_WORTH_SOMETHING;
  return lacks_rights (alone) ? WPR_WORTH_NO_MORE : WPR_WORTH_INCLUDED;
}

/* By id; what those that are switched on add is not asked. */
static GHashTable *
judge_profiles (WprBackend *backend, const WprWish *wish, const WprPlan *plan)
{
  GHashTable *worth = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n = MIN (wpr_library_get_n_profiles (backend->library), JUDGED_MOST);
  gboolean can_ask = !wish->unlock && wpr_machine_get_unlock (backend->machine) == WPR_UNLOCK_ASK;
  for (guint i = 0; i < n; i++)
    {
      const WprProfile *profile = wpr_library_get_profile (backend->library, i);
      g_autofree char *id = wpr_profile_make_id (profile);
      const char *const ids[] = { id, NULL };
      gboolean on = g_strv_contains ((const char *const *)wish->names, id);
      if (profile->internal || (on && !can_ask))
        continue;
      g_autoptr (WprChoice) choice = make_choice (backend, wish, ids, NULL);
      g_autoptr (WprPlan) alone = wpr_plan_new (backend->library, choice, backend->machine, NULL);
      if (alone == NULL)
        continue;
      WprWorth what = on ? WPR_WORTH_SOMETHING : judge (alone, plan);
      if (can_ask && lacks_rights (alone))
        what |= WPR_WORTH_LOCKED;
      g_hash_table_insert (worth, g_steal_pointer (&id), GINT_TO_POINTER (what));
    }
  return worth;
}

/* Only when nothing else is asked of the worker, and of the newest plan. */
static void
do_judge (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  if (job->number == backend->plan_serial)
    wpr_backend_post_worth (backend, job->number,
                            judge_profiles (backend, job->wish, backend->plan));
}

static void
do_plan (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  GError *error = NULL;
  WprPlan *plan = NULL;
  if (job->wish->names[0] != NULL)
    {
      g_autoptr (WprChoice) choice = wpr_backend_make_choice (backend, job->wish);
      plan = wpr_plan_new (backend->library, choice, backend->machine, &error);
    }
  g_clear_pointer (&backend->plan, wpr_plan_unref);
  backend->plan = plan ? wpr_plan_ref (plan) : NULL;
  backend->plan_serial = job->number;
  g_free (backend->plan_folder);
  backend->plan_folder = g_strdup (job->wish->folder);
  wpr_backend_ask_free_bytes (backend);
  wpr_backend_post_plan (backend, job->number, plan, error);
  wpr_backend_estimate (backend);
  look_at_load (backend);
  wpr_backend_send_low (backend, do_judge, job->wish, NULL, NULL, job->number);
}

void
wpr_backend_plan (WprBackend *backend, const WprWish *wish, guint serial)
{
  wpr_backend_send (backend, do_plan, wish, NULL, NULL, serial);
}

static void
do_describe (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  const char *const ids[] = { job->first, NULL };
  g_autoptr (WprChoice) choice = make_choice (backend, job->wish, ids, NULL);
  g_autoptr (WprChoice) others
      = make_choice (backend, job->wish, (const char *const *)job->wish->names, job->first);
  wpr_backend_post_details (backend, wpr_details_new (backend->library, backend->machine, choice,
                                                      others->profiles->len > 0 ? others : NULL));
}

void
wpr_backend_describe (WprBackend *backend, const WprWish *wish, const char *profile)
{
  wpr_backend_send (backend, do_describe, wish, profile, NULL, 0);
}

/* ---- samples ---- */

/* The core counts in 100 ns; never set is 1 ms. */
#define HUNDRED_NS_A_SECOND 10000000
#define DEFAULT_INTERVAL_100NS 10000

static void
do_ask_samples (gpointer data)
{
  WprJob *job = data;
  ASSERT_WORKER (job->backend);
  guint interval = wpr_sample_interval_get ();
  wpr_backend_post_samples (job->backend,
                            HUNDRED_NS_A_SECOND / (interval ? interval : DEFAULT_INTERVAL_100NS));
}

void
wpr_backend_ask_samples (WprBackend *backend)
{
  wpr_backend_send (backend, do_ask_samples, NULL, NULL, NULL, 0);
}

static void
do_set_samples (gpointer data)
{
  WprJob *job = data;
  ASSERT_WORKER (job->backend);
  g_autoptr (GError) error = NULL;
  guint interval = HUNDRED_NS_A_SECOND / MAX (job->number, 1);
  if (!wpr_sample_interval_set (interval == DEFAULT_INTERVAL_100NS ? 0 : interval, &error))
    wpr_backend_post_trouble (job->backend, _ ("The rate of samples was not changed"),
                              error->message);
}

void
wpr_backend_set_samples (WprBackend *backend, guint samples_per_s)
{
  wpr_backend_send (backend, do_set_samples, NULL, NULL, NULL, samples_per_s);
}

/* ---- a wish as a profile ---- */

typedef struct
{
  WprBackend *backend;
  char *name, *text;
  GError *error;
} Export;

static void
free_export (gpointer data)
{
  Export *export = data;
  g_free (export->name);
  g_free (export->text);
  g_clear_error (&export->error);
  g_free (export);
}

/* In a thread of its own. */
static void
write_export (gpointer data)
{
  Export *export = data;
  g_autoptr (GFile) file = g_file_parse_name (export->name);
  g_file_replace_contents (file, export->text, strlen (export->text), NULL, FALSE,
                           G_FILE_CREATE_NONE, NULL, NULL, &export->error);
}

static void
on_exported (gpointer data)
{
  const Export *export = data;
  if (export->error != NULL)
    {
      wpr_backend_post_trouble (export->backend, _ ("The profile was not saved"),
                                export->error->message);
      return;
    }
  g_autoptr (GFile) file = g_file_parse_name (export->name);
  g_autofree char *base = g_file_get_basename (file);
  g_autofree char *shown = g_filename_display_name (base ? base : export->name);
  /* Translators: %s is a file name */
  wpr_backend_post_toast (export->backend, g_strdup_printf (_ ("Saved: %s"), shown));
}

static void
on_export_late (gpointer data)
{
  const Export *export = data;
  g_autofree char *text = wpr_backend_describe_silence (export->name);
  wpr_backend_post_trouble (export->backend, _ ("The profile is not saved yet"), text);
}

static void
do_export (gpointer data)
{
  WprJob *job = data;
  WprBackend *backend = job->backend;
  ASSERT_WORKER (backend);
  static const WprAsideCall call = { .work = write_export,
                                     .done = on_exported,
                                     .late = on_export_late,
                                     .destroy = free_export,
                                     .writes = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (WprChoice) choice = wpr_backend_make_choice (backend, job->wish);
  g_autofree char *text = wpr_profile_export (backend->library, choice, &error);
  if (text == NULL)
    {
      wpr_backend_post_trouble (backend, _ ("The profile was not saved"), error->message);
      return;
    }
  Export *export = g_new0 (Export, 1);
  export->backend = backend;
  export->name = g_strdup (job->first);
  export->text = g_steal_pointer (&text);
  wpr_aside_run (wpr_backend_get_aside (backend, WPR_ASIDE_FOLDER), &call, export);
}

void
wpr_backend_export (WprBackend *backend, const WprWish *wish, const char *file)
{
  wpr_backend_send (backend, do_export, wish, file, NULL, 0);
}
