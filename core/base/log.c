/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The log: to the journal with a message id where there is one, else to a file in the state folder.
 */
#include "config.h"
#include "base/log.h"
#include "base/files.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The log file is renamed to log.1 at this size, so that it never fills a disk. */
#define LOG_MOST (1024 * 1024)

static const struct
{
  const char *word;
  const char *message_id;
  int priority; /* as syslog counts: 4 warning, 5 notice, 6 info */
} kinds[] = {
  [WPR_LOG_START] = { "start", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e01", 5 },
  [WPR_LOG_STOP] = { "stop", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e02", 5 },
  [WPR_LOG_SAVE] = { "save", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e03", 5 },
  [WPR_LOG_LOSS] = { "loss", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e04", 4 },
  [WPR_LOG_REFUSED] = { "refused", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e05", 4 },
  [WPR_LOG_NOTICE] = { "notice", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e06", 5 },
  [WPR_LOG_RECOVER] = { "recover", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e07", 5 },
  [WPR_LOG_ALLOWED] = { "allowed", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e08", 5 },
  [WPR_LOG_ENDED] = { "ended", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e09", 5 },
  [WPR_LOG_DENIED] = { "denied", "7bb5b4e31f6c4a0f9a5d5f2c7c1b8e0a", 4 },
};

static const char *service; /* NULL: a program, which has a state folder */

void
wpr_log_as_service (const char *name)
{
  service = name;
}

static gboolean
to_journal (WprLogKind kind, const char *text)
{
  if (!g_file_test ("/run/systemd/journal/socket", G_FILE_TEST_EXISTS))
    return FALSE;
  char priority[2] = { (char)('0' + kinds[kind].priority), 0 };
  const GLogField fields[] = {
    { "MESSAGE", text, -1 },
    { "MESSAGE_ID", kinds[kind].message_id, -1 },
    { "PRIORITY", priority, -1 },
    { "SYSLOG_IDENTIFIER", service != NULL ? service : "wpr", -1 },
    { "WPR_KIND", kinds[kind].word, -1 },
  };
  return g_log_writer_journald (G_LOG_LEVEL_MESSAGE, fields, G_N_ELEMENTS (fields), NULL)
         == G_LOG_WRITER_HANDLED;
}

static void
to_file (WprLogKind kind, const char *text)
{
  static GMutex lock;
  g_autofree char *state = wpr_state_dir (NULL);
  if (state == NULL)
    return;
  g_autofree char *path = g_build_filename (state, "log", NULL);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *stamp = g_date_time_format_iso8601 (now);
  g_autofree char *line
      = g_strdup_printf ("%s wpr[%d] %s: %s\n", stamp, (int)getpid (), kinds[kind].word, text);
  g_mutex_lock (&lock);
  int fd = open (path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  struct stat st;
  if (fd >= 0 && fstat (fd, &st) == 0 && st.st_size > LOG_MOST)
    {
      g_autofree char *old = g_strconcat (path, ".1", NULL);
      close (fd);
      rename (path, old);
      fd = open (path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
  if (fd >= 0)
    {
      wpr_write_all (fd, line, strlen (line), NULL);
      close (fd);
    }
  g_mutex_unlock (&lock);
}

void
wpr_log (WprLogKind kind, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  if (to_journal (kind, text))
    return;
  if (service != NULL)
    fprintf (stderr, "%s %s: %s\n", service, kinds[kind].word, text);
  else
    to_file (kind, text);
}

void
wpr_debug (const char *topic, const char *format, ...)
{
  static gsize ready;
  static char **topics;
  if (g_once_init_enter (&ready))
    {
      const char *set = g_getenv ("WPR_DEBUG");
      topics = set ? g_strsplit (set, ",", -1) : NULL;
      g_once_init_leave (&ready, 1);
    }
  if (topics == NULL
      || (!g_strv_contains ((const char *const *)topics, topic)
          && !g_strv_contains ((const char *const *)topics, "all")))
    return;
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  fprintf (stderr, "wpr %s: %s\n", topic, text);
}
