/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A made-up machine: processes fork, exec, map, are named and end at random, and every step is
 * written down as the kernel would tell it. Who was there at a time is answered by doing all steps
 * again from the beginning; nothing of the world is used. */
#pragma once

#include "records.h"

#define MODEL_NUMBERS 40 /* pids and tids 1..39: given out anew all the time */
#define MODEL_SLOTS 12   /* places a mapping may lie at */
#define MODEL_SLOT_BASE 0x10000
#define MODEL_SLOT_BYTES 0x1000
#define MODEL_STEP_NS G_GINT64_CONSTANT (1000000000)

typedef enum
{
  STEP_FORK,
  STEP_THREAD,
  STEP_EXEC,
  STEP_MAP,
  STEP_NAME,
  STEP_EXIT, /* of one thread */
  STEP_CMDLINE,
  STEP_UID
} StepKind;

typedef struct
{
  StepKind kind;
  gint64 time;
  guint32 pid, tid, by_pid, by_tid;
  guint slot, n_slots;
  guint32 value;
  char text[24];
} Step;

typedef struct
{
  gboolean alive;
  guint32 pid; /* whose thread it is */
  gint64 start;
  char name[24];
} ModelThread;
typedef struct
{
  gboolean alive, leader_gone;
  guint32 ppid, uid;
  gint64 start;
  guint program; /* index into programs */
  struct
  {
    guint mapping; /* number of the mapping that lies there, 0: none */
    char path[24];
  } slots[MODEL_SLOTS];
} ModelProcess;
typedef struct
{
  char exe[24], comm[24], cmdline[24];
} ModelProgram;
typedef struct
{
  ModelThread threads[MODEL_NUMBERS];
  ModelProcess processes[MODEL_NUMBERS];
  guint n_mappings;
  GArray *programs; /* ModelProgram; grows only */
} Model;

void model_clear (Model *model);
void model_do (Model *model, const Step *step);
/* Random steps from nothing (pid 1 is forked first). Array of Step, times rising. */
GArray *model_history (GRand *rand, guint n);
/* The state at `when`: all steps up to then. */
void model_replay (Model *model, const GArray *steps, gint64 when);
void model_feed (WprWorld *world, const Step *step);
/* Asserts that the world says of `when` what the model does. known_from: names of programs begun
 * before are not known for sure. */
void model_check (const Model *model, const WprWorld *world, gint64 when, gint64 known_from);
/* Writes the state as a folder like /proc. */
void model_write_proc (const Model *model, const char *folder);
