/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where polkit has to ask a person (with-system-bus ask --agent=HOW). usage: test-asked HOW */
#include <glib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bus.h"

#define CONTENTS " io.github.performance_recorder.record-contents"
#define SYSTEM " io.github.performance_recorder.record-system"

static void
ask_says_challenge_and_asks_nobody (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *answer = bus_ask (bus);
  g_autofree char *name = NULL;
  assert_string_equal (answer, "challenge");
  assert_int_equal (bus_begin (bus, "{}", &name), -1);
  assert_string_equal (name, "NobodyToAsk");
  g_autofree char *path = g_build_filename (g_getenv ("WPR_TEST_PLACE"), "agent", NULL);
  g_autofree char *text = NULL;
  if (g_file_get_contents (path, &text, NULL, NULL))
    assert_null (strstr (text, "asked"));
}

static void
without_an_agent_it_is_refused (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *name = NULL;
  assert_int_equal (bus_begin (bus, "{'interactive': <true>}", &name), -1);
  assert_string_equal (name, "NobodyToAsk");
}

static void
a_closed_question_is_told_from_a_refusal (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *name = NULL;
  assert_int_equal (bus_begin (bus, "{'interactive': <true>}", &name), -1);
  assert_string_equal (name, "Dismissed");
  /* in words that say what and for how long */
  assert_int_equal (
      agent_wait (WORDS (SYSTEM, "programs of all users", "until that recording ends")), 1);
  assert_int_equal (journal_wait (WORDS ("refused. ", "closed without an answer")), 1);
}

/* The same question where the agent is Chinese: polkit reads the words from the policy. */
static void
the_question_is_in_the_language_of_the_agent (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *name = NULL;
  assert_int_equal (bus_begin (bus, "{'interactive': <true>}", &name), -1);
  assert_string_equal (name, "Dismissed");
  assert_int_equal (agent_wait (WORDS (SYSTEM, "直到这次录制结束")), 1);
}

/* What the agent was asked, once, has been taken back. */
static void
taken_back (void)
{
  g_autofree char *path = g_build_filename (g_getenv ("WPR_TEST_PLACE"), "agent", NULL);
  g_autofree char *text = NULL;
  agent_wait (WORDS ("asked "));
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  if (strstr (strstr (text, "asked ") + 1, "asked ") != NULL)
    fail_msg ("asked more than once: %s", text);
  g_auto (GStrv) words = g_strsplit (strstr (text, "asked "), " ", 3);
  assert_true (agent_wait (WORDS ("taken-back", words[1])) >= 1); /* polkit may say it twice */
}

static void
nobody_answers_and_the_question_is_taken_back (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *name = NULL;
  assert_int_equal (bus_begin (bus, "{'interactive': <true>}", &name), -1);
  assert_string_equal (name, "TimedOut");
  taken_back ();
}

static void
the_password_opens_and_is_asked_once_for_both (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  int fd = bus_begin (bus, "{'interactive': <true>, 'contents': <true>}", NULL);
  assert_true (fd >= 0);
  assert_int_equal (agent_wait (WORDS (CONTENTS)), 1);
  assert_int_equal (agent_wait (WORDS ("helper success")), 1);
  /* kept: the same program begins again without a question, and may do the lesser, too */
  int again = bus_begin (bus, "{}", NULL);
  assert_true (again >= 0);
  assert_int_equal (agent_wait (WORDS ("asked ")), 1);
  close (again);
  close (fd);
}

static void
a_wrong_password_is_a_refusal (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *name = NULL;
  assert_int_equal (bus_begin (bus, "{'interactive': <true>}", &name), -1);
  assert_string_equal (name, "Refused");
  assert_true (agent_wait (WORDS ("helper failure")) >= 1);
}

/* ---- several at once ---- */

static void
on_begun (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer
      = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  guint *n = data; /* answered, of these: by Limit */
  n[0]++;
  if (error != NULL)
    {
      g_autofree char *name = g_dbus_error_get_remote_error (error);
      n[1] += name != NULL && g_str_has_suffix (name, ".Limit");
    }
}

