/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks into /proc/PID/fd, where operations on files are recorded: a system call tells a number,
 * and of what was open before only /proc knows the name. One look when the recording starts, one
 * when it is over, and one whenever old parts of it are deleted. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "source/source.h"
#include "store/payload.h"

/* A process with more has several notes: each is held in memory twice while written. */
#define NOTE_MOST (1024 * 1024)
/* Memory mode: a look is worth keeping while the rings reach back to it, give or take the time
 * between it and the first event. */
#define NEAR_START_NS (2 * WPR_NS_PER_SECOND)

#define WPR_TYPE_SOURCE_FILES (wpr_source_files_get_type ())
G_DECLARE_FINAL_TYPE (WprSourceFiles, wpr_source_files, WPR, SOURCE_FILES, WprSource)

typedef struct
{
  WprTime when;
  guint32 pid;
  GByteArray *bytes; /* payload of a FILES note */
} WprFilesRow;

struct _WprSourceFiles
{
  WprSource parent_instance;
  gboolean wanted;
  gboolean is_due; /* wanted since while recording: a look is taken once all is switched on */
  guint32 n_looks;
  guint64 dropped;  /* of the store when it was looked last */
  GPtrArray *first; /* WprFilesRow; memory mode: the look at the start */
  WprTime first_at;
};

G_DEFINE_FINAL_TYPE (WprSourceFiles, wpr_source_files, WPR_TYPE_SOURCE)

static void
wpr_files_row_free (gpointer data)
{
  WprFilesRow *row = data;
  g_byte_array_unref (row->bytes);
  g_free (row);
}

/* ---- looking ---- */

typedef struct
{
  guint32 look;
  gboolean positions; /* read fdinfo, too: three calls a descriptor */
  GPtrArray *rows;
  GHashTable *seen; /* "flags position path" -> WprFilesPlace */
} WprFilesLook;

typedef struct
{
  WprFilesRow *row;
  gsize at; /* of an entry in its bytes */
} WprFilesPlace;

static WprTime
wpr_files_now (void)
{
  WprClockReading now;
  wpr_clock_read (&now);
  return now.monotonic_ns;
}

static WprFilesRow *
wpr_files_row_new (WprFilesLook *look, guint32 pid)
{
  WprFilesRow *row = g_new (WprFilesRow, 1);
  WprFilesPayload head = { look->look };
  row->when = wpr_files_now ();
  row->pid = pid;
  row->bytes = g_byte_array_new ();
  g_byte_array_append (row->bytes, (const guint8 *)&head, sizeof head);
  g_ptr_array_add (look->rows, row);
  return row;
}

/* "pos:\t0\nflags:\t0100002\n.." */
static void
wpr_files_read_info (int folder, const char *fd, WprFilesEntry *entry)
{
  char name[32], text[256];
  g_snprintf (name, sizeof name, "fdinfo/%s", fd);
  int info = openat (folder, name, O_RDONLY | O_CLOEXEC);
  gssize n = info >= 0 ? read (info, text, sizeof text - 1) : -1;
  if (info >= 0)
    close (info);
  if (n <= 0)
    return;
  text[n] = '\0';
  const char *position = strstr (text, "pos:"), *flags = strstr (text, "flags:");
  if (position != NULL)
    entry->position = g_ascii_strtoll (position + strlen ("pos:"), NULL, 10);
  if (flags != NULL)
    entry->flags = (guint32)g_ascii_strtoull (flags + strlen ("flags:"), NULL, 8);
}

/* Two that stand at one place beyond the beginning may be one open file in two hands, which then
 * move together: nobody can follow those. */
static void
wpr_files_doubt_shared (WprFilesLook *look, WprFilesRow *row, gsize at, const WprFilesEntry *entry,
                        const char *path)
{
  if (entry->position <= 0)
    return;
  char *key = g_strdup_printf ("%x %" G_GINT64_FORMAT " %s", entry->flags & ~(guint32)O_CLOEXEC,
                               entry->position, path);
  const WprFilesPlace *other = g_hash_table_lookup (look->seen, key);
  WprFilesPlace place = { row, at };
  const gint64 unknown = -1;
  gsize field = G_STRUCT_OFFSET (WprFilesEntry, position);
  if (other == NULL)
    {
      g_hash_table_insert (look->seen, key, g_memdup2 (&place, sizeof place));
      return;
    }
  g_free (key);
  memcpy (other->row->bytes->data + other->at + field, &unknown, sizeof unknown);
  memcpy (row->bytes->data + at + field, &unknown, sizeof unknown);
}

