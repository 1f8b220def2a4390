/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests that no client of ours makes: malformed, replayed, with descriptors, too large, out of
 * the vocabulary. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "broker/check.h"
#include "broker/client/client-private.h"
#include "raw.h"

/* ---- what is no request ---- */

typedef enum
{
  NOISE,
  EMPTY,
  CUT,
  OTHER_TYPE,
  OTHER_ARGS,
  NO_VERB,
  NOT_NORMAL,
  TOO_LONG,
  FIRST_NOT_ONE,
  REPLAYED,
  LEFT_OUT,
  WITH_DESCRIPTORS,
  N_MALFORMED
} Malformed;

static GVariant *
keep (guint32 number, gsize size)
{
  g_autofree guint8 *bytes = g_malloc0 (size);
  return g_variant_new (
      WPR_BROKER_REQUEST, number, WPR_BROKER_KEEP,
      g_variant_new ("(b@ay)", FALSE,
                     g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes, size, 1)));
}

static void
send_bytes (int fd, gconstpointer bytes, gsize size)
{
  assert_int_equal (send (fd, bytes, size, MSG_NOSIGNAL), size);
}

static void
send_malformed (int fd, Malformed what)
{
  guint8 noise[100];
  g_autoptr (GVariant) good = g_variant_ref_sink (keep (1, 32));
  g_autofree guint8 *bytes = g_memdup2 (g_variant_get_data (good), g_variant_get_size (good));
  gsize size = g_variant_get_size (good);
  int more[2] = { STDIN_FILENO, fd };
  memset (noise, 0xa5, sizeof noise);
  switch (what)
    {
    case NOISE:
      send_bytes (fd, noise, sizeof noise);
      break;
    case EMPTY:
      send_bytes (fd, noise, 0);
      break;
    case CUT:
      send_bytes (fd, bytes, size - 1);
      break;
    case OTHER_TYPE:
      assert_true (wpr_packet_send (fd, g_variant_new ("(us)", 1, "open"), NULL, 0));
      break;
    case OTHER_ARGS:
      assert_true (wpr_packet_send (
          fd, g_variant_new (WPR_BROKER_REQUEST, 1, WPR_BROKER_DROP, g_variant_new_string ("all")),
          NULL, 0));
      break;
    case NO_VERB:
      assert_true (wpr_packet_send (
          fd, g_variant_new (WPR_BROKER_REQUEST, 1, WPR_BROKER_N_VERBS, g_variant_new ("()")), NULL,
          0));
      break;
    case NOT_NORMAL:
      bytes[8] = 7; /* a boolean that is neither */
      send_bytes (fd, bytes, size);
      break;
    case TOO_LONG:
      assert_true (wpr_packet_send (fd, keep (1, WPR_PACKET_MOST), NULL, 0));
      break;
    case FIRST_NOT_ONE:
      assert_true (wpr_packet_send (fd, keep (0, 32), NULL, 0));
      break;
    case REPLAYED:
      send_bytes (fd, bytes, size);
      assert_int_equal (answer_of (fd, NULL), 0);
      send_bytes (fd, bytes, size);
      break;
    case LEFT_OUT:
      send_bytes (fd, bytes, size);
      assert_int_equal (answer_of (fd, NULL), 0);
      assert_true (wpr_packet_send (fd, keep (3, 32), NULL, 0));
      break;
    case WITH_DESCRIPTORS:
      assert_true (wpr_packet_send (fd, keep (1, 32), more, G_N_ELEMENTS (more)));
      break;
    case N_MALFORMED:
    default:
      assert_true (FALSE);
    }
}

static void
test_what_is_no_request_ends_the_session (void **state)
{
  guint before = service_n_fds (service, NULL);
  for (Malformed what = 0; what < N_MALFORMED; what++)
    {
      int fd = serve ();
      send_malformed (fd, what);
      int code = answer_of (fd, NULL);
      if (code != WPR_ERROR_USAGE && !(what == EMPTY && code == -1))
        fail_msg ("malformed request %d was answered with %d", what, code);
      assert_int_equal (answer_of (fd, NULL), -1);
      close (fd);
      assert_true (service_wait_n_out (service, 0));
      assert_int_equal (service_n_fds (service, NULL), before);
    }
}

