/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The manifest of a recording: what it says of the machine, the plan and who began it. Collectors,
 * events and ids are added by the sources. */
#include "config.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/files.h"
#include "recorder/local.h"

/* MHz: what the processor is made for, else what it runs at now; 0 not known. */
static guint32
wpr_manifest_mhz (void)
{
  g_autofree char *max
      = wpr_read_small ("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", 32, NULL);
  if (max)
    return (guint32)(g_ascii_strtoull (max, NULL, 10) / 1000);
  g_autofree char *info = wpr_read_small ("/proc/cpuinfo", 65536, NULL);
  const char *at = info ? strstr (info, "cpu MHz") : NULL;
  at = at ? strchr (at, ':') : NULL;
  return at ? (guint32)g_ascii_strtod (at + 1, NULL) : 0;
}

/* Interval of the samples, for the file's CollectionStart. */
static gint64
wpr_manifest_sample_interval (const WprPlan *plan)
{
  for (guint c = 0; c < plan->collectors->len; c++)
    {
      const WprPlanCollector *collector = g_ptr_array_index (plan->collectors, c);
      for (guint i = 0; i < collector->items->len; i++)
        {
          const WprPlanItem *item = g_ptr_array_index (collector->items, i);
          gboolean timer = item->kind == WPR_ITEM_SOFTWARE && strcmp (item->name, "cpu-clock") == 0;
          if (!timer && item->kind != WPR_ITEM_HARDWARE)
            continue;
          if (item->interval_ns > 0)
            return (gint64)item->interval_ns;
          if (timer)
            return (gint64)item->period;
        }
    }
  return 0;
}

WprManifest *
wpr_local_manifest (WprLocal *local, const char *program)
{
  WprManifest *m = wpr_manifest_new ();
  const WprPlan *plan = local->plan;
  struct utsname name;
  g_autofree char *boot_id = wpr_read_small ("/proc/sys/kernel/random/boot_id", 64, NULL);
  m->instance = g_strdup (local->instance);
  m->tool_version = g_strdup (WPR_VERSION);
  m->host = g_strdup (g_get_host_name ());
  m->kernel = g_strdup (uname (&name) == 0 ? name.release : "");
  m->boot_id = g_strdup (boot_id ? g_strchomp (boot_id) : "");
  m->program = g_strdup (program ? program : "");
  g_mutex_lock (&local->lock);
  m->user = g_strdup (local->user ? local->user : g_get_user_name ());
  g_mutex_unlock (&local->lock);
  m->rights = g_strdup (wpr_rights_name (plan->rights));
  m->plan_text = wpr_plan_to_text (plan);
  m->plan_json = wpr_plan_to_json (plan);
  for (guint i = 0; i < plan->profiles->len; i++)
    g_ptr_array_add (m->profiles, g_strdup (g_ptr_array_index (plan->profiles, i)));
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = g_ptr_array_index (plan->missing, i);
      g_ptr_array_add (m->missing, g_strdup_printf ("%s: %s", missing->what, missing->text));
    }
  m->mode = plan->mode;
  m->level = plan->level;
  m->n_cpus = wpr_machine_get_n_cpus (local->machine);
  m->max_possible_cpu = wpr_machine_get_max_possible_cpu (local->machine);
  m->cpu_mhz = wpr_manifest_mhz ();
  m->memory_bytes = wpr_machine_get_memory (local->machine);
  m->page_size = (guint64)sysconf (_SC_PAGESIZE);
  m->sample_interval_ns = wpr_manifest_sample_interval (plan);
  m->stack_cache_kb = plan->stack_cache_kb;
  m->recorder_pid = (guint32)getpid ();
  m->part_bytes = plan->part_bytes;
  return m;
}

static gboolean
wpr_manifest_lists (const GPtrArray *texts, const char *text)
{
  for (guint i = 0; i < texts->len; i++)
    if (g_str_equal (g_ptr_array_index (texts, i), text))
      return TRUE;
  return FALSE;
}

void
wpr_manifest_replan (WprManifest *m, const WprPlan *plan)
{
  g_free (m->plan_text);
  g_free (m->plan_json);
  m->plan_text = wpr_plan_to_text (plan);
  m->plan_json = wpr_plan_to_json (plan);
  for (guint i = 0; i < plan->profiles->len; i++)
    if (!wpr_manifest_lists (m->profiles, g_ptr_array_index (plan->profiles, i)))
      g_ptr_array_add (m->profiles, g_strdup (g_ptr_array_index (plan->profiles, i)));
  for (guint i = 0; i < plan->missing->len; i++)
    {
      const WprPlanMissing *missing = g_ptr_array_index (plan->missing, i);
      char *text = g_strdup_printf ("%s: %s", missing->what, missing->text);
      if (wpr_manifest_lists (m->missing, text))
        g_free (text);
      else
        g_ptr_array_add (m->missing, text);
    }
  m->level = MIN (m->level, (guint32)plan->level); /* verbose is the lower number */
  if (m->sample_interval_ns == 0)
    m->sample_interval_ns = wpr_manifest_sample_interval (plan);
}

static void
wpr_manifest_copy_strings (GPtrArray *to, const GPtrArray *from)
{
  for (guint i = 0; i < from->len; i++)
    g_ptr_array_add (to, g_strdup (g_ptr_array_index (from, i)));
}

static void
wpr_manifest_copy_tables (WprManifest *to, const WprManifest *from)
{
  for (guint i = 0; i < from->collectors->len; i++)
    {
      WprStoreCollector c = g_array_index (from->collectors, WprStoreCollector, i);
      c.name = g_strdup (c.name);
      c.session = g_strdup (c.session);
      g_array_append_val (to->collectors, c);
    }
  for (guint i = 0; i < from->events->len; i++)
    {
      WprStoreEvent e = g_array_index (from->events, WprStoreEvent, i);
      e.name = g_strdup (e.name);
      e.format = g_strdup (e.format);
      g_array_append_val (to->events, e);
    }
  g_array_append_vals (to->ids, from->ids->data, from->ids->len);
}

WprManifest *
wpr_manifest_copy (const WprManifest *from)
{
  WprManifest *to = wpr_manifest_new ();
  WprManifest own = *to;
  *to = *from;
  to->profiles = own.profiles;
  to->missing = own.missing;
  to->collectors = own.collectors;
  to->events = own.events;
  to->ids = own.ids;
  to->instance = g_strdup (from->instance);
  to->tool_version = g_strdup (from->tool_version);
  to->host = g_strdup (from->host);
  to->kernel = g_strdup (from->kernel);
  to->boot_id = g_strdup (from->boot_id);
  to->program = g_strdup (from->program);
  to->user = g_strdup (from->user);
  to->rights = g_strdup (from->rights);
  to->plan_text = g_strdup (from->plan_text);
  to->plan_json = g_strdup (from->plan_json);
  wpr_manifest_copy_strings (to->profiles, from->profiles);
  wpr_manifest_copy_strings (to->missing, from->missing);
  wpr_manifest_copy_tables (to, from);
  return to;
}

char *
wpr_local_raw_parent (const WprChoice *choice, GError **error)
{
  if (choice->record_to && *choice->record_to)
    return g_strdup (choice->record_to);
  return wpr_raw_dir (error);
}
