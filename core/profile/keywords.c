/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of system keywords. No "system:*" here: cfg80211 and mac80211 alone are 321 events, and
 * each costs a descriptor a CPU and 25 ms when it is closed; those named answer the question. */
#include "config.h"
#include "profile/keywords.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define EVENTS(...) ((const char *const[]){ __VA_ARGS__, NULL })
/* A system call is recorded as a pair; the pairs cost nothing on calls nobody asked for, a filter
 * on raw_syscalls 350-480 ns on each. */
#define CALL(name) "syscalls:sys_enter_" name, "syscalls:sys_exit_" name
/* Calls only older architectures have (x86 yes, arm64 no). */
#define OLD_CALL(name) "?syscalls:sys_enter_" name, "?syscalls:sys_exit_" name

/* What makes a descriptor another file, or moves it. */
#define DESCRIPTOR_CALLS                                                          \
  CALL ("lseek"), CALL ("dup"), OLD_CALL ("dup2"), CALL ("dup3"), CALL ("fcntl"), \
      OLD_CALL ("close_range"), CALL ("chdir"), CALL ("fchdir")
#define FILE_CALLS                                                                             \
  OLD_CALL ("open"), OLD_CALL ("creat"), CALL ("openat"), CALL ("openat2"), CALL ("read"),     \
      CALL ("readv"), CALL ("pread64"), CALL ("preadv"), CALL ("preadv2"), CALL ("write"),     \
      CALL ("writev"), CALL ("pwrite64"), CALL ("pwritev"), CALL ("pwritev2"), CALL ("close"), \
      CALL ("fsync"), CALL ("fdatasync"), OLD_CALL ("rename"), OLD_CALL ("renameat"),          \
      CALL ("renameat2"), OLD_CALL ("unlink"), CALL ("unlinkat"), OLD_CALL ("mkdir"),          \
      CALL ("mkdirat"), OLD_CALL ("getdents"), CALL ("getdents64"), OLD_CALL ("newstat"),      \
      OLD_CALL ("newlstat"), CALL ("newfstat"), OLD_CALL ("newfstatat"), CALL ("statx"),       \
      DESCRIPTOR_CALLS
/* Names, which the calls carry as pointers only. */
#define NAME_PROBES                                                                        \
  "kprobe/do_filp_open", "kprobe/do_unlinkat", "kprobe/do_renameat2", "kprobe/do_mkdirat", \
      "kprobe/vfs_statx"
#define MEMORY_EVENTS                                                                 \
  "kmem:mm_page_alloc", "kmem:mm_page_free", "kmem:rss_stat",                         \
      "vmscan:mm_vmscan_direct_reclaim_begin", "vmscan:mm_vmscan_direct_reclaim_end", \
      "vmscan:mm_vmscan_kswapd_wake", "vmscan:mm_vmscan_kswapd_sleep", "oom:mark_victim"
#define POOL_EVENTS "kmem:kmalloc", "kmem:kfree", "kmem:kmem_cache_alloc", "kmem:kmem_cache_free"
#define COMPACTION_EVENTS                                                                    \
  "compaction:mm_compaction_begin", "compaction:mm_compaction_end",                          \
      "compaction:mm_compaction_isolate_migratepages",                                       \
      "compaction:mm_compaction_isolate_freepages", "compaction:mm_compaction_migratepages", \
      "compaction:mm_compaction_try_to_compact_pages", "migrate:mm_migrate_pages",           \
      "migrate:mm_migrate_pages_start"
#define CACHE_EVENTS                                                                      \
  "writeback:writeback_start", "writeback:writeback_written", "writeback:writeback_wait", \
      "?writeback:writeback_dirty_folio", "?writeback:writeback_dirty_page",              \
      "writeback:balance_dirty_pages", "writeback:global_dirty_state",                    \
      "writeback:writeback_single_inode", "filemap:mm_filemap_add_to_page_cache",         \
      "filemap:mm_filemap_delete_from_page_cache"
#define WORKQUEUE_EVENTS                                                 \
  "workqueue:workqueue_queue_work", "workqueue:workqueue_activate_work", \
      "workqueue:workqueue_execute_start", "workqueue:workqueue_execute_end"
#define IRQ_EVENTS "irq:irq_handler_entry", "irq:irq_handler_exit"
#define DRIVER_EVENTS                                                           \
  WORKQUEUE_EVENTS, "dma_fence:dma_fence_init", "dma_fence:dma_fence_signaled", \
      "dma_fence:dma_fence_wait_start", "dma_fence:dma_fence_wait_end",         \
      "power:device_pm_callback_start", "power:device_pm_callback_end"
