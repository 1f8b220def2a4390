/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real window through AT-SPI. */
#include "screen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE_MS 60000 /* a loaded machine under sanitizers; nothing asserts speed */
#define STEP_MS 50

void
screen_sleep (guint ms)
{
  g_usleep (ms * 1000);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static gint64
deadline (guint times)
{
  return g_get_monotonic_time () + (gint64)times * PATIENCE_MS * 1000;
}

/* ---- the program ---- */

void
screen_start (Screen *screen, const char *program, const char *const *environment)
{
  screen_start_with (screen, (const char *[]){ program, NULL }, environment);
}

void
screen_start_with (Screen *screen, const char *const *command, const char *const *environment)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  for (guint i = 0; environment != NULL && environment[i] != NULL; i++)
    {
      g_auto (GStrv) pair = g_strsplit (environment[i], "=", 2);
      g_subprocess_launcher_setenv (launcher, pair[0], pair[1], TRUE);
    }
  screen->process = g_subprocess_launcher_spawnv (launcher, command, &error);
  if (screen->process == NULL)
    fail_msg ("%s", error->message);
  guint pid = (guint)strtoul (g_subprocess_get_identifier (screen->process), NULL, 10);
  screen->root = NULL;
  for (gint64 end = deadline (3); screen->root == NULL && g_get_monotonic_time () < end;)
    {
      screen_sleep (STEP_MS);
      screen->root = atspi_find_application (pid);
    }
  if (screen->root == NULL)
    fail_msg ("%s did not come to the accessibility bus", command[0]);
}

void
screen_end (Screen *screen)
{
  g_clear_object (&screen->root);
  if (screen->process == NULL)
    return;
  g_subprocess_force_exit (screen->process);
  g_subprocess_wait (screen->process, NULL, NULL);
  g_clear_object (&screen->process);
}

/* ---- finding ---- */

typedef struct
{
  AtspiRole role;
  const char *name;
  const char *description;
  const char *begin; /* of the name */
} Wanted;

static gboolean
is_wanted (AtspiAccessible *accessible, const Wanted *wanted)
{
  if (wanted->role != ATSPI_ROLE_INVALID && atspi_accessible_get_role (accessible) != wanted->role)
    return FALSE;
  if (wanted->name != NULL)
    {
      g_autofree char *name = atspi_accessible_get_name (accessible);
      if (g_strcmp0 (name, wanted->name) != 0)
        return FALSE;
    }
  if (wanted->begin != NULL)
    {
      g_autofree char *name = atspi_accessible_get_name (accessible);
      if (name == NULL || !g_str_has_prefix (name, wanted->begin))
        return FALSE;
    }
  if (wanted->description != NULL)
    {
      g_autofree char *description = atspi_accessible_get_description (accessible);
      if (g_strcmp0 (description, wanted->description) != 0)
        return FALSE;
    }
  /* GTK 4.8 lists the widgets of the page that is shown, and calls them visible; only toplevels are
   * also "showing". */
  return atspi_accessible_has_state (accessible, ATSPI_STATE_VISIBLE);
}

static AtspiAccessible *
search (AtspiAccessible *accessible, const Wanted *wanted)
{
  if (is_wanted (accessible, wanted))
    return g_object_ref (accessible);
  AtspiAccessible *found = NULL;
  g_autoptr (GPtrArray) children = atspi_accessible_get_children (accessible);
  for (guint i = 0; i < children->len && found == NULL; i++)
    found = search (children->pdata[i], wanted);
  return found;
}

/* A window that has died would answer every question by a timeout. */
static void
assert_alive (Screen *screen)
{
  if (screen->process == NULL || g_subprocess_get_identifier (screen->process) == NULL)
    fail_msg ("the window's program has ended");
}

AtspiAccessible *
screen_find (Screen *screen, AtspiRole role, const char *name)
{
  assert_alive (screen);
  Wanted wanted = { .role = role, .name = name };
  return search (screen->root, &wanted);
}

AtspiAccessible *
screen_find_described (Screen *screen, const char *description)
{
  assert_alive (screen);
  Wanted wanted = { .role = ATSPI_ROLE_INVALID, .description = description };
  return search (screen->root, &wanted);
}

char *
screen_find_text (Screen *screen, AtspiRole role, const char *begin)
{
  assert_alive (screen);
  Wanted wanted = { .role = role, .begin = begin };
  g_autoptr (AtspiAccessible) found = search (screen->root, &wanted);
  return found ? atspi_accessible_get_name (found) : NULL;
}

static AtspiAccessible *
wait_for (Screen *screen, const Wanted *wanted)
{
  for (gint64 end = deadline (1); g_get_monotonic_time () < end;)
    {
      assert_alive (screen);
      AtspiAccessible *found = search (screen->root, wanted);
      if (found != NULL)
        return found;
      screen_sleep (STEP_MS);
    }
  screen_dump (screen);
  fail_msg ("nothing is showing called “%s” “%s”", wanted->name ? wanted->name : "",
            wanted->description ? wanted->description : "");
  return NULL;
}

