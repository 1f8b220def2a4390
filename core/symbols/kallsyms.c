/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* "ffffffff81000000 T _text", a tab and "[module]" behind: 10 MB on a common kernel. */
#include "config.h"
#include "symbols/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES (256u * 1024 * 1024)
#define FIRST_BYTES (16u * 1024 * 1024)
/* Sizes are not told, so a function goes on to the next one; none is longer than this, and what is
 * further away lies behind the last one of its kind. */
#define LONGEST_FUNCTION (64 * 1024)

static char *
read_all (const char *path, gsize *size)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  gsize room = FIRST_BYTES;
  char *text = fd >= 0 ? g_malloc (room + 1) : NULL;
  *size = 0;
  while (text != NULL)
    {
      ssize_t n = read (fd, text + *size, room - *size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      *size += (gsize)n;
      if (*size == room && room >= MOST_BYTES)
        break;
      if (*size == room)
        text = g_realloc (text, (room *= 2) + 1);
    }
  if (fd >= 0)
    close (fd);
  if (text != NULL)
    text[*size] = '\0';
  return text;
}

static gboolean
is_code (char type)
{
  return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/* Cuts the text into lines and names. */
static GArray *
take_apart (char *text)
{
  static const guint32 ranks[256] = { ['t'] = 2, ['w'] = 1, ['W'] = 1 };
  GArray *found = g_array_new (FALSE, FALSE, sizeof (WprFoundName));
  for (char *line = text; line != NULL && *line != '\0';)
    {
      char *next = strchr (line, '\n'), *end;
      if (next != NULL)
        *next++ = '\0';
      guint64 address = g_ascii_strtoull (line, &end, 16);
      if (address != 0 && end[0] == ' ' && is_code (end[1]) && end[2] == ' ' && end[3] != '\0')
        {
          char *name = end + 3;
          name[strcspn (name, "\t")] = '\0';
          WprFoundName row = { .start = address,
                               .end = address + LONGEST_FUNCTION,
                               .name = name,
                               .rank = ranks[(guint8)end[1]] };
          g_array_append_val (found, row);
        }
      line = next;
    }
  return found;
}

WprNameTable *
wpr_kallsyms_read (const char *path)
{
  gsize size = 0;
  g_autofree char *text = read_all (path, &size);
  if (text == NULL)
    return NULL;
  g_autoptr (GArray) found = take_apart (text);
  guint8 *built = wpr_names_build ((WprFoundName *)(void *)found->data, found->len, &size);
  if (built == NULL)
    return NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_with_free_func (built, size, free, built);
  return wpr_name_table_new (bytes);
}
