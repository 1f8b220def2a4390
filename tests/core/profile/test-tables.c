/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tables: every keyword and stack of the format is there, and leads where it should. */
#include "config.h"
#include "helpers.h"
#include "profile/fault.h"
#include "profile/keywords.h"
#include "profile/providers.h"
#include "profile/stacks.h"
#include "profile/suggest.h"

static void
test_there_are_68_keywords_and_179_stacks_each_once (void **state)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  guint n_keywords = 0, n_stacks = 0;
  for (; wpr_keyword_get (n_keywords) != NULL; n_keywords++)
    assert_true (g_hash_table_add (seen, (gpointer)wpr_keyword_get (n_keywords)->keyword));
  g_hash_table_remove_all (seen);
  for (; wpr_stack_get (n_stacks) != NULL; n_stacks++)
    assert_true (g_hash_table_add (seen, (gpointer)wpr_stack_get (n_stacks)->stack));
  assert_int_equal (n_keywords, 68);
  assert_int_equal (n_stacks, 179);
  assert_null (wpr_keyword_find ("cswitch")); /* case counts */
  assert_null (wpr_stack_find ("Cswitch"));
}

static gboolean
leads_to (const char *keyword, const char *event)
{
  const WprKeywordRow *row = wpr_keyword_find (keyword);
  assert_non_null (row);
  for (gsize i = 0; row->events != NULL && row->events[i] != NULL; i++)
    if (g_str_equal (row->events[i], event))
      return TRUE;
  return FALSE;
}

