/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers one request: checks it whole, asks for memory and descriptors, has the local opener do
 * it. The members and the rings' first mapping stay here; only leaders are handed out. Reads of
 * /proc and tracefs what the client may not; writes no file, reads no event. */
#include "config.h"
#include "broker/session-private.h"

#include <glib/gi18n-lib.h>
#include "base/files.h"
#include "base/sealed.h"
#include "broker/check.h"
#include "perf/ring.h"
#include "world/open-files.h"
#include "world/world.h"

/* A line a symbol, 250 000 of them with every driver. */
#define KALLSYMS_MOST (64 * 1024 * 1024)
/* Ids grow with every change; a recording changes some hundred times. */
#define IDS_MOST (1024 * 1024)
/* Large answers a client has at a time: a recorder reads one after the other. */
#define FACTS_MOST 16

typedef struct
{
  WprBrokerVerb verb;
  GVariant *result;
  guint leader, id; /* positions in `opened` from which on it is the answer */
  GArray *refusals; /* WprRefusal of ours, behind what the kernel refused */
} Answer;

static guint
n_cpus (const WprServed *served)
{
  return g_hash_table_size (served->cpus);
}

/* What it has now, from what was handed out: a client may keep an old ring mapped. */
static void
settle (WprServed *served)
{
  guint64 bytes = wpr_handed_count (served->facts) + (guint64)served->ahead_bytes * served->ahead_n;
  guint n_leaders = served->opened.leaders != NULL ? served->opened.leaders->len : 0;
  for (; served->n_watched < n_leaders; served->n_watched++)
    {
      const WprLeader *one = &g_array_index (served->opened.leaders, WprLeader, served->n_watched);
      gboolean backward = g_array_index (served->rings, WprRingSpec, one->ring).backward;
      WprHanded ring = { -1, wpr_ring_witness_is_free, one->bytes };
      if (ring.bytes == 0)
        continue;
      ring.fd = wpr_ring_witness_new (one->fd, one->cpu, backward);
      g_array_append_val (served->handed, ring);
    }
  for (guint i = 0; i < served->handed->len; i++)
    bytes += g_array_index (served->handed, WprHanded, i).bytes;
  wpr_served_settle (served, bytes,
                     n_leaders + served->handed->len + served->facts->len + served->n_stray
                         + (1 + g_hash_table_size (served->rows)) * n_cpus (served));
}

static const char *const unknown = N_ ("This session has no such event, ring or CPU.");

/* ---- values ---- */

G_STATIC_ASSERT (sizeof (WprEventId) == 16 && G_STRUCT_OFFSET (WprEventId, cpu) == 12);
G_STATIC_ASSERT (sizeof (WprRefusal) == 12 && sizeof (WprGroupCount) == 24);

/* An array's elements from `first` on, which lie in memory as the type says. */
static GVariant *
pack_array (const char *type, const GArray *array, guint first)
{
  guint size = array != NULL ? g_array_get_element_size ((GArray *)array) : 0;
  guint n = array != NULL ? array->len - first : 0;
  return g_variant_new_fixed_array (G_VARIANT_TYPE (type),
                                    n > 0 ? array->data + (gsize)first * size : NULL, n,
                                    size > 0 ? size : 1);
}

/* What opened holds from these positions on; all refusals. */
static GVariant *
pack_opened (const WprOpened *opened, guint leader, guint id)
{
  g_autoptr (GArray) leaders = g_array_new (FALSE, FALSE, sizeof (WprBrokerLeader));
  for (guint i = leader; opened->leaders != NULL && i < opened->leaders->len; i++)
    {
      const WprLeader *one = &g_array_index (opened->leaders, WprLeader, i);
      WprBrokerLeader packed = { one->ring, one->cpu, one->bytes };
      g_array_append_val (leaders, packed);
    }
  return g_variant_new ("(@a(uut)@a(tuu)@a(uui))", pack_array ("(uut)", leaders, 0),
                        pack_array ("(tuu)", opened->ids, id),
                        pack_array ("(uui)", opened->refusals, 0));
}

