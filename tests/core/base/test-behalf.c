/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that root makes for somebody else, in places somebody else has a hand in: links, folders
 * that are exchanged between two looks, folders everybody may change. Only root can try it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/wpr-error.h"

#define NOBODY 65534

static char *top; /* root's, 0755 */

static char *
make_folder (const char *name, uid_t uid, mode_t mode)
{
  char *path = g_build_filename (top, name, NULL);
  assert_int_equal (g_mkdir (path, 0700), 0);
  assert_int_equal (chmod (path, mode), 0);
  assert_int_equal (chown (path, uid, uid), 0);
  return path;
}

/* A new file of that name, and whose it is; -1: refused. */
static int
whose (const char *path, const char *name, WprBehalf *behalf)
{
  struct stat st;
  g_autoptr (GError) error = NULL;
  int fd = open (path, O_DIRECTORY | O_RDONLY | O_CLOEXEC), uid = -1;
  WprNewFile *file = wpr_new_file_open_for (fd, name, behalf, &error);
  assert_true (file == NULL || wpr_write_all (wpr_new_file_get_fd (file), "x", 1, NULL));
  if (file != NULL && wpr_new_file_commit (file, &error)
      && fstatat (fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
    {
      assert_int_equal (st.st_mode & 07777, 0600);
      uid = (int)st.st_uid;
    }
  wpr_new_file_free (file);
  close (fd);
  assert_int_equal (getegid (), 0);
  return uid;
}

static WprBehalf *
peer_who_is_nobody (void)
{
  int to[2];
  /* Who makes a pair is the peer of both ends: nobody makes one and hands it over. */
  assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM, 0, to), 0);
  pid_t pid = fork ();
  if (pid == 0)
    {
      char byte = 0;
      int ours[2];
      struct iovec part = { &byte, 1 };
      union
      {
        struct cmsghdr align;
        char room[CMSG_SPACE (sizeof (int))];
      } control = { 0 };
      struct msghdr message = { .msg_iov = &part,
                                .msg_iovlen = 1,
                                .msg_control = control.room,
                                .msg_controllen = sizeof control.room };
      if (setgroups (0, NULL) != 0 || setresgid (NOBODY, NOBODY, NOBODY) != 0
          || setresuid (NOBODY, NOBODY, NOBODY) != 0
          || socketpair (AF_UNIX, SOCK_STREAM, 0, ours) != 0)
        _exit (1);
      struct cmsghdr *rights = CMSG_FIRSTHDR (&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN (sizeof (int));
      memcpy (CMSG_DATA (rights), &ours[0], sizeof (int));
      _exit (sendmsg (to[1], &message, 0) != 1);
    }
  int status;
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
  char byte, room[CMSG_SPACE (sizeof (int))];
  struct iovec part = { &byte, 1 };
  struct msghdr message
      = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room };
  assert_int_equal (recvmsg (to[0], &message, 0), 1);
  int fd;
  memcpy (&fd, CMSG_DATA (CMSG_FIRSTHDR (&message)), sizeof fd);
  g_autoptr (GError) error = NULL;
  WprBehalf *behalf = wpr_behalf_of_peer (fd, &error);
  assert_non_null (behalf);
  assert_int_equal (wpr_behalf_get_uid (behalf), NOBODY);
  close (fd);
  close (to[0]);
  close (to[1]);
  return behalf;
}

static void
who_called_sudo_owns_what_they_could_write (void **state)
{
  g_autofree char *theirs = make_folder ("theirs", NOBODY, 0700);
  g_autofree char *roots = make_folder ("roots", 0, 0755);
  g_setenv ("SUDO_UID", "65534", TRUE);
  g_setenv ("SUDO_GID", "65534", TRUE);
  g_autoptr (WprBehalf) behalf = wpr_behalf_of_caller ();
  assert_non_null (behalf);
  assert_int_equal (whose (theirs, "a.etl", behalf), NOBODY);
  /* A file of theirs in a folder of root's would be a door: one who may call wpr with sudo could
   * put one of their own anywhere. */
  assert_int_equal (whose (roots, "a.etl", behalf), 0);
  g_unsetenv ("SUDO_UID");
  g_unsetenv ("SUDO_GID");
  g_setenv ("PKEXEC_UID", "65534", TRUE);
  g_autoptr (WprBehalf) pkexec = wpr_behalf_of_caller ();
  assert_int_equal (whose (theirs, "b.etl", pkexec), NOBODY);
  g_unsetenv ("PKEXEC_UID");
  assert_null (wpr_behalf_of_caller ());
  assert_int_equal (whose (theirs, "c.etl", NULL), 0);
}

static void
a_number_that_is_none_is_nobody (void **state)
{
  static const char *const numbers[]
      = { "0", "-1", "4294967295", "65534x", "", " 1", "99999999999" };
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_setenv ("SUDO_UID", numbers[i], TRUE);
      assert_null (wpr_behalf_of_caller ());
    }
  g_unsetenv ("SUDO_UID");
}

