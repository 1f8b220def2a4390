/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From an event to its kind: found by what names it (a hook, a class and opcode, a provider and id,
 * a schema's bytes), made at the first event of it. Does not live here: how layouts are made
 * (decode-self.c, manifest.c, decode-kernel.c). */
#include "config.h"
#include "etl/decode-private.h"

#include <string.h>
#include "etl/layout.h"
#include "etl/manifest.h"

#define LEAST_SLOTS 256 /* doubled when a quarter is in use: a look or two each */

/* What names a kind. Of the schema and traits the bytes count; they belong to the slot. */
typedef struct
{
  guint32 hash;
  guint8 shape, pointer_size, type;
  guint16 hook, version;
  WprEtlGuid guid;
  const char *provider;
  const guint8 *schema;
  guint32 schema_size;
} Key;

enum
{
  SHAPE_HOOK,
  SHAPE_CLASSIC,
  SHAPE_EVENT,
  SHAPE_SELF,
  SHAPE_MESSAGE
};

typedef struct
{
  Key key;
  WprEtlLayout layout;
} Slot;

struct _WprEtlDecoder
{
  const WprEtlFile *file;
  Slot **slots; /* of n_slots, a power of two; open addressing */
  guint n_slots;
  GPtrArray *made; /* of Slot, owned */
  Slot *last, *overflow;
  WprEtlManifests *manifests; /* NULL: not asked for yet */
  GArray *fields;             /* of WprEtlField, of the last event */
};

/* ---- keys ---- */

static guint32
hash_bytes (guint32 hash, const void *bytes, gsize size)
{
  const guint8 *at = bytes;
  guint64 sum = hash;

  for (; size >= 8; at += 8, size -= 8)
    sum = (sum ^ wpr_etl_get64 (at)) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) ^ sum >> 29;
  for (; size > 0; at++, size--)
    sum = (sum ^ *at) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) ^ sum >> 29;
  return (guint32)(sum ^ sum >> 32);
}

static void
make_key (Key *key, const WprEtlEvent *event)
{
  memset (key, 0, sizeof *key);
  key->pointer_size = event->pointer_size;
  key->provider = "";
  switch (event->header_type)
    {
    case WPR_ETL_HEAD_SYSTEM32 ... WPR_ETL_HEAD_COMPACT:
    case WPR_ETL_HEAD_PERFINFO32:
    case WPR_ETL_HEAD_PERFINFO:
      key->shape = SHAPE_HOOK;
      key->hook = event->hook;
      key->version = event->version;
      break;
    case WPR_ETL_HEAD_EVENT32:
    case WPR_ETL_HEAD_EVENT:
      key->guid = event->guid;
      if (event->schema != NULL)
        {
          key->shape = SHAPE_SELF;
          key->schema = event->schema;
          key->schema_size = event->schema_size;
          key->provider = event->provider;
          break;
        }
      key->shape = SHAPE_EVENT;
      key->hook = event->hook;
      key->version = event->version;
      break;
    case WPR_ETL_HEAD_MESSAGE:
      key->shape = SHAPE_MESSAGE;
      key->guid = event->guid;
      key->hook = event->hook;
      break;
    default:
      key->shape = SHAPE_CLASSIC;
      key->guid = event->guid;
      key->type = event->type;
      key->version = event->version;
    }
  key->hash = hash_bytes (0, &key->shape, offsetof (Key, provider) - offsetof (Key, shape));
  if (key->schema != NULL)
    {
      key->hash = hash_bytes (key->hash, key->schema, key->schema_size);
      key->hash = hash_bytes (key->hash, key->provider, strlen (key->provider));
    }
}

static gboolean
is_same (const Key *a, const Key *b)
{
  return a->hash == b->hash
         && memcmp (&a->shape, &b->shape, offsetof (Key, provider) - offsetof (Key, shape)) == 0
         && a->schema_size == b->schema_size
         && (a->schema_size == 0
             || (memcmp (a->schema, b->schema, a->schema_size) == 0
                 && strcmp (a->provider, b->provider) == 0));
}

/* ---- kinds ---- */

static void G_GNUC_PRINTF (3, 4)
    name_it (WprEtlLayout *layout, const char **name, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  *name = g_string_chunk_insert_const (layout->texts, text);
}

static void
name_by_guid (WprEtlLayout *layout, const WprEtlGuid *guid)
{
  g_autoptr (GString) text = g_string_new (NULL);

  wpr_etl_guid_append_text (guid, text);
  layout->kind.provider = g_string_chunk_insert_const (layout->texts, text->str);
}

/* Names by number for what has none. */
static void
name_by_number (WprEtlLayout *layout, const Key *key)
{
  if (*layout->kind.provider == '\0' && key->shape == SHAPE_HOOK)
    name_it (layout, &layout->kind.provider, "group 0x%02x", key->hook >> 8);
  else if (*layout->kind.provider == '\0')
    name_by_guid (layout, &key->guid);
  if (*layout->kind.name != '\0')
    return;
  if (key->shape == SHAPE_HOOK || key->shape == SHAPE_CLASSIC)
    name_it (layout, &layout->kind.name, "opcode %u",
             key->shape == SHAPE_HOOK ? key->hook & 0xffu : key->type);
  else
    name_it (layout, &layout->kind.name, key->shape == SHAPE_MESSAGE ? "message %u" : "event %u",
             key->hook);
}

