/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window of shortcuts tells of every key there is, and of none that is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <gtk/gtk.h>
#include <string.h>
#include "shortcuts.h"

/* GTK's own. */
static const char *const others[] = { "F10", "Escape" };

typedef struct
{
  GPtrArray *keys;
  gboolean is_key;
} Reading;

static void
on_start (GMarkupParseContext *context, const char *element, const char **names,
          const char **values, gpointer data, GError **error)
{
  Reading *reading = data;
  reading->is_key = FALSE;
  for (guint i = 0; names[i] != NULL; i++)
    reading->is_key |= strcmp (element, "property") == 0 && strcmp (names[i], "name") == 0
                       && strcmp (values[i], "accelerator") == 0;
}

static void
on_text (GMarkupParseContext *context, const char *text, gsize size, gpointer data, GError **error)
{
  Reading *reading = data;
  if (!reading->is_key)
    return;
  /* several keys that do the same stand in one row */
  g_auto (GStrv) keys = g_strsplit (text, " ", -1);
  for (char **key = keys; *key != NULL; key++)
    g_ptr_array_add (reading->keys, g_strdup (*key));
  reading->is_key = FALSE;
}

static GPtrArray *
read_overlay (void)
{
  static const GMarkupParser parser = { .start_element = on_start, .text = on_text };
  g_autofree char *path
      = g_build_filename (g_getenv ("WPR_SOURCE_ROOT"), "ui", "window", "help-overlay.ui", NULL);
  g_autofree char *text = NULL;
  assert_true (g_file_get_contents (path, &text, NULL, NULL));
  Reading reading = { g_ptr_array_new_with_free_func (g_free), FALSE };
  GMarkupParseContext *context = g_markup_parse_context_new (&parser, 0, &reading, NULL);
  assert_true (g_markup_parse_context_parse (context, text, -1, NULL));
  g_markup_parse_context_free (context);
  assert_true (reading.keys->len > 10);
  return reading.keys;
}

static gboolean
is_same_key (const char *one, const char *other)
{
  guint key, other_key;
  GdkModifierType modifiers, other_modifiers;
  return gtk_accelerator_parse (one, &key, &modifiers)
         && gtk_accelerator_parse (other, &other_key, &other_modifiers) && key == other_key
         && modifiers == other_modifiers;
}

static gboolean
exists (const char *key)
{
  const WprShortcut *shortcut;
  for (guint i = 0; (shortcut = wpr_shortcut_get (i)) != NULL; i++)
    if (is_same_key (shortcut->keys, key))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (is_same_key (others[i], key))
      return TRUE;
  return FALSE;
}

static void
every_key_is_told (void **state)
{
  g_autoptr (GPtrArray) told = read_overlay ();
  const WprShortcut *shortcut;
  for (guint i = 0; (shortcut = wpr_shortcut_get (i)) != NULL; i++)
    {
      guint n = 0;
      for (guint j = 0; j < told->len; j++)
        n += is_same_key (shortcut->keys, told->pdata[j]);
      if (n == 0)
        fail_msg ("nobody is told of %s, which does %s", shortcut->keys, shortcut->action);
    }
}

static void
every_key_that_is_told_does_something (void **state)
{
  g_autoptr (GPtrArray) told = read_overlay ();
  for (guint i = 0; i < told->len; i++)
    if (!exists (told->pdata[i]))
      fail_msg ("%s is told, and does nothing", (const char *)told->pdata[i]);
}

static void
no_key_does_two_things (void **state)
{
  const WprShortcut *one, *other;
  for (guint i = 0; (one = wpr_shortcut_get (i)) != NULL; i++)
    for (guint j = i + 1; (other = wpr_shortcut_get (j)) != NULL; j++)
      if (is_same_key (one->keys, other->keys))
        fail_msg ("%s does %s and %s", one->keys, one->action, other->action);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (every_key_is_told),
    cmocka_unit_test (every_key_that_is_told_does_something),
    cmocka_unit_test (no_key_does_two_things),
  };
  return cmocka_run_group_tests (tests, NULL, NULL);
}
