/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of elements and attributes. Names and order are the format's (XSD of WPT 10.0.25145).
 */
#include "config.h"
#include "profile/schema.h"

#include <string.h>

/* The buffer group of collectors and of references to them. */
#define BUFFERS \
  "BufferSize? Buffers? StackCaching? MaximumFileSize? FileMax? FlushTimer? FlushThreshold?"
/* What a reference to a provider may change about it. */
#define STATES "CaptureStateOnStart* CaptureStateOnSave* CaptureStateOnDemand*"

static const WprElement elements[] = {
  { "WindowsPerformanceRecorder", "Version! Author Team Copyright Company Comments Tag",
    "Profiles? TraceMergeProperties* OnOffTransitionConfigurations?" },
  { "Profiles", "",
    "SystemCollector* EventCollector* HeapEventCollector* HypervisorEventCollector* "
    "SystemProvider* MicroArchitecturalConfig* HardwareCounter* EventProvider* HeapEventProvider* "
    "Profile+ TraceMergeProperties*" },

  { "SystemCollector", "Id! Base Name Realtime HostGuestCorrelation", BUFFERS },
  { "EventCollector", "Id! Name! Base Realtime HostGuestCorrelation Private ProcessPrivate Secure",
    BUFFERS },
  { "HeapEventCollector", "Id! Name! Base Realtime HostGuestCorrelation Secure", BUFFERS },
  { "HypervisorEventCollector", "Id! Name! Base Realtime HostGuestCorrelation MergeAlone",
    "BufferSize? BuffersPerCPU? MaximumFileSize? FileMax?" },
  { "BufferSize", "Value! Operation", "" },
  { "Buffers", "Value! PercentageOfTotalMemory MaximumBufferSpace MinimumRundownSpace Operation",
    "" },
  { "BuffersPerCPU", "Value! Operation", "" },
  { "StackCaching", "BucketCount! CacheSize! Operation", "" },
  { "MaximumFileSize", "Value! FileMode Operation", "" },
  { "FileMax", "Value! Operation", "" },
  { "FlushTimer", "Value! Operation", "" },
  { "FlushThreshold", "Value! Operation", "" },

  { "SystemProvider", "Id! Base SuppressHighVolume", "Keywords* " STATES " Stacks* PoolTags*" },
  { "Keywords", "Operation", "Keyword+ CustomKeyword*" },
  { "Keyword", "Value! Strict", "" },
  { "CustomKeyword", "Value! Strict", "" },
  { "CaptureStateOnStart", "Operation Timeout RundownFlag", "Keyword+ CustomKeyword*" },
  { "CaptureStateOnSave", "Operation Timeout RundownFlag", "Keyword+ CustomKeyword*" },
  { "CaptureStateOnDemand", "Operation Timeout RundownFlag", "Keyword+ CustomKeyword*" },
  { "Stacks", "Operation", "Stack* CustomStack*" },
  { "Stack", "Value! Strict", "" },
  { "CustomStack", "Value!", "" },
  { "PoolTags", "Operation", "PoolTag+" },
  { "PoolTag", "Value!", "" },

  { "MicroArchitecturalConfig", "Id! Base Strict", "ProfileSources*" },
  { "ProfileSources", "Architecture! Family Model Stepping Description", "ProfileSource+" },
  { "ProfileSource", "Name! Event! Unit Interval AllowsHalt Persist ExtendedBits", "" },
  { "HardwareCounter", "Id! Base Strict",
    "MicroArchitecturalConfigId? Counters* Events* SampledCounters* LastBranch? ProcessorTrace?" },
  { "MicroArchitecturalConfigId", "Value!", "" },
  { "Counters", "Operation", "Counter+" },
  { "Counter", "Value!", "" },
  { "Events", "Operation", "Event+" },
  { "Event", "Value!", "" },
  { "SampledCounters", "Operation", "SampledCounter+" },
  { "SampledCounter", "Value! Interval", "" },
  { "LastBranch", "", "Events* LastBranchFilters*" },
  { "LastBranchFilters", "Operation", "LastBranchFilterOut*" },
  { "LastBranchFilterOut", "Value!", "" },
  { "ProcessorTrace", "", "BufferSize? CodeMode? Events*" },
  { "CodeMode", "Value!", "" },

  { "EventProvider",
    "Id! Name! Base Level Stack NonPagedMemory Strict CaptureStateOnly SID TSID ProcessExeFilter "
    "EventKey ExcludeInPrivate EnableSilos ContainerId",
    "Keywords* " STATES " Stacks* EventFilters? StackFilters? EventNameFilters? "
    "StackEventNameFilters? StackKeywordLevelFilter? CustomFilter?" },
  { "EventFilters", "FilterIn! Operation", "EventId*" },
  { "StackFilters", "FilterIn! Operation", "EventId*" },
  { "EventId", "Value!", "" },
  { "EventNameFilters", "FilterIn! Level Operation", "Keyword* EventName*" },
  { "StackEventNameFilters", "FilterIn! Level Operation", "Keyword* EventName*" },
  { "EventName", "Value!", "" },
  { "StackKeywordLevelFilter", "FilterIn! Level Operation", "Keyword*" },
  { "CustomFilter", "Value! Type", "" },
  { "HeapEventProvider", "Id! Base", "HeapProcessIds?" },
  { "HeapProcessIds", "Operation", "HeapProcessId+" },
  { "HeapProcessId", "Value!", "" },

  { "Profile", "Id! Name! Description! LoggingMode! DetailLevel! Base Internal Default Strict",
    "ProblemCategories* Collectors* TraceMergeProperties?" },
  { "ProblemCategories", "Operation", "ProblemCategory+" },
  { "ProblemCategory", "Value!", "" },
  { "Collectors", "Operation",
    "SystemCollectorId? EventCollectorId* HeapEventCollectorId* HypervisorEventCollectorId*" },
  { "SystemCollectorId", "Value!",
    BUFFERS " SystemProviderId? SystemProvider? HardwareCounterId? HardwareCounter? "
            "EventProviders*" },
  { "EventCollectorId", "Value!", BUFFERS " EventProviders*" },
  { "HeapEventCollectorId", "Value!", BUFFERS " HeapEventProviders*" },
  { "HypervisorEventCollectorId", "Value!",
    "BufferSize? BuffersPerCPU? MaximumFileSize? FileMax? EventProviders*" },
  { "SystemProviderId", "Value!", "Keywords* " STATES " Stacks* PoolTags*" },
  { "HardwareCounterId", "Value!", "" },
  { "EventProviders", "Operation", "EventProviderId* EventProvider*" },
  { "EventProviderId", "Value!", "Keywords* " STATES },
  { "HeapEventProviders", "Operation", "HeapEventProviderId* HeapEventProvider*" },
  { "HeapEventProviderId", "Value!", "HeapProcessIds?" },

  { "TraceMergeProperties", "Operation", "TraceMergeProperty+" },
  { "TraceMergeProperty", "Id! Name! Base",
    "DeletePreMergedTraceFiles? FileCompression? InjectOnly? SkipMerge? CustomEvents?" },
  { "DeletePreMergedTraceFiles", "Value!", "" },
  { "FileCompression", "Value!", "" },
  { "InjectOnly", "Value!", "" },
  { "SkipMerge", "Value!", "" },
  { "CustomEvents", "Operation", "CustomEvent+" },
  { "CustomEvent", "Value!", "" },

  { "OnOffTransitionConfigurations", "", "OnOffTransitionConfiguration+" },
  { "OnOffTransitionConfiguration", "Id! Name! Type!",
    "PrepareSystem? NumberOfRuns? PostBootDelay? WakeupDelay? TransitionTag?" },
  { "PrepareSystem", "Value!", "" },
  { "NumberOfRuns", "Value!", "" },
  { "PostBootDelay", "Value!", "" },
  { "WakeupDelay", "Value!", "" },
  { "TransitionTag", "Value!", "" },
};

