/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* providers.ini: a group a provider, named as a .wprp names it, with
 *   guid = {...}                       a second name
 *   tracepoint = sched:sched_switch; block:*
 *   lttng, usdt, uprobe, journal = ... likewise
 *   keyword 0x10 = tracepoint:...      only when that keyword is asked for
 *   level 4 = tracepoint:...           only when that level (or all of them) is asked for
 *   event 12,13 = tracepoint:...       the events of these numbers, for EventFilters
 *   event 12 keyword 0x10 level 4 = .. all of that */
#include "config.h"
#include "profile/providers.h"
#include "profile/builtin.h"
#include "profile/fault.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>

struct _WprProviders
{
  GHashTable *by_name; /* normalized name or GUID -> WprProvider * */
};

typedef struct
{
  grefcount ref_count;
  char *name, *guid;  /* as written; guid "" if there is none */
  GPtrArray *targets; /* WprTarget * */
} WprProvider;

static const char *const kind_names[]
    = { "tracepoint", "lttng", "usdt", "uprobe", "journal", "sampler", "software" };

const char *
wpr_target_kind_name (WprTargetKind kind)
{
  return kind_names[kind];
}

static void
wpr_target_free (gpointer data)
{
  WprTarget *target = data;
  g_free ((char *)target->value);
  g_free (target);
}

static void
wpr_target_add (GPtrArray *targets, WprTargetKind kind, const char *value, const WprTarget *when)
{
  WprTarget *target = g_new0 (WprTarget, 1);
  target->kind = kind;
  target->value = g_strdup (value);
  target->keywords = when->keywords;
  target->level = when->level;
  target->event = when->event;
  g_ptr_array_add (targets, target);
}

static WprProvider *
wpr_provider_new (const char *name)
{
  WprProvider *provider = g_new0 (WprProvider, 1);
  g_ref_count_init (&provider->ref_count);
  provider->name = g_strdup (name);
  provider->guid = g_strdup ("");
  provider->targets = g_ptr_array_new_with_free_func (wpr_target_free);
  return provider;
}

static void
wpr_provider_unref (gpointer data)
{
  WprProvider *provider = data;
  if (!g_ref_count_dec (&provider->ref_count))
    return;
  g_ptr_array_unref (provider->targets);
  g_free (provider->name);
  g_free (provider->guid);
  g_free (provider);
}

/* "lttng" -> WPR_TARGET_LTTNG; only the first `size` bytes count. */
static gboolean
wpr_target_kind_find (const char *name, gsize size, WprTargetKind *kind)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kind_names); i++)
    if (strlen (kind_names[i]) == size && strncmp (kind_names[i], name, size) == 0)
      {
        *kind = i;
        return TRUE;
      }
  return FALSE;
}

/* "tracepoint:drm:*" */
static gboolean
wpr_target_parse (const char *text, WprTargetKind *kind, const char **value)
{
  const char *colon = strchr (text, ':');
  if (colon == NULL || colon[1] == '\0' || !wpr_target_kind_find (text, colon - text, kind))
    return FALSE;
  *value = colon + 1;
  return TRUE;
}

/* GUIDs come in any case, with braces or without. Free with g_free. */
static char *
wpr_provider_normalize (const char *name)
{
  gsize size = strlen (name);
  if (size >= 2 && name[0] == '{' && name[size - 1] == '}')
    name++, size -= 2;
  return g_ascii_strdown (name, size);
}

static void
wpr_providers_warn (const char *file, GPtrArray *faults, const char *what)
{
  WprPlace place = { file, 0, 0, NULL };
  wpr_faults_add (faults, &place, FALSE, 0, "", "%s", what);
}

/* When a row holds. */
typedef struct
{
  WprTarget target; /* keywords and level */
  GArray *events;   /* int; empty: it stands for no event of a number */
} WprWhen;

/* One value of a list, "drm:*" of the key's kind, or "tracepoint:drm:*" of a keyword's. */
static void
wpr_providers_add_value (GPtrArray *targets, int key_kind, const WprWhen *when, const char *value,
                         const char *file, gboolean own, GPtrArray *faults)
{
  WprTargetKind kind = key_kind;
  const char *name = value;
  if (key_kind < 0 && !wpr_target_parse (value, &kind, &name))
    {
      g_autofree char *what
          = g_strdup_printf (_ ("“%s” is not a target; it is left out. Write, for "
                                "example, tracepoint:sched:sched_switch."),
                             value);
      wpr_providers_warn (file, faults, what);
      return;
    }
  if (own && kind == WPR_TARGET_UPROBE)
    {
      g_autofree char *what = g_strdup_printf (
          _ ("The probe “%s” is left out: only files in /etc/wpr/providers.d may name probes."),
          name);
      wpr_providers_warn (file, faults, what);
      return;
    }
  WprTarget target = when->target;
  for (guint i = 0; i < when->events->len; i++)
    {
      target.event = g_array_index (when->events, int, i);
      wpr_target_add (targets, kind, name, &target);
    }
  if (when->events->len == 0)
    wpr_target_add (targets, kind, name, &target);
}

