/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where images lie, from real ELF files of this process and from one made by hand; and what is not
 * believed. */
#include "config.h"
#include "trace/image.h"

#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- the images of this process, as its own loader knows them ---- */

typedef struct
{
  const char *want; /* part of the name; NULL: the executable */
  guint64 lowest, end;
  guint8 build_id[20];
  guint build_id_size;
} Loaded;

static void
find_build_id (const struct dl_phdr_info *info, const ElfW (Phdr) * phdr, Loaded *loaded)
{
  const guint8 *note = (const guint8 *)(info->dlpi_addr + phdr->p_vaddr);
  const guint8 *end = note + phdr->p_memsz;
  while (note + sizeof (ElfW (Nhdr)) <= end)
    {
      const ElfW (Nhdr) *header = (gconstpointer)note;
      const guint8 *name = note + sizeof *header;
      const guint8 *desc = name + (header->n_namesz + 3) / 4 * 4;
      if (header->n_type == NT_GNU_BUILD_ID && strcmp ((const char *)name, "GNU") == 0)
        {
          loaded->build_id_size = MIN (header->n_descsz, 20);
          memcpy (loaded->build_id, desc, loaded->build_id_size);
        }
      note = desc + (header->n_descsz + 3) / 4 * 4;
    }
}

static int
on_loaded (struct dl_phdr_info *info, size_t size, void *data)
{
  Loaded *loaded = data;
  if (loaded->want == NULL ? info->dlpi_name[0] != 0
                           : strstr (info->dlpi_name, loaded->want) == NULL)
    return 0;
  loaded->lowest = G_MAXUINT64;
  for (int i = 0; i < info->dlpi_phnum; i++)
    {
      const ElfW (Phdr) *phdr = &info->dlpi_phdr[i];
      if (phdr->p_type == PT_LOAD)
        {
          loaded->lowest = MIN (loaded->lowest, info->dlpi_addr + phdr->p_vaddr);
          loaded->end = MAX (loaded->end, info->dlpi_addr + phdr->p_vaddr + phdr->p_memsz);
        }
      else if (phdr->p_type == PT_NOTE)
        find_build_id (info, phdr, loaded);
    }
  return 1;
}

/* The executable mapping of a file from /proc/self/maps. */
static void
find_mapping (const char *want, WprMapping *mapping, char path[512])
{
  char line[1024];
  g_autofree char *exe = g_file_read_link ("/proc/self/exe", NULL);
  FILE *maps = fopen ("/proc/self/maps", "re");
  assert_non_null (maps);
  memset (mapping, 0, sizeof *mapping);
  while (fgets (line, sizeof line, maps) != NULL && mapping->path == NULL)
    {
      unsigned long start, end, offset, inode;
      unsigned int maj, min;
      char flags[8];
      if (sscanf (line, "%lx-%lx %7s %lx %x:%x %lu %511s", &start, &end, flags, &offset, &maj, &min,
                  &inode, path)
              != 8
          || strchr (flags, 'x') == NULL || strstr (path, want != NULL ? want : exe) == NULL)
        continue;
      mapping->start = start;
      mapping->length = end - start;
      mapping->page_offset = offset;
      mapping->major = maj;
      mapping->minor = min;
      mapping->inode = inode;
      mapping->path = path;
    }
  fclose (maps);
  assert_non_null (mapping->path);
}

static void
check_loaded (const char *want)
{
  g_autoptr (WprImageTable) table = wpr_image_table_new ();
  Loaded loaded = { .want = want };
  WprMapping mapping;
  WprImage image;
  char path[512];
  assert_int_equal (dl_iterate_phdr (on_loaded, &loaded), 1);
  find_mapping (want, &mapping, path);
  for (guint i = 0; i < 2; i++) /* read, and kept */
    {
      assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
      assert_int_equal (image.base, loaded.lowest);
      assert_int_equal (image.base + image.size, loaded.end);
      assert_ptr_equal (image.mapping, &mapping);
      assert_string_equal (image.path, path);
      assert_int_equal (image.build_id_size, loaded.build_id_size);
      if (loaded.build_id_size > 0)
        assert_memory_equal (image.build_id, loaded.build_id, loaded.build_id_size);
    }
}

static void
test_executable (void **state)
{
  check_loaded (NULL);
}

static void
test_library (void **state)
{
  check_loaded ("libc.so.6");
}

/* ---- made by hand ---- */

typedef struct
{
  Elf64_Ehdr header;
  Elf64_Phdr phdr[3];
  struct
  {
    Elf64_Nhdr header;
    char name[4];
    guint8 id[20];
  } note;
} Made;

