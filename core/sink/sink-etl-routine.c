/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses of what interrupts and is called. Windows' layouts name a routine by its address: a
 * softirq's and a system call's is the kernel function's. What has a name and no address (a
 * device's interrupt; a function, where the kernel hides its symbols or the recording is of an
 * earlier boot) gets a page of its own in a range the kernel leaves unused, as an image of that
 * name, so that a viewer shows the name. Each routine is told once as Linux.Recorder/Routine,
 * before its first use. */
#include "config.h"
#include "sink/kallsyms.h"
#include "sink/sink-etl-private.h"

#define OUT_HEX 4
/* The last 2 MiB of addresses: a hole on x86-64 and on arm64. The very last page holds the values
 * by which the kernel marks the parts of a stack. */
#define FIRST_PAGE G_GUINT64_CONSTANT (0xffffffffffe00000)
#define PAGE_BYTES 4096
#define MOST_PAGES 511
#define MOST_CALLS 1024 /* numbers go to about 470 */
#define N_SOFTIRQS 10

typedef struct
{
  char *path; /* "\Driver\eth0" */
  guint64 address;
} Page;

struct _WprRoutines
{
  gboolean looked_up;
  GArray *pages;       /* Page */
  GHashTable *by_path; /* -> guint64 *, the page's address */
  WprEtlSchema *schema;
  guint64 calls[MOST_CALLS], softirqs[N_SOFTIRQS];
  gboolean told_calls[MOST_CALLS], told_softirqs[N_SOFTIRQS];
};

static const char *const call_names[MOST_CALLS] = {
#include "sink/syscall-names.inc"
};

/* Calls whose function has another name than the call. */
static const struct
{
  const char *call, *function;
} renamed[] = {
  { "stat", "newstat" },   { "fstat", "newfstat" },      { "lstat", "newlstat" },
  { "uname", "newuname" }, { "sendfile", "sendfile64" }, { "umount2", "umount" },
};

/* How architectures begin the names of their calls' functions. */
static const char *const prefixes[]
    = { "__x64_sys_", "__arm64_sys_", "__riscv_sys_", "__loongarch_sys_", "__s390x_sys_", "sys_" };

/* By number; the functions' names have changed over the years. */
static const struct
{
  const char *name, *functions[2];
} softirqs[N_SOFTIRQS] = {
  { "HI", { "tasklet_hi_action" } },
  { "TIMER", { "run_timer_softirq" } },
  { "NET_TX", { "net_tx_action" } },
  { "NET_RX", { "net_rx_action" } },
  { "BLOCK", { "blk_done_softirq" } },
  { "IRQ_POLL", { "irq_poll_softirq" } },
  { "TASKLET", { "tasklet_action" } },
  { "SCHED", { "sched_balance_softirq", "run_rebalance_domains" } },
  { "HRTIMER", { "hrtimer_run_softirq" } },
  { "RCU", { "rcu_core_si", "rcu_process_callbacks" } },
};

static void
page_clear (gpointer data)
{
  g_free (((Page *)data)->path);
}

WprRoutines *
wpr_routines_new (void)
{
  WprRoutines *self = g_new0 (WprRoutines, 1);

  self->pages = g_array_new (FALSE, FALSE, sizeof (Page));
  g_array_set_clear_func (self->pages, page_clear);
  self->by_path = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->schema = wpr_etl_schema_new ("Linux.Recorder", "Routine");
  wpr_etl_schema_add_field (self->schema, "Address", WPR_TL_U64, OUT_HEX, 0);
  wpr_etl_schema_add_field (self->schema, "Kind", WPR_TL_STRING8, 0, 0);
  wpr_etl_schema_add_field (self->schema, "Number", WPR_TL_U32, 0, 0);
  wpr_etl_schema_add_field (self->schema, "Name", WPR_TL_STRING8, 0, 0);
  return self;
}

void
wpr_routines_free (WprRoutines *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->pages);
  g_hash_table_unref (self->by_path);
  wpr_etl_schema_free (self->schema);
  g_free (self);
}

