/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every test of the window begins and ends with: where the programs are, empty places, a
 * window that is gone afterwards. Include behind cmocka.h. */
#pragma once

#include "screen.h"
#include "wpr.h"

/* The window and the command line, as absolute paths. */
extern const char *wprui, *wpr;

/* Arguments: the window, the command line, and what else a test wants, all paths ("" where there is
 * none): they become absolute, since the recorder is started from another folder. FALSE: fewer than
 * n_least came. */
gboolean kit_begin (int argc, char **argv, int n_least);
/* Empties the places; *state is a Screen that nothing is started on yet. */
int kit_set_up (void **state);
/* Settings that outlive the window, in its private home, until the end of the test. */
extern const char *const kit_lasting[];
/* What they are before the window starts: "stop-after-s=uint32 2", a line each. */
void kit_keep_settings (const char *lines);
/* Ends the window and what still records, and takes away what was mounted. */
int kit_tear_down (void **state);
#define kit_test(test) cmocka_unit_test_setup_teardown (test, kit_set_up, kit_tear_down)
/* Those that E2E_ONLY names, else all. */
#define kit_run(tests) \
  (cmocka_set_test_filter (g_getenv ("E2E_ONLY")), cmocka_run_group_tests (tests, NULL, NULL))

/* Waits until a label begins so; fails the test otherwise. */
void kit_wait_text (Screen *screen, const char *begin);
/* Waits until Start is possible, and presses it: until events are counted. */
void kit_start_recording (Screen *screen);
/* What the page of the result says, once it is there, also of a large file. Free with g_free. */
char *kit_wait_verdict (Screen *screen);
/* Waits for it; it must be that the recording was saved. */
void kit_wait_saved (Screen *screen);
/* Stops, and waits for the verdict. */
void kit_stop_and_save (Screen *screen);
/* Of a recording that was kept: until it is saved. */
void kit_finish_now (Screen *screen);
/* Closes the window over a recording, which goes on. */
void kit_go_to_background (Screen *screen);
/* The process that records "WprApp". */
GPid kit_find_recorder (void);
/* It does not get the processor, until it is let go or the test ends. */
GPid kit_hold_recorder (void);
void kit_let_go (void);
/* A file system of its own (tmpfs) in the test's place, until it is unmounted or the test ends;
 * NULL where mounting is not allowed. Free with g_free. */
char *kit_mount_folder (const char *options, unsigned long flags);
void kit_unmount_folder (const char *place);
/* Records in a window that saves into such a folder, its path; skips the test where that cannot be.
 * Free with g_free. */
char *kit_record_into_mounted (Screen *screen, const char *options, unsigned long flags);
/* Something else takes all of it but a twentieth, which the recorder leaves free, and so many bytes
 * for the recording; it takes half of them, and stops where that is less than 8 MB. */
#define KIT_ROOMY_BYTES (100 * 1024 * 1024)
#define KIT_SCARCE_BYTES (24 * 1024 * 1024) /* soon it keeps only the newest */
#define KIT_FULL_BYTES (12 * 1024 * 1024)   /* it stops */
void kit_make_scarce (const char *place, guint64 bytes);
/* Both; NULL where mounting is not allowed. */
char *kit_mount_scarce (guint64 bytes);
/* Half of what is left is recorded. */
void kit_fill_scarce (const char *place);
