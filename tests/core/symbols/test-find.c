/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of programs that were built for this test, with their symbols in every place they can
 * be, and the kernel's. */
#include "config.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <glib/gstdio.h>

#include "base/files.h"
#include "symbols/demangle.h"
#include "symbols/symbols.h"
#include "trace/image-private.h"

typedef struct
{
  char *root;
  guint64 where[2]; /* of known_static, known_exported */
  WprSymbolImage *image;
  WprSymbolSearch search;
} Find;

static char *
fixture (const char *name)
{
  return g_build_filename (g_getenv ("WPR_FIXTURES"), name, NULL);
}

static int
open_file (const WprSymbolImage *image, WprSymbolsState *state, gpointer data)
{
  int fd = open (image->path, O_RDONLY | O_CLOEXEC);
  *state = WPR_SYMBOLS_GONE;
  return fd;
}

static int
open_map (const WprSymbolImage *image, WprSymbolsState *state, gpointer data)
{
  *state = WPR_SYMBOLS_NONE;
  return -1;
}

/* Where the functions lie, as the program itself says. */
static void
ask_where (const char *path, guint64 where[2])
{
  const char *argv[] = { path, "where", NULL };
  g_autofree char *out = NULL;
  assert_true (g_spawn_sync (NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, NULL,
                             NULL, NULL));
  assert_int_equal (
      sscanf (out, "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x", &where[0], &where[1]), 2);
}

static void
find_init (Find *f, WprSymbolsKind kind, const char *path)
{
  memset (f, 0, sizeof *f);
  f->root = g_dir_make_tmp ("wpr-find-XXXXXX", NULL);
  g_autofree char *cache = g_build_filename (f->root, "cache", NULL);
  g_setenv ("WPR_CACHE_DIR", cache, TRUE);
  f->image = wpr_symbol_image_new (kind, path);
  f->search = (WprSymbolSearch){ .open_file = open_file,
                                 .open_map = open_map,
                                 .kernel = TRUE,
                                 .debug_root = f->root,
                                 .budget_us = 60 * G_USEC_PER_SEC,
                                 .image_us = 60 * G_USEC_PER_SEC };
  f->search.images = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_symbol_image_free);
  g_ptr_array_add (f->search.images, f->image);
}

static void
find_clear (Find *f)
{
  g_autofree char *name = g_path_get_basename (f->root), *parent = g_path_get_dirname (f->root);
  int fd = open (parent, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
  wpr_remove_tree_at (fd, name, NULL);
  close (fd);
  g_ptr_array_unref (f->search.images);
  g_free (f->root);
}

static void
see (Find *f, guint64 address, guint frames)
{
  WprSymbolAddress row = { address, frames };
  g_array_append_val (f->image->addresses, row);
}

/* A fixture, with both functions seen: the static one within, the exported one at its start. */
static void
find_fixture (Find *f, const char *name)
{
  g_autofree char *path = fixture (name);
  WprImageFile file;
  find_init (f, WPR_SYMBOLS_FILE, path);
  ask_where (path, f->where);
  see (f, f->where[0] + 3, 10);
  see (f, f->where[1], 20);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  wpr_image_file_read (fd, &file);
  close (fd);
  assert_true (file.elf);
  f->image->build_id_size = file.build_id_size;
  memcpy (f->image->build_id, file.build_id, file.build_id_size);
}

static const WprSymbolFunction *
function_named (const WprSymbolImage *image, const char *name)
{
  for (guint i = 0; i < image->functions->len; i++)
    if (g_str_equal (g_array_index (image->functions, WprSymbolFunction, i).name, name))
      return &g_array_index (image->functions, WprSymbolFunction, i);
  return NULL;
}

static void
assert_both (const Find *f, const char *source)
{
  const WprSymbolFunction *inner = function_named (f->image, "known_static"),
                          *outer = function_named (f->image, "known_exported");
  assert_int_equal (f->image->state, WPR_SYMBOLS_NAMED);
  assert_string_equal (f->image->source, source);
  assert_non_null (inner);
  assert_non_null (outer);
  assert_int_equal (inner->start, f->where[0]);
  assert_int_equal (outer->start, f->where[1]);
  assert_true (inner->size > 3 && inner->size < 4096);
  assert_int_equal (f->image->functions->len, 2);
  assert_int_equal (f->image->n_named, 2);
  assert_int_equal (f->image->frames, 30);
  assert_int_equal (f->image->frames_named, 30);
}

static void
all_functions_of_a_program_have_names (void **state)
{
  static const char *const names[] = { "known-pie", "known-fixed" };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      Find f;
      find_fixture (&f, names[i]);
      assert_true (wpr_symbols_find (&f.search));
      assert_both (&f, "symtab");
      find_clear (&f);
    }
}

