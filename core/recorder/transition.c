/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The life cycle's table. What a step does is elsewhere. */
#include "config.h"

#include <glib/gi18n-lib.h>

#include "recorder/transition.h"

#define NO ((WprState)-1)
#define IDL WPR_STATE_IDLE
#define PRE WPR_STATE_PREPARING
#define REC WPR_STATE_RECORDING
#define STO WPR_STATE_STOPPING
#define MER WPR_STATE_MERGING
#define SAV WPR_STATE_SAVED
#define CAN WPR_STATE_CANCELLED
#define FAI WPR_STATE_FAILED

/* A recorder whose recording is over may begin the next one. A merge is given up through its own
 * cancellable, which keeps the raw store; cancel, which discards, is not possible any more. */
/* clang-format off */
static const WprState table[][WPR_STEP_N] = {
  /*       START STARTED SAVE MARK STOP MERGE SAVED CANCEL FAIL */
  [IDL] = { PRE,  NO,    NO,  NO,  NO,  NO,   NO,   NO,    NO  },
  [PRE] = { NO,   REC,   NO,  NO,  NO,  NO,   NO,   CAN,   FAI },
  [REC] = { NO,   NO,    REC, REC, STO, NO,   NO,   CAN,   FAI },
  [STO] = { NO,   NO,    NO,  NO,  NO,  MER,  NO,   NO,    FAI },
  [MER] = { NO,   NO,    NO,  NO,  NO,  NO,   SAV,  NO,    FAI },
  [SAV] = { PRE,  NO,    NO,  NO,  NO,  NO,   NO,   NO,    NO  },
  [CAN] = { PRE,  NO,    NO,  NO,  NO,  NO,   NO,   NO,    NO  },
  [FAI] = { PRE,  NO,    NO,  NO,  NO,  NO,   NO,   NO,    NO  },
};
/* clang-format on */

#define WPR_NUMBER_NOT_RUNNING 0xc5583000
#define WPR_NUMBER_RUNNING 0xc5583001

static const char *const reasons[] = {
  [IDL] = N_ ("Nothing is recording. Begin a recording first."),
  [PRE] = N_ ("The recording is only being started. Wait a moment and try again."),
  [REC] = N_ ("It is recording already. Stop or discard that recording first."),
  [STO] = N_ ("The recording is being stopped already; it will be saved."),
  [MER] = N_ ("The recording was stopped already and is being written to its file."),
  [SAV] = N_ ("The recording was stopped and saved already."),
  [CAN] = N_ ("The recording was discarded already."),
  [FAI] = N_ ("The recording has ended already, with a fault."),
};

gboolean
wpr_transition (WprState from, WprStep step, WprState *to, GError **error)
{
  g_return_val_if_fail ((guint)from < G_N_ELEMENTS (table) && (guint)step < WPR_STEP_N, FALSE);
  if (table[from][step] != NO)
    {
      *to = table[from][step];
      return TRUE;
    }
  WprErrorCode code = WPR_ERROR_STATE;
  guint32 number = from == REC ? 0 : WPR_NUMBER_NOT_RUNNING;
  if (step == WPR_STEP_START)
    {
      code = WPR_ERROR_ALREADY_RECORDING;
      number = WPR_NUMBER_RUNNING;
    }
  else if (from == IDL)
    code = WPR_ERROR_NOT_RECORDING;
  wpr_set_error (error, code, number, "%s", _ (reasons[from]));
  return FALSE;
}
