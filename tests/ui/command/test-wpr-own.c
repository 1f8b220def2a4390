/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real wpr as an ordinary user with the kernel's usual setting: own programs are recorded, from
 * -start to -info, and it is said all the way. */
#include "config.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wpr-child.h"

#define NOBODY 65534
/* Exit status of a child whose event was refused. */
#define REFUSED 77
/* What the tests below stand on: neither more rights than own programs, nor less. */
#define KNOB "/proc/sys/kernel/perf_event_paranoid"

static void
own_child (void)
{
  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_CPU_CLOCK,
                                  .sample_period = 1000000,
                                  .exclude_kernel = 1,
                                  .disabled = 1 };
  if (setgid (NOBODY) != 0 || setuid (NOBODY) != 0)
    _exit (99);
  _exit (syscall (SYS_perf_event_open, &attr, 0, -1, -1, 0) >= 0 ? 0 : REFUSED);
}

static void
skip_elsewhere (void)
{
  g_autofree char *knob = NULL;
  int status = 0;
  if (geteuid () != 0)
    skip ();
  if (g_file_get_contents (KNOB, &knob, NULL, NULL) && g_ascii_strtoll (knob, NULL, 10) < 1)
    {
      print_message ("skipped: %s is %s", KNOB, knob);
      skip ();
    }
  pid_t pid = fork ();
  if (pid == 0)
    own_child ();
  assert_int_equal (waitpid (pid, &status, 0), pid);
  if (status != 0)
    {
      print_message ("skipped: the kernel refuses an ordinary user events of its own\n");
      skip ();
    }
}

static char *
own_folder (void)
{
  char *own = g_dir_make_tmp ("wpr-nobody-XXXXXX", NULL);
  assert_int_equal (chown (own, NOBODY, NOBODY), 0);
  return own;
}

static void
what_can_be_had_is_said_before (void **state)
{
  skip_elsewhere ();
  g_autofree char *own = own_folder ();
  g_auto (Ran) details = wpr_run_as_nobody_in (own, "-profiledetails", "CPU", NULL);
  assert_status (details, 0);
  assert_says (details.out, "Only your own programs are recorded");
  assert_says (details.out, "of at most 4096");
  assert_says (details.out, "switches: When threads run and wait");
  assert_says (details.out, "irq:softirq_entry: needs rights");
  assert_says (details.out, "sudo");
  g_auto (Ran) json = wpr_run_as_nobody_in (own, "-profiledetails", "CPU", "-json", NULL);
  assert_status (json, 0);
  assert_says (json.out, "\"rights\":\"own\"");
  child_remove (own);
}

/* Of Handle nothing can be had: it is not begun. */
static void
a_profile_of_which_nothing_is_left_is_refused (void **state)
{
  skip_elsewhere ();
  g_autofree char *own = own_folder ();
  g_auto (Ran) start = wpr_run_as_nobody_in (own, "-start", "Handle", NULL);
  assert_status (start, 5);
  assert_says (start.err, "wpr: ");
  assert_says (start.err, "sudo");
  child_remove (own);
}

static void
an_ordinary_user_records_own_programs (void **state)
{
  static const char *const modes[] = { "-filemode", NULL };
  skip_elsewhere ();
  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autofree char *own = own_folder ();
      g_autofree char *file = g_build_filename (own, "own.etl", NULL);
      g_auto (Ran) start = wpr_run_as_nobody_in (own, "-start", "CPU", modes[i], NULL);
      assert_status (start, 0);
      assert_says (start.out, "Only your own programs are recorded");
      g_auto (Ran) status = wpr_run_as_nobody_in (own, "-status", NULL);
      assert_status (status, 0);
      assert_says (status.out, "only programs of");
      g_auto (Ran) json = wpr_run_as_nobody_in (own, "-status", "-json", NULL);
      assert_says (json.out, "\"rights\":\"own\"");
      g_auto (Ran) stop = wpr_run_as_nobody_in (own, "-stop", file, NULL);
      assert_status (stop, 0);
      g_auto (Ran) info = wpr_run_as_nobody_in (own, "-info", file, NULL);
      assert_status (info, 0);
      assert_says (info.out, "Only programs of");
      assert_says (info.out, "Thread/CSwitch");
      g_auto (Ran) facts = wpr_run_as_nobody_in (own, "-info", file, "-json", NULL);
      assert_says (facts.out, "\"rights\":\"own\"");
      assert_true (json_number (facts.out, "events_lost", 0) == 0);
      child_remove (own);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (what_can_be_had_is_said_before),
    cmocka_unit_test (a_profile_of_which_nothing_is_left_is_refused),
    cmocka_unit_test (an_ordinary_user_records_own_programs),
  };
  return cmocka_run_group_tests (tests, child_setup, child_teardown);
}