static void
of_a_stripped_program_only_what_it_exports_has (void **state)
{
  Find f;
  find_fixture (&f, "known-stripped");
  assert_true (wpr_symbols_find (&f.search));
  assert_string_equal (f.image->source, "dynsym");
  assert_int_equal (f.image->functions->len, 1);
  assert_non_null (function_named (f.image, "known_exported"));
  assert_int_equal (f.image->n_named, 1);
  assert_int_equal (f.image->frames_named, 20);
  find_clear (&f);
}

static void
packed_symbols_are_read (void **state)
{
  Find f;
  find_fixture (&f, "known-mini");
  assert_true (wpr_symbols_find (&f.search));
  assert_both (&f, "minidebug");
  find_clear (&f);
}

/* Puts a file where that of the image's build id is looked for. */
static void
install_debug (const Find *f, const char *name)
{
  g_autofree char *from = fixture (name), *bytes = NULL;
  g_autoptr (GString) path = g_string_new (f->root);
  gsize size = 0;
  g_string_append_printf (path, "/.build-id/%02x/", f->image->build_id[0]);
  assert_int_equal (g_mkdir_with_parents (path->str, 0700), 0);
  for (guint i = 1; i < f->image->build_id_size; i++)
    g_string_append_printf (path, "%02x", f->image->build_id[i]);
  g_string_append (path, ".debug");
  assert_true (g_file_get_contents (from, &bytes, &size, NULL));
  assert_true (g_file_set_contents (path->str, bytes, (gssize)size, NULL));
}

static void
a_separate_file_of_the_same_build_is_used (void **state)
{
  Find f;
  find_fixture (&f, "known-stripped");
  assert_int_equal (f.image->build_id_size, 20);
  install_debug (&f, "known.debug");
  assert_true (wpr_symbols_find (&f.search));
  assert_both (&f, "debug file");
  find_clear (&f);
}

static void
a_separate_file_of_another_build_is_not (void **state)
{
  Find f;
  find_fixture (&f, "known-stripped");
  install_debug (&f, "known-fixed");
  assert_true (wpr_symbols_find (&f.search));
  assert_string_equal (f.image->source, "dynsym");
  find_clear (&f);
}

static void
the_second_time_names_come_from_the_cache (void **state)
{
  Find f;
  struct timespec times[2];
  find_fixture (&f, "known-pie");
  g_autofree char *copy = g_build_filename (f.root, "copy", NULL), *bytes = NULL;
  gsize size = 0;
  assert_true (g_file_get_contents (f.image->path, &bytes, &size, NULL));
  assert_true (g_file_set_contents (copy, bytes, (gssize)size, NULL));
  g_free (f.image->path);
  f.image->path = g_strdup (copy);
  for (guint round = 0; round < 4; round++)
    {
      g_array_set_size (f.image->functions, 0);
      f.image->n_named = 0;
      f.image->frames = f.image->frames_named = 0;
      f.image->state = WPR_SYMBOLS_NO_TIME;
      f.search.n_cached = 0;
      assert_true (wpr_symbols_find (&f.search));
      assert_both (&f, "symtab");
      assert_int_equal (f.search.n_cached, round == 1 || round == 3); /* changed in between */
      clock_gettime (CLOCK_REALTIME, &times[0]);
      times[1] = times[0];
      if (round == 1)
        assert_int_equal (utimensat (AT_FDCWD, copy, times, 0), 0);
    }
  find_clear (&f);
}

static void
without_time_nothing_is_read_and_that_is_said (void **state)
{
  Find f;
  find_fixture (&f, "known-pie");
  f.search.budget_us = 0;
  assert_true (wpr_symbols_find (&f.search));
  assert_int_equal (f.image->state, WPR_SYMBOLS_NO_TIME);
  assert_int_equal (f.image->functions->len, 0);
  assert_string_equal (wpr_symbols_state_word (f.image->state), "no-time");
  find_clear (&f);
}

