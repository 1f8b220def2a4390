/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The question runs on a thread of its own, which whoever waits in vain leaves behind. */
#include "config.h"
#include "recorder/unlock.h"

#include <glib.h>

#include "broker/client/client.h"

/* Without a bus, or without the service on it, the answer is there at once. A bus answers within a
 * millisecond, on a machine under load within a second; this is for one that hangs. */
#define BUS_MS 2000
/* The service is started by the question: 50 ms, under load some seconds, seen: six. */
#define BROKER_MS 10000

typedef struct
{
  gatomicrefcount refs;
  GMutex lock;
  GCond cond;
  gboolean has_bus, done, only_bus;
  WprBrokerAnswer answer;
} WprAsking;

static void
wpr_asking_unref (WprAsking *asking)
{
  if (!g_atomic_ref_count_dec (&asking->refs))
    return;
  g_mutex_clear (&asking->lock);
  g_cond_clear (&asking->cond);
  g_free (asking);
}

static gpointer
wpr_asking_run (gpointer data)
{
  WprAsking *asking = data;
  g_autofree char *name = wpr_broker_bus_name (NULL);
  g_mutex_lock (&asking->lock);
  asking->has_bus = name != NULL;
  asking->done = name == NULL || asking->only_bus;
  gboolean goes_on = !asking->done;
  g_cond_signal (&asking->cond);
  g_mutex_unlock (&asking->lock);
  if (goes_on)
    {
      WprBrokerAnswer answer = wpr_broker_ask ();
      g_mutex_lock (&asking->lock);
      asking->answer = answer;
      asking->done = TRUE;
      g_cond_signal (&asking->cond);
      g_mutex_unlock (&asking->lock);
    }
  wpr_asking_unref (asking);
  return NULL;
}

static WprBrokerAnswer
wpr_asking_wait (gboolean only_bus, gboolean *has_bus)
{
  WprAsking *asking = g_new0 (WprAsking, 1);
  g_atomic_ref_count_init (&asking->refs);
  g_atomic_ref_count_inc (&asking->refs);
  g_mutex_init (&asking->lock);
  g_cond_init (&asking->cond);
  asking->only_bus = only_bus;
  gint64 begun = g_get_monotonic_time ();
  g_thread_unref (g_thread_new ("wpr-unlock", wpr_asking_run, asking));
  g_mutex_lock (&asking->lock);
  while (!asking->done
         && g_cond_wait_until (&asking->cond, &asking->lock,
                               begun + (asking->has_bus ? BROKER_MS : BUS_MS) * 1000))
    ;
  WprBrokerAnswer answer = asking->done ? asking->answer : WPR_BROKER_NO;
  *has_bus = asking->has_bus;
  g_mutex_unlock (&asking->lock);
  wpr_asking_unref (asking);
  return answer;
}

WprUnlock
wpr_unlock_probe (void)
{
  static const WprUnlock unlocks[] = { [WPR_BROKER_NO] = WPR_UNLOCK_NONE,
                                       [WPR_BROKER_CHALLENGE] = WPR_UNLOCK_ASK,
                                       [WPR_BROKER_YES] = WPR_UNLOCK_YES };
  gboolean has_bus;
  return unlocks[wpr_asking_wait (FALSE, &has_bus)];
}

gboolean
wpr_unlock_is_there (void)
{
  gboolean has_bus;
  wpr_asking_wait (TRUE, &has_bus);
  return has_bus;
}
