/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain values of the model: copied and freed. */
#include "config.h"
#include "model-values.h"

WprWish *
wpr_wish_copy (const WprWish *wish)
{
  WprWish *copy = g_memdup2 (wish, sizeof *wish);
  copy->names = g_strdupv (wish->names);
  copy->folder = g_strdup (wish->folder);
  return copy;
}

void
wpr_wish_free (WprWish *wish)
{
  g_strfreev (wish->names);
  g_free (wish->folder);
  g_free (wish);
}

void
wpr_subject_free (WprSubject *subject)
{
  g_strfreev (subject->names);
  g_strfreev (subject->titles);
  g_free (subject->level);
  g_free (subject->rights);
  g_free (subject->user);
  g_free (subject->program);
  g_free (subject);
}

void
wpr_outcome_free (WprOutcome *outcome)
{
  g_free (outcome->folder);
  g_free (outcome->name);
  g_free (outcome->rights);
  g_free (outcome->note);
  g_free (outcome->reason);
  g_free (outcome->message);
  g_strfreev (outcome->parts);
  g_free (outcome->store);
  g_free (outcome->about);
  g_clear_pointer (&outcome->gaps, wpr_gaps_free);
  g_strfreev (outcome->profiles);
  g_free (outcome);
}
