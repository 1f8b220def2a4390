/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ladder: which rights this process has, found by trying each from the top, and the sentences
 * that say why it is not a higher one and what helps. Opens inert events for a moment, nothing
 * else. */
#include "config.h"
#include "source/rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <glib/gi18n-lib.h>

#include "base/files.h"
#include "perf/event.h"

/* ---- trying ---- */

static int
wpr_rights_open (struct perf_event_attr *attr, int task, int cpu)
{
  attr->size = sizeof *attr;
  attr->disabled = 1;
  long fd = syscall (SYS_perf_event_open, attr, task, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    return errno;
  close ((int)fd);
  return 0;
}

static int
wpr_rights_open_everywhere (struct perf_event_attr *attr)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  return wpr_rights_open (attr, -1, cpus->len > 0 ? (int)g_array_index (cpus, guint, 0) : 0);
}

int
wpr_rights_try (guint32 type, guint64 config)
{
  struct perf_event_attr attr = { .type = type, .config = config, .sample_period = 1000000 };
  return wpr_rights_open_everywhere (&attr);
}

int
wpr_rights_try_own (guint32 type, guint64 config, gboolean with_kernel)
{
  struct perf_event_attr attr = { .type = type,
                                  .config = config,
                                  .sample_period = 1000000,
                                  .exclude_kernel = !with_kernel,
                                  .exclude_hv = !with_kernel };
  return wpr_rights_open (&attr, 0, -1);
}

/* A tracepoint with its data. -1: its number cannot be read. */
static int
wpr_rights_try_tracepoint (void)
{
  int id = wpr_tracefs_path () ? wpr_tracefs_id ("sched:sched_switch") : -1;
  struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT,
                                  .config = (guint64)MAX (id, 0),
                                  .sample_period = 1,
                                  .sample_type = PERF_SAMPLE_RAW };
  return id < 0 ? -1 : wpr_rights_open_everywhere (&attr);
}

/* ---- why ---- */

static guint64
wpr_rights_capabilities (void)
{
  g_autofree char *status = wpr_read_small ("/proc/self/status", 16384, NULL);
  const char *at = status ? strstr (status, "\nCapEff:") : NULL;
  return at ? g_ascii_strtoull (at + strlen ("\nCapEff:"), NULL, 16) : 0;
}

static gboolean
wpr_rights_is_privileged (void)
{
  guint64 capabilities = wpr_rights_capabilities ();
  return (capabilities & (G_GUINT64_CONSTANT (1) << CAP_PERFMON))
         || (capabilities & (G_GUINT64_CONSTANT (1) << CAP_SYS_ADMIN));
}

static int
wpr_rights_paranoid (void)
{
  g_autofree char *text = wpr_read_small ("/proc/sys/kernel/perf_event_paranoid", 32, NULL);
  return text ? (int)g_ascii_strtoll (text, NULL, 10) : 2;
}

static char *
wpr_rights_say_refused (int refused)
{
  if (refused == ENOSYS)
    return g_strdup (_ ("This kernel was built without performance events (CONFIG_PERF_EVENTS), "
                        "so nothing of the system can be recorded. Another kernel is needed."));
  if (wpr_rights_is_privileged ())
    return g_strdup_printf (
        _ ("The kernel refuses performance events also to this privileged process: %s. A container "
           "or a security policy (seccomp, lockdown) forbids them; record outside of it."),
        g_strerror (refused));
  return NULL;
}

static char *
wpr_rights_say_none (int refused)
{
  char *text = wpr_rights_say_refused (refused);
  if (text)
    return text;
  return g_strdup_printf (
      _ ("This user may not record anything (kernel.perf_event_paranoid is %d: %s). Record as "
         "administrator (sudo wpr -start ...), or let one give the recorder the right once: sudo "
         "setcap cap_perfmon,cap_ipc_lock,cap_dac_read_search,cap_sys_ptrace=ep on the wpr "
         "program."),
      wpr_rights_paranoid (), g_strerror (refused));
}

static char *
wpr_rights_say_own (int refused)
{
  char *text = wpr_rights_say_refused (refused);
  return text ? text
              : g_strdup (_ (
                  "Recording the whole system is not permitted to this user. Record as "
                  "administrator "
                  "(sudo wpr -start ...), or let one give the recorder the right once: sudo setcap "
                  "cap_perfmon,cap_ipc_lock,cap_dac_read_search,cap_sys_ptrace=ep on the wpr "
                  "program."));
}

/* The rights would do, or the numbers are closed, or both. */
static char *
wpr_rights_say_system (int refused)
{
  if (refused < 0 && (wpr_rights_is_privileged () || wpr_rights_paranoid () < 0))
    return g_strdup (
        _ ("The kernel's list of events (tracefs, /sys/kernel/tracing) cannot be read. Record as "
           "administrator (sudo wpr -start ...), or let one give the wpr program "
           "cap_dac_read_search."));
  return g_strdup (
      _ ("The data of the kernel's events is not permitted to this user. Record as administrator "
         "(sudo "
         "wpr -start ...), or let one give the recorder the right once: sudo setcap "
         "cap_perfmon,cap_ipc_lock,cap_dac_read_search,cap_sys_ptrace=ep on the wpr program."));
}

/* ---- the ladder ---- */

void
wpr_rights_probe (WprRightsFound *found)
{
  *found = (WprRightsFound){ .rights = WPR_RIGHTS_NONE };
  int refused = wpr_rights_try (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
  if (refused == 0)
    {
      int tracepoint = wpr_rights_try_tracepoint ();
      found->rights = tracepoint == 0 ? WPR_RIGHTS_FULL : WPR_RIGHTS_SYSTEM;
      found->sees_kernel = TRUE;
      found->text = tracepoint == 0 ? NULL : wpr_rights_say_system (tracepoint);
      return;
    }
  int own = wpr_rights_try_own (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, FALSE);
  if (own != 0)
    {
      found->text = wpr_rights_say_none (own);
      return;
    }
  found->rights = WPR_RIGHTS_OWN;
  found->sees_kernel = wpr_rights_try_own (PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, TRUE) == 0;
  found->own_threads = wpr_own_threads_count (getuid ());
  found->text = wpr_rights_say_own (refused);
}

void
wpr_rights_found_clear (WprRightsFound *found)
{
  g_clear_pointer (&found->text, g_free);
}
