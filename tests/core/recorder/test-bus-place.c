/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which recorders there are: their sockets and names, who may talk to them, and a program that does
 * not become one. What is said to one is in test-bus.c. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gio/gio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "recorder/bus-private.h"
#include "served.h"

static char *own_path;

static void
a_stale_socket_is_recognised_and_removed (void **state)
{
  g_autofree char *path = g_build_filename (served_place, "stale.socket", NULL);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_autoptr (GError) error = NULL;
  strcpy (address.sun_path, path);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal (bind (fd, (struct sockaddr *)&address, sizeof address), 0);
  close (fd); /* as a killed recorder leaves it */
  assert_null (wpr_recorder_connect ("stale", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_RECORDING));
  assert_int_equal (wpr_error_get_number (error), 0xc5583000);
  assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
the_list_names_those_who_answer (void **state)
{
  Served *a = served_new ("a");
  Served *b = served_new ("b.2");
  g_autofree char *path = g_build_filename (served_place, "dead.socket", NULL);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  strcpy (address.sun_path, path);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal (bind (fd, (struct sockaddr *)&address, sizeof address), 0);
  close (fd);
  g_autoptr (GPtrArray) names = wpr_recorder_list (NULL);
  assert_int_equal (names->len, 2);
  assert_string_equal (g_ptr_array_index (names, 0), "a");
  assert_string_equal (g_ptr_array_index (names, 1), "b.2");
  assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  served_free (a);
  served_free (b);
}

static void
one_recorder_a_name (void **state)
{
  g_autoptr (GError) error = NULL;
  WprPlace *first = wpr_place_take ("one", &error);
  assert_non_null (first);
  assert_null (wpr_place_take ("one", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_ALREADY_RECORDING));
  assert_false (wpr_place_sweep (served_place, "one"));
  wpr_place_free (first);
  g_autoptr (WprPlace) second = wpr_place_take ("one", NULL);
  assert_non_null (second);
}

static void
the_last_words_are_kept_until_the_next (void **state)
{
  g_autoptr (GError) error = NULL;
  WprPlace *place = wpr_place_take ("words", NULL);
  wpr_place_leave_words (place, "Saved as “x.etl”.");
  wpr_place_free (place);
  assert_null (wpr_recorder_connect ("words", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_RECORDING));
  assert_int_equal (wpr_error_get_number (error), 0xc5583000);
  assert_non_null (strstr (error->message, "Saved as “x.etl”."));
  place = wpr_place_take ("words", NULL);
  wpr_place_free (place);
  g_clear_error (&error);
  assert_null (wpr_recorder_connect ("words", &error));
  assert_null (strstr (error->message, "Saved"));
}

static void
names_that_could_be_paths_are_refused (void **state)
{
  const char *const bad[]
      = { "",    ".",       "../x",
          "a/b", "名",      "a b",
          "a\n", ".hidden", "0123456789012345678901234567890123456789012345678" };
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      assert_null (wpr_recorder_connect (bad[i], &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_USAGE));
    }
}

static void
a_program_that_cannot_be_started_is_named (void **state)
{
  g_autoptr (GError) error = NULL;
  g_setenv ("WPR_RECORDER", "/nowhere/wpr", TRUE);
  assert_null (wpr_recorder_spawn ("none", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_AVAILABLE));
  assert_non_null (strstr (error->message, "/nowhere/wpr"));
  g_clear_error (&error);
  g_setenv ("WPR_RECORDER", "/bin/false", TRUE); /* ends without a word */
  assert_null (wpr_recorder_spawn ("none", &error));
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_INTERNAL));
  g_unsetenv ("WPR_RECORDER");
}

static void
in_nobody (gpointer data)
{
  if (setgid (65534) != 0 || setuid (65534) != 0)
    _exit (99);
}

static void
another_user_is_refused (void **state)
{
  assert_true (wpr_bus_may_talk (1000, 1000));
  assert_true (wpr_bus_may_talk (0, 1000));
  assert_false (wpr_bus_may_talk (1001, 1000));
  assert_false (wpr_bus_may_talk (1000, 0));
  assert_false (wpr_bus_may_talk ((uid_t)-1, 0));
  if (geteuid () != 0)
    return;
  /* The real thing, with the doors of the file system opened on purpose. */
  Served *served = served_new ("foreign");
  g_autofree char *socket_path = g_build_filename (served_place, "foreign.socket", NULL);
  g_autofree char *address = g_strdup_printf ("unix:path=%s", socket_path);
  char *argv[] = { own_path, (char *)"--try", address, NULL };
  int status = 0;
  assert_int_equal (chmod (served_place, 0755), 0);
  assert_int_equal (chmod (socket_path, 0666), 0);
  assert_true (
      g_spawn_sync ("/", argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, &status, NULL));
  assert_int_equal (WEXITSTATUS (status), 0); /* the same program as ourselves gets in */
  assert_true (
      g_spawn_sync ("/", argv, NULL, G_SPAWN_DEFAULT, in_nobody, NULL, NULL, NULL, &status, NULL));
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 1);
  assert_int_equal (chmod (served_place, 0700), 0);
  served_free (served);
}

/* The other process of another_user_is_refused: 0 if it was let in. */
static int
try_to_attach (const char *address)
{
  g_autoptr (GDBusConnection) connection = g_dbus_connection_new_for_address_sync (
      address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, NULL, NULL, NULL);
  if (connection == NULL)
    return 1;
  g_autoptr (GVariant) answer
      = g_dbus_connection_call_sync (connection, NULL, WPR_BUS_PATH, WPR_BUS_INTERFACE, "Describe",
                                     NULL, NULL, G_DBUS_CALL_FLAGS_NONE, 5000, NULL, NULL);
  return answer != NULL ? 0 : 2;
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_stale_socket_is_recognised_and_removed),
    cmocka_unit_test (the_list_names_those_who_answer),
    cmocka_unit_test (one_recorder_a_name),
    cmocka_unit_test (the_last_words_are_kept_until_the_next),
    cmocka_unit_test (names_that_could_be_paths_are_refused),
    cmocka_unit_test (a_program_that_cannot_be_started_is_named),
    cmocka_unit_test (another_user_is_refused),
  };
  if (argc == 3 && g_str_equal (argv[1], "--try"))
    return try_to_attach (argv[2]);
  own_path = g_file_read_link ("/proc/self/exe", NULL);
  served_make_places ();
  int failed = cmocka_run_group_tests (tests, NULL, NULL);
  served_remove_places ();
  g_free (own_path);
  return failed;
}
