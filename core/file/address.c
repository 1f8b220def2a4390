/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An address in words. */
#include "config.h"
#include "file/file-private.h"

static void
append_offset (GString *text, guint64 offset)
{
  if (offset > 0)
    g_string_append_printf (text, "+0x%" G_GINT64_MODIFIER "x", offset);
}

gboolean
wpr_trace_file_append_address (const WprTraceFile *self, guint32 pid, gint64 ticks, guint64 address,
                               gboolean is_return, GString *text)
{
  guint64 at = address - (is_return && address > 0 ? 1 : 0), into;
  const char *function = NULL;
  WprModule module;

  if (!wpr_modules_find (self->modules, pid, at, ticks, &module))
    {
      function = wpr_functions_find_jit (self->functions, pid, at, &into);
      if (function == NULL)
        function = wpr_functions_find_jit (self->functions, 0, at, &into);
      if (function == NULL)
        return FALSE;
      g_string_append (text, function);
      append_offset (text, into + (address - at));
      return TRUE;
    }
  function
      = wpr_functions_find (self->functions, module.path, module.stamp, at - module.base, &into);
  g_string_append (text, module.name);
  if (function != NULL)
    {
      g_string_append_c (text, '!');
      g_string_append (text, function);
      append_offset (text, into + (address - at));
    }
  else
    append_offset (text, address - module.base);
  return TRUE;
}

const char *
wpr_trace_file_describe_address (WprTraceFile *self, guint64 address)
{
  if (self->raw == NULL)
    return NULL;
  g_string_truncate (self->address, 0);
  return wpr_trace_file_append_address (self, self->event.pid, self->raw->ticks, address, FALSE,
                                        self->address)
             ? self->address->str
             : NULL;
}
