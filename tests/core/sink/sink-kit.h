/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sink fed by hand: a made-up recording, events one by one, and the file's bytes found again by a
 * walk that shares nothing with core/etl. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include "sink/sink.h"

#define KIT_BUFFER 65536u

typedef struct
{
  WprSink *sink;
  int fd;
  WprManifest *manifest;
  WprWorld *world;
  WprImageTable *images;
  WprClockTable *clocks;
  GArray *offsets;
  WprTraceContext context;
  GByteArray *file; /* after kit_finish() */
} Kit;

/* Two CPUs, from 1 ms to 9 s, one collector, two rows; the world is empty. Begun by kit_begin(), so
 * that a test can fill in more before. */
Kit *kit_new (void);
void kit_begin (Kit *kit);
void kit_event (Kit *kit, const WprEvent *event);
void kit_finish (Kit *kit);
void kit_free (Kit *kit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Kit, kit_free)

/* Event number `index` (from 0) of a hook, or of a self-describing event's name, in file order;
 * size: of all of it. Fails the test if there is none. */
const guint8 *kit_hook (Kit *kit, guint16 hook, guint index, guint *size);
const guint8 *kit_named (Kit *kit, const char *name, guint index, guint *size);
guint kit_count_hook (Kit *kit, guint16 hook);
/* Compares a whole event with bytes in hex; "??" stands for any byte. */
void kit_assert (const guint8 *at, guint size, const char *hex);
/* A self-describing event's fields: "name=value .." by the reader. */
char *kit_fields (Kit *kit, const char *name, guint index);
