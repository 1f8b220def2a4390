/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Foreign .etl files by hand, byte by byte, without anything of core/etl: of either width, with any
 * buffers and records. */
#pragma once

#include "etl-test.h"
#include "etl/cursor.h"
#include "etl/decode.h"

/* A header buffer of `buffer_bytes`; pointer_size 4 or 8; mode and state (what packs the buffers)
 * as in the file. */
GByteArray *build_file (guint pointer_size, guint32 buffer_bytes, guint n_cpus, guint32 mode,
                        guint16 state);
/* Changes a u32, or an i64, of the file's first event's payload. */
void build_set32 (GByteArray *file, guint offset, guint32 value);
void build_set64 (GByteArray *file, guint offset, guint64 value);

/* Records into `records`, 8-aligned. Payload in hex. */
void build_hook (GByteArray *records, guint8 type, guint16 hook, guint16 version, guint64 ticks,
                 guint32 pid, guint32 tid, const char *payload);
void build_classic (GByteArray *records, guint8 type, const char *guid, guint8 opcode,
                    guint16 version, guint64 ticks, const char *payload);
/* items: in hex, without the pad; NULL: none. */
void build_event (GByteArray *records, guint8 type, const char *guid, guint16 id, guint8 version,
                  guint64 ticks, const char *items, const char *payload);
/* A record of which all is in hex. */
void build_raw (GByteArray *records, const char *hex);

/* A buffer of the records; takes them. flags: PROC_INDEX is what they usually are (0x20). */
void build_buffer (GByteArray *file, guint16 cpu, guint64 sequence, guint16 flags,
                   GByteArray *records);
/* How many buffers there are goes into the header; the file as it is read. */
WprEtlFile *build_open (GByteArray *file);

/* "provider/name: field=text field=text ..", a line an event, those of the header buffer left
 * out. */
char *build_texts (GByteArray *file);
