/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"
#include "sink/machine-facts.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netpacket/packet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR_BYTES 512
/* How long Linux keeps a closed connection; no setting. */
#define TIME_WAIT_SECONDS 60

char *
wpr_machine_line (const char *root, const char *path)
{
  g_autofree char *whole = g_strconcat (root, path, NULL), *text = NULL;

  if (!g_file_get_contents (whole, &text, NULL, NULL))
    return g_strdup ("");
  text[strcspn (text, "\n")] = '\0';
  return g_strdup (g_strstrip (text));
}

static guint64
number (const char *root, const char *path)
{
  g_autofree char *line = wpr_machine_line (root, path);

  return g_ascii_strtoull (line, NULL, 10);
}

/* ---- processor ---- */

/* The first processor's; others differ only in hybrids, and only in their model. */
static void
read_cpuinfo (WprMachineFacts *facts, const char *root)
{
  static const char *const names[] = { "cpu family", "model", "stepping" };
  guint *values[] = { &facts->family, &facts->model, &facts->stepping };
  g_autofree char *path = g_strconcat (root, "/proc/cpuinfo", NULL), *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      char *colon = strchr (lines[i], ':');

      if (colon == NULL)
        continue;
      *colon = '\0';
      g_strchomp (lines[i]);
      for (guint k = 0; k < G_N_ELEMENTS (names); k++)
        if (g_str_equal (lines[i], names[k]))
          *values[k] = (guint)g_ascii_strtoull (colon + 1, NULL, 10);
    }
}

static void
read_cores (WprMachineFacts *facts, const char *root)
{
  for (guint cpu = 0; cpu < 64; cpu++)
    {
      g_autofree char *path
          = g_strdup_printf ("/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", cpu);
      g_autofree char *line = wpr_machine_line (root, path);

      if (strpbrk (line, ",-") != NULL)
        facts->shared_cores |= G_GUINT64_CONSTANT (1) << cpu;
    }
}

static gboolean
has_word (const char *line, const char *word)
{
  g_auto (GStrv) words = g_strsplit_set (line, " []", -1);

  return g_strv_contains ((const char *const *)words, word);
}

static void
read_sleeps (WprMachineFacts *facts, const char *root)
{
  g_autofree char *state = wpr_machine_line (root, "/sys/power/state");
  g_autofree char *mem = wpr_machine_line (root, "/sys/power/mem_sleep");

  facts->sleeps[0] = has_word (state, "standby") || has_word (mem, "shallow");
  facts->sleeps[2] = has_word (mem, "deep");
  facts->sleeps[3] = has_word (state, "disk");
  facts->sleeps[4] = TRUE; /* any machine can be off */
}

/* ---- names ---- */

static char *
read_system (const char *root)
{
  g_autofree char *path = g_strconcat (root, "/etc/os-release", NULL), *text = NULL;
  const char *at;
  g_autofree char *value = NULL;
  char *name;

  if (!g_file_get_contents (path, &text, NULL, NULL)
      || (at = strstr (text, "PRETTY_NAME=")) == NULL)
    return g_strdup ("Linux");
  at += strlen ("PRETTY_NAME=");
  value = g_strndup (at, strcspn (at, "\n"));
  name = g_shell_unquote (value, NULL);
  return name != NULL ? name : g_steal_pointer (&value);
}

static char *
read_name_servers (const char *root)
{
  g_autofree char *path = g_strconcat (root, "/etc/resolv.conf", NULL), *text = NULL;
  g_autoptr (GString) servers = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return g_strdup ("");
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      char server[64];

      if (sscanf (lines[i], "nameserver %63s", server) == 1)
        g_string_append_printf (servers, "%s%s", servers->len > 0 ? ";" : "", server);
    }
  return g_string_free (g_steal_pointer (&servers), FALSE);
}

/* ---- volumes ---- */

static void
volume_free (gpointer data)
{
  WprMachineVolume *volume = data;

  g_free (volume->path);
  g_free (volume->type);
  g_free (volume);
}

/* mountinfo writes space, tab, newline and backslash as \040 and the like. */
static char *
unescape (const char *text)
{
  return g_strcompress (text);
}

/* A partition lies in its disk's folder: its own place on it, and the disk's number. */
static void
find_disk (WprMachineVolume *volume, const char *root)
{
  g_autofree char *link
      = g_strdup_printf ("/sys/dev/block/%u:%u", volume->dev >> 20, volume->dev & 0xfffff);
  g_autofree char *partition = g_strconcat (link, "/partition", NULL);
  g_autofree char *size = g_strconcat (link, "/size", NULL);
  g_autofree char *start = g_strconcat (link, "/start", NULL);
  g_autofree char *parent = g_strconcat (link, "/../dev", NULL);
  g_autofree char *line = wpr_machine_line (root, parent);
  guint major, minor;

  volume->partition = (guint32)number (root, partition);
  volume->size = number (root, size) * SECTOR_BYTES;
  volume->start = number (root, start) * SECTOR_BYTES;
  volume->disk = volume->dev;
  if (volume->partition > 0 && sscanf (line, "%u:%u", &major, &minor) == 2)
    volume->disk = major << 20 | (minor & 0xfffff);
}

