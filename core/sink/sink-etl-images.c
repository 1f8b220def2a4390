/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which images a process had, and ImageID: the build id of each, as the pair of events by which
 * Windows' tools find symbols. */
#include "config.h"
#include "sink/sink-etl-private.h"
#include "trace/image.h"

static const WprEtlGuid image_id_guid
    = { 0xb3e675d7, 0x2554, 0x4f18, { 0x83, 0x0b, 0x27, 0x62, 0x73, 0x25, 0x60, 0xde } };
#define IMAGE_ID_INFO 0
#define IMAGE_ID_RSDS 36

/* Mappings of [from, until): the first of each file is its image. */
static gboolean
each_mapping (WprSinkEtl *self, const GArray *mappings, const WprProcess *process, WprTime from,
              WprTime until, WprImageFunc func, gpointer data, GError **error)
{
  g_autoptr (GHashTable) seen = NULL;

  if (mappings == NULL || mappings->len == 0 || self->context->images == NULL)
    return TRUE;
  seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < mappings->len; i++)
    {
      const WprMapping *mapping = &g_array_index (mappings, WprMapping, i);
      WprImage image;

      if (mapping->when < from || mapping->when >= until || mapping->path == NULL
          || !g_hash_table_add (seen, mapping->path)
          || !wpr_image_table_get (self->context->images, process, mapping, &image))
        continue;
      if (!func (self, process != NULL ? process->pid : 0, &image, data, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
wpr_sink_etl_each_kernel_image (WprSinkEtl *self, WprImageFunc func, gpointer data, GError **error)
{
  const GArray *mappings = wpr_world_kernel_mappings (self->context->world);

  return each_mapping (self, mappings, NULL, WPR_WORLD_BEFORE, G_MAXINT64, func, data, error);
}

/* The time of the last exec up to `when`, and of the first one after it. */
static void
find_span (const WprProcess *process, WprTime when, WprTime *from, WprTime *until)
{
  *from = WPR_WORLD_BEFORE;
  *until = G_MAXINT64;
  for (guint i = 0; process->programs != NULL && i < process->programs->len; i++)
    {
      const WprProgram *program = &g_array_index (process->programs, WprProgram, i);

      if (!program->exec)
        continue;
      if (program->when > when)
        {
          *until = program->when;
          return;
        }
      *from = program->when;
    }
}

gboolean
wpr_sink_etl_each_image (WprSinkEtl *self, const WprProcess *process, WprTime when,
                         WprImageFunc func, gpointer data, GError **error)
{
  WprTime from, until;

  if (process->kernel || process->pid == 0)
    return TRUE;
  find_span (process, when, &from, &until);
  return each_mapping (self, process->mappings, process, from, until, func, data, error);
}

gboolean
wpr_sink_etl_each_image_by (WprSinkEtl *self, const WprProcess *process, WprTime when,
                            WprImageFunc func, gpointer data, GError **error)
{
  WprTime from, until;

  if (process->kernel || process->pid == 0)
    return TRUE;
  find_span (process, when, &from, &until);
  return each_mapping (self, process->mappings, process, from, MIN (until, when + 1), func, data,
                       error);
}

/* ---- ImageID ---- */

static const char *
base_name (const char *path)
{
  const char *slash = strrchr (path, '/');

  return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static gboolean
write_ids (WprSinkEtl *self, guint32 pid, const WprImage *image, gpointer data, GError **error)
{
  WprEtlHead head = { .kind = WPR_ETL_CLASSIC,
                      .guid = &image_id_guid,
                      .version = 2,
                      .type = IMAGE_ID_INFO,
                      .pid = pid,
                      .tid = G_MAXUINT32 };
  guint8 signature[16] = { 0 };
  WprPayload payload;

  if (image->build_id_size == 0)
    return TRUE;
  memcpy (signature, image->build_id, MIN (image->build_id_size, sizeof signature));

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, image->base);
  wpr_payload_u64 (&payload, image->size);
  wpr_payload_u32 (&payload, pid);
  wpr_payload_bytes (&payload, signature, 4); /* time stamp, as in the image's load */
  wpr_payload_wide (&payload, base_name (image->path), WPR_MOST_PATH);
  if (!wpr_sink_etl_add (self, 0, self->context->end_time, &head, &payload, error))
    return FALSE;

  head.type = IMAGE_ID_RSDS;
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, image->base);
  wpr_payload_u32 (&payload, pid);
  wpr_payload_bytes (&payload, signature, sizeof signature);
  wpr_payload_u32 (&payload, 1); /* age */
  wpr_payload_text (&payload, base_name (image->path), -1, WPR_MOST_PATH);
  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, &payload, error);
}

/* Each program a process ran within the recording, from the one it ran when that began. */
static gboolean
process_ids (WprSinkEtl *self, const WprProcess *process, GError **error)
{
  WprTime begin = self->context->start_monotonic - 1, from, until = MAX (process->start, begin);

  while (until < G_MAXINT64 && until <= self->context->end_monotonic)
    {
      WprTime when = until;

      find_span (process, when, &from, &until);
      if (!each_mapping (self, process->mappings, process, from, until, write_ids, NULL, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
wpr_sink_etl_image_ids (WprSinkEtl *self, GError **error)
{
  g_autoptr (GPtrArray) processes = NULL;

  if (self->context->world == NULL)
    return TRUE;
  if (!wpr_sink_etl_each_kernel_image (self, write_ids, NULL, error))
    return FALSE;
  processes = wpr_world_list_processes (self->context->world);
  for (guint i = 0; i < processes->len; i++)
    {
      const WprProcess *process = g_ptr_array_index (processes, i);

      if (!process->kernel && process->pid != 0 && process->start <= self->context->end_monotonic
          && process->end >= self->context->start_monotonic && !process_ids (self, process, error))
        return FALSE;
    }
  return TRUE;
}
