/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Saying things to people. */
#include "config.h"
#include "say.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <wpr-error.h>

#include "json.h"

void
wpr_say (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_print ("%s\n", text);
  fflush (stdout);
}

void
wpr_warn (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_printerr ("wpr: %s\n", text);
}

int
wpr_complain (const GError *error, gboolean json)
{
  int status = wpr_error_exit_status (error);
  guint32 number = wpr_error_get_number (error);
  if (number != 0)
    wpr_warn ("%s (0x%08x)", error->message, number);
  else
    wpr_warn ("%s", error->message);
  if (json)
    {
      WprJson out = WPR_JSON_INIT;
      g_autofree char *digits = number != 0 ? g_strdup_printf ("0x%08x", number) : NULL;
      wpr_json_open (&out, NULL, '{');
      wpr_json_integer (&out, "version", 1);
      wpr_json_open (&out, "error", '{');
      wpr_json_string (&out, "code", wpr_error_code_name (error));
      wpr_json_string (&out, "number", digits);
      wpr_json_integer (&out, "exit_status", status);
      wpr_json_string (&out, "message", error->message);
      wpr_json_close (&out, '}');
      wpr_json_close (&out, '}');
      wpr_json_print (&out);
    }
  return status;
}

char *
wpr_format_span (gint64 ns)
{
  gint64 seconds = MAX (ns, 0) / 1000000000;
  if (seconds < 3600)
    return g_strdup_printf ("%d:%02d", (int)(seconds / 60), (int)(seconds % 60));
  return g_strdup_printf ("%d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                          (int)(seconds % 60));
}

char *
wpr_format_when (gint64 realtime_ns)
{
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_local (realtime_ns / 1000000000);
  return when != NULL ? g_date_time_format (when, "%F %T") : g_strdup ("?");
}

char *
wpr_format_count (guint64 count)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT, count);
}

char *
wpr_format_bytes (guint64 bytes)
{
  return g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
}

char *
wpr_format_path (const char *path)
{
  g_autofree char *display = g_filename_display_name (path);
  GString *text = g_string_new (NULL);
  for (const char *c = display; *c != '\0'; c = g_utf8_next_char (c))
    {
      gunichar letter = g_utf8_get_char (c);
      if (letter == '\n')
        g_string_append (text, "\\n");
      else if (g_unichar_iscntrl (letter))
        g_string_append_printf (text, "\\x%02x", letter);
      else
        g_string_append_unichar (text, letter);
    }
  return g_string_free (text, FALSE);
}
