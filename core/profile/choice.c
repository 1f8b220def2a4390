/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a person asked for, and its way through D-Bus. Whether it makes sense is the plan's part. */
#include "config.h"
#include "wpr-profile.h"

#include <glib/gi18n-lib.h>
#include <string.h>

static void
wpr_choice_item_free (gpointer data)
{
  WprChoiceItem *item = data;
  g_free (item->name);
  g_free (item->source);
  g_free (item);
}

WprChoice *
wpr_choice_new (void)
{
  WprChoice *choice = g_new0 (WprChoice, 1);
  choice->profiles = g_ptr_array_new_with_free_func (wpr_choice_item_free);
  choice->mode = WPR_MODE_MEMORY;
  choice->unlock = TRUE;
  return choice;
}

void
wpr_choice_free (WprChoice *choice)
{
  if (choice == NULL)
    return;
  g_ptr_array_unref (choice->profiles);
  g_free (choice->instance);
  g_free (choice->record_to);
  g_free (choice->save_folder);
  g_free (choice);
}

void
wpr_choice_add (WprChoice *choice, const char *name, const char *source, int level)
{
  g_return_if_fail (choice != NULL && name != NULL);
  static const struct
  {
    const char *suffix;
    WprLevel level;
  } suffixes[] = { { ".light", WPR_LEVEL_LIGHT }, { ".verbose", WPR_LEVEL_VERBOSE } };

  WprChoiceItem *item = g_new0 (WprChoiceItem, 1);
  item->level = level;
  gsize size = strlen (name);
  for (gsize i = 0; i < G_N_ELEMENTS (suffixes); i++)
    {
      gsize suffix_size = strlen (suffixes[i].suffix);
      if (size <= suffix_size
          || g_ascii_strcasecmp (name + size - suffix_size, suffixes[i].suffix) != 0)
        continue;
      size -= suffix_size;
      item->level = suffixes[i].level;
      break;
    }
  item->name = g_strndup (name, size);
  item->source = g_strdup (source);
  g_ptr_array_add (choice->profiles, item);
}

GVariant *
wpr_choice_to_variant (const WprChoice *choice)
{
  g_return_val_if_fail (choice != NULL, NULL);
  GVariantBuilder profiles;
  g_variant_builder_init (&profiles, G_VARIANT_TYPE ("a(ssi)"));
  for (guint i = 0; i < choice->profiles->len; i++)
    {
      const WprChoiceItem *item = g_ptr_array_index (choice->profiles, i);
      g_variant_builder_add (&profiles, "(ssi)", item->name,
                             item->source != NULL ? item->source : "", item->level);
    }
  GVariantDict dict;
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert_value (&dict, "profiles", g_variant_builder_end (&profiles));
  g_variant_dict_insert (&dict, "mode", "u", (guint)choice->mode);
  g_variant_dict_insert (&dict, "buffer-size-kb", "u", choice->buffer_size_kb);
  g_variant_dict_insert (&dict, "buffers", "u", choice->buffers);
  g_variant_dict_insert (&dict, "buffers-percent", "d", choice->buffers_percent);
  g_variant_dict_insert (&dict, "max-size-mb", "u", choice->max_size_mb);
  g_variant_dict_insert (&dict, "max-files", "u", choice->max_files);
  g_variant_dict_insert (&dict, "stop-at-max-size", "b", choice->stop_at_max_size);
  g_variant_dict_insert (&dict, "duration-s", "u", choice->duration_s);
  g_variant_dict_insert (&dict, "sample-interval-100ns", "u", choice->sample_interval_100ns);
  g_variant_dict_insert (&dict, "unlock", "b", choice->unlock);
  g_variant_dict_insert (&dict, "save-flags", "u", choice->save_flags);
  if (choice->instance != NULL)
    g_variant_dict_insert (&dict, "instance", "s", choice->instance);
  if (choice->record_to != NULL)
    g_variant_dict_insert_value (&dict, "record-to", g_variant_new_bytestring (choice->record_to));
  if (choice->save_folder != NULL)
    g_variant_dict_insert_value (&dict, "save-folder",
                                 g_variant_new_bytestring (choice->save_folder));
  return g_variant_dict_end (&dict);
}

/* Folders are byte strings: a path need not be UTF-8. */
static char *
wpr_choice_lookup_path (GVariantDict *dict, const char *key)
{
  g_autoptr (GVariant) value = g_variant_dict_lookup_value (dict, key, G_VARIANT_TYPE_BYTESTRING);
  return value != NULL ? g_variant_dup_bytestring (value, NULL) : NULL;
}

WprChoice *
wpr_choice_from_variant (GVariant *variant, GError **error)
{
  g_return_val_if_fail (variant != NULL, NULL);
  if (!g_variant_is_of_type (variant, G_VARIANT_TYPE_VARDICT))
    {
      wpr_set_error (error, WPR_ERROR_USAGE, 0,
                     _ ("The request to record is not understood. Both sides must be of the same "
                        "version."));
      return NULL;
    }
  g_auto (GVariantDict) dict = G_VARIANT_DICT_INIT (variant);
  g_autoptr (WprChoice) choice = wpr_choice_new ();
  g_autoptr (GVariant) profiles
      = g_variant_dict_lookup_value (&dict, "profiles", G_VARIANT_TYPE ("a(ssi)"));
  GVariantIter iter;
  const char *name, *source;
  int level;
  if (profiles != NULL)
    {
      g_variant_iter_init (&iter, profiles);
      while (g_variant_iter_next (&iter, "(&s&si)", &name, &source, &level))
        {
          WprChoiceItem *item = g_new0 (WprChoiceItem, 1);
          item->name = g_strdup (name);
          item->source = *source != '\0' ? g_strdup (source) : NULL;
          item->level = CLAMP (level, -1, WPR_LEVEL_LIGHT);
          g_ptr_array_add (choice->profiles, item);
        }
    }
  guint mode = WPR_MODE_MEMORY;
  g_variant_dict_lookup (&dict, "mode", "u", &mode);
  choice->mode = mode == WPR_MODE_FILE ? WPR_MODE_FILE : WPR_MODE_MEMORY;
  g_variant_dict_lookup (&dict, "buffer-size-kb", "u", &choice->buffer_size_kb);
  g_variant_dict_lookup (&dict, "buffers", "u", &choice->buffers);
  g_variant_dict_lookup (&dict, "buffers-percent", "d", &choice->buffers_percent);
  g_variant_dict_lookup (&dict, "max-size-mb", "u", &choice->max_size_mb);
  g_variant_dict_lookup (&dict, "max-files", "u", &choice->max_files);
  g_variant_dict_lookup (&dict, "stop-at-max-size", "b", &choice->stop_at_max_size);
  g_variant_dict_lookup (&dict, "duration-s", "u", &choice->duration_s);
  g_variant_dict_lookup (&dict, "sample-interval-100ns", "u", &choice->sample_interval_100ns);
  g_variant_dict_lookup (&dict, "unlock", "b", &choice->unlock);
  g_variant_dict_lookup (&dict, "save-flags", "u", &choice->save_flags);
  g_variant_dict_lookup (&dict, "instance", "s", &choice->instance);
  choice->record_to = wpr_choice_lookup_path (&dict, "record-to");
  choice->save_folder = wpr_choice_lookup_path (&dict, "save-folder");
  return g_steal_pointer (&choice);
}