/* ---- the kernel's functions ---- */

static const char *
call_function (guint nr)
{
  for (guint i = 0; i < G_N_ELEMENTS (renamed); i++)
    if (g_strcmp0 (call_names[nr], renamed[i].call) == 0)
      return renamed[i].function;
  return call_names[nr];
}

gboolean
wpr_sink_etl_is_this_boot (const WprSinkEtl *self)
{
  g_autofree char *now = NULL;

  return self->context->manifest->boot_id != NULL
         && g_file_get_contents ("/proc/sys/kernel/random/boot_id", &now, NULL, NULL)
         && g_str_equal (g_strstrip (now), self->context->manifest->boot_id);
}

static void
look_up (WprSinkEtl *self)
{
  WprRoutines *routines = self->routines;
  g_autoptr (GHashTable) wanted = NULL;

  if (routines->looked_up)
    return;
  routines->looked_up = TRUE;
  if (!wpr_sink_etl_is_this_boot (self)) /* addresses hold for one boot only */
    return;
  wanted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < N_SOFTIRQS; i++)
    for (guint k = 0; k < G_N_ELEMENTS (softirqs[i].functions); k++)
      if (softirqs[i].functions[k] != NULL)
        g_hash_table_insert (wanted, g_strdup (softirqs[i].functions[k]), &routines->softirqs[i]);
  for (guint nr = 0; nr < MOST_CALLS; nr++)
    for (guint k = 0; call_names[nr] != NULL && k < G_N_ELEMENTS (prefixes); k++)
      g_hash_table_insert (wanted, g_strconcat (prefixes[k], call_function (nr), NULL),
                           &routines->calls[nr]);
  wpr_kallsyms_find (self->context->kallsyms ? self->context->kallsyms : "/proc/kallsyms", wanted);
}

/* ---- pages ---- */

static gboolean
write_page (WprSinkEtl *self, gboolean end, guint cpu, gint64 time, const Page *page,
            GError **error)
{
  WprImage image = { .base = page->address, .size = PAGE_BYTES, .path = page->path };

  return wpr_sink_etl_kernel_image (self, end, cpu, time, &image, error);
}

/* The page of a name, which is made when it is first asked for. */
static gboolean
page_of (WprSinkEtl *self, const WprEvent *event, const char *folder, const char *name,
         gboolean *is_new, guint64 *address, GError **error)
{
  WprRoutines *routines = self->routines;
  g_autofree char *path = g_strconcat ("\\", folder, "\\", name, NULL);
  guint64 *found = g_hash_table_lookup (routines->by_path, path);
  Page page;

  *is_new = found == NULL;
  if (found == NULL && routines->pages->len >= MOST_PAGES - 1)
    {
      /* A machine with that many interrupts: the rest share the last page. */
      g_free (path);
      path = g_strdup ("\\Driver\\(others)");
      found = g_hash_table_lookup (routines->by_path, path);
      *is_new = found == NULL;
    }
  if (found != NULL)
    {
      *address = *found;
      return TRUE;
    }
  page = (Page){ g_strdup (path), FIRST_PAGE + (guint64)routines->pages->len * PAGE_BYTES };
  g_array_append_val (routines->pages, page);
  *address = page.address;
  g_hash_table_insert (routines->by_path, g_steal_pointer (&path),
                       g_memdup2 (&page.address, sizeof page.address));
  return write_page (self, FALSE, event->cpu, event->time, &page, error);
}

gboolean
wpr_sink_etl_begin_routines (WprSinkEtl *self, GError **error)
{
  WprRoutines *routines = self->routines;

  memset (routines->told_calls, 0, sizeof routines->told_calls);
  memset (routines->told_softirqs, 0, sizeof routines->told_softirqs);
  for (guint i = 0; i < routines->pages->len; i++)
    if (!write_page (self, FALSE, 0, self->context->start_time,
                     &g_array_index (routines->pages, Page, i), error))
      return FALSE;
  return TRUE;
}

