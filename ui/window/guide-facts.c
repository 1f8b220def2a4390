/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events and what they carry. An event nobody knows here may carry anything: that is said. */
#include "config.h"
#include "guide-facts.h"

#include <glib/gi18n.h>
#include <string.h>

typedef enum
{
  FACT_FILES = 1 << 0,     /* names of the files that are opened */
  FACT_NETWORK = 1 << 1,   /* addresses */
  FACT_CALLS = 1 << 2,     /* each system call; its numbers, not what they point to */
  FACT_KERNEL = 1 << 3,    /* call stacks of the kernel.. */
  FACT_FUNCTIONS = 1 << 4, /* ..and of programs */
  FACT_OTHERS = 1 << 5,    /* events that are not in the table below */
} Fact;

/* First match wins. What stands here carries times, numbers and names of threads, and what its row
 * says. */
static const struct
{
  const char *pattern;
  guint facts;
} rows[] = {
  { "kprobe:do_filp_open", FACT_FILES },
  { "kprobe:do_unlinkat", FACT_FILES },
  { "kprobe:do_renameat2", FACT_FILES },
  { "kprobe:do_mkdirat", FACT_FILES },
  { "kprobe:vfs_statx", FACT_FILES },
  { "raw_syscalls:*", FACT_CALLS },
  { "syscalls:sys_*_mmap", FACT_CALLS },
  { "syscalls:sys_*_munmap", FACT_CALLS },
  { "syscalls:sys_*_mremap", FACT_CALLS },
  { "syscalls:sys_*_brk", FACT_CALLS },
  { "syscalls:sys_*_madvise", FACT_CALLS },
  { "syscalls:sys_*_mprotect", FACT_CALLS },
  { "syscalls:sys_*_futex", FACT_CALLS },
  { "syscalls:sys_*_setpriority", FACT_CALLS },
  { "syscalls:sys_*_sched_*", FACT_CALLS },
  /* of a descriptor the file it is of is looked up */
  { "syscalls:*", FACT_CALLS | FACT_FILES },
  { "sock:*", FACT_NETWORK },
  { "tcp:*", FACT_NETWORK },
  { "skb:*", FACT_NETWORK },
  { "cfg80211:*", FACT_NETWORK },
  { "mac80211:*", FACT_NETWORK },
  { "sched:*", 0 },
  { "task:*", 0 },
  { "module:*", 0 },
  { "irq:*", 0 },
  { "irq_vectors:*", 0 },
  { "ipi:*", 0 },
  { "workqueue:*", 0 },
  { "timer:*", 0 },
  { "lock:*", 0 },
  { "block:*", 0 },
  { "filemap:*", 0 },
  { "writeback:*", 0 },
  { "scsi:*", 0 },
  { "nvme:*", 0 },
  { "ata:*", 0 },
  { "libata:*", 0 },
  { "kmem:*", 0 },
  { "vmscan:*", 0 },
  { "oom:*", 0 },
  { "compaction:*", 0 },
  { "migrate:*", 0 },
  { "exceptions:*", 0 },
  { "power:*", 0 },
  { "thermal:*", 0 },
  { "drm:*", 0 },
  { "gpu_scheduler:*", 0 },
  { "gpu_mem:*", 0 },
  { "dma_fence:*", 0 },
  { "snd_pcm:*", 0 },
  { "v4l2:*", 0 },
  { "vb2:*", 0 },
  { "kvm:*", 0 },
  { "cgroup:*", 0 },
  { "signal:*", 0 },
};

/* So many unknown events are named; more are counted. */
#define MOST_NAMED 4

static guint
find_facts (const WprPlanItem *item)
{
  guint facts = item->stack == WPR_STACK_FULL     ? FACT_KERNEL | FACT_FUNCTIONS
                : item->stack == WPR_STACK_KERNEL ? FACT_KERNEL
                                                  : 0;
  if (item->kind != WPR_ITEM_TRACEPOINT)
    return facts; /* counters, samples and readings: numbers */
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_pattern_match_simple (rows[i].pattern, item->name))
      return facts | rows[i].facts;
  return facts | FACT_OTHERS;
}

