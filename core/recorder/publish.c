/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shared page. Two slots are written in turn, each under a sequence lock: odd while it is being
 * written, even when whole. A reader copies the slot written last; it is torn only if the writer
 * came round twice meanwhile (the sequence tells), and a writer that was killed half way leaves the
 * other slot whole. The checksum guards against a writer that is not ours.
 *
 * Everything shared is read and written as relaxed 64-bit words between the fences: a plain memcpy
 * beside a writer is undefined. */
#include "config.h"
#include "recorder/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/wpr-error.h"

#define WPR_PAGE_MAGIC G_GUINT64_CONSTANT (0x3173746174735057) /* "WPstats1" */
/* 256 CPUs x 4 collectors x 80 bytes are 80 KiB; ten times that, so that nobody meets it. Memory
 * that is never written costs nothing. */
#define WPR_SLOT_BYTES (1024 * 1024)
#define WPR_SLOT_WORDS (WPR_SLOT_BYTES / 8)

typedef struct
{
  guint64 sequence; /* twice the number of the write, odd while it is going on */
  guint64 size;
  guint64 checksum;
  guint64 words[WPR_SLOT_WORDS];
} WprSlot;

typedef struct
{
  guint64 magic;
  guint64 newest; /* number of the last write; its slot is newest % 2 */
  WprSlot slots[2];
} WprPage;

struct _WprPublisher
{
  int fd; /* read-only */
  WprPage *page;
  guint64 number;
};

struct _WprPublished
{
  const WprPage *page;
};

/* FNV-1a over words. Not against malice: the peer is of the same user. */
static guint64
mix (guint64 sum, guint64 word)
{
  return (sum ^ word) * G_GUINT64_CONSTANT (0x100000001b3);
}

static guint64
load (const guint64 *word)
{
  return __atomic_load_n (word, __ATOMIC_RELAXED);
}

static void
store (guint64 *word, guint64 value)
{
  __atomic_store_n (word, value, __ATOMIC_RELAXED);
}

WprPublisher *
wpr_publisher_new (GError **error)
{
  g_autoptr (WprPublisher) self = g_new0 (WprPublisher, 1);
  self->fd = -1;
  self->page = MAP_FAILED;
  int fd = memfd_create ("wpr-stats", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd >= 0 && ftruncate (fd, sizeof (WprPage)) == 0
      && fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
    self->page = mmap (NULL, sizeof (WprPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  /* Others get a descriptor that cannot write, and the seal forbids a writable one to be made of
   * it. Kernels before 5.1 have no such seal; the mode of the descriptor still holds there. */
  if (self->page != MAP_FAILED)
    {
      g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", fd);
      self->fd = open (path, O_RDONLY | O_CLOEXEC);
      fcntl (fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
    }
  int errsv = errno;
  if (fd >= 0)
    close (fd);
  if (self->fd < 0)
    {
      wpr_set_error (error, WPR_ERROR_NO_SPACE, 0, _ ("No memory for the figures: %s."),
                     g_strerror (errsv));
      return NULL;
    }
  self->page->magic = WPR_PAGE_MAGIC;
  return g_steal_pointer (&self);
}

int
wpr_publisher_get_fd (WprPublisher *publisher)
{
  return publisher->fd;
}

void
wpr_publisher_write (WprPublisher *publisher, gconstpointer bytes, gsize size)
{
  if (size > WPR_SLOT_BYTES)
    return;
  guint64 number = ++publisher->number;
  WprSlot *slot = &publisher->page->slots[number % 2];
  const char *from = bytes;
  guint64 sum = 0;
  store (&slot->sequence, number * 2 - 1);
  __atomic_thread_fence (__ATOMIC_RELEASE);
  for (gsize at = 0; at < size; at += 8)
    {
      guint64 word = 0;
      memcpy (&word, from + at, MIN (size - at, 8));
      store (&slot->words[at / 8], word);
      sum = mix (sum, word);
    }
  store (&slot->size, size);
  store (&slot->checksum, sum);
  __atomic_store_n (&slot->sequence, number * 2, __ATOMIC_RELEASE);
  __atomic_store_n (&publisher->page->newest, number, __ATOMIC_RELEASE);
}

void
wpr_publisher_free (WprPublisher *publisher)
{
  if (publisher == NULL)
    return;
  if (publisher->page != MAP_FAILED)
    munmap (publisher->page, sizeof (WprPage));
  if (publisher->fd >= 0)
    close (publisher->fd);
  g_free (publisher);
}

WprPublished *
wpr_published_new (int fd, GError **error)
{
  struct stat info;
  gpointer page = MAP_FAILED;
  int seals = fcntl (fd, F_GET_SEALS);
  /* Without the seal the owner could cut the file, and reading it would be SIGBUS. */
  if (seals >= 0 && (seals & F_SEAL_SHRINK) != 0 && fstat (fd, &info) == 0
      && info.st_size == (off_t)sizeof (WprPage))
    page = mmap (NULL, sizeof (WprPage), PROT_READ, MAP_SHARED, fd, 0);
  close (fd);
  if (page != MAP_FAILED && load (&((const WprPage *)page)->magic) == WPR_PAGE_MAGIC)
    {
      WprPublished *self = g_new0 (WprPublished, 1);
      self->page = page;
      return self;
    }
  if (page != MAP_FAILED)
    munmap (page, sizeof (WprPage));
  wpr_set_error (error, WPR_ERROR_DAMAGED, 0,
                 _ ("The recorder's figures cannot be read: it is of another version."));
  return NULL;
}

/* Copies a slot if it holds write `number` whole from beginning to end of the copy. */
static GBytes *
copy_slot (const WprSlot *slot, guint64 number)
{
  if (__atomic_load_n (&slot->sequence, __ATOMIC_ACQUIRE) != number * 2)
    return NULL;
  guint64 size = load (&slot->size);
  if (size > WPR_SLOT_BYTES)
    return NULL;
  gsize n_words = (size + 7) / 8;
  g_autofree guint64 *words = g_new (guint64, n_words + 1);
  guint64 sum = 0;
  for (gsize i = 0; i < n_words; i++)
    {
      words[i] = load (&slot->words[i]);
      sum = mix (sum, words[i]);
    }
  guint64 checksum = load (&slot->checksum);
  __atomic_thread_fence (__ATOMIC_ACQUIRE);
  if (load (&slot->sequence) != number * 2 || checksum != sum)
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&words), size);
}

GBytes *
wpr_published_read (WprPublished *published, guint64 *number)
{
  /* A try fails only if the writer wrote twice during the copy; at ten writes a second a second try
   * is plenty, and whoever looks again gets the next. */
  for (int i = 0; i < 3; i++)
    {
      guint64 newest = __atomic_load_n (&published->page->newest, __ATOMIC_ACQUIRE);
      if (newest == 0 || newest == *number)
        return NULL;
      GBytes *bytes = copy_slot (&published->page->slots[newest % 2], newest);
      if (bytes != NULL)
        {
          *number = newest;
          return bytes;
        }
    }
  return NULL;
}

void
wpr_published_free (WprPublished *published)
{
  if (published == NULL)
    return;
  munmap ((gpointer)published->page, sizeof (WprPage));
  g_free (published);
}
