/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "service.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "broker/protocol.h"
#include "perf/ring.h"

/* ---- the serving process ---- */

/* Word, user, memory, contents, id; answered by (s) and at most one descriptor. */
#define ORDER "(subbs)"
static char *last_ended;

static void
ended (const WprBrokerGrant *grant, guint n_rows, gint64 begun_us, const char *how, gpointer data)
{
  g_free (last_ended);
  last_ended = g_strdup_printf ("%s %u", how, n_rows);
}

static char *
count_fds (void)
{
  guint n = 0, n_events = 0;
  DIR *dir = opendir ("/proc/self/fd");
  for (const struct dirent *d; (d = readdir (dir)) != NULL;)
    {
      char target[64] = "";
      if (d->d_name[0] == '.')
        continue;
      n++;
      if (readlinkat (dirfd (dir), d->d_name, target, sizeof target - 1) > 0)
        n_events += strstr (target, "perf_event") != NULL;
    }
  closedir (dir);
  return g_strdup_printf ("%u %u", n, n_events);
}

static char *
list_orphans (guint uid)
{
  g_autoptr (GVariant) all = g_variant_ref_sink (wpr_broker_orphans (uid));
  GString *text = g_string_new (NULL);
  for (gsize i = 0; i < g_variant_n_children (all); i++)
    {
      g_autoptr (GVariant) one = g_variant_get_child_value (all, i);
      const char *id;
      if (g_variant_lookup (one, "id", "&s", &id))
        g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", id);
    }
  return g_string_free (text, FALSE);
}

static char *
read_rss (void)
{
  char *text = NULL;
  g_file_get_contents ("/proc/self/status", &text, NULL, NULL);
  char *at = strstr (text, "VmRSS:");
  char *rss = g_strdup_printf ("%" G_GUINT64_FORMAT, g_ascii_strtoull (at + 6, NULL, 10) * 1024);
  g_free (text);
  return rss;
}

static char *
obey (GVariant *order, int *fd)
{
  const char *word, *id;
  WprBrokerGrant grant = { .instance = "test" };
  g_autoptr (GVariant) info = NULL;
  g_autoptr (GError) error = NULL;
  g_variant_get (order, "(&subb&s)", &word, &grant.uid, &grant.memory, &grant.contents, &id);
  *fd = -1;
  if (g_str_equal (word, "serve") || g_str_equal (word, "claim"))
    {
      gboolean good = g_str_equal (word, "serve")
                          ? wpr_broker_serve (&grant, fd, &info, &error)
                          : wpr_broker_claim (grant.uid, id, fd, &info, &error);
      if (!good)
        *fd = -1;
      if (good)
        g_variant_ref_sink (info);
      if (!good || !g_variant_lookup (info, "id", "&s", &id))
        id = "";
      return g_strdup (id);
    }
  if (g_str_equal (word, "orphans"))
    return list_orphans (grant.uid);
  if (g_str_equal (word, "out"))
    return g_strdup_printf ("%u", wpr_broker_get_n_out ());
  if (g_str_equal (word, "fds"))
    return count_fds ();
  if (g_str_equal (word, "rss"))
    return read_rss ();
  if (g_str_equal (word, "close-all"))
    wpr_broker_close_all ();
  if (g_str_equal (word, "ended"))
    return g_strdup (last_ended != NULL ? last_ended : "");
  return g_strdup ("");
}

static void
serve (int control)
{
  for (;;)
    {
      int fd;
      g_autoptr (GVariant) order = wpr_broker_receive (control, ORDER, NULL);
      if (order == NULL)
        _exit (0);
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_autofree char *word = obey (order, &fd);
      if (!wpr_broker_send (control, g_variant_new ("(s)", word), &fd, fd >= 0))
        _exit (1);
      if (fd >= 0)
        close (fd);
    }
}

