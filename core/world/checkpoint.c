/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A world as bytes, and back: a table of texts, a table of mappings, then the lives, each by
 * numbers into the tables. In the machine's byte order; a digest stands at the head, and nothing is
 * believed without a look even if it fits. */
#include "config.h"
#include "base/wpr-error.h"
#include "world/world-private.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#define MAGIC "WPRWORLD"
#define VERSION 1
#define NO_TEXT G_MAXUINT32

typedef struct
{
  char magic[8];
  guint32 version;
  guint32 digest_size;
  guint64 size; /* of what follows the head */
  guint8 digest[32];
} Head;

/* ---- writing ---- */

typedef struct
{
  GByteArray *texts, *maps, *lives;
  GHashTable *text_numbers, *map_numbers; /* pointer -> number + 1 */
} Writer;

#define PUT(array, type, value)                                        \
  G_STMT_START                                                         \
  {                                                                    \
    type put_ = (type)(value);                                         \
    g_byte_array_append ((array), (const guint8 *)&put_, sizeof put_); \
  }                                                                    \
  G_STMT_END

/* Texts are interned: one pointer, one text. */
static guint32
text_number (Writer *w, const char *text)
{
  if (text == NULL)
    return NO_TEXT;
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (w->text_numbers, text));
  if (number == 0)
    {
      number = g_hash_table_size (w->text_numbers) + 1;
      g_hash_table_insert (w->text_numbers, (gpointer)text, GUINT_TO_POINTER (number));
      PUT (w->texts, guint32, strlen (text));
      g_byte_array_append (w->texts, (const guint8 *)text, strlen (text));
    }
  return number - 1;
}

static void
put_mapping (Writer *w, GByteArray *to, const WprMapping *m)
{
  PUT (to, guint64, m->start);
  PUT (to, guint64, m->length);
  PUT (to, guint64, m->page_offset);
  PUT (to, guint32, m->major);
  PUT (to, guint32, m->minor);
  PUT (to, guint64, m->inode);
  PUT (to, gint64, m->mtime_ns);
  PUT (to, guint64, m->file_size);
  PUT (to, guint8, m->build_id_size);
  g_byte_array_append (to, m->build_id, sizeof m->build_id);
  PUT (to, guint32, text_number (w, m->path));
}

static guint32
map_number (Writer *w, const WprMapInfo *info)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (w->map_numbers, info));
  if (number == 0)
    {
      number = g_hash_table_size (w->map_numbers) + 1;
      g_hash_table_insert (w->map_numbers, (gpointer)info, GUINT_TO_POINTER (number));
      put_mapping (w, w->maps, &info->mapping);
    }
  return number - 1;
}

static void
put_threads (Writer *w, const WprLife *life)
{
  PUT (w->lives, guint32, life->threads->len);
  for (guint i = 0; i < life->threads->len; i++)
    {
      const WprThreadLife *t = g_ptr_array_index (life->threads, i);
      PUT (w->lives, guint32, t->thread.tid);
      PUT (w->lives, gint64, t->thread.start);
      PUT (w->lives, gint64, t->thread.end);
      PUT (w->lives, gint64, t->evidence);
      PUT (w->lives, guint8, t->start_known);
      PUT (w->lives, gint8, t->thread.nice);
      PUT (w->lives, guint8, t->thread.policy);
      PUT (w->lives, guint8, t->thread.rt_priority);
      PUT (w->lives, guint32, t->thread.names->len);
      for (guint n = 0; n < t->thread.names->len; n++)
        {
          const WprThreadName *name = &g_array_index (t->thread.names, WprThreadName, n);
          PUT (w->lives, gint64, name->when);
          PUT (w->lives, guint32, text_number (w, name->name));
        }
    }
}

static void
put_life (Writer *w, const WprLife *life)
{
  const WprProcess *p = &life->process;
  PUT (w->lives, guint32, p->pid);
  PUT (w->lives, guint32, p->ppid);
  PUT (w->lives, guint32, p->uid);
  PUT (w->lives, guint8, p->kernel != 0);
  PUT (w->lives, guint8, life->start_known != 0);
  PUT (w->lives, guint8, life->leader_exited != 0);
  PUT (w->lives, gint64, p->start);
  PUT (w->lives, gint64, p->end);
  PUT (w->lives, gint64, life->evidence);
  PUT (w->lives, gint64, life->proc_end);
  PUT (w->lives, guint64, p->start_ticks);
  PUT (w->lives, guint32, p->programs->len);
  for (guint i = 0; i < p->programs->len; i++)
    {
      const WprProgram *program = &g_array_index (p->programs, WprProgram, i);
      PUT (w->lives, gint64, program->when);
      PUT (w->lives, guint8, program->exec != 0);
      PUT (w->lives, guint32, text_number (w, program->exe));
      PUT (w->lives, guint32, text_number (w, program->comm));
      PUT (w->lives, guint32, text_number (w, program->cmdline));
    }
  PUT (w->lives, guint32, life->maps->len);
  for (guint i = 0; i < life->maps->len; i++)
    {
      const WprMapState *map = &g_array_index (life->maps, WprMapState, i);
      PUT (w->lives, gint64, map->when);
      PUT (w->lives, guint8, map->proc != 0);
      PUT (w->lives, guint32, map_number (w, map->info));
    }
  put_threads (w, life);
}

