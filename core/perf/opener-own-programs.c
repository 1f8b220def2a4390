/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which programs of a user run, and their threads: by /proc, which names them to everybody. Opens
 * no event. */
#include "config.h"
#include "perf/opener-own.h"

#include <stdlib.h>
#include <string.h>
#include "perf/event-private.h"

static void
free_program (gpointer data)
{
  WprOwnProgram *program = data;
  g_array_unref (program->tids);
  g_free (program);
}

static gboolean
parse_number (const char *text, guint32 *number)
{
  guint64 value;
  if (!g_ascii_string_to_unsigned (text, 10, 1, G_MAXINT32, &value, NULL))
    return FALSE;
  *number = (guint32)value;
  return TRUE;
}

/* The real user of a process: the first number of its "Uid:". The owner of the folder is root's for
 * programs that keep secrets. */
static gboolean
is_of_user (const char *status, guint32 uid)
{
  const char *line = strstr (status, "\nUid:");
  return line != NULL && strtoul (line + strlen ("\nUid:"), NULL, 10) == uid;
}

static void
read_name (const char *status, char *name, gsize size)
{
  const char *value = g_str_has_prefix (status, "Name:") ? status + strlen ("Name:") : "";
  value += strspn (value, " \t");
  g_strlcpy (name, value, MIN (size, strcspn (value, "\n") + 1));
}

/* Kernel threads have no memory of their own, and are nobody's programs. */
static guint64
read_rss (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "statm", NULL);
  g_autofree char *text = wpr_perf_read_file (path);
  const char *second = text != NULL ? strchr (text, ' ') : NULL;
  return second != NULL ? g_ascii_strtoull (second, NULL, 10) : 0;
}

void
wpr_own_program_relist (const char *proc, WprOwnProgram *program)
{
  g_autofree char *path = g_strdup_printf ("%s/%u/task", proc, program->pid);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint32 tid;
  g_array_set_size (program->tids, 0);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (parse_number (name, &tid))
      g_array_append_val (program->tids, tid);
}

static WprOwnProgram *
read_program (const char *proc, guint32 pid, guint32 uid)
{
  g_autofree char *folder = g_strdup_printf ("%s/%u", proc, pid);
  g_autofree char *path = g_build_filename (folder, "status", NULL);
  g_autofree char *status = wpr_perf_read_file (path);
  if (status == NULL || !is_of_user (status, uid))
    return NULL;
  WprOwnProgram *program = g_new0 (WprOwnProgram, 1);
  program->pid = pid;
  read_name (status, program->name, sizeof program->name);
  program->rss_pages = read_rss (folder);
  program->tids = g_array_new (FALSE, FALSE, sizeof (guint32));
  wpr_own_program_relist (proc, program);
  return program;
}

static int
compare_programs (gconstpointer a, gconstpointer b)
{
  const WprOwnProgram *x = *(WprOwnProgram *const *)a, *y = *(WprOwnProgram *const *)b;
  if (x->rss_pages != y->rss_pages)
    return x->rss_pages > y->rss_pages ? -1 : 1;
  return (x->pid > y->pid) - (x->pid < y->pid);
}

GPtrArray *
wpr_own_programs_list (const char *proc, guint32 uid)
{
  GPtrArray *programs = g_ptr_array_new_with_free_func (free_program);
  g_autoptr (GDir) dir = g_dir_open (proc, 0, NULL);
  const char *name;
  guint32 pid;
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      WprOwnProgram *program = parse_number (name, &pid) ? read_program (proc, pid, uid) : NULL;
      if (program != NULL)
        g_ptr_array_add (programs, program);
    }
  g_ptr_array_sort (programs, compare_programs);
  return programs;
}

guint
wpr_own_threads_count (guint32 uid)
{
  g_autoptr (GPtrArray) programs = wpr_own_programs_list ("/proc", uid);
  guint n = 0;
  for (guint i = 0; i < programs->len; i++)
    n += ((const WprOwnProgram *)programs->pdata[i])->tids->len;
  return n;
}
