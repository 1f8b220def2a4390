/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the opener's tests have in common. */
#include "config.h"
#include "recording.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Marks our numbers: above any pid, the CPU and the number in the rest. */
#define NUMBER_MARK 0x40000000
#define NUMBER_CPU_SHIFT 24
#define NUMBER_MOST (1u << NUMBER_CPU_SHIFT)
#define WHO_PROCESS 1

static WprPerfEvent *
event_of_row (Recording *recording, guint32 row)
{
  for (guint i = 0; i < recording->events->len; i++)
    if (g_array_index (recording->events, WprPerfEvent, i).row == row)
      return &g_array_index (recording->events, WprPerfEvent, i);
  fail ();
  return NULL;
}

void
recording_learn (Recording *recording, const WprPerfEvent *event)
{
  g_array_append_vals (recording->events, event, 1);
}

/* What the kernel says to this test itself. 0 or errno. */
static int
refused_raw (const WprPerfEvent *event)
{
  struct perf_event_attr attr;
  wpr_perf_event_fill_attr (event, FALSE, &attr);
  if (event->kind == WPR_PERF_TRACEPOINT)
    {
      int id = wpr_tracefs_id (event->name);
      if (id < 0)
        return errno;
      attr.config = (guint64)id;
    }
  int fd = (int)syscall (SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    return errno;
  close (fd);
  return 0;
}

Recording *
recording_new (const WprPerfEvent *events, gsize n_events, gsize ring_bytes, gboolean backward)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  g_autoptr (GError) error = NULL;
  Recording *recording = g_new0 (Recording, 1);

  recording->opener = wpr_opener_local_new ();
  recording->spec = (WprRingSpec){ .bytes = ring_bytes, .backward = backward };
  recording->events = g_array_new (FALSE, FALSE, sizeof (WprPerfEvent));
  recording->ids = wpr_id_table_new ();
  recording->rings = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_ring_free);
  recording->bytes = g_ptr_array_new_with_free_func ((GDestroyNotify)g_byte_array_unref);
  for (gsize i = 0; i < n_events; i++)
    recording_learn (recording, &events[i]);

  gboolean opened
      = wpr_opener_open (recording->opener, events, n_events, &recording->spec, 1,
                         (const guint *)cpus->data, cpus->len, &recording->opened, &error);
  int refusal = refused_raw (&events[0]);
  if (refusal != 0)
    {
      print_message ("skipped: %s: %s\n", events[0].name, g_strerror (refusal));
      assert_true (!opened || recording->opened.refusals->len > 0);
      recording_free (recording);
      skip ();
    }
  if (!opened)
    print_error ("%s\n", error->message);
  assert_true (opened);
  assert_int_equal (recording->opened.refusals->len, 0);
  recording_update (recording);
  return recording;
}

void
recording_free (Recording *recording)
{
  g_ptr_array_unref (recording->rings);
  g_ptr_array_unref (recording->bytes);
  g_array_unref (recording->events);
  wpr_id_table_free (recording->ids);
  wpr_opened_clear (&recording->opened);
  wpr_opener_close (recording->opener);
  g_object_unref (recording->opener);
  g_free (recording);
}

static const WprLeader *
leader_at (Recording *recording, guint index)
{
  return &g_array_index (recording->opened.leaders, WprLeader, index);
}

void
recording_update (Recording *recording)
{
  for (guint i = recording->rings->len; i < recording->opened.leaders->len; i++)
    {
      const WprLeader *leader = leader_at (recording, i);
      WprRing *ring = NULL;
      if (leader->bytes > 0)
        {
          ring = wpr_ring_map (leader->fd, leader->bytes, recording->spec.backward, NULL);
          assert_non_null (ring);
        }
      g_ptr_array_add (recording->rings, ring);
      g_ptr_array_add (recording->bytes, g_byte_array_new ());
    }
  for (; recording->n_ids < recording->opened.ids->len; recording->n_ids++)
    {
      const WprEventId *id = &g_array_index (recording->opened.ids, WprEventId, recording->n_ids);
      wpr_id_table_add (recording->ids, id->id, id->row,
                        wpr_perf_event_sample_type (event_of_row (recording, id->row)));
    }
}

void
recording_switch (Recording *recording, gboolean on)
{
  for (guint i = 0; i < recording->opened.leaders->len; i++)
    assert_int_equal (ioctl (leader_at (recording, i)->fd,
                             on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0),
                      0);
}

static void
drain_into (WprRing *ring, GByteArray *bytes)
{
  int fd = memfd_create ("drained", MFD_CLOEXEC);
  gssize drained = wpr_ring_drain (ring, fd, 0, NULL);
  assert_true (drained >= 0);
  guint before = bytes->len;
  g_byte_array_set_size (bytes, before + (guint)drained);
  if (drained > 0)
    assert_int_equal (pread (fd, bytes->data + before, (gsize)drained, 0), drained);
  close (fd);
}

void
recording_collect (Recording *recording)
{
  for (guint i = 0; i < recording->rings->len; i++)
    {
      WprRing *ring = recording->rings->pdata[i];
      GByteArray *bytes = recording->bytes->pdata[i];
      WprRingCopy copy;
      if (ring != NULL && !recording->spec.backward)
        drain_into (ring, bytes);
      else if (ring != NULL)
        {
          assert_true (wpr_ring_copy (ring, &copy, NULL));
          g_byte_array_set_size (bytes, 0);
          g_byte_array_append (bytes, copy.data, (guint)copy.size);
          wpr_ring_copy_clear (&copy);
        }
    }
}

