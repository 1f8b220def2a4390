/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading an EXPR, by recursive descent into a tree, and the tree into a row of comparisons. Does
 * not live here: values (filter-value.c), evaluation (filter-match.c). */
#include "config.h"
#include "file/filter-private.h"

#include <string.h>
#include <glib/gi18n-lib.h>
#include "base/wpr-error.h"

/* Both bound the recursion: here, and in compile(). */
#define MOST_DEPTH 200
#define MOST_COMPARISONS 1000
#define NOT_USAGE_NUMBER 0xc5600602 /* WPR's answer to every fault of usage */

/* What a name may be compared with. */
typedef enum
{
  TAKES_ANY,
  TAKES_TEXT,
  TAKES_NUMBER,
  TAKES_BITS,
  TAKES_TIME,
} Takes;

static const struct
{
  const char *word;
  WprFilterName name;
  Takes takes;
} names[] = {
  { "ProcessName", WPR_FILTER_PROCESS_NAME, TAKES_TEXT },
  { "ProcessId", WPR_FILTER_PROCESS_ID, TAKES_NUMBER },
  { "ThreadId", WPR_FILTER_THREAD_ID, TAKES_NUMBER },
  { "Provider", WPR_FILTER_PROVIDER, TAKES_TEXT },
  { "EventName", WPR_FILTER_EVENT_NAME, TAKES_TEXT },
  { "EventId", WPR_FILTER_EVENT_ID, TAKES_NUMBER },
  { "Level", WPR_FILTER_LEVEL, TAKES_NUMBER },
  { "Keywords", WPR_FILTER_KEYWORDS, TAKES_BITS },
  { "Cpu", WPR_FILTER_CPU, TAKES_NUMBER },
  { "Time", WPR_FILTER_TIME, TAKES_TIME },
};

/* The longer first. */
static const struct
{
  const char *text;
  WprFilterOp op;
} operators[] = {
  { "==", WPR_OP_EQUAL },         { "!=", WPR_OP_UNEQUAL }, { "<=", WPR_OP_LESS_EQUAL },
  { ">=", WPR_OP_GREATER_EQUAL }, { "=", WPR_OP_EQUAL },    { "<", WPR_OP_LESS },
  { ">", WPR_OP_GREATER },        { "~", WPR_OP_CONTAINS },
};

typedef enum
{
  NODE_COMPARISON,
  NODE_NOT,
  NODE_AND,
  NODE_OR,
} NodeKind;

typedef struct
{
  NodeKind kind;
  gint left, right;          /* nodes */
  WprComparison *comparison; /* of NODE_COMPARISON, until compile() takes it */
} Node;

typedef struct
{
  const char *start, *at;
  GArray *nodes; /* of Node */
  guint depth, n_comparisons;
  guint column;
  GError *error;
} Parser;

#define FAILED (-1)

/* ---- faults ---- */

/* What stands at `at`, for people: a word, a character, or the end. */
static char *
describe (const char *at)
{
  gsize n = strcspn (at, " \t\r\n()&|=!<>~\"");

  if (*at == '\0')
    return g_strdup (_ ("the end"));
  if (n == 0)
    return g_strdup_printf ("“%.*s”", (int)(g_utf8_next_char (at) - at), at);
  return g_strdup_printf ("“%.*s”", (int)MIN (n, 60), at);
}

static gint
fail (Parser *self, const char *at, const char *expected)
{
  g_autofree char *found = describe (at);

  if (self->error != NULL)
    return FAILED;
  self->column = (guint)g_utf8_strlen (self->start, at - self->start) + 1;
  wpr_set_error (&self->error, WPR_ERROR_USAGE, NOT_USAGE_NUMBER,
                 /* TRANSLATORS: what is expected is one of the phrases below. */
                 _ ("The filter is not understood at column %u: %s is expected there, not %s."),
                 self->column, expected, found);
  return FAILED;
}

/* ---- words ---- */

