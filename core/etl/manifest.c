/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of manifests' events that a merged file carries: EventMetadata's EventInfo (a
 * TRACE_EVENT_INFO) and EventMapInfo (a GUID and an EVENT_MAP_INFO). A stranger's bytes: every
 * offset is checked against their end. */
#include "config.h"
#include "etl/manifest.h"

#include <string.h>
#include "etl/layout.h"

#define OPCODE_EVENT_INFO 32
#define OPCODE_EVENT_MAP 33
/* All layouts of a file together; Windows' own manifests, all of them, have some 30 MiB. */
#define MOST_BYTES (64u * 1024 * 1024)
#define MOST_MAP_ENTRIES 4096

/* TRACE_EVENT_INFO, by offset. */
#define INFO_PROVIDER 0
#define INFO_CLASS 16
#define INFO_ID 32
#define INFO_VERSION 34
#define INFO_OPCODE 37
#define INFO_SOURCE 48
#define INFO_PROVIDER_NAME 52
#define INFO_TASK_NAME 68
#define INFO_OPCODE_NAME 72
#define INFO_EVENT_NAME 92
#define INFO_N_PROPERTIES 100
#define INFO_N_TOP 104
#define INFO_PROPERTIES 112
#define SOURCE_MANIFEST 0
#define SOURCE_CLASS 1 /* a classic class: by EventGuid and opcode */

/* EVENT_PROPERTY_INFO, by offset. */
#define PROPERTY_BYTES 24
#define PROPERTY_FLAGS 0
#define PROPERTY_NAME 4
#define PROPERTY_IN 8 /* of a struct: the first of its members, and how many */
#define PROPERTY_OUT 10
#define PROPERTY_MAP 12
#define PROPERTY_COUNT 16
#define PROPERTY_LENGTH 18
#define FLAG_STRUCT 0x01
#define FLAG_LENGTH_FIELD 0x02
#define FLAG_COUNT_FIELD 0x04
#define FLAG_FIXED_COUNT 0x20

/* EVENT_MAP_INFO, by offset. */
#define MAP_NAME 0
#define MAP_FLAGS 4
#define MAP_N_ENTRIES 8
#define MAP_ENTRIES 16
#define MAP_ENTRY_BYTES 8 /* u32 where its text is, u32 value */
#define MAP_IS_BITS 0x12  /* of a manifest, of a class */

/* TDH_INTYPE beyond what self-describing events have. */
static const struct
{
  guint16 in;
  guint8 type, length, show;
} in_types[] = {
  { 300, WPR_ETL_TYPE_COUNTED16, WPR_ETL_MANY_ONE, 0 },
  { 301, WPR_ETL_TYPE_COUNTED8, WPR_ETL_MANY_ONE, 0 },
  { 304, WPR_ETL_TYPE_UTF16, WPR_ETL_MANY_REST, 0 }, /* not terminated */
  { 305, WPR_ETL_TYPE_STRING8, WPR_ETL_MANY_REST, 0 },
  { 306, WPR_ETL_TYPE_CHAR16, WPR_ETL_MANY_ONE, WPR_ETL_SHOW_TEXT },
  { 307, WPR_ETL_TYPE_CHAR8, WPR_ETL_MANY_ONE, WPR_ETL_SHOW_TEXT },
  { 308, WPR_ETL_TYPE_POINTER, WPR_ETL_MANY_ONE, WPR_ETL_SHOW_UNSIGNED }, /* a size */
  { 310, WPR_ETL_TYPE_WBEMSID, WPR_ETL_MANY_ONE, 0 },
};

/* TDH_OUTTYPE. */
static const guint8 shows[40] = {
  [1] = WPR_ETL_SHOW_TEXT,   [2] = WPR_ETL_SHOW_TIME,      [13] = WPR_ETL_SHOW_BOOL,
  [15] = WPR_ETL_SHOW_HEX,   [16] = WPR_ETL_SHOW_HEX,      [17] = WPR_ETL_SHOW_HEX,
  [18] = WPR_ETL_SHOW_HEX,   [19] = WPR_ETL_SHOW_HEX,      [20] = WPR_ETL_SHOW_PID,
  [21] = WPR_ETL_SHOW_TID,   [22] = WPR_ETL_SHOW_PORT,     [23] = WPR_ETL_SHOW_IPV4,
  [24] = WPR_ETL_SHOW_IPV6,  [25] = WPR_ETL_SHOW_SOCKADDR, [28] = WPR_ETL_SHOW_TEXT,
  [30] = WPR_ETL_SHOW_WIN32, [31] = WPR_ETL_SHOW_NTSTATUS, [32] = WPR_ETL_SHOW_HRESULT,
  [33] = WPR_ETL_SHOW_TIME,  [34] = WPR_ETL_SHOW_TEXT,     [35] = WPR_ETL_SHOW_TEXT,
  [37] = WPR_ETL_SHOW_HEX,   [38] = WPR_ETL_SHOW_TIME,
};
#define OUT_NOPRINT 301

