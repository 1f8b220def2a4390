/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pkttyagent as a child: it says by closing a descriptor that polkit knows it. */
#include "config.h"
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "session.h"

#define WPR_AGENT "pkttyagent"
/* It has to reach the bus and polkit. */
#define WPR_AGENT_READY_MS 5000
/* To give up its question. */
#define WPR_AGENT_END_MS 2000

static struct termios terminal_before;
static gboolean terminal_known;

static char *
name_of (WprRecorder *recorder)
{
  g_autoptr (GAsyncResult) result = NULL;
  wpr_recorder_bus_name_async (recorder, NULL, wpr_on_result, &result);
  wpr_wait (&result);
  return wpr_recorder_bus_name_finish (recorder, result, NULL);
}

/* polkit takes agents for processes and sessions only; the process behind a name is looked up when
 * somebody is to be asked. Which process it is the bus knows. */
static char *
process_of (WprRecorder *recorder)
{
  guint32 pid = 0;
  g_autofree char *name = name_of (recorder);
  g_autoptr (GDBusConnection) bus
      = name != NULL ? g_bus_get_sync (G_BUS_TYPE_SYSTEM, NULL, NULL) : NULL;
  if (bus == NULL)
    return NULL;
  g_dbus_connection_set_exit_on_close (bus, FALSE);
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "GetConnectionUnixProcessID", g_variant_new ("(s)", name), G_VARIANT_TYPE ("(u)"),
      G_DBUS_CALL_FLAGS_NONE, WPR_AGENT_READY_MS, NULL, NULL);
  if (answer == NULL)
    return NULL;
  g_variant_get (answer, "(u)", &pid);
  return g_strdup_printf ("%u", pid);
}

static void
wait_ready (int fd)
{
  char byte;
  struct pollfd wait = { fd, POLLIN, 0 };
  while (poll (&wait, 1, WPR_AGENT_READY_MS) > 0)
    if (read (fd, &byte, 1) <= 0 && errno != EINTR)
      break;
}

/* Takes the number of the process; NULL: it is not known. */
static GPid
begin (char *number)
{
  enum
  {
    READY_FD = 3
  };
  g_autofree char *program = g_find_program_in_path (WPR_AGENT);
  g_autofree char *process = number;
  int ends[2];
  const int target = READY_FD;
  GPid pid = 0;
  if (program == NULL || process == NULL || pipe2 (ends, O_CLOEXEC) != 0)
    return 0;
  /* Not as a --fallback: polkit 122 does not find one by the name of its process. */
  const char *argv[] = { program, "--process", process, "--notify-fd", G_STRINGIFY (3), NULL };
  terminal_known = tcgetattr (STDIN_FILENO, &terminal_before) == 0;
  if (g_spawn_async_with_pipes_and_fds (
          NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL,
          -1, -1, -1, &ends[1], &target, 1, &pid, NULL, NULL, NULL, NULL))
    {
      close (ends[1]);
      wait_ready (ends[0]);
    }
  else
    close (ends[1]);
  close (ends[0]);
  return pid;
}

static gboolean
is_at_terminal (void)
{
  return isatty (STDIN_FILENO) && isatty (STDERR_FILENO);
}

GPid
wpr_agent_begin (WprRecorder *recorder)
{
  return is_at_terminal () ? begin (process_of (recorder)) : 0;
}

GPid
wpr_agent_begin_for_guest (const char *instance)
{
  if (instance == NULL || !g_str_has_prefix (instance, "root:") || !is_at_terminal ())
    return 0;
  return begin (g_strdup_printf ("%d", (int)getpid ()));
}

void
wpr_agent_end (GPid agent)
{
  if (agent == 0)
    return;
  kill (agent, SIGTERM);
  for (guint ms = 0; waitpid (agent, NULL, WNOHANG) == 0; ms += 10)
    {
      if (ms >= WPR_AGENT_END_MS)
        kill (agent, SIGKILL);
      g_usleep (10 * 1000);
    }
  g_spawn_close_pid (agent);
  /* One that was ended in the middle of a question left the terminal without echo. */
  if (terminal_known)
    tcsetattr (STDIN_FILENO, TCSANOW, &terminal_before);
}
