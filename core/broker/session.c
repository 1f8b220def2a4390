/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sessions: their sockets, threads, orphans, and what all of them together may have. A thread a
 * session, since mapping a ring of 1 GiB takes two seconds and closing 200 tracepoints five: nobody
 * else waits for that here (in the kernel the next perf_event_open may). */
#include "config.h"
#include "broker/session-private.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include "broker/check.h"

/* A client that does not read its answers for so long is dropped. */
#define SEND_TIMEOUT_S 10
/* Descriptors that are no event's. */
#define FDS_OTHER 256

static const char *const no_socket = N_ ("No socket for the recording could be had.");
static GMutex lock;
static GCond changed; /* an orphan was claimed, or all is over */
static GList *all;    /* WprServed */
static GArray *left;  /* WprHanded, of sessions that are over; NULL: none yet */
static WprBrokerEndedFunc ended_func;
static gpointer ended_data;
static guint orphan_seconds = WPR_BROKER_ORPHAN_S;
static guint64 bytes_most;

void
wpr_broker_set_limits (guint seconds, guint64 ring_bytes)
{
  orphan_seconds = seconds;
  bytes_most = ring_bytes;
  g_clear_pointer (&left, g_array_unref);
}

void
wpr_broker_set_ended_func (WprBrokerEndedFunc func, gpointer data)
{
  ended_func = func;
  ended_data = data;
}

/* ---- shares ---- */

static guint64
ring_bytes_most (void)
{
  if (bytes_most != 0)
    return bytes_most;
  return (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE) / 2;
}

static guint64
fds_most (void)
{
  struct rlimit limit = { 1024, 1024 };
  getrlimit (RLIMIT_NOFILE, &limit);
  return limit.rlim_max > FDS_OTHER ? limit.rlim_max - FDS_OTHER : 0;
}

guint64
wpr_handed_count (GArray *handed)
{
  guint64 bytes = 0;
  for (guint i = handed->len; i > 0; i--)
    {
      const WprHanded *one = &g_array_index (handed, WprHanded, i - 1);
      bytes += one->bytes;
      if (!one->is_free (one->fd))
        continue;
      bytes -= one->bytes;
      close (one->fd);
      g_array_remove_index_fast (handed, i - 1);
    }
  return bytes;
}

void
wpr_handed_let_go (GArray *handed)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  if (left == NULL)
    left = g_array_new (FALSE, FALSE, sizeof (WprHanded));
  g_array_append_vals (left, handed->data, handed->len);
  g_array_set_size (handed, 0);
  wpr_handed_count (left);
}

gboolean
wpr_served_take (WprServed *served, guint64 bytes, guint fds, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  guint64 all_bytes = bytes + (left != NULL ? wpr_handed_count (left) : 0);
  guint64 all_fds = fds + (left != NULL ? left->len : 0);
  for (const GList *at = all; at != NULL; at = at->next)
    {
      all_bytes += ((const WprServed *)at->data)->bytes;
      all_fds += ((const WprServed *)at->data)->fds;
    }
  gboolean fits = all_bytes <= ring_bytes_most () && all_fds <= fds_most ();
  served->bytes += fits ? bytes : 0;
  served->fds += fits ? fds : 0;
  if (fits)
    return TRUE;
  return wpr_broker_refuse (
      error, WPR_ERROR_NO_SPACE,
      all_bytes > ring_bytes_most ()
          ? N_ ("The buffers of all recordings together would take more than half of the memory. "
                "Choose smaller or fewer buffers, or end another recording.")
          : N_ ("All recordings together would have too many events open. Choose fewer profiles, "
                "or end another recording."));
}

void
wpr_served_settle (WprServed *served, guint64 bytes, guint fds)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  served->bytes = bytes;
  served->fds = fds;
}

/* ---- the thread ---- */

/* Requests until the client is gone; why it ended. */
static const char *
serve (WprServed *served, int fd)
{
  for (;;)
    {
      g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
      g_autoptr (GVariant) request = wpr_packet_receive (fd, WPR_BROKER_REQUEST, NULL);
      gboolean malformed;
      int sealed;
      if (request == NULL && (errno == 0 || errno == ECONNRESET))
        return "closed";
      GVariant *answer = wpr_served_answer (served, request, fds, &sealed, &malformed);
      gboolean sent = wpr_packet_send (fd, answer, (const int *)fds->data, fds->len);
      int reason = errno;
      if (sealed >= 0)
        close (sealed);
      if (malformed)
        return "refused";
      if (!sent)
        return reason == EAGAIN ? "not-read" : "closed";
    }
}

/* Rings that are written over and over are all there is of a recording; what others held is in its
 * file. */
static gboolean
wpr_served_keeps_newest (const WprServed *served)
{
  for (guint i = 0; i < served->rings->len; i++)
    if (g_array_index (served->rings, WprRingSpec, i).backward)
      return TRUE;
  return FALSE;
}