static void
begin_async (GDBusConnection *bus, guint *n)
{
  g_autoptr (GVariant) options = g_variant_ref_sink (
      g_variant_new_parsed ("({'interactive': <true>, 'instance': <'many'>},)"));
  g_dbus_connection_call (bus, BROKER_NAME, "/io/github/performance_recorder/Broker",
                          "io.github.performance_recorder.Broker1", "Begin", options, NULL,
                          G_DBUS_CALL_FLAGS_NONE, 30000, NULL, on_begun, n);
}

static void
open_questions_block_nobody_and_are_few (void **state)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  guint n[2] = { 0, 0 };
  for (int i = 0; i < 20; i++)
    begin_async (bus, n);
  while (n[1] < 16) /* four are open, the test's deadline is meson's */
    g_main_context_iteration (NULL, TRUE);
  g_autofree char *answer = bus_ask (bus);
  assert_string_equal (answer, "challenge");
  while (g_main_context_iteration (NULL, FALSE)) /* the four are open still */
    ;
  assert_int_equal (n[0], 16);
  /* the four end by themselves */
  while (n[0] < 20)
    g_main_context_iteration (NULL, TRUE);
  assert_int_equal (n[1], 16);
}

static void
a_caller_that_leaves_takes_its_question_along (void **state)
{
  g_autofree char *path = g_build_filename (g_getenv ("WPR_TEST_PLACE"), "agent", NULL);
  assert_int_equal (unlink (path), 0);
  GPid pid = 0;
  char *argv[] = { (char *)"/proc/self/exe", (char *)"leaves", NULL };
  assert_true (g_spawn_async (NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, NULL));
  assert_int_equal (agent_wait (WORDS ("asked ")), 1);
  kill (pid, SIGKILL);
  /* At once, not when its time is over, which is 12 s here. */
  gint64 before = g_get_monotonic_time ();
  taken_back ();
  assert_in_range (g_get_monotonic_time () - before, 0, 10 * G_USEC_PER_SEC);
  assert_int_equal (waitpid (pid, NULL, 0), pid);
}

/* In a process of its own. */
static int
leave (void)
{
  g_autoptr (GDBusConnection) bus = bus_connect ();
  g_autofree char *me = g_strdup_printf ("ready-for %d ", (int)getpid ());
  agent_wait (WORDS (me));
  bus_begin (bus, "{'interactive': <true>, 'instance': <'leaves'>}", NULL);
  return 0;
}

static const struct
{
  const char *how;
  const struct CMUnitTest tests[4];
} scenarios[] = {
  { "none",
    { cmocka_unit_test (ask_says_challenge_and_asks_nobody),
      cmocka_unit_test (without_an_agent_it_is_refused) } },
  { "cancel",
    { cmocka_unit_test (ask_says_challenge_and_asks_nobody),
      cmocka_unit_test (a_closed_question_is_told_from_a_refusal) } },
  { "zh_CN", { cmocka_unit_test (the_question_is_in_the_language_of_the_agent) } },
  { "silent",
    { cmocka_unit_test (nobody_answers_and_the_question_is_taken_back),
      cmocka_unit_test (open_questions_block_nobody_and_are_few),
      cmocka_unit_test (a_caller_that_leaves_takes_its_question_along) } },
  { "password", { cmocka_unit_test (the_password_opens_and_is_asked_once_for_both) } },
  { "wrong", { cmocka_unit_test (a_wrong_password_is_a_refusal) } },
};

int
main (int argc, char **argv)
{
  if (argc > 1 && g_str_equal (argv[1], "leaves"))
    return leave ();
  for (gsize i = 0; i < G_N_ELEMENTS (scenarios); i++)
    if (argc > 1 && g_str_equal (scenarios[i].how, argv[1]))
      {
        gsize n = 0;
        while (n < G_N_ELEMENTS (scenarios[i].tests) && scenarios[i].tests[n].test_func != NULL)
          n++;
        return _cmocka_run_group_tests (argv[1], scenarios[i].tests, n, NULL, NULL);
      }
  return 2;
}
