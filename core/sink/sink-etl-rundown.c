/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes, threads and images: who was there at the start and at the end, and who came and went.
 * Idle is PID 0 with a TID-0 thread a CPU; every kernel thread is a thread of PID 4, System. */
#include "config.h"
#include "sink/sink-etl-private.h"

#define PROCESS_START 0x0301
#define PROCESS_END 0x0302
#define PROCESS_DC_START 0x0303
#define PROCESS_DC_END 0x0304
#define THREAD_START 0x0501
#define THREAD_END 0x0502
#define THREAD_DC_START 0x0503
#define THREAD_DC_END 0x0504
#define THREAD_SET_NAME 0x0548
#define IMAGE_LOAD 0x030a
#define IMAGE_UNLOAD 0x1402
#define IMAGE_DC_START 0x1403
#define IMAGE_DC_END 0x1404

#define NO_SESSION G_MAXUINT32
#define USER_PAGE_PRIORITY 5
#define USER_IO_PRIORITY 2 /* normal */
#define SCHED_IDLE_POLICY 5
#define SCHED_FIFO_POLICY 1
#define SCHED_RR_POLICY 2
#define SCHED_DEADLINE_POLICY 6
#define TICK_NS (10 * 1000 * 1000) /* /proc counts in hundredths of a second */

/* ---- processes ---- */

/* One as the file tells of it. */
typedef struct
{
  guint64 key;
  guint32 pid, ppid, session, uid;
  gboolean system; /* SID S-1-5-18 */
  const char *image, *command_line;
} ProcessRow;

/* A SID behind a TOKEN_USER of 16 bytes, which readers skip; its first u32 must not be 0. */
static void
put_sid (WprPayload *payload, const ProcessRow *row)
{
  static const guint8 system_sid[] = { 1, 1, 0, 0, 0, 0, 0, 5, 18, 0, 0, 0 }; /* S-1-5-18 */
  static const guint8 nobody[] = { 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };      /* S-1-0-0 */
  static const guint8 unix_user[] = { 1, 2, 0, 0, 0, 0, 0, 22, 1, 0, 0, 0 };  /* S-1-22-1-uid */

  wpr_payload_u64 (payload, 1);
  wpr_payload_u64 (payload, 0);
  if (row->system)
    wpr_payload_bytes (payload, system_sid, sizeof system_sid);
  else if (row->uid == G_MAXUINT32)
    wpr_payload_bytes (payload, nobody, sizeof nobody);
  else
    {
      wpr_payload_bytes (payload, unix_user, sizeof unix_user);
      wpr_payload_u32 (payload, row->uid);
    }
}

static gboolean
write_process (WprSinkEtl *self, const WprEtlHead *head, guint cpu, gint64 time,
               const ProcessRow *row, GError **error)
{
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, row->key);
  wpr_payload_u32 (&payload, row->pid);
  wpr_payload_u32 (&payload, row->ppid);
  wpr_payload_u32 (&payload, row->session);
  wpr_payload_u32 (&payload, 0); /* exit status: not recorded */
  wpr_payload_u64 (&payload, 0); /* directory table base */
  wpr_payload_u32 (&payload, 0); /* flags */
  put_sid (&payload, row);
  wpr_payload_text (&payload, row->image, -1, WPR_MOST_PATH);
  wpr_payload_wide (&payload, row->command_line, WPR_MOST_COMMAND_LINE);
  wpr_payload_wide (&payload, NULL, 0); /* package */
  wpr_payload_wide (&payload, NULL, 0); /* application */
  return wpr_sink_etl_add (self, cpu, time, head, &payload, error);
}

/* Unique while the system runs: the start time; before the recording only /proc knows it. */
static guint64
process_key (const WprSinkEtl *self, const WprProcess *process)
{
  if (process->start == WPR_WORLD_BEFORE)
    return process->start_ticks * TICK_NS;
  return (guint64)wpr_trace_boottime (self->context, process->start);
}

