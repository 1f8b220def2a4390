/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A collector in use, and the buffer group of collectors and of references to them. */
#include "config.h"
#include "profile/resolve.h"

#include <glib/gi18n-lib.h>

/* The format's own defaults. */
#define DEFAULT_BUFFER_KB 128
#define DEFAULT_BUFFERS 64

WprCollectorUse *
wpr_collector_use_new (WprUseKind kind, const char *id)
{
  WprCollectorUse *use = g_new0 (WprCollectorUse, 1);
  use->kind = kind;
  use->id = id;
  use->buffer_kb = DEFAULT_BUFFER_KB;
  use->buffers = DEFAULT_BUFFERS;
  use->keywords = g_array_new (FALSE, FALSE, sizeof (WprNamed));
  use->stacks = g_array_new (FALSE, FALSE, sizeof (WprNamed));
  use->pool_tags = g_array_new (FALSE, FALSE, sizeof (WprNamed));
  use->counters = g_array_new (FALSE, FALSE, sizeof (WprCounterUse));
  use->providers = g_ptr_array_new_with_free_func (wpr_provider_use_free);
  use->provider_ids = g_hash_table_new (g_str_hash, g_str_equal);
  return use;
}

void
wpr_collector_use_free (gpointer data)
{
  WprCollectorUse *use = data;
  g_array_unref (use->keywords);
  g_array_unref (use->stacks);
  g_array_unref (use->pool_tags);
  g_array_unref (use->counters);
  g_hash_table_unref (use->provider_ids);
  g_ptr_array_unref (use->providers);
  g_free (use);
}

static void
wpr_resolve_buffer_number (const WprNode *node, WprCollectorUse *use)
{
  const char *value = wpr_node_get (node, "Value");
  if (value == NULL)
    return;
  gboolean is_percent = wpr_node_get_boolean (node, "PercentageOfTotalMemory");
  double most = is_percent ? 100 : 1000000;
  double number = g_ascii_strtod (value, NULL);
  if (number <= 0 || number > most)
    {
      wpr_node_add_fault (node, "Value", TRUE, 0xc5580701,
                          is_percent ? _ ("Write a percentage above 0, 100 at most.")
                                     : _ ("Write a number from 1 to 1000000."),
                          _ ("Buffers “%s” is not a number of buffers that could be had."), value);
      return;
    }
  use->buffers = number;
  use->is_percent = is_percent;
  use->max_space_mb = 0;
  wpr_resolve_number (node, "MaximumBufferSpace", &use->max_space_mb);
}

static void
wpr_resolve_file_size (const WprNode *node, WprCollectorUse *use)
{
  wpr_resolve_number (node, "Value", &use->max_file_mb);
  use->is_sequential = g_strcmp0 (wpr_node_get (node, "FileMode"), "Sequential") == 0;
}

static void
wpr_resolve_file_max (const WprNode *node, WprCollectorUse *use)
{
  wpr_resolve_number (node, "Value", &use->file_max);
}

static void
wpr_resolve_buffer_size (const WprNode *node, WprCollectorUse *use)
{
  wpr_resolve_number (node, "Value", &use->buffer_kb);
}

static void
wpr_resolve_flush_timer (const WprNode *node, WprCollectorUse *use)
{
  wpr_resolve_number (node, "Value", &use->flush_timer_s);
}

static void
wpr_resolve_flush_threshold (const WprNode *node, WprCollectorUse *use)
{
  wpr_resolve_number (node, "Value", &use->flush_buffers);
}

static void
wpr_resolve_stack_caching (const WprNode *node, WprCollectorUse *use)
{
  wpr_resolve_number (node, "CacheSize", &use->stack_cache_kb);
}

