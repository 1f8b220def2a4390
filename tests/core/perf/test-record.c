/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records as perf_event_open(2) lays them out, word by word: what they say is found, and whatever
 * is cut off them or put into them, nothing outside is read. */
#include "config.h"
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>
#include "perf/record.h"

#define PAIR(low, high) ((guint64)(high) << 32 | (guint32)(low))
#define PREFIX (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define FULL                                                                               \
  (PREFIX | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN \
   | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER)

/* type, misc and size of a header in one word, as on a little-endian machine. */
#define HEADER(type, misc, words) \
  ((guint64)(type) | (guint64)(misc) << 32 | (guint64)((words)*8) << 48)

/* A sample with everything the opener may ask for. */
static const guint64 full_sample[] = {
  HEADER (PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 18),
  77,                    /* identifier */
  0xffffffff81000010,    /* ip */
  PAIR (1000, 1001),     /* pid, tid */
  123456789012,          /* time */
  0x7ffd00001000,        /* addr */
  PAIR (3, 0),           /* cpu */
  4096,                  /* period */
  3,                     /* frames */
  (guint64)-128,         /* PERF_CONTEXT_KERNEL */
  0xffffffff81000010,    /* frame */
  0xffffffff81000020,    /* frame */
  PAIR (20, 0x11223344), /* raw size, then 20 bytes */
  PAIR (0x55667788, 0x99aabbcc),
  PAIR (0xddeeff00, 0),
  PERF_SAMPLE_REGS_ABI_64,
  0x7ffd0000aaa0, /* sp */
  0x401000,       /* ip */
};

static WprIdTable *
table (void)
{
  WprIdTable *ids = wpr_id_table_new ();
  wpr_id_table_add (ids, 77, 5, FULL);
  wpr_id_table_add (ids, 78, 6, PREFIX | PERF_SAMPLE_RAW);
  return ids;
}

/* Parses a copy that ends where its size says, so that the sanitizer sees every byte too far. */
static gboolean
parse_exact (const guint64 *words, gsize bytes, const WprIdTable *ids, WprRecord *record,
             gpointer *kept)
{
  struct perf_event_header *header = g_malloc (MAX (bytes, sizeof *header));
  memcpy (header, words, MAX (bytes, sizeof *header));
  header->size = (guint16)bytes;
  *kept = header;
  return wpr_record_parse (header, ids, record);
}

static void
finds_every_field_of_a_sample (void **state)
{
  g_autoptr (WprIdTable) ids = table ();
  g_autofree gpointer kept = NULL;
  WprRecord record;

  assert_true (parse_exact (full_sample, sizeof full_sample, ids, &record, &kept));
  assert_int_equal (record.type, PERF_RECORD_SAMPLE);
  assert_int_equal (record.misc, PERF_RECORD_MISC_KERNEL);
  assert_int_equal (record.row, 5);
  assert_int_equal (record.id, 77);
  assert_true (record.ip == 0xffffffff81000010);
  assert_int_equal (record.pid, 1000);
  assert_int_equal (record.tid, 1001);
  assert_int_equal (record.cpu, 3);
  assert_int_equal (record.time, 123456789012);
  assert_int_equal (record.addr, 0x7ffd00001000);
  assert_int_equal (record.period, 4096);
  assert_int_equal (record.n_callchain, 3);
  assert_true (record.callchain[0] == (guint64)-128);
  assert_true (record.callchain[2] == 0xffffffff81000020);
  assert_int_equal (record.raw_size, 20);
  assert_int_equal (record.raw[0], 0x44);
  assert_int_equal (record.raw[4], 0x88);
  assert_int_equal (record.raw[12], 0x00);
  assert_int_equal (record.raw[15], 0xdd);
  assert_int_equal (record.user_sp, 0x7ffd0000aaa0);
  assert_int_equal (record.user_ip, 0x401000);
}

