/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing JSON. */
#include "config.h"
#include "json.h"

#include <math.h>
#include <stdio.h>

static void
append_quoted (GString *text, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  g_string_append_c (text, '"');
  for (const char *c = valid; *c != '\0'; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (text, "\\%c", *c);
    else if ((guchar)*c < 0x20 || *c == 0x7f)
      g_string_append_printf (text, "\\u%04x", (guchar)*c);
    else
      g_string_append_c (text, *c);
  g_string_append_c (text, '"');
}

static void
begin_value (WprJson *json, const char *key)
{
  if (json->wants_comma)
    g_string_append_c (json->text, ',');
  json->wants_comma = TRUE;
  if (key != NULL)
    {
      append_quoted (json->text, key);
      g_string_append_c (json->text, ':');
    }
}

void
wpr_json_open (WprJson *json, const char *key, char bracket)
{
  begin_value (json, key);
  g_string_append_c (json->text, bracket);
  json->wants_comma = FALSE;
}

void
wpr_json_close (WprJson *json, char bracket)
{
  g_string_append_c (json->text, bracket);
  json->wants_comma = TRUE;
}

void
wpr_json_string (WprJson *json, const char *key, const char *value)
{
  if (value == NULL)
    {
      wpr_json_raw (json, key, "null");
      return;
    }
  begin_value (json, key);
  append_quoted (json->text, value);
}

void
wpr_json_integer (WprJson *json, const char *key, gint64 value)
{
  begin_value (json, key);
  g_string_append_printf (json->text, "%" G_GINT64_FORMAT, value);
}

void
wpr_json_unsigned (WprJson *json, const char *key, guint64 value)
{
  begin_value (json, key);
  g_string_append_printf (json->text, "%" G_GUINT64_FORMAT, value);
}

void
wpr_json_double (WprJson *json, const char *key, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  /* Six digits behind the point: a fill of one buffer in a million is still seen. */
  wpr_json_raw (json, key,
                isfinite (value) ? g_ascii_formatd (digits, sizeof digits, "%.6f", value) : "null");
}

void
wpr_json_boolean (WprJson *json, const char *key, gboolean value)
{
  wpr_json_raw (json, key, value ? "true" : "false");
}

void
wpr_json_strings (WprJson *json, const char *key, const char *const *values, gsize n)
{
  wpr_json_open (json, key, '[');
  for (gsize i = 0; i < n; i++)
    wpr_json_string (json, NULL, values[i]);
  wpr_json_close (json, ']');
}

void
wpr_json_raw (WprJson *json, const char *key, const char *value)
{
  begin_value (json, key);
  g_string_append (json->text, value);
}

void
wpr_json_print (WprJson *json)
{
  g_string_append_c (json->text, '\n');
  fwrite (json->text->str, 1, json->text->len, stdout);
  fflush (stdout);
  g_string_free (json->text, TRUE);
  json->text = NULL;
}
