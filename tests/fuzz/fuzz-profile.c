/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stranger's .wprp: reading it, planning every profile in it and exporting it must end, whatever
 * it says; what is exported is a good file that plans the same. */
#include "config.h"
#include "profile/library.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* libFuzzer keeps the input of what aborts, not of what GLib traps. */
static void
fail (const char *why, const char *text)
{
  g_printerr ("%s:\n%s\n", why, text);
  abort ();
}

/* What was written from a usable file is usable. */
static void
export_it (WprLibrary *library, const WprChoice *choice, const WprProfile *profile,
           const WprMachine *machine, const char *digest)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup (profile->name);
  g_autofree char *text = wpr_profile_export (library, choice, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  if (!wpr_library_add_bytes (library, bytes, "exported", &error))
    fail (error->message, text);
  g_autoptr (WprChoice) again = wpr_choice_new ();
  again->mode = choice->mode;
  wpr_choice_add (again, ((WprChoiceItem *)choice->profiles->pdata[0])->name, "exported", -1);
  g_autoptr (WprPlan) plan = wpr_plan_new (library, again, machine, &error);
  g_assert_no_error (error);
  if (!g_str_equal (plan->digest, digest))
    fail ("another plan after the export", text);
  wpr_library_remove (library, "exported");
}

static void
plan_it (WprLibrary *library, const WprProfile *profile, const WprMachine *machine, WprMode mode)
{
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  choice->mode = mode;
  wpr_choice_add (choice, profile->name, profile->source, -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (WprPlan) plan = wpr_plan_new (library, choice, machine, &error);
  g_assert ((plan == NULL) == (error != NULL));
  if (plan == NULL)
    return;
  g_autofree char *text = wpr_plan_to_text (plan);
  g_autofree char *json = wpr_plan_to_json (plan);
  g_assert (g_utf8_validate (text, -1, NULL) && g_utf8_validate (json, -1, NULL));
  export_it (library, choice, profile, machine, plan->digest);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static WprLibrary *library;
  static WprMachine *machine;
  if (library == NULL)
    {
      library = wpr_library_new ();
      machine = wpr_machine_new (4, G_GUINT64_CONSTANT (8) << 30, WPR_RIGHTS_FULL);
      wpr_machine_set_event (machine, "sched:sched_switch", WPR_HAVE_YES);
      wpr_machine_set_event (machine, "block:block_rq_issue", WPR_HAVE_NO);
    }
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  gboolean added = wpr_library_add_bytes (library, bytes, "fuzz", &error);
  g_assert (added == (error == NULL));
  /* Nothing is left out of the count. */
  WprAccount account;
  g_assert (wpr_library_account (library, "fuzz", &account));
  g_assert (!added
            || account.n_kinds[0] + account.n_kinds[1] + account.n_kinds[2]
                   == account.n_elements + account.n_attributes);
  guint n_planned = 0;
  for (guint i = wpr_library_get_n_profiles (library); i > 0 && n_planned < 8; i--)
    {
      const WprProfile *profile = wpr_library_get_profile (library, i - 1);
      if (profile->source == NULL)
        break; /* ours come last */
      plan_it (library, profile, machine, n_planned++ % 2 ? WPR_MODE_FILE : WPR_MODE_MEMORY);
    }
  return 0;
}