/* ---- plans that are refused whole ---- */

static WprPerfEvent
changed (guint field, guint64 value)
{
  WprPerfEvent event = tracepoint (1, NUMBERED_EVENT);
  if (field == 'k')
    event.kind = (WprPerfKind)value;
  else if (field == 'c')
    event.callchain = (WprCallchain)value;
  else if (field == 'r')
    event.ring = (guint)value;
  else if (field == 'p')
    event.period = value;
  else if (field == 'f')
    event.frequency = value;
  else if (field == 'n')
    event.row = (guint32)value;
  return event;
}

static const struct
{
  char field;
  guint64 value;
} bad_rows[] = {
  { 'k', 4 }, { 'k', G_MAXUINT32 }, { 'c', 3 },           { 'r', 1 },
  { 'p', 0 }, { 'f', 100 },         { 'n', G_MAXUINT32 },
};

static const struct
{
  WprPerfKind kind;
  const char *name;
  guint64 period, frequency;
} bad_events[] = {
  { WPR_PERF_TRACEPOINT, "sched", 1, 0 },
  { WPR_PERF_TRACEPOINT, "sched:", 1, 0 },
  { WPR_PERF_TRACEPOINT, ":sched_switch", 1, 0 },
  { WPR_PERF_TRACEPOINT, "sched:sched_switch/../../../x", 1, 0 },
  { WPR_PERF_TRACEPOINT, "..:..", 1, 0 },
  { WPR_PERF_TRACEPOINT, "sched:*", 1, 0 },
  { WPR_PERF_TRACEPOINT, "sched:sched_switch:id", 1, 0 },
  { WPR_PERF_TRACEPOINT, "", 1, 0 },
  { WPR_PERF_SOFTWARE, "cpu-clock", 99999, 0 }, /* more than 10 000 a second */
  { WPR_PERF_SOFTWARE, "cpu-clock", 0, 10001 },
  { WPR_PERF_SOFTWARE, "cpu-clock", 0, 0 },
  { WPR_PERF_SOFTWARE, "cpu-clock", 1000000, 1000 },
  { WPR_PERF_SOFTWARE, "cpu clock", 1000000, 0 },
  { WPR_PERF_SOFTWARE, "/dev/mem", 1, 0 },
  { WPR_PERF_HARDWARE, "cycles", 1, 0 },
  { WPR_PERF_HARDWARE, "cycles", 0, G_MAXUINT64 },
  { WPR_PERF_SIDEBAND, "sideband", 1, 0 },
};

static const char *const bad_filters[] = {
  "",
  "comm == \"a\" ||",
  "common_pid == 1; rm",
  "common_pid == -1",
  "common_pid == 0x10",
  "common_pid == \"1\"",
  "common_pid ~ 1",
  "common_pid > 1",
  "common_pid == 99999999999",
  "comm == a",
  "comm == \"\"",
  "comm ~ \"*\"",
  "comm == \"sixteen-letters-\"",
  "comm == \"a\\\"",
  "comm == \"a\n\"",
  "comm == \"a",
  "name == \"kmalloc-8\"",
  "prev_comm == \"a\"",
  "(common_pid == 1)",
  "!common_pid == 1",
  "common_pid == 1 & common_pid == 2",
  "common_pid == 1 && common_pid",
  "filename.ustring ~ \"secret\"",
};

