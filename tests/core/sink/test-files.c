/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real operations on files, of which every size and place is known, recorded by the kernel and read
 * back. Names of files that are opened meanwhile need probes, which not every kernel has: `./dev vm
 * sink-files` runs this with one that has. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"
#include "etl/reader.h"
#include "perf/event.h"

#define NAME_BEFORE "vor her 前.txt"
#define NAME_OPEN "offen 开.txt"
#define NAME_CLOSED "zu 关.txt"
#define NAME_RENAMED "anders 改.txt"
#define VOLUME "\\Device\\HarddiskVolume1"

typedef struct
{
  guint16 hook;
  gint64 ticks;
  guint8 bytes[4096];
  guint32 size;
} Op;

typedef struct
{
  char *root;
  GArray *ops;     /* Op: of this thread while it worked, names and ends of all */
  gint64 from, to; /* ticks: of the work, and 100 us around: two readings of clocks */
  gboolean probes;
} File;

static guint64
u64 (const Op *op, guint at)
{
  guint64 value;
  memcpy (&value, op->bytes + at, sizeof value);
  return GUINT64_FROM_LE (value);
}

static guint32
u32 (const Op *op, guint at)
{
  return (guint32)u64 (op, at);
}

static char *
text (const Op *op, guint at)
{
  return g_utf16_to_utf8 ((const gunichar2 *)(op->bytes + at), (glong)(op->size - at) / 2, NULL,
                          NULL, NULL);
}

/* Where the thread stands in an operation's payload. */
static guint
tid_at (guint16 hook)
{
  return hook == 0x0440                                       ? 16
         : hook == 0x0443 || hook == 0x0444                   ? 32
         : hook == 0x044a || hook == 0x044f || hook == 0x0450 ? 32
                                                              : 24;
}

static gboolean
keep (const WprEtlEvent *event, gpointer data)
{
  File *file = data;
  Op op = { .hook = event->hook, .ticks = event->ticks, .size = event->payload_size };
  if (event->header_type != 0x11 || event->hook >> 8 != 4 || op.size > sizeof op.bytes)
    return TRUE;
  memcpy (op.bytes, event->payload, op.size);
  gboolean any = (op.hook >= 0x0420 && op.hook <= 0x0424) || op.hook == 0x044c;
  if (any
      || (op.ticks >= file->from && op.ticks <= file->to
          && u32 (&op, tid_at (op.hook)) == (guint32)gettid ()))
    g_array_append_val (file->ops, op);
  return TRUE;
}

static void
no_fault (guint64 offset, const char *fault, gpointer data)
{
  fail_msg ("at byte %llu: %s", (unsigned long long)offset, fault);
}

