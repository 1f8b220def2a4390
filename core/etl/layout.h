/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of the .etl container that writer and reader share; private to this room. The facts and
 * where each comes from: docs/etl.md. All integers in a file are little endian. */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

#define WPR_ETL_BUFFER_BYTES 65536 /* one open a CPU: 256 CPUs hold 16 MiB */
#define WPR_ETL_BUFFER_HEADER 0x48
#define WPR_ETL_LOGFILE_HEADER 0x118 /* TRACE_LOGFILE_HEADER without the names */
#define WPR_ETL_MOST_PAYLOAD (60 * 1024)
/* Size is a u16 and an event never crosses a buffer's border. */
#define WPR_ETL_MOST_EVENT (WPR_ETL_BUFFER_BYTES - WPR_ETL_BUFFER_HEADER)

/* WMI_BUFFER_HEADER, by offset. */
#define WPR_ETL_BUFFER_SIZE 0x00
#define WPR_ETL_BUFFER_SAVED 0x04
#define WPR_ETL_BUFFER_CURRENT 0x08
#define WPR_ETL_BUFFER_TIME 0x10
#define WPR_ETL_BUFFER_SEQUENCE 0x18
#define WPR_ETL_BUFFER_CPU 0x28
#define WPR_ETL_BUFFER_LOGGER 0x2a
#define WPR_ETL_BUFFER_STATE 0x2c
#define WPR_ETL_BUFFER_FILLED 0x30
#define WPR_ETL_BUFFER_FLAGS 0x34
#define WPR_ETL_BUFFER_TYPE 0x36

#define WPR_ETL_STATE_FLUSH 3
#define WPR_ETL_FLAG_FLUSH 0x01
#define WPR_ETL_FLAG_PROC_INDEX 0x20
#define WPR_ETL_FLAG_COMPRESSED 0x40
#define WPR_ETL_TYPE_HEADER 4

/* Third byte of a marker: the kind of header. */
#define WPR_ETL_HEAD_SYSTEM32 0x01
#define WPR_ETL_HEAD_SYSTEM 0x02
#define WPR_ETL_HEAD_COMPACT32 0x03
#define WPR_ETL_HEAD_COMPACT 0x04
#define WPR_ETL_HEAD_CLASSIC32 0x0a
#define WPR_ETL_HEAD_INSTANCE32 0x0b
#define WPR_ETL_HEAD_ERROR 0x0d
#define WPR_ETL_HEAD_MESSAGE 0x0f
#define WPR_ETL_HEAD_PERFINFO32 0x10
#define WPR_ETL_HEAD_PERFINFO 0x11
#define WPR_ETL_HEAD_EVENT32 0x12
#define WPR_ETL_HEAD_EVENT 0x13
#define WPR_ETL_HEAD_CLASSIC 0x14
#define WPR_ETL_HEAD_INSTANCE 0x15

#define WPR_ETL_EXT_STACK32 5
#define WPR_ETL_EXT_STACK64 6
#define WPR_ETL_EXT_SCHEMA 11
#define WPR_ETL_EXT_TRAITS 12
#define WPR_ETL_CHANNEL_TL 11

#define WPR_ETL_MODE_COMPRESSED 0x04000000u

#define WPR_ETL_ALIGN(n) (((n) + 7u) & ~7u)

static inline void
wpr_etl_put16 (guint8 *at, guint16 value)
{
  value = GUINT16_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

static inline void
wpr_etl_put32 (guint8 *at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

static inline void
wpr_etl_put64 (guint8 *at, guint64 value)
{
  value = GUINT64_TO_LE (value);
  memcpy (at, &value, sizeof value);
}

static inline guint16
wpr_etl_get16 (const guint8 *at)
{
  guint16 value;
  memcpy (&value, at, sizeof value);
  return GUINT16_FROM_LE (value);
}

static inline guint32
wpr_etl_get32 (const guint8 *at)
{
  guint32 value;
  memcpy (&value, at, sizeof value);
  return GUINT32_FROM_LE (value);
}

static inline guint64
wpr_etl_get64 (const guint8 *at)
{
  guint64 value;
  memcpy (&value, at, sizeof value);
  return GUINT64_FROM_LE (value);
}

G_END_DECLS
