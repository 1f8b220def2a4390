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
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "drive.h"

#define N_CALLS 500

/* Lines of the walker, NULL-terminated. */
static char **
walk (const Drive *d, const char *what)
{
  g_autofree char *path = drive_path (d, "layouts.etl");
  const char *argv[] = { g_getenv ("WPR_WALKER"), path, what, NULL };
  g_autofree char *out = NULL;
  g_autoptr (GError) error = NULL;
  int status = -1;

  assert_non_null (argv[0]);
  if (!g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL, &status,
                     &error))
    fail_msg ("%s", error->message);
  if (status != 0)
    fail_msg ("the walker says: %s", strstr (out, "fault") != NULL ? strstr (out, "fault") : out);
  return g_strsplit (out, "\n", -1);
}

/* A kernel event as the walker gives it. */
typedef struct
{
  guint64 ticks;
  guint cpu, size;
  gint pid, tid;
  guint8 bytes[1024];
} Raw;

static gboolean
parse (const char *line, Raw *raw)
{
  char hex[2048];

  if (sscanf (line, "raw %" G_GUINT64_FORMAT " %u %d %d %2047s", &raw->ticks, &raw->cpu, &raw->pid,
              &raw->tid, hex)
      != 5)
    return FALSE;
  raw->size = (guint)strlen (hex) / 2;
  for (guint i = 0; i < raw->size; i++)
    raw->bytes[i]
        = (guint8)(g_ascii_xdigit_value (hex[2 * i]) << 4 | g_ascii_xdigit_value (hex[2 * i + 1]));
  return TRUE;
}

static guint64
u64 (const guint8 *at)
{
  guint64 value;

  memcpy (&value, at, sizeof value);
  return GUINT64_FROM_LE (value);
}

static guint32
u32 (const guint8 *at)
{
  return (guint32)u64 (at);
}

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

static void
start (Drive *d, const char *profile)
{
  Answer answer = { 0 };

  drive_init (d);
  drive_start (d, drive_choice (profile, WPR_MODE_FILE), &answer);
  assert_good (&answer);
  answer_clear (&answer);
}

static void
stop (Drive *d)
{
  Answer answer = { 0 };

  drive_stop (d, "layouts.etl", NULL, &answer);
  assert_good (&answer);
  answer_clear (&answer);
}

static guint
count (const Drive *d, const char *what)
{
  g_auto (GStrv) lines = walk (d, "kinds");
  g_autofree char *prefix = g_strdup_printf ("kind %s ", what);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], prefix))
      return (guint)g_ascii_strtoull (lines[i] + strlen (prefix), NULL, 10);
  return 0;
}

