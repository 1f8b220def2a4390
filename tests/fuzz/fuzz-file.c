/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as an .etl, as `wpr -dump` takes it: its tables, every event in the order of time with
 * its fields and stack, each format, and a filter that asks for everything. */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "file/file-private.h"

int LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size);

static void
read_all (WprTraceFile *file)
{
  const WprTraceEvent *event;

  while ((event = wpr_trace_file_next (file)) != NULL)
    {
      guint n_fields, n_frames;
      const WprTraceField *fields = wpr_trace_file_get_fields (file, &n_fields);
      const guint64 *frames = wpr_trace_file_get_stack (file, &n_frames);

      for (guint i = 0; i < n_fields; i++)
        if (!g_utf8_validate (fields[i].name, -1, NULL)
            || (fields[i].type == WPR_TRACE_FIELD_STRING && fields[i].text[fields[i].size] != '\0'))
          abort ();
      if (n_frames > 0)
        wpr_trace_file_describe_address (file, frames[n_frames - 1]);
    }
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  static int fd = -1;
  WprEtlFile *etl = wpr_etl_file_new (bytes, size, NULL);
  WprTraceFlags flags = size % 2 == 0 ? WPR_TRACE_STACKS : WPR_TRACE_PLAIN;
  g_autoptr (WprTraceFile) file = etl != NULL ? wpr_trace_file_new (etl, flags, NULL, NULL) : NULL;

  if (file == NULL)
    return 0;
  if (fd < 0)
    fd = open ("/dev/null", O_WRONLY | O_CLOEXEC);
  read_all (file);
  if (!wpr_trace_file_set_filter (file,
                                  "ProcessName ~ a || ProcessId > 3 || Provider ~ e || Level < 3 "
                                  "|| EventName ~ x || Count == 1 || A.B == 2 || Time > 1",
                                  NULL, NULL))
    abort ();
  for (guint format = WPR_DUMP_TEXT; format <= WPR_DUMP_JSON; format++)
    if (!wpr_trace_file_dump (file, fd, "fuzz", format, WPR_DUMP_STACKS, NULL, NULL))
      abort ();
  return 0;
}