static void
digest (const guint8 *bytes, gsize size, guint8 *result)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize length = 32;
  g_checksum_update (checksum, bytes, size);
  g_checksum_get_digest (checksum, result, &length);
}

static gint
compare_pid (gconstpointer a, gconstpointer b)
{
  guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
  return x < y ? -1 : x > y;
}

/* Whom the newest look into /proc showed, ascending: what is told late of others ended before. */
static void
put_listed (GByteArray *to, const WprWorld *world)
{
  GHashTableIter iter;
  gpointer key;
  g_autoptr (GArray) pids = g_array_new (FALSE, FALSE, sizeof (guint32));
  if (world->listed != NULL)
    {
      g_hash_table_iter_init (&iter, world->listed);
      while (g_hash_table_iter_next (&iter, &key, NULL))
        {
          guint32 pid = GPOINTER_TO_UINT (key);
          g_array_append_val (pids, pid);
        }
      g_array_sort (pids, compare_pid);
    }
  PUT (to, gint64, world->listed_begun);
  PUT (to, gint64, world->listed_end);
  PUT (to, guint32, pids->len);
  g_byte_array_append (to, (const guint8 *)pids->data, pids->len * (guint)sizeof (guint32));
}

static GBytes *
finish (Writer *w, guint32 n_lives, const WprWorld *world)
{
  Head head = { .version = VERSION, .digest_size = 32 };
  g_autoptr (GByteArray) kernel = g_byte_array_new ();
  PUT (kernel, guint32, world->kernel_maps->len);
  for (guint i = 0; i < world->kernel_maps->len; i++)
    {
      const WprMapping *m = &g_array_index (world->kernel_maps, WprMapping, i);
      PUT (kernel, gint64, m->when);
      put_mapping (w, kernel, m);
    }
  GByteArray *all = g_byte_array_new ();
  g_byte_array_append (all, (const guint8 *)&head, sizeof head);
  PUT (all, guint64, world->n_forgotten);
  PUT (all, guint32, g_hash_table_size (w->text_numbers));
  g_byte_array_append (all, w->texts->data, w->texts->len);
  PUT (all, guint32, g_hash_table_size (w->map_numbers));
  g_byte_array_append (all, w->maps->data, w->maps->len);
  PUT (all, guint32, n_lives);
  g_byte_array_append (all, w->lives->data, w->lives->len);
  g_byte_array_append (all, kernel->data, kernel->len);
  put_listed (all, world);
  memcpy (head.magic, MAGIC, sizeof head.magic);
  head.size = all->len - sizeof head;
  digest (all->data + sizeof head, head.size, head.digest);
  memcpy (all->data, &head, sizeof head);
  return g_byte_array_free_to_bytes (all);
}

GBytes *
wpr_world_save (const WprWorld *world)
{
  g_return_val_if_fail (world != NULL, NULL);
  g_autoptr (GPtrArray) processes = wpr_world_list_processes (world);
  Writer w = { .texts = g_byte_array_new (),
               .maps = g_byte_array_new (),
               .lives = g_byte_array_new (),
               .text_numbers = g_hash_table_new (NULL, NULL),
               .map_numbers = g_hash_table_new (NULL, NULL) };
  for (guint i = 0; i < processes->len; i++)
    put_life (&w, g_ptr_array_index (processes, i));
  GBytes *bytes = finish (&w, processes->len, world);
  g_byte_array_unref (w.texts);
  g_byte_array_unref (w.maps);
  g_byte_array_unref (w.lives);
  g_hash_table_unref (w.text_numbers);
  g_hash_table_unref (w.map_numbers);
  return bytes;
}

/* ---- reading ---- */

typedef struct
{
  const guint8 *at, *end;
  gboolean bad;       /* once set, everything reads as zero */
  GPtrArray *texts;   /* GRefString */
  GPtrArray *maps;    /* WprMapInfo */
  GPtrArray *lives;   /* WprLife */
  GArray *kernel;     /* WprMapping */
  GHashTable *listed; /* NULL: none */
  WprTime listed_begun, listed_end;
  guint64 n_forgotten;
} Reader;

