/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain values that the model, the backend and the pages hand each other. */
#pragma once

#include <wpr-recorder.h>
#include "details.h"
#include "estimate.h"
#include "gaps.h"

G_BEGIN_DECLS

/* What the person asks for. */
typedef struct
{
  char **names;   /* ids of WprProfileItem */
  WprLevel level; /* profiles without that level record the one they have */
  WprMode mode;
  guint buffer_kb;    /* 0: what the profiles say */
  guint buffers;      /* 0: what the profiles say */
  guint stop_after_s; /* 0: goes on until it is stopped */
  guint stop_at_mb;   /* file mode: stops when it is that large; 0: never */
  char *folder;       /* where it is saved */
  gboolean unlock;    /* with the rights of an administrator's approval, where there are fewer */
} WprWish;
WprWish *wpr_wish_copy (const WprWish *wish);
void wpr_wish_free (WprWish *wish);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprWish, wpr_wish_free)

/* What switching a profile on would be good for, beside what is switched on. */
typedef enum
{
  WPR_WORTH_SOMETHING, /* or nobody knows yet */
  WPR_WORTH_INCLUDED,  /* the others record all of it already */
  WPR_WORTH_NOTHING,   /* nothing of it can be recorded here */
  WPR_WORTH_RIGHTS,    /* the same, for want of rights */
  WPR_WORTH_NO_MORE,   /* they record what this user may record of it; the rest needs rights */
  WPR_WORTH_LOCKED = 8 /* beside one of those: more of it can with an administrator's approval */
} WprWorth;

/* What stands between this user and everything there is to record. */
typedef enum
{
  WPR_LOCK_OPEN,     /* nothing */
  WPR_LOCK_FIXED,    /* the rights there are, and nobody can be asked */
  WPR_LOCK_CLOSED,   /* an administrator can be asked */
  WPR_LOCK_ASKING,   /* is being asked */
  WPR_LOCK_UNLOCKED, /* has approved of the next recording */
} WprLock;

/* Whose recording it is, and of what. */
typedef struct
{
  char **names; /* of the profiles that are on: "CPU"; parallel to titles */
  char **titles;
  WprMode mode;
  char *level;  /* "verbose" or "light" */
  char *rights; /* "own", "system", "full"; NULL: it does not say */
  char *user;
  char *program; /* "wpr", "wprui" */
  gint64 started_realtime_ns;
  gboolean ours; /* begun in this window */
} WprSubject;
void wpr_subject_free (WprSubject *subject);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprSubject, wpr_subject_free)

typedef enum
{
  WPR_OUTCOME_WHOLE,   /* saved, nothing lost */
  WPR_OUTCOME_HOLED,   /* saved, events were lost */
  WPR_OUTCOME_DAMAGED, /* a file of which something is missing or wrong */
  WPR_OUTCOME_LATER,   /* not finished, by the person's wish */
  WPR_OUTCOME_FAILED
} WprOutcomeKind;

/* How a recording ended. */
typedef struct
{
  WprOutcomeKind kind;
  char *folder; /* NULL when nothing was saved */
  char *name;
  guint64 size, events, lost;
  gint64 duration_ns;
  char **parts;  /* all its files, `name` the first; NULL if it is one */
  char *rights;  /* as of WprSubject; NULL: everything was recorded, or nobody knows */
  char *note;    /* what went into the file; NULL if nothing */
  char *reason;  /* why it stopped without being told to; NULL: it was told to */
  char *message; /* the core's sentences for DAMAGED, LATER and FAILED */
  char *store;   /* LATER and FAILED: the raw recording that can be finished; NULL if none */
  /* of a file that was opened here, not recorded */
  gboolean opened;
  gboolean checking; /* its events are being counted still */
  WprGaps *gaps;     /* where and when events were lost; NULL if it does not say */
  char *about;       /* where and when it was recorded; NULL if it does not say */
  char **profiles;   /* and what, as "CPU.Verbose.File"; NULL if it does not say */
} WprOutcome;
void wpr_outcome_free (WprOutcome *outcome);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprOutcome, wpr_outcome_free)

G_END_DECLS
