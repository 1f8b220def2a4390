/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What may stand in an attribute. */
#include "config.h"
#include "profile/keywords.h"
#include "profile/schema.h"
#include "profile/stacks.h"
#include "profile/suggest.h"

#include <inttypes.h>
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

static const WprValueType types[] = {
  { "text", WPR_VALUE_TEXT },
  { "id", WPR_VALUE_ID },
  { "boolean", WPR_VALUE_BOOLEAN },
  { "byte", WPR_VALUE_NUMBER, 0, 255 },
  { "short", WPR_VALUE_NUMBER, 1, 65535 },
  { "uint", WPR_VALUE_NUMBER, 0, G_MAXUINT32 },
  /* One buffer of ETW has 4 KB to 1 GB here, far beyond what anybody profits from. */
  { "kb", WPR_VALUE_NUMBER, 4, 1048576, NULL, "KB" },
  { "mb", WPR_VALUE_NUMBER, 1, G_MAXUINT32 / 1024, NULL, "MB" },
  { "file-mb", WPR_VALUE_NUMBER, 1, G_MAXUINT32, NULL, "MB" },
  { "seconds", WPR_VALUE_NUMBER, 0, G_MAXUINT32, NULL, "s" },
  { "delay", WPR_VALUE_NUMBER, 1, 3600, NULL, "s" },
  { "file-max", WPR_VALUE_NUMBER, 0, 16 },
  { "interval", WPR_VALUE_NUMBER, 1221, G_MAXINT32 },
  { "integer", WPR_VALUE_INTEGER },
  { "decimal", WPR_VALUE_DECIMAL },
  { "float", WPR_VALUE_DECIMAL },
  { "hex", WPR_VALUE_HEX },
  { "hex-or-dec", WPR_VALUE_HEX_OR_DEC },
  { "keyword", WPR_VALUE_KEYWORD },
  { "stack", WPR_VALUE_STACK },
  { "timeout", WPR_VALUE_TIMEOUT, 0, 4294967, NULL, "s" },
  { "pool-tag", WPR_VALUE_SHORT, 1, 4 },
  { "file-part", WPR_VALUE_FILE_PART },
  { "operation", WPR_VALUE_ENUM, 0, 0, "Set|Add|Remove" },
  { "name-operation", WPR_VALUE_ENUM, 0, 0, "Set|Add" },
  { "mode", WPR_VALUE_ENUM, 0, 0, "File|Memory" },
  { "level", WPR_VALUE_ENUM, 0, 0, "Light|Verbose" },
  { "file-mode", WPR_VALUE_ENUM, 0, 0, "Circular|Sequential" },
  { "rundown", WPR_VALUE_ENUM, 0, 0, "Start|Stop" },
  { "architecture", WPR_VALUE_ENUM, 0, 0, "ARM|INTEL|AMD" },
  { "branch", WPR_VALUE_ENUM, 0, 0,
    "ConditionalBranches|NearRelativeCalls|NearIndirectCalls|NearReturns|NearIndirectJumps|"
    "FarBranches|Kernel|User|StackMode" },
  { "code-mode", WPR_VALUE_ENUM, 0, 0, "User|Kernel|UserKernel" },
  { "trace-size", WPR_VALUE_ENUM, 0, 0, "4|8|16|32" },
  { "custom-event", WPR_VALUE_ENUM, 0, 0,
    "None|ImageId|BuildInfo|VolumeMapping|EventMetadata|PerfTrackMetadata|WinSAT|"
    "NetworkInterface" },
  { "transition", WPR_VALUE_ENUM, 0, 0,
    "On/Off - Boot|On/Off - FastStartup|On/Off - Shutdown|On/Off - RebootCycle|"
    "On/Off - Standby/Resume|On/Off - Hibernate/Resume" },
};

const WprValueType *
wpr_value_type_find (const char *name, gsize size)
{
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (strlen (types[i].name) == size && strncmp (types[i].name, name, size) == 0)
      return &types[i];
  return NULL;
}

char *
wpr_value_get (const WprValueType *type, guint index)
{
  if (type->kind == WPR_VALUE_KEYWORD)
    return wpr_keyword_get (index) != NULL ? g_strdup (wpr_keyword_get (index)->keyword) : NULL;
  if (type->kind == WPR_VALUE_STACK)
    return wpr_stack_get (index) != NULL ? g_strdup (wpr_stack_get (index)->stack) : NULL;
  const char *at = type->kind == WPR_VALUE_BOOLEAN ? "true|false" : type->values;
  while (at != NULL && index-- > 0)
    {
      at = strchr (at, '|');
      if (at != NULL)
        at++;
    }
  return at != NULL ? g_strndup (at, strcspn (at, "|")) : NULL;
}

static gboolean
wpr_value_is_among (const WprValueType *type, const char *value, char **nearest)
{
  WprSuggest suggest = { .word = value };
  g_autofree char *best = NULL;
  for (guint i = 0;; i++)
    {
      g_autofree char *word = wpr_value_get (type, i);
      if (word == NULL)
        break;
      if (g_str_equal (word, value))
        return TRUE;
      guint before = suggest.best != NULL ? suggest.distance : G_MAXUINT;
      wpr_suggest_offer (&suggest, word);
      if (suggest.best == NULL || suggest.distance >= before)
        continue;
      g_free (best);
      best = g_strdup (word);
      suggest.best = best;
    }
  *nearest = g_steal_pointer (&best);
  return FALSE;
}

