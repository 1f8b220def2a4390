/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A client without the product's: packets as a test makes them, and the service they are for. Not
 * here: any test. */
#pragma once

#include "broker/check.h"
#include "service.h"

#define BYTES (1024 * 1024)
#define LIMIT_BYTES (64 * 1024 * 1024)

extern gboolean no_kernel; /* the kernel refuses the event of these tests */
extern guint n_cpus;
extern Service *service; /* at most LIMIT_BYTES of rings */

int set_up (void **state);
int tear_down (void **state);

/* A client's end of a new session. */
int serve (void);
/* The code of the next answer; -1: end of file. */
int answer_of (int fd, GVariant **result);
/* Asks, and that. Takes args, if floating. */
int ask (int fd, guint32 number, guint32 verb, GVariant *args, GVariant **result);
GVariant *plan (const WprPerfEvent *events, gsize n, const WprRingSpec *rings, gsize n_rings,
                const guint32 *cpus, gsize n_listed);
/* On CPU 0. */
GVariant *small_plan (const WprPerfEvent *events, gsize n, gsize bytes);