/* A file has an order for each CPU only. */
static int
compare_ops (gconstpointer a, gconstpointer b)
{
  const Op *x = a, *y = b;
  return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

static void
read_back (const Drive *d, const char *name, File *file)
{
  g_autofree char *path = drive_path (d, name), *bytes = NULL;
  WprEtlFileInfo info;
  gsize size;
  GError *error = NULL;
  assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  file->ops = g_array_new (FALSE, FALSE, sizeof (Op));
  assert_true (wpr_etl_read ((const guint8 *)bytes, size, &info, keep, no_fault, file, &error));
  wpr_etl_file_info_clear (&info);
  g_array_sort (file->ops, compare_ops);
}

/* The n-th operation of this thread that a hook stands for; NULL behind the last. */
static const Op *
nth (const File *file, guint16 hook, guint n)
{
  for (guint i = 0; i < file->ops->len; i++)
    {
      const Op *op = &g_array_index (file->ops, Op, i);
      if (op->hook == hook && n-- == 0)
        return op;
    }
  return NULL;
}

static const Op *
end_of (const File *file, const Op *op)
{
  guint at = op->hook == 0x0443 || op->hook == 0x0444 ? 8 : 0;
  for (guint i = 0; i < file->ops->len; i++)
    {
      const Op *end = &g_array_index (file->ops, Op, i);
      if (end->hook == 0x044c && u64 (end, 0) == u64 (op, at))
        return end;
    }
  fail_msg ("an operation has no end");
  return NULL;
}

/* The name that a key has in the end, below our folder as "/NAME". */
static char *
name_of (const File *file, guint64 key)
{
  g_autofree char *found = NULL, *prefix = NULL;
  for (guint i = 0; i < file->ops->len; i++)
    {
      const Op *op = &g_array_index (file->ops, Op, i);
      if (op->hook < 0x0420 || op->hook > 0x0424 || u64 (op, 0) != key)
        continue;
      g_free (found);
      found = text (op, 8);
    }
  if (found == NULL)
    return g_strdup ("(none)");
  g_strdelimit (found, "\\", '/');
  prefix = g_strconcat ("/Device/HarddiskVolume1", file->root, NULL);
  return g_strdup (g_str_has_prefix (found, prefix) ? found + strlen (prefix) : found);
}

static void
assert_name (const File *file, const Op *op, guint key_at, const char *name)
{
  g_autofree char *found = name_of (file, u64 (op, key_at));
  assert_string_equal (found, name);
}

/* ---- the work ---- */

typedef struct
{
  int before, opened;
} Worked;

static int
open_in (const File *file, const char *name, int flags)
{
  g_autofree char *path = g_build_filename (file->root, name, NULL);
  int fd = open (path, flags | O_CLOEXEC, 0600);
  assert_true (fd >= 0);
  return fd;
}

static gint64
ticks_now (void)
{
  struct timespec now;
  clock_gettime (CLOCK_BOOTTIME, &now);
  return now.tv_sec * G_GINT64_CONSTANT (10000000) + now.tv_nsec / 100;
}

static void
work (const File *file, Worked *worked)
{
  char bytes[1000] = { 0 };
  g_autofree char *closed = g_build_filename (file->root, NAME_CLOSED, NULL);
  g_autofree char *renamed = g_build_filename (file->root, NAME_RENAMED, NULL);
  struct stat st;
  assert_int_equal (write (worked->before, bytes, 1000), 1000);
  assert_int_equal (pwrite (worked->before, bytes, 10, 5000), 10);
  assert_int_equal (lseek (worked->before, 20, SEEK_SET), 20);
  assert_int_equal (read (worked->before, bytes, 30), 30);
  assert_int_equal (read (worked->before, bytes, 40), 40);
  assert_int_equal (fsync (worked->before), 0);
  int again = dup (worked->before);
  assert_int_equal (close (again), 0);
  worked->opened = open_in (file, NAME_OPEN, O_CREAT | O_RDWR | O_EXCL);
  assert_int_equal (write (worked->opened, bytes, 7), 7);
  int fd = open_in (file, NAME_CLOSED, O_CREAT | O_WRONLY | O_APPEND);
  assert_int_equal (write (fd, bytes, 9), 9);
  assert_int_equal (close (fd), 0);
  assert_int_equal (stat (closed, &st), 0);
  assert_int_equal (rename (closed, renamed), 0);
  assert_int_equal (unlink (renamed), 0);
  assert_int_equal (open (renamed, O_RDONLY), -1);
}

/* ---- what is in the file ---- */

static const Op *
transfer (const File *file, guint16 hook, guint n, gint64 offset, guint32 asked, guint64 done)
{
  const Op *op = nth (file, hook, n);
  assert_non_null (op);
  assert_int_equal ((gint64)u64 (op, 0), offset);
  assert_int_equal (u32 (op, 36), asked);
  assert_int_equal (u64 (end_of (file, op), 8), done);
  assert_int_equal (u32 (end_of (file, op), 16), 0);
  assert_true (end_of (file, op)->ticks >= op->ticks);
  return op;
}

/* started: the look into /proc was made before the work, so it is known where the file stood. */
static void
check_transfers (const File *file)
{
  const Op *first = transfer (file, 0x0444, 0, 10, 1000, 1000);
  assert_name (file, first, 24, "/" NAME_BEFORE);
  transfer (file, 0x0444, 1, 5000, 10, 10);
  transfer (file, 0x0443, 0, 20, 30, 30);
  const Op *last = transfer (file, 0x0443, 1, 50, 40, 40);
  assert_int_equal (u64 (last, 16), u64 (first, 16));
  assert_int_equal (u64 (last, 24), u64 (first, 24));
  const Op *flush = nth (file, 0x0449, 0);
  assert_int_equal (u64 (flush, 16), u64 (first, 24));
  assert_int_equal (u64 (nth (file, 0x0441, 0), 8), u64 (first, 16));
  /* Opened meanwhile and still open: /proc knew at the end, if no probe did. */
  const Op *opened = transfer (file, 0x0444, 2, 0, 7, 7);
  assert_name (file, opened, 24, "/" NAME_OPEN);
  /* At the end of the file, wherever that is. */
  const Op *closed = transfer (file, 0x0444, 3, -1, 9, 9);
  g_autofree char *of = g_strdup_printf (" of PID %d", getpid ());
  g_autofree char *name = name_of (file, u64 (closed, 24));
  if (file->probes)
    assert_string_equal (name, "/" NAME_CLOSED);
  else
    assert_true (g_str_has_prefix (name, "fd ") && g_str_has_suffix (name, of));
}

static void
assert_path (const File *file, const Op *op, guint at, const char *name)
{
  g_autofree char *found = text (op, at);
  g_autofree char *path = file->probes ? g_strdup_printf (VOLUME "%s/%s", file->root, name)
                                       : g_strdup_printf ("path of PID %d", getpid ());
  if (file->probes)
    g_strdelimit (path, "/", '\\');
  assert_string_equal (found, path);
}

static void
check_names (const File *file)
{
  const Op *first = nth (file, 0x0440, 0), *second = nth (file, 0x0440, 1);
  const Op *failed = nth (file, 0x0440, 2);
  assert_path (file, first, 32, NAME_OPEN);
  assert_int_equal (u32 (first, 20) >> 24, 2); /* create, and fail if it is there */
  assert_path (file, second, 32, NAME_CLOSED);
  assert_int_equal (u32 (second, 20) >> 24, 3);
  assert_path (file, failed, 32, NAME_RENAMED);
  assert_int_equal (u32 (end_of (file, failed), 16), 0xc0000034);
  assert_path (file, nth (file, 0x0450, 0), 40, NAME_RENAMED);
  assert_path (file, nth (file, 0x044f, 0), 40, NAME_RENAMED);
  if (file->probes)
    {
      assert_name (file, nth (file, 0x0450, 0), 16, "/" NAME_CLOSED);
      /* The last question is ours: of a stat in `work`. */
      assert_non_null (nth (file, 0x044a, 0));
    }
}

static gboolean
has_probes (void)
{
  g_autofree char *path = g_build_filename (wpr_tracefs_path (), "kprobe_events", NULL);
  return access (path, W_OK) == 0;
}

/* Lines of our probes, of a process; 0: of any. */
static guint
count_probes (guint pid)
{
  g_autofree char *path = g_build_filename (wpr_tracefs_path (), "kprobe_events", NULL);
  g_autofree char *lines = NULL;
  g_autofree char *group = pid > 0 ? g_strdup_printf (":wpr_%u_", pid) : g_strdup (":wpr_");
  guint n = 0;
  g_file_get_contents (path, &lines, NULL, NULL);
  for (const char *at = lines; at != NULL && (at = strstr (at, group)) != NULL; at++)
    n++;
  return n;
}

static void
record (WprMode mode)
{
  Drive d;
  Answer answer = { 0 };
  Worked worked = { 0 };
  File file = { 0 };
  drive_init (&d);
  file.root = d.root;
  file.probes = has_probes ();
  worked.before = open_in (&file, NAME_BEFORE, O_CREAT | O_RDWR);
  assert_int_equal (lseek (worked.before, 10, SEEK_SET), 10);
  drive_start (&d, drive_choice ("FileIO", mode), &answer);
  assert_good (&answer);
  answer_clear (&answer);
  if (file.probes)
    assert_true (count_probes ((guint)getpid ()) >= 3);
  g_usleep (1000);
  file.from = ticks_now () - 1000;
  work (&file, &worked);
  file.to = ticks_now () + 1000;
  drive_stop (&d, "files.etl", NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);
  read_back (&d, "files.etl", &file);
  check_transfers (&file);
  check_names (&file);
  g_array_unref (file.ops);
  close (worked.before);
  close (worked.opened);
  drive_clear (&d);
  for (guint i = 0; i < 300 && count_probes ((guint)getpid ()) > 0; i++)
    g_usleep (100000); /* closed behind our back */
  assert_int_equal (count_probes ((guint)getpid ()), 0);
}

static void
operations_are_found_in_file_mode (void **state)
{
  record (WPR_MODE_FILE);
}

static void
operations_are_found_in_memory_mode (void **state)
{
  record (WPR_MODE_MEMORY);
}

/* A recorder that is killed leaves its probes behind; the next one takes them away. */
static void
probes_of_the_dead_are_swept (void **state)
{
  Drive d;
  Answer answer = { 0 };
  int status;
  if (!has_probes ())
    {
      print_message ("skipped: this kernel offers no probes\n");
      skip ();
    }
  pid_t child = fork ();
  if (child == 0)
    {
      drive_init (&d);
      drive_start (&d, drive_choice ("FileIO", WPR_MODE_FILE), &answer);
      for (;;)
        pause ();
    }
  for (guint i = 0; i < 600 && count_probes ((guint)child) < 3; i++)
    g_usleep (100000);
  g_usleep (500000);
  kill (child, SIGKILL);
  assert_int_equal (waitpid (child, &status, 0), child);
  assert_true (count_probes ((guint)child) >= 3);
  drive_init (&d);
  drive_start (&d, drive_choice ("CPU", WPR_MODE_MEMORY), &answer);
  assert_good (&answer);
  answer_clear (&answer);
  assert_int_equal (count_probes (0), 0);
  drive_cancel (&d, &answer);
  answer_clear (&answer);
  drive_clear (&d);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (probes_of_the_dead_are_swept),
    cmocka_unit_test (operations_are_found_in_file_mode),
    cmocka_unit_test (operations_are_found_in_memory_mode),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
