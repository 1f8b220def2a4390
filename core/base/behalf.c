/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The identity a thread has before file systems. setfsuid() takes the capabilities about files away
 * with the user, and gives them back with root; groups are changed by the bare system call, since
 * libc's changes those of all threads. */
#include "config.h"
#include "base/behalf.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/wpr-error.h"

#ifdef SYS_setgroups32 /* where gid_t was 16 bits wide once */
#define WPR_SYS_SETGROUPS SYS_setgroups32
#else
#define WPR_SYS_SETGROUPS SYS_setgroups
#endif

/* Who has more is taken without the rest: rights missing, none added. The kernel's own limit is
 * 65 536, people have some dozens. */
#define GROUPS_MOST 1024

struct _WprBehalf
{
  gatomicrefcount refs;
  uid_t uid;
  gid_t gid;
  gboolean may_fall_back;
  int n_groups;
  gid_t groups[GROUPS_MOST];
};

static WprBehalf *
owner_new (uid_t uid, gid_t gid, gboolean may_fall_back)
{
  WprBehalf *behalf = g_new0 (WprBehalf, 1);
  g_atomic_ref_count_init (&behalf->refs);
  behalf->uid = uid;
  behalf->gid = gid;
  behalf->may_fall_back = may_fall_back;
  return behalf;
}

char *
wpr_user_name (uid_t uid)
{
  struct passwd entry, *found = NULL;
  char room[16384];
  getpwuid_r (uid, &entry, room, sizeof room, &found);
  return found != NULL ? g_strdup (found->pw_name) : g_strdup_printf ("%u", (guint)uid);
}

WprBehalf *
wpr_behalf_of_user (uid_t uid)
{
  struct passwd entry, *found = NULL;
  char room[16384];
  if (uid == 0 || uid == (uid_t)-1 || geteuid () != 0)
    return NULL;
  getpwuid_r (uid, &entry, room, sizeof room, &found);
  /* A number without a name: no group of anybody's. */
  WprBehalf *behalf = owner_new (uid, found != NULL ? found->pw_gid : (gid_t)uid, TRUE);
  behalf->n_groups = GROUPS_MOST;
  if (found == NULL)
    behalf->n_groups = 0;
  else if (getgrouplist (found->pw_name, found->pw_gid, behalf->groups, &behalf->n_groups) < 0)
    behalf->n_groups = GROUPS_MOST;
  return behalf;
}

static gboolean
number_of (const char *variable, guint64 *number)
{
  const char *text = g_getenv (variable);
  return text != NULL && g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT32 - 1, number, NULL);
}

WprBehalf *
wpr_behalf_of_caller (void)
{
  guint64 uid, gid;
  if (geteuid () != 0 || (!number_of ("SUDO_UID", &uid) && !number_of ("PKEXEC_UID", &uid)))
    return NULL;
  WprBehalf *behalf = wpr_behalf_of_user ((uid_t)uid);
  if (behalf != NULL && g_getenv ("SUDO_UID") != NULL && number_of ("SUDO_GID", &gid))
    behalf->gid = (gid_t)gid;
  return behalf;
}

WprBehalf *
wpr_behalf_of_peer (int socket_fd, GError **error)
{
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt (socket_fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    {
      wpr_set_error (error, WPR_ERROR_NOT_PERMITTED, 0,
                     _ ("The kernel does not say who asks, so nothing is done: %s."),
                     g_strerror (errno));
      return NULL;
    }
  if (peer.uid == geteuid () || geteuid () != 0)
    return NULL;
  WprBehalf *behalf = owner_new (peer.uid, peer.gid, FALSE);
#ifdef SO_PEERGROUPS
  size = sizeof behalf->groups;
  if (getsockopt (socket_fd, SOL_SOCKET, SO_PEERGROUPS, behalf->groups, &size) == 0)
    behalf->n_groups = (int)(size / sizeof (gid_t));
#endif
  return behalf;
}

WprBehalf *
wpr_behalf_ref (WprBehalf *behalf)
{
  if (behalf != NULL)
    g_atomic_ref_count_inc (&behalf->refs);
  return behalf;
}

void
wpr_behalf_unref (WprBehalf *behalf)
{
  if (behalf != NULL && g_atomic_ref_count_dec (&behalf->refs))
    g_free (behalf);
}

uid_t
wpr_behalf_get_uid (const WprBehalf *behalf)
{
  return behalf != NULL ? behalf->uid : geteuid ();
}

gboolean
wpr_behalf_may_fall_back (const WprBehalf *behalf)
{
  return behalf == NULL || behalf->may_fall_back;
}

/* What the thread had before: how many, then each. */
static GPrivate groups_before = G_PRIVATE_INIT (g_free);

static void
give_groups_back (void)
{
  const gid_t *before = g_private_get (&groups_before);
  syscall (WPR_SYS_SETGROUPS, (int)before[0], before + 1);
}

gboolean
wpr_behalf_enter (const WprBehalf *behalf)
{
  if (behalf == NULL)
    return TRUE;
  int n = getgroups (0, NULL);
  gid_t *before = g_new0 (gid_t, MAX (n, 0) + 1);
  before[0] = (gid_t)(n > 0 ? getgroups (n, before + 1) : 0);
  g_private_replace (&groups_before, before);
  if (syscall (WPR_SYS_SETGROUPS, behalf->n_groups, behalf->groups) != 0)
    return FALSE;
  setfsgid (behalf->gid);
  setfsuid (behalf->uid);
  /* These two answer what was before, whether they did anything or not. */
  if ((gid_t)setfsgid ((gid_t)-1) == behalf->gid && (uid_t)setfsuid ((uid_t)-1) == behalf->uid)
    return TRUE;
  wpr_behalf_leave (behalf);
  errno = EPERM;
  return FALSE;
}

void
wpr_behalf_leave (const WprBehalf *behalf)
{
  int errsv = errno;
  if (behalf == NULL)
    return;
  setfsuid (geteuid ());
  setfsgid (getegid ());
  give_groups_back ();
  errno = errsv;
}
