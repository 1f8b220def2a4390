/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images by process and address. An address may have had several one after the other: the newest
 * that was there at the time counts. */
#include "config.h"
#include "file/modules.h"

#include <string.h>

#define KERNEL_PID 0 /* all kernel images are kept under it */
#define SYSTEM_PID 4
/* Images that lie over one another at one address; only a hostile file has more. */
#define MOST_STEPS 4096

typedef struct
{
  guint32 pid;
  guint64 base, end; /* end: the first address behind it */
  guint64 furthest;  /* of the ends up to here, within the process */
  gint64 from;
  guint32 stamp;
  const char *path;
} Image;

struct _WprModules
{
  GArray *images; /* of Image; once finished by pid, base, from */
  GStringChunk *paths;
};

WprModules *
wpr_modules_new (void)
{
  WprModules *self = g_new0 (WprModules, 1);

  self->images = g_array_new (FALSE, FALSE, sizeof (Image));
  self->paths = g_string_chunk_new (16384);
  return self;
}

void
wpr_modules_free (WprModules *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->images);
  g_string_chunk_free (self->paths);
  g_free (self);
}

void
wpr_modules_note_image (WprModules *self, guint32 pid, guint64 base, guint64 size, gint64 from,
                        guint32 stamp, const char *path)
{
  Image image
      = { .pid = pid == SYSTEM_PID ? KERNEL_PID : pid, .base = base, .from = from, .stamp = stamp };

  if (size == 0 || *path == '\0')
    return;
  image.end = size <= G_MAXUINT64 - base ? base + size : G_MAXUINT64;
  image.path = g_string_chunk_insert_const (self->paths, path);
  g_array_append_val (self->images, image);
}

static int
compare_images (gconstpointer a, gconstpointer b)
{
  const Image *x = a, *y = b;

  if (x->pid != y->pid)
    return x->pid < y->pid ? -1 : 1;
  if (x->base != y->base)
    return x->base < y->base ? -1 : 1;
  return x->from < y->from ? -1 : x->from > y->from;
}

/* The rundown at the end tells once more what was told before. */
static gboolean
is_same (const Image *a, const Image *b)
{
  return a->pid == b->pid && a->base == b->base && a->end == b->end && a->path == b->path;
}

void
wpr_modules_finish (WprModules *self)
{
  Image *images = (Image *)(gpointer)self->images->data;
  guint kept = 0;

  g_array_sort (self->images, compare_images);
  for (guint i = 0; i < self->images->len; i++)
    {
      if (kept > 0 && is_same (&images[kept - 1], &images[i]))
        continue;
      images[kept] = images[i];
      images[kept].furthest = images[kept].end;
      if (kept > 0 && images[kept - 1].pid == images[kept].pid)
        images[kept].furthest = MAX (images[kept].end, images[kept - 1].furthest);
      kept++;
    }
  g_array_set_size (self->images, kept);
}

/* The number of images at or before (pid, address). */
static guint
count_below (const WprModules *self, guint32 pid, guint64 address)
{
  const Image *images = (const Image *)(gpointer)self->images->data;
  guint low = 0, high = self->images->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (images[middle].pid < pid || (images[middle].pid == pid && images[middle].base <= address))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static const Image *
find_image (const WprModules *self, guint32 pid, guint64 address, gint64 ticks)
{
  const Image *images = (const Image *)(gpointer)self->images->data, *best = NULL;

  for (guint i = count_below (self, pid, address), n = 0; i-- > 0 && n < MOST_STEPS; n++)
    {
      const Image *image = &images[i];

      if (image->pid != pid || image->furthest <= address)
        break;
      if (image->end > address && image->from <= ticks
          && (best == NULL || image->from > best->from))
        best = image;
    }
  return best;
}

gboolean
wpr_modules_find (const WprModules *self, guint32 pid, guint64 address, gint64 ticks,
                  WprModule *module)
{
  const Image *image = find_image (self, pid == SYSTEM_PID ? KERNEL_PID : pid, address, ticks);

  if (image == NULL && pid != KERNEL_PID)
    image = find_image (self, KERNEL_PID, address, ticks);
  if (image == NULL)
    return FALSE;
  module->path = image->path;
  module->name = image->path;
  for (const char *at = image->path; *at != '\0'; at++)
    if (*at == '\\' || *at == '/')
      module->name = at + 1;
  module->base = image->base;
  module->stamp = image->stamp;
  return TRUE;
}
