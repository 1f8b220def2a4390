/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words behind a verb, sorted into options, words and faults by a table of the verb's options.
 * Parsing never fails: -stop must save first and complain after; every other verb asks
 * wpr_arguments_check() before it does anything. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_OPTION_FLAG,  /* stands alone */
  WPR_OPTION_VALUE, /* takes the next word; the last one counts */
  WPR_OPTION_AGAIN, /* the verb's own name once more: what follows is a word like the others */
  WPR_OPTION_LATER, /* of a later version, stands alone */
  WPR_OPTION_LATER_VALUE, /* of a later version, takes the next word */
} WprOptionKind;

typedef struct
{
  const char *name; /* without dashes, lower case */
  WprOptionKind kind;
} WprOption;

typedef struct
{
  GPtrArray *words;   /* const char *: neither an option nor an option's value */
  GHashTable *values; /* option name -> value; flags: "" */
  GPtrArray *faults;  /* GError *: unknown, later, without its value */
} WprArguments;

/* Options are found with one dash or two, in any case. "--" ends them. The words borrow from argv.
 */
WprArguments *wpr_arguments_parse (int argc, char **argv, const WprOption *options,
                                   gsize n_options);
void wpr_arguments_free (WprArguments *arguments);
/* FALSE with the first fault, or with WPR_ERROR_USAGE for more than most_words words. */
gboolean wpr_arguments_check (WprArguments *arguments, guint most_words, GError **error);
gboolean wpr_arguments_has (WprArguments *arguments, const char *option);
const char *wpr_arguments_get (WprArguments *arguments, const char *option); /* NULL: not given */
const char *wpr_arguments_word (WprArguments *arguments, guint index);       /* NULL: no such */
/* A whole number of an option within limits; WPR_ERROR_USAGE says what is allowed. Absent: TRUE,
 * *number untouched. */
gboolean wpr_arguments_number (WprArguments *arguments, const char *option, guint least, guint most,
                               guint *number, GError **error);
/* The option's name, lower case and without dashes, if the word is one ("-5" is not). Free it. */
char *wpr_option_name (const char *word);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprArguments, wpr_arguments_free)

G_END_DECLS