/* The program's file name; the kernel's short name where no file is known. */
static const char *
image_name (const WprProgram *program)
{
  const char *slash;

  if (program == NULL)
    return "";
  if (program->exe == NULL || program->exe[0] == '\0')
    return program->comm != NULL ? program->comm : "";
  slash = strrchr (program->exe, '/');
  return slash != NULL && slash[1] != '\0' ? slash + 1 : program->exe;
}

static void
fill_row (const WprSinkEtl *self, ProcessRow *row, const WprProcess *process,
          const WprProgram *program)
{
  *row = (ProcessRow){
    .key = process_key (self, process),
    .pid = process->pid,
    .ppid = wpr_sink_etl_pid (self, process->ppid),
    .uid = process->uid,
    .image = image_name (program),
    .command_line = program == NULL            ? NULL
                    : program->cmdline != NULL ? program->cmdline
                                               : program->exe,
  };
}

static gboolean unload_image (WprSinkEtl *self, guint32 pid, const WprImage *image, gpointer data,
                              GError **error);

gboolean
wpr_sink_etl_process (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  gboolean start = event->kind == WPR_EVENT_PROCESS_START;
  const WprProcess *process = event->u.life.process;
  const WprProgram *program = event->u.life.program;
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM,
                      .hook = start ? PROCESS_START : PROCESS_END,
                      .version = 4,
                      .pid = event->pid,
                      .tid = event->tid };
  ProcessRow row;

  /* The bit stays after the end: a dead thread's last switch comes later. */
  if (start)
    wpr_sink_etl_set_kernel (self, process->pid, process->kernel);
  if (process->kernel || process->pid == 0)
    return TRUE;
  if (!start
      && !wpr_sink_etl_each_image (
          self, process, program != NULL ? MAX (program->when, process->start) : process->start,
          unload_image, (gpointer)event, error))
    return FALSE;
  fill_row (self, &row, process, program);
  return write_process (self, &head, event->cpu, event->time, &row, error);
}

/* ---- threads ---- */

typedef struct
{
  guint32 pid, tid;
  guint64 affinity;
  guint8 priority;
  const char *name;
  guint64 start; /* 0: not known */
} ThreadRow;

static gboolean
write_thread (WprSinkEtl *self, const WprEtlHead *head, guint cpu, gint64 time,
              const ThreadRow *row, GError **error)
{
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, row->pid);
  wpr_payload_u32 (&payload, row->tid);
  wpr_payload_zeros (&payload, 4 * 8); /* stacks of kernel and user */
  wpr_payload_u64 (&payload, row->affinity);
  wpr_payload_u64 (&payload, row->start);
  wpr_payload_zeros (&payload, 8 + 4); /* TEB, service tag */
  wpr_payload_u8 (&payload, row->priority);
  wpr_payload_u8 (&payload, USER_PAGE_PRIORITY);
  wpr_payload_u8 (&payload, USER_IO_PRIORITY);
  wpr_payload_u8 (&payload, 0);
  wpr_payload_wide (&payload, row->name, WPR_MOST_PATH);
  return wpr_sink_etl_add (self, cpu, time, head, &payload, error);
}

/* All CPUs, as far as 64 bits name them. */
static guint64
all_cpus (const WprSinkEtl *self)
{
  return self->n_cpus >= 64 ? G_MAXUINT64 : (G_GUINT64_CONSTANT (1) << self->n_cpus) - 1;
}

static guint8
thread_priority (const WprThread *thread)
{
  if (thread == NULL)
    return 8;
  if (thread->policy == SCHED_IDLE_POLICY)
    return 1;
  if (thread->policy == SCHED_DEADLINE_POLICY)
    return (guint8)wpr_sink_etl_priority (-1);
  if (thread->policy == SCHED_FIFO_POLICY || thread->policy == SCHED_RR_POLICY)
    return (guint8)wpr_sink_etl_priority (99 - thread->rt_priority);
  return (guint8)wpr_sink_etl_priority (120 + thread->nice);
}

/* Of one that was there for a while: as it was last switched, which a change of priority shows in.
 */
