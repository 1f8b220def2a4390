/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Requests that no client of ours makes: malformed, replayed, with descriptors, too large, out of
 * the vocabulary; and clients that do not read, or collect sessions. */
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
#include "base/sealed.h"
#include "broker/check.h"
#include "broker/client/client-private.h"
#include "service.h"

#define BYTES (1024 * 1024)
#define LIMIT_BYTES (64 * 1024 * 1024)

static gboolean no_kernel;
static guint n_cpus;
static Service *service; /* at most LIMIT_BYTES of rings */

static int
set_up (void **state)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  struct perf_event_attr attr;
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  n_cpus = cpus->len;
  wpr_perf_event_fill_attr (&event, FALSE, &attr);
  int id = wpr_tracefs_id (event.name);
  attr.config = (guint64)MAX (id, 0);
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  no_kernel = fd < 0 || id < 0;
  if (fd >= 0)
    close (fd);
  service = service_start (WPR_BROKER_ORPHAN_S, LIMIT_BYTES);
  return 0;
}

static int
tear_down (void **state)
{
  service_stop (service);
  return 0;
}

/* ---- a raw client ---- */

/* The answer's code; -1: end of file. */
static int
answer_of (int fd, GVariant **result)
{
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GVariant) answer = wpr_packet_receive_fds (fd, WPR_BROKER_ANSWER, fds);
  guint32 number, code, n_fds;
  guint64 size;
  const char *sentence;
  g_autoptr (GVariant) value = NULL;
  if (answer == NULL)
    return -1;
  g_variant_get (answer, "(uu&sutv)", &number, &code, &sentence, &n_fds, &size, &value);
  assert_int_equal (code != 0, *sentence != '\0'); /* never a bare number */
  if (code != 0)
    assert_true (g_str_has_suffix (sentence, "."));
  while (fds->len < n_fds)
    {
      g_autoptr (GVariant) more = wpr_packet_receive_fds (fd, "y", fds);
      assert_non_null (more);
    }
  if (size > 0)
    {
      g_autoptr (GBytes) bytes
          = wpr_sealed_map (g_array_index (fds, int, fds->len - 1), (gsize)size);
      assert_non_null (bytes);
    }
  for (guint i = 0; i < fds->len; i++)
    close (g_array_index (fds, int, i));
  if (result != NULL)
    *result = g_steal_pointer (&value);
  return (int)code;
}

static int
ask (int fd, guint32 number, guint32 verb, GVariant *args, GVariant **result)
{
  assert_true (
      wpr_packet_send (fd, g_variant_new (WPR_BROKER_REQUEST, number, verb, args), NULL, 0));
  return answer_of (fd, result);
}

static GVariant *
plan (const WprPerfEvent *events, gsize n, const WprRingSpec *rings, gsize n_rings,
      const guint32 *cpus, gsize n_listed)
{
  GVariantBuilder specs;
  g_variant_builder_init (&specs, G_VARIANT_TYPE ("a" WPR_BROKER_RING));
  for (gsize i = 0; i < n_rings; i++)
    g_variant_builder_add (&specs, WPR_BROKER_RING, (guint64)rings[i].bytes, FALSE, 0);
  return g_variant_new (
      "(@" WPR_BROKER_ROWS "a" WPR_BROKER_RING "@au)", wpr_broker_pack_rows (events, n), &specs,
      g_variant_new_fixed_array (G_VARIANT_TYPE_UINT32, cpus, n_listed, sizeof *cpus));
}

/* On CPU 0. */
static GVariant *
small_plan (const WprPerfEvent *events, gsize n, gsize bytes)
{
  const WprRingSpec ring = { .bytes = bytes };
  const guint32 cpu = 0;
  return plan (events, n, &ring, 1, &cpu, 1);
}

static int
serve (void)
{
  int fd = service_serve (service, NOBODY, FALSE, FALSE, NULL);
  assert_true (fd >= 0);
  return fd;
}

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

/* ---- shares ---- */

static void
test_rings_of_all_sessions_have_one_limit (void **state)
{
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  guint32 number = 1;
  if (no_kernel)
    skip ();
  int one = serve (), two = serve (), three = serve ();
  assert_int_equal (ask (one, 1, WPR_BROKER_OPEN, small_plan (&event, 1, LIMIT_BYTES / 2), NULL),
                    0);
  assert_int_equal (ask (two, 1, WPR_BROKER_OPEN, small_plan (&event, 1, LIMIT_BYTES / 4), NULL),
                    0);
  assert_int_equal (ask (three, 1, WPR_BROKER_OPEN, small_plan (&event, 1, LIMIT_BYTES / 2), NULL),
                    WPR_ERROR_NO_SPACE);
  /* A grown ring's forerunner may still be mapped: it counts on. */
  assert_int_equal (
      ask (two, 2, WPR_BROKER_GROW, g_variant_new ("(ut)", 0, (guint64)LIMIT_BYTES / 2), NULL),
      WPR_ERROR_NO_SPACE);
  assert_int_equal (ask (two, 3, WPR_BROKER_GROW_AHEAD,
                         g_variant_new ("(ut)", 0, (guint64)LIMIT_BYTES / 8), NULL),
                    0);
  for (guint i = 0; i < 10; i++) /* nor does it add up where it is not taken */
    assert_int_equal (ask (two, 4 + i, WPR_BROKER_GROW_AHEAD,
                           g_variant_new ("(ut)", 0, (guint64)LIMIT_BYTES / 16), NULL),
                      0);
  close (one);
  assert_true (service_wait_n_out (service, 2));
  while (ask (three, ++number, WPR_BROKER_OPEN, small_plan (&event, 1, LIMIT_BYTES / 2), NULL) != 0)
    assert_true (number < 100);
  close (two);
  close (three);
  assert_true (service_wait_n_out (service, 0));
}

