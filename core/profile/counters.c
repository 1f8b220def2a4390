/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters of processors: Windows' names for them, and perf's. */
#include "config.h"
#include "profile/counters.h"

#include <string.h>

/* Windows' generic names first, then perf's own, which a Linux profile may use. */
static const WprCounter rows[] = {
  { "TotalCycles", "cycles" },
  { "UnhaltedCoreCycles", "cycles" },
  { "UnhaltedReferenceCycles", "ref-cycles" },
  { "FsbCycles", "bus-cycles" },
  { "InstructionRetired", "instructions" },
  { "InstructionsRetiredFixed", "instructions" },
  { "UnhaltedCoreCyclesFixed", "cycles" },
  { "UnhaltedReferenceCyclesFixed", "ref-cycles" },
  { "TotalIssues", "instructions" },
  { "BranchInstructions", "branches" },
  { "BranchInstructionRetired", "branches" },
  { "BranchMispredictions", "branch-misses" },
  { "BranchMispredictsRetired", "branch-misses" },
  { "CacheMisses", "cache-misses" },
  { "LLCMisses", "cache-misses" },
  { "LLCReference", "cache-references" },
  { "DcacheMisses", "L1-dcache-load-misses" },
  { "DcacheAccesses", "L1-dcache-loads" },
  { "IcacheMisses", "L1-icache-load-misses" },
  { "IcacheIssues", "L1-icache-loads" },
  { "ITLBMisses", "iTLB-load-misses" },
  { "DTLBMisses", "dTLB-load-misses" },
  { "Timer", "cpu-clock", TRUE },
  { "cycles", "cycles" },
  { "ref-cycles", "ref-cycles" },
  { "bus-cycles", "bus-cycles" },
  { "instructions", "instructions" },
  { "branches", "branches" },
  { "branch-misses", "branch-misses" },
  { "cache-references", "cache-references" },
  { "cache-misses", "cache-misses" },
  { "stalled-cycles-frontend", "stalled-cycles-frontend" },
  { "stalled-cycles-backend", "stalled-cycles-backend" },
  { "L1-dcache-loads", "L1-dcache-loads" },
  { "L1-dcache-load-misses", "L1-dcache-load-misses" },
  { "L1-icache-loads", "L1-icache-loads" },
  { "L1-icache-load-misses", "L1-icache-load-misses" },
  { "LLC-loads", "LLC-loads" },
  { "LLC-load-misses", "LLC-load-misses" },
  { "dTLB-load-misses", "dTLB-load-misses" },
  { "iTLB-load-misses", "iTLB-load-misses" },
  /* Counted by the kernel, on every machine. */
  { "task-clock", "task-clock", TRUE },
  { "cpu-migrations", "cpu-migrations", TRUE },
  { "context-switches", "context-switches", TRUE },
  { "page-faults", "page-faults", TRUE },
  { "minor-faults", "minor-faults", TRUE },
  { "major-faults", "major-faults", TRUE },
  { "alignment-faults", "alignment-faults", TRUE },
  { "emulation-faults", "emulation-faults", TRUE },
};

const WprCounter *
wpr_counter_get (guint index)
{
  return index < G_N_ELEMENTS (rows) ? &rows[index] : NULL;
}

const WprCounter *
wpr_counter_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_ascii_strcasecmp (rows[i].name, name) == 0)
      return &rows[i];
  return NULL;
}
