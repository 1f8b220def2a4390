/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The closed vocabulary against what our own tables ask for, the form of filters, and packets. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "broker/check.h"
#include "broker/client/client-private.h"
#include "perf/filter.h"
#include "perf/kprobe.h"
#include "profile/keywords.h"
#include "profile/providers.h"

/* "?sched:sched_switch", "usb*:*": no kernel is asked, so a wildcard stands for nothing, or for a
 * name where there is no other. */
static void
assert_opened (const char *text)
{
  g_autoptr (GString) plain = g_string_new (text + (*text == '?'));
  g_string_replace (plain, "*", "", 0);
  g_autofree char *name
      = g_strdup_printf ("%s%s", plain->str, g_str_has_suffix (plain->str, ":") ? "x" : "");
  if (!wpr_broker_check_tracepoint (name, FALSE))
    fail_msg ("%s is not opened by the broker", name);
}

static void
test_every_event_of_a_keyword_is_opened (void **state)
{
  const WprKeywordRow *row;
  guint n = 0;
  for (guint i = 0; (row = wpr_keyword_get (i)) != NULL; i++)
    for (const char *const *event = row->events; event != NULL && *event != NULL; event++)
      if (strchr (*event, '/') == NULL)
        {
          assert_opened (*event);
          n++;
        }
  assert_true (n > 100);
}

static void
test_every_event_of_a_provider_is_opened (void **state)
{
  g_autoptr (GPtrArray) faults = g_ptr_array_new ();
  WprProviders *providers = wpr_providers_new (faults);
  g_autoptr (GPtrArray) list = wpr_providers_list (providers);
  guint n = 0;
  for (guint i = 0; i < list->len; i += 3)
    {
      g_autoptr (GPtrArray) targets
          = wpr_providers_lookup (providers, list->pdata[i], &(WprProviderWant){ 0 });
      for (guint t = 0; targets != NULL && t < targets->len; t++)
        {
          const WprTarget *target = targets->pdata[t];
          if (target->kind != WPR_TARGET_TRACEPOINT)
            continue;
          assert_opened (target->value);
          n++;
        }
    }
  wpr_providers_free (providers);
  assert_true (n > 50);
}

static void
test_probes_need_contents_and_are_of_our_table (void **state)
{
  for (guint i = 0; wpr_kprobe_function (i) != NULL; i++)
    {
      g_autofree char *name = g_strdup_printf ("kprobe:%s", wpr_kprobe_function (i));
      assert_false (wpr_broker_check_tracepoint (name, FALSE));
      assert_true (wpr_broker_check_tracepoint (name, TRUE));
    }
  assert_false (wpr_broker_check_tracepoint ("kprobe:commit_creds", TRUE));
  assert_false (wpr_broker_check_tracepoint ("kprobes:do_filp_open", TRUE));
  assert_false (wpr_broker_check_tracepoint ("uprobes:x", TRUE));
}

static void
test_table_of_systems_is_searched (void **state)
{
  static const char *const opened[]
      = { "alarmtimer:x", "dma:x",     "dma_fence:x", "iocost:x",
          "io_uring:x",   "pagemap:x", "tlb:x",       "xhci-hcd:xhci_urb_enqueue" };
  static const char *const others[] = { "",
                                        ":",
                                        "sched",
                                        "sched:",
                                        ":x",
                                        "a:b:c",
                                        "sched:x y",
                                        "sched:x/../y",
                                        "printk:console",
                                        "ftrace:function",
                                        "bpf_trace:bpf_trace_printk",
                                        "msr:write_msr",
                                        "sche:x",
                                        "schedx:x" };
  for (guint i = 0; i < G_N_ELEMENTS (opened); i++)
    assert_true (wpr_broker_check_tracepoint (opened[i], FALSE));
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    assert_false (wpr_broker_check_tracepoint (others[i], FALSE));
}

