/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine: which groups of events were on, CPU and disks, the one volume. */
#include "config.h"
#include "sink/sink-etl-private.h"

static const WprEtlGuid sys_config_ex_guid
    = { 0x9b79ee91, 0xb5fd, 0x41c0, { 0xa2, 0x43, 0x42, 0x48, 0xe2, 0x66, 0xe9, 0xd0 } };
#define VOLUME_MAPPING 35

/* Bits of the group masks that an event of the recording stands for; always on: process, thread,
 * image. */
#define ALWAYS (0x1u | 0x2u | 0x4u)
#define FILE_NAMES 0x200u
#define FILE_OPERATIONS (0x02000000u | 0x04000000u)
static const struct
{
  const char *event;
  guint32 mask0, mask1;
} groups[] = {
  { "sched:sched_switch", 0x10, 0x4 },
  { "sched:sched_waking", 0x800, 0 },
  { "sched:sched_wakeup_new", 0x800, 0 },
  { "block:block_rq_complete", 0x100, 0 },
  { "block:block_rq_issue", 0x400, 0 },
  { "cpu-clock", 0x01000000, 0x2 },
  { "cycles", 0x01000000, 0x2 },
  { "irq:softirq_entry", 0x20, 0 },
  { "minor-faults", 0x1000, 0 },
  { "major-faults", 0x2000, 0 },
  { "syscalls:sys_enter_mmap", 0x4000, 0 },
  { "irq:irq_handler_entry", 0x40, 0 },
  { "raw_syscalls:sys_enter", 0x80, 0 },
  { "sock:inet_sock_set_state", 0x10000, 0 },
};

void
wpr_sink_etl_group_masks (const WprManifest *manifest, guint32 masks[8])
{
  memset (masks, 0, 8 * sizeof *masks);
  masks[0] = ALWAYS;
  for (guint i = 0; manifest->events != NULL && i < manifest->events->len; i++)
    for (guint k = 0; k < G_N_ELEMENTS (groups); k++)
      if (g_strcmp0 (g_array_index (manifest->events, WprStoreEvent, i).name, groups[k].event) == 0)
        {
          masks[0] |= groups[k].mask0;
          masks[1] |= groups[k].mask1;
        }
  for (guint i = 0; manifest->events != NULL && i < manifest->events->len; i++)
    if (g_array_index (manifest->events, WprStoreEvent, i).as_file)
      masks[0] |= FILE_NAMES | FILE_OPERATIONS;
}

/* ---- disks ---- */

/* Disks are numbered in the order of their first event. A machine has few: a plain search. */
guint32
wpr_sink_etl_disk_number (WprSinkEtl *self, guint32 dev)
{
  WprSinkDisk disk = { .dev = dev };

  for (guint32 i = 0; i < self->disks->len; i++)
    if (g_array_index (self->disks, WprSinkDisk, i).dev == dev)
      {
        g_array_index (self->disks, WprSinkDisk, i).n_events++;
        return i;
      }
  disk.n_events = 1;
  g_array_append_val (self->disks, disk);
  return self->disks->len - 1;
}

/* First line of a small file below /sys, "" if there is none. */
static char *
read_line (const char *path)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_strdup ("");
  return g_strdup (g_strstrip (text));
}

/* The kernel's device number: 12 bits major, 20 bits minor. */
static char *
disk_name (guint32 dev)
{
  g_autofree char *link = g_strdup_printf ("/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
  g_autofree char *target = g_file_read_link (link, NULL);
  g_autofree char *name = target != NULL ? g_path_get_basename (target) : NULL;
  g_autofree char *model_path = g_strconcat (link, "/device/model", NULL);
  g_autofree char *model = read_line (model_path);

  if (name == NULL)
    return g_strdup_printf ("%u:%u", dev >> 20, dev & 0xfffff);
  return model[0] != '\0' ? g_strdup_printf ("%s (%s)", name, model) : g_steal_pointer (&name);
}

/* PhyDisk: geometry is what every disk of today pretends to have. */
static gboolean
write_disk (WprSinkEtl *self, guint32 number, guint32 dev, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM, .hook = 0x0b0b, .version = 2, .pid = WPR_SYSTEM_PID };
  g_autofree char *name = disk_name (dev);
  g_autofree char *size_path
      = g_strdup_printf ("/sys/dev/block/%u:%u/size", dev >> 20, dev & 0xfffff);
  g_autofree char *size = read_line (size_path);
  const guint32 sectors = 63, tracks = 255;
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, number);
  wpr_payload_u32 (&payload, 512);
  wpr_payload_u32 (&payload, sectors);
  wpr_payload_u32 (&payload, tracks);
  wpr_payload_u64 (&payload, g_ascii_strtoull (size, NULL, 10) / (sectors * tracks));
  wpr_payload_zeros (&payload, 4 * 4); /* port, path, target, unit */
  wpr_payload_wide_fixed (&payload, name, 256);
  wpr_payload_u32 (&payload, 0); /* partitions */
  wpr_payload_zeros (&payload, 2 + 2 * 3 + 2 * 2);
  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, &payload, error);
}

/* ---- CPU and volume ---- */

static gboolean
write_cpu (WprSinkEtl *self, GError **error)
{
  const WprManifest *manifest = self->context->manifest;
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM, .hook = 0x0b0a, .version = 3, .pid = WPR_SYSTEM_PID };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, manifest->cpu_mhz);
  wpr_payload_u32 (&payload, self->n_cpus);
  wpr_payload_u32 (&payload, (guint32)(manifest->memory_bytes >> 20));
  wpr_payload_u32 (&payload, (guint32)manifest->page_size);
  wpr_payload_u32 (&payload, 65536); /* allocation granularity */
  wpr_payload_wide_fixed (&payload, manifest->host, 256);
  wpr_payload_wide_fixed (&payload, "", 134);                      /* domain */
  wpr_payload_u64 (&payload, 0);                                   /* hyper-threading: not asked */
  wpr_payload_u64 (&payload, G_GUINT64_CONSTANT (0x7fffffffefff)); /* highest user address */
  wpr_payload_u16 (&payload, 9);                                   /* x64 */
  wpr_payload_u16 (&payload, 0);
  wpr_payload_u16 (&payload, 0);
  wpr_payload_u8 (&payload, 1); /* PAE, NX */
  wpr_payload_u8 (&payload, 1);
  wpr_payload_u32 (&payload, 0); /* memory speed */
  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, &payload, error);
}

/* All paths of the file begin with this volume, which is the root folder. */
static gboolean
write_volume (WprSinkEtl *self, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_CLASSIC,
                      .guid = &sys_config_ex_guid,
                      .type = VOLUME_MAPPING,
                      .version = 2,
                      .pid = WPR_SYSTEM_PID };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_wide (&payload, "\\Device\\HarddiskVolume1\\", 64);
  wpr_payload_wide (&payload, "\\", 64);
  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, &payload, error);
}

gboolean
wpr_sink_etl_machine (WprSinkEtl *self, GError **error)
{
  if (!write_cpu (self, error) || !write_volume (self, error))
    return FALSE;
  for (guint32 i = 0; i < self->disks->len; i++)
    if (!write_disk (self, i, g_array_index (self->disks, WprSinkDisk, i).dev, error))
      return FALSE;
  return TRUE;
}
