/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptors by process. */
#include "config.h"
#include "trace/files-private.h"

#include <fcntl.h>
#include <string.h>

#include "store/payload.h"

/* The kernel's own limit for a process is 1 048 576; what is beyond this has a name by number. */
#define MOST_DESCRIPTOR 65535
#define LEAST_ROOM 16

/* ---- objects ---- */

WprFileObject *
wpr_files_object_new (WprFiles *files, WprFile *file, guint32 flags)
{
  WprFileObject *object = g_new0 (WprFileObject, 1);
  object->file = file;
  wpr_file_ref (files, file);
  object->number = wpr_files_new_object_number (files);
  object->flags = flags;
  object->refs = 1;
  return object;
}

void
wpr_files_object_unref (WprFiles *files, WprFileObject *object)
{
  if (--object->refs > 0)
    return;
  wpr_file_unref (files, object->file);
  g_free (object);
}

static WprFileObject *
unknown_object (WprFiles *files, guint32 pid, gint64 fd)
{
  WprFileObject *object
      = wpr_files_object_new (files, wpr_files_descriptor_file (files, pid, fd), 0);
  object->position = -1;
  return object;
}

/* ---- tables ---- */

static void
clear_entry (WprFiles *files, WprFileEntry *entry)
{
  WprFileObject *object = entry->object;
  *entry = (WprFileEntry){ 0 };
  if (object != NULL)
    wpr_files_object_unref (files, object);
}

static void
free_table (WprFiles *files, WprFileTable *table)
{
  for (guint i = 0; i < table->room; i++)
    clear_entry (files, &table->entries[i]);
  clear_entry (files, &table->cwd);
  files->n_room -= table->room;
  if (files->last == table)
    files->last = NULL;
  g_free (table->entries);
  g_free (table);
}

void
wpr_files_free_tables (WprFiles *files)
{
  GHashTableIter iter;
  gpointer table;
  g_hash_table_iter_init (&iter, files->tables);
  while (g_hash_table_iter_next (&iter, NULL, &table))
    free_table (files, table);
  g_hash_table_unref (files->tables);
  if (files->scratch != NULL)
    wpr_files_object_unref (files, files->scratch);
}

static WprFileTable *
find_table (WprFiles *files, guint32 pid)
{
  if (G_LIKELY (files->last != NULL && files->last->pid == pid))
    return files->last;
  WprFileTable *table = g_hash_table_lookup (files->tables, GUINT_TO_POINTER (pid));
  if (table != NULL)
    files->last = table;
  return table;
}

/* NULL if there is no room for one more. */
static WprFileTable *
make_table (WprFiles *files, guint32 pid)
{
  WprFileTable *table = find_table (files, pid);
  if (table != NULL)
    return table;
  if (files->n_room + LEAST_ROOM > WPR_FILES_MOST_DESCRIPTORS)
    return NULL;
  table = g_new0 (WprFileTable, 1);
  table->pid = pid;
  table->room = LEAST_ROOM;
  table->entries = g_new0 (WprFileEntry, LEAST_ROOM);
  files->n_room += LEAST_ROOM;
  g_hash_table_insert (files->tables, GUINT_TO_POINTER (pid), table);
  return table;
}

static gboolean
grow (WprFiles *files, WprFileTable *table, guint fd)
{
  guint room = table->room;
  while (room <= fd)
    room *= 2;
  if (fd > MOST_DESCRIPTOR || files->n_room + (room - table->room) > WPR_FILES_MOST_DESCRIPTORS)
    return FALSE;
  table->entries = g_renew (WprFileEntry, table->entries, room);
  memset (table->entries + table->room, 0, (room - table->room) * sizeof (WprFileEntry));
  files->n_room += room - table->room;
  table->room = room;
  return TRUE;
}

/* NULL where there is none; `make`: where there is no room for it. */
static WprFileEntry *
entry_at (WprFiles *files, guint32 pid, gint64 fd, gboolean make)
{
  WprFileTable *table = make ? make_table (files, pid) : find_table (files, pid);
  if (table == NULL)
    return NULL;
  if (fd == WPR_FILES_CWD)
    return &table->cwd;
  if (fd < 0 || fd > MOST_DESCRIPTOR)
    return NULL;
  if ((guint)fd >= table->room && (!make || !grow (files, table, (guint)fd)))
    return NULL;
  return &table->entries[fd];
}

WprFileObject *
wpr_files_peek (WprFiles *files, guint32 pid, gint64 fd)
{
  WprFileEntry *entry = entry_at (files, pid, fd, FALSE);
  return entry != NULL ? entry->object : NULL;
}

