/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One holder of a pid: its programs, threads and mappings, built up in time order. Who tells what,
 * and in which order, is not known here. */
#include "config.h"
#include "world/world-private.h"

static void
clear_program (gpointer data)
{
  WprProgram *program = data;
  g_clear_pointer (&program->exe, g_ref_string_release);
  g_clear_pointer (&program->comm, g_ref_string_release);
  g_clear_pointer (&program->cmdline, g_ref_string_release);
}

static void
clear_name (gpointer data)
{
  g_clear_pointer (&((WprThreadName *)data)->name, g_ref_string_release);
}

static void
clear_map (gpointer data)
{
  g_clear_pointer (&((WprMapState *)data)->info, wpr_map_info_unref);
}

static char *
acquire (const char *text)
{
  return text == NULL ? NULL : g_ref_string_acquire ((char *)text);
}

WprLife *
wpr_life_new (guint32 pid, WprTime start)
{
  WprLife *life = g_new0 (WprLife, 1);
  life->process.pid = pid;
  life->process.uid = G_MAXUINT32;
  life->process.start = start;
  life->process.end = WPR_WORLD_ALIVE;
  life->process.programs = g_array_new (FALSE, FALSE, sizeof (WprProgram));
  g_array_set_clear_func (life->process.programs, clear_program);
  life->maps = g_array_new (FALSE, FALSE, sizeof (WprMapState));
  g_array_set_clear_func (life->maps, clear_map);
  life->threads = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_thread_life_free);
  life->evidence = start;
  life->proc_end = WPR_WORLD_BEFORE;
  return life;
}

void
wpr_life_free (WprLife *life)
{
  g_array_unref (life->process.programs);
  g_clear_pointer (&life->process.mappings, g_array_unref);
  g_array_unref (life->maps);
  g_ptr_array_unref (life->threads);
  g_free (life);
}

/* All but process.mappings, which wpr_life_publish() makes. */
WprLife *
wpr_life_copy (const WprLife *life)
{
  WprLife *copy = wpr_life_new (life->process.pid, life->process.start);
  GArray *programs = copy->process.programs;
  copy->process = life->process;
  copy->process.programs = programs;
  copy->process.mappings = NULL;
  copy->evidence = life->evidence;
  copy->proc_end = life->proc_end;
  copy->start_known = life->start_known;
  copy->leader_exited = life->leader_exited;
  for (guint i = 0; i < life->process.programs->len; i++)
    {
      const WprProgram *p = &g_array_index (life->process.programs, WprProgram, i);
      wpr_life_add_program (copy, p->when, p->exec, p->exe, p->comm, p->cmdline);
    }
  for (guint i = 0; i < life->maps->len; i++)
    {
      WprMapState map = g_array_index (life->maps, WprMapState, i);
      wpr_map_info_ref (map.info);
      g_array_append_val (copy->maps, map);
    }
  for (guint i = 0; i < life->threads->len; i++)
    {
      const WprThreadLife *from = g_ptr_array_index (life->threads, i);
      WprThreadLife *to = wpr_life_add_thread (copy, from->thread.tid, from->thread.start);
      GArray *names = to->thread.names;
      to->thread = from->thread;
      to->thread.names = names;
      to->evidence = from->evidence;
      to->start_known = from->start_known;
      for (guint n = 0; n < from->thread.names->len; n++)
        {
          const WprThreadName *name = &g_array_index (from->thread.names, WprThreadName, n);
          wpr_thread_life_add_name (to, name->when, name->name);
        }
    }
  copy->n_live = life->n_live;
  return copy;
}

/* Texts must be GRefStrings; exe and comm "" where unknown. */
void
wpr_life_add_program (WprLife *life, WprTime when, gboolean exec, const char *exe, const char *comm,
                      const char *cmdline)
{
  WprProgram program = { .when = when,
                         .exec = exec,
                         .exe = exe != NULL ? acquire (exe) : wpr_text (""),
                         .comm = comm != NULL ? acquire (comm) : wpr_text (""),
                         .cmdline = acquire (cmdline) };
  g_array_append_val (life->process.programs, program);
}

