/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading points in time. Does not live here: writing them (put.c). */
#include "config.h"
#include "file/when.h"

#define SECOND G_GINT64_CONSTANT (1000000000)
#define DAY (86400 * SECOND)
/* Some 29 years since the beginning; and no product below overflows. */
#define MOST_SECONDS 900000000

typedef struct
{
  const char *at, *end;
} Reader;

static gboolean
take_char (Reader *self, char wanted)
{
  if (self->at == self->end || *self->at != wanted)
    return FALSE;
  self->at++;
  return TRUE;
}

/* At least one digit, at most `most`. */
static gboolean
take_digits (Reader *self, guint most, gint64 *value)
{
  guint n = 0;

  *value = 0;
  for (; self->at < self->end && g_ascii_isdigit (*self->at) && n < most; n++)
    *value = *value * 10 + (*self->at++ - '0');
  return n > 0;
}

/* "." and digits, as ns; what is finer than that is cut. Nothing is 0. */
static gboolean
take_fraction (Reader *self, gint64 *ns)
{
  gint64 unit = SECOND / 10;

  *ns = 0;
  if (!take_char (self, '.') && !take_char (self, ','))
    return TRUE;
  if (self->at == self->end || !g_ascii_isdigit (*self->at))
    return FALSE;
  for (; self->at < self->end && g_ascii_isdigit (*self->at); self->at++, unit /= 10)
    *ns += unit * (*self->at - '0');
  return TRUE;
}

static gboolean
parse_seconds (Reader self, WprWhen *when)
{
  gboolean negative = take_char (&self, '-');
  gint64 whole, fraction, scale = 1;

  if (!negative)
    take_char (&self, '+');
  if (!take_digits (&self, 9, &whole) || !take_fraction (&self, &fraction))
    return FALSE;
  if (take_char (&self, 'm'))
    {
      scale = 1000;
      if (!take_char (&self, 's'))
        return FALSE;
    }
  else
    take_char (&self, 's');
  if (self.at != self.end || whole > MOST_SECONDS)
    return FALSE;
  when->kind = WPR_WHEN_SINCE_START;
  when->ns = (whole * SECOND + fraction) / scale;
  if (negative)
    when->ns = -when->ns;
  return TRUE;
}

/* "14:00[:05[.25]]" as ns since midnight. */
static gboolean
take_time (Reader *self, gint64 *ns)
{
  gint64 hour, minute, second = 0, fraction = 0;

  if (!take_digits (self, 2, &hour) || !take_char (self, ':') || !take_digits (self, 2, &minute))
    return FALSE;
  if (take_char (self, ':')
      && (!take_digits (self, 2, &second) || !take_fraction (self, &fraction)))
    return FALSE;
  *ns = ((hour * 60 + minute) * 60 + second) * SECOND + fraction;
  return hour < 24 && minute < 60 && second < 60;
}

static gboolean
take_zone (Reader *self, GTimeZone **zone)
{
  g_autofree char *text = g_strndup (self->at, (gsize)(self->end - self->at));

  if (*text == '\0')
    *zone = g_time_zone_new_local ();
  else if (g_str_equal (text, "Z") || *text == '+' || *text == '-')
    *zone = g_time_zone_new_identifier (text);
  return *zone != NULL;
}

static gboolean
parse_wall (Reader self, WprWhen *when)
{
  g_autoptr (GTimeZone) zone = NULL;
  g_autoptr (GDateTime) time = NULL;
  gint64 year, month, day, ns;

  if (!take_digits (&self, 4, &year) || !take_char (&self, '-') || !take_digits (&self, 2, &month)
      || !take_char (&self, '-') || !take_digits (&self, 2, &day))
    return FALSE;
  if ((!take_char (&self, 'T') && !take_char (&self, ' ')) || !take_time (&self, &ns)
      || !take_zone (&self, &zone))
    return FALSE;
  time = g_date_time_new (zone, (gint)year, (gint)month, (gint)day, (gint)(ns / (3600 * SECOND)),
                          (gint)(ns / (60 * SECOND) % 60), (gdouble)(ns / SECOND % 60));
  /* ns since 1970 fit until 2262. */
  if (time == NULL || year < 1970 || year > 2200)
    return FALSE;
  when->kind = WPR_WHEN_WALL;
  when->ns = g_date_time_to_unix (time) * SECOND + ns % SECOND;
  return TRUE;
}

static gboolean
parse_time_of_day (Reader self, WprWhen *when)
{
  when->kind = WPR_WHEN_TIME_OF_DAY;
  return take_time (&self, &when->ns) && self.at == self.end;
}

gboolean
wpr_when_parse (const char *text, gsize size, WprWhen *when)
{
  Reader reader = { text, text + size };

  return parse_seconds (reader, when) || parse_wall (reader, when)
         || parse_time_of_day (reader, when);
}

/* A file that goes over midnight: the time is on the day that is nearer to the beginning. */
static gint64
resolve_time_of_day (gint64 ns, gint64 start_realtime_ns)
{
  g_autoptr (GDateTime) start = g_date_time_new_from_unix_local (start_realtime_ns / SECOND);
  gint64 since_midnight, since_start;

  if (start == NULL)
    return 0;
  since_midnight = ((g_date_time_get_hour (start) * 60 + g_date_time_get_minute (start)) * 60
                    + g_date_time_get_second (start))
                       * SECOND
                   + start_realtime_ns % SECOND;
  since_start = ns - since_midnight;
  return since_start < -DAY / 2 ? since_start + DAY : since_start;
}

gboolean
wpr_when_resolve (const WprWhen *when, gint64 start_realtime_ns, gint64 *since_start_ns)
{
  if (when->kind == WPR_WHEN_SINCE_START)
    *since_start_ns = when->ns;
  else if (start_realtime_ns <= 0)
    return FALSE;
  else if (when->kind == WPR_WHEN_WALL)
    *since_start_ns = when->ns - start_realtime_ns;
  else
    *since_start_ns = resolve_time_of_day (when->ns, start_realtime_ns);
  return TRUE;
}
