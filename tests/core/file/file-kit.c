/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making traces with the writer, event by event. */
#include "config.h"
#include "file-kit.h"

#include <string.h>
#include <unistd.h>

#include "etl/layout.h"

#define EPOCH G_GINT64_CONSTANT (116444736000000000)
#define TICKS_A_MS 10000

FileKit *
file_kit_new (guint n_cpus, guint boot_s)
{
  return file_kit_new_at (n_cpus, boot_s, 0, 1000 * TICKS_A_MS);
}

FileKit *
file_kit_new_at (guint n_cpus, guint boot_s, double begin_ms, guint64 frequency)
{
  FileKit *kit = g_new0 (FileKit, 1);
  g_autoptr (GError) error = NULL;
  kit->fd = g_file_open_tmp ("wpr-file-XXXXXX.etl", &kit->path, &error);
  assert_true (kit->fd >= 0);
  kit->frequency = frequency;
  kit->start_ticks = (gint64)(boot_s * frequency);
  kit->start_filetime = EPOCH + KIT_START_S * 1000 * TICKS_A_MS + (gint64)(begin_ms * TICKS_A_MS);
  WprEtlHeaderInfo info
      = { .n_cpus = n_cpus,
          .cpu_mhz = 2400,
          .boot_filetime = kit->start_filetime - boot_s * G_GINT64_CONSTANT (10000000),
          .start_filetime = kit->start_filetime,
          .start_ticks = kit->start_ticks,
          .logger_name = "NT Kernel Logger",
          .file_name = "kit.etl" };
  kit->writer = wpr_etl_writer_new (kit->fd, &info, &error);
  assert_non_null (kit->writer);
  return kit;
}

/* The writer knows one frequency; PerfFreq lies at 100 of the header behind 48 + 20 bytes. */
const char *
file_kit_finish (FileKit *kit, guint32 events_lost)
{
  guint64 frequency = GUINT64_TO_LE (kit->frequency);
  assert_true (wpr_etl_writer_finish (kit->writer, kit->start_filetime + 10 * 1000 * TICKS_A_MS,
                                      events_lost, 0, NULL));
  assert_int_equal (pwrite (kit->fd, &frequency, sizeof frequency, 0x48 + 0x20 + 0x100),
                    sizeof frequency);
  g_clear_pointer (&kit->writer, wpr_etl_writer_free);
  return kit->path;
}

void
file_kit_free (FileKit *kit)
{
  if (kit == NULL)
    return;
  wpr_etl_writer_free (kit->writer);
  close (kit->fd);
  unlink (kit->path);
  g_free (kit->path);
  g_free (kit);
}

gint64
file_kit_ticks (const FileKit *kit, double ms)
{
  return kit->start_ticks + (gint64)(ms * (double)kit->frequency / 1000 + 0.5);
}

void
file_kit_add (FileKit *kit, guint cpu, double ms, const WprEtlHead *head, gconstpointer payload,
              gsize size)
{
  assert_true (
      wpr_etl_writer_add (kit->writer, cpu, file_kit_ticks (kit, ms), head, payload, size, NULL));
}

/* ---- payloads ---- */

typedef struct
{
  guint8 bytes[2048];
  gsize size;
} Payload;

static void
put (Payload *payload, guint64 value, gsize size)
{
  value = GUINT64_TO_LE (value);
  memcpy (payload->bytes + payload->size, &value, size);
  payload->size += size;
}

static void
put_text (Payload *payload, const char *text)
{
  gsize size = strlen (text) + 1;
  memcpy (payload->bytes + payload->size, text, size);
  payload->size += size;
}

static void
put_wide (Payload *payload, const char *text)
{
  for (; *text != '\0'; text++)
    put (payload, (guint8)*text, 2);
  put (payload, 0, 2);
}

static void
add_kernel (FileKit *kit, guint cpu, double ms, WprEtlHeadKind kind, guint16 hook, guint16 version,
            const Payload *payload)
{
  WprEtlHead head
      = { .kind = kind, .hook = hook, .version = version, .pid = KIT_NONE, .tid = KIT_NONE };
  file_kit_add (kit, cpu, ms, &head, payload->bytes, payload->size);
}

void
file_kit_process (FileKit *kit, guint cpu, double ms, guint16 hook, guint32 pid, const char *name)
{
  Payload payload = { .size = 0 };
  put (&payload, 0xffff0000 + pid, 8);
  put (&payload, pid, 4);
  put (&payload, 1, 4);
  put (&payload, 0, 4);
  put (&payload, 0, 4);
  put (&payload, 0, 8);
  put (&payload, 0, 4);
  put (&payload, 0, 4); /* no SID */
  put_text (&payload, name);
  put_wide (&payload, name); /* command line */
  put_wide (&payload, "");
  put_wide (&payload, "");
  add_kernel (kit, cpu, ms, WPR_ETL_SYSTEM, hook, 4, &payload);
}

void
file_kit_thread (FileKit *kit, guint cpu, double ms, guint16 hook, guint32 pid, guint32 tid)
{
  Payload payload = { .size = 0 };
  put (&payload, pid, 4);
  put (&payload, tid, 4);
  for (guint i = 0; i < 7; i++)
    put (&payload, 0, 8);
  put (&payload, 0, 4);
  put (&payload, 0x08080808, 4);
  put_wide (&payload, "thread");
  add_kernel (kit, cpu, ms, WPR_ETL_SYSTEM, hook, 3, &payload);
}

