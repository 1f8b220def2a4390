/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SystemConfig: the processor, and of this boot's recordings everything else that /proc and /sys
 * say. A recording of an earlier boot, or of another machine, gets only what it carries itself. */
#include "config.h"
#include "sink/sink-etl-private.h"

#include <sys/stat.h>
#include <fcntl.h>
#include <sys/statvfs.h>
#include "sink/machine-facts.h"

#define UNIX_EPOCH_FILETIME G_GINT64_CONSTANT (116444736000000000)
/* PROCESSOR_ARCHITECTURE_AMD64, _ARM64, _UNKNOWN. */
#if defined(__x86_64__)
#define ARCHITECTURE 9
#elif defined(__aarch64__)
#define ARCHITECTURE 12
#else
#define ARCHITECTURE 0xffff
#endif
#define DRIVE_PARTITION 1
#define DRIVE_VOLUME 2
#define LOG_DISK_BYTES 112
#define BUILD_INFO 32

static const WprEtlGuid sys_config_ex_guid
    = { 0x9b79ee91, 0xb5fd, 0x41c0, { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } };

static gboolean
emit (WprSinkEtl *self, guint16 hook, guint16 version, WprPayload *payload, GError **error)
{
  WprEtlHead head
      = { .kind = WPR_ETL_SYSTEM, .hook = hook, .version = version, .pid = WPR_SYSTEM_PID };

  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, payload, error);
}

static WprPayload
begin (WprSinkEtl *self)
{
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  return payload;
}

/* facts: NULL where they would be another machine's. */
static gboolean
write_cpu (WprSinkEtl *self, const WprMachineFacts *facts, GError **error)
{
  const WprManifest *manifest = self->context->manifest;
  WprPayload payload = begin (self);

  wpr_payload_u32 (&payload, manifest->cpu_mhz);
  wpr_payload_u32 (&payload, self->n_cpus);
  wpr_payload_u32 (&payload, (guint32)(manifest->memory_bytes >> 20));
  wpr_payload_u32 (&payload, (guint32)manifest->page_size);
  wpr_payload_u32 (&payload, (guint32)manifest->page_size); /* allocation granularity: mmap's */
  wpr_payload_wide_fixed (&payload, manifest->host, 256);
  wpr_payload_wide_fixed (&payload, "", 134); /* domain */
  wpr_payload_u64 (&payload, facts != NULL ? facts->shared_cores : 0);
  wpr_payload_u64 (&payload, G_GUINT64_CONSTANT (0x7fffffffefff)); /* highest user address */
  wpr_payload_u16 (&payload, ARCHITECTURE);
  wpr_payload_u16 (&payload, facts != NULL ? (guint16)facts->family : 0);
  wpr_payload_u16 (&payload,
                   facts != NULL ? (guint16)(facts->model << 8 | (facts->stepping & 0xff)) : 0);
  wpr_payload_u8 (&payload, 1); /* PAE, NX: as every 64-bit machine */
  wpr_payload_u8 (&payload, 1);
  wpr_payload_u32 (&payload, 0); /* memory speed */
  return emit (self, 0x0b0a, 3, &payload, error);
}

static gboolean
write_platform (WprSinkEtl *self, const WprMachineFacts *facts, GError **error)
{
  WprPayload payload = begin (self);

  if (facts->manufacturer[0] == '\0' && facts->product[0] == '\0' && facts->bios_version[0] == '\0')
    return TRUE; /* no DMI */
  wpr_payload_wide (&payload, facts->manufacturer, WPR_MOST_PATH);
  wpr_payload_wide (&payload, facts->product, WPR_MOST_PATH);
  wpr_payload_wide (&payload, facts->bios_date, WPR_MOST_PATH);
  wpr_payload_wide (&payload, facts->bios_version, WPR_MOST_PATH);
  return emit (self, 0x0b19, 2, &payload, error);
}

static gboolean
write_power (WprSinkEtl *self, const WprMachineFacts *facts, GError **error)
{
  WprPayload payload = begin (self);

  for (guint i = 0; i < G_N_ELEMENTS (facts->sleeps); i++)
    wpr_payload_u8 (&payload, facts->sleeps[i] ? 1 : 0);
  wpr_payload_zeros (&payload, 3);
  return emit (self, 0x0b10, 2, &payload, error);
}

static gboolean
write_network (WprSinkEtl *self, const WprMachineFacts *facts, GError **error)
{
  WprPayload payload = begin (self);

  wpr_payload_u32 (&payload, 0); /* partitions of the connection table: Linux has none */
  wpr_payload_u32 (&payload, facts->most_hashed);
  wpr_payload_u32 (&payload, facts->most_port);
  wpr_payload_u32 (&payload, facts->time_wait);
  return emit (self, 0x0b11, 2, &payload, error);
}

static gboolean
write_interfaces (WprSinkEtl *self, const WprMachineFacts *facts, GError **error)
{
  for (guint i = 0; i < facts->networks->len; i++)
    {
      const WprMachineNetwork *network = g_ptr_array_index (facts->networks, i);
      WprPayload payload = begin (self);

      wpr_payload_bytes (&payload, network->mac, sizeof network->mac);
      wpr_payload_u32 (&payload, network->mac_size);
      wpr_payload_u32 (&payload, network->index); /* of IPv4, of IPv6: Linux counts them once */
      wpr_payload_u32 (&payload, network->index);
      wpr_payload_wide (&payload, network->name, WPR_MOST_PATH);
      wpr_payload_wide (&payload, network->addresses, WPR_MOST_PATH);
      wpr_payload_wide (&payload, facts->name_servers, WPR_MOST_PATH);
      if (!emit (self, 0x0b0d, 2, &payload, error))
        return FALSE;
    }
  return TRUE;
}

