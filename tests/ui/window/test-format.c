/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures, sentences, file names and the search, as people read them. The C locale, so that the
 * words are the source's. */
#include "config.h"

#include <fcntl.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <unistd.h>
#include "format.h"
#include "profile-item.h"
#include "search.h"
#include "target.h"
#include "texts.h"

#define MIB G_GUINT64_CONSTANT (1048576)

static void
expect (char *text, const char *wanted)
{
  assert_string_equal (text, wanted);
  g_free (text);
}

static void
counts_are_grouped (void **state)
{
  expect (wpr_format_count (0), "0");
  expect (wpr_format_count (999), "999");
  expect (wpr_format_count (1000), "1,000");
  expect (wpr_format_count (1234567), "1,234,567");
  expect (wpr_format_count (G_MAXUINT64), "18,446,744,073,709,551,615");
}

static void
sizes_have_the_unit_that_reads_best (void **state)
{
  expect (wpr_format_bytes (0), "0 KB");
  expect (wpr_format_bytes (1), "1 KB");
  expect (wpr_format_bytes (MIB - 1), "1,024 KB");
  expect (wpr_format_bytes (96 * MIB), "96 MB");
  expect (wpr_format_bytes (999 * MIB), "999 MB");
  expect (wpr_format_bytes (1100 * MIB), "1.1 GB");
  expect (wpr_format_bytes (45 * 1024 * MIB), "45 GB");
  expect (wpr_format_bytes (11 * 1024 * 1024 * MIB + 300 * 1024 * MIB), "11 TB");
  expect (wpr_format_bytes (1023 * 1024 * MIB), "1.0 TB");
  expect (wpr_format_megabytes (7680 * MIB), "7,680 MB");
}

static void
spans_have_two_units_at_most (void **state)
{
  expect (wpr_format_span (-3), "0 s");
  expect (wpr_format_span (42), "42 s");
  expect (wpr_format_span (59.6), "1 min");
  expect (wpr_format_span (80), "1 min 20 s");
  expect (wpr_format_span (700), "11 min");
  expect (wpr_format_span (9300), "2 h 35 min");
  expect (wpr_format_span (7200), "2 h");
  expect (wpr_format_span (86400 * 3), "3 d");
  expect (wpr_format_span (86400 * 3 + 7200), "3 d 2 h");
  expect (wpr_format_clock (83 * G_GINT64_CONSTANT (1000000000)), "00:01:23");
  expect (wpr_format_clock (-1), "00:00:00");
  expect (wpr_format_minutes (42.9), "0:42");
  expect (wpr_format_minutes (3723), "1:02:03");
}

static void
small_shares_of_losses_do_not_become_zero (void **state)
{
  expect (wpr_format_loss_share (1204, 3412081), "0.04%");
  expect (wpr_format_loss_share (1, 3412081), "less than 0.01%");
  expect (wpr_format_loss_share (5, 100), "5.0%");
  expect (wpr_format_loss_share (1, 2), "50%");
  expect (wpr_format_percent (0.714, 0), "71%");
  expect (wpr_format_percent (0.004, 1), "0.4%");
}

static void
losses_say_where_and_when (void **state)
{
  WprLossSecond losses[] = { { 1, 101, 800 }, { 1, 102, 404 } };
  WprCollectorStats collectors[2] = {
    { .name = "WPR System Collector",
      .kind = WPR_COLLECTOR_SYSTEM,
      .n_losses = 2,
      .losses = losses },
    { .name = "Print Collector", .kind = WPR_COLLECTOR_EVENT },
  };
  WprStats stats = { .n_collectors = 2, .collectors = collectors };
  expect (wpr_text_loss_where (&stats), "System collector, CPU 1, between 1:41 and 1:43");
  losses[1].cpu = 2;
  expect (wpr_text_loss_where (&stats), "System collector, several CPUs, between 1:41 and 1:43");
  collectors[1].n_losses = 1;
  collectors[1].losses = losses;
  expect (wpr_text_loss_where (&stats), "Several collectors, between 1:41 and 1:43");
  stats.lost = 2005;
  assert_false (wpr_text_loss_is_placed (&stats));
  stats.lost = 2004;
  assert_true (wpr_text_loss_is_placed (&stats));
  collectors[0].n_losses = collectors[1].n_losses = 0;
  assert_null (wpr_text_loss_where (&stats));
  expect (wpr_text_loss (1204, 3412081), "1,204 of 3,412,081 events were lost");
  expect (wpr_text_loss (1, 10), "1 of 10 events was lost");
}

static void
the_subject_says_what_and_who (void **state)
{
  char *titles[] = { (char *)"First level triage", (char *)"CPU usage", NULL };
  WprSubject subject = { .titles = titles,
                         .mode = WPR_MODE_MEMORY,
                         .level = (char *)"verbose",
                         .user = (char *)"ada",
                         .program = (char *)"wpr",
                         .ours = TRUE };
  expect (wpr_text_subject (&subject), "First level triage, CPU usage. Memory, verbose.");
  assert_null (wpr_text_origin (&subject));
  subject.ours = FALSE;
  g_autofree char *origin = wpr_text_origin (&subject);
  assert_true (g_str_has_prefix (origin, "Started with wpr by ada at "));
}

