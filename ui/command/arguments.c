/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorting the words behind a verb. Does not know any verb. */
#include "config.h"
#include "arguments.h"

#include <glib/gi18n.h>
#include <wpr-error.h>

char *
wpr_option_name (const char *word)
{
  const char *name = word;
  if (*name != '-')
    return NULL;
  name += name[1] == '-' ? 2 : 1;
  return g_ascii_isalpha (*name) || *name == '?' ? g_ascii_strdown (name, -1) : NULL;
}

static const WprOption *
find_option (const char *name, const WprOption *options, gsize n_options)
{
  for (gsize i = 0; i < n_options; i++)
    if (g_str_equal (options[i].name, name))
      return &options[i];
  return NULL;
}

static void
add_fault (WprArguments *self, WprErrorCode code, const char *format, const char *what)
{
  GError *fault = NULL;
  g_autofree char *text = NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  text = g_strdup_printf (format, what);
#pragma GCC diagnostic pop
  /* 0xc5600602 is what WPR answers to every fault of usage. */
  wpr_set_error (&fault, code, code == WPR_ERROR_USAGE ? 0xc5600602 : 0, "%s", text);
  g_ptr_array_add (self->faults, fault);
}

/* Takes one option, and its value if it has one; returns how many words were used. */
static int
take_option (WprArguments *self, const char *word, const char *name, const char *next,
             const WprOption *options, gsize n_options)
{
  const WprOption *option = find_option (name, options, n_options);
  if (option == NULL)
    {
      add_fault (self, WPR_ERROR_USAGE,
                 _ ("%s is not an option here. \"wpr -help\" lists the options of every command."),
                 word);
      return 1;
    }
  switch (option->kind)
    {
    case WPR_OPTION_LATER:
    case WPR_OPTION_LATER_VALUE:
      add_fault (self, WPR_ERROR_NOT_AVAILABLE, _ ("%s is not in this version."), word);
      return option->kind == WPR_OPTION_LATER || next == NULL ? 1 : 2;
    case WPR_OPTION_AGAIN:
      return 1;
    case WPR_OPTION_FLAG:
      g_hash_table_replace (self->values, g_strdup (name), g_strdup (""));
      return 1;
    case WPR_OPTION_VALUE:
      break;
    }
  if (next == NULL)
    {
      add_fault (self, WPR_ERROR_USAGE, _ ("%s must be followed by a value."), word);
      return 1;
    }
  g_hash_table_replace (self->values, g_strdup (name), g_strdup (next));
  return 2;
}

WprArguments *
wpr_arguments_parse (int argc, char **argv, const WprOption *options, gsize n_options)
{
  WprArguments *self = g_new0 (WprArguments, 1);
  self->words = g_ptr_array_new ();
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->faults = g_ptr_array_new_with_free_func ((GDestroyNotify)g_error_free);
  gboolean only_words = FALSE;
  for (int i = 0; i < argc;)
    {
      g_autofree char *name = only_words ? NULL : wpr_option_name (argv[i]);
      if (!only_words && g_str_equal (argv[i], "--"))
        {
          only_words = TRUE;
          i++;
        }
      else if (name != NULL)
        i += take_option (self, argv[i], name, i + 1 < argc ? argv[i + 1] : NULL, options,
                          n_options);
      else
        g_ptr_array_add (self->words, argv[i++]);
    }
  return self;
}

void
wpr_arguments_free (WprArguments *arguments)
{
  if (arguments == NULL)
    return;
  g_ptr_array_unref (arguments->words);
  g_hash_table_unref (arguments->values);
  g_ptr_array_unref (arguments->faults);
  g_free (arguments);
}

gboolean
wpr_arguments_check (WprArguments *arguments, guint most_words, GError **error)
{
  if (arguments->faults->len > 0)
    {
      g_propagate_error (error, g_error_copy (g_ptr_array_index (arguments->faults, 0)));
      return FALSE;
    }
  if (arguments->words->len > most_words)
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                     _ ("\"%s\" is one word too many here. A name with spaces must be in quotes."),
                     (const char *)g_ptr_array_index (arguments->words, most_words));
      return FALSE;
    }
  return TRUE;
}

gboolean
wpr_arguments_has (WprArguments *arguments, const char *option)
{
  return g_hash_table_contains (arguments->values, option);
}

const char *
wpr_arguments_get (WprArguments *arguments, const char *option)
{
  return g_hash_table_lookup (arguments->values, option);
}

const char *
wpr_arguments_word (WprArguments *arguments, guint index)
{
  return index < arguments->words->len ? g_ptr_array_index (arguments->words, index) : NULL;
}

gboolean
wpr_arguments_number (WprArguments *arguments, const char *option, guint least, guint most,
                      guint *number, GError **error)
{
  const char *text = wpr_arguments_get (arguments, option);
  guint64 value = 0;
  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, least, most, &value, NULL))
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0xc5600602,
                     _ ("-%s takes a whole number from %u to %u, not \"%s\"."), option, least, most,
                     text);
      return FALSE;
    }
  *number = (guint)value;
  return TRUE;
}
