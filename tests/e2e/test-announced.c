/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a screen reader hears of a recording that runs: figures change twice a second at most, the
 * graph's words once, and the page is told in the order in which it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "kit.h"

#define LISTEN_MS 10000
/* Of one widget, in that time: the recorder counts twice a second, and one or two are on their way
 * already when it begins. */
#define MOST_OF_ONE 24

/* ---- hearing ---- */

typedef struct
{
  GDBusConnection *bus;
  GHashTable *counts; /* of guint by "path property": what was told anew */
  guint n_all;
} Ear;

static void
on_event (GDBusConnection *bus, const char *sender, const char *path, const char *interface,
          const char *signal, GVariant *parameters, gpointer data)
{
  Ear *ear = data;
  const char *detail = "";
  if (g_variant_n_children (parameters) > 0)
    {
      g_autoptr (GVariant) first = g_variant_get_child_value (parameters, 0);
      if (g_variant_is_of_type (first, G_VARIANT_TYPE_STRING))
        detail = g_intern_string (g_variant_get_string (first, NULL));
    }
  /* a change of text is two events: what goes, what comes */
  char *key = g_strdup_printf ("%s %s %s", path, signal, detail);
  guint count = GPOINTER_TO_UINT (g_hash_table_lookup (ear->counts, key));
  g_hash_table_insert (ear->counts, key, GUINT_TO_POINTER (count + 1));
  ear->n_all++;
}

static void
listen (Ear *ear)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDBusConnection) session = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, &error);
  assert_non_null (session);
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", NULL,
      G_VARIANT_TYPE ("(s)"), 0, -1, NULL, &error);
  assert_non_null (answer);
  const char *address = NULL;
  g_variant_get (answer, "(&s)", &address);
  ear->bus = g_dbus_connection_new_for_address_sync (
      address,
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, &error);
  assert_non_null (ear->bus);
  ear->counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint subscription = g_dbus_connection_signal_subscribe (
      ear->bus, NULL, "org.a11y.atspi.Event.Object", NULL, NULL, NULL, 0, on_event, ear, NULL);
  /* programs may tell nobody who has not asked */
  g_autoptr (GVariant) asked = g_dbus_connection_call_sync (
      ear->bus, "org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry",
      "RegisterEvent", g_variant_new ("(sass)", "object:", NULL, ""), NULL, 0, -1, NULL, &error);
  if (asked == NULL)
    print_message ("%s\n", error->message);
  screen_sleep (LISTEN_MS);
  g_dbus_connection_signal_unsubscribe (ear->bus, subscription);
}

/* ---- the order ---- */

static void
add_words (AtspiAccessible *accessible, GString *words)
{
  g_autofree char *name = atspi_accessible_get_name (accessible);
  g_autofree char *description = atspi_accessible_get_description (accessible);
  g_string_append_printf (words, "%s|%s\n", name ? name : "", description ? description : "");
  g_autoptr (GPtrArray) children = atspi_accessible_get_children (accessible);
  for (guint i = 0; i < children->len; i++)
    add_words (children->pdata[i], words);
}

/* What one does, what happens, whether it is well, what one can do. */
static const char *const order[] = {
  "Do the slow thing now",
  "Events a second",
  "Events so far",
  "Events a second, last 60 seconds",
  "Memory holds the last",
  "Lost events",
  "If saved now",
  "This recorder",
  "Collectors",
  "Profiles",
  "What is wrong?",
  "It Happened Now",
  "Save Now, Keep Recording",
  "Discard…",
  "Stop and Save",
};

static void
figures_are_told_sparingly_and_in_order (void **state)
{
  Screen *screen = *state;
  Ear ear = { 0 };
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  kit_start_recording (screen);
  listen (&ear);
  GHashTableIter iter;
  gpointer key, value;
  guint most = 0;
  const char *who = "";
  g_hash_table_iter_init (&iter, ear.counts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      if (g_getenv ("E2E_TRACE") != NULL)
        g_printerr ("%u %s\n", GPOINTER_TO_UINT (value), (char *)key);
      if (GPOINTER_TO_UINT (value) > most)
        {
          most = GPOINTER_TO_UINT (value);
          who = key;
        }
    }
  print_message ("%u changes in ten seconds, %u at most of one: %s\n", ear.n_all, most, who);
  assert_true (ear.n_all > 0);
  assert_in_range (most, 1, MOST_OF_ONE);
  g_hash_table_unref (ear.counts);
  g_object_unref (ear.bus);

  g_autoptr (GString) words = g_string_new (NULL);
  add_words (screen->root, words);
  const char *at = words->str;
  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    {
      const char *next = strstr (at, order[i]);
      if (next == NULL)
        fail_msg ("“%s” is not told, or before “%s”:\n%s", order[i], i > 0 ? order[i - 1] : "",
                  words->str);
      at = next + strlen (order[i]);
    }
  kit_stop_and_save (screen);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (figures_are_told_sparingly_and_in_order),
  };
  return kit_run (tests);
}
