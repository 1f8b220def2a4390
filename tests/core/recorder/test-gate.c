/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Root's recording and another user: what they may do as polkit says, and what they cannot do to it
 * whatever they send. polkit is one of the test's, on a bus of the test's; the user is nobody, in a
 * process of its own. Only root can try it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "recorder/gate.h"
#include "served.h"

#define NOBODY 65534

static char *folder, *own_path, *bus_address;
static GPid bus_pid;

/* ---- a polkit that answers as it is told ---- */

typedef enum
{
  SAYS_NO,
  SAYS_MAYBE,
  SAYS_YES,
  SAYS_DISMISSED
} Says;
static gint says, n_asked; /* atomic */
static gint may_ask;       /* of the last question: flags */
static char asked_about[128];

static void
on_check (GDBusConnection *connection, const char *sender, const char *path, const char *interface,
          const char *method, GVariant *parameters, GDBusMethodInvocation *invocation,
          gpointer data)
{
  const char *kind, *action;
  g_autoptr (GVariant) subject = NULL;
  g_autoptr (GVariant) details = NULL;
  guint32 flags;
  GVariantBuilder answer;
  Says now = (Says)g_atomic_int_get (&says);
  if (g_str_equal (method, "CancelCheckAuthorization"))
    {
      g_dbus_method_invocation_return_value (invocation, NULL);
      return;
    }
  g_variant_get (parameters, "((&s@a{sv})&s@a{ss}u&s)", &kind, &subject, &action, &details, &flags,
                 NULL);
  g_snprintf (asked_about, sizeof asked_about, "%s %s", kind, action);
  g_atomic_int_set (&may_ask, (gint)flags);
  g_atomic_int_inc (&n_asked);
  g_variant_builder_init (&answer, G_VARIANT_TYPE ("a{ss}"));
  if (now == SAYS_DISMISSED)
    g_variant_builder_add (&answer, "{ss}", "polkit.dismissed", "true");
  g_dbus_method_invocation_return_value (
      invocation,
      g_variant_new ("((bba{ss}))", now == SAYS_YES,
                     now == SAYS_MAYBE || (now == SAYS_DISMISSED && flags == 0), &answer));
}

static gpointer
be_polkit (gpointer ready)
{
  static const char xml[]
      = "<node><interface name='org.freedesktop.PolicyKit1.Authority'>"
        "<method name='CheckAuthorization'><arg direction='in' type='(sa{sv})'/>"
        "<arg direction='in' type='s'/><arg direction='in' type='a{ss}'/>"
        "<arg direction='in' type='u'/><arg direction='in' type='s'/>"
        "<arg direction='out' type='(bba{ss})'/></method>"
        "<method name='CancelCheckAuthorization'><arg direction='in' type='s'/></method>"
        "</interface></node>";
  static const GDBusInterfaceVTable vtable = { .method_call = on_check };
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_main_context_push_thread_default (context);
  GDBusNodeInfo *info = g_dbus_node_info_new_for_xml (xml, NULL);
  GDBusConnection *bus = g_dbus_connection_new_for_address_sync (
      bus_address,
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, NULL);
  g_assert_nonnull (bus);
  g_dbus_connection_register_object (bus, "/org/freedesktop/PolicyKit1/Authority",
                                     info->interfaces[0], &vtable, NULL, NULL, NULL);
  g_bus_own_name_on_connection (bus, "org.freedesktop.PolicyKit1", G_BUS_NAME_OWNER_FLAGS_NONE,
                                NULL, NULL, NULL, NULL);
  g_dbus_connection_call_sync (bus, "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId",
                               NULL, NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
  g_atomic_int_set ((gint *)ready, 1);
  for (;;)
    g_main_context_iteration (context, TRUE);
  return NULL;
}

static void
begin_bus (void)
{
  static gint ready;
  g_autofree char *conf = g_build_filename (folder, "bus.conf", NULL);
  g_autofree char *socket_path = g_build_filename (folder, "bus", NULL);
  g_autofree char *text = g_strdup_printf (
      "<busconfig><type>custom</type><listen>unix:path=%s</listen><policy context='default'>"
      "<allow user='*'/><allow own='*'/><allow send_destination='*'/><allow receive_sender='*'/>"
      "</policy></busconfig>",
      socket_path);
  const char *argv[] = { "dbus-daemon", "--nofork", "--nopidfile", "--config-file", conf, NULL };
  assert_true (g_file_set_contents (conf, text, -1, NULL));
  assert_true (g_spawn_async (NULL, (char **)argv, NULL,
                              G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &bus_pid,
                              NULL));
  wait_until (g_file_test (socket_path, G_FILE_TEST_EXISTS));
  g_chmod (socket_path, 0666);
  bus_address = g_strdup_printf ("unix:path=%s", socket_path);
  g_setenv ("DBUS_SYSTEM_BUS_ADDRESS", bus_address, TRUE);
  g_thread_unref (g_thread_new ("polkit", be_polkit, &ready));
  wait_until (g_atomic_int_get (&ready));
}

/* ---- the guest: this program once more, as nobody ---- */

static void
on_done (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **)data = g_object_ref (result);
}

