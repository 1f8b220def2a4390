/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers one request: checks it whole, asks for memory and descriptors, has the local opener do
 * it. The members and the rings' first mapping stay here; only leaders are handed out. Reads of
 * /proc and tracefs what the client may not; writes no file, reads no event. */
#include "config.h"
#include "broker/session-private.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "broker/check.h"
#include "world/open-files.h"
#include "world/world.h"

#define PROBE "kprobe:"
/* A line a symbol, 250 000 of them with every driver. */
#define KALLSYMS_MOST (64 * 1024 * 1024)
/* Ids grow with every change; a recording changes some hundred times. */
#define IDS_MOST (1024 * 1024)

typedef struct
{
  GVariant *result;
  guint leader, id; /* positions in `opened` from which on it is the answer */
} Answer;

static gboolean
is_open (const WprServed *served)
{
  return served->rings->len > 0;
}

static guint
n_cpus (const WprServed *served)
{
  return g_hash_table_size (served->cpus);
}

/* What it has now, from what was handed out: a client may keep an old ring mapped. */
static void
settle (WprServed *served)
{
  guint64 bytes = (guint64)served->ahead_bytes * n_cpus (served);
  guint n_leaders = served->opened.leaders != NULL ? served->opened.leaders->len : 0;
  for (guint i = 0; i < n_leaders; i++)
    bytes += g_array_index (served->opened.leaders, WprLeader, i).bytes;
  wpr_served_settle (served, bytes,
                     n_leaders + served->n_stray
                         + (1 + g_hash_table_size (served->rows)) * n_cpus (served));
}

static gboolean
say_not_open (GError **error)
{
  return wpr_broker_refuse (error, WPR_ERROR_STATE,
                            N_ ("This session records nothing that could be changed."));
}

static gboolean
say_unknown (GError **error)
{
  return wpr_broker_refuse (error, WPR_ERROR_USAGE,
                            N_ ("This session has no such event, ring or CPU."));
}

/* ---- opening ---- */

/* A probe has another name in tracefs, once it is made. */
static char *
real_name (WprServed *served, const char *name)
{
  if (!g_str_has_prefix (name, PROBE))
    return g_strdup (name);
  if (served->probes == NULL)
    served->probes = wpr_kprobes_new ();
  const char *made
      = served->probes != NULL ? wpr_kprobes_add (served->probes, name + strlen (PROBE)) : NULL;
  return g_strdup (made != NULL ? made : name);
}

static void
name_probes (WprServed *served, GArray *events)
{
  for (guint i = 0; i < events->len; i++)
    {
      WprPerfEvent *event = &g_array_index (events, WprPerfEvent, i);
      char *name = real_name (served, event->name);
      g_free ((char *)event->name);
      event->name = name;
    }
}

/* The events' texts live as long as the opener knows them. */
static void
keep_rows (WprServed *served, GArray *events)
{
  for (guint i = 0; i < events->len; i++)
    {
      const WprPerfEvent *event = &g_array_index (events, WprPerfEvent, i);
      g_hash_table_insert (served->rows, GUINT_TO_POINTER (event->row),
                           g_memdup2 (event, sizeof *event));
    }
  g_free (g_array_steal (events, NULL));
  served->n_rows_most = MAX (served->n_rows_most, g_hash_table_size (served->rows));
}

