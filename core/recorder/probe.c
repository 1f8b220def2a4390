/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine, asked of all sources. */
#include "config.h"

#include <unistd.h>

#include "source/rights.h"
#include "source/source.h"

WprMachine *
wpr_machine_probe (void)
{
  g_autofree char *text = NULL;
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  guint64 memory = (guint64)sysconf (_SC_PHYS_PAGES) * (guint64)sysconf (_SC_PAGESIZE);
  WprRights rights = wpr_rights_probe (&text);
  WprMachine *machine = wpr_machine_new (MAX (cpus->len, 1), memory, rights);
  if (text)
    wpr_machine_set_rights_text (machine, text);
  g_autoptr (GPtrArray) sources = wpr_sources_new ();
  for (guint i = 0; i < sources->len; i++)
    wpr_source_probe (g_ptr_array_index (sources, i), machine);
  return machine;
}