Service *
service_start (guint orphan_seconds, guint64 ring_bytes)
{
  int pair[2];
  Service *service = g_new0 (Service, 1);
  if (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
    g_error ("socketpair: %s", g_strerror (errno));
  service->pid = fork ();
  if (service->pid == 0)
    {
      prctl (PR_SET_PDEATHSIG, SIGKILL);
      close (pair[1]);
      wpr_broker_set_limits (orphan_seconds, ring_bytes);
      wpr_broker_set_ended_func (ended, NULL);
      wpr_raise_nofile ();
      serve (pair[0]);
    }
  close (pair[0]);
  service->control = pair[1];
  return service;
}

void
service_stop (Service *service)
{
  close (service->control);
  client_wait (service->pid);
  g_free (service);
}

static char *
order (Service *service, const char *word, guint uid, gboolean memory, gboolean contents,
       const char *id, int *fd)
{
  char *text = NULL;
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  if (!wpr_broker_send (service->control, g_variant_new (ORDER, word, uid, memory, contents, id),
                        NULL, 0))
    return g_strdup ("");
  g_autoptr (GVariant) answer = wpr_broker_receive (service->control, "(s)", fds);
  if (answer != NULL)
    g_variant_get (answer, "(s)", &text);
  if (fd != NULL)
    *fd = fds->len > 0 ? g_array_index (fds, int, 0) : -1;
  return text != NULL ? text : g_strdup ("");
}

int
service_serve (Service *service, guint uid, gboolean memory, gboolean contents, char **id)
{
  int fd;
  g_autofree char *text = order (service, "serve", uid, memory, contents, "", &fd);
  if (id != NULL)
    *id = g_steal_pointer (&text);
  return fd;
}

int
service_claim (Service *service, guint uid, const char *id)
{
  int fd;
  g_autofree char *text = order (service, "claim", uid, FALSE, FALSE, id, &fd);
  return fd;
}

char *
service_orphans (Service *service, guint uid)
{
  return order (service, "orphans", uid, FALSE, FALSE, "", NULL);
}

static guint64
ask_number (Service *service, const char *word, guint64 *second)
{
  char *end;
  g_autofree char *text = order (service, word, 0, FALSE, FALSE, "", NULL);
  guint64 number = g_ascii_strtoull (text, &end, 10);
  if (second != NULL)
    *second = g_ascii_strtoull (end, NULL, 10);
  return number;
}

guint
service_n_out (Service *service)
{
  return (guint)ask_number (service, "out", NULL);
}

guint
service_n_fds (Service *service, guint *n_events)
{
  guint64 second;
  guint n = (guint)ask_number (service, "fds", &second);
  if (n_events != NULL)
    *n_events = (guint)second;
  return n;
}

guint64
service_rss (Service *service)
{
  return ask_number (service, "rss", NULL);
}

char *
service_ended (Service *service)
{
  return order (service, "ended", 0, FALSE, FALSE, "", NULL);
}

void
service_close_all (Service *service)
{
  g_free (order (service, "close-all", 0, FALSE, FALSE, "", NULL));
}

gboolean
service_wait_n_out (Service *service, guint n)
{
  for (guint i = 0; i < 2000; i++)
    {
      if (service_n_out (service) == n)
        return TRUE;
      g_usleep (10000);
    }
  return FALSE;
}

/* ---- clients ---- */

pid_t
client_start (guint uid, ClientFunc func, int fd, gpointer data)
{
  struct rlimit limit = { MEMLOCK_BYTES, MEMLOCK_BYTES };
  pid_t pid = fork ();
  if (pid != 0)
    return pid;
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  CHECK (setrlimit (RLIMIT_MEMLOCK, &limit) == 0);
  if (uid != 0)
    CHECK (setgroups (0, NULL) == 0 && setresgid (uid, uid, uid) == 0
           && setresuid (uid, uid, uid) == 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  _exit (func (fd, data));
}

int
client_wait (pid_t pid)
{
  int status = 0;
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

int
client_run (guint uid, ClientFunc func, int fd, gpointer data)
{
  pid_t pid = client_start (uid, func, fd, data);
  close (fd);
  return client_wait (pid);
}

WprBrokerSession *
client_session (int fd, const char *const *names)
{
  g_autoptr (GError) error = NULL;
  WprBrokerSession *session = wpr_broker_session_new (fd);
  if (names != NULL
      && !wpr_broker_facts_formats (session, names, g_strv_length ((char **)names), &error))
    g_printerr ("%s\n", error->message);
  CHECK (error == NULL);
  return session;
}

void
client_map (const WprOpened *opened, GPtrArray *rings, gboolean backward)
{
  g_autoptr (GError) error = NULL;
  for (guint i = rings->len; i < opened->leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (opened->leaders, WprLeader, i);
      WprRing *ring
          = leader->bytes > 0 ? wpr_ring_map (leader->fd, leader->bytes, backward, &error) : NULL;
      if (error != NULL)
        g_printerr ("%s\n", error->message);
      CHECK (error == NULL);
      g_ptr_array_add (rings, ring);
    }
}

gboolean
client_switch (const WprOpened *opened, gulong request, gulong argument)
{
  gboolean good = TRUE;
  for (guint i = 0; i < opened->leaders->len; i++)
    good &= ioctl (g_array_index (opened->leaders, WprLeader, i).fd, request, argument) == 0;
  return good;
}
