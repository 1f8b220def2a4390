/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An event's payload being put together: little endian, packed, never past the end of its space.
 * Texts that do not fit are cut and end in an ellipsis. Private to this room. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

typedef struct
{
  guint8 *start, *at, *end;
  guint n_cut; /* texts that did not fit */
} WprPayload;

/* The longest texts of one event, in bytes or UTF-16 units: a path is at most 4096 bytes on Linux,
 * a command line may have megabytes, and an event stays below 60 KiB. */
#define WPR_MOST_PATH 4096
#define WPR_MOST_COMMAND_LINE 8192
#define WPR_MOST_TEXT 57344

static inline void
wpr_payload_init (WprPayload *self, guint8 *space, gsize size)
{
  self->start = self->at = space;
  self->end = space + size;
  self->n_cut = 0;
}

static inline gsize
wpr_payload_size (const WprPayload *self)
{
  return (gsize)(self->at - self->start);
}

static inline void
wpr_payload_bytes (WprPayload *self, gconstpointer bytes, gsize size)
{
  if (G_UNLIKELY (size > (gsize)(self->end - self->at)))
    size = (gsize)(self->end - self->at);
  if (size > 0)
    memcpy (self->at, bytes, size);
  self->at += size;
}

static inline void
wpr_payload_u8 (WprPayload *self, guint8 value)
{
  wpr_payload_bytes (self, &value, sizeof value);
}

static inline void
wpr_payload_u16 (WprPayload *self, guint16 value)
{
  value = GUINT16_TO_LE (value);
  wpr_payload_bytes (self, &value, sizeof value);
}

static inline void
wpr_payload_u32 (WprPayload *self, guint32 value)
{
  value = GUINT32_TO_LE (value);
  wpr_payload_bytes (self, &value, sizeof value);
}

static inline void
wpr_payload_u64 (WprPayload *self, guint64 value)
{
  value = GUINT64_TO_LE (value);
  wpr_payload_bytes (self, &value, sizeof value);
}

void wpr_payload_zeros (WprPayload *self, gsize size);
/* UTF-8 text of `size` bytes (-1: to its NUL) as UTF-8 with a NUL: up to the first NUL, what is
 * invalid replaced by U+FFFD, at most `most` bytes. */
void wpr_payload_text (WprPayload *self, const char *text, gssize size, gsize most);
/* UTF-8 text as UTF-16LE with a NUL, at most `most` units. NULL is "". */
void wpr_payload_wide (WprPayload *self, const char *text, gsize most);
/* The same in a field of exactly `units`, zeros behind it. */
void wpr_payload_wide_fixed (WprPayload *self, const char *text, gsize units);
/* A Linux path as a path of the file's one volume; what is no path ("[vdso]") as it is. */
void wpr_payload_nt_path (WprPayload *self, const char *path);

G_END_DECLS
