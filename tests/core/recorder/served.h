/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder with a made-up back end, served on a private socket by a thread of its own. The back
 * end records nothing; it remembers what it was told, and answers as the test's words ask. */
#pragma once

#include "recorder/bus.h"
#include "recorder/place.h"
#include "recorder/recorder-private.h"

typedef struct _Served Served;

/* A fresh folder that is WPR_RUNTIME_DIR and WPR_STATE_DIR. */
extern char *served_place;
void served_make_places (void);
void served_remove_places (void);

/* WPR_RUNTIME_DIR must be set. */
Served *served_new (const char *instance);
/* Ends it: politely (the bus is freed). */
void served_free (Served *served);
/* Publishes figures and notices as a recording would. */
void served_set_stats (Served *served, const WprStats *values);
void served_add_notice (Served *served, const char *id, const char *text);
/* What it was told last; free with g_free. */
char *served_get_told (Served *served);

/* Runs the default context until the condition holds; fails the test after a minute. */
#define wait_until(condition)                                      \
  do                                                               \
    {                                                              \
      gint64 end_ = g_get_monotonic_time () + 60 * G_USEC_PER_SEC; \
      while (!(condition))                                         \
        {                                                          \
          if (g_get_monotonic_time () > end_)                      \
            fail_msg ("waited a minute for: %s", #condition);      \
          if (!g_main_context_iteration (NULL, FALSE))             \
            g_usleep (1000);                                       \
        }                                                          \
    }                                                              \
  while (0)
