/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Provider Linux.Symbols: the functions of all code that was seen in stacks and samples, so that
 * the file explains itself on another machine. Addresses are gathered while playing; which image
 * each belongs to is asked of the world at the end, names of core/symbols, and what is found is
 * written as the file's last but for the recorder's own totals. Layout: docs/etl.md. */
#include "config.h"
#include "sink/sink-etl-private.h"

#include <linux/perf_event.h>

#include "symbols/addresses.h"

#define OUT_HEX 4
#define OUT_PID 5
#define FIRST_MARKER ((guint64)PERF_CONTEXT_MAX)
#define FIRST_KERNEL_ADDRESS G_GUINT64_CONSTANT (0xffff800000000000)
#define MOST_PIDS (1u << 22) /* PID_MAX_LIMIT */
/* 32 MiB; the code of a busy desktop for minutes has about 200 000. */
#define MOST_ADDRESSES (1u << 20)

typedef enum
{
  SYM_IMAGE,
  SYM_FUNCTION,
  SYM_JIT_FUNCTION,
  SYM_TOTALS,
  SYM_N
} SymbolsKind;

static const struct
{
  const char *name;
  struct
  {
    const char *name;
    WprTlType type;
    guint8 out;
  } fields[11];
} kinds[SYM_N] = {
  [SYM_IMAGE] = { "Image",
                  { { "Image", WPR_TL_U32 },
                    { "Path", WPR_TL_STRING8 },
                    { "BuildId", WPR_TL_STRING8 },
                    { "ProcessId", WPR_TL_U32, OUT_PID },
                    { "Addresses", WPR_TL_U32 },
                    { "Named", WPR_TL_U32 },
                    { "Functions", WPR_TL_U32 },
                    { "State", WPR_TL_STRING8 },
                    { "Source", WPR_TL_STRING8 } } },
  [SYM_FUNCTION] = { "Function",
                     { { "Image", WPR_TL_U32 },
                       { "Start", WPR_TL_U64, OUT_HEX },
                       { "Size", WPR_TL_U32 },
                       { "Name", WPR_TL_STRING8 } } },
  [SYM_JIT_FUNCTION] = { "JitFunction",
                         { { "ProcessId", WPR_TL_U32, OUT_PID },
                           { "Start", WPR_TL_U64, OUT_HEX },
                           { "Size", WPR_TL_U32 },
                           { "Name", WPR_TL_STRING8 } } },
  [SYM_TOTALS] = { "Totals",
                   { { "Addresses", WPR_TL_U64 },
                     { "Named", WPR_TL_U64 },
                     { "Frames", WPR_TL_U64 },
                     { "FramesNamed", WPR_TL_U64 },
                     { "Functions", WPR_TL_U64 },
                     { "Images", WPR_TL_U32 },
                     { "ImagesNamed", WPR_TL_U32 },
                     { "ImagesCached", WPR_TL_U32 },
                     { "NoImage", WPR_TL_U64 },
                     { "NotKept", WPR_TL_U64 },
                     { "ElapsedMs", WPR_TL_U32 } } },
};

/* Frames that are looked at together; most stacks have fewer. */
#define RUN 64

/* A program a process ran: what an address means within it. */
typedef struct
{
  guint32 pid;
  WprTime when; /* the world's */
} Space;

struct _WprSinkNames
{
  WprSinkNamesWish wish;
  WprAddressSet *seen;
  guint32 *space_by_pid; /* 0: none yet */
  guint32 n_pids;
  GArray *spaces; /* Space; the first is the kernel's */
  WprEtlSchema *schemas[SYM_N];
};

WprSinkNames *
wpr_sink_names_new (const WprSinkNamesWish *wish)
{
  WprSinkNames *self = g_new0 (WprSinkNames, 1);
  const Space kernel = { 0 };

  self->wish = *wish;
  self->seen = wpr_address_set_new (MOST_ADDRESSES);
  self->spaces = g_array_new (FALSE, TRUE, sizeof (Space));
  g_array_append_val (self->spaces, kernel);
  return self;
}

void
wpr_sink_names_free (WprSinkNames *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < SYM_N; i++)
    wpr_etl_schema_free (self->schemas[i]);
  wpr_address_set_free (self->seen);
  g_array_unref (self->spaces);
  g_free (self->space_by_pid);
  g_free (self);
}

/* ---- while playing ---- */

static guint32 *
slot_of_pid (WprSinkNames *self, guint32 pid)
{
  if (pid >= MOST_PIDS)
    return NULL;
  if (pid >= self->n_pids)
    {
      guint32 n = MAX (self->n_pids, 32768);

      while (n <= pid)
        n *= 2;
      self->space_by_pid = g_renew (guint32, self->space_by_pid, n);
      memset (self->space_by_pid + self->n_pids, 0, (n - self->n_pids) * sizeof (guint32));
      self->n_pids = n;
    }
  return &self->space_by_pid[pid];
}

