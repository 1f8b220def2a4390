/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder driven by a test: each call waits for its answer in the default context. And the fresh
 * folders, workloads and files such tests need. */
#pragma once

#include "recorder/recorder-private.h"
#include "recorder/worker.h"
#include "wpr-trace.h"

typedef struct
{
  char *root; /* fresh; the state, runtime and save folders lie in it */
  char *save; /* an empty folder to save into */
  int save_fd;
  WprRecorder *recorder;
  GPtrArray *notices; /* char *: "id: text", as signalled */
  GPtrArray *phases;  /* char *, each once */
} Drive;

/* Skips the test only if the kernel refuses the test itself the same event. */
void drive_init (Drive *d);
/* The same without looking what the kernel refuses. */
void drive_init_here (Drive *d);
void drive_clear (Drive *d);
/* Runs the default context until done is set; fails the test after a minute. */
void drive_wait (const gboolean *done);

typedef struct
{
  gboolean done;
  gboolean good;
  WprSaved *saved;
  char *string;
  GError *error;
} Answer;
void answer_clear (Answer *answer);

WprChoice *drive_choice (const char *profile, WprMode mode);
void drive_start (Drive *d, WprChoice *choice, Answer *answer);
void drive_stop (Drive *d, const char *name, const char *note, Answer *answer);
void drive_stop_begin (Drive *d, const char *name, GCancellable *cancellable, Answer *answer);
/* Stops without merging: the store's path. Free with g_free. */
char *drive_stop_and_keep (Drive *d);
void drive_save (Drive *d, const char *name, Answer *answer);
void drive_save_begin (Drive *d, const char *name, Answer *answer);
void drive_cancel (Drive *d, Answer *answer);
void drive_cancel_begin (Drive *d, Answer *answer);
void drive_mark (Drive *d, const char *text, Answer *answer);
void drive_interrupt (Drive *d, Answer *answer);
void assert_good (const Answer *answer);
void assert_refused (const Answer *answer, WprErrorCode code);
gboolean drive_told (const Drive *d, const char *id);

/* A worker that does nothing from begin to end, however long what is done meanwhile takes. */
typedef struct
{
  GMutex lock;
  GCond cond;
  gboolean stalled, over;
} Stall;
void stall_begin (Stall *stall, WprWorker *worker);
void stall_end (Stall *stall);

/* n children that exec /bin/true under another name, `together` of them at a time. */
void run_programs (const char *root, const char *name, guint n, guint together);
/* Path of a saved file; free with g_free. */
char *drive_path (const Drive *d, const char *name);
/* Times the text occurs in a file. */
guint count_in_file (const char *path, const char *text);
WprTraceInfo *read_info (const Drive *d, const char *name);
/* Raw stores that are left. */
guint count_raw (void);
