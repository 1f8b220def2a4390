/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording by hand, without a recorder: session, store and sources, and what is in the store
 * afterwards. For tests of sources. */
#pragma once

#include "source/source.h"

typedef struct
{
  char *root; /* a fresh folder; state and runtime folders lie in it */
  WprLibrary *library;
  WprMachine *machine;
  WprChoice *choice;
  WprPlan *plan;
  WprSession session;
  WprSource *kernel;
  GPtrArray *notices; /* char *: "id: text" */
} TestRecording;

/* One row on one CPU. */
typedef struct
{
  guint32 row, cpu;
  guint64 records, counted, lost;
} TestTally;

/* profile: as in wpr -start ("CPU.light"). Skips the test if the kernel gives nothing. */
void test_recording_init (TestRecording *r, const char *profile, WprMode mode);
void test_recording_plan (TestRecording *r);
/* Everything up to the running recording. */
void test_recording_begin (TestRecording *r);
/* Closes the store (file mode), sources, and removes all. */
void test_recording_clear (TestRecording *r);

/* n children that exec /bin/true under another name, one after the other. */
void test_run_programs (const char *root, const char *name, guint n);

/* Records and tallies of a store, by row and CPU. Array of TestTally. */
GArray *test_store_tallies (const char *path);
guint32 test_store_row (const WprManifest *manifest, const char *name);
/* Times the text occurs in a CPU's data of collector 0. */
guint test_store_count_text (const char *path, guint cpu, const char *text);
/* Takes CAP_IPC_LOCK from the calling thread's effective set, and gives it back. */
void test_drop_lock_right (gboolean drop);