AtspiAccessible *
screen_wait (Screen *screen, AtspiRole role, const char *name)
{
  Wanted wanted = { .role = role, .name = name };
  return wait_for (screen, &wanted);
}

AtspiAccessible *
screen_wait_described (Screen *screen, const char *description)
{
  Wanted wanted = { .role = ATSPI_ROLE_INVALID, .description = description };
  return wait_for (screen, &wanted);
}

void
screen_wait_gone (Screen *screen, AtspiRole role, const char *name)
{
  for (gint64 end = deadline (1); g_get_monotonic_time () < end;)
    {
      AtspiAccessible *found = screen_find (screen, role, name);
      if (found == NULL)
        return;
      g_object_unref (found);
      screen_sleep (STEP_MS);
    }
  fail_msg ("“%s” is still showing", name);
}

void
screen_wait_state (Screen *screen, AtspiRole role, const char *name, AtspiStateType state,
                   gboolean wanted)
{
  for (gint64 end = deadline (1); g_get_monotonic_time () < end;)
    {
      g_autoptr (AtspiAccessible) found = screen_find (screen, role, name);
      if (found != NULL && atspi_accessible_has_state (found, state) == wanted)
        return;
      screen_sleep (STEP_MS);
    }
  fail_msg ("“%s” did not %s", name, wanted ? "become possible" : "become impossible");
}

/* ---- using ---- */

void
screen_press (Screen *screen, AtspiRole role, const char *name)
{
  g_autoptr (AtspiAccessible) found = screen_wait (screen, role, name);
  if (!atspi_accessible_act (found))
    fail_msg ("“%s” could not be pressed", name);
}

char *
screen_text (AtspiAccessible *accessible)
{
  g_autofree char *text = atspi_accessible_get_text (accessible);
  return text != NULL && *text != '\0' ? g_steal_pointer (&text)
                                       : atspi_accessible_get_name (accessible);
}

guint64
screen_number (Screen *screen, const char *description)
{
  g_autoptr (AtspiAccessible) label = screen_wait_described (screen, description);
  g_autofree char *text = screen_text (label);
  guint64 number = 0;
  const char *at = text != NULL ? text : "";
  while (*at != '\0' && !g_ascii_isdigit (*at))
    at++;
  for (; g_ascii_isdigit (*at) || *at == ','; at++)
    if (*at != ',')
      number = number * 10 + (*at - '0');
  return number;
}

void
screen_keys_at_once (const char *what)
{
  g_autofree char *command = g_strconcat ("xdotool ", what, NULL);
  g_autoptr (GError) error = NULL;
  if (!g_spawn_command_line_sync (command, NULL, NULL, NULL, &error))
    fail_msg ("%s", error->message);
}

void
screen_keys (const char *what)
{
  screen_keys_at_once (what);
  screen_sleep (200);
}

/* A menu button has no action of its own: the button in it has. */
void
screen_choose (Screen *screen, const char *menu, const char *entry)
{
  g_autoptr (AtspiAccessible) outer = screen_wait (screen, ATSPI_ROLE_PUSH_BUTTON, menu);
  g_autoptr (AtspiAccessible) button = atspi_accessible_get_first_child (outer);
  if (button == NULL || !atspi_accessible_act (button))
    fail_msg ("“%s” does not open", menu);
  screen_sleep (500);
  screen_press (screen, ATSPI_ROLE_MENU_ITEM, entry);
}

void
screen_wait_window (const char *title, gboolean there)
{
  g_autofree char *command = g_strdup_printf ("xdotool search --onlyvisible --name '%s'", title);
  for (gint64 end = deadline (1); g_get_monotonic_time () < end;)
    {
      int status = 0;
      g_autofree char *ids = NULL;
      g_autoptr (GError) error = NULL;
      if (!g_spawn_command_line_sync (command, &ids, NULL, &status, &error))
        fail_msg ("%s", error->message);
      if ((*ids != '\0') == there)
        {
          screen_sleep (500); /* the keyboard goes there a moment later */
          return;
        }
      screen_sleep (STEP_MS);
    }
  fail_msg ("“%s” is %s", title, there ? "not there" : "still there");
}

static void
dump (AtspiAccessible *accessible, int depth)
{
  if (depth > 1 && !atspi_accessible_has_state (accessible, ATSPI_STATE_VISIBLE))
    return;
  g_autofree char *role = atspi_accessible_get_role_name (accessible);
  g_autofree char *name = atspi_accessible_get_name (accessible);
  g_autofree char *description = atspi_accessible_get_description (accessible);
  g_printerr ("%*s[%s] “%s” “%s”\n", depth, "", role, name, description);
  g_autoptr (GPtrArray) children = atspi_accessible_get_children (accessible);
  for (guint i = 0; i < children->len; i++)
    dump (children->pdata[i], depth + 1);
}

void
screen_dump (Screen *screen)
{
  dump (screen->root, 0);
}
