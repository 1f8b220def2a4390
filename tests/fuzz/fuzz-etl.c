/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as an .etl: read in its own order, verified, counted and put into words; and read in
 * the order of time, every field of every event put into words, every frame of every stack. */
#include "config.h"
#include "etl/cursor.h"
#include "etl/decode.h"
#include "sink/info-private.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

static void
take_apart (WprEtlDecoder *decoder, const WprEtlEvent *event, GString *text)
{
  const WprEtlKind *kind = wpr_etl_decoder_kind (decoder, event);
  const WprEtlField *fields;
  guint n = wpr_etl_decoder_fields (decoder, event, kind, &fields);
  guint64 sum = 0;
  WprEtlStack stack;

  g_string_truncate (text, 0);
  for (guint i = 0; i < n; i++)
    {
      guint64 number;
      double real;

      wpr_etl_field_get_uint64 (&fields[i], &number);
      wpr_etl_field_get_double (&fields[i], &real);
      if (text->len < 65536)
        wpr_etl_field_append_text (&fields[i], text);
    }
  g_assert (g_utf8_validate (text->str, -1, NULL) || memchr (text->str, 0, text->len) != NULL);
  if (wpr_etl_event_get_stack (event, &stack))
    for (guint i = 0; i < stack.n_frames; i++)
      sum += wpr_etl_stack_frame (&stack, i);
  g_assert (sum != 1 || stack.n_frames > 0);
}

static void
read_in_time (const WprEtlFile *file)
{
  g_autoptr (WprEtlCursor) cursor = wpr_etl_cursor_new (file, NULL, NULL);
  g_autoptr (WprEtlDecoder) decoder = wpr_etl_decoder_new (file);
  g_autoptr (GString) text = g_string_new (NULL);
  const WprEtlEvent *event;

  while ((event = wpr_etl_cursor_next (cursor)) != NULL)
    take_apart (decoder, event, text);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  g_autoptr (WprEtlFile) file = wpr_etl_file_new (bytes, size, NULL);
  WprTraceInfo *info;

  if (file == NULL)
    return 0;
  read_in_time (file);
  info = wpr_trace_info_from_bytes (bytes, size, NULL, NULL, NULL);
  g_free (wpr_trace_info_to_text (info));
  g_free (wpr_trace_info_to_json (info));
  wpr_trace_info_free (info);
  return 0;
}
