/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A .wprp file that a person added, as the list shows it: its profiles, or its faults. A value:
 * made in the worker, read in the main thread. */
#pragma once

#include <wpr-profile.h>

G_BEGIN_DECLS

typedef struct
{
  char *what;         /* what is wrong */
  char *advice;       /* what to write instead; "" if nothing helps */
  guint line, column; /* from 1; 0 if it has no place */
} WprCustomFault;

typedef struct
{
  char *name;        /* what g_file_parse_name() takes; the library's display name too */
  char *shown;       /* its file name */
  char *title;       /* what its first profile calls itself, as far as it could be read; or NULL */
  gboolean usable;   /* FALSE: it has no items */
  GPtrArray *items;  /* of WprProfileItem */
  GPtrArray *faults; /* of WprCustomFault *; of a usable file: what of it is left out */
  gboolean fresh;    /* the person has just added it */
} WprCustomFile;

/* What a file holds, or why that is not known. */
typedef struct
{
  GBytes *bytes; /* NULL: see `what` */
  gint64 stamp;  /* when it was last changed, and its size; 0: it is not there */
  char *what, *advice;
} WprCustomContent;

/* Any thread: it may take as long as the disk or share it lies on. */
WprCustomContent *wpr_custom_content_read (const char *name);
gint64 wpr_custom_content_stamp (const char *name);
/* Of one that does not answer. */
WprCustomContent *wpr_custom_content_new_late (const char *name);
void wpr_custom_content_free (WprCustomContent *content);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprCustomContent, wpr_custom_content_free)

/* Adds it to the library in the place of what was of it; bytes: a new reference, or NULL if it
 * cannot be used. Never fails: what is wrong is among the faults. Worker only. */
WprCustomFile *wpr_custom_file_new (WprLibrary *library, const char *name,
                                    const WprCustomContent *content, GBytes **bytes);
void wpr_custom_file_free (WprCustomFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprCustomFile, wpr_custom_file_free)

G_END_DECLS
