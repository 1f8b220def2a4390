/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a recording is found: its socket and its lock in the runtime folder. The lock decides who
 * owns an instance; the socket is only how to talk to the owner. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define WPR_DEFAULT_INSTANCE "WprApp"
/* In front of the name of root's recording, for other users. */
#define WPR_ROOT_PREFIX "root:"
/* What a recorder writes to who started it once it answers; a complaint never begins with it. */
#define WPR_READY_BYTE '\001'

/* Held as long as a recorder serves the instance. */
typedef struct _WprPlace WprPlace;
/* Takes the lock, and removes the socket a dead recorder left. NULL with
 * WPR_ERROR_ALREADY_RECORDING if somebody has it. */
WprPlace *wpr_place_take (const char *instance, GError **error);
const char *wpr_place_get_address (WprPlace *place); /* D-Bus address of the socket */
const char *wpr_place_get_socket (WprPlace *place);  /* its path */
const char *wpr_place_get_door (WprPlace *place);    /* root's, for other users; NULL: not root */
/* What to tell who asks for this recording when it is gone: where it was saved, or why not. Until
 * the next one of its name. */
void wpr_place_leave_words (WprPlace *place, const char *text);
char *wpr_place_last_words (const char *runtime_dir, const char *instance); /* NULL if none */
/* The process that holds the lock; 0 if it does not say. */
GPid wpr_place_read_owner (const char *runtime_dir, const char *instance);
/* Removes socket and lock. */
void wpr_place_free (WprPlace *place);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprPlace, wpr_place_free)

/* The instance's name, NULL meaning the default one; NULL with WPR_ERROR_USAGE if it is refused. */
const char *wpr_place_check_instance (const char *instance, GError **error);
#define WPR_DOOR_SUFFIX ".users"
/* Path of an instance's socket beneath a runtime folder; NULL with WPR_ERROR_USAGE if it is too
 * long for the kernel. */
char *wpr_place_socket_path (const char *runtime_dir, const char *instance, GError **error);
/* Removes socket and lock file if nobody holds the lock. TRUE if nobody did. */
gboolean wpr_place_sweep (const char *runtime_dir, const char *instance);

G_END_DECLS
