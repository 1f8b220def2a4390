/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A small ELF file with every byte of it harmed, and cut at every length: what reads its symbols
 * may end its own process and nothing else, what reads its headers here must not even that; and JIT
 * maps that are none. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/elf.h"
#include "symbols/jail.h"
#include "symbols/perf-map.h"
#include "symbols/table.h"
#include "trace/image-private.h"

typedef struct
{
  char *bytes;
  gsize size;
  gsize step; /* between two cuts */
  guint n, n_tables, fates[WPR_JAIL_NOT_BEGUN + 1];
} Harm;

/* A program that a sanitizer made is larger: of that the first. Each that ends its process costs
 * one of these, which is slow to begin and slow to end with a sanitizer within. */
#ifdef __SANITIZE_ADDRESS__
#define MOST_BYTES 1600
#define MOST_CUTS 1000
#else
#define MOST_BYTES 16000
#define MOST_CUTS 20000
#endif
static const guint8 harms[] = { 0xff, 0x01, 0x80 };
#define N_HARMS G_N_ELEMENTS (harms)

/* A file in memory with one byte changed; -1 is harmless. */
static int
make_file (const Harm *harm, gsize at, guint8 with, gsize size)
{
  int fd = memfd_create ("harmed", MFD_CLOEXEC);
  if (fd < 0 || write (fd, harm->bytes, size) != (ssize_t)size)
    abort ();
  if (at < size)
    {
      guint8 byte = (guint8)(harm->bytes[at] ^ with);
      if (pwrite (fd, &byte, 1, (off_t)at) != 1)
        abort ();
    }
  return fd;
}

static int
read_harmed (guint index, guint8 **bytes, gsize *size, gpointer data)
{
  const Harm *harm = data;
  WprElfSource source;
  int fd = make_file (harm, index, harms[index % N_HARMS], harm->size);
  *bytes = wpr_elf_names (fd, -1, &source, size);
  close (fd);
  return (int)source;
}

static int
read_cut (guint index, guint8 **bytes, gsize *size, gpointer data)
{
  const Harm *harm = data;
  WprElfSource source;
  int fd = make_file (harm, harm->size, 0, MIN (index * harm->step, harm->size));
  *bytes = wpr_elf_names (fd, -1, &source, size);
  close (fd);
  return (int)source;
}

static void
take (guint index, WprJailFate fate, int answer, GBytes *bytes, gpointer data)
{
  Harm *harm = data;
  assert_int_equal (index, harm->n);
  harm->n++;
  harm->fates[fate]++;
  g_autoptr (WprNameTable) table = bytes != NULL ? wpr_name_table_new (bytes) : NULL;
  harm->n_tables += table != NULL;
  for (guint64 at = 0; table != NULL && at < harm->size * 2; at += 64)
    {
      const WprNameRow *row = wpr_name_table_find (table, at);
      if (row != NULL)
        assert_true (strlen (wpr_name_table_text (table, row)) <= WPR_NAMES_LONGEST);
    }
}

static void
load (Harm *harm, const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("WPR_FIXTURES"), name, NULL);
  memset (harm, 0, sizeof *harm);
  assert_true (g_file_get_contents (path, &harm->bytes, &harm->size, NULL));
}

static void
run (Harm *harm, WprJailWork work, guint n)
{
  WprJail jail = { .n = n,
                   .work = work,
                   .result = take,
                   .data = harm,
                   .piece_us = 5 * G_USEC_PER_SEC,
                   .deadline_us = g_get_monotonic_time () + 600 * G_USEC_PER_SEC,
                   .most_memory = G_GUINT64_CONSTANT (1) << 30,
                   .most_bytes = 64 << 20 };
  assert_true (wpr_jail_run (&jail));
  assert_int_equal (harm->n, n);
  assert_int_equal (harm->fates[WPR_JAIL_NOT_BEGUN], 0);
  assert_true (harm->n_tables > 0);
  print_message ("%u files: %u read, %u ended their process, %u were too slow\n", n,
                 harm->fates[WPR_JAIL_DONE], harm->fates[WPR_JAIL_CRASHED],
                 harm->fates[WPR_JAIL_TOO_SLOW]);
}

static void
every_byte_of_a_program_may_be_harmed (void **state)
{
  static const char *const names[] = { "known-stripped", "known-mini" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      Harm harm;
      load (&harm, names[i]);
      run (&harm, read_harmed, (guint)MIN (harm.size, MOST_BYTES));
      g_free (harm.bytes);
    }
}

