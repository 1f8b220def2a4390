/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ELF headers of mapped files: where the segments lie, which build id the file carries. One
 * reading a file however many processes map it. The paths are a stranger's: only regular files are
 * opened, and nothing is believed that is not the file which was mapped. */
#include "config.h"
#include "trace/image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A system has 1 500 mapped files, a large one 10 000; more are read each time they are asked for.
 */
#define MOST_FILES 16384
/* Program headers looked at: real files have about ten. */
#define MOST_SEGMENTS 64
#define MOST_EXEC 4
#define NS_PER_SEC G_GINT64_CONSTANT (1000000000)

typedef struct
{
  guint64 offset, vaddr, file_size;
} Segment;

typedef struct
{
  gboolean elf;
  guint32 major, minor;
  guint64 inode, size;
  gint64 mtime_ns;
  guint64 lowest_vaddr, end_vaddr;
  guint n_exec;
  Segment exec[MOST_EXEC];
  guint8 build_id[20];
  guint build_id_size;
} File;

struct _WprImageTable
{
  GHashTable *files; /* path -> File */
  File spare;        /* once the table is full */
};

WprImageTable *
wpr_image_table_new (void)
{
  WprImageTable *table = g_new0 (WprImageTable, 1);
  table->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  elf_version (EV_CURRENT);
  return table;
}

void
wpr_image_table_free (WprImageTable *table)
{
  if (table == NULL)
    return;
  g_hash_table_unref (table->files);
  g_free (table);
}

static void
read_note_segment (Elf *elf, const GElf_Phdr *phdr, File *file)
{
  Elf_Data *data = elf_getdata_rawchunk (elf, (off_t)phdr->p_offset, phdr->p_filesz, ELF_T_NHDR);
  GElf_Nhdr note;
  gsize at = 0, name, desc, next;
  while (data != NULL && at < data->d_size
         && (next = gelf_getnote (data, at, &note, &name, &desc)) > 0)
    {
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4
          && memcmp ((const char *)data->d_buf + name, "GNU", 4) == 0 && note.n_descsz > 0)
        {
          file->build_id_size = MIN (note.n_descsz, sizeof file->build_id);
          memcpy (file->build_id, (const guint8 *)data->d_buf + desc, file->build_id_size);
          return;
        }
      at = next;
    }
}

static void
read_load_segment (const GElf_Phdr *phdr, gboolean first, File *file)
{
  guint64 end = phdr->p_vaddr + phdr->p_memsz;
  if (first || phdr->p_vaddr < file->lowest_vaddr)
    file->lowest_vaddr = phdr->p_vaddr;
  if (first || end > file->end_vaddr)
    file->end_vaddr = end;
  if ((phdr->p_flags & PF_X) != 0 && file->n_exec < MOST_EXEC)
    file->exec[file->n_exec++] = (Segment){ phdr->p_offset, phdr->p_vaddr, phdr->p_filesz };
}

static void
read_elf (int fd, File *file)
{
  Elf *elf = elf_begin (fd, ELF_C_READ_MMAP, NULL);
  size_t n = 0;
  gboolean first = TRUE;
  if (elf != NULL && elf_kind (elf) == ELF_K_ELF && elf_getphdrnum (elf, &n) == 0)
    for (size_t i = 0; i < MIN (n, MOST_SEGMENTS); i++)
      {
        GElf_Phdr phdr;
        if (gelf_getphdr (elf, (int)i, &phdr) == NULL)
          continue;
        if (phdr.p_type == PT_NOTE && file->build_id_size == 0)
          read_note_segment (elf, &phdr, file);
        if (phdr.p_type != PT_LOAD)
          continue;
        read_load_segment (&phdr, first, file);
        first = FALSE;
      }
  file->elf = file->n_exec > 0 && file->end_vaddr > file->lowest_vaddr;
  elf_end (elf);
}

