/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reader: what it says of sound, damaged and foreign files. Hostile bytes lie in memory of
 * exactly their size, so that ASan sees every step beyond. */
#include "config.h"
#include "etl-test.h"
#include "etl/decode.h"

#define BUFFER 65536u

typedef struct
{
  guint64 n_events, n_faults, n_fields;
  GHashTable *hooks; /* hook -> count */
  WprEtlDecoder *decoder;
  char *first_fault;
} Seen;

static gboolean
see_event (const WprEtlEvent *event, gpointer data)
{
  Seen *seen = data;
  const WprEtlField *fields;
  guint n_fields;
  gpointer key = GUINT_TO_POINTER ((guint)event->hook + 1);
  guint sum = 0;

  seen->n_events++;
  if (seen->hooks != NULL && event->header_type < 0x12)
    g_hash_table_insert (
        seen->hooks, key,
        GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (seen->hooks, key)) + 1));
  for (guint32 i = 0; i < event->payload_size; i++)
    sum += event->payload[i];
  n_fields = wpr_etl_decoder_fields (seen->decoder, event,
                                     wpr_etl_decoder_kind (seen->decoder, event), &fields);
  for (guint k = 0; k < n_fields; k++)
    {
      seen->n_fields += event->schema != NULL;
      for (guint32 i = 0; i < fields[k].size; i++)
        sum += fields[k].value[i];
    }
  return sum != G_MAXUINT;
}

static void
see_fault (guint64 offset, const char *fault, gpointer data)
{
  Seen *seen = data;

  if (seen->n_faults++ == 0)
    seen->first_fault = g_strdup (fault);
}

static gboolean
read_in_place (const guint8 *bytes, gsize size, Seen *seen, GError **error)
{
  g_autoptr (WprEtlFile) file = wpr_etl_file_new (bytes, size, error);
  g_autoptr (WprEtlDecoder) decoder = NULL;

  if (file == NULL)
    return FALSE;
  seen->decoder = decoder = wpr_etl_decoder_new (file);
  wpr_etl_file_visit (file, see_event, see_fault, seen);
  return TRUE;
}

static gboolean
read_bytes (const guint8 *bytes, gsize size, Seen *seen, GError **error)
{
  g_autofree guint8 *exact = g_memdup2 (bytes, size);

  return read_in_place (exact, size, seen, error);
}

static void
clear_seen (Seen *seen)
{
  g_clear_pointer (&seen->hooks, g_hash_table_unref);
  g_free (seen->first_fault);
  memset (seen, 0, sizeof *seen);
}

/* Two CPUs, every kind of header, `n` events each. */
static GByteArray *
make_file (guint n)
{
  int fd = test_memory_file ();
  WprEtlHeaderInfo info = test_header_info ();
  g_autoptr (WprEtlWriter) writer = wpr_etl_writer_new (fd, &info, NULL);
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.test", "Event");
  static const WprEtlGuid guid = { 1, 2, 3, { 4 } };
  WprEtlHead heads[] = {
    { .kind = WPR_ETL_SYSTEM, .hook = 0x0301, .version = 4, .pid = 1, .tid = 2 },
    { .kind = WPR_ETL_COMPACT, .hook = 0x0532, .version = 2, .pid = 1, .tid = 2 },
    { .kind = WPR_ETL_PERFINFO, .hook = 0x0524, .version = 4 },
    { .kind = WPR_ETL_CLASSIC, .guid = &guid, .type = 36, .pid = 1, .tid = 2 },
    { .kind = WPR_ETL_EVENT, .pid = 1, .tid = 2 },
  };

  wpr_etl_schema_add_field (schema, "text", WPR_TL_STRING8, 0, 0);
  wpr_etl_schema_add_field (schema, "list", WPR_TL_U32, 0, -1);
  wpr_etl_schema_add_field (schema, "number", WPR_TL_U64, 0, 0);
  wpr_etl_schema_fill_head (schema, &heads[4]);
  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < G_N_ELEMENTS (heads); k++)
      assert_true (wpr_etl_writer_add (writer, i % 2, 1000 + 10 * i + k, &heads[k],
                                       "text\0\1\0listnumber..", 20 - (k == 4 ? 1 : 0), NULL));
  assert_true (wpr_etl_writer_finish (writer, 1, 0, 0, NULL));
  return test_take_file (fd);
}

