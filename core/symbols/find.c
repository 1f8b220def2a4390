/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search: images with the most frames first, files in batches of one process each, until the
 * time is over. */
#include "config.h"
#include "symbols/symbols.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/files.h"
#include "symbols/cache.h"
#include "symbols/debuginfod.h"
#include "symbols/demangle.h"
#include "symbols/elf.h"
#include "symbols/jail.h"
#include "symbols/kallsyms.h"
#include "symbols/perf-map.h"

/* Files open at a time, two descriptors each. */
#define BATCH 32
/* What the reading of one file may add: the tables of the largest programs with their texts. */
#define MOST_MEMORY (G_GUINT64_CONSTANT (1) << 30)
#define MOST_TABLE (G_GUINT64_CONSTANT (256) << 20)
/* All tables that are kept: those of a few hundred files. */
#define MOST_CACHE (G_GUINT64_CONSTANT (256) << 20)
/* The kernel's own file that is mapped as [vdso]: two pages. */
#define VDSO_BYTES 8192

static const char *const words[WPR_SYMBOLS_N_STATES] = {
  [WPR_SYMBOLS_NAMED] = "named",
  [WPR_SYMBOLS_NONE] = "no-symbols",
  [WPR_SYMBOLS_GONE] = "gone",
  [WPR_SYMBOLS_NOT_ALLOWED] = "not-allowed",
  [WPR_SYMBOLS_NOT_TRUSTED] = "not-trusted",
  [WPR_SYMBOLS_TOO_LARGE] = "too-large",
  [WPR_SYMBOLS_TOO_SLOW] = "too-slow",
  [WPR_SYMBOLS_DAMAGED] = "damaged",
  [WPR_SYMBOLS_NO_TIME] = "no-time",
};
static const char *const sources[] = {
  [WPR_ELF_NOTHING] = "",
  [WPR_ELF_SYMTAB] = "symtab",
  [WPR_ELF_DYNSYM] = "dynsym",
  [WPR_ELF_MINIDEBUG] = "minidebug",
  [WPR_ELF_SEPARATE] = "debug file",
};

typedef struct
{
  WprSymbolSearch *search;
  gint64 deadline_us;
  WprNameTable *kernel;
  guint done;
  WprSymbolCache *cache;
  WprDebuginfod *servers;
  /* the batch */
  WprSymbolImage *batch[BATCH];
  char *keys[BATCH];  /* of the cache */
  int fds[2 * BATCH]; /* file and debug file */
  guint n;
} Search;

const char *
wpr_symbols_state_word (WprSymbolsState state)
{
  g_return_val_if_fail (state < WPR_SYMBOLS_N_STATES, "");
  return words[state];
}

static void
clear_function (gpointer data)
{
  g_free (((WprSymbolFunction *)data)->name);
}

WprSymbolImage *
wpr_symbol_image_new (WprSymbolsKind kind, const char *path)
{
  WprSymbolImage *image = g_new0 (WprSymbolImage, 1);
  image->kind = kind;
  image->path = g_strdup (path);
  image->addresses = g_array_new (FALSE, FALSE, sizeof (WprSymbolAddress));
  image->functions = g_array_new (FALSE, FALSE, sizeof (WprSymbolFunction));
  g_array_set_clear_func (image->functions, clear_function);
  image->state = WPR_SYMBOLS_NO_TIME;
  image->source = "";
  return image;
}

void
wpr_symbol_image_free (WprSymbolImage *image)
{
  if (image == NULL)
    return;
  g_free (image->path);
  g_array_unref (image->addresses);
  g_array_unref (image->functions);
  g_free (image);
}

/* ---- naming ---- */

/* Addresses are in order, so those of one function follow each other. */
static void
name_image (WprSymbolImage *image, const WprNameTable *table, guint64 base, const char *source)
{
  const WprNameRow *last = NULL;
  for (guint i = 0; i < image->addresses->len; i++)
    {
      const WprSymbolAddress *at = &g_array_index (image->addresses, WprSymbolAddress, i);
      const WprNameRow *row = wpr_name_table_find (table, base + at->address);
      if (row == NULL || row->start < base)
        continue;
      image->n_named++;
      image->frames_named += at->frames;
      if (row == last)
        continue;
      last = row;
      WprSymbolFunction function = { .start = row->start - base,
                                     .size = row->size,
                                     .name = g_strdup (wpr_name_table_text (table, row)) };
      g_array_append_val (image->functions, function);
    }
  image->state = image->functions->len > 0 ? WPR_SYMBOLS_NAMED : WPR_SYMBOLS_NONE;
  image->source = image->functions->len > 0 ? source : "";
}

