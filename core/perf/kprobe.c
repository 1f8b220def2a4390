/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See kprobe.h. A group's name says whose it is: wpr_PID_START, with the start time of the process
 * as /proc has it, since a pid is used again. */
#include "config.h"
#include "perf/kprobe.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "perf/event-private.h"

#define PROBE "kprobe:"
#define GROUP "wpr_"
/* More recordings than that at one time in one process nobody has. */
#define MOST_RECORDINGS 16

/* Where the kernel has copied a name into its own memory: a text of the program's may lie in a page
 * that is not there, which a probe cannot wait for. A struct filename begins with the text. */
static const struct
{
  const char *function, *arguments;
} definitions[] = {
  { "do_filp_open", "dfd=$arg1:s32 name=+0(+0($arg2)):string flags=+0($arg3):x32" },
  { "do_unlinkat", "dfd=$arg1:s32 name=+0(+0($arg2)):string" },
  { "do_renameat2",
    "dfd=$arg1:s32 name=+0(+0($arg2)):string todfd=$arg3:s32 to=+0(+0($arg4)):string" },
  { "do_mkdirat", "dfd=$arg1:s32 name=+0(+0($arg2)):string" },
  { "vfs_statx", "dfd=$arg1:s32 name=+0(+0($arg2)):string" },
};

struct _WprKprobes
{
  char *group;
  char *names[G_N_ELEMENTS (definitions)]; /* NULL: not made */
};

/* Two recordings of one process must not remove each other's. */
static guint in_use; /* bits; atomic */

const char *
wpr_kprobe_function (guint index)
{
  return index < G_N_ELEMENTS (definitions) ? definitions[index].function : NULL;
}

static int
open_events (int flags)
{
  const char *root = wpr_tracefs_path ();
  if (root == NULL)
    return -1;
  g_autofree char *path = g_build_filename (root, "kprobe_events", NULL);
  return open (path, flags | O_CLOEXEC);
}

int
wpr_kprobe_refusal (void)
{
  int fd = open_events (O_WRONLY | O_APPEND);
  if (fd >= 0)
    {
      close (fd);
      return 0;
    }
  return errno == EACCES || errno == EPERM ? EACCES : ENOENT;
}

/* One line, one write. 0 or errno. */
static int
tell_kernel (const char *line)
{
  int fd = open_events (O_WRONLY | O_APPEND);
  if (fd < 0)
    return errno;
  int reason = write (fd, line, strlen (line)) < 0 ? errno : 0;
  close (fd);
  return reason;
}

/* ---- whose ---- */

/* Field 22 of /proc/PID/stat; 0 if there is no such process, or only its parent still asks. */
static guint64
start_of (guint pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%u/stat", pid);
  g_autofree char *text = wpr_perf_read_file (path);
  const char *at = text != NULL ? strrchr (text, ')') : NULL;
  if (at != NULL && (at[1] != ' ' || at[2] == 'Z' || at[2] == 'X'))
    return 0;
  for (guint field = 2; at != NULL && field < 22; field++)
    at = strchr (at + 1, ' ');
  return at != NULL ? g_ascii_strtoull (at, NULL, 10) : 0;
}

/* "wpr_PID_START_N": FALSE if it is no group of ours. */
static gboolean
parse_group (const char *group, guint *pid, guint64 *start)
{
  char *end;
  if (!g_str_has_prefix (group, GROUP))
    return FALSE;
  *pid = (guint)g_ascii_strtoull (group + strlen (GROUP), &end, 10);
  if (end == group + strlen (GROUP) || *end != '_')
    return FALSE;
  const char *text = end + 1;
  *start = g_ascii_strtoull (text, &end, 10);
  return end != text && *end == '_';
}

static gboolean
is_orphan (const char *group)
{
  guint pid;
  guint64 start;
  return parse_group (group, &pid, &start) && start_of (pid) != start;
}

/* ---- removing ---- */

static gboolean
is_same (const char *group, gconstpointer wanted)
{
  return strcmp (group, wanted) == 0;
}

static gboolean
is_gone (const char *group, gconstpointer unused)
{
  return is_orphan (group);
}

/* Lines are "p:GROUP/EVENT function arguments" and "r4:GROUP/EVENT ..". */
static guint
remove_groups (gboolean (*wants) (const char *group, gconstpointer data), gconstpointer data)
{
  const char *root = wpr_tracefs_path ();
  guint n = 0;
  if (root == NULL)
    return 0;
  g_autofree char *path = g_build_filename (root, "kprobe_events", NULL);
  g_autofree char *text = wpr_perf_read_file (path);
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  for (char **line = lines; *line != NULL; line++)
    {
      char *colon = strchr (*line, ':'), *slash = colon != NULL ? strchr (colon, '/') : NULL;
      if (slash == NULL)
        continue;
      g_autofree char *group = g_strndup (colon + 1, (gsize)(slash - colon - 1));
      if (!wants (group, data))
        continue;
      slash[1 + strcspn (slash + 1, " ")] = '\0';
      g_autofree char *removal = g_strdup_printf ("-:%s\n", colon + 1);
      n += tell_kernel (removal) == 0;
    }
  return n;
}

guint
wpr_kprobes_sweep (void)
{
  return remove_groups (is_gone, NULL);
}

/* ---- making ---- */

static int
take_number (void)
{
  for (int i = 0; i < MOST_RECORDINGS; i++)
    if ((g_atomic_int_or (&in_use, 1u << i) & 1u << i) == 0)
      return i;
  return -1;
}

WprKprobes *
wpr_kprobes_new (void)
{
  int number = wpr_kprobe_refusal () == 0 ? take_number () : -1;
  if (number < 0)
    return NULL;
  wpr_kprobes_sweep ();
  WprKprobes *probes = g_new0 (WprKprobes, 1);
  guint pid = (guint)getpid ();
  probes->group
      = g_strdup_printf (GROUP "%u_%" G_GUINT64_FORMAT "_%d", pid, start_of (pid), number);
  return probes;
}

const char *
wpr_kprobes_add (WprKprobes *probes, const char *function)
{
  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++)
    {
      if (strcmp (definitions[i].function, function) != 0)
        continue;
      if (probes->names[i] != NULL)
        return probes->names[i];
      g_autofree char *line = g_strdup_printf ("p:%s/%s %s %s\n", probes->group, function, function,
                                               definitions[i].arguments);
      int reason = tell_kernel (line);
      if (reason != 0)
        {
          errno = reason;
          return NULL;
        }
      return probes->names[i] = g_strdup_printf ("%s:%s", probes->group, function);
    }
  errno = ENOENT;
  return NULL;
}

const char *
wpr_kprobes_name (WprKprobes **probes, const char *name)
{
  if (!g_str_has_prefix (name, PROBE))
    return name;
  if (*probes == NULL)
    *probes = wpr_kprobes_new ();
  const char *made = *probes != NULL ? wpr_kprobes_add (*probes, name + strlen (PROBE)) : NULL;
  return made != NULL ? made : name;
}

void
wpr_kprobes_free (WprKprobes *probes)
{
  if (probes == NULL)
    return;
  remove_groups (is_same, probes->group);
  const char *number = strrchr (probes->group, '_') + 1;
  g_atomic_int_and (&in_use, ~(1u << g_ascii_strtoull (number, NULL, 10)));
  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++)
    g_free (probes->names[i]);
  g_free (probes->group);
  g_free (probes);
}
