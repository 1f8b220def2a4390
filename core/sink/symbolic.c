/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "sink/symbolic.h"

#include <stdlib.h>
#include <string.h>

struct _WprSymbolic
{
  guint size;    /* of the field, at most 8 */
  GArray *names; /* WprFieldSymbol, by value */
};

static int
compare (gconstpointer a, gconstpointer b)
{
  const WprFieldSymbol *x = a, *y = b;

  return (x->value > y->value) - (x->value < y->value);
}

/* Only what the field holds of a value. */
static guint64
cut (guint64 value, guint size)
{
  return size < 8 ? value & ((G_GUINT64_CONSTANT (1) << 8 * size) - 1) : value;
}

WprSymbolic *
wpr_symbolic_new (const char *text, const WprField *field)
{
  g_autofree char *call = g_strdup_printf ("__print_symbolic(REC->%s,", field->name);
  WprSymbolic *self;

  if (text == NULL || field->size == 0 || field->size > 8
      || (field->flags & (WPR_FIELD_ARRAY | WPR_FIELD_STRING | WPR_FIELD_DYNAMIC)) != 0
      || strstr (text, call) == NULL)
    return NULL;
  self = g_new0 (WprSymbolic, 1);
  self->size = field->size;
  self->names = wpr_format_symbols (text, field->name);
  if (self->names == NULL || self->names->len == 0)
    {
      wpr_symbolic_free (self);
      return NULL;
    }
  for (guint i = 0; i < self->names->len; i++)
    {
      WprFieldSymbol *symbol = &g_array_index (self->names, WprFieldSymbol, i);

      symbol->value = cut (symbol->value, self->size);
    }
  g_array_sort (self->names, compare);
  return self;
}

void
wpr_symbolic_free (WprSymbolic *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->names, g_array_unref);
  g_free (self);
}

const char *
wpr_symbolic_name (const WprSymbolic *self, const guint8 *bytes)
{
  WprFieldSymbol wanted = { 0 };
  const WprFieldSymbol *found;

#if G_BYTE_ORDER == G_LITTLE_ENDIAN
  memcpy (&wanted.value, bytes, self->size);
#else
  memcpy ((guint8 *)&wanted.value + 8 - self->size, bytes, self->size);
#endif
  found = bsearch (&wanted, self->names->data, self->names->len, sizeof wanted, compare);
  return found != NULL ? found->name : "";
}