static void
name_kernel_image (Search *self, WprSymbolImage *image)
{
  if (self->kernel != NULL)
    name_image (image, self->kernel, image->base, "kallsyms");
  else
    image->state = self->search->kernel ? WPR_SYMBOLS_NOT_ALLOWED : WPR_SYMBOLS_GONE;
}

/* ---- files ---- */

static void
one_done (Search *self)
{
  self->done++;
  if (self->search->progress != NULL)
    self->search->progress (self->done, self->search->images->len, self->search->data);
}

static int
open_vdso (void)
{
  const guint8 *vdso = (const guint8 *)getauxval (AT_SYSINFO_EHDR);
  int fd = vdso != NULL ? memfd_create ("vdso", MFD_CLOEXEC) : -1;
  if (fd >= 0 && !wpr_write_all (fd, vdso, VDSO_BYTES, NULL))
    {
      close (fd);
      fd = -1;
    }
  return fd;
}

static int
work_on_file (guint index, guint8 **bytes, gsize *size, gpointer data)
{
  const Search *self = data;
  WprElfSource source;
  *bytes = wpr_elf_names (self->fds[2 * index], self->fds[2 * index + 1], &source, size);
  return (int)source;
}

static void
name_by_bytes (WprSymbolImage *image, GBytes *bytes, int source)
{
  g_autoptr (WprNameTable) table = bytes != NULL ? wpr_name_table_new (bytes) : NULL;
  if (table != NULL && source >= 0 && source < (int)G_N_ELEMENTS (sources))
    name_image (image, table, 0, sources[source]);
}

static void
take_file (guint index, WprJailFate fate, int answer, GBytes *bytes, gpointer data)
{
  static const WprSymbolsState states[] = {
    [WPR_JAIL_DONE] = WPR_SYMBOLS_NONE,         [WPR_JAIL_CRASHED] = WPR_SYMBOLS_DAMAGED,
    [WPR_JAIL_TOO_SLOW] = WPR_SYMBOLS_TOO_SLOW, [WPR_JAIL_TOO_LARGE] = WPR_SYMBOLS_TOO_LARGE,
    [WPR_JAIL_NOT_BEGUN] = WPR_SYMBOLS_NO_TIME,
  };
  Search *self = data;
  WprSymbolImage *image = self->batch[index];
  image->state = states[fate];
  name_by_bytes (image, bytes, answer);
  if (image->state == WPR_SYMBOLS_NAMED)
    wpr_symbol_cache_put (self->cache, self->keys[index], (guint32)answer, bytes);
  one_done (self);
}

static gboolean
run_batch (Search *self)
{
  WprJail jail = { .n = self->n,
                   .work = work_on_file,
                   .result = take_file,
                   .data = self,
                   .fds = self->fds,
                   .n_fds = 2 * self->n,
                   .piece_us = self->search->image_us,
                   .deadline_us = self->deadline_us,
                   .most_memory = MOST_MEMORY,
                   .most_bytes = MOST_TABLE,
                   .cancellable = self->search->cancellable };
  gboolean ok = wpr_jail_run (&jail);
  for (guint i = 0; i < 2 * self->n; i++)
    if (self->fds[i] >= 0)
      close (self->fds[i]);
  for (guint i = 0; i < self->n; i++)
    g_free (self->keys[i]);
  self->n = 0;
  return ok;
}

/* Distributions' packages of debugging symbols put a file for each build id there. */
static int
open_debug_file (Search *self, const WprSymbolImage *image)
{
  const char *root = self->search->debug_root != NULL ? self->search->debug_root : "/usr/lib/debug";
  g_autoptr (GString) path = g_string_new (root);
  if (image->build_id_size < 2)
    return -1;
  g_string_append_printf (path, "/.build-id/%02x/", image->build_id[0]);
  for (guint i = 1; i < image->build_id_size; i++)
    g_string_append_printf (path, "%02x", image->build_id[i]);
  g_string_append (path, ".debug");
  int fd = open (path->str, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0 && self->servers != NULL)
    fd = wpr_debuginfod_find (self->servers, image->build_id, image->build_id_size);
  return fd;
}

/* Key of what these two files tell; NULL if it is not to be kept. */
static char *
key_of (const WprSymbolImage *image, int fd, int debug_fd)
{
  struct stat st, debug_st;
  if (image->kind != WPR_SYMBOLS_FILE || fstat (fd, &st) != 0
      || (debug_fd >= 0 && fstat (debug_fd, &debug_st) != 0))
    return NULL;
  return wpr_symbol_cache_key (image->build_id, image->build_id_size, &st,
                               debug_fd >= 0 ? &debug_st : NULL);
}

static gboolean
find_in_cache (Search *self, WprSymbolImage *image, const char *key)
{
  guint32 source = 0;
  g_autoptr (GBytes) bytes = wpr_symbol_cache_get (self->cache, key, &source);
  name_by_bytes (image, bytes, (int)source);
  if (image->state != WPR_SYMBOLS_NAMED)
    return FALSE;
  self->search->n_cached++;
  return TRUE;
}

