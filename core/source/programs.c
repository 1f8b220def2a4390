/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ProcessExeFilter: the kernel compares the name of the thread that runs, and threads may have
 * another name than their program. Those that run already are looked up in /proc. */
#include "config.h"
#include "source/programs.h"

#include <string.h>

#include "base/files.h"

/* A thread's name in the kernel, without the zero. */
#define COMM_MOST 15
/* The kernel takes a filter of a page; a thread needs at most 27 bytes of it, and names, slab
 * caches and the recorder's own threads have their share. */
#define FILTER_MOST 3000

struct _WprPrograms
{
  char *proc;
  GHashTable *by_name; /* program -> GArray of guint32: threads under another name */
};

WprPrograms *
wpr_programs_new (const char *proc)
{
  WprPrograms *programs = g_new0 (WprPrograms, 1);
  programs->proc = g_strdup (proc);
  programs->by_name
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_array_unref);
  return programs;
}

void
wpr_programs_free (WprPrograms *programs)
{
  if (programs == NULL)
    return;
  g_hash_table_unref (programs->by_name);
  g_free (programs->proc);
  g_free (programs);
}

/* The name of a process or thread; NULL if it has gone. Free with g_free. */
static char *
wpr_programs_comm (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "comm", NULL);
  char *comm = wpr_read_small (path, 64, NULL);
  return comm != NULL ? g_strchomp (comm) : NULL;
}

static gboolean
wpr_programs_is (const char *folder, const char *name, const char *short_name)
{
  g_autofree char *comm = wpr_programs_comm (folder);
  if (g_strcmp0 (comm, short_name) == 0 && strlen (name) <= COMM_MOST)
    return TRUE; /* a script too, whose program is its interpreter */
  g_autofree char *link = g_build_filename (folder, "exe", NULL);
  g_autofree char *exe = g_file_read_link (link, NULL);
  if (exe == NULL) /* a thread of the kernel, or closed to us */
    return FALSE;
  g_autofree char *base = g_path_get_basename (exe);
  char *deleted = strstr (base, " (deleted)");
  if (deleted != NULL)
    *deleted = '\0';
  return g_str_equal (base, name);
}

static void
wpr_programs_add_threads (const char *folder, const char *short_name, GArray *tids)
{
  g_autofree char *tasks = g_build_filename (folder, "task", NULL);
  g_autoptr (GDir) dir = g_dir_open (tasks, 0, NULL);
  for (const char *tid = dir != NULL ? g_dir_read_name (dir) : NULL; tid != NULL;
       tid = g_dir_read_name (dir))
    {
      g_autofree char *task = g_build_filename (tasks, tid, NULL);
      g_autofree char *comm = wpr_programs_comm (task);
      guint32 number = (guint32)g_ascii_strtoull (tid, NULL, 10);
      if (comm != NULL && number != 0 && !g_str_equal (comm, short_name))
        g_array_append_val (tids, number);
    }
}

static const GArray *
wpr_programs_look_up (WprPrograms *programs, const char *name)
{
  GArray *tids = g_hash_table_lookup (programs->by_name, name);
  if (tids != NULL)
    return tids;
  tids = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_hash_table_insert (programs->by_name, g_strdup (name), tids);
  g_autofree char *short_name = g_strndup (name, COMM_MOST);
  g_autoptr (GDir) dir = g_dir_open (programs->proc, 0, NULL);
  for (const char *pid = dir != NULL ? g_dir_read_name (dir) : NULL; pid != NULL;
       pid = g_dir_read_name (dir))
    {
      if (!g_ascii_isdigit (*pid))
        continue;
      g_autofree char *folder = g_build_filename (programs->proc, pid, NULL);
      if (wpr_programs_is (folder, name, short_name))
        wpr_programs_add_threads (folder, short_name, tids);
    }
  return tids;
}

char *
wpr_programs_filter (WprPrograms *programs, const char *filter, const GPtrArray *names,
                     guint *left_out)
{
  GString *whole = g_string_new (filter);
  *left_out = 0;
  for (guint i = 0; i < names->len; i++)
    {
      const GArray *tids = wpr_programs_look_up (programs, g_ptr_array_index (names, i));
      for (guint j = 0; j < tids->len; j++)
        if (whole->len < FILTER_MOST)
          g_string_append_printf (whole, " || common_pid == %u", g_array_index (tids, guint32, j));
        else
          (*left_out)++;
    }
  return g_string_free (whole, FALSE);
}