/* ---- opening ---- */

/* Probes are made. */
static void
name_probes (WprServed *served, GArray *events)
{
  for (guint i = 0; i < events->len; i++)
    {
      WprPerfEvent *event = &g_array_index (events, WprPerfEvent, i);
      char *name = g_strdup (wpr_kprobes_name (&served->probes, event->name));
      g_free ((char *)event->name);
      event->name = name;
    }
}

static void
note_rows (WprServed *served, const GArray *events)
{
  for (guint i = 0; i < events->len; i++)
    {
      const WprPerfEvent *event = &g_array_index (events, WprPerfEvent, i);
      g_hash_table_insert (served->rows, GUINT_TO_POINTER (event->row),
                           GUINT_TO_POINTER (event->kind));
    }
  served->n_rows_most = MAX (served->n_rows_most, g_hash_table_size (served->rows));
}

static gboolean
open_checked (WprServed *served, GArray *events, GArray *rings, const guint32 *cpus, gsize n,
              GError **error)
{
  guint64 bytes = 0;
  guint n_hardware = 0;
  for (guint i = 0; i < rings->len; i++)
    bytes += g_array_index (rings, WprRingSpec, i).bytes * (guint64)n;
  /* Hardware events may need a group each. */
  for (guint i = 0; i < events->len; i++)
    n_hardware += g_array_index (events, WprPerfEvent, i).kind == WPR_PERF_HARDWARE;
  if (!wpr_served_take (served, bytes, (guint)n * (3 * rings->len + events->len + n_hardware),
                        error))
    return FALSE;
  name_probes (served, events);
  if (!wpr_opener_open (served->opener, (const WprPerfEvent *)events->data, events->len,
                        (const WprRingSpec *)rings->data, rings->len, cpus, n, &served->opened,
                        error))
    {
      wpr_served_close (served);
      return FALSE;
    }
  /* One that is asked for while it is offline has no ring: it gets its share when it comes. */
  for (guint i = 0; i < served->opened.leaders->len; i++)
    g_hash_table_add (served->cpus,
                      GUINT_TO_POINTER (g_array_index (served->opened.leaders, WprLeader, i).cpu));
  g_array_append_vals (served->rings, rings->data, rings->len);
  note_rows (served, events);
  return TRUE;
}

static gboolean
answer_open (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  g_autoptr (GArray) events = wpr_broker_events_new ();
  g_autoptr (GArray) rings = g_array_new (FALSE, TRUE, sizeof (WprRingSpec));
  g_autoptr (GVariant) rows = g_variant_get_child_value (args, 0);
  g_autoptr (GVariant) specs = g_variant_get_child_value (args, 1);
  g_autoptr (GVariant) list = g_variant_get_child_value (args, 2);
  gsize n;
  const guint32 *cpus = g_variant_get_fixed_array (list, &n, sizeof *cpus);

  if (!wpr_broker_check_rings (specs, rings, error) || !wpr_broker_check_cpus (cpus, n, error)
      || !wpr_broker_check_rows (rows, rings->len, served->grant.contents, events, answer->refusals,
                                 error))
    return FALSE;
  return open_checked (served, events, rings, cpus, n, error);
}

/* ---- changes ---- */

static gboolean
answer_add (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  g_autoptr (GArray) events = wpr_broker_events_new ();
  if (!wpr_broker_check_rows (args, served->rings->len, served->grant.contents, events,
                              answer->refusals, error))
    return FALSE;
  if (events->len + answer->refusals->len != 1)
    return wpr_broker_refuse (error, WPR_ERROR_USAGE, unknown);
  name_probes (served, events);
  for (guint i = 0; i < events->len; i++)
    {
      const WprPerfEvent *event = &g_array_index (events, WprPerfEvent, i);
      if (g_hash_table_contains (served->rows, GUINT_TO_POINTER (event->row)))
        return wpr_broker_refuse (error, WPR_ERROR_USAGE, unknown);
      if (!wpr_served_take (served, 0, 2 * n_cpus (served), error)
          || !wpr_opener_add (served->opener, event, &served->opened, error))
        return FALSE;
    }
  note_rows (served, events);
  return TRUE;
}

