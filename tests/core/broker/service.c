/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "service.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "broker/client/client-private.h"
#include "perf/record.h"
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
  if (g_str_equal (word, "left"))
    return g_strdup_printf ("%" G_GUINT64_FORMAT, wpr_broker_get_bytes_left ());
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
      g_autoptr (GVariant) order = wpr_packet_receive (control, ORDER, NULL);
      if (order == NULL)
        _exit (0);
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_autofree char *word = obey (order, &fd);
      if (!wpr_packet_send (control, g_variant_new ("(s)", word), &fd, fd >= 0))
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
  if (!wpr_packet_send (service->control, g_variant_new (ORDER, word, uid, memory, contents, id),
                        NULL, 0))
    return g_strdup ("");
  g_autoptr (GVariant) answer = wpr_packet_receive_fds (service->control, "(s)", fds);
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

guint64
service_bytes_left (Service *service)
{
  return ask_number (service, "left", NULL);
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
  for (guint i = 0; i < 6000; i++)
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

void
client_open (Client *client, int fd, const WprPerfEvent *events, gsize n, gsize bytes,
             gboolean backward)
{
  client_open_session (client, wpr_broker_session_new (fd), events, n, bytes, backward);
}

void
client_open_session (Client *client, WprBrokerSession *session, const WprPerfEvent *events, gsize n,
                     gsize bytes, gboolean backward)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  WprRingSpec spec = { .bytes = bytes, .backward = backward };
  *client = (Client){ .bytes = bytes, .backward = backward };
  client->session = session;
  client->opener = wpr_opener_broker_new (client->session);
  client->rings = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_ring_free);
  for (gsize i = 0; i < n; i++)
    if (events[i].kind == WPR_PERF_TRACEPOINT)
      g_ptr_array_add (names, (gpointer)events[i].name);
  if (!wpr_broker_facts_formats (client->session, (const char *const *)names->pdata, names->len,
                                 &error)
      || !wpr_opener_open (client->opener, events, n, &spec, 1, (const guint *)cpus->data,
                           cpus->len, &client->opened, &error))
    g_printerr ("%s\n", error->message);
  CHECK (error == NULL);
  client_map (client);
}

void
client_map (Client *client)
{
  g_autoptr (GError) error = NULL;
  for (guint i = client->rings->len; i < client->opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (client->opened.leaders, WprLeader, i);
      WprRing *ring = leader->bytes > 0
                          ? wpr_ring_map (leader->fd, leader->bytes, client->backward, &error)
                          : NULL;
      if (error != NULL)
        g_printerr ("%s\n", error->message);
      CHECK (error == NULL);
      g_ptr_array_add (client->rings, ring);
    }
}

void
client_close (Client *client)
{
  g_ptr_array_unref (client->rings);
  wpr_opened_clear (&client->opened);
  wpr_opener_close (client->opener);
  g_object_unref (client->opener);
  wpr_broker_session_unref (client->session);
}

gboolean
client_switch (const Client *client, gulong request, gulong argument)
{
  gboolean good = TRUE;
  for (guint i = 0; i < client->opened.leaders->len; i++)
    good &= ioctl (g_array_index (client->opened.leaders, WprLeader, i).fd, request, argument) == 0;
  return good;
}

/* The row of an id; G_MAXUINT32: of none. */
static guint32
row_of (const Client *client, guint64 id)
{
  for (guint i = 0; i < client->opened.ids->len; i++)
    if (g_array_index (client->opened.ids, WprEventId, i).id == id)
      return g_array_index (client->opened.ids, WprEventId, i).row;
  return G_MAXUINT32;
}

guint64
client_count (const Client *client, guint32 row, guint64 *lost)
{
  guint64 count = 0;
  *lost = 0;
  for (guint i = 0; i < client->opened.leaders->len; i++)
    {
      g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
      gboolean has_lost;
      int fd = g_array_index (client->opened.leaders, WprLeader, i).fd;
      CHECK (wpr_group_read (fd, counts, &has_lost, NULL));
      for (guint k = 0; k < counts->len; k++)
        {
          const WprGroupCount *one = &g_array_index (counts, WprGroupCount, k);
          count += row_of (client, one->id) == row ? one->count : 0;
          *lost += row_of (client, one->id) == row ? one->lost : 0;
        }
    }
  return count;
}

guint64
client_bytes (const Client *client)
{
  guint64 bytes = 0;
  for (guint i = 0; i < client->rings->len; i++)
    if (client->rings->pdata[i] != NULL)
      bytes += wpr_ring_bytes (client->rings->pdata[i]);
  return bytes;
}

typedef struct
{
  WprIdTable *ids;
  guint32 row;
  guint64 n;
} Records;

static void
count_record (const struct perf_event_header *header, gpointer data)
{
  Records *records = data;
  WprRecord record;
  if (wpr_record_parse (header, records->ids, &record) && record.type == PERF_RECORD_SAMPLE)
    records->n += record.row == records->row;
}

guint64
client_records (const Client *client, guint32 row, guint64 sample_type)
{
  Records records = { wpr_id_table_new (), row, 0 };
  for (guint i = 0; i < client->opened.ids->len; i++)
    {
      const WprEventId *id = &g_array_index (client->opened.ids, WprEventId, i);
      wpr_id_table_add (records.ids, id->id, id->row, sample_type);
    }
  for (guint i = 0; i < client->rings->len; i++)
    {
      WprRing *ring = client->rings->pdata[i];
      WprRingCopy copy;
      if (ring == NULL)
        continue;
      if (!client->backward)
        {
          wpr_ring_read (ring, count_record, &records);
          continue;
        }
      CHECK (wpr_ring_copy (ring, &copy, NULL));
      for (gsize at = 0; at < copy.size;)
        {
          const struct perf_event_header *header = (gconstpointer)(copy.data + at);
          count_record (header, &records);
          at += header->size;
        }
      wpr_ring_copy_clear (&copy);
    }
  wpr_id_table_free (records.ids);
  return records.n;
}

WprPerfEvent
tracepoint (guint32 row, const char *name)
{
  return (WprPerfEvent){ .row = row, .kind = WPR_PERF_TRACEPOINT, .name = name, .period = 1 };
}

void
make_calls (guint n)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  cpu_set_t before, one;
  sched_getaffinity (0, sizeof before, &before);
  for (guint i = 0; i < cpus->len; i++)
    {
      CPU_ZERO (&one);
      CPU_SET (g_array_index (cpus, guint, i), &one);
      sched_setaffinity (0, sizeof one, &one);
      for (guint k = 0; k < n; k++)
        syscall (SYS_ioprio_get, 1, 0);
    }
  sched_setaffinity (0, sizeof before, &before);
}