static guint8
priority_by_now (const WprSinkEtl *self, guint32 tid, const WprThread *thread)
{
  gint last = wpr_sink_etl_last_priority (self, tid);

  return last >= 0 ? (guint8)last : thread_priority (thread);
}

/* For the switches to come. */
static void
note_policy (WprSinkEtl *self, guint32 tid, const WprThread *thread)
{
  if (thread != NULL && thread->policy == SCHED_IDLE_POLICY)
    g_hash_table_add (self->idle_tids, GUINT_TO_POINTER (tid));
  else
    g_hash_table_remove (self->idle_tids, GUINT_TO_POINTER (tid));
}

static const WprProgram *
program_at (const WprProcess *process, WprTime when)
{
  const WprProgram *program = NULL;

  for (guint i = 0; process->programs != NULL && i < process->programs->len; i++)
    {
      const WprProgram *row = &g_array_index (process->programs, WprProgram, i);

      if (i > 0 && row->when > when)
        break;
      program = row;
    }
  return program;
}

typedef struct
{
  const char *exe;
  guint64 entry;
} Entry;

static gboolean
find_entry (WprSinkEtl *self, guint32 pid, const WprImage *image, gpointer data, GError **error)
{
  Entry *entry = data;

  if (g_str_equal (image->path, entry->exe))
    entry->entry = image->entry;
  return TRUE;
}

/* A process' first thread begins where its program does. Where others begin, only they know: the
 * kernel sees each in the C library's function for all. */
static guint64
start_address (WprSinkEtl *self, const WprProcess *process, const WprProgram *program)
{
  Entry entry = { program != NULL ? program->exe : NULL, 0 };

  if (process == NULL || process->kernel || entry.exe == NULL || entry.exe[0] != '/')
    return 0;
  wpr_sink_etl_each_image (self, process, MAX (program->when, process->start), find_entry, &entry,
                           NULL);
  return entry.entry;
}

/* What a process runs from then on, be it right after the fork: Windows has no time between. */
static const WprProgram *
program_of_start (const WprProcess *process, WprTime when)
{
  const WprProgram *program = program_at (process, when);

  for (guint i = 0; process->programs != NULL && i < process->programs->len; i++)
    {
      const WprProgram *row = &g_array_index (process->programs, WprProgram, i);

      if (program != NULL && !program->exec && process->start != WPR_WORLD_BEFORE && row->exec
          && row->when > when)
        return row;
    }
  return program;
}

gboolean
wpr_sink_etl_thread (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  const WprThread *thread = event->u.life.thread;
  const WprProcess *process = event->u.life.process;
  gboolean kernel = process != NULL && process->kernel;
  guint32 pid = kernel ? WPR_SYSTEM_PID : wpr_sink_etl_pid (self, event->pid);
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM,
                      .hook = event->kind == WPR_EVENT_THREAD_START ? THREAD_START : THREAD_END,
                      .version = 3,
                      .pid = pid,
                      .tid = event->tid };
  ThreadRow row
      = { pid,
          event->tid,
          all_cpus (self),
          event->kind == WPR_EVENT_THREAD_START ? thread_priority (thread)
                                                : priority_by_now (self, event->tid, thread),
          event->u.life.name,
          0 };
  WprTime when = self->context->start_monotonic + (event->time - self->context->start_time);

  if (process != NULL && event->tid == process->pid)
    row.start = start_address (self, process, program_of_start (process, when));

  note_policy (self, event->tid, thread);
  if (event->kind == WPR_EVENT_THREAD_START && !event->u.life.by_exec)
    wpr_sink_etl_forget_priority (self, event->tid);
  return write_thread (self, &head, event->cpu, event->time, &row, error);
}

gboolean
wpr_sink_etl_thread_name (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  guint32 pid = wpr_sink_etl_pid (self, event->pid);
  WprEtlHead head = {
    .kind = WPR_ETL_SYSTEM, .hook = THREAD_SET_NAME, .version = 2, .pid = pid, .tid = event->tid
  };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, pid);
  wpr_payload_u32 (&payload, event->tid);
  wpr_payload_wide (&payload, event->u.life.name, WPR_MOST_PATH);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error);
}

