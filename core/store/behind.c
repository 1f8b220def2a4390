/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Write-back behind the writer: one thread, one piece after the other. Without it the kernel lets
 * dirty pages gather until it makes the writer itself wait. */
#include "config.h"
#include "store/behind.h"

#include <fcntl.h>
#include <unistd.h>

struct _WprBehind
{
  GThread *thread;
  GAsyncQueue *pieces;
};

typedef struct
{
  int fd; /* ours; -1: the end */
  gboolean sync;
  gint64 offset, size, drop_offset, dropped;
} Piece;

static gpointer
write_behind (gpointer data)
{
  WprBehind *behind = data;

  for (;;)
    {
      g_autofree Piece *piece = g_async_queue_pop (behind->pieces);
      if (piece->fd < 0)
        return NULL;
      if (piece->sync)
        fdatasync (piece->fd);
      else
        sync_file_range (piece->fd, piece->offset, piece->size, SYNC_FILE_RANGE_WRITE);
      if (piece->dropped > 0)
        posix_fadvise (piece->fd, piece->drop_offset, piece->dropped, POSIX_FADV_DONTNEED);
      close (piece->fd);
    }
}

WprBehind *
wpr_behind_new (void)
{
  WprBehind *behind = g_new0 (WprBehind, 1);
  behind->pieces = g_async_queue_new ();
  behind->thread = g_thread_new ("wpr-behind", write_behind, behind);
  return behind;
}

static void
push (WprBehind *behind, Piece piece)
{
  g_async_queue_push (behind->pieces, g_memdup2 (&piece, sizeof piece));
}

void
wpr_behind_add (WprBehind *behind, int fd, gint64 offset, gint64 size, gint64 drop_offset,
                gint64 dropped)
{
  int own = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  if (own >= 0)
    push (behind, (Piece){ own, FALSE, offset, size, drop_offset, dropped });
}

void
wpr_behind_sync (WprBehind *behind, int fd)
{
  int own = fcntl (fd, F_DUPFD_CLOEXEC, 0);
  if (own >= 0)
    push (behind, (Piece){ .fd = own, .sync = TRUE });
}

void
wpr_behind_free (WprBehind *behind)
{
  if (behind == NULL)
    return;
  push (behind, (Piece){ .fd = -1 });
  g_thread_join (behind->thread);
  g_async_queue_unref (behind->pieces);
  g_free (behind);
}
