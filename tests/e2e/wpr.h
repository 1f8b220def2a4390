/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other programs the window's tests use: wpr, the independent reader of the files, a workload. */
#pragma once

#include <gio/gio.h>

/* Whether the kernel lets this user record the whole system: tries it, and says why not. */
gboolean may_record (void);
/* Runs a program, gives what it printed on stdout, fails the test on another exit status. Free with
 * g_free. */
char *run_program (int status, const char *program, ...) G_GNUC_NULL_TERMINATED;
/* n children, one after the other, that exec a program of that name. */
void run_named_programs (const char *name, guint n);
/* Lines of the text that begin with `begin` and end with `end`. */
guint count_lines (const char *text, const char *begin, const char *end);
/* The number after "key": in JSON. */
guint64 json_number (const char *json, const char *key);
/* The only .etl in $WPR_SAVE_DIR; fails the test if there are more or none. Free with g_free. */
char *the_saved_file (void);
/* Waits until no recorder has the name "WprApp"; fails the test otherwise. */
void wait_nobody_records (void);
/* Empties the folders of the test; a recorder that is left over is told to stop. */
void clean_places (const char *wpr);