/* What was refused here comes behind what the kernel refused. */
static void
add_refusals (WprServed *served, const GArray *refusals)
{
  g_array_append_vals (served->opened.refusals, refusals->data, refusals->len);
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
  if (!wpr_served_take (served, bytes, (guint)n * (2 * rings->len + events->len + n_hardware),
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
  for (gsize i = 0; i < n; i++)
    g_hash_table_add (served->cpus, GUINT_TO_POINTER (cpus[i]));
  g_array_append_vals (served->rings, rings->data, rings->len);
  keep_rows (served, events);
  return TRUE;
}

static gboolean
answer_open (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  g_autoptr (GArray) events = wpr_broker_events_new ();
  g_autoptr (GArray) refusals = g_array_new (FALSE, FALSE, sizeof (WprRefusal));
  g_autoptr (GArray) rings = g_array_new (FALSE, TRUE, sizeof (WprRingSpec));
  g_autoptr (GVariant) rows = g_variant_get_child_value (args, 0);
  g_autoptr (GVariant) specs = g_variant_get_child_value (args, 1);
  g_autoptr (GVariant) list = g_variant_get_child_value (args, 2);
  gsize n;
  const guint32 *cpus = g_variant_get_fixed_array (list, &n, sizeof *cpus);

  if (is_open (served))
    return wpr_broker_refuse (error, WPR_ERROR_STATE, N_ ("This session records already."));
  if (!wpr_broker_check_rings (specs, rings, error) || !wpr_broker_check_cpus (cpus, n, error)
      || !wpr_broker_check_rows (rows, rings->len, served->grant.contents, events, refusals, error)
      || !open_checked (served, events, rings, cpus, n, error))
    return FALSE;
  add_refusals (served, refusals);
  return TRUE;
}

/* ---- changes ---- */

static gboolean
may_change (WprServed *served, GError **error)
{
  if (!is_open (served))
    return say_not_open (error);
  if (served->opened.ids->len > IDS_MOST
      || g_hash_table_size (served->rows) >= WPR_BROKER_ROWS_MOST)
    return wpr_broker_refuse (error, WPR_ERROR_NO_SPACE,
                              N_ ("This recording was changed too often. Begin another one."));
  return TRUE;
}

static gboolean
answer_add (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  g_autoptr (GArray) events = wpr_broker_events_new ();
  g_autoptr (GArray) refusals = g_array_new (FALSE, FALSE, sizeof (WprRefusal));
  if (!may_change (served, error)
      || !wpr_broker_check_rows (args, served->rings->len, served->grant.contents, events, refusals,
                                 error))
    return FALSE;
  if (events->len + refusals->len != 1)
    return say_unknown (error);
  name_probes (served, events);
  for (guint i = 0; i < events->len; i++)
    {
      const WprPerfEvent *event = &g_array_index (events, WprPerfEvent, i);
      if (g_hash_table_contains (served->rows, GUINT_TO_POINTER (event->row)))
        return say_unknown (error);
      if (!wpr_served_take (served, 0, 2 * n_cpus (served), error)
          || !wpr_opener_add (served->opener, event, &served->opened, error))
        return FALSE;
    }
  keep_rows (served, events);
  add_refusals (served, refusals);
  return TRUE;
}

static gboolean
answer_drop (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  g_autoptr (GArray) counts = g_array_new (FALSE, FALSE, sizeof (WprGroupCount));
  guint32 row = g_variant_get_uint32 (args);
  if (!g_hash_table_contains (served->rows, GUINT_TO_POINTER (row)))
    return say_unknown (error);
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
  g_autoptr (GVariant) list = NULL;
  g_variant_get (args, "(u@au)", &row, &list);
  const guint32 *tids = g_variant_get_fixed_array (list, &n, sizeof *tids);
  const WprPerfEvent *event = g_hash_table_lookup (served->rows, GUINT_TO_POINTER (row));
  if (event == NULL || event->kind != WPR_PERF_TRACEPOINT || n > WPR_PERF_FILTER_MOST)
    return say_unknown (error);
  return may_change (served, error) && wpr_served_take (served, 0, 2 * n_cpus (served), error)
         && wpr_opener_filter (served->opener, row, tids, n, &served->opened, error);
}

/* Rings of a set to so many bytes: a share for them, unless they are there ahead. */
static gboolean
may_grow (WprServed *served, GVariant *args, guint *ring, gsize *bytes, gboolean *ahead,
          GError **error)
{
  guint32 number;
  guint64 wanted;
  g_variant_get (args, "(ut)", &number, &wanted);
  if (!is_open (served))
    return say_not_open (error);
  if (number >= served->rings->len)
    return say_unknown (error);
  *ring = number;
  *bytes = (gsize)wanted;
  *ahead = number == served->ahead_ring && wanted == served->ahead_bytes;
  return wpr_broker_check_bytes (wanted, error)
         && (*ahead || wpr_served_take (served, wanted * n_cpus (served), n_cpus (served), error));
}

static gboolean
answer_grow_ahead (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  guint ring;
  gsize bytes;
  gboolean ahead;
  if (!may_grow (served, args, &ring, &bytes, &ahead, error))
    return FALSE;
  if (ahead)
    return TRUE;
  served->ahead_bytes = 0; /* the opener lets go of one that was not taken, but for its leaders */
  if (!wpr_opener_grow_ahead (served->opener, ring, bytes, error))
    return FALSE;
  served->ahead_ring = ring;
  served->ahead_bytes = bytes;
  served->n_stray += n_cpus (served);
  return TRUE;
}

static gboolean
answer_grow (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  guint ring;
  gsize bytes;
  gboolean ahead;
  if (!may_grow (served, args, &ring, &bytes, &ahead, error))
    return FALSE;
  served->ahead_bytes = 0;
  if (!wpr_opener_grow (served->opener, ring, bytes, &served->opened, error))
    return FALSE;
  g_array_index (served->rings, WprRingSpec, ring).bytes = bytes;
  if (ahead)
    served->n_stray -= n_cpus (served);
  return TRUE;
}

static gboolean
answer_cpu_online (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  guint32 cpu = g_variant_get_uint32 (args);
  guint64 bytes = 0;
  if (!may_change (served, error) || !wpr_broker_check_cpus (&cpu, 1, error))
    return FALSE;
  for (guint i = 0; i < served->rings->len; i++)
    bytes += g_array_index (served->rings, WprRingSpec, i).bytes;
  if (g_hash_table_contains (served->cpus, GUINT_TO_POINTER (cpu)))
    bytes = 0; /* it has its rings still */
  if (!wpr_served_take (served, bytes,
                        2 * served->rings->len + 2 * g_hash_table_size (served->rows), error))
    return FALSE;
  g_hash_table_add (served->cpus, GUINT_TO_POINTER (cpu));
  return wpr_opener_cpu_online (served->opener, cpu, &served->opened, error);
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
    return say_unknown (error);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sis)"));
  for (gsize i = 0; i < n; i++)
    {
      const char *name;
      g_autoptr (GVariant) child = g_variant_get_child_value (args, i);
      name = g_variant_get_string (child, NULL);
      if (!wpr_broker_check_tracepoint (name, served->grant.contents))
        continue;
      g_autofree char *real = real_name (served, name);
      g_autofree char *format = wpr_tracefs_format (real);
      int id = wpr_tracefs_id (real);
      if (format != NULL && id >= 0 && g_utf8_validate (format, -1, NULL))
        g_variant_builder_add (&builder, "(sis)", name, id, format);
    }
  answer->result = g_variant_builder_end (&builder);
  return TRUE;
}

static GVariant *
bytes_value (GBytes *bytes)
{
  return g_variant_new_from_bytes (G_VARIANT_TYPE_BYTESTRING, bytes, TRUE);
}

static gboolean
answer_kallsyms (WprServed *served, GVariant *args, Answer *answer, GError **error)
{
  gsize size = 0;
  char *text = wpr_read_small ("/proc/kallsyms", KALLSYMS_MOST, &size);
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, text != NULL ? size : 0);
  answer->result = bytes_value (bytes);
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
  answer->result = bytes_value (bytes);
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
  if (!is_open (served))
    return say_not_open (error);
  answer->leader = answer->id = 0;
  answer->result = g_variant_new (
      "(@" WPR_BROKER_OPENED "@ay)", wpr_broker_pack_opened (&served->opened, 0, 0, 0),
      g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, served->kept->data, served->kept->len, 1));
  return TRUE;
}

