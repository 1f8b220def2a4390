/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a file says of its functions' names (provider Linux.Symbols): how many there are, and which
 * images have none for a reason that somebody can do something about. */
#include "config.h"
#include "sink/info-private.h"

#include <string.h>

/* A file with more is told in part. */
#define MOST_UNNAMED 200

static void
take_totals (WprTraceInfo *info, const WprEtlField *fields, guint n)
{
  const struct
  {
    const char *field;
    guint64 *to;
  } rows[] = {
    { "Functions", &info->n_functions },      { "Addresses", &info->n_addresses },
    { "Named", &info->n_addresses_named },    { "Frames", &info->n_frames },
    { "FramesNamed", &info->n_frames_named },
  };

  for (guint k = 0; k < n; k++)
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      if (g_str_equal (fields[k].name, rows[i].field))
        wpr_etl_field_get_uint64 (&fields[k], rows[i].to);
}

static void
take_image (WprTraceInfo *info, const WprEtlField *fields, guint n)
{
  g_autoptr (GString) path = g_string_new (NULL), state = g_string_new (NULL);
  guint64 addresses = 0;

  for (guint i = 0; i < n; i++)
    {
      if (g_str_equal (fields[i].name, "Path") && path->len == 0)
        wpr_etl_field_append_text (&fields[i], path);
      else if (g_str_equal (fields[i].name, "State") && state->len == 0)
        wpr_etl_field_append_text (&fields[i], state);
      else if (g_str_equal (fields[i].name, "Addresses"))
        wpr_etl_field_get_uint64 (&fields[i], &addresses);
    }
  if (path->len == 0 || state->len == 0 || g_str_equal (state->str, "named")
      || g_str_equal (state->str, "no-symbols") || info->n_unnamed_images++ >= MOST_UNNAMED)
    return;
  g_ptr_array_add (info->facts,
                   g_strdup_printf ("Unnamed: Path %s, State %s, Addresses %" G_GUINT64_FORMAT,
                                    path->str, state->str, addresses));
}

void
wpr_info_take_symbols (WprTraceInfo *info, WprEtlDecoder *decoder, const WprEtlEvent *event,
                       const WprEtlKind *kind)
{
  const WprEtlField *fields;
  guint n;

  if (!g_str_equal (kind->name, "Totals") && !g_str_equal (kind->name, "Image"))
    return;
  n = wpr_etl_decoder_fields (decoder, event, kind, &fields);
  if (g_str_equal (kind->name, "Totals"))
    take_totals (info, fields, n);
  else
    take_image (info, fields, n);
}