static int
say_result (GError *error)
{
  g_print ("%s", error != NULL ? error->message : "done");
  return error != NULL ? error->code : 0;
}

static int
be_guest (const char *instance, const char *verb, const char *where)
{
  GError *error = NULL;
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (WprRecorder) recorder = wpr_recorder_connect (instance, &error);
  if (recorder == NULL)
    return say_result (error);
  if (g_str_equal (verb, "look"))
    {
      g_autoptr (WprStats) stats = wpr_recorder_ref_stats (recorder);
      g_print ("%u", (guint)stats->events);
      return 0;
    }
  if (g_str_equal (verb, "mark"))
    wpr_recorder_mark_async (recorder, "hello", NULL, on_done, &result);
  else if (g_str_equal (verb, "grow"))
    wpr_recorder_grow_async (recorder, NULL, 0, NULL, on_done, &result);
  else
    {
      int fd = open (where, O_DIRECTORY | O_RDONLY);
      wpr_recorder_stop_async (recorder, fd, "theirs.etl", NULL, NULL, on_done, &result);
    }
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  if (g_str_equal (verb, "mark"))
    wpr_recorder_mark_finish (recorder, result, &error);
  else if (g_str_equal (verb, "grow"))
    wpr_recorder_grow_finish (recorder, result, &error);
  else
    wpr_saved_free (wpr_recorder_stop_finish (recorder, result, &error));
  return say_result (error);
}

static void
become_nobody (gpointer data)
{
  if (setgroups (0, NULL) != 0 || setresgid (NOBODY, NOBODY, NOBODY) != 0
      || setresuid (NOBODY, NOBODY, NOBODY) != 0)
    _exit (99);
}

/* What the guest said; *code: how it ended, a WprErrorCode. */
static char *
guest (const char *instance, const char *verb, const char *where, int *code)
{
  const char *argv[] = { own_path, "--guest", instance, verb, where ? where : "-", NULL };
  char *said = NULL;
  int status = 0;
  g_auto (GStrv) environment = g_get_environ ();
  g_autofree char *own_run = g_build_filename (folder, "nobody", NULL);
  environment = g_environ_setenv (environment, "WPR_RUNTIME_DIR", own_run, TRUE);
  environment = g_environ_setenv (environment, "WPR_ROOT_RUNTIME_DIR", folder, TRUE);
  assert_true (g_spawn_sync (NULL, (char **)argv, environment, G_SPAWN_DEFAULT, become_nobody, NULL,
                             &said, NULL, &status, NULL));
  assert_true (WIFEXITED (status));
  *code = WEXITSTATUS (status);
  return said;
}

static void
expect (const char *instance, const char *verb, const char *where, int wanted, const char *words)
{
  int code = 0;
  g_autofree char *said = guest (instance, verb, where, &code);
  if (code != wanted || (words != NULL && strstr (said, words) == NULL))
    fail_msg ("%s %s: %d “%s”, not %d “%s”", instance, verb, code, said, wanted, words);
}

/* ---- what polkit says ---- */