/* The space of a pid from now on; 0 if it cannot be one. */
static guint32
new_space (WprSinkNames *self, guint32 pid, WprTime when)
{
  guint32 *slot = slot_of_pid (self, pid);
  Space space = { pid, when };

  if (slot == NULL || pid == 0)
    return 0;
  *slot = self->spaces->len;
  g_array_append_val (self->spaces, space);
  return *slot;
}

/* Addresses of a process mean something else from here on. */
void
wpr_sink_names_program (WprSinkNames *self, const WprEvent *event)
{
  const WprProgram *program = event->u.life.program;
  WprTime when = event->u.life.process->start;

  if (program != NULL && program->when > when)
    when = program->when;
  new_space (self, event->pid, when);
}

static guint32
space_of (WprSinkEtl *sink, guint32 pid)
{
  WprSinkNames *self = sink->names;

  if (pid < self->n_pids && self->space_by_pid[pid] != 0)
    return self->space_by_pid[pid];
  return new_space (self, pid, sink->context->start_monotonic - 1);
}

static void
saw (WprSinkEtl *sink, guint32 pid, guint64 address)
{
  WprSinkNames *self = sink->names;

  if (address >= FIRST_KERNEL_ADDRESS)
    wpr_address_set_add (self->seen, 0, address);
  else
    {
      guint32 space = space_of (sink, pid);

      if (space != 0)
        wpr_address_set_add (self->seen, space, address);
    }
}

void
wpr_sink_etl_saw_address (WprSinkEtl *sink, guint32 pid, guint64 address)
{
  if (sink->names != NULL)
    saw (sink, pid, address);
}

/* Addresses that lie side by side in a stack: all of the kernel's or all of the program's. */
static void
saw_run (WprSinkEtl *sink, guint32 pid, const guint64 *addresses, guint32 n)
{
  guint32 space = n > 0 && addresses[0] < FIRST_KERNEL_ADDRESS ? space_of (sink, pid) : 0;

  if (n > 0 && (space != 0 || addresses[0] >= FIRST_KERNEL_ADDRESS))
    wpr_address_set_add_all (sink->names->seen, space, addresses, n);
}

/* Behind a marker comes where it was; what follows are addresses that calls return to, which may
 * lie behind the end of the function that called. */
void
wpr_sink_etl_saw_stack (WprSinkEtl *sink, const WprEvent *event)
{
  guint32 pid = event->kind == WPR_EVENT_SWITCH ? event->u.sw.prev_pid : event->pid;
  guint64 run[RUN];
  guint32 n = 0;
  guint64 off = 0;

  if (event->ip != 0 && event->n_callchain == 0)
    saw (sink, pid, event->ip);
  if (event->user_ip != 0)
    saw (sink, pid, event->user_ip);
  for (guint32 i = 0; i < event->n_callchain; i++)
    {
      guint64 frame = event->callchain[i];

      if (frame >= FIRST_MARKER)
        {
          off = 0;
          continue;
        }
      frame -= off;
      off = 1;
      if (n == RUN
          || (n > 0 && (run[0] >= FIRST_KERNEL_ADDRESS) != (frame >= FIRST_KERNEL_ADDRESS)))
        {
          saw_run (sink, pid, run, n);
          n = 0;
        }
      run[n++] = frame;
    }
  saw_run (sink, pid, run, n);
}

/* ---- writing ---- */

static const WprEtlSchema *
get_schema (WprSinkNames *self, SymbolsKind kind)
{
  if (self->schemas[kind] == NULL)
    {
      WprEtlSchema *schema = wpr_etl_schema_new ("Linux.Symbols", kinds[kind].name);

      for (guint i = 0; i < G_N_ELEMENTS (kinds[kind].fields) && kinds[kind].fields[i].name != NULL;
           i++)
        wpr_etl_schema_add_field (schema, kinds[kind].fields[i].name, kinds[kind].fields[i].type,
                                  kinds[kind].fields[i].out, 0);
      self->schemas[kind] = schema;
    }
  return self->schemas[kind];
}

static gboolean
emit (WprSinkEtl *sink, SymbolsKind kind, WprPayload *payload, GError **error)
{
  guint32 pid = sink->context->manifest->recorder_pid;
  WprEtlHead head = { .pid = pid, .tid = pid };

  wpr_etl_schema_fill_head (get_schema (sink->names, kind), &head);
  return wpr_sink_etl_add (sink, 0, sink->context->end_time, &head, payload, error);
}

