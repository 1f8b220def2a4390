/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Page faults. The kernel counts each as minor or major once it is over: that is the event. What it
 * told on the way (exceptions:page_fault_*: the processor's reason; filemap:mm_filemap_fault: the
 * file) is joined to it by thread. */
#include "config.h"
#include "trace/convert-private.h"

#include <string.h>

/* Threads on their way through a fault, by the low bits of their numbers: two that share them at
 * the same moment cost one of them its reason. */
#define N_SLOTS 4096
/* A slow disk's retries end before. What is older is of a fault that ended otherwise. */
#define MOST_NS (G_GINT64_CONSTANT (30) * 1000 * 1000 * 1000)
/* Bits of the processor's error code (x86, the only one whose kernel tells it). */
#define CODE_PRESENT 0x1
#define CODE_WRITE 0x2

typedef struct
{
  guint32 tid;
  gboolean has_code, has_file;
  gint64 start; /* boot ns */
  guint64 page, code;
  guint32 dev;
  guint64 inode, index;
} Slot;

struct _WprConvertFaults
{
  guint64 page;
  gboolean has_minor, has_major; /* are recorded */
  Slot slots[N_SLOTS];
};

WprConvertFaults *
wpr_convert_faults_new (const WprManifest *manifest)
{
  WprConvertFaults *faults = g_new0 (WprConvertFaults, 1);
  faults->page = manifest->page_size > 0 ? manifest->page_size : 4096;
  for (guint i = 0; i < manifest->events->len; i++)
    {
      const char *name = g_array_index (manifest->events, WprStoreEvent, i).name;
      faults->has_minor |= g_strcmp0 (name, "minor-faults") == 0;
      faults->has_major |= g_strcmp0 (name, "major-faults") == 0;
    }
  return faults;
}

void
wpr_convert_faults_free (WprConvertFaults *faults)
{
  g_free (faults);
}

static Slot *
slot_of (WprConvertFaults *faults, guint32 tid)
{
  return &faults->slots[tid % N_SLOTS];
}

enum
{
  ADDRESS,
  CODE
};
enum
{
  INODE,
  DEV,
  INDEX
};

/* ---- on the way ---- */

/* Where faults themselves are not recorded it stays what it is. */
static WprConverted
convert_exception (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                   WprEvent *event)
{
  WprConvertFaults *faults = convert->faults;
  Slot *slot = slot_of (faults, record->tid);
  if (!faults->has_minor)
    return WPR_CONVERT_EVENT;
  /* A fault that ended in neither: no memory there, or the kernel's own that it expected. */
  convert->n_unpaired += slot->has_code && slot->tid == record->tid;
  memset (slot, 0, sizeof *slot);
  slot->tid = record->tid;
  slot->start = event->time;
  slot->has_code = TRUE;
  slot->page = (guint64)wpr_convert_int (row, ADDRESS, record) / faults->page;
  slot->code = (guint64)wpr_convert_int (row, CODE, record);
  event->kind = WPR_EVENT_BEGUN;
  event->u.begun.key = 0;
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_filemap (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                 WprEvent *event)
{
  WprConvertFaults *faults = convert->faults;
  Slot *slot = slot_of (faults, record->tid);
  if (!faults->has_major)
    return WPR_CONVERT_EVENT;
  if (slot->tid != record->tid || slot->start == 0)
    {
      memset (slot, 0, sizeof *slot);
      slot->tid = record->tid;
    }
  guint32 dev = (guint32)wpr_convert_int (row, DEV, record);
  guint64 inode = (guint64)wpr_convert_int (row, INODE, record);
  guint64 index = (guint64)wpr_convert_int (row, INDEX, record);
  /* The kernel tries a fault again once the page is being read. */
  gboolean again
      = slot->has_file && slot->dev == dev && slot->inode == inode && slot->index == index;
  if (!slot->has_code && !again)
    slot->start = event->time;
  slot->has_file = TRUE;
  slot->dev = dev;
  slot->inode = inode;
  slot->index = index;
  event->kind = WPR_EVENT_BEGUN;
  event->u.begun.key = 0;
  return WPR_CONVERT_EVENT;
}

/* ---- over ---- */

/* What is known from the way, if it is of this fault. */
static const Slot *
take_slot (WprConvertFaults *faults, const WprRecord *record, const WprEvent *event)
{
  Slot *slot = slot_of (faults, record->tid);
  if (slot->tid != record->tid || slot->start == 0 || event->time - slot->start > MOST_NS)
    return NULL;
  if (slot->has_code && slot->page != record->addr / faults->page)
    return NULL;
  return slot;
}

static void
forget_slot (WprConvertFaults *faults, guint32 tid)
{
  Slot *slot = slot_of (faults, tid);
  if (slot->tid == tid)
    memset (slot, 0, sizeof *slot);
}

/* A page that is there and may not be written is one to copy; a first write is to a page of zeros;
 * what was read or run lay in memory already. */
static WprFaultKind
minor_kind (const Slot *slot)
{
  if (slot == NULL || slot->has_file || !slot->has_code)
    return WPR_FAULT_TRANSITION;
  if ((slot->code & CODE_WRITE) == 0)
    return WPR_FAULT_TRANSITION;
  return (slot->code & CODE_PRESENT) != 0 ? WPR_FAULT_COPY_ON_WRITE : WPR_FAULT_DEMAND_ZERO;
}

static WprConverted
convert_minor (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  const Slot *slot = take_slot (convert->faults, record, event);
  event->kind = WPR_EVENT_FAULT;
  memset (&event->u.fault, 0, sizeof event->u.fault);
  event->u.fault.kind = minor_kind (slot);
  event->u.fault.start = slot != NULL ? slot->start : event->time;
  forget_slot (convert->faults, record->tid);
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_major (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  WprConvertFaults *faults = convert->faults;
  const Slot *slot = take_slot (faults, record, event);
  event->kind = WPR_EVENT_FAULT;
  memset (&event->u.fault, 0, sizeof event->u.fault);
  event->u.fault.major = TRUE;
  event->u.fault.kind = WPR_FAULT_HARD;
  event->u.fault.with_soft = faults->has_minor;
  event->u.fault.start = event->time;
  if (slot != NULL)
    {
      event->u.fault.start = slot->start;
      event->u.fault.dev = slot->dev;
      event->u.fault.inode = slot->inode;
      event->u.fault.offset = slot->index * faults->page;
    }
  forget_slot (faults, record->tid);
  return WPR_CONVERT_EVENT;
}

/* Soft or hard: this one does not tell. */
static WprConverted
convert_any (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
             WprEvent *event)
{
  event->kind = WPR_EVENT_FAULT;
  memset (&event->u.fault, 0, sizeof event->u.fault);
  event->u.fault.kind = WPR_FAULT_ANY;
  event->u.fault.start = event->time;
  return WPR_CONVERT_EVENT;
}

const WprConvertKind wpr_convert_fault_kinds[] = {
  { "page-faults", convert_any, { NULL } },
  { "minor-faults", convert_minor, { NULL } },
  { "major-faults", convert_major, { NULL } },
  { "exceptions:page_fault_user", convert_exception, { "address", "error_code" } },
  { "exceptions:page_fault_kernel", convert_exception, { "address", "error_code" } },
  { "filemap:mm_filemap_fault", convert_filemap, { "i_ino", "s_dev", "index" } },
  { NULL },
};
