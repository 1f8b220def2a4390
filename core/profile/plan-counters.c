/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hardware counters: by a name both sides know, or by the number a ProfileSource gives. */
#include "config.h"
#include "profile/counters.h"
#include "profile/plan.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

/* Where nobody says how far to count: about 3 000 samples a second of a busy 3 GHz CPU. */
#define DEFAULT_COUNT 1000003

/* Whether a ProfileSources is about this machine; what is not known does not stand in the way. */
static gboolean
wpr_source_fits (const WprNode *sources, const WprMachine *machine)
{
  int family = 0, model = 0;
  const char *architecture = wpr_machine_get_processor (machine, &family, &model);
  const char *wanted = wpr_node_get (sources, "Architecture");
  const char *wanted_family = wpr_node_get (sources, "Family");
  const char *wanted_model = wpr_node_get (sources, "Model");
  if (architecture == NULL)
    return TRUE;
  return g_strcmp0 (architecture, wanted) == 0
         && (wanted_family == NULL || g_ascii_strtoll (wanted_family, NULL, 10) == family)
         && (wanted_model == NULL || g_ascii_strtoll (wanted_model, NULL, 10) == model);
}

static guint64
wpr_source_number (const WprNode *source, const char *attribute)
{
  const char *value = wpr_node_get (source, attribute);
  if (value == NULL)
    return 0;
  gboolean is_hex = g_str_has_prefix (value, "0x") || g_str_has_prefix (value, "0X")
                    || strpbrk (value, "abcdefABCDEF") != NULL;
  return g_ascii_strtoull (value, NULL, is_hex ? 16 : 10);
}

/* Linux' name of a counter, NULL if it has none here. Unit is the unit mask. */
static char *
wpr_counter_event (const WprPlanBuild *build, const WprCounterUse *use, gboolean *is_software,
                   guint64 *interval)
{
  const WprCounter *counter = wpr_counter_find (use->name);
  *interval = use->interval != 0 ? use->interval : DEFAULT_COUNT;
  *is_software = counter != NULL && counter->software;
  if (use->source == NULL || !wpr_source_fits (use->source->parent, build->machine))
    return counter != NULL ? g_strdup (counter->event) : NULL;
  if (use->interval == 0 && wpr_source_number (use->source, "Interval") != 0)
    *interval = wpr_source_number (use->source, "Interval");
  *is_software = FALSE;
  return g_strdup_printf ("r%02x%02x", (guint)(wpr_source_number (use->source, "Unit") & 0xff),
                          (guint)(wpr_source_number (use->source, "Event") & 0xff));
}

static void
wpr_plan_add_counter (WprPlanBuild *build, WprCollectorBuild *collector, const WprChosen *chosen,
                      const WprCounterUse *use)
{
  g_autofree char *place = wpr_plan_place (use->node);
  g_autofree char *text
      = g_strdup_printf (_ ("%s: counter %s%s"), chosen->profile->name, use->name, place);
  g_autofree char *what = g_strdup_printf ("counter %s", use->name);
  WprAsker asker = { .text = text, .profile = chosen->profile->name, .strict = use->strict };
  gboolean is_software;
  guint64 interval;
  g_autofree char *event = wpr_counter_event (build, use, &is_software, &interval);
  if (event == NULL)
    wpr_plan_add_missing (build, what, WPR_MISSING_NO_COUNTERPART,
                          _ ("Linux has no counter of that name. \"wpr -pmcsources\" lists those "
                             "there are; a ProfileSource can give its number."),
                          &asker);
  else if (!is_software
           && (!wpr_machine_get_has_pmu (build->machine)
               || wpr_machine_get_event (build->machine, event) == WPR_HAVE_NO
               || wpr_machine_get_event (build->machine, event) == WPR_HAVE_REFUSED))
    wpr_plan_add_missing (build, what, WPR_MISSING_NOT_HERE,
                          _ ("This computer does not offer that counter."), &asker);
  else
    wpr_plan_add_counter_item (build, collector,
                               is_software ? WPR_ITEM_SOFTWARE : WPR_ITEM_HARDWARE, event, interval,
                               &asker);
  if (event != NULL && !use->is_sampled)
    wpr_plan_notice (build,
                     _ ("The counter %s of “%s” is not read at events here; it takes a sample each "
                        "time it has counted %" PRIu64 "."),
                     use->name, chosen->profile->name, interval);
}

void
wpr_plan_add_counters (WprPlanBuild *build, WprCollectorBuild *collector, const WprChosen *chosen,
                       const WprCollectorUse *use)
{
  for (guint i = 0; i < use->counters->len; i++)
    wpr_plan_add_counter (build, collector, chosen,
                          &g_array_index (use->counters, WprCounterUse, i));
}
