/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preloaded into wprui by the tests: stands before every function of the core that may wait, and
 * ends the program if one is called on the main thread. What was called is counted in the file
 * WPR_THREAD_GUARD names, so that a test sees that the guard stood there. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wpr-recorder.h>
#include <wpr-trace.h>

static void
check (const char *function)
{
  static int file = -1;
  const char *path = getenv ("WPR_THREAD_GUARD");
  if (path == NULL || strcmp (program_invocation_short_name, "wprui") != 0)
    return;
  if (getpid () == gettid ())
    {
      fprintf (stderr, "thread-guard: %s was called on the main thread\n", function);
      abort ();
    }
  if (file < 0)
    file = open (path, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
  dprintf (file, "%s\n", function);
}

/* Looks up the real one and calls it. */
#define REAL(name) ((__typeof__ (&name))dlsym (RTLD_NEXT, #name))
#define GUARD(type, name, parameters, arguments) \
  type name parameters                           \
  {                                              \
    check (#name);                               \
    return REAL (name) arguments;                \
  }

GUARD (WprMachine *, wpr_machine_probe, (void), ())
GUARD (WprMachine *, wpr_machine_probe_recorder, (void), ())
GUARD (WprLibrary *, wpr_library_new, (void), ())
GUARD (const WprProfile *, wpr_library_find,
       (WprLibrary * library, const char *name, const char *source, GError **error),
       (library, name, source, error))
GUARD (WprPlan *, wpr_plan_new,
       (WprLibrary * library, const WprChoice *choice, const WprMachine *machine, GError **error),
       (library, choice, machine, error))
GUARD (char *, wpr_plan_to_text, (const WprPlan *plan), (plan))
GUARD (gboolean, wpr_library_add_bytes,
       (WprLibrary * library, GBytes *bytes, const char *name, GError **error),
       (library, bytes, name, error))
GUARD (gboolean, wpr_library_remove, (WprLibrary * library, const char *name), (library, name))
GUARD (char *, wpr_library_dup_title, (WprLibrary * library, const char *name), (library, name))
GUARD (char *, wpr_profile_export, (WprLibrary * library, const WprChoice *choice, GError **error),
       (library, choice, error))
GUARD (guint, wpr_sample_interval_get, (void), ())
GUARD (gboolean, wpr_sample_interval_set, (guint interval, GError **error), (interval, error))
GUARD (WprChoice *, wpr_choice_new, (void), ())
GUARD (WprRecorder *, wpr_recorder_spawn, (const char *instance, GError **error), (instance, error))
GUARD (WprRecorder *, wpr_recorder_connect, (const char *instance, GError **error),
       (instance, error))
GUARD (GPtrArray *, wpr_recorder_list, (GError * *error), (error))
GUARD (WprState, wpr_recorder_get_state, (WprRecorder * self), (self))
GUARD (WprStats *, wpr_recorder_ref_stats, (WprRecorder * self), (self))
GUARD (GPtrArray *, wpr_recorder_get_notices, (WprRecorder * self), (self))
GUARD (GVariant *, wpr_recorder_describe, (WprRecorder * self), (self))
GUARD (void, wpr_recorder_start_async,
       (WprRecorder * self, const WprChoice *choice, GVariant *files, const char *program,
        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data),
       (self, choice, files, program, cancellable, callback, data))
GUARD (void, wpr_recorder_stop_async,
       (WprRecorder * self, int folder_fd, const char *name, const char *note,
        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data),
       (self, folder_fd, name, note, cancellable, callback, data))
GUARD (void, wpr_recorder_save_async,
       (WprRecorder * self, int folder_fd, const char *name, const char *note,
        GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data),
       (self, folder_fd, name, note, cancellable, callback, data))
GUARD (void, wpr_recorder_set_note, (WprRecorder * self, const char *note), (self, note))
GUARD (void, wpr_recorder_cancel_async,
       (WprRecorder * self, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data),
       (self, cancellable, callback, data))
GUARD (void, wpr_recorder_mark_async,
       (WprRecorder * self, const char *text, GCancellable *cancellable,
        GAsyncReadyCallback callback, gpointer data),
       (self, text, cancellable, callback, data))
GUARD (GPtrArray *, wpr_unfinished_list, (GError * *error), (error))
GUARD (WprSaved *, wpr_recover_as,
       (const char *path, int folder_fd, const char *name, WprSaveFlags flags,
        WprProgressFunc progress, gpointer data, GCancellable *cancellable, GError **error),
       (path, folder_fd, name, flags, progress, data, cancellable, error))
GUARD (WprTraceInfo *, wpr_trace_info_read,
       (const char *path, GCancellable *cancellable, GError **error), (path, cancellable, error))
GUARD (WprTraceInfo *, wpr_trace_brief_read,
       (const char *path, GCancellable *cancellable, GError **error), (path, cancellable, error))
GUARD (gboolean, wpr_trace_add_note,
       (int folder_fd, const char *name, const char *note, GError **error),
       (folder_fd, name, note, error))
