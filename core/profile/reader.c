/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading on libxml2's SAX2, from memory, with nothing that a stranger's file could reach out with:
 * no network, no DTD, no entity but the five of XML itself. What the schema does not know is a
 * warning and left out, so that a file made for a newer version still records. */
#include "config.h"
#include "profile/reader.h"
#include "profile/suggest.h"
#include "profile/text.h"

#include <glib/gi18n-lib.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <string.h>

typedef struct
{
  WprDocument *document;
  xmlParserCtxt *parser;
  WprScan scan;
  WprNode *root;
  WprNode *here;    /* NULL: at the top, or inside something unknown at the top */
  guint depth;      /* of elements open, known or not */
  guint skip_depth; /* > 0: inside an element that is left out, which is that deep */
  gboolean broken;
} WprReader;

static WprFault *wpr_reader_fault (WprReader *reader, gboolean is_error, guint line, guint column,
                                   const char *allowed, const char *advice, const char *format, ...)
    G_GNUC_PRINTF (7, 8);

/* Everything a reader finds is what WPR refuses a file for, too. NULL if there are too many. */
static WprFault *
wpr_reader_fault (WprReader *reader, gboolean is_error, guint line, guint column,
                  const char *allowed, const char *advice, const char *format, ...)
{
  g_autoptr (GString) path = g_string_new (NULL);
  for (const WprNode *node = reader->here; node != NULL; node = node->parent)
    {
      if (path->len > 0)
        g_string_prepend_c (path, '/');
      g_string_prepend (path, node->element->name);
    }
  WprPlace place = { reader->document->file, line, column, path->str };
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  WprFault *fault
      = wpr_faults_add (reader->document->faults, &place, is_error, 0xc5580701, advice, "%s", what);
  if (fault != NULL)
    wpr_fault_set_allowed (fault, allowed);
  return fault;
}

/* The fault is an attribute's. */
static void
wpr_fault_add_attribute (WprFault *fault, const WprAttributeRule *rule)
{
  if (fault == NULL)
    return;
  g_autofree char *element = fault->path;
  fault->path = g_strdup_printf ("%s/@%s", element, rule->name);
  if (g_str_equal (rule->type->name, "name-operation"))
    fault->wpr_number = 0xc5582009; /* a filter of names knows no Remove */
}

static void
wpr_reader_give_up (WprReader *reader)
{
  reader->broken = TRUE;
  xmlStopParser (reader->parser);
}

/* ---- attributes ---- */

static char *
wpr_reader_attribute_names (const WprElement *element)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < element->n_attributes; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", element->attributes[i].name);
  return g_string_free (names, FALSE);
}

static void
wpr_reader_tell_unknown_attribute (WprReader *reader, const WprNode *node, const char *name,
                                   guint line, guint column)
{
  WprSuggest suggest = { .word = name };
  for (guint i = 0; i < node->element->n_attributes; i++)
    wpr_suggest_offer (&suggest, node->element->attributes[i].name);
  g_autofree char *advice = wpr_suggest_advice (&suggest);
  g_autofree char *allowed = wpr_reader_attribute_names (node->element);
  reader->document->n_left_out_attributes++;
  wpr_reader_fault (reader, FALSE, line, column, allowed, advice,
                    _ ("<%s> has no attribute “%s”; it is left out."), node->element->name, name);
}

static void
wpr_reader_add_attributes (WprReader *reader, WprNode *node, int n_attributes,
                           const xmlChar **attributes)
{
  const char *name;
  gsize size;
  guint line, column;
  for (int i = 0; i < n_attributes; i++)
    {
      /* libxml2: local name, prefix, URI, value, end; in the order of the text. Declarations of
       * namespaces stand between them in the text but not here. */
      const char *local = (const char *)attributes[5 * i];
      const char *value = (const char *)attributes[5 * i + 3];
      gsize value_size = attributes[5 * i + 4] - attributes[5 * i + 3];
      do
        if (!wpr_scan_next_attribute (&reader->scan, &name, &size, &line, &column))
          {
            line = node->line;
            column = node->column;
            break;
          }
      while (size >= 5 && strncmp (name, "xmlns", 5) == 0);

      const WprAttributeRule *rule
          = attributes[5 * i + 1] == NULL ? wpr_schema_attribute (node->element, local) : NULL;
      if (rule != NULL)
        wpr_node_add_attribute (node, rule, value, value_size, line, column);
      else
        wpr_reader_tell_unknown_attribute (reader, node, local, line, column);
    }
}

