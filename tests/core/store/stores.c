/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stores for tests. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "stores.h"

char *
temporary_new (void)
{
  char *folder = g_dir_make_tmp ("wpr-store-XXXXXX", NULL);
  assert_non_null (folder);
  return folder;
}

void
temporary_free (char *folder)
{
  g_autofree char *parent = g_path_get_dirname (folder);
  g_autofree char *name = g_path_get_basename (folder);
  int fd = open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true (wpr_remove_tree_at (fd, name, NULL));
  close (fd);
  g_free (folder);
}

WprManifest *
sample_manifest (const char *instance)
{
  WprManifest *m = wpr_manifest_new ();
  m->instance = g_strdup (instance);
  m->tool_version = g_strdup ("0.1.0");
  m->host = g_strdup ("host");
  m->kernel = g_strdup ("6.18");
  m->boot_id = g_strdup ("0123abcd-0000-0000-0000-000000000000");
  m->plan_text = g_strdup ("a plan\nof two lines");
  m->mode = 1;
  m->n_cpus = 2;
  m->memory_bytes = G_GUINT64_CONSTANT (1) << 40;
  m->sample_interval_ns = 1000000;
  m->recorder_pid = (guint32)getpid ();
  g_ptr_array_add (m->profiles, g_strdup ("CPU.Verbose.File"));
  g_ptr_array_add (m->missing, g_strdup ("irq_vectors:x: not here"));
  WprStoreCollector collector = { .name = g_strdup ("System"),
                                  .session = g_strdup ("WPR_System"),
                                  .kind = 1,
                                  .buffer_kb = 1024,
                                  .ring_bytes = 4 << 20 };
  g_array_append_val (m->collectors, collector);
  WprStoreEvent event = { .row = 3,
                          .name = g_strdup ("sched:sched_switch"),
                          .sample_type = 0x1234567890,
                          .period = 1,
                          .format = g_strdup ("name: sched_switch\nID: 317\n") };
  g_array_append_val (m->events, event);
  WprStoreId id = { .id = G_GUINT64_CONSTANT (0xdeadbeefcafe), .row = 3, .cpu = 1 };
  g_array_append_val (m->ids, id);
  return m;
}

void
make_record (guint8 *to, guint16 size, guint64 number)
{
  struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };
  memset (to, 0xee, size);
  memcpy (to, &header, sizeof header);
  memcpy (to + sizeof header, &number, sizeof number);
}

static gboolean
write_it (int fd, guint16 size, guint64 number)
{
  guint8 bytes[65536];
  make_record (bytes, size, number);
  return fd >= 0 && write (fd, bytes, size) == size;
}

gboolean
write_record (WprStore *store, guint collector, guint cpu, guint16 size, guint64 number)
{
  if (!write_it (wpr_store_data_fd (store, collector, cpu, NULL), size, number))
    return FALSE;
  wpr_store_wrote (store, collector, cpu, size);
  return TRUE;
}

gboolean
write_sideband (WprStore *store, guint16 size, guint64 number)
{
  if (!write_it (wpr_store_sideband_fd (store, NULL), size, number))
    return FALSE;
  wpr_store_wrote_sideband (store, size);
  return TRUE;
}

guint64
count_records (const guint8 *bytes, gsize size, guint64 first)
{
  guint64 n = 0;
  for (gsize at = 0; at < size; n++)
    {
      struct perf_event_header header;
      guint64 number;
      memcpy (&header, bytes + at, sizeof header);
      memcpy (&number, bytes + at + sizeof header, sizeof number);
      assert_int_equal (number, first + n);
      at += header.size;
      assert_true (at <= size);
    }
  return n;
}
