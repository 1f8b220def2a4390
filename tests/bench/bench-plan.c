/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How long it takes until a person sees what would be recorded: loading the built-in profiles,
 * adding a file ($WPR_CORPUS/wprp's largest, if there is one), planning on 256 CPUs. The least of
 * some rounds is printed: other programs only add. */
#include "config.h"
#include "wpr-profile.h"

#include <stdio.h>
#include <string.h>

#define N_ROUNDS 30

/* Path of the largest .wprp of the corpus; NULL. */
static char *
find_largest (void)
{
  const char *corpus = g_getenv ("WPR_CORPUS");
  g_autofree char *folder = corpus != NULL ? g_build_filename (corpus, "wprp", NULL) : NULL;
  g_autoptr (GDir) dir = folder != NULL ? g_dir_open (folder, 0, NULL) : NULL;
  g_autofree char *largest = NULL;
  gsize most = 0;
  for (const char *name = dir != NULL ? g_dir_read_name (dir) : NULL; name != NULL;
       name = g_dir_read_name (dir))
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_autofree char *text = NULL;
      gsize size = 0;
      if (!g_file_get_contents (path, &text, &size, NULL) || size <= most)
        continue;
      most = size;
      g_free (largest);
      largest = g_steal_pointer (&path);
    }
  return g_steal_pointer (&largest);
}

static WprMachine *
make_machine (void)
{
  WprMachine *machine = wpr_machine_new (256, G_GUINT64_CONSTANT (1) << 40, WPR_RIGHTS_FULL);
  for (guint i = 0; i < 2500; i++) /* a large kernel's tracepoints */
    {
      g_autofree char *name = g_strdup_printf ("system%u:event%u", i % 100, i);
      wpr_machine_set_event (machine, name, WPR_HAVE_YES);
    }
  return machine;
}

typedef struct
{
  double load_us, add_us, general_us, all_us, file_us, many_us;
} Times;

/* As many as one recording takes. */
#define N_MANY 64

static double
plan_us (WprLibrary *library, const WprChoice *choice, const WprMachine *machine)
{
  gint64 before = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, &error);
  if (plan == NULL)
    g_error ("%s", error->message);
  return g_get_monotonic_time () - before;
}

/* 64 profiles of 64 files, from their bytes to a plan. */
static double
many_us (const WprMachine *machine)
{
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (WprChoice) choice = wpr_choice_new (), all = wpr_choice_new ();
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    if (!wpr_library_get_profile (library, i)->internal)
      wpr_choice_add (all, wpr_library_get_profile (library, i)->name, NULL, -1);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_autoptr (GError) error = NULL;
  for (guint i = 0; i < N_MANY; i++)
    {
      g_autoptr (WprChoice) one = wpr_choice_new ();
      const WprChoiceItem *item = g_ptr_array_index (all->profiles, i % all->profiles->len);
      wpr_choice_add (one, item->name, NULL, -1);
      char *text = wpr_profile_export (library, one, &error);
      g_ptr_array_add (files, g_bytes_new_take (text, strlen (text)));
    }
  gint64 before = g_get_monotonic_time ();
  for (guint i = 0; i < N_MANY; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u.wprp", i);
      const WprChoiceItem *item = g_ptr_array_index (all->profiles, i % all->profiles->len);
      if (!wpr_library_add_bytes (library, g_ptr_array_index (files, i), name, &error))
        g_error ("%s", error->message);
      wpr_choice_add (choice, item->name, name, -1);
    }
  plan_us (library, choice, machine);
  return g_get_monotonic_time () - before;
}

static Times
run_round (const char *file, const WprMachine *machine)
{
  Times times = { 0 };
  gint64 before = g_get_monotonic_time ();
  g_autoptr (WprLibrary) library = wpr_library_new ();
  times.load_us = g_get_monotonic_time () - before;

  g_autoptr (WprChoice) general = wpr_choice_new (), all = wpr_choice_new ();
  wpr_choice_add (general, "GeneralProfile", NULL, -1);
  for (guint i = 0; i < wpr_library_get_n_profiles (library); i++)
    if (!wpr_library_get_profile (library, i)->internal)
      wpr_choice_add (all, wpr_library_get_profile (library, i)->name, NULL, -1);
  times.general_us = plan_us (library, general, machine);
  times.all_us = plan_us (library, all, machine);

  times.many_us = many_us (machine);
  if (file == NULL)
    return times;
  g_autoptr (GError) error = NULL;
  before = g_get_monotonic_time ();
  if (!wpr_library_add_file (library, file, &error))
    g_error ("%s", error->message);
  times.add_us = g_get_monotonic_time () - before;
  g_autofree char *source = g_filename_display_name (file);
  g_autoptr (WprChoice) own = wpr_choice_new ();
  own->mode = WPR_MODE_FILE;
  wpr_choice_add (own, wpr_library_get_default (library, source, NULL)->name, source, -1);
  times.file_us = plan_us (library, own, machine);
  return times;
}

int
main (void)
{
  g_autofree char *file = find_largest ();
  g_autoptr (WprMachine) machine = make_machine ();
  Times least = run_round (file, machine);
  for (guint i = 1; i < N_ROUNDS; i++)
    {
      Times times = run_round (file, machine);
      least.load_us = MIN (least.load_us, times.load_us);
      least.add_us = MIN (least.add_us, times.add_us);
      least.general_us = MIN (least.general_us, times.general_us);
      least.all_us = MIN (least.all_us, times.all_us);
      least.many_us = MIN (least.many_us, times.many_us);
      least.file_us = MIN (least.file_us, times.file_us);
    }
  printf ("load the built-in profiles        %8.2f ms\n", least.load_us / 1000);
  printf ("plan GeneralProfile, 256 CPUs     %8.2f ms\n", least.general_us / 1000);
  printf ("plan all 19 profiles, 256 CPUs    %8.2f ms\n", least.all_us / 1000);
  printf ("64 files, read and planned as one %8.2f ms (budget: 100 ms)\n", least.many_us / 1000);
  if (file == NULL)
    {
      printf ("no corpus (WPR_CORPUS): largest file left out\n");
      return 0;
    }
  g_autofree char *name = g_path_get_basename (file);
  printf ("read and resolve %s  %8.2f ms\n", name, least.add_us / 1000);
  printf ("plan it, 256 CPUs                 %8.2f ms\n", least.file_us / 1000);
  printf ("read, resolve and plan it         %8.2f ms (budget: 30 ms)\n",
          (least.add_us + least.file_us) / 1000);
  printf ("from nothing to a plan of it      %8.2f ms (budget for planning: 50 ms)\n",
          (least.load_us + least.add_us + least.file_us) / 1000);
  return 0;
}