static gboolean
wpr_providers_parse_number (const char *text, guint64 most, guint64 *number)
{
  char *end = NULL;
  errno = 0;
  *number = g_ascii_isdigit (*text) ? g_ascii_strtoull (text, &end, 0) : 0;
  return end != NULL && *end == '\0' && errno == 0 && *number <= most;
}

/* "12,13" */
static gboolean
wpr_providers_parse_events (const char *text, GArray *events)
{
  g_auto (GStrv) numbers = g_strsplit (text, ",", -1);
  for (guint i = 0; numbers[i] != NULL; i++)
    {
      guint64 number;
      if (!wpr_providers_parse_number (numbers[i], G_MAXUINT16, &number))
        return FALSE;
      int event = (int)number;
      g_array_append_val (events, event);
    }
  return events->len > 0;
}

/* "keyword 0x10", "event 12,13 keyword 0x10 level 4"; FALSE for anything else. */
static gboolean
wpr_providers_parse_when (const char *key, WprWhen *when)
{
  g_auto (GStrv) words = g_strsplit (key, " ", -1);
  for (guint i = 0; words[i] != NULL; i += 2)
    {
      guint64 number = 0;
      const char *value = words[i + 1];
      gboolean good = FALSE;
      if (value != NULL && g_str_equal (words[i], "event"))
        good = wpr_providers_parse_events (value, when->events);
      else if (value != NULL && g_str_equal (words[i], "keyword"))
        good = wpr_providers_parse_number (value, G_MAXUINT64, &when->target.keywords)
               && when->target.keywords != 0;
      else if (value != NULL && g_str_equal (words[i], "level"))
        good = wpr_providers_parse_number (value, G_MAXUINT8, &number) && number > 0;
      if (!good)
        return FALSE;
      if (number != 0)
        when->target.level = (guint)number;
    }
  return TRUE;
}

static void
wpr_providers_add_key (GPtrArray *targets, GKeyFile *ini, const char *group, const char *key,
                       const char *file, gboolean own, GPtrArray *faults)
{
  WprTargetKind kind = WPR_TARGET_TRACEPOINT;
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (int));
  WprWhen when = { .target = { .event = -1 }, .events = events };
  int key_kind = -1;
  gboolean is_known = TRUE;
  if (wpr_target_kind_find (key, strlen (key), &kind))
    key_kind = kind;
  else
    is_known = wpr_providers_parse_when (key, &when);
  if (!is_known)
    {
      g_autofree char *what = g_strdup_printf (
          _ ("[%s] has a key “%s” that means nothing; it is left out."), group, key);
      wpr_providers_warn (file, faults, what);
      return;
    }
  g_auto (GStrv) values = g_key_file_get_string_list (ini, group, key, NULL, NULL);
  for (gsize i = 0; values != NULL && values[i] != NULL; i++)
    {
      g_strstrip (values[i]);
      if (*values[i] != '\0')
        wpr_providers_add_value (targets, key_kind, &when, values[i], file, own, faults);
    }
}

gboolean
wpr_providers_add (WprProviders *providers, const char *text, gsize size, const char *file,
                   gboolean own, GPtrArray *faults)
{
  g_autoptr (GKeyFile) ini = g_key_file_new ();
  g_autoptr (GError) error = NULL;
  if (!g_key_file_load_from_data (ini, text, size, G_KEY_FILE_NONE, &error))
    {
      wpr_providers_warn (file, faults, error->message);
      return FALSE;
    }
  g_auto (GStrv) groups = g_key_file_get_groups (ini, NULL);
  for (gsize i = 0; groups[i] != NULL; i++)
    {
      WprProvider *provider = wpr_provider_new (groups[i]);
      g_hash_table_replace (providers->by_name, wpr_provider_normalize (groups[i]), provider);
      g_auto (GStrv) keys = g_key_file_get_keys (ini, groups[i], NULL, NULL);
      for (gsize j = 0; keys != NULL && keys[j] != NULL; j++)
        {
          if (!g_str_equal (keys[j], "guid"))
            {
              wpr_providers_add_key (provider->targets, ini, groups[i], keys[j], file, own, faults);
              continue;
            }
          char *guid = g_key_file_get_string (ini, groups[i], "guid", NULL);
          if (guid == NULL)
            continue;
          g_free (provider->guid);
          provider->guid = guid;
          g_ref_count_inc (&provider->ref_count);
          g_hash_table_replace (providers->by_name, wpr_provider_normalize (guid), provider);
        }
    }
  return TRUE;
}

static int
wpr_compare_file_names (gconstpointer left, gconstpointer right)
{
  return strcmp (*(const char *const *)left, *(const char *const *)right);
}

static void
wpr_providers_add_folder (WprProviders *providers, const char *folder, gboolean own,
                          GPtrArray *faults)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  if (dir == NULL)
    return;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  for (const char *name = g_dir_read_name (dir); name != NULL; name = g_dir_read_name (dir))
    if (g_str_has_suffix (name, ".ini"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, wpr_compare_file_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, g_ptr_array_index (names, i), NULL);
      g_autofree char *shown = g_filename_display_name (path);
      g_autofree char *text = NULL;
      gsize size;
      g_autoptr (GError) error = NULL;
      if (g_file_get_contents (path, &text, &size, &error))
        wpr_providers_add (providers, text, size, shown, own, faults);
      else
        wpr_providers_warn (shown, faults, error->message);
    }
}

