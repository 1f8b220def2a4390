/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of Windows' kernel events, as its tools show them. One row a hook; what has none is shown
 * by its number. */
#include "config.h"
#include "sink/info-private.h"

#include <string.h>

typedef struct
{
  guint16 hook;
  const char *provider, *name;
} HookName;

/* By hook, ascending. */
static const HookName hooks[] = {
  { 0x0000, "EventTrace", "Header" },
  { 0x0005, "EventTrace", "GroupMasks" },
  { 0x0008, "EventTrace", "RundownComplete" },
  { 0x0020, "EventTrace", "EndExtension" },
  { 0x0050, "EventTrace", "PartitionInfo" },
  { 0x010a, "DiskIo", "Read" },
  { 0x010b, "DiskIo", "Write" },
  { 0x010c, "DiskIo", "ReadInit" },
  { 0x010d, "DiskIo", "WriteInit" },
  { 0x010e, "DiskIo", "FlushBuffers" },
  { 0x010f, "DiskIo", "FlushInit" },
  { 0x020a, "PageFault", "TransitionFault" },
  { 0x020b, "PageFault", "DemandZeroFault" },
  { 0x020c, "PageFault", "CopyOnWrite" },
  { 0x020d, "PageFault", "GuardPageFault" },
  { 0x020e, "PageFault", "HardPageFault" },
  { 0x020f, "PageFault", "AccessViolation" },
  { 0x0220, "PageFault", "HardFault" },
  { 0x0262, "PageFault", "VirtualAlloc" },
  { 0x0263, "PageFault", "VirtualFree" },
  { 0x0301, "Process", "Start" },
  { 0x0302, "Process", "End" },
  { 0x0303, "Process", "DCStart" },
  { 0x0304, "Process", "DCEnd" },
  { 0x030a, "Image", "Load" },
  { 0x030b, "Process", "Terminate" },
  { 0x0327, "Process", "Defunct" },
  { 0x0420, "FileIo", "FileCreate" },
  { 0x0423, "FileIo", "FileDelete" },
  { 0x0424, "FileIo", "FileRundown" },
  { 0x0440, "FileIo", "Create" },
  { 0x0441, "FileIo", "Cleanup" },
  { 0x0442, "FileIo", "Close" },
  { 0x0443, "FileIo", "Read" },
  { 0x0444, "FileIo", "Write" },
  { 0x0445, "FileIo", "SetInfo" },
  { 0x0446, "FileIo", "Delete" },
  { 0x0447, "FileIo", "Rename" },
  { 0x0448, "FileIo", "DirEnum" },
  { 0x0449, "FileIo", "Flush" },
  { 0x044a, "FileIo", "QueryInfo" },
  { 0x044b, "FileIo", "FSControl" },
  { 0x044c, "FileIo", "OperationEnd" },
  { 0x044d, "FileIo", "DirNotify" },
  { 0x044f, "FileIo", "DeletePath" },
  { 0x0450, "FileIo", "RenamePath" },
  { 0x0501, "Thread", "Start" },
  { 0x0502, "Thread", "End" },
  { 0x0503, "Thread", "DCStart" },
  { 0x0504, "Thread", "DCEnd" },
  { 0x0524, "Thread", "CSwitch" },
  { 0x0532, "Thread", "ReadyThread" },
  { 0x0548, "Thread", "SetName" },
  { 0x060a, "TcpIp", "SendIPV4" },
  { 0x060b, "TcpIp", "RecvIPV4" },
  { 0x060c, "TcpIp", "ConnectIPV4" },
  { 0x060d, "TcpIp", "DisconnectIPV4" },
  { 0x060e, "TcpIp", "RetransmitIPV4" },
  { 0x060f, "TcpIp", "AcceptIPV4" },
  { 0x061a, "TcpIp", "SendIPV6" },
  { 0x061b, "TcpIp", "RecvIPV6" },
  { 0x061c, "TcpIp", "ConnectIPV6" },
  { 0x061d, "TcpIp", "DisconnectIPV6" },
  { 0x061e, "TcpIp", "RetransmitIPV6" },
  { 0x061f, "TcpIp", "AcceptIPV6" },
  { 0x080a, "UdpIp", "SendIPV4" },
  { 0x080b, "UdpIp", "RecvIPV4" },
  { 0x081a, "UdpIp", "SendIPV6" },
  { 0x081b, "UdpIp", "RecvIPV6" },
  { 0x0b0a, "SystemConfig", "CPU" },
  { 0x0b0b, "SystemConfig", "PhyDisk" },
  { 0x0b0c, "SystemConfig", "LogDisk" },
  { 0x0b0d, "SystemConfig", "NIC" },
  { 0x0b10, "SystemConfig", "Power" },
  { 0x0b11, "SystemConfig", "Network" },
  { 0x0b19, "SystemConfig", "Platform" },
  { 0x0f22, "PerfInfo", "Mark" },
  { 0x0f2e, "PerfInfo", "SampledProfile" },
  { 0x0f32, "PerfInfo", "ISR-MSI" },
  { 0x0f33, "PerfInfo", "SysClEnter" },
  { 0x0f34, "PerfInfo", "SysClExit" },
  { 0x0f42, "PerfInfo", "ThreadedDPC" },
  { 0x0f43, "PerfInfo", "ISR" },
  { 0x0f44, "PerfInfo", "DPC" },
  { 0x0f45, "PerfInfo", "TimerDPC" },
  { 0x0f48, "PerfInfo", "SetInterval" },
  { 0x0f49, "PerfInfo", "CollectionStart" },
  { 0x0f4a, "PerfInfo", "CollectionEnd" },
  { 0x1402, "Image", "Unload" },
  { 0x1403, "Image", "DCStart" },
  { 0x1404, "Image", "DCEnd" },
  { 0x1421, "Image", "KernelBase" },
  { 0x1422, "Image", "HypercallPage" },
  { 0x1820, "StackWalk", "Stack" },
  { 0x1823, "StackWalk", "KeyDelete" },
  { 0x1824, "StackWalk", "KeyRundown" },
  { 0x1825, "StackWalk", "KeyKernel" },
  { 0x1826, "StackWalk", "KeyUser" },
};

