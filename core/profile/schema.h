/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .wprp format as one table: which elements there are, what may stand in them and in which
 * order, which attributes they have. The reader and its faults know the format from here only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One row an element name.
 * children: names in the order the format wants, each with how often: "?" at most once, "*" any
 * number, "+" at least once, nothing: exactly once.
 * attributes: names, "!" behind those that must be there. */
typedef struct
{
  const char *name;
  const char *attributes;
  const char *children;
} WprElement;

/* NULL for a name the format does not have. */
const WprElement *wpr_schema_find (const char *name, gsize size);
/* The root element. */
const WprElement *wpr_schema_root (void);
gboolean wpr_schema_has_child (const WprElement *element, const char *child);
/* Static copy of the attribute's name, NULL if the element has none of it. */
const char *wpr_schema_attribute (const WprElement *element, const char *name);
/* Calls for each name of a list of the table ("Id! Base"), marks stripped into *mark (0 if none).
 * Returns where to go on, NULL at the end. name must hold 64 bytes. */
const char *wpr_schema_next_name (const char *list, char *name, char *mark);

G_END_DECLS
