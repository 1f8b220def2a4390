/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The library: documents, their profiles by Name, and finding one. Everything is resolved when a
 * file is added, so that planning reads only. */
#include "config.h"
#include "profile/library.h"
#include "profile/builtin.h"
#include "profile/suggest.h"
#include "profile/symptoms.h"
#include "profile/text.h"
#include "profile/validate.h"

#include <glib/gi18n-lib.h>
#include <string.h>

/* Most Profile elements of a file: each is resolved whole. The largest known file has 30. */
#define MOST_PROFILES 256

/* One Name; `profile` first, so that a WprProfile of ours is its entry. */
typedef struct
{
  WprProfile profile;
  WprVariant *variants[2][2]; /* [WprLevel][WprMode] */
} WprEntry;

struct _WprLibrary
{
  gatomicrefcount ref_count;
  GPtrArray *documents;    /* WprDocument * */
  GHashTable *builtin_ids; /* Id -> WprNode * */
  GPtrArray *entries;      /* WprEntry *, in the order people see */
  GPtrArray *faults;       /* const WprFault *, of the documents and provider_faults */
  GPtrArray *provider_faults;
  WprProviders *providers;
};

static void
wpr_entry_free (gpointer data)
{
  WprEntry *entry = data;
  for (gsize level = 0; level < 2; level++)
    for (gsize mode = 0; mode < 2; mode++)
      if (entry->variants[level][mode] != NULL)
        wpr_variant_free (entry->variants[level][mode]);
  g_free (entry);
}

/* ---- documents into profiles ---- */

static WprEntry *
wpr_entries_find (GPtrArray *entries, const char *name, const char *source)
{
  for (guint i = 0; i < entries->len; i++)
    {
      WprEntry *entry = g_ptr_array_index (entries, i);
      if (g_strcmp0 (entry->profile.source, source) == 0 && g_str_equal (entry->profile.name, name))
        return entry;
    }
  return NULL;
}

static void
wpr_entry_describe (WprEntry *entry, const WprVariant *variant)
{
  WprProfile *profile = &entry->profile;
  const WprSymptomRow *row = profile->source == NULL ? wpr_symptom_find (profile->name) : NULL;
  const char *description = variant->description != NULL ? variant->description : "";
  /* "@%SystemRoot%\...dll,-101": a text in a Windows library. */
  gboolean is_text = *description != '\0' && *description != '@';
  profile->title = row != NULL ? _ (row->title) : is_text ? description : profile->name;
  profile->symptom = row != NULL && *row->symptom != '\0' ? _ (row->symptom) : "";
  profile->search_words = row != NULL && *row->search_words != '\0' ? _ (row->search_words) : "";
  if (variant->categories->len > 0)
    profile->category = g_ptr_array_index (variant->categories, 0);
  else
    profile->category = profile->source != NULL ? "Custom measurements" : "";
  profile->category_title
      = *profile->category != '\0' ? wpr_category_title (profile->category) : "";
}

/* Takes the variant. */
static void
wpr_entries_add (GPtrArray *entries, WprVariant *variant, const char *source)
{
  WprEntry *entry = wpr_entries_find (entries, variant->name, source);
  if (entry == NULL)
    {
      entry = g_new0 (WprEntry, 1);
      entry->profile.name = variant->name;
      entry->profile.source = source;
      wpr_entry_describe (entry, variant);
      g_ptr_array_add (entries, entry);
    }
  WprVariant **place = &entry->variants[variant->level][variant->mode];
  if (*place != NULL)
    {
      wpr_node_refuse (variant->node, "Name", 0, _ ("Give it another Name."),
                       _ ("“%s” has this detail level and logging mode already; this one is not "
                          "used."),
                       variant->name);
      wpr_variant_free (variant);
      return;
    }
  *place = variant;
  entry->profile.has[variant->level][variant->mode] = TRUE;
  entry->profile.internal |= variant->internal;
  entry->profile.is_default |= variant->is_default;
}