static void
test_plans_out_of_bounds_are_refused (void **state)
{
  int fd = serve ();
  guint32 number = 0;
  WprPerfEvent event;
  for (guint i = 0; i < G_N_ELEMENTS (bad_rows); i++)
    {
      event = changed ((guint)bad_rows[i].field, bad_rows[i].value);
      assert_int_equal (ask (fd, ++number, WPR_BROKER_OPEN, small_plan (&event, 1, BYTES), NULL),
                        WPR_ERROR_USAGE);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad_events); i++)
    {
      event = (WprPerfEvent){ .kind = bad_events[i].kind,
                              .name = bad_events[i].name,
                              .period = bad_events[i].period,
                              .frequency = bad_events[i].frequency };
      if (ask (fd, ++number, WPR_BROKER_OPEN, small_plan (&event, 1, BYTES), NULL)
          != WPR_ERROR_USAGE)
        fail_msg ("%s was not refused", bad_events[i].name);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad_filters); i++)
    {
      event = tracepoint (0, NUMBERED_EVENT);
      event.filter = bad_filters[i];
      if (ask (fd, ++number, WPR_BROKER_OPEN, small_plan (&event, 1, BYTES), NULL)
          != WPR_ERROR_USAGE)
        fail_msg ("filter %s was not refused", bad_filters[i]);
    }
  close (fd);
  assert_true (service_wait_n_out (service, 0));
}

static void
test_plans_that_are_too_large_are_refused (void **state)
{
  g_autofree WprPerfEvent *many = g_new0 (WprPerfEvent, WPR_BROKER_ROWS_MOST + 1);
  WprRingSpec rings[WPR_BROKER_RINGS_MOST + 1] = { { 0 } };
  const guint32 cpus[][2] = { { 60000, 60001 }, { 1, 0 }, { 0, 0 }, { G_MAXUINT32, 1 } };
  static const gsize sizes[] = { 0, 1, 12288, 4097, (gsize)2 << 30, (gsize)1 << 62, G_MAXSIZE };
  guint32 number = 0;
  int fd = serve ();
  for (guint i = 0; i <= WPR_BROKER_ROWS_MOST; i++)
    many[i] = tracepoint (i, "sched:sched_switch");
  for (guint i = 0; i < G_N_ELEMENTS (rings); i++)
    rings[i].bytes = 65536;
  assert_int_equal (
      ask (fd, ++number, WPR_BROKER_OPEN, small_plan (many, WPR_BROKER_ROWS_MOST + 1, BYTES), NULL),
      WPR_ERROR_USAGE);
  many[1].row = many[0].row; /* the same number twice */
  assert_int_equal (ask (fd, ++number, WPR_BROKER_OPEN, small_plan (many, 2, BYTES), NULL),
                    WPR_ERROR_USAGE);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    assert_int_equal (ask (fd, ++number, WPR_BROKER_OPEN, small_plan (many, 1, sizes[i]), NULL),
                      WPR_ERROR_USAGE);
  for (guint i = 0; i < G_N_ELEMENTS (cpus); i++)
    assert_int_equal (
        ask (fd, ++number, WPR_BROKER_OPEN, plan (many, 1, rings, 1, cpus[i], 2), NULL),
        WPR_ERROR_USAGE);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_OPEN, plan (many, 1, rings, 1, NULL, 0), NULL),
                    WPR_ERROR_USAGE);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_OPEN, plan (many, 1, NULL, 0, cpus[2], 1), NULL),
                    WPR_ERROR_USAGE);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_OPEN,
                         plan (many, 1, rings, G_N_ELEMENTS (rings), cpus[2], 1), NULL),
                    WPR_ERROR_USAGE);
  /* More memory than all rings may have. */
  assert_int_equal (
      ask (fd, ++number, WPR_BROKER_OPEN, small_plan (many, 1, 2 * LIMIT_BYTES), NULL),
      WPR_ERROR_NO_SPACE);
  close (fd);
}

