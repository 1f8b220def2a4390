/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of elements. Names, order and counts are the format's (XSD of WPT 10.0.25145); ranges
 * are narrower where a value the XSD lets through could not be recorded. schema-compile.c makes
 * rules of it, value-types.c has what stands behind the ':'.
 *
 * Attributes: NAME[!]:TYPE[=FALLBACK], "!" if it must be there.
 * Children: NAME[/KIND]MARK; "?" at most once, "*" any number, "+" at least once, "{2,4}",
 * nothing: exactly once. A "|" in front: in any order, at least one of them. */
#include "config.h"
#include "profile/schema-rows.h"

#define BUFFERS \
  "BufferSize? Buffers? StackCaching? MaximumFileSize? FileMax? FlushTimer? FlushThreshold?"
#define HYPERVISOR_BUFFERS "BufferSize? BuffersPerCPU? MaximumFileSize? FileMax?"
#define OPERATION "Operation:operation=Set"
#define SYSTEM_STATES(name) name "/System" name "*"
#define COLLECTOR "Realtime:boolean=false HostGuestCorrelation:boolean=false"
#define COUNTER_PARTS "Counters* Events* SampledCounters* LastBranch? ProcessorTrace?"
#define FILTERS \
  "EventFilters? StackFilters? EventNameFilters? StackEventNameFilters? StackKeywordLevelFilter?"

