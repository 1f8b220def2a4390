/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From bytes to the tree of a document; used by document.c alone. */
#pragma once

#include "profile/document.h"

G_BEGIN_DECLS

/* Sets document->root, NULL where the file cannot be used at all; adds faults. */
void wpr_document_read (WprDocument *document, GBytes *bytes);

WprNode *wpr_node_new (WprDocument *document, WprNode *parent, const WprElement *element,
                       guint line, guint column);
void wpr_node_free (gpointer node); /* with all below it */
void wpr_node_add_attribute (WprNode *node, const WprAttributeRule *rule, const char *value,
                             gsize size, guint line, guint column);

G_END_DECLS
