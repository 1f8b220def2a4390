/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XPRESS compressing: the examples of [MS-XCA], and everything comes back by a decoder of the
 * test's own, bounds and all; and a compressed file, walked as its headers say. */
#include "config.h"
#include "etl-test.h"

#include "etl/layout.h"
#include "etl/xpress-encode.h"

/* Plain LZ77 after [MS-XCA]: for small inputs, checked at each step. */
static GByteArray *
decode (const guint8 *in, gsize size)
{
  GByteArray *out = g_byte_array_new ();
  gsize at = 0, half_at = 0;
  guint32 flags = 0;
  guint n = 0;

  while (at < size)
    {
      gsize distance, length;

      if (n == 0)
        {
          assert_true (at + 4 <= size);
          flags = test_u32 (in + at);
          at += 4;
          n = 32;
        }
      if ((flags >> --n & 1) == 0)
        {
          assert_true (at < size);
          g_byte_array_append (out, in + at++, 1);
          continue;
        }
      if (at == size)
        break;
      assert_true (at + 2 <= size);
      distance = (wpr_etl_get16 (in + at) >> 3) + 1;
      length = wpr_etl_get16 (in + at) & 7;
      at += 2;
      if (length == 7)
        {
          length = half_at == 0 ? in[at] & 15 : in[half_at] >> 4;
          half_at = half_at == 0 ? at++ : 0;
          assert_true (at <= size);
          if (length == 15)
            {
              assert_true (at < size);
              length = in[at++];
              if (length == 255)
                {
                  length = wpr_etl_get16 (in + at) - 15 - 7;
                  at += 2;
                }
              length += 15;
            }
          length += 7;
        }
      length += 3;
      assert_true (at <= size && distance <= out->len);
      for (gsize i = 0; i < length; i++)
        {
          guint8 byte = out->data[out->len - distance];

          g_byte_array_append (out, &byte, 1);
        }
    }
  return out;
}

static void
round_trip (WprXpressEncoder *encoder, const guint8 *in, gsize size)
{
  g_autofree guint8 *out = g_malloc (2 * size + 64);
  gsize packed = wpr_xpress_encode (encoder, in, size, out, 2 * size + 64);
  g_autoptr (GByteArray) back = NULL;

  assert_in_range (packed, 4, 4 + size + size / 32 * 4 + 4);
  back = decode (out, packed);
  assert_int_equal (back->len, size);
  if (size > 0)
    assert_memory_equal (back->data, in, size);
}

static void
the_examples_of_the_specification (void **state)
{
  g_autoptr (WprXpressEncoder) encoder = wpr_xpress_encoder_new ();
  guint8 in[300], out[400];

  for (guint i = 0; i < 26; i++)
    in[i] = (guint8)('a' + i);
  assert_int_equal (wpr_xpress_encode (encoder, in, 26, out, sizeof out), 30);
  test_assert_hex (out, "3f000000");
  assert_memory_equal (out + 4, in, 26);
  for (guint i = 0; i < 300; i++)
    in[i] = (guint8)('a' + i % 3);
  assert_int_equal (wpr_xpress_encode (encoder, in, 300, out, sizeof out), 13);
  test_assert_hex (out, "ffffff1f 616263 1700 0f ff 2601");
}

/* Every length that is written in another way, at every phase of the flags. */
static void
lengths_and_flags_at_their_limits_come_back (void **state)
{
  static const gsize lengths[]
      = { 0,   1,   2,   3,   4,   7,   8,    9,    10,   11,    17,    18,   23,
          24,  25,  26,  31,  32,  33,  63,   64,   65,   127,   255,   256,  277,
          278, 279, 280, 281, 282, 400, 8191, 8192, 8193, 20000, 65000, 65464 };
  g_autoptr (WprXpressEncoder) encoder = wpr_xpress_encoder_new ();
  g_autofree guint8 *in = g_malloc (65536);

  for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
    for (guint lead = 0; lead < 40; lead++)
      {
        gsize n = MIN (lengths[k] + lead, 65535);

        for (gsize i = 0; i < n; i++)
          in[i] = i < lead ? (guint8)(i * 37 + 11) : 0;
        round_trip (encoder, in, n);
      }
}

static void
random_bytes_of_every_kind_come_back (void **state)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  g_autoptr (WprXpressEncoder) encoder = wpr_xpress_encoder_new ();
  g_autofree guint8 *in = g_malloc (65536);

  for (guint round = 0; round < 300; round++)
    {
      gsize n = (gsize)g_rand_int_range (rand, 0, round % 10 == 0 ? 65536 : 3000), i = 0;
      guint symbols = 1u << g_rand_int_range (rand, 0, 9);

      while (i < n)
        if (i > 0 && g_rand_boolean (rand))
          {
            gsize from = (gsize)g_rand_int_range (rand, 0, (gint32)i);

            for (gsize left = (gsize)g_rand_int_range (rand, 1, 400); left > 0 && i < n; left--)
              in[i++] = in[from++];
          }
        else
          in[i++] = (guint8)g_rand_int_range (rand, 0, (gint32)symbols);
      round_trip (encoder, in, n);
    }
}

/* No byte behind `most` is touched, and 0 is the answer. */
static void
what_does_not_fit_is_refused (void **state)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (WprXpressEncoder) encoder = wpr_xpress_encoder_new ();
  guint8 in[4096], out[4096 + 600];

  for (guint i = 0; i < sizeof in; i++)
    in[i] = (guint8)g_rand_int (rand);
  for (gsize most = 0; most < sizeof in; most += 61)
    {
      memset (out, 0xa5, sizeof out);
      assert_int_equal (wpr_xpress_encode (encoder, in, sizeof in, out, most), 0);
      for (gsize i = most; i < sizeof out; i++)
        assert_int_equal (out[i], 0xa5);
    }
}

