/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine: which groups of events were on, disks, the one volume. */
#include "config.h"
#include "sink/machine-facts.h"
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

/* The kernel's device number: 12 bits major, 20 bits minor. */
static char *
disk_name (guint32 dev)
{
  g_autofree char *link = g_strdup_printf ("/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
  g_autofree char *target = g_file_read_link (link, NULL);
  g_autofree char *name = target != NULL ? g_path_get_basename (target) : NULL;
  g_autofree char *model_path = g_strconcat (link, "/device/model", NULL);
  g_autofree char *model = wpr_machine_line ("", model_path);

  if (name == NULL)
    return g_strdup_printf ("%u:%u", dev >> 20, dev & 0xfffff);
  return model[0] != '\0' ? g_strdup_printf ("%s (%s)", name, model) : g_steal_pointer (&name);
}

static char *
disk_line (guint32 dev, const char *name)
{
  g_autofree char *path
      = g_strdup_printf ("/sys/dev/block/%u:%u/%s", dev >> 20, dev & 0xfffff, name);

  return wpr_machine_line ("", path);
}

/* Folders of a disk's own that are partitions. */
static guint32
count_partitions (guint32 dev)
{
  g_autofree char *path = g_strdup_printf ("/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint32 n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *partition = g_build_filename (path, name, "partition", NULL);

      n += g_file_test (partition, G_FILE_TEST_EXISTS);
    }
  return n;
}

/* PhyDisk: geometry is what every disk of today pretends to have. */
static gboolean
write_disk (WprSinkEtl *self, guint32 number, guint32 dev, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM, .hook = 0x0b0b, .version = 2, .pid = WPR_SYSTEM_PID };
  g_autofree char *name = disk_name (dev), *size = disk_line (dev, "size");
  g_autofree char *sector = disk_line (dev, "queue/logical_block_size");
  g_autofree char *cache = disk_line (dev, "queue/write_cache");
  guint32 sector_bytes = MAX ((guint32)g_ascii_strtoull (sector, NULL, 10), 512u);
  const guint32 sectors = 63, tracks = 255;
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, number);
  wpr_payload_u32 (&payload, sector_bytes);
  wpr_payload_u32 (&payload, sectors);
  wpr_payload_u32 (&payload, tracks);
  wpr_payload_u64 (&payload, g_ascii_strtoull (size, NULL, 10)
                                 / ((guint64)sectors * tracks * (sector_bytes / 512)));
  wpr_payload_zeros (&payload, 4 * 4); /* port, path, target, unit */
  wpr_payload_wide_fixed (&payload, name, 256);
  wpr_payload_u32 (&payload, count_partitions (dev));
  wpr_payload_u8 (&payload, g_str_equal (cache, "write back") ? 1 : 0);
  wpr_payload_zeros (&payload, 1 + 2 * 3 + 2 * 2);
  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, &payload, error);
}

/* ---- volume ---- */

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
  /* Volumes before disks: each of theirs is one. */
  if (!wpr_sink_etl_config (self, error) || !write_volume (self, error))
    return FALSE;
  for (guint32 i = 0; i < self->disks->len; i++)
    if (!write_disk (self, i, g_array_index (self->disks, WprSinkDisk, i).dev, error))
      return FALSE;
  return TRUE;
}
