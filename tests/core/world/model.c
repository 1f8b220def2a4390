/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The made-up machine, its history, and the naive answer. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "model.h"

void
model_clear (Model *model)
{
  GArray *programs = model->programs;
  memset (model, 0, sizeof *model);
  model->programs = programs != NULL ? programs : g_array_new (FALSE, FALSE, sizeof (ModelProgram));
  g_array_set_size (model->programs, 1); /* 0: nobody's */
  memset (model->programs->data, 0, sizeof (ModelProgram));
}

static ModelProgram *
new_program (Model *model, ModelProcess *process)
{
  ModelProgram program = { "", "", "" };
  process->program = model->programs->len;
  g_array_append_val (model->programs, program);
  return &g_array_index (model->programs, ModelProgram, process->program);
}

static void
do_fork (Model *model, const Step *step)
{
  ModelProcess *child = &model->processes[step->pid];
  const ModelProcess *parent = &model->processes[step->by_pid];
  const ModelThread *creator = &model->threads[step->by_tid];
  memset (child, 0, sizeof *child);
  if (parent->alive)
    *child = *parent;
  else
    child->uid = G_MAXUINT32;
  child->alive = TRUE;
  child->leader_gone = FALSE;
  child->ppid = step->by_pid;
  child->start = step->time;
  ModelProgram *program = new_program (model, child);
  if (parent->alive)
    *program = g_array_index (model->programs, ModelProgram, parent->program);
  g_strlcpy (program->comm, creator->alive ? creator->name : "", sizeof program->comm);
  ModelThread *thread = &model->threads[step->pid];
  thread->alive = TRUE;
  thread->pid = step->pid;
  thread->start = step->time;
  g_strlcpy (thread->name, program->comm, sizeof thread->name);
}

static void
do_exec (Model *model, const Step *step)
{
  ModelProcess *process = &model->processes[step->pid];
  for (guint tid = 1; tid < MODEL_NUMBERS; tid++)
    if (tid != step->pid && model->threads[tid].pid == step->pid)
      model->threads[tid].alive = FALSE;
  ModelThread *leader = &model->threads[step->pid];
  if (!leader->alive)
    leader->start = step->time;
  leader->alive = TRUE;
  leader->pid = step->pid;
  g_strlcpy (leader->name, step->text, sizeof leader->name);
  process->leader_gone = FALSE;
  memset (process->slots, 0, sizeof process->slots);
  ModelProgram *program = new_program (model, process);
  g_strlcpy (program->comm, step->text, sizeof program->comm);
}

static void
do_exit (Model *model, const Step *step)
{
  gboolean any = FALSE;
  model->threads[step->tid].alive = FALSE;
  if (step->tid == step->pid)
    model->processes[step->pid].leader_gone = TRUE;
  for (guint tid = 1; tid < MODEL_NUMBERS; tid++)
    any |= model->threads[tid].alive && model->threads[tid].pid == step->pid;
  model->processes[step->pid].alive = any;
}

static void
do_map (Model *model, const Step *step)
{
  ModelProcess *process = &model->processes[step->pid];
  ModelProgram *program = &g_array_index (model->programs, ModelProgram, process->program);
  model->n_mappings++;
  for (guint i = step->slot; i < step->slot + step->n_slots; i++)
    {
      process->slots[i].mapping = model->n_mappings;
      g_strlcpy (process->slots[i].path, step->text, sizeof process->slots[i].path);
    }
  if (step->value == 1) /* the first of a program */
    g_strlcpy (program->exe, step->text, sizeof program->exe);
}

void
model_do (Model *model, const Step *step)
{
  ModelProcess *process = &model->processes[step->pid];
  ModelThread *thread = &model->threads[step->tid];
  ModelProgram *program = &g_array_index (model->programs, ModelProgram, process->program);
  switch (step->kind)
    {
    case STEP_FORK:
      do_fork (model, step);
      break;
    case STEP_THREAD:
      thread->alive = TRUE;
      thread->pid = step->pid;
      thread->start = step->time;
      g_strlcpy (thread->name, model->threads[step->by_tid].name, sizeof thread->name);
      break;
    case STEP_EXEC:
      do_exec (model, step);
      break;
    case STEP_MAP:
      do_map (model, step);
      break;
    case STEP_NAME:
      g_strlcpy (thread->name, step->text, sizeof thread->name);
      break;
    case STEP_EXIT:
      do_exit (model, step);
      break;
    case STEP_CMDLINE:
      g_strlcpy (program->cmdline, step->text, sizeof program->cmdline);
      break;
    case STEP_UID:
      process->uid = step->value;
      break;
    }
}

/* ---- a history ---- */

typedef struct
{
  Model model;
  GArray *steps;
  GRand *rand;
  gint64 time;
  guint n_texts;
} Maker;

static Step *
add (Maker *maker, StepKind kind, guint32 pid, guint32 tid)
{
  Step step = { .kind = kind, .pid = pid, .tid = tid, .time = maker->time += MODEL_STEP_NS };
  g_array_append_val (maker->steps, step);
  return &g_array_index (maker->steps, Step, maker->steps->len - 1);
}

static void
done (Maker *maker)
{
  model_do (&maker->model, &g_array_index (maker->steps, Step, maker->steps->len - 1));
}

