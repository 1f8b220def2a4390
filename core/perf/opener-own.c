/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The opener of whoever may record own programs only: its verbs. Rings and leaders are the local
 * opener's, of this thread instead of all; members are opened thread by thread
 * (opener-own-threads.c), in no group, and send what they have to the ring of their CPU. */
#include "config.h"
#include "perf/opener-own.h"

#include <glib/gi18n-lib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* Files that the recorder itself has open, and leaders. */
#define FILES_OF_OURS 256
/* Names in one sentence. */
#define NAMED_MOST 8

G_DEFINE_FINAL_TYPE (WprOpenerOwn, wpr_opener_own, WPR_TYPE_OPENER_LOCAL)

/* How many descriptors there may be. */
static guint
files_most (void)
{
  struct rlimit limit;
  guint64 most = WPR_OWN_DESCRIPTORS_MOST;
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    most = MIN (most, limit.rlim_cur > 2 * FILES_OF_OURS ? limit.rlim_cur - FILES_OF_OURS
                                                         : limit.rlim_cur / 2);
  return (guint)most;
}

/* Births are told by the sideband from the first thread on, so its members run at once. */
static void
run_sideband (WprOpenerLocal *local)
{
  for (guint i = 0; i < local->events->len; i++)
    {
      const WprPerfEvent *event = &g_array_index (local->events, WprPerfEvent, i);
      for (guint s = 0; event->kind == WPR_PERF_SIDEBAND && s < local->slots->len; s++)
        if (((WprSlot *)local->slots->pdata[s])->ring == event->ring)
          ((WprSlot *)local->slots->pdata[s])->running = TRUE;
    }
}

/* Carriers of a row that comes or goes may change: the new ones are opened before the old ones are
 * closed, so that what happens in between is there twice, never missing. */
