/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times and fields' values as characters. */
#include "config.h"
#include "file/dump-private.h"

#include <math.h>
#include <time.h>
#include "etl/layout.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define DAY_S 86400

/* Bytes of a field that a person is shown; programs get all. */
#define MOST_BYTES 256

/* ---- times ---- */

void
wpr_dump_clock_init (WprDumpClock *clock, gboolean is_utc)
{
  *clock = (WprDumpClock){ .is_utc = is_utc, .hour = G_MININT64, .day = G_MININT64 };
}

static gint64
floor_divide (gint64 a, gint64 b)
{
  return a / b - (a % b < 0);
}

/* What is left of a / b rounded down. */
static gint64
floor_rest (gint64 a, gint64 b)
{
  gint64 rest = a % b;

  return rest < 0 ? rest + b : rest;
}

/* Seconds since 1970 there. */
static gint64
local_seconds (WprDumpClock *clock, gint64 seconds)
{
  gint64 hour = floor_divide (seconds, 3600);

  if (clock->is_utc)
    return seconds;
  if (hour != clock->hour)
    {
      time_t time = (time_t)seconds;
      struct tm tm;

      clock->hour = hour;
      clock->offset_s = localtime_r (&time, &tm) != NULL ? (gint32)tm.tm_gmtoff : 0;
    }
  return seconds + clock->offset_s;
}

static void
put_time (WprPut *put, gint64 second_of_day, gint64 ns, guint digits)
{
  char text[9];

  for (guint i = 0; i < 3; i++)
    {
      guint part = (guint)(i == 0   ? second_of_day / 3600
                           : i == 1 ? second_of_day / 60 % 60
                                    : second_of_day % 60);

      text[3 * i] = (char)('0' + part / 10);
      text[3 * i + 1] = (char)('0' + part % 10);
      text[3 * i + 2] = i < 2 ? ':' : '.';
    }
  wpr_put_bytes (put, text, sizeof text);
  wpr_put_zeros (put, (guint64)ns / (digits == 6 ? 1000 : 1), digits == 6 ? 6 : 9);
}

void
wpr_dump_put_time_of_day (WprPut *put, WprDumpClock *clock, gint64 realtime_ns, guint digits)
{
  gint64 seconds = floor_divide (realtime_ns, SECOND);

  put_time (put, floor_rest (local_seconds (clock, seconds), DAY_S),
            floor_rest (realtime_ns, SECOND), digits);
}

static void
renew_date (WprDumpClock *clock, gint64 day)
{
  g_autoptr (GDateTime) date = g_date_time_new_from_unix_utc (day * DAY_S);

  clock->day = day;
  if (date == NULL)
    g_strlcpy (clock->date, "0000-00-00", sizeof clock->date);
  else
    g_snprintf (clock->date, sizeof clock->date, "%04d-%02d-%02d", g_date_time_get_year (date),
                g_date_time_get_month (date), g_date_time_get_day_of_month (date));
}

void
wpr_dump_put_iso (WprPut *put, WprDumpClock *clock, gint64 realtime_ns)
{
  gint64 seconds = floor_divide (realtime_ns, SECOND);
  gint64 local = local_seconds (clock, seconds), day = floor_divide (local, DAY_S);
  guint minutes = (guint)ABS (clock->offset_s) / 60;

  if (day != clock->day)
    renew_date (clock, day);
  wpr_put_text (put, clock->date);
  wpr_put_char (put, 'T');
  put_time (put, floor_rest (local, DAY_S), floor_rest (realtime_ns, SECOND), 9);
  if (clock->is_utc)
    {
      wpr_put_char (put, 'Z');
      return;
    }
  wpr_put_char (put, clock->offset_s < 0 ? '-' : '+');
  wpr_put_zeros (put, minutes / 60, 2);
  wpr_put_char (put, ':');
  wpr_put_zeros (put, minutes % 60, 2);
}

/* ---- numbers ---- */

/* What a value is, once for all formats. */
typedef enum
{
  VALUE_SIGNED,
  VALUE_UNSIGNED,
  VALUE_HEX,
  VALUE_DOUBLE,
  VALUE_BOOL,
  VALUE_TIME,
  VALUE_BYTES,
  VALUE_TEXT,  /* a person's text, in quotation marks */
  VALUE_WORDS, /* of digits and few signs: a GUID, an address, a name of a number */
} ValueKind;

