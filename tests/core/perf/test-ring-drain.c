/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forward rings: every record written by the kernel's protocol is in the file once, whole and in
 * order, wherever the ring wraps, and also when writing fails. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/wpr-error.h"
#include "fake-kernel.h"

static int
memory_file (void)
{
  int fd = memfd_create ("drained", MFD_CLOEXEC);
  assert_true (fd >= 0);
  return fd;
}

static guint8 *
contents (int fd, gsize *size)
{
  off_t end = lseek (fd, 0, SEEK_END);
  assert_true (end >= 0);
  *size = (gsize)end;
  guint8 *bytes = g_malloc (*size + 1);
  assert_int_equal (pread (fd, bytes, *size, 0), (gssize)*size);
  return bytes;
}

/* What is in the file; closes it. */
static guint64
check_file (int fd, guint64 *first)
{
  gsize size;
  g_autofree guint8 *bytes = contents (fd, &size);
  guint64 count = fake_kernel_check (bytes, size, first);
  close (fd);
  return count;
}

static void
drains_whole_records_at_every_wrap_position (void **state)
{
  static const gsize sizes[] = { 16, 24, 56, 104, 1000, 2056 };
  const gsize ring_bytes = 4096;

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint64 start = 0; start < ring_bytes; start += 8)
      {
        g_autoptr (FakeKernel) kernel = fake_kernel_new (ring_bytes, FALSE, start);
        g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, ring_bytes, FALSE);
        int fd = memory_file ();
        guint64 first = 0;
        gsize written = 0;

        for (guint round = 0; round < 3; round++)
          {
            while (fake_kernel_write (kernel, sizes[s], 0))
              written += sizes[s];
            assert_true (wpr_ring_used (ring) == kernel->head - kernel->page->data_tail);
            gssize drained = wpr_ring_drain (ring, fd, 0, NULL);
            assert_true (drained > 0);
            assert_true (wpr_ring_used (ring) == 0);
          }
        assert_true (wpr_ring_bytes (ring) == start + written);
        assert_true (check_file (fd, &first) == kernel->next);
        assert_true (first == 0);
      }
}

static void
stops_before_the_record_that_exceeds_most (void **state)
{
  g_autoptr (FakeKernel) kernel = fake_kernel_new (4096, FALSE, 4000);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, 4096, FALSE);
  int fd = memory_file ();
  guint64 first;

  for (guint i = 0; i < 10; i++)
    assert_true (fake_kernel_write (kernel, 104, 0));
  assert_int_equal (wpr_ring_drain (ring, fd, 96, NULL), 0);
  assert_int_equal (wpr_ring_drain (ring, fd, 300, NULL), 208);
  assert_int_equal (wpr_ring_used (ring), 8 * 104);
  assert_int_equal (wpr_ring_drain (ring, fd, 0, NULL), 8 * 104);
  assert_int_equal (check_file (fd, &first), 10);
}

typedef struct
{
  FakeKernel *kernel;
  gsize most_bytes; /* of a record */
  gint stop;
  gint done;
} Writer;

static gpointer
write_on (gpointer data)
{
  Writer *writer = data;
  FakeKernel *kernel = writer->kernel;
  gsize bytes = 0;

  while (!g_atomic_int_get (&writer->stop))
    {
      if (bytes == 0)
        bytes = fake_kernel_size (kernel, writer->most_bytes);
      if (fake_kernel_write (kernel, bytes, (guint)g_rand_int_range (kernel->random, 0, 4)))
        bytes = 0;
      else
        g_thread_yield ();
    }
  g_atomic_int_set (&writer->done, 1);
  return NULL;
}

static void
drain_a_live_ring (gsize ring_bytes, gsize most_bytes, gsize total_bytes)
{
  g_autoptr (FakeKernel) kernel = fake_kernel_new (ring_bytes, FALSE, ring_bytes - 8);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, ring_bytes, FALSE);
  Writer writer = { kernel, most_bytes, 0, 0 };
  GThread *thread = g_thread_new ("writer", write_on, &writer);
  int fd = memory_file ();
  gsize drained = 0;
  guint64 first;

  while (!g_atomic_int_get (&writer.done))
    {
      gssize n = wpr_ring_drain (ring, fd, 0, NULL);
      assert_true (n >= 0);
      drained += (gsize)n;
      if (drained >= total_bytes)
        g_atomic_int_set (&writer.stop, 1);
    }
  g_thread_join (thread);
  assert_true (wpr_ring_drain (ring, fd, 0, NULL) >= 0);
  assert_true (check_file (fd, &first) == kernel->next);
  assert_true (first == 0);
}