/* Half of what all may have on CPU 0, opened by a client and mapped; NULL: refused. leader: NULL,
 * or taken over, to be closed. */
static WprRing *
open_and_map (WprOpener *opener, int *leader)
{
  const WprPerfEvent event = tracepoint (0, NUMBERED_EVENT);
  const WprRingSpec spec = { .bytes = LIMIT_BYTES / 2 };
  const guint cpu = 0;
  WprRing *ring = NULL;
  WprOpened opened = { 0 };
  g_autoptr (GError) error = NULL;
  if (wpr_opener_open (opener, &event, 1, &spec, 1, &cpu, 1, &opened, &error))
    {
      int fd = g_array_index (opened.leaders, WprLeader, 0).fd;
      ring = wpr_ring_map (fd, spec.bytes, FALSE, NULL);
      assert_non_null (ring);
      if (leader != NULL)
        *leader = fcntl (fd, F_DUPFD_CLOEXEC, 0);
    }
  else
    assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE));
  wpr_opened_clear (&opened);
  return ring;
}

static WprOpener *
new_client (void)
{
  WprBrokerSession *session = wpr_broker_session_new (serve ());
  WprOpener *opener = wpr_opener_broker_new (session);
  wpr_broker_session_unref (session);
  return opener;
}

/* What it closed or left is not free as long as it has it mapped: in the same session or another,
 * by the leader or by an event of its own that it sent to that ring. */
static void
test_rings_that_are_mapped_still_count_on (void **state)
{
  if (no_kernel)
    skip ();
  WprOpener *client = new_client ();
  WprRing *first = open_and_map (client, NULL);
  assert_non_null (first);
  wpr_opener_close (client);
  int leader = -1;
  WprRing *second = open_and_map (client, &leader);
  assert_non_null (second);
  wpr_opener_close (client);
  assert_null (open_and_map (client, NULL));
  assert_int_equal (service_bytes_left (service), LIMIT_BYTES);
  g_object_unref (client);
  assert_true (service_wait_n_out (service, 0));
  client = new_client ();
  assert_null (open_and_map (client, NULL));

  struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
                                  .size = sizeof attr,
                                  .config = PERF_COUNT_SW_DUMMY,
                                  .use_clockid = 1,
                                  .clockid = CLOCK_MONOTONIC };
  int own = (int)syscall (SYS_perf_event_open, &attr, 0, 0, -1, PERF_FLAG_FD_CLOEXEC);
  assert_true (own >= 0 && ioctl (own, PERF_EVENT_IOC_SET_OUTPUT, leader) == 0);
  WprRing *by_own = wpr_ring_map (own, LIMIT_BYTES / 2, FALSE, NULL);
  wpr_ring_free (second);
  close (leader);
  if (by_own != NULL) /* kernels differ in whether that may be mapped */
    assert_null (open_and_map (client, NULL));
  g_clear_pointer (&by_own, wpr_ring_free);
  close (own);
  WprRing *third = open_and_map (client, NULL);
  assert_non_null (third);
  wpr_ring_free (third);
  wpr_ring_free (first);
  g_object_unref (client);
  assert_true (service_wait_n_out (service, 0));
  assert_int_equal (service_bytes_left (service), 0);
}

/* A large answer that a client keeps is memory of the service: it counts until it is let go of,
 * session or not, and there is an end to it. */
static void
test_facts_that_are_kept_count_on (void **state)
{
  WprBrokerSession *session = wpr_broker_session_new (serve ());
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify)g_bytes_unref);
  g_autoptr (GError) error = NULL;
  guint64 bytes = 0;
  for (GBytes *one; (one = wpr_broker_facts_kallsyms (session, &error)) != NULL;)
    {
      if (g_bytes_get_size (one) <= WPR_BROKER_INLINE_MOST) /* a kernel without them */
        {
          g_bytes_unref (one);
          wpr_broker_session_unref (session);
          skip ();
        }
      bytes += g_bytes_get_size (one);
      g_ptr_array_add (kept, one);
    }
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NO_SPACE));
  assert_in_range (kept->len, 1, 16);
  g_ptr_array_set_size (kept, kept->len - 1); /* one can be had again once one is let go of */
  g_ptr_array_add (kept, wpr_broker_facts_kallsyms (session, NULL));
  assert_non_null (kept->pdata[kept->len - 1]);
  wpr_broker_session_unref (session);
  assert_true (service_wait_n_out (service, 0));
  assert_in_range (service_bytes_left (service), bytes, LIMIT_BYTES);
  g_ptr_array_set_size (kept, 0);
  assert_int_equal (service_bytes_left (service), 0);
}