static void
test_filters_are_printed_anew (void **state)
{
  static const struct
  {
    const char *asked, *printed;
  } filters[] = {
    { "comm == \"firefox\"", "comm == \"firefox\"" },
    { "  comm==\"a b\"&&common_pid!=7  ", "comm == \"a b\" && common_pid != 7" },
    { "comm == \"a\" || common_pid == 1 || common_pid == 4294967295",
      "comm == \"a\" || common_pid == 1 || common_pid == 4294967295" },
    { "name ~ \"kmalloc-*\" || name ~ \"Thre*\"", "name ~ \"kmalloc-*\" || name ~ \"Thre*\"" },
    { "comm == \"\xe7\x81\xab\xe7\x8b\x90\"", "comm == \"\xe7\x81\xab\xe7\x8b\x90\"" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (filters); i++)
    {
      g_autofree char *printed = wpr_filter_print_anew (filters[i].asked);
      assert_non_null (printed);
      assert_string_equal (printed, filters[i].printed);
    }
}

static void
test_filters_have_so_many_terms (void **state)
{
  g_autoptr (GString) text = g_string_new ("comm == \"a\"");
  /* What a program of many threads needs. */
  for (guint i = 1; i < 150; i++)
    g_string_append (text, " || common_pid == 2");
  g_autofree char *usual = wpr_filter_print_anew (text->str);
  assert_string_equal (usual, text->str);
  g_string_assign (text, "comm == \"a\"");
  for (guint i = 0; i < WPR_FILTER_TERMS_MOST; i++)
    g_string_append (text, "||comm==\"b\"");
  g_autofree char *more = wpr_filter_print_anew (text->str);
  assert_null (more);
}

/* ---- packets ---- */

#define N_DESCRIPTORS 600

/* A message holds 253; on 256 CPUs there are two leaders each. */
static void
test_many_descriptors_arrive_in_order (void **state)
{
  int pair[2], files[2], sent[N_DESCRIPTORS];
  struct stat stats[2], one;
  g_autoptr (GArray) fds = g_array_new (FALSE, FALSE, sizeof (int));
  assert_int_equal (socketpair (AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
  for (guint i = 0; i < 2; i++)
    {
      files[i] = memfd_create ("test", MFD_CLOEXEC);
      assert_int_equal (fstat (files[i], &stats[i]), 0);
    }
  for (guint i = 0; i < N_DESCRIPTORS; i++)
    sent[i] = files[i % 3 == 0];
  assert_true (wpr_packet_send (pair[0], g_variant_new_uint32 (7), sent, N_DESCRIPTORS));
  g_autoptr (GVariant) first = wpr_packet_receive_fds (pair[1], "u", fds);
  assert_non_null (first);
  assert_int_equal (fds->len, WPR_PACKET_FDS_MOST);
  while (fds->len < N_DESCRIPTORS)
    {
      g_autoptr (GVariant) more = wpr_packet_receive_fds (pair[1], "y", fds);
      assert_non_null (more);
    }
  assert_int_equal (fds->len, N_DESCRIPTORS);
  for (guint i = 0; i < N_DESCRIPTORS; i++)
    {
      assert_int_equal (fstat (g_array_index (fds, int, i), &one), 0);
      assert_true (one.st_ino == stats[i % 3 == 0].st_ino);
      close (g_array_index (fds, int, i));
    }
  for (guint i = 0; i < 2; i++)
    {
      close (files[i]);
      close (pair[i]);
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_every_event_of_a_keyword_is_opened),
    cmocka_unit_test (test_every_event_of_a_provider_is_opened),
    cmocka_unit_test (test_probes_need_contents_and_are_of_our_table),
    cmocka_unit_test (test_table_of_systems_is_searched),
    cmocka_unit_test (test_filters_are_printed_anew),
    cmocka_unit_test (test_filters_have_so_many_terms),
    cmocka_unit_test (test_many_descriptors_arrive_in_order),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
