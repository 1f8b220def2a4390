/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small made-up traces for the tests of core/file: two CPUs, a few processes. Times are in ms since
 * the beginning of the file, which is 2026-11-30 13:00:00 UTC. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include "etl/writer.h"
#include "wpr-trace.h"

#define KIT_START_S G_GINT64_CONSTANT (1796043600)
#define KIT_NONE G_MAXUINT32

typedef struct
{
  WprEtlWriter *writer;
  char *path;
  int fd;
  gint64 start_ticks;
  gint64 start_filetime;
  guint64 frequency;
} FileKit;

/* In a fresh file of the temporary folder. boot_s: how long the machine ran before, which is what
 * ticks count from. */
FileKit *file_kit_new (guint n_cpus, guint boot_s);
/* The same with a beginning that many ms later, and a clock of another frequency. */
FileKit *file_kit_new_at (guint n_cpus, guint boot_s, double begin_ms, guint64 frequency);
/* Closes the trace; the path is still the kit's, which deletes the file when it is freed. */
const char *file_kit_finish (FileKit *kit, guint32 events_lost);
void file_kit_free (FileKit *kit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (FileKit, file_kit_free)

gint64 file_kit_ticks (const FileKit *kit, double ms);
void file_kit_add (FileKit *kit, guint cpu, double ms, const WprEtlHead *head,
                   gconstpointer payload, gsize size);
/* Process events 0301 to 0304, threads 0501 to 0504, images 030a and 1403. */
void file_kit_process (FileKit *kit, guint cpu, double ms, guint16 hook, guint32 pid,
                       const char *name);
void file_kit_thread (FileKit *kit, guint cpu, double ms, guint16 hook, guint32 pid, guint32 tid);
void file_kit_image (FileKit *kit, guint cpu, double ms, guint16 hook, guint32 pid, guint64 base,
                     guint64 size, guint32 stamp, const char *path);
void file_kit_switch (FileKit *kit, guint cpu, double ms, guint32 to, guint32 from);
void file_kit_sample (FileKit *kit, guint cpu, double ms, guint32 tid, guint64 ip);
/* A PERFINFO event without a payload's ids: a system call. */
void file_kit_call (FileKit *kit, guint cpu, double ms, guint64 address);
/* A StackWalk record of the event at event_ms. */
void file_kit_stack (FileKit *kit, guint cpu, double ms, double event_ms, guint32 pid, guint32 tid,
                     const guint64 *frames, guint n);
/* A stack by its key (1825 kernel, 1826 user), and what tells a key's frames (1824). */
void file_kit_stack_key (FileKit *kit, guint cpu, double ms, guint16 hook, double event_ms,
                         guint32 pid, guint32 tid, guint64 key);
void file_kit_key (FileKit *kit, guint cpu, double ms, guint16 hook, guint64 key,
                   const guint64 *frames, guint n);
/* An event of a provider with its stack in an extended item. */
void file_kit_event_with_stack (FileKit *kit, guint cpu, double ms, guint32 pid, guint32 tid,
                                const guint64 *frames, guint n);
/* Self-describing: name, then pairs of field name and value ("s:" text, "u:" u32 in front of the
 * field's name), NULL. */
void file_kit_event (FileKit *kit, guint cpu, double ms, guint32 pid, guint32 tid,
                     const char *provider, const char *name, ...) G_GNUC_NULL_TERMINATED;

/* The next event of that name, skipping others; NULL at the end. */
const WprTraceEvent *file_kit_next (WprTraceFile *file, const char *name);
