/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unpacking of the three kinds: the examples of [MS-XCA], what our encoder packs, and bytes that do
 * not hold. Input and output lie in memory of exactly their size, so that ASan sees every step
 * beyond. */
#include "config.h"
#include "etl-test.h"

#include "etl/xpress-encode.h"
#include "etl/xpress.h"

static const struct
{
  const char *name;
  WprEtlUnpack unpack;
} kinds[] = {
  { "lznt1", wpr_etl_lznt1_unpack },
  { "xpress", wpr_etl_xpress_unpack },
  { "huffman", wpr_etl_xpress_huffman_unpack },
};

static gssize
unpack (WprEtlUnpack func, const guint8 *in, gsize in_size, guint8 *out, gsize out_size)
{
  g_autofree guint8 *from = g_memdup2 (in, in_size), *to = g_malloc (out_size);
  gssize n = func (from, in_size, to, out_size);

  assert_true (n >= -1 && n <= (gssize)out_size);
  if (n > 0)
    memcpy (out, to, (gsize)n);
  return n;
}

static void
expect (WprEtlUnpack func, const char *hex, const char *text, gsize size)
{
  g_autoptr (GByteArray) in = test_bytes (hex);
  g_autofree guint8 *out = g_malloc0 (size + 16);

  assert_int_equal (unpack (func, in->data, in->len, out, size), size);
  assert_memory_equal (out, text, size);
  /* Room for more than there is. */
  assert_int_equal (unpack (func, in->data, in->len, out, size + 16), size);
  assert_memory_equal (out, text, size);
}

static char *
abc_100_times (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < 100; i++)
    g_string_append (text, "abc");
  return g_string_free (text, FALSE);
}

static void
examples_of_the_specification_are_unpacked (void **state)
{
  static const char song[]
      = "F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D D E E F# D E F# G F# D "
        "E F# G F# E D E A F# F# G A A G F# E D D E F# E D D";
  g_autofree char *abc = abc_100_times ();

  expect (wpr_etl_lznt1_unpack,
          "38b0 8846 2320 0020 4720 4100 10a2 4701 a045 2044 0008 4501 5079 00c0 4520 0524 1388 "
          "05b4 024a 44ef 0358 028c 0916 0148 4500 be00 9e00 0401 1890 00",
          song, sizeof song);
  expect (wpr_etl_xpress_unpack,
          "3f00 0000 6162 6364 6566 6768 696a 6b6c 6d6e 6f70 7172 7374 7576 7778 797a",
          "abcdefghijklmnopqrstuvwxyz", 26);
  expect (wpr_etl_xpress_unpack, "ffff ff1f 6162 6317 000f ff26 01", abc, 300);
}

/* A table is 512 lengths: those of symbols `at` as given, all others 0. */
static GByteArray *
huffman_table (const guint *symbols, const guint *lengths, guint n)
{
  GByteArray *bytes = g_byte_array_new ();

  g_byte_array_set_size (bytes, 256);
  memset (bytes->data, 0, 256);
  for (guint i = 0; i < n; i++)
    bytes->data[symbols[i] / 2] |= (guint8)(lengths[i] << (symbols[i] % 2 != 0 ? 4 : 0));
  return bytes;
}

static void
huffman_example_is_unpacked (void **state)
{
  static const guint symbols[] = { 'a', 'b', 'c', 256, 256 + 16 + 15 },
                     lengths[] = { 3, 3, 2, 2, 2 };
  g_autoptr (GByteArray) in = huffman_table (symbols, lengths, 5);
  g_autofree char *abc = abc_100_times ();
  guint8 out[300];

  g_byte_array_append (in, (const guint8 *)"\xa8\xdc\0\0\xff\x26\x01", 7);
  assert_int_equal (unpack (wpr_etl_xpress_huffman_unpack, in->data, in->len, out, 300), 300);
  assert_memory_equal (out, abc, 300);
}

