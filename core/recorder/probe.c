/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine, asked of all sources: by this process, or by the program that would record, which
 * may have rights of its own (file capabilities) where a window has none. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "profile/machine.h"
#include "recorder/spawn.h"
#include "recorder/unlock.h"
#include "source/rights.h"
#include "source/source.h"
#include "wpr-recorder.h"

WprMachine *
wpr_machine_probe (void)
{
  g_auto (WprRightsFound) found = { 0 };
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  guint64 memory = (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE);
  wpr_rights_probe (&found);
  WprMachine *machine = wpr_machine_new (MAX (cpus->len, 1), memory, found.rights);
  wpr_machine_set_sees_kernel (machine, found.sees_kernel);
  wpr_machine_set_own_threads (machine, found.own_threads);
  if (found.text)
    wpr_machine_set_rights_text (machine, found.text);
  if (found.rights != WPR_RIGHTS_FULL)
    wpr_machine_set_unlock (machine, wpr_unlock_probe ());
  g_autoptr (GPtrArray) sources = wpr_sources_new ();
  for (guint i = 0; i < sources->len; i++)
    wpr_source_probe (g_ptr_array_index (sources, i), machine);
  return machine;
}

int
wpr_recorder_host_probe (void)
{
  g_autoptr (WprMachine) machine = wpr_machine_probe ();
  g_autoptr (GVariant) variant = g_variant_ref_sink (wpr_machine_to_variant (machine));
  g_autofree char *text = g_variant_print (variant, TRUE);
  return puts (text) >= 0 ? 0 : WPR_ERROR_INTERNAL;
}

/* What the program says of itself; NULL if it says nothing that is understood. */
static WprMachine *
wpr_probe_program (const char *program)
{
  g_autofree char *text = NULL;
  const char *argv[] = { program, "--probe", NULL };
  int status = 0;
  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text, NULL,
                     &status, NULL)
      || status != 0)
    return NULL;
  g_autoptr (GVariant) variant
      = g_variant_parse (G_VARIANT_TYPE_VARDICT, g_strstrip (text), NULL, NULL, NULL);
  return variant != NULL ? wpr_machine_from_variant (variant) : NULL;
}

WprMachine *
wpr_machine_probe_recorder (void)
{
  g_autoptr (WprMachine) own = wpr_machine_probe ();
  if (wpr_machine_get_rights (own) == WPR_RIGHTS_FULL)
    return g_steal_pointer (&own);
  g_autofree char *program = wpr_spawn_find_program (NULL);
  /* without rights of its own it knows no more than this process */
  if (program == NULL || getxattr (program, "security.capability", NULL, 0) <= 0)
    return g_steal_pointer (&own);
  g_autoptr (WprMachine) recorders = wpr_probe_program (program);
  if (recorders != NULL && wpr_machine_get_rights (recorders) == WPR_RIGHTS_FULL)
    return g_steal_pointer (&recorders);
  return g_steal_pointer (&own);
}
