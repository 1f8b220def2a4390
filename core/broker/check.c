/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The closed vocabulary: what may be asked at all. Whatever is not in these tables is not opened,
 * whoever asks. No number of a request becomes an attribute's bytes, no text of it a path. */
#include "config.h"
#include "broker/check.h"

#include <errno.h>
#include <glib/gi18n-lib.h>
#include <string.h>
#include <unistd.h>
#include "perf/filter.h"
#include "perf/kprobe.h"

#define PROBE "kprobe:"
#define NAME_MOST 64
/* Ten samples in a millisecond; what is more is for nothing but to slow the machine. */
#define CLOCK_PERIOD_LEAST 100000
#define FREQUENCY_MOST 10000
#define COUNTER_PERIOD_LEAST 1000

/* Tracepoints that tell of scheduling, memory, devices and requests; all that keywords and
 * providers lead to. Not here: probes and synthetic events of others (their data is whatever was
 * probed), bpf_trace, ftrace and printk (texts of programs and of the kernel's log), msr.
 * A space on either side of each. */
static const char systems[]
    = " alarmtimer amdgpu asoc ata block bridge btrfs cfg80211 cgroup clk cma compaction cpuhp "
      "devfreq devlink dma dma_fence drm enable exceptions ext4 f2fs fib filelock filemap "
      "fs_dax fuse gpu_mem gpu_scheduler hda huge_memory hugetlbfs i915 icmp initcall io_uring "
      "iocost iomap iommu ipi irq irq_matrix irq_vectors jbd2 kmem ksm kvm kvmmmu kyber libata "
      "lock mac80211 maple_tree mce memcg migrate mmap mmap_lock mmc module napi neigh net "
      "netfs netlink nfs nmi notifier nvme oom page_isolation page_pool pagemap percpu power "
      "preemptirq qdisc ras raw_syscalls rcu readahead regulator rpm rseq sched scsi signal skb "
      "snd snd_pcm sock spi sunrpc swiotlb syscalls task tcp thermal thp timer tlb udp usb "
      "usbcore usbip v4l2 vb2 vmalloc vmscan vsock watchdog wbt workqueue writeback x86_fpu xdp "
      "xe xfs xhci-hcd ";

gboolean
wpr_broker_refuse (GError **error, WprErrorCode code, const char *sentence)
{
  wpr_set_error (error, code, 0, "%s", sentence);
  return FALSE;
}

static gboolean
refuse (GError **error, const char *sentence)
{
  return wpr_broker_refuse (error, WPR_ERROR_USAGE, sentence);
}

/* A sentence of several checks. */
static const char *const bad_filter = N_ ("An event's filter is not in the form that is allowed.");

static void
clear_event (gpointer data)
{
  g_free ((char *)((WprPerfEvent *)data)->name);
  g_free ((char *)((WprPerfEvent *)data)->filter);
}

GArray *
wpr_broker_events_new (void)
{
  GArray *events = g_array_new (FALSE, TRUE, sizeof (WprPerfEvent));
  g_array_set_clear_func (events, clear_event);
  return events;
}

/* ---- names ---- */

static gboolean
is_word (const char *text, gsize length)
{
  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isalnum (text[i]) && text[i] != '_' && text[i] != '-')
      return FALSE;
  return length > 0 && length <= NAME_MOST;
}

static gboolean
is_tracepoint (const char *name)
{
  const char *colon = strchr (name, ':');
  return colon != NULL && is_word (name, (gsize)(colon - name))
         && is_word (colon + 1, strlen (colon + 1));
}

gboolean
wpr_broker_check_tracepoint (const char *name, gboolean contents)
{
  if (!is_tracepoint (name))
    return FALSE;
  for (guint i = 0; contents && g_str_has_prefix (name, PROBE) && wpr_kprobe_function (i); i++)
    if (g_str_equal (name + strlen (PROBE), wpr_kprobe_function (i)))
      return TRUE;
  g_autofree char *system = g_strdup_printf (" %.*s ", (int)strcspn (name, ":"), name);
  return strstr (systems, system) != NULL;
}

/* Names the processor's maker numbered ("r01c2") are bytes of an attribute. */
static gboolean
is_raw (const WprPerfEvent *event)
{
  struct perf_event_attr attr;
  wpr_perf_event_fill_attr (event, FALSE, &attr);
  return event->kind == WPR_PERF_HARDWARE && attr.type == PERF_TYPE_RAW;
}

/* ---- rows ---- */

static gboolean
check_period (const WprPerfEvent *event)
{
  gboolean trace = event->kind == WPR_PERF_TRACEPOINT;
  gboolean clock = !trace && g_str_has_suffix (event->name, "-clock");
  if (event->kind == WPR_PERF_SIDEBAND)
    return event->period == 0 && event->frequency == 0;
  if (event->frequency != 0)
    return !trace && event->period == 0 && event->frequency <= FREQUENCY_MOST;
  return event->period >= (clock                              ? CLOCK_PERIOD_LEAST
                           : event->kind == WPR_PERF_HARDWARE ? COUNTER_PERIOD_LEAST
                                                              : 1);
}

static gboolean
check_row (const WprPerfEvent *event, guint n_rings, gsize n_filters, guint32 filter,
           GError **error)
{
  gboolean trace = event->kind == WPR_PERF_TRACEPOINT;
  if ((guint)event->kind > WPR_PERF_SIDEBAND || (guint)event->callchain > WPR_CALLCHAIN_FULL)
    return refuse (error, N_ ("An event is of a kind that is not known."));
  if (event->row == WPR_ROW_LEADER || event->ring >= n_rings)
    return refuse (error, N_ ("An event belongs to no ring of this recording."));
  if (trace ? !is_tracepoint (event->name) : !is_word (event->name, strlen (event->name)))
    return refuse (error, N_ ("An event's name is not one."));
  if (!check_period (event))
    return refuse (error, N_ ("An event is asked for more often than is allowed, or never."));
  if (filter > n_filters || (!trace && (filter != 0 || event->n_skip_tids != 0)))
    return refuse (error, bad_filter);
  return TRUE;
}