/* Without these an element means nothing; what else the format wants is not needed to record. */
static gboolean
wpr_reader_needs (const char *attribute)
{
  static const char *const needed[] = { "Id", "Name", "Value", "LoggingMode", "DetailLevel" };
  for (gsize i = 0; i < G_N_ELEMENTS (needed); i++)
    if (g_str_equal (needed[i], attribute))
      return TRUE;
  return FALSE;
}

static void
wpr_reader_check_required (WprReader *reader, const WprNode *node)
{
  for (guint i = 0; i < node->element->n_attributes; i++)
    {
      const WprAttributeRule *rule = &node->element->attributes[i];
      if (!rule->is_required || wpr_node_get_attribute (node, rule->name) != NULL)
        continue;
      g_autofree char *advice = g_strdup_printf (_ ("Add %s=\"...\"."), rule->name);
      g_autofree char *allowed = wpr_value_describe (rule->type);
      WprFault *fault = wpr_reader_fault (
          reader, wpr_reader_needs (rule->name), node->line, node->column, allowed, advice,
          _ ("<%s> lacks the attribute “%s”."), node->element->name, rule->name);
      wpr_fault_add_attribute (fault, rule);
    }
}

static char *
wpr_reader_value_advice (const WprValueType *type, const char *nearest, const char *allowed)
{
  GString *advice = g_string_new (NULL);
  if (nearest != NULL && type->kind != WPR_VALUE_NUMBER && type->kind != WPR_VALUE_HEX)
    g_string_append_printf (advice, _ ("Did you mean “%s”?"), nearest);
  else if (type->kind != WPR_VALUE_KEYWORD && type->kind != WPR_VALUE_STACK)
    g_string_append_printf (advice, _ ("Write %s."), nearest != NULL ? nearest : allowed);
  if (type->unit != NULL)
    g_string_append_printf (advice, _ (" The unit is always %s."), type->unit);
  return g_string_free (advice, FALSE);
}

/* The lists of these grow from version to version, and nothing here depends on them. */
static gboolean
wpr_reader_may_be_newer (const WprNode *node, const WprValueType *type)
{
  static const char *const growing[]
      = { "custom-event", "branch", "transition", "architecture", "rundown" };
  if (type->kind == WPR_VALUE_KEYWORD || type->kind == WPR_VALUE_STACK)
    return !wpr_node_get_boolean (node, "Strict");
  for (gsize i = 0; i < G_N_ELEMENTS (growing); i++)
    if (g_str_equal (growing[i], type->name))
      return TRUE;
  return node->parent == NULL; /* Version says which recorder it was made for, the rest who by */
}

static char *
wpr_reader_value_fault (const WprNode *node, const WprAttribute *attribute)
{
  const WprValueType *type = attribute->rule->type;
  const char *what = g_str_equal (attribute->name, "Value") ? node->element->name : attribute->name;
  switch (type->kind)
    {
    case WPR_VALUE_NUMBER:
      if (*attribute->value != '\0'
          && attribute->value[strspn (attribute->value, "0123456789")] == '\0')
        return g_strdup_printf (_ ("%s “%s” is out of range."), what, attribute->value);
      return g_strdup_printf (_ ("%s “%s” is not a whole number."), what, attribute->value);
    case WPR_VALUE_BOOLEAN:
      return g_strdup_printf (_ ("%s “%s” is neither true nor false."), what, attribute->value);
    case WPR_VALUE_KEYWORD:
    case WPR_VALUE_STACK:
      return g_strdup_printf (_ ("There is no %s “%s”; it is left out."), what, attribute->value);
    case WPR_VALUE_ENUM:
      return g_strdup_printf (_ ("There is no %s “%s”."), what, attribute->value);
    default:
      return g_strdup_printf (_ ("%s cannot be “%s”."), what, attribute->value);
    }
}

static void
wpr_reader_check_values (WprReader *reader, const WprNode *node)
{
  for (guint i = 0; node->attributes != NULL && i < node->attributes->len; i++)
    {
      WprAttribute *attribute = &g_array_index (node->attributes, WprAttribute, i);
      const WprValueType *type = attribute->rule->type;
      g_autofree char *nearest = NULL;
      if (wpr_value_check (type, attribute->value, &nearest))
        continue;
      attribute->is_invalid = TRUE;
      g_autofree char *allowed = wpr_value_describe (type);
      g_autofree char *advice = wpr_reader_value_advice (type, nearest, allowed);
      g_autofree char *what = wpr_reader_value_fault (node, attribute);
      WprFault *fault
          = wpr_reader_fault (reader, !wpr_reader_may_be_newer (node, type), attribute->line,
                              attribute->column, allowed, advice, "%s", what);
      wpr_fault_add_attribute (fault, attribute->rule);
    }
}

