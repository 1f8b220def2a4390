/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "sink/kallsyms.h"

#include <stdio.h>
#include <string.h>

/* A line: "ffffffff81377c60 T __x64_sys_getppid", of a module with a tab and "[name]" behind it:
 * those are not asked for. */
static void
take_line (char *line, GHashTable *wanted)
{
  char *end, *name;
  guint64 address = g_ascii_strtoull (line, &end, 16), *found;

  if (address == 0 || end[0] != ' ' || end[1] == '\0' || end[2] != ' ')
    return;
  name = end + 3;
  name[strcspn (name, "\n")] = '\0';
  found = g_hash_table_lookup (wanted, name);
  if (found != NULL && *found == 0)
    *found = address;
}

void
wpr_kallsyms_find (const char *path, GHashTable *wanted)
{
  FILE *file = fopen (path, "re");
  char *line = NULL;
  size_t space = 0;

  if (file == NULL)
    return;
  while (getline (&line, &space, file) > 0)
    take_line (line, wanted);
  free (line);
  fclose (file);
}