static void
a_written_file_is_sound (void **state)
{
  g_autoptr (GByteArray) file = make_file (3000);
  Seen seen = { .hooks = g_hash_table_new (NULL, NULL) };

  assert_true (read_bytes (file->data, file->len, &seen, NULL));
  assert_null (seen.first_fault);
  assert_int_equal (seen.n_events, 3000 * 5 + 3); /* and what the header buffer holds */
  assert_int_equal (seen.n_fields, 3000 * 3);
  assert_int_equal (
      GPOINTER_TO_UINT (g_hash_table_lookup (seen.hooks, GUINT_TO_POINTER (0x0524 + 1))), 3000);
  clear_seen (&seen);
}

static void
a_file_cut_anywhere_is_described (void **state)
{
  g_autoptr (GByteArray) file = make_file (40);
  guint used = test_u32 (file->data + BUFFER + 0x30);

  for (guint size = 0; size < file->len;)
    {
      guint within = size % BUFFER;
      Seen seen = { 0 };
      GError *error = NULL;

      if (read_bytes (file->data, size, &seen, &error))
        assert_true (seen.n_faults > 0);
      else
        assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
      g_clear_error (&error);
      clear_seen (&seen);
      size += within < used + 16 ? 1 : 211; /* every byte where events lie */
    }
}

static void
flipped_bytes_do_no_harm (void **state)
{
  g_autoptr (GByteArray) file = make_file (10);
  static const guint8 masks[] = { 0x01, 0x80, 0xff, 0x10 };

  for (guint at = 0; at < file->len; at++)
    {
      guint within = at % BUFFER;
      guint used = test_u32 (file->data + (at - within) + 0x30);

      if (within >= used)
        continue;
      for (guint i = 0; i < G_N_ELEMENTS (masks); i++)
        {
          Seen seen = { 0 };

          file->data[at] ^= masks[i];
          read_in_place (file->data, file->len, &seen, NULL);
          file->data[at] ^= masks[i];
          assert_true (seen.n_events <= 3 + 10 * 5 + file->len / 8);
          clear_seen (&seen);
        }
    }
}

static void
expect_fault (GByteArray *file, guint offset, const char *hex, const char *part)
{
  g_autoptr (GByteArray) bytes = test_bytes (hex);
  Seen seen = { 0 };

  memcpy (file->data + offset, bytes->data, bytes->len);
  assert_true (read_bytes (file->data, file->len, &seen, NULL));
  assert_true (seen.n_faults > 0);
  assert_non_null (strstr (seen.first_fault, part));
  clear_seen (&seen);
  g_byte_array_unref (file);
}

static void
violations_are_named (void **state)
{
  /* the second event's time, in the first data buffer: SYSTEM is 0x20 + 20, rounded up */
  const guint second = BUFFER + 0x48 + 0x38;

  expect_fault (make_file (10), second + 0x10, "0100 0000 0000 0000", "within the buffer");
  expect_fault (make_file (10), second + 4, "ffff", "does not fit");
  expect_fault (make_file (10), second + 2, "77c0", "no known event");
  expect_fault (make_file (10), BUFFER, "0000 0200", "bytes, not");
  expect_fault (make_file (10), BUFFER + 0x30, "0000 0200", "filled with");
  expect_fault (make_file (10), BUFFER + 0x30, "f8ff 0000", "further than its events reach");
  expect_fault (make_file (10), BUFFER + 0x28, "0500", "is of CPU 5");
  expect_fault (make_file (10), 0x68 + 0x24, "0900 0000", "header says 9 buffers");
}

