/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running the real wpr as a child, with folders of its own, and asking it for JSON. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Fresh folders for sockets, raw recordings and saved files, below one that child_teardown()
 * removes; both are cmocka group fixtures. */
int child_setup (void **state);
int child_teardown (void **state);
const char *child_folder (void);      /* where a test may put files */
const char *child_save_folder (void); /* WPR_SAVE_DIR */
char *child_path (const char *name);  /* of a file in child_folder(); free it */

typedef struct
{
  int status; /* exit status; -1: ended by a signal */
  char *out, *err;
} Ran;
void ran_clear (Ran *ran);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ran, ran_clear)

/* Runs wpr with the words and waits. */
Ran wpr_run (const char *first, ...) G_GNUC_NULL_TERMINATED;
/* Without a word. */
Ran wpr_run_bare (void);
/* The same as somebody without rights. */
Ran wpr_run_as_nobody (const char *first, ...) G_GNUC_NULL_TERMINATED;
/* In a folder of its own, which stays for the next. */
Ran wpr_run_as_nobody_in (const char *own, const char *first, ...) G_GNUC_NULL_TERMINATED;
/* A folder with all that is in it. */
void child_remove (const char *path);
/* Starts it and does not wait; stdout into *out_fd. */
GPid wpr_begin (int *out_fd, const char *first, ...) G_GNUC_NULL_TERMINATED;

/* Fails the test with all that was said if the status is another. */
#define assert_status(ran, expected) check_status (&(ran), expected, __FILE__, __LINE__)
void check_status (const Ran *ran, int expected, const char *file, int line);
/* Fails the test if the text lacks the words. */
#define assert_says(text, words) check_says (text, words, __FILE__, __LINE__)
void check_says (const char *text, const char *words, const char *file, int line);

/* The number behind "key": in JSON, after the `nth` occurrence of it from 0; -1 if there is none.
 */
gint64 json_number (const char *json, const char *key, guint nth);

/* Pid of the recorder of an instance; fails if nothing records under it. */
GPid recorder_pid (const char *instance);
/* Waits, ten seconds at most, until nothing records under the name. */
void wait_gone (const char *instance);

G_END_DECLS