/* ---- elements ---- */

static char *
wpr_reader_child_names (const WprElement *element)
{
  GString *names = g_string_new (NULL);
  for (guint i = 0; i < element->n_children; i++)
    g_string_append_printf (names, "%s<%s>", i > 0 ? ", " : "", element->children[i].element->name);
  return g_string_free (names, FALSE);
}

static void
wpr_reader_tell_unknown_element (WprReader *reader, const char *name)
{
  const WprElement *here = reader->here->element;
  guint line = reader->scan.tag_line, column = reader->scan.tag_column;
  WprSuggest suggest = { .word = name };
  for (guint i = 0; i < here->n_children; i++)
    wpr_suggest_offer (&suggest, here->children[i].element->name);
  g_autofree char *advice = wpr_suggest_advice (&suggest);
  g_autofree char *allowed = wpr_reader_child_names (here);
  if (wpr_schema_find (name) != NULL)
    wpr_reader_fault (reader, FALSE, line, column, allowed, advice,
                      _ ("<%s> does not belong into <%s>; it is left out."), name, here->name);
  else
    wpr_reader_fault (reader, FALSE, line, column, allowed, advice,
                      _ ("There is no element <%s> in <%s>; it is left out."), name, here->name);
}

/* Order and number; FALSE where there are too many of it (said). */
static gboolean
wpr_reader_count_child (WprReader *reader, guint rule_index)
{
  WprNode *here = reader->here;
  const WprElement *element = here->element;
  const WprChildRule *rule = &element->children[rule_index];
  guint line = reader->scan.tag_line, column = reader->scan.tag_column;
  if (here->counts == NULL)
    here->counts = g_new0 (guint, element->n_children);
  if (++here->counts[rule_index] > rule->most)
    {
      g_autofree char *advice = g_strdup_printf (
          ngettext ("%u is allowed.", "%u at most are allowed.", rule->most), rule->most);
      wpr_reader_fault (reader, FALSE, line, column, "", advice,
                        _ ("There are too many <%s> in <%s>; this one is left out."),
                        rule->element->name, element->name);
      return FALSE;
    }
  if (rule_index < here->furthest && !element->any_order)
    {
      const char *behind = element->children[here->furthest].element->name;
      here->is_mixed = TRUE;
      g_autofree char *allowed = wpr_reader_child_names (element);
      g_autofree char *advice
          = g_strdup_printf (_ ("Move it in front of <%s>. It is used nevertheless."), behind);
      wpr_reader_fault (reader, FALSE, line, column, allowed, advice,
                        _ ("<%s> stands behind <%s>, and the order matters to WPR."),
                        rule->element->name, behind);
    }
  here->furthest = MAX (here->furthest, rule_index);
  return TRUE;
}

/* The element a start tag opens, NULL if it is to be left out (said so already). */
static const WprElement *
wpr_reader_find_element (WprReader *reader, const char *name, gboolean has_prefix)
{
  if (reader->here == NULL)
    {
      const WprElement *root = wpr_schema_root ();
      if (!has_prefix && g_str_equal (root->name, name))
        return root;
      wpr_reader_fault (reader, TRUE, reader->scan.tag_line, reader->scan.tag_column,
                        "<WindowsPerformanceRecorder>",
                        _ ("A profile begins with <WindowsPerformanceRecorder Version=\"1.0\">."),
                        _ ("The outermost element is <%s>, so this is no profile."), name);
      wpr_reader_give_up (reader);
      return NULL;
    }
  guint index = 0;
  const WprElement *element
      = has_prefix ? NULL : wpr_schema_child (reader->here->element, name, &index);
  if (element == NULL)
    wpr_reader_tell_unknown_element (reader, name);
  return element != NULL && wpr_reader_count_child (reader, index) ? element : NULL;
}

static void
wpr_reader_check_children (WprReader *reader, const WprNode *node)
{
  const WprElement *element = node->element;
  if (element->any_order && wpr_node_n_children (node) == 0)
    {
      g_autofree char *allowed = wpr_reader_child_names (element);
      wpr_reader_fault (reader, FALSE, node->line, node->column, allowed,
                        _ ("Leave it out, or put something into it."), _ ("<%s> is empty."),
                        element->name);
    }
  for (guint i = 0; i < element->n_children && !element->any_order; i++)
    {
      const WprChildRule *rule = &element->children[i];
      guint n = node->counts != NULL ? node->counts[i] : 0;
      /* That there is no profile is said once, by the library. */
      if (n >= rule->least || g_str_equal (rule->element->name, "Profile"))
        continue;
      g_autofree char *advice = g_strdup_printf (_ ("Add <%s>."), rule->element->name);
      wpr_reader_fault (reader, FALSE, node->line, node->column, "", advice, _ ("<%s> lacks <%s>."),
                        element->name, rule->element->name);
    }
}