static char *
make_elf (const char *folder)
{
  Made made = {
    .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
                .e_type = ET_EXEC,
                .e_machine = EM_X86_64,
                .e_version = EV_CURRENT,
                .e_phoff = sizeof (Elf64_Ehdr),
                .e_ehsize = sizeof (Elf64_Ehdr),
                .e_phentsize = sizeof (Elf64_Phdr),
                .e_phnum = 3 },
    .phdr = { { .p_type = PT_LOAD,
                .p_flags = PF_R,
                .p_vaddr = 0x400000,
                .p_filesz = 0x800,
                .p_memsz = 0x800 },
              /* Text: file offset 0x1000, address 0x402000; to 0x402000 + 0x9123. */
              { .p_type = PT_LOAD,
                .p_flags = PF_R | PF_X,
                .p_offset = 0x1000,
                .p_vaddr = 0x402000,
                .p_filesz = 0x3000,
                .p_memsz = 0x9123 },
              { .p_type = PT_NOTE,
                .p_offset = offsetof (Made, note),
                .p_filesz = sizeof made.note,
                .p_align = 4 } },
    .note = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", "\x01\x02\x03\x04\x05\x06\x07\x08" },
  };
  char *path = g_build_filename (folder, "made", NULL);
  assert_true (g_file_set_contents (path, (const char *)&made, sizeof made, NULL));
  assert_int_equal (truncate (path, 0x4000), 0);
  return path;
}

static WprMapping
mapping_of (char *path)
{
  struct stat st;
  assert_int_equal (stat (path, &st), 0);
  /* Loaded 0x10000 higher than linked; the second page of the text, 0x2000 in the file. */
  return (WprMapping){ .start = 0x413000,
                       .length = 0x2000,
                       .page_offset = 0x2000,
                       .major = major (st.st_dev),
                       .minor = minor (st.st_dev),
                       .inode = st.st_ino,
                       .path = path };
}

static void
test_made (void **state)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr-image-XXXXXX", NULL);
  g_autofree char *path = make_elf (folder);
  g_autoptr (WprImageTable) table = wpr_image_table_new ();
  WprMapping mapping = mapping_of (path);
  WprImage image;
  assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
  assert_int_equal (image.base, 0x410000);
  assert_int_equal (image.size, 0xb123);
  assert_int_equal (image.build_id_size, 20);
  assert_memory_equal (image.build_id, "\x01\x02\x03\x04\x05\x06\x07\x08\x00", 9);

  /* Another file has taken its place since, or its time of change says so. */
  mapping.inode++;
  assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
  assert_int_equal (image.base, 0x411000);
  assert_int_equal (image.size, 0x4000);
  assert_int_equal (image.build_id_size, 0);
  mapping.inode--;
  mapping.mtime_ns = 1;
  assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
  assert_int_equal (image.base, 0x411000);

  /* A build id decides alone: mmap records that carry one have no inode. */
  mapping = mapping_of (path);
  mapping.inode = mapping.major = mapping.minor = 0;
  mapping.build_id_size = 20;
  memcpy (mapping.build_id, "\x01\x02\x03\x04\x05\x06\x07\x08", 9);
  assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
  assert_int_equal (image.base, 0x410000);
  mapping.build_id[0] = 0xff;
  assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
  assert_int_equal (image.base, 0x411000);
  assert_int_equal (image.build_id[0], 0xff); /* the mapping's own */
  unlink (path);
  rmdir (folder);
}

/* Cut at every place: whatever is read, nothing breaks. */
static void
test_cut (void **state)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr-image-XXXXXX", NULL);
  g_autofree char *path = make_elf (folder);
  for (int size = (int)sizeof (Made); size >= 0; size--)
    {
      g_autoptr (WprImageTable) table = wpr_image_table_new ();
      WprImage image;
      assert_int_equal (truncate (path, size), 0);
      WprMapping mapping = mapping_of (path);
      assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
      assert_true (image.base == 0x410000 || image.base == 0x411000);
    }
  unlink (path);
  rmdir (folder);
}

static void
test_no_file (void **state)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr-image-XXXXXX", NULL);
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);
  g_autoptr (WprImageTable) table = wpr_image_table_new ();
  WprMapping mapping = { .start = 0x7000000, .length = 0x1000, .page_offset = 0x3000, .inode = 5 };
  WprImage image;
  static const char *const memory[] = { "//anon", "[heap]", "[stack]", "", "[anon:jit]" };
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    {
      mapping.path = (char *)memory[i];
      assert_false (wpr_image_table_get (table, NULL, &mapping, &image));
    }
  mapping.path = NULL;
  assert_false (wpr_image_table_get (table, NULL, &mapping, &image));
  mapping.path = (char *)"[vdso]";
  assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
  assert_int_equal (image.base, 0x7000000);
  assert_int_equal (image.size, 0x1000);
  mapping.path = (char *)"/nonexistent/lib.so";
  assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
  assert_int_equal (image.base, 0x6ffd000);
  assert_int_equal (image.size, 0x4000);
  /* A FIFO must not hold us up. */
  assert_int_equal (mkfifo (fifo, 0600), 0);
  mapping.path = fifo;
  assert_true (wpr_image_table_get (table, NULL, &mapping, &image));
  assert_int_equal (image.base, 0x6ffd000);
  unlink (fifo);
  rmdir (folder);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_executable), cmocka_unit_test (test_library),
    cmocka_unit_test (test_made),       cmocka_unit_test (test_cut),
    cmocka_unit_test (test_no_file),
  };
  return cmocka_run_group_tests_name ("image", tests, NULL, NULL);
}
