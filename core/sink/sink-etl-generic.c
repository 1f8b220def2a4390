/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any tracepoint as a self-describing event: provider "Linux.<system>", its name, all its own
 * fields with their types. What to copy is worked out once a format; afterwards an event is a few
 * memcpys. The sampler's counters, which have names instead of a format, are here too. */
#include "config.h"
#include <sys/socket.h>
#include "sink/meaning.h"
#include "sink/sink-etl-private.h"
#include "sink/symbolic.h"

#define OUT_BOOLEAN 3
#define OUT_HEX 4
#define OUT_PID 5
#define OUT_TID 6
#define OUT_PORT 7 /* network order */
#define OUT_IPV4 8
#define OUT_IPV6 9
#define OUT_SOCKADDR 10 /* as Windows has it */
#define OUT_CODE 37
/* Windows' number of the family that Linux calls 10. */
#define WINDOWS_INET6 23
/* What an event may have in all; the extended items and headers take their part of it. */
#define MOST_EVENT (60 * 1024)

typedef enum
{
  COPY,      /* `size` bytes from `offset` */
  SWAP16,    /* a u16 the other way round */
  CODE,      /* a u64, which is told to who names addresses */
  SIZED,     /* u16 size, then `size` bytes */
  SOCKADDR,  /* the same, with Windows' number of the family */
  TEXT,      /* text in `size` bytes at `offset` */
  LOC_TEXT,  /* text at what the u32 at `offset` says */
  LOC_ARRAY, /* u16 count, then the elements there */
  NAMED,     /* text: what the kernel calls the value in `size` bytes at `offset` */
  WHOLE,     /* u16 size, then the record as it is */
} OpKind;

typedef struct
{
  OpKind kind;
  gboolean relative;
  guint32 offset, size, element;
  WprSymbolic *names; /* NAMED */
} Op;

struct _WprGeneric
{
  WprEtlSchema *schema;
  WprEtlHead head;
  guint32 needed;  /* raw bytes that the fixed part takes */
  gsize most_text; /* of each text or dynamic array */
  gsize most_payload;
  guint8 *padded; /* a raw record that is too short, with zeros */
  guint n_ops;
  Op ops[];
};

void
wpr_generic_free (WprGeneric *self)
{
  if (self == NULL)
    return;
  wpr_etl_schema_free (self->schema);
  for (guint i = 0; i < self->n_ops; i++)
    wpr_symbolic_free (self->ops[i].names);
  g_free (self->padded);
  g_free (self);
}

/* By size. */
static const struct
{
  WprTlType is_unsigned, is_signed;
} number_types[9] = {
  [1] = { WPR_TL_U8, WPR_TL_I8 },
  [2] = { WPR_TL_U16, WPR_TL_I16 },
  [4] = { WPR_TL_U32, WPR_TL_I32 },
  [8] = { WPR_TL_U64, WPR_TL_I64 },
};

/* 0 where no number has this size. */
static WprTlType
number_type (const WprField *field, guint32 size)
{
  if (size > 8 || number_types[size].is_unsigned == 0)
    return 0;
  return (field->flags & WPR_FIELD_SIGNED) != 0 ? number_types[size].is_signed
                                                : number_types[size].is_unsigned;
}

/* Neighbours without a gap are one copy. */
static void
add_copy (WprGeneric *self, const WprField *field)
{
  Op *last = self->n_ops > 0 ? &self->ops[self->n_ops - 1] : NULL;

  if (last != NULL && last->kind == COPY && last->offset + last->size == field->offset)
    last->size += field->size;
  else
    self->ops[self->n_ops++] = (Op){ .kind = COPY, .offset = field->offset, .size = field->size };
  self->needed = MAX (self->needed, field->offset + field->size);
}

static void
add_op (WprGeneric *self, const WprField *field, OpKind kind)
{
  self->ops[self->n_ops++] = (Op){ .kind = kind, .offset = field->offset, .size = field->size };
  self->needed = MAX (self->needed, field->offset + field->size);
}

static void
add_string (WprGeneric *self, const WprField *field)
{
  gboolean dynamic = (field->flags & WPR_FIELD_DYNAMIC) != 0;

  wpr_etl_schema_add_field (self->schema, field->name, WPR_TL_STRING8, 0, 0);
  self->ops[self->n_ops++]
      = (Op){ dynamic ? LOC_TEXT : TEXT, (field->flags & WPR_FIELD_RELATIVE) != 0, field->offset,
              field->size, 1 };
  self->needed = MAX (self->needed, field->offset + (dynamic ? 4 : field->size));
}

/* How a meaning that is not just a number is put into the file: type and out type; 0: the field's
 * own. An address of code or data is an unsigned number shown in hex: some readers do not know the
 * format's own type for that (21). */
