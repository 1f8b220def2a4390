/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording by hand. */
#include "config.h"

#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "recording.h"
#include "source/rights.h"
#include "store/payload.h"

static void
test_recording_notice (gpointer data, WprSeverity severity, const char *id, const char *text)
{
  TestRecording *r = data;
  g_ptr_array_add (r->notices, g_strdup_printf ("%s: %s", id, text));
}

/* The same kind of event, asked for by the test itself: only that excuses a skip. */
static void
test_skip_without_kernel (void)
{
  struct perf_event_attr attr = {
    .type = PERF_TYPE_TRACEPOINT,
    .size = sizeof attr,
    .sample_period = 1,
    .sample_type = PERF_SAMPLE_RAW,
    .disabled = 1,
  };
  int id = wpr_tracefs_id ("sched:sched_switch");
  attr.config = id > 0 ? (guint64)id : 0;
  long fd = syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0)
    {
      close ((int)fd);
      return;
    }
  print_message ("skipped: the kernel refuses sched:sched_switch (%s)\n", g_strerror (errno));
  skip ();
}

void
test_recording_init (TestRecording *r, const char *profile, WprMode mode)
{
  test_skip_without_kernel ();
  memset (r, 0, sizeof *r);
  g_autoptr (GError) error = NULL;
  r->root = g_dir_make_tmp ("wpr-test-XXXXXX", &error);
  assert_non_null (r->root);
  g_setenv ("WPR_STATE_DIR", r->root, TRUE);
  g_setenv ("WPR_RUNTIME_DIR", r->root, TRUE);
  r->notices = g_ptr_array_new_with_free_func (g_free);
  r->library = wpr_library_new ();
  g_auto (WprRightsFound) found = { 0 };
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  wpr_rights_probe (&found);
  r->machine = wpr_machine_new (cpus->len, G_GUINT64_CONSTANT (4) << 30, found.rights);
  r->kernel = wpr_source_kernel_new ();
  wpr_source_probe (r->kernel, r->machine);
  r->choice = wpr_choice_new ();
  r->choice->mode = mode;
  wpr_choice_add (r->choice, profile, NULL, -1);
}

void
test_recording_plan (TestRecording *r)
{
  g_autoptr (GError) error = NULL;
  r->plan = wpr_plan_new (r->library, r->choice, r->machine, &error);
  if (!r->plan)
    fail_msg ("%s", error->message);
  WprManifest *manifest = wpr_manifest_new ();
  manifest->instance = g_strdup ("Test");
  manifest->boot_id = g_strdup ("01234567-89ab");
  r->session = (WprSession){
    .plan = r->plan,
    .machine = r->machine,
    .manifest = manifest,
    .world = wpr_world_new (WPR_WORLD_MAX_DEAD),
    .opener = wpr_opener_local_new (),
    .own_tids = g_array_new (FALSE, FALSE, sizeof (guint32)),
    .backward = r->choice->mode == WPR_MODE_MEMORY,
    .notice = test_recording_notice,
    .notice_data = r,
  };
}

void
test_recording_begin (TestRecording *r)
{
  g_autoptr (GError) error = NULL;
  test_recording_plan (r);
  if (!wpr_source_prepare (r->kernel, &r->session, &error))
    fail_msg ("%s", error->message);
  if (!r->session.backward)
    {
      g_autofree char *parent = g_build_filename (r->root, "raw", NULL);
      WprStoreLimits limits = { 0 };
      r->session.store = wpr_store_create (parent, r->session.manifest, &limits, &error);
      if (!r->session.store)
        fail_msg ("%s", error->message);
      r->session.manifest = (WprManifest *)wpr_store_get_manifest (r->session.store);
    }
  assert_true (wpr_source_start (r->kernel, &r->session, TRUE, NULL));
  assert_true (wpr_source_start (r->kernel, &r->session, FALSE, NULL));
}

void
test_recording_clear (TestRecording *r)
{
  if (!r->root)
    return;
  if (r->session.store)
    wpr_store_close (r->session.store);
  else if (r->session.manifest)
    wpr_manifest_free (r->session.manifest);
  wpr_source_close (r->kernel);
  g_clear_object (&r->kernel);
  g_clear_object (&r->session.opener);
  g_clear_pointer (&r->session.world, wpr_world_free);
  g_clear_pointer (&r->session.own_tids, g_array_unref);
  g_clear_pointer (&r->plan, wpr_plan_unref);
  wpr_choice_free (r->choice);
  wpr_machine_unref (r->machine);
  wpr_library_unref (r->library);
  g_ptr_array_unref (r->notices);
  g_autofree char *parent = g_path_get_dirname (r->root);
  g_autofree char *name = g_path_get_basename (r->root);
  int fd = wpr_open_folder (parent, NULL);
  assert_true (wpr_remove_tree_at (fd, name, NULL));
  close (fd);
  g_clear_pointer (&r->root, g_free);
}