const WprElement *
wpr_schema_find (const char *name, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS (elements); i++)
    if (strncmp (elements[i].name, name, size) == 0 && elements[i].name[size] == '\0')
      return &elements[i];
  return NULL;
}

const WprElement *
wpr_schema_root (void)
{
  return &elements[0];
}

/* Finds `name` as a whole word of a list; NULL if it is not there. */
static const char *
wpr_schema_word (const char *list, const char *name)
{
  gsize size = strlen (name);
  if (size == 0)
    return NULL;
  for (const char *found = strstr (list, name); found != NULL; found = strstr (found + 1, name))
    if ((found == list || found[-1] == ' ') && !g_ascii_isalnum (found[size]))
      return found;
  return NULL;
}

gboolean
wpr_schema_has_child (const WprElement *element, const char *child)
{
  return wpr_schema_word (element->children, child) != NULL;
}

const char *
wpr_schema_attribute (const WprElement *element, const char *name)
{
  if (wpr_schema_word (element->attributes, name) == NULL)
    return NULL;
  return g_intern_string (name);
}

const char *
wpr_schema_next_name (const char *list, char *name, char *mark)
{
  while (*list == ' ')
    list++;
  if (*list == '\0')
    return NULL;
  gsize size = strcspn (list, " !?*+");
  g_assert (size < 64);
  memcpy (name, list, size);
  name[size] = '\0';
  *mark = list[size] == ' ' ? '\0' : list[size];
  return list + size + (*mark != '\0');
}
