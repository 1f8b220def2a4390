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

/* What the processor told. Within a program's fault the kernel may have others of its own: reading
 * a stack whose pages are not there, it expects that they fail, and they end in nothing. */
typedef enum
{
  BY_USER,
  BY_KERNEL,
  N_CAUSES
} Cause;

typedef struct
{
  gint64 start; /* boot ns; 0: none */
  guint64 page, code;
} Exception;

typedef struct
{
  guint32 tid;
  Exception exceptions[N_CAUSES];
  gint64 file_start; /* 0: no file was told */
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

/* Emptied where another thread's lay there. */
static Slot *
slot_of (WprConvertFaults *faults, guint32 tid)
{
  Slot *slot = &faults->slots[tid % N_SLOTS];
  if (G_UNLIKELY (slot->tid != tid))
    *slot = (Slot){ .tid = tid };
  return slot;
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
  if (!faults->has_minor)
    return WPR_CONVERT_EVENT;
  Exception *exception = &slot_of (faults, record->tid)->exceptions[row->kind->what];
  /* A fault that ended in neither: no memory there, or the kernel's own that it expected. */
  convert->n_unpaired += exception->start != 0;
  exception->start = event->time;
  exception->page = (guint64)wpr_convert_int (row, ADDRESS, record) / faults->page;
  exception->code = (guint64)wpr_convert_int (row, CODE, record);
  event->kind = WPR_EVENT_BEGUN;
  event->u.begun.key = 0;
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_filemap (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
                 WprEvent *event)
{
  WprConvertFaults *faults = convert->faults;
  if (!faults->has_major)
    return WPR_CONVERT_EVENT;
  Slot *slot = slot_of (faults, record->tid);
  guint32 dev = (guint32)wpr_convert_int (row, DEV, record);
  guint64 inode = (guint64)wpr_convert_int (row, INODE, record);
  guint64 index = (guint64)wpr_convert_int (row, INDEX, record);
  /* The kernel tries a fault again once the page is being read. */
  if (slot->file_start == 0 || slot->dev != dev || slot->inode != inode || slot->index != index)
    slot->file_start = event->time;
  slot->dev = dev;
  slot->inode = inode;
  slot->index = index;
  event->kind = WPR_EVENT_BEGUN;
  event->u.begun.key = 0;
  return WPR_CONVERT_EVENT;
}

/* ---- over ---- */

static gboolean
is_fresh (gint64 start, gint64 now)
{
  return start != 0 && now - start <= MOST_NS;
}

/* What the processor told of this fault; NULL: nothing. */
static const Exception *
find_exception (const WprConvertFaults *faults, const Slot *slot, const WprEvent *event)
{
  for (guint i = N_CAUSES; i-- > 0;)
    if (is_fresh (slot->exceptions[i].start, event->time)
        && slot->exceptions[i].page == event->addr / faults->page)
      return &slot->exceptions[i];
  return NULL;
}

static gboolean
has_file (const Slot *slot, const Exception *exception, gint64 now)
{
  return is_fresh (slot->file_start, now)
         && (exception == NULL || slot->file_start >= exception->start);
}

/* A page that is there and may not be written is one to copy; a first write is to a page of zeros;
 * what was read or run, and what is of a file, lay in memory already. */
static WprFaultKind
minor_kind (const Exception *exception, gboolean file)
{
  if (exception == NULL || file || (exception->code & CODE_WRITE) == 0)
    return WPR_FAULT_TRANSITION;
  return (exception->code & CODE_PRESENT) != 0 ? WPR_FAULT_COPY_ON_WRITE : WPR_FAULT_DEMAND_ZERO;
}

/* Fills what both kinds have, and forgets the way. */
static void
finish (WprConvert *convert, const WprRecord *record, WprEvent *event)
{
  WprConvertFaults *faults = convert->faults;
  Slot *slot = slot_of (faults, record->tid);
  const Exception *exception = find_exception (faults, slot, event);
  gboolean file = has_file (slot, exception, event->time);
  event->kind = WPR_EVENT_FAULT;
  memset (&event->u.fault, 0, sizeof event->u.fault);
  event->u.fault.kind = minor_kind (exception, file);
  event->u.fault.start = exception != NULL ? exception->start
                         : file            ? slot->file_start
                                           : event->time;
  if (file)
    {
      event->u.fault.dev = slot->dev;
      event->u.fault.inode = slot->inode;
      event->u.fault.offset = slot->index * faults->page;
    }
  for (guint i = 0; i < N_CAUSES; i++)
    convert->n_unpaired += slot->exceptions[i].start != 0 && &slot->exceptions[i] != exception;
  *slot = (Slot){ .tid = record->tid };
}

static WprConverted
convert_minor (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  finish (convert, record, event);
  return WPR_CONVERT_EVENT;
}

static WprConverted
convert_major (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  finish (convert, record, event);
  event->u.fault.major = TRUE;
  event->u.fault.kind = WPR_FAULT_HARD;
  event->u.fault.with_soft = convert->faults->has_minor;
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
  { "exceptions:page_fault_user", convert_exception, { "address", "error_code" }, BY_USER, NULL },
  { "exceptions:page_fault_kernel",
    convert_exception,
    { "address", "error_code" },
    BY_KERNEL,
    NULL },
  { "filemap:mm_filemap_fault", convert_filemap, { "i_ino", "s_dev", "index" } },
  { NULL },
};