/* ---- one request ---- */

typedef gboolean (*Verb) (WprServed *served, GVariant *args, Answer *answer, GError **error);
static const Verb verbs[WPR_BROKER_N_VERBS] = {
  [WPR_BROKER_OPEN] = answer_open,
  [WPR_BROKER_ADD] = answer_add,
  [WPR_BROKER_DROP] = answer_drop,
  [WPR_BROKER_FILTER] = answer_filter,
  [WPR_BROKER_GROW] = answer_grow,
  [WPR_BROKER_GROW_AHEAD] = answer_grow_ahead,
  [WPR_BROKER_CPU_ONLINE] = answer_cpu_online,
  [WPR_BROKER_CLOSE] = answer_close,
  [WPR_BROKER_FORMATS] = answer_formats,
  [WPR_BROKER_KALLSYMS] = answer_kallsyms,
  [WPR_BROKER_RUNDOWN] = answer_rundown,
  [WPR_BROKER_DESCRIPTORS] = answer_descriptors,
  [WPR_BROKER_KEEP] = answer_keep,
  [WPR_BROKER_RECALL] = answer_recall,
};

static void
give_leaders (const WprServed *served, guint first, GArray *fds)
{
  for (guint i = first; served->opened.leaders != NULL && i < served->opened.leaders->len; i++)
    g_array_append_val (fds, g_array_index (served->opened.leaders, WprLeader, i).fd);
}

