/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a file says of its functions' names (provider Linux.Symbols): how many there are, and which
 * images have none for a reason that somebody can do something about. */
#include "config.h"
#include "sink/info-private.h"

#include <string.h>

/* A file with more is told in part. */
#define MOST_UNNAMED 200

static guint64
number (const WprEtlFieldIter *field)
{
  g_autofree char *text = wpr_info_field_text (field);
  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;
}

static void
take_totals (WprTraceInfo *info, const WprEtlEvent *event)
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
  WprEtlFieldIter iter;
  wpr_etl_field_iter_init (&iter, event);
  while (wpr_etl_field_iter_next (&iter))
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      if (g_str_equal (iter.name, rows[i].field))
        *rows[i].to = number (&iter);
}

static void
take_image (WprTraceInfo *info, const WprEtlEvent *event)
{
  g_autofree char *path = NULL, *state = NULL;
  guint64 addresses = 0;
  WprEtlFieldIter iter;
  wpr_etl_field_iter_init (&iter, event);
  while (wpr_etl_field_iter_next (&iter))
    {
      if (g_str_equal (iter.name, "Path") && path == NULL)
        path = wpr_info_field_text (&iter);
      else if (g_str_equal (iter.name, "State") && state == NULL)
        state = wpr_info_field_text (&iter);
      else if (g_str_equal (iter.name, "Addresses"))
        addresses = number (&iter);
    }
  if (path == NULL || state == NULL || g_str_equal (state, "named")
      || g_str_equal (state, "no-symbols") || info->n_unnamed_images++ >= MOST_UNNAMED)
    return;
  g_ptr_array_add (info->facts,
                   g_strdup_printf ("Unnamed: Path %s, State %s, Addresses %" G_GUINT64_FORMAT,
                                    path, state, addresses));
}

void
wpr_info_take_symbols (WprTraceInfo *info, const WprEtlEvent *event)
{
  if (g_str_equal (event->name, "Totals"))
    take_totals (info, event);
  else if (g_str_equal (event->name, "Image"))
    take_image (info, event);
}