#define HANDLE_EVENTS                                                                       \
  OLD_CALL ("open"), CALL ("openat"), CALL ("openat2"), CALL ("close"), CALL ("dup"),       \
      OLD_CALL ("dup2"), CALL ("dup3"), CALL ("socket"), OLD_CALL ("pipe"), CALL ("pipe2"), \
      OLD_CALL ("eventfd"), CALL ("eventfd2"), OLD_CALL ("epoll_create"), CALL ("epoll_create1")
#define WAKE_EVENTS "power:wakeup_source_activate", "power:wakeup_source_deactivate"
/* The ten of kvm's 112 that tell where a guest's time goes. */
#define GUEST_EVENTS                                                                         \
  "kvm:kvm_entry", "kvm:kvm_exit", "kvm:kvm_userspace_exit", "kvm:kvm_page_fault",           \
      "kvm:kvm_inj_virq", "kvm:kvm_hypercall", "kvm:kvm_mmio", "kvm:kvm_pio", "kvm:kvm_msr", \
      "kvm:kvm_vcpu_wakeup"

#define NO_REGISTRY N_ ("Linux has no registry.")
#define NO_FILTER N_ ("Linux has no file system filter drivers.")
#define NO_OPTICAL N_ ("The kernel tells nothing of optical drives beyond their disk requests.")
#define NO_PORTS \
  N_ ("Linux has no local procedure calls, and its local sockets tell nothing of theirs.")
#define NO_RUNDOWN N_ ("Linux does not list the content of a hibernation file.")
#define NOT_YET_TASKSTATS N_ ("This version does not record the totals of programs that end yet.")

