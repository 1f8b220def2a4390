/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing JSON: one value after the other into a string. Keys are NULL inside arrays. The caller
 * balances open and close. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GString *text;
  gboolean wants_comma;
} WprJson;

#define WPR_JSON_INIT          \
  {                            \
    g_string_new (NULL), FALSE \
  }

void wpr_json_open (WprJson *json, const char *key, char bracket); /* '{' or '[' */
void wpr_json_close (WprJson *json, char bracket);                 /* '}' or ']' */
/* What is not UTF-8 in value is replaced; NULL is null. */
void wpr_json_string (WprJson *json, const char *key, const char *value);
void wpr_json_integer (WprJson *json, const char *key, gint64 value);
void wpr_json_unsigned (WprJson *json, const char *key, guint64 value);
void wpr_json_double (WprJson *json, const char *key, double value);
void wpr_json_boolean (WprJson *json, const char *key, gboolean value);
void wpr_json_strings (WprJson *json, const char *key, const char *const *values, gsize n);
/* A value that is JSON already. */
void wpr_json_raw (WprJson *json, const char *key, const char *value);
/* Writes the text and a newline to stdout as UTF-8, whatever the locale, and frees it. */
void wpr_json_print (WprJson *json);

G_END_DECLS