/* ---- images ---- */

static gboolean
write_image (WprSinkEtl *self, const WprEtlHead *head, guint cpu, gint64 time, guint32 pid,
             const WprImage *image, GError **error)
{
  guint32 stamp = 0;
  WprPayload payload;

  /* Tools tell versions of a file apart by time stamp and size: the build id stands for it. */
  if (image->build_id_size >= sizeof stamp)
    memcpy (&stamp, image->build_id, sizeof stamp);
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, image->base);
  wpr_payload_u64 (&payload, image->size);
  wpr_payload_u32 (&payload, pid);
  wpr_payload_u32 (&payload, 0); /* check sum */
  wpr_payload_u32 (&payload, GUINT32_FROM_LE (stamp));
  wpr_payload_u32 (&payload, 0); /* signature */
  wpr_payload_u64 (&payload, image->base);
  wpr_payload_zeros (&payload, 16);
  wpr_payload_nt_path (&payload, image->path);
  return wpr_sink_etl_add (self, cpu, time, head, &payload, error);
}

gboolean
wpr_sink_etl_image (WprSinkEtl *self, const WprEvent *event, GError **error)
{
  WprEtlHead head = {
    .kind = WPR_ETL_SYSTEM, .hook = IMAGE_LOAD, .version = 3, .pid = event->pid, .tid = event->tid
  };

  return write_image (self, &head, event->cpu, event->time, event->pid, &event->u.life.image,
                      error);
}

gboolean
wpr_sink_etl_kernel_image (WprSinkEtl *self, gboolean end, guint cpu, gint64 time,
                           const WprImage *image, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM,
                      .hook = end ? IMAGE_DC_END : IMAGE_DC_START,
                      .version = 3,
                      .pid = WPR_SYSTEM_PID };

  return write_image (self, &head, cpu, time, 0, image, error);
}

/* data: the WprEvent of the process' end. */
static gboolean
unload_image (WprSinkEtl *self, guint32 pid, const WprImage *image, gpointer data, GError **error)
{
  const WprEvent *event = data;
  WprEtlHead head = {
    .kind = WPR_ETL_SYSTEM, .hook = IMAGE_UNLOAD, .version = 3, .pid = event->pid, .tid = event->tid
  };

  return write_image (self, &head, event->cpu, event->time, pid, image, error);
}

/* ---- rundown ---- */

typedef struct
{
  WprTime monotonic; /* what is told is as of then */
  gint64 time;
  gboolean end;
} Rundown;

static gboolean
lives (const WprSinkEtl *self, const Rundown *rundown, WprTime start, WprTime end)
{
  if (rundown->end)
    return start <= rundown->monotonic && end > rundown->monotonic;
  return start <= rundown->monotonic && end >= self->context->start_monotonic;
}

static const char *
name_at (const WprThread *thread, WprTime when)
{
  const char *name = "";

  for (guint i = 0; thread->names != NULL && i < thread->names->len; i++)
    {
      const WprThreadName *row = &g_array_index (thread->names, WprThreadName, i);

      if (i > 0 && row->when > when)
        break;
      name = row->name;
    }
  return name;
}

