/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plain words for an event: what a person learns from it, not how the kernel calls it. */
#include "config.h"
#include "wpr-profile.h"

#include <glib/gi18n-lib.h>

/* First match wins: single events before their systems. */
static const struct
{
  const char *pattern;
  const char *words;
} rows[] = {
  { "sideband", N_ ("Programs, threads and the files they load") },
  { "cpu-clock", N_ ("Where programs spend their time") },
  { "cycles", N_ ("Where programs spend their time") },
  { "major-faults", N_ ("Pages that had to be read from disk") },
  { "minor-faults", N_ ("Each page of memory a program touches first") },
  { "page-faults", N_ ("Each page of memory a program touches first") },
  { "meminfo", N_ ("How memory is used, once a second") },
  { "vmstat", N_ ("What the memory manager does, once a second") },
  { "psi", N_ ("How long programs wait for CPU, memory and disk, once a second") },
  { "rss", N_ ("The memory of the largest programs, every ten seconds") },

  { "switches", N_ ("When threads run and wait") },
  { "sched:sched_switch", N_ ("Each switch from one thread to another") },
  { "sched:sched_wak*", N_ ("What wakes a waiting program") },
  { "sched:sched_process_fork", N_ ("Programs and threads that start") },
  { "sched:sched_process_exec", N_ ("Programs that start") },
  { "sched:sched_process_exit", N_ ("Programs and threads that end") },
  { "sched:sched_migrate_task", N_ ("Threads that move to another CPU") },
  { "sched:sched_pi_setprio", N_ ("Threads whose priority changes") },
  { "task:*", N_ ("Programs and threads that start") },
  { "module:*", N_ ("Drivers that are loaded and unloaded") },

  { "irq:softirq_raise", N_ ("Interrupt work that is put off") },
  { "irq:softirq_*", N_ ("Interrupt work that was put off, and how long it holds a CPU") },
  { "irq:tasklet_*", N_ ("Interrupt work that was put off, and how long it holds a CPU") },
  { "irq:*", N_ ("Interrupts, and how long they hold a CPU") },
  { "irq_vectors:local_timer_*", N_ ("Clock interrupts") },
  { "irq_vectors:*", N_ ("Interrupts from one CPU to another") },
  { "ipi:*", N_ ("Interrupts from one CPU to another") },
  { "workqueue:*", N_ ("Work the kernel does in the background") },
  { "timer:*", N_ ("Timers that run out") },
  { "lock:*", N_ ("Waits for locks inside the kernel") },

  { "block:block_rq_issue", N_ ("Each request to a disk, when it is sent") },
  { "block:block_rq_complete", N_ ("Each request to a disk, when it is done") },
  { "block:block_rq_insert", N_ ("Each request to a disk, when it is queued") },
  { "block:*", N_ ("What happens to requests to disks") },
  { "filemap:mm_filemap_fault", N_ ("Pages of files that were not in memory") },
  { "filemap:*", N_ ("Pages of files that enter and leave memory") },
  { "writeback:*", N_ ("Changed files being written to disk") },
  { "scsi:*", N_ ("Commands to disks") },
  { "nvme:*", N_ ("Commands to disks") },
  { "ata:*", N_ ("Commands to disks") },
  { "libata:*", N_ ("Commands to disks") },

  { "raw_syscalls:*", N_ ("Every system call") },
  { "syscalls:sys_*_mmap", N_ ("Programs asking for and returning address space") },
  { "syscalls:sys_*_munmap", N_ ("Programs asking for and returning address space") },
  { "syscalls:sys_*_mremap", N_ ("Programs asking for and returning address space") },
  { "syscalls:sys_*_brk", N_ ("Programs asking for and returning address space") },
  { "syscalls:sys_*_madvise", N_ ("Programs asking for and returning address space") },
  { "syscalls:sys_*_mprotect", N_ ("Programs asking for and returning address space") },
  { "syscalls:sys_*_futex", N_ ("Waits of threads for each other") },
  { "syscalls:sys_*_setpriority", N_ ("Threads whose priority changes") },
  { "syscalls:sys_*_sched_setscheduler", N_ ("Threads whose priority changes") },
  { "syscalls:sys_*_dup*", N_ ("Files, sockets and pipes being opened") },
  { "syscalls:sys_*_socket", N_ ("Files, sockets and pipes being opened") },
  { "syscalls:sys_*_pipe*", N_ ("Files, sockets and pipes being opened") },
  { "syscalls:sys_*_e*", N_ ("Files, sockets and pipes being opened") },
  { "syscalls:sys_*_open*", N_ ("Files being opened") },
  { "syscalls:sys_*_creat", N_ ("Files being opened") },
  { "syscalls:sys_*_close", N_ ("Files being closed") },
  { "syscalls:sys_*_read*", N_ ("Files being read") },
  { "syscalls:sys_*_pread*", N_ ("Files being read") },
  { "syscalls:sys_*_write*", N_ ("Files being written") },
  { "syscalls:sys_*_pwrite*", N_ ("Files being written") },
  { "syscalls:sys_*_fsync", N_ ("Files being forced to disk") },
  { "syscalls:sys_*_fdatasync", N_ ("Files being forced to disk") },
  { "syscalls:sys_*_rename*", N_ ("Files and folders being renamed or removed") },
  { "syscalls:sys_*_unlink*", N_ ("Files and folders being renamed or removed") },
  { "syscalls:sys_*_mkdir*", N_ ("Folders being made") },
  { "syscalls:sys_*_getdents*", N_ ("Folders being listed") },
  { "syscalls:sys_*_lseek", N_ ("Moves within open files") },
  { "syscalls:sys_*_fcntl", N_ ("Open files being duplicated") },
  { "syscalls:sys_*chdir", N_ ("Programs changing their current folder") },
  { "syscalls:sys_*stat*", N_ ("Questions about files") },
  { "syscalls:*", N_ ("Chosen system calls") },
  { "kprobe:*", N_ ("Names of files that are opened, changed or asked about") },

  { "kmem:mm_page_alloc", N_ ("Pages of memory given out") },
  { "kmem:mm_page_free", N_ ("Pages of memory given back") },
  { "kmem:rss_stat", N_ ("How much memory each program has, at each change") },
  { "kmem:*", N_ ("Memory used inside the kernel") },
  { "vmscan:*", N_ ("Memory being freed because it is short") },
  { "oom:*", N_ ("Programs killed because memory ran out") },
  { "compaction:*", N_ ("Memory being moved together") },
  { "migrate:*", N_ ("Memory being moved together") },
  { "exceptions:*", N_ ("Each page of memory a program touches first") },

  { "sock:inet_sock_set_state", N_ ("Connections being opened and closed") },
  { "sock:*", N_ ("What is sent and received on connections") },
  { "tcp:tcp_retransmit_skb", N_ ("Packets that had to be sent again") },
  { "tcp:*", N_ ("Connections that break or end") },
  { "skb:*", N_ ("Packets that are dropped") },
  { "cfg80211:*", N_ ("What the wireless network does") },
  { "mac80211:*", N_ ("What the wireless network does") },

  { "power:cpu_idle", N_ ("CPUs going to sleep and waking") },
  { "power:cpu_frequency*", N_ ("How fast each CPU runs") },
  { "power:suspend_resume", N_ ("The computer going to sleep and waking") },
  { "power:device_pm_*", N_ ("Devices being put to sleep and woken") },
  { "power:wakeup_source_*", N_ ("What keeps the computer awake") },
  { "power:*", N_ ("Power management") },
  { "thermal:*", N_ ("Temperatures") },

  { "drm:*", N_ ("Frames on the screen") },
  { "gpu_scheduler:*", N_ ("Work for the graphics card") },
  { "gpu_mem:*", N_ ("Memory of the graphics card") },
  { "dma_fence:*", N_ ("Waits for the graphics card and other devices") },
  { "snd_pcm:*", N_ ("What sound devices play and record") },
  { "v4l2:*", N_ ("Frames of cameras and video devices") },
  { "vb2:*", N_ ("Frames of cameras and video devices") },
  { "xhci-hcd:*", N_ ("What USB devices do") },
  { "usb*", N_ ("What USB devices do") },
  { "kvm:*", N_ ("What virtual machines do") },
  { "cgroup:*", N_ ("Groups of programs: sessions, services, containers") },
  { "signal:*", N_ ("Signals to programs") },
};

const char *
wpr_plan_item_describe (const WprPlanItem *item)
{
  g_return_val_if_fail (item != NULL, "");
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_pattern_match_simple (rows[i].pattern, item->name))
      return _ (rows[i].words);
  return _ ("Events of the kernel");
}
