/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recorder says what happens in the language of who began it; who looks on may have another. A
 * GError and a notice are texts, put together from messages within messages, so that nothing but
 * the text comes along: the message that made it is looked for in the catalogues, in English and in
 * each language there is, and its own translation is filled with the same arguments. */
#include "config.h"
#include "base/retell.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 4096 /* bytes: a few sentences */
#define MOST_ARGUMENTS 8
#define MOST_STEPS 20000 /* of one message: a text made to be hard is left as it is */
#define MOST_DEPTH 4     /* a reason of a reason of a reason */
#define LEAST_WEIGHT 4   /* letters: "%s: %s" would be found in everything */

/* .mo: seven words of 32 bits first; then tables of (length, offset) */
#define MO_MAGIC 0x950412de
#define MO_HEADER (7 * sizeof (guint32))

/* Points into the catalogues, which stay. */
typedef struct
{
  const char *told;   /* as one language has it */
  const char *key;    /* the msgid, behind its context if it has one */
  const char *id;     /* the msgid */
  const char *plural; /* NULL: it has none */
} Message;

typedef struct
{
  int index;       /* of the argument */
  gboolean number; /* else text */
} Directive;

typedef struct
{
  char *values[MOST_ARGUMENTS];
  gboolean numbers[MOST_ARGUMENTS];
  guint n_steps;
} Arguments;

static void
arguments_clear (Arguments *arguments)
{
  for (guint i = 0; i < MOST_ARGUMENTS; i++)
    g_clear_pointer (&arguments->values[i], g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Arguments, arguments_clear)

/* ---- the catalogues ---- */

static void
add_message (GArray *messages, const char *key, gsize key_size, const char *told, gsize told_size,
             gboolean with_id)
{
  const char *context = memchr (key, '\004', key_size);
  Message message = { .key = key, .id = context ? context + 1 : key };
  gsize length = strlen (key);
  message.plural = length < key_size ? key + length + 1 : NULL;
  if (with_id)
    {
      message.told = message.id;
      g_array_append_val (messages, message);
      message.told = message.plural;
      if (message.told != NULL)
        g_array_append_val (messages, message);
    }
  for (gsize at = 0; at < told_size; at += strlen (told + at) + 1)
    {
      message.told = told + at;
      if (*message.told != '\0')
        g_array_append_val (messages, message);
    }
}

/* Texts end with a NUL that their length leaves out. */
static gboolean
get_text (const char *data, gsize size, guint32 table, guint32 i, const char **text, gsize *length)
{
  guint32 entry[2];
  if ((guint64)table + ((guint64)i + 1) * sizeof (entry) > size)
    return FALSE;
  memcpy (entry, data + table + i * sizeof (entry), sizeof (entry));
  if ((guint64)entry[0] + entry[1] >= size || data[entry[0] + (gsize)entry[1]] != '\0')
    return FALSE;
  *text = data + entry[1];
  *length = entry[0];
  return TRUE;
}

/* One of another byte order is of another machine. */
static void
add_catalogue (GArray *messages, const char *path)
{
  char *data = NULL;
  gsize size = 0;
  guint32 words[7];
  if (!g_file_get_contents (path, &data, &size, NULL))
    return;
  if (size < MO_HEADER || (memcpy (words, data, MO_HEADER), words[0] != MO_MAGIC))
    {
      g_free (data);
      return;
    }
  gboolean first = messages->len == 0;
  for (guint32 i = 0; i < words[2]; i++)
    {
      const char *key, *told;
      gsize key_size, told_size;
      if (!get_text (data, size, words[3], i, &key, &key_size)
          || !get_text (data, size, words[4], i, &told, &told_size))
        break;
      if (key_size > 0) /* the catalogue's own head has none */
        add_message (messages, key, key_size, told, told_size, first);
    }
}

static gpointer
read_catalogues (gpointer data)
{
  GArray *messages = g_array_new (FALSE, FALSE, sizeof (Message));
  const char *folder = bindtextdomain (GETTEXT_PACKAGE, NULL);
  g_autoptr (GDir) dir = folder != NULL ? g_dir_open (folder, 0, NULL) : NULL;
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path
          = g_build_filename (folder, name, "LC_MESSAGES", GETTEXT_PACKAGE ".mo", NULL);
      add_catalogue (messages, path);
    }
  return messages;
}

/* ---- formats ---- */

/* Behind the directive at the '%'; NULL: it is a percent sign, or none this can do. */
static const char *
read_directive (const char *at, int *next, Directive *directive)
{
  char *end = NULL;
  at++;
  guint64 index = g_ascii_strtoull (at, &end, 10);
  if (end > at && *end == '$')
    at = end + 1;
  else
    {
      *next += 1;
      index = (guint64)*next;
    }
  at += strspn (at, "-+ #0'I");
  at += strspn (at, "0123456789.");
  at += strspn (at, "hlqjzt");
  if (*at == '\0' || strchr ("sdiuxXfgec", *at) == NULL || index < 1 || index > MOST_ARGUMENTS)
    return NULL;
  directive->index = (int)index - 1;
  directive->number = *at != 's' && *at != 'c';
  return at + 1;
}

