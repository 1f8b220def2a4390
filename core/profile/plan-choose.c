/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the names in a choice to variants, with WPR's fallbacks. */
#include "config.h"
#include "profile/plan.h"

#include <glib/gi18n-lib.h>
#include <math.h>

/* Limits of WPR's own command line and format. */
#define LEAST_BUFFER_KB 4
#define MOST_BUFFER_KB 1048576
#define MOST_BUFFERS 1000000
#define MOST_PERCENT 50
#define LEAST_INTERVAL_100NS 1221
#define MOST_INTERVAL_100NS 10000000
/* A month; longer is a mistake in the unit. */
#define MOST_DURATION_S (31 * 24 * 3600)

gboolean
wpr_plan_check_choice (const WprChoice *choice, GError **error)
{
  if (choice->profiles->len == 0)
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("No profile was chosen. Name at least one, for example GeneralProfile."));
  else if (choice->profiles->len > WPR_PLAN_MOST_PROFILES)
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("%u profiles were chosen. At most %d can be recorded together."),
                   choice->profiles->len, WPR_PLAN_MOST_PROFILES);
  else if (choice->buffer_size_kb != 0
           && (choice->buffer_size_kb < LEAST_BUFFER_KB || choice->buffer_size_kb > MOST_BUFFER_KB))
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("A buffer of %u KB is not possible. Choose a size from %d to %d KB."),
                   choice->buffer_size_kb, LEAST_BUFFER_KB, MOST_BUFFER_KB);
  else if (choice->buffers > MOST_BUFFERS)
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("%u buffers are not possible. Choose a number from 1 to %d."),
                   choice->buffers, MOST_BUFFERS);
  else if (!isfinite (choice->buffers_percent) || choice->buffers_percent < 0
           || choice->buffers_percent > MOST_PERCENT)
    wpr_set_error (
        error, WPR_ERROR_USAGE, 0xc5600602,
        _ ("Buffers of %g percent of memory are not possible. Choose a percentage above 0, "
           "%d at most."),
        choice->buffers_percent, MOST_PERCENT);
  else if (choice->sample_interval_100ns != 0
           && (choice->sample_interval_100ns < LEAST_INTERVAL_100NS
               || choice->sample_interval_100ns > MOST_INTERVAL_100NS))
    wpr_set_error (
        error, WPR_ERROR_USAGE, 0xc5600602,
        _ ("A sampling interval of %u is not possible. Choose one from %d to %d, in units "
           "of 100 nanoseconds."),
        choice->sample_interval_100ns, LEAST_INTERVAL_100NS, MOST_INTERVAL_100NS);
  else if (choice->duration_s > MOST_DURATION_S)
    wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                   _ ("A duration of %u seconds is not possible. Choose at most %d (31 days)."),
                   choice->duration_s, MOST_DURATION_S);
  else
    return TRUE;
  return FALSE;
}

static gboolean
wpr_profile_has_mode (const WprProfile *profile, WprMode mode)
{
  return profile->has[WPR_LEVEL_VERBOSE][mode] || profile->has[WPR_LEVEL_LIGHT][mode];
}

/* The mode of the whole recording: the one asked for if every profile has it, else the other one if
 * every profile has that, else file mode, which any variant can be recorded in. */
static WprMode
wpr_plan_choose_mode (WprPlanBuild *build, const GPtrArray *profiles)
{
  WprMode asked = build->choice->mode;
  WprMode other = asked == WPR_MODE_FILE ? WPR_MODE_MEMORY : WPR_MODE_FILE;
  const WprProfile *lacking = NULL;
  gboolean all_have_other = TRUE;
  for (guint i = 0; i < profiles->len; i++)
    {
      const WprProfile *profile = g_ptr_array_index (profiles, i);
      if (lacking == NULL && !wpr_profile_has_mode (profile, asked))
        lacking = profile;
      all_have_other &= wpr_profile_has_mode (profile, other);
    }
  if (lacking == NULL)
    return asked;
  WprMode mode = all_have_other ? other : WPR_MODE_FILE;
  if (asked == WPR_MODE_MEMORY)
    wpr_plan_notice (build,
                     _ ("“%s” cannot be recorded into memory; everything is recorded into a "
                        "file instead."),
                     lacking->name);
  else if (mode == WPR_MODE_MEMORY)
    wpr_plan_notice (build,
                     _ ("“%s” is made for memory only; everything is recorded into memory "
                        "instead of a file."),
                     lacking->name);
  return mode;
}

