/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sideband's records, one by one: they are few (a started program makes 736 bytes). Command
 * lines and users are not in them, so those are read from /proc while the program still runs. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "source/sideband.h"
#include "store/payload.h"

/* A command line is kept up to this much: longer ones (compilers' object lists) say nothing more.
 */
#define CMDLINE_MOST 4096

struct _WprSideband
{
  WprIdTable *ids;
  GByteArray *bytes; /* records on their way into the store */
  GArray *execs;     /* WprExec of the ring being drained */
};

typedef struct
{
  guint32 pid;
  WprTime when;
} WprExec;

typedef struct
{
  WprSideband *sideband;
  WprSession *session;
  gboolean to_store;
} WprSidebandVisit;

WprSideband *
wpr_sideband_new (void)
{
  WprSideband *sideband = g_new0 (WprSideband, 1);
  sideband->ids = wpr_id_table_new ();
  sideband->bytes = g_byte_array_new ();
  sideband->execs = g_array_new (FALSE, FALSE, sizeof (WprExec));
  return sideband;
}

void
wpr_sideband_free (WprSideband *sideband)
{
  if (!sideband)
    return;
  wpr_id_table_free (sideband->ids);
  g_byte_array_unref (sideband->bytes);
  g_array_unref (sideband->execs);
  g_free (sideband);
}

void
wpr_sideband_add_id (WprSideband *sideband, guint64 id, guint32 row, guint64 sample_type)
{
  wpr_id_table_add (sideband->ids, id, row, sample_type);
}

static void
wpr_sideband_visit (const struct perf_event_header *header, gpointer data)
{
  WprSidebandVisit *visit = data;
  WprSideband *sideband = visit->sideband;
  WprRecord record;
  if (visit->to_store)
    g_byte_array_append (sideband->bytes, (const guint8 *)header, header->size);
  if (!wpr_record_parse (header, sideband->ids, &record))
    return;
  if (!visit->to_store)
    wpr_world_feed (visit->session->world, &record);
  WprComm comm;
  if (record.type != PERF_RECORD_COMM || !wpr_record_comm (&record, &comm) || !comm.exec)
    return;
  WprExec exec = { comm.pid, record.time };
  g_array_append_val (sideband->execs, exec);
}

/* Arguments are separated by NUL there, and by spaces here. NULL if it has gone, or is a kernel
 * thread. */
static char *
wpr_sideband_read_cmdline (int folder)
{
  char buffer[CMDLINE_MOST];
  int fd = openat (folder, "cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  gssize n = read (fd, buffer, sizeof buffer);
  close (fd);
  while (n > 0 && buffer[n - 1] == '\0')
    n--;
  if (n <= 0)
    return NULL;
  for (gssize i = 0; i < n; i++)
    if (buffer[i] == '\0')
      buffer[i] = ' ';
  return g_utf8_make_valid (buffer, n);
}

static gboolean
wpr_sideband_tell (WprSession *session, const WprExec *exec, const char *cmdline, guint32 uid,
                   gboolean to_store, GError **error)
{
  if (!to_store)
    {
      if (cmdline)
        wpr_world_set_cmdline (session->world, exec->pid, exec->when, cmdline);
      wpr_world_set_uid (session->world, exec->pid, exec->when, uid);
      return TRUE;
    }
  WprUidPayload payload = { exec->when, uid };
  if (!wpr_store_add_note (session->store, WPR_NOTE_UID, 0, exec->when, exec->pid, exec->pid,
                           &payload, sizeof payload, error))
    return FALSE;
  if (!cmdline)
    return TRUE;
  gsize size = strlen (cmdline);
  g_autofree guint8 *text = g_malloc (sizeof (gint64) + size);
  memcpy (text, &exec->when, sizeof (gint64));
  memcpy (text + sizeof (gint64), cmdline, size);
  return wpr_store_add_note (session->store, WPR_NOTE_CMDLINE, 0, exec->when, exec->pid, exec->pid,
                             text, sizeof (gint64) + size, error);
}

/* A program that has ended meanwhile stays without a command line. */
static gboolean
wpr_sideband_ask_proc (WprSideband *sideband, WprSession *session, gboolean to_store,
                       GError **error)
{
  for (guint i = 0; i < sideband->execs->len; i++)
    {
      const WprExec *exec = &g_array_index (sideband->execs, WprExec, i);
      char path[32];
      struct stat info;
      g_snprintf (path, sizeof path, "/proc/%u", exec->pid);
      int folder = open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (folder < 0)
        continue;
      g_autofree char *cmdline = wpr_sideband_read_cmdline (folder);
      gboolean known = fstat (folder, &info) == 0;
      close (folder);
      if (known && !wpr_sideband_tell (session, exec, cmdline, info.st_uid, to_store, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
wpr_sideband_drain (WprSideband *sideband, WprSession *session, WprRing *ring, GError **error)
{
  gboolean to_store = !session->backward && session->store;
  WprSidebandVisit visit = { sideband, session, to_store };
  g_array_set_size (sideband->execs, 0);
  /* What could not be written the last time is still in `bytes`: the ring gave it up already. */
  wpr_ring_read (ring, wpr_sideband_visit, &visit);
  if (to_store && sideband->bytes->len > 0)
    {
      int fd = wpr_store_sideband_fd (session->store, error);
      if (fd < 0 || !wpr_write_all (fd, sideband->bytes->data, sideband->bytes->len, error))
        {
          wpr_store_cut_back (session->store, NULL);
          return FALSE;
        }
      wpr_store_wrote_sideband (session->store, sideband->bytes->len);
      g_byte_array_set_size (sideband->bytes, 0);
    }
  return wpr_sideband_ask_proc (sideband, session, to_store, error);
}