/* In the order of the format's documentation. */
static const WprKeywordRow rows[] = {
  { "ProcessThread", EVENTS ("sched:sched_process_exec", "sched:sched_process_exit") },
  { "Loader", EVENTS ("module:module_load", "module:module_free") },
  { "CpuConfig", NULL }, /* written from /proc and /sys at start and end, nothing to open */
  { "CSwitch", EVENTS ("sched:sched_switch") },
  { "CompactCSwitch", EVENTS ("sched:sched_switch") },
  { "ReadyThread", EVENTS ("sched:sched_waking", "sched:sched_wakeup_new") },
  { "SampledProfile", EVENTS ("sample/") },
  { "PmcProfile", NULL }, /* the samples of the HardwareCounter of the same collector */
  { "DPC",
    EVENTS ("irq:softirq_entry", "irq:softirq_exit", "irq:tasklet_entry", "irq:tasklet_exit") },
  { "DPCQueue", EVENTS ("irq:softirq_raise") },
  { "Interrupt", EVENTS (IRQ_EVENTS) },
  { "ClockInterrupt",
    EVENTS (IRQ_EVENTS, "irq_vectors:local_timer_entry", "irq_vectors:local_timer_exit") },
  { "InterProcessorInterrupt",
    EVENTS (IRQ_EVENTS, "?ipi:ipi_raise", "?ipi:ipi_entry", "?ipi:ipi_exit",
            "irq_vectors:reschedule_entry", "irq_vectors:reschedule_exit",
            "irq_vectors:call_function_entry", "irq_vectors:call_function_exit",
            "irq_vectors:call_function_single_entry", "irq_vectors:call_function_single_exit") },
  /* With the issue too: a completion alone tells no response time. */
  { "DiskIO", EVENTS ("block:block_rq_issue", "block:block_rq_complete") },
  { "DiskIOInit", EVENTS ("block:block_rq_issue", "block:block_rq_insert") },
  { "SplitIO", EVENTS ("block:block_split") },
  { "FileIO", EVENTS (FILE_CALLS, NAME_PROBES) },
  { "FileIOInit", EVENTS (FILE_CALLS, NAME_PROBES) },
  { "Filename", EVENTS (FILE_CALLS, NAME_PROBES) },
  { "FilterIO", NULL, NO_FILTER },
  { "FilterIOFailure", NULL, NO_FILTER },
  { "FilterIOFastIO", NULL, NO_FILTER },
  { "FilterIOInit", NULL, NO_FILTER },
  /* Never add_to_page_cache here: that is every page read in. */
  { "HardFaults", EVENTS ("software/major-faults", "?filemap:mm_filemap_fault") },
  /* Counted apart, so that soft and hard are told from each other. */
  { "AllFaults", EVENTS ("software/minor-faults", "software/major-faults",
                         "?exceptions:page_fault_user", "?exceptions:page_fault_kernel") },
  { "VirtualAllocation", EVENTS (CALL ("mmap"), CALL ("munmap"), CALL ("mremap"), CALL ("brk"),
                                 CALL ("madvise"), CALL ("mprotect")) },
  { "VAMap", EVENTS (CALL ("mmap"), CALL ("munmap"), CALL ("mremap"), CALL ("brk"),
                     CALL ("madvise"), CALL ("mprotect")) },
  /* As page events these two would be 70 times the scheduler's volume. */
  { "MemoryInfo", EVENTS ("sampler/meminfo", "sampler/vmstat", "sampler/psi") },
  { "MemoryInfoWS", EVENTS ("sampler/rss") },
  { "Memory", EVENTS (MEMORY_EVENTS) },
  { "ReferenceSet", EVENTS (MEMORY_EVENTS) },
  { "FootPrint", EVENTS (MEMORY_EVENTS) },
  { "Pool", EVENTS (POOL_EVENTS) },
  { "ContiguousMemorygeneration", EVENTS (COMPACTION_EVENTS) },
  { "NonTradeableMemory", EVENTS (COMPACTION_EVENTS) },
  { "CC", EVENTS (CACHE_EVENTS) },
  { "CacheFlush", EVENTS (CACHE_EVENTS) },
  /* Not tcp_probe, not netif_receive_skb: those are every packet. */
  { "NetworkTrace", EVENTS ("sock:inet_sock_set_state", "sock:sock_send_length",
                            "sock:sock_recv_length", "tcp:tcp_retransmit_skb", "tcp:tcp_send_reset",
                            "tcp:tcp_receive_reset", "tcp:tcp_destroy_sock", "skb:kfree_skb") },
  { "Power",
    EVENTS ("power:cpu_frequency", "power:suspend_resume", "power:device_pm_callback_start",
            "power:device_pm_callback_end", "?thermal:thermal_temperature") },
  { "IdleStates", EVENTS ("power:cpu_idle") },
  { "ClusterOff", EVENTS ("power:cpu_idle") },
  { "WakeCounter", EVENTS (WAKE_EVENTS) },
  { "WakeDrop", EVENTS (WAKE_EVENTS) },
  { "WakeEvent", EVENTS (WAKE_EVENTS) },
  { "ThreadPriority",
    EVENTS ("sched:sched_pi_setprio", CALL ("setpriority"), CALL ("sched_setscheduler")) },
  { "AntiStarvation",
    EVENTS ("sched:sched_pi_setprio", CALL ("setpriority"), CALL ("sched_setscheduler")) },
  { "IdealProcessor", EVENTS ("sched:sched_migrate_task") },
  { "ProcessCounter", NULL, NOT_YET_TASKSTATS, TRUE },
  { "ProcessFreeze",
    EVENTS ("cgroup:cgroup_freeze", "cgroup:cgroup_unfreeze", "signal:signal_deliver") },
  { "SystemCall", EVENTS ("raw_syscalls:sys_enter", "raw_syscalls:sys_exit") },
  { "Timer", EVENTS ("timer:hrtimer_expire_entry", "timer:hrtimer_expire_exit",
                     "timer:timer_expire_entry", "timer:timer_expire_exit") },
  { "KeClock", EVENTS ("timer:hrtimer_expire_entry", "timer:hrtimer_expire_exit",
                       "timer:timer_expire_entry", "timer:timer_expire_exit") },
  { "KernelQueue", EVENTS (WORKQUEUE_EVENTS) },
  { "SpinLock", EVENTS ("lock:contention_begin", "lock:contention_end", CALL ("futex")) },
  { "SynchronizationObjects",
    EVENTS ("lock:contention_begin", "lock:contention_end", CALL ("futex")) },
  { "Handle", EVENTS (HANDLE_EVENTS) },
  { "Object", EVENTS (HANDLE_EVENTS) },
  { "Session",
    EVENTS ("cgroup:cgroup_mkdir", "cgroup:cgroup_rmdir", "cgroup:cgroup_attach_task",
            "sched:sched_process_fork", "sched:sched_process_exec", "sched:sched_process_exit") },
  { "HvHypercalls", EVENTS (GUEST_EVENTS) },
  { "Drivers", EVENTS (DRIVER_EVENTS) },
  { "WDFDPC", EVENTS (DRIVER_EVENTS) },
  { "WDFInterrupt", EVENTS (DRIVER_EVENTS) },
  { "Alpc", NULL, NO_PORTS },
  { "Registry", NULL, NO_REGISTRY },
  { "RegistryHive", NULL, NO_REGISTRY },
  { "OpticalIO", NULL, NO_OPTICAL },
  { "OpticalIOInit", NULL, NO_OPTICAL },
  { "HiberRundown", NULL, NO_RUNDOWN },
};

const WprKeywordRow *
wpr_keyword_find (const char *keyword)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].keyword, keyword) == 0)
      return &rows[i];
  return NULL;
}

const WprKeywordRow *
wpr_keyword_get (guint index)
{
  return index < G_N_ELEMENTS (rows) ? &rows[index] : NULL;
}