static const WprVariant *
wpr_plan_choose_variant (WprPlanBuild *build, const WprProfile *profile, int asked, WprMode mode)
{
  if (!wpr_profile_has_mode (profile, mode))
    mode = mode == WPR_MODE_FILE ? WPR_MODE_MEMORY : WPR_MODE_FILE;
  WprLevel level = asked < 0 ? WPR_LEVEL_VERBOSE : (WprLevel)asked;
  if (!profile->has[level][mode])
    {
      level = level == WPR_LEVEL_VERBOSE ? WPR_LEVEL_LIGHT : WPR_LEVEL_VERBOSE;
      if (asked >= 0)
        wpr_plan_notice (build,
                         level == WPR_LEVEL_LIGHT
                             ? _ ("“%s” has no detail level Verbose; Light is recorded instead.")
                             : _ ("“%s” has no detail level Light; Verbose is recorded instead."),
                         profile->name);
    }
  return wpr_library_get_variant (build->library, profile, level, mode);
}

/* Every name once, verbose where it was asked for in both levels. */
static void
wpr_plan_add_chosen (WprPlanBuild *build, const WprProfile *profile, const WprVariant *variant)
{
  for (guint i = 0; i < build->chosen->len; i++)
    {
      WprChosen *known = &g_array_index (build->chosen, WprChosen, i);
      if (known->profile != profile)
        continue;
      if (variant->level == WPR_LEVEL_VERBOSE)
        known->variant = variant;
      return;
    }
  WprChosen chosen = { profile, variant };
  g_array_append_val (build->chosen, chosen);
}

gboolean
wpr_plan_choose (WprPlanBuild *build, GError **error)
{
  const GPtrArray *asked = build->choice->profiles;
  g_autoptr (GPtrArray) profiles = g_ptr_array_new ();
  for (guint i = 0; i < asked->len; i++)
    {
      const WprChoiceItem *item = g_ptr_array_index (asked, i);
      const WprProfile *profile
          = wpr_library_find (build->library, item->name, item->source, error);
      if (profile == NULL)
        return FALSE;
      if (profile->internal)
        {
          wpr_set_error (error, WPR_ERROR_PROFILE, 0xc558101c,
                         _ ("“%s” is internal: other profiles build on it, it is not recorded "
                            "itself. Choose one of those “wpr -profiles” lists."),
                         profile->name);
          return FALSE;
        }
      g_ptr_array_add (profiles, (gpointer)profile);
    }

  WprPlan *plan = &build->owner->plan;
  plan->mode = wpr_plan_choose_mode (build, profiles);
  plan->level = WPR_LEVEL_LIGHT;
  for (guint i = 0; i < asked->len; i++)
    {
      const WprChoiceItem *item = g_ptr_array_index (asked, i);
      const WprProfile *profile = g_ptr_array_index (profiles, i);
      wpr_plan_add_chosen (build, profile,
                           wpr_plan_choose_variant (build, profile, item->level, plan->mode));
    }
  for (guint i = 0; i < build->chosen->len; i++)
    {
      const WprChosen *chosen = &g_array_index (build->chosen, WprChosen, i);
      g_ptr_array_add (build->owner->profiles,
                       (gpointer)wpr_plan_string (build, chosen->variant->id));
      g_ptr_array_add (build->owner->titles,
                       (gpointer)wpr_plan_string (build, chosen->profile->title));
      if (chosen->variant->level == WPR_LEVEL_VERBOSE)
        plan->level = WPR_LEVEL_VERBOSE;
    }
  return TRUE;
}
