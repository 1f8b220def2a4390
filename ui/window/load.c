/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of /proc. */
#include "config.h"
#include "load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S 1000000000
/* Columns of a line of diskstats, from 1: name, and requests completed of each kind. */
#define DISK_NAME 3
static const guint disk_columns[] = { 4, 8, 15, 19 }; /* read, written, discarded, flushed */
/* Columns of the line "softirq", from 1, behind the total: HI TIMER NET_TX NET_RX BLOCK IRQ_POLL
 * TASKLET ... */
#define SOFTIRQ_HI 2
#define SOFTIRQ_TIMER 3
#define SOFTIRQ_TASKLET 8
/* Columns of net/dev behind the colon, from 1: packets received and sent. */
#define NET_RECEIVED 2
#define NET_SENT 10

/* The nth word of a line that is a number, from 1; 0 if there is none. */
static guint64
nth_number (const char *line, guint n)
{
  const char *at = line;
  for (guint i = 1;; i++)
    {
      at += strspn (at, " \t");
      if (*at == '\0' || *at == '\n')
        return 0;
      if (i == n)
        return g_ascii_strtoull (at, NULL, 10);
      at += strcspn (at, " \t\n");
    }
}

/* Calls func with each line of the text. */
typedef void (*LineFunc) (WprLoad *load, const char *line, gpointer data);

static void
each_line (WprLoad *load, const char *text, LineFunc func, gpointer data)
{
  for (const char *line = text; line != NULL && *line != '\0';)
    {
      func (load, line, data);
      const char *end = strchr (line, '\n');
      line = end != NULL ? end + 1 : NULL;
    }
}

/* ---- stat ---- */

/* The first number is of all interrupts, one a device follows. */
static void
take_interrupts (WprLoad *load, const char *numbers)
{
  char *at = NULL;
  guint64 total = g_ascii_strtoull (numbers, &at, 10), devices = 0;
  while (at != NULL && *at == ' ')
    devices += g_ascii_strtoull (at + 1, &at, 10);
  load->counts[WPR_LOAD_IRQS] = devices;
  load->counts[WPR_LOAD_VECTORS] = total > devices ? total - devices : 0;
}

/* user nice system idle iowait irq softirq steal, in ticks. */
static void
take_busy (WprLoad *load, const char *numbers)
{
  static const guint busy[] = { 1, 2, 3, 6, 7 };
  guint64 ticks = 0;
  for (guint i = 0; i < G_N_ELEMENTS (busy); i++)
    ticks += nth_number (numbers, busy[i]);
  load->counts[WPR_LOAD_BUSY_NS] = ticks * (NS_PER_S / (guint64)sysconf (_SC_CLK_TCK));
}

static void
take_stat_line (WprLoad *load, const char *line, gpointer data)
{
  if (g_str_has_prefix (line, "cpu "))
    take_busy (load, line + 4);
  else if (g_str_has_prefix (line, "intr "))
    take_interrupts (load, line + 5);
  else if (g_str_has_prefix (line, "ctxt "))
    load->counts[WPR_LOAD_SWITCHES] = nth_number (line + 5, 1);
  else if (g_str_has_prefix (line, "processes "))
    load->counts[WPR_LOAD_FORKS] = nth_number (line + 10, 1);
  else if (g_str_has_prefix (line, "softirq "))
    {
      const char *numbers = line + 8;
      load->counts[WPR_LOAD_SOFTIRQS] = nth_number (numbers, 1);
      load->counts[WPR_LOAD_TASKLETS]
          = nth_number (numbers, SOFTIRQ_HI) + nth_number (numbers, SOFTIRQ_TASKLET);
      load->counts[WPR_LOAD_TIMERS] = nth_number (numbers, SOFTIRQ_TIMER);
    }
}

void
wpr_load_parse_stat (WprLoad *load, const char *text)
{
  each_line (load, text, take_stat_line, NULL);
}