static gboolean
from_manifest (WprEtlDecoder *self, WprEtlLayout *layout, const Key *key)
{
  gboolean classic = key->shape == SHAPE_CLASSIC;

  if (self->manifests == NULL)
    self->manifests = wpr_etl_manifests_new (self->file);
  return wpr_etl_layout_from_manifest (layout, self->manifests, classic, &key->guid,
                                       classic ? key->type : key->hook, key->version);
}

static void
make_layout (WprEtlDecoder *self, Slot *slot)
{
  WprEtlLayout *layout = &slot->layout;
  const Key *key = &slot->key;

  layout->texts = g_string_chunk_new (256);
  layout->kind.guid = key->guid;
  layout->kind.provider = layout->kind.name = "";
  switch (key->shape)
    {
    case SHAPE_SELF:
      wpr_etl_layout_from_schema (layout, key->schema, key->schema_size, key->provider);
      break;
    case SHAPE_HOOK:
      wpr_etl_layout_from_hook (layout, key->hook, key->version);
      break;
    case SHAPE_CLASSIC:
      if (!wpr_etl_layout_from_class (layout, &key->guid, key->type, key->version))
        from_manifest (self, layout, key);
      break;
    case SHAPE_EVENT:
      from_manifest (self, layout, key);
      break;
    }
  name_by_number (layout, key);
  if (layout->rows != NULL)
    layout->kind.n_fields = (guint16)layout->rows->len;
}

static Slot *
slot_new (WprEtlDecoder *self, const Key *key)
{
  Slot *slot = g_new0 (Slot, 1);

  slot->key = *key;
  slot->key.schema = key->schema != NULL ? g_memdup2 (key->schema, key->schema_size) : NULL;
  slot->key.provider = g_strdup (key->provider);
  make_layout (self, slot);
  slot->layout.kind.serial = self->made->len;
  g_ptr_array_add (self->made, slot);
  return slot;
}

static void
slot_free (gpointer data)
{
  Slot *slot = data;

  g_free ((guint8 *)slot->key.schema);
  g_free ((char *)slot->key.provider);
  if (slot->layout.rows != NULL)
    g_array_unref (slot->layout.rows);
  g_string_chunk_free (slot->layout.texts);
  g_free (slot);
}

/* What a file with more kinds than are kept gets for the others. */
static Slot *
overflow (WprEtlDecoder *self)
{
  if (self->overflow == NULL)
    {
      Key key = { .shape = SHAPE_MESSAGE };

      self->overflow = slot_new (self, &key);
      self->overflow->layout.kind.name = "kind not kept";
    }
  return self->overflow;
}

/* Where a kind is, or may be put. */
static guint
find_slot (const WprEtlDecoder *self, const Key *key)
{
  guint at = key->hash & (self->n_slots - 1);

  while (self->slots[at] != NULL && !is_same (&self->slots[at]->key, key))
    at = (at + 1) & (self->n_slots - 1);
  return at;
}

static void
grow_slots (WprEtlDecoder *self)
{
  g_free (self->slots);
  self->n_slots *= 2;
  self->slots = g_new0 (Slot *, self->n_slots);
  for (guint i = 0; i < self->made->len; i++)
    {
      Slot *slot = g_ptr_array_index (self->made, i);

      self->slots[find_slot (self, &slot->key)] = slot;
    }
}

const WprEtlKind *
wpr_etl_decoder_kind (WprEtlDecoder *self, const WprEtlEvent *event)
{
  guint at;
  Key key;

  make_key (&key, event);
  if (self->last != NULL && is_same (&self->last->key, &key))
    return &self->last->layout.kind;
  at = find_slot (self, &key);
  if (self->slots[at] == NULL)
    {
      if (self->made->len >= WPR_ETL_MOST_KINDS)
        return &overflow (self)->layout.kind;
      self->slots[at] = slot_new (self, &key);
      if (4 * self->made->len > self->n_slots)
        {
          grow_slots (self);
          at = find_slot (self, &key);
        }
    }
  self->last = self->slots[at];
  return &self->last->layout.kind;
}

guint
wpr_etl_decoder_fields (WprEtlDecoder *self, const WprEtlEvent *event, const WprEtlKind *kind,
                        const WprEtlField **fields)
{
  g_array_set_size (self->fields, 0);
  wpr_etl_layout_read ((const WprEtlLayout *)kind, event, self->fields);
  *fields = (const WprEtlField *)self->fields->data;
  return self->fields->len;
}

WprEtlDecoder *
wpr_etl_decoder_new (const WprEtlFile *file)
{
  WprEtlDecoder *self = g_new0 (WprEtlDecoder, 1);

  G_STATIC_ASSERT (offsetof (WprEtlLayout, kind) == 0);
  self->file = file;
  self->n_slots = LEAST_SLOTS;
  self->slots = g_new0 (Slot *, self->n_slots);
  self->made = g_ptr_array_new_with_free_func (slot_free);
  self->fields = g_array_sized_new (FALSE, FALSE, sizeof (WprEtlField), 64);
  return self;
}

void
wpr_etl_decoder_free (WprEtlDecoder *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->made);
  wpr_etl_manifests_free (self->manifests);
  g_free (self->slots);
  g_array_unref (self->fields);
  g_free (self);
}
