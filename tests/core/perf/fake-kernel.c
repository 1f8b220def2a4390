/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's side of a ring, played by a test. */
#include "config.h"
#include "fake-kernel.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#define RECORD_TYPE 4242

FakeKernel *
fake_kernel_new (gsize size, gboolean backward, guint64 start)
{
  FakeKernel *kernel = g_new0 (FakeKernel, 1);
  gsize page_bytes = (gsize)sysconf (_SC_PAGESIZE);

  kernel->page = g_malloc0 (page_bytes + size);
  kernel->data = (guint8 *)kernel->page + page_bytes;
  kernel->size = size;
  kernel->backward = backward;
  kernel->head = start;
  kernel->page->data_head = start;
  kernel->page->data_tail = start;
  kernel->random = g_rand_new_with_seed (20261130);
  return kernel;
}

void
fake_kernel_free (FakeKernel *kernel)
{
  g_rand_free (kernel->random);
  g_free (kernel->page);
  g_free (kernel);
}

/* What word `index` (after the header) of record `number` is. */
static guint64
word_of (guint64 number, gsize index)
{
  return index == 0 ? number : (number + 1) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) + index;
}

static guint64
header_of (gsize bytes)
{
  struct perf_event_header header = { .type = RECORD_TYPE, .misc = 7, .size = (guint16)bytes };
  guint64 word;
  memcpy (&word, &header, sizeof word);
  return word;
}

/* Atomic: a reader that copies a ring in use may see any of it, and cuts it off. Release: after the
 * head that was published last, as in the kernel. */
static void
put (FakeKernel *kernel, guint64 position, guint64 word)
{
  guint64 *at = (guint64 *)(kernel->data + (position & (kernel->size - 1)));
  __atomic_store_n (at, word, __ATOMIC_RELEASE);
}

static gboolean
take_space (FakeKernel *kernel, gsize bytes, guint64 *position)
{
  if (kernel->backward)
    {
      kernel->head -= bytes;
      *position = kernel->head;
      return TRUE;
    }
  guint64 tail = __atomic_load_n (&kernel->page->data_tail, __ATOMIC_ACQUIRE);
  if (kernel->head + bytes - tail > kernel->size)
    return FALSE;
  *position = kernel->head;
  kernel->head += bytes;
  return TRUE;
}

static void
publish (FakeKernel *kernel)
{
  __atomic_store_n (&kernel->page->data_head, kernel->head, __ATOMIC_RELEASE);
  __atomic_store_n (&kernel->published, kernel->next, __ATOMIC_RELEASE);
}

gboolean
fake_kernel_write (FakeKernel *kernel, gsize bytes, guint nested)
{
  guint64 position;
  g_assert (bytes % 8 == 0 && bytes >= 16 && bytes < 65536);
  if (!take_space (kernel, bytes, &position))
    return FALSE;

  guint64 number = kernel->next++;
  gsize n_words = bytes / 8 - 1;
  kernel->nest++;
  put (kernel, position, header_of (bytes));
  for (gsize i = 0; i < n_words; i++)
    {
      put (kernel, position + 8 + 8 * i, word_of (number, i));
      if (i == n_words / 2 && nested > 0)
        fake_kernel_write (kernel, fake_kernel_size (kernel, 1024), nested - 1);
    }
  if (--kernel->nest == 0)
    publish (kernel);
  return TRUE;
}

gsize
fake_kernel_size (FakeKernel *kernel, gsize most)
{
  gboolean rare = g_rand_int_range (kernel->random, 0, 200) == 0;
  gsize limit = rare ? most : MIN (most, 320);
  return 16 + (gsize)g_rand_int_range (kernel->random, 0, (gint32)((limit - 16) / 8)) * 8;
}

guint64
fake_kernel_check (const guint8 *bytes, gsize size, guint64 *first)
{
  guint64 count = 0;

  for (gsize at = 0; at < size; count++)
    {
      struct perf_event_header header;
      guint64 number, word;
      assert_true (size - at >= 16);
      memcpy (&header, bytes + at, sizeof header);
      assert_int_equal (header.type, RECORD_TYPE);
      assert_true (header.size >= 16 && header.size % 8 == 0 && header.size <= size - at);
      memcpy (&number, bytes + at + 8, sizeof number);
      if (count == 0)
        *first = number;
      assert_true (number == *first + count);
      for (gsize i = 1; i < header.size / 8u - 1; i++)
        {
          memcpy (&word, bytes + at + 8 + 8 * i, sizeof word);
          assert_true (word == word_of (number, i));
        }
      at += header.size;
    }
  return count;
}
