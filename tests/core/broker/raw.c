/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets as no client of ours makes them. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/sealed.h"
#include "broker/check.h"
#include "broker/client/client-private.h"
#include "raw.h"

gboolean no_kernel;
guint n_cpus;
Service *service;

int
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

int
tear_down (void **state)
{
  service_stop (service);
  return 0;
}

int
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

int
ask (int fd, guint32 number, guint32 verb, GVariant *args, GVariant **result)
{
  assert_true (
      wpr_packet_send (fd, g_variant_new (WPR_BROKER_REQUEST, number, verb, args), NULL, 0));
  return answer_of (fd, result);
}

GVariant *
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

GVariant *
small_plan (const WprPerfEvent *events, gsize n, gsize bytes)
{
  const WprRingSpec ring = { .bytes = bytes };
  const guint32 cpu = 0;
  return plan (events, n, &ring, 1, &cpu, 1);
}

int
serve (void)
{
  int fd = service_serve (service, NOBODY, FALSE, FALSE, NULL);
  assert_true (fd >= 0);
  return fd;
}