static void
a_kernel_thread_has_no_user_registers (void **state)
{
  const guint64 words[] = {
    HEADER (PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 6),
    80,
    PAIR (2, 2),
    10,
    PAIR (0, 0),
    PERF_SAMPLE_REGS_ABI_NONE,
  };
  g_autoptr (WprIdTable) ids = wpr_id_table_new ();
  g_autofree gpointer kept = NULL;
  WprRecord record;

  wpr_id_table_add (ids, 80, 1, PREFIX | PERF_SAMPLE_REGS_USER);
  assert_true (parse_exact (words, sizeof words, ids, &record, &kept));
  assert_int_equal (record.user_ip, 0);
}

static void
a_sample_cut_at_any_byte_is_refused (void **state)
{
  g_autoptr (WprIdTable) ids = table ();

  for (gsize bytes = 0; bytes < sizeof full_sample; bytes++)
    {
      g_autofree gpointer kept = NULL;
      WprRecord record;
      assert_false (parse_exact (full_sample, bytes, ids, &record, &kept));
    }
}

static void
lengths_inside_a_sample_are_not_believed (void **state)
{
  static const guint64 lies[] = { 4, 13, 1 << 20, 1ull << 32, 1ull << 61, G_MAXUINT64 };
  static const guint32 raw_lies[] = { 45, 100, 4096, G_MAXINT32, G_MAXUINT32 - 3, G_MAXUINT32 };
  g_autoptr (WprIdTable) ids = table ();

  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    {
      guint64 words[G_N_ELEMENTS (full_sample)];
      g_autofree gpointer kept = NULL;
      WprRecord record;

      memcpy (words, full_sample, sizeof words);
      words[8] = lies[i];
      parse_exact (words, sizeof words, ids, &record, &kept);
      if (lies[i] > 9)
        assert_false (record.n_callchain > 9);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (raw_lies); i++)
    {
      guint64 words[G_N_ELEMENTS (full_sample)];
      g_autofree gpointer kept = NULL;
      WprRecord record;

      memcpy (words, full_sample, sizeof words);
      words[12] = PAIR (raw_lies[i], 0);
      assert_false (parse_exact (words, sizeof words, ids, &record, &kept));
      assert_null (record.raw);
    }
}

static void
an_unknown_id_gives_the_prefix (void **state)
{
  const guint64 words[]
      = { HEADER (PERF_RECORD_SAMPLE, 1, 6), 4711, PAIR (8, 9), 99, PAIR (1, 0), 0xdead };
  g_autoptr (WprIdTable) ids = table ();
  g_autofree gpointer kept = NULL;
  WprRecord record;

  assert_true (parse_exact (words, sizeof words, ids, &record, &kept));
  assert_true (record.row == G_MAXUINT32);
  assert_int_equal (record.id, 4711);
  assert_int_equal (record.tid, 9);
  assert_int_equal (record.time, 99);
  assert_int_equal (record.cpu, 1);
  assert_null (record.raw);
}

/* Two recordings of faults: the kernel gives the older one's samples the younger one's id. */
static void
a_fault_of_an_unknown_id_is_a_fault (void **state)
{
  static const guint64 fault_type = PREFIX | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR;
  const guint64 words[]
      = { HEADER (PERF_RECORD_SAMPLE, 2, 7), 4711, 0x401000, PAIR (8, 9), 99, 0x7000, PAIR (1, 0) };
  g_autoptr (WprIdTable) ids = table ();
  g_autofree gpointer kept = NULL, kept_longer = NULL, kept_again = NULL;
  guint64 longer[8] = { 0 };
  WprRecord record;

  wpr_id_table_add (ids, 90, 12, fault_type);
  wpr_id_table_add (ids, 91, 12, fault_type);
  assert_true (parse_exact (words, sizeof words, ids, &record, &kept));
  assert_int_equal (record.row, 12);
  assert_int_equal (record.tid, 9);
  assert_int_equal (record.time, 99);
  assert_int_equal (record.addr, 0x7000);
  assert_int_equal (record.cpu, 1);

  memcpy (longer, words, sizeof words);
  assert_true (parse_exact (longer, sizeof longer, ids, &record, &kept_longer));
  assert_true (record.row == G_MAXUINT32);
  assert_int_equal (record.addr, 0);

  wpr_id_table_add (ids, 92, 13, fault_type);
  assert_true (parse_exact (words, sizeof words, ids, &record, &kept_again));
  assert_true (record.row == G_MAXUINT32);
}