static void
test_sessions_of_a_user_are_limited (void **state)
{
  int fds[WPR_BROKER_SESSIONS_OF_USER];
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    fds[i] = serve ();
  assert_int_equal (service_serve (service, NOBODY, FALSE, FALSE, NULL), -1);
  int other = service_serve (service, SOMEBODY, FALSE, FALSE, NULL);
  assert_true (other >= 0);
  close (other);
  for (guint i = 0; i < G_N_ELEMENTS (fds); i++)
    close (fds[i]);
  assert_true (service_wait_n_out (service, 0));
}

static void
test_a_thousand_requests_leave_no_descriptor (void **state)
{
  WprPerfEvent event = tracepoint (0, NUMBERED_EVENT), software = event;
  guint32 number = 0;
  guint before, n;
  if (no_kernel)
    skip ();
  int fd = serve ();
  software = (WprPerfEvent){
    .row = 1, .kind = WPR_PERF_SOFTWARE, .name = "context-switches", .period = 1
  };
  assert_int_equal (ask (fd, ++number, WPR_BROKER_OPEN, small_plan (&event, 1, BYTES), NULL), 0);
  before = service_n_fds (service, &n);
  for (guint i = 0; i < 250; i++)
    {
      const char *name = NUMBERED_EVENT;
      assert_int_equal (
          ask (fd, ++number, WPR_BROKER_ADD, wpr_broker_pack_rows (&software, 1), NULL), 0);
      assert_int_equal (ask (fd, ++number, WPR_BROKER_DROP, g_variant_new_uint32 (1), NULL), 0);
      assert_int_equal (ask (fd, ++number, WPR_BROKER_FORMATS, g_variant_new_strv (&name, 1), NULL),
                        0);
      assert_int_equal (ask (fd, ++number, WPR_BROKER_DROP, g_variant_new_uint32 (7), NULL),
                        WPR_ERROR_USAGE);
      /* The same rings ahead, over and over: they are there. */
      assert_int_equal (ask (fd, ++number, WPR_BROKER_GROW_AHEAD,
                             g_variant_new ("(ut)", 0, (guint64)2 * BYTES), NULL),
                        0);
    }
  for (guint i = 0; i < 3; i++)
    assert_int_equal (ask (fd, ++number, WPR_BROKER_RUNDOWN, g_variant_new_boolean (FALSE), NULL),
                      0);
  assert_int_equal (ask (fd, ++number, WPR_BROKER_FORMATS, g_variant_new_strv (NULL, 0), NULL), 0);
  assert_int_equal (service_n_fds (service, NULL), before + 1); /* the leader of the ring ahead */
  close (fd);
  assert_true (service_wait_n_out (service, 0));
}

/* Once more; FALSE with errno. */
static gboolean
ask_for_rundown (int fd, guint32 number)
{
  g_autoptr (GVariant) request = g_variant_ref_sink (g_variant_new (
      WPR_BROKER_REQUEST, number, WPR_BROKER_RUNDOWN, g_variant_new_boolean (FALSE)));
  return send (fd, g_variant_get_data (request), g_variant_get_size (request),
               MSG_DONTWAIT | MSG_NOSIGNAL)
         > 0;
}

/* It asks for much and reads nothing: it is dropped, and nobody else waits for it. */
static void
test_who_does_not_read_is_dropped (void **state)
{
  guint before = service_n_fds (service, NULL);
  gint64 deadline = g_get_monotonic_time () + 90 * G_USEC_PER_SEC;
  int fd = serve (), other = serve ();
  guint32 number = 1;
  while (ask_for_rundown (fd, number))
    number++;
  assert_int_equal (errno, EAGAIN);
  assert_int_equal (ask (other, 1, WPR_BROKER_RUNDOWN, g_variant_new_boolean (FALSE), NULL), 0);
  assert_int_equal (service_n_out (service), 2); /* it is waited for still */
  close (other);
  for (;;)
    {
      if (ask_for_rundown (fd, number))
        number++;
      else if (errno != EAGAIN)
        break;
      assert_true (g_get_monotonic_time () < deadline);
      g_usleep (1000);
    }
  assert_true (service_wait_n_out (service, 0));
  g_autofree char *how = service_ended (service);
  assert_string_equal (how, "not-read 0");
  close (fd);
  assert_int_equal (service_bytes_left (service), 0);
  assert_int_equal (service_n_fds (service, NULL), before);
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
    cmocka_unit_test (test_rings_of_all_sessions_have_one_limit),
    cmocka_unit_test (test_rings_that_are_mapped_still_count_on),
    cmocka_unit_test (test_facts_that_are_kept_count_on),
    cmocka_unit_test (test_sessions_of_a_user_are_limited),
    cmocka_unit_test (test_a_thousand_requests_leave_no_descriptor),
    cmocka_unit_test (test_who_does_not_read_is_dropped),
  };
  return cmocka_run_group_tests (tests, set_up, tear_down);
}