const WprElementRow wpr_schema_rows[] = {
  { "WindowsPerformanceRecorder", NULL,
    "Version!:float Author:text Team:text Copyright:text Company:text Comments:text Tag:text",
    "Profiles? TraceMergeProperties* OnOffTransitionConfigurations?",
    "The outermost element of every profile file." },
  { "Profiles", NULL, "",
    "SystemCollector* EventCollector* HeapEventCollector* HypervisorEventCollector* "
    "SystemProvider* MicroArchitecturalConfig* HardwareCounter* EventProvider* HeapEventProvider* "
    "Profile+",
    "Definitions first, then the profiles that use them." },

  { "SystemCollector", NULL, "Id!:id Base:text Name:text " COLLECTOR, BUFFERS,
    "Buffers for events of the kernel." },
  { "EventCollector", NULL,
    "Id!:id Base:text Name!:text " COLLECTOR
    " Private:boolean=false ProcessPrivate:boolean=false Secure:boolean=false",
    BUFFERS, "Buffers for events of programs; on Linux also for single tracepoints." },
  { "HeapEventCollector", NULL, "Id!:id Base:text Name!:text " COLLECTOR " Secure:boolean=true",
    BUFFERS, "Buffers for events of heaps." },
  { "HypervisorEventCollector", NULL,
    "Id!:id Base:text Name!:text " COLLECTOR " MergeAlone:boolean=false", HYPERVISOR_BUFFERS,
    "Buffers for events of the hypervisor." },
  { "BufferSize", NULL, OPERATION " Value!:kb=128", "", "Size of one buffer." },
  { "Buffers", NULL,
    OPERATION " Value!:decimal=64 PercentageOfTotalMemory:boolean=false "
              "MinimumRundownSpace:short MaximumBufferSpace:mb",
    "", "How many buffers, or how much of the memory they take." },
  { "BuffersPerCPU", NULL, OPERATION " Value!:decimal", "", "Buffers of each CPU." },
  { "StackCaching", NULL, "BucketCount!:uint CacheSize!:uint", "",
    "Writes each distinct call stack once." },
  { "MaximumFileSize", NULL, OPERATION " Value!:file-mb FileMode:file-mode=Circular", "",
    "The largest the file may become; file mode only." },
  { "FileMax", NULL, OPERATION " Value!:file-max", "", "How many files of that size are kept." },
  { "FlushTimer", NULL, OPERATION " Value!:seconds", "",
    "What was recorded is on the disk for good at most so many seconds later; file mode only." },
  { "FlushThreshold", NULL, OPERATION " Value!:uint", "",
    "The same each time so many buffers are full; file mode only." },

  { "SystemProvider", NULL, "Id!:id Base:text SuppressHighVolume:boolean=false",
    "Keywords/SystemKeywords* " SYSTEM_STATES ("CaptureStateOnStart") " " SYSTEM_STATES (
        "CaptureStateOnSave") " " SYSTEM_STATES ("CaptureStateOnDemand") " Stacks* PoolTags*",
    "Which events of the kernel are recorded." },
  { "Keywords", "SystemKeywords", OPERATION, "Keyword/SystemKeyword+ CustomKeyword*",
    "Groups of kernel events." },
  { "Keyword", "SystemKeyword", "Value!:keyword Strict:boolean=false", "",
    "One group of kernel events." },
  { "CustomKeyword", NULL, "Value!:hex Strict:boolean=false", "",
    "A bare group mask, which means something to Windows only." },
  { "CaptureStateOnStart", "SystemCaptureStateOnStart", OPERATION,
    "Keyword/StateKeyword+ CustomKeyword/CustomStateKeyword*",
    "State that is written when the recording begins." },
  { "CaptureStateOnSave", "SystemCaptureStateOnSave", OPERATION,
    "Keyword/StateKeyword+ CustomKeyword/CustomStateKeyword*",
    "State that is written when the recording is saved." },
  { "CaptureStateOnDemand", "SystemCaptureStateOnDemand", OPERATION,
    "Keyword/StateKeyword+ CustomKeyword/CustomStateKeyword*",
    "State that is written when somebody asks for it." },
  { "Keyword", "StateKeyword", "Value!:keyword Strict:boolean=false RundownFlag!:rundown", "",
    "State of one group of kernel events." },
  { "CustomKeyword", "CustomStateKeyword", "Value!:hex Strict:boolean=false RundownFlag!:rundown",
    "", "A bare group mask, which means something to Windows only." },
  { "Stacks", NULL, OPERATION, "| Stack* CustomStack*",
    "Kernel events that are recorded with their call stack." },
  { "Stack", NULL, "Value!:stack Strict:boolean=false", "", "One of them." },
  { "CustomStack", NULL, "Value!:hex-or-dec", "",
    "A bare event number, which means something to Windows only." },
  { "PoolTags", NULL, OPERATION, "PoolTag{1,4}",
    "Kernel memory that is watched: on Linux the first letters of a slab cache's name." },
  { "PoolTag", NULL, "Value!:pool-tag", "", "One to four letters; * stands for any." },

  { "MicroArchitecturalConfig", NULL, "Id!:id Base:text Strict:boolean=false", "ProfileSources*",
    "Names for counters of certain processors." },
  { "ProfileSources", NULL,
    "Architecture!:architecture Family:integer Model:integer Stepping:integer Description:text",
    "ProfileSource+", "The counters of one processor." },
  { "ProfileSource", NULL,
    "Name!:text Event!:hex-or-dec Unit:hex-or-dec Interval:hex-or-dec AllowsHalt:boolean=false "
    "Persist:boolean=false ExtendedBits:hex-or-dec",
    "", "One counter: a name for an event and a unit mask." },
  { "HardwareCounter", NULL, "Id!:id Base:text Strict:boolean=false",
    "MicroArchitecturalConfigId? " COUNTER_PARTS, "Counters of the processor." },
  { "MicroArchitecturalConfigId", NULL, "Value!:id", "ProfileSources*",
    "Where names of counters come from." },
  { "Counters", NULL, OPERATION, "Counter+", "Counters that are read at events." },
  { "Counter", NULL, "Value!:text", "", "A counter's name." },
  { "Events", NULL, OPERATION, "Event{1,4}", "Events at which they are read." },
  { "Event", NULL, "Value!:stack Strict:boolean=false", "", "One of them." },
  { "SampledCounters", NULL, OPERATION, "SampledCounter+",
    "Counters that take a sample each time they have counted so far." },
  { "SampledCounter", NULL, "Value!:text Interval:interval", "",
    "A counter's name, and how far it counts from sample to sample." },
  { "LastBranch", NULL, "", "Events* LastBranchFilters*", "The processor's last branches." },
  { "LastBranchFilters", NULL, OPERATION, "LastBranchFilterOut*", "Branches that do not count." },
  { "LastBranchFilterOut", NULL, "Value!:branch", "", "One kind of them." },
  { "ProcessorTrace", NULL, "", "BufferSize/TraceBufferSize CodeMode Events*",
    "The processor's own trace." },
  { "BufferSize", "TraceBufferSize", "Value!:trace-size", "", "Size of its buffer." },
  { "CodeMode", NULL, "Value!:code-mode", "", "Which code it traces." },

  { "EventProvider", NULL,
    "Id!:id Name!:text Base:text NonPagedMemory:boolean=false Stack:boolean=false "
    "SID:boolean=false TSID:boolean=false Level:byte=0 CaptureStateOnly:boolean=false "
    "Strict:boolean=false ProcessExeFilter:text EventKey:boolean=false "
    "ExcludeInPrivate:boolean=false EnableSilos:boolean=false ContainerId:boolean=false",
    "Keywords* CaptureStateOnStart* CaptureStateOnSave* CaptureStateOnDemand* "
    "Stacks/ProviderStacks* " FILTERS " CustomFilter?",
    "A provider of events: a Windows name or GUID that providers.ini leads somewhere, or "
    "tracepoint:SYSTEM:NAME." },
  { "Keywords", NULL, OPERATION, "Keyword+",
    "The provider's groups of events; none or 0x0: all of them." },
  { "Keyword", NULL, "Value!:text", "", "A mask such as 0x10; several are united." },
  { "CaptureStateOnStart", NULL, OPERATION " Timeout:timeout", "Keyword+",
    "State that is written when the recording begins." },
  { "CaptureStateOnSave", NULL, OPERATION " Timeout:timeout", "Keyword+",
    "State that is written when the recording is saved." },
  { "CaptureStateOnDemand", NULL, OPERATION " Timeout:timeout", "Keyword+",
    "State that is written when somebody asks for it." },
  { "Stacks", "ProviderStacks", OPERATION, "| Stack* CustomStack*",
    "Kernel events that are recorded with their call stack." },
  { "EventFilters", NULL, "FilterIn!:boolean " OPERATION, "EventId{0,64}",
    "Only these events, or all but these, by number." },
  { "StackFilters", NULL, "FilterIn!:boolean " OPERATION, "EventId{0,64}",
    "Call stacks of only these events, or of all but these, by number." },
  { "EventId", NULL, "Value!:hex-or-dec", "", "An event's number." },
  { "EventNameFilters", NULL, "FilterIn!:boolean Level:byte Operation:name-operation=Set",
    "Keyword/FilterKeyword* EventName{0,64}", "Only these events, or all but these, by name." },
  { "StackEventNameFilters", NULL, "FilterIn!:boolean Level:byte Operation:name-operation=Set",
    "Keyword/FilterKeyword* EventName{0,64}",
    "Call stacks of only these events, or of all but these, by name." },
  { "Keyword", "FilterKeyword", "Value!:text", "", "A mask such as 0x10." },
  { "EventName", NULL, "Value!:text", "", "An event's name." },
  { "StackKeywordLevelFilter", NULL, "FilterIn!:boolean Level:byte Operation:name-operation=Set",
    "Keyword*", "Call stacks by keyword and level." },
  { "CustomFilter", NULL, "Value!:id Type!:hex-or-dec", "",
    "Bytes that only the provider itself understands." },
  { "HeapEventProvider", NULL, "Id!:id Base:text", "HeapProcessIds?", "Events of heaps." },
  { "HeapProcessIds", NULL, OPERATION, "HeapProcessId{1,2}",
    "Processes whose heaps are recorded." },
  { "HeapProcessId", NULL, "Value!:uint", "", "A process number." },

  { "Profile", NULL,
    "Id!:id Name!:id Description!:text Base:text LoggingMode!:mode DetailLevel!:level "
    "Internal:boolean=false Default:boolean=false",
    "ProblemCategories* Collectors* TraceMergeProperties?",
    "One variant of a profile. Its Id is Name.DetailLevel.LoggingMode." },
  { "ProblemCategories", NULL, OPERATION, "ProblemCategory+", "Where lists show it." },
  { "ProblemCategory", NULL, "Value!:text", "", "One heading." },
  { "Collectors", NULL, OPERATION,
    "SystemCollectorId? EventCollectorId* HeapEventCollectorId* HypervisorEventCollectorId*",
    "What is recorded, and into which buffers." },
  { "SystemCollectorId", NULL, "Value!:id",
    BUFFERS " SystemProviderId? SystemProvider? HardwareCounterId? HardwareCounter? "
            "EventProviders*",
    "Uses a SystemCollector." },
  { "EventCollectorId", NULL, "Value!:id", BUFFERS " EventProviders*", "Uses an EventCollector." },
  { "HeapEventCollectorId", NULL, "Value!:id", BUFFERS " HeapEventProviders*",
    "Uses a HeapEventCollector." },
  { "HypervisorEventCollectorId", NULL, "Value!:id", HYPERVISOR_BUFFERS " EventProviders*",
    "Uses a HypervisorEventCollector." },
  { "SystemProviderId", NULL, "Value!:id",
    "Keywords/SystemKeywords* " SYSTEM_STATES ("CaptureStateOnStart") " " SYSTEM_STATES (
        "CaptureStateOnSave") " Stacks* PoolTags*",
    "Uses a SystemProvider; what stands in it adds to that or replaces it." },
  { "HardwareCounterId", NULL, "Value!:id", COUNTER_PARTS, "Uses a HardwareCounter." },
  { "EventProviders", NULL, OPERATION, "EventProviderId* EventProvider*",
    "Providers whose events go into the collector." },
  { "EventProviderId", NULL, "Value!:id", "Keywords* CaptureStateOnStart* CaptureStateOnSave*",
    "Uses an EventProvider." },
  { "HeapEventProviders", NULL, OPERATION, "HeapEventProviderId* HeapEventProvider*",
    "Heap providers of the collector." },
  { "HeapEventProviderId", NULL, "Value!:id", "HeapProcessIds?", "Uses a HeapEventProvider." },

  { "TraceMergeProperties", NULL, "", "TraceMergeProperty+", "How the file is made in the end." },
  { "TraceMergeProperty", NULL, "Id!:id Name!:text Base:text",
    "DeletePreMergedTraceFiles? FileCompression? InjectOnly? SkipMerge? CustomEvents?",
    "One set of properties." },
  { "DeletePreMergedTraceFiles", NULL, "Value:boolean=true", "",
    "Whether raw recordings go once the file is finished." },
  { "FileCompression", NULL, "Value:boolean=false", "", "Whether the file is compressed." },
  { "InjectOnly", NULL, "Value:boolean=false", "", "Adds to the files without joining them." },
  { "SkipMerge", NULL, "Value:boolean=false", "", "Leaves the raw files as they are." },
  { "CustomEvents", NULL, OPERATION, "CustomEvent+", "What is written into the file besides." },
  { "CustomEvent", NULL, "Value!:custom-event", "", "One kind of it." },

  { "OnOffTransitionConfigurations", NULL, "", "OnOffTransitionConfiguration{1,6}",
    "How starts, shutdowns and standby are recorded." },
  { "OnOffTransitionConfiguration", NULL, "Id!:id Name!:text Type!:transition",
    "PrepareSystem NumberOfRuns PostBootDelay WakeupDelay TransitionTag", "One kind of them." },
  { "PrepareSystem", NULL, "Value!:boolean", "", "Whether the system is prepared by some runs." },
  { "NumberOfRuns", NULL, "Value!:short=3", "", "How often it is recorded." },
  { "PostBootDelay", NULL, "Value!:delay", "", "How long after the start it ends." },
  { "WakeupDelay", NULL, "Value!:delay", "", "How long after waking up it ends." },
  { "TransitionTag", NULL, "Value!:file-part", "", "Part of the file's name." },
  { NULL },
};