/* A body and the trailer every record but a sample has. */
static guint64 *
with_trailer (guint32 type, guint16 misc, gconstpointer body, gsize body_bytes, gsize *bytes)
{
  static const guint64 trailer[] = { PAIR (21, 22), 555, PAIR (1, 0), 78 };
  gsize padded = (body_bytes + 7) / 8 * 8;
  guint64 *words = g_malloc0 (8 + padded + sizeof trailer);

  *bytes = 8 + padded + sizeof trailer;
  words[0] = HEADER (type, misc, *bytes / 8);
  memcpy (words + 1, body, body_bytes);
  memcpy ((guint8 *)words + 8 + padded, trailer, sizeof trailer);
  return words;
}

static void
finds_what_a_mapping_says (void **state)
{
  struct
  {
    guint64 words[8];
    char path[16];
  } body = {
    .words = { PAIR (10, 11), 0x400000, 0x1000, 0x2000, PAIR (8, 1), 4242, 7, PAIR (5, 2) },
    .path = "/usr/bin/true",
  };
  g_autoptr (WprIdTable) ids = table ();
  gsize bytes;
  g_autofree guint64 *words = with_trailer (PERF_RECORD_MMAP2, 0, &body, sizeof body, &bytes);
  WprRecord record;
  WprMmap2 mmap2;

  assert_true (wpr_record_parse ((gpointer)words, ids, &record));
  assert_int_equal (record.row, 6);
  assert_int_equal (record.pid, 21);
  assert_int_equal (record.tid, 22);
  assert_int_equal (record.time, 555);
  assert_int_equal (record.cpu, 1);
  assert_true (wpr_record_mmap2 (&record, &mmap2));
  assert_int_equal (mmap2.pid, 10);
  assert_int_equal (mmap2.tid, 11);
  assert_int_equal (mmap2.addr, 0x400000);
  assert_int_equal (mmap2.len, 0x1000);
  assert_int_equal (mmap2.pgoff, 0x2000);
  assert_int_equal (mmap2.maj, 8);
  assert_int_equal (mmap2.min, 1);
  assert_int_equal (mmap2.ino, 4242);
  assert_int_equal (mmap2.ino_generation, 7);
  assert_int_equal (mmap2.prot, 5);
  assert_int_equal (mmap2.flags, 2);
  assert_int_equal (mmap2.build_id_size, 0);
  assert_string_equal (mmap2.path, "/usr/bin/true");
}

static void
finds_a_build_id_and_keeps_it_short (void **state)
{
  g_autoptr (WprIdTable) ids = table ();

  for (guint size = 0; size < 256; size++)
    {
      guint8 body[72] = { 0 };
      gsize bytes;
      WprRecord record;
      WprMmap2 mmap2;
      body[32] = (guint8)size;
      for (guint i = 0; i < 20; i++)
        body[36 + i] = (guint8)(i + 1);
      strcpy ((char *)body + 64, "/lib/x");
      g_autofree guint64 *words = with_trailer (PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID,
                                                body, sizeof body, &bytes);
      assert_true (wpr_record_parse ((gpointer)words, ids, &record));
      assert_true (wpr_record_mmap2 (&record, &mmap2));
      assert_int_equal (mmap2.build_id_size, MIN (size, 20));
      if (size >= 20)
        assert_int_equal (mmap2.build_id[19], 20);
      assert_string_equal (mmap2.path, "/lib/x");
    }
}