static void
it_can_be_cancelled (void **state)
{
  Find f;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  find_fixture (&f, "known-pie");
  g_cancellable_cancel (cancellable);
  f.search.cancellable = cancellable;
  assert_false (wpr_symbols_find (&f.search));
  find_clear (&f);
}

static void
what_is_not_there_or_no_elf_file_has_none (void **state)
{
  Find f;
  find_init (&f, WPR_SYMBOLS_FILE, "/nonexistent");
  see (&f, 0x1000, 1);
  assert_true (wpr_symbols_find (&f.search));
  assert_int_equal (f.image->state, WPR_SYMBOLS_GONE);
  find_clear (&f);
  find_init (&f, WPR_SYMBOLS_FILE, "/etc/passwd");
  see (&f, 0x1000, 1);
  assert_true (wpr_symbols_find (&f.search));
  assert_int_equal (f.image->state, WPR_SYMBOLS_NONE);
  find_clear (&f);
}

/* ---- servers ---- */

/* Serves a folder on a port of this machine and prints which, until its input ends; "mute": takes
 * connections and never answers. */
static const char server[]
    = "import http.server, os, socket, sys, threading\n"
      "os.chdir(sys.argv[1])\n"
      "class Quiet(http.server.SimpleHTTPRequestHandler):\n"
      "    def log_message(self, *args): pass\n"
      "s = socket.create_server(('127.0.0.1', 0)) if sys.argv[2] == 'mute' "
      "else http.server.HTTPServer(('127.0.0.1', 0), Quiet)\n"
      "print(s.getsockname()[1] if sys.argv[2] == 'mute' else s.server_port, flush=True)\n"
      "if sys.argv[2] != 'mute': threading.Thread(target=s.serve_forever, daemon=True).start()\n"
      "sys.stdin.read()\n";

typedef struct
{
  GPid pid;
  int in, out;
} Server;

static gboolean
begin_server (Server *self, const char *folder, const char *how)
{
  const char *argv[] = { "python3", "-c", server, folder, how, NULL };
  char line[16] = "";
  if (!g_spawn_async_with_pipes (NULL, (char **)argv, NULL,
                                 G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                                 &self->pid, &self->in, &self->out, NULL, NULL))
    return FALSE;
  assert_true (read (self->out, line, sizeof line - 1) > 0);
  g_autofree char *url = g_strdup_printf ("http://127.0.0.1:%d", atoi (line));
  g_autofree char *cache = g_build_filename (folder, "fetched", NULL);
  g_setenv ("DEBUGINFOD_URLS", url, TRUE);
  g_setenv ("DEBUGINFOD_CACHE_PATH", cache, TRUE);
  return TRUE;
}

static void
end_server (Server *self)
{
  close (self->in);
  close (self->out);
  assert_int_equal (waitpid (self->pid, NULL, 0), self->pid);
  g_unsetenv ("DEBUGINFOD_URLS");
}

/* Where the server has the file of the image's build id. */
static void
publish (const Find *f, const char *name)
{
  g_autofree char *from = fixture (name), *bytes = NULL;
  g_autoptr (GString) path = g_string_new (f->root);
  gsize size = 0;
  g_string_append (path, "/buildid/");
  for (guint i = 0; i < f->image->build_id_size; i++)
    g_string_append_printf (path, "%02x", f->image->build_id[i]);
  assert_int_equal (g_mkdir_with_parents (path->str, 0700), 0);
  g_string_append (path, "/debuginfo");
  assert_true (g_file_get_contents (from, &bytes, &size, NULL));
  assert_true (g_file_set_contents (path->str, bytes, (gssize)size, NULL));
}

static gboolean
has_client (void)
{
  void *library = dlopen ("libdebuginfod.so.1", RTLD_NOW);
  if (library == NULL)
    print_message ("skipped: elfutils' debuginfod client is not installed\n");
  return library != NULL;
}

static void
servers_are_asked_only_where_that_is_wanted (void **state)
{
  for (guint wanted = 0; wanted < 2; wanted++)
    {
      Find f;
      Server s;
      find_fixture (&f, "known-stripped");
      publish (&f, "known.debug");
      if (!has_client () || !begin_server (&s, f.root, "plain"))
        {
          find_clear (&f);
          skip ();
        }
      f.search.debuginfod = wanted;
      assert_true (wpr_symbols_find (&f.search));
      if (wanted)
        assert_both (&f, "debug file");
      else
        assert_string_equal (f.image->source, "dynsym");
      end_server (&s);
      find_clear (&f);
    }
}

