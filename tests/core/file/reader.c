/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program of somebody else: reads an .etl with nothing but the installed header. Prints the
 * header's facts, how many events there are, and of the first that has a stack everything.
 * Usage: reader FILE.etl [EXPR]. installed.py compiles and runs it. */
#include <wpr-trace.h>

#include <stdio.h>

static void
print_field (const WprTraceField *field)
{
  switch (field->type)
    {
    case WPR_TRACE_FIELD_INT:
    case WPR_TRACE_FIELD_TIME:
      printf (" %s=%" G_GINT64_FORMAT, field->name, field->i);
      break;
    case WPR_TRACE_FIELD_DOUBLE:
      printf (" %s=%g", field->name, field->d);
      break;
    case WPR_TRACE_FIELD_STRING:
      printf (" %s=%s", field->name, field->text);
      break;
    case WPR_TRACE_FIELD_BYTES:
      printf (" %s=(%" G_GSIZE_FORMAT " bytes)", field->name, field->size);
      break;
    default:
      printf (" %s=%" G_GUINT64_FORMAT, field->name, field->u);
      break;
    }
}

static void
print_event (WprTraceFile *file, const WprTraceEvent *event)
{
  guint n_fields, n_frames;
  const WprTraceField *fields = wpr_trace_file_get_fields (file, &n_fields);
  const guint64 *frames = wpr_trace_file_get_stack (file, &n_frames);

  printf ("%.3f ms %s (%u) %u %s/%s", (double)event->time_ns / 1e6, event->process, event->pid,
          event->tid, event->provider, event->name);
  for (guint i = 0; i < n_fields; i++)
    print_field (&fields[i]);
  printf ("\n");
  for (guint i = 0; i < n_frames; i++)
    {
      const char *what = wpr_trace_file_describe_address (file, frames[i]);
      printf ("  %s\n", what != NULL ? what : "?");
    }
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  WprTraceFile *file
      = argc > 1 ? wpr_trace_file_open (argv[1], WPR_TRACE_STACKS, NULL, &error) : NULL;
  const WprTraceEvent *event;
  gboolean has_shown = FALSE;
  guint64 n = 0;

  if (file == NULL || !wpr_trace_file_set_filter (file, argc > 2 ? argv[2] : NULL, NULL, &error))
    {
      fprintf (stderr, "%s\n", error != NULL ? error->message : "usage: reader FILE.etl [EXPR]");
      return wpr_error_exit_status (error);
    }
  printf ("%u processors, started %" G_GINT64_FORMAT "\n", wpr_trace_file_get_header (file)->n_cpus,
          wpr_trace_file_get_header (file)->start_realtime_ns);
  for (; (event = wpr_trace_file_next (file)) != NULL; n++)
    {
      guint n_frames;

      wpr_trace_file_get_stack (file, &n_frames);
      if (n_frames > 0 && !has_shown)
        {
          print_event (file, event);
          has_shown = TRUE;
        }
    }
  printf ("%" G_GUINT64_FORMAT " events, %u faults\n", n, wpr_trace_file_get_faults (file)->len);
  wpr_trace_file_close (file);
  return 0;
}