static void
finds_names_births_losses_and_code (void **state)
{
  static const guint64 comm[] = { PAIR (5, 6), 0x00656d6f73 };
  static const guint64 task[] = { PAIR (1, 2), PAIR (3, 4), 99 };
  static const guint64 lost[] = { 78, 1234 };
  static const guint64 throttle[] = { 7, 78, 9 };
  static const guint64 code[] = { 0xffffffffc0001000, PAIR (0x40, 0x00020001), 0x00006670625f };
  g_autoptr (WprIdTable) ids = table ();
  gsize bytes;
  WprRecord record;
  WprComm name;
  WprTask born;
  WprLost gone;
  WprThrottle slowed;
  WprKsymbol symbol;

  g_autofree guint64 *w1
      = with_trailer (PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, comm, sizeof comm, &bytes);
  assert_true (wpr_record_parse ((gpointer)w1, ids, &record) && wpr_record_comm (&record, &name));
  assert_int_equal (name.pid, 5);
  assert_int_equal (name.tid, 6);
  assert_true (name.exec);
  assert_string_equal (name.comm, "some");
  assert_false (wpr_record_task (&record, &born));

  g_autofree guint64 *w2 = with_trailer (PERF_RECORD_FORK, 0, task, sizeof task, &bytes);
  assert_true (wpr_record_parse ((gpointer)w2, ids, &record) && wpr_record_task (&record, &born));
  assert_int_equal (born.pid, 1);
  assert_int_equal (born.ppid, 2);
  assert_int_equal (born.tid, 3);
  assert_int_equal (born.ptid, 4);
  assert_int_equal (born.time, 99);

  g_autofree guint64 *w3 = with_trailer (PERF_RECORD_LOST, 0, lost, sizeof lost, &bytes);
  assert_true (wpr_record_parse ((gpointer)w3, ids, &record) && wpr_record_lost (&record, &gone));
  assert_int_equal (gone.id, 78);
  assert_int_equal (gone.lost, 1234);

  g_autofree guint64 *w4 = with_trailer (PERF_RECORD_LOST_SAMPLES, 0, &lost[1], 8, &bytes);
  assert_true (wpr_record_parse ((gpointer)w4, ids, &record) && wpr_record_lost (&record, &gone));
  assert_int_equal (gone.id, 78);
  assert_int_equal (gone.lost, 1234);

  g_autofree guint64 *w5
      = with_trailer (PERF_RECORD_THROTTLE, 0, throttle, sizeof throttle, &bytes);
  assert_true (wpr_record_parse ((gpointer)w5, ids, &record)
               && wpr_record_throttle (&record, &slowed));
  assert_int_equal (slowed.time, 7);
  assert_int_equal (slowed.stream_id, 9);

  g_autofree guint64 *w6 = with_trailer (PERF_RECORD_KSYMBOL, 0, code, sizeof code, &bytes);
  assert_true (wpr_record_parse ((gpointer)w6, ids, &record)
               && wpr_record_ksymbol (&record, &symbol));
  assert_true (symbol.addr == 0xffffffffc0001000);
  assert_int_equal (symbol.len, 0x40);
  assert_int_equal (symbol.ksym_type, 1);
  assert_int_equal (symbol.flags, 2);
  assert_string_equal (symbol.name, "_bpf");
}