static int
wpr_reader_compare_children (gconstpointer left, gconstpointer right)
{
  const WprNode *a = *(const WprNode *const *)left, *b = *(const WprNode *const *)right;
  guint place_a = 0, place_b = 0;
  wpr_schema_child (a->parent->element, a->element->name, &place_a);
  wpr_schema_child (b->parent->element, b->element->name, &place_b);
  return (place_a > place_b) - (place_a < place_b);
}

static void
wpr_reader_skip (WprReader *reader, int n_attributes)
{
  reader->document->n_left_out_elements++;
  reader->document->n_left_out_attributes += n_attributes;
}

static void
wpr_reader_start (void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri,
                  int n_namespaces, const xmlChar **namespaces, int n_attributes, int n_defaulted,
                  const xmlChar **attributes)
{
  WprReader *reader = data;
  if (reader->broken)
    return;
  wpr_scan_next_tag (&reader->scan);
  if (++reader->depth > WPR_DOCUMENT_MOST_DEPTH)
    {
      wpr_reader_fault (reader, TRUE, reader->scan.tag_line, reader->scan.tag_column, "", "",
                        _ ("Elements are nested more than %d deep, so this is no profile."),
                        WPR_DOCUMENT_MOST_DEPTH);
      wpr_reader_give_up (reader);
      return;
    }
  reader->document->n_elements++;
  reader->document->n_attributes += n_attributes;
  if (reader->skip_depth > 0)
    {
      wpr_reader_skip (reader, n_attributes);
      return;
    }
  const WprElement *element = wpr_reader_find_element (reader, (const char *)local, prefix != NULL);
  if (element == NULL)
    {
      wpr_reader_skip (reader, n_attributes);
      reader->skip_depth = reader->depth;
      return;
    }
  WprNode *node = wpr_node_new (reader->document, reader->here, element, reader->scan.tag_line,
                                reader->scan.tag_column);
  if (reader->here == NULL)
    reader->root = node;
  reader->here = node;
  wpr_reader_add_attributes (reader, node, n_attributes, attributes);
  wpr_reader_check_required (reader, node);
  wpr_reader_check_values (reader, node);
}

static void
wpr_reader_end (void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
  WprReader *reader = data;
  if (reader->broken)
    return;
  if (reader->skip_depth == 0)
    {
      wpr_reader_check_children (reader, reader->here);
      if (reader->here->is_mixed) /* from here on in the format's order; the sort is stable */
        g_ptr_array_sort (reader->here->children, wpr_reader_compare_children);
      reader->here = reader->here->parent;
    }
  else if (reader->skip_depth == reader->depth)
    reader->skip_depth = 0;
  reader->depth--;
}

/* Text between elements: the format has none. Its place is looked for behind the last start tag. */
static void
wpr_reader_text (void *data, const xmlChar *characters, int size)
{
  WprReader *reader = data;
  const char *text = (const char *)characters;
  if (reader->broken || reader->skip_depth > 0 || reader->here == NULL)
    return;
  gsize blank = 0;
  while (blank < (gsize)size && g_ascii_isspace (text[blank]))
    blank++;
  if (blank == (gsize)size)
    return;
  gsize word = blank;
  while (word < (gsize)size && word - blank < 40 && !g_ascii_isspace (text[word]))
    word++;
  while (word < (gsize)size && (text[word] & 0xc0) == 0x80) /* whole characters only */
    word++;
  g_autofree char *shown = g_strndup (text + blank, word - blank);
  WprScan scan = reader->scan;
  if (!wpr_scan_find (&scan, shown))
    scan.line = reader->here->line, scan.column = reader->here->column;
  wpr_reader_fault (reader, FALSE, scan.line, scan.column, "",
                    _ ("Remove it, or make a comment of it: <!-- ... -->."),
                    _ ("There is text in <%s>: “%s”; it is left out."), reader->here->element->name,
                    shown);
}

/* <!DOCTYPE: refused before anything in it is looked at. */
static void
wpr_reader_doctype (void *data, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
  WprReader *reader = data;
  if (reader->broken)
    return;
  wpr_scan_doctype (&reader->scan);
  wpr_reader_fault (reader, TRUE, reader->scan.tag_line, reader->scan.tag_column, "",
                    _ ("Remove <!DOCTYPE ...>. Profiles need none."),
                    _ ("This file declares a document type, which is not accepted from a file."));
  wpr_reader_give_up (reader);
}

