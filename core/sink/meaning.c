/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "sink/meaning.h"

#include <netinet/in.h>
#include <string.h>

/* The first row that fits counts. NULL and 0 fit all; a name that begins with an asterisk is the
 * end of one. `array`: of bytes, as a number of that size would not be. The kernel's records give
 * ports in the machine's order, but for those of the type __be16. */
static const struct
{
  const char *system, *type, *name;
  guint size;
  gboolean array;
  WprMeaning meaning;
} rows[] = {
  { NULL, "bool", NULL, 1, FALSE, WPR_MEANS_BOOL },
  { NULL, "_Bool", NULL, 1, FALSE, WPR_MEANS_BOOL },

  { NULL, NULL, "saddr", 4, TRUE, WPR_MEANS_IPV4 },
  { NULL, NULL, "daddr", 4, TRUE, WPR_MEANS_IPV4 },
  { NULL, NULL, "saddr_v6", 16, TRUE, WPR_MEANS_IPV6 },
  { NULL, NULL, "daddr_v6", 16, TRUE, WPR_MEANS_IPV6 },
  { NULL, NULL, "saddr", sizeof (struct sockaddr_in6), TRUE, WPR_MEANS_SOCKADDR },
  { NULL, NULL, "daddr", sizeof (struct sockaddr_in6), TRUE, WPR_MEANS_SOCKADDR },
  { NULL, "__u16", "sport", 2, FALSE, WPR_MEANS_PORT },
  { NULL, "__u16", "dport", 2, FALSE, WPR_MEANS_PORT },

  /* The scheduler and signals say pid and mean a thread. */
  { "sched", NULL, "*pid", 4, FALSE, WPR_MEANS_TID },
  { "signal", NULL, "pid", 4, FALSE, WPR_MEANS_TID },
  { "cgroup", NULL, "pid", 4, FALSE, WPR_MEANS_TID },
  { "task", NULL, "pid", 4, FALSE, WPR_MEANS_TID },
  { NULL, NULL, "*tgid", 4, FALSE, WPR_MEANS_PID },
  { NULL, "pid_t", "*pid", 4, FALSE, WPR_MEANS_PID },
  { "oom", NULL, "pid", 4, FALSE, WPR_MEANS_PID },

  { NULL, NULL, "call_site", 8, FALSE, WPR_MEANS_CODE },
  { NULL, NULL, "caller_ip", 8, FALSE, WPR_MEANS_CODE },
  { NULL, NULL, "caller", 8, FALSE, WPR_MEANS_CODE },
  { NULL, NULL, "location", 8, FALSE, WPR_MEANS_CODE },
  { NULL, NULL, "function", 8, FALSE, WPR_MEANS_CODE },
  { NULL, NULL, "func", 8, FALSE, WPR_MEANS_CODE },

  { NULL, "gfp_t", NULL, 0, FALSE, WPR_MEANS_HEX },
  { NULL, "dev_t", NULL, 0, FALSE, WPR_MEANS_HEX }, /* 12 bits major, 20 bits minor */
  { NULL, NULL, "*flags", 0, FALSE, WPR_MEANS_HEX },
  { NULL, NULL, "*addr", 8, FALSE, WPR_MEANS_HEX },
  { NULL, NULL, "address", 8, FALSE, WPR_MEANS_HEX },
  { NULL, NULL, "ip", 8, FALSE, WPR_MEANS_HEX },
  { NULL, NULL, "brk", 8, FALSE, WPR_MEANS_HEX },
  { NULL, NULL, "prot", 8, FALSE, WPR_MEANS_HEX },
  { NULL, NULL, "error_code", 0, FALSE, WPR_MEANS_HEX },
  { NULL, NULL, "*mask", 0, FALSE, WPR_MEANS_HEX },
  { NULL, NULL, "*pfn", 8, FALSE, WPR_MEANS_HEX },
  { "raw_syscalls", NULL, "args", 0, FALSE, WPR_MEANS_HEX },
};

static gboolean
name_fits (const char *wanted, const char *name)
{
  if (wanted == NULL)
    return TRUE;
  return wanted[0] == '*' ? g_str_has_suffix (name, wanted + 1) : g_str_equal (name, wanted);
}

/* Bytes one by one, of a known number. */
static gboolean
is_byte_array (const WprField *field)
{
  return (field->flags & WPR_FIELD_ARRAY) != 0
         && (field->flags & (WPR_FIELD_DYNAMIC | WPR_FIELD_STRING)) == 0
         && field->element_size <= 1;
}

/* An array's type is written with its length. */
static gboolean
type_fits (const char *wanted, const WprField *field)
{
  return wanted == NULL || (field->type != NULL && g_str_equal (field->type, wanted));
}

WprMeaning
wpr_field_meaning (const char *system, const WprField *field)
{
  if ((field->flags & WPR_FIELD_STRING) != 0)
    return WPR_MEANS_NUMBER;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if ((rows[i].system == NULL || g_strcmp0 (rows[i].system, system) == 0)
        && (rows[i].size == 0 || rows[i].size == field->size)
        && (!rows[i].array || is_byte_array (field)) && name_fits (rows[i].name, field->name)
        && type_fits (rows[i].type, field))
      return rows[i].meaning;
  return (field->flags & WPR_FIELD_POINTER) != 0 ? WPR_MEANS_HEX : WPR_MEANS_NUMBER;
}
