/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One record's header, of every kind, 32 and 64 bit. Does not live here: what is in the payload. */
#include "config.h"
#include "etl/container-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>
#include "etl/layout.h"

/* What a kind of header is made of; bytes 0: unknown kind. */
typedef struct
{
  guint8 bytes;   /* of the header */
  guint8 size_at; /* where the u16 size of the event lies */
  guint8 time_at; /* where the timestamp lies */
  guint8 ids_at;  /* TID, then PID; 0: none */
  enum
  {
    SHAPE_HOOK,    /* version, size, hook id */
    SHAPE_CLASSIC, /* GUID, opcode, level */
    SHAPE_EVENT,   /* GUID, id, items */
    SHAPE_ERROR    /* only size, and what nobody describes */
  } shape;
  guint8 pointer_size;
} Head;

static const Head heads[256] = {
  [WPR_ETL_HEAD_SYSTEM32] = { 0x20, 4, 0x10, 8, SHAPE_HOOK, 4 },
  [WPR_ETL_HEAD_SYSTEM] = { 0x20, 4, 0x10, 8, SHAPE_HOOK, 8 },
  [WPR_ETL_HEAD_COMPACT32] = { 0x18, 4, 0x10, 8, SHAPE_HOOK, 4 },
  [WPR_ETL_HEAD_COMPACT] = { 0x18, 4, 0x10, 8, SHAPE_HOOK, 8 },
  [WPR_ETL_HEAD_PERFINFO32] = { 0x10, 4, 0x08, 0, SHAPE_HOOK, 4 },
  [WPR_ETL_HEAD_PERFINFO] = { 0x10, 4, 0x08, 0, SHAPE_HOOK, 8 },
  [WPR_ETL_HEAD_CLASSIC32] = { 0x30, 0, 0x10, 8, SHAPE_CLASSIC, 4 },
  [WPR_ETL_HEAD_CLASSIC] = { 0x30, 0, 0x10, 8, SHAPE_CLASSIC, 8 },
  [WPR_ETL_HEAD_INSTANCE32] = { 0x38, 0, 0x10, 8, SHAPE_CLASSIC, 4 },
  [WPR_ETL_HEAD_INSTANCE] = { 0x38, 0, 0x10, 8, SHAPE_CLASSIC, 8 },
  [WPR_ETL_HEAD_EVENT32] = { 0x50, 0, 0x10, 8, SHAPE_EVENT, 4 },
  [WPR_ETL_HEAD_EVENT] = { 0x50, 0, 0x10, 8, SHAPE_EVENT, 8 },
  [WPR_ETL_HEAD_ERROR] = { 0x18, 0, 0x10, 8, SHAPE_ERROR, 8 },
};

/* Byte 3 of a marker. A message of WPP: u16 size, then u16 number and u16 options at 4. */
#define MARK_EVENT 0xc0
#define MARK_MESSAGE 0x90
#define MESSAGE_BYTES 8
/* Options of a message: what follows its header, in this order. */
#define MESSAGE_SEQUENCE 0x01  /* u32 */
#define MESSAGE_GUID 0x02      /* 16 bytes */
#define MESSAGE_COMPONENT 0x04 /* u32, instead of a GUID */
#define MESSAGE_TIME 0x08      /* i64 */
#define MESSAGE_PERF_TIME 0x10 /* says only which clock */
#define MESSAGE_IDS 0x20       /* TID, PID */
#define MESSAGE_POINTER32 0x40
#define MESSAGE_POINTER64 0x80

/* Of a kernel event's version: the low byte is one, these bits say that 8 bytes each follow the
 * header. */
#define VERSION_ITEM 0x8000
#define VERSION_COUNTERS 0x0700

/* An instance header of 56 bytes names its class by a registration handle, which says nothing
 * outside that system; the other kind has a GUID and is longer. */
#define INSTANCE_GUID_BYTES 0x48

static void
read_guid (WprEtlGuid *guid, const guint8 *at)
{
  guid->data1 = wpr_etl_get32 (at);
  guid->data2 = wpr_etl_get16 (at + 4);
  guid->data3 = wpr_etl_get16 (at + 6);
  memcpy (guid->data4, at + 8, 8);
}

