/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A WPR_ERROR as a D-Bus error and back: "<prefix>NotRecording.xc5583000", its text in the
 * language of who reads it. */
#include "config.h"

#include <gio/gio.h>
#include <string.h>

#include "base/retell.h"
#include "recorder/bus.h"

#define WPR_BUS_ERROR_PREFIX "io.github.performance_recorder.Wpr.Error."

static const struct
{
  WprErrorCode code;
  const char *name;
} names[] = {
  { WPR_ERROR_USAGE, "Usage" },
  { WPR_ERROR_PROFILE, "Profile" },
  { WPR_ERROR_NOT_RECORDING, "NotRecording" },
  { WPR_ERROR_ALREADY_RECORDING, "AlreadyRecording" },
  { WPR_ERROR_NOT_PERMITTED, "NotPermitted" },
  { WPR_ERROR_NO_SPACE, "NoSpace" },
  { WPR_ERROR_EVENTS_LOST, "EventsLost" },
  { WPR_ERROR_NOT_AVAILABLE, "NotAvailable" },
  { WPR_ERROR_DAMAGED, "Damaged" },
  { WPR_ERROR_INTERNAL, "Internal" },
  { WPR_ERROR_NOT_WRITABLE, "NotWritable" },
  { WPR_ERROR_STATE, "State" },
  { WPR_ERROR_CANCELLED, "Cancelled" },
};

char *
wpr_bus_error_name (const GError *error)
{
  const char *name = "Internal";
  if (error->domain == WPR_ERROR)
    for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
      if ((int)names[i].code == error->code)
        name = names[i].name;
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    name = "Cancelled";
  return g_strdup_printf (WPR_BUS_ERROR_PREFIX "%s.x%08x", name, wpr_error_get_number (error));
}

GError *
wpr_bus_error_from_remote (GError *remote)
{
  g_autofree char *name = g_dbus_error_get_remote_error (remote);
  GError *error = NULL;
  g_dbus_error_strip_remote_error (remote);
  g_autofree char *text = wpr_retell (remote->message);
  if (name != NULL && g_str_has_prefix (name, WPR_BUS_ERROR_PREFIX))
    {
      g_auto (GStrv) parts = g_strsplit (name + strlen (WPR_BUS_ERROR_PREFIX), ".x", 2);
      guint32 number = parts[0] != NULL && parts[1] != NULL
                           ? (guint32)g_ascii_strtoull (parts[1], NULL, 16)
                           : 0;
      for (gsize i = 0; i < G_N_ELEMENTS (names) && error == NULL && parts[0] != NULL; i++)
        if (g_str_equal (names[i].name, parts[0]))
          wpr_set_error (&error, names[i].code, number, "%s", text);
    }
  if (error == NULL)
    wpr_set_error (&error, WPR_ERROR_INTERNAL, 0, "%s", text);
  g_error_free (remote);
  return error;
}