static gboolean
is_open (const WprSlot *slot, guint32 row, gboolean switches)
{
  const WprGroup *group = slot->groups->pdata[0];
  for (guint i = 0; i < group->members->len; i++)
    {
      const WprMember *member = &g_array_index (group->members, WprMember, i);
      if (member->row == row && member->switches == switches)
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_carried (const WprOpenerLocal *local, const GArray *carriers, const WprMember *member)
{
  for (guint i = 0; i < carriers->len; i++)
    {
      const WprOwnCarrier *carrier = &g_array_index (carriers, WprOwnCarrier, i);
      if (g_array_index (local->events, WprPerfEvent, carrier->event).row == member->row
          && carrier->switches == member->switches)
        return TRUE;
    }
  return FALSE;
}

static void
close_others (WprOpenerOwn *self, WprSlot *slot, const GArray *carriers)
{
  WprGroup *group = slot->groups->pdata[0];
  for (guint i = group->members->len; i > 0; i--)
    {
      const WprMember *member = &g_array_index (group->members, WprMember, i - 1);
      if (is_carried (WPR_OPENER_LOCAL (self), carriers, member))
        continue;
      close (member->fd);
      g_array_remove_index (group->members, i - 1);
      self->n_open--;
    }
}

/* Opens what a ring set lacks, then closes what it no longer needs. */
static void
follow_events (WprOpenerOwn *self, guint ring, WprOpened *opened)
{
  WprOpenerLocal *local = WPR_OPENER_LOCAL (self);
  g_autoptr (GArray) carriers = wpr_own_carriers (self, ring);
  g_autoptr (GArray) fresh = g_array_new (FALSE, FALSE, sizeof (WprOwnCarrier));
  for (guint i = 0; i < carriers->len; i++)
    {
      const WprOwnCarrier *carrier = &g_array_index (carriers, WprOwnCarrier, i);
      guint32 row = g_array_index (local->events, WprPerfEvent, carrier->event).row;
      gboolean open = FALSE;
      for (guint s = 0; s < local->slots->len; s++)
        open |= is_open (local->slots->pdata[s], row, carrier->switches);
      if (!open)
        g_array_append_val (fresh, *carrier);
    }
  wpr_own_open_threads (self, fresh, G_MAXUINT, opened);
  for (guint s = 0; s < local->slots->len; s++)
    if (((WprSlot *)local->slots->pdata[s])->ring == ring)
      close_others (self, local->slots->pdata[s], carriers);
}

/* ---- what is said ---- */

static int
compare_left_out (gconstpointer a, gconstpointer b, gpointer names)
{
  guint n = GPOINTER_TO_UINT (g_hash_table_lookup (names, a));
  guint m = GPOINTER_TO_UINT (g_hash_table_lookup (names, b));
  return n != m ? (n < m ? 1 : -1) : strcmp (a, b);
}

/* Those with the most threads first. */
static char *
join_names (GHashTable *names, guint *n_threads)
{
  GString *joined = g_string_new (NULL);
  g_autoptr (GList) sorted
      = g_list_sort_with_data (g_hash_table_get_keys (names), compare_left_out, names);
  guint n_names = 0;
  *n_threads = 0;
  for (GList *name = sorted; name != NULL; name = name->next)
    {
      *n_threads += GPOINTER_TO_UINT (g_hash_table_lookup (names, name->data));
      if (n_names++ < NAMED_MOST)
        g_string_append_printf (joined, "%s%s", joined->len > 0 ? ", " : "",
                                (const char *)name->data);
    }
  if (n_names > NAMED_MOST)
    g_string_append (joined, ", …");
  return g_string_free (joined, FALSE);
}

/* Says once what there was no room for, and what is closed. */
static void
remark (WprOpenerOwn *self, WprOpened *opened)
{
  guint n_threads;
  if (g_hash_table_size (self->left_out) > 0)
    {
      g_autofree char *names = join_names (self->left_out, &n_threads);
      g_ptr_array_add (
          opened->remarks,
          g_strdup_printf (_ ("There is room for the events of the largest programs only (%u open "
                              "files): %u threads are not recorded, of %s."),
                           self->most, n_threads, names));
      g_hash_table_remove_all (self->left_out);
    }
  if (g_hash_table_size (self->closed) > 0)
    {
      g_autofree char *names = join_names (self->closed, &n_threads);
      g_ptr_array_add (
          opened->remarks,
          g_strdup_printf (_ ("Programs that keep others from looking into them (they run with "
                              "other rights, or hold secrets) are not recorded: %s."),
                           names));
      g_hash_table_remove_all (self->closed);
    }
}

/* ---- the verbs ---- */

static gboolean
own_open (WprOpener *opener, const WprPerfEvent *events, gsize n_events, const WprRingSpec *rings,
          gsize n_rings, const guint *cpus, gsize n_cpus, WprOpened *opened, GError **error)
{
  WprOpenerOwn *self = WPR_OPENER_OWN (opener);
  WprOpenerLocal *local = WPR_OPENER_LOCAL (opener);

  g_return_val_if_fail (local->slots->len == 0, FALSE);

  if (!wpr_local_opener_open_sets (local, rings, n_rings, cpus, n_cpus, opened, error))
    return FALSE;
  self->most = files_most ();
  for (gsize i = 0; i < n_events; i++)
    wpr_local_opener_keep_event (local, &events[i]);
  run_sideband (local);
  g_autoptr (GArray) carriers = wpr_own_carriers (self, G_MAXUINT);
  wpr_own_open_threads (self, carriers, G_MAXUINT, opened);
  /* One that the kernel has not may have carried the switches. */
  for (guint ring = 0; g_hash_table_size (self->refused) > 0 && ring < local->rings->len; ring++)
    follow_events (self, ring, opened);
  remark (self, opened);
  return TRUE;
}

static gboolean
own_add (WprOpener *opener, const WprPerfEvent *event, WprOpened *opened, GError **error)
{
  WprOpenerOwn *self = WPR_OPENER_OWN (opener);
  WprOpenerLocal *local = WPR_OPENER_LOCAL (opener);

  g_return_val_if_fail (event->ring < local->rings->len, FALSE);
  g_return_val_if_fail (wpr_local_opener_find_event (local, event->row) == NULL, FALSE);

  g_hash_table_remove (self->refused, GUINT_TO_POINTER (event->row));
  wpr_local_opener_keep_event (local, event);
  follow_events (self, event->ring, opened);
  remark (self, opened);
  return TRUE;
}

/* Nothing is counted but by the records in the rings. Where the row told the switches as well they
 * get an event of their own from now on, whose id nobody needs: its records are like no others. */
static gboolean
own_drop (WprOpener *opener, guint32 row, GArray *counts, GError **error)
{
  WprOpenerOwn *self = WPR_OPENER_OWN (opener);
  WprOpenerLocal *local = WPR_OPENER_LOCAL (opener);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (WprEventId));
  g_autoptr (GArray) refusals = g_array_new (FALSE, FALSE, sizeof (WprRefusal));
  WprOpened opened = { .ids = ids, .refusals = refusals };
  WprPerfEvent *event = wpr_local_opener_find_event (local, row);

  if (event == NULL)
    return wpr_local_opener_no_such_row (row, error);
  guint ring = event->ring;
  g_hash_table_add (self->apart, GUINT_TO_POINTER (ring));
  for (guint i = 0; i < local->events->len; i++)
    if (g_array_index (local->events, WprPerfEvent, i).row == row)
      g_array_remove_index (local->events, i--);
  follow_events (self, ring, &opened);
  return TRUE;
}

static gboolean
own_filter (WprOpener *opener, guint32 row, const guint32 *skip_tids, gsize n, WprOpened *opened,
            GError **error)
{
  wpr_set_error (error, WPR_ERROR_NOT_AVAILABLE, 0,
                 _ ("Only tracepoints can be filtered, and own programs have none."));
  return FALSE;
}

/* Events of threads outlive the going of a CPU; only one that is seen for the first time is new. */
static gboolean
own_cpu_online (WprOpener *opener, guint cpu, WprOpened *opened, GError **error)
{
  WprOpenerOwn *self = WPR_OPENER_OWN (opener);
  WprOpenerLocal *local = WPR_OPENER_LOCAL (opener);
  int last_errno = 0;

  if (wpr_local_opener_find_slot (local, 0, cpu) != NULL)
    return TRUE;
  for (guint ring = 0; ring < local->rings->len; ring++)
    {
      g_autoptr (GPtrArray) slots
          = wpr_local_opener_open_leaders (local, ring, &cpu, 1, &last_errno, opened);
      if (slots->len == 0)
        {
          wpr_local_opener_say_no_leader (local, last_errno, error);
          return FALSE;
        }
      if (!wpr_local_opener_map_sets (local, &slots, 1, opened, error))
        return FALSE;
    }
  run_sideband (local);
  g_autoptr (GArray) carriers = wpr_own_carriers (self, G_MAXUINT);
  wpr_own_open_threads (self, carriers, cpu, opened);
  remark (self, opened);
  return TRUE;
}

/* Each member with all that inherited it. A thread that has ended is no failure. */
static gboolean
own_enable (WprOpener *opener, const WprLeader *leader, gboolean on)
{
  WprSlot *slot = wpr_local_opener_find_slot (WPR_OPENER_LOCAL (opener), leader->ring, leader->cpu);
  if (slot == NULL)
    return TRUE;
  const WprGroup *group = slot->groups->pdata[0];
  for (guint i = 0; i < group->members->len; i++)
    ioctl (g_array_index (group->members, WprMember, i).fd,
           on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
  slot->running = on;
  return TRUE;
}

static void
own_close (WprOpener *opener)
{
  WprOpenerOwn *self = WPR_OPENER_OWN (opener);
  WPR_OPENER_CLASS (wpr_opener_own_parent_class)->close (opener);
  self->n_open = 0;
}

static void
wpr_opener_own_finalize (GObject *object)
{
  WprOpenerOwn *self = WPR_OPENER_OWN (object);
  g_hash_table_unref (self->refused);
  g_hash_table_unref (self->left_out);
  g_hash_table_unref (self->closed);
  g_hash_table_unref (self->apart);
  wpr_id_table_free (self->ids);
  G_OBJECT_CLASS (wpr_opener_own_parent_class)->finalize (object);
}

static void
wpr_opener_own_class_init (WprOpenerOwnClass *klass)
{
  WprOpenerClass *opener_class = WPR_OPENER_CLASS (klass);
  G_OBJECT_CLASS (klass)->finalize = wpr_opener_own_finalize;
  opener_class->open = own_open;
  opener_class->add = own_add;
  opener_class->drop = own_drop;
  opener_class->filter = own_filter;
  opener_class->cpu_online = own_cpu_online;
  opener_class->enable = own_enable;
  opener_class->close = own_close;
  opener_class->counts_by_records = TRUE;
}

static void
wpr_opener_own_init (WprOpenerOwn *self)
{
  /* The first thread lives as long as the process: a leader of one that ends would hang up. */
  WPR_OPENER_LOCAL (self)->task = (int)getpid ();
  self->refused = g_hash_table_new (NULL, NULL);
  self->left_out = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->closed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->apart = g_hash_table_new (NULL, NULL);
  self->ids = wpr_id_table_new ();
}

WprOpener *
wpr_opener_own_new (gboolean sees_kernel)
{
  WprOpenerOwn *self = g_object_new (WPR_TYPE_OPENER_OWN, NULL);
  self->sees_kernel = sees_kernel;
  return WPR_OPENER (self);
}
