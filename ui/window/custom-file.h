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

/* Reads the file and adds it to the library in the place of what was of it; bytes: what was read,
 * or NULL if it cannot be used. Never fails: what is wrong is among the faults. Worker only. */
WprCustomFile *wpr_custom_file_read (WprLibrary *library, const char *name, GBytes **bytes);
void wpr_custom_file_free (WprCustomFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprCustomFile, wpr_custom_file_free)

G_END_DECLS