/* One row a word, in the order of WprBufferWord; take NULL: the word is a note only. */
static const struct
{
  const char *name;
  void (*take) (const WprNode *node, WprCollectorUse *use);
} words[WPR_BUFFER_WORDS] = {
  { "BufferSize", wpr_resolve_buffer_size },
  { "Buffers", wpr_resolve_buffer_number },
  { "StackCaching", wpr_resolve_stack_caching },
  { "MaximumFileSize", wpr_resolve_file_size },
  { "FileMax", wpr_resolve_file_max },
  { "FlushTimer", wpr_resolve_flush_timer },
  { "FlushThreshold", wpr_resolve_flush_threshold },
};

/* Operation="Remove": as if it had never been said. */
static void
wpr_resolve_forget_word (WprCollectorUse *use, WprBufferWord word)
{
  use->words[word] = NULL;
  if (word == WPR_BUFFER_SIZE)
    use->buffer_kb = DEFAULT_BUFFER_KB;
  else if (word == WPR_BUFFER_NUMBER)
    {
      use->buffers = DEFAULT_BUFFERS;
      use->is_percent = FALSE;
      use->max_space_mb = 0;
    }
  else if (word == WPR_BUFFER_MAXIMUM_FILE_SIZE)
    {
      use->max_file_mb = 0;
      use->is_sequential = FALSE;
    }
  else if (word == WPR_BUFFER_FILE_MAX)
    use->file_max = 0;
  else if (word == WPR_BUFFER_FLUSH_TIMER)
    use->flush_timer_s = 0;
  else if (word == WPR_BUFFER_FLUSH_THRESHOLD)
    use->flush_buffers = 0;
}

static gboolean
wpr_node_has_equal_attributes (const WprNode *left, const WprNode *right)
{
  guint n_left = left->attributes != NULL ? left->attributes->len : 0;
  guint n_right = right->attributes != NULL ? right->attributes->len : 0;
  for (guint i = 0; i < n_left && n_left == n_right; i++)
    {
      const WprAttribute *attribute = &g_array_index (left->attributes, WprAttribute, i);
      const WprAttribute *other = wpr_node_get_attribute (right, attribute->name);
      if (other == NULL || !g_str_equal (other->value, attribute->value))
        return FALSE;
    }
  return n_left == n_right;
}

gboolean
wpr_node_equal (const WprNode *left, const WprNode *right)
{
  guint n = wpr_node_n_children (left);
  if (left->element != right->element || n != wpr_node_n_children (right)
      || !wpr_node_has_equal_attributes (left, right))
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (!wpr_node_equal (wpr_node_child (left, i), wpr_node_child (right, i)))
      return FALSE;
  return TRUE;
}

/* A built-in collector that an exported file repeats is still the built-in one. */
static gboolean
wpr_resolve_is_own (const WprNode *node, const WprBuiltinIds *builtin)
{
  if (node->document->is_builtin)
    return FALSE;
  const char *id = wpr_node_get (node, "Id");
  const WprNode *same = id != NULL ? g_hash_table_lookup (builtin->ids, id) : NULL;
  return same == NULL || !wpr_node_equal (node, same);
}

void
wpr_resolve_buffers (const WprNode *node, WprCollectorUse *use, const WprBuiltinIds *builtin)
{
  gboolean is_own = wpr_resolve_is_own (node, builtin);
  for (guint i = 0; i < wpr_node_n_children (node); i++)
    {
      const WprNode *child = wpr_node_child (node, i);
      WprBufferWord word = 0;
      while (word < WPR_BUFFER_WORDS && !wpr_node_is (child, words[word].name))
        word++;
      if (word == WPR_BUFFER_WORDS)
        continue;
      if (wpr_resolve_operation (child) == WPR_OPERATION_REMOVE)
        {
          wpr_resolve_forget_word (use, word);
          continue;
        }
      use->words[word] = child;
      if (words[word].take != NULL)
        words[word].take (child, use);
      if (word == WPR_BUFFER_SIZE || word == WPR_BUFFER_NUMBER)
        use->buffers_own = use->buffers_own || is_own;
    }
}