/* Of what is well-formed: what is opened, too. */
static gboolean
is_opened (const WprPerfEvent *event, gboolean contents)
{
  return event->kind == WPR_PERF_TRACEPOINT ? wpr_broker_check_tracepoint (event->name, contents)
                                            : !is_raw (event);
}

/* FALSE if it leaves out more threads than a filter has room for. */
static gboolean
read_row (GVariant *row, WprPerfEvent *event, guint32 *filter, GError **error)
{
  guint32 kind, callchain;
  gsize n;
  g_autoptr (GVariant) skip = NULL;
  memset (event, 0, sizeof *event);
  g_variant_get (row, "(uuusttubbu@au)", &event->row, &event->ring, &kind, &event->name,
                 &event->period, &event->frequency, &callchain, &event->addr, &event->regs, filter,
                 &skip);
  event->kind = kind;
  event->callchain = callchain;
  const guint32 *tids = g_variant_get_fixed_array (skip, &n, sizeof *tids);
  event->n_skip_tids = (guint32)MIN (n, WPR_PERF_FILTER_MOST);
  if (n > 0) /* without any, tids is NULL */
    memcpy (event->skip_tids, tids, event->n_skip_tids * sizeof *tids);
  return n <= WPR_PERF_FILTER_MOST || refuse (error, bad_filter);
}

static gboolean
take_row (GVariant *row, guint n_rings, const GPtrArray *filters, gboolean contents, GArray *events,
          GArray *refusals, GError **error)
{
  WprPerfEvent event;
  guint32 filter;
  gboolean good = read_row (row, &event, &filter, error)
                  && check_row (&event, n_rings, filters->len, filter, error);
  if (good && filter > 0)
    event.filter = g_strdup (filters->pdata[filter - 1]);
  if (good && is_opened (&event, contents))
    {
      g_array_append_val (events, event);
      return TRUE;
    }
  const WprRefusal refusal = { .row = event.row, .cpu = G_MAXUINT, .error_number = EKEYREJECTED };
  g_array_append_vals (refusals, &refusal, good ? 1 : 0);
  clear_event (&event);
  return good;
}

gboolean
wpr_broker_check_rows (GVariant *rows, guint n_rings, gboolean contents, GArray *events,
                       GArray *refusals, GError **error)
{
  g_autoptr (GVariant) texts = g_variant_get_child_value (rows, 0);
  g_autoptr (GVariant) list = g_variant_get_child_value (rows, 1);
  g_autoptr (GPtrArray) filters = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  gsize n = g_variant_n_children (list);

  if (n > WPR_BROKER_ROWS_MOST || g_variant_n_children (texts) > WPR_BROKER_ROWS_MOST)
    return refuse (error, N_ ("More events are asked for than one recording may have. Choose fewer "
                              "profiles."));
  for (gsize i = 0; i < g_variant_n_children (texts); i++)
    {
      g_autoptr (GVariant) text = g_variant_get_child_value (texts, i);
      g_ptr_array_add (filters, wpr_filter_print_anew (g_variant_get_string (text, NULL)));
      if (filters->pdata[i] == NULL)
        return refuse (error, bad_filter);
    }
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) row = g_variant_get_child_value (list, i);
      guint32 number;
      g_variant_get_child (row, 0, "u", &number);
      if (!g_hash_table_add (seen, GUINT_TO_POINTER (number)))
        return refuse (error, N_ ("Two events have the same number."));
      if (!take_row (row, n_rings, filters, contents, events, refusals, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- rings and CPUs ---- */

gboolean
wpr_broker_check_bytes (guint64 bytes, GError **error)
{
  if (bytes >= (guint64)sysconf (_SC_PAGESIZE) && bytes <= WPR_BROKER_RING_BYTES_MOST
      && (bytes & (bytes - 1)) == 0)
    return TRUE;
  return refuse (error, N_ ("A ring's size is no power of two between a page and 1 GiB."));
}

gboolean
wpr_broker_check_rings (GVariant *rings, GArray *checked, GError **error)
{
  gsize n = g_variant_n_children (rings);
  if (n == 0 || n > WPR_BROKER_RINGS_MOST)
    return refuse (error, N_ ("A recording has at least one set of rings, and not many."));
  for (gsize i = 0; i < n; i++)
    {
      guint64 bytes;
      WprRingSpec spec = { 0 };
      g_variant_get_child (rings, i, WPR_BROKER_RING, &bytes, &spec.backward, &spec.watermark);
      if (!wpr_broker_check_bytes (bytes, error))
        return FALSE;
      spec.bytes = (gsize)bytes;
      g_array_append_val (checked, spec);
    }
  return TRUE;
}

gboolean
wpr_broker_check_cpus (const guint32 *cpus, gsize n, GError **error)
{
  guint possible = wpr_cpus_possible ();
  for (gsize i = 0; i < n; i++)
    if (cpus[i] >= possible || (i > 0 && cpus[i] <= cpus[i - 1]))
      return refuse (error, N_ ("The list of CPUs is not one of this machine's."));
  return n > 0 || refuse (error, N_ ("The list of CPUs is not one of this machine's."));
}