void
file_kit_image (FileKit *kit, guint cpu, double ms, guint16 hook, guint32 pid, guint64 base,
                guint64 size, guint32 stamp, const char *path)
{
  Payload payload = { .size = 0 };
  put (&payload, base, 8);
  put (&payload, size, 8);
  put (&payload, pid, 4);
  put (&payload, 0, 4);
  put (&payload, stamp, 4);
  put (&payload, 0, 4);
  put (&payload, base, 8);
  put (&payload, 0, 8);
  put (&payload, 0, 8);
  put_wide (&payload, path);
  add_kernel (kit, cpu, ms, WPR_ETL_SYSTEM, hook, 3, &payload);
}

void
file_kit_switch (FileKit *kit, guint cpu, double ms, guint32 to, guint32 from)
{
  Payload payload = { .size = 0 };
  put (&payload, to, 4);
  put (&payload, from, 4);
  put (&payload, 0x0808, 4); /* priorities */
  put (&payload, 0x00050006, 4);
  put (&payload, 3, 4);
  put (&payload, 0, 4);
  add_kernel (kit, cpu, ms, WPR_ETL_PERFINFO, 0x0524, 4, &payload);
}

void
file_kit_sample (FileKit *kit, guint cpu, double ms, guint32 tid, guint64 ip)
{
  Payload payload = { .size = 0 };
  put (&payload, ip, 8);
  put (&payload, tid, 4);
  put (&payload, 0x00480001, 4);
  add_kernel (kit, cpu, ms, WPR_ETL_PERFINFO, 0x0f2e, 2, &payload);
}

void
file_kit_call (FileKit *kit, guint cpu, double ms, guint64 address)
{
  Payload payload = { .size = 0 };
  put (&payload, address, 8);
  add_kernel (kit, cpu, ms, WPR_ETL_PERFINFO, 0x0f33, 2, &payload);
}

void
file_kit_stack (FileKit *kit, guint cpu, double ms, double event_ms, guint32 pid, guint32 tid,
                const guint64 *frames, guint n)
{
  Payload payload = { .size = 0 };
  put (&payload, (guint64)file_kit_ticks (kit, event_ms), 8);
  put (&payload, pid, 4);
  put (&payload, tid, 4);
  for (guint i = 0; i < n; i++)
    put (&payload, frames[i], 8);
  add_kernel (kit, cpu, ms, WPR_ETL_PERFINFO, 0x1820, 2, &payload);
}

void
file_kit_stack_key (FileKit *kit, guint cpu, double ms, guint16 hook, double event_ms, guint32 pid,
                    guint32 tid, guint64 key)
{
  Payload payload = { .size = 0 };
  put (&payload, (guint64)file_kit_ticks (kit, event_ms), 8);
  put (&payload, pid, 4);
  put (&payload, tid, 4);
  put (&payload, key, 8);
  add_kernel (kit, cpu, ms, WPR_ETL_PERFINFO, hook, 2, &payload);
}

void
file_kit_key (FileKit *kit, guint cpu, double ms, guint16 hook, guint64 key, const guint64 *frames,
              guint n)
{
  Payload payload = { .size = 0 };
  put (&payload, key, 8);
  for (guint i = 0; i < n; i++)
    put (&payload, frames[i], 8);
  add_kernel (kit, cpu, ms, WPR_ETL_PERFINFO, hook, 2, &payload);
}

void
file_kit_event_with_stack (FileKit *kit, guint cpu, double ms, guint32 pid, guint32 tid,
                           const guint64 *frames, guint n)
{
  Payload record = { .size = 0x50 };
  gsize size = 0x50 + 8 + 8 + 8 * n;
  memset (record.bytes, 0, 0x50);
  wpr_etl_put16 (record.bytes, (guint16)size);
  record.bytes[2] = WPR_ETL_HEAD_EVENT;
  record.bytes[3] = 0xc0;
  record.bytes[4] = 1; /* items follow */
  wpr_etl_put32 (record.bytes + 8, tid);
  wpr_etl_put32 (record.bytes + 12, pid);
  record.bytes[0x18] = 1; /* somebody's GUID */
  put (&record, 8 + 8 + 8 * n, 2);
  put (&record, 6, 2); /* STACK_TRACE64 */
  put (&record, 0, 2);
  put (&record, 8 + 8 * n, 2);
  put (&record, 0, 8);
  for (guint i = 0; i < n; i++)
    put (&record, frames[i], 8);
  assert_non_null (wpr_etl_writer_add_record (kit->writer, cpu, file_kit_ticks (kit, ms),
                                              record.bytes, record.size, 0x10, NULL));
}

void
file_kit_event (FileKit *kit, guint cpu, double ms, guint32 pid, guint32 tid, const char *provider,
                const char *name, ...)
{
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new (provider, name);
  Payload payload = { .size = 0 };
  WprEtlHead head = { .pid = pid, .tid = tid };
  va_list args;
  const char *field;
  va_start (args, name);
  while ((field = va_arg (args, const char *)) != NULL)
    {
      const char *value = va_arg (args, const char *);
      gboolean is_text = field[0] == 's';
      wpr_etl_schema_add_field (schema, field + 2, is_text ? WPR_TL_STRING8 : WPR_TL_U32, 0, 0);
      if (is_text)
        put_text (&payload, value);
      else
        put (&payload, g_ascii_strtoull (value, NULL, 0), 4);
    }
  va_end (args);
  wpr_etl_schema_fill_head (schema, &head);
  head.keyword = 0x10;
  file_kit_add (kit, cpu, ms, &head, payload.bytes, payload.size);
}

const WprTraceEvent *
file_kit_next (WprTraceFile *file, const char *name)
{
  const WprTraceEvent *event;
  while ((event = wpr_trace_file_next (file)) != NULL)
    if (g_str_equal (event->name, name))
      return event;
  return NULL;
}
