/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How back ends answer tasks, from whichever thread: in the task's own context. */
#include "config.h"

#include "recorder/recorder-private.h"

typedef struct
{
  GTask *task;
  GError *error;
  gpointer result; /* NULL: TRUE */
  GDestroyNotify destroy;
} WprAnswer;

static void
wpr_answer_free (gpointer data)
{
  WprAnswer *answer = data;
  g_clear_error (&answer->error);
  if (answer->result)
    answer->destroy (answer->result);
  g_object_unref (answer->task);
  g_free (answer);
}

static gboolean
wpr_answer_dispatch (gpointer data)
{
  WprAnswer *answer = data;
  if (answer->error)
    g_task_return_error (answer->task, g_steal_pointer (&answer->error));
  else if (answer->result)
    g_task_return_pointer (answer->task, g_steal_pointer (&answer->result), answer->destroy);
  else
    g_task_return_boolean (answer->task, TRUE);
  return G_SOURCE_REMOVE;
}

/* The task's last reference must not go on a worker: the recorder it holds would join that worker.
 */
static void
wpr_recorder_answer (GTask *task, gpointer result, GDestroyNotify destroy, GError *error)
{
  WprAnswer *answer = g_new (WprAnswer, 1);
  *answer = (WprAnswer){ task, error, result, destroy };
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, wpr_answer_dispatch, answer, wpr_answer_free);
  g_source_attach (source, g_task_get_context (task));
}

void
wpr_recorder_return_boolean (GTask *task)
{
  wpr_recorder_answer (task, NULL, NULL, NULL);
}

void
wpr_recorder_return_saved (GTask *task, WprSaved *saved)
{
  wpr_recorder_answer (task, saved, (GDestroyNotify)wpr_saved_free, NULL);
}

void
wpr_recorder_return_string (GTask *task, char *string)
{
  wpr_recorder_answer (task, string, g_free, NULL);
}

void
wpr_recorder_return_error (GTask *task, GError *error)
{
  wpr_recorder_answer (task, NULL, NULL, error);
}
