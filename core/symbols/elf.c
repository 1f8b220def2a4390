/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads .symtab, else .dynsym with .gnu_debugdata, or the .symtab of a separate file. Names are
 * libelf's until the table is built. */
#include "config.h"
#include "symbols/elf.h"

#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/table.h"

/* The largest programs there are (browsers, compilers) have about two million functions. */
#define MOST_FUNCTIONS (4u * 1024 * 1024)
#define MOST_SEGMENTS 4096

typedef struct
{
  WprFoundName *rows;
  size_t n, room;
  uint64_t lowest; /* address of the first PT_LOAD */
  Elf *elf, *separate, *mini;
  int mini_fd;
} Found;

static void
add (Found *found, const WprFoundName *row)
{
  if (found->n == MOST_FUNCTIONS)
    return;
  if (found->n == found->room)
    {
      size_t room = found->room > 0 ? found->room * 2 : 4096;
      WprFoundName *rows = realloc (found->rows, room * sizeof *rows);
      if (rows == NULL)
        return;
      found->rows = rows;
      found->room = room;
    }
  found->rows[found->n++] = *row;
}

/* Where symbols of a section end, 0 if the section holds no code. */
static uint64_t
code_end (Elf *elf, GElf_Section index)
{
  GElf_Shdr header;
  if (index == SHN_UNDEF || index >= SHN_LORESERVE
      || gelf_getshdr (elf_getscn (elf, index), &header) == NULL
      || (header.sh_flags & SHF_EXECINSTR) == 0)
    return 0;
  return header.sh_addr + header.sh_size;
}

static void
read_symbols (Elf *elf, Elf_Scn *section, const GElf_Shdr *header, Found *found)
{
  static const uint32_t ranks[16] = { [STB_LOCAL] = 2, [STB_WEAK] = 1 };
  Elf_Data *data = elf_getdata (section, NULL);
  size_t n = data != NULL && header->sh_entsize > 0 ? data->d_size / header->sh_entsize : 0;
  GElf_Section last_index = SHN_UNDEF;
  uint64_t end = 0;
  for (size_t i = 1; i < n && i <= INT32_MAX; i++)
    {
      GElf_Sym symbol;
      if (gelf_getsym (data, (int)i, &symbol) == NULL)
        break;
      int type = GELF_ST_TYPE (symbol.st_info);
      if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_value < found->lowest)
        continue;
      if (symbol.st_shndx != last_index)
        {
          last_index = symbol.st_shndx;
          end = code_end (elf, last_index);
        }
      const char *name = elf_strptr (elf, header->sh_link, symbol.st_name);
      if (end == 0 || name == NULL || name[0] == '\0')
        continue;
      add (found, &(WprFoundName){ .start = symbol.st_value - found->lowest,
                                   .size = symbol.st_size,
                                   .end = end > found->lowest ? end - found->lowest : 0,
                                   .name = name,
                                   .rank = ranks[GELF_ST_BIND (symbol.st_info)] });
    }
}

/* Of all sections of a type. */
static bool
read_sections (Elf *elf, GElf_Word type, Found *found)
{
  size_t before = found->n;
  for (Elf_Scn *section = elf_nextscn (elf, NULL); section != NULL;
       section = elf_nextscn (elf, section))
    {
      GElf_Shdr header;
      if (gelf_getshdr (section, &header) != NULL && header.sh_type == type)
        read_symbols (elf, section, &header, found);
    }
  return found->n > before;
}

/* A small ELF file within the file, packed by xz: libdw unpacks it. */
static void
open_mini_debug (Elf *elf, Found *found)
{
  size_t names;
  if (elf_getshdrstrndx (elf, &names) != 0)
    return;
  for (Elf_Scn *section = elf_nextscn (elf, NULL); section != NULL;
       section = elf_nextscn (elf, section))
    {
      GElf_Shdr header;
      const char *name = gelf_getshdr (section, &header) != NULL
                             ? elf_strptr (elf, names, header.sh_name)
                             : NULL;
      if (name == NULL || header.sh_type != SHT_PROGBITS || strcmp (name, ".gnu_debugdata") != 0)
        continue;
      Elf_Data *data = elf_rawdata (section, NULL);
      found->mini_fd = data != NULL ? memfd_create ("mini debug", MFD_CLOEXEC) : -1;
      if (found->mini_fd >= 0
          && write (found->mini_fd, data->d_buf, data->d_size) == (ssize_t)data->d_size)
        found->mini = dwelf_elf_begin (found->mini_fd);
      return;
    }
}

static bool
find_lowest (Elf *elf, uint64_t *lowest)
{
  size_t n = 0;
  bool any = false;
  if (elf_getphdrnum (elf, &n) != 0)
    return false;
  for (size_t i = 0; i < n && i < MOST_SEGMENTS; i++)
    {
      GElf_Phdr segment;
      if (gelf_getphdr (elf, (int)i, &segment) == NULL || segment.p_type != PT_LOAD)
        continue;
      if (!any || segment.p_vaddr < *lowest)
        *lowest = segment.p_vaddr;
      any = true;
    }
  return any;
}

static bool
same_build_id (Elf *one, Elf *other)
{
  const void *a, *b;
  ssize_t n = dwelf_elf_gnu_build_id (one, &a);
  return n > 0 && dwelf_elf_gnu_build_id (other, &b) == n && memcmp (a, b, (size_t)n) == 0;
}

static WprElfSource
read_all (int debug_fd, Found *found)
{
  Elf *elf = found->elf;
  found->separate = debug_fd >= 0 ? dwelf_elf_begin (debug_fd) : NULL;
  if (found->separate != NULL && same_build_id (elf, found->separate)
      && read_sections (found->separate, SHT_SYMTAB, found))
    return WPR_ELF_SEPARATE;
  if (read_sections (elf, SHT_SYMTAB, found))
    return WPR_ELF_SYMTAB;
  bool exported = read_sections (elf, SHT_DYNSYM, found);
  open_mini_debug (elf, found);
  if (found->mini != NULL && read_sections (found->mini, SHT_SYMTAB, found))
    return WPR_ELF_MINIDEBUG;
  return exported ? WPR_ELF_DYNSYM : WPR_ELF_NOTHING;
}

uint8_t *
wpr_elf_names (int fd, int debug_fd, WprElfSource *source, size_t *size)
{
  Found found = { .mini_fd = -1 };
  WprElfSource from = WPR_ELF_NOTHING;
  uint8_t *bytes = NULL;
  elf_version (EV_CURRENT);
  found.elf = elf_begin (fd, ELF_C_READ_MMAP, NULL);
  if (found.elf != NULL && elf_kind (found.elf) == ELF_K_ELF
      && find_lowest (found.elf, &found.lowest))
    {
      from = read_all (debug_fd, &found);
      bytes = wpr_names_build (found.rows, found.n, size);
    }
  *source = bytes != NULL ? from : WPR_ELF_NOTHING;
  free (found.rows);
  elf_end (found.mini);
  elf_end (found.separate);
  elf_end (found.elf);
  if (found.mini_fd >= 0)
    close (found.mini_fd);
  return bytes;
}
