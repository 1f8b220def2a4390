/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lives of processes and threads. Notes are gathered as they come, then sorted by id and time and
 * folded into lives. */
#include "config.h"
#include "file/who.h"

#include <string.h>

typedef struct
{
  guint32 id;
  guint32 order; /* as it came: notes of one time keep their order */
  gint64 ticks;
  WprWhoNote note;
  guint32 owner;    /* of a thread: its process */
  const char *name; /* of a process; NULL: not told */
} Note;

typedef struct
{
  gint64 from;
  guint32 owner;
  const char *name;
} Life;

/* The lives of one id: a run of the table's. */
typedef struct
{
  guint32 id;
  guint first, n;
} Run;

typedef struct
{
  GArray *notes;     /* of Note; NULL once finished */
  GArray *lives;     /* of Life */
  GArray *runs;      /* of Run */
  GHashTable *by_id; /* id + 1 -> index of its run + 1 */
} Table;

struct _WprWho
{
  Table processes, threads;
  GStringChunk *names;
};

static void
table_init (Table *self)
{
  self->notes = g_array_new (FALSE, FALSE, sizeof (Note));
  self->lives = g_array_new (FALSE, FALSE, sizeof (Life));
  self->runs = g_array_new (FALSE, FALSE, sizeof (Run));
  self->by_id = g_hash_table_new (NULL, NULL);
}

static void
table_clear (Table *self)
{
  if (self->notes != NULL)
    g_array_unref (self->notes);
  g_array_unref (self->lives);
  g_array_unref (self->runs);
  g_hash_table_unref (self->by_id);
}

WprWho *
wpr_who_new (void)
{
  WprWho *self = g_new0 (WprWho, 1);

  table_init (&self->processes);
  table_init (&self->threads);
  self->names = g_string_chunk_new (4096);
  return self;
}

void
wpr_who_free (WprWho *self)
{
  if (self == NULL)
    return;
  table_clear (&self->processes);
  table_clear (&self->threads);
  g_string_chunk_free (self->names);
  g_free (self);
}

static void
add_note (Table *self, WprWhoNote note, gint64 ticks, guint32 id, guint32 owner, const char *name)
{
  Note row = { id, self->notes->len, ticks, note, owner, name };

  g_array_append_val (self->notes, row);
}

void
wpr_who_note_process (WprWho *self, WprWhoNote note, gint64 ticks, guint32 pid, const char *name)
{
  const char *kept = *name != '\0' ? g_string_chunk_insert_const (self->names, name) : NULL;

  add_note (&self->processes, note, ticks, pid, WPR_NOBODY, kept);
}

void
wpr_who_note_thread (WprWho *self, WprWhoNote note, gint64 ticks, guint32 tid, guint32 pid)
{
  add_note (&self->threads, note, ticks, tid, pid, NULL);
}

static int
compare_notes (gconstpointer a, gconstpointer b)
{
  const Note *x = a, *y = b;

  if (x->id != y->id)
    return x->id < y->id ? -1 : 1;
  if (x->ticks != y->ticks)
    return x->ticks < y->ticks ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* A rundown in the middle, of a file that was joined, tells of another one than was known: the end
 * of the one and the start of the other were between the files. */
static gboolean
is_another (const Life *life, const Note *note)
{
  return note->note == WPR_WHO_THERE
         && ((life->name != NULL && note->name != NULL && !g_str_equal (life->name, note->name))
             || (life->owner != WPR_NOBODY && note->owner != WPR_NOBODY
                 && life->owner != note->owner));
}

/* Whether a note begins a life: a start does, and anything else where none goes on. */
static gboolean
begins (const Note *note, const Life *life, gboolean has_ended)
{
  return note->note == WPR_WHO_START || life == NULL || (has_ended && note->note != WPR_WHO_END)
         || is_another (life, note);
}

static void
fold_note (Table *self, Run *run, const Note *note, gboolean *has_ended)
{
  Life *life = run->n > 0 ? &g_array_index (self->lives, Life, self->lives->len - 1) : NULL;

  if (begins (note, life, *has_ended))
    {
      Life next = { note->note == WPR_WHO_START ? note->ticks : G_MININT64, note->owner, NULL };

      if (run->n > 0 && next.from == G_MININT64)
        next.from = note->ticks;
      g_array_append_val (self->lives, next);
      run->n++;
      life = &g_array_index (self->lives, Life, self->lives->len - 1);
    }
  /* What is said first of a life is it: a rundown at the end may have a shorter name. */
  if (life->name == NULL)
    life->name = note->name;
  if (life->owner == WPR_NOBODY)
    life->owner = note->owner;
  *has_ended = note->note == WPR_WHO_END;
}

static void
table_finish (Table *self)
{
  gboolean has_ended = FALSE;

  g_array_sort (self->notes, compare_notes);
  for (guint i = 0; i < self->notes->len; i++)
    {
      const Note *note = &g_array_index (self->notes, Note, i);

      if (i == 0 || note[-1].id != note->id)
        {
          Run run = { note->id, self->lives->len, 0 };

          has_ended = FALSE;
          g_array_append_val (self->runs, run);
          g_hash_table_insert (self->by_id, GSIZE_TO_POINTER ((gsize)note->id + 1),
                               GUINT_TO_POINTER (self->runs->len));
        }
      fold_note (self, &g_array_index (self->runs, Run, self->runs->len - 1), note, &has_ended);
    }
  g_clear_pointer (&self->notes, g_array_unref);
}

void
wpr_who_finish (WprWho *self)
{
  table_finish (&self->processes);
  table_finish (&self->threads);
}

static const Life *
find_life (const Table *self, guint32 id, gint64 ticks)
{
  guint index
      = GPOINTER_TO_UINT (g_hash_table_lookup (self->by_id, GSIZE_TO_POINTER ((gsize)id + 1)));
  const Run *run;
  const Life *lives;
  guint low = 0, high;

  if (index == 0)
    return NULL;
  run = &g_array_index (self->runs, Run, index - 1);
  lives = &g_array_index (self->lives, Life, run->first);
  /* The last life that began then or before; the first, if none did. */
  high = run->n;
  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;

      if (lives[middle].from <= ticks)
        low = middle;
      else
        high = middle;
    }
  return &lives[low];
}

const char *
wpr_who_process (const WprWho *self, guint32 pid, gint64 ticks)
{
  const Life *life = find_life (&self->processes, pid, ticks);

  return life != NULL && life->name != NULL ? life->name : "";
}

void
wpr_who_foreach_process (const WprWho *self, WprWhoFunc func, gpointer data)
{
  for (guint i = 0; i < self->processes.runs->len; i++)
    {
      const Run *run = &g_array_index (self->processes.runs, Run, i);

      for (guint k = 0; k < run->n; k++)
        {
          const Life *life = &g_array_index (self->processes.lives, Life, run->first + k);

          func (run->id, life->name != NULL ? life->name : "", data);
        }
    }
}

guint32
wpr_who_thread (const WprWho *self, guint32 tid, gint64 ticks)
{
  const Life *life = find_life (&self->threads, tid, ticks);

  return life != NULL ? life->owner : WPR_NOBODY;
}
