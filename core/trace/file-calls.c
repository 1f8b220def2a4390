/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An operation is told at its enter, its end at the exit. One that names a file waits for the probe
 * that tells the name, where there is one. Calls that only change descriptors, and an exit whose
 * enter is not there, stay tracepoints. */
#include "config.h"
#include "trace/file-calls.h"

#include <fcntl.h>
#include <string.h>

/* Threads within a call at one time, in sets of 8: 1 MiB; of two that want one place the newer
 * wins. */
#define N_SETS 1024
#define SET 8
#define MOST_PATH 4096
#define NOBODY G_MAXUINT32
#define FAULT "(fault)"   /* a probe's text that could not be read */
#define EMPTY_PATH 0x1000 /* AT_EMPTY_PATH: the descriptor itself */
#define RANGE_ON_EXEC 4   /* CLOSE_RANGE_CLOEXEC */

typedef struct
{
  const WprFileCall *call; /* NULL: none */
  guint32 tid, pid, age;
  gboolean held; /* its operation is not told yet */
  WprFileOp op;
  gint64 fd, offset, other;
  guint64 size, request, object, key;
  guint32 flags;
  gboolean moves;           /* a read or write from where the object stands */
  gboolean anonymous;       /* nobody told the name: file stands for many */
  WprFile *file, *new_file; /* of its names; references */
} Pending;

struct _WprFileCalls
{
  WprFiles *files;
  guint32 probed; /* Does, as bits */
  guint32 clock;
  guint64 next_request;
  WprEvent extra; /* one more event of the last record */
  gboolean has_extra;
  guint last; /* while the end is told */
  char path[MOST_PATH + 1], extra_path[2 * MOST_PATH];
  Pending pending[N_SETS][SET];
};

WprFileCalls *
wpr_file_calls_new (void)
{
  WprFileCalls *self = g_new0 (WprFileCalls, 1);
  self->files = wpr_files_new ();
  return self;
}

static void
drop (WprFileCalls *self, Pending *pending)
{
  if (pending->file != NULL)
    wpr_file_unref (self->files, pending->file);
  if (pending->new_file != NULL)
    wpr_file_unref (self->files, pending->new_file);
  memset (pending, 0, sizeof *pending);
}

void
wpr_file_calls_free (WprFileCalls *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < N_SETS * SET; i++)
    drop (self, &self->pending[i / SET][i % SET]);
  wpr_files_free (self->files);
  g_free (self);
}

WprFiles *
wpr_file_calls_files (WprFileCalls *self)
{
  return self->files;
}

void
wpr_file_calls_probed (WprFileCalls *self, guint32 does)
{
  self->probed |= does;
}

/* ---- who is within a call ---- */

static Pending *
find (WprFileCalls *self, guint32 tid)
{
  Pending *set = self->pending[tid % N_SETS];
  for (guint i = 0; i < SET; i++)
    if (set[i].call != NULL && set[i].tid == tid)
      return &set[i];
  return NULL;
}

/* The operation of a call, as far as is known. */
static void
tell (const Pending *pending, WprEvent *event)
{
  event->kind = WPR_EVENT_FILE_OP;
  event->u.file.op = pending->op;
  event->u.file.request = pending->request;
  event->u.file.object = pending->object;
  event->u.file.key = pending->key;
  event->u.file.offset = pending->offset;
  event->u.file.size = pending->size;
  event->u.file.flags = pending->flags;
  event->u.file.path = pending->new_file != NULL ? wpr_file_name (pending->new_file)
                       : pending->file != NULL   ? wpr_file_name (pending->file)
                                                 : NULL;
  event->u.file.result = 0;
}

/* Of a call whose name nobody told, and which nobody will now. */
static void
name_nameless (WprFileCalls *self, Pending *pending)
{
  if (pending->file != NULL)
    return;
  pending->file = wpr_files_nameless (self->files, pending->pid, "path");
  pending->anonymous = TRUE;
  wpr_file_ref (self->files, pending->file);
  pending->key = wpr_file_key (pending->file);
}

/* A call whose exit is missing makes room; what waited for its name is told without it. */
static void
make_room (WprFileCalls *self, Pending *pending)
{
  if (pending->held)
    {
      name_nameless (self, pending);
      tell (pending, &self->extra);
      self->extra.pid = pending->pid;
      self->extra.tid = pending->tid;
      g_strlcpy (self->extra_path, self->extra.u.file.path, sizeof self->extra_path);
      self->extra.u.file.path = self->extra_path;
      self->has_extra = TRUE;
    }
  drop (self, pending);
}