static const struct
{
  WprTlType type;
  guint8 out;
  OpKind op;
} meanings[] = {
  [WPR_MEANS_NUMBER] = { 0, 0, COPY },
  [WPR_MEANS_BOOL] = { 0, OUT_BOOLEAN, COPY },
  [WPR_MEANS_HEX] = { 0, OUT_HEX, COPY },
  [WPR_MEANS_CODE] = { WPR_TL_U64, OUT_CODE, CODE },
  [WPR_MEANS_PID] = { WPR_TL_U32, OUT_PID, COPY },
  [WPR_MEANS_TID] = { WPR_TL_U32, OUT_TID, COPY },
  [WPR_MEANS_PORT] = { WPR_TL_U16, OUT_PORT, SWAP16 },
  [WPR_MEANS_IPV4] = { WPR_TL_U32, OUT_IPV4, COPY },
  [WPR_MEANS_IPV6] = { WPR_TL_BINARY, OUT_IPV6, SIZED },
  [WPR_MEANS_SOCKADDR] = { WPR_TL_BINARY, OUT_SOCKADDR, SOCKADDR },
};

/* Elements of numbers, or of bytes where they are none. */
static void
add_array (WprGeneric *self, const WprField *field, guint8 out)
{
  gboolean dynamic = (field->flags & WPR_FIELD_DYNAMIC) != 0;
  guint32 element = field->element_size > 0 ? field->element_size : 1;
  WprTlType type = number_type (field, element);

  if (type == 0 || (!dynamic && field->size % element != 0))
    element = 1, type = WPR_TL_U8;
  if (!dynamic)
    {
      wpr_etl_schema_add_field (self->schema, field->name, type, out, (int)(field->size / element));
      add_copy (self, field);
      return;
    }
  wpr_etl_schema_add_field (self->schema, field->name, type, out, -1);
  self->ops[self->n_ops++]
      = (Op){ LOC_ARRAY, (field->flags & WPR_FIELD_RELATIVE) != 0, field->offset, 4, element };
  self->needed = MAX (self->needed, field->offset + 4);
}

/* Bits are not negative: an unsigned type shows them as they are. */
static WprTlType
scalar_type (const WprField *field, WprMeaning meaning)
{
  if (meanings[meaning].type != 0)
    return meanings[meaning].type;
  if (meaning == WPR_MEANS_HEX && field->size <= 8)
    return number_types[field->size].is_unsigned;
  return number_type (field, field->size);
}

static void
add_field (WprGeneric *self, const char *system, const WprField *field)
{
  WprMeaning meaning = wpr_field_meaning (system, field);
  gboolean array = (field->flags & (WPR_FIELD_ARRAY | WPR_FIELD_DYNAMIC)) != 0;
  WprTlType type = scalar_type (field, meaning);

  if ((field->flags & WPR_FIELD_COMMON) != 0
      || (field->size == 0 && (field->flags & WPR_FIELD_DYNAMIC) == 0))
    return;
  if ((field->flags & WPR_FIELD_STRING) != 0)
    add_string (self, field);
  else if ((array && meanings[meaning].type == 0) || type == 0)
    add_array (self, field, meanings[meaning].out);
  else
    {
      wpr_etl_schema_add_field (self->schema, field->name, type, meanings[meaning].out, 0);
      if (meanings[meaning].op == COPY)
        add_copy (self, field);
      else
        add_op (self, field, meanings[meaning].op);
    }
}

/* The value stays a number; its name follows as a field of its own. */
static void
add_name (WprGeneric *self, const WprField *field, const char *text)
{
  WprSymbolic *names
      = (field->flags & WPR_FIELD_COMMON) == 0 ? wpr_symbolic_new (text, field) : NULL;
  g_autofree char *name = g_strconcat (field->name, "_name", NULL);

  if (names == NULL)
    return;
  wpr_etl_schema_add_field (self->schema, name, WPR_TL_STRING8, 0, 0);
  self->ops[self->n_ops++]
      = (Op){ .kind = NAMED, .offset = field->offset, .size = field->size, .names = names };
}

static guint64
row_keyword (const WprSinkEtl *self, guint32 row)
{
  const GArray *events = self->context->manifest->events;

  for (guint i = 0; row != G_MAXUINT32 && events != NULL && i < events->len; i++)
    if (g_array_index (events, WprStoreEvent, i).row == row)
      return G_GUINT64_CONSTANT (1)
             << MIN (g_array_index (events, WprStoreEvent, i).collector, 63u);
  return 1;
}

static const char *
row_name (const WprSinkEtl *self, guint32 row)
{
  const GArray *events = self->context->manifest->events;

  for (guint i = 0; events != NULL && i < events->len; i++)
    if (g_array_index (events, WprStoreEvent, i).row == row)
      return g_array_index (events, WprStoreEvent, i).name;
  return NULL;
}

