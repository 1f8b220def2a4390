/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is wrong with a file, with its place. */
#include "config.h"
#include "profile/fault.h"

#include <stdarg.h>

/* More than anybody reads; the first ones are the causes. Errors beyond it still count: see below.
 */
#define FAULTS_MOST 200

static void
wpr_fault_free (gpointer data)
{
  WprFault *fault = data;
  g_free (fault->file);
  g_free (fault->path);
  g_free (fault->what);
  g_free (fault->allowed);
  g_free (fault->advice);
  g_free (fault);
}

GPtrArray *
wpr_faults_new (void)
{
  return g_ptr_array_new_with_free_func (wpr_fault_free);
}

WprFault *
wpr_faults_add (GPtrArray *faults, const WprPlace *place, gboolean is_error, guint32 wpr_number,
                const char *advice, const char *format, ...)
{
  /* The first error is kept in any case: it decides whether the file can be used. */
  if (faults->len >= FAULTS_MOST && (!is_error || wpr_faults_first_error (faults) != NULL))
    return NULL;

  WprFault *fault = g_new0 (WprFault, 1);
  va_list args;
  va_start (args, format);
  fault->what = g_strdup_vprintf (format, args);
  va_end (args);
  fault->file = g_strdup (place->file);
  fault->line = place->line;
  fault->column = place->column;
  fault->path = g_strdup (place->path != NULL ? place->path : "");
  fault->advice = g_strdup (advice != NULL ? advice : "");
  fault->allowed = g_strdup ("");
  fault->is_error = is_error;
  fault->is_refused = is_error || wpr_number != 0;
  fault->wpr_number = wpr_number;
  g_ptr_array_add (faults, fault);
  return fault;
}

void
wpr_fault_set_allowed (WprFault *fault, const char *allowed)
{
  g_free (fault->allowed);
  fault->allowed = g_strdup (allowed);
}

static int
wpr_fault_compare (gconstpointer left, gconstpointer right)
{
  const WprFault *a = *(const WprFault *const *)left, *b = *(const WprFault *const *)right;
  return a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                            : (a->column > b->column) - (a->column < b->column);
}

void
wpr_faults_sort (GPtrArray *faults)
{
  g_ptr_array_sort (faults, wpr_fault_compare); /* stable */
}

const WprFault *
wpr_faults_first_error (const GPtrArray *faults)
{
  for (guint i = 0; i < faults->len; i++)
    {
      const WprFault *fault = g_ptr_array_index (faults, i);
      if (fault->is_error)
        return fault;
    }
  return NULL;
}

void
wpr_fault_set_error (const WprFault *fault, GError **error)
{
  g_autofree char *place
      = fault->line > 0 ? g_strdup_printf ("%s:%u:%u", fault->file, fault->line, fault->column)
                        : g_strdup (fault->file);
  wpr_set_error (error, WPR_ERROR_PROFILE, fault->wpr_number, "%s: %s%s%s", place, fault->what,
                 *fault->advice != '\0' ? " " : "", fault->advice);
}