static void
test_keywords_lead_to_their_events (void **state)
{
  static const struct
  {
    const char *keyword, *event;
  } rows[] = {
    { "ProcessThread", "sched:sched_process_exec" },
    { "CSwitch", "sched:sched_switch" },
    { "CompactCSwitch", "sched:sched_switch" },
    { "ReadyThread", "sched:sched_waking" },
    { "ReadyThread", "sched:sched_wakeup_new" },
    { "SampledProfile", "sample/" },
    { "DPC", "irq:softirq_entry" },
    { "DPCQueue", "irq:softirq_raise" },
    { "Interrupt", "irq:irq_handler_entry" },
    { "ClockInterrupt", "irq_vectors:local_timer_entry" },
    { "InterProcessorInterrupt", "irq_vectors:reschedule_entry" },
    { "DiskIO", "block:block_rq_complete" },
    { "DiskIOInit", "block:block_rq_issue" },
    { "SplitIO", "block:block_split" },
    { "FileIO", "syscalls:sys_enter_openat" },
    { "FileIO", "syscalls:sys_exit_openat" },
    { "FileIO", "syscalls:sys_enter_pwrite64" },
    { "HardFaults", "software/major-faults" },
    { "AllFaults", "software/minor-faults" },
    { "AllFaults", "software/major-faults" },
    { "VirtualAllocation", "syscalls:sys_enter_mmap" },
    { "MemoryInfo", "sampler/psi" },
    { "MemoryInfoWS", "sampler/rss" },
    { "Memory", "oom:mark_victim" },
    { "Pool", "kmem:kmem_cache_free" },
    { "NetworkTrace", "sock:inet_sock_set_state" },
    { "Power", "power:suspend_resume" },
    { "IdleStates", "power:cpu_idle" },
    { "WakeCounter", "power:wakeup_source_activate" },
    { "IdealProcessor", "sched:sched_migrate_task" },
    { "ProcessFreeze", "cgroup:cgroup_freeze" },
    { "SystemCall", "raw_syscalls:sys_enter" },
    { "Timer", "timer:hrtimer_expire_entry" },
    { "KernelQueue", "workqueue:workqueue_execute_start" },
    { "SpinLock", "lock:contention_begin" },
    { "Handle", "syscalls:sys_enter_socket" },
    { "HvHypercalls", "kvm:kvm_exit" },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (!leads_to (rows[i].keyword, rows[i].event))
      fail_msg ("%s does not lead to %s", rows[i].keyword, rows[i].event);
  assert_false (leads_to ("HardFaults", "filemap:mm_filemap_add_to_page_cache"));
}

static void
test_no_keyword_takes_a_whole_system (void **state)
{
  const WprKeywordRow *row;
  for (guint i = 0; (row = wpr_keyword_get (i)) != NULL; i++)
    {
      /* Either events, or a note, or nothing of their own to open. */
      assert_true ((row->events != NULL) != (row->note != NULL)
                   || g_str_equal (row->keyword, "CpuConfig")
                   || g_str_equal (row->keyword, "PmcProfile"));
      for (gsize j = 0; row->events != NULL && row->events[j] != NULL; j++)
        assert_null (strchr (row->events[j], '*'));
    }
}

static void
test_every_stack_belongs_to_events_its_keywords_bring (void **state)
{
  const WprStackRow *row;
  for (guint i = 0; (row = wpr_stack_get (i)) != NULL; i++)
    {
      assert_int_equal (row->events != NULL, row->keywords != NULL);
      assert_int_equal (row->events != NULL, row->depth != WPR_STACK_NONE);
      gboolean any = row->events == NULL;
      for (gsize j = 0; row->keywords != NULL && row->keywords[j] != NULL; j++)
        for (gsize k = 0; row->events[k] != NULL; k++)
          {
            g_autofree char *old = g_strconcat ("?", row->events[k], NULL);
            any |= leads_to (row->keywords[j], row->events[k]) || leads_to (row->keywords[j], old);
          }
      if (!any)
        fail_msg ("%s", row->stack);
    }
}

static void
test_the_depth_of_stacks (void **state)
{
  assert_int_equal (wpr_stack_find ("SampledProfile")->depth, WPR_STACK_FULL);
  assert_int_equal (wpr_stack_find ("CSwitch")->depth, WPR_STACK_KERNEL);
  assert_int_equal (wpr_stack_find ("ReadyThread")->depth, WPR_STACK_KERNEL);
  assert_int_equal (wpr_stack_find ("FileRead")->depth, WPR_STACK_FULL);
  assert_int_equal (wpr_stack_find ("RegistryOpenKey")->depth, WPR_STACK_NONE);
}

/* ---- providers ---- */

static gboolean
provider_has (const WprProviders *providers, const char *name, guint64 keywords, WprTargetKind kind,
              const char *value)
{
  g_autoptr (GPtrArray) targets
      = wpr_providers_lookup (providers, name, &(WprProviderWant){ .keywords = keywords });
  for (guint i = 0; targets != NULL && i < targets->len; i++)
    {
      const WprTarget *target = g_ptr_array_index (targets, i);
      if (target->kind == kind && g_str_equal (target->value, value))
        return TRUE;
    }
  return FALSE;
}

static void
test_providers_are_found_by_name_and_by_guid_in_any_form (void **state)
{
  g_autoptr (GPtrArray) faults = wpr_faults_new ();
  WprProviders *providers = wpr_providers_new (faults);
  static const char *const names[]
      = { "Microsoft-Windows-Kernel-Disk", "microsoft-windows-kernel-disk",
          "c7bde69a-e1e0-4177-b6ef-283ad1525271", "{C7BDE69A-E1E0-4177-B6EF-283AD1525271}" };
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    assert_true (
        provider_has (providers, names[i], 0, WPR_TARGET_TRACEPOINT, "block:block_rq_issue"));
  assert_true (provider_has (providers, "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", 0, WPR_TARGET_LTTNG,
                             "DotNETRuntime:*"));
  assert_null (wpr_providers_lookup (providers, "Contoso", &(WprProviderWant){ 0 }));
  wpr_providers_free (providers);
}

static void
test_a_name_may_be_a_target_itself (void **state)
{
  g_autoptr (GPtrArray) faults = wpr_faults_new ();
  WprProviders *providers = wpr_providers_new (faults);
  assert_true (provider_has (providers, "tracepoint:drm:*", 0, WPR_TARGET_TRACEPOINT, "drm:*"));
  assert_true (provider_has (providers, "lttng:my_app:*", 0, WPR_TARGET_LTTNG, "my_app:*"));
  assert_true (provider_has (providers, "usdt:postgresql:*", 0, WPR_TARGET_USDT, "postgresql:*"));
  assert_null (wpr_providers_lookup (providers, "tracepoint:", &(WprProviderWant){ 0 }));
  assert_null (wpr_providers_lookup (providers, "other:x:y", &(WprProviderWant){ 0 }));
  wpr_providers_free (providers);
}

static void
test_keyword_rows_count_only_when_asked_for (void **state)
{
  g_autoptr (GPtrArray) faults = wpr_faults_new ();
  WprProviders *providers = wpr_providers_new (faults);
  const char *text = "[Mine]\nguid={12345678-0000-0000-0000-000000000000}\n"
                     "tracepoint=sched:sched_switch\nkeyword 0x10=tracepoint:block:*;journal:x\n"
                     "keyword 0x8000000000000000=tracepoint:irq:irq_handler_entry\n";
  assert_true (wpr_providers_add (providers, text, strlen (text), "mine.ini", FALSE, faults));
  assert_int_equal (faults->len, 0);
  assert_true (provider_has (providers, "mine", 0x10, WPR_TARGET_TRACEPOINT, "block:*"));
  assert_true (provider_has (providers, "mine", 0x10, WPR_TARGET_JOURNAL, "x"));
  assert_true (provider_has (providers, "mine", 0x10, WPR_TARGET_TRACEPOINT, "sched:sched_switch"));
  assert_false (provider_has (providers, "mine", 0x20, WPR_TARGET_TRACEPOINT, "block:*"));
  assert_true (provider_has (providers, "mine", G_GUINT64_CONSTANT (0x8000000000000000),
                             WPR_TARGET_TRACEPOINT, "irq:irq_handler_entry"));
  assert_true (provider_has (providers, "mine", 0, WPR_TARGET_TRACEPOINT, "block:*"));
  assert_true (provider_has (providers, "12345678-0000-0000-0000-000000000000", 0x10,
                             WPR_TARGET_TRACEPOINT, "block:*"));
  wpr_providers_free (providers);
}

static void
test_a_persons_folder_may_not_name_probes (void **state)
{
  g_autoptr (GPtrArray) faults = wpr_faults_new ();
  WprProviders *providers = wpr_providers_new (faults);
  const char *text = "[Mine]\nuprobe=/bin/sh:main\ntracepoint=sched:sched_switch\n"
                     "keyword 0x1=uprobe:/bin/sh:main\n";
  assert_true (wpr_providers_add (providers, text, strlen (text), "mine.ini", TRUE, faults));
  assert_int_equal (faults->len, 2);
  assert_false (provider_has (providers, "Mine", 0, WPR_TARGET_UPROBE, "/bin/sh:main"));
  assert_true (provider_has (providers, "Mine", 0, WPR_TARGET_TRACEPOINT, "sched:sched_switch"));
  assert_true (wpr_providers_add (providers, text, strlen (text), "etc.ini", FALSE, faults));
  assert_true (provider_has (providers, "Mine", 0, WPR_TARGET_UPROBE, "/bin/sh:main"));
  wpr_providers_free (providers);
}

static void
test_a_broken_provider_file_is_a_warning (void **state)
{
  g_autoptr (GPtrArray) faults = wpr_faults_new ();
  WprProviders *providers = wpr_providers_new (faults);
  assert_false (wpr_providers_add (providers, "tracepoint=x", 12, "a.ini", FALSE, faults));
  const char *text = "[Mine]\nkeyword 0xZZ=tracepoint:a:b\nnonsense=1\nkeyword 0x1=nowhere:a\n";
  assert_true (wpr_providers_add (providers, text, strlen (text), "b.ini", FALSE, faults));
  assert_int_equal (faults->len, 4);
  for (guint i = 0; i < faults->len; i++)
    assert_false (((const WprFault *)g_ptr_array_index (faults, i))->is_error);
  wpr_providers_free (providers);
}

/* ---- suggestions ---- */

static const char *
suggest (const char *word)
{
  WprSuggest suggest = { .word = word };
  wpr_suggest_offer (&suggest, "DiskIO");
  wpr_suggest_offer (&suggest, "CSwitch");
  wpr_suggest_offer (&suggest, "GeneralProfile");
  return suggest.best;
}

static void
test_suggests_what_is_near_and_nothing_else (void **state)
{
  assert_string_equal (suggest ("cswich"), "CSwitch");
  assert_string_equal (suggest ("Diskio"), "DiskIO");
  assert_string_equal (suggest ("GenralProfil"), "GeneralProfile");
  assert_null (suggest ("Network"));
  assert_null (suggest (""));
  assert_null (suggest ("CSwitchCSwitchCSwitchCSwitchCSwitchCSwitchCSwitchCSwitchCSwitchCSwitch"));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_there_are_68_keywords_and_179_stacks_each_once),
    cmocka_unit_test (test_keywords_lead_to_their_events),
    cmocka_unit_test (test_no_keyword_takes_a_whole_system),
    cmocka_unit_test (test_every_stack_belongs_to_events_its_keywords_bring),
    cmocka_unit_test (test_the_depth_of_stacks),
    cmocka_unit_test (test_providers_are_found_by_name_and_by_guid_in_any_form),
    cmocka_unit_test (test_a_name_may_be_a_target_itself),
    cmocka_unit_test (test_keyword_rows_count_only_when_asked_for),
    cmocka_unit_test (test_a_persons_folder_may_not_name_probes),
    cmocka_unit_test (test_a_broken_provider_file_is_a_warning),
    cmocka_unit_test (test_suggests_what_is_near_and_nothing_else),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
