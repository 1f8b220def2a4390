/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Titles, symptoms and search words of the built-in profiles; titles of categories. */
#include "config.h"
#include "profile/symptoms.h"

#include <glib/gi18n-lib.h>

static const WprSymptomRow rows[] = {
  { "GeneralProfile", N_ ("First level triage"),
    N_ ("Everything is slow, or windows stop responding"),
    N_ ("slow hang freeze unresponsive general whole machine") },
  { "CPU", N_ ("CPU usage"), N_ ("The fan runs, or a program takes 100%"),
    N_ ("processor fan hot busy load slow") },
  { "DiskIO", N_ ("Disk I/O activity"), N_ ("The disk is always busy"),
    N_ ("drive ssd hard disk storage slow") },
  { "FileIO", N_ ("File I/O activity"), N_ ("Opening or copying files is slow"),
    N_ ("file folder open copy save disk slow") },
  { "Memory", N_ ("Memory usage"), N_ ("Memory keeps growing, or programs get killed"),
    N_ ("ram leak out of memory killed swap slow") },
  { "ResidentSet", N_ ("Resident set analysis"), N_ ("A program takes more memory than it should"),
    N_ ("ram rss working set pages") },
  { "VirtualAllocation", N_ ("Virtual memory allocations"),
    N_ ("A program asks for ever more memory"), N_ ("ram mmap leak address space") },
  { "Pool", N_ ("Kernel memory"), N_ ("Memory is gone, but no program has it"),
    N_ ("pool slab driver leak kmalloc") },
  { "Network", N_ ("Networking I/O activity"), N_ ("Downloads stall, or nothing connects"),
    N_ ("internet wifi download connection tcp slow") },
  { "Power", N_ ("Power usage"), N_ ("The battery drains, or the computer wakes by itself"),
    N_ ("battery sleep suspend hot laptop wake") },
  { "GPU", N_ ("GPU activity"), N_ ("Games and videos stutter"),
    N_ ("game graphics card frame fps video stutter") },
  { "Handle", N_ ("File descriptors"), N_ ("“Too many open files”"),
    N_ ("handle descriptor limit open files leak") },
  { "SystemCall", N_ ("System calls"), N_ ("What programs ask of the system, for developers"),
    N_ ("syscall strace developer kernel") },
  { "DesktopComposition", N_ ("Desktop composition"),
    N_ ("Dragging and resizing windows is jerky or slow"),
    N_ ("window desktop compositor jerky frames") },
  { "Audio", N_ ("Audio glitches"), N_ ("Sound crackles or drops out"),
    N_ ("sound music crackle dropout microphone") },
  { "Video", N_ ("Video glitches"), N_ ("Films and calls freeze or drop frames"),
    N_ ("film camera call frames playback stutter") },
  { "RemoteDesktop", N_ ("Remote desktop"), N_ ("The remote screen lags"),
    N_ ("remote rdp vnc lag screen") },
  { "Virtualization", N_ ("Virtual machines"), N_ ("A virtual machine is slow"),
    N_ ("vm guest kvm qemu hypervisor") },
  { "Drivers", N_ ("Driver and device activity"), N_ ("It freezes since the new driver"),
    N_ ("driver device freeze interrupt usb") },
};

static const char *const categories[] = {
  N_ ("First level triage"), N_ ("Resource Analysis"),   N_ ("Scenario Analysis"),
  N_ ("On/Off Transition"),  N_ ("Custom measurements"),
};

const WprSymptomRow *
wpr_symptom_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].name, name))
      return &rows[i];
  return NULL;
}

const char *
wpr_category_title (const char *category)
{
  for (gsize i = 0; i < G_N_ELEMENTS (categories); i++)
    if (g_str_equal (categories[i], category))
      return _ (categories[i]);
  return category;
}