static void
get (Reader *r, gpointer to, gsize size)
{
  memset (to, 0, size);
  if (r->bad || (gsize)(r->end - r->at) < size)
    {
      r->bad = TRUE;
      return;
    }
  memcpy (to, r->at, size);
  r->at += size;
}

#define GET(type)                    \
  static type get_##type (Reader *r) \
  {                                  \
    type value;                      \
    get (r, &value, sizeof value);   \
    return value;                    \
  }
GET (guint8)
GET (gint8)
GET (guint32)
GET (guint64)
GET (gint64)

/* A count of things of at least `least` bytes each: no more than there can be. */
static guint32
get_count (Reader *r, gsize least)
{
  guint32 n = get_guint32 (r);
  if ((guint64)n * least > (guint64)(r->end - r->at))
    r->bad = TRUE;
  return r->bad ? 0 : n;
}

static const char *
get_text (Reader *r, gboolean may_miss)
{
  guint32 number = get_guint32 (r);
  if (number < r->texts->len)
    return g_ptr_array_index (r->texts, number);
  if (number != NO_TEXT || !may_miss)
    r->bad = TRUE;
  return NULL;
}

static void
get_texts (Reader *r)
{
  guint32 n = get_count (r, sizeof (guint32));
  for (guint32 i = 0; i < n && !r->bad; i++)
    {
      guint32 length = get_count (r, 1);
      g_autofree char *text = g_strndup ((const char *)r->at, length);
      r->at += length;
      g_ptr_array_add (r->texts, g_ref_string_new_intern (text));
    }
}

static void
get_mapping (Reader *r, WprMapping *m)
{
  memset (m, 0, sizeof *m);
  m->start = get_guint64 (r);
  m->length = get_guint64 (r);
  m->page_offset = get_guint64 (r);
  m->major = get_guint32 (r);
  m->minor = get_guint32 (r);
  m->inode = get_guint64 (r);
  m->mtime_ns = get_gint64 (r);
  m->file_size = get_guint64 (r);
  m->build_id_size = get_guint8 (r);
  get (r, m->build_id, sizeof m->build_id);
  if (m->build_id_size > sizeof m->build_id)
    r->bad = TRUE;
  m->path = (char *)get_text (r, FALSE);
}

static void
get_threads (Reader *r, WprLife *life)
{
  guint32 n = get_count (r, 40);
  for (guint32 i = 0; i < n && !r->bad; i++)
    {
      guint32 tid = get_guint32 (r);
      WprThreadLife *t = wpr_life_add_thread (life, tid, get_gint64 (r));
      t->thread.end = get_gint64 (r);
      t->evidence = get_gint64 (r);
      t->start_known = get_guint8 (r) != 0;
      t->thread.nice = get_gint8 (r);
      t->thread.policy = get_guint8 (r);
      t->thread.rt_priority = get_guint8 (r);
      guint32 n_names = get_count (r, 12);
      for (guint32 k = 0; k < n_names && !r->bad; k++)
        {
          WprTime when = get_gint64 (r);
          const char *name = get_text (r, FALSE);
          if (!r->bad)
            wpr_thread_life_add_name (t, when, name);
        }
      r->bad |= n_names == 0;
    }
}

static void
get_life (Reader *r)
{
  WprLife *life = wpr_life_new (get_guint32 (r), 0);
  WprProcess *p = &life->process;
  g_ptr_array_add (r->lives, life);
  p->ppid = get_guint32 (r);
  p->uid = get_guint32 (r);
  p->kernel = get_guint8 (r) != 0;
  life->start_known = get_guint8 (r) != 0;
  life->leader_exited = get_guint8 (r) != 0;
  p->start = get_gint64 (r);
  p->end = get_gint64 (r);
  life->evidence = get_gint64 (r);
  life->proc_end = get_gint64 (r);
  p->start_ticks = get_guint64 (r);
  guint32 n = get_count (r, 21);
  r->bad |= n == 0;
  for (guint32 i = 0; i < n && !r->bad; i++)
    {
      WprTime when = get_gint64 (r);
      gboolean exec = get_guint8 (r) != 0;
      const char *exe = get_text (r, FALSE), *comm = get_text (r, FALSE);
      wpr_life_add_program (life, when, exec, exe, comm, get_text (r, TRUE));
    }
  n = get_count (r, 13);
  for (guint32 i = 0; i < n && !r->bad; i++)
    {
      WprTime when = get_gint64 (r);
      gboolean proc = get_guint8 (r) != 0;
      guint32 number = get_guint32 (r);
      if (number < r->maps->len)
        wpr_life_add_map (life, g_ptr_array_index (r->maps, number), when, proc);
      else
        r->bad = TRUE;
    }
  get_threads (r, life);
}

