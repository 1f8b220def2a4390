/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of verbs: what wpr can do, one row and one file a verb. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const char *name;  /* without the dash */
  const char *usage; /* what may follow it; not translated: these are words to type */
  const char *help;  /* N_(): one or more sentences */
  /* argv: the words behind the verb. Returns the exit status. NULL: not in this version. */
  int (*run) (int argc, char **argv);
} WprVerb;

/* Without dashes, any case. NULL if there is no such verb. */
const WprVerb *wpr_verb_find (const char *name);
const WprVerb *wpr_verb_table (gsize *n);

int wpr_verb_start (int argc, char **argv);
int wpr_verb_stop (int argc, char **argv);
int wpr_verb_save (int argc, char **argv);
int wpr_verb_cancel (int argc, char **argv);
int wpr_verb_status (int argc, char **argv);
int wpr_verb_profiles (int argc, char **argv);
int wpr_verb_profiledetails (int argc, char **argv);
int wpr_verb_exportprofile (int argc, char **argv);
int wpr_verb_providers (int argc, char **argv);
int wpr_verb_pmcsources (int argc, char **argv);
int wpr_verb_setprofint (int argc, char **argv);
int wpr_verb_profint (int argc, char **argv);
int wpr_verb_resetprofint (int argc, char **argv);
int wpr_verb_flush (int argc, char **argv);
int wpr_verb_enable (int argc, char **argv);
int wpr_verb_disable (int argc, char **argv);
int wpr_verb_validate (int argc, char **argv);
int wpr_verb_marker (int argc, char **argv);
int wpr_verb_info (int argc, char **argv);
int wpr_verb_dump (int argc, char **argv);
int wpr_verb_purgecache (int argc, char **argv);
int wpr_verb_merge (int argc, char **argv);
int wpr_verb_recover (int argc, char **argv);
int wpr_verb_help (int argc, char **argv);
int wpr_verb_version (int argc, char **argv);
int wpr_verb_recorder (int argc, char **argv); /* internal: the recording process */

G_END_DECLS
