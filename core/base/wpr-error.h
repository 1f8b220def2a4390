/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can go wrong, once for every face: the code decides wpr's exit status, the `code` in JSON
 * and the text in the window. Lives here: the error domain. Does not: any text but the short
 * reason. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#ifndef WPR_API
#define WPR_API __attribute__ ((visibility ("default")))
#endif

/* The numbers are stable: they are wpr's exit status (0 is success, so no code is 0). */
typedef enum
{
  WPR_ERROR_USAGE = 1,         /* asked for something that makes no sense: bad option, bad number */
  WPR_ERROR_PROFILE = 2,       /* profile not found or not valid */
  WPR_ERROR_NOT_RECORDING = 3, /* nothing is recording */
  WPR_ERROR_ALREADY_RECORDING = 4, /* this instance is recording already */
  WPR_ERROR_NOT_PERMITTED = 5,     /* the kernel or the system does not allow it to this user */
  WPR_ERROR_NO_SPACE = 6,          /* memory or disk too small */
  WPR_ERROR_EVENTS_LOST = 7,       /* saved, but events were lost */
  WPR_ERROR_NOT_AVAILABLE = 8,     /* not on this system, or not in this version */
  WPR_ERROR_DAMAGED = 9,           /* a file is cut or corrupt */
  WPR_ERROR_INTERNAL = 10,         /* our fault, or an I/O error without a better name */
  WPR_ERROR_NOT_WRITABLE = 11,     /* target exists, read-only, no such folder */
  WPR_ERROR_STATE = 12, /* not possible in this state (two people pressed Stop); exit status 3 */
  WPR_ERROR_CANCELLED = 13, /* the person cancelled; what was recorded is kept; exit status 10 */
} WprErrorCode;

#define WPR_ERROR (wpr_error_quark ())
WPR_API GQuark wpr_error_quark (void);

/* Sets a WPR_ERROR. wpr_number: the number Windows' WPR gives this fault (0xc5583000 ...), 0 if it
 * has none; it is carried along since the advice on the web is indexed by it. */
WPR_API void wpr_set_error (GError **error, WprErrorCode code, guint32 wpr_number,
                            const char *format, ...) G_GNUC_PRINTF (4, 5);

/* WPR's number of an error, 0 if it has none or is of another domain. */
WPR_API guint32 wpr_error_get_number (const GError *error);

/* Exit status for `wpr`: 1..11 as in the table of README.md; any other domain is 10,
 * G_IO_ERROR_CANCELLED too. */
WPR_API int wpr_error_exit_status (const GError *error);

/* Stable word for the code, for JSON ("not-permitted"). Static. */
WPR_API const char *wpr_error_code_name (const GError *error);

G_END_DECLS