static gboolean
rundown_processes (WprSinkEtl *self, const Rundown *rundown, const GPtrArray *processes,
                   GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO,
                      .hook = rundown->end ? PROCESS_DC_END : PROCESS_DC_START,
                      .version = 4 };
  const ProcessRow first[] = {
    { .pid = 0, .session = NO_SESSION, .system = TRUE, .image = "Idle" },
    { .key = WPR_SYSTEM_PID,
      .pid = WPR_SYSTEM_PID,
      .session = NO_SESSION,
      .system = TRUE,
      .image = "System" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (first); i++)
    if (!write_process (self, &head, 0, rundown->time, &first[i], error))
      return FALSE;
  for (guint i = 0; i < processes->len; i++)
    {
      const WprProcess *process = g_ptr_array_index (processes, i);
      ProcessRow row;

      if (process->kernel || process->pid == 0
          || !lives (self, rundown, process->start, process->end))
        continue;
      fill_row (self, &row, process, program_at (process, rundown->monotonic));
      if (!write_process (self, &head, 0, rundown->time, &row, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
rundown_threads (WprSinkEtl *self, const Rundown *rundown, GError **error)
{
  g_autoptr (GPtrArray) threads = wpr_world_list_threads (self->context->world);
  WprEtlHead head = { .kind = WPR_ETL_SYSTEM,
                      .hook = rundown->end ? THREAD_DC_END : THREAD_DC_START,
                      .version = 3 };

  for (guint cpu = 0; cpu < self->n_cpus; cpu++)
    {
      ThreadRow row = { .affinity = cpu < 64 ? G_GUINT64_CONSTANT (1) << cpu : 0, .name = "" };

      if (!write_thread (self, &head, 0, rundown->time, &row, error))
        return FALSE;
    }
  for (guint i = 0; i < threads->len; i++)
    {
      const WprThread *thread = g_ptr_array_index (threads, i);
      ThreadRow row
          = { wpr_sink_etl_pid (self, thread->pid),
              thread->tid,
              all_cpus (self),
              rundown->end ? priority_by_now (self, thread->tid, thread) : thread_priority (thread),
              name_at (thread, rundown->monotonic),
              0 };
      const WprProcess *process
          = thread->tid == thread->pid
                ? wpr_world_process (self->context->world, thread->pid, rundown->monotonic)
                : NULL;

      if (thread->tid == 0 || !lives (self, rundown, thread->start, thread->end))
        continue;
      note_policy (self, thread->tid, thread);
      if (process != NULL)
        row.start = start_address (self, process, program_at (process, rundown->monotonic));
      if (!write_thread (self, &head, 0, rundown->time, &row, error))
        return FALSE;
    }
  return TRUE;
}

/* data: the Rundown. */
static gboolean
rundown_image (WprSinkEtl *self, guint32 pid, const WprImage *image, gpointer data, GError **error)
{
  const Rundown *rundown = data;
  WprEtlHead head = { .kind = pid == 0 ? WPR_ETL_SYSTEM : WPR_ETL_PERFINFO,
                      .hook = rundown->end ? IMAGE_DC_END : IMAGE_DC_START,
                      .version = 3,
                      .pid = WPR_SYSTEM_PID };

  return write_image (self, &head, 0, rundown->time, pid, image, error);
}

gboolean
wpr_sink_etl_rundown (WprSinkEtl *self, gboolean end, GError **error)
{
  const WprTraceContext *context = self->context;
  Rundown rundown = { .monotonic = end ? context->end_monotonic : context->start_monotonic - 1,
                      .time = end ? context->end_time : context->start_time,
                      .end = end };
  g_autoptr (GPtrArray) processes = NULL;

  if (context->world == NULL)
    return TRUE;
  processes = wpr_world_list_processes (context->world);
  for (guint i = 0; !end && i < processes->len; i++)
    {
      const WprProcess *process = g_ptr_array_index (processes, i);

      if (lives (self, &rundown, process->start, process->end))
        wpr_sink_etl_set_kernel (self, process->pid, process->kernel);
    }
  if (!rundown_processes (self, &rundown, processes, error)
      || !rundown_threads (self, &rundown, error)
      || !wpr_sink_etl_each_kernel_image (self, rundown_image, &rundown, error)
      || (end && !wpr_sink_etl_end_routines (self, error)))
    return FALSE;
  for (guint i = 0; i < processes->len; i++)
    {
      const WprProcess *process = g_ptr_array_index (processes, i);

      if (lives (self, &rundown, process->start, process->end)
          && !wpr_sink_etl_each_image_by (self, process, rundown.monotonic, rundown_image, &rundown,
                                          error))
        return FALSE;
    }
  return TRUE;
}