WprFileObject *
wpr_files_descriptor (WprFiles *files, guint32 pid, gint64 fd)
{
  WprFileEntry *entry = entry_at (files, pid, fd, TRUE);
  if (G_UNLIKELY (entry == NULL))
    {
      g_autofree char *what = g_strdup_printf ("fd %" G_GINT64_FORMAT, fd);
      files->n_untracked++;
      if (files->scratch != NULL)
        wpr_files_object_unref (files, files->scratch);
      files->scratch = wpr_files_object_new (files, wpr_files_nameless (files, pid, what), 0);
      files->scratch->position = -1;
      return files->scratch;
    }
  if (entry->object == NULL)
    entry->object = unknown_object (files, pid, fd);
  else if (entry->object->file->is_named && !entry->object->file->told)
    wpr_files_tell (files, entry->object->file, WPR_FILE_NAME_KNOWN);
  return entry->object;
}

void
wpr_files_set (WprFiles *files, guint32 pid, gint64 fd, WprFileObject *object,
               gboolean close_on_exec)
{
  WprFileEntry *entry = entry_at (files, pid, fd, object != NULL);
  if (entry == NULL)
    {
      files->n_untracked += object != NULL;
      return;
    }
  if (object != NULL)
    object->refs++;
  clear_entry (files, entry);
  *entry = (WprFileEntry){ object, close_on_exec };
}

void
wpr_files_set_close_on_exec (WprFiles *files, guint32 pid, gint64 fd, gboolean on)
{
  WprFileEntry *entry = entry_at (files, pid, fd, FALSE);
  if (entry != NULL)
    entry->close_on_exec = on;
}

void
wpr_files_close_range (WprFiles *files, guint32 pid, guint32 first, guint32 last)
{
  WprFileTable *table = find_table (files, pid);
  for (guint64 fd = first; table != NULL && fd <= last && fd < table->room; fd++)
    clear_entry (files, &table->entries[fd]);
}

/* ---- processes ---- */

static void
share (WprFileEntry *to, const WprFileEntry *from)
{
  *to = *from;
  if (to->object != NULL)
    to->object->refs++;
}

void
wpr_files_forked (WprFiles *files, guint32 pid, guint32 ppid)
{
  wpr_files_ended (files, pid);
  WprFileTable *parent = find_table (files, ppid);
  if (parent == NULL || pid == ppid)
    return;
  if (files->n_room + parent->room > WPR_FILES_MOST_DESCRIPTORS)
    {
      files->n_untracked++;
      return;
    }
  WprFileTable *table = g_new0 (WprFileTable, 1);
  table->pid = pid;
  table->room = parent->room;
  table->entries = g_new0 (WprFileEntry, parent->room);
  files->n_room += table->room;
  for (guint i = 0; i < table->room; i++)
    share (&table->entries[i], &parent->entries[i]);
  share (&table->cwd, &parent->cwd);
  g_hash_table_insert (files->tables, GUINT_TO_POINTER (pid), table);
}

void
wpr_files_execed (WprFiles *files, guint32 pid)
{
  WprFileTable *table = find_table (files, pid);
  for (guint i = 0; table != NULL && i < table->room; i++)
    if (table->entries[i].close_on_exec)
      clear_entry (files, &table->entries[i]);
}

void
wpr_files_ended (WprFiles *files, guint32 pid)
{
  WprFileTable *table = find_table (files, pid);
  if (table == NULL)
    return;
  g_hash_table_remove (files->tables, GUINT_TO_POINTER (pid));
  free_table (files, table);
}

/* ---- /proc ---- */

static void
look_at (WprFiles *files, guint32 pid, const WprFilesEntry *row, const char *path, gboolean last)
{
  WprFileEntry *entry = entry_at (files, pid, row->fd, !last);
  if (entry == NULL)
    return;
  if (entry->object != NULL)
    {
      if (!entry->object->file->is_named)
        wpr_file_rename (files, entry->object->file, path);
      if (!last && entry->object->position < 0)
        entry->object->position = row->position;
      return;
    }
  if (last)
    return;
  /* Told when it is met with: most of what is open is never used. */
  WprFile *file = wpr_files_lookup (files, g_strdup (path));
  entry->object = wpr_files_object_new (files, file, row->flags);
  entry->object->position = row->position;
  entry->close_on_exec = (row->flags & O_CLOEXEC) != 0;
}

void
wpr_files_looked (WprFiles *files, guint32 pid, const guint8 *payload, gsize size, gboolean last)
{
  WprFilesEntry row;
  gsize at = sizeof (WprFilesPayload);
  while (at + sizeof row <= size)
    {
      memcpy (&row, payload + at, sizeof row);
      at += sizeof row;
      if (row.size > size - at)
        return;
      g_autofree char *path = g_strndup ((const char *)payload + at, row.size);
      at += row.size;
      if (path[0] != '\0')
        look_at (files, pid, &row, path, last);
    }
}
