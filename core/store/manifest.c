/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What was recorded and how, as bytes: a GVariant dictionary behind a short head. Every field has a
 * name, so that another version reads what it knows and leaves the rest. */
#include "config.h"
#include "base/wpr-error.h"
#include "store/store-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAGIC "WPRMANIF"
#define VERSION 1

typedef struct
{
  char magic[8];
  guint32 version; /* moves when an older reader would misunderstand */
  guint32 size;    /* of the dictionary */
  guint8 digest[32];
} Head;

/* Kinds of a field: text, u32, u64. */
typedef enum
{
  TEXT,
  U32,
  U64
} FieldKind;
typedef struct
{
  const char *name;
  FieldKind kind;
  gsize offset;
} Field;

#define MANIFEST(name, kind)                        \
  {                                                 \
#name, kind, G_STRUCT_OFFSET(WprManifest, name) \
  }
/* clang-format off */
static const Field manifest_fields[] = {
  MANIFEST (instance, TEXT),
  MANIFEST (tool_version, TEXT),
  MANIFEST (host, TEXT),
  MANIFEST (kernel, TEXT),
  MANIFEST (boot_id, TEXT),
  MANIFEST (program, TEXT),
  MANIFEST (user, TEXT),
  MANIFEST (rights, TEXT),
  MANIFEST (plan_text, TEXT),
  MANIFEST (plan_json, TEXT),
  MANIFEST (mode, U32),
  MANIFEST (level, U32),
  MANIFEST (n_cpus, U32),
  MANIFEST (max_possible_cpu, U32),
  MANIFEST (cpu_mhz, U32),
  MANIFEST (memory_bytes, U64),
  MANIFEST (page_size, U64),
  MANIFEST (sample_interval_ns, U64),
  MANIFEST (stack_cache_kb, U32),
  MANIFEST (recorder_pid, U32),
  MANIFEST (part_bytes, U64),
};
/* clang-format on */
#define COLLECTOR(name, kind)                             \
  {                                                       \
#name, kind, G_STRUCT_OFFSET(WprStoreCollector, name) \
  }
static const Field collector_fields[] = {
  COLLECTOR (name, TEXT),      COLLECTOR (session, TEXT),      COLLECTOR (kind, U32),
  COLLECTOR (buffer_kb, U32),  COLLECTOR (buffers_asked, U32), COLLECTOR (buffers_granted, U32),
  COLLECTOR (ring_bytes, U64),
};
#define EVENT(name, kind)                             \
  {                                                   \
#name, kind, G_STRUCT_OFFSET(WprStoreEvent, name) \
  }
static const Field event_fields[] = {
  EVENT (row, U32),         EVENT (collector, U32), EVENT (name, TEXT),     EVENT (kind, U32),
  EVENT (sample_type, U64), EVENT (period, U64),    EVENT (frequency, U64), EVENT (callchain, U32),
  EVENT (format, TEXT),     EVENT (as_file, U32),
};

static void
clear_texts (gpointer base, const Field *fields, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (fields[i].kind == TEXT)
      g_clear_pointer ((char **)G_STRUCT_MEMBER_P (base, fields[i].offset), g_free);
}

static void
clear_collector (gpointer data)
{
  clear_texts (data, collector_fields, G_N_ELEMENTS (collector_fields));
}

static void
clear_event (gpointer data)
{
  clear_texts (data, event_fields, G_N_ELEMENTS (event_fields));
}

WprManifest *
wpr_manifest_new (void)
{
  WprManifest *manifest = g_new0 (WprManifest, 1);
  manifest->profiles = g_ptr_array_new_with_free_func (g_free);
  manifest->missing = g_ptr_array_new_with_free_func (g_free);
  manifest->collectors = g_array_new (FALSE, TRUE, sizeof (WprStoreCollector));
  g_array_set_clear_func (manifest->collectors, clear_collector);
  manifest->events = g_array_new (FALSE, TRUE, sizeof (WprStoreEvent));
  g_array_set_clear_func (manifest->events, clear_event);
  manifest->ids = g_array_new (FALSE, TRUE, sizeof (WprStoreId));
  return manifest;
}