typedef struct
{
  ValueKind kind;
  union
  {
    gint64 i;
    guint64 u;
    double d;
  };
} Value;

static const guint8 kinds[WPR_ETL_N_TYPES] = {
  [WPR_ETL_TYPE_NONE] = VALUE_WORDS,      [WPR_ETL_TYPE_UTF16] = VALUE_TEXT,
  [WPR_ETL_TYPE_STRING8] = VALUE_TEXT,    [WPR_ETL_TYPE_I8] = VALUE_SIGNED,
  [WPR_ETL_TYPE_U8] = VALUE_UNSIGNED,     [WPR_ETL_TYPE_I16] = VALUE_SIGNED,
  [WPR_ETL_TYPE_U16] = VALUE_UNSIGNED,    [WPR_ETL_TYPE_I32] = VALUE_SIGNED,
  [WPR_ETL_TYPE_U32] = VALUE_UNSIGNED,    [WPR_ETL_TYPE_I64] = VALUE_SIGNED,
  [WPR_ETL_TYPE_U64] = VALUE_UNSIGNED,    [WPR_ETL_TYPE_F32] = VALUE_DOUBLE,
  [WPR_ETL_TYPE_F64] = VALUE_DOUBLE,      [WPR_ETL_TYPE_BOOL32] = VALUE_BOOL,
  [WPR_ETL_TYPE_BINARY] = VALUE_BYTES,    [WPR_ETL_TYPE_GUID] = VALUE_WORDS,
  [WPR_ETL_TYPE_POINTER] = VALUE_HEX,     [WPR_ETL_TYPE_FILETIME] = VALUE_TIME,
  [WPR_ETL_TYPE_SYSTEMTIME] = VALUE_TIME, [WPR_ETL_TYPE_SID] = VALUE_WORDS,
  [WPR_ETL_TYPE_HEX32] = VALUE_HEX,       [WPR_ETL_TYPE_HEX64] = VALUE_HEX,
  [WPR_ETL_TYPE_COUNTED16] = VALUE_TEXT,  [WPR_ETL_TYPE_COUNTED8] = VALUE_TEXT,
  [WPR_ETL_TYPE_STRUCT] = VALUE_WORDS,    [WPR_ETL_TYPE_COUNTED_BINARY] = VALUE_BYTES,
  [WPR_ETL_TYPE_CHAR16] = VALUE_TEXT,     [WPR_ETL_TYPE_CHAR8] = VALUE_TEXT,
  [WPR_ETL_TYPE_BOOL8] = VALUE_BOOL,      [WPR_ETL_TYPE_WBEMSID] = VALUE_WORDS,
  [WPR_ETL_TYPE_PORT] = VALUE_UNSIGNED,   [WPR_ETL_TYPE_TICKS] = VALUE_TIME,
};

static ValueKind
shown_kind (const WprEtlField *raw)
{
  ValueKind kind = raw->type < WPR_ETL_N_TYPES ? kinds[raw->type] : VALUE_WORDS;

  switch (raw->show)
    {
    case WPR_ETL_SHOW_HEX:
    case WPR_ETL_SHOW_WIN32:
    case WPR_ETL_SHOW_NTSTATUS:
    case WPR_ETL_SHOW_HRESULT:
      return kind == VALUE_SIGNED || kind == VALUE_UNSIGNED ? VALUE_HEX : kind;
    case WPR_ETL_SHOW_UNSIGNED: /* a size, which is as wide as a pointer */
      return kind == VALUE_HEX ? VALUE_UNSIGNED : kind;
    case WPR_ETL_SHOW_BOOL:
      return kind == VALUE_UNSIGNED || kind == VALUE_SIGNED ? VALUE_BOOL : kind;
    case WPR_ETL_SHOW_TEXT: /* a single byte is a number all the same */
      return raw->is_array || raw->size != 1 || kind > VALUE_HEX ? VALUE_TEXT : kind;
    case WPR_ETL_SHOW_IPV4:
    case WPR_ETL_SHOW_IPV6:
    case WPR_ETL_SHOW_SOCKADDR:
      return VALUE_WORDS;
    case WPR_ETL_SHOW_TIME:
      return raw->size == 8 && (kind == VALUE_UNSIGNED || kind == VALUE_SIGNED) ? VALUE_TIME : kind;
    default:
      return kind;
    }
}