static void
drains_while_the_kernel_writes (void **state)
{
  drain_a_live_ring (4096, 2048, 2 << 20);
  drain_a_live_ring (128 << 10, 65528, 16 << 20);
  drain_a_live_ring (2 << 20, 65528, 32 << 20);
}

static void
count_bytes (const struct perf_event_header *record, gpointer data)
{
  g_byte_array_append (data, (const guint8 *)record, record->size);
}

static void
reads_wrapped_records_in_one_piece (void **state)
{
  for (guint64 start = 0; start < 4096; start += 8)
    {
      g_autoptr (FakeKernel) kernel = fake_kernel_new (4096, FALSE, start);
      g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, 4096, FALSE);
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      gsize n_read = 0;
      guint64 first;

      for (guint round = 0; round < 2; round++)
        {
          while (fake_kernel_write (kernel, 1000, 1))
            ;
          n_read += wpr_ring_read (ring, count_bytes, bytes);
          assert_true (wpr_ring_used (ring) == 0);
        }
      assert_true (n_read == kernel->next);
      assert_true (fake_kernel_check (bytes->data, bytes->len, &first) == n_read);
    }
}

/* A file limit makes write() stop in the middle of a record, as a full disk does. */
static void
a_full_disk_leaves_whole_records_in_file_and_ring (void **state)
{
  const gsize ring_bytes = 1 << 20, limit_bytes = 600 * 1000 + 4;
  g_autoptr (FakeKernel) kernel = fake_kernel_new (ring_bytes, FALSE, ring_bytes / 2);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, ring_bytes, FALSE);
  g_autoptr (GError) error = NULL;
  struct rlimit before, limit;
  guint64 first;

  while (fake_kernel_write (kernel, fake_kernel_size (kernel, 4096), 2))
    ;
  char path[] = "/var/tmp/wpr-test-drain-XXXXXX";
  int fd = g_mkstemp (path);
  assert_true (fd >= 0);
  unlink (path);
  signal (SIGXFSZ, SIG_IGN);
  assert_int_equal (getrlimit (RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = limit_bytes;
  assert_int_equal (setrlimit (RLIMIT_FSIZE, &limit), 0);

  gssize drained = wpr_ring_drain (ring, fd, 0, &error);
  assert_null (error);
  assert_true (drained > 0 && (gsize)drained < limit_bytes);
  assert_int_equal (lseek (fd, 0, SEEK_END), drained);
  assert_int_equal (wpr_ring_drain (ring, fd, 0, &error), -1);
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_INTERNAL));
  assert_int_equal (lseek (fd, 0, SEEK_END), drained);

  assert_int_equal (setrlimit (RLIMIT_FSIZE, &before), 0);
  assert_true (wpr_ring_drain (ring, fd, 0, NULL) > 0);
  assert_true (check_file (fd, &first) == kernel->next);
}

static void
no_space_is_said_as_such (void **state)
{
  g_autoptr (FakeKernel) kernel = fake_kernel_new (4096, FALSE, 0);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, 4096, FALSE);
  g_autoptr (GError) error = NULL;
  int fd = open ("/dev/full", O_WRONLY | O_CLOEXEC);

  assert_true (fd >= 0);
  assert_true (fake_kernel_write (kernel, 64, 0));
  assert_int_equal (wpr_ring_drain (ring, fd, 0, &error), -1);
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE));
  assert_int_equal (wpr_ring_used (ring), 64);
  close (fd);
}

static void
a_ring_without_records_is_an_error_and_no_endless_loop (void **state)
{
  g_autoptr (FakeKernel) kernel = fake_kernel_new (1 << 20, FALSE, 0);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, 1 << 20, FALSE);
  g_autoptr (GError) error = NULL;
  int fd = memory_file ();

  kernel->page->data_head = 1 << 20;
  assert_int_equal (wpr_ring_drain (ring, fd, 0, &error), -1);
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_INTERNAL));
  assert_int_equal (wpr_ring_drain (ring, fd, 0, NULL), 0);
  close (fd);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (drains_whole_records_at_every_wrap_position),
    cmocka_unit_test (stops_before_the_record_that_exceeds_most),
    cmocka_unit_test (drains_while_the_kernel_writes),
    cmocka_unit_test (reads_wrapped_records_in_one_piece),
    cmocka_unit_test (a_full_disk_leaves_whole_records_in_file_and_ring),
    cmocka_unit_test (no_space_is_said_as_such),
    cmocka_unit_test (a_ring_without_records_is_an_error_and_no_endless_loop),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