struct _WprEtlManifests
{
  GHashTable *events; /* "p GUID id version" or "c GUID opcode version" -> GBytes */
  GHashTable *maps;   /* "GUID name" -> WprEtlMap */
  gsize n_bytes;
};

/* ---- collecting ---- */

/* UTF-16 at `at` of the blob as valid UTF-8 without blanks behind it; NULL: none. */
static char *
dup_text (const guint8 *bytes, gsize size, guint32 at)
{
  g_autoptr (GString) text = NULL;
  WprEtlField field = { .type = WPR_ETL_TYPE_UTF16 };

  if (at == 0 || at >= size)
    return NULL;
  text = g_string_new (NULL);
  field.value = bytes + at;
  field.size = (guint32)(size - at);
  wpr_etl_field_append_text (&field, text);
  g_strchomp (text->str);
  return *text->str != '\0' ? g_strdup (text->str) : NULL;
}

static char *
event_key (char kind, const guint8 *guid, guint id, guint version)
{
  GString *key = g_string_new (NULL);

  g_string_append_printf (key, "%c %u %u ", kind, id, version);
  for (guint i = 0; i < 16; i++)
    g_string_append_printf (key, "%02x", guid[i]);
  return g_string_free (key, FALSE);
}

static char *
map_key (const guint8 *guid, const char *name)
{
  g_autofree char *start = event_key ('m', guid, 0, 0);

  return g_strconcat (start, " ", name, NULL);
}

static void
take_event_info (WprEtlManifests *self, const guint8 *bytes, gsize size)
{
  guint32 source;
  char *key;

  if (size < INFO_PROPERTIES || self->n_bytes + size > MOST_BYTES)
    return;
  source = wpr_etl_get32 (bytes + INFO_SOURCE);
  if (source == SOURCE_MANIFEST)
    key = event_key ('p', bytes + INFO_PROVIDER, wpr_etl_get16 (bytes + INFO_ID),
                     bytes[INFO_VERSION]);
  else if (source == SOURCE_CLASS)
    key = event_key ('c', bytes + INFO_CLASS, bytes[INFO_OPCODE], bytes[INFO_VERSION]);
  else
    return;
  self->n_bytes += size;
  g_hash_table_insert (self->events, key, g_bytes_new (bytes, size));
}

static void
map_free (WprEtlMap *map)
{
  for (guint i = 0; i < map->n; i++)
    g_free ((char *)map->entries[i].text);
  g_free (map->entries);
  g_free (map);
}

static void
take_map (WprEtlManifests *self, const guint8 *bytes, gsize size)
{
  const guint8 *info = bytes + 16;
  g_autofree char *name = NULL;
  guint32 n;
  WprEtlMap *map;

  if (size < 16 + MAP_ENTRIES || self->n_bytes + size > MOST_BYTES)
    return;
  size -= 16;
  n = MIN (wpr_etl_get32 (info + MAP_N_ENTRIES), (size - MAP_ENTRIES) / MAP_ENTRY_BYTES);
  name = dup_text (info, size, wpr_etl_get32 (info + MAP_NAME));
  if (name == NULL)
    return;
  self->n_bytes += size;
  map = g_new0 (WprEtlMap, 1);
  map->is_bits = (wpr_etl_get32 (info + MAP_FLAGS) & MAP_IS_BITS) != 0;
  map->entries = g_new0 (WprEtlMapEntry, MIN (n, MOST_MAP_ENTRIES));
  for (guint32 i = 0; i < n && i < MOST_MAP_ENTRIES; i++)
    {
      const guint8 *entry = info + MAP_ENTRIES + (gsize)i * MAP_ENTRY_BYTES;
      char *text = dup_text (info, size, wpr_etl_get32 (entry));

      if (text != NULL)
        map->entries[map->n++] = (WprEtlMapEntry){ wpr_etl_get32 (entry + 4), text };
    }
  g_hash_table_insert (self->maps, map_key (bytes, name), map);
}