static void
a_server_that_does_not_answer_takes_the_time_given_and_no_more (void **state)
{
  Find f;
  Server s;
  find_fixture (&f, "known-stripped");
  if (!has_client () || !begin_server (&s, f.root, "mute"))
    {
      find_clear (&f);
      skip ();
    }
  f.search.debuginfod = TRUE;
  f.search.budget_us = 2 * G_USEC_PER_SEC;
  assert_true (wpr_symbols_find (&f.search)); /* else the client waits for 90 s */
  assert_int_equal (f.image->state, WPR_SYMBOLS_NO_TIME);
  end_server (&s);
  find_clear (&f);
}

/* ---- the kernel ---- */

/* schedule() is in every kernel, and in no module. */
static guint64
find_schedule (void)
{
  g_autofree char *text = NULL;
  if (!g_file_get_contents ("/proc/kallsyms", &text, NULL, NULL))
    return 0;
  const char *at = strstr (text, " T schedule\n");
  while (at != NULL && at > text && at[-1] != '\n')
    at--;
  return at != NULL ? g_ascii_strtoull (at, NULL, 16) : 0;
}

static void
functions_of_the_kernel_have_names (void **state)
{
  Find f;
  guint64 schedule = find_schedule ();
  if (schedule == 0)
    skip (); /* hidden from this user */
  find_init (&f, WPR_SYMBOLS_KERNEL, "[kernel.kallsyms]");
  f.image->base = schedule - 0x1000;
  see (&f, 0x1005, 3);
  assert_true (wpr_symbols_find (&f.search));
  const WprSymbolFunction *function = function_named (f.image, "schedule");
  assert_non_null (function);
  assert_int_equal (function->start, 0x1000);
  assert_string_equal (f.image->source, "kallsyms");
  find_clear (&f);
}

static void
another_kernels_addresses_have_none (void **state)
{
  Find f;
  find_init (&f, WPR_SYMBOLS_KERNEL, "[kernel.kallsyms]");
  f.image->base = find_schedule ();
  f.search.kernel = FALSE;
  see (&f, 5, 3);
  assert_true (wpr_symbols_find (&f.search));
  assert_int_equal (f.image->state, WPR_SYMBOLS_GONE);
  find_clear (&f);
}

/* ---- encoded names ---- */

static void
encoded_names_are_decoded (void **state)
{
#ifdef WPR_HAVE_LIBIBERTY
  static const char *const names[][2] = {
    { "_ZN4deep3BoxIlE5churnERSt6vectorIlSaIlEE", "deep::Box<long>::churn" },
    { "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
    { "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt" },
    { "_Z", "_Z" },
    { "plain", "plain" },
    { "_ZN99999999999999999999", "_ZN99999999999999999999" },
  };
  Find f;
  find_init (&f, WPR_SYMBOLS_FILE, "x");
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      WprSymbolFunction function = { i, 1, g_strdup (names[i][0]) };
      g_array_append_val (f.image->functions, function);
    }
  assert_true (
      wpr_demangle_images (f.search.images, g_get_monotonic_time () + 10 * G_USEC_PER_SEC, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    assert_string_equal (g_array_index (f.image->functions, WprSymbolFunction, i).name,
                         names[i][1]);
  find_clear (&f);
#else
  skip ();
#endif
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (all_functions_of_a_program_have_names),
    cmocka_unit_test (of_a_stripped_program_only_what_it_exports_has),
    cmocka_unit_test (packed_symbols_are_read),
    cmocka_unit_test (a_separate_file_of_the_same_build_is_used),
    cmocka_unit_test (a_separate_file_of_another_build_is_not),
    cmocka_unit_test (the_second_time_names_come_from_the_cache),
    cmocka_unit_test (without_time_nothing_is_read_and_that_is_said),
    cmocka_unit_test (it_can_be_cancelled),
    cmocka_unit_test (what_is_not_there_or_no_elf_file_has_none),
    cmocka_unit_test (servers_are_asked_only_where_that_is_wanted),
    cmocka_unit_test (a_server_that_does_not_answer_takes_the_time_given_and_no_more),
    cmocka_unit_test (functions_of_the_kernel_have_names),
    cmocka_unit_test (another_kernels_addresses_have_none),
    cmocka_unit_test (encoded_names_are_decoded),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
