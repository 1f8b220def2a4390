/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One thread at a time takes what waits; it ends when nothing does. A thread that is late has lost
 * its place: it ends with the call it is at. */
#include "config.h"
#include "aside.h"

typedef struct
{
  WprAside *aside;
  WprAsideCall call;
  gpointer data;
  GSource *timer; /* in the asker's context, while the call runs */
  gboolean finished, is_late;
} Job;

struct _WprAside
{
  gatomicrefcount refs; /* the owner, each thread, each job that is not destroyed */
  char *thread_name;
  guint limit_ms;
  GMainContext *context; /* the asker's */
  GMutex lock;           /* what is below, and what a job says of its state */
  GCond cond;
  GQueue waiting, waiting_low;
  gboolean running; /* a thread that is not late is there */
  guint n_writes;   /* that did not end, and are not late */
};

static void
unref (WprAside *aside)
{
  if (!g_atomic_ref_count_dec (&aside->refs))
    return;
  g_main_context_unref (aside->context);
  g_mutex_clear (&aside->lock);
  g_cond_clear (&aside->cond);
  g_free (aside->thread_name);
  g_free (aside);
}

static WprAside *
ref (WprAside *aside)
{
  g_atomic_ref_count_inc (&aside->refs);
  return aside;
}

static void
free_job (gpointer data)
{
  Job *job = data;
  if (job->call.destroy != NULL)
    job->call.destroy (job->data);
  unref (job->aside);
  g_free (job);
}

static gboolean
on_done (gpointer data)
{
  Job *job = data;
  if (job->call.done != NULL)
    job->call.done (job->data);
  return G_SOURCE_REMOVE;
}

/* ---- the thread ---- */

static gboolean on_late (gpointer data);

/* With the lock. */
static Job *
take_job (WprAside *aside)
{
  Job *job = g_queue_pop_head (&aside->waiting);
  return job != NULL ? job : g_queue_pop_head (&aside->waiting_low);
}

static void
begin_timer (WprAside *aside, Job *job)
{
  if (aside->limit_ms == 0)
    return;
  job->timer = g_timeout_source_new (aside->limit_ms);
  g_source_set_callback (job->timer, on_late, job, NULL);
  g_source_attach (job->timer, aside->context);
}

/* With the lock. From then on the job is the asker's. TRUE: it was late. */
static gboolean
hand_over (WprAside *aside, Job *job)
{
  gboolean was_late = job->is_late;
  job->finished = TRUE;
  if (!was_late)
    aside->n_writes -= job->call.writes != FALSE;
  if (job->timer != NULL)
    g_source_destroy (job->timer);
  g_clear_pointer (&job->timer, g_source_unref);
  g_autoptr (GSource) source = g_idle_source_new ();
  g_source_set_priority (source, job->call.low ? G_PRIORITY_LOW : G_PRIORITY_DEFAULT);
  g_source_set_callback (source, on_done, job, free_job);
  g_source_attach (source, aside->context);
  return was_late;
}

static gpointer
run (gpointer data)
{
  WprAside *aside = data;
  gboolean was_late = FALSE;
  g_mutex_lock (&aside->lock);
  for (Job *job; !was_late && (job = take_job (aside)) != NULL;)
    {
      begin_timer (aside, job);
      g_mutex_unlock (&aside->lock);
      job->call.work (job->data);
      g_mutex_lock (&aside->lock);
      was_late = hand_over (aside, job);
      g_cond_signal (&aside->cond);
    }
  if (!was_late)
    aside->running = FALSE;
  g_mutex_unlock (&aside->lock);
  unref (aside);
  return NULL;
}

/* With the lock. */
static void
begin_thread (WprAside *aside)
{
  if (aside->running
      || (g_queue_is_empty (&aside->waiting) && g_queue_is_empty (&aside->waiting_low)))
    return;
  aside->running = TRUE;
  g_thread_unref (g_thread_new (aside->thread_name, run, ref (aside)));
}

/* ---- the asker ---- */

/* The job lives: it is destroyed in this context, after its timer. */
static gboolean
on_late (gpointer data)
{
  Job *job = data;
  WprAside *aside = job->aside;
  g_mutex_lock (&aside->lock);
  gboolean is_late = !job->finished;
  if (is_late)
    {
      job->is_late = TRUE;
      aside->running = FALSE;
      aside->n_writes -= job->call.writes != FALSE;
      begin_thread (aside);
    }
  g_cond_signal (&aside->cond);
  g_mutex_unlock (&aside->lock);
  if (is_late && job->call.late != NULL)
    job->call.late (job->data);
  return G_SOURCE_REMOVE;
}

WprAside *
wpr_aside_new (const char *thread_name, guint limit_ms)
{
  WprAside *aside = g_new0 (WprAside, 1);
  g_atomic_ref_count_init (&aside->refs);
  aside->thread_name = g_strdup (thread_name);
  aside->limit_ms = limit_ms;
  aside->context = g_main_context_ref_thread_default ();
  g_mutex_init (&aside->lock);
  g_cond_init (&aside->cond);
  g_queue_init (&aside->waiting);
  g_queue_init (&aside->waiting_low);
  return aside;
}

void
wpr_aside_run (WprAside *aside, const WprAsideCall *call, gpointer data)
{
  Job *job = g_new0 (Job, 1);
  job->aside = ref (aside);
  job->call = *call;
  job->data = data;
  g_mutex_lock (&aside->lock);
  aside->n_writes += call->writes != FALSE;
  g_queue_push_tail (call->low ? &aside->waiting_low : &aside->waiting, job);
  begin_thread (aside);
  g_mutex_unlock (&aside->lock);
}

/* With the lock. */
static void
forget (GQueue *waiting, GQueue *forgotten)
{
  for (guint n = waiting->length; n > 0; n--)
    {
      Job *job = g_queue_pop_head (waiting);
      g_queue_push_tail (job->call.writes ? waiting : forgotten, job);
    }
}

void
wpr_aside_free (WprAside *aside)
{
  GQueue forgotten = G_QUEUE_INIT;
  if (aside == NULL)
    return;
  g_mutex_lock (&aside->lock);
  forget (&aside->waiting, &forgotten);
  forget (&aside->waiting_low, &forgotten);
  while (aside->n_writes > 0)
    g_cond_wait (&aside->cond, &aside->lock);
  g_mutex_unlock (&aside->lock);
  g_queue_clear_full (&forgotten, free_job);
  unref (aside);
}
