/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording in memory, and one to a file that loses events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include "shot.h"
#include "wpr.h"

/* So long a recorder is held back that its small rings run over. */
#define HOLD_MS 2500

static void
take_dialogs (Screen *screen)
{
  screen_keys ("key ctrl+w");
  shot_take_dialog (screen, "11-close");
  screen_keys ("key Escape");
  screen_sleep (800);
  shot_press (screen, "Discard…");
  shot_take_dialog (screen, "12-discard");
  screen_keys ("key Escape");
  screen_sleep (800);
}

/* With the recorder held back, so that the page stays as it is. */
static void
take_saving (Screen *screen)
{
  GPid pid = shot_hold_recorder ();
  screen_keys ("key ctrl+r");
  shot_wait (screen, ATSPI_ROLE_PUSH_BUTTON, "Finish Later");
  shot_take (screen, "06-saving");
  g_autoptr (AtspiAccessible) note = screen_find (screen, ATSPI_ROLE_TEXT, say ("What was wrong?"));
  kill (pid, SIGCONT);
}

void
scene_recording (void **state)
{
  Screen screen = { NULL, NULL };
  if (!may_record ())
    skip ();
  /* rings that hold about two thirds of it */
  g_autofree char *settings
      = g_strdup_printf ("profiles=['GeneralProfile', 'CPU']\nbuffer-size-kb=uint32 256\n"
                         "buffers=uint32 %u\n",
                         look.seconds * 12);
  shot_set_settings (settings);
  shot_open (&screen, NULL);
  screen_wait_state (&screen, ATSPI_ROLE_PUSH_BUTTON, say ("Start"), ATSPI_STATE_SENSITIVE, TRUE);
  GPid work = shot_begin_work ();
  screen_keys ("key ctrl+r");
  shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  screen_sleep (look.seconds * 700);
  screen_keys ("key ctrl+m");
  screen_keys ("type 'menu froze'");
  shot_take (&screen, "04-mark");
  screen_keys ("key Return");
  screen_sleep (look.seconds * 300);
  shot_take (&screen, "04-recording");
  screen_keys ("key ctrl+p");
  shot_take (&screen, "04-profiles");
  screen_keys ("key ctrl+l");
  shot_take (&screen, "04-collectors");
  take_dialogs (&screen);
  shot_press (&screen, "Save Now, Keep Recording");
  screen_sleep (1500);
  shot_take (&screen, "04-saved-now");
  shot_end_work (work);
  take_saving (&screen);
  shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Record Again");
  shot_take (&screen, "07-result");
  shot_press (&screen, "Edit Note");
  shot_take_dialog (&screen, "13-note");
  screen_keys ("key Escape");
  screen_sleep (800);
  shot_close (&screen);
  clean_places (look.wpr);
}

void
scene_losses (void **state)
{
  Screen screen = { NULL, NULL };
  if (!may_record ())
    skip ();
  /* small buffers, which a recorder that does not get the processor leaves full */
  g_free (run_program (0, look.wpr, "-start", "CPU", "-filemode", "-buffersize", "4", "-buffers",
                       "2", NULL));
  shot_set_settings ("");
  shot_open (&screen, NULL);
  shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  GPid work = shot_begin_work ();
  screen_sleep (look.seconds * 500);
  GPid pid = shot_hold_recorder ();
  screen_sleep (HOLD_MS);
  kill (pid, SIGCONT);
  screen_sleep (look.seconds * 200);
  shot_take (&screen, "05-lost");
  screen_keys ("key ctrl+l");
  shot_take (&screen, "05-lost-collectors");
  shot_end_work (work);
  screen_keys ("key ctrl+r");
  shot_wait (&screen, ATSPI_ROLE_PUSH_BUTTON, "Record Again");
  shot_take (&screen, "08-result-lost");
  shot_close (&screen);
  clean_places (look.wpr);
}
