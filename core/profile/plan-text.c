/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plan as text for people: -profiledetails, Copy as Text. */
#include "config.h"
#include "wpr-profile.h"

#include <inttypes.h>
#include <glib/gi18n-lib.h>
#include <string.h>

static void
wpr_text_append_list (GString *text, const GPtrArray *texts)
{
  for (guint i = 0; i < texts->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            (const char *)g_ptr_array_index (texts, i));
}

static const char *
wpr_stack_words (WprStack stack)
{
  static const char *const words[] = { "", N_ ("call stacks of the kernel"), N_ ("call stacks") };
  return *words[stack] != '\0' ? _ (words[stack]) : "";
}

static void
wpr_text_append_item (GString *text, const WprPlanItem *item)
{
  g_string_append_printf (text, "    %s: %s", item->name, wpr_plan_item_describe (item));
  if (item->interval_ns > 0 && (item->kind == WPR_ITEM_HARDWARE || item->period > 1))
    g_string_append_printf (text, _ (", %'.0f samples a second on each CPU"),
                            1e9 / item->interval_ns);
  else if (item->period > 1)
    g_string_append_printf (text, _ (", a sample each %'" PRIu64), item->period);
  if (item->stack != WPR_STACK_NONE)
    g_string_append_printf (text, ", %s", wpr_stack_words (item->stack));
  if (item->filter != NULL)
    g_string_append_printf (text, _ (", only %s"), item->filter);
  g_string_append (text, "\n      ");
  if (item->asked_by->len == 0)
    g_string_append (text, _ ("Always recorded"));
  else
    wpr_text_append_list (text, item->asked_by);
  g_string_append_c (text, '\n');
}

static void
wpr_text_append_collector (GString *text, const WprPlanCollector *collector)
{
  g_string_append_printf (text, "\n%s\n", collector->name);
  if (collector->items->len == 0)
    {
      g_string_append_printf (text, "    %s\n", _ ("Nothing of it can be recorded here."));
      return;
    }
  g_autofree char *size = g_format_size_full (collector->bytes_granted, G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf (text, _ ("  Buffers: %'u of %'u KB (%s); %'u were asked for\n"),
                          collector->buffers_granted, collector->buffer_kb, size,
                          collector->buffers_asked);
  g_string_append_printf (text, "  %s\n", _ ("Records:"));
  for (guint i = 0; i < collector->items->len; i++)
    wpr_text_append_item (text, g_ptr_array_index (collector->items, i));
}

static void
wpr_text_append_missing (GString *text, const WprPlanMissing *missing)
{
  /* What helps is the same for all of these: said once, below. */
  gboolean rights = missing->reason == WPR_MISSING_NEEDS_RIGHTS;
  g_string_append_printf (text, "    %s: %s\n", missing->what,
                          rights ? _ ("needs rights") : missing->text);
  if (missing->asked_by->len == 0)
    return;
  g_string_append (text, "      ");
  wpr_text_append_list (text, missing->asked_by);
  g_string_append_c (text, '\n');
}

static void
wpr_text_append_rights (GString *text, const GPtrArray *missing)
{
  for (guint i = 0; i < missing->len; i++)
    {
      const WprPlanMissing *one = g_ptr_array_index (missing, i);
      if (one->reason != WPR_MISSING_NEEDS_RIGHTS)
        continue;
      g_string_append_printf (text, "    %s\n", one->text);
      return;
    }
}

/* What is seen with the rights that are there; without any the list below says it. */
static void
wpr_text_append_rung (GString *text, const WprPlan *plan)
{
  if (plan->rights == WPR_RIGHTS_NONE || *plan->rights_text == '\0')
    return;
  g_string_append_printf (text, "%s%s%s\n", plan->rights_text, *plan->rights_help ? " " : "",
                          plan->rights_help);
}

static void
wpr_text_append_flush (GString *text, const WprPlan *plan)
{
  g_autofree char *size = g_format_size_full (plan->flush_bytes, G_FORMAT_SIZE_IEC_UNITS);
  if (plan->flush_timer_s > 0)
    g_string_append_printf (text,
                            g_dngettext (GETTEXT_PACKAGE,
                                         "Everything is on the disk for good at most %u second "
                                         "later\n",
                                         "Everything is on the disk for good at most %u seconds "
                                         "later\n",
                                         plan->flush_timer_s),
                            plan->flush_timer_s);
  if (plan->flush_bytes > 0)
    g_string_append_printf (text, _ ("Everything is on the disk for good each %s\n"), size);
}

static void
wpr_text_append_limits (GString *text, const WprPlan *plan)
{
  if (plan->stack_cache_kb > 0)
    g_string_append (text, _ ("Call stacks are written once each\n"));
  wpr_text_append_flush (text, plan);
  if (plan->max_bytes == 0)
    return;
  g_autofree char *size = g_format_size_full (plan->max_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf (text,
                          plan->is_sequential ? _ ("Stops when it has written %s\n")
                                              : _ ("Keeps the newest %s\n"),
                          size);
  g_autofree char *part = g_format_size_full (plan->part_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf (text, _ ("In files of at most %s\n"), part);
}

static void
wpr_text_append_notes (GString *text, const WprPlan *plan)
{
  if (plan->notes->len > 0)
    g_string_append_printf (text, "\n%s\n", _ ("In the profile, but not done here"));
  for (guint i = 0; i < plan->notes->len; i++)
    {
      const WprPlanNote *note = g_ptr_array_index (plan->notes, i);
      const char *slash = strrchr (note->path, '/');
      gboolean is_attribute = slash != NULL && slash[1] == '@';
      while (is_attribute && slash > note->path && slash[-1] != '/')
        slash--;
      g_string_append_printf (text, "    %s:%u:%u: %s: %s\n", note->file, note->line, note->column,
                              slash == NULL  ? note->path
                              : is_attribute ? slash
                                             : slash + 1,
                              note->text);
    }
}

char *
wpr_plan_to_text (const WprPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);
  GString *text = g_string_new (NULL);
  wpr_text_append_list (text, plan->titles);
  g_string_append_printf (
      text, "\n%s, %s\n",
      plan->mode == WPR_MODE_FILE ? _ ("Logging mode: File") : _ ("Logging mode: Memory"),
      plan->level == WPR_LEVEL_LIGHT ? _ ("detail level: Light") : _ ("detail level: Verbose"));
  g_autofree char *memory = g_format_size_full (plan->memory_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_string_append_printf (text, _ ("%u kinds of events, %s of memory\n"), plan->n_kinds, memory);
  wpr_text_append_limits (text, plan);
  wpr_text_append_rung (text, plan);
  for (guint i = 0; i < plan->collectors->len; i++)
    wpr_text_append_collector (text, g_ptr_array_index (plan->collectors, i));
  if (plan->missing->len > 0)
    g_string_append_printf (text, "\n%s\n", _ ("Not available here"));
  for (guint i = 0; i < plan->missing->len; i++)
    wpr_text_append_missing (text, g_ptr_array_index (plan->missing, i));
  wpr_text_append_rights (text, plan->missing);
  wpr_text_append_notes (text, plan);
  if (plan->notices->len > 0)
    g_string_append_printf (text, "\n%s\n", _ ("Notices"));
  for (guint i = 0; i < plan->notices->len; i++)
    g_string_append_printf (text, "    %s\n", (const char *)g_ptr_array_index (plan->notices, i));
  return g_string_free (text, FALSE);
}