/* PROV_TRAITS: u16 size, name NUL. */
static void
take_traits (WprEtlEvent *event, const guint8 *data, guint32 size)
{
  if (size > 2 && memchr (data + 2, 0, size - 2) != NULL)
    event->provider = (const char *)data + 2;
}

/* EVENT_SCHEMA_TL: u16 size, tags, name NUL, fields. */
static void
take_schema (WprEtlEvent *event, const guint8 *data, guint32 size)
{
  guint32 at = 2;

  while (at < size && (data[at] & 0x80) != 0)
    at++;
  at++;
  if (at >= size || memchr (data + at, 0, size - at) == NULL)
    return;
  event->schema = data;
  event->schema_size = size;
  event->name = (const char *)data + at;
}

/* The extended items between header and payload; returns where the payload begins. */
static guint32
read_items (WprEtlEvent *event, const guint8 *at, guint32 size, guint64 offset,
            const WprEtlFaults *faults)
{
  guint32 p = 0x50;
  gboolean more = (wpr_etl_get16 (at + 4) & 1) != 0;

  while (more)
    {
      guint32 total, used;

      if (size - p < 8 || (total = wpr_etl_get16 (at + p)) < 8 || total > size - p
          || (used = wpr_etl_get16 (at + p + 6)) > total - 8)
        {
          wpr_etl_fault (faults, offset, _ ("an extended item does not fit into its event"));
          break;
        }
      if (wpr_etl_get16 (at + p + 2) == WPR_ETL_EXT_TRAITS)
        take_traits (event, at + p + 8, used);
      else if (wpr_etl_get16 (at + p + 2) == WPR_ETL_EXT_SCHEMA)
        take_schema (event, at + p + 8, used);
      more = (wpr_etl_get16 (at + p + 4) & 1) != 0;
      p += total;
    }
  event->items = p > 0x50 ? at + 0x50 : NULL;
  event->items_size = p - 0x50;
  return more ? size : p;
}

static guint32
fill_hook (WprEtlEvent *event, const guint8 *at, guint32 size, guint32 payload)
{
  guint16 version = wpr_etl_get16 (at);
  guint32 items
      = ((version & VERSION_ITEM) != 0 ? 8u : 0u) + ((version & VERSION_COUNTERS) >> 8) * 8u;

  event->version = version & 0xff;
  event->hook = wpr_etl_get16 (at + 6);
  event->type = at[6];
  if (items > 0 && items <= size - payload)
    {
      event->items = at + payload;
      event->items_size = items;
      return payload + items;
    }
  return payload;
}

static guint32
fill_classic (WprEtlEvent *event, const guint8 *at, guint32 size, guint32 payload)
{
  event->type = at[4];
  event->level = at[5];
  event->version = wpr_etl_get16 (at + 6);
  if (payload == 0x30)
    read_guid (&event->guid, at + 0x18);
  else if (size >= INSTANCE_GUID_BYTES)
    {
      read_guid (&event->guid, at + 0x18);
      return INSTANCE_GUID_BYTES;
    }
  return payload;
}

static guint32
fill_event (WprEtlEvent *event, const guint8 *at, guint32 size, guint64 offset,
            const WprEtlFaults *faults)
{
  read_guid (&event->guid, at + 0x18);
  event->hook = wpr_etl_get16 (at + 0x28);
  event->version = at[0x2a];
  event->channel = at[0x2b];
  event->level = at[0x2c];
  event->type = at[0x2d];
  event->task = wpr_etl_get16 (at + 0x2e);
  event->keyword = wpr_etl_get64 (at + 0x30);
  event->activity = at + 0x40;
  return read_items (event, at, size, offset, faults);
}

