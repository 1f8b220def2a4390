/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a group: one system call, and at most one interrupt, for the counts of all its members. */
#include "config.h"
#include "perf/event.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <unistd.h>

/* The kernel refuses a member (E2BIG) with which the answer would exceed 16 KiB. */
#define ANSWER_MOST (16 * 1024 + 64)
/* value, id and, from kernel 6.0 on, lost. */
#define WORDS_WITHOUT_LOST 2
#define WORDS_WITH_LOST 3

gboolean
wpr_group_read (int leader_fd, GArray *counts, gboolean *has_lost, GError **error)
{
  guint64 answer[ANSWER_MOST / 8];
  gssize size;

  g_return_val_if_fail (counts != NULL && has_lost != NULL, FALSE);

  do
    size = read (leader_fd, answer, sizeof answer);
  while (size < 0 && errno == EINTR);

  gsize n_words = size > 0 ? (gsize)size / 8 : 0;
  guint64 n_events = n_words > 0 ? answer[0] : 0;
  gsize words = n_events > 0 ? (n_words - 1) / n_events : 0;
  if ((words != WORDS_WITHOUT_LOST && words != WORDS_WITH_LOST) || 1 + n_events * words != n_words)
    {
      wpr_set_error (error, WPR_ERROR_INTERNAL, 0,
                     _ ("The kernel did not say how many events it counted: %s."),
                     size < 0 ? g_strerror (errno) : _ ("its answer is not understood"));
      return FALSE;
    }

  *has_lost = words == WORDS_WITH_LOST;
  /* The first is the leader, which counts nothing. */
  for (gsize i = 1; i < n_events; i++)
    {
      const guint64 *entry = &answer[1 + i * words];
      WprGroupCount count = { .count = entry[0], .id = entry[1], .lost = *has_lost ? entry[2] : 0 };
      g_array_append_val (counts, count);
    }
  return TRUE;
}