WprProgram *
wpr_life_program_at (const WprLife *life, WprTime when)
{
  GArray *programs = life->process.programs;
  guint low = 0, high = programs->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (g_array_index (programs, WprProgram, middle).when <= when)
        low = middle + 1;
      else
        high = middle;
    }
  if (programs->len == 0)
    return NULL;
  return &g_array_index (programs, WprProgram, low == 0 ? 0 : low - 1);
}

void
wpr_life_add_map (WprLife *life, WprMapInfo *info, WprTime when, gboolean proc)
{
  WprMapState map
      = { .info = wpr_map_info_ref (info), .when = when, .until = WPR_WORLD_ALIVE, .proc = proc };
  g_array_append_val (life->maps, map);
}

WprThreadLife *
wpr_life_add_thread (WprLife *life, guint32 tid, WprTime start)
{
  WprThreadLife *thread = g_new0 (WprThreadLife, 1);
  thread->thread.tid = tid;
  thread->thread.pid = life->process.pid;
  thread->thread.start = start;
  thread->thread.end = WPR_WORLD_ALIVE;
  thread->thread.names = g_array_new (FALSE, FALSE, sizeof (WprThreadName));
  g_array_set_clear_func (thread->thread.names, clear_name);
  thread->evidence = start;
  g_ptr_array_add (life->threads, thread);
  life->threads_sorted = FALSE;
  life->n_live++;
  return thread;
}

void
wpr_thread_life_free (WprThreadLife *thread)
{
  g_array_unref (thread->thread.names);
  g_free (thread);
}

static gint
compare_thread (gconstpointer a, gconstpointer b)
{
  const WprThread *x = *(gpointer *)a, *y = *(gpointer *)b;
  if (x->tid != y->tid)
    return x->tid < y->tid ? -1 : 1;
  return x->start < y->start ? -1 : x->start > y->start;
}

/* The first one that is behind all of that number begun at or before `when`. */
static guint
thread_position (const WprLife *life, guint32 tid, WprTime when)
{
  guint low = 0, high = life->threads->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      const WprThread *thread = g_ptr_array_index (life->threads, middle);
      if (thread->tid < tid || (thread->tid == tid && thread->start <= when))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* The newest thread of that number begun at or before `when`. */
WprThreadLife *
wpr_life_thread_at (const WprLife *life, guint32 tid, WprTime when)
{
  WprThreadLife *found = NULL;
  if (life->threads_sorted)
    {
      guint at = thread_position (life, tid, when);
      found = at == 0 ? NULL : g_ptr_array_index (life->threads, at - 1);
      return found != NULL && found->thread.tid == tid ? found : NULL;
    }
  for (guint i = 0; i < life->threads->len; i++)
    {
      WprThreadLife *thread = g_ptr_array_index (life->threads, i);
      if (thread->thread.tid == tid && thread->thread.start <= when
          && (found == NULL || thread->thread.start >= found->thread.start))
        found = thread;
    }
  return found;
}

void
wpr_thread_life_add_name (WprThreadLife *thread, WprTime when, const char *name)
{
  WprThreadName entry = { .when = when, .name = name != NULL ? acquire (name) : wpr_text ("") };
  g_array_append_val (thread->thread.names, entry);
}

const char *
wpr_thread_life_name (const WprThreadLife *thread, WprTime when)
{
  GArray *names = thread->thread.names;
  guint low = 0, high = names->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      if (g_array_index (names, WprThreadName, middle).when <= when)
        low = middle + 1;
      else
        high = middle;
    }
  return names->len == 0 ? "" : g_array_index (names, WprThreadName, low == 0 ? 0 : low - 1).name;
}

/* ---- mappings ---- */

