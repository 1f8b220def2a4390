/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The page of figures: whole or not at all, with a writer that never rests, and not to be written
 * or cut by who reads it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/wpr-error.h"
#include "recorder/publish.h"

typedef struct
{
  WprPublisher *publisher;
  gint stop;
} Writer;

/* Every write is of another length and filled with one value: a mixture shows. */
static gpointer
keep_writing (gpointer data)
{
  Writer *writer = data;
  guint64 room[512];
  for (guint64 i = 1; !g_atomic_int_get (&writer->stop); i++)
    {
      gsize n = 1 + i % G_N_ELEMENTS (room);
      for (gsize j = 0; j < n; j++)
        room[j] = i;
      wpr_publisher_write (writer->publisher, room, n * sizeof room[0] - i % 8);
    }
  return NULL;
}

static void
what_is_read_is_whole (void **state)
{
  Writer writer = { wpr_publisher_new (NULL), 0 };
  WprPublished *page = wpr_published_new (
      fcntl (wpr_publisher_get_fd (writer.publisher), F_DUPFD_CLOEXEC, 0), NULL);
  assert_non_null (page);
  GThread *thread = g_thread_new ("writer", keep_writing, &writer);
  guint64 number = 0, last = 0;
  guint n_read = 0;
  /* However busy this machine is; the time is only an end. */
  for (gint64 end = g_get_monotonic_time () + 30 * G_USEC_PER_SEC;
       n_read < 2000 && g_get_monotonic_time () < end;)
    {
      g_autoptr (GBytes) bytes = wpr_published_read (page, &number);
      if (bytes == NULL)
        continue;
      gsize size = 0;
      const guint64 *words = g_bytes_get_data (bytes, &size);
      guint64 value = number;
      assert_int_equal (size, (1 + value % 512) * 8 - value % 8);
      for (gsize i = 0; i < size / 8; i++)
        assert_int_equal (words[i], value);
      assert_true (number > last);
      last = number;
      n_read++;
    }
  g_atomic_int_set (&writer.stop, 1);
  g_thread_join (thread);
  assert_true (n_read > 0);
  wpr_published_free (page);
  wpr_publisher_free (writer.publisher);
}

static void
nothing_new_is_nothing (void **state)
{
  g_autoptr (WprPublisher) publisher = wpr_publisher_new (NULL);
  WprPublished *page
      = wpr_published_new (fcntl (wpr_publisher_get_fd (publisher), F_DUPFD_CLOEXEC, 0), NULL);
  guint64 number = 0;
  assert_null (wpr_published_read (page, &number));
  wpr_publisher_write (publisher, "abc", 3);
  g_autoptr (GBytes) bytes = wpr_published_read (page, &number);
  assert_int_equal (g_bytes_get_size (bytes), 3);
  assert_memory_equal (g_bytes_get_data (bytes, NULL), "abc", 3);
  assert_null (wpr_published_read (page, &number));
  /* What is too large is not published, and does not harm what is there. */
  g_autofree char *large = g_malloc0 (2 * 1024 * 1024);
  wpr_publisher_write (publisher, large, 2 * 1024 * 1024);
  number = 0;
  g_autoptr (GBytes) still = wpr_published_read (page, &number);
  assert_int_equal (g_bytes_get_size (still), 3);
  wpr_published_free (page);
}

static void
a_reader_cannot_write_or_cut_it (void **state)
{
  g_autoptr (WprPublisher) publisher = wpr_publisher_new (NULL);
  int fd = wpr_publisher_get_fd (publisher);
  assert_ptr_equal (mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
  assert_int_equal (ftruncate (fd, 0), -1);
  /* Nor through a new descriptor, though /proc would give its owner one that writes. */
  g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
  int again = open (path, O_RDWR | O_CLOEXEC);
  if (again >= 0)
    {
      assert_ptr_equal (mmap (NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, again, 0),
                        MAP_FAILED);
      assert_int_equal (write (again, "x", 1), -1);
      assert_int_equal (ftruncate (again, 0), -1);
      close (again);
    }
}

static void
a_page_that_could_shrink_is_refused (void **state)
{
  g_autoptr (GError) error = NULL;
  int fd = memfd_create ("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  assert_int_equal (ftruncate (fd, 2 * 1024 * 1024 + 64), 0);
  assert_null (wpr_published_new (fd, &error)); /* takes fd */
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_is_read_is_whole),
    cmocka_unit_test (nothing_new_is_nothing),
    cmocka_unit_test (a_reader_cannot_write_or_cut_it),
    cmocka_unit_test (a_page_that_could_shrink_is_refused),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
