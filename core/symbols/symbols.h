/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for addresses: which functions the code that was seen belongs to. Knows files, the kernel
 * and JIT compilers; knows no trace. Nothing here fails as a whole: what has no name says why. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_SYMBOLS_FILE,   /* an ELF file */
  WPR_SYMBOLS_VDSO,   /* what the kernel maps into every 64-bit process */
  WPR_SYMBOLS_KERNEL, /* the kernel or a module */
  WPR_SYMBOLS_JIT,    /* code without a file, of process `pid`; 0: the kernel's (BPF programs) */
} WprSymbolsKind;

/* Why an image has the names it has. Its word is stable: it is in the file. */
typedef enum
{
  WPR_SYMBOLS_NAMED,
  WPR_SYMBOLS_NONE,        /* none of its functions is known by name */
  WPR_SYMBOLS_GONE,        /* the file or the process is not there any more, or not the same */
  WPR_SYMBOLS_NOT_ALLOWED, /* this user may not read it */
  WPR_SYMBOLS_NOT_TRUSTED, /* a map of names that is not the process' own plain file */
  WPR_SYMBOLS_TOO_LARGE,
  WPR_SYMBOLS_TOO_SLOW,
  WPR_SYMBOLS_DAMAGED, /* reading it ended the process that did */
  WPR_SYMBOLS_NO_TIME, /* the time for all was over before */
  WPR_SYMBOLS_N_STATES
} WprSymbolsState;
const char *wpr_symbols_state_word (WprSymbolsState state);

typedef struct
{
  guint64 address; /* from the image's base on; JIT: as it was seen */
  guint64 frames;  /* how often it was seen */
} WprSymbolAddress;
typedef struct
{
  guint64 start; /* as the addresses */
  guint32 size;
  char *name; /* in no particular encoding; owned by the image */
} WprSymbolFunction;

typedef struct
{
  /* what is asked */
  WprSymbolsKind kind;
  char *path;
  guint8 build_id[20];
  guint build_id_size;
  guint64 base, size; /* KERNEL: where it lies */
  guint32 pid;        /* JIT */
  gpointer who;       /* the caller's, for its functions below */
  GArray *addresses;  /* WprSymbolAddress; put in order by the search */
  /* what was found */
  WprSymbolsState state;
  const char *source; /* "symtab", "kallsyms" ..: stable words; "" */
  GArray *functions;  /* WprSymbolFunction, by start; only those that were seen */
  guint n_named;      /* addresses with a name */
  guint64 frames, frames_named;
} WprSymbolImage;

WprSymbolImage *wpr_symbol_image_new (WprSymbolsKind kind, const char *path);
void wpr_symbol_image_free (WprSymbolImage *image);

typedef struct
{
  GPtrArray *images; /* WprSymbolImage; put in order, those with the most frames first */
  /* The image's file, open for reading and known to be the one that was mapped; else -1 and
   * *state. */
  int (*open_file) (const WprSymbolImage *image, WprSymbolsState *state, gpointer data);
  /* JIT: the map of names that its process wrote. */
  int (*open_map) (const WprSymbolImage *image, WprSymbolsState *state, gpointer data);
  void (*progress) (guint done, guint total, gpointer data); /* NULL ok */
  gpointer data;
  gboolean kernel;            /* the running kernel is the one that was recorded */
  gboolean debuginfod;        /* ask the servers DEBUGINFOD_URLS names */
  const char *debug_root;     /* NULL: /usr/lib/debug */
  const char *kallsyms;       /* NULL: /proc/kallsyms */
  gint64 budget_us, image_us; /* for all; for one image */
  GCancellable *cancellable;
  /* what came of it */
  guint n_cached; /* images whose names were kept from another time */
} WprSymbolSearch;

/* Blocks, budget_us at most (and what the system takes to open a file). FALSE if it was cancelled.
 */
gboolean wpr_symbols_find (WprSymbolSearch *search);

G_END_DECLS
