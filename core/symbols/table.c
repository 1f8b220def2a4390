/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Building, checking and searching a table of functions. */
#include "config.h"
#include "symbols/table.h"

#include <stdlib.h>
#include <string.h>

/* Functions may lie within others (parts of a function that were moved aside, entries in assembler
 * code): so many rows back a longer one is looked for. */
#define LOOK_BACK 16

struct _WprNameTable
{
  GBytes *bytes;
  const WprNameRow *rows;
  const char *texts;
  guint32 n_rows;
};

/* ---- checking ---- */

static gboolean
rows_are_sound (const WprNameRow *rows, guint32 n, guint64 text_bytes)
{
  for (guint32 i = 0; i < n; i++)
    if (rows[i].size == 0 || rows[i].name >= text_bytes
        || (i > 0 && rows[i].start <= rows[i - 1].start))
      return FALSE;
  return TRUE;
}

WprNameTable *
wpr_name_table_new (GBytes *bytes)
{
  gsize size = 0;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const WprNamesHead *head = (const WprNamesHead *)data;
  if (size < sizeof *head || memcmp (head->magic, WPR_NAMES_MAGIC, sizeof head->magic) != 0
      || head->version != WPR_NAMES_VERSION || head->n_rows == 0)
    return NULL;
  gsize rows_size = (gsize)head->n_rows * sizeof (WprNameRow);
  if (rows_size > size - sizeof *head || head->text_bytes != size - sizeof *head - rows_size
      || head->text_bytes == 0 || data[size - 1] != '\0')
    return NULL;
  const WprNameRow *rows = (const WprNameRow *)(data + sizeof *head);
  if (!rows_are_sound (rows, head->n_rows, head->text_bytes))
    return NULL;
  WprNameTable *self = g_new (WprNameTable, 1);
  *self = (WprNameTable){ .bytes = g_bytes_ref (bytes),
                          .rows = rows,
                          .texts = (const char *)data + sizeof *head + rows_size,
                          .n_rows = head->n_rows };
  return self;
}

void
wpr_name_table_free (WprNameTable *self)
{
  if (self == NULL)
    return;
  g_bytes_unref (self->bytes);
  g_free (self);
}

/* ---- searching ---- */

const WprNameRow *
wpr_name_table_find (const WprNameTable *self, guint64 address)
{
  guint32 low = 0, high = self->n_rows; /* the first row behind the address */
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      if (self->rows[middle].start <= address)
        low = middle + 1;
      else
        high = middle;
    }
  for (guint32 back = 0; back < LOOK_BACK && low > 0; back++, low--)
    {
      const WprNameRow *row = &self->rows[low - 1];
      if (address - row->start < row->size)
        return row;
    }
  return NULL;
}

const char *
wpr_name_table_text (const WprNameTable *self, const WprNameRow *row)
{
  return self->texts + row->name;
}

guint32
wpr_name_table_size (const WprNameTable *self)
{
  return self->n_rows;
}

GBytes *
wpr_name_table_bytes (const WprNameTable *self)
{
  return self->bytes;
}

/* ---- making ---- */

static size_t
underscores (const char *name)
{
  return strspn (name, "_");
}

static int
compare_found (const void *a, const void *b)
{
  const WprFoundName *x = a, *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if ((x->size == 0) != (y->size == 0))
    return x->size == 0 ? 1 : -1;
  size_t p = underscores (x->name), q = underscores (y->name);
  if (p != q)
    return p < q ? -1 : 1;
  p = strlen (x->name);
  q = strlen (y->name);
  if (p != q)
    return p < q ? -1 : 1;
  return strcmp (x->name, y->name);
}

static guint32
size_of (const WprFoundName *found, const WprFoundName *next)
{
  guint64 size = found->size;
  if (size == 0)
    {
      guint64 end = found->end;
      if (next != NULL && (end <= found->start || next->start < end))
        end = next->start;
      size = end > found->start ? end - found->start : 1;
    }
  return size < G_MAXUINT32 ? (guint32)size : G_MAXUINT32;
}

guint8 *
wpr_names_build (WprFoundName *found, gsize n, gsize *size)
{
  WprNamesHead head = { .magic = WPR_NAMES_MAGIC, .version = WPR_NAMES_VERSION };
  gsize kept = 0, text_bytes = 0;
  if (n == 0)
    return NULL;
  qsort (found, n, sizeof *found, compare_found);
  for (gsize i = 0; i < n; i++)
    if (kept == 0 || found[i].start != found[kept - 1].start)
      {
        found[kept++] = found[i];
        text_bytes += strnlen (found[i].name, WPR_NAMES_LONGEST) + 1;
      }
  if (kept > G_MAXUINT32 || text_bytes > G_MAXUINT32)
    return NULL;
  head.n_rows = (guint32)kept;
  head.text_bytes = text_bytes;
  *size = sizeof head + kept * sizeof (WprNameRow) + text_bytes;
  guint8 *bytes = malloc (*size);
  if (bytes == NULL)
    return NULL;
  memcpy (bytes, &head, sizeof head);
  WprNameRow *rows = (WprNameRow *)(bytes + sizeof head);
  char *texts = (char *)(rows + kept);
  guint32 at = 0;
  for (gsize i = 0; i < kept; i++)
    {
      gsize length = strnlen (found[i].name, WPR_NAMES_LONGEST);
      rows[i] = (WprNameRow){ found[i].start,
                              size_of (&found[i], i + 1 < kept ? &found[i + 1] : NULL), at };
      memcpy (texts + at, found[i].name, length);
      texts[at + length] = '\0';
      at += (guint32)length + 1;
    }
  return bytes;
}
