/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every start, stop, loss and refusal is logged with a message id: to the journal where there is
 * one, else to <state>/log (rotated at 1 MiB). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One id a kind of event, stable for ever: helpdesks search journals by MESSAGE_ID. */
typedef enum
{
  WPR_LOG_START,   /* a recording began */
  WPR_LOG_STOP,    /* it ended: saved, cancelled, failed */
  WPR_LOG_SAVE,    /* a file was written */
  WPR_LOG_LOSS,    /* events were lost */
  WPR_LOG_REFUSED, /* the kernel refused an event, or a right is missing */
  WPR_LOG_NOTICE,  /* anything else a person should know: shrunk ring, low disk, CPU gap */
  WPR_LOG_RECOVER, /* a raw recording was finished */
  WPR_LOG_ALLOWED, /* the broker: a user may record this computer */
  WPR_LOG_ENDED,   /* .. and does so no more */
  WPR_LOG_DENIED,  /* .. may not */
} WprLogKind;

void wpr_log (WprLogKind kind, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* A service's name in the journal. Without a journal it writes to stderr, never to a file. Before
 * the first message. */
void wpr_log_as_service (const char *name);
/* Debug output of one topic: shown with WPR_DEBUG=topic[,topic]|all on stderr. Cheap when off. */
void wpr_debug (const char *topic, const char *format, ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
