/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any text as an EXPR, asked of an event that has a value of every type. */
#include "config.h"
#include "file/filter.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

static const guint8 some[] = { 0xde, 0xad, 0xbe, 0xef };

/* A field's type is told by the first letter of its name. */
static gboolean
get (gpointer subject, WprFilterName name, const char *field, WprTraceField *value)
{
  static const WprTraceField values[] = {
    { "i", WPR_TRACE_FIELD_INT, .i = -5 },
    { "u", WPR_TRACE_FIELD_UINT, .u = 5 },
    { "d", WPR_TRACE_FIELD_DOUBLE, .d = 0.5 },
    { "b", WPR_TRACE_FIELD_BOOL, .u = 1 },
    { "s", WPR_TRACE_FIELD_STRING, .text = "some text", .size = 9 },
    { "x", WPR_TRACE_FIELD_BYTES, .bytes = some, .size = sizeof some },
    { "t", WPR_TRACE_FIELD_TIME, .i = G_GINT64_CONSTANT (1796043600000000000) },
    { "a", WPR_TRACE_FIELD_ADDRESS, .u = 0xffffffff81000000 },
  };

  if (name == WPR_FILTER_TIME)
    *value = values[0];
  else if (name != WPR_FILTER_FIELD)
    *value = values[name == WPR_FILTER_PROVIDER_GUID
                        ? 5
                        : (name == WPR_FILTER_PROCESS_NAME || name == WPR_FILTER_PROVIDER
                                   || name == WPR_FILTER_EVENT_NAME
                               ? 4
                               : 1)];
  else
    {
      const char *found = strchr ("iudbsxta", *field != '\0' ? *field : '?');

      if (found == NULL)
        return FALSE;
      *value = values[found - "iudbsxta"];
    }
  return TRUE;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  g_autofree char *text = g_strndup ((const char *)bytes, size);
  g_autoptr (GError) error = NULL;
  guint column = 0;
  g_autoptr (WprFilter) filter = wpr_filter_new (text, &column, &error);

  if ((filter == NULL) != (error != NULL) || (filter == NULL && column == 0))
    abort ();
  if (filter != NULL
      && wpr_filter_set_start (filter, G_GINT64_CONSTANT (1796043600000000000), NULL))
    wpr_filter_matches (filter, get, NULL);
  return 0;
}
