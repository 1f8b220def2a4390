/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Filters in the kernel: events of certain programs (ProcessExeFilter), of certain slab caches
 * (PoolTags). An event that somebody else wants whole is not filtered. */
#include "config.h"
#include "profile/plan.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* What a thread does itself, so that the name of the thread that runs says whose it is. Never
 * sched: the switch away from a program would stay and the switch to it vanish. A completed disk
 * request interrupts whoever runs. */
static const char *const own_systems[] = { "syscalls:",
                                           "raw_syscalls:",
                                           "block:",
                                           "filemap:",
                                           "kmem:",
                                           "exceptions:",
                                           "sock:sock_send_length",
                                           "sock:sock_recv_length" };
static const char *const not_own[] = { "block:block_rq_complete" };

/* A thread's name in the kernel, without the zero. */
#define COMM_MOST 15
#define FILTERS_MOST 16

static gboolean
wpr_filter_fits (const char *event)
{
  for (gsize i = 0; i < G_N_ELEMENTS (not_own); i++)
    if (g_str_equal (event, not_own[i]))
      return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (own_systems); i++)
    if (g_str_has_prefix (event, own_systems[i]))
      return TRUE;
  return FALSE;
}

/* "C:\x\notepad.exe" -> "notepad"; NULL for what the kernel's filter could not hold. */
static char *
wpr_filter_program (const char *program)
{
  const char *slash = MAX (strrchr (program, '\\'), strrchr (program, '/'));
  g_autofree char *name = g_strdup (slash != NULL ? slash + 1 : program);
  g_strstrip (name);
  gsize size = strlen (name);
  if (size > 4 && g_ascii_strcasecmp (name + size - 4, ".exe") == 0)
    name[size - 4] = '\0';
  for (const char *at = name; *at != '\0'; at++)
    if (!g_ascii_isalnum (*at) && strchr ("_-.+", *at) == NULL)
      return NULL;
  return *name != '\0' ? g_steal_pointer (&name) : NULL;
}

static void
wpr_filter_add_program (WprPlanBuild *build, const WprProviderUse *use, char *name, GString *filter,
                        GPtrArray *programs)
{
  g_autofree char *comm = g_strndup (name, COMM_MOST);
  g_ptr_array_add (programs, name);
  g_string_append_printf (filter, "%scomm == \"%s\"", filter->len > 0 ? " || " : "", comm);
  if (strlen (name) > COMM_MOST)
    wpr_plan_notice (build,
                     _ ("The kernel keeps %d letters of a name, so events of the provider %s are "
                        "recorded of every program whose name begins with “%s”, not of %s only."),
                     COMM_MOST, use->name, comm, name);
}

char *
wpr_plan_exe_filter (WprPlanBuild *build, const WprChosen *chosen, const WprProviderUse *use,
                     GPtrArray *programs)
{
  if (use->exe_filter == NULL || *use->exe_filter == '\0')
    return NULL;
  g_auto (GStrv) asked = g_strsplit (use->exe_filter, ";", FILTERS_MOST + 1);
  g_autoptr (GString) filter = g_string_new (NULL);
  for (guint i = 0; asked[i] != NULL && i < FILTERS_MOST; i++)
    {
      char *name = wpr_filter_program (asked[i]);
      if (name != NULL)
        wpr_filter_add_program (build, use, name, filter, programs);
      else
        wpr_plan_notice (build,
                         _ ("“%s” limits the provider %s to “%s”, which is no program's name on "
                            "Linux; that part is left out."),
                         chosen->profile->name, use->name, asked[i]);
    }
  if (filter->len == 0)
    return NULL;
  wpr_plan_notice (build,
                   _ ("Events of the provider %s are recorded of the programs %s only: of threads "
                      "that bear the program's name, and of those under another name that run "
                      "already when the recording starts. Of a program that starts later, threads "
                      "under another name are missed."),
                   use->name, use->exe_filter);
  return g_string_free (g_steal_pointer (&filter), FALSE);
}

/* "Ab*" -> name ~ "Ab*"; a tag of four letters is the beginning of a cache's name. */
char *
wpr_plan_pool_filter (const WprCollectorUse *use)
{
  g_autoptr (GString) filter = g_string_new (NULL);
  for (guint i = 0; i < use->pool_tags->len && i < FILTERS_MOST; i++)
    {
      const char *tag = g_array_index (use->pool_tags, WprNamed, i).value;
      gboolean is_name = TRUE;
      for (const char *at = tag; *at != '\0'; at++)
        is_name &= g_ascii_isalnum (*at) || strchr ("_-*", *at) != NULL;
      if (!is_name)
        continue;
      g_string_append_printf (filter, "%sname ~ \"%s%s\"", filter->len > 0 ? " || " : "", tag,
                              g_str_has_suffix (tag, "*") ? "" : "*");
    }
  return filter->len > 0 ? g_string_free (g_steal_pointer (&filter), FALSE) : NULL;
}

void
wpr_item_build_ask_filter (WprPlanBuild *build, WprItemBuild *item, const WprAsker *asker)
{
  const char *event = item->item.name;
  gboolean is_pool = g_str_has_prefix (event, "kmem:kmem_cache_");
  gboolean fits = item->item.kind == WPR_ITEM_TRACEPOINT && asker->filter != NULL
                  && (asker->is_pool_filter ? is_pool : wpr_filter_fits (event));
  if (!fits)
    {
      item->is_whole = TRUE;
      if (asker->filter != NULL && !asker->is_pool_filter)
        wpr_plan_notice (build,
                         _ ("%s cannot be limited to certain programs; it is recorded of all of "
                            "them."),
                         event);
      return;
    }
  const char *kept = wpr_plan_string (build, asker->filter);
  if (!g_ptr_array_find (item->filters, kept, NULL))
    g_ptr_array_add (item->filters, (gpointer)kept);
  for (guint i = 0; asker->programs != NULL && i < asker->programs->len; i++)
    {
      const char *program = wpr_plan_string (build, g_ptr_array_index (asker->programs, i));
      if (!g_ptr_array_find (item->programs, program, NULL))
        g_ptr_array_add (item->programs, (gpointer)program);
    }
}

void
wpr_plan_finish_filters (WprPlanBuild *build)
{
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, build->items);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      WprItemBuild *item = value;
      if (item->is_whole || item->filters->len == 0)
        continue;
      g_autoptr (GString) filter = g_string_new (NULL);
      for (guint i = 0; i < item->filters->len; i++)
        g_string_append_printf (filter, "%s%s", i > 0 ? " || " : "",
                                (const char *)g_ptr_array_index (item->filters, i));
      item->item.filter = wpr_plan_string (build, filter->str);
      item->item.programs = item->programs->len > 0 ? item->programs : NULL;
    }
}
