/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Address space: mmap without a file, munmap, mremap, brk, and what of madvise gives memory back. A
 * call's two records become one event at its return; what did not succeed, or changes nothing, and
 * everything about files keeps both. */
#include "config.h"
#include "trace/convert-private.h"

#include <string.h>
#include <sys/mman.h>

/* Threads within a call, and processes whose break is known; what is more are begins whose end was
 * lost, or a machine we have not met. */
#define MOST_CALLS 65536
#define MOST_BREAKS 65536

/* Arguments of a call, by place. */
enum
{
  ADDRESS,
  LENGTH,
  THIRD, /* mmap: prot; mremap: the new length; madvise: the advice */
  MMAP_FLAGS
};
#define RESULT 0

typedef enum
{
  CALL_MMAP = 1,
  CALL_MUNMAP,
  CALL_MREMAP,
  CALL_BRK,
  CALL_MADVISE
} CallKind;

typedef struct
{
  CallKind kind;
  guint64 address, length, third;
} Call;

struct _WprConvertMemory
{
  guint64 page;
  GHashTable *calls;  /* tid -> Call */
  GHashTable *breaks; /* pid -> guint64 *: where its heap ends */
};

WprConvertMemory *
wpr_convert_memory_new (guint64 page_size)
{
  WprConvertMemory *memory = g_new0 (WprConvertMemory, 1);
  memory->page = page_size > 0 ? page_size : 4096;
  memory->calls = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  memory->breaks = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return memory;
}

void
wpr_convert_memory_free (WprConvertMemory *memory)
{
  if (memory == NULL)
    return;
  g_hash_table_unref (memory->calls);
  g_hash_table_unref (memory->breaks);
  g_free (memory);
}

guint64
wpr_convert_memory_n_open (const WprConvertMemory *memory)
{
  GHashTableIter iter;
  gpointer call;
  guint64 n = 0;
  g_hash_table_iter_init (&iter, memory->calls);
  while (g_hash_table_iter_next (&iter, NULL, &call))
    n += ((const Call *)call)->kind != 0;
  return n;
}

/* Apart from what interrupts have. */
static guint64
stack_key (guint32 tid)
{
  return G_GUINT64_CONSTANT (1) << 62 | tid;
}

static guint64
whole_pages (const WprConvertMemory *memory, guint64 length)
{
  return (length + memory->page - 1) / memory->page * memory->page;
}

/* ---- entry ---- */

/* Only what has a counterpart is waited for. */
static gboolean
is_told (CallKind kind, const WprConvertRow *row, const WprRecord *record)
{
  gint64 third;
  switch (kind)
    {
    case CALL_MMAP:
      return (wpr_convert_int (row, MMAP_FLAGS, record) & MAP_ANONYMOUS) != 0;
    case CALL_MADVISE:
      third = wpr_convert_int (row, THIRD, record);
      return third == MADV_DONTNEED || third == MADV_FREE || third == MADV_REMOVE;
    default:
      return TRUE;
    }
}

static WprConverted
convert_enter (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
               WprEvent *event)
{
  GHashTable *calls = convert->memory->calls;
  gpointer key = GUINT_TO_POINTER (record->tid);
  CallKind kind = (CallKind)row->kind->what;
  Call *call = g_hash_table_lookup (calls, key);
  if (call != NULL)
    convert->n_unpaired += call->kind != 0;
  if (!is_told (kind, row, record))
    {
      if (call != NULL)
        call->kind = 0;
      return WPR_CONVERT_EVENT;
    }
  if (call == NULL)
    {
      if (g_hash_table_size (calls) >= MOST_CALLS)
        return WPR_CONVERT_EVENT;
      call = g_new0 (Call, 1);
      g_hash_table_insert (calls, key, call);
    }
  call->kind = kind;
  call->address = (guint64)wpr_convert_int (row, ADDRESS, record);
  call->length = kind != CALL_BRK ? (guint64)wpr_convert_int (row, LENGTH, record) : 0;
  call->third = kind == CALL_MMAP || kind == CALL_MREMAP
                    ? (guint64)wpr_convert_int (row, THIRD, record)
                    : 0;
  event->kind = WPR_EVENT_BEGUN;
  event->u.begun.key = stack_key (record->tid);
  return WPR_CONVERT_EVENT;
}

/* ---- return ---- */

typedef gboolean (*DoneFunc) (WprConvertMemory *memory, const Call *call, guint32 pid,
                              guint64 result, WprEvent *event);

static void
allocated (WprEvent *event, guint64 base, guint64 size, gboolean committed)
{
  event->u.memory.allocated = base;
  event->u.memory.allocated_size = size;
  event->u.memory.committed = committed;
}

