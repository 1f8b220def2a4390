/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One pass over /proc: who is there, with which threads, programs and executable mappings. No ELF
 * file is opened; what vanishes while being looked at is left out. */
#include "config.h"
#include "world/world-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The longest command line that is kept: what is told in a trace event has to fit 60 KiB with all
 * else, and nobody reads more. */
#define CMDLINE_MOST 4096
/* 65 530 mappings, the kernel's limit for a process, of some 100 bytes each come to 7 MiB. */
#define MAPS_MOST (64 << 20)
/* Of include/linux/sched.h, shown in the 9th field of stat. */
#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000

typedef struct
{
  WprWorld *world;
  int folder;
  WprTime now;
  gint64 clock_start;
  GByteArray *bytes; /* of the file being read, with a NUL behind */
  GHashTable *files; /* path -> struct stat *, NULL if it cannot be asked */
  WprProcFlags flags;
  guint n_unreadable;
} Pass;

typedef struct
{
  char state;
  char comm[64];
  guint32 ppid, flags;
  guint n_threads;
  gint8 nice;
  guint8 rt_priority, policy;
  guint64 start_ticks;
} Stat;

static WprTime
time_now (const Pass *pass)
{
  struct timespec ts;
  clock_gettime (CLOCK_MONOTONIC, &ts);
  return pass->now + (ts.tv_sec * G_GINT64_CONSTANT (1000000000) + ts.tv_nsec - pass->clock_start);
}