static void
a_peer_gets_no_right_of_root_s (void **state)
{
  g_autofree char *theirs = make_folder ("peers", NOBODY, 0700);
  g_autofree char *roots = make_folder ("closed", 0, 0755);
  g_autoptr (WprBehalf) peer = peer_who_is_nobody ();
  assert_int_equal (whose (theirs, "a.etl", peer), NOBODY);
  assert_int_equal (whose (roots, "a.etl", peer), -1);
  g_autoptr (GError) error = NULL;
  int fd = open (roots, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  assert_false (wpr_new_file_check_for (fd, "a.etl", peer, &error));
  assert_int_equal (error->code, WPR_ERROR_NOT_WRITABLE);
  close (fd);
  /* root again */
  assert_int_equal (whose (roots, "b.etl", NULL), 0);
}

static void
a_group_of_root_s_helps_nobody (void **state)
{
  g_autofree char *shared = make_folder ("shared", 0, 0775);
  g_autoptr (WprBehalf) peer = peer_who_is_nobody ();
  assert_int_equal (whose (shared, "a.etl", peer), -1);
}

static void
refused (const char *path, int code)
{
  g_autoptr (GError) error = NULL;
  int fd = wpr_open_folder_careful (path, &error);
  if (fd >= 0)
    fail_msg ("%s was opened", path);
  assert_int_equal (error->code, code);
}

static void
links_are_followed_where_they_are_root_s (void **state)
{
  g_autofree char *target = make_folder ("target", 0, 0755);
  g_autofree char *home = make_folder ("home", NOBODY, 0755);
  g_autofree char *own = g_build_filename (top, "own", NULL);
  g_autofree char *trap = g_build_filename (home, "trap", NULL);
  g_autofree char *beyond = g_build_filename (trap, "sub", NULL);
  g_autofree char *missing = g_build_filename (top, "missing", NULL);
  g_autofree char *loop = g_build_filename (top, "loop", NULL);
  g_autofree char *sub = g_build_filename (target, "sub", NULL);
  assert_int_equal (g_mkdir (sub, 0755), 0);
  assert_int_equal (symlink ("./home/../target", own), 0);
  assert_int_equal (symlink (target, trap), 0);
  assert_int_equal (lchown (trap, NOBODY, NOBODY), 0);
  assert_int_equal (symlink ("loop", loop), 0);
  int fd = wpr_open_folder_careful (own, NULL);
  assert_true (fd >= 0);
  struct stat a, b;
  assert_int_equal (fstat (fd, &a), 0);
  assert_int_equal (stat (target, &b), 0);
  assert_true (a.st_ino == b.st_ino && a.st_dev == b.st_dev);
  close (fd);
  refused (trap, WPR_ERROR_NOT_PERMITTED);
  refused (beyond, WPR_ERROR_NOT_PERMITTED);
  refused (missing, WPR_ERROR_NOT_WRITABLE);
  refused (loop, WPR_ERROR_NOT_WRITABLE);
  refused ("/etc/passwd", WPR_ERROR_NOT_WRITABLE);
}

static void
a_folder_where_everybody_replaces_everything_is_refused (void **state)
{
  g_autofree char *wild = make_folder ("wild", 0, 0777);
  refused (wild, WPR_ERROR_NOT_PERMITTED);
  assert_int_equal (chmod (wild, 01777), 0);
  int fd = wpr_open_folder_careful (wild, NULL);
  assert_true (fd >= 0);
  close (fd);
}

/* Exchanges a folder of theirs with a link to root's, as fast as they can. */
static pid_t
begin_exchanging (const char *a, const char *b)
{
  pid_t pid = fork ();
  if (pid != 0)
    return pid;
  if (setgroups (0, NULL) != 0 || setresgid (NOBODY, NOBODY, NOBODY) != 0
      || setresuid (NOBODY, NOBODY, NOBODY) != 0)
    _exit (1);
  for (;;)
    renameat2 (AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

static void
folders_that_are_exchanged_lead_nowhere_else (void **state)
{
  g_autofree char *secret = make_folder ("secret", 0, 0755);
  g_autofree char *home = make_folder ("mallory", NOBODY, 0755);
  g_autofree char *folder = make_folder ("mallory/out", NOBODY, 0755);
  g_autofree char *link = g_build_filename (home, "link", NULL);
  struct stat roots;
  assert_int_equal (symlink (secret, link), 0);
  assert_int_equal (lchown (link, NOBODY, NOBODY), 0);
  assert_int_equal (stat (secret, &roots), 0);
  pid_t pid = begin_exchanging (folder, link);
  guint opened = 0, refusals = 0;
  gint64 end = g_get_monotonic_time () + 2 * G_USEC_PER_SEC;
  while (g_get_monotonic_time () < end)
    {
      struct stat st;
      int fd = wpr_open_folder_careful (folder, NULL);
      opened += fd >= 0;
      refusals += fd < 0;
      if (fd < 0)
        continue;
      if (fstat (fd, &st) != 0 || st.st_ino == roots.st_ino)
        {
          kill (pid, SIGKILL);
          fail_msg ("led into root's folder after %u", opened);
        }
      close (fd);
    }
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  assert_true (opened > 0);
  assert_true (refusals > 0); /* else nothing was exchanged at the right moment */
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (who_called_sudo_owns_what_they_could_write),
    cmocka_unit_test (a_number_that_is_none_is_nobody),
    cmocka_unit_test (a_peer_gets_no_right_of_root_s),
    cmocka_unit_test (a_group_of_root_s_helps_nobody),
    cmocka_unit_test (links_are_followed_where_they_are_root_s),
    cmocka_unit_test (a_folder_where_everybody_replaces_everything_is_refused),
    cmocka_unit_test (folders_that_are_exchanged_lead_nowhere_else),
  };
  if (geteuid () != 0)
    {
      g_print ("SKIPPED: needs root\n");
      return 77;
    }
  top = g_dir_make_tmp ("wpr-behalf-XXXXXX", NULL);
  if (chmod (top, 0755) != 0)
    return 1;
  g_unsetenv ("SUDO_UID");
  g_unsetenv ("PKEXEC_UID");
  int failed = cmocka_run_group_tests (tests, NULL, NULL);
  g_autofree char *name = g_path_get_basename (top);
  int parent = open (g_get_tmp_dir (), O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  wpr_remove_tree_at (parent, name, NULL);
  close (parent);
  g_free (top);
  return failed;
}