/* Profiles of a document into entries; errors are in its faults. */
static void
wpr_library_resolve (WprLibrary *library, WprDocument *document, GPtrArray *entries)
{
  const WprNode *profiles
      = document->root != NULL ? wpr_node_find (document->root, "Profiles") : NULL;
  guint n_found = 0;
  for (guint i = 0; profiles != NULL && i < wpr_node_n_children (profiles); i++)
    {
      const WprNode *node = wpr_node_child (profiles, i);
      if (!wpr_node_is (node, "Profile"))
        continue;
      if (++n_found > MOST_PROFILES)
        {
          wpr_node_add_fault (node, NULL, TRUE, 0, _ ("Make several files of it."),
                              _ ("A file cannot have more than %d profiles."), MOST_PROFILES);
          break;
        }
      WprBuiltinIds builtin = { library->builtin_ids, NULL };
      WprVariant *variant = wpr_variant_new (node, &builtin);
      if (variant->name == NULL || variant->id == NULL)
        wpr_variant_free (variant);
      else
        wpr_entries_add (entries, variant, document->is_builtin ? NULL : document->file);
    }
  if (document->root != NULL && n_found == 0)
    wpr_node_add_fault (document->root, NULL, TRUE, 0xc5580701,
                        _ ("Add a <Profile> to <Profiles>."), _ ("There is no profile in it."));
  WprBuiltinIds builtin = { library->builtin_ids, NULL };
  wpr_document_validate (document, &builtin);
  wpr_faults_sort (document->faults);
}

static void
wpr_library_add_faults (WprLibrary *library, const GPtrArray *faults)
{
  for (guint i = 0; i < faults->len; i++)
    g_ptr_array_add (library->faults, g_ptr_array_index (faults, i));
}

/* What an earlier reading of the same file left; FALSE: nothing. */
static gboolean
wpr_library_forget (WprLibrary *library, const char *source)
{
  guint n_before = library->documents->len;
  for (guint i = library->entries->len; i > 0; i--)
    {
      const WprEntry *entry = g_ptr_array_index (library->entries, i - 1);
      if (g_strcmp0 (entry->profile.source, source) == 0)
        g_ptr_array_remove_index (library->entries, i - 1);
    }
  for (guint i = library->faults->len; i > 0; i--)
    {
      const WprFault *fault = g_ptr_array_index (library->faults, i - 1);
      if (g_str_equal (fault->file, source))
        g_ptr_array_remove_index (library->faults, i - 1);
    }
  for (guint i = library->documents->len; i > 0; i--)
    {
      const WprDocument *document = g_ptr_array_index (library->documents, i - 1);
      if (!document->is_builtin && g_str_equal (document->file, source))
        g_ptr_array_remove_index (library->documents, i - 1);
    }
  return library->documents->len < n_before;
}

static void
wpr_library_add_builtin (WprLibrary *library, const char *name)
{
  g_autoptr (GBytes) bytes = wpr_builtin_get (name);
  WprDocument *document = wpr_document_new (bytes, name);
  document->is_builtin = TRUE;
  g_ptr_array_add (library->documents, document);
  GHashTableIter iter;
  gpointer id, node;
  g_hash_table_iter_init (&iter, document->by_id);
  while (g_hash_table_iter_next (&iter, &id, &node))
    g_hash_table_insert (library->builtin_ids, id, node);
  wpr_library_resolve (library, document, library->entries);
  if (document->faults->len > 0)
    {
      const WprFault *fault = g_ptr_array_index (document->faults, 0);
      g_error ("%s:%u:%u: %s %s", fault->file, fault->line, fault->column, fault->what,
               fault->advice);
    }
}

/* ---- public ---- */

WprLibrary *
wpr_library_new (void)
{
  WprLibrary *library = g_new0 (WprLibrary, 1);
  g_atomic_ref_count_init (&library->ref_count);
  library->documents = g_ptr_array_new_with_free_func ((GDestroyNotify)wpr_document_free);
  library->builtin_ids = g_hash_table_new (g_str_hash, g_str_equal);
  library->entries = g_ptr_array_new_with_free_func (wpr_entry_free);
  library->faults = g_ptr_array_new ();
  library->provider_faults = wpr_faults_new ();
  library->providers = wpr_providers_new (library->provider_faults);
  wpr_library_add_faults (library, library->provider_faults);
  for (const char *const *name = wpr_builtin_profiles (); *name != NULL; name++)
    wpr_library_add_builtin (library, *name);
  return library;
}