/* A CPU's later buffer must not begin before its earlier one ended. */
static void
time_going_back_between_buffers_is_a_fault (void **state)
{
  g_autoptr (GByteArray) file = make_file (3000);
  Seen seen = { 0 };
  guint last = 0;

  for (guint b = BUFFER; b < file->len; b += BUFFER)
    if (file->data[b + 0x28] == 0)
      last = b;
  assert_true (last > 2 * BUFFER);
  memset (file->data + last + 0x48 + 8, 0, 0x10); /* ids and time of its first event */
  assert_true (read_bytes (file->data, file->len, &seen, NULL));
  assert_true (seen.n_faults > 0);
  assert_non_null (strstr (seen.first_fault, "from the CPU's last buffer"));
  clear_seen (&seen);
}

static void
foreign_bytes_are_no_trace (void **state)
{
  g_autofree guint8 *zeros = g_malloc0 (BUFFER);
  const gsize sizes[] = { 0, 1, 0x48, 0x180, BUFFER };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      GError *error = NULL;
      Seen seen = { 0 };

      assert_false (read_bytes (zeros, sizes[i], &seen, &error));
      assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_DAMAGED));
      g_clear_error (&error);
    }
}

/* ---- genuine files ---- */

static gboolean
load (const char *name, char **bytes, gsize *size)
{
  const char *corpus = g_getenv ("WPR_CORPUS");
  g_autofree char *path = corpus != NULL ? g_build_filename (corpus, "etl", name, NULL) : NULL;

  return path != NULL && g_file_get_contents (path, bytes, size, NULL);
}

/* Counted by hand, so to say: by a walk of its own over hooks only. */
static guint
count_hook (const char *bytes, gsize size, guint16 hook)
{
  guint n = 0;

  for (gsize b = 0; b + BUFFER <= size; b += BUFFER)
    for (gsize at = b + 0x48; at < b + test_u32 ((const guint8 *)bytes + b + 0x30);)
      {
        const guint8 *event = (const guint8 *)bytes + at;

        n += (guint16)(event[6] | event[7] << 8) == hook;
        at += ((event[4] | event[5] << 8) + 7u) & ~7u;
      }
  return n;
}

static void
a_genuine_kernel_file_is_read_whole (void **state)
{
  static const guint16 hooks[] = { 0x0301, 0x0302, 0x0303, 0x0501, 0x0502, 0x0503,
                                   0x0504, 0x030a, 0x1402, 0x1403, 0x1404, 0x0327 };
  Seen seen = { .hooks = g_hash_table_new (NULL, NULL) };
  g_autofree char *bytes = NULL;
  gsize size;

  if (!load ("ShutdownPerfDiagLogger.etl", &bytes, &size))
    skip ();
  assert_true (read_bytes ((guint8 *)bytes, size, &seen, NULL));
  if (seen.first_fault != NULL)
    fail_msg ("%s", seen.first_fault);
  assert_int_equal (seen.n_events, 17078);
  for (guint i = 0; i < G_N_ELEMENTS (hooks); i++)
    assert_int_equal (
        GPOINTER_TO_UINT (g_hash_table_lookup (seen.hooks, GUINT_TO_POINTER (hooks[i] + 1u))),
        count_hook (bytes, size, hooks[i]));
  clear_seen (&seen);
}

static void
a_compressed_genuine_file_is_read (void **state)
{
  g_autofree char *bytes = NULL;
  Seen seen = { 0 };
  gsize size;

  if (!load ("SelfDescribingSingleEvent.etl", &bytes, &size))
    skip ();
  assert_true (read_bytes ((guint8 *)bytes, size, &seen, NULL));
  if (seen.first_fault != NULL)
    fail_msg ("%s", seen.first_fault);
  assert_true (seen.n_events > 3);
  clear_seen (&seen);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (a_written_file_is_sound),
    cmocka_unit_test (a_file_cut_anywhere_is_described),
    cmocka_unit_test (flipped_bytes_do_no_harm),
    cmocka_unit_test (violations_are_named),
    cmocka_unit_test (time_going_back_between_buffers_is_a_fault),
    cmocka_unit_test (foreign_bytes_are_no_trace),
    cmocka_unit_test (a_genuine_kernel_file_is_read_whole),
    cmocka_unit_test (a_compressed_genuine_file_is_read),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
