/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a file says of itself as a file: how its events were put in order, and which part of a
 * recording it is. The latter is known last: it stands in a buffer of its own at the end. */
#include "config.h"
#include "sink/sink-etl-private.h"

typedef struct
{
  const char *name;
  WprTlType type;
} Field;

/* Puts the event on CPU 0, made by the recorder itself. */
static gboolean
emit (WprSinkEtl *self, const char *name, const Field *fields, guint n, WprPayload *payload,
      GError **error)
{
  g_autoptr (WprEtlSchema) schema = wpr_etl_schema_new ("Linux.Recorder", name);
  guint32 pid = self->context->manifest->recorder_pid;
  WprEtlHead head = { .pid = pid, .tid = pid };

  for (guint i = 0; i < n; i++)
    wpr_etl_schema_add_field (schema, fields[i].name, fields[i].type, 0, 0);
  wpr_etl_schema_fill_head (schema, &head);
  return wpr_sink_etl_add (self, 0, self->context->end_time, &head, payload, error);
}

/* How late the latest record was is of the whole recording so far. */
WprTraceCounters
wpr_sink_etl_played (const WprSinkEtl *self)
{
  const WprTraceCounters nothing = { 0 }, *before = &self->before;
  WprTraceCounters played = self->context->counters != NULL ? *self->context->counters : nothing;

  played.clamped -= before->clamped;
  played.undecodable -= before->undecodable;
  played.unknown_ids -= before->unknown_ids;
  played.cut_bytes -= before->cut_bytes;
  played.unpaired -= before->unpaired;
  return played;
}

gboolean
wpr_sink_etl_order (WprSinkEtl *self, GError **error)
{
  static const Field fields[] = { { "WindowNs", WPR_TL_I64 },
                                  { "FurthestBackNs", WPR_TL_I64 },
                                  { "ClampedTimes", WPR_TL_U64 } };
  const WprTraceCounters played = wpr_sink_etl_played (self);
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, WPR_TRACE_WINDOW_NS);
  wpr_payload_u64 (&payload, (guint64)played.largest_reorder_ns);
  wpr_payload_u64 (&payload, wpr_etl_writer_clamped (self->writer) + played.clamped);
  return emit (self, "Order", fields, G_N_ELEMENTS (fields), &payload, error);
}

/* Of hundreds of parts only the first and so many before and behind are named in each. */
#define NAMES_BESIDE 32

/* One event a name, since each is as long as a name can be. */
static gboolean
write_names (WprSinkEtl *self, guint part, const GPtrArray *names, GError **error)
{
  static const Field fields[] = { { "Name", WPR_TL_STRING8 } };

  for (guint i = 0; i < names->len; i++)
    {
      WprPayload payload;

      if (i > 0 && (i + NAMES_BESIDE < part || i > part + NAMES_BESIDE))
        continue;
      wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
      wpr_payload_text (&payload, g_ptr_array_index (names, i), -1, WPR_MOST_PATH);
      if (!emit (self, "PartName", fields, G_N_ELEMENTS (fields), &payload, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
wpr_sink_etl_part (WprSinkEtl *self, guint part, const GPtrArray *names, guint64 limit,
                   GError **error)
{
  static const Field fields[]
      = { { "Part", WPR_TL_U32 }, { "Parts", WPR_TL_U32 }, { "LimitBytes", WPR_TL_U64 } };
  WprPayload payload;

  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, part);
  wpr_payload_u32 (&payload, names->len);
  wpr_payload_u64 (&payload, limit);
  return emit (self, "Part", fields, G_N_ELEMENTS (fields), &payload, error)
         && write_names (self, part, names, error);
}
