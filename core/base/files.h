/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Safe files and the two places of the product. Nothing here resolves a path on behalf of another
 * process. */
#pragma once

#include <glib.h>

#include "base/behalf.h"

G_BEGIN_DECLS

/* Where sockets and published figures live: $WPR_RUNTIME_DIR, else root: /run/wpr, else
 * $XDG_RUNTIME_DIR/wpr, else $XDG_STATE_HOME/wpr/run. Created 0700 (root's: 0755); refused with
 * WPR_ERROR_NOT_PERMITTED if owned by another user. Free with g_free. */
char *wpr_runtime_dir (GError **error);
/* Where another user finds root's recordings: /run/wpr; with $WPR_RUNTIME_DIR (a test)
 * $WPR_ROOT_RUNTIME_DIR. NULL where there is none, and for root, whose runtime folder it is. Free
 * with g_free. */
char *wpr_root_runtime_dir (void);
/* Where raw recordings and the log live: $WPR_STATE_DIR, else root: /var/lib/wpr, else
 * $XDG_STATE_HOME/wpr. Created 0700. */
char *wpr_state_dir (GError **error);
/* <state>/raw, created 0700. */
char *wpr_raw_dir (GError **error);

/* Where tables of symbols are kept between recordings: $WPR_CACHE_DIR, else $WPR_STATE_DIR/cache,
 * else root: /var/cache/wpr/symbols, else $XDG_CACHE_HOME/wpr/symbols. Created 0700. */
char *wpr_cache_dir (GError **error);

/* Opens a folder: O_DIRECTORY|O_CLOEXEC. Fails with WPR_ERROR_NOT_WRITABLE and a sentence that
 * names it. */
int wpr_open_folder (const char *path, GError **error);
/* The same to write in, where the path may be somebody else's trap: as root links are followed only
 * where they are root's, and a folder in which everybody may replace everything is refused
 * (WPR_ERROR_NOT_PERMITTED). Else as wpr_open_folder(). */
int wpr_open_folder_careful (const char *path, GError **error);
/* Creates `name` beneath folder_fd: O_EXCL|O_NOFOLLOW, 0600 / 0700. `name` must have no slash. -1
 * with error set. */
int wpr_create_file_at (int folder_fd, const char *name, GError **error);
int wpr_create_folder_at (int folder_fd, const char *name,
                          GError **error); /* returns an opened folder */
/* Deletes a folder and what is in it, never following links. Missing is success. */
gboolean wpr_remove_tree_at (int parent_fd, const char *name, GError **error);

/* An output that appears whole or not at all: O_TMPFILE in the folder (else a temporary name
 * there, ".wpr-*.partial"; what a dead process left of those goes), linked without replacing. */
typedef struct _WprNewFile WprNewFile;
/* Checks first that the name is free and the folder writable (WPR_ERROR_NOT_WRITABLE). Does not
 * take folder_fd. */
WprNewFile *wpr_new_file_open (int folder_fd, const char *name, GError **error);
/* The same on somebody's behalf (NULL: this process's): with their rights, and theirs then. */
WprNewFile *wpr_new_file_open_for (int folder_fd, const char *name, WprBehalf *behalf,
                                   GError **error);
int wpr_new_file_get_fd (WprNewFile *file);
/* fsync, then link to the name; never over an existing file (WPR_ERROR_NOT_WRITABLE). */
gboolean wpr_new_file_commit (WprNewFile *file, GError **error);
/* Takes the name away again, if it still is this file's: where one of several could not be
 * committed. */
void wpr_new_file_withdraw (WprNewFile *file);
/* Frees; what was not committed is gone. */
void wpr_new_file_free (WprNewFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprNewFile, wpr_new_file_free)
/* Checks folder and name as wpr_new_file_open does, leaving nothing behind: before anything is
 * stopped. */
gboolean wpr_new_file_check (int folder_fd, const char *name, GError **error);
gboolean wpr_new_file_check_for (int folder_fd, const char *name, WprBehalf *behalf,
                                 GError **error);

/* write() all of it; EINTR and short writes handled. FALSE with WPR_ERROR_NO_SPACE for ENOSPC and
 * EDQUOT, WPR_ERROR_INTERNAL else. */
gboolean wpr_write_all (int fd, gconstpointer data, gsize size, GError **error);
/* Whole small file (of /proc, /sys) into a NUL-terminated buffer, at most `most` bytes; NULL
 * without an error on any failure. */
char *wpr_read_small (const char *path, gsize most, gsize *size);
/* Free bytes for this user on the file system of fd. FALSE if it cannot be asked. */
gboolean wpr_free_space (int fd, guint64 *free_bytes, guint64 *total_bytes);
/* TRUE for an instance name we accept: [A-Za-z0-9_-][A-Za-z0-9._-]{0,47}. */
gboolean wpr_instance_name_valid (const char *name);
/* The naming rule of saved recordings: "<host> <YYYY-MM-DD> <HH-MM-SS>.etl" in local time, with "
 * -2", "-3".. before .etl until it is free in the folder. */
char *wpr_recording_file_name (int folder_fd, gint64 realtime_ns);
/* The save folder: WPR_SAVE_DIR, else "<Documents>/WPR Files" (home where there is no Documents).
 * For root the home of whom it acts for, or its own: what "Documents" is, a file in a home says.
 * Created if missing by the caller. */
char *wpr_default_save_dir (const WprBehalf *behalf);
/* Opens it, or `wanted` (NULL: it); made with their rights where it is missing. *path: which one;
 * free with g_free. */
int wpr_open_save_folder (const char *wanted, const WprBehalf *behalf, char **path, GError **error);

G_END_DECLS