/* FALSE: as the reader words it. */
static gboolean
get_number (const WprTraceFile *file, const WprEtlField *raw, Value *value)
{
  switch (value->kind)
    {
    case VALUE_SIGNED:
      return wpr_etl_field_get_int64 (raw, &value->i);
    case VALUE_UNSIGNED:
    case VALUE_HEX:
    case VALUE_BOOL:
      return wpr_field_get_number (raw, &value->u);
    case VALUE_DOUBLE:
      return wpr_etl_field_get_double (raw, &value->d);
    case VALUE_TIME:
      return wpr_field_get_time (file, raw, &value->i);
    default:
      return FALSE;
    }
}

static void
take_value (const WprTraceFile *file, const WprEtlField *raw, Value *value)
{
  value->kind = shown_kind (raw);
  if (raw->type == WPR_ETL_TYPE_U8 && raw->is_array && value->kind != VALUE_TEXT
      && value->kind != VALUE_WORDS)
    value->kind = VALUE_BYTES;
  if (value->kind >= VALUE_BYTES)
    return;
  if (raw->is_array || raw->map != NULL || !get_number (file, raw, value))
    value->kind = VALUE_WORDS;
}

static const GString *
word_value (WprDump *self, const WprEtlField *raw)
{
  g_string_truncate (self->text, 0);
  wpr_etl_field_append_text (raw, self->text);
  return self->text;
}

/* ---- for people, and in a cell of CSV ---- */

static void
put_value (WprDump *self, const WprEtlField *raw)
{
  const GString *words;
  gsize most;
  Value value;

  take_value (self->file, raw, &value);
  switch (value.kind)
    {
    case VALUE_SIGNED:
      wpr_put_signed (&self->put, value.i);
      break;
    case VALUE_UNSIGNED:
      wpr_put_unsigned (&self->put, value.u);
      break;
    case VALUE_HEX:
      wpr_put_hex (&self->put, value.u);
      break;
    case VALUE_DOUBLE:
      wpr_put_double (&self->put, value.d);
      break;
    case VALUE_BOOL:
      wpr_put_text (&self->put, value.u != 0 ? "true" : "false");
      break;
    case VALUE_TIME:
      wpr_dump_put_iso (&self->put, &self->clock, value.i);
      break;
    case VALUE_BYTES:
      most = self->put.doubles_quotes ? raw->size : MIN (raw->size, MOST_BYTES);
      wpr_put_hex_bytes (&self->put, raw->value, most);
      if (raw->size > most)
        wpr_put_text (&self->put, "...");
      break;
    case VALUE_TEXT:
      words = word_value (self, raw);
      wpr_put_quoted (&self->put, words->str, words->len);
      break;
    default:
      words = word_value (self, raw);
      wpr_put_plain (&self->put, words->str, words->len);
      break;
    }
}

static void
put_name (WprDump *self, gconstpointer name)
{
  wpr_put_plain (&self->put, name, strlen (name));
  wpr_put_char (&self->put, '=');
}

void
wpr_dump_put_fields (WprDump *self)
{
  const WprEtlField *raw;
  guint n = wpr_trace_file_raw_fields (self->file, &raw);
  WprDumpKind *kind = wpr_dump_kind (self);
  WprFieldNaming naming;
  gboolean is_first = TRUE;

  wpr_field_naming_init (&naming, self->naming);
  for (guint i = 0; i < n; i++)
    {
      gboolean is_simple = raw[i].depth == 0 && raw[i].type != WPR_ETL_TYPE_STRUCT;
      const char *name = is_simple ? raw[i].name : wpr_field_naming_next (&naming, &raw[i]);

      if (name == NULL)
        continue;
      if (!is_first)
        wpr_put_char (&self->put, ' ');
      is_first = FALSE;
      if (is_simple && i < kind->n_names)
        wpr_dump_put_memo (self, &kind->names[i], name, 0, put_name);
      else
        put_name (self, name);
      put_value (self, &raw[i]);
    }
}

/* ---- for programs ---- */

static void put_json_value (WprDump *self, const WprEtlField *raw);