static gboolean
is_known (const WprMachineFacts *facts, guint32 dev)
{
  for (guint i = 0; i < facts->volumes->len; i++)
    if (((WprMachineVolume *)g_ptr_array_index (facts->volumes, i))->dev == dev)
      return TRUE;
  return FALSE;
}

/* "id parent major:minor root place options .. - type source options"; file systems without a disk
 * have major 0. */
static void
take_mount (WprMachineFacts *facts, const char *line, const char *root)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  guint n = g_strv_length (words), dash = 6, major, minor;
  WprMachineVolume *volume;

  while (dash < n && !g_str_equal (words[dash], "-"))
    dash++;
  if (dash + 1 >= n || sscanf (words[2], "%u:%u", &major, &minor) != 2 || major == 0
      || is_known (facts, major << 20 | minor))
    return;
  volume = g_new0 (WprMachineVolume, 1);
  volume->dev = major << 20 | (minor & 0xfffff);
  volume->path = unescape (words[4]);
  volume->type = g_strdup (words[dash + 1]);
  find_disk (volume, root);
  g_ptr_array_add (facts->volumes, volume);
}

static void
read_volumes (WprMachineFacts *facts, const char *root)
{
  g_autofree char *path = g_strconcat (root, "/proc/self/mountinfo", NULL), *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    take_mount (facts, lines[i], root);
}

/* ---- network ---- */

static void
network_free (gpointer data)
{
  WprMachineNetwork *network = data;

  g_free (network->name);
  g_free (network->addresses);
  g_free (network);
}

static WprMachineNetwork *
network_of (WprMachineFacts *facts, const char *name)
{
  WprMachineNetwork *network;

  for (guint i = 0; i < facts->networks->len; i++)
    {
      network = g_ptr_array_index (facts->networks, i);
      if (g_str_equal (network->name, name))
        return network;
    }
  network = g_new0 (WprMachineNetwork, 1);
  network->name = g_strdup (name);
  network->index = if_nametoindex (name);
  network->addresses = g_strdup ("");
  g_ptr_array_add (facts->networks, network);
  return network;
}

static void
take_address (WprMachineNetwork *network, const struct sockaddr *address)
{
  char text[INET6_ADDRSTRLEN] = "";
  const struct sockaddr_ll *link = (const struct sockaddr_ll *)address;
  char *joined;

  if (address->sa_family == AF_PACKET)
    {
      network->mac_size = MIN (link->sll_halen, sizeof network->mac);
      memcpy (network->mac, link->sll_addr, network->mac_size);
      return;
    }
  if (address->sa_family == AF_INET)
    inet_ntop (AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, sizeof text);
  else if (address->sa_family == AF_INET6)
    inet_ntop (AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text, sizeof text);
  if (text[0] == '\0')
    return;
  joined = network->addresses[0] != '\0' ? g_strjoin (";", network->addresses, text, NULL)
                                         : g_strdup (text);
  g_free (network->addresses);
  network->addresses = joined;
}

static void
read_networks (WprMachineFacts *facts)
{
  struct ifaddrs *all = NULL;

  if (getifaddrs (&all) != 0)
    return;
  for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next)
    if (one->ifa_addr != NULL && (one->ifa_flags & IFF_LOOPBACK) == 0)
      take_address (network_of (facts, one->ifa_name), one->ifa_addr);
  freeifaddrs (all);
}

/* ---- all ---- */

WprMachineFacts *
wpr_machine_facts_read (const char *root)
{
  WprMachineFacts *facts = g_new0 (WprMachineFacts, 1);
  g_autofree char *ports = wpr_machine_line (root, "/proc/sys/net/ipv4/ip_local_port_range");
  const char *last = strpbrk (ports, " \t");

  facts->manufacturer = wpr_machine_line (root, "/sys/class/dmi/id/sys_vendor");
  facts->product = wpr_machine_line (root, "/sys/class/dmi/id/product_name");
  facts->bios_date = wpr_machine_line (root, "/sys/class/dmi/id/bios_date");
  facts->bios_version = wpr_machine_line (root, "/sys/class/dmi/id/bios_version");
  facts->system = read_system (root);
  facts->name_servers = read_name_servers (root);
  facts->most_port = last != NULL ? (guint32)g_ascii_strtoull (last, NULL, 10) : 0;
  facts->most_hashed = (guint32)number (root, "/proc/sys/net/ipv4/tcp_ehash_entries");
  facts->time_wait = TIME_WAIT_SECONDS;
  facts->volumes = g_ptr_array_new_with_free_func (volume_free);
  facts->networks = g_ptr_array_new_with_free_func (network_free);
  read_cpuinfo (facts, root);
  read_cores (facts, root);
  read_sleeps (facts, root);
  read_volumes (facts, root);
  read_networks (facts);
  return facts;
}

void
wpr_machine_facts_free (WprMachineFacts *facts)
{
  if (facts == NULL)
    return;
  g_free (facts->manufacturer);
  g_free (facts->product);
  g_free (facts->bios_date);
  g_free (facts->bios_version);
  g_free (facts->system);
  g_free (facts->name_servers);
  g_ptr_array_unref (facts->volumes);
  g_ptr_array_unref (facts->networks);
  g_free (facts);
}
