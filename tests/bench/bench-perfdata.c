/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples and losses in a perf.data file, read as its documented layout says: perf's own reports
 * take longer than the recording they are asked about. Prints one line of JSON. */
#include "config.h"

#include <glib.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* "PERFILE2", header size, attr size, then three sections of offset and size: attrs, data, types.
 */
#define DATA_SECTION 40

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = argc > 1 ? g_mapped_file_new (argv[1], FALSE, &error) : NULL;
  guint64 samples = 0, lost = 0, bytes = 0, section[2];

  if (file == NULL || g_mapped_file_get_length (file) < DATA_SECTION + sizeof section)
    {
      fprintf (stderr, "bench-perfdata FILE: %s\n", error != NULL ? error->message : "no file");
      return 1;
    }
  const char *start = g_mapped_file_get_contents (file);
  gsize length = g_mapped_file_get_length (file);
  memcpy (section, start + DATA_SECTION, sizeof section);
  if (memcmp (start, "PERFILE2", 8) != 0 || section[0] > length || section[1] > length - section[0])
    return 1;

  for (gsize at = section[0], end = section[0] + section[1]; at + 8 <= end;)
    {
      struct perf_event_header header;
      guint64 n;
      memcpy (&header, start + at, sizeof header);
      if (header.size < sizeof header || header.size > end - at)
        break;
      gboolean of_one = header.type == PERF_RECORD_LOST && header.size >= 24;
      if (of_one || (header.type == PERF_RECORD_LOST_SAMPLES && header.size >= 16))
        {
          memcpy (&n, start + at + (of_one ? 16 : 8), sizeof n);
          lost += n;
        }
      if (header.type == PERF_RECORD_SAMPLE)
        {
          samples++;
          bytes += header.size;
        }
      at += header.size;
    }
  printf ("{\"samples\":%" G_GUINT64_FORMAT ",\"lost\":%" G_GUINT64_FORMAT
          ",\"sample_bytes\":%" G_GUINT64_FORMAT ",\"file_bytes\":%" G_GSIZE_FORMAT "}\n",
          samples, lost, bytes, length);
  return 0;
}
