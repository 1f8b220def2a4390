/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An .etl as a whole: opened, and what its first event (TRACE_LOGFILE_HEADER) says. */
#include "config.h"
#include "etl/container-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <glib/gi18n-lib.h>
#include "base/wpr-error.h"
#include "etl/layout.h"

#define EVENT_HEAD 0x20 /* SYSTEM, of either width */
#define DEFAULT_FREQUENCY 10000000
#define CLOCK_SYSTEM_TIME 2 /* 100 ns */
#define CLOCK_CYCLES 3

/* TRACE_LOGFILE_HEADER: two pointers lie before the time zone, so what follows moves. */
typedef struct
{
  guint32 bytes, bias, boot, frequency, start, clock, buffers_lost;
} HeaderShape;
static const HeaderShape shapes[] = {
  { 0x110, 0x40, 0xf0, 0xf8, 0x100, 0x108, 0x10c }, /* 32 bit */
  { 0x118, 0x48, 0xf8, 0x100, 0x108, 0x110, 0x114 },
};

void
wpr_etl_fault (const WprEtlFaults *faults, guint64 offset, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (faults == NULL || faults->func == NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  faults->func (offset, text, faults->data);
}

void
wpr_etl_file_info_clear (WprEtlFileInfo *info)
{
  g_clear_pointer (&info->logger_name, g_free);
  g_clear_pointer (&info->file_name, g_free);
}

gint64
wpr_etl_ticks_to_ns (const WprEtlFileInfo *info, gint64 ticks)
{
  /* The difference of two stranger's numbers, which may not fit, times 1e9, which seldom does. */
  __int128 ns = ((__int128)ticks - info->start_ticks) * 1000000000 / info->perf_frequency;

  return (gint64)CLAMP (ns, G_MININT64, G_MAXINT64);
}

static gboolean
not_an_etl (GError **error)
{
  wpr_set_error (
      error, WPR_ERROR_DAMAGED, 0,
      _ ("This is not a trace file: it does not begin with the header of an .etl. Choose "
         "another file."));
  return FALSE;
}

/* Text of at most `most` bytes in UTF-16LE up to its NUL; never NULL. *used: bytes, NUL included.
 */
static char *
dup_utf16 (const guint8 *at, gsize most, gsize *used)
{
  g_autofree gunichar2 *wide = g_new (gunichar2, most / 2 + 1);
  gsize n = 0;
  char *text;

  while (2 * n + 1 < most && (at[2 * n] != 0 || at[2 * n + 1] != 0))
    {
      wide[n] = wpr_etl_get16 (at + 2 * n);
      n++;
    }
  *used = MIN (2 * n + 2, most);
  text = g_utf16_to_utf8 (wide, (glong)n, NULL, NULL, NULL);
  return text != NULL ? text : g_strdup ("");
}

static void
read_times (WprEtlFileInfo *info, const guint8 *h, const HeaderShape *shape)
{
  info->bias_minutes = (gint32)wpr_etl_get32 (h + shape->bias);
  info->boot_filetime = (gint64)wpr_etl_get64 (h + shape->boot);
  info->perf_frequency = (gint64)wpr_etl_get64 (h + shape->frequency);
  info->start_filetime = (gint64)wpr_etl_get64 (h + shape->start);
  info->clock_type = wpr_etl_get32 (h + shape->clock);
  info->buffers_lost = wpr_etl_get32 (h + shape->buffers_lost);
  if (info->clock_type == CLOCK_CYCLES && info->cpu_mhz > 0)
    info->perf_frequency = (gint64)info->cpu_mhz * 1000000;
  if (info->perf_frequency <= 0 || info->clock_type == CLOCK_SYSTEM_TIME)
    info->perf_frequency = DEFAULT_FREQUENCY;
}

gboolean
wpr_etl_logfile_read (const guint8 *bytes, gsize size, WprEtlFileInfo *info, GError **error)
{
  const guint8 *event, *h;
  const HeaderShape *shape;
  guint32 event_size;
  gsize used;

  memset (info, 0, sizeof *info);
  if (size < WPR_ETL_BUFFER_HEADER + EVENT_HEAD + shapes[0].bytes)
    return not_an_etl (error);
  event = bytes + WPR_ETL_BUFFER_HEADER;
  h = event + EVENT_HEAD;
  if (event[3] != 0xc0 || wpr_etl_get16 (event + 6) != 0
      || (event[2] != WPR_ETL_HEAD_SYSTEM && event[2] != WPR_ETL_HEAD_SYSTEM32))
    return not_an_etl (error);
  info->pointer_size = wpr_etl_get32 (h + 0x2c);
  shape = &shapes[info->pointer_size == 8];
  event_size = wpr_etl_get16 (event + 4);
  if ((info->pointer_size != 8 && info->pointer_size != 4) || event_size < EVENT_HEAD + shape->bytes
      || WPR_ETL_BUFFER_HEADER + (gsize)event_size > size)
    return not_an_etl (error);

  info->buffer_bytes = wpr_etl_get32 (h + 0x00);
  info->os_major = h[0x04];
  info->os_minor = h[0x05];
  info->os_build = wpr_etl_get32 (h + 0x08);
  info->n_cpus = wpr_etl_get32 (h + 0x0c);
  info->end_filetime = (gint64)wpr_etl_get64 (h + 0x10);
  info->mode = wpr_etl_get32 (h + 0x20);
  info->n_buffers = wpr_etl_get32 (h + 0x24);
  info->events_lost = wpr_etl_get32 (h + 0x30);
  info->cpu_mhz = wpr_etl_get32 (h + 0x34);
  info->start_ticks = (gint64)wpr_etl_get64 (event + 0x10);
  if ((info->mode & WPR_ETL_MODE_COMPRESSED) != 0)
    info->compression = wpr_etl_get16 (bytes + WPR_ETL_BUFFER_STATE);
  if (info->buffer_bytes < WPR_ETL_LEAST_BUFFER || info->buffer_bytes > WPR_ETL_MOST_BUFFER
      || info->n_cpus == 0 || info->n_cpus > G_MAXUINT16)
    return not_an_etl (error);
  read_times (info, h, shape);
  info->logger_name = dup_utf16 (h + shape->bytes, event_size - EVENT_HEAD - shape->bytes, &used);
  info->file_name
      = dup_utf16 (h + shape->bytes + used, event_size - EVENT_HEAD - shape->bytes - used, &used);
  return TRUE;
}

/* ---- files ---- */

WprEtlFile *
wpr_etl_file_new (const guint8 *bytes, gsize size, GError **error)
{
  g_autoptr (WprEtlFile) self = g_new0 (WprEtlFile, 1);

  self->bytes = bytes;
  self->size = size;
  return wpr_etl_logfile_read (bytes, size, &self->info, error) ? g_steal_pointer (&self) : NULL;
}

WprEtlFile *
wpr_etl_file_open (const char *path, GError **error)
{
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (GMappedFile) mapped = NULL;
  g_autoptr (GError) local = NULL;
  static const guint8 nothing[4];
  WprEtlFile *self;

  /* Opening a pipe waits for somebody to write into it. */
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      wpr_set_error (error, WPR_ERROR_DAMAGED, 0,
                     _ ("\"%s\" is a folder, a device or a pipe, not a trace. Name a file."), name);
      return NULL;
    }
  mapped = g_mapped_file_new (path, FALSE, &local);
  if (g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    {
      wpr_set_error (error, WPR_ERROR_DAMAGED, 0, _ ("There is no file “%s”. Is the path right?"),
                     name);
      return NULL;
    }
  if (mapped == NULL)
    {
      wpr_set_error (error,
                     g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_ACCES)
                         ? WPR_ERROR_NOT_PERMITTED
                         : WPR_ERROR_DAMAGED,
                     0,
                     _ ("The trace \"%s\" cannot be read: %s. Check the name and that you may "
                        "read it."),
                     name, local->message);
      return NULL;
    }
  if (g_mapped_file_get_length (mapped) == 0)
    return wpr_etl_file_new (nothing, 0, error);
  self = wpr_etl_file_new ((const guint8 *)g_mapped_file_get_contents (mapped),
                           g_mapped_file_get_length (mapped), error);
  if (self != NULL)
    self->mapped = g_steal_pointer (&mapped);
  return self;
}

const WprEtlFileInfo *
wpr_etl_file_info (const WprEtlFile *self)
{
  return &self->info;
}

guint64
wpr_etl_file_size (const WprEtlFile *self)
{
  return self->size;
}

void
wpr_etl_file_release (const WprEtlFile *self, guint64 from, guint64 to)
{
  gsize page = (gsize)sysconf (_SC_PAGESIZE);

  /* Behind the end of a cut file lies other memory of this process. */
  to = MIN (to, self->size);
  from = (from + page - 1) / page * page;
  to = to / page * page;
  if (self->mapped != NULL && from < to)
    madvise ((void *)(self->bytes + from), to - from, MADV_DONTNEED);
}

void
wpr_etl_file_free (WprEtlFile *self)
{
  if (self == NULL)
    return;
  wpr_etl_file_info_clear (&self->info);
  g_clear_pointer (&self->mapped, g_mapped_file_unref);
  g_free (self);
}