void
wpr_manifest_free (WprManifest *manifest)
{
  if (manifest == NULL)
    return;
  clear_texts (manifest, manifest_fields, G_N_ELEMENTS (manifest_fields));
  g_ptr_array_unref (manifest->profiles);
  g_ptr_array_unref (manifest->missing);
  g_array_unref (manifest->collectors);
  g_array_unref (manifest->events);
  g_array_unref (manifest->ids);
  g_free (manifest);
}

/* ---- writing ---- */

static GVariant *
text_value (const char *text)
{
  if (g_utf8_validate (text, -1, NULL))
    return g_variant_new_string (text);
  return g_variant_new_take_string (g_utf8_make_valid (text, -1));
}

static void
put_fields (GVariantBuilder *builder, gconstpointer base, const Field *fields, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      gconstpointer at = (const char *)base + fields[i].offset;
      GVariant *value = NULL;
      if (fields[i].kind == TEXT && *(char *const *)at != NULL)
        value = text_value (*(char *const *)at);
      else if (fields[i].kind == U32)
        value = g_variant_new_uint32 (*(const guint32 *)at);
      else if (fields[i].kind == U64)
        value = g_variant_new_uint64 (*(const guint64 *)at);
      if (value != NULL)
        g_variant_builder_add (builder, "{sv}", fields[i].name, value);
    }
}

static GVariant *
texts_value (const GPtrArray *texts)
{
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("as"));
  for (guint i = 0; i < texts->len; i++)
    g_variant_builder_add_value (&builder, text_value (g_ptr_array_index (texts, i)));
  return g_variant_builder_end (&builder);
}

static GVariant *
rows_value (const GArray *rows, gsize size, const Field *fields, gsize n)
{
  GVariantBuilder builder;
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < rows->len; i++)
    {
      g_variant_builder_open (&builder, G_VARIANT_TYPE ("a{sv}"));
      put_fields (&builder, rows->data + i * size, fields, n);
      g_variant_builder_close (&builder);
    }
  return g_variant_builder_end (&builder);
}

static void
digest (gconstpointer bytes, gsize size, guint8 *result)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize length = 32;
  g_checksum_update (checksum, bytes, size);
  g_checksum_get_digest (checksum, result, &length);
}

GBytes *
wpr_manifest_to_bytes (const WprManifest *manifest)
{
  GVariantBuilder builder;
  Head head = { .version = VERSION };
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sv}"));
  put_fields (&builder, manifest, manifest_fields, G_N_ELEMENTS (manifest_fields));
  g_variant_builder_add (&builder, "{sv}", "profiles", texts_value (manifest->profiles));
  g_variant_builder_add (&builder, "{sv}", "missing", texts_value (manifest->missing));
  g_variant_builder_add (&builder, "{sv}", "collectors",
                         rows_value (manifest->collectors, sizeof (WprStoreCollector),
                                     collector_fields, G_N_ELEMENTS (collector_fields)));
  g_variant_builder_add (&builder, "{sv}", "events",
                         rows_value (manifest->events, sizeof (WprStoreEvent), event_fields,
                                     G_N_ELEMENTS (event_fields)));
  g_variant_builder_add (&builder, "{sv}", "ids",
                         g_variant_new_fixed_array (G_VARIANT_TYPE ("(tuu)"), manifest->ids->data,
                                                    manifest->ids->len, sizeof (WprStoreId)));
  g_autoptr (GVariant) dict = g_variant_ref_sink (g_variant_builder_end (&builder));
  GByteArray *all = g_byte_array_new ();
  memcpy (head.magic, MAGIC, sizeof head.magic);
  head.size = (guint32)g_variant_get_size (dict);
  digest (g_variant_get_data (dict), head.size, head.digest);
  g_byte_array_append (all, (const guint8 *)&head, sizeof head);
  g_byte_array_append (all, g_variant_get_data (dict), head.size);
  return g_byte_array_free_to_bytes (all);
}

/* ---- reading ---- */

