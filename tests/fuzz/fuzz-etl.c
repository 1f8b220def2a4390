/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as an .etl: read, verified, counted, put into words, every field of every event taken
 * apart. */
#include "config.h"
#include "sink/info-private.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

static gboolean
take_apart (const WprEtlEvent *event, gpointer data)
{
  WprEtlFieldIter iter;

  wpr_etl_field_iter_init (&iter, event);
  while (wpr_etl_field_iter_next (&iter))
    g_free (wpr_info_field_text (&iter));
  return TRUE;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  WprEtlFileInfo file;
  WprTraceInfo *info = wpr_trace_info_from_bytes (bytes, size, NULL, NULL, NULL);

  if (info != NULL)
    {
      g_free (wpr_trace_info_to_text (info));
      g_free (wpr_trace_info_to_json (info));
      wpr_trace_info_free (info);
    }
  if (wpr_etl_read (bytes, size, &file, take_apart, NULL, NULL, NULL))
    wpr_etl_file_info_clear (&file);
  return 0;
}
