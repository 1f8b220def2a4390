/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What playing takes of memory does not grow with the recording: 10 MB and 200 MB of raw data, in
 * one epoch (a saved ring) and in many. */
#include "config.h"
#include "kit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define RAW_BYTES 484
#define RECORD_BYTES 528
/* The allocator's and the kernel's own; a sanitizer keeps an eighth of all that is looked at. */
#ifdef __SANITIZE_ADDRESS__
#define SLACK_KIB (32 * 1024)
#else
#define SLACK_KIB (4 * 1024)
#endif
/* Of mapped files the records in the window stay: 8192 of 528 bytes a CPU. */
#define WINDOW_KIB (2 * 8192 * RECORD_BYTES / 1024)

static glong
status_kib (const char *name)
{
  g_autofree char *status = NULL;
  assert_true (g_file_get_contents ("/proc/self/status", &status, NULL, NULL));
  const char *line = strstr (status, name);
  assert_non_null (line);
  return (glong)g_ascii_strtoll (line + strlen (name), NULL, 10);
}

typedef struct
{
  WprSink sink;
  guint64 n;
  glong anonymous, all; /* the most, in KiB */
} Watch;

static gboolean
watch_begin (WprSink *sink, const WprTraceContext *context, GError **error)
{
  return TRUE;
}

static gboolean
watch_event (WprSink *sink, const WprEvent *event, GError **error)
{
  Watch *self = (Watch *)sink;
  if (self->n++ % 5000 == 0)
    {
      self->anonymous = MAX (self->anonymous, status_kib ("RssAnon:"));
      self->all = MAX (self->all, status_kib ("VmRSS:"));
    }
  return TRUE;
}

static const WprSinkClass watch_class = { watch_begin, watch_event, watch_begin, NULL };

static Watch
play_bytes (guint64 bytes, guint64 epoch_bytes)
{
  static const guint8 raw[RAW_BYTES];
  WprStoreLimits limits = { .epoch_bytes = epoch_bytes };
  Watch watch = { .sink = { &watch_class } };
  WprSink *sinks[] = { &watch.sink };
  g_autoptr (Kit) kit = kit_new (FALSE, 1, 2);
  kit_begin (kit, &limits);
  kit_clock (kit, SECOND, SLEPT, WALL);
  guint64 n = bytes / RECORD_BYTES;
  for (guint64 i = 0; i < n; i++)
    {
      kit_sample (kit, ROW_SYS_ENTER, i % 2, SECOND + (WprTime)i * 1000, 70, 70, raw, sizeof raw);
      if (i % 2000 != 0)
        continue;
      kit_flush (kit);
      if (epoch_bytes != 0 && wpr_store_wants_rotate (kit->store))
        kit_rotate (kit);
    }
  kit_finish (kit, 1000 * SECOND);
  g_autoptr (WprTrace) trace = wpr_trace_open (kit->path, NULL);
  assert_true (wpr_trace_play (trace, sinks, 1, NULL, NULL, NULL));
  assert_int_equal (watch.n, n);
  return watch;
}

static void
test_flat (void **state)
{
  for (guint i = 0; i < 2; i++)
    {
      guint64 epoch = i == 0 ? G_MAXINT64 : 4 << 20;
      Watch small = play_bytes (10 * 1000 * 1000, epoch);
      Watch large = play_bytes (200 * 1000 * 1000, epoch);
      print_message ("%s: 10 MB %ld KiB (%ld KiB with mapped files), 200 MB %ld KiB (%ld KiB)\n",
                     i == 0 ? "one epoch" : "many", small.anonymous, small.all, large.anonymous,
                     large.all);
      assert_true (large.anonymous < small.anonymous + SLACK_KIB);
      assert_true (large.all < small.all + SLACK_KIB + WINDOW_KIB);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test (test_flat) };
  return cmocka_run_group_tests_name ("memory", tests, NULL, NULL);
}