WprLibrary *
wpr_library_ref (WprLibrary *library)
{
  g_return_val_if_fail (library != NULL, NULL);
  g_atomic_ref_count_inc (&library->ref_count);
  return library;
}

void
wpr_library_unref (WprLibrary *library)
{
  g_return_if_fail (library != NULL);
  if (!g_atomic_ref_count_dec (&library->ref_count))
    return;
  g_ptr_array_unref (library->entries); /* before the documents, whose strings it borrows */
  g_ptr_array_unref (library->faults);
  g_hash_table_unref (library->builtin_ids);
  g_ptr_array_unref (library->documents);
  wpr_providers_free (library->providers);
  g_ptr_array_unref (library->provider_faults);
  g_free (library);
}

gboolean
wpr_library_add_bytes (WprLibrary *library, GBytes *bytes, const char *display_name, GError **error)
{
  g_return_val_if_fail (library != NULL && bytes != NULL && display_name != NULL, FALSE);
  wpr_library_forget (library, display_name);
  WprDocument *document = wpr_document_new (bytes, display_name);
  g_ptr_array_add (library->documents, document);
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (wpr_entry_free);
  wpr_library_resolve (library, document, entries);
  wpr_library_add_faults (library, document->faults);

  const WprFault *fault = wpr_faults_first_error (document->faults);
  if (fault != NULL)
    {
      wpr_fault_set_error (fault, error);
      return FALSE;
    }
  g_ptr_array_extend_and_steal (library->entries, g_steal_pointer (&entries));
  return TRUE;
}

gboolean
wpr_library_add_file (WprLibrary *library, const char *path, GError **error)
{
  g_return_val_if_fail (library != NULL && path != NULL, FALSE);
  g_autofree char *shown = g_filename_display_name (path);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) failure = NULL;
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, &failure);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 chunk[32768];
  gssize n = stream != NULL ? 1 : -1;
  /* One byte over the limit is enough to be refused: a device or a fifo may have no end. */
  while (n > 0 && bytes->len <= WPR_TEXT_MOST_BYTES)
    {
      n = g_input_stream_read (G_INPUT_STREAM (stream), chunk, sizeof chunk, NULL, &failure);
      if (n > 0)
        g_byte_array_append (bytes, chunk, n);
    }
  if (n < 0)
    {
      wpr_set_error (error, WPR_ERROR_PROFILE, 0,
                     _ ("The profile file “%s” cannot be read: %s. Check its name and whether you "
                        "may read it."),
                     shown, failure->message);
      return FALSE;
    }
  g_autoptr (GBytes) whole = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  return wpr_library_add_bytes (library, whole, shown, error);
}

gboolean
wpr_library_remove (WprLibrary *library, const char *display_name)
{
  g_return_val_if_fail (library != NULL && display_name != NULL, FALSE);
  return wpr_library_forget (library, display_name);
}

guint
wpr_library_get_n_profiles (WprLibrary *library)
{
  g_return_val_if_fail (library != NULL, 0);
  return library->entries->len;
}

const WprProfile *
wpr_library_get_profile (WprLibrary *library, guint index)
{
  g_return_val_if_fail (library != NULL && index < library->entries->len, NULL);
  return g_ptr_array_index (library->entries, index);
}

/* Of a file as read, usable or not; NULL: none of that name. */
static const WprDocument *
wpr_library_find_document (WprLibrary *library, const char *source)
{
  for (guint i = 0; i < library->documents->len; i++)
    {
      const WprDocument *document = g_ptr_array_index (library->documents, i);
      if (!document->is_builtin && g_str_equal (document->file, source))
        return document;
    }
  return NULL;
}

