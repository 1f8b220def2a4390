/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disk requests on their way: who asked, in parts, and a table that does not grow. */
#include "config.h"
#include "trace/requests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define DISK (8u << 20)
#define PARTITION (DISK | 1)

static void
test_who_asked (void **state)
{
  WprRequests *requests = wpr_requests_new ();
  /* Nobody but the issuer was seen. */
  assert_int_equal (wpr_requests_issued (requests, DISK, 8, 8, 100, 33), 33);
  /* The one who put it into the queue. */
  wpr_requests_inserted (requests, DISK, 16, 70);
  assert_int_equal (wpr_requests_issued (requests, DISK, 16, 8, 100, 33), 70);
  /* The one whose bio it was, though a worker put it into the queue. */
  wpr_requests_queued (requests, PARTITION, 24, 80);
  wpr_requests_inserted (requests, DISK, 24, 33);
  assert_int_equal (wpr_requests_issued (requests, DISK, 24, 8, 100, 33), 80);
  /* The same sector again: nothing is left of the last time. */
  assert_int_equal (wpr_requests_completed (requests, DISK, 24, 8).issuer_tid, 80);
  assert_int_equal (wpr_requests_issued (requests, DISK, 24, 8, 200, 34), 34);
  wpr_requests_free (requests);
}

static void
test_unknown (void **state)
{
  WprRequests *requests = wpr_requests_new ();
  assert_int_equal (wpr_requests_completed (requests, DISK, 8, 8).issue_time, -1);
  wpr_requests_inserted (requests, DISK, 8, 70); /* never issued */
  assert_int_equal (wpr_requests_completed (requests, DISK, 8, 8).issue_time, -1);
  wpr_requests_issued (requests, DISK, 8, 8, 100, 33);
  assert_int_equal (wpr_requests_completed (requests, DISK + (1 << 20), 8, 8).issue_time, -1);
  assert_int_equal (wpr_requests_completed (requests, DISK, 8, 8).issue_time, 100);
  assert_int_equal (wpr_requests_completed (requests, DISK, 8, 8).issue_time, -1);
  wpr_requests_free (requests);
}

static void
test_parts (void **state)
{
  WprRequests *requests = wpr_requests_new ();
  wpr_requests_issued (requests, DISK, 1000, 24, 100, 33);
  for (guint i = 0; i < 3; i++)
    {
      WprRequest part = wpr_requests_completed (requests, DISK, 1000 + 8 * i, 8);
      assert_int_equal (part.issue_time, 100);
      assert_int_equal (part.issuer_tid, 33);
      assert_int_equal (part.first, 1000);
    }
  assert_int_equal (wpr_requests_completed (requests, DISK, 1024, 8).issue_time, -1);
  wpr_requests_free (requests);
}

/* A thousand at once are all remembered; of a million that never complete the newest are. */
static void
test_many (void **state)
{
  WprRequests *requests = wpr_requests_new ();
  for (guint i = 0; i < 1000; i++)
    wpr_requests_issued (requests, DISK, 8 * i, 8, i, i);
  for (guint i = 0; i < 1000; i++)
    assert_int_equal (wpr_requests_completed (requests, DISK, 8 * i, 8).issue_time, i);
  for (guint i = 0; i < 1000000; i++)
    wpr_requests_issued (requests, DISK, 8 * (guint64)i, 8, i, i);
  guint found = 0;
  for (guint i = 999000; i < 1000000; i++)
    found += wpr_requests_completed (requests, DISK, 8 * (guint64)i, 8).issue_time == i;
  assert_true (found >= 999);
  wpr_requests_free (requests);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_who_asked),
    cmocka_unit_test (test_unknown),
    cmocka_unit_test (test_parts),
    cmocka_unit_test (test_many),
  };
  return cmocka_run_group_tests_name ("requests", tests, NULL, NULL);
}