static gboolean
answer_drop (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  guint32 row = g_variant_get_uint32 (args);
  if (!g_hash_table_contains (served->rows, GUINT_TO_POINTER (row)))
    return wpr_broker_refuse (error, WPR_ERROR_USAGE, unknown);
  if (!wpr_opener_drop (served->opener, row, counts, error))
    return FALSE;
  g_hash_table_remove (served->rows, GUINT_TO_POINTER (row));
  answer->result = g_variant_new_fixed_array (G_VARIANT_TYPE ("(ttt)"), counts->data, counts->len,
                                              sizeof (WprGroupCount));
  return TRUE;
}

static gboolean
answer_filter (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  guint32 row;
  gsize n;
  gpointer kind;
  g_autoptr (GVariant) list = NULL;
  g_variant_get (args, "(u@au)", &row, &list);
  const guint32 *tids = g_variant_get_fixed_array (list, &n, sizeof *tids);
  if (!g_hash_table_lookup_extended (served->rows, GUINT_TO_POINTER (row), NULL, &kind)
      || GPOINTER_TO_UINT (kind) != WPR_PERF_TRACEPOINT || n > WPR_PERF_FILTER_MOST)
    return wpr_broker_refuse (error, WPR_ERROR_USAGE, unknown);
  return wpr_served_take (served, 0, 2 * n_cpus (served), error)
         && wpr_opener_filter (served->opener, row, tids, n, &served->opened, error);
}

/* Rings of a set to so many bytes, now or ahead: a share for them, unless they are there ahead. */
static gboolean
answer_grow (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  guint32 ring;
  guint64 bytes;
  guint n = n_cpus (served);
  g_variant_get (args, "(ut)", &ring, &bytes);
  if (ring >= served->rings->len)
    return wpr_broker_refuse (error, WPR_ERROR_USAGE, unknown);
  gboolean there = ring == served->ahead_ring && bytes == served->ahead_bytes;
  if (!wpr_broker_check_bytes (bytes, error)
      || (!there && !wpr_served_take (served, bytes * n, 2 * n, error)))
    return FALSE;
  if (there && answer->verb == WPR_BROKER_GROW_AHEAD)
    return TRUE;
  served->ahead_bytes = 0; /* the opener lets go of one that was not taken, but for its leaders */
  if (answer->verb == WPR_BROKER_GROW_AHEAD)
    {
      if (!wpr_opener_grow_ahead (served->opener, ring, bytes, error))
        return FALSE;
      served->ahead_ring = ring;
      served->ahead_bytes = bytes;
      served->ahead_n = n;
      served->n_stray += n;
      return TRUE;
    }
  if (!wpr_opener_grow (served->opener, ring, bytes, &served->opened, error))
    return FALSE;
  g_array_index (served->rings, WprRingSpec, ring).bytes = bytes;
  served->n_stray -= there ? served->ahead_n : 0;
  return TRUE;
}

static gboolean
answer_cpu_online (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  guint32 cpu = g_variant_get_uint32 (args);
  guint64 bytes = 0;
  if (!wpr_broker_check_cpus (&cpu, 1, error))
    return FALSE;
  for (guint i = 0; i < served->rings->len; i++)
    bytes += g_array_index (served->rings, WprRingSpec, i).bytes;
  if (g_hash_table_contains (served->cpus, GUINT_TO_POINTER (cpu)))
    bytes = 0; /* it has its rings still */
  if (!wpr_served_take (served, bytes,
                        3 * served->rings->len + 2 * g_hash_table_size (served->rows), error))
    return FALSE;
  if (!wpr_opener_cpu_online (served->opener, cpu, &served->opened, error))
    return FALSE;
  g_hash_table_add (served->cpus, GUINT_TO_POINTER (cpu));
  return TRUE;
}