/* Three blocks of literals, every symbol's code 9 bits: its number. */
static void
huffman_blocks_follow_each_other (void **state)
{
  const gsize size = 65536 * 2 + 1000;
  g_autoptr (GByteArray) in = g_byte_array_new ();
  g_autofree guint8 *text = g_malloc (size), *out = g_malloc (size);

  for (gsize i = 0; i < size; i++)
    text[i] = (guint8)(i * 7 + i / 65536);
  for (gsize at = 0; at < size; at += 65536)
    {
      guint64 bits = 0;
      guint n_bits = 0;
      guint8 table[256];

      memset (table, 0x99, sizeof table);
      g_byte_array_append (in, table, sizeof table);
      for (gsize i = at; i < MIN (at + 65536, size) + 4; i++)
        {
          /* behind the last symbol: filled up, and the word that is read ahead */
          bits = bits << 9 | (i < MIN (at + 65536, size) ? text[i] : 0);
          n_bits += 9;
          if (i >= MIN (at + 65536, size) + 2 && n_bits >= 16)
            break;
          for (; n_bits >= 16; n_bits -= 16)
            {
              guint16 word = (guint16)(bits >> (n_bits - 16));

              g_byte_array_append (in, (const guint8[]){ (guint8)word, (guint8)(word >> 8) }, 2);
            }
        }
      if (at + 65536 < size) /* 65536 x 9 bits are 36 864 words, and one is read ahead */
        g_byte_array_set_size (in, (guint)((at / 65536 + 1) * (256 + 2 * 36865)));
    }
  assert_int_equal (unpack (wpr_etl_xpress_huffman_unpack, in->data, in->len, out, size), size);
  assert_memory_equal (out, text, size);
}

static void
what_our_encoder_packs_is_unpacked (void **state)
{
  g_autoptr (WprXpressEncoder) encoder = wpr_xpress_encoder_new ();
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (guint round = 0; round < 200; round++)
    {
      gsize size = (gsize)g_rand_int_range (random, 1, 65536);
      guint variety = (guint)g_rand_int_range (random, 1, 256);
      g_autofree guint8 *in = g_malloc (size), *packed = g_malloc (2 * size + 64),
                        *out = g_malloc (size);
      gsize n;

      for (gsize i = 0; i < size; i++)
        in[i] = (guint8)((guint)g_rand_int (random) % variety);
      n = wpr_xpress_encode (encoder, in, size, packed, 2 * size + 64);
      assert_true (n > 0);
      assert_int_equal (unpack (wpr_etl_xpress_unpack, packed, n, out, size), size);
      assert_memory_equal (out, in, size);
    }
}

/* A few bytes that ask for 4 GiB get what the buffer holds. */
static void
a_bomb_fills_its_buffer_and_no_more (void **state)
{
  g_autoptr (GByteArray) in
      = test_bytes ("ffff ff7f 61 0700 ff ff 0000 f0ff ffff"); /* a byte, then it 4 GiB often */
  g_autofree guint8 *out = g_malloc (65536);

  assert_int_equal (unpack (wpr_etl_xpress_unpack, in->data, in->len, out, 65536), 65536);
  for (guint i = 0; i < 65536; i++)
    assert_int_equal (out[i], 'a');
}

static void
what_does_not_hold_is_refused (void **state)
{
  static const struct
  {
    guint kind;
    const char *hex;
  } rows[] = {
    { 0, "38b0 8846" },                    /* ends in its chunk */
    { 0, "02b0 0100 00" },                 /* a match before any byte */
    { 1, "0000 00" },                      /* no flags */
    { 1, "0000 0000" },                    /* a byte that is not there */
    { 1, "0000 0080 00" },                 /* half a match */
    { 1, "0000 0080 0000" },               /* a match before any byte */
    { 1, "ffff ff7f 61 0700 ff ff 0300" }, /* a length that counts down */
    { 2, "0102" },                         /* no table */
  };
  guint8 out[64];

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) in = test_bytes (rows[i].hex);

      assert_int_equal (unpack (kinds[rows[i].kind].unpack, in->data, in->len, out, sizeof out),
                        -1);
    }
}

/* Any bytes, any length: bounds are ASan's matter, that it ends is the timeout's. */
static void
any_bytes_do_no_harm (void **state)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (2);
  g_autofree guint8 *out = g_malloc (65536);
  guint8 in[1024];

  for (guint round = 0; round < 3000; round++)
    {
      gsize size = (gsize)g_rand_int_range (random, 0, sizeof in);

      for (gsize i = 0; i < size; i++)
        in[i] = (guint8)g_rand_int (random);
      if (round % 3 == 2 && size > 256) /* a table that is one: 9 bits each */
        memset (in, 0x99, 256);
      for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
        unpack (kinds[i].unpack, in, size, out, (gsize)g_rand_int_range (random, 0, 65536));
    }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (examples_of_the_specification_are_unpacked),
    cmocka_unit_test (huffman_example_is_unpacked),
    cmocka_unit_test (huffman_blocks_follow_each_other),
    cmocka_unit_test (what_our_encoder_packs_is_unpacked),
    cmocka_unit_test (a_bomb_fills_its_buffer_and_no_more),
    cmocka_unit_test (what_does_not_hold_is_refused),
    cmocka_unit_test (any_bytes_do_no_harm),
  };

  return cmocka_run_group_tests (tests, NULL, NULL);
}