static Pending *
take (WprFileCalls *self, guint32 tid)
{
  Pending *set = self->pending[tid % N_SETS], *pending = find (self, tid);
  if (pending == NULL)
    {
      pending = &set[0];
      for (guint i = 1; i < SET; i++)
        if (set[i].age < pending->age)
          pending = &set[i];
    }
  if (pending->call != NULL)
    make_room (self, pending);
  pending->age = ++self->clock;
  return pending;
}

/* ---- entering ---- */

static gint64
argument (const WprFileArguments *arguments, guint which, gint64 otherwise)
{
  return (arguments->has & 1u << which) != 0 ? arguments->values[which] : otherwise;
}

static WprFileObject *
of_descriptor (WprFileCalls *self, Pending *pending, WprFileOp op)
{
  WprFileObject *object = wpr_files_descriptor (self->files, pending->pid, pending->fd);
  pending->op = op;
  pending->object = object->number;
  pending->key = wpr_file_key (object->file);
  pending->flags = object->flags;
  return object;
}

static void
enter_transfer (WprFileCalls *self, Pending *pending, const WprFileArguments *arguments)
{
  gboolean writes = pending->call->does == DOES_WRITE;
  WprFileObject *object = of_descriptor (self, pending, writes ? WPR_FILE_WRITE : WPR_FILE_READ);
  pending->size = (guint64)argument (arguments, SIZE, 0);
  pending->offset = argument (arguments, OFFSET, -1);
  pending->moves = pending->offset < 0;
  if (pending->moves)
    pending->offset = writes && (object->flags & O_APPEND) != 0 ? -1 : object->position;
}

static void
enter_close (WprFileCalls *self, Pending *pending)
{
  const WprFileObject *object = of_descriptor (self, pending, WPR_FILE_CLEANUP);
  if (object->refs == 1)
    pending->op = WPR_FILE_CLOSE;
  /* The number is free before the call is over: another thread may have it by then. */
  wpr_files_set (self->files, pending->pid, pending->fd, NULL, FALSE);
}

static void
keep_name (WprFileCalls *self, WprFile **place, guint32 pid, gint64 folder, const char *name,
           gsize size)
{
  size = MIN (strnlen (name, size), MOST_PATH);
  if (size == strlen (FAULT) && memcmp (name, FAULT, size) == 0)
    return;
  memcpy (self->path, name, size);
  self->path[size] = '\0';
  if (size == 0)
    return;
  *place = wpr_files_named (self->files, pid, folder, self->path);
  wpr_file_ref (self->files, *place);
}

static const WprFileOp named_ops[] = {
  [DOES_OPEN] = WPR_FILE_CREATE,        [DOES_CREATE] = WPR_FILE_CREATE,
  [DOES_RENAME] = WPR_FILE_RENAME,      [DOES_DELETE] = WPR_FILE_DELETE,
  [DOES_MAKE_FOLDER] = WPR_FILE_CREATE, [DOES_ASK_NAME] = WPR_FILE_QUERY_INFO,
};

static void
enter_named (WprFileCalls *self, Pending *pending, const WprFileArguments *arguments)
{
  Does does = pending->call->does;
  pending->op = named_ops[does];
  if (does == DOES_CREATE)
    pending->flags = O_CREAT | O_WRONLY | O_TRUNC;
  else if (does == DOES_MAKE_FOLDER)
    pending->flags = O_CREAT | O_EXCL | O_DIRECTORY;
  if (pending->op == WPR_FILE_CREATE)
    pending->object = wpr_files_new_object_number (self->files);
  if (arguments->path != NULL)
    keep_name (self, &pending->file, pending->pid, pending->fd, arguments->path,
               arguments->path_size);
  if (pending->file != NULL)
    pending->key = wpr_file_key (pending->file);
  else if ((self->probed & 1u << does) != 0)
    pending->held = TRUE;
  else
    name_nameless (self, pending);
}