static const char *
row_format (const WprSinkEtl *self, guint32 row)
{
  const GArray *events = self->context->manifest->events;

  for (guint i = 0; events != NULL && i < events->len; i++)
    if (g_array_index (events, WprStoreEvent, i).row == row)
      return g_array_index (events, WprStoreEvent, i).format;
  return NULL;
}

/* An event whose format nobody understood keeps its bytes. */
static WprGeneric *
compile_whole (const WprSinkEtl *self, guint32 row)
{
  WprGeneric *generic = g_malloc0 (sizeof *generic + sizeof (Op));
  const char *full = row_name (self, row);
  g_auto (GStrv) names = g_strsplit (full != NULL ? full : "unknown:unknown", ":", 2);
  g_autofree char *provider = g_strconcat ("Linux.", names[0], NULL);

  generic->schema = wpr_etl_schema_new (provider, names[1] != NULL ? names[1] : names[0]);
  wpr_etl_schema_add_field (generic->schema, "raw", WPR_TL_BINARY, 0, 0);
  generic->ops[generic->n_ops++] = (Op){ .kind = WHOLE };
  generic->most_payload = generic->most_text = MOST_EVENT / 2;
  wpr_etl_schema_fill_head (generic->schema, &generic->head);
  generic->head.keyword = row_keyword (self, row);
  return generic;
}

static WprGeneric *
compile (const WprSinkEtl *self, const WprFormat *format, guint32 row)
{
  WprGeneric *generic = g_malloc0 (sizeof *generic + 2 * format->n_fields * sizeof (Op));
  const char *text = row_format (self, row);
  g_autofree char *provider = g_strconcat ("Linux.", format->system, NULL);
  gsize fixed = 0, n_texts = 0;

  generic->schema = wpr_etl_schema_new (provider, format->name);
  for (guint i = 0; i < format->n_fields; i++)
    {
      add_field (generic, format->system, &format->fields[i]);
      add_name (generic, &format->fields[i], text);
    }
  wpr_etl_schema_fill_head (generic->schema, &generic->head);
  generic->head.keyword = row_keyword (self, row);
  for (guint i = 0; i < generic->n_ops; i++)
    if (generic->ops[i].kind < TEXT)
      fixed += generic->ops[i].size + 2;
    else
      n_texts++;
  generic->most_payload = MOST_EVENT - MIN (wpr_etl_schema_bytes (generic->schema) + 32, 32768);
  fixed = MIN (fixed + 4 * n_texts, generic->most_payload);
  generic->most_text = (generic->most_payload - fixed) / MAX (n_texts, 1);
  return generic;
}

static WprGeneric *
lookup (WprSinkEtl *self, const WprEvent *event)
{
  WprGeneric *generic;
  gconstpointer key;

  if (event->row < self->by_row->len && g_ptr_array_index (self->by_row, event->row) != NULL)
    return g_ptr_array_index (self->by_row, event->row);
  key = event->format != NULL ? (gconstpointer)event->format
                              : GUINT_TO_POINTER (event->row * 2u + 1u);
  generic = g_hash_table_lookup (self->by_format, key);
  if (generic == NULL)
    {
      generic = event->format != NULL ? compile (self, event->format, event->row)
                                      : compile_whole (self, event->row);
      g_hash_table_insert (self->by_format, (gpointer)key, generic);
    }
  if (event->row < 65536)
    {
      if (event->row >= self->by_row->len)
        g_ptr_array_set_size (self->by_row, (gint)event->row + 1);
      g_ptr_array_index (self->by_row, event->row) = generic;
    }
  return generic;
}

/* A raw record shorter than its format promises: what is missing reads as zero. */
static const guint8 *
pad (WprGeneric *generic, const guint8 *raw, guint32 *size)
{
  if (generic->padded == NULL)
    generic->padded = g_malloc (generic->needed);
  memset (generic->padded, 0, generic->needed);
  if (*size > 0)
    memcpy (generic->padded, raw, *size);
  *size = generic->needed;
  return generic->padded;
}

/* What a __data_loc or __rel_loc points to; size 0 where it lies outside the record. */
static const guint8 *
located (const Op *op, const guint8 *raw, guint32 raw_size, guint32 *size)
{
  guint32 loc, at;

  memcpy (&loc, raw + op->offset, sizeof loc);
  at = (loc & 0xffff) + (op->relative ? op->offset + 4 : 0);
  *size = loc >> 16;
  if (at > raw_size || *size > raw_size - at)
    *size = 0;
  return raw + (*size > 0 ? at : 0);
}