/* The parts that a message's options name; what does not fit is not there. */
static void
fill_message (WprEtlEvent *event, const guint8 *at, guint32 size)
{
  guint16 options = wpr_etl_get16 (at + 6);
  guint32 p = MESSAGE_BYTES;

  event->header_type = WPR_ETL_HEAD_MESSAGE;
  event->hook = wpr_etl_get16 (at + 4);
  if ((options & MESSAGE_POINTER32) != 0)
    event->pointer_size = 4;
  else if ((options & MESSAGE_POINTER64) != 0)
    event->pointer_size = 8;
  if ((options & MESSAGE_SEQUENCE) != 0)
    p += 4;
  if ((options & MESSAGE_GUID) != 0)
    {
      if (p + 16 <= size)
        read_guid (&event->guid, at + p);
      p += 16;
    }
  else if ((options & MESSAGE_COMPONENT) != 0)
    p += 4;
  if ((options & MESSAGE_TIME) != 0)
    {
      if (p + 8 <= size)
        {
          event->ticks = (gint64)wpr_etl_get64 (at + p);
          event->time_at = (guint8)p;
        }
      p += 8;
    }
  if ((options & MESSAGE_IDS) != 0)
    {
      if (p + 8 <= size)
        {
          event->tid = wpr_etl_get32 (at + p);
          event->pid = wpr_etl_get32 (at + p + 4);
        }
      p += 8;
    }
  p = MIN (p, size);
  event->payload = at + p;
  event->payload_size = size - p;
}

/* ticks keeps what it was: a message without a time has that of the record before. */
static void
reset (WprEtlEvent *event, guint8 type, guint8 pointer_size)
{
  event->header_type = type;
  event->pointer_size = pointer_size;
  event->type = event->level = event->channel = 0;
  event->hook = event->version = event->task = 0;
  event->pid = event->tid = G_MAXUINT32;
  event->keyword = 0;
  memset (&event->guid, 0, sizeof event->guid);
  event->provider = event->name = "";
  event->schema = event->activity = event->items = NULL;
  event->schema_size = event->items_size = 0;
  event->time_at = 0;
}

static guint32
parse_message (const guint8 *bytes, guint32 left, guint8 file_pointer_size, guint64 offset,
               WprEtlEvent *event, const WprEtlFaults *faults)
{
  guint32 size = wpr_etl_get16 (bytes);

  if (size < MESSAGE_BYTES || size > left)
    {
      wpr_etl_fault (faults, offset, _ ("a message does not fit into its buffer"));
      return 0;
    }
  reset (event, WPR_ETL_HEAD_MESSAGE, file_pointer_size);
  event->record = bytes;
  event->record_size = size;
  fill_message (event, bytes, size);
  return WPR_ETL_ALIGN (size);
}

guint32
wpr_etl_record_parse (const guint8 *bytes, guint32 left, guint8 file_pointer_size, guint64 offset,
                      WprEtlEvent *event, const WprEtlFaults *faults)
{
  guint32 size, payload;
  const Head *head;

  if (left < 8 || wpr_etl_get32 (bytes) == G_MAXUINT32)
    {
      wpr_etl_fault (faults, offset,
                     _ ("the buffer says it is filled further than its events reach"));
      return 0;
    }
  if (bytes[3] == MARK_MESSAGE)
    return parse_message (bytes, left, file_pointer_size, offset, event, faults);
  head = &heads[bytes[2]];
  if ((bytes[3] & MARK_EVENT) != MARK_EVENT || head->bytes == 0)
    {
      wpr_etl_fault (faults, offset, _ ("no known event begins here (marker %08x)"),
                     wpr_etl_get32 (bytes));
      return 0;
    }
  size = wpr_etl_get16 (bytes + head->size_at);
  if (size < head->bytes || size > left)
    {
      wpr_etl_fault (faults, offset, _ ("an event of %u bytes does not fit into its buffer"), size);
      return 0;
    }
  reset (event, bytes[2], head->pointer_size);
  event->record = bytes;
  event->record_size = size;
  event->time_at = head->time_at;
  payload = head->bytes;
  event->ticks = (gint64)wpr_etl_get64 (bytes + head->time_at);
  if (head->ids_at != 0)
    {
      event->tid = wpr_etl_get32 (bytes + head->ids_at);
      event->pid = wpr_etl_get32 (bytes + head->ids_at + 4);
    }
  if (head->shape == SHAPE_HOOK)
    payload = fill_hook (event, bytes, size, payload);
  else if (head->shape == SHAPE_EVENT)
    payload = fill_event (event, bytes, size, offset, faults);
  else if (head->shape == SHAPE_CLASSIC)
    payload = fill_classic (event, bytes, size, payload);
  event->payload = bytes + payload;
  event->payload_size = size - payload;
  return WPR_ETL_ALIGN (size);
}