static gboolean
answer_close (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  wpr_served_close (served);
  return TRUE;
}

/* ---- facts ---- */

static gboolean
answer_formats (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  GVariantBuilder builder;
  gsize n = g_variant_n_children (args);
  if (n > WPR_BROKER_ROWS_MOST)
    return wpr_broker_refuse (error, WPR_ERROR_USAGE, unknown);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sis)"));
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (args, i);
      const char *name = g_variant_get_string (child, NULL);
      if (!wpr_broker_check_tracepoint (name, served->grant.contents))
        continue;
      const char *real = wpr_kprobes_name (&served->probes, name);
      g_autofree char *format = wpr_tracefs_format (real);
      int id = wpr_tracefs_id (real);
      if (format != NULL && id >= 0 && g_utf8_validate (format, -1, NULL))
        g_variant_builder_add (&builder, "(sis)", name, id, format);
    }
  answer->result = g_variant_builder_end (&builder);
  return TRUE;
}

static gboolean
answer_kallsyms (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  gsize size = 0;
  char *text = wpr_read_small ("/proc/kallsyms", KALLSYMS_MOST, &size);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, text != NULL ? size : 0);
  answer->result = g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE);
  return TRUE;
}

/* Files that are mapped are left to the client: their paths are whose ever the process is. */
static gboolean
answer_rundown (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  g_autoptr (WprWorld) world = wpr_world_new (WPR_WORLD_MAX_DEAD);
  WprProcFlags flags = WPR_PROC_NO_FILES;
  WprClockReading now;
  if (!g_variant_get_boolean (args) || !served->grant.contents)
    flags |= WPR_PROC_NO_CMDLINES;
  wpr_clock_read (&now);
  wpr_world_read_proc_part (world, "/proc", now.monotonic_ns, flags, NULL);
  wpr_world_read_kernel (world, now.monotonic_ns);
  g_autoptr (GBytes) bytes = wpr_world_save (world);
  answer->result = g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE);
  return TRUE;
}

static gboolean
answer_descriptors (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  g_autoptr (GPtrArray) all = wpr_open_files_read ("/proc", g_variant_get_boolean (args));
  answer->result = wpr_open_files_pack (all);
  return TRUE;
}

static gboolean
answer_keep (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  gboolean more;
  gsize n;
  g_autoptr (GVariant) value = NULL;
  g_variant_get (args, "(b@ay)", &more, &value);
  const guint8 *bytes = g_variant_get_fixed_array (value, &n, 1);
  if (!more)
    g_byte_array_set_size (served->kept, 0);
  if (served->kept->len + n > WPR_BROKER_KEPT_MOST)
    return wpr_broker_refuse (error, WPR_ERROR_NO_SPACE,
                              N_ ("There is more to keep than a session may have kept."));
  g_byte_array_append (served->kept, bytes, (guint)n);
  return TRUE;
}

static gboolean
answer_recall (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  answer->leader = answer->id = 0;
  answer->result = g_variant_new (
      "(@" WPR_BROKER_OPENED "@ay)", pack_opened (&served->opened, 0, 0),
      g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, served->kept->data, served->kept->len, 1));
  return TRUE;
}

/* ---- one request ---- */

/* What a verb asks of the session. */
typedef enum
{
  ANY_TIME,
  ROOM,    /* for one more large answer */
  BEFORE,  /* nothing is open yet */
  OPEN,    /* something is */
  CHANGES, /* likewise, and it may be changed further */
} Needs;

static gboolean
is_met (const WprServed *served, Needs needs, GError **error)
{
  gboolean open = served->opened.ids != NULL && served->rings->len > 0;
  wpr_handed_count (served->facts); /* what was let go of since */
  if (needs == BEFORE && open)
    return wpr_broker_refuse (error, WPR_ERROR_STATE, N_ ("This session records already."));
  if (needs == ROOM && served->facts->len >= FACTS_MOST)
    return wpr_broker_refuse (error, WPR_ERROR_NO_SPACE,
                              N_ ("Earlier answers are in use still. Read one after the other."));
  if (needs >= OPEN && !open)
    return wpr_broker_refuse (error, WPR_ERROR_STATE,
                              N_ ("This session records nothing that could be changed."));
  if (needs == CHANGES
      && (served->opened.ids->len > IDS_MOST
          || g_hash_table_size (served->rows) >= WPR_BROKER_ROWS_MOST))
    return wpr_broker_refuse (error, WPR_ERROR_NO_SPACE,
                              N_ ("This recording was changed too often. Begin another one."));
  return TRUE;
}

