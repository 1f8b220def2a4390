/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The closed form of a tracepoint's filter: read term by term, and printed anew. Opens nothing. */
#include "config.h"
#include "perf/filter.h"

#include <string.h>

/* The kernel copies at most a page. */
#define FILTER_BYTES_MOST 4095
#define COMM_MOST 15
#define VALUE_MOST 64

static const char *const fields[] = { "common_pid", "comm", "name" };
static const char *const operators[] = { "==", "!=", "~" };
static const char *const joints[] = { "&&", "||" };

/* The one of the table that the text begins with, behind spaces; moves on. NULL: none. */
static const char *
take_of (const char **at, const char *const *table, gsize n)
{
  *at += strspn (*at, " ");
  for (gsize i = 0; i < n; i++)
    if (g_str_has_prefix (*at, table[i]))
      {
        *at += strlen (table[i]);
        return table[i];
      }
  return NULL;
}

/* A number, or a name in quotes: printable, and nothing that ends or escapes the quotes. */
static gboolean
take_value (const char **at, const char *field, const char *operator_, GString *out)
{
  gboolean is_number = field == fields[0];
  *at += strspn (*at, " ");
  if (is_number != (**at != '"') || (operator_ == operators[2]) != (field == fields[2]))
    return FALSE;
  const char *start = *at + !is_number;
  gsize length = is_number ? strspn (start, "0123456789") : strcspn (start, "\"");
  if (length == 0 || (is_number && length > 10) || (!is_number && start[length] != '"')
      || (field == fields[1] && length > COMM_MOST) || length > VALUE_MOST)
    return FALSE;
  for (gsize i = 0; i < length; i++)
    if ((guchar)start[i] < ' ' || start[i] == '\\' || start[i] == 0x7f)
      return FALSE;
  g_string_append_printf (out, is_number ? "%.*s" : "\"%.*s\"", (int)length, start);
  *at = start + length + !is_number;
  return TRUE;
}

char *
wpr_filter_print_anew (const char *filter)
{
  g_autoptr (GString) out = g_string_new (NULL);
  for (guint n = 0; n < WPR_FILTER_TERMS_MOST; n++)
    {
      const char *field = take_of (&filter, fields, G_N_ELEMENTS (fields));
      const char *operator_ = take_of (&filter, operators, G_N_ELEMENTS (operators));
      if (field == NULL || operator_ == NULL)
        return NULL;
      g_string_append_printf (out, "%s %s ", field, operator_);
      if (!take_value (&filter, field, operator_, out) || out->len > FILTER_BYTES_MOST)
        return NULL;
      const char *joint = take_of (&filter, joints, G_N_ELEMENTS (joints));
      if (joint == NULL)
        return *filter == '\0' ? g_string_free (g_steal_pointer (&out), FALSE) : NULL;
      g_string_append_printf (out, " %s ", joint);
    }
  return NULL;
}