static gboolean
visit (const WprEtlEvent *event, gpointer data)
{
  if (event->header_type != WPR_ETL_HEAD_CLASSIC && event->header_type != WPR_ETL_HEAD_CLASSIC32)
    return TRUE;
  if (event->type == OPCODE_EVENT_INFO && wpr_etl_guid_is_metadata (&event->guid))
    take_event_info (data, event->payload, event->payload_size);
  else if (event->type == OPCODE_EVENT_MAP && wpr_etl_guid_is_metadata (&event->guid))
    take_map (data, event->payload, event->payload_size);
  return TRUE;
}

WprEtlManifests *
wpr_etl_manifests_new (const WprEtlFile *file)
{
  WprEtlManifests *self = g_new0 (WprEtlManifests, 1);

  self->events
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref);
  self->maps = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify)map_free);
  wpr_etl_file_visit (file, visit, NULL, self);
  return self;
}

void
wpr_etl_manifests_free (WprEtlManifests *self)
{
  if (self == NULL)
    return;
  g_hash_table_unref (self->events);
  g_hash_table_unref (self->maps);
  g_free (self);
}

/* ---- layouts ---- */

typedef struct
{
  const WprEtlManifests *manifests;
  const guint8 *bytes;
  gsize size;
  guint n_properties;
  guint16 *rows; /* of n_properties: the row a property became last */
  WprEtlLayout *layout;
} Info;

static const char *
keep_text (const Info *self, guint32 at, const char *otherwise)
{
  g_autofree char *text = dup_text (self->bytes, self->size, at);

  return text != NULL || otherwise != NULL
             ? g_string_chunk_insert_const (self->layout->texts, text != NULL ? text : otherwise)
             : NULL;
}

static gboolean
set_type (WprEtlRow *row, guint16 in, guint16 out)
{
  row->show = out < G_N_ELEMENTS (shows) ? shows[out]
              : out == OUT_NOPRINT       ? WPR_ETL_SHOW_NOTHING
                                         : WPR_ETL_SHOW_DEFAULT;
  if (in <= WPR_ETL_TYPE_COUNTED_BINARY && in != WPR_ETL_TYPE_STRUCT)
    {
      row->type = (guint8)in;
      if (in == WPR_ETL_TYPE_U16 && row->show == WPR_ETL_SHOW_PORT)
        row->type = WPR_ETL_TYPE_PORT; /* compared as it is shown */
      return TRUE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (in_types); i++)
    if (in_types[i].in == in)
      {
        row->type = in_types[i].type;
        row->length = in_types[i].length;
        if (row->show == WPR_ETL_SHOW_DEFAULT)
          row->show = in_types[i].show;
        return TRUE;
      }
  return FALSE;
}

/* Texts and bytes may have a length of their own; other types' is that of the type. */
static void
set_length (const Info *self, WprEtlRow *row, guint32 flags, guint16 length)
{
  gboolean is_bytes = row->type == WPR_ETL_TYPE_BINARY;

  if (row->type != WPR_ETL_TYPE_UTF16 && row->type != WPR_ETL_TYPE_STRING8 && !is_bytes)
    return;
  if ((flags & FLAG_LENGTH_FIELD) != 0 && length < self->n_properties)
    {
      row->length = WPR_ETL_MANY_FIELD;
      row->length_count = self->rows[length];
    }
  else if (is_bytes && row->show == WPR_ETL_SHOW_IPV6)
    {
      row->length = WPR_ETL_MANY_FIXED;
      row->length_count = 16;
    }
  else if (length > 0 || is_bytes)
    {
      row->length = WPR_ETL_MANY_FIXED;
      row->length_count = length;
    }
}

static gboolean add_properties (Info *self, guint from, guint n, guint depth);

