/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of this room share: files from text, machines, looking into plans. */
#pragma once

#include "wpr-profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#define MIB ((guint64)1024 * 1024)
#define GIB (1024 * MIB)

#define FILE_HEAD "<WindowsPerformanceRecorder Version=\"1.0\"><Profiles>"
#define FILE_TAIL "</Profiles></WindowsPerformanceRecorder>"
/* A Profile element's start tag; more attributes may follow. */
#define PROFILE(name, level, mode, more)                                              \
  "<Profile Id=\"" name "." level "." mode "\" Name=\"" name "\" Description=\"" name \
  "\" LoggingMode=\"" mode "\" DetailLevel=\"" level "\" " more ">"

/* Adds a file named "test.wprp"; the test fails if it is not usable. */
static inline void
add_text (WprLibrary *library, const char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  if (!wpr_library_add_bytes (library, bytes, "test.wprp", &error))
    fail_msg ("%s", error->message);
}

/* The plan of one profile of "test.wprp" (or of a built-in one, source NULL). */
static inline WprPlan *
plan_one (WprLibrary *library, const char *name, const char *source, WprMode mode,
          const WprMachine *machine)
{
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  choice->mode = mode;
  wpr_choice_add (choice, name, source, -1);
  g_autoptr (GError) error = NULL;
  WprPlan *plan = wpr_plan_new (library, choice, machine, &error);
  if (plan == NULL)
    fail_msg ("%s", error->message);
  return plan;
}

static inline const WprPlanCollector *
get_collector (const WprPlan *plan, const char *name)
{
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, i);
      if (g_str_equal (collector->name, name))
        return collector;
    }
  return NULL;
}

/* In whichever collector; NULL. */
static inline const WprPlanItem *
get_item (const WprPlan *plan, const char *name)
{
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, i);
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, j);
          if (g_str_equal (item->name, name))
            return item;
        }
    }
  return NULL;
}

static inline const WprPlanMissing *
get_missing (const WprPlan *plan, const char *what)
{
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = g_ptr_array_index (plan->missing, i);
      if (g_str_equal (missing->what, what))
        return missing;
    }
  return NULL;
}

static inline gboolean
has_text (const GPtrArray *texts, const char *part)
{
  for (guint i = 0; i < texts->len; i++)
    if (strstr (g_ptr_array_index (texts, i), part) != NULL)
      return TRUE;
  return FALSE;
}
