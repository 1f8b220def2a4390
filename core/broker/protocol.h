/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What goes over a session's socket: packets of GVariant bytes. A request is (uuv): number, verb,
 * arguments; an answer (uusutv): number, WprErrorCode or 0, sentence, how many descriptors come
 * with it and in packets behind it, how many bytes of the result are in a sealed memfd (0: it is
 * here), which is the last of them, result. In the machine's byte order. */
#pragma once

#include "base/packet.h"
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

/* Results above this come in a sealed memfd. */
#define WPR_BROKER_INLINE_MOST (64 * 1024)
/* What a client has the service keep for whoever claims its rings. */
#define WPR_BROKER_KEPT_MOST (4 * 1024 * 1024)
