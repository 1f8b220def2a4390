/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads a JIT map into memory once; lines that are none are skipped. */
#include "config.h"
#include "symbols/perf-map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A large program's map after hours has 20 MB. */
#define MOST_BYTES (64 * 1024 * 1024)

static char *
read_all (int fd, gsize size)
{
  char *text = g_try_malloc (size + 1);
  gsize at = 0;
  while (text != NULL && at < size)
    {
      ssize_t n = read (fd, text + at, size - at);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      at += (gsize)n;
    }
  if (text != NULL)
    text[at] = '\0';
  return text;
}

static gboolean
take_line (char *line, guint32 number, WprFoundName *row)
{
  char *end;
  guint64 start = g_ascii_strtoull (line, &end, 16), size;
  if (end == line || *end != ' ')
    return FALSE;
  line = end + 1;
  size = g_ascii_strtoull (line, &end, 16);
  if (end == line || *end != ' ' || end[1] == '\0' || start == 0 || size == 0
      || start + size < start)
    return FALSE;
  *row = (WprFoundName){
    .start = start, .size = size, .name = end + 1, .rank = G_MAXUINT32 - number
  };
  return TRUE;
}

static GArray *
take_apart (char *text)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (WprFoundName));
  guint32 number = 0;
  for (char *line = text; line != NULL && *line != '\0';)
    {
      char *next = strchr (line, '\n');
      WprFoundName row;
      if (next != NULL)
        *next++ = '\0';
      if (take_line (line, number++, &row))
        g_array_append_val (found, row);
      line = next;
    }
  return found;
}

WprNameTable *
wpr_perf_map_read (int fd, WprSymbolsState *state)
{
  struct stat st;
  *state = WPR_SYMBOLS_NONE;
  if (fstat (fd, &st) != 0 || !S_ISREG (st.st_mode))
    {
      *state = WPR_SYMBOLS_NOT_TRUSTED;
      return NULL;
    }
  if (st.st_size > MOST_BYTES)
    {
      *state = WPR_SYMBOLS_TOO_LARGE;
      return NULL;
    }
  g_autofree char *text = read_all (fd, (gsize)st.st_size);
  if (text == NULL)
    return NULL;
  g_autoptr (GArray) found = take_apart (text);
  gsize size = 0;
  guint8 *built = wpr_names_build ((WprFoundName *)(void *)found->data, found->len, &size);
  if (built == NULL)
    return NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (built, size, free, built);
  return wpr_name_table_new (bytes);
}
