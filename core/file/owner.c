/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whose an event is: one row a kind of kernel event that says so in its payload. */
#include "config.h"
#include "file/owner.h"

#include "etl/layout.h"

#define HOOK_SWITCH 0x0524
#define IDLE_TID 0

/* Where the ids lie: bytes, and so many pointers. */
typedef struct
{
  guint8 bytes, pointers;
  gboolean is_there;
} Place;
#define AT(bytes, pointers)     \
  {                             \
    (bytes), (pointers), (TRUE) \
  }

typedef struct
{
  guint16 hook, least_version;
  Place pid, tid;
  gboolean is_about; /* the ids are whom the event is about, not who ran */
} Row;

/* By hook, ascending. */
static const Row rows[] = {
  { 0x010a, 3, .tid = AT (32, 2) },                  /* DiskIo Read */
  { 0x010b, 3, .tid = AT (32, 2) },                  /* Write */
  { 0x010c, 3, .tid = AT (0, 1) },                   /* ReadInit */
  { 0x010d, 3, .tid = AT (0, 1) },                   /* WriteInit */
  { 0x010e, 3, .tid = AT (16, 1) },                  /* Flush */
  { 0x010f, 3, .tid = AT (0, 1) },                   /* FlushInit */
  { 0x0220, 2, .tid = AT (16, 2) },                  /* HardFault */
  { 0x0262, 2, .pid = AT (0, 2) },                   /* VirtualAlloc */
  { 0x0263, 2, .pid = AT (0, 2) },                   /* VirtualFree */
  { 0x0301, 2, .pid = AT (0, 1), .is_about = TRUE }, /* Process */
  { 0x0302, 2, .pid = AT (0, 1), .is_about = TRUE },
  { 0x0303, 2, .pid = AT (0, 1), .is_about = TRUE },
  { 0x0304, 2, .pid = AT (0, 1), .is_about = TRUE },
  { 0x030a, 1, .pid = AT (0, 2), .is_about = TRUE }, /* Image Load */
  { 0x0501, 2, AT (0, 0), AT (4, 0), TRUE },         /* Thread */
  { 0x0502, 2, AT (0, 0), AT (4, 0), TRUE },
  { 0x0503, 2, AT (0, 0), AT (4, 0), TRUE },
  { 0x0504, 2, AT (0, 0), AT (4, 0), TRUE },
  { HOOK_SWITCH, 2, .tid = AT (0, 0) },              /* who comes */
  { 0x0548, 2, AT (0, 0), AT (4, 0), TRUE },         /* SetName */
  { 0x060a, 1, .pid = AT (0, 0), .is_about = TRUE }, /* TcpIp */
  { 0x060b, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x060c, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x060d, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x060e, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x060f, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x0610, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x061a, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x061b, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x061c, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x061d, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x061e, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x061f, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x0620, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x080a, 1, .pid = AT (0, 0), .is_about = TRUE }, /* UdpIp */
  { 0x080b, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x081a, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x081b, 1, .pid = AT (0, 0), .is_about = TRUE },
  { 0x0f2e, 2, .tid = AT (0, 1) },                   /* SampledProfile */
  { 0x1402, 1, .pid = AT (0, 2), .is_about = TRUE }, /* Image Unload */
  { 0x1403, 1, .pid = AT (0, 2), .is_about = TRUE },
  { 0x1404, 1, .pid = AT (0, 2), .is_about = TRUE },
  { 0x1820, 2, AT (8, 0), AT (12, 0), TRUE }, /* StackWalk */
  { 0x1825, 2, AT (8, 0), AT (12, 0), TRUE },
  { 0x1826, 2, AT (8, 0), AT (12, 0), TRUE },
};
#define LAST_HOOK 0x1826

/* Index of a hook's row + 1. */
static const Row *
find_row (guint16 hook)
{
  static guint8 index[LAST_HOOK + 1];
  static gsize is_filled;

  if (g_once_init_enter (&is_filled))
    {
      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        index[rows[i].hook] = (guint8)(i + 1);
      g_once_init_leave (&is_filled, 1);
    }
  return hook <= LAST_HOOK && index[hook] != 0 ? &rows[index[hook] - 1] : NULL;
}

static gboolean
read_id (const WprEtlEvent *event, const Place *place, guint32 *id)
{
  guint32 at = place->bytes + (guint32)place->pointers * event->pointer_size;

  if (!place->is_there || event->payload_size < at + 4)
    return FALSE;
  *id = wpr_etl_get32 (event->payload + at);
  return TRUE;
}

static gboolean
is_kernel_event (const WprEtlEvent *event)
{
  switch (event->header_type)
    {
    case 0x01 ... 0x04:
    case 0x10:
    case 0x11:
      return TRUE;
    default:
      return FALSE;
    }
}

gboolean
wpr_owner_switch_from (const WprEtlEvent *event, guint32 *tid)
{
  static const Place old = AT (4, 0);

  return is_kernel_event (event) && event->hook == HOOK_SWITCH && read_id (event, &old, tid);
}

/* The process of a thread that is known by its id alone. */
static guint32
process_of (const WprWho *who, guint32 tid, gint64 ticks)
{
  if (tid == IDLE_TID)
    return 0;
  return tid != WPR_NOBODY ? wpr_who_thread (who, tid, ticks) : WPR_NOBODY;
}

void
wpr_owner_find (const WprWho *who, WprRunning *running, guint n_cpus, const WprEtlEvent *event,
                WprOwner *owner)
{
  WprRunning *cpu = event->cpu < n_cpus ? &running[event->cpu] : NULL;
  const Row *row;
  guint32 id;

  owner->pid = event->pid;
  owner->tid = owner->runner = event->tid;
  if (!is_kernel_event (event))
    return;
  row = find_row (event->hook);
  if (row != NULL && event->version < row->least_version)
    row = NULL;
  if (row != NULL && read_id (event, &row->tid, &id))
    {
      owner->tid = id;
      if (!row->is_about || owner->runner == WPR_NOBODY)
        owner->runner = id;
      owner->pid = row->is_about ? owner->pid : WPR_NOBODY;
    }
  else if (owner->tid == WPR_NOBODY && cpu != NULL && cpu->is_known
           && (row == NULL || !row->is_about))
    owner->tid = owner->runner = cpu->tid;
  if (row != NULL && read_id (event, &row->pid, &id))
    owner->pid = id;
  else if (owner->pid == WPR_NOBODY)
    owner->pid = process_of (who, owner->tid, event->ticks);
  if (event->hook == HOOK_SWITCH && cpu != NULL && owner->tid != WPR_NOBODY)
    *cpu = (WprRunning){ TRUE, owner->tid };
}
