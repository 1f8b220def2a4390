/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Figures for other processes: a page of memory that its owner writes and others read. A reader
 * never waits for the writer and never keeps it waiting; what it sees is whole or not taken. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _WprPublisher WprPublisher;
/* NULL with an error if the kernel gives no memory. */
WprPublisher *wpr_publisher_new (GError **error);
/* Descriptor to hand out: read-only, of a fixed size. It stays the publisher's. */
int wpr_publisher_get_fd (WprPublisher *publisher);
/* One thread at a time. What does not fit (1 MiB, figures of 4 000 rings) is not published. */
void wpr_publisher_write (WprPublisher *publisher, gconstpointer bytes, gsize size);
void wpr_publisher_free (WprPublisher *publisher);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprPublisher, wpr_publisher_free)

typedef struct _WprPublished WprPublished;
/* Takes over the descriptor. NULL with WPR_ERROR_DAMAGED if it is not such a page, or could shrink
 * under the reader. */
WprPublished *wpr_published_new (int fd, GError **error);
/* The newest bytes, and in *number which they are (it grows with each write). NULL if there is
 * nothing newer than *number, or nothing whole just now. One thread at a time; does not block. */
GBytes *wpr_published_read (WprPublished *published, guint64 *number);
void wpr_published_free (WprPublished *published);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprPublished, wpr_published_free)

G_END_DECLS
