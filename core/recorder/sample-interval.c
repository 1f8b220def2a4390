/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sampling interval a person set once, for all recordings to come: a number in a file of the
 * state folder, which is locked while it is read or written. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/files.h"
#include "wpr-recorder.h"

#define FILE_NAME "sample-interval"
/* The shortest the kernel's timers keep up with, and a second. */
#define LEAST_100NS 1221
#define MOST_100NS 10000000

/* The file, locked; -1 with an error where it is neither there nor can be made. */
static int
open_locked (gboolean create, GError **error)
{
  g_autofree char *folder = wpr_state_dir (error);
  if (folder == NULL)
    return -1;
  g_autofree char *path = g_build_filename (folder, FILE_NAME, NULL);
  int flags = (create ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW;
  int fd = open (path, flags, 0600);
  if (fd >= 0 && flock (fd, create ? LOCK_EX : LOCK_SH) == 0)
    return fd;
  int errsv = errno;
  if (fd >= 0)
    close (fd);
  if (error != NULL)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0,
                   _ ("The sampling interval cannot be kept in “%s”: %s."), path,
                   g_strerror (errsv));
  return -1;
}

guint
wpr_sample_interval_get (void)
{
  char text[16] = "";
  guint64 interval = 0;
  int fd = open_locked (FALSE, NULL);
  if (fd < 0)
    return 0;
  gssize n = read (fd, text, sizeof text - 1);
  close (fd);
  if (n <= 0)
    return 0;
  text[n] = '\0';
  g_strchomp (text);
  return g_ascii_string_to_unsigned (text, 10, LEAST_100NS, MOST_100NS, &interval, NULL)
             ? (guint)interval
             : 0;
}

gboolean
wpr_sample_interval_set (guint interval_100ns, GError **error)
{
  if (interval_100ns != 0 && (interval_100ns < LEAST_100NS || interval_100ns > MOST_100NS))
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                     _ ("A sampling interval of %u is not possible. Choose one from %d to %d, in "
                        "units of 100 nanoseconds."),
                     interval_100ns, LEAST_100NS, MOST_100NS);
      return FALSE;
    }
  int fd = open_locked (TRUE, error);
  if (fd < 0)
    return FALSE;
  g_autofree char *text
      = interval_100ns != 0 ? g_strdup_printf ("%u\n", interval_100ns) : g_strdup ("");
  gboolean good
      = wpr_write_all (fd, text, strlen (text), error) && ftruncate (fd, (off_t)strlen (text)) == 0;
  close (fd);
  if (!good && error != NULL && *error == NULL)
    wpr_set_error (error, WPR_ERROR_NOT_WRITABLE, 0, _ ("The sampling interval cannot be kept."));
  return good;
}