static gint
compare_map (gconstpointer a, gconstpointer b)
{
  const WprMapState *x = a, *y = b;
  if (x->when != y->when)
    return x->when < y->when ? -1 : 1;
  return (int)x->proc - (int)y->proc; /* what a record told goes before what /proc showed */
}

static gboolean
same_map (const WprMapping *a, const WprMapping *b)
{
  return a->start == b->start && a->length == b->length && a->page_offset == b->page_offset
         && a->path == b->path; /* interned */
}

/* First of the live ones (indices into maps, by address) that starts at or behind `start`. */
static guint
live_position (const WprLife *life, const GArray *live, guint64 start)
{
  guint low = 0, high = live->len;
  while (low < high)
    {
      guint middle = (low + high) / 2;
      guint index = g_array_index (live, guint, middle);
      if (g_array_index (life->maps, WprMapState, index).info->mapping.start < start)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* What is known of the file goes over to the one that stays. */
static void
merge_info (WprMapping *keep, const WprMapping *other)
{
  if (keep->inode == 0 && keep->major == 0 && keep->minor == 0)
    {
      keep->major = other->major;
      keep->minor = other->minor;
      keep->inode = other->inode;
    }
  if (keep->mtime_ns == 0)
    {
      keep->mtime_ns = other->mtime_ns;
      keep->file_size = other->file_size;
    }
  if (keep->build_id_size == 0 && other->build_id_size != 0)
    {
      memcpy (keep->build_id, other->build_id, sizeof keep->build_id);
      keep->build_id_size = other->build_id_size;
    }
}

static WprMapState *
live_map (WprLife *life, const GArray *live, guint position)
{
  return &g_array_index (life->maps, WprMapState, g_array_index (live, guint, position));
}

/* Whether another one lies over part of it. */
static gboolean
is_overlaid (WprLife *life, const GArray *live, guint position)
{
  const WprMapping *m = &live_map (life, live, position)->info->mapping;
  for (guint i = 0; i < live->len; i++)
    {
      const WprMapping *other = &live_map (life, live, i)->info->mapping;
      if (other->start >= m->start + m->length)
        break;
      if (i != position && other->start + other->length > m->start)
        return TRUE;
    }
  return FALSE;
}

/* What is there already is not there twice: protections are changed back and forth. Returns FALSE
 * if `map` is to be dropped. */
static gboolean
replace_same (WprLife *life, GArray *live, guint at, guint index, gboolean *replaced)
{
  WprMapState *map = &g_array_index (life->maps, WprMapState, index);
  *replaced = FALSE;
  for (guint i = at; i < live->len; i++)
    {
      WprMapState *other = live_map (life, live, i);
      if (other->info->mapping.start != map->info->mapping.start)
        break;
      if (!same_map (&map->info->mapping, &other->info->mapping))
        continue;
      merge_info (&other->info->mapping, &map->info->mapping);
      merge_info (&map->info->mapping, &other->info->mapping);
      if (!other->proc || map->when > life->proc_end)
        return is_overlaid (life, live, i);
      other->until = other->when; /* mapped before /proc was read: the record knows when */
      g_array_index (live, guint, i) = index;
      *replaced = TRUE;
      return TRUE;
    }
  return TRUE;
}

/* Puts one into the live ones: those it covers whole end here. Records tell also of a part whose
 * protection changed; the rest of the mapping it lies in stays. */
static void
place (WprLife *life, GArray *live, guint index)
{
  WprMapState *map = &g_array_index (life->maps, WprMapState, index);
  guint64 start = map->info->mapping.start;
  guint64 end = start + map->info->mapping.length;
  guint at = live_position (life, live, start);
  gboolean replaced;
  if (!replace_same (life, live, at, index, &replaced))
    {
      map->until = map->when;
      return;
    }
  if (replaced)
    return;
  for (guint i = at; i < live->len;)
    {
      WprMapState *other = live_map (life, live, i);
      if (other->info->mapping.start >= end)
        break;
      if (other->info->mapping.start + other->info->mapping.length > end)
        {
          i++;
          continue;
        }
      other->until = map->when;
      g_array_remove_index (live, i);
    }
  g_array_insert_val (live, at, index);
}

static void
end_all (WprLife *life, GArray *live, WprTime when)
{
  for (guint i = 0; i < live->len; i++)
    live_map (life, live, i)->until = when;
  g_array_set_size (live, 0);
}

/* Removes mappings that were over by `when`, or never were (over when they began). */
static void
drop_maps (WprLife *life, WprTime when)
{
  guint kept = 0;
  for (guint i = 0; i < life->maps->len; i++)
    {
      WprMapState map = g_array_index (life->maps, WprMapState, i);
      if (map.until <= when || map.until <= map.when)
        {
          wpr_map_info_unref (map.info);
          continue;
        }
      g_array_index (life->maps, WprMapState, kept++) = map;
    }
  /* What is behind has moved or been given up: nothing there to clear. */
  for (guint i = kept; i < life->maps->len; i++)
    g_array_index (life->maps, WprMapState, i).info = NULL;
  g_array_set_size (life->maps, kept);
}

/* Sorts them, drops what is there twice, fills .until. May be called again when more was added. */
void
wpr_life_finish_maps (WprLife *life)
{
  g_autoptr (GArray) live = g_array_new (FALSE, FALSE, sizeof (guint));
  GArray *programs = life->process.programs;
  guint program = 0;
  for (guint i = 1; i < life->maps->len; i++)
    if (compare_map (&g_array_index (life->maps, WprMapState, i - 1),
                     &g_array_index (life->maps, WprMapState, i))
        > 0)
      {
        g_array_sort (life->maps, compare_map); /* stable */
        break;
      }
  for (guint i = 0; i < life->maps->len; i++)
    {
      WprMapState *map = &g_array_index (life->maps, WprMapState, i);
      map->until = WPR_WORLD_ALIVE;
      for (; program < programs->len
             && g_array_index (programs, WprProgram, program).when <= map->when;
           program++)
        if (g_array_index (programs, WprProgram, program).exec)
          end_all (life, live, g_array_index (programs, WprProgram, program).when);
      place (life, live, i);
    }
  for (; program < programs->len; program++)
    if (g_array_index (programs, WprProgram, program).exec)
      end_all (life, live, g_array_index (programs, WprProgram, program).when);
  drop_maps (life, WPR_WORLD_BEFORE);
}

void
wpr_life_finish (WprLife *life)
{
  wpr_life_finish_maps (life);
  g_ptr_array_sort (life->threads, compare_thread);
  life->threads_sorted = TRUE;
}

void
wpr_life_publish (WprLife *life)
{
  if (life->process.mappings != NULL)
    return;
  life->process.mappings
      = g_array_sized_new (FALSE, FALSE, sizeof (WprMapping), MAX (life->maps->len, 1));
  for (guint i = 0; i < life->maps->len; i++)
    {
      const WprMapState *state = &g_array_index (life->maps, WprMapState, i);
      WprMapping mapping = state->info->mapping;
      mapping.when = state->when;
      g_array_append_val (life->process.mappings, mapping);
    }
}

void
wpr_life_trim (WprLife *life, WprTime oldest)
{
  GArray *programs = life->process.programs;
  guint n = 0;
  while (n + 1 < programs->len && g_array_index (programs, WprProgram, n + 1).when <= oldest)
    n++;
  if (n > 0)
    g_array_remove_range (programs, 0, n);
  for (guint i = life->threads->len; i-- > 0;)
    {
      WprThreadLife *thread = g_ptr_array_index (life->threads, i);
      GArray *names = thread->thread.names;
      if (thread->thread.end < oldest)
        {
          g_ptr_array_remove_index (life->threads, i);
          continue;
        }
      for (n = 0; n + 1 < names->len && g_array_index (names, WprThreadName, n + 1).when <= oldest;
           n++)
        ;
      if (n > 0)
        g_array_remove_range (names, 0, n);
    }
  drop_maps (life, oldest);
}