void
test_run_programs (const char *root, const char *name, guint n)
{
  g_autofree char *path = g_build_filename (root, name, NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    assert_return_code (symlink ("/bin/true", path), errno);
  for (guint i = 0; i < n; i++)
    {
      pid_t pid = fork ();
      if (pid == 0)
        {
          execl (path, name, NULL);
          _exit (127);
        }
      int status = 0;
      assert_int_equal (waitpid (pid, &status, 0), pid);
      assert_int_equal (status, 0);
    }
}

static TestTally *
test_tally (GArray *tallies, guint32 row, guint32 cpu)
{
  for (guint i = 0; i < tallies->len; i++)
    {
      TestTally *t = &g_array_index (tallies, TestTally, i);
      if (t->row == row && t->cpu == cpu)
        return t;
    }
  TestTally t = { .row = row, .cpu = cpu };
  g_array_append_val (tallies, t);
  return &g_array_index (tallies, TestTally, tallies->len - 1);
}

static gboolean
test_note (const WprStoreNote *note, gpointer data)
{
  WprTallyPayload payload;
  if (note->kind != WPR_NOTE_TALLY)
    return TRUE;
  assert_int_equal (note->size, sizeof payload);
  memcpy (&payload, note->payload, sizeof payload);
  TestTally *t = test_tally (data, payload.row, note->cpu);
  t->counted += payload.counted;
  t->lost += payload.lost;
  return TRUE;
}

static void
test_count_records (GArray *tallies, const WprIdTable *ids, const guint8 *bytes, gsize size)
{
  for (gsize at = 0; at < size;)
    {
      const struct perf_event_header *header = (gconstpointer)(bytes + at);
      WprRecord record;
      assert_true (header->size >= sizeof *header && header->size <= size - at);
      assert_true (wpr_record_parse (header, ids, &record));
      if (record.type == PERF_RECORD_SAMPLE)
        test_tally (tallies, record.row, record.cpu)->records++;
      at += header->size;
    }
}

GArray *
test_store_tallies (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, &error);
  if (!reader)
    fail_msg ("%s", error->message);
  const WprManifest *manifest = wpr_store_reader_manifest (reader);
  g_autoptr (WprIdTable) ids = wpr_id_table_new ();
  for (guint i = 0; i < manifest->ids->len; i++)
    {
      const WprStoreId *id = &g_array_index (manifest->ids, WprStoreId, i);
      wpr_id_table_add (ids, id->id, id->row,
                        g_array_index (manifest->events, WprStoreEvent, id->row).sample_type);
    }
  GArray *tallies = g_array_new (FALSE, FALSE, sizeof (TestTally));
  wpr_store_reader_notes (reader, test_note, tallies);
  for (guint epoch = 0; epoch < wpr_store_reader_n_epochs (reader); epoch++)
    for (guint c = 0; c < manifest->collectors->len; c++)
      for (guint cpu = 0; cpu < wpr_cpus_possible (); cpu++)
        {
          gsize size = 0;
          const guint8 *bytes = wpr_store_reader_data (reader, epoch, c, cpu, &size, NULL);
          if (bytes)
            test_count_records (tallies, ids, bytes, size);
        }
  return tallies;
}

guint32
test_store_row (const WprManifest *manifest, const char *name)
{
  for (guint i = 0; i < manifest->events->len; i++)
    if (strcmp (g_array_index (manifest->events, WprStoreEvent, i).name, name) == 0)
      return i;
  return G_MAXUINT32;
}

guint
test_store_count_text (const char *path, guint cpu, const char *text)
{
  g_autoptr (WprStoreReader) reader = wpr_store_reader_open (path, NULL);
  gsize size = 0, length = strlen (text);
  guint n = 0;
  const guint8 *bytes = wpr_store_reader_data (reader, 0, 0, cpu, &size, NULL);
  for (const guint8 *at = bytes;
       at && (at = memmem (at, size - (gsize)(at - bytes), text, length)) != NULL; at += length)
    n++;
  return n;
}

void
test_drop_lock_right (gboolean drop)
{
  struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct data[2];
  assert_return_code (syscall (SYS_capget, &header, data), errno);
  if (drop)
    data[0].effective &= ~(1U << CAP_IPC_LOCK);
  else
    data[0].effective |= 1U << CAP_IPC_LOCK;
  assert_return_code (syscall (SYS_capset, &header, data), errno);
}
