/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions by image and offset, JIT code by process and address. */
#include "config.h"
#include "file/functions.h"

#include <string.h>

/* The volume that paths of Linux are written below. */
#define VOLUME "\\Device\\HarddiskVolume1"

typedef struct
{
  guint32 owner; /* image, or process */
  guint32 size;
  guint64 start;
  const char *name;
} Function;

struct _WprFunctions
{
  GArray *functions, *jit; /* of Function; once finished by owner and start */
  GHashTable *images;      /* time stamp in hexadecimal and path -> number + 1 */
  GHashTable *same;        /* number of an image told before -> that one's number; merged files */
  GStringChunk *texts;
};

WprFunctions *
wpr_functions_new (void)
{
  WprFunctions *self = g_new0 (WprFunctions, 1);

  self->functions = g_array_new (FALSE, FALSE, sizeof (Function));
  self->jit = g_array_new (FALSE, FALSE, sizeof (Function));
  self->images = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->same = g_hash_table_new (NULL, NULL);
  self->texts = g_string_chunk_new (16384);
  return self;
}

void
wpr_functions_free (WprFunctions *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->functions);
  g_array_unref (self->jit);
  g_hash_table_unref (self->images);
  g_hash_table_unref (self->same);
  g_string_chunk_free (self->texts);
  g_free (self);
}

/* Path of Linux and time stamp as one text. */
static char *
image_key (const char *path, guint32 stamp)
{
  char *key;

  if (g_ascii_strncasecmp (path, VOLUME "\\", strlen (VOLUME) + 1) == 0)
    path += strlen (VOLUME);
  key = g_strdup_printf ("%08x%s", stamp, path);
  return g_strdelimit (key, "\\", '/');
}

/* The first four bytes of the id as a number, as they are in an image's load. */
static guint32
stamp_of (const char *build_id)
{
  guint32 stamp = 0;

  if (strlen (build_id) < 8)
    return 0;
  for (guint i = 0; i < 4; i++)
    {
      int high = g_ascii_xdigit_value (build_id[2 * i]);
      int low = g_ascii_xdigit_value (build_id[2 * i + 1]);

      if (high < 0 || low < 0)
        return 0;
      stamp |= (guint32)(high << 4 | low) << (8 * i);
    }
  return stamp;
}

void
wpr_functions_note_image (WprFunctions *self, guint32 image, const char *path, const char *build_id)
{
  char *key = image_key (path, stamp_of (build_id));
  gsize before = GPOINTER_TO_SIZE (g_hash_table_lookup (self->images, key));

  if (before != 0)
    {
      g_hash_table_insert (self->same, GUINT_TO_POINTER (image),
                           GUINT_TO_POINTER ((guint32)(before - 1)));
      g_free (key);
    }
  else
    g_hash_table_insert (self->images, key, GSIZE_TO_POINTER ((gsize)image + 1));
}

static void
add (GArray *functions, guint32 owner, guint64 start, guint32 size, const char *name)
{
  Function function = { owner, size, start, name };

  g_array_append_val (functions, function);
}

void
wpr_functions_note_function (WprFunctions *self, guint32 image, guint64 start, guint32 size,
                             const char *name)
{
  add (self->functions, image, start, size, g_string_chunk_insert (self->texts, name));
}

void
wpr_functions_note_jit (WprFunctions *self, guint32 pid, guint64 start, guint32 size,
                        const char *name)
{
  add (self->jit, pid, start, size, g_string_chunk_insert (self->texts, name));
}

static int
compare_functions (gconstpointer a, gconstpointer b)
{
  const Function *x = a, *y = b;

  if (x->owner != y->owner)
    return x->owner < y->owner ? -1 : 1;
  return x->start < y->start ? -1 : x->start > y->start;
}

void
wpr_functions_finish (WprFunctions *self)
{
  gpointer number;

  for (guint i = 0; g_hash_table_size (self->same) > 0 && i < self->functions->len; i++)
    {
      Function *function = &g_array_index (self->functions, Function, i);

      if (g_hash_table_lookup_extended (self->same, GUINT_TO_POINTER (function->owner), NULL,
                                        &number))
        function->owner = GPOINTER_TO_UINT (number);
    }
  g_array_sort (self->functions, compare_functions);
  g_array_sort (self->jit, compare_functions);
}

static const char *
find (const GArray *functions, guint32 owner, guint64 at, guint64 *into)
{
  const Function *rows = (const Function *)(gconstpointer)functions->data;
  Function wanted = { .owner = owner, .start = at };
  guint low = 0, high = functions->len;

  /* The last that begins there or before. */
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (compare_functions (&rows[middle], &wanted) <= 0)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0 || rows[low - 1].owner != owner || at - rows[low - 1].start >= rows[low - 1].size)
    return NULL;
  *into = at - rows[low - 1].start;
  return rows[low - 1].name;
}

const char *
wpr_functions_find (const WprFunctions *self, const char *path, guint32 stamp, guint64 offset,
                    guint64 *into)
{
  g_autofree char *key = NULL;
  gsize image;

  if (self->functions->len == 0)
    return NULL;
  key = image_key (path, stamp);
  image = GPOINTER_TO_SIZE (g_hash_table_lookup (self->images, key));
  return image != 0 ? find (self->functions, (guint32)(image - 1), offset, into) : NULL;
}

const char *
wpr_functions_find_jit (const WprFunctions *self, guint32 pid, guint64 address, guint64 *into)
{
  return find (self->jit, pid, address, into);
}
