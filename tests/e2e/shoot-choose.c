/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to record, and the windows that open from there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib/gstdio.h>
#include "profile-file.h"
#include "shot.h"
#include "wpr.h"

#define FORECAST_MS 3500 /* two looks at /proc, two seconds apart */

static void
search_for (const char *words)
{
  screen_keys ("key ctrl+f");
  screen_keys ("key ctrl+a");
  screen_keys ("key BackSpace");
  if (words != NULL)
    screen_keys (words);
}

void
scene_choose (void **state)
{
  Screen screen = { NULL, NULL };
  g_autofree char *broken
      = write_titled_profile ("fan-noise.wprp", "Fan noise, helpdesk", "1024K", "Exce");
  shot_set_settings ("profiles=['GeneralProfile', 'CPU']\n");
  shot_open (&screen, (const char *[]){ broken, NULL });
  shot_wait (&screen, ATSPI_ROLE_LABEL, "Custom measurements");
  screen_sleep (FORECAST_MS);
  shot_take (&screen, "02-faults"); /* the list goes to a file that was just added */
  search_for ("type fan");
  shot_take (&screen, "02-search");
  search_for ("type qqq");
  shot_take (&screen, "02-nothing-found");
  search_for (NULL);
  screen_keys ("key Escape");
  shot_take (&screen, "01-choose");
  g_autoptr (AtspiAccessible) gear
      = screen_find (&screen, ATSPI_ROLE_TOGGLE_BUTTON, say ("Recording Options"));
  if (gear != NULL)
    {
      atspi_accessible_act (gear);
      shot_take (&screen, "02-options");
    }
  shot_close (&screen);
  g_unlink (broken);
  shot_set_settings ("mode='file'\nbuffer-size-kb=uint32 64\nbuffers=uint32 32\n");
  shot_open (&screen, NULL);
  screen_sleep (FORECAST_MS);
  shot_take (&screen, "01-choose-file");
  shot_close (&screen);
}

static void
take_details (Screen *screen, const char *title, const char *page)
{
  g_autofree char *name = g_strdup_printf (say ("What It Records: %s"), say (title));
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, name);
  shot_wait (screen, ATSPI_ROLE_LABEL, "Records");
  shot_take_dialog (screen, page);
  screen_keys ("key Escape");
  screen_sleep (800);
}

void
scene_windows (void **state)
{
  Screen screen = { NULL, NULL };
  shot_set_settings ("");
  shot_open (&screen, NULL);
  shot_wait (&screen, ATSPI_ROLE_LABEL, "Custom measurements");
  screen_sleep (1000);
  take_details (&screen, "CPU usage", "03-details");
  take_details (&screen, "Power usage", "03-details-missing");
  screen_keys ("key F10");
  shot_take (&screen, "20-menu");
  screen_keys ("key Escape");
  screen_keys ("key ctrl+comma");
  shot_take_dialog (&screen, "21-preferences");
  screen_keys ("key Escape");
  screen_sleep (800);
  screen_keys ("key ctrl+question");
  shot_take_foreign (&screen, "22-shortcuts");
  screen_keys ("key Escape");
  screen_sleep (800);
  screen_keys ("key F10");
  screen_press (&screen, ATSPI_ROLE_MENU_ITEM, say ("About Performance Recorder"));
  shot_take_foreign (&screen, "23-about");
  screen_keys ("key Escape");
  screen_sleep (800);
  screen_keys ("key F10");
  screen_press (&screen, ATSPI_ROLE_MENU_ITEM, say ("Save These Settings as a Profile…"));
  screen_sleep (1500);
  shot_take_foreign (&screen, "24-save-profile");
  shot_close (&screen);
}

/* Seen by somebody who may not record the whole system: below with-system-bus, where an
 * administrator can be asked and does not answer, also while that is waited for. */
void
scene_rights (void **state)
{
  if (may_record ())
    skip ();
  Screen screen = { NULL, NULL };
  shot_set_settings ("");
  shot_open (&screen, NULL);
  shot_wait (&screen, ATSPI_ROLE_LABEL, "Custom measurements");
  screen_sleep (1000);
  shot_take (&screen, "02-choose-locked");
  g_autoptr (AtspiAccessible) unlock
      = screen_find (&screen, ATSPI_ROLE_PUSH_BUTTON, say ("Unlock…"));
  if (unlock != NULL)
    {
      screen_keys ("key ctrl+u");
      shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Do Not Wait");
      shot_take (&screen, "02-choose-asking");
      shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Unlock…");
      shot_take (&screen, "02-choose-refused");
    }
  shot_close (&screen);
}
