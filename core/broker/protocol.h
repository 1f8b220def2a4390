/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes over a session's socket: packets of GVariant bytes. A request is (uuv): number, verb,
 * arguments; an answer (uusutv): number, WprErrorCode or 0, sentence, how many descriptors come
 * with it and in packets behind it, how many bytes of the result come behind those (0: it is here),
 * result. In the machine's byte order. No memfd: what a client kept of those would be the service's
 * memory, without a limit. */
#pragma once

#include "perf/event.h"

G_BEGIN_DECLS

#define WPR_BROKER_VERSION 1
#define WPR_BROKER_REQUEST "(uuv)"
#define WPR_BROKER_ANSWER "(uusutv)"

typedef enum
{
  WPR_BROKER_OPEN,
  WPR_BROKER_ADD,
  WPR_BROKER_DROP,
  WPR_BROKER_FILTER,
  WPR_BROKER_GROW,
  WPR_BROKER_GROW_AHEAD,
  WPR_BROKER_CPU_ONLINE,
  WPR_BROKER_CLOSE,
  WPR_BROKER_FORMATS,
  WPR_BROKER_KALLSYMS,
  WPR_BROKER_RUNDOWN,
  WPR_BROKER_DESCRIPTORS,
  WPR_BROKER_KEEP,
  WPR_BROKER_RECALL,
  WPR_BROKER_N_VERBS
} WprBrokerVerb;

/* row, ring, kind, name, period, frequency, callchain, addr, regs, filter (0: none, else number in
 * the table of filters + 1), threads left out */
#define WPR_BROKER_ROW "(uuusttubbuau)"
#define WPR_BROKER_ROWS "(asa" WPR_BROKER_ROW ")" /* filters, rows */
#define WPR_BROKER_RING "(tbu)"                   /* bytes, backward, watermark */
/* leaders (ring, cpu, bytes; their descriptors in this order), ids, refusals */
#define WPR_BROKER_OPENED "(a(uut)a(tuu)a(uui))"

typedef struct
{
  const char *name, *args, *result;
} WprBrokerVerbType;
extern const WprBrokerVerbType wpr_broker_verbs[WPR_BROKER_N_VERBS];

/* A packet must fit what a socket buffers by default (208 KiB). */
#define WPR_BROKER_PACKET_MOST (192 * 1024)
/* Results above this come in packets of it. */
#define WPR_BROKER_INLINE_MOST (64 * 1024)
/* SCM_MAX_FD of the kernel. */
#define WPR_BROKER_FDS_A_PACKET 253

GVariant *wpr_broker_pack_rows (const WprPerfEvent *events, gsize n);
/* What opened holds from these positions on. */
GVariant *wpr_broker_pack_opened (const WprOpened *opened, guint leader, guint id, guint refusal);
/* Appends to opened; descriptors of the leaders are taken from fds (int) in order. FALSE if they
 * do not match. */
gboolean wpr_broker_unpack_opened (GVariant *packed, const GArray *fds, WprOpened *opened);

/* One packet, with as many of the descriptors as it holds, and the rest behind it. FALSE with
 * errno; EAGAIN: the other side does not read. */
gboolean wpr_broker_send (int fd, GVariant *message, const int *fds, gsize n_fds);
/* One packet of that type in normal form. fds: appends descriptors (int) that came along; NULL:
 * none may, and none is taken. NULL with errno, 0 at the end of file. */
GVariant *wpr_broker_receive (int fd, const char *type, GArray *fds);
/* What is longer than a packet. */
gboolean wpr_broker_send_bytes (int fd, GVariant *value);
GVariant *wpr_broker_receive_bytes (int fd, const char *type, guint64 size);

G_END_DECLS
