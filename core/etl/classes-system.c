/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of the kernel's classes: the trace itself, processes, threads, images, processor time,
 * stacks, objects. One row a layout: group, the first version that has it, "opcode name ..", and
 * its fields as decode-kernel.c reads them. Facts: docs/etl.md. */
#include "config.h"
#include "etl/decode-private.h"

const WprEtlClassRow wpr_etl_classes_system[] = {
  { 0x00, 0, "0 Header",
    "BufferSize:u32 Version:u32 ProviderVersion:u32 NumberOfProcessors:u32 EndTime:time "
    "TimerResolution:u32 MaxFileSize:u32 LogFileMode:u32 BuffersWritten:u32 StartBuffers:u32 "
    "PointerSize:u32 EventsLost:u32 CPUSpeed:u32 LoggerName:p LogFileName:p "
    "TimeZoneInformation:b*176 BootTime:time PerfFreq:u64 StartTime:time ReservedFlags:u32 "
    "BuffersLost:u32 SessionNameString:w LogFileNameString:w" },
  { 0x00, 0, "5 GroupMasks 32 EndExtension",
    "GroupMask1:u32 GroupMask2:u32 GroupMask3:u32 GroupMask4:u32 GroupMask5:u32 GroupMask6:u32 "
    "GroupMask7:u32 GroupMask8:u32" },
  { 0x00, 2, "5 GroupMasks 32 EndExtension",
    "GroupMask1:u32 GroupMask2:u32 GroupMask3:u32 GroupMask4:u32 GroupMask5:u32 GroupMask6:u32 "
    "GroupMask7:u32 GroupMask8:u32 KernelEventVersion:u32" },
  { 0x00, 0, "8 RundownComplete", "" },
  { 0x00, 2, "64 DbgIdRsds", "Guid:guid Age:u32 PdbName:s" },
  { 0x00, 2, "66 BuildInfo", "BuildString:s" },
  { 0x00, 2, "67 ProviderBinaryPath", "GuidCount:u32 Guid:guid*GuidCount BinaryPath:w" },
  { 0x00, 2, "80 PartitionInfo",
    "EventVersion:u16 Reserved:u16 PartitionType:u32 QpcOffsetFromRoot:i64 PartitionId:guid "
    "ParentId:guid" },
  { 0x03, 0, "1 Start 2 End 3 DCStart 4 DCEnd",
    "ProcessId:z ParentId:z UserSID:sid ImageFileName:s" },
  { 0x03, 1, "1 Start 2 End 3 DCStart 4 DCEnd",
    "PageDirectoryBase:p ProcessId:pid ParentId:pid SessionId:u32 ExitStatus:x32 UserSID:sid "
    "ImageFileName:s" },
  { 0x03, 2, "1 Start 2 End 3 DCStart 4 DCEnd 39 Defunct",
    "UniqueProcessKey:p ProcessId:pid ParentId:pid SessionId:u32 ExitStatus:x32 UserSID:sid "
    "ImageFileName:s CommandLine?:w" },
  { 0x03, 3, "1 Start 2 End 3 DCStart 4 DCEnd 39 Defunct",
    "UniqueProcessKey:p ProcessId:pid ParentId:pid SessionId:u32 ExitStatus:x32 "
    "DirectoryTableBase:p UserSID:sid ImageFileName:s CommandLine?:w" },
  { 0x03, 4, "1 Start 2 End 3 DCStart 4 DCEnd 39 Defunct",
    "UniqueProcessKey:p ProcessId:pid ParentId:pid SessionId:u32 ExitStatus:x32 "
    "DirectoryTableBase:p Flags:x32 UserSID:sid ImageFileName:s CommandLine?:w PackageFullName?:w "
    "ApplicationId?:w" },
  { 0x03, 2, "11 Terminate", "ProcessId:pid" },
  { 0x03, 2, "32 PerfCtr 33 PerfCtrRundown",
    "ProcessId:pid PageFaultCount:u32 HandleCount:u32 Reserved:u32 PeakVirtualSize:z "
    "PeakWorkingSetSize:z PeakPagefileUsage:z QuotaPeakPagedPoolUsage:z "
    "QuotaPeakNonPagedPoolUsage:z VirtualSize:z WorkingSetSize:z PagefileUsage:z "
    "QuotaPagedPoolUsage:z QuotaNonPagedPoolUsage:z PrivatePageCount:z" },
  { 0x03, 2, "35 InSwap", "DirectoryTableBase:p ProcessId:pid" },
  { 0x03, 5, "39 Defunct",
    "UniqueProcessKey:p ProcessId:pid ParentId:pid SessionId:u32 ExitStatus:x32 "
    "DirectoryTableBase:p Flags:x32 UserSID:sid ImageFileName:s CommandLine?:w PackageFullName?:w "
    "ApplicationId?:w ExitTime?:time" },
  { 0x03, 2,
    "48 WakeChargeUser 49 WakeChargeExecution 50 WakeChargeKernel 51 WakeChargeInstrumentation 52 "
    "WakeChargePreserveProcess 64 WakeReleaseUser 65 WakeReleaseExecution 66 WakeReleaseKernel 67 "
    "WakeReleaseInstrumentation 68 WakeReleasePreserveProcess 80 WakeDropUser 81 WakeDropExecution "
    "82 WakeDropKernel 83 WakeDropInstrumentation 84 WakeDropPreserveProcess",
    "Object:p Tag:p ProcessId:pid Count:u32" },
  { 0x03, 2,
    "96 WakeEventUser 97 WakeEventExecution 98 WakeEventKernel 99 WakeEventInstrumentation",
    "Object:p" },
  { 0x05, 0, "1 Start 2 End 3 DCStart 4 DCEnd", "TThreadId:tid ProcessId:pid" },
  { 0x05, 1, "1 Start 3 DCStart 4 DCEnd",
    "ProcessId:pid TThreadId:tid StackBase:p StackLimit:p UserStackBase:p UserStackLimit:p "
    "StartAddr:p Win32StartAddr:p WaitMode:i8" },
  { 0x05, 2, "1 Start 2 End 3 DCStart 4 DCEnd",
    "ProcessId:pid TThreadId:tid StackBase:p StackLimit:p UserStackBase:p UserStackLimit:p "
    "StartAddr:p Win32StartAddr:p TebBase:p SubProcessTag:u32" },
  { 0x05, 3, "1 Start 2 End 3 DCStart 4 DCEnd",
    "ProcessId:pid TThreadId:tid StackBase:p StackLimit:p UserStackBase:p UserStackLimit:p "
    "Affinity:p Win32StartAddr:p TebBase:p SubProcessTag:u32 BasePriority:u8 PagePriority:u8 "
    "IoPriority:u8 ThreadFlags:u8 ThreadName?:w" },
  { 0x05, 1, "2 End", "ProcessId:pid TThreadId:tid" },
  { 0x05, 1, "36 CSwitch",
    "NewThreadId:tid OldThreadId:tid NewThreadPriority:i8 OldThreadPriority:i8 NewThreadQuantum:i8 "
    "OldThreadQuantum:i8 OldThreadWaitReason:i8 OldThreadWaitMode:i8 OldThreadState:i8 "
    "OldThreadWaitIdealProcessor:i8" },
  { 0x05, 2, "36 CSwitch",
    "NewThreadId:tid OldThreadId:tid NewThreadPriority:i8 OldThreadPriority:i8 PreviousCState:u8 "
    "SpareByte:i8 OldThreadWaitReason:i8 OldThreadWaitMode:i8 OldThreadState:i8 "
    "OldThreadWaitIdealProcessor:i8 NewThreadWaitTime:u32 Reserved:u32" },
  { 0x05, 3, "36 CSwitch",
    "NewThreadId:tid OldThreadId:tid NewThreadPriority:i8 OldThreadPriority:i8 PreviousCState:u8 "
    "SpareByte:i8 OldThreadWaitReason:i8 ThreadFlags:i8 OldThreadState:i8 "
    "OldThreadWaitIdealProcessor:i8 NewThreadWaitTime:u32 Reserved:u32" },
  { 0x05, 2, "37 CompCS", "" },
  { 0x05, 2, "41 SpinLock",
    "SpinLockAddress:p CallerAddress:p AcquireTime:ticks ReleaseTime:ticks WaitTimeInCycles:u32 "
    "SpinCount:u32 ThreadId:tid InterruptCount:u32 Irql:u8 AcquireDepth:u8 Flag:u8 Reserved:b*5" },
  { 0x05, 3, "48 SetPriority 49 SetBasePriority 51 SetPagePriority 52 SetIoPriority",
    "ThreadId:tid OldPriority:u8 NewPriority:u8 Reserved:u16" },
  { 0x05, 2, "50 ReadyThread",
    "TThreadId:tid AdjustReason:i8 AdjustIncrement:i8 Flag:i8 Reserved:i8" },
  { 0x05, 2, "53 ThreadAffinity", "Affinity:p ThreadId:tid Group:u16 Reserved:u16" },
  { 0x05, 1, "57 WorkerThread", "TThreadId:tid StartTime:ticks ThreadRoutine:p" },
  { 0x05, 2, "60 AntiStarvationBoost", "ThreadId:tid ProcessorIndex:u16 Priority:u8 Reserved:u8" },
  { 0x05, 2, "61 ThreadMigration",
    "ThreadId:tid SourceProcessorIndex:u16 TargetProcessorIndex:u16 Priority:u8 "
    "IdealProcessorAdjust:b8 OldIdealProcessorIndex:u16" },
  { 0x05, 2, "62 KernelQueueEnqueue", "Entry:p ThreadId:tid" },
  { 0x05, 2, "63 KernelQueueDequeue", "ThreadId:tid EntryCount:u32 Entries:p" },
  { 0x05, 2, "64 CallbackStart 65 CallbackEnd", "CallbackRoutine:p" },
  { 0x05, 2, "66 AutoBoostSetFloor",
    "Lock:p ThreadId:tid NewCpuPriorityFloor:u8 OldCpuPriority:u8 IoPriorities:u8 BoostFlags:u8" },
  { 0x05, 2, "67 AutoBoostClearFloor", "LockAddress:p ThreadId:tid BoostBitmap:u32" },
  { 0x05, 2, "68 AutoBoostEntryExhaustion", "LockAddress:p ThreadId:tid" },
  { 0x05, 2, "69 SubProcessTagChanged", "OldTag:u32 NewTag:u32" },
  { 0x05, 2, "72 SetName", "ProcessId:pid ThreadId:tid ThreadName:w" },
  { 0x0a, 2, "32 DebugPrint", "Component:u32 Level:u32 Message:s" },
  { 0x0e, 2, "32 PoolAllocation 34 PoolFree", "Type:u32 Tag:x32 NumberOfBytes:z Entry:p" },
  { 0x0e, 2, "33 SessionPoolAllocation 35 SessionPoolFree",
    "Type:u32 Tag:x32 NumberOfBytes:z Entry:p SessionId:u32" },
  { 0x0e, 2,
    "40 PoolSnapDCStart 41 PoolSnapDCEnd 42 BigPoolSnapDCStart 43 BigPoolSnapDCEnd 44 "
    "SessionPoolSnapDCStart 45 SessionPoolSnapDCEnd 46 SessionBigPoolSnapDCStart 47 "
    "SessionBigPoolSnapDCEnd",
    "" },
  { 0x0f, 0, "34 Mark", "Message:s Padding?:c16" },
  { 0x0f, 1, "46 SampledProfile", "InstructionPointer:p ThreadId:tid Count:u16" },
  { 0x0f, 2, "46 SampledProfile", "InstructionPointer:p ThreadId:tid Count:u16 Reserved:u16" },
  { 0x0f, 2, "47 PmcCounterProf",
    "InstructionPointer:p ThreadId:tid ProfileSource:u16 Reserved:u16" },
  { 0x0f, 2, "48 PmcCtrConfig", "CounterCount:u32 CounterName:w*CounterCount" },
  { 0x0f, 2, "50 ISR-MSI",
    "InitialTime:ticks Routine:p ReturnValue:u8 Vector:u16 Reserved:u8 MessageNumber:u32" },
  { 0x0f, 2, "51 SysClEnter", "SysCallAddress:p" },
  { 0x0f, 2, "52 SysClExit", "SysCallNtStatus:x32" },
  { 0x0f, 2, "58 DebuggerEnabled", "" },
  { 0x0f, 2, "66 ThreadedDPC 70 IOTimer", "InitialTime:ticks Routine:p" },
  { 0x0f, 1, "67 ISR 95 ISR-PASS", "InitialTime:ticks Routine:p ReturnValue:u32" },
  { 0x0f, 2, "67 ISR 95 ISR-PASS",
    "InitialTime:ticks Routine:p ReturnValue:u8 Vector:u16 Reserved:u8" },
  { 0x0f, 1, "68 DPC 69 TimerDPC", "InitialTime:ticks Routine:p" },
  { 0x0f, 2, "72 SetInterval 73 CollectionStart 74 CollectionEnd",
    "Source:u32 NewInterval:u32 OldInterval:u32" },
  { 0x0f, 3, "73 CollectionStart 74 CollectionEnd",
    "Source:u32 NewInterval:u32 OldInterval:u32 SourceName:w" },
  { 0x0f, 2, "75 CollectionStart 76 CollectionEnd",
    "SpinLockSpinThreshold:u32 SpinLockContentionSampleRate:u32 SpinLockAcquireSampleRate:u32" },
  { 0x0f, 3, "75 CollectionStart 76 CollectionEnd",
    "SpinLockSpinThreshold:u32 SpinLockContentionSampleRate:u32 SpinLockAcquireSampleRate:u32 "
    "SpinLockHoldThreshold:u32" },
  { 0x0f, 2, "92 ISR-Unexpected", "Vector:u16" },
  { 0x0f, 2, "93 IoStartTimer 94 IoStopTimer", "DeviceObject:p TimerRoutine:p" },
  { 0x0f, 2, "96 WdfISR 97 WdfPassiveISR 98 WdfDPC 103 WdfWorkItem", "Routine:p" },
  { 0x0f, 2, "104 SetKTimer2 105 ExpireKTimer2",
    "DueTime:u64 MaximumDueTime:u64 Period:u64 Timer:p Callback:p CallbackContext:p "
    "TimerFlags:u8" },
  { 0x0f, 2, "106 CancelKTimer2", "Timer:p" },
  { 0x0f, 2, "107 DisableKTimer2", "Timer:p DisableCallback:p DisableContext:p TimerFlags:u8" },
  { 0x0f, 2, "108 FinalizeKTimer2", "Timer:p DisableCallback:p DisableContext:p" },
  { 0x11, 2, "32 CreateHandle 33 CloseHandle", "Object:p Handle:u32 ObjectType:u16 ObjectName:w" },
  { 0x11, 2, "34 DuplicateHandle",
    "Object:p SourceHandle:u32 TargetHandle:u32 TargetProcessId:pid ObjectType:u16" },
  { 0x11, 2, "36 TypeDCStart 37 TypeDCEnd", "ObjectType:u16 Reserved:u16 TypeName:w" },
  { 0x11, 2, "38 HandleDCStart 39 HandleDCEnd",
    "Object:p ProcessId:pid Handle:u32 ObjectType:u16 ObjectName:w" },
  { 0x11, 2, "48 CreateObject 49 DeleteObject", "Object:p ObjectType:u16" },
  { 0x11, 2, "50 ReferenceObject 51 DereferenceObject", "Object:p Tag:x32 Count:u32" },
  { 0x12, 2, "60 IdleExitLatency",
    "Flags:x32 PlatformState:u32 ProcessorState:u32 ReturnLatency:u32 TotalLatency:u32" },
  { 0x14, 2, "2 Unload 3 DCStart 4 DCEnd 10 Load",
    "ImageBase:p ImageSize:p ProcessId:pid ImageChecksum:x32 TimeDateStamp:x32 Reserved0:u32 "
    "DefaultBase:p Reserved1:u32 Reserved2:u32 Reserved3:u32 Reserved4:u32 FileName:w" },
  { 0x14, 3, "2 Unload 3 DCStart 4 DCEnd 10 Load",
    "ImageBase:p ImageSize:p ProcessId:pid ImageChecksum:x32 TimeDateStamp:x32 SignatureLevel:u8 "
    "SignatureType:u8 Reserved0:u16 DefaultBase:p Reserved1:u32 Reserved2:u32 Reserved3:u32 "
    "Reserved4:u32 FileName:w" },
  { 0x14, 0, "10 Load", "BaseAddress:p ModuleSize:u32 ImageFileName:w" },
  { 0x14, 1, "10 Load", "ImageBase:p ImageSize:p ProcessId:pid FileName:w" },
  { 0x14, 2, "33 KernelBase", "ImageBase:p" },
  { 0x14, 2, "34 HypercallPage", "HypercallPageVa:p" },
  { 0x14, 2,
    "128 LoaderLockAttempt 129 LoaderLockAcquire 130 LoaderLockTriedAndFailed 131 LoaderLockWait "
    "132 ProcessInitDone 133 CreateSectionBegin 134 CreateSectionEnd 135 MapViewBegin",
    "" },
  { 0x14, 2,
    "144 RelocateImageBegin 145 RelocateImageEnd 146 HandleOldDescsBegin 147 HandleOldDescsEnd 148 "
    "HandleNewDescsBegin 149 HandleNewDescsEnd 150 DllMainExit",
    "BaseAddress:u64" },
  { 0x14, 2,
    "160 FindDllByName 161 MapViewEnd 162 LoaderLockRelease 163 DllMainEnter 164 LoaderError",
    "BaseAddress:u64 ErrorOpcode:u8 Code:i8 String:w" },
  { 0x14, 3,
    "165 MapViewStart 166 SnappingStart 167 SnappingEnd 168 LoadingStart 169 LoadingEnd 170 "
    "FoundKnownDll 171 AbnormalTermination 172 ModulePlaceHolder 173 ReadyToInit 174 ReadyToRun "
    "208 ApiSetResolving 209 ApiSetHosted 210 ApiSetUnhosted 211 ApiSetUnresolved",
    "BaseAddress:u64 ErrorOpcode:u8 Code:i8 String:w" },
  { 0x14, 3, "176 NewDllLoad 177 NewDllLoadAsData",
    "NewDllBaseAddress:p ParentDllBaseAddress:p LoadReason:u32 FilePath:w" },
  { 0x14, 3, "192 DllSearchPathExternal 193 DllSearchPathInternal",
    "BaseAddress:u64 ErrorOpcode:u8 Code:i8 String1:w String2:w" },
  { 0x14, 3, "212 DllSearchResults",
    "LdrLoadFlags:u32 LdrSearchFlags:u32 SearchInfo:u32 LoadReason:u32 FullDllName:w" },
  { 0x14, 3, "213 DllPathSearchResults", "SearchInfo:u32 Cwd:w AppDir:w DllDir:w DllLoadDir:w" },
  { 0x18, 2, "32 Stack", "EventTimeStamp:ticks StackProcess:pid StackThread:tid Stack:p*" },
  { 0x18, 2, "34 KeyCreate 35 KeyDelete 36 KeyRundown", "StackKey:p Stack:p*" },
  { 0x18, 2, "37 KeyKernel 38 KeyUser",
    "EventTimeStamp:ticks StackProcess:pid StackThread:tid StackKey:p" },
  { 0x19, 2, "32 DSwitchStart 33 DSwitchEnd",
    "ProcessId:pid ScheduledThreadId:tid PrimaryThreadId:tid SwitchFlags:u32" },
  { 0x19, 2, "34 ScheduledPark", "ProcessId:pid ScheduledThreadId:tid ParkFlags:u32" },
  { 0x19, 2, "35 Disassociate",
    "ProcessId:pid ScheduledThreadId:tid PrimaryThreadId:tid UmsApcControlFlags:u32 Status:x32" },
  { 0x19, 2, "36 CSwitch",
    "ScheduledThreadId:tid SwitchCount:u32 KernelYieldCount:u32 MixedYieldCount:u32 "
    "YieldCount:u32" },
  { 0x1a, 2, "33 ALPC-Send-Message 34 ALPC-Receive-Message 35 ALPC-Wait-For-Reply",
    "MessageID:u32" },
  { 0x1a, 2, "36 ALPC-Wait-For-New-Message", "IsServerPort:u32 PortName:w" },
  { 0x1a, 2, "37 ALPC-Unwait", "Status:x32" },

  /* Classes that events name by GUID; added when files are merged. */
  { WPR_ETL_GROUP_IMAGE_ID, 0, "0 Info",
    "ImageBase:p ImageSize:z ProcessId:pid TimeDateStamp:x32 OriginalFileName:w" },
  { WPR_ETL_GROUP_IMAGE_ID, 0, "32 None", "ImageBase:p ProcessId:pid" },
  { WPR_ETL_GROUP_IMAGE_ID, 0, "36 DbgID_RSDS 37 DbgID_ILRSDS",
    "ImageBase:p ProcessId:pid GuidSig:guid Age:u32 PdbFileName:s" },
  { WPR_ETL_GROUP_IMAGE_ID, 0, "64 FileVersion",
    "ImageSize:u32 TimeDateStamp:x32 OrigFileName:w FileDescription:w FileVersion:w "
    "BinFileVersion:w VerLanguage:w ProductName:w CompanyName:w ProductVersion:w FileId:w "
    "ProgramId:w" },
  { WPR_ETL_GROUP_SYS_CONFIG_EX, 0, "32 BuildInfo", "InstallDate:time BuildLab:w ProductName:w" },
  { WPR_ETL_GROUP_SYS_CONFIG_EX, 0, "33 SystemPaths",
    "SystemDirectory:w SystemWindowsDirectory:w" },
  { WPR_ETL_GROUP_SYS_CONFIG_EX, 0, "34 UnknownVolume", "NtPath:w" },
  { WPR_ETL_GROUP_SYS_CONFIG_EX, 0, "35 VolumeMapping", "NtPath:w DosPath:w" },
  { WPR_ETL_GROUP_METADATA, 0, "32 EventInfo 33 EventMapInfo", "Info:b*" },
  { WPR_ETL_GROUP_WINSAT, 0, "33 WinSPR 35 Metrics 37 SystemConfig", "Info:b*" },
};

const guint wpr_etl_n_classes_system = G_N_ELEMENTS (wpr_etl_classes_system);
