/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel has: events, counters. Opens one inert event for a moment, nothing else. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "perf/kprobe.h"
#include "source/kernel.h"
#include "source/rights.h"

/* Events the kernel has and refuses to sampling, also to root (TRACE_EVENT_PERF_PERM). */
static const char *const refused_events[] = {
  "irq_vectors:irq_work_exit",
};

/* available_events is 100 KiB here with 2 300 events; a kernel with every driver has some 10 000.
 */
#define EVENTS_MOST (4 * 1024 * 1024)

/* ---- events ---- */

static gboolean
wpr_probe_events (WprMachine *machine)
{
  const char *tracefs = wpr_tracefs_path ();
  if (!tracefs)
    return FALSE;
  g_autofree char *path = g_build_filename (tracefs, "available_events", NULL);
  g_autofree char *events = wpr_read_small (path, EVENTS_MOST, NULL);
  if (!events || !*events)
    return FALSE;
  wpr_machine_set_default (machine, WPR_HAVE_NO);
  for (char *line = events, *end; *line; line = end)
    {
      end = strchrnul (line, '\n');
      if (*end)
        *end++ = '\0';
      if (strchr (line, ':'))
        wpr_machine_set_event (machine, line, WPR_HAVE_YES);
    }
  return TRUE;
}

/* TRUE if hardware counters sample: a device that lists itself and still answers ENOENT is none. */
static gboolean
wpr_probe_pmu (void)
{
  int refused = wpr_rights_try (PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  if (refused == EACCES || refused == EPERM)
    refused = wpr_rights_try_own (PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, FALSE);
  if (refused == 0)
    return TRUE;
  if (refused != EACCES && refused != EPERM)
    return FALSE;
  return g_file_test ("/sys/bus/event_source/devices/cpu", G_FILE_TEST_EXISTS)
         || g_file_test ("/sys/bus/event_source/devices/cpu_core", G_FILE_TEST_EXISTS);
}

/* The value of a line "name : value" of /proc/cpuinfo, NULL. */
static char *
wpr_cpuinfo_value (const char *text, const char *name)
{
  const char *line = strstr (text, name);
  const char *colon = line ? strchr (line, ':') : NULL;
  if (!colon)
    return NULL;
  char *value = g_strndup (colon + 1, strcspn (colon + 1, "\n"));
  return g_strstrip (value);
}

/* Which ProfileSources of a profile are about this processor. */
static void
wpr_probe_processor (WprMachine *machine)
{
  static const struct
  {
    const char *vendor, *architecture;
  } vendors[] = { { "GenuineIntel", "INTEL" }, { "AuthenticAMD", "AMD" } };
  g_autofree char *text = wpr_read_small ("/proc/cpuinfo", 65536, NULL);
  if (!text)
    return;
  g_autofree char *vendor = wpr_cpuinfo_value (text, "vendor_id");
  g_autofree char *family = wpr_cpuinfo_value (text, "cpu family");
  g_autofree char *model = wpr_cpuinfo_value (text, "model\t");
  for (guint i = 0; vendor && i < G_N_ELEMENTS (vendors); i++)
    if (g_str_equal (vendor, vendors[i].vendor))
      wpr_machine_set_processor (machine, vendors[i].architecture,
                                 family ? (int)g_ascii_strtoll (family, NULL, 10) : 0,
                                 model ? (int)g_ascii_strtoll (model, NULL, 10) : 0);
#if defined(__aarch64__) || defined(__arm__)
  wpr_machine_set_processor (machine, "ARM", 0, 0);
#endif
}

/* Each counter is there or not; tracepoints are told apart by their colon. */
static void
wpr_probe_counters (WprMachine *machine)
{
  const WprCounter *counter;
  for (guint i = 0; (counter = wpr_counter_get (i)); i++)
    {
      WprPerfEvent event = { .kind = WPR_PERF_HARDWARE, .name = counter->event };
      struct perf_event_attr attr;
      if (counter->software)
        continue;
      wpr_perf_event_fill_attr (&event, FALSE, &attr);
      int refused = wpr_rights_try (attr.type, attr.config);
      if (refused == EACCES || refused == EPERM)
        refused = wpr_rights_try_own (attr.type, attr.config, FALSE);
      wpr_machine_set_event (machine, counter->event,
                             refused == 0                            ? WPR_HAVE_YES
                             : refused == EACCES || refused == EPERM ? WPR_HAVE_UNKNOWN
                                                                     : WPR_HAVE_NO);
    }
}

/* Whether functions can be probed; which of them a kernel has is seen when they are. */
static void
wpr_probe_functions (WprMachine *machine)
{
  int refusal = wpr_kprobe_refusal ();
  for (guint i = 0; wpr_kprobe_function (i) != NULL; i++)
    {
      g_autofree char *name = g_strdup_printf ("kprobe:%s", wpr_kprobe_function (i));
      wpr_machine_set_event (machine, name,
                             refusal == 0        ? WPR_HAVE_YES
                             : refusal == EACCES ? WPR_HAVE_REFUSED
                                                 : WPR_HAVE_NO);
    }
}

void
wpr_kernel_probe (WprSource *source, WprMachine *machine)
{
  struct utsname name;
  if (uname (&name) == 0)
    wpr_machine_set_kernel (machine, name.release);
  guint possible = wpr_cpus_possible ();
  if (possible > 0)
    wpr_machine_set_max_possible_cpu (machine, possible - 1);
  wpr_machine_set_has_pmu (machine, wpr_probe_pmu ());
  wpr_probe_processor (machine);
  wpr_probe_functions (machine);
  gboolean is_listed = wpr_probe_events (machine);
  if (!is_listed)
    wpr_machine_set_default (machine, WPR_HAVE_UNKNOWN);
  if (wpr_machine_get_has_pmu (machine))
    wpr_probe_counters (machine);
  for (guint i = 0; i < G_N_ELEMENTS (refused_events); i++)
    if (wpr_machine_get_event (machine, refused_events[i]) == WPR_HAVE_YES)
      wpr_machine_set_event (machine, refused_events[i], WPR_HAVE_REFUSED);
}