/* O_NONBLOCK: a FIFO of that name must not hold us up. */
static int
open_path (const char *path)
{
  return open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

static void
read_file (const char *path, File *file)
{
  struct stat st;
  memset (file, 0, sizeof *file);
  int fd = open_path (path);
  if (fd < 0)
    return;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    {
      file->major = major (st.st_dev);
      file->minor = minor (st.st_dev);
      file->inode = st.st_ino;
      file->size = (guint64)st.st_size;
      file->mtime_ns = (gint64)st.st_mtim.tv_sec * NS_PER_SEC + st.st_mtim.tv_nsec;
      read_elf (fd, file);
    }
  close (fd);
}

static const File *
find_file (WprImageTable *table, const char *path)
{
  File *file = g_hash_table_lookup (table->files, path);
  if (file != NULL)
    return file;
  if (g_hash_table_size (table->files) >= MOST_FILES)
    {
      read_file (path, &table->spare);
      return &table->spare;
    }
  file = g_new (File, 1);
  read_file (path, file);
  g_hash_table_insert (table->files, g_strdup (path), file);
  return file;
}

/* btrfs and overlayfs show another device in maps than stat does: there the time of change must
 * agree. */
static gboolean
same_file (const File *file, const WprMapping *mapping)
{
  if (mapping->build_id_size > 0 && file->build_id_size > 0)
    return file->build_id_size == mapping->build_id_size
           && memcmp (file->build_id, mapping->build_id, file->build_id_size) == 0;
  if (mapping->inode == 0 || mapping->inode != file->inode)
    return FALSE;
  if (mapping->file_size != 0 && mapping->file_size != file->size)
    return FALSE;
  if (mapping->mtime_ns != 0)
    return mapping->mtime_ns == file->mtime_ns;
  return mapping->major == file->major && mapping->minor == file->minor;
}

static const Segment *
segment_at (const File *file, guint64 page_offset, guint64 length)
{
  for (guint i = 0; i < file->n_exec; i++)
    {
      const Segment *s = &file->exec[i];
      if (s->offset < page_offset + length && page_offset < s->offset + s->file_size)
        return s;
    }
  return NULL;
}

gboolean
wpr_image_table_get (WprImageTable *table, const WprMapping *mapping, WprImage *image)
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
  const File *file = is_file ? find_file (table, path) : NULL;
  if (file == NULL || !file->elf || !same_file (file, mapping))
    return TRUE;
  if (image->build_id == NULL && file->build_id_size > 0)
    {
      image->build_id = file->build_id;
      image->build_id_size = file->build_id_size;
    }
  const Segment *segment = segment_at (file, mapping->page_offset, mapping->length);
  if (segment == NULL)
    return TRUE;
  image->base = mapping->start - mapping->page_offset + segment->offset - segment->vaddr
                + file->lowest_vaddr;
  image->size = file->end_vaddr - file->lowest_vaddr;
  return TRUE;
}

static gboolean
is_still (const File *file, const struct stat *st)
{
  return S_ISREG (st->st_mode) && file->inode == st->st_ino && file->size == (guint64)st->st_size
         && file->major == major (st->st_dev) && file->minor == minor (st->st_dev)
         && file->mtime_ns == (gint64)st->st_mtim.tv_sec * NS_PER_SEC + st->st_mtim.tv_nsec;
}

int
wpr_image_table_open (WprImageTable *table, const WprMapping *mapping)
{
  g_return_val_if_fail (table != NULL && mapping != NULL && mapping->path != NULL, -1);
  const File *file = mapping->path[0] == '/' ? find_file (table, mapping->path) : NULL;
  struct stat st;
  if (file == NULL || !file->elf || !same_file (file, mapping))
    {
      errno = ENOENT;
      return -1;
    }
  int fd = open_path (mapping->path);
  if (fd >= 0 && (fstat (fd, &st) != 0 || !is_still (file, &st)))
    {
      close (fd);
      fd = -1;
      errno = ENOENT;
    }
  return fd;
}
