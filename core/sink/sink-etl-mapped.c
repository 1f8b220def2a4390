/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that hard faults were of. The kernel gives an inode: its name is that of the mapping there,
 * where the world has it (code), else of who still has it mapped at the end, else its number. Each
 * has a key, told with its name by a FileRundown event. */
#include "config.h"
#include "sink/sink-etl-private.h"

#include <stdio.h>
#include <string.h>

#define FILE_RUNDOWN 0x0424
/* As pointers look like to readers, and apart from the keys of files that were opened. */
#define FIRST_KEY G_GUINT64_CONSTANT (0xfffff8b000000010)
#define KEY_STEP 16
/* Files that programs wait for; 16 MiB with their names. What is more has no name. */
#define MOST_FILES 65536

typedef struct
{
  guint64 inode; /* first: with dev, what a file is found by */
  guint32 dev;   /* 12 bits major, 20 bits minor */
  gboolean told; /* in this file */
  guint64 key;
  char *path; /* NULL: not known */
} File;

struct _WprMappedFiles
{
  GHashTable *files; /* File: key and value */
  guint n_nameless;
};

static guint
hash_file (gconstpointer key)
{
  const File *file = key;

  return (guint)(file->inode ^ file->inode >> 32) ^ file->dev * 2654435761u;
}

static gboolean
same_file (gconstpointer a, gconstpointer b)
{
  const File *x = a, *y = b;

  return x->inode == y->inode && x->dev == y->dev;
}

static void
file_free (gpointer data)
{
  g_free (((File *)data)->path);
  g_free (data);
}

WprMappedFiles *
wpr_mapped_files_new (void)
{
  WprMappedFiles *self = g_new0 (WprMappedFiles, 1);

  self->files = g_hash_table_new_full (hash_file, same_file, file_free, NULL);
  return self;
}

void
wpr_mapped_files_free (WprMappedFiles *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->files);
  g_free (self);
}

/* ---- names ---- */

static gboolean
tell (WprSinkEtl *self, File *file, guint cpu, gint64 time, const char *name, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = FILE_RUNDOWN, .version = 2 };
  WprPayload payload;

  file->told = TRUE;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, file->key);
  wpr_payload_nt_path (&payload, name);
  return wpr_sink_etl_add (self, cpu, time, &head, &payload, error);
}

static gboolean
found (WprSinkEtl *self, File *file, guint cpu, gint64 time, const char *path, GError **error)
{
  file->path = g_strdup (path);
  self->mapped->n_nameless--;
  return tell (self, file, cpu, time, path, error);
}

/* The mapping of the process in which the address lies, if the world has it: the last one, others
 * there are gone by then. */
static const char *
path_at (const WprSinkEtl *self, const WprEvent *event)
{
  const WprTraceContext *context = self->context;
  WprTime when = context->start_monotonic + (event->time - context->start_time);
  const WprProcess *process
      = context->world != NULL ? wpr_world_process (context->world, event->pid, when) : NULL;
  guint32 dev = event->u.fault.dev;

  for (guint i = process != NULL && process->mappings != NULL ? process->mappings->len : 0; i > 0;
       i--)
    {
      const WprMapping *mapping = &g_array_index (process->mappings, WprMapping, i - 1);

      if (mapping->path != NULL && mapping->path[0] == '/'
          && (mapping->inode != 0
                  ? mapping->inode == event->u.fault.inode && mapping->major == dev >> 20
                        && mapping->minor == (dev & 0xfffff)
                  : event->addr - mapping->start < mapping->length))
        return mapping->path;
    }
  return NULL;
}

gboolean
wpr_sink_etl_mapped_file (WprSinkEtl *self, const WprEvent *event, guint64 *key, GError **error)
{
  WprMappedFiles *mapped = self->mapped;
  File wanted = { .inode = event->u.fault.inode, .dev = event->u.fault.dev };
  File *file;
  const char *path;

  *key = 0;
  if (event->u.fault.inode == 0)
    return TRUE;
  file = g_hash_table_lookup (mapped->files, &wanted);
  if (file == NULL)
    {
      guint n = g_hash_table_size (mapped->files);

      if (n >= MOST_FILES)
        return TRUE;
      file = g_memdup2 (&wanted, sizeof wanted);
      file->key = FIRST_KEY + (guint64)n * KEY_STEP;
      g_hash_table_add (mapped->files, file);
      mapped->n_nameless++;
    }
  *key = file->key;
  path = file->path == NULL ? path_at (self, event) : NULL;
  return path == NULL || found (self, file, event->cpu, event->time, path, error);
}

/* ---- at the end ---- */

/* A line of /proc/PID/maps: "start-end perms offset major:minor inode   path". */
static gboolean
take_line (WprSinkEtl *self, const char *line, GError **error)
{
  guint major, minor;
  guint64 inode;
  int path = 0;
  File wanted, *file;

  if (sscanf (line, "%*s %*s %*s %x:%x %" G_GUINT64_FORMAT " %n", &major, &minor, &inode, &path) < 3
      || path == 0 || line[path] != '/')
    return TRUE;
  wanted = (File){ .inode = inode, .dev = major << 20 | minor };
  file = g_hash_table_lookup (self->mapped->files, &wanted);
  return file == NULL || file->path != NULL
         || found (self, file, 0, self->context->end_time, line + path, error);
}

static gboolean
read_maps (WprSinkEtl *self, const char *pid, GError **error)
{
  g_autofree char *path = g_build_filename ("/proc", pid, "maps", NULL);
  FILE *file = fopen (path, "re");
  char *line = NULL;
  size_t space = 0;
  gboolean ok = TRUE;

  if (file == NULL) /* gone, or closed to us */
    return TRUE;
  while (ok && getline (&line, &space, file) > 0)
    {
      line[strcspn (line, "\n")] = '\0';
      ok = take_line (self, line, error);
    }
  free (line);
  fclose (file);
  return ok;
}

static gboolean
ask_the_living (WprSinkEtl *self, GError **error)
{
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  const char *name;

  while (proc != NULL && self->mapped->n_nameless > 0 && (name = g_dir_read_name (proc)) != NULL)
    if (g_ascii_isdigit (name[0]) && !read_maps (self, name, error))
      return FALSE;
  return TRUE;
}

gboolean
wpr_sink_etl_begin_mapped (WprSinkEtl *self, GError **error)
{
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, self->mapped->files);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      File *file = key;

      file->told = FALSE;
      if (file->path != NULL && !tell (self, file, 0, self->context->start_time, file->path, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
wpr_sink_etl_end_mapped (WprSinkEtl *self, GError **error)
{
  GHashTableIter iter;
  gpointer file;

  if (self->mapped->n_nameless > 0 && wpr_sink_etl_is_this_boot (self)
      && !ask_the_living (self, error))
    return FALSE;
  g_hash_table_iter_init (&iter, self->mapped->files);
  while (g_hash_table_iter_next (&iter, &file, NULL))
    {
      const File *row = file;
      g_autofree char *name = NULL;

      if (row->told)
        continue;
      name = g_strdup_printf ("inode %" G_GUINT64_FORMAT " of device %u:%u", row->inode,
                              row->dev >> 20, row->dev & 0xfffff);
      if (!tell (self, file, 0, self->context->end_time, name, error))
        return FALSE;
    }
  return TRUE;
}