char *
wpr_library_dup_title (WprLibrary *library, const char *display_name)
{
  g_return_val_if_fail (library != NULL && display_name != NULL, NULL);
  const WprDocument *document = wpr_library_find_document (library, display_name);
  const WprNode *profiles = document != NULL && document->root != NULL
                                ? wpr_node_find (document->root, "Profiles")
                                : NULL;
  for (guint i = 0; profiles != NULL && i < wpr_node_n_children (profiles); i++)
    {
      const WprNode *node = wpr_node_child (profiles, i);
      if (!wpr_node_is (node, "Profile") || wpr_node_get_boolean (node, "Internal"))
        continue;
      const char *description = wpr_node_get (node, "Description");
      const char *name = wpr_node_get (node, "Name");
      /* "@%SystemRoot%\...dll,-101": a text in a Windows library. */
      if (description != NULL && *description != '\0' && *description != '@')
        return g_strdup (description);
      if (name != NULL && *name != '\0')
        return g_strdup (name);
    }
  return NULL;
}

char *
wpr_library_dup_remark (WprLibrary *library, const char *display_name, const char *attribute)
{
  g_return_val_if_fail (library != NULL && display_name != NULL && attribute != NULL, NULL);
  const WprDocument *document = wpr_library_find_document (library, display_name);
  if (document == NULL || document->root == NULL)
    return NULL;
  return g_strdup (wpr_node_get (document->root, attribute));
}

const GPtrArray *
wpr_library_get_faults (WprLibrary *library)
{
  g_return_val_if_fail (library != NULL, NULL);
  return library->faults;
}

/* The fault of a file that could not be used, as the reason why a name is not found in it. */
static gboolean
wpr_library_set_fault_error (WprLibrary *library, const char *source, GError **error)
{
  for (guint i = 0; source != NULL && i < library->faults->len; i++)
    {
      const WprFault *fault = g_ptr_array_index (library->faults, i);
      if (!fault->is_error || !g_str_equal (fault->file, source))
        continue;
      wpr_fault_set_error (fault, error);
      return TRUE;
    }
  return FALSE;
}

const WprProfile *
wpr_library_find (WprLibrary *library, const char *name, const char *source, GError **error)
{
  g_return_val_if_fail (library != NULL && name != NULL, NULL);
  WprSuggest suggest = { .word = name };
  for (guint i = 0; i < library->entries->len; i++) /* built-in ones come first */
    {
      const WprProfile *profile = wpr_library_get_profile (library, i);
      if (source != NULL && g_strcmp0 (profile->source, source) != 0)
        continue;
      if (g_ascii_strcasecmp (profile->name, name) == 0)
        return profile;
      if (!profile->internal)
        wpr_suggest_offer (&suggest, profile->name);
    }
  if (wpr_library_set_fault_error (library, source, error))
    return NULL;
  g_autofree char *where
      = source != NULL ? g_strdup_printf (_ ("There is no profile “%s” in %s."), name, source)
                       : g_strdup_printf (_ ("There is no profile “%s”."), name);
  if (suggest.best != NULL)
    wpr_set_error (error, WPR_ERROR_PROFILE, 0, _ ("%s Did you mean “%s”?"), where, suggest.best);
  else
    wpr_set_error (error, WPR_ERROR_PROFILE, 0, _ ("%s “wpr -profiles” lists those there are."),
                   where);
  return NULL;
}

const WprProfile *
wpr_library_get_default (WprLibrary *library, const char *source, GError **error)
{
  g_return_val_if_fail (library != NULL, NULL);
  const WprProfile *first = NULL;
  for (guint i = 0; i < library->entries->len; i++)
    {
      const WprProfile *profile = wpr_library_get_profile (library, i);
      if (g_strcmp0 (profile->source, source) != 0 || profile->internal)
        continue;
      if (profile->is_default)
        return profile;
      if (first == NULL)
        first = profile;
    }
  if (first == NULL && !wpr_library_set_fault_error (library, source, error))
    wpr_set_error (error, WPR_ERROR_PROFILE, 0xc558101d,
                   _ ("There is no profile in %s that could be started."),
                   source != NULL ? source : _ ("this program"));
  return first;
}