/* ---- files ---- */

static GByteArray *
write_file (gboolean compress, guint n_events, gboolean random)
{
  WprEtlHeaderInfo info = test_header_info ();
  WprEtlHead head = { .kind = WPR_ETL_PERFINFO, .hook = 0x0524, .version = 4 };
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  int fd = test_memory_file ();
  WprEtlWriter *writer;
  guint8 payload[24] = { 0 };

  info.compress = compress;
  writer = wpr_etl_writer_new (fd, &info, NULL);
  assert_non_null (writer);
  for (guint i = 0; i < n_events; i++)
    {
      for (guint k = 0; random && k < sizeof payload; k++)
        payload[k] = (guint8)g_rand_int (rand);
      wpr_etl_put32 (payload, 700 + i % 7);
      assert_true (
          wpr_etl_writer_add (writer, i % 2, 1000 + i, &head, payload, sizeof payload, NULL));
      if (i == n_events / 2)
        assert_true (wpr_etl_writer_park (writer, NULL));
    }
  assert_true (wpr_etl_writer_finish (writer, G_GINT64_CONSTANT (132000000000100000), 0, 0, NULL));
  assert_int_equal (wpr_etl_writer_open_bytes (writer), 0);
  assert_int_equal (lseek (fd, 0, SEEK_END), wpr_etl_writer_bytes (writer));
  wpr_etl_writer_free (writer);
  return test_take_file (fd);
}

/* Payloads of all buffers, one behind the other; *packed: how many were compressed. */
static GByteArray *
unpack (const GByteArray *file, guint *n, guint *n_packed)
{
  GByteArray *all = g_byte_array_new ();
  gsize at = 0;

  *n = *n_packed = 0;
  for (guint32 bytes; at < file->len; at += bytes, ++*n)
    {
      const guint8 *h = file->data + at;
      guint32 used = test_u32 (h + WPR_ETL_BUFFER_FILLED);

      bytes = test_u32 (h + WPR_ETL_BUFFER_SIZE);
      assert_true (bytes >= WPR_ETL_BUFFER_HEADER && at + bytes <= file->len);
      assert_int_equal (used, test_u32 (h + WPR_ETL_BUFFER_SAVED));
      assert_int_equal (test_u64 (h + WPR_ETL_BUFFER_SEQUENCE), *n);
      if (*n == 0)
        continue;
      if ((wpr_etl_get16 (h + WPR_ETL_BUFFER_FLAGS) & WPR_ETL_FLAG_COMPRESSED) != 0)
        {
          g_autoptr (GByteArray) back
              = decode (h + WPR_ETL_BUFFER_HEADER, bytes - WPR_ETL_BUFFER_HEADER);

          assert_int_equal (back->len, used - WPR_ETL_BUFFER_HEADER);
          g_byte_array_append (all, back->data, back->len);
          ++*n_packed;
        }
      else
        g_byte_array_append (all, h + WPR_ETL_BUFFER_HEADER, used - WPR_ETL_BUFFER_HEADER);
    }
  return all;
}

static void
a_compressed_file_holds_what_the_other_does (void **state)
{
  for (guint random = 0; random < 2; random++)
    {
      g_autoptr (GByteArray) plain = write_file (FALSE, 20000, random);
      g_autoptr (GByteArray) packed = write_file (TRUE, 20000, random);
      guint n = 0, n_packed = 0;
      g_autoptr (GByteArray) a = unpack (plain, &n, &n_packed);
      g_autoptr (GByteArray) b = NULL;
      const guint8 *header = packed->data + WPR_ETL_BUFFER_HEADER + 0x20;

      assert_int_equal (n_packed, 0);
      assert_int_equal (plain->len, n * WPR_ETL_BUFFER_BYTES);
      b = unpack (packed, &n, &n_packed);
      assert_int_equal (a->len, b->len);
      assert_memory_equal (a->data, b->data, a->len);
      assert_int_equal (test_u32 (header + 0x20), 0x04000001); /* compressed, sequential */
      assert_int_equal (test_u32 (header), WPR_ETL_BUFFER_BYTES);
      assert_int_equal (test_u32 (header + 0x24), n);
      assert_int_equal (test_u32 (packed->data + WPR_ETL_BUFFER_STATE), 3); /* XPRESS */
      assert_int_equal (test_u32 (packed->data), 1024);
      assert_int_equal (n_packed, n - 1);
      assert_true (packed->len < plain->len);
    }
}

/* A few bytes do not shrink: the buffer stays as it is, and takes no more than a KiB. */
static void
a_buffer_that_does_not_shrink_stays (void **state)
{
  g_autoptr (GByteArray) file = write_file (TRUE, 1, TRUE);
  guint n = 0, n_packed = 0;
  g_autoptr (GByteArray) all = unpack (file, &n, &n_packed);

  assert_int_equal (n, 2);
  assert_int_equal (n_packed, 0);
  assert_int_equal (file->len, 2048);
  assert_int_equal (all->len, 40);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (the_examples_of_the_specification),
    cmocka_unit_test (lengths_and_flags_at_their_limits_come_back),
    cmocka_unit_test (random_bytes_of_every_kind_come_back),
    cmocka_unit_test (what_does_not_fit_is_refused),
    cmocka_unit_test (a_compressed_file_holds_what_the_other_does),
    cmocka_unit_test (a_buffer_that_does_not_shrink_stays),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
