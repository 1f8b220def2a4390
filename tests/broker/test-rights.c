/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each right of the unit is for (with-system-bus allow, --without=CAPABILITY): with all of
 * them an ordinary user gets everything through the service, without one exactly that is missing
 * which the unit says. usage: test-rights [CAPABILITY] */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bus.h"
#include "broker/client/client.h"
#include "world/open-files.h"
#include "world/world.h"

#define RING_BYTES (64 * 1024 * 1024)

static const char *without = "";

/* Whether that right is there, and so what it is for. */
static gboolean
there (const char *capability)
{
  return !g_str_equal (capability, without);
}

static int
paranoid (void)
{
  g_autofree char *text = NULL;
  g_file_get_contents ("/proc/sys/kernel/perf_event_paranoid", &text, NULL, NULL);
  return text != NULL ? (int)g_ascii_strtoll (text, NULL, 10) : 2;
}

static WprBrokerSession *
begin (void)
{
  g_autoptr (GError) error = NULL;
  WprBrokerSession *session = wpr_broker_begin ("file", FALSE, FALSE, "rights", NULL, &error);
  if (error != NULL)
    fail_msg ("%s", error->message);
  return session;
}

/* Lets this thread come and go on that CPU, which may be idle else, until its ring has a record.
 * FALSE: where this program may not run nothing can be caused. */
static gboolean
cause_a_record (const WprLeader *leader, const struct perf_event_mmap_page *page)
{
  gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  cpu_set_t before, only;
  CPU_ZERO (&only);
  CPU_SET (leader->cpu, &only);
  assert_int_equal (sched_getaffinity (0, sizeof before, &before), 0);
  if (sched_setaffinity (0, sizeof only, &only) != 0)
    return FALSE;
  while (__atomic_load_n (&page->data_head, __ATOMIC_ACQUIRE) == 0 && g_get_monotonic_time () < end)
    g_usleep (1000);
  assert_int_equal (sched_setaffinity (0, sizeof before, &before), 0);
  if (page->data_head == 0)
    fail_msg ("no record of CPU %u in a minute in which this program came and went on it",
              leader->cpu);
  return TRUE;
}

static void
events_of_the_system_in_large_buffers (void **state)
{
  static const char *const names[] = { "sched:sched_switch", NULL };
  const WprPerfEvent events[] = {
    { .row = 0, .kind = WPR_PERF_TRACEPOINT, .name = names[0], .period = 1 },
    { .row = 1, .kind = WPR_PERF_SOFTWARE, .name = "cpu-clock", .period = 1000000 },
  };
  const WprRingSpec spec = { .bytes = RING_BYTES };
  const struct rlimit memlock = { 8 << 20, 8 << 20 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  WprOpened opened = { 0 };
  if (paranoid () < 0)
    skip (); /* everybody may, here */
  assert_int_equal (setrlimit (RLIMIT_MEMLOCK, &memlock), 0);
  WprBrokerSession *session = begin ();
  assert_true (wpr_broker_facts_formats (session, names, 1, NULL));
  WprOpener *opener = wpr_opener_broker_new (session);
  gboolean ok = wpr_opener_open (opener, events, G_N_ELEMENTS (events), &spec, 1,
                                 (const guint *)cpus->data, cpus->len, &opened, &error);
  gboolean all = ok && opened.refusals->len == 0;
  assert_int_equal (all, there ("CAP_PERFMON"));
  guint n_recorded = 0;
  for (guint i = 0; all && i < opened.leaders->len; i++)
    {
      const WprLeader *leader = &g_array_index (opened.leaders, WprLeader, i);
      if (leader->bytes == 0)
        continue;
      assert_int_equal (leader->bytes == RING_BYTES, there ("CAP_IPC_LOCK"));
      gsize size = leader->bytes + (gsize)sysconf (_SC_PAGESIZE);
      struct perf_event_mmap_page *page
          = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, leader->fd, 0);
      assert_ptr_not_equal (page, MAP_FAILED);
      assert_int_equal (ioctl (leader->fd, PERF_EVENT_IOC_ENABLE, 0), 0);
      n_recorded += cause_a_record (leader, page);
      assert_int_equal (ioctl (leader->fd, PERF_EVENT_IOC_DISABLE, 0), 0);
      munmap (page, size);
    }
  assert_int_equal (n_recorded > 0, all);
  wpr_opener_close (opener);
  g_object_unref (opener);
  wpr_broker_session_unref (session);
  wpr_opened_clear (&opened);
}

static void
addresses_of_the_kernel (void **state)
{
  g_autoptr (GError) error = NULL;
  WprBrokerSession *session = begin ();
  if (paranoid () <= 1)
    skip (); /* everybody may, here */
  g_autoptr (GBytes) names = wpr_broker_facts_kallsyms (session, &error);
  assert_non_null (names);
  g_autofree char *text = g_strndup (g_bytes_get_data (names, NULL), g_bytes_get_size (names));
  const char *line = strstr (text, " T _stext\n");
  assert_non_null (line);
  assert_int_equal (strncmp (line - 16, "0000000000000000", 16) != 0, there ("CAP_SYSLOG"));
  wpr_broker_session_unref (session);
}

static void
mappings_of_other_users (void **state)
{
  g_autoptr (GError) error = NULL;
  WprBrokerSession *session = begin ();
  g_autoptr (GBytes) bytes = wpr_broker_facts_rundown (session, FALSE, &error);
  assert_non_null (bytes);
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  assert_true (wpr_world_load (world, bytes, NULL));
  const WprProcess *parent
      = wpr_world_process (world, (guint32)atoi (g_getenv ("WPR_TEST_ROOT_PID")), G_MAXINT64);
  assert_non_null (parent);
  assert_int_not_equal (parent->uid, getuid ());
  /* Newer kernels give mappings to CAP_PERFMON, too; descriptors, below, to CAP_SYS_PTRACE only. */
  if (there ("CAP_SYS_PTRACE"))
    assert_true (parent->mappings->len > 0);
  wpr_broker_session_unref (session);
}

static gboolean
has_files (GPtrArray *all, guint32 pid)
{
  for (guint i = 0; i < all->len; i++)
    if (((WprOpenFiles *)all->pdata[i])->pid == pid)
      return ((WprOpenFiles *)all->pdata[i])->files->len > 0;
  return FALSE;
}

/* Root's and an ordinary user's, this one: the right to pass other users' folders is for those. */
static void
open_files_of_other_users (void **state)
{
  g_autoptr (GError) error = NULL;
  WprBrokerSession *session = begin ();
  g_autoptr (GPtrArray) all = wpr_broker_facts_descriptors (session, FALSE, &error);
  assert_non_null (all);
  assert_int_equal (has_files (all, (guint32)atoi (g_getenv ("WPR_TEST_ROOT_PID"))),
                    there ("CAP_SYS_PTRACE"));
  assert_int_equal (has_files (all, (guint32)getpid ()),
                    there ("CAP_SYS_PTRACE") && there ("CAP_DAC_READ_SEARCH"));
  wpr_broker_session_unref (session);
}

int
main (int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (events_of_the_system_in_large_buffers),
    cmocka_unit_test (addresses_of_the_kernel),
    cmocka_unit_test (mappings_of_other_users),
    cmocka_unit_test (open_files_of_other_users),
  };
  if (argc > 1)
    without = argv[1];
  return cmocka_run_group_tests (tests, NULL, NULL);
}