/* FALSE: it is no operation on a file. */
static gboolean
enter_call (WprFileCalls *self, Pending *pending, const WprFileArguments *arguments)
{
  switch (pending->call->does)
    {
    case DOES_READ:
    case DOES_WRITE:
      enter_transfer (self, pending, arguments);
      return TRUE;
    case DOES_CLOSE:
      enter_close (self, pending);
      return TRUE;
    case DOES_FLUSH:
      of_descriptor (self, pending, WPR_FILE_FLUSH);
      return TRUE;
    case DOES_LIST:
      of_descriptor (self, pending, WPR_FILE_DIR_ENUM);
      pending->size = (guint64)argument (arguments, SIZE, 0);
      return TRUE;
    case DOES_ASK_FD:
      of_descriptor (self, pending, WPR_FILE_QUERY_INFO);
      return TRUE;
    case DOES_ASK_NAME:
      if ((pending->flags & EMPTY_PATH) != 0 && pending->fd >= 0)
        {
          of_descriptor (self, pending, WPR_FILE_QUERY_INFO);
          return TRUE;
        }
      break;
    case DOES_OPEN:
    case DOES_CREATE:
    case DOES_RENAME:
    case DOES_DELETE:
    case DOES_MAKE_FOLDER:
      break;
    default:
      return FALSE;
    }
  enter_named (self, pending, arguments);
  return TRUE;
}

WprConverted
wpr_file_calls_enter (WprFileCalls *self, const WprFileCall *call,
                      const WprFileArguments *arguments, WprEvent *event)
{
  if (event->tid == NOBODY || event->pid == NOBODY)
    return WPR_CONVERT_EVENT;
  Pending *pending = take (self, event->tid);
  pending->call = call;
  pending->tid = event->tid;
  pending->pid = event->pid;
  pending->fd = (gint32)argument (arguments, FD, WPR_FILES_CWD);
  pending->other = argument (arguments, OTHER, 0);
  pending->offset = -1;
  pending->flags = (guint32)argument (arguments, FLAGS, 0);
  if (!enter_call (self, pending, arguments))
    return WPR_CONVERT_EVENT;
  pending->request = ++self->next_request;
  if (pending->held)
    event->kind = WPR_EVENT_JOINED;
  else
    tell (pending, event);
  return WPR_CONVERT_EVENT;
}

WprConverted
wpr_file_calls_named (WprFileCalls *self, guint32 does, const WprFileNames *names, WprEvent *event)
{
  Pending *pending = find (self, event->tid);
  /* Also the kernel opens files, to start a program for instance. */
  if (pending == NULL || (does & 1u << pending->call->does) == 0)
    return WPR_CONVERT_EVENT;
  if (!pending->held)
    {
      event->kind = WPR_EVENT_JOINED;
      return WPR_CONVERT_EVENT;
    }
  if (names->name != NULL)
    keep_name (self, &pending->file, pending->pid, names->folder, names->name, names->name_size);
  if (names->to != NULL)
    keep_name (self, &pending->new_file, pending->pid, names->to_folder, names->to, names->to_size);
  if (names->has_flags)
    pending->flags = names->flags;
  if (pending->file != NULL)
    pending->key = wpr_file_key (pending->file);
  else
    name_nameless (self, pending);
  pending->held = FALSE;
  tell (pending, event);
  return WPR_CONVERT_EVENT;
}

/* ---- leaving ---- */

static void
opened (WprFileCalls *self, Pending *pending, gint64 fd)
{
  /* A name without a path stands for many files: this one has a key of its own. */
  WprFile *file = pending->file != NULL && !pending->anonymous
                      ? pending->file
                      : wpr_files_descriptor_file (self->files, pending->pid, fd);
  WprFileObject *object = wpr_files_object_new (self->files, file, pending->flags);
  object->number = pending->object;
  wpr_files_set (self->files, pending->pid, fd, object, (pending->flags & O_CLOEXEC) != 0);
  wpr_files_object_unref (self->files, object);
}

static void
transferred (WprFileCalls *self, const Pending *pending, gint64 result)
{
  WprFileObject *object;
  if (!pending->moves || result <= 0)
    return;
  object = wpr_files_descriptor (self->files, pending->pid, pending->fd);
  if (object->number == pending->object)
    object->position = pending->offset >= 0 && pending->offset <= G_MAXINT64 - result
                           ? pending->offset + result
                           : -1;
}

static void
duplicated (WprFileCalls *self, const Pending *pending, gint64 fd, gboolean close_on_exec)
{
  if (fd == pending->fd)
    return;
  WprFileObject *object = wpr_files_descriptor (self->files, pending->pid, pending->fd);
  wpr_files_set (self->files, pending->pid, fd, object, close_on_exec);
}

