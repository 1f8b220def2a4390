/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .wprp format as tables: which elements there are, what may stand in them, in which order and
 * how often, which attributes they have and what may stand in those. Reader, validation, export
 * and documentation know the format from here only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_VALUE_TEXT,
  WPR_VALUE_ID,         /* one or more characters, no ':' and no white space */
  WPR_VALUE_BOOLEAN,    /* true, false, 1, 0 */
  WPR_VALUE_NUMBER,     /* whole, least..most */
  WPR_VALUE_INTEGER,    /* whole, also below zero */
  WPR_VALUE_DECIMAL,    /* 1.4 */
  WPR_VALUE_HEX,        /* 0x and 1 to 8 digits */
  WPR_VALUE_HEX_OR_DEC, /* hexadecimal digits, 0x may be in front */
  WPR_VALUE_ENUM,       /* one of values */
  WPR_VALUE_KEYWORD,    /* of the table of system keywords */
  WPR_VALUE_STACK,      /* of the table of system stacks */
  WPR_VALUE_TIMEOUT,    /* least..most, or "infinite" */
  WPR_VALUE_SHORT,      /* text of least..most characters */
  WPR_VALUE_FILE_PART,  /* text without \ / : * ? | > " */
} WprValueKind;

/* What an attribute may hold. */
typedef struct
{
  const char *name;
  WprValueKind kind;
  guint64 least, most;
  const char *values; /* WPR_VALUE_ENUM: separated by "|"; NULL else */
  const char *unit;   /* of a number; NULL if it has none */
} WprValueType;

typedef struct _WprElement WprElement;

typedef struct
{
  const char *name; /* interned */
  const WprValueType *type;
  gboolean is_required;
  const char *fallback; /* what holds where it is absent; NULL: nothing does */
} WprAttributeRule;

typedef struct
{
  const WprElement *element;
  guint least, most; /* most G_MAXUINT: any number */
} WprChildRule;

/* An element as it may stand in certain others: <Keywords> of a system provider and of an event
 * provider are two. */
struct _WprElement
{
  const char *name;
  const char *type;    /* unique; the name where there is one kind only */
  const char *summary; /* what it is for; the reference is English, like the format's words */
  const WprAttributeRule *attributes;
  guint n_attributes;
  const WprChildRule *children; /* in the order the format wants */
  guint n_children;
  gboolean any_order; /* the children may mix, and one at least is wanted */
};

/* All types, the root element first; NULL behind the last. */
const WprElement *wpr_schema_get (guint index);
const WprElement *wpr_schema_root (void);
/* Any element of that name; NULL for a name the format does not have. */
const WprElement *wpr_schema_find (const char *name);
/* What a child of that name is, NULL if it may not stand there; *index: its place in the order. */
const WprElement *wpr_schema_child (const WprElement *parent, const char *name, guint *index);
const WprAttributeRule *wpr_schema_attribute (const WprElement *element, const char *name);

/* Whether a value is allowed; *nearest: a suggestion to be freed, NULL if nothing is near. */
gboolean wpr_value_check (const WprValueType *type, const char *value, char **nearest);
/* What is allowed, in words. Free with g_free. */
char *wpr_value_describe (const WprValueType *type);
const WprValueType *wpr_value_type_find (const char *name, gsize size);
/* The n-th word of a "|" list; NULL behind the last. Free with g_free. */
char *wpr_value_get (const WprValueType *type, guint index);

G_END_DECLS
