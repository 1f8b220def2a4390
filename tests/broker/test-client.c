/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The product's own client against the real service as its unit runs it (with-system-bus): an
 * ordinary user asks, records in both modes, loses the recorder and claims its rings. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/wpr-error.h"
#include "world/world.h"
#include "../core/broker/service.h"

#define RING_BYTES (64 * 1024 * 1024)
#define CALLS 2000

static const char *how; /* "allow", "refuse" */

static WprBrokerSession *
begin (const char *mode, GError **error)
{
  return wpr_broker_begin (mode, FALSE, FALSE, "test", NULL, error);
}

static void
test_ask_and_begin_say_the_same (void **state)
{
  g_autoptr (GError) error = NULL;
  gboolean allowed = g_str_equal (how, "allow");
  assert_int_equal (wpr_broker_ask (), allowed ? WPR_BROKER_YES : WPR_BROKER_NO);
  g_autoptr (WprBrokerSession) session = begin ("file", &error);
  assert_int_equal (session != NULL, allowed);
  if (!allowed)
    {
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_PERMITTED));
      assert_string_equal (error->message,
                           "The administrator's rules do not let you record this machine.");
    }
  g_autofree char *name = wpr_broker_bus_name (NULL);
  assert_true (name != NULL && name[0] == ':');
}

static void
test_records_with_large_rings (void **state)
{
  g_autoptr (GError) error = NULL;
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  guint64 lost;
  Client client;
  WprBrokerSession *session = begin ("file", &error);
  assert_non_null (session);
  client_open_session (&client, session, &event, 1, RING_BYTES, FALSE);
  if (client.opened.ids->len == 0)
    skip ();
  assert_true (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  make_calls (CALLS);
  assert_true (client_switch (&client, PERF_EVENT_IOC_DISABLE, 0));
  guint64 count = client_count (&client, 0, &lost);
  assert_true (count >= CALLS && lost == 0);
  assert_int_equal (client_records (&client, 0, wpr_perf_event_sample_type (&event)), count);
  client_close (&client);
}

static void
test_reads_what_is_closed_to_it (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  g_autoptr (WprBrokerSession) session = begin ("file", NULL);
  g_autoptr (GBytes) bytes = wpr_broker_facts_rundown (session, FALSE, NULL);
  assert_non_null (bytes);
  assert_true (wpr_world_load (world, bytes, NULL));
  g_autoptr (GPtrArray) list = wpr_world_list_processes (world);
  guint n_mapped = 0;
  for (guint i = 0; i < list->len; i++)
    {
      const WprProcess *process = g_ptr_array_index (list, i);
      n_mapped += process->uid == 0 && process->mappings->len > 0;
    }
  assert_true (n_mapped > 0); /* programs of root */
  g_autoptr (GPtrArray) files = wpr_broker_facts_descriptors (session, TRUE, NULL);
  assert_true (files != NULL && files->len > 1);
  g_autoptr (GBytes) symbols = wpr_broker_facts_kallsyms (session, NULL);
  assert_true (symbols != NULL && g_bytes_get_size (symbols) > 1000);
}

/* In a process of its own, which is killed while it records. */
static void
record_until_killed (int told)
{
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  g_autoptr (GBytes) manifest = g_bytes_new_static ("manifest", 8);
  Client client;
  WprBrokerSession *session = begin ("memory", NULL);
  CHECK (session != NULL);
  client_open_session (&client, session, &event, 1, RING_BYTES, TRUE);
  CHECK (wpr_broker_facts_keep (session, manifest, NULL));
  CHECK (client_switch (&client, PERF_EVENT_IOC_ENABLE, 0));
  make_calls (CALLS);
  CHECK (write (told, "", 1) == 1);
  pause ();
}

static char *
wait_for_orphan (void)
{
  for (guint i = 0; i < 6000; i++)
    {
      char *id = NULL;
      g_autoptr (GVariant) list = wpr_broker_list_orphans (NULL);
      assert_non_null (list);
      if (g_variant_n_children (list) > 0)
        {
          g_autoptr (GVariant) one = g_variant_get_child_value (list, 0);
          assert_true (g_variant_lookup (one, "id", "s", &id));
          return id;
        }
      g_usleep (10000);
    }
  return NULL;
}

static void
test_rings_of_a_killed_recorder_are_claimed (void **state)
{
  int told[2];
  char c;
  g_autoptr (GBytes) kept = NULL;
  Client client = { .bytes = RING_BYTES, .backward = TRUE };
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  assert_int_equal (pipe (told), 0);
  /* A child has no thread of the bus' connection: it is this program anew. */
  g_autofree char *number = g_strdup_printf ("%d", told[1]);
  char *arguments[] = { (char *)"/proc/self/exe", (char *)"record", number, NULL };
  pid_t pid = fork ();
  if (pid == 0)
    {
      execv (arguments[0], arguments);
      _exit (1);
    }
  assert_int_equal (read (told[0], &c, 1), 1);
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  g_autofree char *id = wait_for_orphan ();
  assert_non_null (id);
  assert_null (wpr_broker_claim_orphan ("another", NULL));
  client.session = wpr_broker_claim_orphan (id, NULL);
  assert_non_null (client.session);
  client.opener = wpr_opener_broker_new (client.session);
  client.rings = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_ring_free);
  assert_true (wpr_opener_broker_recall (client.opener, &client.opened, &kept, NULL));
  assert_int_equal (g_bytes_get_size (kept), 8);
  client_map (&client);
  assert_true (client_records (&client, 0, wpr_perf_event_sample_type (&event)) >= CALLS);
  client_close (&client);
  close (told[0]);
  close (told[1]);
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_ask_and_begin_say_the_same),
    cmocka_unit_test (test_records_with_large_rings),
    cmocka_unit_test (test_reads_what_is_closed_to_it),
    cmocka_unit_test (test_rings_of_a_killed_recorder_are_claimed),
  };
  how = argc > 1 ? argv[1] : "allow";
  if (argc > 2)
    {
      record_until_killed ((int)g_ascii_strtoll (argv[2], NULL, 10));
      return 0;
    }
  const struct CMUnitTest refused[] = { tests[0] };
  return g_str_equal (how, "allow") ? cmocka_run_group_tests (tests, NULL, NULL)
                                    : cmocka_run_group_tests (refused, NULL, NULL);
}
