/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields of an event as programs are given them: few types, text as UTF-8. */
#include "config.h"
#include "file/file-private.h"

#include <string.h>
#include "etl/layout.h"

#define UNIX_EPOCH_FILETIME G_GINT64_CONSTANT (116444736000000000)

guint
wpr_trace_file_raw_fields (WprTraceFile *self, const WprEtlField **fields)
{
  if (!self->has_raw_fields && self->raw != NULL)
    {
      self->n_raw_fields
          = wpr_etl_decoder_fields (self->decoder, self->raw, self->kind, &self->raw_fields);
      self->has_raw_fields = TRUE;
    }
  *fields = self->raw_fields;
  return self->has_raw_fields ? self->n_raw_fields : 0;
}

/* 100 ns since 1601 as ns since 1970, clamped. */
gint64
wpr_filetime_to_realtime (gint64 filetime)
{
  gint64 since
      = filetime > G_MININT64 + UNIX_EPOCH_FILETIME ? filetime - UNIX_EPOCH_FILETIME : G_MININT64;

  return CLAMP (since, G_MININT64 / 100, G_MAXINT64 / 100) * 100;
}

/* SYSTEMTIME: u16 year, month, weekday, day, hour, minute, second, ms. UTC. */
static gboolean
systemtime_to_realtime (const guint8 *at, gint64 *ns)
{
  g_autoptr (GDateTime) time = g_date_time_new_utc (
      wpr_etl_get16 (at), wpr_etl_get16 (at + 2), wpr_etl_get16 (at + 6), wpr_etl_get16 (at + 8),
      wpr_etl_get16 (at + 10), (gdouble)wpr_etl_get16 (at + 12));
  gint64 seconds = time != NULL ? g_date_time_to_unix (time) : 0;

  if (time == NULL || seconds > G_MAXINT64 / 1000000000 || seconds < G_MININT64 / 1000000000)
    return FALSE;
  *ns = seconds * 1000000000 + wpr_etl_get16 (at + 14) % 1000 * G_GINT64_CONSTANT (1000000);
  return TRUE;
}

gboolean
wpr_field_get_number (const WprEtlField *raw, guint64 *value)
{
  if (!wpr_etl_field_get_uint64 (raw, value))
    return FALSE;
  /* A port lies in the order of the network, whatever its type is called. */
  if (raw->show == WPR_ETL_SHOW_PORT && raw->type != WPR_ETL_TYPE_PORT && raw->size == 2)
    *value = GUINT16_SWAP_LE_BE ((guint16)*value);
  return TRUE;
}

/* What is told to be a time as well, by how it is shown. */
static gboolean
is_filetime (const WprEtlField *raw)
{
  return raw->type == WPR_ETL_TYPE_FILETIME
         || (raw->show == WPR_ETL_SHOW_TIME
             && (raw->type == WPR_ETL_TYPE_U64 || raw->type == WPR_ETL_TYPE_I64));
}

gboolean
wpr_field_get_time (const WprTraceFile *self, const WprEtlField *raw, gint64 *ns)
{
  if (raw->is_array)
    return FALSE;
  if (raw->type == WPR_ETL_TYPE_SYSTEMTIME)
    return raw->size >= 16 && systemtime_to_realtime (raw->value, ns);
  if (raw->size < 8 || (!is_filetime (raw) && raw->type != WPR_ETL_TYPE_TICKS))
    return FALSE;
  *ns = (gint64)wpr_etl_get64 (raw->value);
  if (is_filetime (raw))
    *ns = wpr_filetime_to_realtime (*ns);
  else
    *ns = (gint64)((guint64)self->header.start_realtime_ns
                   + (guint64)wpr_etl_ticks_to_ns (wpr_etl_file_info (self->etl), *ns));
  return TRUE;
}

static gboolean
is_shown_as_text (const WprEtlField *raw)
{
  switch (raw->show)
    {
    case WPR_ETL_SHOW_TEXT: /* a single byte is a number all the same */
      return raw->is_array || raw->size != 1;
    case WPR_ETL_SHOW_IPV4:
    case WPR_ETL_SHOW_IPV6:
    case WPR_ETL_SHOW_SOCKADDR:
      return TRUE;
    default:
      return FALSE;
    }
}

