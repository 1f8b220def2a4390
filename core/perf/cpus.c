/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which CPUs there are, and whose PMU is whose: small files under /sys. */
#include "config.h"
#include "perf/event-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PMU_FOLDER "/sys/bus/event_source/devices"
/* No machine has more; a garbled list cannot make us allocate without end. */
#define CPU_MOST 65536

char *
wpr_perf_read_file (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return NULL;

  GString *text = g_string_new (NULL);
  char part[4096];
  gssize n;
  while ((n = read (fd, part, sizeof part)) > 0 || (n < 0 && errno == EINTR))
    if (n > 0)
      g_string_append_len (text, part, n);

  int saved = errno;
  close (fd);
  errno = saved;
  return g_string_free (text, n < 0);
}

GArray *
wpr_perf_parse_cpus (const char *text)
{
  GArray *cpus = g_array_new (FALSE, FALSE, sizeof (guint));

  while (g_ascii_isdigit (*text))
    {
      char *end;
      gulong first = strtoul (text, &end, 10);
      gulong last = *end == '-' ? strtoul (end + 1, &end, 10) : first;
      for (gulong cpu = first; cpu <= last && cpu < CPU_MOST; cpu++)
        {
          guint number = (guint)cpu;
          g_array_append_val (cpus, number);
        }
      text = *end == ',' ? end + 1 : end;
    }
  return cpus;
}

static GArray *
cpus_of_file (const char *path)
{
  g_autofree char *text = wpr_perf_read_file (path);
  return wpr_perf_parse_cpus (text != NULL ? text : "");
}

GArray *
wpr_cpus_online (void)
{
  GArray *cpus = cpus_of_file ("/sys/devices/system/cpu/online");
  if (cpus->len == 0)
    {
      guint n = (guint)MAX (sysconf (_SC_NPROCESSORS_ONLN), 1);
      for (guint cpu = 0; cpu < n; cpu++)
        g_array_append_val (cpus, cpu);
    }
  return cpus;
}

guint
wpr_cpus_possible (void)
{
  g_autoptr (GArray) cpus = cpus_of_file ("/sys/devices/system/cpu/possible");
  if (cpus->len == 0)
    return (guint)MAX (sysconf (_SC_NPROCESSORS_CONF), 1);
  return g_array_index (cpus, guint, cpus->len - 1) + 1;
}

static gboolean
list_has (const GArray *cpus, guint cpu)
{
  for (guint i = 0; i < cpus->len; i++)
    if (g_array_index (cpus, guint, i) == cpu)
      return TRUE;
  return FALSE;
}

/* Only the core PMUs of a machine with several kinds of cores have a file `cpus`. */
guint64
wpr_perf_pmu_of_cpu (guint cpu)
{
  g_autoptr (GDir) folder = g_dir_open (PMU_FOLDER, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *list = g_build_filename (PMU_FOLDER, name, "cpus", NULL);
      g_autoptr (GArray) cpus = cpus_of_file (list);
      if (!list_has (cpus, cpu))
        continue;
      g_autofree char *path = g_build_filename (PMU_FOLDER, name, "type", NULL);
      g_autofree char *type = wpr_perf_read_file (path);
      if (type != NULL)
        return g_ascii_strtoull (type, NULL, 10) << PERF_PMU_TYPE_SHIFT;
    }
  return 0;
}
