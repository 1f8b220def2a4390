/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A recording made by a test and read by the independent walker. */
#pragma once

#include "drive.h"

G_BEGIN_DECLS

/* Starts a profile, file mode; ends it. Skips the test as drive_init does. */
void walked_start (Drive *d, const char *profile);
void walked_stop (Drive *d);

/* What the walker says of the file, by line, NULL-terminated; free with g_strfreev. */
char **walked (const Drive *d, const char *what);
guint walked_count (const Drive *d, const char *kind);

/* A kernel event as the walker gives it. */
typedef struct
{
  guint64 ticks;
  guint cpu, size;
  gint pid, tid;
  guint8 bytes[1024];
} Raw;
/* FALSE if the line is none. */
gboolean walked_parse (const char *line, Raw *raw);
guint64 walked_u64 (const guint8 *at);
guint32 walked_u32 (const guint8 *at);

G_END_DECLS
