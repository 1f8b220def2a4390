/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What files.c (names) and files-table.c (descriptors) share. */
#pragma once

#include "trace/files.h"

G_BEGIN_DECLS

struct _WprFile
{
  guint64 key;
  char *name;
  guint refs;        /* objects */
  GList *link;       /* in unused; NULL while somebody has it open */
  gboolean is_named; /* a name that a later open may have again; else of one descriptor */
  gboolean told, is_gone;
};

typedef struct
{
  WprFileObject *object; /* NULL: nothing known */
  gboolean close_on_exec;
} WprFileEntry;

typedef struct
{
  guint32 pid;
  guint room; /* entries there is space for */
  WprFileEntry *entries;
  WprFileEntry cwd;
} WprFileTable;

struct _WprFiles
{
  guint64 next_key, next_object;
  GHashTable *all;     /* WprFile: owned */
  GHashTable *by_name; /* name of a WprFile -> it */
  GQueue unused;       /* WprFile nobody has open, oldest first */
  GArray *told;        /* what is to be given out; up to n_told it has been */
  guint n_told;
  GHashTable *tables;     /* pid -> WprFileTable: owned */
  WprFileTable *last;     /* found last */
  guint n_room;           /* of all tables */
  WprFileObject *scratch; /* of what is not tracked */
  guint64 n_untracked;
};

/* files.c */
void wpr_files_tell (WprFiles *files, WprFile *file, WprFileNaming naming);
WprFile *wpr_files_lookup (WprFiles *files, char *name);
void wpr_file_rename (WprFiles *files, WprFile *file, const char *name);

/* files-table.c */
void wpr_files_free_tables (WprFiles *files);
/* NULL where nothing is known. */
WprFileObject *wpr_files_peek (WprFiles *files, guint32 pid, gint64 fd);

G_END_DECLS