/* By type of a single value; what is not here is text. */
static const struct
{
  gboolean is_number;
  WprTraceFieldType type;
} types[WPR_ETL_N_TYPES] = {
  [WPR_ETL_TYPE_I8] = { TRUE, WPR_TRACE_FIELD_INT },
  [WPR_ETL_TYPE_I16] = { TRUE, WPR_TRACE_FIELD_INT },
  [WPR_ETL_TYPE_I32] = { TRUE, WPR_TRACE_FIELD_INT },
  [WPR_ETL_TYPE_I64] = { TRUE, WPR_TRACE_FIELD_INT },
  [WPR_ETL_TYPE_U8] = { TRUE, WPR_TRACE_FIELD_UINT },
  [WPR_ETL_TYPE_U16] = { TRUE, WPR_TRACE_FIELD_UINT },
  [WPR_ETL_TYPE_U32] = { TRUE, WPR_TRACE_FIELD_UINT },
  [WPR_ETL_TYPE_U64] = { TRUE, WPR_TRACE_FIELD_UINT },
  [WPR_ETL_TYPE_F32] = { TRUE, WPR_TRACE_FIELD_DOUBLE },
  [WPR_ETL_TYPE_F64] = { TRUE, WPR_TRACE_FIELD_DOUBLE },
  [WPR_ETL_TYPE_BOOL32] = { TRUE, WPR_TRACE_FIELD_BOOL },
  [WPR_ETL_TYPE_BOOL8] = { TRUE, WPR_TRACE_FIELD_BOOL },
  [WPR_ETL_TYPE_POINTER] = { TRUE, WPR_TRACE_FIELD_ADDRESS },
  [WPR_ETL_TYPE_HEX32] = { TRUE, WPR_TRACE_FIELD_UINT },
  [WPR_ETL_TYPE_HEX64] = { TRUE, WPR_TRACE_FIELD_UINT },
  [WPR_ETL_TYPE_PORT] = { TRUE, WPR_TRACE_FIELD_UINT },
};

static gboolean
convert_number (const WprEtlField *raw, WprTraceField *field)
{
  if (raw->type >= WPR_ETL_N_TYPES || !types[raw->type].is_number || raw->is_array
      || is_shown_as_text (raw) || is_filetime (raw))
    return FALSE;
  field->type = types[raw->type].type;
  field->hex = raw->show == WPR_ETL_SHOW_HEX || raw->type == WPR_ETL_TYPE_HEX32
               || raw->type == WPR_ETL_TYPE_HEX64 || raw->show == WPR_ETL_SHOW_NTSTATUS
               || raw->show == WPR_ETL_SHOW_HRESULT;
  if (raw->show == WPR_ETL_SHOW_UNSIGNED) /* a size, which is as wide as a pointer */
    field->type = WPR_TRACE_FIELD_UINT;
  if (raw->show == WPR_ETL_SHOW_BOOL)
    field->type = WPR_TRACE_FIELD_BOOL;
  switch (field->type)
    {
    case WPR_TRACE_FIELD_INT:
      return wpr_etl_field_get_int64 (raw, &field->i);
    case WPR_TRACE_FIELD_DOUBLE:
      return wpr_etl_field_get_double (raw, &field->d);
    case WPR_TRACE_FIELD_BOOL:
      if (!wpr_field_get_number (raw, &field->u))
        return FALSE;
      field->u = field->u != 0;
      return TRUE;
    default:
      return wpr_field_get_number (raw, &field->u);
    }
}

static gboolean
is_bytes (const WprEtlField *raw)
{
  return raw->type == WPR_ETL_TYPE_BINARY || raw->type == WPR_ETL_TYPE_COUNTED_BINARY
         || (raw->type == WPR_ETL_TYPE_U8 && raw->is_array);
}

