/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libiberty decodes, since it knows both C++ and Rust and is C; in a process of its own, since the
 * names are a stranger's and the decoder has had its faults. Written are decoded names without
 * parameters: a reader on another machine, on Windows above all, has no decoder, and with
 * parameters half a file would be template arguments. Functions that differ in nothing but those
 * differ in where they start. */
#include "config.h"
#include "symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/jail.h"
#include "symbols/table.h"

#ifdef WPR_HAVE_LIBIBERTY
#include <libiberty/demangle.h>

/* Names in one piece of the work: one that ends it takes these with it. */
#define NAMES_A_PIECE 256
#define PIECE_US (G_USEC_PER_SEC / 2)
#define MOST_MEMORY (G_GUINT64_CONSTANT (256) << 20)

typedef struct
{
  WprSymbolFunction **functions;
  guint n;
} Names;

static guint
piece_size (const Names *self, guint index)
{
  return MIN (NAMES_A_PIECE, self->n - index * NAMES_A_PIECE);
}

/* One text with its NUL for each name, empty where it stays. */
static int
decode (guint index, guint8 **bytes, gsize *size, gpointer data)
{
  const Names *self = data;
  gsize room = 65536;
  char *out = malloc (room);
  *size = 0;
  for (guint i = 0; out != NULL && i < piece_size (self, index); i++)
    {
      const char *name = self->functions[index * NAMES_A_PIECE + i]->name;
      char *decoded = cplus_demangle (name, DMGL_AUTO | DMGL_ANSI);
      gsize length = decoded != NULL ? strnlen (decoded, WPR_NAMES_LONGEST) : 0;
      if (*size + length + 1 > room)
        {
          room = (*size + length + 1) * 2;
          out = realloc (out, room);
          if (out == NULL)
            return 0;
        }
      memcpy (out + *size, decoded != NULL ? decoded : "", length);
      out[*size + length] = '\0';
      *size += length + 1;
      free (decoded);
    }
  *bytes = (guint8 *)out;
  return 0;
}

static void
take_decoded (guint index, WprJailFate fate, int answer, GBytes *bytes, gpointer data)
{
  Names *self = data;
  gsize size = 0;
  const char *at = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;
  for (guint i = 0; at != NULL && i < piece_size (self, index); i++)
    {
      const char *end = memchr (at, '\0', size);
      if (end == NULL)
        return;
      WprSymbolFunction *function = self->functions[index * NAMES_A_PIECE + i];
      if (end > at)
        {
          g_free (function->name);
          function->name = g_strdup (at);
        }
      size -= (gsize)(end + 1 - at);
      at = end + 1;
    }
}

static gboolean
is_encoded (const char *name)
{
  return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'D');
}

gboolean
wpr_demangle_images (GPtrArray *images, gint64 deadline_us, GCancellable *cancellable)
{
  g_autoptr (GPtrArray) encoded = g_ptr_array_new ();
  for (guint i = 0; i < images->len; i++)
    {
      GArray *functions = ((WprSymbolImage *)g_ptr_array_index (images, i))->functions;
      for (guint k = 0; k < functions->len; k++)
        if (is_encoded (g_array_index (functions, WprSymbolFunction, k).name))
          g_ptr_array_add (encoded, &g_array_index (functions, WprSymbolFunction, k));
    }
  Names names = { (WprSymbolFunction **)encoded->pdata, encoded->len };
  WprJail jail = { .n = (encoded->len + NAMES_A_PIECE - 1) / NAMES_A_PIECE,
                   .work = decode,
                   .result = take_decoded,
                   .data = &names,
                   .piece_us = PIECE_US,
                   .deadline_us = deadline_us,
                   .most_memory = MOST_MEMORY,
                   .most_bytes = NAMES_A_PIECE * (WPR_NAMES_LONGEST + 1),
                   .cancellable = cancellable };
  return wpr_jail_run (&jail);
}
#else
gboolean
wpr_demangle_images (GPtrArray *images, gint64 deadline_us, GCancellable *cancellable)
{
  return !g_cancellable_is_cancelled (cancellable);
}
#endif
