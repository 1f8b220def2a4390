/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Faults of files: made here, kept in a GPtrArray of WprFault *. */
#pragma once

#include "wpr-profile.h"

G_BEGIN_DECLS

/* Where a fault is. path: element path, NULL at the top. */
typedef struct
{
  const char *file;
  guint line, column; /* from 1; 0 not known */
  const char *path;
} WprPlace;

/* An empty list that owns its faults. */
GPtrArray *wpr_faults_new (void);
/* Appends a fault. advice: "" if nothing helps. Texts are translated by the caller. At most 200
 * faults of one list are kept (a stranger's file could hold a million); NULL for those that are
 * not. WPR refuses a file for what it has a number for. */
WprFault *wpr_faults_add (GPtrArray *faults, const WprPlace *place, gboolean is_error,
                          guint32 wpr_number, const char *advice, const char *format, ...)
    G_GNUC_PRINTF (6, 7);
void wpr_fault_set_allowed (WprFault *fault, const char *allowed);
/* By line and column. */
void wpr_faults_sort (GPtrArray *faults);
/* The first error of the list, NULL if there are warnings at most. */
const WprFault *wpr_faults_first_error (const GPtrArray *faults);
/* Sets WPR_ERROR_PROFILE from a fault: "file:line:column: what advice". */
void wpr_fault_set_error (const WprFault *fault, GError **error);

G_END_DECLS