static void
test_verbs_need_what_they_are_about (void **state)
{
  int fd = serve ();
  guint32 number = 0;
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_ADD, wpr_broker_pack_rows (&event, 1), NULL),
                    WPR_ERROR_STATE);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_DROP, g_variant_new_uint32 (0), NULL),
                    WPR_ERROR_USAGE);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_FILTER, g_variant_new ("(uau)", 0, NULL), NULL),
                    WPR_ERROR_STATE);
  assert_int_equal (
      ask (fd, ++number, WPR_BROKER_GROW, g_variant_new ("(ut)", 0, (guint64)BYTES), NULL),
      WPR_ERROR_STATE);
  assert_int_equal (
      ask (fd, ++number, WPR_BROKER_GROW_AHEAD, g_variant_new ("(ut)", 0, (guint64)BYTES), NULL),
      WPR_ERROR_STATE);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_CPU_ONLINE, g_variant_new_uint32 (0), NULL),
                    WPR_ERROR_STATE);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_RECALL, g_variant_new ("()"), NULL),
                    WPR_ERROR_STATE);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_CLOSE, g_variant_new ("()"), NULL), 0);
  /* Kept is a manifest, not a store. */
  g_autofree guint8 *bytes = g_malloc0 (131072);
  for (guint i = 0; i < 32; i++)
    assert_int_equal (
        ask (fd, ++number, WPR_BROKER_KEEP,
             g_variant_new ("(b@ay)", i > 0,
                            g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, bytes, 131072, 1)),
             NULL),
        0);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_KEEP,
                         g_variant_new ("(b@ay)", TRUE,
                                        g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, "x", 1, 1)),
                         NULL),
                    WPR_ERROR_NO_SPACE);
  close (fd);
  assert_true (service_wait_n_out (service, 0));
}

/* ---- events that are opened for nobody ---- */

static void
test_other_events_are_left_out_and_the_rest_records (void **state)
{
  static const struct
  {
    WprPerfKind kind;
    const char *name;
  } others[] = {
    { WPR_PERF_TRACEPOINT, "kprobes:p_secret" },
    { WPR_PERF_TRACEPOINT, "uprobes:p_secret" },
    { WPR_PERF_TRACEPOINT, "wpr_1_1_0:secret" },
    { WPR_PERF_TRACEPOINT, "printk:console" },
    { WPR_PERF_TRACEPOINT, "kprobe:do_filp_open" },
    { WPR_PERF_TRACEPOINT, "kprobe:do_sys_open" },
    { WPR_PERF_TRACEPOINT, "synthetic:x" },
    { WPR_PERF_TRACEPOINT, "bpf_trace:bpf_trace_printk" },
    { WPR_PERF_HARDWARE, "r01c2" },
    { WPR_PERF_HARDWARE, "no-such-counter" },
  };
  WprPerfEvent events[G_N_ELEMENTS (others) + 1];
  g_autoptr (GVariant) result = NULL;
  guint n;
  if (no_kernel)
    skip ();
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    events[i] = (WprPerfEvent){
      .row = i, .kind = others[i].kind, .name = others[i].name, .period = 100000
    };
  events[G_N_ELEMENTS (others)] = tracepoint (99, NUMBERED_EVENT);
  int fd = serve ();
  assert_int_equal (
      ask (fd, 1, WPR_BROKER_OPEN, small_plan (events, G_N_ELEMENTS (events), BYTES), &result), 0);
  g_autoptr (GVariant) ids = g_variant_get_child_value (result, 1);
  g_autoptr (GVariant) refusals = g_variant_get_child_value (result, 2);
  assert_int_equal (g_variant_n_children (ids), 1);
  assert_int_equal (g_variant_n_children (refusals), G_N_ELEMENTS (others));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      guint32 row, cpu, reason;
      g_variant_get_child (refusals, i, "(uui)", &row, &cpu, &reason);
      assert_int_equal (reason, EKEYREJECTED);
    }
  service_n_fds (service, &n);
  assert_int_equal (n, 3); /* leader, member, the witness of the ring */
  close (fd);
  assert_true (service_wait_n_out (service, 0));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_what_is_no_request_ends_the_session),
    cmocka_unit_test (test_plans_out_of_bounds_are_refused),
    cmocka_unit_test (test_plans_that_are_too_large_are_refused),
    cmocka_unit_test (test_verbs_need_what_they_are_about),
    cmocka_unit_test (test_other_events_are_left_out_and_the_rest_records),
  };
  return cmocka_run_group_tests (tests, set_up, tear_down);
}