void
wpr_field_convert (WprTraceFile *self, const WprEtlField *raw, WprTraceField *field)
{
  memset (field, 0, sizeof *field);
  field->name = raw->name;
  if (convert_number (raw, field))
    return;
  if (wpr_field_get_time (self, raw, &field->i))
    field->type = WPR_TRACE_FIELD_TIME;
  else if (is_bytes (raw) && !is_shown_as_text (raw))
    {
      field->type = WPR_TRACE_FIELD_BYTES;
      field->bytes = raw->value;
      field->size = raw->size;
    }
  else
    {
      /* The text may move while more is appended. */
      field->type = WPR_TRACE_FIELD_STRING;
      field->u = self->texts->len;
      wpr_etl_field_append_text (raw, self->texts);
      field->size = self->texts->len - field->u;
      g_string_append_c (self->texts, '\0');
    }
}

/* ---- members of structs ---- */

void
wpr_field_naming_init (WprFieldNaming *self, GString *text)
{
  memset (self, 0, sizeof *self);
  self->text = text;
}

const char *
wpr_field_naming_next (WprFieldNaming *self, const WprEtlField *raw)
{
  guint depth = MIN (raw->depth, WPR_NAMING_DEPTH - 1);

  if (depth == 0 && raw->type != WPR_ETL_TYPE_STRUCT)
    return raw->name;
  g_string_truncate (self->text, self->ends[depth]);
  g_string_append (self->text, raw->name);
  if (raw->type != WPR_ETL_TYPE_STRUCT)
    return self->text->str;
  if (raw->is_array)
    g_string_append_printf (self->text, "[%u]", raw->index);
  g_string_append_c (self->text, '.');
  self->ends[depth + 1] = self->text->len;
  return NULL;
}

static void
convert_all (WprTraceFile *self)
{
  const WprEtlField *raw;
  guint n = wpr_trace_file_raw_fields (self, &raw);
  WprFieldNaming naming;

  wpr_field_naming_init (&naming, self->prefix);
  g_array_set_size (self->fields, 0);
  for (guint i = 0; i < n; i++)
    {
      const char *name = wpr_field_naming_next (&naming, &raw[i]);
      WprTraceField field;
      gsize at = self->texts->len;

      if (name == NULL)
        continue;
      if (raw[i].depth > 0)
        g_string_append_len (self->texts, name, (gssize)strlen (name) + 1);
      wpr_field_convert (self, &raw[i], &field);
      if (raw[i].depth > 0)
        field.name = GSIZE_TO_POINTER (at + 1);
      g_array_append_val (self->fields, field);
    }
}

/* Offsets become pointers, now that the texts do not move any more. A name below the texts' length
 * is an offset: no address is that small. */
static void
settle_texts (WprTraceFile *self)
{
  for (guint i = 0; i < self->fields->len; i++)
    {
      WprTraceField *field = &g_array_index (self->fields, WprTraceField, i);

      if (GPOINTER_TO_SIZE (field->name) <= self->texts->len)
        field->name = self->texts->str + GPOINTER_TO_SIZE (field->name) - 1;
      if (field->type == WPR_TRACE_FIELD_STRING)
        field->text = self->texts->str + field->u;
    }
}

const WprTraceField *
wpr_trace_file_get_fields (WprTraceFile *self, guint *n)
{
  *n = 0;
  if (self->raw == NULL)
    return NULL;
  if (!self->has_fields)
    {
      g_string_truncate (self->texts, 0);
      convert_all (self);
      settle_texts (self);
      self->has_fields = TRUE;
    }
  *n = self->fields->len;
  return (const WprTraceField *)(gpointer)self->fields->data;
}

const WprTraceField *
wpr_trace_file_get_field (WprTraceFile *self, const char *name)
{
  guint n;
  const WprTraceField *fields = wpr_trace_file_get_fields (self, &n);

  g_return_val_if_fail (name != NULL, NULL);
  for (guint i = 0; i < n; i++)
    if (g_ascii_strcasecmp (fields[i].name, name) == 0)
      return &fields[i];
  return NULL;
}

gboolean
wpr_trace_file_copy_field (WprTraceFile *self, const char *name, WprTraceField *field)
{
  const WprTraceField *found = wpr_trace_file_get_field (self, name);

  if (found != NULL)
    *field = *found;
  return found != NULL;
}