static void
put_array (WprPayload *payload, const guint8 *bytes, guint32 size, guint32 element, gsize most)
{
  guint32 count = (guint32)MIN (size, most) / element;

  if (count < size / element)
    payload->n_cut++;
  wpr_payload_u16 (payload, (guint16)MIN (count, G_MAXUINT16));
  wpr_payload_bytes (payload, bytes, (gsize)MIN (count, G_MAXUINT16) * element);
}

static void
put_sockaddr (WprPayload *payload, const guint8 *bytes, guint32 size)
{
  guint16 family;

  memcpy (&family, bytes, sizeof family);
  wpr_payload_u16 (payload, (guint16)size);
  wpr_payload_u16 (payload, family == AF_INET6 ? WINDOWS_INET6 : family);
  wpr_payload_bytes (payload, bytes + sizeof family, size - sizeof family);
}

/* Fields that are more than their bytes. raw holds what op wants. */
static void
put_special (WprSinkEtl *self, const WprGeneric *generic, const Op *op, const guint8 *raw,
             guint32 raw_size, WprPayload *payload)
{
  const guint8 *bytes = raw + op->offset;
  guint32 size;
  guint64 address;

  switch (op->kind)
    {
    case SWAP16:
      wpr_payload_u8 (payload, bytes[G_BYTE_ORDER == G_LITTLE_ENDIAN]);
      wpr_payload_u8 (payload, bytes[G_BYTE_ORDER != G_LITTLE_ENDIAN]);
      break;
    case CODE:
      memcpy (&address, bytes, sizeof address);
      wpr_sink_etl_saw_address (self, 0, address);
      wpr_payload_u64 (payload, address);
      break;
    case SIZED:
      wpr_payload_u16 (payload, (guint16)op->size);
      wpr_payload_bytes (payload, bytes, op->size);
      break;
    case SOCKADDR:
      put_sockaddr (payload, bytes, op->size);
      break;
    case TEXT:
      wpr_payload_text (payload, (const char *)bytes, (gssize)op->size, generic->most_text);
      break;
    case LOC_TEXT:
      bytes = located (op, raw, raw_size, &size);
      wpr_payload_text (payload, (const char *)bytes, (gssize)size, generic->most_text);
      break;
    case LOC_ARRAY:
      bytes = located (op, raw, raw_size, &size);
      put_array (payload, bytes, size, op->element, generic->most_text);
      break;
    case NAMED:
      wpr_payload_text (payload, wpr_symbolic_name (op->names, bytes), -1, generic->most_text);
      break;
    case WHOLE:
      put_array (payload, raw, raw_size, 1, generic->most_text);
      break;
    default:
      break;
    }
}

gboolean
wpr_sink_etl_tracepoint (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprGeneric *generic = lookup (self, event);
  const guint8 *raw = event->raw;
  guint32 raw_size = event->raw_size;
  WprPayload payload;

  if (G_UNLIKELY (raw_size < generic->needed))
    raw = pad (generic, raw, &raw_size);
  wpr_payload_init (&payload, self->scratch, generic->most_payload);
  for (const Op *op = generic->ops, *end = op + generic->n_ops; op < end; op++)
    if (op->kind == COPY)
      wpr_payload_bytes (&payload, raw + op->offset, op->size);
    else
      put_special (self, generic, op, raw, raw_size, &payload);
  generic->head.pid = wpr_sink_etl_pid (self, event->pid);
  generic->head.tid = event->tid;
  return wpr_sink_etl_add (self, event->cpu, event->time, &generic->head, &payload, error)
         && wpr_sink_etl_stack (self, event, error);
}

/* ---- counters ---- */

static WprEtlSchema *
counter_schema (WprSinkEtl *self, const WprEvent *event)
{
  g_autoptr (GString) key = g_string_new (event->u.counters.name);
  WprEtlSchema *schema;

  for (guint i = 0; i < event->u.counters.n; i++)
    g_string_append_printf (key, "/%s", event->u.counters.names[i]);
  schema = g_hash_table_lookup (self->counter_kinds, key->str);
  if (schema == NULL)
    {
      schema = wpr_etl_schema_new ("Linux.Sampler", event->u.counters.name);
      for (guint i = 0; i < event->u.counters.n; i++)
        wpr_etl_schema_add_field (schema, event->u.counters.names[i], WPR_TL_I64, 0, 0);
      g_hash_table_insert (self->counter_kinds, g_strdup (key->str), schema);
    }
  return schema;
}

gboolean
wpr_sink_etl_counters (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = { .pid = wpr_sink_etl_pid (self, event->pid), .tid = event->tid };
  WprPayload payload;

  wpr_etl_schema_fill_head (counter_schema (self, event), &head);
  head.keyword = row_keyword (self, event->row);
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  for (guint i = 0; i < event->u.counters.n; i++)
    wpr_payload_u64 (&payload, (guint64)event->u.counters.values[i]);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error);
}