/* The address by which the file tells of a routine. */
static guint64
routine (const Drive *d, const char *kind, const char *name)
{
  g_auto (GStrv) lines = walk (d, "Linux.Recorder/Routine");
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

  start (&d, "SystemCall");
  for (guint i = 0; i < N_CALLS; i++)
    syscall (SYS_getppid);
  assert_int_equal (syscall (SYS_setuid, -1), -1);
  stop (&d);

  address = routine (&d, "system call", "getppid");
  assert_true (address != 0);
  if (symbol != 0)
    assert_true (address == symbol);
  g_auto (GStrv) enters = walk (&d, "0f33");
  for (guint i = 0; enters[i] != NULL; i++)
    if (parse (enters[i], &raw) && (guint32)raw.tid == tid)
      {
        assert_int_equal (raw.size, 8);
        assert_int_equal (raw.pid, getpid ());
        n_enter += u64 (raw.bytes) == address;
      }
  g_auto (GStrv) exits = walk (&d, "0f34");
  for (guint i = 0; exits[i] != NULL; i++)
    if (parse (exits[i], &raw) && (guint32)raw.tid == tid)
      {
        assert_int_equal (raw.size, 4);
        n_exit += u32 (raw.bytes) == (guint32)getppid ();
        n_failed += u32 (raw.bytes) == (guint32)-22; /* EINVAL */
        within = TRUE;
      }
  assert_int_equal (n_enter, N_CALLS);
  assert_true (within && n_exit >= N_CALLS && n_failed >= 1);
  /* In one layout, never in both. */
  assert_int_equal (count (&d, "Linux.raw_syscalls/sys_enter"), 0);
  assert_int_equal (count (&d, "Linux.raw_syscalls/sys_exit"), 0);
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

  start (&d, "GeneralProfile");
  for (guint i = 0; i < 300; i++)
    g_usleep (1000);
  run_programs (d.root, "true", 3, 1);
  stop (&d);

  g_auto (GStrv) routines = walk (&d, "Linux.Recorder/Routine");
  g_auto (GStrv) images = walk (&d, "images");
  g_auto (GStrv) switches = walk (&d, "switches");
  for (guint i = 0; switches[i] != NULL && first == G_MAXUINT64; i++)
    if (sscanf (switches[i], "switch %" G_GUINT64_FORMAT, &first) != 1)
      first = G_MAXUINT64;
  g_auto (GStrv) dpcs = walk (&d, "0f44");
  for (guint i = 0; dpcs[i] != NULL; i++)
    if (parse (dpcs[i], &raw))
      {
        g_autofree char *told
            = g_strdup_printf ("Address=%" G_GUINT64_FORMAT " ", u64 (raw.bytes + 8));
        gboolean found = FALSE;

        assert_int_equal (raw.size, 16);
        assert_true (u64 (raw.bytes) <= raw.ticks); /* began before it ended */
        assert_true (raw.ticks - u64 (raw.bytes) < 10000000);
        for (guint k = 0; routines[k] != NULL && !found; k++)
          found = strstr (routines[k], told) != NULL;
        assert_true (found || count (&d, "Linux.irq/tasklet_entry") > 0);
        n_dpc++;
      }
  assert_true (n_dpc > 0);
  if (kernel_address ("run_timer_softirq") != 0 && routine (&d, "softirq", "TIMER") != 0)
    assert_true (routine (&d, "softirq", "TIMER") == kernel_address ("run_timer_softirq"));
  g_auto (GStrv) isrs = walk (&d, "0f43");
  for (guint i = 0; isrs[i] != NULL; i++)
    if (parse (isrs[i], &raw))
      {
        g_autofree char *page = g_strdup_printf ("dcload 0 %" G_GINT64_MODIFIER "x 1000 \\Driver\\",
                                                 u64 (raw.bytes + 8));
        gboolean found = FALSE;

        assert_int_equal (raw.size, 20);
        for (guint k = 0; images[k] != NULL && !found; k++)
          found = g_str_has_prefix (images[k], page);
        assert_true (found);
        n_isr++;
      }
  if (n_isr == 0)
    print_message ("no device interrupted: no ISR was looked at\n");
  assert_int_equal (count (&d, "Linux.irq/softirq_entry"), 0);
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

  start (&d, "VirtualAllocation");
  void *at = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *guard = mmap (NULL, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void *moved = mremap (at, size, more, MREMAP_MAYMOVE | MREMAP_FIXED, guard);
  assert_true (at != MAP_FAILED && moved == guard);
  assert_int_equal (munmap (moved, more), 0);
  stop (&d);

  g_auto (GStrv) allocs = walk (&d, "0262");
  for (guint i = 0; allocs[i] != NULL; i++)
    if (parse (allocs[i], &raw) && raw.tid == gettid ())
      {
        assert_int_equal (raw.size, 24);
        assert_int_equal (u32 (raw.bytes + 16), getpid ());
        n_alloc += u64 (raw.bytes) == (gsize)at && u64 (raw.bytes + 8) == size
                   && u32 (raw.bytes + 20) == 0x3000;
        n_reserved += u64 (raw.bytes) == (gsize)guard && u32 (raw.bytes + 20) == 0x2000;
        n_moved += u64 (raw.bytes) == (gsize)moved && u64 (raw.bytes + 8) == more
                   && u32 (raw.bytes + 20) == 0x3000;
      }
  g_auto (GStrv) frees = walk (&d, "0263");
  for (guint i = 0; frees[i] != NULL; i++)
    if (parse (frees[i], &raw) && raw.tid == gettid ())
      n_free += (u64 (raw.bytes) == (gsize)at && u64 (raw.bytes + 8) == size)
                || (u64 (raw.bytes) == (gsize)moved && u64 (raw.bytes + 8) == more);
  assert_int_equal (n_alloc, 1);
  assert_int_equal (n_reserved, 1);
  assert_int_equal (n_moved, 1);
  assert_int_equal (n_free, 2);
  assert_int_equal (count (&d, "Linux.syscalls/sys_enter_munmap"), 0);
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

/* Pages 3 and 40 of a cold file are read; fresh memory is written, and copied by a child. */
static void
faults_are_hard_with_their_file_or_soft (void **state)
{
  const gsize page = (gsize)sysconf (_SC_PAGESIZE);
  guint n_hard = 0, n_zero = 0, n_copied = 0, sum = 0;
  guint64 file = 0;
  g_autofree char *path = NULL;
  Drive d;
  Raw raw;

  start (&d, "ResidentSet");
  const guint8 *cold = cold_file (&d, &path);
  glong before = n_major ();
  sum += cold[3 * page] + cold[40 * page + 16];
  glong hard = n_major () - before;
  volatile guint8 *fresh
      = mmap (NULL, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (guint i = 0; i < 8; i++)
    fresh[i * page] = 1;
  pid_t child = fork ();
  if (child == 0)
    {
      for (guint i = 0; i < 8; i++)
        fresh[i * page] = 2;
      _exit (0);
    }
  waitpid (child, NULL, 0);
  stop (&d);
  assert_int_equal (sum, 0);

  g_auto (GStrv) hards = walk (&d, "0220");
  for (guint i = 0; hards[i] != NULL; i++)
    if (parse (hards[i], &raw) && u32 (raw.bytes + 32) == (guint32)gettid ()
        && u64 (raw.bytes + 16) - (gsize)cold < FILE_PAGES * page)
      {
        guint64 offset = u64 (raw.bytes + 16) - (gsize)cold;

        assert_int_equal (raw.size, 40);
        assert_true (u64 (raw.bytes) < raw.ticks); /* a disk takes a while */
        if (u64 (raw.bytes + 24) != 0)             /* a kernel that tells the file */
          {
            assert_true (u64 (raw.bytes + 8) == offset / page * page);
            file = u64 (raw.bytes + 24);
          }
        assert_int_equal (u32 (raw.bytes + 36), page);
        n_hard++;
      }
  assert_int_equal (n_hard, hard);
  if (hard == 0)
    print_message ("the temporary folder is on no disk: no hard fault was looked at\n");
  if (file != 0)
    {
      gboolean named = FALSE;
      g_auto (GStrv) names = walk (&d, "0424");
      for (guint i = 0; names[i] != NULL; i++)
        if (parse (names[i], &raw) && u64 (raw.bytes) == file)
          {
            g_autofree char *name
                = g_utf16_to_utf8 ((const gunichar2 *)(raw.bytes + 8), -1, NULL, NULL, NULL);
            g_autofree char *expected = g_strconcat ("\\Device\\HarddiskVolume1", path, NULL);
            named = g_str_equal (g_strdelimit (expected, "/", '\\'), name);
          }
      assert_true (named);
    }
  g_auto (GStrv) zeros = walk (&d, "020b");
  for (guint i = 0; zeros[i] != NULL; i++)
    n_zero += parse (zeros[i], &raw) && raw.tid == gettid ()
              && u64 (raw.bytes) - (gsize)fresh < 8 * page;
  g_auto (GStrv) copies = walk (&d, "020c");
  for (guint i = 0; copies[i] != NULL; i++)
    n_copied
        += parse (copies[i], &raw) && raw.pid == child && u64 (raw.bytes) - (gsize)fresh < 8 * page;
  if (g_file_test ("/sys/kernel/tracing/events/exceptions/page_fault_user", G_FILE_TEST_EXISTS))
    {
      assert_int_equal (n_zero, 8);
      assert_int_equal (n_copied, 8);
    }
  drive_clear (&d);
}

/* ---- network ---- */

#define SENT 4321
#define ANSWERED 1234

typedef struct
{
  guint16 port, client_port; /* host order */
  int family;
  int server, client;
} Talk;

static socklen_t
loopback (int family, guint16 port, struct sockaddr_storage *address)
{
  struct sockaddr_in *in = (struct sockaddr_in *)address;
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;

  memset (address, 0, sizeof *address);
  if (family == AF_INET)
    {
      *in = (struct sockaddr_in){ .sin_family = AF_INET,
                                  .sin_port = g_htons (port),
                                  .sin_addr.s_addr = g_htonl (INADDR_LOOPBACK) };
      return sizeof *in;
    }
  *in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
                                .sin6_port = g_htons (port),
                                .sin6_addr = IN6ADDR_LOOPBACK_INIT };
  return sizeof *in6;
}

static guint16
port_of (int fd)
{
  struct sockaddr_storage address;
  socklen_t size = sizeof address;

  assert_int_equal (getsockname (fd, (struct sockaddr *)&address, &size), 0);
  return g_ntohs (address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                               : ((struct sockaddr_in6 *)&address)->sin6_port);
}

static void
move (int from, int to, gsize size)
{
  g_autofree guint8 *bytes = g_malloc0 (size);

  assert_int_equal (send (from, bytes, size, 0), size);
  assert_int_equal (recv (to, bytes, size, MSG_WAITALL), size);
}

/* Connects to itself, sends, is answered, is closed. FALSE if there is no such loopback. */
static gboolean
talk (Talk *talk, int family)
{
  struct sockaddr_storage address;
  int listener = socket (family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  socklen_t size = loopback (family, 0, &address);

  talk->family = family;
  if (listener < 0 || bind (listener, (struct sockaddr *)&address, size) != 0)
    {
      print_message ("no loopback of family %d: not looked at\n", family);
      if (listener >= 0)
        close (listener);
      return FALSE;
    }
  assert_int_equal (listen (listener, 1), 0);
  talk->port = port_of (listener);
  talk->client = socket (family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  size = loopback (family, talk->port, &address);
  assert_int_equal (connect (talk->client, (struct sockaddr *)&address, size), 0);
  talk->client_port = port_of (talk->client);
  talk->server = accept (listener, NULL, NULL);
  assert_true (talk->server >= 0);
  move (talk->client, talk->server, SENT);
  move (talk->server, talk->client, ANSWERED);
  close (talk->client);
  close (talk->server);
  close (listener);
  return TRUE;
}

static void
datagram (int family)
{
  struct sockaddr_storage address;
  int to = socket (family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  int from = socket (family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t size = loopback (family, 0, &address);

  assert_int_equal (bind (to, (struct sockaddr *)&address, size), 0);
  size = loopback (family, port_of (to), &address);
  assert_int_equal (connect (from, (struct sockaddr *)&address, size), 0);
  move (from, to, 777);
  close (from);
  close (to);
}

/* How many events of a hook are of ours: this size, from this port to that (0, 0: of UDP). */
static guint
sockets (const Drive *d, const Talk *talk, guint type, guint size, guint16 local, guint16 remote,
         guint payload)
{
  gboolean v6 = talk->family == AF_INET6;
  g_autofree char *hook = g_strdup_printf ("%04x", type + (v6 ? 0x10 : 0));
  g_auto (GStrv) lines = walk (d, hook);
  guint bytes = v6 ? 16 : 4, n = 0;
  Raw raw;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      struct in6_addr any = in6addr_loopback;
      const guint8 *ports = raw.bytes + 8 + 2 * bytes;

      if (!parse (lines[i], &raw) || u32 (raw.bytes) != (guint32)getpid ()
          || u32 (raw.bytes + 4) != size || (ports[2] << 8 | ports[3]) != local
          || (ports[0] << 8 | ports[1]) != remote)
        continue;
      assert_int_equal (raw.size, payload + (v6 ? 24 : 0));
      assert_int_not_equal (u64 (raw.bytes + raw.size - 8), 0);
      if (local != 0)
        for (guint k = 0; k < 2; k++)
          assert_memory_equal (raw.bytes + 8 + k * bytes,
                               v6 ? (const guint8 *)&any : (const guint8 *)"\x7f\0\0\1", bytes);
      n++;
    }
  return n;
}

static void
check_talk (const Drive *d, const Talk *t)
{
  guint16 client = t->client_port, server = t->port;

  assert_int_equal (sockets (d, t, 0x060c, 0, client, server, 48), 1);
  assert_int_equal (sockets (d, t, 0x060f, 0, server, client, 48), 1);
  assert_int_equal (sockets (d, t, 0x060a, SENT, client, server, 40), 1);
  assert_int_equal (sockets (d, t, 0x060b, SENT, server, client, 32), 1);
  assert_int_equal (sockets (d, t, 0x060a, ANSWERED, server, client, 40), 1);
  assert_int_equal (sockets (d, t, 0x060b, ANSWERED, client, server, 32), 1);
  assert_int_equal (sockets (d, t, 0x060d, 0, client, server, 32), 1);
  assert_int_equal (sockets (d, t, 0x060d, 0, server, client, 32), 1);
}

static void
connections_are_told_with_both_ends (void **state)
{
  Talk four = { 0 }, six = { 0 };
  gboolean has_four, has_six;
  Drive d;

  start (&d, "Network");
  has_four = talk (&four, AF_INET);
  if (has_four)
    datagram (AF_INET);
  has_six = talk (&six, AF_INET6);
  if (has_six)
    datagram (AF_INET6);
  stop (&d);
  if (count (&d, "060a") + count (&d, "061a") == 0
      && !g_file_test ("/sys/kernel/tracing/events/sock/sock_send_length", G_FILE_TEST_EXISTS))
    print_message ("this kernel tells no sizes\n");
  else
    {
      if (has_four)
        check_talk (&d, &four);
      if (has_six)
        check_talk (&d, &six);
      if (has_four)
        {
          assert_int_equal (sockets (&d, &four, 0x080a, 777, 0, 0, 32), 1);
          assert_int_equal (sockets (&d, &four, 0x080b, 777, 0, 0, 32), 1);
        }
      if (has_six)
        {
          assert_int_equal (sockets (&d, &six, 0x080a, 777, 0, 0, 32), 1);
          assert_int_equal (sockets (&d, &six, 0x080b, 777, 0, 0, 32), 1);
        }
    }
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
    cmocka_unit_test (connections_are_told_with_both_ends),
  };

  return cmocka_run_group_tests_name ("layouts", tests, NULL, NULL);
}
