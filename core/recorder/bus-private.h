/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The server's insides, shared by bus.c (clients, signals, figures) and bus-calls.c (calls). */
#pragma once

#include <sys/types.h>

#include "recorder/bus-interface.h"
#include "recorder/publish.h"

G_BEGIN_DECLS

struct _WprBus
{
  WprRecorder *recorder;
  GDBusServer *server;
  GMainContext *context;
  GPtrArray *clients; /* WprBusClient * */
  guint n_attached;
  GPtrArray *calls; /* WprBusCall *: not answered yet */
  WprPublisher *publisher;
  WprStats *published; /* what the page shows */
  GSource *timer;      /* while somebody is attached */
  void (*changed) (gpointer data);
  gpointer changed_data;
  void (*user) (const char *user, gpointer data);
  gpointer user_data;
};

typedef struct
{
  WprBus *bus;
  GDBusConnection *connection;
  guint registration;
  gboolean attached;
} WprBusClient;

/* ---- bus.c ---- */
void wpr_bus_changed (WprBus *self);
/* Clients learn the description anew. */
void wpr_bus_described (WprBus *self);
/* The client gets signals and figures from now on. Returns the page's descriptor; the bus owns it.
 */
int wpr_bus_attach (WprBus *self, WprBusClient *client);
/* Same user, or root. */
gboolean wpr_bus_may_talk (uid_t peer, uid_t own);

/* ---- bus-calls.c ---- */
void wpr_bus_on_call (GDBusConnection *connection, const char *sender, const char *path,
                      const char *interface, const char *method, GVariant *parameters,
                      GDBusMethodInvocation *invocation, gpointer client);
/* Calls that are still out keep running; their answers go nowhere. */
void wpr_bus_forget_calls (WprBus *self);

G_END_DECLS