/* Every kind of record with every size: nothing may be found that does not fit. */
static void
bodies_cut_at_any_byte_are_refused (void **state)
{
  static const guint32 types[]
      = { PERF_RECORD_MMAP2,        PERF_RECORD_COMM,     PERF_RECORD_FORK, PERF_RECORD_LOST,
          PERF_RECORD_LOST_SAMPLES, PERF_RECORD_THROTTLE, PERF_RECORD_EXIT, PERF_RECORD_KSYMBOL };
  g_autoptr (WprIdTable) ids = table ();
  guint64 body[32];
  memset (body, 0x41, sizeof body);

  for (gsize t = 0; t < G_N_ELEMENTS (types); t++)
    for (gsize bytes = 0; bytes < sizeof body; bytes++)
      {
        g_autofree gpointer kept = NULL;
        WprRecord record;
        WprMmap2 mmap2;
        WprComm comm;
        WprTask task;
        WprLost lost;
        WprThrottle throttle;
        WprKsymbol ksymbol;

        body[0] = HEADER (types[t], 0x4000 * (t % 2), 0);
        if (!parse_exact (body, bytes, ids, &record, &kept))
          {
            assert_true (bytes < 40);
            continue;
          }
        /* No text ends in these bytes. */
        assert_false (wpr_record_mmap2 (&record, &mmap2));
        assert_false (wpr_record_comm (&record, &comm));
        assert_false (wpr_record_ksymbol (&record, &ksymbol));
        assert_true (!wpr_record_task (&record, &task) || bytes >= 64);
        assert_true (!wpr_record_lost (&record, &lost) || bytes >= 48);
        assert_true (!wpr_record_throttle (&record, &throttle) || bytes >= 64);
      }
}

static void
random_bytes_do_no_harm (void **state)
{
  g_autoptr (WprIdTable) ids = table ();
  g_autoptr (GRand) random = g_rand_new_with_seed (4);

  for (guint round = 0; round < 100000; round++)
    {
      guint64 words[24];
      g_autofree gpointer kept = NULL;
      WprRecord record;
      for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
        words[i]
            = PAIR (g_rand_int (random), g_rand_int (random) >> g_rand_int_range (random, 0, 32));
      words[0] = HEADER (g_rand_int_range (random, 0, 20), 0, 0);
      words[1] = 77 + round % 3;
      gsize bytes = (gsize)g_rand_int_range (random, 0, sizeof words + 1);
      if (!parse_exact (words, bytes, ids, &record, &kept))
        continue;
      const guint8 *end = (const guint8 *)kept + bytes;
      assert_true (record.raw == NULL || record.raw + record.raw_size <= end);
      assert_true (record.callchain == NULL
                   || (const guint8 *)(record.callchain + record.n_callchain) <= end);
      assert_true (record.body == NULL || record.body + record.body_size <= end);
    }
}

static void
ids_are_found_however_many_there_are (void **state)
{
  g_autoptr (WprIdTable) ids = wpr_id_table_new ();
  guint32 row;
  guint64 type;

  for (guint64 id = 1; id <= 20000; id++)
    wpr_id_table_add (ids, id * 3, (guint32)id, id << 8);
  wpr_id_table_add (ids, 3, 4242, 1);
  for (guint64 id = 2; id <= 20000; id++)
    {
      assert_true (wpr_id_table_find (ids, id * 3, &row, &type));
      assert_true (row == id && type == id << 8);
      assert_false (wpr_id_table_find (ids, id * 3 + 1, &row, &type));
    }
  assert_true (wpr_id_table_find (ids, 3, &row, &type));
  assert_int_equal (row, 4242);
  assert_false (wpr_id_table_find (ids, 0, &row, &type));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (finds_every_field_of_a_sample),
    cmocka_unit_test (a_kernel_thread_has_no_user_registers),
    cmocka_unit_test (a_sample_cut_at_any_byte_is_refused),
    cmocka_unit_test (lengths_inside_a_sample_are_not_believed),
    cmocka_unit_test (an_unknown_id_gives_the_prefix),
    cmocka_unit_test (a_fault_of_an_unknown_id_is_a_fault),
    cmocka_unit_test (finds_what_a_mapping_says),
    cmocka_unit_test (finds_a_build_id_and_keeps_it_short),
    cmocka_unit_test (finds_names_births_losses_and_code),
    cmocka_unit_test (bodies_cut_at_any_byte_are_refused),
    cmocka_unit_test (random_bytes_do_no_harm),
    cmocka_unit_test (ids_are_found_however_many_there_are),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