static void
get_kernel (Reader *r)
{
  guint32 n = get_count (r, 89);
  for (guint32 i = 0; i < n && !r->bad; i++)
    {
      WprMapping mapping;
      WprTime when = get_gint64 (r);
      get_mapping (r, &mapping);
      if (r->bad)
        return;
      mapping.when = when;
      g_ref_string_acquire (mapping.path);
      g_array_append_val (r->kernel, mapping);
    }
}

static void
get_listed (Reader *r)
{
  r->listed_begun = get_gint64 (r);
  r->listed_end = get_gint64 (r);
  guint32 n = get_count (r, sizeof (guint32));
  if (n > 0)
    r->listed = g_hash_table_new (NULL, NULL);
  for (guint32 i = 0; i < n && !r->bad; i++)
    g_hash_table_add (r->listed, GUINT_TO_POINTER (get_guint32 (r)));
}

static gboolean
parse (Reader *r)
{
  r->n_forgotten = get_guint64 (r);
  get_texts (r);
  guint32 n = get_count (r, 81);
  for (guint32 i = 0; i < n && !r->bad; i++)
    {
      WprMapping mapping;
      get_mapping (r, &mapping);
      if (!r->bad)
        g_ptr_array_add (r->maps, wpr_map_info_new (&mapping));
    }
  n = get_count (r, 64);
  for (guint32 i = 0; i < n && !r->bad; i++)
    get_life (r);
  get_kernel (r);
  get_listed (r);
  return !r->bad && r->at == r->end;
}

static void
adopt (WprWorld *world, Reader *r)
{
  world->n_forgotten += r->n_forgotten;
  for (guint i = 0; i < r->lives->len; i++)
    {
      WprLife *life = g_ptr_array_index (r->lives, i);
      WprEntry *entry = wpr_world_entry (world, life->process.pid, TRUE);
      WprFact fact = { .time = life->process.start,
                       .kind = WPR_FACT_BASE,
                       .tid = life->process.pid,
                       .data = wpr_life_copy (life) };
      wpr_entry_add (world, entry, &fact);
      wpr_entry_add_owners (world, entry);
    }
  for (guint i = 0; i < r->lives->len; i++)
    {
      const WprProcess *p = g_ptr_array_index (r->lives, i);
      if (p->end != WPR_WORLD_ALIVE)
        wpr_world_note_death (world, p->end, p->pid, p->pid);
    }
  if (r->listed != NULL)
    {
      g_clear_pointer (&world->listed, g_hash_table_unref);
      world->listed = g_steal_pointer (&r->listed);
      world->listed_begun = r->listed_begun;
      world->listed_end = r->listed_end;
    }
  for (guint i = 0; i < r->kernel->len; i++)
    wpr_kernel_maps_add_mapping (world, &g_array_index (r->kernel, WprMapping, i));
}

static gboolean
check_head (const guint8 *data, gsize size)
{
  Head head;
  guint8 expected[32];
  if (size < sizeof head)
    return FALSE;
  memcpy (&head, data, sizeof head);
  if (memcmp (head.magic, MAGIC, sizeof head.magic) != 0 || head.version != VERSION
      || head.digest_size != 32 || head.size != size - sizeof head)
    return FALSE;
  digest (data + sizeof head, head.size, expected);
  return memcmp (expected, head.digest, sizeof expected) == 0;
}

gboolean
wpr_world_load (WprWorld *world, GBytes *bytes, GError **error)
{
  g_return_val_if_fail (world != NULL && bytes != NULL, FALSE);
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  if (data == NULL) /* no bytes at all: a sum needs something to begin at */
    data = (const guint8 *)"";
  Reader r = { .bad = !check_head (data, size) };
  r.at = r.bad ? data : data + sizeof (Head);
  r.end = data + size;
  r.texts = g_ptr_array_new_with_free_func ((GDestroyNotify)g_ref_string_release);
  r.maps = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_map_info_unref);
  r.lives = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_life_free);
  r.kernel = wpr_kernel_maps_new ();
  gboolean good = parse (&r);
  if (good)
    adopt (world, &r);
  else
    wpr_set_error (error, WPR_ERROR_DAMAGED, 0,
                   _ ("The list of processes kept with this recording is damaged or was written by "
                      "another version, so names of processes that started before its oldest part "
                      "are not known."));
  g_ptr_array_unref (r.texts);
  g_ptr_array_unref (r.maps);
  g_ptr_array_unref (r.lives);
  g_array_unref (r.kernel);
  g_clear_pointer (&r.listed, g_hash_table_unref);
  return good;
}