static void
typed_names_become_file_names (void **state)
{
  expect (wpr_target_clean_name ("  menu froze "), "menu froze.etl");
  expect (wpr_target_clean_name ("a.etl"), "a.etl");
  expect (wpr_target_clean_name ("它卡住了 \"x\""), "它卡住了 \"x\".etl");
  assert_null (wpr_target_clean_name (""));
  assert_null (wpr_target_clean_name (".etl"));
  assert_null (wpr_target_clean_name ("../x"));
  assert_null (wpr_target_clean_name (".hidden"));
  assert_null (wpr_target_clean_name ("two\nlines"));
  g_autofree char *longest = g_strnfill (252, 'a');
  assert_null (wpr_target_clean_name (longest));
}

static void
a_name_is_never_taken_twice_and_a_file_never_replaced (void **state)
{
  g_autofree char *folder = g_dir_make_tmp ("wpr-target-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  int fd = wpr_target_open_folder (folder, &error);
  assert_true (fd >= 0);
  g_autofree char *first = wpr_target_file_name (fd);
  assert_true (g_str_has_prefix (first, g_get_host_name ()));
  close (openat (fd, "a.etl", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  close (openat (fd, "b.etl", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  expect (wpr_target_rename (fd, "a.etl", "b.etl", &error), "a.etl");
  assert_non_null (error);
  g_clear_error (&error);
  expect (wpr_target_rename (fd, "a.etl", "c d.etl", &error), "c d.etl");
  assert_null (error);
  unlinkat (fd, "b.etl", 0);
  unlinkat (fd, "c d.etl", 0);
  close (fd);
  g_rmdir (folder);
}

static void
all_parts_of_a_recording_are_renamed (void **state)
{
  static const char *const names[] = { "b.etl", "a-2.etl", "a-3.etl", "b-3.etl" };
  char *parts[] = { (char *)"a.etl", (char *)"a-2.etl", (char *)"a-3.etl", NULL };
  g_autofree char *folder = g_dir_make_tmp ("wpr-target-XXXXXX", NULL);
  int fd = wpr_target_open_folder (folder, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    close (openat (fd, names[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  assert_null (wpr_target_rename_parts (fd, NULL, "b.etl"));
  g_auto (GStrv) renamed = wpr_target_rename_parts (fd, parts, "b.etl");
  assert_string_equal (renamed[0], "b.etl");
  /* "b-3.etl" was there before: the third keeps its name. */
  static const char *const now[] = { "b.etl", "b-2.etl", "a-3.etl", "b-3.etl" };
  for (guint i = 0; i < G_N_ELEMENTS (now); i++)
    assert_int_equal (unlinkat (fd, now[i], 0), 0);
  close (fd);
  assert_int_equal (g_rmdir (folder), 0);
}

static void
a_folder_that_cannot_be_made_is_named (void **state)
{
  g_autoptr (GError) error = NULL;
  assert_int_equal (wpr_target_open_folder ("/proc/nowhere/WPR Files", &error), -1);
  assert_true (g_error_matches (error, WPR_ERROR, WPR_ERROR_NOT_WRITABLE));
  assert_non_null (strstr (error->message, "/proc/nowhere/WPR Files"));
}

static void
search_finds_every_word_in_any_case (void **state)
{
  WprProfile profile = { .name = "CPU",
                         .title = "CPU usage",
                         .symptom = "The fan runs, or a program takes 100%",
                         .search_words = "风扇 noise",
                         .category = "Resource Analysis",
                         .category_title = "Resource Analysis" };
  g_autoptr (WprProfileItem) item = wpr_profile_item_new (&profile);
  assert_true (wpr_profile_item_matches (item, ""));
  assert_true (wpr_profile_item_matches (item, "FAN"));
  assert_true (wpr_profile_item_matches (item, "program fan"));
  assert_true (wpr_profile_item_matches (item, "风扇"));
  assert_true (wpr_profile_item_matches (item, "noise"));
  assert_false (wpr_profile_item_matches (item, "fan disk"));
}

static void
matches_are_emphasised_and_markup_escaped (void **state)
{
  expect (wpr_search_markup ("The fan & more", "FAN"), "The <b><u>fan</u></b> &amp; more");
  expect (wpr_search_markup ("a < b", ""), "a &lt; b");
  expect (wpr_search_markup ("风扇狂转", "风扇"), "<b><u>风扇</u></b>狂转");
}

int
main (void)
{
  setlocale (LC_ALL, "C.UTF-8");
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (counts_are_grouped),
    cmocka_unit_test (sizes_have_the_unit_that_reads_best),
    cmocka_unit_test (spans_have_two_units_at_most),
    cmocka_unit_test (small_shares_of_losses_do_not_become_zero),
    cmocka_unit_test (losses_say_where_and_when),
    cmocka_unit_test (the_subject_says_what_and_who),
    cmocka_unit_test (typed_names_become_file_names),
    cmocka_unit_test (a_name_is_never_taken_twice_and_a_file_never_replaced),
    cmocka_unit_test (all_parts_of_a_recording_are_renamed),
    cmocka_unit_test (a_folder_that_cannot_be_made_is_named),
    cmocka_unit_test (search_finds_every_word_in_any_case),
    cmocka_unit_test (matches_are_emphasised_and_markup_escaped),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