static const struct
{
  gboolean (*answer) (WprServed *served, GVariant *args, Answer *answer, GError **error);
  Needs needs;
  const char *args, *result; /* types */
} verbs[WPR_BROKER_N_VERBS] = {
  [WPR_BROKER_OPEN] = { answer_open, BEFORE, WPR_BROKER_PLAN, WPR_BROKER_OPENED },
  [WPR_BROKER_ADD] = { answer_add, CHANGES, WPR_BROKER_ROWS, WPR_BROKER_OPENED },
  [WPR_BROKER_DROP] = { answer_drop, ANY_TIME, "u", "a(ttt)" },
  [WPR_BROKER_FILTER] = { answer_filter, CHANGES, "(uau)", WPR_BROKER_OPENED },
  [WPR_BROKER_GROW] = { answer_grow, OPEN, "(ut)", WPR_BROKER_OPENED },
  [WPR_BROKER_GROW_AHEAD] = { answer_grow, OPEN, "(ut)", "()" },
  [WPR_BROKER_CPU_ONLINE] = { answer_cpu_online, CHANGES, "u", WPR_BROKER_OPENED },
  [WPR_BROKER_CLOSE] = { answer_close, ANY_TIME, "()", "()" },
  [WPR_BROKER_FORMATS] = { answer_formats, ANY_TIME, "as", "a(sis)" },
  [WPR_BROKER_KALLSYMS] = { answer_kallsyms, ROOM, "()", "ay" },
  [WPR_BROKER_RUNDOWN] = { answer_rundown, ROOM, "b", "ay" },
  [WPR_BROKER_DESCRIPTORS] = { answer_descriptors, ROOM, "b", WPR_OPEN_FILES_PACKED },
  [WPR_BROKER_KEEP] = { answer_keep, ANY_TIME, "(bay)", "()" },
  [WPR_BROKER_RECALL] = { answer_recall, OPEN, "()", "(" WPR_BROKER_OPENED "ay)" },
};

/* Runs a verb that is of the right type. NULL with an error. */
static GVariant *
run (WprServed *served, guint32 verb, GVariant *args, GArray *fds, GError **error)
{
  gboolean gives = g_str_equal (verbs[verb].result, WPR_BROKER_OPENED) || verb == WPR_BROKER_RECALL;
  g_autoptr (GArray) refusals = g_array_new (FALSE, FALSE, sizeof (WprRefusal));
  Answer answer = { .verb = verb,
                    .refusals = refusals,
                    .leader = served->opened.leaders != NULL ? served->opened.leaders->len : 0,
                    .id = served->opened.ids != NULL ? served->opened.ids->len : 0 };
  gboolean good = is_met (served, verbs[verb].needs, error)
                  && verbs[verb].answer (served, args, &answer, error);
  settle (served);
  if (good && refusals->len > 0)
    g_array_append_vals (served->opened.refusals, refusals->data, refusals->len);
  for (guint i = answer.leader; good && gives && i < served->opened.leaders->len; i++)
    g_array_append_val (fds, g_array_index (served->opened.leaders, WprLeader, i).fd);
  if (good && answer.result == NULL)
    answer.result
        = gives ? pack_opened (&served->opened, answer.leader, answer.id) : g_variant_new ("()");
  if (served->opened.refusals != NULL)
    g_array_set_size (served->opened.refusals, 0);
  return good ? answer.result : NULL;
}

