/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One look into /proc/PID/fd of all processes that may be looked into. */
#pragma once

#include "world/world.h"

G_BEGIN_DECLS

typedef struct
{
  gint32 fd;       /* AT_FDCWD: the current folder */
  guint32 flags;   /* O_APPEND, O_CLOEXEC ..; 0 where not asked */
  gint64 position; /* -1: not known */
  char *path;      /* bytes as the kernel gave them: need not be UTF-8 */
} WprOpenFile;
typedef struct
{
  guint32 pid;
  WprTime when;  /* when its table had been read */
  GArray *files; /* WprOpenFile */
} WprOpenFiles;

WprOpenFiles *wpr_open_files_new (guint32 pid);
/* Takes the path. */
void wpr_open_files_add (WprOpenFiles *files, gint32 fd, guint32 flags, gint64 position,
                         char *path);
void wpr_open_files_free (WprOpenFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprOpenFiles, wpr_open_files_free)

/* WprOpenFiles, owned. positions: read fdinfo, too: three calls a descriptor. */
GPtrArray *wpr_open_files_read (const char *proc_path, gboolean positions);

/* For another process: of that type, floating; and back. */
#define WPR_OPEN_FILES_PACKED "a(uxa(iuxay))"
GVariant *wpr_open_files_pack (const GPtrArray *all);
GPtrArray *wpr_open_files_unpack (GVariant *packed);

G_END_DECLS
