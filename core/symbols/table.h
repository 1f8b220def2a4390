/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions by address, as bytes that can be sent, kept in a file and searched as they are. What
 * comes from a file or from another process is checked before it is used. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 start;
  guint32 size; /* at least 1 */
  guint32 name; /* where in the texts */
} WprNameRow;

typedef struct _WprNameTable WprNameTable;

/* What the bytes begin with; rows follow, by start, then the texts, each with its NUL. In the
 * machine's own order: they do not leave it. */
typedef struct
{
  char magic[8]; /* WPR_NAMES_MAGIC */
  guint32 version, n_rows;
  guint64 text_bytes;
} WprNamesHead;
#define WPR_NAMES_MAGIC "WPRnames"
#define WPR_NAMES_VERSION 1u

/* Takes a reference. NULL if the bytes are not such a table, whole and sound. */
WprNameTable *wpr_name_table_new (GBytes *bytes);
void wpr_name_table_free (WprNameTable *table);
/* The function that holds the address; of several the one that starts last. NULL if there is none.
 */
const WprNameRow *wpr_name_table_find (const WprNameTable *table, guint64 address);
const char *wpr_name_table_text (const WprNameTable *table, const WprNameRow *row);
guint32 wpr_name_table_size (const WprNameTable *table);
GBytes *wpr_name_table_bytes (const WprNameTable *table); /* borrowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprNameTable, wpr_name_table_free)

/* ---- making one ---- In order to be usable in a process that was forked from one with threads,
 * this part calls nothing but the C library. ---- */

/* A function as found; of several with one start the best stays: low `rank`, then the one with a
 * size, then fewer leading underscores, then the shorter name. */
typedef struct
{
  guint64 start, size; /* size 0: up to `end`, or to what starts next */
  guint64 end;         /* of its section */
  const char *name;
  guint32 rank;
} WprFoundName;

/* Sorts `found` and builds the bytes, to be freed with free(). NULL: no memory, or nothing to tell.
 * A name is cut to WPR_NAMES_LONGEST bytes. */
guint8 *wpr_names_build (WprFoundName *found, gsize n, gsize *size);
#define WPR_NAMES_LONGEST 4096u

G_END_DECLS
