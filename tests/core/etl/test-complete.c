/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file whose writer died: cut at any byte, killed while it writes, zeros where the disk had not
 * been written yet. What is whole is there, and the file says that its end is missing. */
#include "config.h"
#include "etl-test.h"

#include <signal.h>
#include <sys/wait.h>
#include "etl/complete.h"
#include "etl/layout.h"

#define N_EVENTS 9000u

typedef struct
{
  guint64 n, faults, completed, left_out;
  guint32 newest[2];
} Seen;

/* Events are numbered from 0 on each CPU: none may be missing before the last. */
static gboolean
visit (const WprEtlEvent *event, gpointer data)
{
  Seen *seen = data;

  if (event->header_type == WPR_ETL_HEAD_EVENT)
    {
      assert_string_equal (event->provider, "Linux.Recorder");
      assert_string_equal (event->name, "Completed");
      seen->completed++;
      seen->left_out = test_u64 (event->payload);
    }
  else if (event->buffer > 0)
    {
      assert_int_equal (test_u32 (event->payload), seen->newest[event->cpu]++);
      seen->n++;
    }
  return TRUE;
}

static void
count_fault (guint64 offset, const char *fault, gpointer data)
{
  ((Seen *)data)->faults++;
}

static WprEtlFileInfo
read_all (const GByteArray *bytes, Seen *seen)
{
  WprEtlFileInfo info;
  GError *error = NULL;

  memset (seen, 0, sizeof *seen);
  if (!wpr_etl_read (bytes->data, bytes->len, &info, visit, count_fault, seen, &error))
    fail_msg ("%s", error->message);
  wpr_etl_file_info_clear (&info);
  return info;
}

static gboolean
write_events (int fd, gboolean compress, gboolean finish)
{
  WprEtlHeaderInfo info = test_header_info ();
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x0524, .version = 4 };
  WprEtlWriter *writer;
  guint8 payload[80] = { 0 };
  gboolean good;

  info.compress = compress;
  writer = wpr_etl_writer_new (fd, &info, NULL);
  good = writer != NULL;
  for (guint i = 0; good && i < N_EVENTS; i++)
    {
      wpr_etl_put32 (payload, i / 2);
      good = wpr_etl_writer_add (writer, i % 2, 1000 + i, &head, payload, sizeof payload, NULL);
    }
  if (good && finish)
    good = wpr_etl_writer_finish (writer, G_GINT64_CONSTANT (132000000000100000), 3, 0, NULL);
  if (writer != NULL)
    wpr_etl_writer_free (writer);
  return good;
}

static GByteArray *
complete (const GByteArray *bytes, gboolean compress, WprEtlCompleted *completed)
{
  int fd = test_memory_file ();
  GError *error = NULL;
  g_autoptr (WprEtlFile) file = wpr_etl_file_new (bytes->data, bytes->len, &error);

  assert_non_null (file);
  if (!wpr_etl_complete (file, fd, compress, completed, &error))
    fail_msg ("%s", error->message);
  return test_take_file (fd);
}

static void
what_was_not_finished_is (void **state)
{
  for (guint i = 0; i < 4; i++)
    {
      gboolean was_compressed = i & 1, compress = i & 2;
      int fd = test_memory_file ();
      g_autoptr (GByteArray) cut = NULL, done = NULL;
      WprEtlCompleted completed;
      WprEtlFileInfo info;
      Seen before, after;

      assert_true (write_events (fd, was_compressed, FALSE));
      cut = test_take_file (fd);
      info = read_all (cut, &before);
      assert_int_equal (info.end_filetime, 0);
      assert_true (before.n > 1000);
      done = complete (cut, compress, &completed);
      info = read_all (done, &after);
      assert_int_equal (after.faults, 0);
      assert_int_equal (after.n, before.n);
      assert_int_equal (after.completed, 1);
      assert_int_equal (completed.left_out_bytes, 0);
      assert_false (completed.was_complete);
      assert_int_equal (info.n_buffers, completed.n_buffers);
      /* From the first to the last that is there, in 100 ns. */
      assert_int_equal (info.end_filetime - info.start_filetime,
                        2 * MAX (after.newest[0], after.newest[1]) - 2
                            + (after.newest[1] >= after.newest[0]));
      assert_int_equal (info.compression != 0, was_compressed || compress);
    }
}

/* Wherever it is cut: nothing that was whole is lost, and what was not is not counted. */
static void
a_file_cut_anywhere_becomes_whole (void **state)
{
  for (guint compress = 0; compress < 2; compress++)
    {
      int fd = test_memory_file ();
      g_autoptr (GByteArray) all = NULL;

      assert_true (write_events (fd, compress, TRUE));
      all = test_take_file (fd);
      for (gsize size = 700; size <= all->len; size += all->len / 211 + 1)
        {
          g_autoptr (GByteArray) cut = g_byte_array_new (), done = NULL;
          WprEtlCompleted completed;
          WprEtlFileInfo info;
          Seen after;

          g_byte_array_append (cut, all->data, (guint)size);
          done = complete (cut, FALSE, &completed);
          info = read_all (done, &after);
          assert_int_equal (after.faults, 0);
          assert_int_equal (after.completed, 1);
          assert_int_equal (after.left_out, completed.left_out_bytes);
          assert_int_equal (info.events_lost, 3);
          if (!compress)
            {
              assert_true (done->len % WPR_ETL_BUFFER_BYTES == 0);
              assert_int_equal (completed.n_buffers, MAX (size / WPR_ETL_BUFFER_BYTES, 1) + 1);
            }
        }
    }
}

