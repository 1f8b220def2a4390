/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which image each address that was seen lies in, by the images that the file tells of; and the
 * opening of their files and of JIT maps for core/symbols. */
#include "config.h"
#include "sink/jit-map.h"
#include "sink/sink-etl-private.h"

#include <errno.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>
#include "base/files.h"
#include "base/wpr-error.h"
#include "trace/image.h"

/* All names of a recording, and those of one image, at most. */
#define BUDGET_US (10 * G_USEC_PER_SEC)
#define IMAGE_US (3 * G_USEC_PER_SEC)
#define PULSE_US (50 * 1000) /* 20 times a second */
/* A 32-bit process has another vdso than this one. */
#define FIRST_64_BIT_ADDRESS (G_GUINT64_CONSTANT (1) << 32)

typedef struct
{
  guint64 base, end;
  WprSymbolImage *image;
} Range;

typedef struct
{
  WprSinkEtl *sink;
  GHashTable *by_key; /* path, NUL, build id in bytes -> WprSymbolImage */
  GPtrArray *images;
  GArray *ranges; /* Range, of the space at hand */
  const WprProcess *process;
  WprSymbolImage *nowhere;
} Gather;

static int
compare_ranges (gconstpointer a, gconstpointer b)
{
  const Range *x = a, *y = b;

  return (x->base > y->base) - (x->base < y->base);
}

static WprSymbolImage *
new_image (Gather *self, WprSymbolsKind kind, const char *path)
{
  WprSymbolImage *image = wpr_symbol_image_new (kind, path);

  g_ptr_array_add (self->images, image);
  return image;
}

/* One image a file, however many processes mapped it. */
static WprSymbolImage *
image_of (Gather *self, const WprImage *image, WprSymbolsKind kind)
{
  gsize path_size = strlen (image->path) + 1;
  g_autoptr (GBytes) key = NULL;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  WprSymbolImage *known;

  g_byte_array_append (bytes, (const guint8 *)image->path, (guint)path_size);
  if (image->build_id_size > 0)
    g_byte_array_append (bytes, image->build_id, image->build_id_size);
  if (kind == WPR_SYMBOLS_FILE && !image->known) /* its base means another thing */
    g_byte_array_append (bytes, (const guint8 *)"?", 1);
  if (kind == WPR_SYMBOLS_KERNEL) /* BPF programs share names */
    g_byte_array_append (bytes, (const guint8 *)&image->base, sizeof image->base);
  key = g_bytes_new (bytes->data, bytes->len);
  known = g_hash_table_lookup (self->by_key, key);
  if (known != NULL)
    return known;
  known = new_image (self, kind, image->path);
  known->base = image->base;
  known->size = image->size;
  known->build_id_size = MIN (image->build_id_size, sizeof known->build_id);
  if (known->build_id_size > 0)
    memcpy (known->build_id, image->build_id, known->build_id_size);
  known->who = image->known ? (gpointer)image->mapping : NULL;
  known->pid = 0;
  g_hash_table_insert (self->by_key, g_steal_pointer (&key), known);
  return known;
}

static gboolean
add_range (WprSinkEtl *sink, guint32 pid, const WprImage *image, gpointer data, GError **error)
{
  Gather *self = data;
  WprSymbolsKind kind = pid == 0 ? WPR_SYMBOLS_KERNEL
                        : g_str_equal (image->path, "[vdso]") && image->base >= FIRST_64_BIT_ADDRESS
                            ? WPR_SYMBOLS_VDSO
                            : WPR_SYMBOLS_FILE;
  Range range = { image->base, image->base + image->size, image_of (self, image, kind) };

  if (image->size > 0)
    g_array_append_val (self->ranges, range);
  return TRUE;
}

/* The image that holds the address: of several that of the highest base. */
static const Range *
range_at (const GArray *ranges, guint64 address)
{
  const Range *rows = (const Range *)(const void *)ranges->data;
  guint low = 0, high = ranges->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (rows[middle].base <= address)
        low = middle + 1;
      else
        high = middle;
    }
  /* A file that was mapped over another's end: a few of them may lie before. */
  for (guint back = 0; back < 4 && low > 0; back++, low--)
    if (address < rows[low - 1].end)
      return &rows[low - 1];
  return NULL;
}

/* Code that no file is behind: what the process compiled itself. */
static WprSymbolImage *
jit_of (Gather *self, guint32 pid)
{
  if (self->nowhere == NULL)
    {
      self->nowhere = new_image (self, WPR_SYMBOLS_JIT, "");
      self->nowhere->pid = pid;
      self->nowhere->who = (gpointer)self->process;
    }
  return self->nowhere;
}

