/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window of somebody who may not record the whole system: it says so, and Start records that
 * user's own programs, or is impossible where the kernel refuses those, too.
 * Runs as that user from the start: `run-window` is called through setpriv. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "kit.h"

/* From a press of Start to the saved file. */
static void
records_and_saves (Screen *screen)
{
  screen_wait_state (screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Start");
  g_object_unref (screen_wait_described (screen, "Events so far"));
  for (guint i = 0; i < 100 && screen_number (screen, "Events so far") == 0; i++)
    screen_sleep (100);
  assert_true (screen_number (screen, "Events so far") > 0);
  screen_press (screen, ATSPI_ROLE_PUSH_BUTTON, "Stop and Save");
  kit_wait_saved (screen);
}

/* Own programs are what anybody may record, unless the kernel refuses that as well. */
static gboolean
may_record_itself (void)
{
  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_CPU_CLOCK,
                                  .sample_period = 1000000,
                                  .exclude_kernel = 1,
                                  .disabled = 1 };
  int fd = (int)syscall (SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

static void
without_rights_the_window_says_so (void **state)
{
  if (may_record ())
    {
      print_message ("this user may record the whole system: nothing to see\n");
      skip ();
    }
  Screen screen = { NULL, NULL };
  screen_start (&screen, wprui, NULL);
  g_object_unref (screen_wait (&screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
  g_autoptr (AtspiAccessible) sentence
      = screen_wait_described (&screen, "Why not everything can be recorded");
  g_autofree char *text = screen_text (sentence);
  assert_true (strlen (text) > 20);
  if (may_record_itself ())
    records_and_saves (&screen);
  else
    {
      g_object_unref (
          screen_wait (&screen, ATSPI_ROLE_LABEL, "Needs an administrator’s permission"));
      screen_wait_state (&screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, FALSE);
      /* the key must not do what the button may not */
      screen_keys ("key ctrl+r");
      screen_sleep (500);
      g_object_unref (screen_wait (&screen, ATSPI_ROLE_CHECK_BOX, "CPU usage"));
    }
  screen_end (&screen);
}

/* What `./dev run` offers: the recorder has rights of its own, the window has none, and the first
 * Start records. */
static void
with_rights_of_the_recorder_it_records (void **state)
{
  const char *capable = g_getenv ("E2E_CAPABLE_WPR");
  if (capable == NULL || may_record ())
    {
      print_message ("no recorder with rights of its own: needs root and setcap\n");
      skip ();
    }
  g_autofree char *recorder = g_strdup_printf ("WPR_RECORDER=%s", capable);
  Screen screen = { NULL, NULL };
  screen_start (&screen, wprui, (const char *[]){ recorder, NULL });
  records_and_saves (&screen);
  screen_end (&screen);
}

/* All programs, but no events of disks, files and network: the rows of those cannot be switched on,
 * the bar says what is seen, and that is what is recorded. */
static void
all_programs_without_the_kernels_events (void **state)
{
  Screen screen = { NULL, NULL };
  screen_start (&screen, wprui, NULL);
  kit_wait_text (&screen, "All programs and the kernel are recorded");
  g_object_unref (screen_wait (&screen, ATSPI_ROLE_LABEL, "not permitted"));
  /* what is left of other profiles is recorded by the one that is on: that is no "included" */
  g_object_unref (screen_wait (&screen, ATSPI_ROLE_LABEL, "adds nothing"));
  assert_null (screen_find (&screen, ATSPI_ROLE_LABEL, "included"));
  screen_wait_state (&screen, ATSPI_ROLE_CHECK_BOX, "File descriptors", ATSPI_STATE_SENSITIVE,
                     FALSE);
  screen_wait_state (&screen, ATSPI_ROLE_CHECK_BOX, "CPU usage", ATSPI_STATE_SENSITIVE, TRUE);
  screen_wait_state (&screen, ATSPI_ROLE_PUSH_BUTTON, "Start", ATSPI_STATE_SENSITIVE, TRUE);
  kit_start_recording (&screen);
  kit_wait_text (&screen, "First level triage. Memory, verbose. All programs are recorded, without "
                          "the kernel’s own events.");
  for (guint i = 0; i < 600 && screen_number (&screen, "Events so far") < 100; i++)
    screen_sleep (100);
  kit_stop_and_save (&screen);
  g_autofree char *file = the_saved_file ();
  g_autofree char *info = run_program (0, wpr, "-info", file, NULL);
  assert_non_null (strstr (info, "All programs were recorded"));
  screen_end (&screen);
}

int
main (int argc, char **argv)
{
  if (!kit_begin (argc, argv, 2))
    return 2;
  if (argc > 3 && g_str_equal (argv[3], "system"))
    {
      const struct CMUnitTest system[]
          = { cmocka_unit_test (all_programs_without_the_kernels_events) };
      return cmocka_run_group_tests (system, NULL, NULL);
    }
  const struct CMUnitTest tests[] = { cmocka_unit_test (without_rights_the_window_says_so),
                                      cmocka_unit_test (with_rights_of_the_recorder_it_records) };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
