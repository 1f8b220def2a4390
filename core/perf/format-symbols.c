/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of flags and symbols out of a format text's print format, such as the letters of
 * sched_switch's prev_state: this kernel's own, since they moved between versions. */
#include "config.h"
#include "perf/format.h"

#include <string.h>
#include <traceevent/event-parse.h>

typedef struct tep_handle TepHandle;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TepHandle, tep_free)

/* Expressions nest as deep as a text of at most some KiB lets them; the library itself recurses. */
#define DEPTH_MOST 64

typedef struct
{
  const char *field;
  GArray *symbols; /* WprFieldSymbol */
} Search;

/* Whether an expression reads the field, as in `REC->prev_state & 0xff`. */
static gboolean
reads_field (const struct tep_print_arg *arg, const char *field, guint depth)
{
  if (arg == NULL || depth > DEPTH_MOST)
    return FALSE;
  switch (arg->type)
    {
    case TEP_PRINT_FIELD:
      return arg->field.name != NULL && strcmp (arg->field.name, field) == 0;
    case TEP_PRINT_TYPE:
      return reads_field (arg->typecast.item, field, depth + 1);
    case TEP_PRINT_OP:
      return reads_field (arg->op.left, field, depth + 1)
             || reads_field (arg->op.right, field, depth + 1);
    default:
      return FALSE;
    }
}

static void
append_symbols (Search *search, const struct tep_print_flag_sym *symbol)
{
  for (; symbol != NULL; symbol = symbol->next)
    {
      if (symbol->value == NULL || symbol->str == NULL)
        continue;
      WprFieldSymbol named = {
        .value = symbol->value[0] == '-' ? (guint64)g_ascii_strtoll (symbol->value, NULL, 0)
                                         : g_ascii_strtoull (symbol->value, NULL, 0),
        .name = g_strdup (symbol->str),
      };
      g_array_append_val (search->symbols, named);
    }
}

/* Takes the first table of the field it meets. */
static void
visit (Search *search, const struct tep_print_arg *arg, guint depth)
{
  for (; arg != NULL && search->symbols->len == 0 && depth < DEPTH_MOST; arg = arg->next)
    switch (arg->type)
      {
      case TEP_PRINT_FLAGS:
        if (reads_field (arg->flags.field, search->field, 0))
          append_symbols (search, arg->flags.flags);
        break;
      case TEP_PRINT_SYMBOL:
        if (reads_field (arg->symbol.field, search->field, 0))
          append_symbols (search, arg->symbol.symbols);
        break;
      case TEP_PRINT_TYPE:
        visit (search, arg->typecast.item, depth + 1);
        break;
      case TEP_PRINT_OP:
        visit (search, arg->op.left, depth + 1);
        visit (search, arg->op.right, depth + 1);
        break;
      default:
        break;
      }
}

static void
clear_symbol (gpointer symbol)
{
  g_free (((WprFieldSymbol *)symbol)->name);
}

GArray *
wpr_format_symbols (const char *text, const char *field)
{
  g_return_val_if_fail (text != NULL && field != NULL, NULL);

  Search search = { field, g_array_new (FALSE, FALSE, sizeof (WprFieldSymbol)) };
  g_array_set_clear_func (search.symbols, clear_symbol);

  g_autoptr (TepHandle) tep = tep_alloc ();
  struct tep_event *event = NULL;
  tep_set_loglevel (TEP_LOG_NONE);
  if (tep != NULL && tep_parse_format (tep, &event, text, strlen (text), "any") == 0
      && event != NULL)
    visit (&search, event->print_fmt.args, 0);
  return search.symbols;
}