static void
an_active_user_may_look_and_not_touch (void **state)
{
  Served *served = served_new ("look");
  WprStats values = { .state = WPR_STATE_RECORDING, .events = 4711, .holds_s = -1 };
  served_set_stats (served, &values);
  g_atomic_int_set (&says, SAYS_MAYBE);
  expect ("root:look", "look", NULL, 0, "4711");
  assert_string_equal (asked_about, "system-bus-name io.github.performance_recorder.record-system");
  assert_int_equal (g_atomic_int_get (&may_ask), 0);
  expect ("root:look", "mark", NULL, WPR_ERROR_NOT_PERMITTED, "sudo wpr -stop");
  assert_int_equal (g_atomic_int_get (&may_ask), 1);
  expect ("look", "look", NULL, WPR_ERROR_NOT_RECORDING, "root:look");
  served_free (served);
}

static void
who_may_not_look_is_told_so (void **state)
{
  Served *served = served_new ("hidden");
  g_atomic_int_set (&says, SAYS_NO);
  expect ("root:hidden", "look", NULL, WPR_ERROR_NOT_PERMITTED, "sudo wpr -status");
  served_free (served);
}

static void
who_is_authorised_stops_and_saves (void **state)
{
  Served *served = served_new ("stop");
  g_autofree char *theirs = g_build_filename (folder, "theirs", NULL);
  g_mkdir (theirs, 0755);
  assert_int_equal (chown (theirs, NOBODY, NOBODY), 0);
  g_atomic_int_set (&says, SAYS_YES);
  expect ("root:stop", "mark", NULL, 0, "done");
  g_autofree char *told = served_get_told (served);
  assert_string_equal (told, "mark hello");
  expect ("root:stop", "stop", theirs, 0, "done");
  served_free (served);
}

static void
a_dismissed_question_has_words_of_its_own (void **state)
{
  Served *served = served_new ("dismissed");
  g_atomic_int_set (&says, SAYS_MAYBE);
  g_atomic_int_set (&says, SAYS_DISMISSED);
  expect ("root:dismissed", "mark", NULL, WPR_ERROR_NOT_PERMITTED, "dismissed");
  served_free (served);
}

static void
what_is_root_s_alone_is_not_even_asked_about (void **state)
{
  Served *served = served_new ("alone");
  g_atomic_int_set (&says, SAYS_YES);
  expect ("root:alone", "grow", NULL, WPR_ERROR_NOT_PERMITTED, "only root");
  served_free (served);
}

static void
who_called_sudo_needs_no_polkit (void **state)
{
  g_setenv ("SUDO_UID", "65534", TRUE);
  Served *served = served_new ("sudo");
  g_unsetenv ("SUDO_UID");
  g_atomic_int_set (&says, SAYS_NO);
  gint before = g_atomic_int_get (&n_asked);
  expect ("root:sudo", "look", NULL, 0, NULL);
  expect ("root:sudo", "mark", NULL, 0, "done");
  expect ("root:sudo", "grow", NULL, WPR_ERROR_NOT_PERMITTED, "only root");
  assert_int_equal (g_atomic_int_get (&n_asked), before);
  served_free (served);
}

/* ---- what they send ---- */

static int
knock (const char *instance)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_snprintf (address.sun_path, sizeof address.sun_path, "%s/%s.users", folder, instance);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect (fd, (const struct sockaddr *)&address, sizeof address) != 0)
    _exit (90);
  return fd;
}