static gboolean
write_image (WprSinkEtl *sink, guint32 number, const WprSymbolImage *image, GError **error)
{
  WprPayload payload;
  char build_id[2 * sizeof image->build_id + 1] = "";

  for (guint i = 0; i < image->build_id_size; i++)
    g_snprintf (build_id + 2 * i, 3, "%02x", image->build_id[i]);
  wpr_payload_init (&payload, sink->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u32 (&payload, number);
  wpr_payload_text (&payload, image->path, -1, WPR_MOST_PATH);
  wpr_payload_text (&payload, build_id, -1, sizeof build_id);
  wpr_payload_u32 (&payload, image->pid);
  wpr_payload_u32 (&payload, image->addresses->len);
  wpr_payload_u32 (&payload, image->n_named);
  wpr_payload_u32 (&payload, image->functions->len);
  wpr_payload_text (&payload, wpr_symbols_state_word (image->state), -1, WPR_MOST_PATH);
  wpr_payload_text (&payload, image->source, -1, WPR_MOST_PATH);
  return emit (sink, SYM_IMAGE, &payload, error);
}

static gboolean
write_functions (WprSinkEtl *sink, guint32 number, const WprSymbolImage *image, GError **error)
{
  gboolean jit = image->kind == WPR_SYMBOLS_JIT;

  for (guint i = 0; i < image->functions->len; i++)
    {
      const WprSymbolFunction *row = &g_array_index (image->functions, WprSymbolFunction, i);
      WprPayload payload;

      wpr_payload_init (&payload, sink->scratch, WPR_SCRATCH_BYTES);
      wpr_payload_u32 (&payload, jit ? image->pid : number);
      wpr_payload_u64 (&payload, row->start);
      wpr_payload_u32 (&payload, row->size);
      wpr_payload_text (&payload, row->name, -1, WPR_MOST_PATH);
      if (!emit (sink, jit ? SYM_JIT_FUNCTION : SYM_FUNCTION, &payload, error))
        return FALSE;
    }
  return TRUE;
}

/* Addresses in no image of a process that left no map: stacks that went astray, mostly. They are
 * counted and not told one process by one. */
static gboolean
is_nowhere (const WprSymbolImage *image)
{
  return image->kind == WPR_SYMBOLS_JIT && image->functions->len == 0
         && (image->state == WPR_SYMBOLS_NONE || image->state == WPR_SYMBOLS_GONE);
}

static gboolean
write_totals (WprSinkEtl *sink, const WprSymbolSearch *search, gint64 elapsed_us, GError **error)
{
  guint64 addresses = 0, named = 0, frames = 0, frames_named = 0, functions = 0;
  guint64 not_kept = wpr_address_set_beyond (sink->names->seen), nowhere = 0;
  guint32 n_images = 0, n_named = 0;
  WprPayload payload;

  for (guint i = 0; i < search->images->len; i++)
    {
      const WprSymbolImage *image = g_ptr_array_index (search->images, i);

      addresses += image->addresses->len;
      named += image->n_named;
      frames += image->frames;
      frames_named += image->frames_named;
      functions += image->functions->len;
      n_named += image->functions->len > 0;
      n_images += !is_nowhere (image);
      nowhere += is_nowhere (image) ? image->addresses->len : 0;
    }
  wpr_payload_init (&payload, sink->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, addresses);
  wpr_payload_u64 (&payload, named);
  wpr_payload_u64 (&payload, frames + not_kept);
  wpr_payload_u64 (&payload, frames_named);
  wpr_payload_u64 (&payload, functions);
  wpr_payload_u32 (&payload, n_images);
  wpr_payload_u32 (&payload, n_named);
  wpr_payload_u32 (&payload, search->n_cached);
  wpr_payload_u64 (&payload, nowhere);
  wpr_payload_u64 (&payload, not_kept);
  wpr_payload_u32 (&payload, (guint32)(elapsed_us / 1000));
  return emit (sink, SYM_TOTALS, &payload, error);
}

gboolean
wpr_sink_etl_names (WprSinkEtl *sink, GError **error)
{
  WprSinkNames *self = sink->names;
  WprSymbolSearch search = { 0 };
  gint64 begun_us = g_get_monotonic_time ();
  gboolean ok;

  if (self == NULL || sink->context->world == NULL)
    return TRUE;
  guint n = 0;
  g_autofree WprSeenAddress *seen = wpr_address_set_take (self->seen, &n);
  g_autoptr (GPtrArray) images = wpr_sink_etl_gather_images (sink, seen, n);
  if (images->len == 0)
    return TRUE;
  if (!wpr_sink_etl_search_names (sink, &self->wish, images, &search, error))
    return FALSE;
  ok = TRUE;
  for (guint i = 0, number = 0; ok && i < images->len; i++)
    {
      const WprSymbolImage *image = g_ptr_array_index (images, i);

      if (is_nowhere (image))
        continue;
      ok = write_image (sink, number, image, error) && write_functions (sink, number, image, error);
      number++;
    }
  return ok && write_totals (sink, &search, g_get_monotonic_time () - begun_us, error);
}

WprTime
wpr_sink_names_space (const WprSinkNames *self, guint32 space, guint32 *pid)
{
  const Space *row = &g_array_index (self->spaces, Space, space);

  *pid = row->pid;
  return row->when;
}