static void
a_complete_file_says_so (void **state)
{
  for (guint compress = 0; compress < 2; compress++)
    {
      int fd = test_memory_file ();
      g_autoptr (GByteArray) all = NULL, done = NULL;
      WprEtlCompleted completed;
      Seen seen;

      assert_true (write_events (fd, compress, TRUE));
      all = test_take_file (fd);
      done = complete (all, FALSE, &completed);
      assert_true (completed.was_complete);
      assert_int_equal (done->len, all->len);
      read_all (done, &seen);
      assert_int_equal (seen.completed, 0);
      assert_int_equal (seen.n, N_EVENTS);
    }
}

/* After a power cut the file may have its length, and zeros where nothing was written yet: whole
 * buffers, or a buffer from its middle on. */
static void
zeros_are_no_events (void **state)
{
  static const gsize from[] = { 3 * WPR_ETL_BUFFER_BYTES, 3 * WPR_ETL_BUFFER_BYTES + 4096 };

  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    {
      int fd = test_memory_file ();
      g_autoptr (GByteArray) all = NULL, done = NULL;
      WprEtlCompleted completed;
      Seen after;

      assert_true (write_events (fd, FALSE, TRUE));
      all = test_take_file (fd);
      memset (all->data + from[i], 0, all->len - from[i]);
      done = complete (all, FALSE, &completed);
      read_all (done, &after);
      assert_int_equal (after.faults, 0);
      assert_int_equal (after.completed, 1);
      assert_true (completed.left_out_bytes > 0);
      assert_int_equal (completed.n_buffers, i == 0 ? 4 : 5);
      assert_true (after.n > 1200);
    }
}

/* kill -9 at moments all over the writing. */
static void
a_writer_that_is_killed_leaves_what_it_wrote (void **state)
{
  for (guint i = 0; i < 40; i++)
    {
      int fd = test_memory_file ();
      g_autoptr (GByteArray) bytes = NULL, done = NULL;
      WprEtlCompleted completed;
      Seen after;
      pid_t pid = fork ();

      if (pid == 0)
        {
          for (;;)
            if (!write_events (fd, i & 1, FALSE) || lseek (fd, 0, SEEK_SET) != 0
                || ftruncate (fd, 0) != 0)
              _exit (1);
        }
      g_usleep (2000 + i * 137);
      kill (pid, SIGKILL);
      waitpid (pid, NULL, 0);
      bytes = test_take_file (fd);
      if (bytes->len < 1024)
        continue; /* between two files */
      done = complete (bytes, FALSE, &completed);
      read_all (done, &after);
      assert_int_equal (after.faults, 0);
      assert_int_equal (after.completed, 1);
    }
}

/* A stranger's bytes: whatever they say, what comes out can be read, and takes no more than what
 * went in once it is unpacked. */
static void
damaged_bytes_do_no_harm (void **state)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  for (guint compress = 0; compress < 2; compress++)
    {
      int fd = test_memory_file ();
      g_autoptr (GByteArray) all = NULL;

      assert_true (write_events (fd, compress, compress));
      all = test_take_file (fd);
      for (guint round = 0; round < 200; round++)
        {
          g_autoptr (GByteArray) bad = g_byte_array_new ();
          g_autoptr (WprEtlFile) file = NULL;
          int out = test_memory_file ();
          WprEtlCompleted completed;

          g_byte_array_append (bad, all->data, all->len);
          for (gint n = g_rand_int_range (rand, 1, 12); n > 0; n--)
            {
              /* Mostly headers: of the file, of its buffers. */
              guint32 at = (guint32)g_rand_int_range (rand, 0, (gint32)all->len);

              if (g_rand_boolean (rand))
                at = at / 65536 * 65536 + (guint32)g_rand_int_range (rand, 0, 0x180);
              if (at < bad->len)
                bad->data[at] = (guint8)g_rand_int (rand);
            }
          file = wpr_etl_file_new (bad->data, bad->len, NULL);
          if (file != NULL && wpr_etl_complete (file, out, round & 1, &completed, NULL))
            {
              WprEtlFileInfo info;
              g_autoptr (GByteArray) done = test_take_file (out);

              assert_true (done->len <= bad->len + (64u << 20));
              if (wpr_etl_read (done->data, done->len, &info, NULL, NULL, NULL, NULL))
                wpr_etl_file_info_clear (&info);
            }
          else
            close (out);
        }
    }
}

static void
what_is_no_trace_is_refused (void **state)
{
  g_autoptr (GByteArray) nothing = g_byte_array_new ();
  guint8 zeros[4096] = { 0 };
  GError *error = NULL;

  g_byte_array_append (nothing, zeros, sizeof zeros);
  assert_null (wpr_etl_file_new (nothing->data, nothing->len, &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
  g_clear_error (&error);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_was_not_finished_is),
    cmocka_unit_test (a_file_cut_anywhere_becomes_whole),
    cmocka_unit_test (a_complete_file_says_so),
    cmocka_unit_test (zeros_are_no_events),
    cmocka_unit_test (a_writer_that_is_killed_leaves_what_it_wrote),
    cmocka_unit_test (damaged_bytes_do_no_harm),
    cmocka_unit_test (what_is_no_trace_is_refused),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