/* ---- vmstat ---- */

static void
take_vmstat_line (WprLoad *load, const char *line, gpointer data)
{
  static const struct
  {
    const char *begin;
    WprLoadKind kind;
  } rows[] = {
    { "pgfault ", WPR_LOAD_FAULTS },
    { "pgmajfault ", WPR_LOAD_MAJFAULTS },
    { "pgalloc_", WPR_LOAD_ALLOCS }, /* one line a zone */
    { "pgfree ", WPR_LOAD_FREES },
  };
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_has_prefix (line, rows[i].begin))
      load->counts[rows[i].kind] += nth_number (line, 2);
}

void
wpr_load_parse_vmstat (WprLoad *load, const char *text)
{
  each_line (load, text, take_vmstat_line, NULL);
}

/* ---- net, disks ---- */

static void
take_net_line (WprLoad *load, const char *line, gpointer data)
{
  gsize length = strcspn (line, ":\n");
  if (line[length] == ':')
    load->counts[WPR_LOAD_PACKETS]
        += nth_number (line + length + 1, NET_RECEIVED) + nth_number (line + length + 1, NET_SENT);
}

void
wpr_load_parse_netdev (WprLoad *load, const char *text)
{
  each_line (load, text, take_net_line, NULL);
}

static void
take_disk_line (WprLoad *load, const char *line, gpointer data)
{
  gboolean (*is_disk) (const char *) = (gboolean (*) (const char *))data;
  g_autofree char *copy = g_strndup (line, strcspn (line, "\n"));
  g_auto (GStrv) words = g_strsplit_set (copy, " ", -1);
  guint column = 0;
  guint64 requests = 0;
  for (char **word = words; *word != NULL; word++)
    {
      if (**word == '\0')
        continue;
      column++;
      if (column == DISK_NAME && !is_disk (*word))
        return;
      for (guint i = 0; i < G_N_ELEMENTS (disk_columns); i++)
        if (column == disk_columns[i])
          requests += g_ascii_strtoull (*word, NULL, 10);
    }
  load->counts[WPR_LOAD_DISK] += requests;
}

void
wpr_load_parse_diskstats (WprLoad *load, const char *text, gboolean (*is_disk) (const char *name))
{
  each_line (load, text, take_disk_line, (gpointer)is_disk);
}

/* ---- reading ---- */

/* A partition's requests are its disk's too. */
static gboolean
is_whole_disk (const char *name)
{
  g_autofree char *path = g_build_filename ("/sys/block", name, NULL);
  return access (path, F_OK) == 0;
}

static char *
read_file (const char *path)
{
  char *text = NULL;
  return g_file_get_contents (path, &text, NULL, NULL) ? text : g_strdup ("");
}

void
wpr_load_read (WprLoad *load)
{
  *load = (WprLoad){ .time_us = g_get_monotonic_time () };
  g_autofree char *stat = read_file ("/proc/stat");
  g_autofree char *vmstat = read_file ("/proc/vmstat");
  g_autofree char *netdev = read_file ("/proc/net/dev");
  g_autofree char *disks = read_file ("/proc/diskstats");
  wpr_load_parse_stat (load, stat);
  wpr_load_parse_vmstat (load, vmstat);
  wpr_load_parse_netdev (load, netdev);
  wpr_load_parse_diskstats (load, disks, is_whole_disk);
}

void
wpr_load_rates (const WprLoad *before, const WprLoad *after, double rates[WPR_LOAD_N])
{
  double span_s = (double)(after->time_us - before->time_us) / G_USEC_PER_SEC;
  for (guint i = 0; i < WPR_LOAD_N; i++)
    {
      /* a network device that went takes its packets along */
      guint64 moved
          = after->counts[i] > before->counts[i] ? after->counts[i] - before->counts[i] : 0;
      rates[i] = span_s > 0 ? (double)moved / span_s : 0;
    }
}
