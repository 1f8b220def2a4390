/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Real recordings of loads whose every figure is known, in Windows' layouts, through the
 * independent walker. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "walked.h"

#define N_CALLS 500

/* As /proc/kallsyms has it; 0 where it does not. */
static guint64
kernel_address (const char *name)
{
  g_autofree char *text = NULL, *pattern = g_strdup_printf (" %s\n", name);
  const char *at;

  if (!g_file_get_contents ("/proc/kallsyms", &text, NULL, NULL)
      || (at = strstr (text, pattern)) == NULL)
    return 0;
  while (at > text && at[-1] != '\n')
    at--;
  return g_ascii_strtoull (at, NULL, 16);
}

/* The address by which the file tells of a routine. */
static guint64
routine (const Drive *d, const char *kind, const char *name)
{
  g_auto (GStrv) lines = walked (d, "Linux.Recorder/Routine");
  g_autofree char *wanted = g_strdup_printf (" Kind=%s ", kind);
  g_autofree char *end = g_strdup_printf (" Name=%s", name);

  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], wanted) != NULL && g_str_has_suffix (lines[i], end))
      return g_ascii_strtoull (strstr (lines[i], "Address=") + 8, NULL, 10);
  return 0;
}

/* getppid N times, and one call that fails in a way nobody else's does. */
static void
system_calls_are_entered_and_left (void **state)
{
  guint n_enter = 0, n_exit = 0, n_failed = 0;
  guint64 address, symbol = kernel_address ("__x64_sys_getppid");
  guint32 tid = (guint32)gettid ();
  gboolean within = FALSE;
  Drive d;
  Raw raw;

  walked_start (&d, "SystemCall");
  for (guint i = 0; i < N_CALLS; i++)
    syscall (SYS_getppid);
  assert_int_equal (syscall (SYS_setuid, -1), -1);
  walked_stop (&d);

  address = routine (&d, "system call", "getppid");
  assert_true (address != 0);
  if (symbol != 0)
    assert_true (address == symbol);
  g_auto (GStrv) enters = walked (&d, "0f33");
  for (guint i = 0; enters[i] != NULL; i++)
    if (walked_parse (enters[i], &raw) && (guint32)raw.tid == tid)
      {
        assert_int_equal (raw.size, 8);
        assert_int_equal (raw.pid, getpid ());
        n_enter += walked_u64 (raw.bytes) == address;
      }
  g_auto (GStrv) exits = walked (&d, "0f34");
  for (guint i = 0; exits[i] != NULL; i++)
    if (walked_parse (exits[i], &raw) && (guint32)raw.tid == tid)
      {
        assert_int_equal (raw.size, 4);
        n_exit += walked_u32 (raw.bytes) == (guint32)getppid ();
        n_failed += walked_u32 (raw.bytes) == (guint32)-22; /* EINVAL */
        within = TRUE;
      }
  assert_int_equal (n_enter, N_CALLS);
  assert_true (within && n_exit >= N_CALLS && n_failed >= 1);
  /* In one layout, never in both. */
  assert_int_equal (walked_count (&d, "Linux.raw_syscalls/sys_enter"), 0);
  assert_int_equal (walked_count (&d, "Linux.raw_syscalls/sys_exit"), 0);
  drive_clear (&d);
}

