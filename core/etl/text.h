/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of an .etl as text. Private to this room. `at` are bytes of the file, little endian. */
#pragma once

#include "etl/decode.h"

G_BEGIN_DECLS

void wpr_etl_append_unsigned (GString *text, guint64 value);
void wpr_etl_append_signed (GString *text, gint64 value);
void wpr_etl_append_hex (GString *text, guint64 value);
void wpr_etl_append_padded (GString *text, guint value, guint width);
void wpr_etl_append_bytes (GString *text, const guint8 *at, guint32 size);
void wpr_etl_append_double (GString *text, double value);
void wpr_etl_append_text8 (GString *text, const guint8 *at, gsize size);
void wpr_etl_append_text16 (GString *text, const guint8 *at, gsize size);
void wpr_etl_append_guid (GString *text, const guint8 *at);
void wpr_etl_append_filetime (GString *text, gint64 filetime);
void wpr_etl_append_systemtime (GString *text, const guint8 *at);
void wpr_etl_append_sid (GString *text, const guint8 *at, guint32 size);
void wpr_etl_append_ipv4 (GString *text, const guint8 *at);
void wpr_etl_append_ipv6 (GString *text, const guint8 *at);
void wpr_etl_append_sockaddr (GString *text, const guint8 *at, guint32 size);

G_END_DECLS