static gboolean
find_in_file (Search *self, WprSymbolImage *image)
{
  int fd = image->kind == WPR_SYMBOLS_VDSO
               ? open_vdso ()
               : self->search->open_file (image, &image->state, self->search->data);
  if (fd < 0)
    {
      one_done (self);
      return TRUE;
    }
  int debug_fd = open_debug_file (self, image);
  g_autofree char *key = key_of (image, fd, debug_fd);
  if (find_in_cache (self, image, key))
    {
      one_done (self);
      close (fd);
      if (debug_fd >= 0)
        close (debug_fd);
      return TRUE;
    }
  self->batch[self->n] = image;
  self->keys[self->n] = g_steal_pointer (&key);
  self->fds[2 * self->n] = fd;
  self->fds[2 * self->n + 1] = debug_fd;
  return ++self->n < BATCH || run_batch (self);
}

/* ---- JIT ---- */

static void
find_in_map (Search *self, WprSymbolImage *image)
{
  int fd = self->search->open_map (image, &image->state, self->search->data);
  if (fd < 0)
    return;
  g_autoptr (WprNameTable) table = wpr_perf_map_read (fd, &image->state);
  if (table != NULL)
    name_image (image, table, 0, "perf map");
  close (fd);
}

/* ---- all ---- */

static int
compare_images (gconstpointer a, gconstpointer b)
{
  const WprSymbolImage *x = *(WprSymbolImage *const *)a, *y = *(WprSymbolImage *const *)b;
  return (x->frames < y->frames) - (x->frames > y->frames);
}

static int
compare_addresses (gconstpointer a, gconstpointer b)
{
  const WprSymbolAddress *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

/* Each once, in order. */
static void
order_addresses (WprSymbolImage *image)
{
  GArray *all = image->addresses;
  WprSymbolAddress *rows = (WprSymbolAddress *)(void *)all->data;
  guint n = 0;
  g_array_sort (all, compare_addresses);
  for (guint i = 0; i < all->len; i++)
    {
      image->frames += rows[i].frames;
      if (n > 0 && rows[n - 1].address == rows[i].address)
        rows[n - 1].frames += rows[i].frames;
      else
        rows[n++] = rows[i];
    }
  g_array_set_size (all, n);
}

static gboolean
find_one (Search *self, WprSymbolImage *image)
{
  switch (image->kind)
    {
    case WPR_SYMBOLS_FILE:
    case WPR_SYMBOLS_VDSO:
      if (g_get_monotonic_time () < self->deadline_us)
        return find_in_file (self, image);
      break;
    case WPR_SYMBOLS_KERNEL:
      name_kernel_image (self, image);
      break;
    case WPR_SYMBOLS_JIT:
      if (image->pid == 0)
        name_kernel_image (self, image);
      else if (g_get_monotonic_time () < self->deadline_us)
        find_in_map (self, image);
      break;
    }
  one_done (self);
  return TRUE;
}

static gboolean
wants_kernel (const WprSymbolImage *image)
{
  return image->kind == WPR_SYMBOLS_KERNEL || (image->kind == WPR_SYMBOLS_JIT && image->pid == 0);
}

gboolean
wpr_symbols_find (WprSymbolSearch *search)
{
  g_return_val_if_fail (search != NULL && search->images != NULL, TRUE);
  Search self = { .search = search, .deadline_us = g_get_monotonic_time () + search->budget_us };
  gboolean ok = TRUE, kernel = FALSE;
  for (guint i = 0; i < search->images->len; i++)
    {
      WprSymbolImage *image = g_ptr_array_index (search->images, i);
      order_addresses (image);
      kernel = kernel || wants_kernel (image);
    }
  g_ptr_array_sort (search->images, compare_images);
  if (kernel && search->kernel)
    self.kernel = wpr_kallsyms_read (search->kallsyms ? search->kallsyms : "/proc/kallsyms");
  self.cache = wpr_symbol_cache_open (MOST_CACHE);
  if (search->debuginfod)
    self.servers = wpr_debuginfod_open (self.deadline_us, search->cancellable);
  for (guint i = 0; ok && i < search->images->len; i++)
    ok = find_one (&self, g_ptr_array_index (search->images, i));
  if (self.n > 0)
    ok = run_batch (&self) && ok;
  ok = ok && wpr_demangle_images (search->images, self.deadline_us, search->cancellable);
  wpr_name_table_free (self.kernel);
  wpr_debuginfod_close (self.servers);
  wpr_symbol_cache_close (self.cache);
  return ok && !g_cancellable_is_cancelled (search->cancellable);
}
