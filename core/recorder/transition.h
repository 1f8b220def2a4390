/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which step is possible in which state, as one table. */
#pragma once

#include "wpr-recorder.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_STEP_START,   /* asked for */
  WPR_STEP_STARTED, /* it records */
  WPR_STEP_SAVE,    /* asked for: what the rings hold */
  WPR_STEP_MARK,    /* asked for */
  WPR_STEP_STOP,    /* asked for */
  WPR_STEP_MERGE,   /* all is in the raw store */
  WPR_STEP_SAVED,   /* the file is there */
  WPR_STEP_CANCEL,  /* asked for: discard */
  WPR_STEP_FAIL,    /* something went wrong */
  WPR_STEP_N
} WprStep;

/* The state after the step. FALSE, *to untouched, where the step is not possible:
 * WPR_ERROR_NOT_RECORDING (0xc5583000) if nothing ever recorded, WPR_ERROR_ALREADY_RECORDING
 * (0xc5583001) for a start while one runs, WPR_ERROR_STATE for all else. Pure, any thread. */
gboolean wpr_transition (WprState from, WprStep step, WprState *to, GError **error);

G_END_DECLS
