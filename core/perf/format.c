/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tracepoint's format text made flat by libtraceevent, and the reading of its fields out of raw
 * bytes, which may be shorter than the format says. Names of flags and symbols: format-symbols.c.
 */
#include "config.h"
#include "perf/format.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <traceevent/event-parse.h>
#include "base/wpr-error.h"

typedef struct tep_handle TepHandle;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TepHandle, tep_free)

/* The text without its print format: nothing of it is needed for the layout, and the library
 * stumbles over some (functions it does not know). Free with g_free. */
static char *
layout_only (const char *text, gsize size)
{
  static const char marker[] = "\nprint fmt:";
  const char *print = g_strstr_len (text, (gssize)size, marker);
  gsize length = print != NULL ? (gsize)(print - text) : size;
  return g_strdup_printf ("%.*s\nprint fmt: \"\"\n", (int)length, text);
}

/* char[] is text; u8[] is an address or a command, whatever the library thinks. */
static gboolean
is_text (const struct tep_format_field *field)
{
  return (field->flags & TEP_FIELD_IS_ARRAY) != 0 && strstr (field->type, "char") != NULL
         && strstr (field->type, "unsigned char") == NULL;
}

static guint32
field_flags (const struct tep_format_field *field, gboolean common)
{
  static const struct
  {
    unsigned long theirs;
    guint32 ours;
  } flags[] = {
    { TEP_FIELD_IS_SIGNED, WPR_FIELD_SIGNED },     { TEP_FIELD_IS_DYNAMIC, WPR_FIELD_DYNAMIC },
    { TEP_FIELD_IS_RELATIVE, WPR_FIELD_RELATIVE }, { TEP_FIELD_IS_ARRAY, WPR_FIELD_ARRAY },
    { TEP_FIELD_IS_POINTER, WPR_FIELD_POINTER },
  };
  guint32 result = common ? WPR_FIELD_COMMON : 0;

  for (gsize i = 0; i < G_N_ELEMENTS (flags); i++)
    if ((field->flags & flags[i].theirs) != 0)
      result |= flags[i].ours;
  if ((result & WPR_FIELD_RELATIVE) != 0)
    result |= WPR_FIELD_DYNAMIC;
  return is_text (field) ? result | WPR_FIELD_STRING : result;
}

static void
append_fields (GArray *fields, const struct tep_format_field *field, gboolean common)
{
  for (; field != NULL; field = field->next)
    {
      WprField flat = {
        .name = g_strdup (field->name),
        .type = g_strdup (field->type),
        .offset = (guint32)field->offset,
        .size = (guint32)field->size,
        .element_size = (guint32)field->elementsize,
        .flags = field_flags (field, common),
      };
      g_array_append_val (fields, flat);
    }
}

WprFormat *
wpr_format_new (const char *system, const char *text, gsize size, GError **error)
{
  g_return_val_if_fail (system != NULL && text != NULL, NULL);

  g_autoptr (TepHandle) tep = tep_alloc ();
  g_autofree char *layout = layout_only (text, size);
  struct tep_event *event = NULL;

  tep_set_loglevel (TEP_LOG_NONE);
  if (tep == NULL || tep_parse_format (tep, &event, layout, strlen (layout), system) != 0
      || event == NULL || event->name == NULL || event->format.nr_common == 0)
    {
      wpr_set_error (error, WPR_ERROR_DAMAGED, 0,
                     _ ("The kernel's description of an event of “%s” could not be understood; "
                        "the event is kept without its fields."),
                     system);
      return NULL;
    }

  g_autoptr (GArray) fields = g_array_new (FALSE, FALSE, sizeof (WprField));
  append_fields (fields, event->format.common_fields, TRUE);
  append_fields (fields, event->format.fields, FALSE);

  WprFormat *format = g_new0 (WprFormat, 1);
  format->id = (guint32)event->id;
  format->system = g_strdup (system);
  format->name = g_strdup (event->name);
  format->n_fields = fields->len;
  format->fields = (WprField *)g_array_free (g_steal_pointer (&fields), FALSE);
  return format;
}

void
wpr_format_free (WprFormat *format)
{
  if (format == NULL)
    return;
  for (guint i = 0; i < format->n_fields; i++)
    {
      g_free (format->fields[i].name);
      g_free (format->fields[i].type);
    }
  g_free (format->fields);
  g_free (format->system);
  g_free (format->name);
  g_free (format);
}

const WprField *
wpr_format_field (const WprFormat *format, const char *name)
{
  g_return_val_if_fail (format != NULL && name != NULL, NULL);

  for (guint i = 0; i < format->n_fields; i++)
    if (strcmp (format->fields[i].name, name) == 0)
      return &format->fields[i];
  return NULL;
}

gint64
wpr_field_int (const WprField *field, const guint8 *raw, guint32 raw_size)
{
  guint64 value = 0;
  guint32 size = field->size;
  if ((size != 1 && size != 2 && size != 4 && size != 8) || field->offset > raw_size
      || size > raw_size - field->offset)
    return 0;

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  memcpy (&value, raw + field->offset, size);
#else
  memcpy ((guint8 *)&value + sizeof value - size, raw + field->offset, size);
#endif
  if ((field->flags & WPR_FIELD_SIGNED) == 0)
    return (gint64)value;
  guint spare_bits = 64 - 8 * size;
  return (gint64)(value << spare_bits) >> spare_bits;
}

/* Where a field's bytes are: its own, or those a dynamic one points to. */
static gboolean
span_of (const WprField *field, const guint8 *raw, guint32 raw_size, guint32 *offset, guint32 *size)
{
  guint32 location;

  *offset = field->offset;
  *size = field->size;
  if ((field->flags & WPR_FIELD_DYNAMIC) != 0)
    {
      if (raw_size < sizeof location || field->offset > raw_size - sizeof location)
        return FALSE;
      memcpy (&location, raw + field->offset, sizeof location);
      *offset = location & 0xffff;
      *size = location >> 16;
      if ((field->flags & WPR_FIELD_RELATIVE) != 0)
        *offset += field->offset + (guint32)sizeof location;
    }
  return *offset <= raw_size && *size <= raw_size - *offset;
}

const guint8 *
wpr_field_bytes (const WprField *field, const guint8 *raw, guint32 raw_size, guint32 *size)
{
  guint32 offset, length;

  *size = 0;
  if (!span_of (field, raw, raw_size, &offset, &length))
    return NULL;
  if ((field->flags & WPR_FIELD_STRING) != 0)
    {
      const guint8 *end = memchr (raw + offset, 0, length);
      if (end != NULL)
        length = (guint32)(end - (raw + offset));
    }
  *size = length;
  return raw + offset;
}
