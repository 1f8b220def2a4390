/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's own text, its modules, and what it compiles while it runs (BPF programs): mappings
 * of pid 0. Where addresses are hidden (kptr_restrict) there is nothing to tell. */
#include "config.h"
#include "base/files.h"
#include "world/world-private.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* BPF programs may come and go for ever: the newest of them are kept. */
#define KERNEL_MAPS_MOST 16384

static void
clear_mapping (gpointer data)
{
  g_clear_pointer (&((WprMapping *)data)->path, g_ref_string_release);
}

GArray *
wpr_kernel_maps_new (void)
{
  GArray *maps = g_array_new (FALSE, FALSE, sizeof (WprMapping));
  g_array_set_clear_func (maps, clear_mapping);
  return maps;
}

static void
add (WprWorld *world, WprMapping *mapping, const char *name)
{
  GArray *maps = world->kernel_maps;
  guint at = maps->len;
  for (guint i = 0; i < maps->len; i++)
    {
      const WprMapping *known = &g_array_index (maps, WprMapping, i);
      if (known->start == mapping->start && known->length == mapping->length
          && strcmp (known->path, name) == 0)
        return;
    }
  if (maps->len >= KERNEL_MAPS_MOST)
    {
      guint oldest = 0; /* never what was there before: kernel and modules */
      while (oldest + 1 < maps->len
             && g_array_index (maps, WprMapping, oldest).when == WPR_WORLD_BEFORE)
        oldest++;
      g_array_remove_index (maps, oldest);
      at = maps->len;
    }
  while (at > 0 && g_array_index (maps, WprMapping, at - 1).when > mapping->when)
    at--;
  mapping->path = wpr_text (name);
  g_array_insert_val (maps, at, *mapping);
}

void
wpr_kernel_maps_add_mapping (WprWorld *world, const WprMapping *mapping)
{
  WprMapping copy = *mapping;
  add (world, &copy, mapping->path);
}

void
wpr_kernel_maps_add (WprWorld *world, WprTime when, guint64 start, guint64 length, const char *name)
{
  WprMapping mapping = { .when = when, .start = start, .length = length };
  if (length > 0)
    add (world, &mapping, name);
}

/* Build id among ELF notes, as /sys/kernel/notes and a module's notes folder give them. */
static void
find_build_id (const guint8 *notes, gsize size, WprMapping *mapping)
{
  while (size >= sizeof (Elf64_Nhdr))
    {
      Elf64_Nhdr header;
      memcpy (&header, notes, sizeof header);
      guint64 name_size = ((guint64)header.n_namesz + 3) & ~(guint64)3;
      guint64 text_size = ((guint64)header.n_descsz + 3) & ~(guint64)3;
      if (name_size + text_size > size - sizeof header)
        return;
      const guint8 *name = notes + sizeof header, *text = name + name_size;
      if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 && memcmp (name, "GNU", 4) == 0)
        {
          mapping->build_id_size = MIN (header.n_descsz, sizeof mapping->build_id);
          memcpy (mapping->build_id, text, mapping->build_id_size);
          return;
        }
      notes += sizeof header + name_size + text_size;
      size -= sizeof header + name_size + text_size;
    }
}

static void
add_build_id (const char *path, WprMapping *mapping)
{
  gsize size = 0;
  g_autofree char *notes = wpr_read_small (path, 65536, &size);
  if (notes != NULL)
    find_build_id ((const guint8 *)notes, size, mapping);
}

/* _text (or _stext) to _etext; zero where addresses are hidden. */
static void
read_text (WprWorld *world)
{
  WprMapping mapping = { .when = WPR_WORLD_BEFORE };
  guint64 stext = 0, etext = 0;
  char line[512];
  FILE *file = fopen ("/proc/kallsyms", "re");
  if (file == NULL)
    return;
  while ((mapping.start == 0 || stext == 0 || etext == 0)
         && fgets (line, sizeof line, file) != NULL)
    {
      char *end;
      guint64 address = g_ascii_strtoull (line, &end, 16);
      if (end[0] != ' ' || end[1] == '\0' || end[2] != ' ')
        continue;
      char *name = g_strchomp (end + 3);
      if (address == 0 && strcmp (name, "_stext") == 0)
        break; /* hidden */
      if (strcmp (name, "_text") == 0)
        mapping.start = address;
      else if (strcmp (name, "_stext") == 0)
        stext = address;
      else if (strcmp (name, "_etext") == 0)
        etext = address;
    }
  fclose (file);
  if (mapping.start == 0)
    mapping.start = stext;
  if (mapping.start == 0 || etext <= mapping.start)
    return;
  mapping.length = etext - mapping.start;
  add_build_id ("/sys/kernel/notes", &mapping);
  add (world, &mapping, "[kernel.kallsyms]");
}

/* "name size refs users state address": the path is its name in brackets, as the kernel's tools
 * write it. */
static void
read_modules (WprWorld *world, WprTime now)
{
  char line[1024];
  FILE *file = fopen ("/proc/modules", "re");
  if (file == NULL)
    return;
  while (fgets (line, sizeof line, file) != NULL)
    {
      g_auto (GStrv) fields = g_strsplit (line, " ", 8);
      if (g_strv_length (fields) < 6)
        continue;
      WprMapping mapping = { .when = WPR_WORLD_BEFORE,
                             .start = g_ascii_strtoull (fields[5], NULL, 16),
                             .length = g_ascii_strtoull (fields[1], NULL, 10) };
      if (mapping.start == 0 || mapping.length == 0)
        continue;
      g_autofree char *name = g_strdup_printf ("[%s]", fields[0]);
      g_autofree char *notes
          = g_strdup_printf ("/sys/module/%s/notes/.note.gnu.build-id", fields[0]);
      add_build_id (notes, &mapping);
      add (world, &mapping, name);
    }
  fclose (file);
}

void
wpr_world_read_kernel (WprWorld *world, WprTime now)
{
  g_return_if_fail (world != NULL);
  read_text (world);
  read_modules (world, now);
}
