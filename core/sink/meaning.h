/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a tracepoint's field means beyond its C type, by its name and type. Private to this room. */
#pragma once

#include "perf/format.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_MEANS_NUMBER, /* or text, or an array: as its type says */
  WPR_MEANS_BOOL,
  WPR_MEANS_HEX,      /* bits, and addresses of data */
  WPR_MEANS_CODE,     /* an address of code in the kernel */
  WPR_MEANS_PID,      /* a process */
  WPR_MEANS_TID,      /* a thread, whatever the field is called */
  WPR_MEANS_PORT,     /* in the machine's order */
  WPR_MEANS_IPV4,     /* 4 bytes */
  WPR_MEANS_IPV6,     /* 16 bytes */
  WPR_MEANS_SOCKADDR, /* a struct sockaddr_in or _in6 */
} WprMeaning;

WprMeaning wpr_field_meaning (const char *system, const WprField *field);

G_END_DECLS