GPtrArray *
wpr_library_list_defaults (WprLibrary *library, const char *source, GError **error)
{
  const WprProfile *first = wpr_library_get_default (library, source, error);
  if (first == NULL)
    return NULL;
  GPtrArray *list = g_ptr_array_new ();
  g_autofree char *tag = source != NULL ? wpr_library_dup_remark (library, source, "Tag") : NULL;
  gboolean together = g_strcmp0 (tag, WPR_PROFILE_TOGETHER) == 0;
  g_ptr_array_add (list, (gpointer)first);
  for (guint i = 0; together && i < library->entries->len; i++)
    {
      const WprProfile *profile = wpr_library_get_profile (library, i);
      if (g_strcmp0 (profile->source, source) == 0 && !profile->internal && profile != first)
        g_ptr_array_add (list, (gpointer)profile);
    }
  return list;
}

const WprVariant *
wpr_library_get_variant (WprLibrary *library, const WprProfile *profile, WprLevel level,
                         WprMode mode)
{
  return ((const WprEntry *)profile)->variants[level][mode];
}

const WprProviders *
wpr_library_get_providers (WprLibrary *library)
{
  return library->providers;
}

WprBuiltinIds
wpr_library_get_builtin (WprLibrary *library)
{
  return (WprBuiltinIds){ library->builtin_ids, NULL };
}

GPtrArray *
wpr_library_list_providers (WprLibrary *library)
{
  g_return_val_if_fail (library != NULL, NULL);
  return wpr_providers_list (library->providers);
}

static void
wpr_entry_add_used (const WprEntry *entry, GHashTable *used)
{
  for (gsize i = 0; i < 4; i++)
    {
      const WprVariant *variant = entry->variants[i / 2][i % 2];
      GHashTableIter iter;
      gpointer node;
      if (variant == NULL)
        continue;
      g_hash_table_iter_init (&iter, variant->used);
      while (g_hash_table_iter_next (&iter, &node, NULL))
        g_hash_table_add (used, node);
    }
}

/* The document of that name, and what the profiles of it are made of. */
static const WprDocument *
wpr_library_get_document (WprLibrary *library, const char *source, GHashTable *used)
{
  for (guint i = 0; i < library->entries->len; i++)
    {
      const WprEntry *entry = g_ptr_array_index (library->entries, i);
      if (g_strcmp0 (entry->profile.source, source) == 0)
        wpr_entry_add_used (entry, used);
    }
  return wpr_library_find_document (library, source);
}

gboolean
wpr_library_account (WprLibrary *library, const char *source, WprAccount *account)
{
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  const WprDocument *document = wpr_library_get_document (library, source, used);
  if (document != NULL)
    *account = wpr_account_document (document, used, library->providers);
  return document != NULL;
}

static void
wpr_unused_free (gpointer data)
{
  WprPlanNote *note = data;
  g_free ((char *)note->path);
  g_free (note);
}

GPtrArray *
wpr_library_list_unused (WprLibrary *library, const char *display_name)
{
  g_return_val_if_fail (library != NULL && display_name != NULL, NULL);
  GPtrArray *unused = g_ptr_array_new_with_free_func (wpr_unused_free);
  g_autoptr (GHashTable) used = g_hash_table_new (NULL, NULL);
  const WprDocument *document = wpr_library_get_document (library, display_name, used);
  const WprNode *profiles = document != NULL && document->root != NULL
                                ? wpr_node_find (document->root, "Profiles")
                                : NULL;
  for (guint i = 0; profiles != NULL && i < wpr_node_n_children (profiles); i++)
    {
      const WprNode *node = wpr_node_child (profiles, i);
      if (g_hash_table_contains (used, node))
        continue;
      if (wpr_node_is (node, "Profile"))
        {
          g_ptr_array_set_size (unused, 0);
          return unused; /* it has faults: what it would use is not known */
        }
      WprPlanNote *note = g_new0 (WprPlanNote, 1);
      note->file = document->file;
      note->line = node->line;
      note->column = node->column;
      note->path = wpr_node_get_path (node, NULL);
      note->text = _ ("No profile of this file uses it.");
      g_ptr_array_add (unused, note);
    }
  return unused;
}