/* others: of char *, borrowed: names of the unknown ones; may be NULL. */
static guint
read_facts (const WprPlan *plan, GPtrArray *others)
{
  guint facts = 0;
  for (guint i = 0; i < plan->collectors->len; i++)
    {
      const WprPlanCollector *collector = plan->collectors->pdata[i];
      for (guint j = 0; j < collector->items->len; j++)
        {
          const WprPlanItem *item = collector->items->pdata[j];
          guint found = find_facts (item);
          facts |= found;
          if (others != NULL && (found & FACT_OTHERS) != 0)
            g_ptr_array_add (others, (char *)item->name);
        }
    }
  return facts;
}

/* "input:key, mine:a and 3 more"; NULL if there are none. */
static char *
name_others (const WprPlan *plan)
{
  g_autoptr (GPtrArray) others = g_ptr_array_new ();
  read_facts (plan, others);
  if (others->len == 0)
    return NULL;
  GString *names = g_string_new (NULL);
  guint n_named = MIN (others->len, MOST_NAMED);
  for (guint i = 0; i < n_named; i++)
    g_string_append_printf (names, i > 0 ? _ (", %s") : "%s", (const char *)others->pdata[i]);
  if (others->len > n_named)
    /* Translators: behind a list of names; how many there are beside them */
    g_string_append_printf (names, ngettext (" and %u more", " and %u more", others->len - n_named),
                            others->len - n_named);
  return g_string_free (names, FALSE);
}

static void
add (GPtrArray *lines, const char *line)
{
  g_ptr_array_add (lines, g_strdup (line));
}

GPtrArray *
wpr_guide_list_told (const WprPlan *plan)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  guint facts = read_facts (plan, NULL);
  g_autofree char *others = name_others (plan);
  add (lines, _ ("Command lines of the programs that run"));
  if (facts & FACT_FUNCTIONS)
    add (lines, _ ("Which functions of programs run (call stacks)"));
  else if (facts & FACT_KERNEL)
    add (lines, _ ("Which functions of the kernel run (call stacks)"));
  if (facts & FACT_FILES)
    add (lines, _ ("Names of the files that programs open"));
  if (facts & FACT_NETWORK)
    add (lines, _ ("Addresses of the computers this one talks to"));
  if (others != NULL)
    /* Translators: %s is a list of names of events */
    g_ptr_array_add (lines, g_strdup_printf (_ ("What these events carry: %s"), others));
  return lines;
}

GPtrArray *
wpr_guide_list_untold (const WprPlan *plan)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);
  guint facts = read_facts (plan, NULL);
  /* what is not known to be left out is not said to be */
  if (facts & FACT_OTHERS)
    return lines;
  if (!(facts & FACT_FILES))
    add (lines, _ ("Names of your documents, unless a command line has them"));
  if (!(facts & FACT_NETWORK))
    add (lines, _ ("Which computers this one talks to"));
  if (!(facts & FACT_CALLS))
    add (lines, _ ("Each single request of a program to the system"));
  if (!(facts & FACT_FUNCTIONS))
    add (lines, _ ("Which functions of programs run"));
  return lines;
}

char *
wpr_guide_describe_never (const WprPlan *plan)
{
  g_autofree char *others = name_others (plan);
  if (others == NULL)
    return g_strdup (_ ("Contents of files, passwords you type, pictures of the screen: never."));
  /* Translators: %s is a list of names of events */
  return g_strdup_printf (
      _ ("Contents of files, passwords you type, pictures of the screen: not by "
         "what is known here. Only their makers know what these events carry: "
         "%s."),
      others);
}

char *
wpr_guide_describe_told (const WprPlan *plan)
{
  guint facts = read_facts (plan, NULL);
  g_autofree char *others = name_others (plan);
  GString *text
      = g_string_new (_ ("Names and command lines of the programs that run, your user name, the "
                         "name and the hardware of this computer."));
  if (facts & FACT_FILES)
    g_string_append_printf (text, " %s", _ ("Names of the files that programs open."));
  if (facts & FACT_NETWORK)
    g_string_append_printf (text, " %s", _ ("Addresses of the computers this one talks to."));
  if (others != NULL)
    {
      g_string_append_c (text, ' ');
      /* Translators: %s is a list of names of events */
      g_string_append_printf (text, _ ("And what these events carry: %s."), others);
    }
  g_string_append_printf (text, " %s", _ ("A command line can hold a password."));
  return g_string_free (text, FALSE);
}

const char *
wpr_guide_describe_refusal (const WprGuide *guide)
{
  if (guide->plan == NULL)
    return guide->error;
  return *guide->rights_text ? guide->rights_text
                             : _ ("Nothing of it can be recorded on this computer.");
}
