/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real wpr of an ordinary user and of root, each with folders of its own below `place`. Not
 * here: any test. */
#pragma once

#include <gio/gio.h>

#define NOBODY 65534

extern char *place, *program; /* a folder of this run; wpr */

typedef struct
{
  int status;
  char *out, *err;
} Ran;
void ran_clear (Ran *ran);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ran, ran_clear)

/* who: "user", "root", or "sudo": root whom the user called. */
Ran wpr_as (const char *who, const char *first, ...) G_GNUC_NULL_TERMINATED;
/* In a child: becomes that user, with its limit of locked memory. */
void step_down (gpointer data);
/* Of "user" or "root". Free with g_strfreev. */
char **environment_of (const char *who);
void make_folders (const char *who, uid_t uid);

void check_status (const Ran *ran, int wanted, int line);
#define assert_status(ran, wanted) check_status (&(ran), wanted, __LINE__)
void check_says (const char *text, const char *words, int line);
#define assert_says(text, words) check_says (text, words, __LINE__)
