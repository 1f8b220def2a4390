/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening and reading the headers of files that strangers mapped. A path may lead anywhere by now:
 * it is opened for reading only once it is known to be a regular file, since opening a device does
 * things. Headers are read into memory of ours: a mapping of a file that is cut short meanwhile
 * would end the process. */
#include "config.h"
#include "trace/image-private.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Program headers looked at: real files have about ten, right behind the file's header. */
#define MOST_SEGMENTS 64
#define HEAD_BYTES 8192
#define NOTE_BYTES 4096
#define NS_PER_SEC G_GINT64_CONSTANT (1000000000)

/* ---- opening ---- */

/* In a container's root: links within the path stay there. */
static int
find_in_root (guint32 pid, const char *path)
{
  struct open_how how
      = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
  char root[64];
  g_snprintf (root, sizeof root, "/proc/%u/root", pid);
  int root_fd = open (root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root_fd < 0)
    return -1;
  int fd = (int)syscall (SYS_openat2, root_fd, path, &how, sizeof how);
  int errsv = errno;
  close (root_fd);
  errno = errsv;
  return fd;
}

static int
find_way (WprImageWay way, guint32 pid, const WprMapping *mapping)
{
  char path[96];
  switch (way)
    {
    case WPR_WAY_PATH:
      return open (mapping->path, O_PATH | O_CLOEXEC);
    case WPR_WAY_ROOT:
      return find_in_root (pid, mapping->path);
    case WPR_WAY_MAPPED:
      g_snprintf (path, sizeof path,
                  "/proc/%u/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x", pid,
                  mapping->start, mapping->start + mapping->length);
      return open (path, O_PATH | O_CLOEXEC);
    case WPR_WAY_EXE:
      g_snprintf (path, sizeof path, "/proc/%u/exe", pid);
      return open (path, O_PATH | O_CLOEXEC);
    default:
      errno = EINVAL;
      return -1;
    }
}

int
wpr_image_file_open (WprImageWay way, guint32 pid, const WprMapping *mapping)
{
  struct stat st;
  char again[64];
  int fd = -1, path_fd = find_way (way, pid, mapping);
  if (path_fd < 0)
    return -1;
  if (fstat (path_fd, &st) != 0 || !S_ISREG (st.st_mode))
    errno = ENOENT;
  else
    {
      g_snprintf (again, sizeof again, "/proc/self/fd/%d", path_fd);
      fd = open (again, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    }
  int errsv = errno;
  close (path_fd);
  errno = errsv;
  return fd;
}

/* ---- reading ---- */

static gsize
read_at (int fd, guint8 *to, gsize size, guint64 offset)
{
  gsize got = 0;
  if (offset > G_MAXINT64 - size)
    return 0;
  while (got < size)
    {
      ssize_t n = pread (fd, to + got, size - got, (off_t)(offset + got));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      got += (gsize)n;
    }
  return got;
}

static void
read_notes (int fd, const GElf_Phdr *phdr, WprImageFile *file)
{
  _Alignas(8) guint8 bytes[NOTE_BYTES];
  gsize size = read_at (fd, bytes, MIN (phdr->p_filesz, sizeof bytes), phdr->p_offset);
  Elf_Data data = { .d_buf = bytes,
                    .d_type = phdr->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR,
                    .d_version = EV_CURRENT,
                    .d_size = size };
  GElf_Nhdr note;
  gsize at = 0, name, desc, next;
  while (at < size && (next = gelf_getnote (&data, at, &note, &name, &desc)) > at)
    {
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4
          && memcmp (bytes + name, "GNU", 4) == 0 && note.n_descsz > 0)
        {
          file->build_id_size = MIN (note.n_descsz, sizeof file->build_id);
          memcpy (file->build_id, bytes + desc, file->build_id_size);
          return;
        }
      at = next;
    }
}

static void
read_load_segment (const GElf_Phdr *phdr, gboolean first, WprImageFile *file)
{
  guint64 end = phdr->p_vaddr + phdr->p_memsz;
  if (first || phdr->p_vaddr < file->lowest_vaddr)
    file->lowest_vaddr = phdr->p_vaddr;
  if (first || end > file->end_vaddr)
    file->end_vaddr = end;
  if ((phdr->p_flags & PF_X) != 0 && file->n_exec < WPR_MOST_EXEC)
    file->exec[file->n_exec++] = (WprSegment){ phdr->p_offset, phdr->p_vaddr, phdr->p_filesz };
}

static void
read_elf (int fd, WprImageFile *file)
{
  _Alignas(8) guint8 head[HEAD_BYTES];
  gsize size = read_at (fd, head, sizeof head, 0);
  Elf *elf = size > 0 ? elf_memory ((char *)head, size) : NULL;
  size_t n = 0;
  gboolean first = TRUE;
  GElf_Ehdr header;
  if (elf != NULL && elf_kind (elf) == ELF_K_ELF && gelf_getehdr (elf, &header) != NULL)
    file->entry = header.e_entry;
  if (elf != NULL && elf_kind (elf) == ELF_K_ELF && elf_getphdrnum (elf, &n) == 0)
    for (size_t i = 0; i < MIN (n, MOST_SEGMENTS); i++)
      {
        GElf_Phdr phdr;
        if (gelf_getphdr (elf, (int)i, &phdr) == NULL)
          continue;
        if (phdr.p_type == PT_NOTE && file->build_id_size == 0)
          read_notes (fd, &phdr, file);
        if (phdr.p_type != PT_LOAD)
          continue;
        read_load_segment (&phdr, first, file);
        first = FALSE;
      }
  file->elf = file->n_exec > 0 && file->end_vaddr > file->lowest_vaddr;
  elf_end (elf);
}

void
wpr_image_file_read (int fd, WprImageFile *file)
{
  struct stat st;
  memset (file, 0, sizeof *file);
  elf_version (EV_CURRENT);
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode))
    return;
  file->major = major (st.st_dev);
  file->minor = minor (st.st_dev);
  file->inode = st.st_ino;
  file->size = (guint64)st.st_size;
  file->mtime_ns = (gint64)st.st_mtim.tv_sec * NS_PER_SEC + st.st_mtim.tv_nsec;
  read_elf (fd, file);
}

/* btrfs and overlayfs show another device in maps than stat does: there the time of change must
 * agree. */
gboolean
wpr_image_file_is (const WprImageFile *file, const WprMapping *mapping)
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
