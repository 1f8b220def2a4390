/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tracefs: where it is, and what it says of an event. It is one superblock for the whole system, so
 * its mount options are never touched; it is only mounted where it belongs. */
#include "config.h"
#include "perf/event-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#define STANDARD_PLACE "/sys/kernel/tracing"

/* 0 or errno of what stands in the way of reading event files below a place. Opened, not asked with
 * access(): that leaves out the capabilities a program file gives to an ordinary user. */
static int
place_error (const char *place)
{
  g_autofree char *events = g_build_filename (place, "events", NULL);
  int fd = open (events, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return errno;
  close (fd);
  return 0;
}

/* Where /proc/mounts says it is, unescaped enough for the places it is ever mounted at. NULL. */
static char *
mounted_place (void)
{
  g_autofree char *mounts = wpr_perf_read_file ("/proc/self/mounts");
  g_auto (GStrv) lines = g_strsplit (mounts != NULL ? mounts : "", "\n", -1);

  for (char **line = lines; *line != NULL; line++)
    {
      g_auto (GStrv) words = g_strsplit (*line, " ", 4);
      if (g_strv_length (words) == 4 && g_str_equal (words[2], "tracefs"))
        return g_strdup (words[1]);
    }
  return NULL;
}

static char *
find_place (int *error_number)
{
  static const char *const places[] = { STANDARD_PLACE, "/sys/kernel/debug/tracing" };

  for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
    {
      int reason = place_error (places[i]);
      if (reason == 0)
        return g_strdup (places[i]);
      if (i == 0 || reason != ENOENT)
        *error_number = reason;
    }

  g_autofree char *elsewhere = mounted_place ();
  if (elsewhere != NULL && place_error (elsewhere) == 0)
    return g_steal_pointer (&elsewhere);
  if (elsewhere == NULL && geteuid () == 0
      && mount ("tracefs", STANDARD_PLACE, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0
      && place_error (STANDARD_PLACE) == 0)
    return g_strdup (STANDARD_PLACE);
  return NULL;
}

const char *
wpr_tracefs_path (void)
{
  static GMutex lock;
  static char *place;
  int error_number = ENOENT;

  /* Only a place that was found is kept: somebody may mount it, or give us rights, meanwhile. */
  g_mutex_lock (&lock);
  if (place == NULL)
    place = find_place (&error_number);
  const char *found = place;
  g_mutex_unlock (&lock);

  if (found == NULL)
    errno = error_number;
  return found;
}

static gboolean
is_word (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (text[i]) && text[i] != '_' && text[i] != '-')
      return FALSE;
  return length > 0;
}

/* A file of the event "system:name"; NULL with errno. A profile's text never becomes a path. */
static char *
event_file (const char *name, const char *file)
{
  const char *colon = strchr (name, ':');
  if (colon == NULL || !is_word (name, (gsize)(colon - name))
      || !is_word (colon + 1, strlen (colon + 1)))
    {
      errno = EINVAL;
      return NULL;
    }
  const char *root = wpr_tracefs_path ();
  if (root == NULL)
    return NULL;

  g_autofree char *path
      = g_strdup_printf ("%s/events/%.*s/%s/%s", root, (int)(colon - name), name, colon + 1, file);
  return wpr_perf_read_file (path);
}

/* ---- what somebody else has read ---- */

typedef struct
{
  int id;
  char *format;
} Learned;

static GMutex learned_lock;
static GHashTable *learned; /* name -> Learned, for as long as the process lives */

static void
free_learned (gpointer data)
{
  g_free (((Learned *)data)->format);
  g_free (data);
}

void
wpr_tracefs_learn (const char *name, int id, const char *format)
{
  g_return_if_fail (name != NULL && format != NULL);

  Learned *one = g_new (Learned, 1);
  *one = (Learned){ id, g_strdup (format) };
  g_mutex_lock (&learned_lock);
  if (learned == NULL)
    learned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_learned);
  g_hash_table_replace (learned, g_strdup (name), one);
  g_mutex_unlock (&learned_lock);
}

/* FALSE if nobody told of it. */
static gboolean
look_up_learned (const char *name, int *id, char **format)
{
  g_mutex_lock (&learned_lock);
  const Learned *one = learned != NULL ? g_hash_table_lookup (learned, name) : NULL;
  if (one != NULL)
    {
      *id = one->id;
      *format = g_strdup (one->format);
    }
  g_mutex_unlock (&learned_lock);
  return one != NULL;
}

int
wpr_tracefs_id (const char *name)
{
  g_autofree char *text = NULL;
  int id;
  g_return_val_if_fail (name != NULL, -1);

  if (look_up_learned (name, &id, &text))
    return id;
  text = event_file (name, "id");
  return text != NULL ? atoi (text) : -1;
}

char *
wpr_tracefs_format (const char *name)
{
  char *text;
  int id;
  g_return_val_if_fail (name != NULL, NULL);

  return look_up_learned (name, &id, &text) ? text : event_file (name, "format");
}

void
wpr_raise_nofile (void)
{
  struct rlimit limit;
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max)
    {
      limit.rlim_cur = limit.rlim_max;
      setrlimit (RLIMIT_NOFILE, &limit);
    }
}