static void
get_fields (GVariant *dict, gpointer base, const Field *fields, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      gpointer at = G_STRUCT_MEMBER_P (base, fields[i].offset);
      if (fields[i].kind == TEXT)
        g_variant_lookup (dict, fields[i].name, "s", at);
      else if (fields[i].kind == U32)
        g_variant_lookup (dict, fields[i].name, "u", at);
      else
        g_variant_lookup (dict, fields[i].name, "t", at);
    }
}

static void
get_texts (GVariant *dict, const char *name, GPtrArray *texts)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (dict, name, G_VARIANT_TYPE ("as"));
  for (gsize i = 0; value != NULL && i < g_variant_n_children (value); i++)
    {
      char *text = NULL;
      g_variant_get_child (value, i, "s", &text);
      g_ptr_array_add (texts, text);
    }
}

static void
get_rows (GVariant *dict, const char *name, GArray *rows, const Field *fields, gsize n)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (dict, name, G_VARIANT_TYPE ("aa{sv}"));
  for (gsize i = 0; value != NULL && i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) row = g_variant_get_child_value (value, i);
      g_array_set_size (rows, rows->len + 1); /* cleared to zero */
      get_fields (row, rows->data + (rows->len - 1) * g_array_get_element_size (rows), fields, n);
    }
}

/* A name is what others look events and collectors up by: there is always one. */
static void
fill_names (WprManifest *manifest)
{
  for (guint i = 0; i < manifest->collectors->len; i++)
    {
      WprStoreCollector *c = &g_array_index (manifest->collectors, WprStoreCollector, i);
      c->name = c->name != NULL ? c->name : g_strdup ("");
      c->session = c->session != NULL ? c->session : g_strdup ("");
    }
  for (guint i = 0; i < manifest->events->len; i++)
    {
      WprStoreEvent *e = &g_array_index (manifest->events, WprStoreEvent, i);
      e->name = e->name != NULL ? e->name : g_strdup ("");
    }
}

static WprManifest *
damaged (GError **error)
{
  wpr_set_error (error, WPR_ERROR_DAMAGED, 0,
                 _ ("The description of this raw recording is damaged, so its events cannot be "
                    "told apart. Nothing can be recovered from it; it may be deleted."));
  return NULL;
}

WprManifest *
wpr_manifest_from_bytes (GBytes *bytes, GError **error)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  Head head;
  guint8 expected[32];
  if (size < sizeof head)
    return damaged (error);
  memcpy (&head, data, sizeof head);
  if (memcmp (head.magic, MAGIC, sizeof head.magic) != 0 || head.size != size - sizeof head)
    return damaged (error);
  digest (data + sizeof head, head.size, expected);
  if (memcmp (expected, head.digest, sizeof expected) != 0)
    return damaged (error);
  if (head.version > VERSION)
    {
      wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                     _ ("This raw recording was made by a newer version of Performance Recorder. "
                        "Finish it with that version."));
      return NULL;
    }
  g_autoptr (GBytes) part = g_bytes_new (data + sizeof head, head.size); /* aligned */
  g_autoptr (GVariant) dict
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE ("a{sv}"), part, FALSE));
  WprManifest *manifest = wpr_manifest_new ();
  get_fields (dict, manifest, manifest_fields, G_N_ELEMENTS (manifest_fields));
  get_texts (dict, "profiles", manifest->profiles);
  get_texts (dict, "missing", manifest->missing);
  get_rows (dict, "collectors", manifest->collectors, collector_fields,
            G_N_ELEMENTS (collector_fields));
  get_rows (dict, "events", manifest->events, event_fields, G_N_ELEMENTS (event_fields));
  g_autoptr (GVariant) ids = g_variant_lookup_value (dict, "ids", G_VARIANT_TYPE ("a(tuu)"));
  gsize n = 0;
  gconstpointer rows
      = ids == NULL ? NULL : g_variant_get_fixed_array (ids, &n, sizeof (WprStoreId));
  g_array_append_vals (manifest->ids, rows, (guint)n);
  fill_names (manifest);
  return manifest;
}
