/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file's bytes as UTF-8 text, and where in it the start tags and their attributes stand. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Largest file we read: the largest known .wprp has 0.2 MiB. */
#define WPR_TEXT_MOST_BYTES (16 * 1024 * 1024)

/* UTF-8 (with or without BOM) or UTF-16 (by BOM, or by the zero beside its first '<') as UTF-8
 * without a BOM, NUL behind it. NULL with *why a translated sentence. Free with g_free. */
char *wpr_text_to_utf8 (const guint8 *bytes, gsize size, gsize *text_size, const char **why);

/* Walks a well-formed document beside the parser: each call finds the next start tag, so that the
 * n-th call finds what the parser reports n-th. */
typedef struct
{
  const char *at, *end;
  guint line, column; /* of `at`, from 1; columns count characters */
  const char *tag;    /* the '<' of the tag found last */
  guint tag_line, tag_column;
} WprScan;

void wpr_scan_init (WprScan *scan, const char *text, gsize size);
/* Next start tag, in tag, tag_line and tag_column; `at` behind its name. FALSE at the end. */
gboolean wpr_scan_next_tag (WprScan *scan);
/* Next attribute name of that tag; FALSE when the tag is over. */
gboolean wpr_scan_next_attribute (WprScan *scan, const char **name, gsize *size, guint *line,
                                  guint *column);
/* Goes on to the next "<!DOCTYPE"; FALSE if there is none before the first start tag. */
gboolean wpr_scan_doctype (WprScan *scan);

/* Goes on to the next place of `what`; FALSE if there is none, and `at` stays. */
gboolean wpr_scan_find (WprScan *scan, const char *what);

G_END_DECLS
