/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A session with the real kernel: an ordinary user records through it. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "perf/ring.h"
#include "service.h"

#define RING_BYTES (64 * 1024 * 1024)
static const char *const names[] = { "sched:sched_switch", "syscalls:sys_enter_ioprio_get", NULL };

static WprPerfEvent
tracepoint (guint32 row, const char *name)
{
  return (WprPerfEvent){ .row = row, .kind = WPR_PERF_TRACEPOINT, .name = name, .period = 1 };
}

/* ---- recording ---- */

static guint64
count_of (const WprOpened *opened, guint32 row, guint64 *lost)
{
  guint64 count = 0;
  *lost = 0;
  for (guint i = 0; i < opened->leaders->len; i++)
    {
      g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
      gboolean has_lost;
      CHECK (wpr_group_read (g_array_index (opened->leaders, WprLeader, i).fd, counts, &has_lost,
                             NULL));
      for (guint k = 0; k < counts->len; k++)
        for (guint j = 0; j < opened->ids->len; j++)
          {
            const WprGroupCount *one = &g_array_index (counts, WprGroupCount, k);
            const WprEventId *id = &g_array_index (opened->ids, WprEventId, j);
            count += id->id == one->id && id->row == row ? one->count : 0;
            *lost += id->id == one->id && id->row == row ? one->lost : 0;
          }
    }
  return count;
}

static int
record (int fd, gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  g_autoptr (GPtrArray) rings = g_ptr_array_new ();
  WprOpened opened = { 0 };
  WprRingSpec spec = { .bytes = RING_BYTES };
  guint64 lost;
  WprPerfEvent events[] = {
    tracepoint (0, names[0]),
    tracepoint (1, names[1]),
    { .row = 2, .kind = WPR_PERF_SOFTWARE, .name = "cpu-clock", .period = 1000000 },
  };
  WprBrokerSession *session = client_session (fd, names);
  WprOpener *opener = wpr_opener_broker_new (session);
  CHECK (wpr_tracefs_id (names[0]) > 0);
  if (!wpr_opener_open (opener, events, G_N_ELEMENTS (events), &spec, 1, (const guint *)cpus->data,
                        cpus->len, &opened, &error))
    g_printerr ("%s\n", error->message);
  CHECK (error == NULL);
  CHECK (opened.refusals->len == 0);
  CHECK (opened.leaders->len == cpus->len && opened.ids->len == 3 * cpus->len);
  client_map (&opened, rings, FALSE);
  CHECK (client_switch (&opened, PERF_EVENT_IOC_ENABLE, 0));
  for (guint i = 0; i < 1000; i++)
    syscall (SYS_ioprio_get, 1, 0);
  g_usleep (100000);
  CHECK (client_switch (&opened, PERF_EVENT_IOC_DISABLE, 0));
  CHECK (count_of (&opened, 1, &lost) >= 1000 && lost == 0);
  CHECK (count_of (&opened, 0, &lost) > 0 && lost == 0);
  for (guint i = 0; i < rings->len; i++)
    CHECK (wpr_ring_used (rings->pdata[i]) > 0);
  wpr_opener_close (opener);
  g_object_unref (opener);
  wpr_broker_session_unref (session);
  return 0;
}

static void
test_records (void **state)
{
  g_autoptr (Service) service = service_start (WPR_BROKER_ORPHAN_S, 0);
  int fd = service_serve (service, NOBODY, FALSE, FALSE, NULL);
  assert_true (fd >= 0);
  assert_int_equal (client_run (NOBODY, record, fd, NULL), 0);
  assert_true (service_wait_n_out (service, 0));
  g_autofree char *how = service_ended (service);
  assert_string_equal (how, "closed 3");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_records),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
