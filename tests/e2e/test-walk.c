/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keyboard's way through the pages: Tab comes to every control that takes it, in the order in
 * which a screen reader tells of them, and round again; nothing keeps it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "kit.h"
#include "profile-file.h"

#define MOST_STEPS 150
#define MOST_KEPT 3 /* steps at one place: it is kept there */

/* One that takes the keyboard, in the order of the tree. */
static void
collect (AtspiAccessible *accessible, GPtrArray *list)
{
  if (atspi_accessible_has_state (accessible, ATSPI_STATE_VISIBLE)
      && atspi_accessible_has_state (accessible, ATSPI_STATE_FOCUSABLE)
      && atspi_accessible_has_state (accessible, ATSPI_STATE_SENSITIVE))
    g_ptr_array_add (list, g_object_ref (accessible));
  g_autoptr (GPtrArray) children = atspi_accessible_get_children (accessible);
  for (guint i = 0; i < children->len; i++)
    collect (children->pdata[i], list);
}

/* The innermost that has it; list->len: none of them. */
static guint
find_focused (GPtrArray *list)
{
  for (guint i = list->len; i > 0; i--)
    if (atspi_accessible_has_state (list->pdata[i - 1], ATSPI_STATE_FOCUSED))
      return i - 1;
  return list->len;
}

static char *
describe (AtspiAccessible *accessible)
{
  g_autofree char *role = atspi_accessible_get_role_name (accessible);
  g_autofree char *name = atspi_accessible_get_name (accessible);
  return g_strdup_printf ("[%s] “%s”", role, name);
}

/* Not on the way, and why. */
static const char *const aside[] = {
  "Minimize",
  "Maximize",
  "Close",              /* the desktop's: Alt+F4, Ctrl+W */
  "Close This Message", /* of a bar that says nothing now */
  "Automatic",
  "Buffer size (KB)",
  "Number of buffers",
  NULL /* of a row that is closed */
};

/* What one presses; rows that hold one, lists and entries, which have the keyboard by their parts,
 * are no controls of their own. */
static gboolean
must_be_reached (AtspiAccessible *accessible)
{
  g_autofree char *name = atspi_accessible_get_name (accessible);
  switch (atspi_accessible_get_role (accessible))
    {
    case ATSPI_ROLE_PUSH_BUTTON:
    case ATSPI_ROLE_TOGGLE_BUTTON:
    case ATSPI_ROLE_CHECK_BOX:
    case ATSPI_ROLE_COMBO_BOX:
    case ATSPI_ROLE_SPIN_BUTTON:
      return !g_strv_contains (aside, name != NULL ? name : "");
    default:
      return FALSE;
    }
}

static void
check_visits (const char *page, GPtrArray *list, const guint *visits)
{
  guint n_missed = 0;
  for (guint i = 0; i < list->len; i++)
    if (visits[i] == 0 && must_be_reached (list->pdata[i]))
      {
        g_autofree char *words = describe (list->pdata[i]);
        print_message ("%s: not reached: %s\n", page, words);
        n_missed++;
      }
  if (n_missed > 0)
    fail_msg ("%s: the keyboard does not come to %u controls", page, n_missed);
}

/* Once round the newest of the program's windows. alone: its tree has nothing that is out of sight.
 */
static void
walk (Screen *screen, const char *page, gboolean alone)
{
  g_autoptr (GPtrArray) windows = atspi_accessible_get_children (screen->root);
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
  assert_true (windows->len > 0);
  collect (windows->pdata[windows->len - 1], list);
  g_autofree guint *visits = g_new0 (guint, list->len + 1);
  guint first = list->len, before = list->len, steps = 0, kept = 0, n_back = 0;
  for (; steps < MOST_STEPS && kept < MOST_KEPT && (steps < 2 || before != first); steps++)
    {
      screen_keys ("key Tab");
      guint at = find_focused (list);
      visits[at]++;
      kept = at == before ? kept + 1 : 0;
      n_back += before != list->len && at < before;
      first = steps == 0 ? at : first;
      before = at;
    }
  print_message ("%s: %u places, once round in %u steps\n", page, list->len, steps);
  if (kept == MOST_KEPT || steps == MOST_STEPS)
    fail_msg ("%s: the keyboard does not come round", page);
  if (alone)
    check_visits (page, list, visits);
  /* in the order of the tree, and once back to its beginning */
  assert_in_range (n_back, 0, 1);
}

static void
every_control_of_choosing_is_reached (void **state)
{
  Screen *screen = *state;
  screen_start (screen, wprui, NULL);
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_keys ("mousemove 300 300");
  walk (screen, "choose", TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "What It Records: CPU usage");
  kit_wait_text (screen, "Records");
  walk (screen, "details", TRUE);
  screen_keys ("key Escape");
}

static void
every_control_of_a_recording_is_reached (void **state)
{
  Screen *screen = *state;
  if (!may_record ())
    skip ();
  screen_start (screen, wprui, NULL);
  kit_start_recording (screen);
  screen_keys ("mousemove 300 300");
  walk (screen, "recording", TRUE);
  kit_stop_and_save (screen);
  walk (screen, "result", TRUE);
  screen_keys ("key alt+2");
  g_object_unref (screen_wait (screen, ATSPI_ROLE_LABEL, "Today"));
  walk (screen, "recordings", FALSE);
}

static void
every_control_of_a_guide_is_reached (void **state)
{
  Screen *screen = *state;
  g_autofree char *guide = write_profile ("guide.wprp", "256", "Exec");
  screen_start_with (screen, (const char *[]){ wprui, "--guide", guide, NULL }, NULL);
  kit_wait_text (screen, "Press Start below.");
  screen_keys ("mousemove 300 300");
  walk (screen, "guide", TRUE);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  const struct CMUnitTest tests[] = {
    kit_test (every_control_of_choosing_is_reached),
    kit_test (every_control_of_a_recording_is_reached),
    kit_test (every_control_of_a_guide_is_reached),
  };
  return kit_run (tests);
}
