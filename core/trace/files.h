/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which file a descriptor of a process is: descriptors by process, what they share after dup and
 * fork (an object an open), and the files behind them (a key a name). Fed by system calls, by looks
 * into /proc/PID/fd, and by the life of processes, in time order. Bounded; what is forgotten is
 * told first. */
#pragma once

#include "trace/event.h"

G_BEGIN_DECLS

/* Names that are kept, and descriptors of all processes together: 8 and 16 MiB, and the names. What
 * is older is told as gone and forgotten; what is beyond is not known. */
#define WPR_FILES_MOST_NAMES 65536
#define WPR_FILES_MOST_DESCRIPTORS (1u << 20)
/* The current folder of a process, in place of a descriptor (AT_FDCWD). */
#define WPR_FILES_CWD (-100)

typedef struct _WprFiles WprFiles;
typedef struct _WprFile WprFile;

/* An open file, shared by the descriptors that were duplicated from one. */
typedef struct
{
  WprFile *file; /* never NULL */
  guint64 number;
  gint64 position; /* of the next read or write; -1: not known */
  guint32 flags;   /* O_APPEND, O_DIRECT .. */
  guint refs;
} WprFileObject;

WprFiles *wpr_files_new (void);
void wpr_files_free (WprFiles *files);

/* ---- processes ---- */
void wpr_files_forked (WprFiles *files, guint32 pid, guint32 ppid);
void wpr_files_execed (WprFiles *files, guint32 pid);
void wpr_files_ended (WprFiles *files, guint32 pid);
/* Payload of a FILES note: what /proc showed of a process. What a system call told is kept. last:
 * nothing comes after it, so only what has no name yet is named. */
void wpr_files_looked (WprFiles *files, guint32 pid, const guint8 *payload, gsize size,
                       gboolean last);

/* ---- descriptors ---- */
/* What a descriptor is; one that nobody told of becomes a file called "fd 7 of PID 123". Valid
 * until the next call that changes something. */
WprFileObject *wpr_files_descriptor (WprFiles *files, guint32 pid, gint64 fd);
guint64 wpr_files_new_object_number (WprFiles *files);
WprFileObject *wpr_files_object_new (WprFiles *files, WprFile *file, guint32 flags);
void wpr_files_object_unref (WprFiles *files, WprFileObject *object);
/* The descriptor is this from now on (takes a reference); NULL: closed. */
void wpr_files_set (WprFiles *files, guint32 pid, gint64 fd, WprFileObject *object,
                    gboolean close_on_exec);
void wpr_files_set_close_on_exec (WprFiles *files, guint32 pid, gint64 fd, gboolean on);
void wpr_files_close_range (WprFiles *files, guint32 pid, guint32 first, guint32 last);

/* ---- names ---- */
/* Of this path, relative ones against a folder's descriptor; for the length of a path. Told as
 * soon as it is known. */
WprFile *wpr_files_named (WprFiles *files, guint32 pid, gint64 folder_fd, const char *path);
/* Of a descriptor whose name nobody told. For one object. */
WprFile *wpr_files_descriptor_file (WprFiles *files, guint32 pid, gint64 fd);
/* One without a name, called `what` "of PID 123", all of one `what` and process together. */
WprFile *wpr_files_nameless (WprFiles *files, guint32 pid, const char *what);
/* Keeps it while it may be asked for again. */
void wpr_file_ref (WprFiles *files, WprFile *file);
void wpr_file_unref (WprFiles *files, WprFile *file);
guint64 wpr_file_key (const WprFile *file);
const char *wpr_file_name (const WprFile *file);
/* The name is gone: deleted, or another now. */
void wpr_files_forget (WprFiles *files, WprFile *file);

/* What is to be told of names, one after the other: fills kind and u.file_name, valid until the
 * next call. FALSE: nothing more. */
gboolean wpr_files_next_name (WprFiles *files, WprEvent *event);
/* All that are known, for the end of a recording: const WprFile *, by key; free the array only. */
GPtrArray *wpr_files_list (const WprFiles *files);
guint64 wpr_files_n_untracked (const WprFiles *files);

G_END_DECLS
