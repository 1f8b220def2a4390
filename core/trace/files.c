/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names: a key a file, for as long as its name is kept, and what is to be told of them.
 * Descriptors are in files-table.c. */
#include "config.h"
#include "trace/files-private.h"

#include <string.h>

/* Numbers as pointers look like to readers: far apart for keys and objects, a step of 16. */
#define FIRST_KEY G_GUINT64_CONSTANT (0xfffff8a000000010)
#define FIRST_OBJECT G_GUINT64_CONSTANT (0xfffffa8000000010)
#define NUMBER_STEP 16

typedef struct
{
  guint64 key;
  char *text;
  WprFileNaming naming;
} Told;

static void
told_clear (gpointer data)
{
  g_free (((Told *)data)->text);
}

WprFiles *
wpr_files_new (void)
{
  WprFiles *files = g_new0 (WprFiles, 1);
  files->next_key = FIRST_KEY;
  files->next_object = FIRST_OBJECT;
  files->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_queue_init (&files->unused);
  files->tables = g_hash_table_new_full (NULL, NULL, NULL, NULL);
  files->told = g_array_new (FALSE, FALSE, sizeof (Told));
  g_array_set_clear_func (files->told, told_clear);
  files->all = g_hash_table_new (NULL, NULL);
  return files;
}

static void
file_free (WprFiles *files, WprFile *file)
{
  if (file->link != NULL)
    g_queue_delete_link (&files->unused, file->link);
  g_hash_table_remove (files->all, file);
  g_free (file->name);
  g_free (file);
}

void
wpr_files_free (WprFiles *files)
{
  GHashTableIter iter;
  gpointer key;
  if (files == NULL)
    return;
  wpr_files_free_tables (files);
  g_hash_table_unref (files->by_name);
  g_hash_table_iter_init (&iter, files->all);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      g_free (((WprFile *)key)->name);
      g_free (key);
    }
  g_hash_table_unref (files->all);
  g_queue_clear (&files->unused);
  g_array_unref (files->told);
  g_free (files);
}

guint64
wpr_file_key (const WprFile *file)
{
  return file->key;
}

const char *
wpr_file_name (const WprFile *file)
{
  return file->name;
}

/* ---- telling ---- */

void
wpr_files_tell (WprFiles *files, WprFile *file, WprFileNaming naming)
{
  Told told = { file->key, g_strdup (file->name), naming };
  file->told = TRUE;
  g_array_append_val (files->told, told);
}

gboolean
wpr_files_next_name (WprFiles *files, WprEvent *event)
{
  if (G_LIKELY (files->told->len == files->n_told))
    {
      if (files->n_told > 0)
        g_array_set_size (files->told, 0);
      files->n_told = 0;
      return FALSE;
    }
  const Told *told = &g_array_index (files->told, Told, files->n_told++);
  event->kind = WPR_EVENT_FILE_NAME;
  event->u.file_name.key = told->key;
  event->u.file_name.text = told->text;
  event->u.file_name.naming = told->naming;
  return TRUE;
}

static int
compare_keys (gconstpointer a, gconstpointer b)
{
  const WprFile *x = *(WprFile *const *)a, *y = *(WprFile *const *)b;
  return (x->key > y->key) - (x->key < y->key);
}

GPtrArray *
wpr_files_list (const WprFiles *files)
{
  GPtrArray *list = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer file;
  g_hash_table_iter_init (&iter, files->all);
  while (g_hash_table_iter_next (&iter, &file, NULL))
    if (!((WprFile *)file)->is_gone)
      g_ptr_array_add (list, file);
  g_ptr_array_sort (list, compare_keys);
  return list;
}

/* ---- files ---- */

void
wpr_files_forget (WprFiles *files, WprFile *file)
{
  if (file->is_gone)
    return;
  wpr_files_tell (files, file, WPR_FILE_NAME_GONE);
  file->is_gone = TRUE;
  if (g_hash_table_lookup (files->by_name, file->name) == file)
    g_hash_table_remove (files->by_name, file->name);
  if (file->refs == 0)
    file_free (files, file);
}

