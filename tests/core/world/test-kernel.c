/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's own mappings: text, modules, programs it compiles. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "world/world.h"

static guint64
symbol_address (const char *wanted)
{
  char line[512], name[256], type;
  guint64 address, found = 0;
  FILE *file = fopen ("/proc/kallsyms", "re");
  while (file != NULL && found == 0 && fgets (line, sizeof line, file) != NULL)
    if (sscanf (line, "%" G_GINT64_MODIFIER "x %c %255s", &address, &type, name) == 3
        && strcmp (name, wanted) == 0)
      found = address;
  if (file != NULL)
    fclose (file);
  return found;
}

static const WprMapping *
mapping_of (const WprWorld *world, guint64 address)
{
  const GArray *maps = wpr_world_kernel_mappings (world);
  for (guint i = 0; i < maps->len; i++)
    {
      const WprMapping *m = &g_array_index (maps, WprMapping, i);
      if (m->start <= address && address - m->start < m->length)
        return m;
    }
  return NULL;
}

static void
kernel_text_covers_its_functions (void **state)
{
  guint64 address = symbol_address ("schedule");
  if (address == 0)
    skip (); /* addresses are hidden from this user (kptr_restrict) */
  g_autoptr (WprWorld) world = wpr_world_new (1);
  wpr_world_read_kernel (world, 1);
  const WprMapping *m = mapping_of (world, address);
  assert_non_null (m);
  assert_string_equal (m->path, "[kernel.kallsyms]");
  assert_int_equal (m->when, WPR_WORLD_BEFORE);
  g_autofree char *notes = NULL;
  gsize size;
  if (!g_file_get_contents ("/sys/kernel/notes", &notes, &size, NULL))
    return;
  assert_int_equal (m->build_id_size, 20);
  assert_non_null (memmem (notes, size, m->build_id, 20));
  guint n = wpr_world_kernel_mappings (world)->len;
  wpr_world_read_kernel (world, 2);
  assert_int_equal (wpr_world_kernel_mappings (world)->len, n); /* told twice, there once */
}

static void
feed_ksymbol (WprWorld *world, gint64 time, guint64 address, guint16 flags, const char *name)
{
  struct
  {
    guint64 address;
    guint32 length;
    guint16 type, flags;
    char name[64];
  } body = { address, 64, 1, flags, "" };
  g_strlcpy (body.name, name, sizeof body.name);
  WprRecord record = { .type = PERF_RECORD_KSYMBOL,
                       .row = G_MAXUINT32,
                       .time = time,
                       .body = (const guint8 *)&body,
                       .body_size = sizeof body };
  wpr_world_feed (world, &record);
}

static void
compiled_programs_are_known_and_bounded (void **state)
{
  g_autoptr (WprWorld) world = wpr_world_new (1);
  feed_ksymbol (world, 10, 0xffff0000, 0, "bpf_prog_one");
  feed_ksymbol (world, 20, 0xffff0000, PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER, "bpf_prog_one");
  const WprMapping *m = mapping_of (world, 0xffff0010);
  assert_non_null (m);
  assert_string_equal (m->path, "bpf_prog_one");
  assert_int_equal (m->when, 10);
  for (guint i = 0; i < 17000; i++)
    {
      char name[64];
      g_snprintf (name, sizeof name, "bpf_prog_%u", i);
      feed_ksymbol (world, 100 + i, 0xffff1000 + (guint64)i * 64, 0, name);
    }
  assert_true (wpr_world_kernel_mappings (world)->len <= 16384);
  assert_non_null (mapping_of (world, 0xffff1000 + G_GUINT64_CONSTANT (16999) * 64));
  assert_null (mapping_of (world, 0xffff0010));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (kernel_text_covers_its_functions),
    cmocka_unit_test (compiled_programs_are_known_and_bounded),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
