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

static void wpr_reader_fault (WprReader *reader, gboolean is_error, guint line, guint column,
                              const char *advice, const char *format, ...) G_GNUC_PRINTF (6, 7);

static void
wpr_reader_fault (WprReader *reader, gboolean is_error, guint line, guint column,
                  const char *advice, const char *format, ...)
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
  wpr_faults_add (reader->document->faults, &place, is_error, is_error ? 0xc5580701 : 0, advice,
                  "%s", what);
}

static void
wpr_reader_give_up (WprReader *reader)
{
  reader->broken = TRUE;
  xmlStopParser (reader->parser);
}

/* "Did you mean “X”?" out of a list of the schema; "" if nothing is near. Free with g_free. */
static char *
wpr_reader_suggest (const char *word, const char *list)
{
  char name[64], best[64] = "", mark;
  WprSuggest suggest = { .word = word };
  for (const char *at = wpr_schema_next_name (list, name, &mark); at != NULL;
       at = wpr_schema_next_name (at, name, &mark))
    {
      const char *before = suggest.best;
      guint distance = suggest.distance;
      wpr_suggest_offer (&suggest, name);
      if (suggest.best != before || suggest.distance != distance)
        g_strlcpy (best, name, sizeof best);
      if (suggest.best != NULL)
        suggest.best = best;
    }
  return suggest.best != NULL ? g_strdup_printf (_ ("Did you mean “%s”?"), best) : g_strdup ("");
}

/* The element a start tag opens, NULL if it is to be left out (said so already). */
static const WprElement *
wpr_reader_find_element (WprReader *reader, const char *name)
{
  const WprElement *element = wpr_schema_find (name, strlen (name));
  guint line = reader->scan.tag_line, column = reader->scan.tag_column;
  if (reader->here == NULL)
    {
      if (element == wpr_schema_root ())
        return element;
      wpr_reader_fault (reader, TRUE, line, column,
                        _ ("A profile begins with <WindowsPerformanceRecorder Version=\"1.0\">."),
                        _ ("The outermost element is <%s>, so this is no profile."), name);
      wpr_reader_give_up (reader);
      return NULL;
    }
  if (element != NULL && wpr_schema_has_child (reader->here->element, name))
    return element;
  g_autofree char *advice = wpr_reader_suggest (name, reader->here->element->children);
  if (element != NULL)
    wpr_reader_fault (reader, FALSE, line, column, advice,
                      _ ("<%s> does not belong into <%s>; it is left out."), name,
                      reader->here->element->name);
  else
    wpr_reader_fault (reader, FALSE, line, column, advice,
                      _ ("There is no element <%s> in <%s>; it is left out."), name,
                      reader->here->element->name);
  return NULL;
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

      const char *known
          = attributes[5 * i + 1] == NULL ? wpr_schema_attribute (node->element, local) : NULL;
      if (known != NULL)
        {
          wpr_node_add_attribute (node, known, value, value_size, line, column);
          continue;
        }
      g_autofree char *advice = wpr_reader_suggest (local, node->element->attributes);
      wpr_reader_fault (reader, FALSE, line, column, advice,
                        _ ("<%s> has no attribute “%s”; it is left out."), node->element->name,
                        local);
    }
}

static void
wpr_reader_check_required (WprReader *reader, const WprNode *node)
{
  char name[64], mark;
  for (const char *at = wpr_schema_next_name (node->element->attributes, name, &mark); at != NULL;
       at = wpr_schema_next_name (at, name, &mark))
    {
      if (mark != '!' || wpr_node_get (node, name) != NULL)
        continue;
      /* Version says which recorder the file was made for: recording needs it not. */
      gboolean is_error = node->parent != NULL;
      g_autofree char *advice = g_strdup_printf (_ ("Add %s=\"...\"."), name);
      wpr_reader_fault (reader, is_error, node->line, node->column, advice,
                        _ ("<%s> lacks the attribute “%s”."), node->element->name, name);
    }
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
      wpr_reader_fault (reader, TRUE, reader->scan.tag_line, reader->scan.tag_column, "",
                        _ ("Elements are nested more than %d deep, so this is no profile."),
                        WPR_DOCUMENT_MOST_DEPTH);
      wpr_reader_give_up (reader);
      return;
    }
  if (reader->skip_depth > 0)
    return;

  const WprElement *element = wpr_reader_find_element (reader, (const char *)local);
  if (element == NULL)
    {
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
}

static void
wpr_reader_end (void *data, const xmlChar *local, const xmlChar *prefix, const xmlChar *uri)
{
  WprReader *reader = data;
  if (reader->broken)
    return;
  if (reader->skip_depth == 0)
    reader->here = reader->here->parent;
  else if (reader->skip_depth == reader->depth)
    reader->skip_depth = 0;
  reader->depth--;
}

/* <!DOCTYPE: refused before anything in it is looked at. */
static void
wpr_reader_doctype (void *data, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
  WprReader *reader = data;
  if (reader->broken)
    return;
  wpr_scan_doctype (&reader->scan);
  wpr_reader_fault (reader, TRUE, reader->scan.tag_line, reader->scan.tag_column,
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
  wpr_reader_fault (reader, TRUE, MAX (error->line, 0), MAX (error->int2, 0),
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
      wpr_reader_fault (reader, TRUE, 1, 1, "", _ ("This file is empty."));
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
    .serror = wpr_reader_error,
  };
  *reader->parser->sax = sax;
  reader->parser->userData = reader;
  xmlParseDocument (reader->parser);
  if (reader->parser->wellFormed == 0 && !reader->broken)
    {
      reader->broken = TRUE;
      wpr_reader_fault (reader, TRUE, 1, 1, "", _ ("This is not well-formed XML."));
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
      wpr_reader_fault (reader, TRUE, scan.tag_line, scan.tag_column, "",
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
