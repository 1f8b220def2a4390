/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of functions and the set of addresses. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/addresses.h"
#include "symbols/table.h"

static GBytes *
build (WprFoundName *found, gsize n)
{
  gsize size = 0;
  guint8 *bytes = wpr_names_build (found, n, &size);
  assert_non_null (bytes);
  return g_bytes_new_with_free_func (bytes, size, free, bytes);
}

static const char *
name_at (const WprNameTable *table, guint64 address)
{
  const WprNameRow *row = wpr_name_table_find (table, address);
  return row != NULL ? wpr_name_table_text (table, row) : "";
}

static void
the_function_that_holds_an_address_is_found (void **state)
{
  WprFoundName found[] = {
    { 0x300, 0x10, 0, "last", 0 },
    { 0x100, 0x40, 0, "first", 0 },
    { 0x180, 0x100, 0, "outer", 0 },
    { 0x1a0, 0x10, 0, "inner", 0 },
  };
  g_autoptr (GBytes) bytes = build (found, G_N_ELEMENTS (found));
  g_autoptr (WprNameTable) table = wpr_name_table_new (bytes);
  assert_non_null (table);
  assert_int_equal (wpr_name_table_size (table), 4);
  assert_string_equal (name_at (table, 0xff), "");
  assert_string_equal (name_at (table, 0x100), "first");
  assert_string_equal (name_at (table, 0x13f), "first");
  assert_string_equal (name_at (table, 0x140), ""); /* between functions nothing is guessed */
  assert_string_equal (name_at (table, 0x1a4), "inner");
  assert_string_equal (name_at (table, 0x1b0), "outer"); /* behind what lies within it */
  assert_string_equal (name_at (table, 0x30f), "last");
  assert_string_equal (name_at (table, 0x310), "");
  assert_string_equal (name_at (table, G_MAXUINT64), "");
}

static void
a_function_without_a_size_goes_on_to_the_next_or_to_the_end_of_its_section (void **state)
{
  WprFoundName found[] = {
    { 0x100, 0, 0x400, "one", 0 },
    { 0x200, 0, 0x400, "two", 0 },
  };
  g_autoptr (GBytes) bytes = build (found, G_N_ELEMENTS (found));
  g_autoptr (WprNameTable) table = wpr_name_table_new (bytes);
  assert_string_equal (name_at (table, 0x1ff), "one");
  assert_string_equal (name_at (table, 0x3ff), "two");
  assert_string_equal (name_at (table, 0x400), "");
}

static void
of_several_names_the_one_people_know_stays (void **state)
{
  WprFoundName found[] = {
    { 0x100, 16, 0, "__GI_write", 2 }, { 0x100, 16, 0, "__write", 0 }, { 0x100, 16, 0, "write", 1 },
    { 0x200, 16, 0, "__read", 0 },     { 0x200, 16, 0, "read", 0 },    { 0x300, 0, 0, "bare", 0 },
    { 0x300, 16, 0, "sized", 0 },
  };
  g_autoptr (GBytes) bytes = build (found, G_N_ELEMENTS (found));
  g_autoptr (WprNameTable) table = wpr_name_table_new (bytes);
  assert_string_equal (name_at (table, 0x100), "__write"); /* global before weak before local */
  assert_string_equal (name_at (table, 0x200), "read");
  assert_string_equal (name_at (table, 0x300), "sized");
}

static void
nothing_gives_no_table (void **state)
{
  gsize size = 0;
  assert_null (wpr_names_build (NULL, 0, &size));
}

/* Whatever is wrong in the bytes: no table, or one whose every answer lies within them. */
static void
bytes_of_a_stranger_are_checked (void **state)
{
  WprFoundName found[]
      = { { 0x100, 16, 0, "alpha", 0 }, { 0x200, 16, 0, "beta", 0 }, { 0x300, 16, 0, "gamma", 0 } };
  g_autoptr (GBytes) good = build (found, G_N_ELEMENTS (found));
  gsize size = g_bytes_get_size (good);
  guint n_refused = 0;
  for (gsize cut = 0; cut < size; cut++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (g_bytes_get_data (good, NULL), cut);
      assert_null (wpr_name_table_new (bytes));
    }
  for (gsize at = 0; at < size; at++)
    for (guint bit = 0; bit < 8; bit++)
      {
        g_autofree guint8 *copy = g_memdup2 (g_bytes_get_data (good, NULL), size);
        copy[at] ^= (guint8)(1 << bit);
        g_autoptr (GBytes) bytes = g_bytes_new (copy, size);
        g_autoptr (WprNameTable) table = wpr_name_table_new (bytes);
        n_refused += table == NULL;
        for (guint64 address = 0x0f0; table != NULL && address < 0x340; address += 8)
          assert_true (strlen (name_at (table, address)) < size);
      }
  assert_true (n_refused > 0);
}