WprProviders *
wpr_providers_new (GPtrArray *faults)
{
  WprProviders *providers = g_new0 (WprProviders, 1);
  providers->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, wpr_provider_unref);
  g_autoptr (GBytes) bytes = wpr_builtin_get ("providers.ini");
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  if (!wpr_providers_add (providers, text, size, "providers.ini", FALSE, faults))
    g_error ("the compiled-in providers.ini cannot be read");

  wpr_providers_add_folder (providers, "/etc/wpr/providers.d", FALSE, faults);
  /* Root reads nothing below a home: under sudo it would be another person's. */
  if (geteuid () != 0)
    {
      g_autofree char *own
          = g_build_filename (g_get_user_config_dir (), "wpr", "providers.d", NULL);
      wpr_providers_add_folder (providers, own, TRUE, faults);
    }
  return providers;
}

void
wpr_providers_free (WprProviders *providers)
{
  g_hash_table_unref (providers->by_name);
  g_free (providers);
}

gboolean
wpr_target_is_event (const WprTarget *target, const char *number)
{
  gboolean is_hex = g_str_has_prefix (number, "0x") || g_str_has_prefix (number, "0X");
  return target->event >= 0
         && g_ascii_strtoull (number, NULL, is_hex ? 16 : 10) == (guint64)target->event;
}

static gboolean
wpr_provider_lists_event (const WprProviderWant *want, const WprTarget *target)
{
  for (guint i = 0; want->ids != NULL && i < want->ids->len; i++)
    if (wpr_target_is_event (target, g_ptr_array_index (want->ids, i)))
      return TRUE;
  return FALSE;
}

/* numbered: some of the provider's rows have a number, so that what has none is not meant. */
static gboolean
wpr_target_is_wanted (const WprTarget *target, const WprProviderWant *want, gboolean numbered)
{
  if (target->keywords != 0 && want->keywords != 0 && (target->keywords & want->keywords) == 0)
    return FALSE;
  if (target->level != 0 && want->level != 0 && want->level < target->level)
    return FALSE;
  if (!want->has_ids)
    return TRUE;
  if (target->event < 0)
    return !numbered || !want->filter_in;
  return wpr_provider_lists_event (want, target) == want->filter_in;
}

GPtrArray *
wpr_providers_lookup (const WprProviders *providers, const char *name, const WprProviderWant *want)
{
  static const WprTarget always = { .event = -1 };
  g_autoptr (GPtrArray) found = g_ptr_array_new_with_free_func (wpr_target_free);
  WprTargetKind kind;
  const char *value;
  if (wpr_target_parse (name, &kind, &value))
    {
      wpr_target_add (found, kind, value, &always);
      return g_steal_pointer (&found);
    }
  g_autofree char *key = wpr_provider_normalize (name);
  const WprProvider *provider = g_hash_table_lookup (providers->by_name, key);
  if (provider == NULL)
    return NULL;
  const GPtrArray *targets = provider->targets;
  gboolean numbered = FALSE;
  for (guint i = 0; i < targets->len; i++)
    numbered |= ((const WprTarget *)g_ptr_array_index (targets, i))->event >= 0;
  for (guint i = 0; i < targets->len; i++)
    {
      const WprTarget *target = g_ptr_array_index (targets, i);
      if (wpr_target_is_wanted (target, want, numbered))
        wpr_target_add (found, target->kind, target->value, target);
    }
  return g_steal_pointer (&found);
}

static int
wpr_provider_compare (gconstpointer left, gconstpointer right)
{
  const WprProvider *a = *(const WprProvider *const *)left, *b = *(const WprProvider *const *)right;
  return g_ascii_strcasecmp (a->name, b->name);
}

/* Each target once, whatever rows lead there. Free with g_free. */
static char *
wpr_provider_list_targets (const WprProvider *provider)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < provider->targets->len; i++)
    {
      const WprTarget *target = g_ptr_array_index (provider->targets, i);
      char *one = g_strdup_printf ("%s:%s", kind_names[target->kind],
                                   target->value + (*target->value == '?'));
      if (g_hash_table_add (seen, one))
        g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", one);
    }
  return g_string_free (text, FALSE);
}

GPtrArray *
wpr_providers_list (const WprProviders *providers)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  GPtrArray *list = g_ptr_array_new_with_free_func (g_free);
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, providers->by_name);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (!g_ptr_array_find (all, value, NULL))
      g_ptr_array_add (all, value);
  g_ptr_array_sort (all, wpr_provider_compare);
  for (guint i = 0; i < all->len; i++)
    {
      const WprProvider *provider = g_ptr_array_index (all, i);
      g_ptr_array_add (list, g_strdup (provider->name));
      g_ptr_array_add (list, g_strdup (provider->guid));
      g_ptr_array_add (list, wpr_provider_list_targets (provider));
    }
  return list;
}