static void
skip_space (Parser *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
take (Parser *self, const char *word)
{
  skip_space (self);
  if (!g_str_has_prefix (self->at, word))
    return FALSE;
  self->at += strlen (word);
  return TRUE;
}

/* Behind the opening quote; NULL without a closing one. */
static char *
take_quoted (Parser *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  while (*self->at != '"')
    {
      if (self->at[0] == '\\' && (self->at[1] == '"' || self->at[1] == '\\'))
        self->at++;
      if (*self->at == '\0')
        {
          fail (self, self->at, _ ("a closing quotation mark"));
          return NULL;
        }
      g_string_append_c (text, *self->at++);
    }
  self->at++;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Up to what ends a bare word; NULL if nothing is there. */
static char *
take_bare (Parser *self)
{
  gsize n = strcspn (self->at, " \t\r\n()&|=!<>~\"");
  char *text = n > 0 ? g_strndup (self->at, n) : NULL;

  self->at += n;
  return text;
}

/* ---- a comparison ---- */

static void
comparison_clear (gpointer data)
{
  WprComparison *self = data;

  g_free (self->field);
  wpr_filter_value_clear (&self->value);
}

static void
comparison_free (WprComparison *self)
{
  comparison_clear (self);
  g_free (self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprComparison, comparison_free)

/* A known name, or a field's. */
static gboolean
take_name (Parser *self, WprComparison *comparison, Takes *takes)
{
  const char *at;
  gboolean quoted, is_field;
  g_autofree char *word = NULL;

  skip_space (self);
  at = self->at;
  is_field = *at == '.';
  if (is_field)
    self->at++;
  quoted = *self->at == '"';
  if (quoted)
    self->at++;
  word = quoted ? take_quoted (self) : take_bare (self);
  if (word == NULL || *word == '\0')
    {
      fail (self, at, _ ("a name, such as ProcessName or that of a field,"));
      return FALSE;
    }
  *takes = TAKES_ANY;
  comparison->name = WPR_FILTER_FIELD;
  for (guint i = 0; !quoted && !is_field && i < G_N_ELEMENTS (names); i++)
    if (g_ascii_strcasecmp (names[i].word, word) == 0)
      {
        comparison->name = names[i].name;
        *takes = names[i].takes;
        return TRUE;
      }
  comparison->field = g_steal_pointer (&word);
  return TRUE;
}

static gboolean
take_operator (Parser *self, WprComparison *comparison, Takes takes)
{
  const char *at;

  skip_space (self);
  at = self->at;
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (take (self, operators[i].text))
      {
        comparison->op = operators[i].op;
        if (comparison->op != WPR_OP_CONTAINS || (takes != TAKES_NUMBER && takes != TAKES_TIME))
          return TRUE;
        fail (self, at, _ ("one of ==, !=, <, <=, > and >= (~ is for text and bits)"));
        return FALSE;
      }
  fail (self, at, _ ("one of ==, !=, <, <=, >, >= and ~"));
  return FALSE;
}

static gboolean
check_value (Parser *self, const char *at, const WprComparison *comparison, Takes takes)
{
  const WprFilterValue *value = &comparison->value;

  if ((takes == TAKES_NUMBER || takes == TAKES_BITS) && !value->is_integer)
    fail (self, at, _ ("a whole number, such as 12 or 0x1f,"));
  else if (takes == TAKES_TIME && !value->is_time)
    fail (self, at,
          _ ("a time: seconds since the beginning, such as 1.5, or wall clock, such as "
             "\"2026-11-30 14:00:05\" or 14:00:05,"));
  return self->error == NULL;
}

static gboolean
take_value (Parser *self, WprComparison *comparison, Takes takes)
{
  const char *at;
  char *text;

  skip_space (self);
  at = self->at;
  if (*at == '"')
    {
      self->at++;
      text = take_quoted (self);
    }
  else
    text = take_bare (self);
  if (text == NULL)
    {
      fail (self, at, _ ("a value, such as 12 or \"text\","));
      return FALSE;
    }
  wpr_filter_value_init (&comparison->value, text);
  if (comparison->name == WPR_FILTER_PROVIDER && wpr_filter_guid_parse (text, (guint8[16]){ 0 }))
    comparison->name = WPR_FILTER_PROVIDER_GUID;
  return check_value (self, at, comparison, takes);
}

static gint
add_node (Parser *self, NodeKind kind, gint left, gint right, WprComparison *comparison)
{
  Node node = { kind, left, right, comparison };

  g_array_append_val (self->nodes, node);
  return (gint)self->nodes->len - 1;
}

static gint
parse_comparison (Parser *self)
{
  g_autoptr (WprComparison) comparison = g_new0 (WprComparison, 1);
  Takes takes;

  skip_space (self);
  if (self->n_comparisons++ == MOST_COMPARISONS)
    return fail (self, self->at, _ ("an end (a filter has 1000 comparisons at most)"));
  if (!take_name (self, comparison, &takes) || !take_operator (self, comparison, takes)
      || !take_value (self, comparison, takes))
    return FAILED;
  return add_node (self, NODE_COMPARISON, FAILED, FAILED, g_steal_pointer (&comparison));
}

/* ---- the tree ---- */

static gint parse_or (Parser *self);

static gint
parse_unary (Parser *self)
{
  const char *at;
  gint node;

  skip_space (self);
  at = self->at;
  if (*at != '!' && *at != '(')
    return parse_comparison (self);
  if (self->depth == MOST_DEPTH)
    return fail (self, at, _ ("something less deep (200 levels are the most)"));
  self->at++;
  self->depth++;
  node = *at == '!' ? parse_unary (self) : parse_or (self);
  self->depth--;
  if (node == FAILED || *at == '!')
    return node == FAILED ? FAILED : add_node (self, NODE_NOT, node, FAILED, NULL);
  skip_space (self);
  return take (self, ")") ? node : fail (self, self->at, _ ("&&, || or a closing bracket"));
}

static gint
parse_and (Parser *self)
{
  gint left = parse_unary (self);

  while (left != FAILED && take (self, "&&"))
    {
      gint right = parse_unary (self);

      left = right != FAILED ? add_node (self, NODE_AND, left, right, NULL) : FAILED;
    }
  return left;
}

static gint
parse_or (Parser *self)
{
  gint left = parse_and (self);

  while (left != FAILED && take (self, "||"))
    {
      gint right = parse_and (self);

      left = right != FAILED ? add_node (self, NODE_OR, left, right, NULL) : FAILED;
    }
  return left;
}

/* ---- the row ---- */

/* Appends the comparisons below a node, the last first; returns where it begins. on_true and
 * on_false: where to go on. */
static gint
compile (Parser *self, GArray *row, gint index, gint on_true, gint on_false)
{
  Node *node = &g_array_index (self->nodes, Node, index);

  switch (node->kind)
    {
    case NODE_NOT:
      return compile (self, row, node->left, on_false, on_true);
    case NODE_AND:
      return compile (self, row, node->left, compile (self, row, node->right, on_true, on_false),
                      on_false);
    case NODE_OR:
      return compile (self, row, node->left, on_true,
                      compile (self, row, node->right, on_true, on_false));
    default:
      node->comparison->on_true = on_true;
      node->comparison->on_false = on_false;
      g_array_append_vals (row, node->comparison, 1);
      g_clear_pointer (&node->comparison, g_free); /* its texts are the row's now */
      return (gint)row->len - 1;
    }
}

static void
node_clear (gpointer data)
{
  g_clear_pointer (&((Node *)data)->comparison, comparison_free);
}

static gint
parse (Parser *self, const char *text)
{
  gint root;

  if (!g_utf8_validate (text, -1, &self->at))
    {
      self->at = text;
      wpr_set_error (&self->error, WPR_ERROR_USAGE, NOT_USAGE_NUMBER,
                     _ ("The filter is not UTF-8 text."));
      self->column = 1;
      return FAILED;
    }
  self->at = text;
  root = parse_or (self);
  skip_space (self);
  if (root != FAILED && *self->at != '\0')
    return fail (self, self->at, _ ("&&, || or the end"));
  return root;
}

WprFilter *
wpr_filter_new (const char *text, guint *column, GError **error)
{
  Parser parser = { .start = text, .nodes = g_array_new (FALSE, FALSE, sizeof (Node)) };
  WprFilter *self = NULL;
  gint root;

  g_array_set_clear_func (parser.nodes, node_clear);
  root = parse (&parser, text);
  if (root != FAILED)
    {
      self = g_new0 (WprFilter, 1);
      self->comparisons = g_array_new (FALSE, FALSE, sizeof (WprComparison));
      g_array_set_clear_func (self->comparisons, comparison_clear);
      self->first = compile (&parser, self->comparisons, root, WPR_FILTER_TRUE, WPR_FILTER_FALSE);
    }
  else
    g_propagate_error (error, parser.error);
  if (column != NULL)
    *column = parser.column;
  g_array_unref (parser.nodes);
  return self;
}

void
wpr_filter_free (WprFilter *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->comparisons);
  g_free (self);
}

gboolean
wpr_filter_set_start (WprFilter *self, gint64 start_realtime_ns, GError **error)
{
  for (guint i = 0; i < self->comparisons->len; i++)
    {
      WprComparison *comparison = &g_array_index (self->comparisons, WprComparison, i);
      WprFilterValue *value = &comparison->value;

      if (!value->is_time)
        continue;
      if (!wpr_when_resolve (&value->when, start_realtime_ns, &value->since_start_ns)
          && comparison->name == WPR_FILTER_TIME)
        {
          wpr_set_error (error, WPR_ERROR_USAGE, NOT_USAGE_NUMBER,
                         _ ("This file does not say when it was recorded, so “%s” cannot be found "
                            "in it. Give the time in seconds since its beginning."),
                         value->text);
          return FALSE;
        }
      /* A stranger's start may be anything. */
      value->realtime_ns = (gint64)((guint64)start_realtime_ns + (guint64)value->since_start_ns);
    }
  return TRUE;
}
