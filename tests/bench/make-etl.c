/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A large made-up trace, as a busy machine of four CPUs gives it: threads of 50 processes wake each
 * other and are switched, every third switch with a stack, a system call or a self-describing event
 * in between. For measuring readers; the same bytes each time.
 * Usage: make-etl FILE.etl MIB. Prints how many events. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "etl/layout.h"
#include "etl/writer.h"

#define N_CPUS 4
#define N_PROCESSES 50
#define FRAMES 12
#define START_FILETIME G_GINT64_CONSTANT (134092944000000000) /* 2026-11-30 */
#define START_TICKS G_GINT64_CONSTANT (36000000000)           /* up for an hour */
#define TICKS_A_STEP 20                                       /* 2 us: 500 000 steps a second */

typedef struct
{
  WprEtlWriter *writer;
  guint64 n;
  gint64 ticks;
  guint8 bytes[1024];
  gsize size;
} Maker;

static void
put (Maker *self, guint64 value, gsize size)
{
  value = GUINT64_TO_LE (value);
  memcpy (self->bytes + self->size, &value, size);
  self->size += size;
}

static void
put_text (Maker *self, const char *text, gboolean wide)
{
  do
    put (self, (guint8)*text, wide ? 2 : 1);
  while (*text++ != '\0');
}

static void
add (Maker *self, guint cpu, const WprEtlHead *head)
{
  g_autoptr (GError) error = NULL;
  if (!wpr_etl_writer_add (self->writer, cpu, self->ticks, head, self->bytes, self->size, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      exit (1);
    }
  self->size = 0;
}

static void
add_kernel (Maker *self, guint cpu, WprEtlHeadKind kind, guint16 hook, guint16 version, guint32 pid,
            guint32 tid)
{
  add (self, cpu,
       &(WprEtlHead){ .kind = kind, .hook = hook, .version = version, .pid = pid, .tid = tid });
}

static void
add_process (Maker *self, guint32 pid)
{
  char name[16];
  snprintf (name, sizeof name, "worker-%u", pid);
  put (self, pid, 8);
  put (self, pid, 4);
  put (self, 1, 4);
  put (self, 0, 8);
  put (self, 0, 8);
  put (self, 0, 8);
  put_text (self, name, FALSE);
  put_text (self, name, TRUE);
  put (self, 0, 4);
  add_kernel (self, 0, WPR_ETL_SYSTEM, 0x0303, 4, pid, pid);
  put (self, pid, 4);
  put (self, pid, 4);
  for (guint i = 0; i < 8; i++)
    put (self, 0, 8);
  put_text (self, name, TRUE);
  add_kernel (self, 0, WPR_ETL_SYSTEM, 0x0503, 3, pid, pid);
}

static guint32
thread_at (guint cpu, guint64 turn)
{
  return 1000 + (guint32)((turn * N_CPUS + cpu) % N_PROCESSES);
}

/* The thread on a CPU wakes the next one and goes to sleep. */
static void
step (Maker *self, const WprEtlSchema *schema)
{
  guint cpu = self->n % N_CPUS;
  guint64 turn = self->n / N_CPUS;
  guint32 from = thread_at (cpu, turn), to = thread_at (cpu, turn + 1);
  gint64 switched;
  self->ticks += TICKS_A_STEP;
  put (self, to, 4);
  put (self, 0x00010000, 4);
  add_kernel (self, cpu, WPR_ETL_COMPACT, 0x0532, 2, from, from);
  if (self->n % 5 == 0)
    {
      WprEtlHead head = { .pid = from, .tid = from, .keyword = 1 };
      put (self, self->n, 4);
      put_text (self, "/usr/lib/x86_64-linux-gnu/libc.so.6", FALSE);
      wpr_etl_schema_fill_head (schema, &head);
      add (self, cpu, &head);
    }
  switched = self->ticks += TICKS_A_STEP / 2;
  put (self, to, 4);
  put (self, from, 4);
  put (self, 0x0808, 4);
  put (self, 0x00050006, 4);
  put (self, 0, 8);
  add_kernel (self, cpu, WPR_ETL_PERFINFO, 0x0524, 4, 0, 0);
  if (self->n % 3 == 0)
    {
      put (self, (guint64)switched, 8);
      put (self, to, 4);
      put (self, to, 4);
      for (guint i = 0; i < FRAMES; i++)
        put (self,
             i < FRAMES / 2 ? 0xffffffff81000000 + (self->n + i) % 4096 * 64
                            : 0x7f0000000000 + (self->n * 7 + i) % 65536 * 16,
             8);
      add_kernel (self, cpu, WPR_ETL_PERFINFO, 0x1820, 2, 0, 0);
    }
  self->n++;
}

int
main (int argc, char **argv)
{
  guint64 most = argc > 2 ? g_ascii_strtoull (argv[2], NULL, 10) << 20 : 0;
  int fd = argc > 2 ? open (argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
  if (fd < 0 || most == 0)
    {
      fprintf (stderr, "usage: make-etl FILE.etl MIB\n");
      return 1;
    }
  WprEtlHeaderInfo info = { .n_cpus = N_CPUS,
                            .cpu_mhz = 2400,
                            .boot_filetime = START_FILETIME - START_TICKS,
                            .start_filetime = START_FILETIME,
                            .start_ticks = START_TICKS,
                            .logger_name = "NT Kernel Logger",
                            .file_name = "made.etl" };
  Maker self = { .writer = wpr_etl_writer_new (fd, &info, NULL), .ticks = START_TICKS };
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.filemap", "mm_filemap_fault");
  wpr_etl_schema_add_field (schema, "index", WPR_TL_U32, 0, 0);
  wpr_etl_schema_add_field (schema, "path", WPR_TL_STRING8, 0, 0);
  for (guint32 pid = 1000; pid < 1000 + N_PROCESSES; pid++)
    add_process (&self, pid);
  while (wpr_etl_writer_bytes (self.writer) < most)
    step (&self, schema);
  if (!wpr_etl_writer_finish (self.writer, START_FILETIME + self.ticks - START_TICKS, 0, 0, NULL))
    return 1;
  printf ("%" G_GUINT64_FORMAT "\n", wpr_etl_writer_events (self.writer) + 3);
  wpr_etl_writer_free (self.writer);
  return close (fd);
}
