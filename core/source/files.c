/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks into /proc/PID/fd, where operations on files are recorded: a system call tells a number,
 * and of what was open before only /proc knows the name. One look when the recording starts, one
 * when it is over, and one whenever old parts of it are deleted. */
#include "config.h"

#include <fcntl.h>
#include <string.h>

#include "source/source.h"
#include "store/payload.h"
#include "world/open-files.h"

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
wpr_files_row_new (WprFilesLook *look, const WprOpenFiles *files)
{
  WprFilesRow *row = g_new (WprFilesRow, 1);
  WprFilesPayload head = { look->look };
  row->when = files->when;
  row->pid = files->pid;
  row->bytes = g_byte_array_new ();
  g_byte_array_append (row->bytes, (const guint8 *)&head, sizeof head);
  g_ptr_array_add (look->rows, row);
  return row;
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

static void
wpr_files_add (WprFilesLook *look, const WprOpenFiles *files)
{
  WprFilesRow *row = wpr_files_row_new (look, files);
  for (guint i = 0; i < files->files->len; i++)
    {
      const WprOpenFile *file = &g_array_index (files->files, WprOpenFile, i);
      WprFilesEntry entry = { .fd = file->fd,
                              .flags = file->flags,
                              .position = file->position,
                              .size = (guint16)strlen (file->path) };
      if (row->bytes->len > NOTE_MOST)
        row = wpr_files_row_new (look, files);
      gsize at = row->bytes->len;
      g_byte_array_append (row->bytes, (const guint8 *)&entry, sizeof entry);
      g_byte_array_append (row->bytes, (const guint8 *)file->path, entry.size);
      wpr_files_doubt_shared (look, row, at, &entry, file->path);
    }
}

/* WprFilesRow of all processes that may be looked into. */
static GPtrArray *
wpr_files_look (WprSourceFiles *self, const WprSession *session, gboolean last, gboolean positions)
{
  WprFilesLook look = { .look = self->n_looks++ | (last ? WPR_LOOK_LAST : 0),
                        .rows = g_ptr_array_new_with_free_func (wpr_files_row_free) };
  look.seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GPtrArray) all = NULL;
  if (session->open_files)
    all = session->open_files (session->open_files_data, positions);
  if (!all)
    all = wpr_open_files_read ("/proc", positions);
  for (guint i = 0; i < all->len; i++)
    wpr_files_add (&look, g_ptr_array_index (all, i));
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
wpr_files_look_and_note (WprSourceFiles *self, const WprSession *session, WprStore *store,
                         gboolean last, gboolean positions, GError **error)
{
  g_autoptr (GPtrArray) rows = wpr_files_look (self, session, last, positions);
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
    return wpr_files_look_and_note (self, session, session->store, FALSE, TRUE, error);
  self->first = wpr_files_look (self, session, FALSE, TRUE);
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
    return wpr_files_look_and_note (self, session, session->store, FALSE, TRUE, error);
  g_clear_pointer (&self->first, g_ptr_array_unref);
  self->first = wpr_files_look (self, session, FALSE, TRUE);
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
  return wpr_files_look_and_note (self, session, session->store, FALSE, TRUE, error);
}

static gboolean
wpr_source_files_stop (WprSource *source, WprSession *session, GError **error)
{
  WprSourceFiles *self = WPR_SOURCE_FILES (source);
  if (!self->wanted || session->backward || !session->store)
    return TRUE;
  return wpr_files_look_and_note (self, session, session->store, TRUE, FALSE, error);
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
  return wpr_files_look_and_note (self, session, store, TRUE, FALSE, error);
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