static void
controlled (WprFileCalls *self, const Pending *pending, gint64 result)
{
  if (pending->other == F_DUPFD || pending->other == F_DUPFD_CLOEXEC)
    duplicated (self, pending, result, pending->other == F_DUPFD_CLOEXEC);
  else if (pending->other == F_SETFD)
    wpr_files_set_close_on_exec (self->files, pending->pid, pending->fd,
                                 (pending->flags & FD_CLOEXEC) != 0);
}

static void
closed_range (WprFileCalls *self, const Pending *pending)
{
  guint32 first = (guint32)pending->fd, last = (guint32)pending->other;
  if ((pending->flags & RANGE_ON_EXEC) == 0)
    {
      wpr_files_close_range (self->files, pending->pid, first, last);
      return;
    }
  for (guint64 fd = first; fd <= MIN (last, 65535u); fd++)
    wpr_files_set_close_on_exec (self->files, pending->pid, (gint64)fd, TRUE);
}

/* What a call that succeeded has changed. */
static void
take_effect (WprFileCalls *self, Pending *pending, gint64 result)
{
  switch (pending->call->does)
    {
    case DOES_OPEN:
    case DOES_CREATE:
      opened (self, pending, result);
      break;
    case DOES_READ:
    case DOES_WRITE:
      transferred (self, pending, result);
      break;
    case DOES_RENAME:
    case DOES_DELETE:
      if (pending->file != NULL && !pending->anonymous)
        wpr_files_forget (self->files, pending->file);
      break;
    case DOES_SEEK:
      wpr_files_descriptor (self->files, pending->pid, pending->fd)->position = result;
      break;
    case DOES_DUP:
      duplicated (self, pending, result, (pending->flags & O_CLOEXEC) != 0);
      break;
    case DOES_CONTROL:
      controlled (self, pending, result);
      break;
    case DOES_CLOSE_RANGE:
      closed_range (self, pending);
      break;
    case DOES_GO:
      wpr_files_set (
          self->files, pending->pid, WPR_FILES_CWD,
          pending->fd >= 0 ? wpr_files_descriptor (self->files, pending->pid, pending->fd) : NULL,
          FALSE);
      break;
    default:
      break;
    }
}

static void
tell_end (const Pending *pending, gint64 result, WprEvent *event)
{
  tell (pending, event);
  event->kind = WPR_EVENT_FILE_END;
  event->u.file.path = NULL;
  event->u.file.result = result;
}

WprConverted
wpr_file_calls_exit (WprFileCalls *self, const WprFileCall *call, gint64 result, WprEvent *event)
{
  Pending *pending = event->tid != NOBODY ? find (self, event->tid) : NULL;
  if (pending == NULL || pending->call != call)
    {
      /* Its enter was not recorded: what it opened is a file all the same. */
      if ((call->does == DOES_OPEN || call->does == DOES_CREATE) && result >= 0
          && event->pid != NOBODY)
        wpr_files_set (self->files, event->pid, result, NULL, FALSE);
      return WPR_CONVERT_EVENT;
    }
  if (call->does < DOES_N_OPERATIONS)
    {
      if (pending->held)
        {
          /* It failed before its name was looked at. */
          name_nameless (self, pending);
          tell (pending, event);
          g_strlcpy (self->extra_path, event->u.file.path, sizeof self->extra_path);
          event->u.file.path = self->extra_path;
          self->extra.pid = event->pid;
          self->extra.tid = event->tid;
          tell_end (pending, result, &self->extra);
          self->has_extra = TRUE;
        }
      else
        tell_end (pending, result, event);
    }
  if (result >= 0)
    take_effect (self, pending, result);
  drop (self, pending);
  return WPR_CONVERT_EVENT;
}

/* ---- more events ---- */

gboolean
wpr_file_calls_next (WprFileCalls *self, WprEvent *event)
{
  if (G_UNLIKELY (self->has_extra))
    {
      self->has_extra = FALSE;
      event->kind = self->extra.kind;
      event->pid = self->extra.pid;
      event->tid = self->extra.tid;
      event->u = self->extra.u;
      return TRUE;
    }
  return wpr_files_next_name (self->files, event);
}

gboolean
wpr_file_calls_last (WprFileCalls *self, WprEvent *event)
{
  while (self->last < N_SETS * SET)
    {
      Pending *pending = &self->pending[self->last / SET][self->last % SET];
      self->last++;
      if (pending->call == NULL || !pending->held)
        continue;
      make_room (self, pending);
      return wpr_file_calls_next (self, event);
    }
  return wpr_files_next_name (self->files, event);
}
