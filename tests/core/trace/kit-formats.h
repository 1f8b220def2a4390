/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Format texts as a 6.18 kernel gives them, print formats left off but for sched_switch's states.
 */
#pragma once

#define COMMON                                                                   \
  "format:\n"                                                                    \
  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
  "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
  "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD(type, offset, size, sign) \
  "\tfield:" type ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"
#define NO_PRINT "\nprint fmt: \"\"\n"

static const char format_switch[] = "name: sched_switch\nID: 372\n" COMMON FIELD (
    "char prev_comm[16]", 8, 16, 0) FIELD ("pid_t prev_pid", 24, 4,
                                           1) FIELD ("int prev_prio", 28, 4,
                                                     1) FIELD ("long prev_state", 32, 8, 1)
    FIELD ("char next_comm[16]", 40, 16, 0) FIELD ("pid_t next_pid", 56, 4, 1) FIELD (
        "int next_prio", 60, 4,
        1) "\nprint fmt: \"prev_state=%s%s\", (REC->prev_state & 0xff) ? "
           "__print_flags(REC->prev_state & "
           "0xff, \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, { 0x00000004, \"T\" }, { "
           "0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" "
           "}, { "
           "0x00000080, \"I\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : \"\"\n";
#define WAKING(name, id)                                                  \
  "name: " name "\nID: " id "\n" COMMON FIELD ("char comm[16]", 8, 16, 0) \
      FIELD ("pid_t pid", 24, 4, 1) FIELD ("int prio", 28, 4, 1)          \
          FIELD ("int target_cpu", 32, 4, 1) NO_PRINT
static const char format_waking[] = WAKING ("sched_waking", "375");
static const char format_wakeup_new[] = WAKING ("sched_wakeup_new", "373");
#define REQUEST(name, id)                                                                  \
  "name: " name "\nID: " id "\n" COMMON FIELD ("dev_t dev", 8, 4, 0)                       \
      FIELD ("sector_t sector", 16, 8, 0) FIELD ("unsigned int nr_sector", 24, 4, 0)       \
          FIELD ("unsigned int bytes", 28, 4, 0) FIELD ("unsigned short ioprio", 32, 2, 0) \
              FIELD ("char rwbs[10]", 34, 10, 0) FIELD ("char comm[16]", 44, 16, 0)        \
                  FIELD ("__data_loc char[] cmd", 60, 4, 0) NO_PRINT
static const char format_issue[] = REQUEST ("block_rq_issue", "2104");
static const char format_insert[] = REQUEST ("block_rq_insert", "2105");
static const char format_complete[]
    = "name: block_rq_complete\nID: 2107\n" COMMON FIELD ("dev_t dev", 8, 4, 0)
        FIELD ("sector_t sector", 16, 8, 0) FIELD ("unsigned int nr_sector", 24, 4, 0)
            FIELD ("int error", 28, 4, 1) FIELD ("unsigned short ioprio", 32, 2, 0)
                FIELD ("char rwbs[10]", 34, 10, 0) FIELD ("__data_loc char[] cmd", 44, 4, 0)
                    NO_PRINT;
static const char format_bio[]
    = "name: block_bio_queue\nID: 2097\n" COMMON FIELD ("dev_t dev", 8, 4, 0)
        FIELD ("sector_t sector", 16, 8, 0) FIELD ("unsigned int nr_sector", 24, 4, 0)
            FIELD ("char rwbs[10]", 28, 10, 0) FIELD ("char comm[16]", 38, 16, 0) NO_PRINT;
static const char format_yield[]
    = "name: sys_enter_sched_yield\nID: 388\n" COMMON FIELD ("int __syscall_nr", 8, 4, 1) NO_PRINT;
static const char format_yielded[]
    = "name: sys_exit_sched_yield\nID: 387\n" COMMON FIELD ("int __syscall_nr", 8, 4, 1)
        FIELD ("long ret", 16, 8, 1) NO_PRINT;
static const char format_sys_enter[]
    = "name: sys_enter\nID: 443\n" COMMON FIELD ("long id", 8, 8, 1)
        FIELD ("unsigned long args[6]", 16, 48, 0) NO_PRINT;
static const char format_sys_exit[] = "name: sys_exit\nID: 442\n" COMMON FIELD ("long id", 8, 8, 1)
    FIELD ("long ret", 16, 8, 1) NO_PRINT;