static WprFile *
file_new (WprFiles *files, char *name, gboolean is_named)
{
  WprFile *file = g_new0 (WprFile, 1);
  file->key = files->next_key;
  files->next_key += NUMBER_STEP;
  file->name = name;
  file->is_named = is_named;
  g_hash_table_add (files->all, file);
  return file;
}

WprFile *
wpr_files_descriptor_file (WprFiles *files, guint32 pid, gint64 fd)
{
  return file_new (files, g_strdup_printf ("fd %" G_GINT64_FORMAT " of PID %u", fd, pid), FALSE);
}

static void
push_unused (WprFiles *files, WprFile *file)
{
  g_queue_push_tail (&files->unused, file);
  file->link = files->unused.tail;
  if (files->unused.length > WPR_FILES_MOST_NAMES)
    wpr_files_forget (files, files->unused.head->data);
}

void
wpr_file_ref (WprFiles *files, WprFile *file)
{
  if (file->refs++ == 0 && file->link != NULL)
    {
      g_queue_delete_link (&files->unused, file->link);
      file->link = NULL;
    }
}

/* A file nobody has open keeps its key while there is room: it may be opened again. */
void
wpr_file_unref (WprFiles *files, WprFile *file)
{
  if (--file->refs > 0)
    return;
  if (file->is_gone)
    file_free (files, file);
  else if (!file->is_named)
    wpr_files_forget (files, file);
  else
    push_unused (files, file);
}

/* Takes the name. */
WprFile *
wpr_files_lookup (WprFiles *files, char *name)
{
  WprFile *file = g_hash_table_lookup (files->by_name, name);
  if (file != NULL)
    {
      g_free (name);
      if (file->link != NULL) /* used last */
        {
          g_queue_unlink (&files->unused, file->link);
          g_queue_push_tail_link (&files->unused, file->link);
        }
      return file;
    }
  file = file_new (files, name, TRUE);
  g_hash_table_insert (files->by_name, file->name, file);
  push_unused (files, file);
  return file;
}

/* What `.` and `..` and doubled slashes come to; a link in the way may lead elsewhere. */
static char *
whole_path (WprFiles *files, guint32 pid, gint64 folder_fd, const char *path)
{
  const WprFileObject *folder;
  if (path[0] == '/')
    return strstr (path, "/.") == NULL && strstr (path, "//") == NULL
               ? g_strdup (path)
               : g_canonicalize_filename (path, NULL);
  folder = wpr_files_peek (files, pid, folder_fd);
  if (folder != NULL && folder->file->name[0] == '/')
    return g_canonicalize_filename (path, folder->file->name);
  return g_strdup_printf ("%s of PID %u", path, pid);
}

WprFile *
wpr_files_named (WprFiles *files, guint32 pid, gint64 folder_fd, const char *path)
{
  WprFile *file = wpr_files_lookup (files, whole_path (files, pid, folder_fd, path));
  if (!file->told)
    wpr_files_tell (files, file, WPR_FILE_NAME_CREATED);
  return file;
}

WprFile *
wpr_files_nameless (WprFiles *files, guint32 pid, const char *what)
{
  WprFile *file = wpr_files_lookup (files, g_strdup_printf ("%s of PID %u", what, pid));
  if (!file->told)
    wpr_files_tell (files, file, WPR_FILE_NAME_CREATED);
  return file;
}

/* Its key is in the recording already, so it keeps it: the name gets a second key then. */
void
wpr_file_rename (WprFiles *files, WprFile *file, const char *name)
{
  if (g_hash_table_lookup (files->by_name, file->name) == file)
    g_hash_table_remove (files->by_name, file->name);
  g_free (file->name);
  file->name = g_strdup (name);
  file->is_named = TRUE;
  if (!g_hash_table_contains (files->by_name, file->name))
    g_hash_table_insert (files->by_name, file->name, file);
  wpr_files_tell (files, file, WPR_FILE_NAME_KNOWN);
}

guint64
wpr_files_new_object_number (WprFiles *files)
{
  guint64 number = files->next_object;
  files->next_object += NUMBER_STEP;
  return number;
}

guint64
wpr_files_n_untracked (const WprFiles *files)
{
  return files->n_untracked;
}
