/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What /proc, /sys and /etc say of the machine, for the file's SystemConfig events. Private to this
 * room. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A file system on a disk of this machine, each once. */
typedef struct
{
  char *path;          /* where it is mounted, first of all its places */
  char *type;          /* "ext4" */
  guint32 dev, disk;   /* the kernel's numbers: 12 bits major, 20 minor; of the whole disk */
  guint32 partition;   /* 0: the disk itself */
  guint64 start, size; /* bytes */
} WprMachineVolume;

typedef struct
{
  char *name;
  guint index;
  guint8 mac[8];
  guint mac_size;
  char *addresses; /* "192.0.2.2;fd00::2" */
} WprMachineNetwork;

typedef struct
{
  char *manufacturer, *product, *bios_date, *bios_version; /* "" where nobody says */
  char *system;                                            /* "Debian GNU/Linux 12 (bookworm)" */
  guint family, model, stepping;                           /* x86; 0 else */
  guint64 shared_cores; /* a bit a CPU, of the first 64: has its core not for itself */
  gboolean sleeps[5];   /* S1 to S5 */
  char *name_servers;   /* "192.0.2.1;fd00::1" */
  guint32 most_port, most_hashed, time_wait; /* of TCP; time_wait in seconds */
  GPtrArray *volumes;                        /* WprMachineVolume */
  GPtrArray *networks;                       /* WprMachineNetwork */
} WprMachineFacts;

/* root: "" for this machine; a test's folder, whose networks are this machine's all the same. */
WprMachineFacts *wpr_machine_facts_read (const char *root);
void wpr_machine_facts_free (WprMachineFacts *facts);
/* First line of a file, trimmed, "" if there is none. */
char *wpr_machine_line (const char *root, const char *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprMachineFacts, wpr_machine_facts_free)

G_END_DECLS
