/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "sink-kit.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "etl/decode.h"
#include "sink/info-private.h"
#include "trace/image.h"
#include "trace/trace-private.h"

static void
add_row (WprManifest *manifest, guint32 row, const char *name)
{
  WprStoreEvent event = { .row = row, .name = g_strdup (name), .period = 1 };

  g_array_append_val (manifest->events, event);
}

Kit *
kit_new (void)
{
  Kit *kit = g_new0 (Kit, 1);
  WprManifest *manifest = kit->manifest = wpr_manifest_new ();
  WprClockOffset never_slept = { WPR_WORLD_BEFORE, 0 };
  WprStoreCollector collector = { .name = g_strdup ("WPR System Collector"),
                                  .session = g_strdup ("session"),
                                  .buffer_kb = 1024,
                                  .buffers_asked = 64,
                                  .buffers_granted = 32,
                                  .ring_bytes = 1 << 24 };

  manifest->host = g_strdup ("kit-host");
  manifest->kernel = g_strdup ("6.18.0");
  manifest->tool_version = g_strdup ("0.1.0");
  manifest->instance = g_strdup ("WprApp");
  manifest->n_cpus = 2;
  manifest->max_possible_cpu = 1;
  manifest->cpu_mhz = 2400;
  manifest->memory_bytes = 8ull << 30;
  manifest->page_size = 4096;
  manifest->recorder_pid = 77;
  g_array_append_val (manifest->collectors, collector);
  add_row (manifest, 0, "sched:sched_switch");
  add_row (manifest, 1, "block:block_rq_issue");
  g_ptr_array_add (manifest->profiles, g_strdup ("CPU.Verbose.Memory"));
  kit->world = wpr_world_new (100);
  kit->images = wpr_image_table_new ();
  kit->clocks = wpr_clock_table_new ();
  kit->context = (WprTraceContext){ .manifest = manifest,
                                    .world = kit->world,
                                    .images = kit->images,
                                    .clocks = kit->clocks,
                                    .start_time = 1000000,
                                    .end_time = G_GINT64_CONSTANT (9000000000),
                                    .start_monotonic = 1000000,
                                    .end_monotonic = G_GINT64_CONSTANT (9000000000),
                                    .start_realtime_ns = G_GINT64_CONSTANT (1600000000000000000),
                                    .complete_from = 1000000,
                                    .stopped = TRUE };
  kit->offsets = g_array_new (FALSE, FALSE, sizeof (WprClockOffset));
  g_array_append_val (kit->offsets, never_slept);
  kit->context.offsets = kit->offsets;
  kit->fd = memfd_create ("sink-kit", MFD_CLOEXEC);
  assert_true (kit->fd >= 0);
  return kit;
}

void
kit_begin (Kit *kit)
{
  GError *error = NULL;

  kit->sink = wpr_sink_etl_new (kit->fd, &error);
  assert_non_null (kit->sink);
  assert_true (kit->sink->klass->begin (kit->sink, &kit->context, &error));
  assert_null (error);
}

void
kit_event (Kit *kit, const WprEvent *event)
{
  GError *error = NULL;

  if (!kit->sink->klass->event (kit->sink, event, &error))
    fail_msg ("%s", error->message);
}

void
kit_finish (Kit *kit)
{
  GError *error = NULL;
  struct stat st;

  if (!kit->sink->klass->end (kit->sink, &kit->context, &error))
    fail_msg ("%s", error->message);
  assert_int_equal (fstat (kit->fd, &st), 0);
  kit->file = g_byte_array_new ();
  g_byte_array_set_size (kit->file, (guint)st.st_size);
  assert_int_equal (pread (kit->fd, kit->file->data, (size_t)st.st_size, 0), st.st_size);
}

void
kit_free (Kit *kit)
{
  wpr_sink_free (kit->sink);
  if (kit->file != NULL)
    g_byte_array_unref (kit->file);
  close (kit->fd);
  wpr_manifest_free (kit->manifest);
  wpr_world_free (kit->world);
  wpr_image_table_free (kit->images);
  g_array_unref (kit->offsets);
  wpr_clock_table_unref (kit->clocks);
  g_free (kit);
}

/* ---- the walk ---- */

static guint
u16 (const guint8 *at)
{
  return at[0] | (guint)at[1] << 8;
}

static guint
u32 (const guint8 *at)
{
  return u16 (at) | u16 (at + 2) << 16;
}