/* Timers go off and a device or the network interrupts on any machine that runs. */
static void
interrupts_name_their_routines (void **state)
{
  guint n_dpc = 0, n_isr = 0;
  guint64 first = G_MAXUINT64;
  Drive d;
  Raw raw;

  walked_start (&d, "GeneralProfile");
  for (guint i = 0; i < 300; i++)
    g_usleep (1000);
  run_programs (d.root, "true", 3, 1);
  walked_stop (&d);

  g_auto (GStrv) routines = walked (&d, "Linux.Recorder/Routine");
  g_auto (GStrv) images = walked (&d, "images");
  g_auto (GStrv) switches = walked (&d, "switches");
  for (guint i = 0; switches[i] != NULL && first == G_MAXUINT64; i++)
    if (sscanf (switches[i], "switch %" G_GUINT64_FORMAT, &first) != 1)
      first = G_MAXUINT64;
  g_auto (GStrv) dpcs = walked (&d, "0f44");
  for (guint i = 0; dpcs[i] != NULL; i++)
    if (walked_parse (dpcs[i], &raw))
      {
        g_autofree char *told
            = g_strdup_printf ("Address=%" G_GUINT64_FORMAT " ", walked_u64 (raw.bytes + 8));
        gboolean found = FALSE;

        assert_int_equal (raw.size, 16);
        assert_true (walked_u64 (raw.bytes) <= raw.ticks); /* began before it ended */
        assert_true (raw.ticks - walked_u64 (raw.bytes) < 10000000);
        for (guint k = 0; routines[k] != NULL && !found; k++)
          found = strstr (routines[k], told) != NULL;
        assert_true (found || walked_count (&d, "Linux.irq/tasklet_entry") > 0);
        n_dpc++;
      }
  assert_true (n_dpc > 0);
  if (kernel_address ("run_timer_softirq") != 0 && routine (&d, "softirq", "TIMER") != 0)
    assert_true (routine (&d, "softirq", "TIMER") == kernel_address ("run_timer_softirq"));
  g_auto (GStrv) isrs = walked (&d, "0f43");
  for (guint i = 0; isrs[i] != NULL; i++)
    if (walked_parse (isrs[i], &raw))
      {
        g_autofree char *page = g_strdup_printf ("dcload 0 %" G_GINT64_MODIFIER "x 1000 \\Driver\\",
                                                 walked_u64 (raw.bytes + 8));
        gboolean found = FALSE;

        assert_int_equal (raw.size, 20);
        for (guint k = 0; images[k] != NULL && !found; k++)
          found = g_str_has_prefix (images[k], page);
        assert_true (found);
        n_isr++;
      }
  if (n_isr == 0)
    print_message ("no device interrupted: no ISR was looked at\n");
  assert_int_equal (walked_count (&d, "Linux.irq/softirq_entry"), 0);
  drive_clear (&d);
}

