/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures as people read them. */
#include "config.h"
#include "format.h"

#include <glib/gi18n.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#define KIB G_GUINT64_CONSTANT (1024)
#define MIB (KIB * KIB)
#define GIB (MIB * KIB)
#define NS_PER_S G_GINT64_CONSTANT (1000000000)

char *
wpr_format_count (guint64 count)
{
  const struct lconv *rules = localeconv ();
  const char *mark = rules->thousands_sep;
  if (mark == NULL || *mark == '\0')
    mark = g_strcmp0 (rules->decimal_point, ",") == 0 ? "." : ",";
  g_autofree char *plain = g_strdup_printf ("%" G_GUINT64_FORMAT, count);
  gsize length = strlen (plain);
  GString *out = g_string_sized_new (length + length / 3 * strlen (mark));
  for (gsize i = 0; i < length; i++)
    {
      if (i > 0 && (length - i) % 3 == 0)
        g_string_append (out, mark);
      g_string_append_c (out, plain[i]);
    }
  return g_string_free (out, FALSE);
}

char *
wpr_format_bytes (guint64 bytes)
{
  if (bytes < MIB)
    {
      g_autofree char *count = wpr_format_count ((bytes + KIB - 1) / KIB);
      /* Translators: a size in kilobytes */
      return g_strdup_printf (_ ("%s KB"), count);
    }
  /* 999.5 MB and more read better as a fraction of a GB */
  if (bytes < 1000 * MIB)
    return wpr_format_megabytes (bytes);
  double gigabytes = (double)bytes / GIB;
  if (gigabytes >= 999.5)
    /* Translators: a size in terabytes */
    return g_strdup_printf (_ ("%.*f TB"), gigabytes < 9.95 * KIB ? 1 : 0, gigabytes / KIB);
  /* Translators: a size in gigabytes */
  return g_strdup_printf (_ ("%.*f GB"), gigabytes < 9.95 ? 1 : 0, gigabytes);
}

char *
wpr_format_megabytes (guint64 bytes)
{
  g_autofree char *count = wpr_format_count ((bytes + MIB / 2) / MIB);
  /* Translators: a size in megabytes */
  return g_strdup_printf (_ ("%s MB"), count);
}

char *
wpr_format_clock (gint64 span_ns)
{
  gint64 seconds = MAX (span_ns, 0) / NS_PER_S;
  return g_strdup_printf ("%02d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                          (int)(seconds % 60));
}

char *
wpr_format_minutes (double span_s)
{
  gint64 seconds = (gint64)floor (MAX (span_s, 0));
  if (seconds < 3600)
    return g_strdup_printf ("%d:%02d", (int)(seconds / 60), (int)(seconds % 60));
  return g_strdup_printf ("%d:%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60),
                          (int)(seconds % 60));
}

char *
wpr_format_span (double span_s)
{
  gint64 seconds = (gint64)llround (MAX (span_s, 0));
  /* Translators: spans of time, short: seconds, minutes, hours and days */
  if (span_s >= 0.05 && span_s < 0.95)
    return g_strdup_printf (_ ("%.1f s"), span_s);
  if (seconds < 60)
    return g_strdup_printf (_ ("%d s"), (int)seconds);
  if (seconds < 600 && seconds % 60 != 0)
    return g_strdup_printf (_ ("%d min %d s"), (int)(seconds / 60), (int)(seconds % 60));
  if (seconds < 3600)
    return g_strdup_printf (_ ("%d min"), (int)(seconds / 60));
  if (seconds < 86400 && seconds / 60 % 60 == 0)
    return g_strdup_printf (_ ("%d h"), (int)(seconds / 3600));
  if (seconds < 86400)
    return g_strdup_printf (_ ("%d h %d min"), (int)(seconds / 3600), (int)(seconds / 60 % 60));
  if (seconds / 3600 % 24 == 0)
    return g_strdup_printf (_ ("%d d"), (int)(seconds / 86400));
  return g_strdup_printf (_ ("%d d %d h"), (int)(seconds / 86400), (int)(seconds / 3600 % 24));
}

char *
wpr_format_percent (double share, int decimals)
{
  /* Translators: a percentage; put a space before the sign where your language has one */
  return g_strdup_printf (_ ("%.*f%%"), decimals, share * 100);
}

char *
wpr_format_loss_share (guint64 lost, guint64 events)
{
  double share = events > 0 ? (double)lost / events : 1;
  if (lost > 0 && share < 0.00005)
    return g_strdup (_ ("less than 0.01%"));
  return wpr_format_percent (share, share < 0.00995 ? 2 : share < 0.0995 ? 1 : 0);
}

char *
wpr_format_date (gint64 realtime_ns)
{
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_local (realtime_ns / NS_PER_S);
  /* Translators: a date with its year, and a time of day, as in strftime */
  return when ? g_date_time_format (when, C_ ("date", "%-d %b %Y, %H:%M")) : g_strdup ("");
}

char *
wpr_format_recent (gint64 realtime_ns)
{
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_local (realtime_ns / NS_PER_S);
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  if (when == NULL)
    return g_strdup ("");
  if (g_date_time_get_year (when) != g_date_time_get_year (now))
    return wpr_format_date (realtime_ns);
  if (g_date_time_get_day_of_year (when) == g_date_time_get_day_of_year (now))
    /* Translators: of this day, in a sentence: "from today, 09:12" */
    return g_date_time_format (when, C_ ("date", "today, %H:%M"));
  /* Translators: a date and time in a sentence: "from 24 Nov, 09:12" */
  return g_date_time_format (when, C_ ("date", "%-d %b, %H:%M"));
}

char *
wpr_format_time_of_day (gint64 realtime_ns)
{
  g_autoptr (GDateTime) when = g_date_time_new_from_unix_local (realtime_ns / NS_PER_S);
  if (when == NULL)
    return g_strdup ("");
  /* Translators: a time of day, as in strftime */
  return g_date_time_format (when, _ ("%H:%M"));
}