static WprFilesRow *
wpr_files_add (WprFilesLook *look, WprFilesRow *row, int folder, const char *name,
               const char *place, gint32 fd)
{
  char path[4096];
  gssize size = readlinkat (folder, place, path, sizeof path - 1);
  if (size <= 0)
    return row;
  path[size] = '\0';
  WprFilesEntry entry = { .fd = fd, .position = -1, .size = (guint16)size };
  if (look->positions && path[0] == '/' && fd >= 0)
    wpr_files_read_info (folder, name, &entry);
  if (row->bytes->len > NOTE_MOST)
    row = wpr_files_row_new (look, row->pid);
  gsize at = row->bytes->len;
  g_byte_array_append (row->bytes, (const guint8 *)&entry, sizeof entry);
  g_byte_array_append (row->bytes, (const guint8 *)path, (guint)size);
  wpr_files_doubt_shared (look, row, at, &entry, path);
  return row;
}

static void
wpr_files_look_at (WprFilesLook *look, int folder, guint32 pid)
{
  int fds = openat (folder, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fds >= 0 ? fdopendir (fds) : NULL;
  if (dir == NULL)
    {
      if (fds >= 0)
        close (fds);
      return;
    }
  WprFilesRow *row = wpr_files_row_new (look, pid);
  row = wpr_files_add (look, row, folder, "cwd", "cwd", AT_FDCWD);
  for (const struct dirent *d; (d = readdir (dir)) != NULL;)
    {
      char place[300];
      if (!g_ascii_isdigit (d->d_name[0]))
        continue;
      g_snprintf (place, sizeof place, "fd/%s", d->d_name);
      row = wpr_files_add (look, row, folder, d->d_name, place,
                           (gint32)g_ascii_strtoll (d->d_name, NULL, 10));
    }
  closedir (dir);
  row->when = wpr_files_now ();
}

/* WprFilesRow of all processes that may be looked into. */
static GPtrArray *
wpr_files_look (WprSourceFiles *self, gboolean last, gboolean positions)
{
  WprFilesLook look = { .look = self->n_looks++ | (last ? WPR_LOOK_LAST : 0),
                        .positions = positions,
                        .rows = g_ptr_array_new_with_free_func (wpr_files_row_free) };
  look.seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  DIR *proc = opendir ("/proc");
  for (const struct dirent *d; proc != NULL && (d = readdir (proc)) != NULL;)
    {
      if (!g_ascii_isdigit (d->d_name[0]))
        continue;
      int folder = openat (dirfd (proc), d->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (folder < 0)
        continue;
      wpr_files_look_at (&look, folder, (guint32)g_ascii_strtoull (d->d_name, NULL, 10));
      close (folder);
    }
  if (proc != NULL)
    closedir (proc);
  g_hash_table_unref (look.seen);
  return look.rows;
}

static gboolean
wpr_files_note (WprStore *store, const GPtrArray *rows, GError **error)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const WprFilesRow *row = g_ptr_array_index (rows, i);
      if (row->bytes->len > sizeof (WprFilesPayload)
          && !wpr_store_add_note (store, WPR_NOTE_FILES, 0, row->when, row->pid, row->pid,
                                  row->bytes->data, row->bytes->len, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
wpr_files_look_and_note (WprSourceFiles *self, WprStore *store, gboolean last, gboolean positions,
                         GError **error)
{
  g_autoptr (GPtrArray) rows = wpr_files_look (self, last, positions);
  self->dropped = wpr_store_bytes_dropped (store);
  return wpr_files_note (store, rows, error);
}

/* ---- the hooks ---- */

static gboolean
wpr_source_files_prepare (WprSource *source, WprSession *session, GError **error)
{
  for (guint i = 0; i < session->manifest->events->len; i++)
    WPR_SOURCE_FILES (source)->wanted
        |= g_array_index (session->manifest->events, WprStoreEvent, i).as_file != 0;
  return TRUE;
}

/* File mode: after the events were switched on, so that nothing is opened unseen. Memory mode:
 * before, for there our own looking would fill the rings. */
static gboolean
wpr_source_files_start (WprSource *source, WprSession *session, gboolean sideband, GError **error)
{
  WprSourceFiles *self = WPR_SOURCE_FILES (source);
  if (!self->wanted || sideband != session->backward)
    return TRUE;
  if (session->store)
    return wpr_files_look_and_note (self, session->store, FALSE, TRUE, error);
  self->first = wpr_files_look (self, FALSE, TRUE);
  self->first_at = wpr_files_now ();
  return TRUE;
}

static gboolean
wpr_source_files_set (WprSource *source, WprSession *session, const WprPlanItem *item, gboolean on,
                      GError **error)
{
  WprSourceFiles *self = WPR_SOURCE_FILES (source);
  if (on && item->kind == WPR_ITEM_TRACEPOINT && wpr_source_is_file (item))
    {
      self->is_due |= !self->wanted;
      self->wanted = TRUE;
    }
  return TRUE;
}

static gboolean
wpr_files_look_late (WprSourceFiles *self, WprSession *session, GError **error)
{
  self->is_due = FALSE;
  if (session->store && !session->backward)
    return wpr_files_look_and_note (self, session->store, FALSE, TRUE, error);
  g_clear_pointer (&self->first, g_ptr_array_unref);
  self->first = wpr_files_look (self, FALSE, TRUE);
  self->first_at = wpr_files_now ();
  return TRUE;
}

/* What tells of the beginning goes with the oldest epoch. */
static gboolean
wpr_source_files_drain (WprSource *source, WprSession *session, GError **error)
{
  WprSourceFiles *self = WPR_SOURCE_FILES (source);
  if (self->is_due && !session->gathers)
    return wpr_files_look_late (self, session, error);
  if (!self->wanted || session->backward || !session->store || self->n_looks == 0
      || wpr_store_bytes_dropped (session->store) == self->dropped)
    return TRUE;
  return wpr_files_look_and_note (self, session->store, FALSE, TRUE, error);
}

static gboolean
wpr_source_files_stop (WprSource *source, WprSession *session, GError **error)
{
  WprSourceFiles *self = WPR_SOURCE_FILES (source);
  if (!self->wanted || session->backward || !session->store)
    return TRUE;
  return wpr_files_look_and_note (self, session->store, TRUE, FALSE, error);
}

static gboolean
wpr_source_files_copy (WprSource *source, WprSession *session, WprStore *store,
                       WprTime *complete_from, GError **error)
{
  WprSourceFiles *self = WPR_SOURCE_FILES (source);
  if (!self->wanted)
    return TRUE;
  if (self->first && *complete_from > self->first_at + NEAR_START_NS)
    g_clear_pointer (&self->first, g_ptr_array_unref);
  if (self->first && !wpr_files_note (store, self->first, error))
    return FALSE;
  return wpr_files_look_and_note (self, store, TRUE, FALSE, error);
}

static void
wpr_source_files_finalize (GObject *object)
{
  g_clear_pointer (&WPR_SOURCE_FILES (object)->first, g_ptr_array_unref);
  G_OBJECT_CLASS (wpr_source_files_parent_class)->finalize (object);
}

static void
wpr_source_files_class_init (WprSourceFilesClass *klass)
{
  WprSourceClass *source_class = WPR_SOURCE_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_source_files_finalize;
  source_class->prepare = wpr_source_files_prepare;
  source_class->start = wpr_source_files_start;
  source_class->stop = wpr_source_files_stop;
  source_class->drain = wpr_source_files_drain;
  source_class->copy = wpr_source_files_copy;
  source_class->set = wpr_source_files_set;
}

static void
wpr_source_files_init (WprSourceFiles *self)
{
}

WprSource *
wpr_source_files_new (void)
{
  return g_object_new (WPR_TYPE_SOURCE_FILES, NULL);
}