static gboolean
hangs_up (int fd, int seconds)
{
  char byte;
  struct timeval patience = { .tv_sec = seconds };
  setsockopt (fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  for (;;)
    {
      gssize n = recv (fd, &byte, 1, 0);
      if (n <= 0)
        return n == 0 || errno == ECONNRESET || errno == EPIPE;
    }
}

static void
greet (int fd)
{
  static const char hello[] = "\0AUTH EXTERNAL 3635353334\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n";
  if (send (fd, hello, sizeof hello - 1, MSG_NOSIGNAL) < 0)
    _exit (91);
}

/* A call of Describe, made before the process is another's. */
static guint8 call[1024];
static gsize call_size;

static void
make_call (void)
{
  g_autoptr (GDBusMessage) message
      = g_dbus_message_new_method_call (NULL, WPR_BUS_PATH, WPR_BUS_INTERFACE, "Describe");
  g_dbus_message_set_serial (message, 1);
  g_autofree guchar *blob
      = g_dbus_message_to_blob (message, &call_size, G_DBUS_CAPABILITY_FLAGS_NONE, NULL);
  assert_true (call_size <= sizeof call);
  memcpy (call, blob, call_size);
}

static guint
count_fds (void)
{
  guint n = 0;
  DIR *dir = opendir ("/proc/self/fd");
  while (readdir (dir) != NULL)
    n++;
  closedir (dir);
  return n;
}

/* Runs func as nobody in a process of its own, and meanwhile asks the recorder as root. */
static void
attack (const char *instance, int (*func) (const char *instance))
{
  Served *served = served_new (instance);
  g_atomic_int_set (&says, SAYS_YES);
  guint fds = count_fds ();
  pid_t pid = fork ();
  if (pid == 0)
    {
      become_nobody (NULL);
      _exit (func (instance));
    }
  int status = 0;
  while (waitpid (pid, &status, WNOHANG) == 0)
    {
      g_autoptr (WprRecorder) recorder = wpr_recorder_connect (instance, NULL);
      assert_non_null (recorder);
      g_usleep (20000);
    }
  assert_true (WIFEXITED (status));
  assert_int_equal (WEXITSTATUS (status), 0);
  wait_until (count_fds () <= fds + 1); /* the bus of the test's own connection */
  /* And whoever behaves is served. */
  g_autofree char *name = g_strconcat ("root:", instance, NULL);
  expect (name, "look", NULL, 0, NULL);
  served_free (served);
}

static int
half_open (const char *instance)
{
  int held[WPR_GATE_OF_USER];
  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    held[i] = knock (instance);
  g_usleep (200000);
  int more = knock (instance);
  if (!hangs_up (more, WPR_GATE_PATIENCE_MS / 1000 - 1)) /* at once, not as the others */
    return 1;
  for (guint i = 0; i < G_N_ELEMENTS (held); i++)
    if (!hangs_up (held[i], 60))
      return 2;
  return 0;
}

static void
connections_that_say_nothing_are_few_and_end (void **state)
{
  attack ("halfopen", half_open);
}

static int
oversized (const char *instance)
{
  int fd = knock (instance);
  guint32 most = GUINT32_TO_LE (100 * 1024 * 1024);
  greet (fd);
  memcpy (call + 4, &most, 4); /* length of the body */
  send (fd, call, call_size, MSG_NOSIGNAL);
  if (!hangs_up (fd, 4))
    return 1;
  fd = knock (instance);
  greet (fd);
  call[0] = 'x'; /* no byte order */
  send (fd, call, call_size, MSG_NOSIGNAL);
  if (!hangs_up (fd, 4))
    return 2;
  fd = knock (instance);
  for (guint i = 0; i < 100; i++)
    if (send (fd, "\0endless endless endless", 24, MSG_NOSIGNAL) < 0)
      break;
  return hangs_up (fd, 4) ? 0 : 3;
}

static void
what_is_too_large_or_no_message_ends_the_connection (void **state)
{
  attack ("oversized", oversized);
}

static gboolean
send_with_fds (int fd, const void *bytes, gsize size, guint n)
{
  union
  {
    struct cmsghdr align;
    char room[CMSG_SPACE (200 * sizeof (int))];
  } control = { 0 };
  struct iovec part = { (void *)bytes, size };
  struct msghdr message = { .msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control.room,
                            .msg_controllen = CMSG_SPACE (n * sizeof (int)) };
  struct cmsghdr *rights = CMSG_FIRSTHDR (&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN (n * sizeof (int));
  for (guint i = 0; i < n; i++)
    memcpy (CMSG_DATA (rights) + i * sizeof (int), &fd, sizeof fd);
  return sendmsg (fd, &message, MSG_NOSIGNAL) > 0;
}

/* Descriptors piece by piece with the bytes of one message, and many at once. */
static int
descriptors (const char *instance)
{
  int fd = knock (instance);
  greet (fd);
  send_with_fds (fd, call, 1, 200);
  if (!hangs_up (fd, 4))
    return 1;
  fd = knock (instance);
  greet (fd);
  for (gsize i = 0; i < call_size; i++)
    if (!send_with_fds (fd, call + i, 1, 1))
      break;
  return hangs_up (fd, 4) ? 0 : 2;
}

static void
descriptors_do_not_add_up (void **state)
{
  attack ("fds", descriptors);
}

/* Asks and does not listen: the socket takes no more before long. */
static int
flood (const char *instance)
{
  int fd = knock (instance);
  gsize sent = 0;
  struct timeval patience = { .tv_sec = 1 };
  greet (fd);
  setsockopt (fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  while (sent < 4 * 1024 * 1024)
    {
      gssize n = send (fd, call, call_size, MSG_NOSIGNAL);
      if (n <= 0)
        return sent < 2 * 1024 * 1024 ? 0 : 2;
      sent += (gsize)n;
    }
  return 1;
}

static void
who_does_not_listen_is_not_listened_to (void **state)
{
  attack ("flood", flood);
}

static int
noise (const char *instance)
{
  guint32 seed = 12345;
  for (guint round = 0; round < 300; round++)
    {
      int fd = knock (instance);
      guint8 bytes[512];
      memcpy (bytes, call, call_size);
      for (gsize i = call_size; i < sizeof bytes; i++)
        bytes[i] = (guint8)(seed = seed * 1664525 + 1013904223) >> 3;
      for (guint i = 0; i < 1 + round % 8; i++)
        {
          seed = seed * 1664525 + 1013904223;
          bytes[(seed >> 8) % call_size] = (guint8)(seed >> 20);
        }
      if (round % 3 != 0)
        greet (fd);
      send (fd, bytes, round % 2 ? call_size : sizeof bytes, MSG_NOSIGNAL);
      close (fd);
    }
  g_usleep (500000);
  return 0;
}

static void
noise_ends_nothing_but_its_own_connection (void **state)
{
  attack ("noise", noise);
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (an_active_user_may_look_and_not_touch),
    cmocka_unit_test (who_may_not_look_is_told_so),
    cmocka_unit_test (who_is_authorised_stops_and_saves),
    cmocka_unit_test (a_dismissed_question_has_words_of_its_own),
    cmocka_unit_test (what_is_root_s_alone_is_not_even_asked_about),
    cmocka_unit_test (who_called_sudo_needs_no_polkit),
    cmocka_unit_test (connections_that_say_nothing_are_few_and_end),
    cmocka_unit_test (what_is_too_large_or_no_message_ends_the_connection),
    cmocka_unit_test (descriptors_do_not_add_up),
    cmocka_unit_test (who_does_not_listen_is_not_listened_to),
    cmocka_unit_test (noise_ends_nothing_but_its_own_connection),
  };
  if (argc == 5 && g_str_equal (argv[1], "--guest"))
    return be_guest (argv[2], argv[3], argv[4]);
  g_autofree char *daemon_path = g_find_program_in_path ("dbus-daemon");
  if (geteuid () != 0 || daemon_path == NULL)
    {
      g_print ("SKIPPED: needs root and dbus-daemon\n");
      return 77;
    }
  own_path = g_file_read_link ("/proc/self/exe", NULL);
  served_make_places ();
  folder = served_place;
  g_chmod (folder, 0755);
  g_unsetenv ("SUDO_UID");
  g_unsetenv ("PKEXEC_UID");
  g_autofree char *nobodys = g_build_filename (folder, "nobody", NULL);
  g_mkdir (nobodys, 0700);
  if (chown (nobodys, NOBODY, NOBODY) != 0)
    return 1;
  begin_bus ();
  make_call ();
  int failed = cmocka_run_group_tests (tests, NULL, NULL);
  kill (bus_pid, SIGTERM);
  waitpid (bus_pid, NULL, 0);
  served_remove_places ();
  g_free (own_path);
  g_free (bus_address);
  return failed;
}