static gboolean
add_property (Info *self, guint index, guint depth)
{
  const guint8 *property = self->bytes + INFO_PROPERTIES + (gsize)index * PROPERTY_BYTES;
  guint32 flags = wpr_etl_get32 (property + PROPERTY_FLAGS);
  guint16 count = wpr_etl_get16 (property + PROPERTY_COUNT);
  guint at = self->layout->rows->len;
  g_autofree char *map = NULL;
  WprEtlRow row = { 0 };

  row.name = keep_text (self, wpr_etl_get32 (property + PROPERTY_NAME), "?");
  if ((flags & FLAG_COUNT_FIELD) != 0 && count < self->n_properties)
    {
      row.many = WPR_ETL_MANY_FIELD;
      row.count = self->rows[count];
    }
  else if ((flags & FLAG_FIXED_COUNT) != 0 || count > 1)
    {
      row.many = WPR_ETL_MANY_FIXED;
      row.count = count;
    }
  if ((flags & FLAG_STRUCT) != 0)
    {
      row.type = WPR_ETL_TYPE_STRUCT;
      row.members = wpr_etl_get16 (property + PROPERTY_OUT);
    }
  else
    {
      if (!set_type (&row, wpr_etl_get16 (property + PROPERTY_IN),
                     wpr_etl_get16 (property + PROPERTY_OUT)))
        return FALSE;
      set_length (self, &row, flags, wpr_etl_get16 (property + PROPERTY_LENGTH));
      map = dup_text (self->bytes, self->size, wpr_etl_get32 (property + PROPERTY_MAP));
      if (map != NULL)
        {
          g_autofree char *key = map_key (self->bytes + INFO_PROVIDER, map);

          row.map = g_hash_table_lookup (self->manifests->maps, key);
        }
    }
  self->rows[index] = (guint16)at;
  g_array_append_val (self->layout->rows, row);
  if (row.type == WPR_ETL_TYPE_STRUCT
      && !add_properties (self, wpr_etl_get16 (property + PROPERTY_IN), row.members, depth + 1))
    {
      g_array_set_size (self->layout->rows, at);
      return FALSE;
    }
  g_array_index (self->layout->rows, WprEtlRow, at).next = (guint16)self->layout->rows->len;
  return TRUE;
}

static gboolean
add_properties (Info *self, guint from, guint n, guint depth)
{
  if (depth >= WPR_ETL_MOST_DEPTH || from > self->n_properties || n > self->n_properties - from)
    return FALSE;
  for (guint i = from; i < from + n; i++)
    if (self->layout->rows->len >= WPR_ETL_MOST_ROWS || !add_property (self, i, depth))
      return FALSE;
  return TRUE;
}

/* "win:Start" is Start. */
static const char *
without_prefix (const char *name)
{
  return name != NULL && g_str_has_prefix (name, "win:") ? name + 4 : name;
}

/* "ProcessStart/Start": task and opcode, as far as they have names. */
static void
set_names (const Info *self)
{
  WprEtlKind *kind = &self->layout->kind;
  const char *opcode;

  kind->provider = keep_text (self, wpr_etl_get32 (self->bytes + INFO_PROVIDER_NAME), "");
  kind->task
      = without_prefix (keep_text (self, wpr_etl_get32 (self->bytes + INFO_TASK_NAME), NULL));
  kind->opcode
      = without_prefix (keep_text (self, wpr_etl_get32 (self->bytes + INFO_OPCODE_NAME), NULL));
  opcode = self->bytes[INFO_OPCODE] != 0 ? kind->opcode : NULL;
  if (kind->task != NULL && opcode != NULL)
    {
      g_autofree char *both = g_strconcat (kind->task, "/", opcode, NULL);

      kind->name = g_string_chunk_insert_const (self->layout->texts, both);
    }
  else if (kind->task != NULL)
    kind->name = kind->task;
}

static gboolean
from_info (WprEtlManifests *manifests, WprEtlLayout *layout, const char *key)
{
  GBytes *found = g_hash_table_lookup (manifests->events, key);
  g_autofree guint16 *rows = NULL;
  Info self = { .manifests = manifests, .layout = layout };
  guint32 n;

  if (found == NULL)
    return FALSE;
  self.bytes = g_bytes_get_data (found, &self.size);
  n = wpr_etl_get32 (self.bytes + INFO_N_PROPERTIES);
  self.n_properties = (guint)MIN ((gsize)n, (self.size - INFO_PROPERTIES) / PROPERTY_BYTES);
  self.rows = rows = g_new0 (guint16, self.n_properties + 1);
  set_names (&self);
  layout->kind.is_known = TRUE;
  layout->rows = g_array_new (FALSE, FALSE, sizeof (WprEtlRow));
  add_properties (&self, 0,
                  MIN (wpr_etl_get32 (self.bytes + INFO_N_TOP), (guint32)self.n_properties), 0);
  return TRUE;
}

static void
guid_bytes (const WprEtlGuid *guid, guint8 *bytes)
{
  wpr_etl_put32 (bytes, guid->data1);
  wpr_etl_put16 (bytes + 4, guid->data2);
  wpr_etl_put16 (bytes + 6, guid->data3);
  memcpy (bytes + 8, guid->data4, 8);
}

gboolean
wpr_etl_layout_from_manifest (WprEtlLayout *layout, WprEtlManifests *manifests, gboolean classic,
                              const WprEtlGuid *guid, guint16 id, guint16 version)
{
  guint8 bytes[16];
  g_autofree char *key = NULL;

  guid_bytes (guid, bytes);
  key = event_key (classic ? 'c' : 'p', bytes, id, version);
  return from_info (manifests, layout, key);
}