static void
wpr_reader_error (void *data, xmlError *error)
{
  WprReader *reader = data;
  if (reader->broken || error->level < XML_ERR_ERROR)
    return;
  g_autofree char *message = g_strdup (error->message != NULL ? error->message : "");
  g_strchomp (message);
  wpr_reader_fault (reader, TRUE, MAX (error->line, 0), MAX (error->int2, 0), "",
                    _ ("Correct it in a text editor, or ask whoever sent you the file."),
                    _ ("This is not well-formed XML (%s)."), message);
  wpr_reader_give_up (reader);
}

static void
wpr_reader_parse (WprReader *reader, const char *text, gsize size)
{
  reader->parser = xmlCreateMemoryParserCtxt (text, (int)size);
  if (reader->parser == NULL)
    {
      reader->broken = TRUE;
      wpr_reader_fault (reader, TRUE, 1, 1, "", "", _ ("This file is empty."));
      return;
    }
  /* NOENT only makes "&amp;" come as "&": without a DTD there are no other entities. The encoding
   * in <?xml?> no longer holds once the text is UTF-8. */
  xmlCtxtUseOptions (reader->parser,
                     XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA | XML_PARSE_IGNORE_ENC);
  xmlSAXHandler sax = {
    .initialized = XML_SAX2_MAGIC,
    .internalSubset = wpr_reader_doctype,
    .startElementNs = wpr_reader_start,
    .endElementNs = wpr_reader_end,
    .characters = wpr_reader_text,
    .cdataBlock = wpr_reader_text,
    .serror = wpr_reader_error,
  };
  *reader->parser->sax = sax;
  reader->parser->userData = reader;
  xmlParseDocument (reader->parser);
  if (reader->parser->wellFormed == 0 && !reader->broken)
    {
      reader->broken = TRUE;
      wpr_reader_fault (reader, TRUE, 1, 1, "", "", _ ("This is not well-formed XML."));
    }
  xmlFreeDoc (reader->parser->myDoc);
  reader->parser->myDoc = NULL;
  xmlFreeParserCtxt (reader->parser);
}

/* What would take long is refused before it is parsed: the scanner agrees with the parser up to the
 * first place that is not well-formed, and there the parser stops. */
static gboolean
wpr_reader_check_limits (WprReader *reader)
{
  WprScan scan = reader->scan;
  const char *name;
  gsize size;
  guint line, column, n_elements = 0;
  while (wpr_scan_next_tag (&scan))
    {
      guint n_attributes = 0;
      while (n_attributes <= WPR_DOCUMENT_MOST_ATTRIBUTES
             && wpr_scan_next_attribute (&scan, &name, &size, &line, &column))
        n_attributes++;
      if (++n_elements <= WPR_DOCUMENT_MOST_ELEMENTS
          && n_attributes <= WPR_DOCUMENT_MOST_ATTRIBUTES)
        continue;
      wpr_reader_fault (reader, TRUE, scan.tag_line, scan.tag_column, "", "",
                        _ ("There are more than %d elements, or more than %d attributes in one, so "
                           "this is no profile."),
                        WPR_DOCUMENT_MOST_ELEMENTS, WPR_DOCUMENT_MOST_ATTRIBUTES);
      return FALSE;
    }
  return TRUE;
}

static void
wpr_document_fail (WprDocument *document, const char *why)
{
  WprPlace place = { document->file, 0, 0, NULL };
  wpr_faults_add (document->faults, &place, TRUE, 0xc5580701, "", "%s", why);
}

void
wpr_document_read (WprDocument *document, GBytes *bytes)
{
  static gsize once;
  if (g_once_init_enter (&once))
    {
      xmlInitParser ();
      g_once_init_leave (&once, 1);
    }
  gsize size = 0, text_size = 0;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const char *why = NULL;
  g_autofree char *text = wpr_text_to_utf8 (data, size, &text_size, &why);
  if (text == NULL)
    {
      wpr_document_fail (document, why);
      return;
    }
  WprReader reader = { .document = document };
  wpr_scan_init (&reader.scan, text, text_size);
  if (!wpr_reader_check_limits (&reader))
    return;
  wpr_reader_parse (&reader, text, text_size);
  if (!reader.broken)
    document->root = reader.root;
  else if (reader.root != NULL)
    wpr_node_free (reader.root);
}
