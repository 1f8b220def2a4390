/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of system calls for seccomp. Refused calls fail rather than end the process, so that a C
 * library that tries a newer call first goes on with the older one. */
#include "config.h"
#include "symbols/jail-filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined __x86_64__
#define MACHINE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined __riscv && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#endif

#if defined MACHINE && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/* clang-format off */
static const int allowed[] = {
  /* the files it has */
  SYS_read, SYS_pread64, SYS_write, SYS_pwrite64, SYS_writev, SYS_lseek, SYS_close, SYS_fcntl,
  SYS_fstat,
#ifdef SYS_newfstatat
  SYS_newfstatat, /* by which newer C libraries do fstat(); a path leads nowhere without openat */
#endif
  SYS_memfd_create, SYS_ftruncate,
  /* memory */
  SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_futex, SYS_getrandom,
  /* itself */
  SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_clock_gettime, SYS_sched_yield,
  SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_tgkill, SYS_exit, SYS_exit_group,
};
/* clang-format on */
#define N_ALLOWED (sizeof allowed / sizeof *allowed)

bool
wpr_jail_filter (void)
{
  /* machine, number, one comparison a call, refuse, allow, end */
  struct sock_filter code[N_ALLOWED + 7];
  unsigned n = 0;
  code[n++] = (struct sock_filter)BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
                                            offsetof (struct seccomp_data, arch));
  code[n++] = (struct sock_filter)BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
  code[n++] = (struct sock_filter)BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  code[n++]
      = (struct sock_filter)BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr));
  for (unsigned i = 0; i < N_ALLOWED; i++)
    code[n++] = (struct sock_filter)BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i],
                                              (unsigned char)(N_ALLOWED - i), 0);
  code[n++] = (struct sock_filter)BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  code[n++] = (struct sock_filter)BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = { (unsigned short)n, code };
  return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
bool
wpr_jail_filter (void)
{
  return false;
}
#endif
