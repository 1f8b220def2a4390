/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sealed memory: nobody changes it, and whoever made it knows when it is free. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/sealed.h"

static void
test_what_is_sealed_is_read_and_not_changed (void **state)
{
  int keeper;
  int reader = wpr_sealed_new ("abc", 3, &keeper);
  assert_true (reader >= 0 && keeper >= 0);
  g_autoptr (GBytes) bytes = wpr_sealed_map (reader, 3);
  assert_non_null (bytes);
  assert_memory_equal (g_bytes_get_data (bytes, NULL), "abc", 3);
  assert_int_equal (pwrite (reader, "x", 1, 0), -1);
  assert_int_equal (ftruncate (reader, 0), -1);
  assert_int_equal (ftruncate (reader, 4096), -1);
  assert_int_equal (fcntl (reader, F_ADD_SEALS, F_SEAL_WRITE), -1);
  assert_ptr_equal (mmap (NULL, 3, PROT_READ | PROT_WRITE, MAP_SHARED, reader, 0), MAP_FAILED);
  assert_null (wpr_sealed_map (reader, 4));
  close (reader);
  close (keeper);
}

static void
test_what_is_not_sealed_is_not_mapped (void **state)
{
  int fd = memfd_create ("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  assert_int_equal (write (fd, "abc", 3), 3);
  assert_null (wpr_sealed_map (fd, 3));
  assert_int_equal (fcntl (fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
  assert_null (wpr_sealed_map (fd, 3));
  close (fd);
  assert_null (wpr_sealed_map (-1, 3));
}

/* However the reader holds it: by the descriptor, another number of it, another process', or only
 * mapped. */
static void
test_maker_knows_when_it_is_free (void **state)
{
  int keeper, go[2];
  int reader = wpr_sealed_new ("abc", 3, &keeper);
  assert_false (wpr_sealed_is_free (keeper));
  int other = dup (reader);
  close (reader);
  assert_false (wpr_sealed_is_free (keeper));
  GBytes *bytes = wpr_sealed_map (other, 3);
  assert_non_null (bytes);
  assert_int_equal (pipe2 (go, O_CLOEXEC), 0);
  pid_t pid = fork ();
  if (pid == 0)
    {
      char c;
      close (go[1]);
      _exit (read (go[0], &c, 1) != 0);
    }
  close (go[0]);
  close (other);
  g_bytes_unref (bytes);
  assert_false (wpr_sealed_is_free (keeper));
  close (go[1]);
  assert_int_equal (waitpid (pid, NULL, 0), pid);
  assert_true (wpr_sealed_is_free (keeper));
  close (keeper);
  assert_false (wpr_sealed_is_free (-1));
}

/* Who may not open it again cannot hold it where the maker would not see it. */
static void
test_another_user_cannot_open_it_again (void **state)
{
  int keeper, status;
  if (geteuid () != 0)
    skip ();
  int reader = wpr_sealed_new ("abc", 3, &keeper);
  pid_t pid = fork ();
  if (pid == 0)
    {
      g_autofree char *path = g_strdup_printf ("/proc/self/fd/%d", reader);
      if (setresgid (65534, 65534, 65534) != 0 || setresuid (65534, 65534, 65534) != 0)
        _exit (2);
      _exit (open (path, O_RDONLY) >= 0 || errno != EACCES);
    }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  close (reader);
  close (keeper);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_what_is_sealed_is_read_and_not_changed),
    cmocka_unit_test (test_what_is_not_sealed_is_not_mapped),
    cmocka_unit_test (test_maker_knows_when_it_is_free),
    cmocka_unit_test (test_another_user_cannot_open_it_again),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
