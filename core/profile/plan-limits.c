/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How large the file may become, and what else the chosen variants say that is a note. */
#include "config.h"
#include "profile/account.h"
#include "profile/plan.h"

#include <glib/gi18n-lib.h>

#define MIB G_GUINT64_CONSTANT (1048576)
/* A smaller file would hold less than one epoch of the store. */
#define LEAST_FILE_MB 8

char *
wpr_plan_place (const WprNode *node)
{
  if (node == NULL || node->document->is_builtin)
    return g_strdup ("");
  return g_strdup_printf (" (%s:%u)", node->document->file, node->line);
}

/* What of the buffer group means something in file mode only. */
static void
wpr_plan_tell_file_only (WprPlanBuild *build, const WprChosen *chosen, const WprCollectorUse *use)
{
  static const struct
  {
    WprBufferWord word;
    const char *name;
  } rows[] = { { WPR_BUFFER_MAXIMUM_FILE_SIZE, "MaximumFileSize" },
               { WPR_BUFFER_FILE_MAX, "FileMax" },
               { WPR_BUFFER_FLUSH_TIMER, "FlushTimer" },
               { WPR_BUFFER_FLUSH_THRESHOLD, "FlushThreshold" } };
  g_autoptr (GString) said = g_string_new (NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (use->words[rows[i].word] != NULL)
      g_string_append_printf (said, "%s%s", said->len > 0 ? ", " : "", rows[i].name);
  g_autofree char *place = wpr_plan_place (use->node);
  if (said->len > 0)
    wpr_plan_notice (build,
                     _ ("Of what “%s” says about “%s” this means something in file mode only: "
                        "%s.%s"),
                     chosen->profile->name, use->name, said->str, place);
}

static void
wpr_plan_ask_flush (WprPlan *plan, const WprCollectorUse *use)
{
  guint64 bytes = (guint64)use->flush_buffers * use->buffer_kb * 1024;
  if (use->flush_timer_s > 0
      && (plan->flush_timer_s == 0 || use->flush_timer_s < plan->flush_timer_s))
    plan->flush_timer_s = use->flush_timer_s;
  if (bytes > 0 && (plan->flush_bytes == 0 || bytes < plan->flush_bytes))
    plan->flush_bytes = bytes;
}

/* The collectors' events are in one file, so their limits add up, and it is followed by another as
 * soon as each would be. Sequential wins: what stops must not go on. */
void
wpr_plan_ask_limits (WprPlanBuild *build, const WprChosen *chosen, const WprCollectorUse *use)
{
  WprPlan *plan = &build->owner->plan;
  plan->stack_cache_kb = MAX (plan->stack_cache_kb, use->stack_cache_kb);
  if (plan->mode != WPR_MODE_FILE)
    {
      wpr_plan_tell_file_only (build, chosen, use);
      return;
    }
  wpr_plan_ask_flush (plan, use);
  if (use->max_file_mb == 0 && use->file_max > 1)
    wpr_plan_notice (build, _ ("“%s” has FileMax without MaximumFileSize; everything is one file."),
                     chosen->profile->name);
  if (use->max_file_mb == 0)
    return;
  guint64 files = MAX (use->file_max, 1);
  plan->max_bytes += use->max_file_mb * files * MIB;
  plan->part_bytes += use->max_file_mb * MIB;
  plan->is_sequential |= use->is_sequential;
}

void
wpr_plan_finish_limits (WprPlanBuild *build)
{
  WprPlan *plan = &build->owner->plan;
  const WprChoice *choice = build->choice;
  if (plan->mode != WPR_MODE_FILE)
    {
      plan->max_bytes = plan->part_bytes = 0;
      return;
    }
  if (choice->max_size_mb != 0)
    {
      plan->max_bytes = (guint64)choice->max_size_mb * MAX (choice->max_files, 1) * MIB;
      /* what stops there is one file */
      plan->part_bytes = choice->stop_at_max_size ? 0 : choice->max_size_mb * MIB;
      plan->is_sequential = choice->stop_at_max_size;
    }
  if (plan->part_bytes != 0)
    plan->part_bytes = MAX (plan->part_bytes, LEAST_FILE_MB * MIB);
  if (plan->max_bytes != 0 && plan->max_bytes < LEAST_FILE_MB * MIB)
    {
      plan->max_bytes = LEAST_FILE_MB * MIB;
      wpr_plan_notice (build,
                       _ ("The file may become %d MB: a smaller one would hold next to "
                          "nothing."),
                       LEAST_FILE_MB);
    }
}

static int
wpr_note_compare (gconstpointer left, gconstpointer right)
{
  const WprPlanNote *a = *(const WprPlanNote *const *)left;
  const WprPlanNote *b = *(const WprPlanNote *const *)right;
  int files = g_strcmp0 (a->file, b->file);
  if (files != 0)
    return files;
  return a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                            : (a->column > b->column) - (a->column < b->column);
}

typedef struct
{
  WprPlanBuild *build;
  GHashTable *seen; /* elements and attributes of which there is a note */
} WprNoting;

static void
wpr_plan_add_note (const WprNode *node, const WprAttribute *attribute, const char *text,
                   gpointer data)
{
  WprNoting *noting = data;
  if (!g_hash_table_add (noting->seen, attribute != NULL ? (gpointer)attribute : (gpointer)node))
    return;
  g_autofree char *path = wpr_node_get_path (node, attribute != NULL ? attribute->name : NULL);
  WprPlanNote *note = g_new0 (WprPlanNote, 1);
  note->file = wpr_plan_string (noting->build, node->document->file);
  note->line = attribute != NULL ? attribute->line : node->line;
  note->column = attribute != NULL ? attribute->column : node->column;
  note->path = wpr_plan_string (noting->build, path);
  note->text = wpr_plan_string (noting->build, text);
  g_ptr_array_add (noting->build->owner->notes, note);
}

void
wpr_plan_add_notes (WprPlanBuild *build)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  WprNoting noting = { build, seen };
  for (guint i = 0; i < build->chosen->len; i++)
    wpr_account_visit_notes (g_array_index (build->chosen, WprChosen, i).variant, wpr_plan_add_note,
                             &noting);
  g_ptr_array_sort (build->owner->notes, wpr_note_compare);
}