/* The client is gone: waits for another one of the same user. FALSE: there will be none. */
static gboolean
wait_for_claim (WprServed *served)
{
  gint64 until = g_get_monotonic_time () + (gint64)orphan_seconds * G_TIME_SPAN_SECOND;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  close (served->fd);
  served->fd = -1;
  if (served->grant.memory && wpr_served_keeps_newest (served))
    served->orphan_until = until;
  while (served->orphan_until != 0 && served->fd < 0 && !served->over)
    if (!g_cond_wait_until (&changed, &lock, until))
      {
        served->how = "orphan-expired";
        break;
      }
  served->orphan_until = 0;
  served->over |= served->fd < 0;
  served->number = 0;
  return !served->over;
}

static gboolean
tell_ended (gpointer data)
{
  WprServed *served = data;
  if (ended_func != NULL)
    ended_func (&served->grant, served->n_rows_most, served->begun_us, served->how, ended_data);
  wpr_served_free (served);
  return G_SOURCE_REMOVE;
}

static gpointer
run (gpointer data)
{
  WprServed *served = data;
  do
    served->how = serve (served, served->fd);
  while (wait_for_claim (served));
  wpr_served_close (served);
  wpr_handed_let_go (served->facts);

  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  if (served->fd >= 0)
    close (served->fd);
  all = g_list_remove (all, served);
  g_idle_add (tell_ended, served); /* before anybody sees that it is gone: main.c waits for that */
  return NULL;
}

/* ---- for main.c ---- */

gboolean
wpr_broker_may_serve (guint uid, GError **error)
{
  guint own = 0, n = 0;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  for (const GList *at = all; at != NULL; at = at->next, n++)
    own += ((const WprServed *)at->data)->grant.uid == uid;
  if (n < WPR_BROKER_SESSIONS_MOST && own < WPR_BROKER_SESSIONS_OF_USER)
    return TRUE;
  return wpr_broker_refuse (error, WPR_ERROR_NO_SPACE,
                            N_ ("Too many recordings are open already. End one of them."));
}

static gboolean
make_pair (int pair[2], GError **error)
{
  struct timeval timeout = { .tv_sec = SEND_TIMEOUT_S };
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    return wpr_broker_refuse (error, WPR_ERROR_NO_SPACE, no_socket);
  setsockopt (pair[0], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
  return TRUE;
}

static GVariant *
info_of (const WprServed *served)
{
  return g_variant_new_parsed ("{'id': <%s>}", served->id);
}

gboolean
wpr_broker_serve (const WprBrokerGrant *grant, int *client_fd, GVariant **info, GError **error)
{
  int pair[2];
  if (!wpr_broker_may_serve (grant->uid, error) || !make_pair (pair, error))
    return FALSE;
  WprServed *served = wpr_served_new (grant, wpr_opener_local_new ());
  served->fd = pair[0];
  *client_fd = pair[1];
  g_mutex_lock (&lock);
  GThread *thread = g_thread_try_new ("wpr-session", run, served, NULL);
  if (thread != NULL)
    all = g_list_prepend (all, served);
  g_mutex_unlock (&lock);
  if (thread != NULL)
    {
      /* Nobody else frees it: that is done on this thread's main context. */
      *info = info_of (served);
      g_thread_unref (thread);
      return TRUE;
    }
  close (pair[0]);
  close (pair[1]);
  wpr_served_free (served);
  return wpr_broker_refuse (error, WPR_ERROR_NO_SPACE, no_socket);
}

gboolean
wpr_broker_claim (guint uid, const char *id, int *client_fd, GVariant **info, GError **error)
{
  int pair[2];
  if (!make_pair (pair, error))
    return FALSE;
  *client_fd = pair[1];
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  for (const GList *at = all; at != NULL; at = at->next)
    {
      WprServed *served = at->data;
      if (served->grant.uid != uid || served->orphan_until == 0 || served->fd >= 0 || served->over
          || g_strcmp0 (served->id, id) != 0)
        continue;
      served->fd = pair[0];
      *info = info_of (served);
      g_cond_broadcast (&changed);
      return TRUE;
    }
  close (pair[0]);
  close (pair[1]);
  return wpr_broker_refuse (error, WPR_ERROR_NOT_RECORDING,
                            N_ ("There is no such recording of yours any more."));
}

GVariant *
wpr_broker_orphans (guint uid)
{
  GVariantBuilder builder;
  gint64 now = g_get_monotonic_time ();
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (const GList *at = all; at != NULL; at = at->next)
    {
      const WprServed *served = at->data;
      if (served->grant.uid == uid && served->orphan_until > now && served->fd < 0)
        g_variant_builder_add_parsed (
            &builder, "{'id': <%s>, 'instance': <%s>, 'bytes': <%t>, 'seconds_left': <%u>}",
            served->id, served->grant.instance, served->bytes,
            (guint)((served->orphan_until - now) / G_TIME_SPAN_SECOND));
    }
  return g_variant_builder_end (&builder);
}

guint
wpr_broker_get_n_out (void)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  return g_list_length (all);
}

guint64
wpr_broker_get_bytes_left (void)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  return left != NULL ? wpr_handed_count (left) : 0;
}

void
wpr_broker_close_all (void)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  for (const GList *at = all; at != NULL; at = at->next)
    {
      WprServed *served = at->data;
      served->over = TRUE;
      if (served->fd >= 0)
        shutdown (served->fd, SHUT_RDWR);
    }
  g_cond_broadcast (&changed);
}
