/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measure of a window that does not freeze. */
#pragma once

#include "screen.h"

/* What a window that is asked, or that the pointer comes to, may take. */
#define ANSWER_S 1.0

/* Seconds until it answers. */
double time_answer (Screen *screen);
/* Fails the test if it takes longer to answer or to paint; prints what it took. `state`: words for
 * where the window is. */
void assert_lively (Screen *screen, const char *state);
/* The same of a dialog that keeps the pointer from the window. */
void assert_dialog_lively (Screen *screen, const char *state);