/* A large result, for the client to map. -1 with an error. */
static int
seal (WprServed *served, GVariant *result, GError **error)
{
  gsize size = g_variant_get_size (result);
  WprHanded handed = { -1, wpr_sealed_is_free, size };
  if (!wpr_served_take (served, size, 2, error))
    return -1;
  int fd = wpr_sealed_new (g_variant_get_data (result), size, &handed.fd);
  if (fd >= 0)
    g_array_append_val (served->facts, handed);
  else
    wpr_broker_refuse (error, WPR_ERROR_NO_SPACE, N_ ("There is no memory for the answer."));
  settle (served);
  return fd;
}

GVariant *
wpr_served_answer (WprServed *served, GVariant *request, GArray *fds, int *sealed,
                   gboolean *malformed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) args = NULL, result = NULL;
  guint32 number = served->number + 1, verb = WPR_BROKER_N_VERBS;
  if (request != NULL)
    g_variant_get (request, WPR_BROKER_REQUEST, &number, &verb, &args);
  guint64 size = 0;
  *sealed = -1;
  *malformed = number != served->number + 1 || verb >= WPR_BROKER_N_VERBS
               || !g_variant_is_of_type (args, G_VARIANT_TYPE (verbs[verb].args));
  if (*malformed)
    wpr_broker_refuse (&error, WPR_ERROR_USAGE, N_ ("The request is not one of this service's."));
  else
    {
      served->number = number;
      result = run (served, verb, args, fds, &error);
    }
  if (result != NULL)
    g_variant_ref_sink (result);
  if (result != NULL && g_variant_get_size (result) > WPR_BROKER_INLINE_MOST)
    {
      size = g_variant_get_size (result);
      *sealed = seal (served, result, &error);
      g_clear_pointer (&result, g_variant_unref);
    }
  if (*sealed >= 0)
    g_array_append_val (fds, *sealed);
  if (error != NULL)
    g_array_set_size (fds, 0);
  return g_variant_new (WPR_BROKER_ANSWER, number, error != NULL ? error->code : 0,
                        error != NULL ? error->message : "", fds->len, *sealed >= 0 ? size : 0,
                        result != NULL ? result : g_variant_new ("()"));
}

/* ---- beginning and end ---- */

WprServed *
wpr_served_new (const WprBrokerGrant *grant, WprOpener *opener)
{
  WprServed *served = g_new (WprServed, 1);
  *served = (WprServed){ *grant, g_uuid_string_random (), g_get_real_time (), .fd = -1,
                         .opener = opener };
  served->grant.instance = g_strdup (grant->instance != NULL ? grant->instance : "");
  served->rows = g_hash_table_new (NULL, NULL);
  served->cpus = g_hash_table_new (NULL, NULL);
  served->rings = g_array_new (FALSE, TRUE, sizeof (WprRingSpec));
  served->handed = g_array_new (FALSE, FALSE, sizeof (WprHanded));
  served->facts = g_array_new (FALSE, FALSE, sizeof (WprHanded));
  served->kept = g_byte_array_new ();
  return served;
}

void
wpr_served_close (WprServed *served)
{
  wpr_opener_close (served->opener);
  g_clear_pointer (&served->probes, wpr_kprobes_free);
  wpr_opened_clear (&served->opened);
  g_hash_table_remove_all (served->rows);
  g_hash_table_remove_all (served->cpus);
  g_array_set_size (served->rings, 0);
  g_byte_array_set_size (served->kept, 0);
  served->n_stray = served->n_watched = 0;
  served->ahead_bytes = 0;
  wpr_handed_let_go (served->handed);
  settle (served);
}

void
wpr_served_free (WprServed *served)
{
  wpr_served_close (served);
  wpr_handed_let_go (served->facts);
  g_object_unref (served->opener);
  g_hash_table_unref (served->rows);
  g_hash_table_unref (served->cpus);
  g_array_unref (served->rings);
  g_array_unref (served->handed);
  g_array_unref (served->facts);
  g_byte_array_unref (served->kept);
  g_free (served->id);
  g_free ((char *)served->grant.instance);
  g_free (served);
}