/* The whole file, or its first `most` bytes, with a NUL behind. FALSE with errno. */
static gboolean
slurp (Pass *pass, int folder, const char *name, gsize most)
{
  int fd = openat (folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  gsize length = 0;
  gssize n;
  if (fd < 0)
    return FALSE;
  do
    {
      /* The array's length is the room there is; /proc gives a page or so at a time. */
      if (pass->bytes->len < length + 65536)
        g_byte_array_set_size (pass->bytes, (guint)(length + 65536) * 2);
      n = read (fd, pass->bytes->data + length, MIN (most - length, pass->bytes->len - length - 1));
      length += n > 0 ? (gsize)n : 0;
    }
  while (n > 0 && length < most);
  int error_number = errno;
  close (fd);
  errno = error_number;
  pass->bytes->data[length] = '\0';
  return n >= 0 || length > 0;
}

static gboolean
read_stat (Pass *pass, int folder, const char *name, Stat *stat)
{
  memset (stat, 0, sizeof *stat);
  if (!slurp (pass, folder, name, 4096))
    return FALSE;
  char *open = strchr ((char *)pass->bytes->data, '(');
  char *close_ = strrchr ((char *)pass->bytes->data, ')');
  if (open == NULL || close_ == NULL || close_ < open || close_[1] != ' ')
    return FALSE;
  gsize length = MIN ((gsize)(close_ - open - 1), sizeof stat->comm - 1);
  memcpy (stat->comm, open + 1, length);
  stat->state = close_[2];
  guint field = 3;
  for (char *at = close_ + 2; at != NULL; at = strchr (at, ' '), field++)
    {
      at += field > 3;
      gint64 value = g_ascii_strtoll (at, NULL, 10);
      switch (field)
        {
        case 4:
          stat->ppid = (guint32)value;
          break;
        case 9:
          stat->flags = (guint32)value;
          break;
        case 19:
          stat->nice = (gint8)value;
          break;
        case 20:
          stat->n_threads = (guint)CLAMP (value, 0, G_MAXINT);
          break;
        case 22:
          stat->start_ticks = (guint64)value;
          break;
        case 40:
          stat->rt_priority = (guint8)value;
          break;
        case 41:
          stat->policy = (guint8)value;
          break;
        default:
          break;
        }
    }
  return field > 22;
}

static guint32
read_uid (Pass *pass, int folder)
{
  if (!slurp (pass, folder, "status", 65536))
    return G_MAXUINT32;
  const char *line = strstr ((const char *)pass->bytes->data, "\nUid:");
  return line == NULL ? G_MAXUINT32 : (guint32)g_ascii_strtoull (line + 5, NULL, 10);
}

static char *
read_cmdline (int folder)
{
  char text[CMDLINE_MOST + 1];
  int fd = openat (folder, "cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return NULL;
  gssize n = read (fd, text, CMDLINE_MOST);
  close (fd);
  while (n > 0 && text[n - 1] == '\0')
    n--;
  if (n <= 0)
    return NULL;
  for (gssize i = 0; i < n; i++)
    if (text[i] == '\0')
      text[i] = ' ';
  text[n] = '\0';
  return wpr_text (text);
}

static char *
read_exe (int folder)
{
  char path[4096];
  gssize n = readlinkat (folder, "exe", path, sizeof path - 1);
  if (n <= 0)
    return NULL;
  path[n] = '\0';
  return wpr_text (path);
}

/* ---- mappings ---- */

/* Attributes as the kernel has them cached: a file server that is gone must not hold up a start.
 * Another file system may be mounted there for us: only the same inode counts. */
static void
add_attributes (Pass *pass, WprMapping *mapping)
{
  struct statx *known;
  if (mapping->inode == 0 || mapping->path[0] != '/' || (pass->flags & WPR_PROC_NO_FILES) != 0)
    return;
  if (!g_hash_table_lookup_extended (pass->files, mapping->path, NULL, (gpointer *)&known))
    {
      known = g_new0 (struct statx, 1);
      if (statx (AT_FDCWD, mapping->path, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
                 STATX_INO | STATX_MTIME | STATX_SIZE, known)
          != 0)
        known->stx_ino = 0;
      g_hash_table_insert (pass->files, g_strdup (mapping->path), known);
    }
  if (known->stx_ino != mapping->inode)
    return;
  mapping->mtime_ns
      = known->stx_mtime.tv_sec * G_GINT64_CONSTANT (1000000000) + known->stx_mtime.tv_nsec;
  mapping->file_size = known->stx_size;
}

/* The kernel writes a newline in a path as \012, and nothing else that way. */
static void
unescape (char *path)
{
  char *to = path;
  for (const char *from = path; *from != '\0';)
    if (g_str_has_prefix (from, "\\012"))
      {
        *to++ = '\n';
        from += 4;
      }
    else
      *to++ = *from++;
  *to = '\0';
}

/* "start-end perms offset major:minor inode   path": FALSE if it is none, or not executable. */
static gboolean
parse_mapping (char *line, WprMapping *mapping)
{
  char *at;
  memset (mapping, 0, sizeof *mapping);
  mapping->start = g_ascii_strtoull (line, &at, 16);
  if (*at != '-')
    return FALSE;
  guint64 end = g_ascii_strtoull (at + 1, &at, 16);
  if (*at != ' ' || strnlen (at, 6) < 6 || at[3] != 'x' || end <= mapping->start)
    return FALSE;
  mapping->length = end - mapping->start;
  mapping->page_offset = g_ascii_strtoull (at + 6, &at, 16);
  mapping->major = (guint32)g_ascii_strtoull (at, &at, 16);
  if (*at != ':')
    return FALSE;
  mapping->minor = (guint32)g_ascii_strtoull (at + 1, &at, 16);
  mapping->inode = g_ascii_strtoull (at, &at, 10);
  while (*at == ' ')
    at++;
  unescape (at);
  mapping->path = *at == '\0' ? (char *)"//anon" : at; /* what records call a mapping of no file */
  return TRUE;
}

static gboolean
read_maps (Pass *pass, int folder, GPtrArray *maps)
{
  if (!slurp (pass, folder, "maps", MAPS_MOST))
    return errno != EACCES && errno != EPERM;
  for (char *line = (char *)pass->bytes->data; *line != '\0';)
    {
      char *end = strchr (line, '\n');
      WprMapping mapping;
      if (end != NULL)
        *end = '\0';
      if (parse_mapping (line, &mapping))
        {
          add_attributes (pass, &mapping);
          g_ptr_array_add (maps, wpr_map_info_new (&mapping));
        }
      if (end == NULL)
        break;
      line = end + 1;
    }
  return TRUE;
}

/* ---- processes ---- */

static void
add_thread (WprProcShot *shot, guint32 tid, const Stat *stat)
{
  WprProcThread thread = { .tid = tid,
                           .nice = stat->nice,
                           .policy = stat->policy,
                           .rt_priority = stat->rt_priority,
                           .name = wpr_text (stat->comm) };
  g_array_append_val (shot->threads, thread);
}

/* Gone, or past its exit record: it would seem to live for ever. */
static gboolean
is_over (const Stat *stat)
{
  return stat->state == 'Z' || stat->state == 'X' || (stat->flags & PF_EXITING) != 0;
}

static gboolean
parse_number (const char *name, guint32 *number)
{
  char *end;
  guint64 value = g_ascii_strtoull (name, &end, 10);
  *number = (guint32)value;
  return g_ascii_isdigit (name[0]) && *end == '\0' && value > 0 && value <= G_MAXINT32;
}

static void
read_threads (Pass *pass, int folder, guint32 pid, WprProcShot *shot)
{
  int fd = openat (folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd < 0 ? NULL : fdopendir (fd);
  if (dir == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }
  for (struct dirent *entry = readdir (dir); entry != NULL; entry = readdir (dir))
    {
      guint32 tid;
      Stat stat;
      char name[32];
      if (!parse_number (entry->d_name, &tid))
        continue;
      g_snprintf (name, sizeof name, "%u/stat", tid);
      if (!read_stat (pass, dirfd (dir), name, &stat) || is_over (&stat))
        continue;
      add_thread (shot, tid, &stat);
      if (tid != pid)
        wpr_world_add_owner (pass->world, tid, pid);
    }
  closedir (dir);
}

static void
read_process (Pass *pass, guint32 pid, const char *name)
{
  Stat stat;
  WprTime begun = time_now (pass);
  int folder = openat (pass->folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return;
  if (!read_stat (pass, folder, "stat", &stat) || (is_over (&stat) && stat.n_threads <= 1))
    {
      close (folder);
      return;
    }
  WprProcShot *shot = g_new0 (WprProcShot, 1);
  shot->maps = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_map_info_unref);
  shot->threads = g_array_new (FALSE, FALSE, sizeof (WprProcThread));
  shot->ppid = stat.ppid;
  shot->start_ticks = stat.start_ticks;
  shot->kernel = (stat.flags & PF_KTHREAD) != 0;
  shot->comm = wpr_text (stat.comm);
  if (stat.n_threads <= 1)
    add_thread (shot, pid, &stat);
  else
    read_threads (pass, folder, pid, shot);
  if (!shot->kernel)
    {
      shot->uid = read_uid (pass, folder);
      shot->exe = read_exe (folder);
      if ((pass->flags & WPR_PROC_NO_CMDLINES) == 0)
        shot->cmdline = read_cmdline (folder);
      if (!read_maps (pass, folder, shot->maps))
        pass->n_unreadable++;
    }
  close (folder);
  shot->end = time_now (pass);
  WprFact fact = { .time = begun, .kind = WPR_FACT_PROC, .tid = pid, .data = shot };
  wpr_entry_add (pass->world, wpr_world_entry (pass->world, pid, TRUE), &fact);
}

/* Who lived when the pass began and was not listed has ended, whether or not that was told. Where
 * not even pid 1 is shown (hidepid) nothing follows. */
static void
end_missing (Pass *pass, GHashTable *listed)
{
  GHashTableIter iter;
  gpointer value;
  WprTime end = time_now (pass);
  if (!g_hash_table_contains (listed, GUINT_TO_POINTER (1)))
    {
      g_hash_table_unref (listed);
      return;
    }
  g_autoptr (GPtrArray) missing = g_ptr_array_new ();
  wpr_world_derive_all (pass->world);
  g_hash_table_iter_init (&iter, pass->world->entries);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      WprEntry *entry = value;
      WprLife *last = wpr_lives_at (entry->lives, pass->now);
      if (last != NULL && last->process.start < pass->now && last->process.end == WPR_WORLD_ALIVE
          && !g_hash_table_contains (listed, GUINT_TO_POINTER (entry->pid)))
        g_ptr_array_add (missing, entry);
    }
  for (guint i = 0; i < missing->len; i++)
    {
      WprEntry *entry = g_ptr_array_index (missing, i);
      WprFact fact = { .time = end,
                       .kind = WPR_FACT_GONE,
                       .tid = entry->pid,
                       .data = g_memdup2 (&pass->now, sizeof pass->now) };
      wpr_entry_add (pass->world, entry, &fact);
      wpr_world_note_death (pass->world, end, entry->pid, entry->pid);
    }
  g_clear_pointer (&pass->world->listed, g_hash_table_unref);
  pass->world->listed = listed;
  pass->world->listed_begun = pass->now;
  pass->world->listed_end = end;
}

static void
read_all (Pass *pass, DIR *dir)
{
  GHashTable *listed = g_hash_table_new (NULL, NULL);
  pass->clock_start = time_now (pass) - pass->now;
  pass->bytes = g_byte_array_new ();
  pass->files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (struct dirent *entry = readdir (dir); entry != NULL; entry = readdir (dir))
    {
      guint32 pid;
      if (!parse_number (entry->d_name, &pid))
        continue;
      g_hash_table_add (listed, GUINT_TO_POINTER (pid));
      read_process (pass, pid, entry->d_name);
    }
  end_missing (pass, listed);
  g_hash_table_unref (pass->files);
  g_byte_array_unref (pass->bytes);
}

void
wpr_world_read_proc_part (WprWorld *world, const char *proc_path, WprTime now, WprProcFlags flags,
                          guint *n_unreadable)
{
  Pass pass = { .world = world, .now = now, .flags = flags };
  g_return_if_fail (world != NULL && proc_path != NULL);
  DIR *dir = opendir (proc_path);
  if (dir != NULL)
    {
      pass.folder = dirfd (dir);
      read_all (&pass, dir);
      closedir (dir);
    }
  if (n_unreadable != NULL)
    *n_unreadable = pass.n_unreadable;
}

void
wpr_world_read_proc (WprWorld *world, const char *proc_path, WprTime now, guint *n_unreadable)
{
  wpr_world_read_proc_part (world, proc_path, now, WPR_PROC_ALL, n_unreadable);
}

/* ---- what was left out ---- */

/* The process of that life still has the pid: its command line. */
static void
fill_in_cmdline (Pass *pass, WprLife *life)
{
  char name[32];
  Stat stat;
  GArray *programs = life->process.programs;
  WprProgram *program
      = programs->len > 0 ? &g_array_index (programs, WprProgram, programs->len - 1) : NULL;
  if (life->process.kernel || life->process.end != WPR_WORLD_ALIVE || program == NULL
      || program->cmdline != NULL)
    return;
  g_snprintf (name, sizeof name, "%u", life->process.pid);
  int folder = openat (pass->folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return;
  if (read_stat (pass, folder, "stat", &stat) && stat.start_ticks == life->process.start_ticks)
    program->cmdline = read_cmdline (folder);
  close (folder);
}

static void
fill_in_life (Pass *pass, WprLife *life)
{
  for (guint i = 0; i < life->maps->len; i++)
    {
      WprMapping *mapping = &g_array_index (life->maps, WprMapState, i).info->mapping;
      if (mapping->file_size == 0)
        add_attributes (pass, mapping);
    }
  fill_in_cmdline (pass, life);
}

void
wpr_world_fill_in (WprWorld *world, const char *proc_path)
{
  Pass pass = { .world = world };
  GHashTableIter iter;
  gpointer value;
  g_return_if_fail (world != NULL && proc_path != NULL);
  DIR *dir = opendir (proc_path);
  if (dir == NULL)
    return;
  pass.folder = dirfd (dir);
  pass.bytes = g_byte_array_new ();
  pass.files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_hash_table_iter_init (&iter, world->entries);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      WprEntry *entry = value;
      for (guint i = 0; i < entry->n_facts; i++)
        if (entry->facts[i].kind == WPR_FACT_BASE)
          fill_in_life (&pass, entry->facts[i].data);
      g_clear_pointer (&entry->lives, g_ptr_array_unref);
    }
  g_hash_table_unref (pass.files);
  g_byte_array_unref (pass.bytes);
  closedir (dir);
}