gboolean
wpr_info_hook_name (guint16 hook, const char **provider, const char **name)
{
  for (guint i = 0; i < G_N_ELEMENTS (hooks); i++)
    if (hooks[i].hook == hook)
      {
        *provider = hooks[i].provider;
        *name = hooks[i].name;
        return TRUE;
      }
  return FALSE;
}

#define IMAGE_ID                                                                   \
  {                                                                                \
    0xb3e675d7, 0x2554, 0x4f18, { 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde } \
  }
#define SYS_CONFIG_EX                                                              \
  {                                                                                \
    0x9b79ee91, 0xb5fd, 0x41c0, { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } \
  }
#define EVENT_METADATA                                                             \
  {                                                                                \
    0xbbccf6c1, 0x6cd1, 0x48c4, { 0x80, 0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71 } \
  }

static const struct
{
  WprEtlGuid guid;
  guint8 opcode;
  const char *provider, *name;
} classics[] = {
  { IMAGE_ID, 0, "ImageID", "Info" },
  { IMAGE_ID, 32, "ImageID", "None" },
  { IMAGE_ID, 36, "ImageID", "DbgID_RSDS" },
  { IMAGE_ID, 37, "ImageID", "DbgID_ILRSDS" },
  { IMAGE_ID, 64, "ImageID", "FileVersion" },
  { SYS_CONFIG_EX, 32, "SysConfigEx", "BuildInfo" },
  { SYS_CONFIG_EX, 33, "SysConfigEx", "SystemPaths" },
  { SYS_CONFIG_EX, 34, "SysConfigEx", "UnknownVolume" },
  { SYS_CONFIG_EX, 35, "SysConfigEx", "VolumeMapping" },
  { EVENT_METADATA, 32, "EventMetadata", "EventInfo" },
  { EVENT_METADATA, 33, "EventMetadata", "EventMapInfo" },
};

gboolean
wpr_info_classic_name (const WprEtlGuid *guid, guint8 opcode, const char **provider,
                       const char **name)
{
  for (guint i = 0; i < G_N_ELEMENTS (classics); i++)
    if (classics[i].opcode == opcode && memcmp (&classics[i].guid, guid, sizeof *guid) == 0)
      {
        *provider = classics[i].provider;
        *name = classics[i].name;
        return TRUE;
      }
  return FALSE;
}

char *
wpr_info_guid_text (const WprEtlGuid *guid)
{
  return g_strdup_printf ("{%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x}", guid->data1,
                          guid->data2, guid->data3, guid->data4[0], guid->data4[1], guid->data4[2],
                          guid->data4[3], guid->data4[4], guid->data4[5], guid->data4[6],
                          guid->data4[7]);
}
