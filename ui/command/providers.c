/* SPDX-License-Identifier: GPL-3.0-or-later */
/* wpr -providers: what this machine offers, and where known Windows names lead. */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>
#include <string.h>
#include <wpr-recorder.h>

#include "arguments.h"
#include "json.h"
#include "say.h"

static const WprOption options[] = { { "json", WPR_OPTION_FLAG } };

typedef struct
{
  char *name;
  guint n_events;
} System;

static void
system_clear (gpointer data)
{
  g_free (((System *)data)->name);
}

/* Systems of tracepoints with how many events each has; the names come sorted. */
static GArray *
count_systems (const WprMachine *machine)
{
  g_autoptr (GPtrArray) events = wpr_machine_match_events (machine, "*:*");
  GArray *systems = g_array_new (FALSE, FALSE, sizeof (System));
  g_array_set_clear_func (systems, system_clear);
  for (guint i = 0; i < events->len; i++)
    {
      const char *event = g_ptr_array_index (events, i);
      gsize size = strcspn (event, ":");
      System *last = systems->len > 0 ? &g_array_index (systems, System, systems->len - 1) : NULL;
      if (last != NULL && strlen (last->name) == size && strncmp (last->name, event, size) == 0)
        last->n_events++;
      else
        {
          System system = { g_strndup (event, size), 1 };
          g_array_append_val (systems, system);
        }
    }
  return systems;
}

static void
say_as_json (const GArray *systems, const GPtrArray *providers)
{
  WprJson out = WPR_JSON_INIT;
  wpr_json_open (&out, NULL, '{');
  wpr_json_integer (&out, "version", 1);
  wpr_json_open (&out, "tracepoints", '[');
  for (guint i = 0; i < systems->len; i++)
    {
      const System *system = &g_array_index (systems, System, i);
      wpr_json_open (&out, NULL, '{');
      wpr_json_string (&out, "system", system->name);
      wpr_json_integer (&out, "events", system->n_events);
      wpr_json_close (&out, '}');
    }
  wpr_json_close (&out, ']');
  wpr_json_open (&out, "providers", '[');
  for (guint i = 0; i + 2 < providers->len; i += 3)
    {
      wpr_json_open (&out, NULL, '{');
      wpr_json_string (&out, "name", g_ptr_array_index (providers, i));
      wpr_json_string (&out, "guid", g_ptr_array_index (providers, i + 1));
      wpr_json_string (&out, "targets", g_ptr_array_index (providers, i + 2));
      wpr_json_close (&out, '}');
    }
  wpr_json_close (&out, ']');
  wpr_json_close (&out, '}');
  wpr_json_print (&out);
}

static void
say_as_text (const GArray *systems, const GPtrArray *providers)
{
  wpr_say ("%s", _ ("Kernel events of this machine, as tracepoint:SYSTEM:NAME in a profile"));
  for (guint i = 0; i < systems->len; i++)
    {
      const System *system = &g_array_index (systems, System, i);
      wpr_say (ngettext ("  %-24s %u event", "  %-24s %u events", system->n_events), system->name,
               system->n_events);
    }
  if (systems->len == 0)
    wpr_say ("  %s", _ ("They can be listed by an administrator only."));
  wpr_say ("\n%s", _ ("Windows providers, and where they lead"));
  for (guint i = 0; i + 2 < providers->len; i += 3)
    {
      const char *guid = g_ptr_array_index (providers, i + 1);
      wpr_say ("  %s%s%s\n      %s", (const char *)g_ptr_array_index (providers, i),
               *guid != '\0' ? " " : "", guid, (const char *)g_ptr_array_index (providers, i + 2));
    }
  wpr_say ("\n%s", _ ("Events of programs (LTTng, USDT) are not in this version. More providers "
                      "can be named in files in /etc/wpr/providers.d."));
}

int
wpr_verb_providers (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (WprArguments) arguments
      = wpr_arguments_parse (argc, argv, options, G_N_ELEMENTS (options));
  gboolean json = wpr_arguments_has (arguments, "json");
  if (!wpr_arguments_check (arguments, 0, &error))
    return wpr_complain (error, json);
  g_autoptr (WprMachine) machine = wpr_machine_probe ();
  g_autoptr (WprLibrary) library = wpr_library_new ();
  g_autoptr (GArray) systems = count_systems (machine);
  g_autoptr (GPtrArray) providers = wpr_library_list_providers (library);
  if (json)
    say_as_json (systems, providers);
  else
    say_as_text (systems, providers);
  return 0;
}