static void
a_program_may_be_cut_anywhere (void **state)
{
  Harm harm;
  load (&harm, "known-pie");
  harm.step = MAX (16, harm.size / MOST_CUTS);
  /* The last is whole. */
  run (&harm, read_cut, (guint)((harm.size + harm.step - 1) / harm.step + 1));
  g_free (harm.bytes);
}

static void
headers_are_read_here_whatever_they_are (void **state)
{
  Harm harm;
  WprImageFile file;
  guint n_elf = 0;
  load (&harm, "known-stripped");
  for (gsize at = 0; at < MIN (harm.size, 4096); at++)
    for (guint i = 0; i < N_HARMS; i++)
      {
        int fd = make_file (&harm, at, harms[i], harm.size);
        wpr_image_file_read (fd, &file);
        n_elf += file.elf;
        assert_true (file.n_exec <= WPR_MOST_EXEC && file.build_id_size <= sizeof file.build_id);
        close (fd);
      }
  for (gsize size = 0; size < MIN (harm.size, 4096); size++)
    {
      int fd = make_file (&harm, harm.size, 0, size);
      wpr_image_file_read (fd, &file);
      close (fd);
    }
  assert_true (n_elf > 0);
  g_free (harm.bytes);
}

/* ---- JIT maps ---- */

static WprNameTable *
read_map (const char *text, gssize size, WprSymbolsState *state)
{
  int fd = memfd_create ("map", MFD_CLOEXEC);
  gsize length = size < 0 ? strlen (text) : (gsize)size;
  assert_int_equal (write (fd, text, length), (ssize_t)length);
  lseek (fd, 0, SEEK_SET);
  WprNameTable *table = wpr_perf_map_read (fd, state);
  close (fd);
  return table;
}

static void
lines_of_a_map_are_functions_and_the_later_one_holds (void **state)
{
  WprSymbolsState why;
  g_autoptr (WprNameTable) table = read_map (
      "1000 10 old\n2000 20 spaces are part of it\n1000 18 new\n3000 8 unfinished", -1, &why);
  assert_non_null (table);
  assert_int_equal (wpr_name_table_size (table), 3);
  const WprNameRow *row = wpr_name_table_find (table, 0x1017);
  assert_non_null (row);
  assert_string_equal (wpr_name_table_text (table, row), "new");
  row = wpr_name_table_find (table, 0x2000);
  assert_string_equal (wpr_name_table_text (table, row), "spaces are part of it");
  row = wpr_name_table_find (table, 0x3007);
  assert_string_equal (wpr_name_table_text (table, row), "unfinished");
}

static void
lines_that_are_none_are_skipped (void **state)
{
  static const char *const bad[] = {
    "",
    "\n\n\n",
    "1000",
    "1000 10",
    "1000 10 ",
    "zz 10 name",
    "1000 zz name",
    "0 10 name",
    "1000 0 name",
    "ffffffffffffffff ffff name",
    "fffffffffffffffffffffffff 10",
    "\377\376\375 1 2",
  };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      WprSymbolsState why;
      g_autoptr (WprNameTable) table = read_map (bad[i], -1, &why);
      assert_null (table);
      assert_int_equal (why, WPR_SYMBOLS_NONE);
    }
  WprSymbolsState why;
  g_autoptr (WprNameTable) table = read_map ("\0\0\0\n1000 10 name\n", 17, &why);
  assert_null (table); /* text ends at its NUL */
}

static void
a_huge_map_is_not_read (void **state)
{
  WprSymbolsState why;
  int fd = memfd_create ("map", MFD_CLOEXEC);
  assert_int_equal (ftruncate (fd, 1 << 30), 0);
  assert_null (wpr_perf_map_read (fd, &why));
  assert_int_equal (why, WPR_SYMBOLS_TOO_LARGE);
  close (fd);
  int ends[2];
  assert_int_equal (pipe (ends), 0);
  assert_null (wpr_perf_map_read (ends[0], &why));
  assert_int_equal (why, WPR_SYMBOLS_NOT_TRUSTED);
  close (ends[0]);
  close (ends[1]);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_byte_of_a_program_may_be_harmed),
    cmocka_unit_test (a_program_may_be_cut_anywhere),
    cmocka_unit_test (headers_are_read_here_whatever_they_are),
    cmocka_unit_test (lines_of_a_map_are_functions_and_the_later_one_holds),
    cmocka_unit_test (lines_that_are_none_are_skipped),
    cmocka_unit_test (a_huge_map_is_not_read),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
