/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files that were mapped: where the segments lie, which build id the file carries. One reading
 * a file however many processes map it. The paths are a stranger's: nothing is believed that is not
 * the file which was mapped. */
#include "config.h"
#include "trace/image-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A system has 1 500 mapped files, a large one 10 000; more are read each time they are asked for.
 */
#define MOST_FILES 16384
/* Processes asked for one file that the path does not lead to. */
#define MOST_ASKED 8

/* A file that lies elsewhere than its path says, or nowhere. */
typedef struct
{
  WprImageFile file;
  gboolean found;
  WprImageWay way;
  guint32 pid;           /* whose way it is; the last one asked */
  guint64 start, length; /* and its mapping */
  guint n_asked;
} Elsewhere;

struct _WprImageTable
{
  GHashTable *files;     /* path -> WprImageFile */
  GHashTable *elsewhere; /* path and what identifies the file -> Elsewhere */
  gboolean sealed;       /* all who live were asked: what was not found will not be */
  WprImageFile spare;    /* once the table is full */
};

WprImageTable *
wpr_image_table_new (void)
{
  WprImageTable *table = g_new0 (WprImageTable, 1);
  table->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  table->elsewhere = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return table;
}

void
wpr_image_table_free (WprImageTable *table)
{
  if (table == NULL)
    return;
  g_hash_table_unref (table->files);
  g_hash_table_unref (table->elsewhere);
  g_free (table);
}

static void
read_way (WprImageWay way, guint32 pid, const WprMapping *mapping, WprImageFile *file)
{
  int fd = wpr_image_file_open (way, pid, mapping);
  memset (file, 0, sizeof *file);
  if (fd < 0)
    {
      file->error = errno;
      return;
    }
  wpr_image_file_read (fd, file);
  close (fd);
}

static const WprImageFile *
find_by_path (WprImageTable *table, const WprMapping *mapping)
{
  WprImageFile *file = g_hash_table_lookup (table->files, mapping->path);
  if (file != NULL)
    return file;
  if (g_hash_table_size (table->files) >= MOST_FILES)
    {
      read_way (WPR_WAY_PATH, 0, mapping, &table->spare);
      return &table->spare;
    }
  file = g_new (WprImageFile, 1);
  read_way (WPR_WAY_PATH, 0, mapping, file);
  g_hash_table_insert (table->files, g_strdup (mapping->path), file);
  return file;
}

/* ---- elsewhere ---- */

/* By the build id where it is known: a mapping that a record told of has no inode then. */
static char *
key_of (const char *path, const guint8 *build_id, guint build_id_size, const WprMapping *mapping)
{
  GString *key = g_string_new (path);
  g_string_append_c (key, '\n');
  for (guint i = 0; i < build_id_size; i++)
    g_string_append_printf (key, "%02x", build_id[i]);
  if (build_id_size == 0)
    g_string_append_printf (key, "%" G_GINT64_MODIFIER "x %u:%u", mapping->inode, mapping->major,
                            mapping->minor);
  return g_string_free (key, FALSE);
}

/* The kernel says that this is what is mapped there; and it is the same mapping still by its name.
 */
static gboolean
is_mapped (guint32 pid, const WprMapping *mapping)
{
  static const char deleted[] = " (deleted)";
  g_autofree char *link
      = g_strdup_printf ("/proc/%u/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", pid,
                         mapping->start, mapping->start + mapping->length);
  g_autofree char *name = g_file_read_link (link, NULL);
  if (name == NULL)
    return FALSE;
  gsize length = strlen (mapping->path);
  return strncmp (name, mapping->path, length) == 0
         && (name[length] == '\0' || g_str_equal (name + length, deleted));
}

static void
ask_process (Elsewhere *elsewhere, guint32 pid, const WprMapping *mapping)
{
  elsewhere->pid = pid;
  elsewhere->start = mapping->start;
  elsewhere->length = mapping->length;
  elsewhere->n_asked++;
  for (WprImageWay way = WPR_WAY_ROOT; way < WPR_N_WAYS && !elsewhere->found; way++)
    {
      read_way (way, pid, mapping, &elsewhere->file);
      elsewhere->way = way;
      elsewhere->found = elsewhere->file.elf
                         && (wpr_image_file_is (&elsewhere->file, mapping)
                             || (way == WPR_WAY_MAPPED && mapping->build_id_size == 0
                                 && is_mapped (pid, mapping)));
    }
}

/* One that was found without its build id is found by it, too: by those who know only that. */
static void
add_by_build_id (WprImageTable *table, const Elsewhere *elsewhere, const WprMapping *mapping)
{
  const WprImageFile *file = &elsewhere->file;
  if (mapping->build_id_size > 0 || file->build_id_size == 0)
    return;
  char *key = key_of (mapping->path, file->build_id, file->build_id_size, mapping);
  g_hash_table_replace (table->elsewhere, key, g_memdup2 (elsewhere, sizeof *elsewhere));
}

static const Elsewhere *
find_elsewhere (WprImageTable *table, const WprProcess *process, const WprMapping *mapping)
{
  g_autofree char *key = key_of (mapping->path, mapping->build_id, mapping->build_id_size, mapping);
  Elsewhere *elsewhere = g_hash_table_lookup (table->elsewhere, key);
  gboolean ask
      = !table->sealed && process != NULL && !process->kernel && process->end == WPR_WORLD_ALIVE;
  if (elsewhere == NULL && (!ask || g_hash_table_size (table->elsewhere) >= MOST_FILES))
    return NULL;
  if (elsewhere == NULL)
    {
      elsewhere = g_new0 (Elsewhere, 1);
      g_hash_table_insert (table->elsewhere, g_steal_pointer (&key), elsewhere);
    }
  if (ask && !elsewhere->found && elsewhere->pid != process->pid && elsewhere->n_asked < MOST_ASKED)
    {
      ask_process (elsewhere, process->pid, mapping);
      if (elsewhere->found)
        add_by_build_id (table, elsewhere, mapping);
    }
  return elsewhere->found ? elsewhere : NULL;
}