/* Maps, grows, moves and unmaps; one size nobody else uses. */
static void
address_space_is_told (void **state)
{
  const gsize page = (gsize)sysconf (_SC_PAGESIZE), size = 977 * page, more = 1201 * page;
  guint n_alloc = 0, n_free = 0, n_moved = 0, n_reserved = 0;
  Drive d;
  Raw raw;

  walked_start (&d, "VirtualAllocation");
  void *at = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *guard = mmap (NULL, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *moved = mremap (at, size, more, MREMAP_MAYMOVE | MREMAP_FIXED, guard);
  assert_true (at != MAP_FAILED && moved == guard);
  assert_int_equal (munmap (moved, more), 0);
  walked_stop (&d);

  g_auto (GStrv) allocs = walked (&d, "0262");
  for (guint i = 0; allocs[i] != NULL; i++)
    if (walked_parse (allocs[i], &raw) && raw.tid == gettid ())
      {
        assert_int_equal (raw.size, 24);
        assert_int_equal (walked_u32 (raw.bytes + 16), getpid ());
        n_alloc += walked_u64 (raw.bytes) == (gsize)at && walked_u64 (raw.bytes + 8) == size
                   && walked_u32 (raw.bytes + 20) == 0x3000;
        n_reserved
            += walked_u64 (raw.bytes) == (gsize)guard && walked_u32 (raw.bytes + 20) == 0x2000;
        n_moved += walked_u64 (raw.bytes) == (gsize)moved && walked_u64 (raw.bytes + 8) == more
                   && walked_u32 (raw.bytes + 20) == 0x3000;
      }
  g_auto (GStrv) frees = walked (&d, "0263");
  for (guint i = 0; frees[i] != NULL; i++)
    if (walked_parse (frees[i], &raw) && raw.tid == gettid ())
      n_free += (walked_u64 (raw.bytes) == (gsize)at && walked_u64 (raw.bytes + 8) == size)
                || (walked_u64 (raw.bytes) == (gsize)moved && walked_u64 (raw.bytes + 8) == more);
  assert_int_equal (n_alloc, 1);
  assert_int_equal (n_reserved, 1);
  assert_int_equal (n_moved, 1);
  assert_int_equal (n_free, 2);
  assert_int_equal (walked_count (&d, "Linux.syscalls/sys_enter_munmap"), 0);
  drive_clear (&d);
}

#define FILE_PAGES 64

/* A file of ours that the page cache does not have; NULL where the folder is on no disk. */
static const guint8 *
cold_file (const Drive *d, char **path)
{
  const gsize page = (gsize)sysconf (_SC_PAGESIZE);
  g_autofree guint8 *bytes = g_malloc0 (page);
  struct stat st;
  int fd;

  *path = g_build_filename (d->root, "cold.bin", NULL);
  fd = open (*path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  assert_true (fd >= 0);
  for (guint i = 0; i < FILE_PAGES; i++)
    assert_int_equal (write (fd, bytes, page), page);
  assert_int_equal (fsync (fd), 0);
  assert_int_equal (posix_fadvise (fd, 0, 0, POSIX_FADV_DONTNEED), 0);
  assert_int_equal (fstat (fd, &st), 0);
  const guint8 *at = mmap (NULL, FILE_PAGES * page, PROT_READ, MAP_SHARED, fd, 0);
  assert_true (at != MAP_FAILED);
  madvise ((void *)at, FILE_PAGES * page, MADV_RANDOM); /* no page but the one that is read */
  close (fd);
  return at;
}

static glong
n_major (void)
{
  struct rusage usage;

  getrusage (RUSAGE_THREAD, &usage);
  return usage.ru_majflt;
}

/* Records that the kernel counted, and neither gave nor called lost. */
static guint
n_vanished (const Drive *d, const char *name)
{
  g_auto (GStrv) lines = walked (d, "Linux.Recorder/Tally");
  g_autofree char *wanted = g_strdup_printf ("Name=%s ", name);
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *figures
          = strstr (lines[i], wanted) != NULL ? strstr (lines[i], "Counted=") : NULL;
      guint64 counted, lost, in_file;

      if (figures != NULL
          && sscanf (figures,
                     "Counted=%" G_GUINT64_FORMAT " Lost=%" G_GUINT64_FORMAT
                     " InFile=%" G_GUINT64_FORMAT,
                     &counted, &lost, &in_file)
                 == 3)
        n += (guint)(counted - in_file);
    }
  return n;
}

#define FRESH_PAGES 8

typedef struct
{
  gsize page;
  const guint8 *cold;
  char *path;
  glong hard; /* as the kernel counted them */
  volatile guint8 *fresh;
  pid_t child;
} Faults;

/* Pages 3 and 40 of a cold file are read; fresh memory is written, and copied by a child. */
static void
make_faults (const Drive *d, Faults *faults)
{
  gsize page = faults->page = (gsize)sysconf (_SC_PAGESIZE);

  faults->cold = cold_file (d, &faults->path);
  glong before = n_major ();
  assert_int_equal (faults->cold[3 * page] + faults->cold[40 * page + 16], 0);
  faults->hard = n_major () - before;
  faults->fresh
      = mmap (NULL, FRESH_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true (faults->fresh != MAP_FAILED);
  madvise ((void *)faults->fresh, FRESH_PAGES * page, MADV_NOHUGEPAGE); /* a fault a page */
  for (guint i = 0; i < FRESH_PAGES; i++)
    faults->fresh[i * page] = 1;
  faults->child = fork ();
  if (faults->child == 0)
    {
      for (guint i = 0; i < FRESH_PAGES; i++)
        faults->fresh[i * page] = 2;
      _exit (0);
    }
  waitpid (faults->child, NULL, 0);
}

static void
check_name (const Drive *d, guint64 file, const char *path)
{
  g_auto (GStrv) names = walked (d, "0424");
  g_autofree char *expected = g_strconcat ("\\Device\\HarddiskVolume1", path, NULL);
  gboolean named = FALSE;
  Raw raw;

  g_strdelimit (expected, "/", '\\');
  for (guint i = 0; names[i] != NULL; i++)
    if (walked_parse (names[i], &raw) && walked_u64 (raw.bytes) == file)
      {
        g_autofree char *name
            = g_utf16_to_utf8 ((const gunichar2 *)(raw.bytes + 8), -1, NULL, NULL, NULL);
        named = g_str_equal (expected, name);
      }
  assert_true (named);
}

static void
check_hard (const Drive *d, const Faults *faults)
{
  g_auto (GStrv) hards = walked (d, "0220");
  guint64 file = 0;
  glong n = 0;
  Raw raw;

  for (guint i = 0; hards[i] != NULL; i++)
    if (walked_parse (hards[i], &raw) && walked_u32 (raw.bytes + 32) == (guint32)gettid ()
        && walked_u64 (raw.bytes + 16) - (gsize)faults->cold < FILE_PAGES * faults->page)
      {
        guint64 offset = walked_u64 (raw.bytes + 16) - (gsize)faults->cold;

        assert_int_equal (raw.size, 40);
        assert_true (walked_u64 (raw.bytes) < raw.ticks); /* a disk takes a while */
        if (walked_u64 (raw.bytes + 24) != 0)             /* a kernel that tells the file */
          {
            assert_true (walked_u64 (raw.bytes + 8) == offset / faults->page * faults->page);
            file = walked_u64 (raw.bytes + 24);
          }
        assert_int_equal (walked_u32 (raw.bytes + 36), faults->page);
        n++;
      }
  assert_true (n <= faults->hard && n + (glong)n_vanished (d, "major-faults") >= faults->hard);
  if (faults->hard == 0)
    print_message ("the temporary folder is on no disk: no hard fault was looked at\n");
  if (file != 0)
    check_name (d, file, faults->path);
}

/* How many pages of the fresh memory a process faulted in a way. */
static guint
n_soft (const Drive *d, const char *hook, const Faults *faults, pid_t pid)
{
  g_auto (GStrv) lines = walked (d, hook);
  guint n = 0;
  Raw raw;

  for (guint i = 0; lines[i] != NULL; i++)
    n += walked_parse (lines[i], &raw) && raw.pid == pid
         && walked_u64 (raw.bytes) - (gsize)faults->fresh < FRESH_PAGES * faults->page;
  return n;
}

static void
faults_are_hard_with_their_file_or_soft (void **state)
{
  Faults faults = { 0 };
  Drive d;

  walked_start (&d, "ResidentSet");
  make_faults (&d, &faults);
  walked_stop (&d);
  check_hard (&d, &faults);
  if (g_file_test ("/sys/kernel/tracing/events/exceptions/page_fault_user", G_FILE_TEST_EXISTS))
    {
      guint gone = n_vanished (&d, "minor-faults") + n_vanished (&d, "exceptions:page_fault_user");
      guint zero = n_soft (&d, "020b", &faults, getpid ());
      guint copied = n_soft (&d, "020c", &faults, faults.child);

      assert_true (zero <= FRESH_PAGES && zero + gone >= FRESH_PAGES);
      assert_true (copied <= FRESH_PAGES && copied + gone >= FRESH_PAGES);
    }
  g_free (faults.path);
  drive_clear (&d);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (system_calls_are_entered_and_left),
    cmocka_unit_test (interrupts_name_their_routines),
    cmocka_unit_test (address_space_is_told),
    cmocka_unit_test (faults_are_hard_with_their_file_or_soft),
  };

  return cmocka_run_group_tests_name ("layouts", tests, NULL, NULL);
}
