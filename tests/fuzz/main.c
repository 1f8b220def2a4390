/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target without libFuzzer: over every file of the folders named, whole, cut, and with
 * bytes changed. The changes are the same in every run. */
#include "config.h"

#include <glib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Enough to meet each kind of damage, few enough for a second a target. */
#define N_CUTS 24
#define N_CHANGES 48

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

static void
run_damaged (const uint8_t *data, gsize size, GRand *random)
{
  for (guint i = 0; i < N_CUTS; i++)
    {
      /* A copy of just that size, so that a sanitizer sees a read behind the cut. */
      gsize cut = (gsize)(size * g_rand_double (random));
      g_autofree uint8_t *part = g_memdup2 (data, cut);
      LLVMFuzzerTestOneInput (part, cut);
    }
  for (guint i = 0; i < N_CHANGES && size > 0; i++)
    {
      g_autofree uint8_t *changed = g_memdup2 (data, size);
      for (guint j = g_rand_int_range (random, 1, 5); j > 0; j--)
        changed[g_rand_int_range (random, 0, (gint32)size)] = g_rand_int (random);
      LLVMFuzzerTestOneInput (changed, size);
    }
}

static guint
run_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n_run = 0;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  for (const char *name = dir != NULL ? g_dir_read_name (dir) : NULL; name != NULL;
       name = g_dir_read_name (dir))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = NULL;
      gsize size = 0;
      if (!g_file_get_contents (path, &text, &size, NULL))
        continue;
      g_autofree uint8_t *data = g_memdup2 (text, size);
      LLVMFuzzerTestOneInput (data, size);
      run_damaged (data, size, random);
      n_run++;
    }
  return n_run;
}

int
main (int argc, char **argv)
{
  guint n_run = 0;
  for (int i = 1; i < argc; i++)
    n_run += run_folder (argv[i]);
  printf ("%u seeds\n", n_run);
  return n_run > 0 ? 0 : 1;
}