/* What must stand in the text for sure: letters; one of another script says more. */
static guint
weigh (const char *format)
{
  guint weight = 0;
  for (; *format != '\0'; format = g_utf8_next_char (format))
    {
      int next = 0;
      Directive directive;
      const char *behind = *format == '%' ? read_directive (format, &next, &directive) : NULL;
      gunichar letter = g_utf8_get_char (behind != NULL ? "%" : format);
      if (behind != NULL)
        format = behind - 1;
      weight += !g_unichar_isalpha (letter) ? 0 : letter < 0x80 ? 1 : 2;
    }
  return weight;
}

static gboolean
is_number (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isxdigit (text[i]) && strchr ("+-., '", text[i]) == NULL && (guchar)text[i] < 0x80)
      return FALSE;
  return length > 0;
}

static gboolean match (const char *format, int next, const char *text, Arguments *arguments);

/* The shortest argument that lets the rest match. */
static gboolean
match_argument (const Directive *directive, const char *format, int next, const char *text,
                Arguments *arguments)
{
  char **value = &arguments->values[directive->index];
  for (gsize length = *format == '\0' ? strlen (text) : 0; arguments->n_steps++ < MOST_STEPS;
       length++)
    {
      if ((!directive->number || is_number (text, length))
          && match (format, next, text + length, arguments))
        {
          g_free (*value);
          *value = g_strndup (text, length);
          arguments->numbers[directive->index] = directive->number;
          return TRUE;
        }
      if (text[length] == '\0')
        return FALSE;
    }
  return FALSE;
}

static gboolean
match (const char *format, int next, const char *text, Arguments *arguments)
{
  for (; *format != '\0'; format++, text++)
    {
      Directive directive;
      const char *behind = *format == '%' ? read_directive (format, &next, &directive) : NULL;
      if (behind != NULL)
        return match_argument (&directive, behind, next, text, arguments);
      if (format[0] == '%' && format[1] == '%')
        format++;
      if (*format != *text)
        return FALSE;
    }
  return *text == '\0';
}

/* ---- telling ---- */

static char *tell (const char *text, guint depth);

/* As many as the first figure says. */
static gulong
get_number (const Arguments *arguments)
{
  for (guint i = 0; i < MOST_ARGUMENTS; i++)
    {
      const char *value = arguments->values[i];
      if (value == NULL || !g_ascii_isdigit (*value))
        continue;
      gulong number = 0;
      for (; *value != '\0'; value++)
        if (g_ascii_isdigit (*value))
          number = number * 10 + (gulong)(*value - '0');
      return number;
    }
  return 1;
}

/* NULL: the translation wants what the text did not have. */
static char *
fill (const char *format, const Arguments *arguments, guint depth)
{
  g_autoptr (GString) out = g_string_new (NULL);
  int next = 0;
  while (*format != '\0')
    {
      Directive directive;
      const char *behind = *format == '%' ? read_directive (format, &next, &directive) : NULL;
      if (behind == NULL)
        {
          if (format[0] == '%' && format[1] == '%')
            format++;
          g_string_append_c (out, *format++);
          continue;
        }
      const char *value = arguments->values[directive.index];
      if (value == NULL)
        return NULL;
      g_autofree char *told = arguments->numbers[directive.index] ? NULL : tell (value, depth + 1);
      g_string_append (out, told != NULL ? told : value);
      format = behind;
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* What the C library says of an error number. */
static char *
tell_errno (const char *text)
{
  for (int number = 1; number <= EHWPOISON; number++)
    if (g_strcmp0 (strerrordesc_np (number), text) == 0)
      return g_strdup (g_strerror (number));
  return NULL;
}

/* NULL: no message makes that text. */
static char *
tell (const char *text, guint depth)
{
  static GOnce once = G_ONCE_INIT;
  const GArray *messages = g_once (&once, read_catalogues, NULL);
  if (depth > MOST_DEPTH || *text == '\0' || strlen (text) > LONGEST)
    return NULL;
  const Message *best = NULL;
  guint best_weight = 0;
  for (guint i = 0; i < messages->len; i++)
    {
      const Message *message = &g_array_index (messages, Message, i);
      g_auto (Arguments) arguments = { .n_steps = 0 };
      guint weight = g_str_equal (message->told, text) ? G_MAXUINT : 0;
      if (weight == 0 && match (message->told, 0, text, &arguments))
        weight = weigh (message->told);
      if (weight >= LEAST_WEIGHT && weight > best_weight)
        {
          best = message;
          best_weight = weight;
        }
    }
  if (best == NULL)
    return tell_errno (text);
  g_auto (Arguments) arguments = { .n_steps = 0 };
  if (!match (best->told, 0, text, &arguments))
    return NULL;
  const char *format
      = best->plural != NULL
            ? g_dngettext (GETTEXT_PACKAGE, best->key, best->plural, get_number (&arguments))
            : g_dpgettext (GETTEXT_PACKAGE, best->key, (gsize)(best->id - best->key));
  return fill (format, &arguments, depth);
}

char *
wpr_retell (const char *text)
{
  g_return_val_if_fail (text != NULL, NULL);
  char *told = g_utf8_validate (text, -1, NULL) ? tell (text, 0) : NULL;
  return told != NULL ? told : g_strdup (text);
}
