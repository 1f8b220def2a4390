/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "walked.h"

/* Lines of the walker, NULL-terminated. */
char **
walked (const Drive *d, const char *what)
{
  g_autofree char *path = drive_path (d, "layouts.etl");
  const char *argv[] = { g_getenv ("WPR_WALKER"), path, what, NULL };
  g_autofree char *out = NULL;
  g_autoptr (GError) error = NULL;
  int status = -1;

  assert_non_null (argv[0]);
  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                     &error))
    fail_msg ("%s", error->message);
  if (status != 0)
    fail_msg ("the walker says: %s", strstr (out, "fault") != NULL ? strstr (out, "fault") : out);
  return g_strsplit (out, "\n", -1);
}

gboolean
walked_parse (const char *line, Raw *raw)
{
  char hex[2048];

  if (sscanf (line, "raw %" G_GUINT64_FORMAT " %u %d %d %2047s", &raw->ticks, &raw->cpu, &raw->pid,
              &raw->tid, hex)
      != 5)
    return FALSE;
  raw->size = (guint)strlen (hex) / 2;
  for (guint i = 0; i < raw->size; i++)
    raw->bytes[i]
        = (guint8)(g_ascii_xdigit_value (hex[2 * i]) << 4 | g_ascii_xdigit_value (hex[2 * i + 1]));
  return TRUE;
}

guint64
walked_u64 (const guint8 *at)
{
  guint64 value;

  memcpy (&value, at, sizeof value);
  return GUINT64_FROM_LE (value);
}

guint32
walked_u32 (const guint8 *at)
{
  return (guint32)walked_u64 (at);
}

void
walked_start (Drive *d, const char *profile)
{
  Answer answer = { 0 };

  drive_init (d);
  drive_start (d, drive_choice (profile, WPR_MODE_FILE), &answer);
  assert_good (&answer);
  answer_clear (&answer);
}

void
walked_stop (Drive *d)
{
  Answer answer = { 0 };

  drive_stop (d, "layouts.etl", NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);
}

guint
walked_count (const Drive *d, const char *what)
{
  g_auto (GStrv) lines = walked (d, "kinds");
  g_autofree char *prefix = g_strdup_printf ("kind %s ", what);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], prefix))
      return (guint)g_ascii_strtoull (lines[i] + strlen (prefix), NULL, 10);
  return 0;
}
