/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one profile records, as its window shows it. A value: made in the worker, read in the main
 * thread. */
#pragma once

#include <wpr-profile.h>

G_BEGIN_DECLS

typedef struct
{
  const char *plain; /* plain words; static */
  const char *name;  /* the kernel's; of the plan */
  char *sentence;    /* keywords, stacks, and every profile switched on that asks for it */
  gboolean always;   /* whatever is chosen */
  gboolean has_stack;
  gboolean is_new;       /* nothing else that is switched on records it like that */
  guint64 samples_per_s; /* on each CPU; 0: it is no sample */
} WprDetailsItem;

typedef struct
{
  char *title;
  char *symptom;
  WprPlan *plan;    /* of this profile alone; NULL: see error */
  GPtrArray *items; /* of WprDetailsItem *, in the plan's order */
  char *others;     /* titles of what else is switched on; NULL: nothing */
  guint n_new;      /* of the items: what switching it on adds to the others */
  char *text;       /* for Copy as Text */
  char *error;
} WprDetails;

/* choice: of the profile alone. others: of what else is switched on, NULL if nothing is. Worker
 * only; never fails. */
WprDetails *wpr_details_new (WprLibrary *library, const WprMachine *machine,
                             const WprChoice *choice, const WprChoice *others);
void wpr_details_free (WprDetails *details);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprDetails, wpr_details_free)

/* Nothing of what its profiles ask for can be had here: what is left is always recorded. */
gboolean wpr_details_is_empty (const WprPlan *plan);
/* How many items of a plan the other one, which may be NULL, does not record like that. */
guint wpr_details_count_new (const WprPlan *plan, const WprPlan *others);

G_END_DECLS
