/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The server's insides, shared by bus.c (clients, signals, figures), bus-calls.c (calls) and
 * bus-rights.c (what other users may). */
#pragma once

#include <sys/types.h>

#include "base/behalf.h"
#include "recorder/bus-interface.h"
#include "recorder/gate.h"
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
  /* ---- root's, for other users ---- */
  WprGate *gate;            /* NULL: closed */
  GDBusConnection *system;  /* the system bus; NULL: none */
  GCancellable *connecting; /* to it; NULL: it is known whether there is one */
  uid_t began_by;           /* who called sudo; -1: nobody */
};

typedef struct
{
  WprBus *bus;
  GDBusConnection *connection;
  guint registration;
  gboolean attached;
  WprBehalf *behalf;     /* of another user; NULL: same user, or root */
  char *name;            /* theirs on the system bus; NULL: not known */
  gboolean may_view;     /* found once */
  gpointer question;     /* that polkit has not answered yet */
  gpointer introduction; /* likewise, the system bus */
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

/* ---- bus-rights.c ---- */
/* What a call takes of another user, in ascending order. */
typedef enum
{
  WPR_NEED_NOTHING,
  WPR_NEED_VIEW,
  WPR_NEED_CONTROL,
  WPR_NEED_OWN, /* root alone */
} WprBusNeed;
typedef void (*WprBusRun) (WprBusClient *client, GDBusMethodInvocation *invocation,
                           GVariant *parameters);
/* Runs the call once it is found to be allowed, else refuses it. */
void wpr_bus_authorize (WprBusClient *client, WprBusNeed need, GDBusMethodInvocation *invocation,
                        GVariant *parameters, WprBusRun run);
void wpr_bus_introduce (WprBusClient *client, GDBusMethodInvocation *invocation,
                        GVariant *parameters);
/* Now it is known whether there is a system bus. */
void wpr_bus_go_on_introducing (WprBusClient *client);
/* The client goes. */
void wpr_bus_forget_question (WprBusClient *client);
void wpr_bus_forget_introduction (WprBusClient *client);

/* ---- bus-calls.c ---- */
void wpr_bus_return_error (GDBusMethodInvocation *invocation, const GError *error);
void wpr_bus_on_call (GDBusConnection *connection, const char *sender, const char *path,
                      const char *interface, const char *method, GVariant *parameters,
                      GDBusMethodInvocation *invocation, gpointer client);
/* Calls that are still out keep running; their answers go nowhere. */
void wpr_bus_forget_calls (WprBus *self);

G_END_DECLS
