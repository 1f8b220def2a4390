/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Backward rings: a copy taken while the kernel writes holds whole records only, oldest first,
 * without a gap up to the newest, and nothing is cut where nothing was overwritten. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "fake-kernel.h"

static void
copies_whole_records_at_every_wrap_position (void **state)
{
  static const gsize sizes[] = { 16, 104, 1000 };
  const gsize ring_bytes = 4096;

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint64 start = 0; start < ring_bytes; start += 8)
      {
        /* A ring begins at 0; a record of odd size first shifts all others. */
        g_autoptr (FakeKernel) kernel = fake_kernel_new (ring_bytes, TRUE, 0);
        g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, ring_bytes, TRUE);
        WprRingCopy copy;
        guint64 first;

        fake_kernel_write (kernel, 16 + start, 0);
        for (gsize written = 0; written < 2 * ring_bytes; written += sizes[s])
          fake_kernel_write (kernel, sizes[s], 0);
        assert_true (wpr_ring_copy (ring, &copy, NULL));
        assert_true (copy.bytes_ever == -kernel->head);
        /* Nobody wrote within 2 ms: a quarter of so small a ring is given up all the same. */
        const gsize intact = ring_bytes - ring_bytes / 4;
        assert_true (copy.size == intact / sizes[s] * sizes[s]);
        assert_true (copy.cut == ring_bytes - copy.size);
        guint64 count = fake_kernel_check (copy.data, copy.size, &first);
        assert_true (first + count == kernel->next);
        wpr_ring_copy_clear (&copy);
      }
}

static void
a_ring_that_has_not_wrapped_is_not_cut (void **state)
{
  const gsize ring_bytes = 2 << 20;
  g_autoptr (FakeKernel) kernel = fake_kernel_new (ring_bytes, TRUE, 0);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, ring_bytes, TRUE);
  WprRingCopy copy;
  guint64 first;

  assert_true (wpr_ring_copy (ring, &copy, NULL));
  assert_int_equal (copy.size, 0);
  wpr_ring_copy_clear (&copy);

  for (gsize left = ring_bytes; left > 0; left -= 1024)
    {
      fake_kernel_write (kernel, 1024, 0);
      if (left != ring_bytes / 2 && left != 1024)
        continue;
      assert_true (wpr_ring_copy (ring, &copy, NULL));
      if (left > 1024)
        assert_int_equal (copy.cut, 0);
      guint64 count = fake_kernel_check (copy.data, copy.size, &first);
      assert_true (first + count == kernel->next);
      wpr_ring_copy_clear (&copy);
    }
}

/* A large ring that has wrapped gives up what four nested writers could have under way. */
static void
a_wrapped_ring_gives_up_what_may_be_under_way (void **state)
{
  const gsize ring_bytes = 2 << 20;
  g_autoptr (FakeKernel) kernel = fake_kernel_new (ring_bytes, TRUE, 0);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, ring_bytes, TRUE);
  WprRingCopy copy;
  guint64 first;

  for (guint i = 0; i < 3000; i++)
    fake_kernel_write (kernel, 1024, 0);
  assert_true (wpr_ring_copy (ring, &copy, NULL));
  assert_int_equal (copy.cut, 256 << 10);
  assert_int_equal (copy.size, ring_bytes - (256 << 10));
  assert_int_equal (fake_kernel_check (copy.data, copy.size, &first), copy.size / 1024);
  assert_int_equal (first + copy.size / 1024, 3000);
  wpr_ring_copy_clear (&copy);
}

typedef struct
{
  FakeKernel *kernel;
  gsize most_bytes;
  gint stop;
} Writer;

static gpointer
write_on (gpointer data)
{
  Writer *writer = data;
  FakeKernel *kernel = writer->kernel;

  while (!g_atomic_int_get (&writer->stop))
    fake_kernel_write (kernel, fake_kernel_size (kernel, writer->most_bytes),
                       (guint)g_rand_int_range (kernel->random, 0, 4));
  return NULL;
}

static void
copy_a_live_ring (gsize ring_bytes, gsize most_bytes, guint n_copies)
{
  g_autoptr (FakeKernel) kernel = fake_kernel_new (ring_bytes, TRUE, 0);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, ring_bytes, TRUE);
  Writer writer = { kernel, most_bytes, 0 };
  GThread *thread = g_thread_new ("writer", write_on, &writer);
  while (__atomic_load_n (&kernel->published, __ATOMIC_ACQUIRE) == 0)
    g_usleep (100);
  gint64 until = g_get_monotonic_time () + 3 * G_TIME_SPAN_SECOND;
  guint n_kept = 0;

  for (guint i = 0; i < n_copies && g_get_monotonic_time () < until; i++)
    {
      WprRingCopy copy;
      guint64 first = 0;
      guint64 published = __atomic_load_n (&kernel->published, __ATOMIC_ACQUIRE);
      assert_true (wpr_ring_copy (ring, &copy, NULL));
      assert_true (copy.size + copy.cut <= ring_bytes);
      guint64 count = fake_kernel_check (copy.data, copy.size, &first);
      /* What was published before the copy began is in it, unless the ring went round meanwhile. */
      if (count > 0)
        assert_true (first + count >= published);
      n_kept += count > 0;
      wpr_ring_copy_clear (&copy);
    }
  g_atomic_int_set (&writer.stop, 1);
  g_thread_join (thread);

  /* At rest the whole tail is there. */
  WprRingCopy copy;
  guint64 first = 0;
  assert_true (wpr_ring_copy (ring, &copy, NULL));
  guint64 count = fake_kernel_check (copy.data, copy.size, &first);
  assert_true (count > 0 && first + count == kernel->next);
  wpr_ring_copy_clear (&copy);
  print_message ("%" G_GSIZE_FORMAT " KiB: %u copies held records\n", ring_bytes / 1024, n_kept);
}

static void
copies_while_the_kernel_writes (void **state)
{
  copy_a_live_ring (64 << 10, 2048, 300);
  copy_a_live_ring (1 << 20, 32768, 200);
  copy_a_live_ring (8 << 20, 65528, 60);
}

static void
bytes_that_are_no_records_end_the_copy (void **state)
{
  g_autoptr (FakeKernel) kernel = fake_kernel_new (4096, TRUE, 0);
  g_autoptr (WprRing) ring = wpr_ring_new_over (kernel->page, 4096, TRUE);
  WprRingCopy copy;

  for (guint bytes = 0; bytes < 0x10000; bytes += 4099)
    {
      for (gsize i = 0; i < 4096; i++)
        kernel->data[i] = (guint8)(bytes >> (i % 2 * 8));
      kernel->page->data_head = -(guint64)(3 * 4096 + 8);
      assert_true (wpr_ring_copy (ring, &copy, NULL));
      assert_true (copy.size + copy.cut == 4096);
      wpr_ring_copy_clear (&copy);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (copies_whole_records_at_every_wrap_position),
    cmocka_unit_test (a_ring_that_has_not_wrapped_is_not_cut),
    cmocka_unit_test (a_wrapped_ring_gives_up_what_may_be_under_way),
    cmocka_unit_test (copies_while_the_kernel_writes),
    cmocka_unit_test (bytes_that_are_no_records_end_the_copy),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