/* The file that was mapped; NULL if there is none any more. */
static const WprImageFile *
find_file (WprImageTable *table, const WprProcess *process, const WprMapping *mapping)
{
  const WprImageFile *file = find_by_path (table, mapping);
  if (file->elf && wpr_image_file_is (file, mapping))
    return file;
  const Elsewhere *elsewhere = find_elsewhere (table, process, mapping);
  return elsewhere != NULL ? &elsewhere->file : NULL;
}

void
wpr_image_table_look_around (WprImageTable *table, const WprWorld *world)
{
  g_return_if_fail (table != NULL && world != NULL);
  g_autoptr (GPtrArray) processes = wpr_world_list_processes (world);
  for (guint i = 0; i < processes->len; i++)
    {
      const WprProcess *process = g_ptr_array_index (processes, i);
      if (process->end != WPR_WORLD_ALIVE || process->kernel)
        continue;
      for (guint k = 0; k < process->mappings->len; k++)
        {
          const WprMapping *mapping = &g_array_index (process->mappings, WprMapping, k);
          if (mapping->path != NULL && mapping->path[0] == '/' && mapping->path[1] != '/')
            find_file (table, process, mapping);
        }
    }
  table->sealed = TRUE;
}

/* ---- the image ---- */

static const WprSegment *
segment_at (const WprImageFile *file, guint64 page_offset, guint64 length)
{
  for (guint i = 0; i < file->n_exec; i++)
    {
      const WprSegment *s = &file->exec[i];
      if (s->offset < page_offset + length && page_offset < s->offset + s->file_size)
        return s;
    }
  return NULL;
}

gboolean
wpr_image_table_get (WprImageTable *table, const WprProcess *process, const WprMapping *mapping,
                     WprImage *image)
{
  g_return_val_if_fail (table != NULL && mapping != NULL && image != NULL, FALSE);
  const char *path = mapping->path;
  if (path == NULL || path[0] == 0 || g_str_has_prefix (path, "//anon")
      || g_str_has_prefix (path, "[heap") || g_str_has_prefix (path, "[stack")
      || g_str_has_prefix (path, "[anon"))
    return FALSE;
  gboolean is_file = path[0] == '/';
  *image = (WprImage){ .mapping = mapping,
                       .base = is_file ? mapping->start - mapping->page_offset : mapping->start,
                       .size = mapping->length + (is_file ? mapping->page_offset : 0),
                       .build_id = mapping->build_id_size > 0 ? mapping->build_id : NULL,
                       .build_id_size = mapping->build_id_size,
                       .path = path };
  const WprImageFile *file = is_file ? find_file (table, process, mapping) : NULL;
  if (file == NULL)
    return TRUE;
  if (image->build_id == NULL && file->build_id_size > 0)
    {
      image->build_id = file->build_id;
      image->build_id_size = file->build_id_size;
    }
  const WprSegment *segment = segment_at (file, mapping->page_offset, mapping->length);
  if (segment == NULL)
    return TRUE;
  image->known = TRUE;
  image->base = mapping->start - mapping->page_offset + segment->offset - segment->vaddr
                + file->lowest_vaddr;
  image->size = file->end_vaddr - file->lowest_vaddr;
  if (file->entry >= file->lowest_vaddr && file->entry < file->end_vaddr)
    image->entry = image->base + (file->entry - file->lowest_vaddr);
  return TRUE;
}

/* ---- opening it again ---- */

static gboolean
is_still (int fd, const WprImageFile *file)
{
  WprImageFile now;
  wpr_image_file_read (fd, &now);
  return now.inode == file->inode && now.size == file->size && now.major == file->major
         && now.minor == file->minor && now.mtime_ns == file->mtime_ns;
}

int
wpr_image_table_open (WprImageTable *table, const WprMapping *mapping)
{
  g_return_val_if_fail (table != NULL && mapping != NULL && mapping->path != NULL, -1);
  const WprImageFile *file = mapping->path[0] == '/' ? find_by_path (table, mapping) : NULL;
  const Elsewhere *elsewhere = NULL;
  if (file == NULL || !file->elf || !wpr_image_file_is (file, mapping))
    {
      elsewhere = mapping->path[0] == '/' ? find_elsewhere (table, NULL, mapping) : NULL;
      if (elsewhere == NULL)
        {
          errno = file != NULL && file->error == EACCES ? EACCES : ENOENT;
          return -1;
        }
      file = &elsewhere->file;
    }
  WprMapping asked = *mapping;
  if (elsewhere != NULL)
    {
      asked.start = elsewhere->start;
      asked.length = elsewhere->length;
    }
  int fd = elsewhere != NULL ? wpr_image_file_open (elsewhere->way, elsewhere->pid, &asked)
                             : wpr_image_file_open (WPR_WAY_PATH, 0, mapping);
  if (fd >= 0 && !is_still (fd, file))
    {
      close (fd);
      fd = -1;
      errno = ENOENT;
    }
  return fd;
}
