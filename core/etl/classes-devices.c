/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of the kernel's classes: memory, disks, files, network, registry, heap, the machine.
 * One row a layout: group, the first version that has it, "opcode name ..", and its fields as
 * decode-kernel.c reads them. Facts: docs/etl.md. */
#include "config.h"
#include "etl/decode-private.h"

const WprEtlClassRow wpr_etl_classes_devices[] = {
  { 0x01, 0, "10 Read 11 Write",
    "DiskNumber:u32 IrpFlags:x32 TransferSize:u32 Reserved:u32 ByteOffset:u64 FileObject:p" },
  { 0x01, 1, "10 Read 11 Write",
    "DiskNumber:u32 IrpFlags:x32 TransferSize:u32 ResponseTime:u32 ByteOffset:u64 FileObject:p "
    "HighResResponseTime:u64" },
  { 0x01, 2, "10 Read 11 Write",
    "DiskNumber:u32 IrpFlags:x32 TransferSize:u32 Reserved:u32 ByteOffset:u64 FileObject:p Irp:p "
    "HighResResponseTime:u64" },
  { 0x01, 3, "10 Read 11 Write 55 OpticalRead 56 OpticalWrite",
    "DiskNumber:u32 IrpFlags:x32 TransferSize:u32 Reserved:u32 ByteOffset:u64 FileObject:p Irp:p "
    "HighResResponseTime:u64 IssuingThreadId:tid" },
  { 0x01, 2, "12 ReadInit 13 WriteInit 15 FlushInit", "Irp:p" },
  { 0x01, 3,
    "12 ReadInit 13 WriteInit 15 FlushInit 58 OpticalReadInit 59 OpticalWriteInit 60 "
    "OpticalFlushInit",
    "Irp:p IssuingThreadId:tid" },
  { 0x01, 2, "14 FlushBuffers", "DiskNumber:u32 IrpFlags:x32 HighResResponseTime:u64 Irp:p" },
  { 0x01, 3, "14 FlushBuffers 57 OpticalFlushBuffers",
    "DiskNumber:u32 IrpFlags:x32 HighResResponseTime:u64 Irp:p IssuingThreadId:tid" },
  { 0x01, 1, "34 DrvMjFnCall",
    "UniqMatchId:u32 RoutineAddr:p Irp:p MajorFunction:u32 MinorFunction:u32 FileObject:p" },
  { 0x01, 2, "34 DrvMjFnCall",
    "MajorFunction:u32 MinorFunction:u32 RoutineAddr:p FileObject:p Irp:p UniqMatchId:u32" },
  { 0x01, 1, "35 DrvMjFnRet", "UniqMatchId:u32 Irp:p" },
  { 0x01, 2, "35 DrvMjFnRet", "Irp:p UniqMatchId:u32" },
  { 0x01, 2, "37 DrvComplRout", "Routine:p IrpPtr:p UniqMatchId:u32" },
  { 0x01, 1, "52 DrvComplReq", "RoutineAddr:p Irp:p UniqMatchId:u32" },
  { 0x01, 1, "53 DrvComplReqRet", "Irp:p UniqMatchId:u32" },
  { 0x02, 2,
    "10 TransitionFault 11 DemandZeroFault 12 CopyOnWrite 13 GuardPageFault 14 HardPageFault 15 "
    "AccessViolation",
    "VirtualAddress:p ProgramCounter:p" },
  { 0x02, 2, "32 HardFault",
    "InitialTime:ticks ReadOffset:u64 VirtualAddress:p FileObject:p TThreadId:tid ByteCount:u32" },
  { 0x02, 2, "98 VirtualAlloc 99 VirtualFree",
    "BaseAddress:p RegionSize:z ProcessId:pid Flags:x32" },
  { 0x02, 2, "100 HRRundown", "HeapHandle:p HRFlags:u32 HRPid:pid HRRangeCount:u32" },
  { 0x02, 3, "100 HRRundown", "HeapHandle:p HRFlags:u32 HRPid:pid HRRangeCount:u32 Reserved:u32" },
  { 0x02, 2, "101 HRCreate", "HeapHandle:p FirstRangeSize:z HRCreateFlags:u32" },
  { 0x02, 2, "102 HRReserve 103 HRRelease", "HeapHandle:p HRAddress:p HRSize:z" },
  { 0x02, 2, "104 HRDestroy", "HeapHandle:p" },
  { 0x02, 2, "105 ImageLoadBacked", "FileObject:p DeviceChar:u32 FileChar:u16 LoadFlags:u16" },
  { 0x02, 2, "127 VirtualRotate 134 MemResetInfo", "BaseAddress:p SizeInBytes:z Flags:x32" },
  { 0x02, 2, "128 VirtualAllocDCStart 129 VirtualAllocDCEnd",
    "BaseAddress:p RegionSize:z ProcessId:pid Flags:x32 CommitSizeInBytes:z" },
  { 0x04, 0, "0 Name", "FileObject:p FileName:w" },
  { 0x04, 1, "32 FileCreate", "FileObject:p FileName:w" },
  { 0x04, 2, "35 FileDelete 36 FileRundown", "FileObject:p FileName:w" },
  { 0x04, 2, "37 MapFile 38 UnmapFile 39 MapFileDCStart 40 MapFileDCEnd",
    "ViewBase:p FileObject:p MiscInfo:u64 ViewSize:z ProcessId:pid" },
  { 0x04, 2, "64 Create",
    "IrpPtr:p TTID:z FileObject:p CreateOptions:x32 FileAttributes:x32 ShareAccess:x32 "
    "OpenPath:w" },
  { 0x04, 3, "64 Create",
    "IrpPtr:p FileObject:p TTID:tid CreateOptions:x32 FileAttributes:x32 ShareAccess:x32 "
    "OpenPath:w" },
  { 0x04, 2, "65 Cleanup 66 Close 73 Flush", "IrpPtr:p TTID:z FileObject:p FileKey:p" },
  { 0x04, 3, "65 Cleanup 66 Close 73 Flush", "IrpPtr:p FileObject:p FileKey:p TTID:tid" },
  { 0x04, 2, "67 Read 68 Write",
    "Offset:u64 IrpPtr:p TTID:z FileObject:p FileKey:p IoSize:u32 IoFlags:x32" },
  { 0x04, 3, "67 Read 68 Write",
    "Offset:u64 IrpPtr:p FileObject:p FileKey:p TTID:tid IoSize:u32 IoFlags:x32 ExtraFlags?:x32" },
  { 0x04, 2, "69 SetInfo 70 Delete 71 Rename 74 QueryInfo 75 FSControl",
    "IrpPtr:p TTID:z FileObject:p FileKey:p ExtraInfo:p InfoClass:u32" },
  { 0x04, 3, "69 SetInfo 70 Delete 71 Rename 74 QueryInfo 75 FSControl",
    "IrpPtr:p FileObject:p FileKey:p ExtraInfo:p TTID:tid InfoClass:u32" },
  { 0x04, 2, "72 DirEnum 77 DirNotify",
    "IrpPtr:p TTID:z FileObject:p FileKey:p Length:u32 InfoClass:u32 FileIndex:u32 FileName:w" },
  { 0x04, 3, "72 DirEnum 77 DirNotify",
    "IrpPtr:p FileObject:p FileKey:p TTID:tid Length:u32 InfoClass:u32 FileIndex:u32 FileName:w" },
  { 0x04, 2, "76 OperationEnd", "IrpPtr:p ExtraInfo:p NtStatus:x32" },
  { 0x04, 3, "79 DeletePath 80 RenamePath 81 SetLinkPath",
    "IrpPtr:p FileObject:p FileKey:p ExtraInfo:p TTID:tid InfoClass:u32 FileName:w" },
  { 0x04, 3, "96 PreOpInit 97 PostOpInit",
    "RoutineAddr:p FileObject:p FileContext:p IrpPtr:p CallbackDataPtr:p MajorFunction:u32" },
  { 0x04, 3, "98 PreOpCompletion 99 PostOpCompletion",
    "InitialTime:ticks RoutineAddr:p FileObject:p FileContext:p IrpPtr:p CallbackDataPtr:p "
    "MajorFunction:u32" },
  { 0x04, 3, "100 PreOpFailure 101 PostOpFailure",
    "RoutineAddr:p FileObject:p FileContext:p IrpPtr:p CallbackDataPtr:p MajorFunction:u32 "
    "Status:x32" },
  { 0x06, 0, "10 Send 11 Recv 12 Connect 13 Disconnect 14 Retransmit 15 Accept",
    "daddr:ip4 saddr:ip4 dport:port sport:port size:u32 PID:pid" },
  { 0x06, 1, "10 Send",
    "PID:pid size:u32 daddr:ip4 saddr:ip4 dport:port sport:port startime:u32 endtime:u32 "
    "connid:u32 seqnum:u32" },
  { 0x06, 2, "10 SendIPV4",
    "PID:pid size:u32 daddr:ip4 saddr:ip4 dport:port sport:port startime:u32 endtime:u32 "
    "seqnum:u32 connid:p" },
  { 0x06, 1,
    "11 Recv 13 Disconnect 14 Retransmit 16 Reconnect 18 TCPCopy 19 ARPCopy 20 FullACK 21 PartACK "
    "22 DupACK",
    "PID:pid size:u32 daddr:ip4 saddr:ip4 dport:port sport:port connid:u32 seqnum:u32" },
  { 0x06, 2, "11 RecvIPV4 13 DisconnectIPV4 14 RetransmitIPV4 16 ReconnectIPV4 18 TCPCopyIPV4",
    "PID:pid size:u32 daddr:ip4 saddr:ip4 dport:port sport:port seqnum:u32 connid:p" },
  { 0x06, 1, "12 Connect 15 Accept",
    "PID:pid size:u32 daddr:ip4 saddr:ip4 dport:port sport:port mss:u16 sackopt:u16 tsopt:u16 "
    "wsopt:u16 rcvwin:u32 rcvwinscale:i16 sndwinscale:i16 connid:u32 seqnum:u32" },
  { 0x06, 2, "12 ConnectIPV4 15 AcceptIPV4",
    "PID:pid size:u32 daddr:ip4 saddr:ip4 dport:port sport:port mss:u16 sackopt:u16 tsopt:u16 "
    "wsopt:u16 rcvwin:u32 rcvwinscale:i16 sndwinscale:i16 seqnum:u32 connid:p" },
  { 0x06, 1, "17 Fail", "Proto:u32" },
  { 0x06, 2, "17 Fail", "Proto:u16 FailureCode:u16" },
  { 0x06, 2, "26 SendIPV6",
    "PID:pid size:u32 daddr:ip6 saddr:ip6 dport:port sport:port startime:u32 endtime:u32 "
    "seqnum:u32 connid:p" },
  { 0x06, 2, "27 RecvIPV6 29 DisconnectIPV6 30 RetransmitIPV6 32 ReconnectIPV6 34 TCPCopyIPV6",
    "PID:pid size:u32 daddr:ip6 saddr:ip6 dport:port sport:port seqnum:u32 connid:p" },
  { 0x06, 2, "28 ConnectIPV6 31 AcceptIPV6",
    "PID:pid size:u32 daddr:ip6 saddr:ip6 dport:port sport:port mss:u16 sackopt:u16 tsopt:u16 "
    "wsopt:u16 rcvwin:u32 rcvwinscale:i16 sndwinscale:i16 seqnum:u32 connid:p" },
  { 0x08, 0, "10 Send 11 Recv",
    "context:p saddr:ip4 sport:port size:u16 daddr:ip4 dport:port dsize:u16" },
  { 0x08, 1, "10 Send 11 Recv", "PID:pid size:u32 daddr:ip4 saddr:ip4 dport:port sport:port" },
  { 0x08, 2, "10 SendIPV4 11 RecvIPV4",
    "PID:pid size:u32 daddr:ip4 saddr:ip4 dport:port sport:port seqnum:u32 connid:p" },
  { 0x08, 2, "17 Fail", "Proto:u16 FailureCode:u16" },
  { 0x08, 2, "26 SendIPV6 27 RecvIPV6",
    "PID:pid size:u32 daddr:ip6 saddr:ip6 dport:port sport:port seqnum:u32 connid:p" },
  { 0x09, 0,
    "10 Create 11 Open 12 Delete 13 Query 14 SetValue 15 DeleteValue 16 QueryValue 17 EnumerateKey "
    "18 EnumerateValueKey 19 QueryMultipleValue 20 SetInformation 21 Flush",
    "Status:p KeyHandle:p ElapsedTime:i64 KeyName:w" },
  { 0x09, 1,
    "10 Create 11 Open 12 Delete 13 Query 14 SetValue 15 DeleteValue 16 QueryValue 17 EnumerateKey "
    "18 EnumerateValueKey 19 QueryMultipleValue 20 SetInformation 21 Flush 22 RunDown",
    "Status:p KeyHandle:p ElapsedTime:i64 Index:u32 KeyName:w" },
  { 0x09, 2,
    "10 Create 11 Open 12 Delete 13 Query 14 SetValue 15 DeleteValue 16 QueryValue 17 EnumerateKey "
    "18 EnumerateValueKey 19 QueryMultipleValue 20 SetInformation 21 Flush 22 KCBCreate 23 "
    "KCBDelete 24 KCBRundownBegin 25 KCBRundownEnd 26 Virtualize 27 Close 28 SetSecurity 29 "
    "QuerySecurity",
    "InitialTime:ticks Status:x32 Index:u32 KeyHandle:p KeyName:w" },
  { 0x09, 2, "30 TxRCommit 31 TxRPrepare 32 TxRRollback",
    "TxrGUID:guid Status:x32 UowCount:u32 OperationTime:u64 Hive:w" },
  { 0x09, 2, "34 Counters",
    "Counter1:u64 Counter2:u64 Counter3:u64 Counter4:u64 Counter5:u64 Counter6:u64 Counter7:u64 "
    "Counter8:u64 Counter9:u64 Counter10:u64 Counter11:u64" },
  { 0x09, 2, "35 Config", "CurrentControlSet:u32" },
  { 0x09, 2, "36 HiveInit", "Hive:p OperationType:u32 PoolTag:x32 Size:u32 FileName:w" },
  { 0x09, 2, "37 HiveDestroy", "Hive:p FileName:w Path:w" },
  { 0x09, 2, "38 HiveLink", "Hive:p Path:w" },
  { 0x09, 2, "39 HiveDCEnd", "Size:u64 Hive:p LoadedKeyCount:u32 FileName:w LinkPath:w" },
  { 0x09, 2, "40 HiveDirty", "Hive:p LinkPath:w DirtyReason:u32" },
  { 0x09, 2, "48 ChangeNotify", "Notification:p KeyHandle:p Type:u8 WatchSubtree:u8 Primary:u8" },
  { 0x0b, 0, "10 CPU",
    "MHz:u32 NumberOfProcessors:u32 MemSize:u32 PageSize:u32 AllocationGranularity:u32 "
    "ComputerName:c16*256 DomainName:c16*132 HyperThreadingFlag:p" },
  { 0x0b, 2, "10 CPU",
    "MHz:u32 NumberOfProcessors:u32 MemSize:u32 PageSize:u32 AllocationGranularity:u32 "
    "ComputerName:c16*256 DomainName:c16*134 HyperThreadingFlag:p" },
  { 0x0b, 3, "10 CPU",
    "MHz:u32 NumberOfProcessors:u32 MemSize:u32 PageSize:u32 AllocationGranularity:u32 "
    "ComputerName:c16*256 DomainName:c16*134 HyperThreadingFlag:p HighestUserAddress:p "
    "ProcessorArchitecture:u16 ProcessorLevel:u16 ProcessorRevision:u16 PaeEnabled:u8 NxEnabled:u8 "
    "MemorySpeed:u32" },
  { 0x0b, 0, "11 PhyDisk",
    "DiskNumber:u32 BytesPerSector:u32 SectorsPerTrack:u32 TracksPerCylinder:u32 Cylinders:u64 "
    "SCSIPort:u32 SCSIPath:u32 SCSITarget:u32 SCSILun:u32 Manufacturer:c16*256 PartitionCount:u32 "
    "WriteCacheEnabled:u8 Pad:u8 BootDriveLetter:c16*3 Spare:c16*2" },
  { 0x0b, 0, "12 LogDisk",
    "StartOffset:u64 PartitionSize:u64 DiskNumber:u32 Size:u32 DriveType:u32 "
    "DriveLetterString:c16*4 Pad1:u32 PartitionNumber:u32 SectorsPerCluster:u32 BytesPerSector:u32 "
    "Pad2:u32 NumberOfFreeClusters:i64 TotalNumberOfClusters:i64 FileSystem:c16*16 VolumeExt:u32" },
  { 0x0b, 2, "12 LogDisk",
    "StartOffset:u64 PartitionSize:u64 DiskNumber:u32 Size:u32 DriveType:u32 "
    "DriveLetterString:c16*4 Pad1:u32 PartitionNumber:u32 SectorsPerCluster:u32 BytesPerSector:u32 "
    "Pad2:u32 NumberOfFreeClusters:i64 TotalNumberOfClusters:i64 FileSystem:c16*16 VolumeExt:u32 "
    "Pad3:u32" },
  { 0x0b, 0, "13 NIC",
    "NICName:c16*256 Index:u32 PhysicalAddrLen:u32 PhysicalAddr:c16*8 Size:u32 IpAddress:i32 "
    "SubnetMask:i32 DhcpServer:i32 Gateway:i32 PrimaryWinsServer:i32 SecondaryWinsServer:i32 "
    "DnsServer1:i32 DnsServer2:i32 DnsServer3:i32 DnsServer4:i32 Data:u32" },
  { 0x0b, 2, "13 NIC",
    "PhysicalAddr:u64 PhysicalAddrLen:u32 Ipv4Index:u32 Ipv6Index:u32 NICDescription:w "
    "IpAddresses:w DnsServerAddresses:w" },
  { 0x0b, 0, "14 Video",
    "MemorySize:u32 XResolution:u32 YResolution:u32 BitsPerPixel:u32 VRefresh:u32 ChipType:c16*256 "
    "DACType:c16*256 AdapterString:c16*256 BiosString:c16*256 DeviceId:c16*256 StateFlags:u32" },
  { 0x0b, 0, "15 Services",
    "ServiceName:c16*34 DisplayName:c16*256 ProcessName:c16*34 ProcessId:pid" },
  { 0x0b, 2, "15 Services",
    "ProcessId:pid ServiceState:u32 SubProcessTag:u32 ServiceName:w DisplayName:w ProcessName:w" },
  { 0x0b, 3, "15 Services",
    "ProcessId:pid ServiceState:u32 SubProcessTag:u32 ServiceName:w DisplayName:w ProcessName:w "
    "LoadOrderGroup:w SvchostGroup:w" },
  { 0x0b, 0, "16 Power", "S1:u8 S2:u8 S3:u8 S4:u8 S5:u8 Pad1:u8 Pad2:u8 Pad3:u8" },
  { 0x0b, 2, "17 Network",
    "TcbTablePartitions:u32 MaxHashTableSize:u32 MaxUserPort:u32 TcpTimedWaitDelay:u32" },
  { 0x0b, 2, "18 OpticalDisk",
    "DiskNumber:u16 BusType:u16 DeviceType:u16 MediaType:u16 StartingOffset:u64 Size:u64 "
    "NumberOfFreeBlocks:u64 TotalNumberOfBlocks:u64 NextWritableAddress:u64 NumberOfSessions:u32 "
    "NumberOfTracks:u32 BytesPerSector:u32 DiscStatus:u16 LastSessionStatus:u16 DriveLetter:w "
    "FileSystemName:w DeviceName:s ManufacturerName:s" },
  { 0x0b, 0, "21 IRQ", "IRQAffinity:u64 IRQNum:u32 DeviceDescriptionLen:u32 DeviceDescription:w" },
  { 0x0b, 3, "21 IRQ",
    "IRQAffinity:u64 IRQGroup:u16 Reserved:u16 IRQNum:u32 DeviceDescriptionLen:u32 "
    "DeviceDescription:w" },
  { 0x0b, 0, "22 PnP",
    "IDLength:u32 DescriptionLength:u32 FriendlyNameLength:u32 DeviceID:w DeviceDescription:w "
    "FriendlyName:w" },
  { 0x0b, 3, "22 PnP",
    "IDLength:u32 DescriptionLength:u32 FriendlyNameLength:u32 DeviceID:w DeviceDescription:w "
    "FriendlyName:w PdoName:w" },
  { 0x0b, 4, "22 PnP",
    "ClassGuid:guid UpperFiltersCount:u32 LowerFiltersCount:u32 DeviceID:w DeviceDescription:w "
    "FriendlyName:w PdoName:w ServiceName:w UpperFilters:w*UpperFiltersCount "
    "LowerFilters:w*LowerFiltersCount" },
  { 0x0b, 5, "22 PnP",
    "ClassGuid:guid UpperFiltersCount:u32 LowerFiltersCount:u32 DevStatus:u32 DevProblem:u32 "
    "DeviceID:w DeviceDescription:w FriendlyName:w PdoName:w ServiceName:w "
    "UpperFilters:w*UpperFiltersCount LowerFilters:w*LowerFiltersCount" },
  { 0x0b, 2, "23 IDEChannel",
    "TargetId:u32 DeviceType:u32 DeviceTimingMode:u32 LocationInformationLen:u32 "
    "LocationInformation:w" },
  { 0x0b, 2, "24 NumaNode", "NodeCount:u32 NodeMap:x64*NodeCount" },
  { 0x0b, 2, "25 Platform", "SystemManufacturer:w SystemProductName:w BiosDate:w BiosVersion:w" },
  { 0x0b, 2, "26 ProcessorGroup", "GroupCount:u32 Affinity:p*GroupCount" },
  { 0x0b, 2, "27 ProcessorNumber", "ProcessorCount:u32 ProcessorNumber:u32*ProcessorCount" },
  { 0x0b, 2, "28 DPI", "MachineDPI:u32 UserDPI:u32" },
  { 0x0b, 2, "29 CodeIntegrity", "CodeIntegrityInfo:u32" },
  { 0x0b, 2, "30 TelemetryConfiguration", "MachineId:guid" },
  { 0x0b, 2, "31 Defragmentation",
    "AlignmentClusters:u64 AvgFreeSpaceSize:u64 ClustersPerSlab:u64 FragmentedDirectoryExtents:u64 "
    "FragmentedExtents:u64 FreeSpaceCount:u64 LargestFreeSpaceSize:u64 "
    "LastRunActualPurgeClusters:u64 LastRunClustersTrimmed:u64 LastRunFullDefragTime:time "
    "LastRunTime:time MFTSize:u64 TotalClusters:u64 TotalUsedClusters:u64 AvgFragmentsPerFile:u32 "
    "BytesPerCluster:u32 DirectoryCount:u32 FragmentedDirectories:u32 FragmentedFiles:u32 "
    "FragmentedSpace:u32 HardwareIssue:u32 InUseMFTRecords:u32 InUseSlabs:u32 "
    "LastRunActualPurgeSlabs:u32 LastRunInitialBackedSlabs:u32 LastRunPercentFragmentation:u32 "
    "LastRunPinnedSlabs:u32 LastRunPotentialPurgeSlabs:u32 LastRunSpaceInefficientSlabs:u32 "
    "LastRunTrimmedSlabs:u32 LastRunUnknownEvictFailSlabs:u32 LastRunVolsnapPinnedSlabs:u32 "
    "MFTFragmentCount:u32 MovableFiles:u32 TotalMFTRecords:u32 TotalSlabs:u32 UnmovableFiles:u32 "
    "VolumeId:guid VolumePathNames:w" },
  { 0x0b, 2, "32 MobilePlatform",
    "BootLoaderVersion:w FirmwareRevision:w FriendlyName:w HardwareRevision:w Manufacturer:w "
    "ManufacturerDisplayName:w ManufacturerModelName:w MobileOperatorDisplayName:w "
    "MobileOperatorName:w ModelName:w RadioHardwareRevision:w RadioSoftwareRevision:w ROMVersion:w "
    "SOCVersion:w HardwareVariant:w" },
  { 0x0b, 2, "33 DeviceFamily", "UAPInfo:u64 DeviceFamily:u32 DeviceForm:u32" },
  { 0x0b, 2, "34 FlightIds", "UpdateId:w FlightIdList:w" },
  { 0x0b, 2, "35 Processors",
    "ProcessorIndex:u32 FeatureSet:u32 ProcessorSpeed:u32 ProcessorName:c16*64 "
    "VendorIdentifier:c16*16 ProcessorIdentifier:c16*128" },
  { 0x10, 2, "32 Create", "HeapHandle:p HeapFlags:x32" },
  { 0x10, 3, "32 Create",
    "HeapHandle:p HeapFlags:x32 ReservedSpace:z CommittedSpace:z AllocatedSpace:z" },
  { 0x10, 2, "33 Alloc", "HeapHandle:p AllocSize:z AllocAddress:p SourceId:u32" },
  { 0x10, 2, "34 ReAlloc",
    "HeapHandle:p NewAllocAddress:p OldAllocAddress:p NewAllocSize:z OldAllocSize:z SourceId:u32" },
  { 0x10, 2, "35 Destroy 43 Lock 44 Unlock 45 Validate 46 Walk", "HeapHandle:p" },
  { 0x10, 2, "36 Free", "HeapHandle:p FreeAddress:p SourceId:u32" },
  { 0x10, 3, "37 Expand",
    "HeapHandle:p CommittedSize:z CommitAddress:p FreeSpace:z CommittedSpace:z ReservedSpace:z "
    "NoOfUCRs:u32 AllocatedSpace:z" },
  { 0x10, 2, "38 SnapShot",
    "HeapHandle:p FreeSpace:z CommittedSpace:z ReservedSpace:z HeapFlags:x32 ProcessId:pid "
    "LargeUCRSpace:z FreeListLength:u32 UCRLength:u32" },
  { 0x10, 3, "38 SnapShot",
    "HeapHandle:p FreeSpace:z CommittedSpace:z ReservedSpace:z HeapFlags:x32 ProcessId:pid "
    "LargeUCRSpace:z FreeListLength:u32 UCRLength:u32 AllocatedSpace:z" },
  { 0x10, 3, "42 Contract",
    "HeapHandle:p DeCommittedSize:z DeCommitAddress:p FreeSpace:z CommittedSpace:z ReservedSpace:z "
    "NoOfUCRs:u32 AllocatedSpace:z" },
  { 0x10, 2,
    "47 SubsegmentAlloc 48 SubsegmentFree 49 SubsegmentAllocCached 50 SubsegmentFreeCached",
    "HeapHandle:p SubSegment:p SubSegmentSize:z BlockSize:z" },
  { 0x10, 2, "51 Commit 52 Decommit", "HeapHandle:p Block:p Size:z Caller:p" },
  { 0x10, 2, "53 SubsegmentInit",
    "HeapHandle:p SubSegment:p BlockSize:z BlockCount:z AffinityIndex:u32" },
  { 0x10, 2, "54 AffinityManagerEnable", "HeapHandle:p BucketIndex:u32" },
  { 0x10, 2, "55 AffinitySlotAssigned", "SlotIndex:u32" },
  { 0x10, 2, "56 SubSegmentActivated", "HeapHandle:p SubSegment:p" },
  { 0x10, 2, "57 AffinitySlotChanged", "Heap:p SubSegment:p SlotIndex:u32" },
  { 0x10, 2, "58 SubsegmentReuseThresholdActivated", "Heap:p SubSegment:p BucketIndex:u32" },
  { 0x1b, 2, "32 VolMgr", "ParentIrp:p ChildIrp:p" },
};

const guint wpr_etl_n_classes_devices = G_N_ELEMENTS (wpr_etl_classes_devices);
