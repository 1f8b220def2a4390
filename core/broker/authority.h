/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who a caller on the bus is, and whether polkit lets that caller record. Asks the bus and polkit,
 * believes nothing of the message; knows no session. Main thread only, nothing blocks. */
#pragma once

#include <gio/gio.h>

#define WPR_ACTION_SYSTEM "io.github.performance_recorder.record-system"
#define WPR_ACTION_CONTENTS "io.github.performance_recorder.record-contents"

typedef enum
{
  WPR_VERDICT_YES,
  WPR_VERDICT_CHALLENGE, /* a person would have to be asked, or nobody is there who could ask */
  WPR_VERDICT_NO,
  WPR_VERDICT_DISMISSED, /* the person closed the question */
  WPR_VERDICT_TIMED_OUT, /* nobody answered the question */
  WPR_VERDICT_LIMIT,     /* too many questions are open already */
  WPR_VERDICT_GONE,      /* the caller left the bus, or the service ends */
  WPR_VERDICT_FAILED,    /* `why` says what */
} WprVerdict;

typedef enum
{
  WPR_QUESTION_WHO,         /* who it is; polkit is not asked */
  WPR_QUESTION_QUIET,       /* polkit is asked, no person is */
  WPR_QUESTION_INTERACTIVE, /* polkit may ask a person */
} WprQuestionKind;

typedef struct
{
  WprVerdict verdict;
  guint uid;       /* as the bus knows it; G_MAXUINT where it could not be learned */
  guint pid;       /* a hint: the process may be another by now */
  const char *why; /* a sentence for WPR_VERDICT_FAILED */
} WprAnswer;
typedef void (*WprAnswerFunc) (const WprAnswer *answer, gpointer data);

typedef struct _WprAuthority WprAuthority;
/* timeout_s: an open question ends after this. */
WprAuthority *wpr_authority_new (GDBusConnection *bus, guint timeout_s, GError **error);
/* Every open question is answered with WPR_VERDICT_GONE first. */
void wpr_authority_free (WprAuthority *self);
/* Asks about the owner of the unique name `sender`; func is called once, maybe before this returns.
 * contents: for WPR_ACTION_CONTENTS, which implies the other action, beside it. */
void wpr_authority_ask (WprAuthority *self, const char *sender, WprQuestionKind kind,
                        gboolean contents, WprAnswerFunc func, gpointer data);
guint wpr_authority_get_n_open (WprAuthority *self);