/* Runs a verb that is of the right type. NULL with an error. */
static GVariant *
run (WprServed *served, guint32 verb, GVariant *args, GArray *fds, GError **error)
{
  gboolean gives
      = g_str_equal (wpr_broker_verbs[verb].result, WPR_BROKER_OPENED) || verb == WPR_BROKER_RECALL;
  Answer answer = { .leader = served->opened.leaders != NULL ? served->opened.leaders->len : 0,
                    .id = served->opened.ids != NULL ? served->opened.ids->len : 0 };
  gboolean good = verbs[verb](served, args, &answer, error);
  settle (served);
  if (good && gives)
    give_leaders (served, answer.leader, fds);
  if (good && answer.result == NULL)
    answer.result = gives ? wpr_broker_pack_opened (&served->opened, answer.leader, answer.id, 0)
                          : g_variant_new ("()");
  if (served->opened.refusals != NULL)
    g_array_set_size (served->opened.refusals, 0);
  return good ? answer.result : NULL;
}

GVariant *
wpr_served_answer (WprServed *served, GVariant *request, GArray *fds, GVariant **behind,
                   gboolean *malformed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) args = NULL, result = NULL;
  guint32 number, verb;
  g_variant_get (request, WPR_BROKER_REQUEST, &number, &verb, &args);
  *behind = NULL;
  *malformed = number != served->number + 1 || verb >= WPR_BROKER_N_VERBS
               || !g_variant_is_of_type (args, G_VARIANT_TYPE (wpr_broker_verbs[verb].args));
  if (*malformed)
    wpr_broker_refuse (&error, WPR_ERROR_USAGE, N_ ("The request is not one of this service's."));
  else
    {
      served->number = number;
      result = run (served, verb, args, fds, &error);
    }
  if (result == NULL)
    result = g_variant_new ("()");
  g_variant_ref_sink (result);
  if (g_variant_get_size (result) > WPR_BROKER_INLINE_MOST)
    *behind = g_steal_pointer (&result);
  return g_variant_new (WPR_BROKER_ANSWER, number, error != NULL ? error->code : 0,
                        error != NULL ? error->message : "", fds->len,
                        (guint64)(*behind != NULL ? g_variant_get_size (*behind) : 0),
                        result != NULL ? result : g_variant_new ("()"));
}

/* ---- beginning and end ---- */

static void
free_row (gpointer data)
{
  WprPerfEvent *event = data;
  g_free ((char *)event->name);
  g_free ((char *)event->filter);
  g_free (event);
}

WprServed *
wpr_served_new (const WprBrokerGrant *grant, WprOpener *opener)
{
  WprServed *served = g_new0 (WprServed, 1);
  served->grant = *grant;
  served->grant.instance = g_strdup (grant->instance != NULL ? grant->instance : "");
  served->id = g_uuid_string_random ();
  served->begun_us = g_get_real_time ();
  served->fd = -1;
  served->opener = opener;
  served->rows = g_hash_table_new_full (NULL, NULL, NULL, free_row);
  served->cpus = g_hash_table_new (NULL, NULL);
  served->rings = g_array_new (FALSE, TRUE, sizeof (WprRingSpec));
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
  served->n_stray = 0;
  served->ahead_bytes = 0;
  wpr_served_settle (served, 0, 0);
}

void
wpr_served_free (WprServed *served)
{
  wpr_served_close (served);
  g_object_unref (served->opener);
  g_hash_table_unref (served->rows);
  g_hash_table_unref (served->cpus);
  g_array_unref (served->rings);
  g_byte_array_unref (served->kept);
  g_free (served->id);
  g_free ((char *)served->grant.instance);
  g_free (served);
}
