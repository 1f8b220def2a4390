/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine: what /proc and /sys say, made up and of this machine, and what of it is in the file.
 */
#include "config.h"
#include "sink-kit.h"

#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include "base/files.h"
#include "sink/machine-facts.h"

static void
put (const char *root, const char *path, const char *text)
{
  g_autofree char *whole = g_strconcat (root, path, NULL), *folder = g_path_get_dirname (whole);

  assert_int_equal (g_mkdir_with_parents (folder, 0700), 0);
  assert_true (g_file_set_contents (whole, text, -1, NULL));
}

static void
facts_are_read_from_files (void **state)
{
  g_autofree char *root = g_dir_make_tmp ("wpr-facts-XXXXXX", NULL);

  put (root, "/sys/class/dmi/id/sys_vendor", "Example Corp\n");
  put (root, "/sys/class/dmi/id/bios_date", "04/01/2024\n");
  put (root, "/etc/os-release", "ID=x\nPRETTY_NAME=\"Some Linux 12\"\nHOME_URL=\"\"\n");
  put (root, "/etc/resolv.conf", "# none\nnameserver 192.0.2.1\nsearch x\nnameserver fd00::1\n");
  put (root, "/proc/cpuinfo",
       "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: X\nstepping\t: 7\n\n"
       "processor\t: 1\nmodel\t\t: 99\n");
  put (root, "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n");
  put (root, "/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0,1\n");
  put (root, "/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2\n");
  put (root, "/sys/power/state", "freeze mem disk\n");
  put (root, "/sys/power/mem_sleep", "s2idle [deep]\n");
  put (root, "/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
  put (root, "/proc/sys/net/ipv4/tcp_ehash_entries", "524288\n");
  put (root, "/proc/self/mountinfo",
       "22 1 0:21 / /proc rw shared:5 - proc proc rw\n"
       "27 1 8:2 / / rw,relatime shared:1 master:2 - ext4 /dev/sda2 rw\n"
       "30 27 8:2 /home /srv/home rw - ext4 /dev/sda2 rw\n"
       "31 27 8:16 / /mnt/with\\040space rw - xfs /dev/sdb rw\n"
       "nonsense\n");
  put (root, "/sys/dev/block/8:2/partition", "2\n");
  put (root, "/sys/dev/block/8:2/size", "1000\n");
  put (root, "/sys/dev/block/8:2/start", "2048\n");
  put (root, "/sys/dev/block/dev", "8:0\n"); /* the disk's folder is above */
  put (root, "/sys/dev/block/8:16/size", "4000\n");

  g_autoptr (WprMachineFacts) facts = wpr_machine_facts_read (root);
  assert_string_equal (facts->manufacturer, "Example Corp");
  assert_string_equal (facts->product, "");
  assert_string_equal (facts->bios_date, "04/01/2024");
  assert_string_equal (facts->system, "Some Linux 12");
  assert_string_equal (facts->name_servers, "192.0.2.1;fd00::1");
  assert_int_equal (facts->family, 6);
  assert_int_equal (facts->model, 85);
  assert_int_equal (facts->stepping, 7);
  assert_int_equal (facts->shared_cores, 3);
  assert_true (!facts->sleeps[0] && facts->sleeps[2] && facts->sleeps[3] && facts->sleeps[4]);
  assert_int_equal (facts->most_port, 60999);
  assert_int_equal (facts->most_hashed, 524288);
  assert_int_equal (facts->volumes->len, 2);
  const WprMachineVolume *first = g_ptr_array_index (facts->volumes, 0);
  const WprMachineVolume *second = g_ptr_array_index (facts->volumes, 1);
  assert_string_equal (first->path, "/");
  assert_string_equal (first->type, "ext4");
  assert_int_equal (first->dev, 8 << 20 | 2);
  assert_int_equal (first->disk, 8 << 20);
  assert_int_equal (first->partition, 2);
  assert_int_equal (first->start, 2048 * 512);
  assert_int_equal (first->size, 1000 * 512);
  assert_string_equal (second->path, "/mnt/with space");
  assert_int_equal (second->disk, 8 << 20 | 16);
  assert_int_equal (second->partition, 0);
  assert_true (wpr_remove_tree_at (AT_FDCWD, root, NULL));
}

/* An empty machine: nothing is there, and nothing fails. */
static void
nothing_is_no_fault (void **state)
{
  g_autoptr (WprMachineFacts) facts = wpr_machine_facts_read ("/nonexistent");

  assert_string_equal (facts->manufacturer, "");
  assert_string_equal (facts->system, "Linux");
  assert_int_equal (facts->volumes->len, 0);
}

static guint64
u64 (const guint8 *at)
{
  guint64 value;

  memcpy (&value, at, sizeof value);
  return value;
}

static char *
wide (const guint8 *at)
{
  return g_utf16_to_utf8 ((const gunichar2 *)at, -1, NULL, NULL, NULL);
}

static void
the_file_says_what_the_machine_is (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  g_autoptr (WprMachineFacts) facts = wpr_machine_facts_read ("");
  g_autofree char *boot = wpr_machine_line ("", "/proc/sys/kernel/random/boot_id");
  const guint8 *at;
  guint size;

  kit->manifest->boot_id = g_strdup (boot);
  kit_begin (kit);
  kit_finish (kit);
  at = kit_hook (kit, 0x0b0a, 0, &size);
  assert_int_equal (size, 0x20 + 828);
  at = kit_hook (kit, 0x0b10, 0, &size);
  assert_int_equal (size, 0x20 + 8);
  assert_int_equal (at[0x20 + 4], 1); /* S5 */
  at = kit_hook (kit, 0x0b11, 0, &size);
  assert_int_equal (size, 0x20 + 16);
  assert_int_equal ((guint32)u64 (at + 0x28), facts->most_port);
  assert_int_equal (kit_count_hook (kit, 0x0b0c), facts->volumes->len);
  assert_int_equal (kit_count_hook (kit, 0x0b0d), facts->networks->len);
  for (guint i = 0; i < facts->volumes->len; i++)
    {
      const WprMachineVolume *volume = g_ptr_array_index (facts->volumes, i);
      struct statvfs fs;

      at = kit_hook (kit, 0x0b0c, i, &size);
      assert_int_equal (size, 0x20 + 112);
      assert_true (u64 (at + 0x20 + 8) == volume->size);
      if (statvfs (volume->path, &fs) == 0)
        assert_true (u64 (at + 0x20 + 64) == fs.f_blocks);
      g_autofree char *type = wide (at + 0x20 + 72);
      assert_string_equal (type, volume->type);
      /* Its disk is told of. */
      guint32 disk = (guint32)u64 (at + 0x20 + 16);
      at = kit_hook (kit, 0x0b0b, disk, &size);
      assert_int_equal (size, 0x20 + 568);
      assert_int_equal ((guint32)u64 (at + 0x20), disk);
    }
  for (guint i = 0; i < facts->networks->len; i++)
    {
      const WprMachineNetwork *network = g_ptr_array_index (facts->networks, i);

      at = kit_hook (kit, 0x0b0d, i, &size);
      assert_memory_equal (at + 0x20, network->mac, 8);
      g_autofree char *name = wide (at + 0x20 + 20);
      assert_string_equal (name, network->name);
    }
  if (facts->manufacturer[0] != '\0')
    {
      at = kit_hook (kit, 0x0b19, 0, &size);
      g_autofree char *vendor = wide (at + 0x20);
      assert_string_equal (vendor, facts->manufacturer);
    }
  else
    assert_int_equal (kit_count_hook (kit, 0x0b19), 0);
}

/* Another boot's recording tells nothing of this machine. */
static void
another_machine_is_not_described (void **state)
{
  g_autoptr (Kit) kit = kit_new ();
  guint size;

  kit->manifest->boot_id = g_strdup ("01234567-89ab-cdef-0123-456789abcdef");
  kit_begin (kit);
  kit_finish (kit);
  kit_hook (kit, 0x0b0a, 0, &size); /* what the recording carries */
  assert_int_equal (kit_count_hook (kit, 0x0b0c), 0);
  assert_int_equal (kit_count_hook (kit, 0x0b0d), 0);
  assert_int_equal (kit_count_hook (kit, 0x0b11), 0);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (facts_are_read_from_files),
    cmocka_unit_test (nothing_is_no_fault),
    cmocka_unit_test (the_file_says_what_the_machine_is),
    cmocka_unit_test (another_machine_is_not_described),
  };

  return cmocka_run_group_tests_name ("config", tests, NULL, NULL);
}