void
recording_counts (Recording *recording, guint32 row, guint64 *count, guint64 *lost)
{
  *count = *lost = 0;
  for (guint i = 0; i < recording->opened.leaders->len; i++)
    {
      g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
      gboolean has_lost;
      assert_true (wpr_group_read (leader_at (recording, i)->fd, counts, &has_lost, NULL));
      for (guint k = 0; k < counts->len; k++)
        {
          const WprGroupCount *one = &g_array_index (counts, WprGroupCount, k);
          guint32 its_row;
          guint64 type;
          assert_true (wpr_id_table_find (recording->ids, one->id, &its_row, &type));
          *count += its_row == row ? one->count : 0;
          *lost += its_row == row ? one->lost : 0;
        }
    }
}

void
recording_each (Recording *recording, RecordFunc func, gpointer data)
{
  for (guint i = 0; i < recording->bytes->len; i++)
    {
      const GByteArray *bytes = recording->bytes->pdata[i];
      for (guint at = 0; at < bytes->len;)
        {
          const struct perf_event_header *header = (gpointer)(bytes->data + at);
          WprRecord record;
          assert_true (header->size >= 8 && header->size <= bytes->len - at);
          assert_true (wpr_record_parse (header, recording->ids, &record));
          assert_int_equal (record.cpu, leader_at (recording, i)->cpu);
          func (&record, data);
          at += header->size;
        }
    }
}

typedef struct
{
  guint32 row;
  guint64 count;
} RowCount;

static void
count_row (const WprRecord *record, gpointer data)
{
  RowCount *rows = data;
  rows->count += record->type == PERF_RECORD_SAMPLE && record->row == rows->row;
}

guint64
recording_rows (Recording *recording, guint32 row)
{
  RowCount rows = { row, 0 };
  recording_each (recording, count_row, &rows);
  return rows.count;
}

/* ---- numbered calls ---- */

static gpointer
make_calls (gpointer data)
{
  Workload *work = data;
  cpu_set_t set;

  CPU_ZERO (&set);
  CPU_SET (work->cpu, &set);
  sched_setaffinity (0, sizeof set, &set);
  __atomic_store_n (&work->tid, (guint32)syscall (SYS_gettid), __ATOMIC_RELEASE);
  for (guint32 n = 0; n < MIN (work->n_calls, NUMBER_MOST) && !g_atomic_int_get (&work->stop); n++)
    {
      syscall (SYS_ioprio_get, WHO_PROCESS, NUMBER_MARK | work->cpu << NUMBER_CPU_SHIFT | n);
      g_atomic_int_set (&work->made, (gint)n + 1);
      if (work->pause_us > 0 && n % 16 == 15)
        g_usleep (work->pause_us);
    }
  return NULL;
}

GPtrArray *
workloads_start (guint32 n_calls, guint pause_us)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  GPtrArray *workloads = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < MIN (cpus->len, 32); i++)
    {
      Workload *work = g_new0 (Workload, 1);
      work->cpu = g_array_index (cpus, guint, i);
      work->n_calls = n_calls > 0 ? n_calls : NUMBER_MOST;
      work->pause_us = pause_us;
      g_ptr_array_add (workloads, work);
      work->thread = g_thread_new ("numbered", make_calls, work);
      while (__atomic_load_n (&work->tid, __ATOMIC_ACQUIRE) == 0)
        g_thread_yield ();
    }
  return workloads;
}

guint64
workloads_finish (GPtrArray *workloads)
{
  guint64 made = 0;

  for (guint i = 0; i < workloads->len; i++)
    {
      Workload *work = workloads->pdata[i];
      if (work->n_calls == NUMBER_MOST)
        g_atomic_int_set (&work->stop, 1);
      g_thread_join (work->thread);
      made += (guint64)work->made;
    }
  return made;
}

gint64
workload_number (const WprRecord *record, guint *cpu)
{
  guint64 who;
  /* Another run of these tests numbers its calls alike. */
  if (record->pid != (guint32)getpid () || record->raw == NULL
      || record->raw_size < NUMBER_OFFSET + sizeof who)
    return -1;
  memcpy (&who, record->raw + NUMBER_OFFSET, sizeof who);
  if ((who & NUMBER_MARK) == 0 || who >> 32 != 0)
    return -1;
  *cpu = (guint)(who & (NUMBER_MARK - 1)) >> NUMBER_CPU_SHIFT;
  return (gint64)(who & (NUMBER_MOST - 1));
}

/* ---- no idle ---- */

static gpointer
spin (gpointer data)
{
  Workload *work = data;
  struct sched_param none = { 0 };
  cpu_set_t set;

  CPU_ZERO (&set);
  CPU_SET (work->cpu, &set);
  sched_setaffinity (0, sizeof set, &set);
  sched_setscheduler (0, SCHED_IDLE, &none);
  while (!g_atomic_int_get (&work->stop))
    ;
  return NULL;
}

GPtrArray *
spinners_start (void)
{
  g_autoptr (GArray) cpus = wpr_cpus_online ();
  GPtrArray *spinners = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < cpus->len; i++)
    {
      Workload *work = g_new0 (Workload, 1);
      work->cpu = g_array_index (cpus, guint, i);
      work->thread = g_thread_new ("spinner", spin, work);
      g_ptr_array_add (spinners, work);
    }
  /* Until each has its CPU. */
  g_usleep (20000);
  return spinners;
}

void
spinners_stop (GPtrArray *spinners)
{
  for (guint i = 0; i < spinners->len; i++)
    g_atomic_int_set (&((Workload *)spinners->pdata[i])->stop, 1);
  for (guint i = 0; i < spinners->len; i++)
    g_thread_join (((Workload *)spinners->pdata[i])->thread);
}