/* A cluster is the file system's block, in sectors of 512 bytes. */
static gboolean
write_volume (WprSinkEtl *self, const WprMachineVolume *volume, GError **error)
{
  struct statvfs fs = { .f_frsize = 4096 };
  WprPayload payload = begin (self);

  if (statvfs (volume->path, &fs) != 0 || fs.f_frsize == 0)
    fs = (struct statvfs){ .f_frsize = 4096 };
  wpr_payload_u64 (&payload, volume->start);
  wpr_payload_u64 (&payload, volume->size);
  wpr_payload_u32 (&payload, wpr_sink_etl_disk_number (self, volume->disk));
  wpr_payload_u32 (&payload, LOG_DISK_BYTES);
  wpr_payload_u32 (&payload, volume->partition > 0 ? DRIVE_PARTITION : DRIVE_VOLUME);
  wpr_payload_wide_fixed (&payload, g_str_equal (volume->path, "/") ? "\\" : "", 4);
  wpr_payload_u32 (&payload, 0);
  wpr_payload_u32 (&payload, volume->partition);
  wpr_payload_u32 (&payload, (guint32)MAX (fs.f_frsize / 512, 1u));
  wpr_payload_u32 (&payload, 512);
  wpr_payload_u32 (&payload, 0);
  wpr_payload_u64 (&payload, fs.f_bfree);
  wpr_payload_u64 (&payload, fs.f_blocks);
  wpr_payload_wide_fixed (&payload, volume->type, 16);
  wpr_payload_u32 (&payload, 0); /* more than one extent: not asked */
  wpr_payload_u32 (&payload, 0);
  return emit (self, 0x0b0c, 2, &payload, error);
}

/* Where it is mounted has no place in Windows' layout, which knows letters. */
static gboolean
write_mount (WprSinkEtl *self, const WprMachineVolume *volume, GError **error)
{
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.Recorder", "Mount");
  guint32 pid = self->context->manifest->recorder_pid;
  WprEtlHead head = { .pid = pid, .tid = pid };
  WprPayload payload = begin (self);

  wpr_etl_schema_add_field (schema, "Path", WPR_TL_STRING8, 0, 0);
  wpr_etl_schema_add_field (schema, "Type", WPR_TL_STRING8, 0, 0);
  wpr_etl_schema_add_field (schema, "DiskNumber", WPR_TL_U32, 0, 0);
  wpr_etl_schema_add_field (schema, "Partition", WPR_TL_U32, 0, 0);
  wpr_etl_schema_fill_head (schema, &head);
  wpr_payload_text (&payload, volume->path, -1, WPR_MOST_PATH);
  wpr_payload_text (&payload, volume->type, -1, WPR_MOST_PATH);
  wpr_payload_u32 (&payload, wpr_sink_etl_disk_number (self, volume->disk));
  wpr_payload_u32 (&payload, volume->partition);
  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, &payload, error);
}

static gboolean
write_volumes (WprSinkEtl *self, const WprMachineFacts *facts, GError **error)
{
  for (guint i = 0; i < facts->volumes->len; i++)
    if (!write_volume (self, g_ptr_array_index (facts->volumes, i), error)
        || !write_mount (self, g_ptr_array_index (facts->volumes, i), error))
      return FALSE;
  return TRUE;
}

/* When the root folder was made is when the system was installed; 0: its file system does not say.
 */
static gint64
installed (void)
{
  struct statx stx;

  if (statx (AT_FDCWD, "/", 0, STATX_BTIME, &stx) != 0 || (stx.stx_mask & STATX_BTIME) == 0)
    return 0;
  return UNIX_EPOCH_FILETIME + stx.stx_btime.tv_sec * G_GINT64_CONSTANT (10000000);
}

static gboolean
write_build (WprSinkEtl *self, const WprMachineFacts *facts, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_CLASSIC,
                      .guid = &sys_config_ex_guid,
                      .type = BUILD_INFO,
                      .version = 2,
                      .pid = WPR_SYSTEM_PID };
  WprPayload payload = begin (self);

  wpr_payload_u64 (&payload, facts != NULL ? (guint64)installed () : 0);
  wpr_payload_wide (&payload, self->context->manifest->kernel, WPR_MOST_PATH);
  wpr_payload_wide (&payload, facts != NULL ? facts->system : "Linux", WPR_MOST_PATH);
  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, &payload, error);
}

gboolean
wpr_sink_etl_config (WprSinkEtl *self, GError **error)
{
  g_autoptr (WprMachineFacts) facts
      = wpr_sink_etl_is_this_boot (self) ? wpr_machine_facts_read ("") : NULL;

  if (!write_cpu (self, facts, error) || !write_build (self, facts, error))
    return FALSE;
  return facts == NULL
         || (write_platform (self, facts, error) && write_power (self, facts, error)
             && write_network (self, facts, error) && write_interfaces (self, facts, error)
             && write_volumes (self, facts, error));
}
