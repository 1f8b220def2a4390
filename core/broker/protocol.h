/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes over a session's socket: packets of GVariant bytes. A request is (uuv): number, verb,
 * arguments; an answer (uusutv): number, WprErrorCode or 0, sentence, how many descriptors come
 * with it and in packets behind it, how many bytes of the result come behind those (0: it is here),
 * result. In the machine's byte order. No memfd: what a client kept of those would be the service's
 * memory, without a limit. */
#pragma once

#include <sys/socket.h>
#include "perf/event.h"

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
#define WPR_BROKER_PLAN "(" WPR_BROKER_ROWS "a" WPR_BROKER_RING "au)" /* .., CPUs */
/* leaders (ring, cpu, bytes; their descriptors in this order), ids, refusals */
#define WPR_BROKER_OPENED "(a(uut)a(tuu)a(uui))"

typedef struct
{
  guint32 ring, cpu;
  guint64 bytes;
} WprBrokerLeader; /* as (uut) lies in memory */

/* A packet must fit what a socket buffers by default (208 KiB). */
#define WPR_BROKER_PACKET_MOST (192 * 1024)
/* Results above this come in packets of it. */
#define WPR_BROKER_INLINE_MOST (64 * 1024)
/* SCM_MAX_FD of the kernel. */
#define WPR_BROKER_FDS_A_PACKET 253
typedef union
{
  struct cmsghdr head;
  char space[CMSG_SPACE (sizeof (int) * WPR_BROKER_FDS_A_PACKET)];
} WprBrokerControl;
/* What a client has the service keep for whoever claims its rings. */
#define WPR_BROKER_KEPT_MOST (4 * 1024 * 1024)

/* What opened holds from these positions on. */
GVariant *wpr_broker_pack_opened (const WprOpened *opened, guint leader, guint id, guint refusal);
/* One packet, with as many of the descriptors as it holds, and the rest behind it. FALSE with
 * errno; EAGAIN: the other side does not read. */
gboolean wpr_broker_send (int fd, GVariant *message, const int *fds, gsize n_fds);
/* One packet of that type in normal form. message: NULL, or all zero but for the room it has for
 * descriptors (msg_control); where it has none the kernel drops them before they are ours, and a
 * packet that had any is none of that type. NULL with errno, 0 at the end of file; descriptors that
 * came are the caller's even then. */
GVariant *wpr_broker_receive (int fd, const char *type, struct msghdr *message);
/* What is longer than a packet. */
gboolean wpr_broker_send_bytes (int fd, GVariant *value);
