/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The world against the made-up machine; and that machine's /proc. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "model.h"

static const WprProgram *
program_at (const WprProcess *process, gint64 when)
{
  const WprProgram *found = NULL;
  for (guint i = 0; i < process->programs->len; i++)
    {
      const WprProgram *p = &g_array_index (process->programs, WprProgram, i);
      if (found != NULL)
        assert_true (p->when >= found->when);
    }
  for (guint i = 0; i < process->programs->len; i++)
    if (g_array_index (process->programs, WprProgram, i).when <= when)
      found = &g_array_index (process->programs, WprProgram, i);
  return found;
}

/* The newest mapping over an address since the last exec. */
static const char *
path_at (const WprProcess *process, guint64 address, gint64 when)
{
  gint64 exec = G_MININT64;
  const char *path = "";
  for (guint i = 0; i < process->programs->len; i++)
    {
      const WprProgram *p = &g_array_index (process->programs, WprProgram, i);
      if (p->exec && p->when <= when)
        exec = p->when;
    }
  for (guint i = 0; i < process->mappings->len; i++)
    {
      const WprMapping *m = &g_array_index (process->mappings, WprMapping, i);
      if (i > 0)
        assert_true (m->when >= g_array_index (process->mappings, WprMapping, i - 1).when);
      if (m->when <= when && m->when >= exec && m->start <= address
          && address < m->start + m->length)
        path = m->path;
    }
  return path;
}

static void
check_process (const Model *model, const WprWorld *world, guint32 pid, gint64 when,
               gint64 known_from)
{
  const ModelProcess *expected = &model->processes[pid];
  const WprProcess *process = wpr_world_process (world, pid, when);
  if (!expected->alive)
    {
      assert_true (process == NULL || process->end <= when);
      return;
    }
  assert_non_null (process);
  assert_int_equal (process->pid, pid);
  assert_true (process->end > when);
  assert_true (process->start == expected->start || process->start == WPR_WORLD_BEFORE);
  if (process->start == expected->start)
    assert_int_equal (process->ppid, expected->ppid);
  const ModelProgram *p = &g_array_index (model->programs, ModelProgram, expected->program);
  const WprProgram *program = program_at (process, when);
  assert_non_null (program);
  if (program->when >= known_from) /* of those begun before, /proc shows what they are called now */
    assert_string_equal (program->comm, p->comm);
  /* Between an exec and its first mapping the world knows already what is mapped next. */
  if (p->exe[0] != '\0')
    assert_string_equal (program->exe, p->exe);
  if (p->cmdline[0] != '\0')
    assert_string_equal (program->cmdline, p->cmdline);
  for (guint i = 0; i < MODEL_SLOTS; i++)
    assert_string_equal (path_at (process, MODEL_SLOT_BASE + i * MODEL_SLOT_BYTES + 8, when),
                         expected->slots[i].path);
}

static void
check_thread (const Model *model, const WprWorld *world, guint32 tid, gint64 when)
{
  const ModelThread *expected = &model->threads[tid];
  const WprThread *thread = wpr_world_thread (world, tid, when);
  if (!expected->alive)
    {
      assert_true (thread == NULL || thread->end <= when);
      return;
    }
  assert_non_null (thread);
  assert_int_equal (thread->pid, expected->pid);
  assert_int_equal (thread->tid, tid);
  assert_true (thread->end > when);
  if (thread->start != WPR_WORLD_BEFORE)
    assert_int_equal (thread->start, expected->start);
  assert_string_equal (wpr_world_thread_name (world, tid, when), expected->name);
}

void
model_check (const Model *model, const WprWorld *world, gint64 when, gint64 known_from)
{
  for (guint32 n = 1; n < MODEL_NUMBERS; n++)
    {
      check_process (model, world, n, when, known_from);
      check_thread (model, world, n, when);
    }
}

/* ---- /proc ---- */

static void
write_file (const char *folder, const char *name, const char *text, gssize size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  assert_true (g_file_set_contents (path, text, size, NULL));
}

static char *
stat_text (guint32 id, const char *name, guint32 ppid, char state, guint n_threads)
{
  return g_strdup_printf ("%u (%s) %c %u 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 5 %u 0 %u 9 9 9 1 1 1 "
                          "1 1 0 0 0 0 0 0 0 17 0 0 3 0 0 0\n",
                          id, name, state, ppid, n_threads, id * 100);
}

static char *
maps_text (const ModelProcess *process)
{
  GString *text = g_string_new ("00400000-00401000 r--p 00000000 08:01 77 /not/executable\n");
  for (guint i = 0; i < MODEL_SLOTS;)
    {
      guint end = i + 1;
      while (end < MODEL_SLOTS && process->slots[end].mapping == process->slots[i].mapping)
        end++;
      if (process->slots[i].mapping != 0)
        g_string_append_printf (text, "%08x-%08x r-xp 00000000 08:01 77                     %s\n",
                                MODEL_SLOT_BASE + i * MODEL_SLOT_BYTES,
                                MODEL_SLOT_BASE + end * MODEL_SLOT_BYTES, process->slots[i].path);
      i = end;
    }
  return g_string_free (text, FALSE);
}

static guint
write_threads (const Model *model, guint32 pid, const char *folder)
{
  guint n = 0;
  g_autofree char *task = g_build_filename (folder, "task", NULL);
  assert_int_equal (g_mkdir_with_parents (task, 0700), 0);
  for (guint32 tid = 1; tid < MODEL_NUMBERS; tid++)
    {
      const ModelThread *thread = &model->threads[tid];
      gboolean zombie = tid == pid && model->processes[pid].leader_gone;
      if (!zombie && (!thread->alive || thread->pid != pid))
        continue;
      g_autofree char *number = g_strdup_printf ("%u", tid);
      g_autofree char *path = g_build_filename (task, number, NULL);
      g_autofree char *text = stat_text (tid, thread->name, 1, zombie ? 'Z' : 'S', 2);
      assert_int_equal (g_mkdir_with_parents (path, 0700), 0);
      write_file (path, "stat", text, -1);
      n++;
    }
  return n;
}

void
model_write_proc (const Model *model, const char *folder)
{
  for (guint32 pid = 1; pid < MODEL_NUMBERS; pid++)
    {
      const ModelProcess *process = &model->processes[pid];
      if (!process->alive)
        continue;
      const ModelProgram *program
          = &g_array_index (model->programs, ModelProgram, process->program);
      g_autofree char *number = g_strdup_printf ("%u", pid);
      g_autofree char *path = g_build_filename (folder, number, NULL);
      g_autofree char *exe = g_build_filename (path, "exe", NULL);
      g_autofree char *maps = maps_text (process);
      assert_int_equal (g_mkdir_with_parents (path, 0700), 0);
      guint n = write_threads (model, pid, path);
      g_autofree char *stat = stat_text (pid, model->threads[pid].name, process->ppid,
                                         process->leader_gone ? 'Z' : 'S', n);
      write_file (path, "stat", stat, -1);
      write_file (path, "maps", maps, -1);
      write_file (path, "cmdline", program->cmdline, (gssize)strlen (program->cmdline) + 1);
      write_file (path, "status", "Name:\tx\nUid:\t7\t7\t7\t7\n", -1);
      if (program->exe[0] != '\0')
        assert_int_equal (symlink (program->exe, exe), 0);
    }
}
