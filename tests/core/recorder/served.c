/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The made-up back end. Words that ask for something: a profile "Refused" is refused with a number;
 * a note "hold" makes stop and save wait for the cancellable; a note "slow" makes them take 200 ms.
 */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "served.h"

char *served_place;

void
served_make_places (void)
{
  served_place = g_dir_make_tmp ("wpr-served-XXXXXX", NULL);
  g_setenv ("WPR_RUNTIME_DIR", served_place, TRUE);
  g_setenv ("WPR_STATE_DIR", served_place, TRUE);
}

void
served_remove_places (void)
{
  g_autofree char *name = g_path_get_basename (served_place);
  int parent = open (g_get_tmp_dir (), O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  wpr_remove_tree_at (parent, name, NULL);
  close (parent);
  g_clear_pointer (&served_place, g_free);
}

typedef struct
{
  WprRecorderBackend parent;
  GMutex lock;
  char *told;
  GVariant *description;
} Fake;

struct _Served
{
  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
  char *instance;
  WprRecorder *recorder;
  GMutex lock;
  GCond cond;
  gboolean ready;
};

static void
tell (Fake *fake, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_mutex_lock (&fake->lock);
  g_free (fake->told);
  fake->told = g_strdup_vprintf (format, args);
  g_mutex_unlock (&fake->lock);
  va_end (args);
}

static void
fake_start (WprRecorderBackend *backend, GTask *task, const WprChoice *choice, GVariant *files,
            const char *program)
{
  Fake *fake = (Fake *)backend;
  const WprChoiceItem *item = g_ptr_array_index (choice->profiles, 0);
  tell (fake, "start %s %u files by %s", item->name,
        files != NULL ? (guint)g_variant_n_children (files) : 0, program);
  if (g_str_equal (item->name, "Refused"))
    {
      GError *error = NULL;
      wpr_set_error (&error, WPR_ERROR_NOT_PERMITTED, 0xc5583014, "Not “you”.\nAsk root.");
      wpr_recorder_set_state (backend->recorder, WPR_STATE_FAILED);
      wpr_recorder_return_error (task, error);
      return;
    }
  GVariantBuilder list;
  g_variant_builder_init (&list, G_VARIANT_TYPE ("a{sv}"));
  g_variant_builder_add (&list, "{sv}", "program", g_variant_new_string (program));
  g_variant_builder_add (&list, "{sv}", "user", g_variant_new_string ("somebody"));
  g_variant_builder_add (&list, "{sv}", "started", g_variant_new_int64 (1700000000000000000));
  g_mutex_lock (&fake->lock);
  g_variant_unref (fake->description);
  fake->description = g_variant_ref_sink (g_variant_builder_end (&list));
  g_mutex_unlock (&fake->lock);
  wpr_recorder_set_state (backend->recorder, WPR_STATE_PREPARING);
  wpr_recorder_set_state (backend->recorder, WPR_STATE_RECORDING);
  wpr_recorder_return_boolean (task);
}

typedef struct
{
  Fake *fake;
  GTask *task;
  int folder_fd;
  char *name;
  WprState after;
} Saving;

static void
finish_saving (Saving *saving)
{
  WprRecorder *recorder = saving->fake->parent.recorder;
  int fd = openat (saving->folder_fd, saving->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  WprSaved *saved = g_new0 (WprSaved, 1);
  if (fd >= 0)
    close (fd);
  close (saving->folder_fd);
  saved->name = saving->name;
  saved->size = 1234;
  saved->events = 99;
  saved->lost = fd >= 0 ? 3 : 0;
  saved->duration_ns = 42;
  wpr_recorder_emit_progress (recorder, "order", 0.5, 617, 1234);
  wpr_recorder_set_state (recorder, saving->after);
  wpr_recorder_return_saved (saving->task, saved);
  g_free (saving);
}

static gboolean
on_slow (gpointer data)
{
  finish_saving (data);
  return G_SOURCE_REMOVE;
}

static void
on_held_cancelled (GCancellable *cancellable, gpointer data)
{
  Saving *saving = data;
  GError *error = NULL;
  wpr_set_error (&error, WPR_ERROR_CANCELLED, 0, "The raw recording is kept in “%s”.", "/raw");
  wpr_recorder_set_state (saving->fake->parent.recorder, WPR_STATE_FAILED);
  wpr_recorder_return_error (saving->task, error);
  close (saving->folder_fd);
  g_free (saving->name);
  g_free (saving);
}

static void
save_into (Fake *fake, GTask *task, int folder_fd, const char *name, const char *note,
           WprState after)
{
  Saving *saving = g_new0 (Saving, 1);
  tell (fake, "save %s note %s", name, note != NULL ? note : "none");
  *saving = (Saving){ fake, task, folder_fd, g_strdup (name), after };
  if (g_strcmp0 (note, "hold") == 0)
    g_cancellable_connect (g_task_get_cancellable (task), G_CALLBACK (on_held_cancelled), saving,
                           NULL);
  else if (g_strcmp0 (note, "slow") == 0)
    {
      g_autoptr (GSource) source = g_timeout_source_new (200);
      g_source_set_callback (source, on_slow, saving, NULL);
      g_source_attach (source, g_task_get_context (task));
    }
  else
    finish_saving (saving);
}

static void
fake_stop (WprRecorderBackend *backend, GTask *task, int folder_fd, const char *name,
           const char *note)
{
  wpr_recorder_set_state (backend->recorder, WPR_STATE_STOPPING);
  wpr_recorder_set_state (backend->recorder, WPR_STATE_MERGING);
  save_into ((Fake *)backend, task, folder_fd, name, note, WPR_STATE_SAVED);
}

static void
fake_save (WprRecorderBackend *backend, GTask *task, int folder_fd, const char *name,
           const char *note)
{
  save_into ((Fake *)backend, task, folder_fd, name, note, WPR_STATE_RECORDING);
}

static void
fake_cancel (WprRecorderBackend *backend, GTask *task)
{
  tell ((Fake *)backend, "cancel");
  wpr_recorder_set_state (backend->recorder, WPR_STATE_CANCELLED);
  wpr_recorder_return_boolean (task);
}

static void
fake_mark (WprRecorderBackend *backend, GTask *task, const char *text)
{
  tell ((Fake *)backend, "mark %s", text);
  wpr_recorder_return_boolean (task);
}

static void
fake_set_profiles (WprRecorderBackend *backend, GTask *task, const WprChoice *choice,
                   GVariant *files, gboolean on)
{
  Fake *fake = (Fake *)backend;
  const WprChoiceItem *item = g_ptr_array_index (choice->profiles, 0);
  tell (fake, "%s %s %u files", on ? "enable" : "disable", item->name,
        files != NULL ? (guint)g_variant_n_children (files) : 0);
  if (g_str_equal (item->name, "Refused"))
    {
      GError *error = NULL;
      wpr_set_error (&error, WPR_ERROR_STATE, 0, "It is on already.");
      wpr_recorder_return_error (task, error);
      return;
    }
  GVariantDict list;
  g_mutex_lock (&fake->lock);
  g_variant_dict_init (&list, fake->description);
  g_variant_dict_insert (&list, "digest", "s", item->name);
  g_variant_unref (fake->description);
  fake->description = g_variant_ref_sink (g_variant_dict_end (&list));
  g_mutex_unlock (&fake->lock);
  wpr_recorder_return_boolean (task);
}

static void
fake_grow (WprRecorderBackend *backend, GTask *task, const char *collector, guint64 bytes)
{
  tell ((Fake *)backend, "grow %s %" G_GUINT64_FORMAT, collector != NULL ? collector : "worst",
        bytes);
  wpr_recorder_return_boolean (task);
}

static void
fake_set_note (WprRecorderBackend *backend, const char *note)
{
  tell ((Fake *)backend, "note %s", note != NULL ? note : "none");
}

static GVariant *
fake_describe (WprRecorderBackend *backend)
{
  Fake *fake = (Fake *)backend;
  g_mutex_lock (&fake->lock);
  GVariant *description = g_variant_ref (fake->description);
  g_mutex_unlock (&fake->lock);
  return description;
}

static void
fake_free (WprRecorderBackend *backend)
{
  Fake *fake = (Fake *)backend;
  g_free (fake->told);
  g_variant_unref (fake->description);
  g_mutex_clear (&fake->lock);
  g_free (fake);
}

static const WprRecorderBackendClass fake_class = {
  .start = fake_start,
  .stop = fake_stop,
  .save = fake_save,
  .cancel = fake_cancel,
  .mark = fake_mark,
  .set_profiles = fake_set_profiles,
  .grow = fake_grow,
  .set_note = fake_set_note,
  .describe = fake_describe,
  .free = fake_free,
};

static gpointer
serve (gpointer data)
{
  Served *served = data;
  g_autoptr (GError) error = NULL;
  g_main_context_push_thread_default (served->context);
  Fake *fake = g_new0 (Fake, 1);
  fake->parent.klass = &fake_class;
  fake->description = g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  g_mutex_init (&fake->lock);
  g_autoptr (WprRecorder) recorder
      = wpr_recorder_new_with_backend (served->instance, &fake->parent);
  g_autoptr (WprPlace) place = wpr_place_take (served->instance, &error);
  g_assert_no_error (error);
  WprBus *bus = wpr_bus_new (recorder, wpr_place_get_address (place), &error);
  g_assert_no_error (error);
  if (wpr_place_get_door (place) != NULL)
    wpr_bus_open_gate (bus, wpr_place_get_door (place), &error);
  g_assert_no_error (error);
  g_mutex_lock (&served->lock);
  served->recorder = recorder;
  served->ready = TRUE;
  g_cond_signal (&served->cond);
  g_mutex_unlock (&served->lock);
  g_main_loop_run (served->loop);
  wpr_bus_free (bus);
  g_main_context_pop_thread_default (served->context);
  return NULL;
}

Served *
served_new (const char *instance)
{
  Served *served = g_new0 (Served, 1);
  served->context = g_main_context_new ();
  served->loop = g_main_loop_new (served->context, FALSE);
  served->instance = g_strdup (instance);
  g_mutex_init (&served->lock);
  g_cond_init (&served->cond);
  served->thread = g_thread_new ("served", serve, served);
  g_mutex_lock (&served->lock);
  while (!served->ready)
    g_cond_wait (&served->cond, &served->lock);
  g_mutex_unlock (&served->lock);
  return served;
}

static gboolean
on_quit (gpointer data)
{
  g_main_loop_quit (data);
  return G_SOURCE_REMOVE;
}

void
served_free (Served *served)
{
  g_main_context_invoke (served->context, on_quit, served->loop);
  g_thread_join (served->thread);
  g_main_loop_unref (served->loop);
  g_main_context_unref (served->context);
  g_free (served->instance);
  g_mutex_clear (&served->lock);
  g_cond_clear (&served->cond);
  g_free (served);
}

void
served_set_stats (Served *served, const WprStats *values)
{
  WprStats *stats = wpr_stats_new (values);
  wpr_recorder_set_stats (served->recorder, stats);
  wpr_stats_unref (stats);
}

void
served_add_notice (Served *served, const char *id, const char *text)
{
  wpr_recorder_add_notice (served->recorder, WPR_NOTICE_WARNING, 0, id, text);
}

char *
served_get_told (Served *served)
{
  Fake *fake = (Fake *)wpr_recorder_get_backend (served->recorder);
  g_mutex_lock (&fake->lock);
  char *told = g_strdup (fake->told);
  g_mutex_unlock (&fake->lock);
  return told;
}