static void
freed (WprEvent *event, guint64 base, guint64 size, gboolean released)
{
  event->u.memory.freed = base;
  event->u.memory.freed_size = size;
  event->u.memory.released = released;
}

static gboolean
done_mmap (WprConvertMemory *memory, const Call *call, guint32 pid, guint64 result, WprEvent *event)
{
  allocated (event, result, whole_pages (memory, call->length), call->third != PROT_NONE);
  return TRUE;
}

static gboolean
done_munmap (WprConvertMemory *memory, const Call *call, guint32 pid, guint64 result,
             WprEvent *event)
{
  freed (event, call->address, whole_pages (memory, call->length), TRUE);
  return TRUE;
}

static gboolean
done_madvise (WprConvertMemory *memory, const Call *call, guint32 pid, guint64 result,
              WprEvent *event)
{
  freed (event, call->address, whole_pages (memory, call->length), FALSE);
  return TRUE;
}

static gboolean
done_mremap (WprConvertMemory *memory, const Call *call, guint32 pid, guint64 result,
             WprEvent *event)
{
  guint64 from = whole_pages (memory, call->length), to = whole_pages (memory, call->third);
  if (result != call->address)
    {
      freed (event, call->address, from, TRUE);
      allocated (event, result, to, TRUE);
    }
  else if (to > from)
    allocated (event, result + from, to - from, TRUE);
  else if (to < from)
    freed (event, result + to, from - to, TRUE);
  return result != call->address || to != from;
}

/* Returns where the heap ends now, whether it moved or not; a program's first call asks for that.
 */
static gboolean
done_brk (WprConvertMemory *memory, const Call *call, guint32 pid, guint64 result, WprEvent *event)
{
  guint64 *known = g_hash_table_lookup (memory->breaks, GUINT_TO_POINTER (pid));
  guint64 now = whole_pages (memory, result), before = known != NULL ? *known : now;
  if (known == NULL && g_hash_table_size (memory->breaks) < MOST_BREAKS)
    {
      known = g_new (guint64, 1);
      g_hash_table_insert (memory->breaks, GUINT_TO_POINTER (pid), known);
    }
  if (known != NULL)
    *known = now;
  if (call->address == 0) /* asks: of a new program, whose heap is another */
    return FALSE;
  if (now > before)
    allocated (event, before, now - before, TRUE);
  else if (now < before)
    freed (event, now, before - now, TRUE);
  return now != before;
}

static const DoneFunc done[] = {
  [CALL_MMAP] = done_mmap, [CALL_MUNMAP] = done_munmap,   [CALL_MREMAP] = done_mremap,
  [CALL_BRK] = done_brk,   [CALL_MADVISE] = done_madvise,
};

static WprConverted
convert_exit (WprConvert *convert, const WprConvertRow *row, const WprRecord *record,
              WprEvent *event)
{
  Call *call = g_hash_table_lookup (convert->memory->calls, GUINT_TO_POINTER (record->tid));
  guint64 result = (guint64)wpr_convert_int (row, RESULT, record);
  WprEvent told = *event;
  if (call == NULL || call->kind != (CallKind)row->kind->what)
    return WPR_CONVERT_EVENT;
  told.kind = WPR_EVENT_MEMORY;
  memset (&told.u.memory, 0, sizeof told.u.memory);
  told.u.memory.key = stack_key (record->tid);
  /* An errno is one of the last 4095 numbers. */
  if (result < (guint64)-4095
      && done[call->kind](convert->memory, call, record->pid, result, &told))
    *event = told;
  call->kind = 0;
  return WPR_CONVERT_EVENT;
}

#define EXIT(name, what)                                             \
  {                                                                  \
    "syscalls:sys_exit_" name, convert_exit, { "ret" }, (what), NULL \
  }

const WprConvertKind wpr_convert_memory_kinds[] = {
  { "syscalls:sys_enter_mmap", convert_enter, { "addr", "len", "prot", "flags" }, CALL_MMAP, NULL },
  { "syscalls:sys_enter_munmap", convert_enter, { "addr", "len" }, CALL_MUNMAP, NULL },
  { "syscalls:sys_enter_mremap",
    convert_enter,
    { "addr", "old_len", "new_len" },
    CALL_MREMAP,
    NULL },
  { "syscalls:sys_enter_brk", convert_enter, { "brk" }, CALL_BRK, NULL },
  { "syscalls:sys_enter_madvise",
    convert_enter,
    { "start", "len_in", "behavior" },
    CALL_MADVISE,
    NULL },
  EXIT ("mmap", CALL_MMAP),
  EXIT ("munmap", CALL_MUNMAP),
  EXIT ("mremap", CALL_MREMAP),
  EXIT ("brk", CALL_BRK),
  EXIT ("madvise", CALL_MADVISE),
  { NULL },
};
