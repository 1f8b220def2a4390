/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mapped file as its ELF headers tell: image-file.c reads it, image.c keeps it. */
#pragma once

#include "trace/image.h"

G_BEGIN_DECLS

#define WPR_MOST_EXEC 4

typedef struct
{
  guint64 offset, vaddr, file_size;
} WprSegment;

typedef struct
{
  gboolean elf;
  int error; /* errno of opening it, 0 */
  guint32 major, minor;
  guint64 inode, size;
  gint64 mtime_ns;
  guint64 lowest_vaddr, end_vaddr, entry; /* entry 0: none */
  guint n_exec;
  WprSegment exec[WPR_MOST_EXEC];
  guint8 build_id[20];
  guint build_id_size;
} WprImageFile;

/* How a mapped file is reached. The last three need the process, which must live and be ours to
 * look into. */
typedef enum
{
  WPR_WAY_PATH,   /* its path, here */
  WPR_WAY_ROOT,   /* its path, as the process sees it: another container's */
  WPR_WAY_MAPPED, /* the mapping itself, also where the file was deleted */
  WPR_WAY_EXE,    /* the program itself, likewise */
  WPR_N_WAYS
} WprImageWay;

/* A regular file, open for reading; -1 with errno. Links of a container lead within it. */
int wpr_image_file_open (WprImageWay way, guint32 pid, const WprMapping *mapping);
/* Reads the headers; what is no ELF file has .elf FALSE, and what it is all the same. */
void wpr_image_file_read (int fd, WprImageFile *file);
/* Whether it is the file that was mapped. */
gboolean wpr_image_file_is (const WprImageFile *file, const WprMapping *mapping);

G_END_DECLS
