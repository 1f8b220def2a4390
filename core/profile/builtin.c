/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Access to the compiled-in profiles, and their order. */
#include "config.h"
#include "profile/builtin.h"

#include "profiles/builtin-profiles.h"

#define RESOURCE_PATH "/io/github/performance_recorder/profiles/"

static const char *const profiles[] = {
  "BaseProfile.wprp",
  "GeneralProfile.wprp",
  /* Resource Analysis */
  "CPU.wprp",
  "DiskIO.wprp",
  "FileIO.wprp",
  "Memory.wprp",
  "ResidentSet.wprp",
  "VirtualAllocation.wprp",
  "Pool.wprp",
  "Network.wprp",
  "Power.wprp",
  "GPU.wprp",
  "Handle.wprp",
  "SystemCall.wprp",
  /* Scenario Analysis */
  "DesktopComposition.wprp",
  "Audio.wprp",
  "Video.wprp",
  "RemoteDesktop.wprp",
  "Virtualization.wprp",
  "Drivers.wprp",
  NULL,
};

GBytes *
wpr_builtin_get (const char *name)
{
  g_autofree char *path = g_strconcat (RESOURCE_PATH, name, NULL);
  /* Asked for by name, so that the linker keeps it in a static link too. */
  GBytes *bytes = g_resource_lookup_data (builtin_profiles_get_resource (), path, 0, NULL);
  if (bytes == NULL)
    g_error ("%s is not compiled in", name);
  return bytes;
}

const char *const *
wpr_builtin_profiles (void)
{
  return profiles;
}
