/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans into words: what a profile records, who else asks for it, what it adds to the others. */
#include "config.h"
#include "details.h"

#include <glib/gi18n.h>
#include <string.h>

#define NS_PER_S G_GUINT64_CONSTANT (1000000000)

static void
free_item (gpointer data)
{
  WprDetailsItem *item = data;
  g_free (item->sentence);
  g_free (item);
}

void
wpr_details_free (WprDetails *details)
{
  g_free (details->title);
  g_free (details->symptom);
  g_clear_pointer (&details->plan, wpr_plan_unref);
  g_ptr_array_unref (details->items);
  g_free (details->others);
  g_free (details->text);
  g_free (details->error);
  g_free (details);
}

/* ---- comparing ---- */

static const WprPlanItem *
find_item (const WprPlan *plan, const char *name)
{
  for (guint i = 0; plan != NULL && i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = plan->collectors->pdata[i];
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = collector->items->pdata[j];
          if (g_str_equal (item->name, name))
            return item;
        }
    }
  return NULL;
}

/* As often, with at least that stack, and of every program that this one asks for. */
static gboolean
is_recorded_by (const WprPlan *others, const WprPlanItem *item)
{
  const WprPlanItem *theirs = find_item (others, item->name);
  if (item->kind == WPR_ITEM_SIDEBAND)
    return TRUE; /* always there */
  return theirs != NULL && theirs->stack >= item->stack
         && (theirs->filter == NULL || g_strcmp0 (theirs->filter, item->filter) == 0)
         && (item->interval_ns == 0 || theirs->interval_ns <= item->interval_ns);
}

gboolean
wpr_details_is_empty (const WprPlan *plan)
{
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = plan->collectors->pdata[i];
      for (guint j = 0; j < collector->items->len; j++)
        if (((const WprPlanItem *)collector->items->pdata[j])->asked_by->len > 0)
          return FALSE;
    }
  return TRUE;
}

guint
wpr_details_count_new (const WprPlan *plan, const WprPlan *others)
{
  guint n = 0;
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = plan->collectors->pdata[i];
      for (guint j = 0; j < collector->items->len; j++)
        n += !is_recorded_by (others, collector->items->pdata[j]);
    }
  return n;
}

/* ---- words ---- */

/* "A", "A and B", "A, B and C"; last: what stands before the last. */
static char *
join (const GPtrArray *words, const char *last)
{
  GString *out = g_string_new (NULL);
  for (guint i = 0; i < words->len; i++)
    {
      if (i > 0)
        g_string_append (out, i + 1 == words->len ? last : _ (", "));
      g_string_append (out, words->pdata[i]);
    }
  return g_string_free (out, FALSE);
}

static char *
join_titles (const GPtrArray *titles)
{
  /* Translators: between the last two titles of a list */
  return join (titles, _ (" and "));
}

/* Titles of profiles by their names; a name several files use may be another's. */
static void
add_titles (WprLibrary *library, const GPtrArray *names, const WprChoice *choice, GPtrArray *titles)
{
  for (guint i = 0; names != NULL && i < names->len; i++)
    {
      const char *source = NULL;
      for (guint j = 0; choice != NULL && j < choice->profiles->len; j++)
        {
          const WprChoiceItem *chosen = choice->profiles->pdata[j];
          if (g_ascii_strcasecmp (chosen->name, names->pdata[i]) == 0)
            source = chosen->source;
        }
      const WprProfile *profile = wpr_library_find (library, names->pdata[i], source, NULL);
      const char *title = profile ? profile->title : names->pdata[i];
      if (!g_ptr_array_find_with_equal_func (titles, title, g_str_equal, NULL))
        g_ptr_array_add (titles, (char *)title);
    }
}

/* "Keyword CSwitch, with call stacks. Asked for by CPU usage and First level triage." */
static char *
describe_item (WprLibrary *library, const WprPlanItem *item, const WprPlanItem *theirs,
               const WprChoice *choice, const WprChoice *others)
{
  g_autoptr (GPtrArray) titles = g_ptr_array_new ();
  add_titles (library, item->profiles, choice, titles);
  if (theirs != NULL)
    add_titles (library, theirs->profiles, others, titles);
  if (titles->len == 0)
    return g_strdup (_ ("Always recorded"));
  g_autofree char *who = join_titles (titles);
  if (item->keywords->len == 0)
    {
      if (item->stack == WPR_STACK_NONE)
        /* Translators: %s are titles of profiles */
        return g_strdup_printf (_ ("Asked for by %s."), who);
      /* Translators: %s are titles of profiles */
      return g_strdup_printf (_ ("With call stacks. Asked for by %s."), who);
    }
  g_autofree char *keywords = join (item->keywords, _ (", "));
  if (item->stack == WPR_STACK_NONE)
    /* Translators: words of the profile format, which stay; titles of profiles */
    return g_strdup_printf (ngettext ("Keyword %s. Asked for by %s.",
                                      "Keywords %s. Asked for by %s.", item->keywords->len),
                            keywords, who);
  /* Translators: words of the profile format, which stay; titles of profiles */
  return g_strdup_printf (ngettext ("Keyword %s, with call stacks. Asked for by %s.",
                                    "Keywords %s, with call stacks. Asked for by %s.",
                                    item->keywords->len),
                          keywords, who);
}

static void
add_item (WprDetails *details, WprLibrary *library, const WprPlanItem *item, const WprPlan *theirs,
          const WprChoice *choice, const WprChoice *others)
{
  WprDetailsItem *row = g_new0 (WprDetailsItem, 1);
  row->plain = wpr_plan_item_describe (item);
  row->name = item->name;
  row->sentence = describe_item (library, item, find_item (theirs, item->name), choice, others);
  row->always = item->kind == WPR_ITEM_SIDEBAND;
  row->has_stack = item->stack != WPR_STACK_NONE;
  row->is_new = !is_recorded_by (theirs, item);
  if (item->interval_ns != 0 && item->kind != WPR_ITEM_SAMPLER)
    row->samples_per_s = MAX (NS_PER_S / item->interval_ns, 1);
  details->n_new += row->is_new;
  g_ptr_array_add (details->items, row);
}

static void
describe_plan (WprDetails *details, WprLibrary *library, const WprMachine *machine,
               const WprChoice *choice, const WprChoice *others)
{
  g_autoptr (WprPlan) theirs = others ? wpr_plan_new (library, others, machine, NULL) : NULL;
  for (guint i = 0; i < details->plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = details->plan->collectors->pdata[i];
      for (guint j = 0; j < collector->items->len; j++)
        add_item (details, library, collector->items->pdata[j], theirs, choice, others);
    }
  if (theirs != NULL)
    details->others = join_titles (theirs->titles);
  details->text = wpr_plan_to_text (details->plan);
}

WprDetails *
wpr_details_new (WprLibrary *library, const WprMachine *machine, const WprChoice *choice,
                 const WprChoice *others)
{
  const WprChoiceItem *chosen = choice->profiles->pdata[0];
  const WprProfile *profile = wpr_library_find (library, chosen->name, chosen->source, NULL);
  WprDetails *details = g_new0 (WprDetails, 1);
  g_autoptr (GError) error = NULL;
  details->title = g_strdup (profile ? profile->title : chosen->name);
  details->symptom = g_strdup (profile ? profile->symptom : "");
  details->items = g_ptr_array_new_with_free_func (free_item);
  details->plan = wpr_plan_new (library, choice, machine, &error);
  if (details->plan == NULL)
    details->error = g_strdup (error->message);
  else
    describe_plan (details, library, machine, choice, others);
  return details;
}
