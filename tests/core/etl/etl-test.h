/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of the container share: bytes from hex text, a file in memory, both without
 * anything of core/etl but its public functions. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/wpr-error.h"
#include "etl/reader.h"
#include "etl/writer.h"

/* "0400 02c0 .." with any spaces. */
static inline GByteArray *
test_bytes (const char *hex)
{
  GByteArray *bytes = g_byte_array_new ();

  for (const char *p = hex; *p != '\0';)
    {
      guint8 byte;

      if (g_ascii_isspace (*p))
        {
          p++;
          continue;
        }
      byte = (guint8)(g_ascii_xdigit_value (p[0]) << 4 | g_ascii_xdigit_value (p[1]));
      g_byte_array_append (bytes, &byte, 1);
      p += 2;
    }
  return bytes;
}

static inline void
test_assert_hex (const guint8 *at, const char *hex)
{
  g_autoptr (GByteArray) expected = test_bytes (hex);

  assert_memory_equal (at, expected->data, expected->len);
}

static inline int
test_memory_file (void)
{
  int fd = memfd_create ("etl-test", MFD_CLOEXEC);

  assert_true (fd >= 0);
  return fd;
}

/* Everything in the file; closes it. */
static inline GByteArray *
test_take_file (int fd)
{
  GByteArray *bytes = g_byte_array_new ();
  struct stat st;

  assert_int_equal (fstat (fd, &st), 0);
  g_byte_array_set_size (bytes, (guint)st.st_size);
  assert_int_equal (pread (fd, bytes->data, (size_t)st.st_size, 0), st.st_size);
  close (fd);
  return bytes;
}

static inline WprEtlHeaderInfo
test_header_info (void)
{
  return (WprEtlHeaderInfo){ .n_cpus = 2,
                             .cpu_mhz = 2400,
                             .boot_filetime = G_GINT64_CONSTANT (132000000000000000),
                             .start_filetime = G_GINT64_CONSTANT (132000000000001000),
                             .start_ticks = 1000,
                             .logger_name = "test",
                             .file_name = "test.etl" };
}

static inline guint32
test_u32 (const guint8 *at)
{
  return (guint32)at[0] | (guint32)at[1] << 8 | (guint32)at[2] << 16 | (guint32)at[3] << 24;
}

static inline guint64
test_u64 (const guint8 *at)
{
  return test_u32 (at) | (guint64)test_u32 (at + 4) << 32;
}