static guint32
free_number (Maker *maker)
{
  for (int tries = 0; tries < 200; tries++)
    {
      guint32 n = (guint32)g_rand_int_range (maker->rand, 2, MODEL_NUMBERS);
      if (!maker->model.threads[n].alive && !maker->model.processes[n].alive)
        return n;
    }
  return 0;
}

static guint32
any_thread (Maker *maker)
{
  for (;;)
    {
      guint32 n = (guint32)g_rand_int_range (maker->rand, 1, MODEL_NUMBERS);
      if (maker->model.threads[n].alive)
        return n;
    }
}

static void
random_text (Maker *maker, Step *step, const char *prefix)
{
  g_snprintf (step->text, sizeof step->text, "%s%u", prefix,
              g_rand_boolean (maker->rand) ? maker->n_texts++ : maker->n_texts / 2);
}

static void
make_map (Maker *maker, guint32 tid, guint32 value)
{
  Step *step = add (maker, STEP_MAP, maker->model.threads[tid].pid, tid);
  step->n_slots = (guint)g_rand_int_range (maker->rand, 1, 4);
  step->slot = (guint)g_rand_int_range (maker->rand, 0, (gint32)(MODEL_SLOTS - step->n_slots));
  step->value = value;
  random_text (maker, step, "/lib/");
  done (maker);
}

static void
make_exec (Maker *maker, guint32 tid)
{
  guint32 pid = maker->model.threads[tid].pid;
  for (guint32 other = 1; other < MODEL_NUMBERS; other++)
    if (other != tid && maker->model.threads[other].alive && maker->model.threads[other].pid == pid)
      {
        add (maker, STEP_EXIT, pid, other);
        done (maker);
      }
  random_text (maker, add (maker, STEP_EXEC, pid, pid), "run");
  done (maker);
  make_map (maker, pid, 1);
  if (g_rand_boolean (maker->rand))
    {
      /* Its command line is read later, for the time of the exec. */
      Step *step = add (maker, STEP_CMDLINE, pid, pid);
      random_text (maker, step, "args ");
      done (maker);
    }
}

static void
make_exit (Maker *maker, guint32 tid)
{
  guint32 pid = maker->model.threads[tid].pid;
  gboolean all = g_rand_boolean (maker->rand);
  if (pid == 1)
    return;
  add (maker, STEP_EXIT, pid, tid);
  done (maker);
  for (guint32 other = 1; all && other < MODEL_NUMBERS; other++)
    if (maker->model.threads[other].alive && maker->model.threads[other].pid == pid)
      {
        add (maker, STEP_EXIT, pid, other);
        done (maker);
      }
}

static void
make_step (Maker *maker)
{
  guint32 tid = any_thread (maker), pid = maker->model.threads[tid].pid, n = free_number (maker);
  int what = g_rand_int_range (maker->rand, 0, 100);
  if (what < 40 && n != 0)
    {
      Step *step = add (maker, what < 25 ? STEP_FORK : STEP_THREAD, what < 25 ? n : pid, n);
      step->by_pid = pid;
      step->by_tid = tid;
      done (maker);
    }
  else if (what < 52)
    make_exec (maker, tid);
  else if (what < 66)
    make_map (maker, tid, 0);
  else if (what < 74)
    {
      random_text (maker, add (maker, STEP_NAME, pid, tid), "name");
      done (maker);
    }
  else if (what < 77)
    {
      add (maker, STEP_UID, pid, pid)->value = (guint32)what;
      done (maker);
    }
  else
    make_exit (maker, tid);
}

GArray *
model_history (GRand *rand, guint n)
{
  Maker maker = { .rand = rand, .steps = g_array_new (FALSE, FALSE, sizeof (Step)) };
  model_clear (&maker.model);
  add (&maker, STEP_FORK, 1, 1);
  done (&maker);
  make_exec (&maker, 1);
  while (maker.steps->len < n)
    make_step (&maker);
  g_array_unref (maker.model.programs);
  return maker.steps;
}

void
model_replay (Model *model, const GArray *steps, gint64 when)
{
  model_clear (model);
  for (guint i = 0; i < steps->len && g_array_index (steps, Step, i).time <= when; i++)
    model_do (model, &g_array_index (steps, Step, i));
}

void
model_feed (WprWorld *world, const Step *step)
{
  switch (step->kind)
    {
    case STEP_FORK:
    case STEP_THREAD:
      feed_fork (world, step->time, step->by_pid, step->by_tid, step->pid,
                 step->kind == STEP_FORK ? step->pid : step->tid);
      break;
    case STEP_EXEC:
      feed_comm (world, step->time, step->pid, step->pid, step->text, TRUE);
      break;
    case STEP_MAP:
      feed_mmap (world, step->time, step->pid, step->tid,
                 MODEL_SLOT_BASE + step->slot * MODEL_SLOT_BYTES, step->n_slots * MODEL_SLOT_BYTES,
                 step->text);
      break;
    case STEP_NAME:
      feed_comm (world, step->time, step->pid, step->tid, step->text, FALSE);
      break;
    case STEP_EXIT:
      feed_exit (world, step->time, step->pid, step->tid);
      break;
    case STEP_CMDLINE:
      wpr_world_set_cmdline (world, step->pid, step->time, step->text);
      break;
    case STEP_UID:
      wpr_world_set_uid (world, step->pid, step->time, step->value);
      break;
    }
}