/* The event's kind: 0 a hook, 1 self-describing, 2 classic. */
static guint
kind_of (const guint8 *event, guint *size)
{
  guint kind = event[2] == 0x13 ? 1 : event[2] == 0x14 ? 2 : 0;

  *size = u16 (event + (kind == 0 ? 4 : 0));
  return kind;
}

/* Name of a self-describing event: behind the header the traits item, then the schema item. */
static const char *
schema_name (const guint8 *event)
{
  const guint8 *item = event + 0x50;

  while (u16 (item + 2) != 11)
    item += u16 (item);
  return (const char *)item + 8 + 3;
}

static const guint8 *
find (Kit *kit, gboolean by_hook, guint16 hook, const char *name, guint index, guint *found_size)
{
  guint size;

  for (guint b = KIT_BUFFER; b < kit->file->len; b += KIT_BUFFER)
    for (guint at = b + 0x48; at < b + u32 (kit->file->data + b + 0x30); at += (size + 7) & ~7u)
      {
        const guint8 *event = kit->file->data + at;
        guint kind = kind_of (event, &size);

        assert_true (size >= 0x10);
        if (by_hook ? kind == 0 && u16 (event + 6) == hook
                    : kind == 1 && strcmp (schema_name (event), name) == 0)
          if (index-- == 0)
            {
              *found_size = size;
              return event;
            }
      }
  return NULL;
}

const guint8 *
kit_hook (Kit *kit, guint16 hook, guint index, guint *size)
{
  const guint8 *event = find (kit, TRUE, hook, NULL, index, size);

  if (event == NULL)
    fail_msg ("there is no event %u of hook %04x", index, hook);
  return event;
}

const guint8 *
kit_named (Kit *kit, const char *name, guint index, guint *size)
{
  const guint8 *event = find (kit, FALSE, 0, name, index, size);

  if (event == NULL)
    fail_msg ("there is no event %u named %s", index, name);
  return event;
}

guint
kit_count_hook (Kit *kit, guint16 hook)
{
  guint n = 0, size;

  while (find (kit, TRUE, hook, NULL, n, &size) != NULL)
    n++;
  return n;
}

void
kit_assert (const guint8 *at, guint size, const char *hex)
{
  guint n = 0;

  for (const char *p = hex; *p != '\0';)
    {
      if (g_ascii_isspace (*p))
        {
          p++;
          continue;
        }
      if (n >= size)
        fail_msg ("the event has only %u bytes", size);
      if (*p != '?' && at[n] != (g_ascii_xdigit_value (p[0]) << 4 | g_ascii_xdigit_value (p[1])))
        fail_msg ("byte 0x%x is %02x, not %.2s", n, at[n], p);
      n++;
      p += 2;
    }
  assert_int_equal (n, size);
}

/* ---- fields, by the reader ---- */

typedef struct
{
  const char *name;
  guint index;
  WprEtlDecoder *decoder;
  GString *text;
} Wanted;

static gboolean
take_fields (const WprEtlEvent *event, gpointer data)
{
  Wanted *wanted = data;
  const WprEtlField *fields;
  guint n;

  if (event->schema == NULL || strcmp (event->name, wanted->name) != 0 || wanted->index-- > 0)
    return TRUE;
  n = wpr_etl_decoder_fields (wanted->decoder, event, wpr_etl_decoder_kind (wanted->decoder, event),
                              &fields);
  for (guint i = 0; i < n; i++)
    {
      assert_string_not_equal (fields[i].name, "Data"); /* nothing left, nothing missing */
      g_string_append_printf (wanted->text, "%s%s=", wanted->text->len > 0 ? " " : "",
                              fields[i].name);
      wpr_etl_field_append_text (&fields[i], wanted->text);
    }
  return FALSE;
}

char *
kit_fields (Kit *kit, const char *name, guint index)
{
  g_autoptr (WprEtlFile) file = wpr_etl_file_new (kit->file->data, kit->file->len, NULL);
  g_autoptr (WprEtlDecoder) decoder = NULL;
  Wanted wanted = { name, index, NULL, g_string_new (NULL) };

  assert_non_null (file);
  wanted.decoder = decoder = wpr_etl_decoder_new (file);
  wpr_etl_file_visit (file, take_fields, NULL, &wanted);
  return g_string_free (wanted.text, FALSE);
}
