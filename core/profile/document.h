/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A .wprp as a tree of the elements the format knows, each with its place. Knows the schema, not
 * what profiles mean. */
#pragma once

#include "profile/fault.h"
#include "profile/schema.h"

G_BEGIN_DECLS

/* How deep elements may nest: the format's own deepest is 9. */
#define WPR_DOCUMENT_MOST_DEPTH 64
/* Most elements of a file, and attributes of an element: the largest known file has 2 000 and 8.
 * libxml2 compares each attribute of a tag with each, so a million of them would take hours. */
#define WPR_DOCUMENT_MOST_ELEMENTS 100000
#define WPR_DOCUMENT_MOST_ATTRIBUTES 100

typedef struct
{
  const char *name; /* static */
  const WprAttributeRule *rule;
  char *value;
  guint line, column;
  gboolean is_invalid; /* not what the format allows: a fault, and as if it were absent */
} WprAttribute;

typedef struct _WprDocument WprDocument;
typedef struct _WprNode WprNode;
struct _WprNode
{
  WprDocument *document; /* borrowed */
  const WprElement *element;
  guint line, column;
  WprNode *parent;     /* borrowed; NULL: the root */
  GArray *attributes;  /* WprAttribute; NULL: none */
  GPtrArray *children; /* WprNode *, owned; NULL: none */
  guint *counts;       /* while reading: of each of the element's rules; NULL: none yet */
  guint furthest;      /* while reading: of those rules */
  gboolean is_mixed;   /* while reading: children came in another order than the format's */
};

struct _WprDocument
{
  char *file; /* display name */
  gboolean is_builtin;
  WprNode *root;     /* NULL: not usable at all */
  GHashTable *by_id; /* Id -> WprNode *: grandchildren of the root, as the format counts */
  GPtrArray *faults; /* WprFault * */
  /* All elements and attributes of the text, and those of them the format does not have. */
  guint n_elements, n_attributes, n_left_out_elements, n_left_out_attributes;
};

/* Reads a file. Never NULL: what is wrong is in faults. */
WprDocument *wpr_document_new (GBytes *bytes, const char *display_name);
void wpr_document_free (WprDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprDocument, wpr_document_free)

gboolean wpr_node_is (const WprNode *node, const char *element);
/* An attribute's value, NULL if it is not there or not what the format allows. */
const char *wpr_node_get (const WprNode *node, const char *attribute);
const WprAttribute *wpr_node_get_attribute (const WprNode *node, const char *attribute);
/* "true" or "1"; FALSE also if absent. */
gboolean wpr_node_get_boolean (const WprNode *node, const char *attribute);
guint wpr_node_n_children (const WprNode *node);
const WprNode *wpr_node_child (const WprNode *node, guint index);
/* The first child of that name, NULL. */
const WprNode *wpr_node_find (const WprNode *node, const char *element);

/* A fault at a node or at one of its attributes (NULL: the node itself), said once only. */
void wpr_node_add_fault (const WprNode *node, const char *attribute, gboolean is_error,
                         guint32 wpr_number, const char *advice, const char *format, ...)
    G_GNUC_PRINTF (6, 7);
/* A warning about what WPR refuses; its number may be unknown (0). */
void wpr_node_refuse (const WprNode *node, const char *attribute, guint32 wpr_number,
                      const char *advice, const char *format, ...) G_GNUC_PRINTF (5, 6);
/* "WindowsPerformanceRecorder/Profiles/Profile/@Id". Free with g_free. */
char *wpr_node_get_path (const WprNode *node, const char *attribute);

G_END_DECLS
