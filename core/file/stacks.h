/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks to their events. A stack is a record of its own that comes after its event, so events wait
 * in a queue of bounded size; a stack by key is told by another record, often at the end of the
 * file, so keys are a table. Private to this room. */
#pragma once

#include "etl/decode.h"
#include "file/owner.h"

G_BEGIN_DECLS

/* ---- keys ---- */
typedef struct _WprStackKeys WprStackKeys;
WprStackKeys *wpr_stack_keys_new (void);
void wpr_stack_keys_free (WprStackKeys *self);
/* A record that tells a key's frames, at `ticks`: holds for what was recorded before. */
void wpr_stack_keys_note (WprStackKeys *self, gint64 ticks, const WprEtlStack *stack);
void wpr_stack_keys_finish (WprStackKeys *self);
/* Frames of a key used at `ticks`; NULL where none is told. */
const guint64 *wpr_stack_keys_find (const WprStackKeys *self, guint64 key, gint64 ticks, guint *n);

/* ---- the queue ---- */
typedef struct
{
  WprEtlEvent event; /* a copy; its pointers lead into `bytes` */
  WprOwner owner;
  GArray *frames; /* of guint64; NULL */
  guint8 *bytes;
} WprWaiting;

typedef struct _WprStackQueue WprStackQueue;
WprStackQueue *wpr_stack_queue_new (void);
void wpr_stack_queue_free (WprStackQueue *self);
/* Room for one more? */
gboolean wpr_stack_queue_is_full (const WprStackQueue *self);
void wpr_stack_queue_push (WprStackQueue *self, const WprEtlEvent *event, const WprOwner *owner);
/* To the event of that time and thread; FALSE if it does not wait here. */
gboolean wpr_stack_queue_attach (WprStackQueue *self, const WprEtlStack *stack,
                                 const guint64 *frames, guint n);
/* The oldest, valid until the next call; NULL if empty. */
const WprWaiting *wpr_stack_queue_pop (WprStackQueue *self);
void wpr_stack_queue_clear (WprStackQueue *self);

G_END_DECLS
