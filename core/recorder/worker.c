/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The worker thread. What runs on it is its owner's. */
#include "config.h"

#include "recorder/worker.h"

struct _WprWorker
{
  gatomicrefcount refs; /* the owner and the thread */
  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
};

typedef struct
{
  void (*func) (gpointer data);
  gpointer data;
  GDestroyNotify destroy;
} WprWorkerCall;

static void
wpr_worker_unref (WprWorker *worker)
{
  if (!g_atomic_ref_count_dec (&worker->refs))
    return;
  g_main_loop_unref (worker->loop);
  g_main_context_unref (worker->context);
  g_free (worker);
}

static gpointer
wpr_worker_run (gpointer data)
{
  WprWorker *worker = data;
  g_main_context_push_thread_default (worker->context);
  g_main_loop_run (worker->loop);
  /* What was asked before the end is still done: a task left unanswered would hang its caller. */
  while (g_main_context_iteration (worker->context, FALSE))
    ;
  g_main_context_pop_thread_default (worker->context);
  wpr_worker_unref (worker);
  return NULL;
}

WprWorker *
wpr_worker_new (const char *name)
{
  WprWorker *worker = g_new0 (WprWorker, 1);
  g_atomic_ref_count_init (&worker->refs);
  g_atomic_ref_count_inc (&worker->refs);
  worker->context = g_main_context_new ();
  worker->loop = g_main_loop_new (worker->context, FALSE);
  worker->thread = g_thread_new (name, wpr_worker_run, worker);
  return worker;
}

static gboolean
wpr_worker_dispatch (gpointer data)
{
  WprWorkerCall *call = data;
  call->func (call->data);
  return G_SOURCE_REMOVE;
}

static void
wpr_worker_call_free (gpointer data)
{
  WprWorkerCall *call = data;
  if (call->destroy)
    call->destroy (call->data);
  g_free (call);
}

void
wpr_worker_call (WprWorker *worker, void (*func) (gpointer data), gpointer data,
                 GDestroyNotify destroy)
{
  WprWorkerCall *call = g_new (WprWorkerCall, 1);
  *call = (WprWorkerCall){ func, data, destroy };
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, wpr_worker_dispatch, call, wpr_worker_call_free);
  g_source_attach (source, worker->context);
}

static void
wpr_worker_quit (gpointer data)
{
  g_main_loop_quit (((WprWorker *)data)->loop);
}

void
wpr_worker_free (WprWorker *worker)
{
  if (!worker)
    return;
  wpr_worker_call (worker, wpr_worker_quit, worker, NULL);
  if (wpr_worker_is_current (worker))
    g_thread_unref (worker->thread);
  else
    g_thread_join (worker->thread);
  wpr_worker_unref (worker);
}

GMainContext *
wpr_worker_get_context (WprWorker *worker)
{
  return worker->context;
}

gboolean
wpr_worker_is_current (WprWorker *worker)
{
  return worker->thread == g_thread_self ();
}