/* ---- addresses ---- */

static void
each_address_is_kept_once_and_counted (void **state)
{
  g_autoptr (WprAddressSet) set = wpr_address_set_new (100000);
  guint n = 0;
  for (guint round = 0; round < 3; round++)
    for (guint64 i = 1; i <= 20000; i++)
      wpr_address_set_add (set, i % 2 == 0 ? 7 : 0, i * 4096);
  wpr_address_set_add (set, 0, 0); /* is none */
  assert_int_equal (wpr_address_set_size (set), 20000);
  assert_int_equal (wpr_address_set_beyond (set), 0);
  g_autofree WprSeenAddress *all = wpr_address_set_take (set, &n);
  assert_int_equal (n, 20000);
  for (guint i = 0; i < n; i++)
    {
      assert_int_equal (all[i].count, 3);
      assert_int_equal (all[i].space, i < 10000 ? 0 : 7);
      if (i > 0 && i != 10000)
        assert_true (all[i].address > all[i - 1].address);
    }
  assert_int_equal (wpr_address_set_size (set), 0);
  wpr_address_set_add (set, 1, 42);
  assert_int_equal (wpr_address_set_size (set), 1);
}

static void
addresses_of_a_stack_are_kept_together (void **state)
{
  g_autoptr (WprAddressSet) set = wpr_address_set_new (1 << 16);
  guint64 stack[100];
  guint n = 0;
  /* Each address is in 100 stacks of the 20 000, but the last ones; the table grows underneath. */
  for (guint64 first = 1; first <= 20000; first++)
    {
      for (guint i = 0; i < G_N_ELEMENTS (stack); i++)
        stack[i] = i == 50 ? 0 : first + i;
      wpr_address_set_add_all (set, 3, stack, G_N_ELEMENTS (stack));
    }
  wpr_address_set_add_all (set, 3, stack, 0);
  g_autofree WprSeenAddress *all = wpr_address_set_take (set, &n);
  assert_int_equal (n, 20000 + G_N_ELEMENTS (stack) - 1);
  for (guint i = 0; i < n; i++)
    {
      assert_int_equal (all[i].address, i + 1);
      assert_int_equal (all[i].space, 3);
      if (i >= G_N_ELEMENTS (stack) && i < 20000 - 1)
        assert_int_equal (all[i].count, G_N_ELEMENTS (stack) - 1);
    }
  assert_int_equal (wpr_address_set_beyond (set), 0);
}

static void
a_full_set_takes_of_a_stack_what_fits (void **state)
{
  g_autoptr (WprAddressSet) set = wpr_address_set_new (10);
  g_autoptr (WprAddressSet) none = wpr_address_set_new (0);
  guint64 stack[40];
  for (guint i = 0; i < G_N_ELEMENTS (stack); i++)
    stack[i] = 100 + i;
  wpr_address_set_add_all (set, 1, stack, G_N_ELEMENTS (stack));
  wpr_address_set_add_all (none, 1, stack, G_N_ELEMENTS (stack));
  assert_int_equal (wpr_address_set_size (set), 10);
  assert_int_equal (wpr_address_set_beyond (set), 30);
  assert_int_equal (wpr_address_set_size (none), 0);
  assert_int_equal (wpr_address_set_beyond (none), 40);
}

static void
what_is_too_much_is_counted_and_not_kept (void **state)
{
  g_autoptr (WprAddressSet) set = wpr_address_set_new (1000);
  for (guint64 i = 1; i <= 5000; i++)
    wpr_address_set_add (set, 0, i);
  wpr_address_set_add (set, 0, 1);
  assert_int_equal (wpr_address_set_size (set), 1000);
  assert_int_equal (wpr_address_set_beyond (set), 4000);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_function_that_holds_an_address_is_found),
    cmocka_unit_test (a_function_without_a_size_goes_on_to_the_next_or_to_the_end_of_its_section),
    cmocka_unit_test (of_several_names_the_one_people_know_stays),
    cmocka_unit_test (nothing_gives_no_table),
    cmocka_unit_test (bytes_of_a_stranger_are_checked),
    cmocka_unit_test (each_address_is_kept_once_and_counted),
    cmocka_unit_test (addresses_of_a_stack_are_kept_together),
    cmocka_unit_test (a_full_set_takes_of_a_stack_what_fits),
    cmocka_unit_test (what_is_too_much_is_counted_and_not_kept),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
