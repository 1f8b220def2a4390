/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters of tracepoints that come from another process. */
#pragma once

#include <glib.h>

/* The kernel reads a page of text; a program of many threads needs some 150 terms. */
#define WPR_FILTER_TERMS_MOST 256

/* A filter of the closed form, printed anew: terms comm, common_pid or name, ==, != or (name) ~, a
 * value, joined by && or ||. NULL for any other. Free with g_free. */
char *wpr_filter_print_anew (const char *filter);