static gboolean
wpr_value_is_number (const WprValueType *type, const char *value, char **nearest)
{
  char *end = NULL;
  errno = 0;
  guint64 number = g_ascii_strtoull (value, &end, 10);
  gboolean is_within = end > value && g_ascii_isdigit (*value) && errno == 0
                       && number >= type->least && number <= type->most;
  if (is_within && *end == '\0')
    return TRUE;
  if (is_within) /* "1024KB" */
    *nearest = g_strdup_printf ("%" G_GUINT64_FORMAT, number);
  return FALSE;
}

static gboolean
wpr_value_is_decimal (const char *value)
{
  char *end = NULL;
  double number = g_ascii_strtod (value, &end);
  return (g_ascii_isdigit (*value) || *value == '.') && *end == '\0' && isfinite (number)
         && strpbrk (value, "xXpP") == NULL;
}

static gboolean
wpr_value_is_hex (const WprValueType *type, const char *value, char **nearest)
{
  gboolean has_prefix = value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
  const char *digits = has_prefix ? value + 2 : value;
  gsize n_digits = strspn (digits, "0123456789abcdefABCDEF");
  if (n_digits == 0 || digits[n_digits] != '\0')
    return FALSE;
  if (type->kind == WPR_VALUE_HEX_OR_DEC)
    return TRUE;
  if (has_prefix && value[1] == 'x' && n_digits <= 8)
    return TRUE;
  if (n_digits <= 8)
    *nearest = g_strdup_printf ("0x%s", digits);
  return FALSE;
}

static gboolean
wpr_value_is_id (const char *value)
{
  for (const char *at = value; *at != '\0'; at++)
    if (*at == ':' || g_ascii_isspace (*at))
      return FALSE;
  return *value != '\0';
}

gboolean
wpr_value_check (const WprValueType *type, const char *value, char **nearest)
{
  *nearest = NULL;
  switch (type->kind)
    {
    case WPR_VALUE_TEXT:
      return TRUE;
    case WPR_VALUE_ID:
      return wpr_value_is_id (value);
    case WPR_VALUE_BOOLEAN:
      return g_str_equal (value, "1") || g_str_equal (value, "0")
             || wpr_value_is_among (type, value, nearest);
    case WPR_VALUE_TIMEOUT:
      return g_str_equal (value, "infinite") || wpr_value_is_number (type, value, nearest);
    case WPR_VALUE_NUMBER:
      return wpr_value_is_number (type, value, nearest);
    case WPR_VALUE_INTEGER:
      return g_ascii_string_to_signed (value + (*value == '+'), 10, G_MININT64, G_MAXINT64, NULL,
                                       NULL);
    case WPR_VALUE_DECIMAL:
      return wpr_value_is_decimal (value);
    case WPR_VALUE_HEX:
    case WPR_VALUE_HEX_OR_DEC:
      return wpr_value_is_hex (type, value, nearest);
    case WPR_VALUE_ENUM:
    case WPR_VALUE_KEYWORD:
    case WPR_VALUE_STACK:
      return wpr_value_is_among (type, value, nearest);
    case WPR_VALUE_SHORT:
      return (guint64)g_utf8_strlen (value, -1) >= type->least
             && (guint64)g_utf8_strlen (value, -1) <= type->most;
    case WPR_VALUE_FILE_PART:
      return *value != '\0' && strpbrk (value, "\\/:*?|>\"\f") == NULL;
    }
  return FALSE;
}

static char *
wpr_value_describe_words (const WprValueType *type)
{
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0;; i++)
    {
      g_autofree char *word = wpr_value_get (type, i), *next = wpr_value_get (type, i + 1);
      if (word == NULL)
        return g_string_free (g_steal_pointer (&text), FALSE);
      if (text->len > 0)
        g_string_append (text, next != NULL ? ", " : _ (" or "));
      g_string_append (text, word);
    }
}

char *
wpr_value_describe (const WprValueType *type)
{
  switch (type->kind)
    {
    case WPR_VALUE_TEXT:
      return g_strdup (_ ("any text"));
    case WPR_VALUE_ID:
      return g_strdup (_ ("one or more characters without “:” and spaces"));
    case WPR_VALUE_NUMBER:
      return g_strdup_printf (_ ("a number from %" PRIu64 " to %" PRIu64), type->least, type->most);
    case WPR_VALUE_TIMEOUT:
      return g_strdup_printf (_ ("a number from %" PRIu64 " to %" PRIu64 ", or infinite"),
                              type->least, type->most);
    case WPR_VALUE_INTEGER:
      return g_strdup (_ ("a whole number"));
    case WPR_VALUE_DECIMAL:
      return g_strdup (_ ("a number"));
    case WPR_VALUE_HEX:
      return g_strdup (_ ("0x and up to 8 hexadecimal digits"));
    case WPR_VALUE_HEX_OR_DEC:
      return g_strdup (_ ("a number, decimal or hexadecimal"));
    case WPR_VALUE_KEYWORD:
      return g_strdup (_ ("a system keyword"));
    case WPR_VALUE_STACK:
      return g_strdup (_ ("the name of a system stack"));
    case WPR_VALUE_SHORT:
      return g_strdup_printf (_ ("%" PRIu64 " to %" PRIu64 " characters"), type->least, type->most);
    case WPR_VALUE_FILE_PART:
      return g_strdup (_ ("text without \\ / : * ? | > and quotes"));
    case WPR_VALUE_BOOLEAN:
    case WPR_VALUE_ENUM:
      break;
    }
  return wpr_value_describe_words (type);
}