gboolean
wpr_sink_etl_end_routines (WprSinkEtl *self, GError **error)
{
  const GArray *pages = self->routines->pages;

  for (guint i = 0; i < pages->len; i++)
    if (!write_page (self, TRUE, 0, self->context->end_time, &g_array_index (pages, Page, i),
                     error))
      return FALSE;
  return TRUE;
}

/* ---- asked for ---- */

static gboolean
tell (WprSinkEtl *self, const WprEvent *event, guint64 address, const char *kind, guint32 number,
      const char *name, GError **error)
{
  guint32 pid = self->context->manifest->recorder_pid;
  WprEtlHead head = { .pid = pid, .tid = pid };
  WprPayload payload;

  wpr_sink_etl_saw_address (self, 0, address);
  wpr_etl_schema_fill_head (self->routines->schema, &head);
  wpr_payload_init (&payload, self->scratch, WPR_SCRATCH_BYTES);
  wpr_payload_u64 (&payload, address);
  wpr_payload_text (&payload, kind, -1, WPR_MOST_PATH);
  wpr_payload_u32 (&payload, number);
  wpr_payload_text (&payload, name, -1, WPR_MOST_PATH);
  return wpr_sink_etl_add (self, event->cpu, event->time, &head, &payload, error);
}

gboolean
wpr_sink_etl_interrupt_routine (WprSinkEtl *self, const WprEvent *event, guint64 *address,
                                GError **error)
{
  const char *name = event->u.interrupt.name;
  gboolean is_new;

  if (!page_of (self, event, "Driver", name[0] != '\0' ? name : "(no name)", &is_new, address,
                error))
    return FALSE;
  return !is_new
         || tell (self, event, *address, "interrupt", event->u.interrupt.number, name, error);
}

gboolean
wpr_sink_etl_softirq_routine (WprSinkEtl *self, const WprEvent *event, guint64 *address,
                              GError **error)
{
  WprRoutines *routines = self->routines;
  guint32 number = event->u.interrupt.number;
  g_autofree char *unknown = NULL;
  const char *name;
  gboolean is_new;

  look_up (self);
  if (number >= N_SOFTIRQS)
    name = unknown = g_strdup_printf ("%u", number);
  else
    name = softirqs[number].name;
  if (number < N_SOFTIRQS && routines->softirqs[number] != 0)
    {
      *address = routines->softirqs[number];
      is_new = !routines->told_softirqs[number];
      routines->told_softirqs[number] = TRUE;
    }
  else if (!page_of (self, event, "SoftIrq", name, &is_new, address, error))
    return FALSE;
  return !is_new || tell (self, event, *address, "softirq", number, name, error);
}

static gboolean
first_call (WprSinkEtl *self, const WprEvent *event, guint nr, guint64 *address, GError **error)
{
  WprRoutines *routines = self->routines;
  g_autofree char *unknown = NULL;
  const char *name = nr < MOST_CALLS ? call_names[nr] : NULL;
  gboolean is_new = TRUE;

  look_up (self);
  if (name == NULL)
    name = unknown = g_strdup_printf ("%u", nr);
  *address = nr < MOST_CALLS ? routines->calls[nr] : 0;
  if (*address == 0 && !page_of (self, event, "SystemCall", name, &is_new, address, error))
    return FALSE;
  if (nr < MOST_CALLS)
    {
      routines->calls[nr] = *address;
      routines->told_calls[nr] = TRUE;
    }
  return !is_new || tell (self, event, *address, "system call", nr, name, error);
}

gboolean
wpr_sink_etl_call_routine (WprSinkEtl *self, const WprEvent *event, guint64 *address,
                           GError **error)
{
  guint64 nr = (guint64)event->u.syscall.nr;

  if (G_LIKELY (nr < MOST_CALLS && self->routines->told_calls[nr]))
    {
      *address = self->routines->calls[nr];
      return TRUE;
    }
  return first_call (self, event, (guint)MIN (nr, G_MAXUINT32), address, error);
}
