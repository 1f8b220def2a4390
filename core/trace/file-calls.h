/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* System calls on files on their way: enter and exit joined by thread, descriptors by files.h.
 * Memory is fixed, but for what files.h keeps. */
#pragma once

#include "trace/convert-private.h"

G_BEGIN_DECLS

typedef enum
{
  DOES_OPEN,
  DOES_CREATE, /* open (O_CREAT | O_WRONLY | O_TRUNC) */
  DOES_READ,
  DOES_WRITE,
  DOES_CLOSE,
  DOES_FLUSH,
  DOES_RENAME,
  DOES_DELETE,
  DOES_MAKE_FOLDER,
  DOES_LIST,
  DOES_ASK_FD,
  DOES_ASK_NAME,
  DOES_N_OPERATIONS, /* from here on: descriptors only */
  DOES_SEEK = DOES_N_OPERATIONS,
  DOES_DUP,
  DOES_CONTROL,
  DOES_CLOSE_RANGE,
  DOES_GO
} Does;

/* Arguments by place; "" where a call has none. */
enum
{
  FD, /* descriptor, or the folder of a name */
  SIZE,
  OFFSET,
  FLAGS,
  OTHER, /* a second descriptor, or folder */
  N_ARGUMENTS
};

typedef struct
{
  const char *name;
  Does does;
  const char *arguments[N_ARGUMENTS];
  const char *path; /* the argument that is a name; kernels that copy it call it __NAME_val */
} WprFileCall;

typedef struct
{
  guint32 has; /* bits */
  gint64 values[N_ARGUMENTS];
  const char *path; /* NULL: not in the record */
  gsize path_size;
} WprFileArguments;

/* What a probe tells. */
typedef struct
{
  const char *name, *to;
  gsize name_size, to_size;
  gint64 folder, to_folder;
  gboolean has_flags;
  guint32 flags;
} WprFileNames;

WprFileCalls *wpr_file_calls_new (void);
/* A probe tells the names of calls that do one of these. */
void wpr_file_calls_probed (WprFileCalls *calls, guint32 does);
WprConverted wpr_file_calls_enter (WprFileCalls *calls, const WprFileCall *call,
                                   const WprFileArguments *arguments, WprEvent *event);
WprConverted wpr_file_calls_exit (WprFileCalls *calls, const WprFileCall *call, gint64 result,
                                  WprEvent *event);
WprConverted wpr_file_calls_named (WprFileCalls *calls, guint32 does, const WprFileNames *names,
                                   WprEvent *event);

G_END_DECLS
