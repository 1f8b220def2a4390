/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder that is there and does not answer, as one that was stopped: nobody waits for ever, and
 * its process is named. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/wpr-error.h"
#include "recorder/place.h"
#include "wpr-recorder.h"

#define NAME "silent"
#define MOST_WAITING 16

/* More than the queue of one: connects until the kernel lets nobody wait any more. */
static guint
fill_queue (const struct sockaddr_un *address, int *waiting)
{
  for (guint n = 0; n < MOST_WAITING; n++)
    {
      waiting[n] = socket (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      if (connect (waiting[n], (const struct sockaddr *)address, sizeof *address) == 0)
        continue;
      assert_int_equal (errno, EAGAIN);
      close (waiting[n]);
      return n;
    }
  fail_msg ("the queue does not become full");
  return 0;
}

static void
assert_named_as_silent (const GError *error)
{
  g_autofree char *process = g_strdup_printf ("process %d", (int)getpid ());
  assert_non_null (error);
  if (strstr (error->message, process) == NULL
      || strstr (error->message, "does not answer") == NULL)
    fail_msg ("it says: %s", error->message);
}

static void
one_that_takes_no_connections_is_named (void **state)
{
  WprPlace *place = wpr_place_take (NAME, NULL);
  assert_non_null (place);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_strlcpy (address.sun_path, wpr_place_get_socket (place), sizeof address.sun_path);
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), waiting[MOST_WAITING];
  assert_int_equal (bind (fd, (const struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal (listen (fd, 4), 0);

  /* connections are taken by the kernel, and never answered */
  g_autoptr (GError) error = NULL;
  assert_null (wpr_recorder_connect (NAME, &error));
  assert_named_as_silent (error);

  guint n = fill_queue (&address, waiting);
  g_autoptr (GPtrArray) list = wpr_recorder_list (NULL);
  assert_int_equal (list->len, 1);
  assert_string_equal (list->pdata[0], NAME);
  g_clear_error (&error);
  assert_null (wpr_recorder_connect (NAME, &error));
  assert_named_as_silent (error);
  g_clear_error (&error);
  assert_null (wpr_recorder_spawn (NAME, &error));
  assert_named_as_silent (error);

  for (guint i = 0; i < n; i++)
    close (waiting[i]);
  close (fd);
  wpr_place_free (place);
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (one_that_takes_no_connections_is_named) };
  g_autofree char *folder = g_dir_make_tmp ("wpr-silent-XXXXXX", NULL);
  g_setenv ("WPR_RUNTIME_DIR", folder, TRUE);
  g_setenv ("WPR_STATE_DIR", folder, TRUE);
  int failed = cmocka_run_group_tests (tests, NULL, NULL);
  g_rmdir (folder);
  return failed;
}
