/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whom a privileged process makes files for: who called it through sudo or pkexec, or the user at
 * the other end of a socket. Their files are made with their rights, so that no privilege is lent
 * to a path. */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* Immutable, reference counted; any thread. Everywhere NULL is allowed and means: as this process.
 */
typedef struct _WprBehalf WprBehalf;
/* Of this process, if it is root's: the user who called sudo or pkexec. What they may not write
 * root writes all the same (and then it is root's file): they were given its rights. NULL: nobody
 * else. */
WprBehalf *wpr_behalf_of_caller (void);
/* The peer of a connected local socket, as the kernel knows it, if it is another user than this
 * process's; only what they may do themselves is done. NULL with WPR_ERROR_NOT_PERMITTED if the
 * kernel does not say. */
WprBehalf *wpr_behalf_of_peer (int socket_fd, GError **error);
/* A user by number, with the rights of their login; as wpr_behalf_of_caller(). NULL for root. */
WprBehalf *wpr_behalf_of_user (uid_t uid);
/* A user's name, the number where it has none; to be shown only. */
char *wpr_user_name (uid_t uid);
WprBehalf *wpr_behalf_ref (WprBehalf *behalf);
void wpr_behalf_unref (WprBehalf *behalf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprBehalf, wpr_behalf_unref)

uid_t wpr_behalf_get_uid (const WprBehalf *behalf); /* NULL: this process's */
/* Root does what they may not. */
gboolean wpr_behalf_may_fall_back (const WprBehalf *behalf);
/* From here on this thread asks for files as they do: user, group, groups, no capabilities. FALSE
 * with errno if that cannot be had: then nothing has changed. Each enter has one leave, in the same
 * thread, and they do not nest. */
gboolean wpr_behalf_enter (const WprBehalf *behalf);
void wpr_behalf_leave (const WprBehalf *behalf);

G_END_DECLS
