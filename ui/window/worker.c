/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread with a main context, and the two ways into and out of it. */
#include "config.h"
#include "worker.h"

struct _WprWorker
{
  GThread *thread;
  GMainContext *context;
  GMainLoop *loop;
};

typedef struct
{
  WprWorkFunc func;
  gpointer data;
  GDestroyNotify destroy;
} Work;

static gboolean
run_work (gpointer data)
{
  Work *work = data;
  work->func (work->data);
  return G_SOURCE_REMOVE;
}

static void
free_work (gpointer data)
{
  Work *work = data;
  if (work->destroy != NULL)
    work->destroy (work->data);
  g_free (work);
}

static void
attach (GMainContext *context, int priority, WprWorkFunc func, gpointer data,
        GDestroyNotify destroy)
{
  Work *work = g_new (Work, 1);
  *work = (Work){ func, data, destroy };
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_priority (source, priority);
  g_source_set_callback (source, run_work, work, free_work);
  g_source_attach (source, context);
}

static gpointer
work_loop (gpointer data)
{
  WprWorker *worker = data;
  g_main_context_push_thread_default (worker->context);
  g_main_loop_run (worker->loop);
  g_main_context_pop_thread_default (worker->context);
  return NULL;
}

WprWorker *
wpr_worker_new (void)
{
  WprWorker *worker = g_new0 (WprWorker, 1);
  worker->context = g_main_context_new ();
  worker->loop = g_main_loop_new (worker->context, FALSE);
  worker->thread = g_thread_new ("wprui-worker", work_loop, worker);
  return worker;
}

static void
quit_loop (gpointer loop)
{
  g_main_loop_quit (loop);
}

void
wpr_worker_free (WprWorker *worker)
{
  wpr_worker_send (worker, quit_loop, worker->loop, NULL);
  g_thread_join (worker->thread);
  g_main_loop_unref (worker->loop);
  g_main_context_unref (worker->context);
  g_free (worker);
}

void
wpr_worker_send (WprWorker *worker, WprWorkFunc func, gpointer data, GDestroyNotify destroy)
{
  attach (worker->context, G_PRIORITY_DEFAULT, func, data, destroy);
}

void
wpr_worker_send_low (WprWorker *worker, WprWorkFunc func, gpointer data, GDestroyNotify destroy)
{
  attach (worker->context, G_PRIORITY_LOW, func, data, destroy);
}

void
wpr_worker_reply (WprWorkFunc func, gpointer data, GDestroyNotify destroy)
{
  attach (NULL, G_PRIORITY_DEFAULT, func, data, destroy);
}

gboolean
wpr_worker_is_current (WprWorker *worker)
{
  return g_main_context_is_owner (worker->context);
}