static void
put_json_array (WprDump *self, const WprEtlField *raw)
{
  WprEtlField element = *raw;

  element.is_array = FALSE;
  element.count = 1;
  element.size = raw->value_bytes;
  wpr_put_char (&self->put, '[');
  for (guint i = 0; i < raw->count; i++)
    {
      if (i > 0)
        wpr_put_char (&self->put, ',');
      element.value = raw->value + (gsize)i * raw->value_bytes;
      element.offset = raw->offset + i * raw->value_bytes;
      put_json_value (self, &element);
    }
  wpr_put_char (&self->put, ']');
}

static void
put_json_value (WprDump *self, const WprEtlField *raw)
{
  const GString *words;
  Value value;

  take_value (self->file, raw, &value);
  if (raw->is_array && value.kind == VALUE_WORDS && raw->value_bytes > 0
      && shown_kind (raw) < VALUE_BYTES && (gsize)raw->count * raw->value_bytes <= raw->size)
    {
      put_json_array (self, raw);
      return;
    }
  switch (value.kind)
    {
    case VALUE_SIGNED:
      wpr_put_signed (&self->put, value.i);
      break;
    case VALUE_UNSIGNED:
      wpr_put_unsigned (&self->put, value.u);
      break;
    case VALUE_HEX:
      wpr_put_char (&self->put, '"');
      wpr_put_hex (&self->put, value.u);
      wpr_put_char (&self->put, '"');
      break;
    case VALUE_DOUBLE:
      if (isfinite (value.d))
        wpr_put_double (&self->put, value.d);
      else
        wpr_put_text (&self->put, "null");
      break;
    case VALUE_BOOL:
      wpr_put_text (&self->put, value.u != 0 ? "true" : "false");
      break;
    case VALUE_TIME:
      wpr_put_char (&self->put, '"');
      wpr_dump_put_iso (&self->put, &self->utc, value.i);
      wpr_put_char (&self->put, '"');
      break;
    case VALUE_BYTES:
      wpr_put_char (&self->put, '"');
      wpr_put_hex_bytes (&self->put, raw->value, raw->size);
      wpr_put_char (&self->put, '"');
      break;
    default:
      words = word_value (self, raw);
      wpr_put_json (&self->put, words->str, words->len);
      break;
    }
}

static void
put_json_name (WprDump *self, gconstpointer name)
{
  wpr_put_json (&self->put, name, strlen (name));
  wpr_put_char (&self->put, ':');
}

void
wpr_dump_put_json_fields (WprDump *self)
{
  const WprEtlField *raw;
  guint n = wpr_trace_file_raw_fields (self->file, &raw);
  WprDumpKind *kind = wpr_dump_kind (self);
  WprFieldNaming naming;
  gboolean is_first = TRUE;

  wpr_field_naming_init (&naming, self->naming);
  wpr_put_char (&self->put, '{');
  for (guint i = 0; i < n; i++)
    {
      gboolean is_simple = raw[i].depth == 0 && raw[i].type != WPR_ETL_TYPE_STRUCT;
      const char *name = is_simple ? raw[i].name : wpr_field_naming_next (&naming, &raw[i]);

      if (name == NULL)
        continue;
      if (!is_first)
        wpr_put_char (&self->put, ',');
      is_first = FALSE;
      if (is_simple && i < kind->n_names)
        wpr_dump_put_memo (self, &kind->names[i], name, 0, put_json_name);
      else
        put_json_name (self, name);
      put_json_value (self, &raw[i]);
    }
  wpr_put_char (&self->put, '}');
}

/* ---- frames ---- */

/* Kernel code has the upper half of the addresses, of a 32-bit system's as well. */
static gboolean
is_kernel (const WprDump *self, guint64 frame)
{
  return self->file->raw->pointer_size == 4 ? frame >= 0x80000000 : frame >> 63 != 0;
}

const char *
wpr_dump_describe_frame (WprDump *self, const guint64 *frames, guint index)
{
  /* A frame behind the first of its part is where a call returns to. */
  gboolean is_return
      = index > 0 && is_kernel (self, frames[index]) == is_kernel (self, frames[index - 1]);

  g_string_truncate (self->text, 0);
  wpr_trace_file_append_address (self->file, self->file->event.pid, self->file->raw->ticks,
                                 frames[index], is_return, self->text);
  return self->text->str;
}
