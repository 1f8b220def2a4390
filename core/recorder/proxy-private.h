/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connected back end's insides, shared by proxy.c (hooks) and proxy-connect.c. */
#pragma once

#include "recorder/bus-interface.h"
#include "recorder/proxy.h"
#include "recorder/publish.h"

G_BEGIN_DECLS

typedef struct
{
  WprRecorderBackend parent;
  WprWorker *worker;
  GDBusConnection *connection; /* used on the worker only */
  GDBusConnection *system;     /* a guest's: while its name there stands for us */
  guint subscription;
  gint next_job; /* atomic */
  GMutex lock;   /* what is below */
  GVariant *description;
  WprPublished *published;
  guint64 number; /* which figures `stats` are */
  WprStats *stats;
} WprProxy;

/* Not connected yet; its worker runs. */
WprProxy *wpr_proxy_new (void);
/* Frees what belongs to no thread; the worker is the caller's. */
void wpr_proxy_destroy (gpointer proxy);
/* What to say when the recorder's process went away. Translated, static. */
const char *wpr_proxy_lost_text (void);

G_END_DECLS
