/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A guide: a .wprp by which a helpdesk asks somebody for one recording. A value: made in the
 * worker, then read only; reference counted. */
#pragma once

#include "custom-file.h"

G_BEGIN_DECLS

/* What the root's Tag begins with in a file that is one. */
#define WPR_GUIDE_TAG "guide:"

typedef struct _WprGuide
{
  WprCustomFile *file; /* its name, and its faults */
  gboolean is_guide;   /* its Tag says so; any other profile can be used as one, too */
  char *who;           /* who asks, "" if the file does not say */
  char **steps;        /* what to do between start and stop; may be empty */
  char *title;         /* of the profile */
  char **ids;          /* of its profiles, as of WprProfileItem; NULL: nothing can be recorded */
  WprMode mode;
  WprLevel level;
  WprPlan *plan;     /* NULL: see error, or the faults */
  WprPlan *own_plan; /* where that needs an approval: what can be had without; NULL: nothing */
  char *error;
  char *rights_text; /* why nothing can be recorded here; "" if it can */
} WprGuide;

/* Takes the file into the library and plans what it asks for; bytes: as of wpr_custom_file_new().
 * Never fails: what is wrong is in it. Worker only. */
WprGuide *wpr_guide_new (WprLibrary *library, const WprMachine *machine, const char *name,
                         const WprCustomContent *content, GBytes **bytes);
WprGuide *wpr_guide_ref (WprGuide *guide);
void wpr_guide_unref (WprGuide *guide);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprGuide, wpr_guide_unref)

/* The lines of a Comments: at line breaks, else at "1.", "2." within it. Free with g_strfreev. */
char **wpr_guide_split_steps (const char *comments);
/* "Ticket 4711: the menu freezes": what goes into the recording; "" if there is nothing. Free with
 * g_free. */
char *wpr_guide_describe (const char *ticket, const char *note);
/* "Ticket 4711 the menu freezes": what goes into the file's name, without what a file system or
 * Windows refuses there; "" if there is nothing. Free with g_free. */
char *wpr_guide_name_words (const char *ticket, const char *note);

G_END_DECLS
