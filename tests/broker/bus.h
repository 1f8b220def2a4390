/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests below with-system-bus: calls of the service by name, without the product's client. */
#pragma once

#include <gio/gio.h>

#define BROKER_NAME "io.github.performance_recorder.Broker"

/* A connection of its own: another caller, to the bus. */
GDBusConnection *bus_connect (void);
GVariant *bus_call (GDBusConnection *bus, const char *method, GVariant *parameters, GError **error);
/* Begin; -1 with *name the last part of the error's name (g_free). options: NULL or a text such as
 * "{'mode': <'memory'>}". */
int bus_begin (GDBusConnection *bus, const char *options, char **name);
/* "yes", "challenge", "no", or the error's name. Free with g_free. */
char *bus_ask (GDBusConnection *bus);
/* The last part of a remote error's name; takes the error over. Free with g_free. */
char *bus_error_name (GError *error);
/* The process that owns the service's name; 0: none. */
guint bus_broker_pid (GDBusConnection *bus);
/* Waits, a minute at most, until that name is owned or not. */
gboolean bus_wait_owned (GDBusConnection *bus, gboolean owned);
/* Waits, a minute at most, until a line of the file holds all these words (NULL at the end). The
 * number of such lines, 0 if there was none. */
guint file_wait_line (const char *path, const char *const *words);
guint journal_wait (const char *const *words);
/* $WPR_TEST_PLACE/agent: what the agent was asked. */
guint agent_wait (const char *const *words);
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