static gboolean
find_ranges (Gather *self, guint32 space, guint32 *pid, GError **error)
{
  WprSinkEtl *sink = self->sink;
  WprTime when = wpr_sink_names_space (sink->names, space, pid);

  g_array_set_size (self->ranges, 0);
  self->nowhere = NULL;
  self->process = NULL;
  if (space == 0)
    return wpr_sink_etl_each_kernel_image (sink, add_range, self, error);
  self->process = wpr_world_process (sink->context->world, *pid, when);
  return self->process == NULL
         || wpr_sink_etl_each_image (sink, self->process, when, add_range, self, error);
}

static void
place (Gather *self, const WprSeenAddress *seen, guint32 pid)
{
  const Range *range = range_at (self->ranges, seen->address);
  WprSymbolAddress row = { seen->address - (range != NULL ? range->base : 0), seen->count };

  g_array_append_val ((range != NULL ? range->image : jit_of (self, pid))->addresses, row);
}

GPtrArray *
wpr_sink_etl_gather_images (WprSinkEtl *sink, const WprSeenAddress *seen, guint n)
{
  Gather self = { .sink = sink };
  guint32 pid = 0;

  self.by_key
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
  self.images = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_symbol_image_free);
  self.ranges = g_array_new (FALSE, FALSE, sizeof (Range));
  for (guint i = 0; i < n; i++)
    {
      if (i == 0 || seen[i].space != seen[i - 1].space)
        {
          find_ranges (&self, seen[i].space, &pid, NULL);
          g_array_sort (self.ranges, compare_ranges);
        }
      place (&self, &seen[i], pid);
    }
  g_array_unref (self.ranges);
  g_hash_table_unref (self.by_key);
  for (guint i = self.images->len; i-- > 0;)
    if (((WprSymbolImage *)g_ptr_array_index (self.images, i))->addresses->len == 0)
      g_ptr_array_remove_index (self.images, i);
  return self.images;
}

/* ---- opening ---- */

typedef struct
{
  WprSinkEtl *sink;
  const WprSinkNamesWish *wish;
  gboolean same_boot;
  gint64 last_us;
} Opening;

static int
open_file (const WprSymbolImage *image, WprSymbolsState *state, gpointer data)
{
  const Opening *self = data;
  int fd;

  *state = WPR_SYMBOLS_GONE;
  if (image->who == NULL)
    return -1;
  fd = wpr_image_table_open (self->sink->context->images, image->who);

  if (fd < 0)
    *state = errno == EACCES || errno == EPERM ? WPR_SYMBOLS_NOT_ALLOWED : WPR_SYMBOLS_GONE;
  return fd;
}

static int
open_map (const WprSymbolImage *image, WprSymbolsState *state, gpointer data)
{
  const Opening *self = data;

  *state = WPR_SYMBOLS_GONE;
  return image->who != NULL && self->same_boot
             ? wpr_jit_map_open (self->sink->context, image->who, state)
             : -1;
}

static void
tell_progress (guint done, guint total, gpointer data)
{
  Opening *self = data;
  const WprProgress *progress = self->wish->progress;
  gint64 now = g_get_monotonic_time ();

  if (progress == NULL || progress->func == NULL || now - self->last_us < PULSE_US)
    return;
  self->last_us = now;
  progress->func ("names", (double)done / (double)MAX (total, 1), done, total, progress->data);
}

/* What runs now is what was recorded: until the next boot. */
static gboolean
is_this_boot (const WprManifest *manifest)
{
  gsize size = 0;
  g_autofree char *id = wpr_read_small ("/proc/sys/kernel/random/boot_id", 64, &size);

  return id != NULL && manifest->boot_id != NULL
         && g_str_equal (g_strstrip (id), manifest->boot_id);
}

gboolean
wpr_sink_etl_search_names (WprSinkEtl *sink, const WprSinkNamesWish *wish, GPtrArray *images,
                           WprSymbolSearch *search, GError **error)
{
  Opening opening = { sink, wish, is_this_boot (sink->context->manifest), 0 };

  *search = (WprSymbolSearch){ .images = images,
                               .open_file = open_file,
                               .open_map = open_map,
                               .progress = tell_progress,
                               .data = &opening,
                               .kernel = opening.same_boot,
                               .kallsyms = sink->context->kallsyms,
                               .debuginfod = wish->debuginfod,
                               .budget_us = BUDGET_US,
                               .image_us = IMAGE_US,
                               .cancellable = wish->cancellable };
  tell_progress (0, images->len, &opening);
  if (wpr_symbols_find (search))
    return TRUE;
  wpr_set_error (error, WPR_ERROR_CANCELLED, 0,
                 _ ("Writing the file was cancelled while names were looked for."));
  return FALSE;
}
