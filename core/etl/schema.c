/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Self-describing events: the bytes of EVENT_SCHEMA_TL and PROV_TRAITS, built once a kind, and a
 * provider's GUID by the naming convention. */
#include "config.h"
#include "etl/writer.h"

#include <string.h>
#include "etl/layout.h"

#define OUT_UTF8 35
#define HAS_OUT 0x80
#define FIXED_ARRAY 0x20
#define COUNTED_ARRAY 0x40
#define LEVEL_INFORMATION 4
/* A name is cut to this; Windows' own tools stop reading names far below. */
#define MOST_NAME 255

struct _WprEtlSchema
{
  WprEtlGuid guid;
  GByteArray *traits, *schema;
};

/* Version-5 UUID of the upper-cased name (UTF-16, big endian) in the namespace of the convention;
 * its 16 bytes are read as a GUID lies in memory. */
void
wpr_etl_provider_guid (const char *name, WprEtlGuid *guid)
{
  static const guint8 name_space[16] = { 0x48, 0x2c, 0x2d, 0xb2, 0xc3, 0x90, 0x47, 0xc8,
                                         0x87, 0xf8, 0x1a, 0x15, 0xbf, 0xc1, 0x30, 0xfb };
  g_autoptr (GChecksum) sha1 = g_checksum_new (G_CHECKSUM_SHA1);
  g_autofree char *upper = g_utf8_strup (name, -1);
  glong n = 0;
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (upper, -1, NULL, &n, NULL);
  guint8 digest[20];
  gsize size = sizeof digest;

  for (glong i = 0; i < n; i++)
    wide[i] = GUINT16_TO_BE (wide[i]);
  g_checksum_update (sha1, name_space, sizeof name_space);
  g_checksum_update (sha1, (const guchar *)wide, n * 2);
  g_checksum_get_digest (sha1, digest, &size);
  digest[7] = (guint8)((digest[7] & 0x0f) | 0x50);
  guid->data1 = wpr_etl_get32 (digest);
  guid->data2 = wpr_etl_get16 (digest + 4);
  guid->data3 = wpr_etl_get16 (digest + 6);
  memcpy (guid->data4, digest + 8, 8);
}

/* Both items begin with their own size. */
static void
put_size (GByteArray *item)
{
  wpr_etl_put16 (item->data, (guint16)item->len);
}

static void
append_name (GByteArray *item, const char *name)
{
  g_autofree char *valid = g_utf8_make_valid (name, -1);
  gsize size = strlen (valid);

  while (size > MOST_NAME)
    size = (gsize)(g_utf8_find_prev_char (valid, valid + size) - valid);
  g_byte_array_append (item, (const guint8 *)valid, (guint)size);
  g_byte_array_append (item, (const guint8 *)"", 1);
}

WprEtlSchema *
wpr_etl_schema_new (const char *provider, const char *event)
{
  WprEtlSchema *self = g_new0 (WprEtlSchema, 1);
  static const guint8 zeros[3];

  wpr_etl_provider_guid (provider, &self->guid);
  self->traits = g_byte_array_new ();
  g_byte_array_append (self->traits, zeros, 2);
  append_name (self->traits, provider);
  put_size (self->traits);
  self->schema = g_byte_array_new ();
  g_byte_array_append (self->schema, zeros, 3); /* size, and no tags */
  append_name (self->schema, event);
  put_size (self->schema);
  return self;
}

void
wpr_etl_schema_add_field (WprEtlSchema *self, const char *name, WprTlType type, guint8 out,
                          int count)
{
  guint8 bytes[4];
  guint n = 0;

  if (type == WPR_TL_STRING8 && out == 0)
    out = OUT_UTF8;
  append_name (self->schema, name);
  bytes[n++] = (guint8)(type
                        | (count > 0   ? FIXED_ARRAY
                           : count < 0 ? COUNTED_ARRAY
                                       : 0)
                        | (out != 0 ? HAS_OUT : 0));
  if (out != 0)
    bytes[n++] = out;
  if (count > 0)
    {
      wpr_etl_put16 (bytes + n, (guint16)count);
      n += 2;
    }
  g_byte_array_append (self->schema, bytes, n);
  put_size (self->schema);
}

gsize
wpr_etl_schema_bytes (const WprEtlSchema *self)
{
  return self->schema->len + self->traits->len;
}

void
wpr_etl_schema_fill_head (const WprEtlSchema *self, WprEtlHead *head)
{
  head->kind = WPR_ETL_EVENT;
  head->guid = &self->guid;
  head->traits = self->traits->data;
  head->traits_size = self->traits->len;
  head->schema = self->schema->data;
  head->schema_size = self->schema->len;
  head->level = LEVEL_INFORMATION;
}

void
wpr_etl_schema_free (WprEtlSchema *self)
{
  if (self == NULL)
    return;
  g_byte_array_unref (self->traits);
  g_byte_array_unref (self->schema);
  g_free (self);
}
