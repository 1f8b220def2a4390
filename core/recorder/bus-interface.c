/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The interface both ends speak. `job` is a number of the caller's, unique among its calls: Abandon
 * gives up the call of that job, which then answers in its own way (Stop: Cancelled, and where the
 * raw recording is). Names of files are bytes, folders are descriptors: nobody resolves a path for
 * somebody else; `uid` is whom root asks for (G_MAXUINT32: itself), whose the file will be. Only
 * who has called Attach gets signals. Introduce: another user's name on the system bus, before
 * anything that polkit decides. */
#include "config.h"
#include "recorder/bus-interface.h"

static const char xml[]
    = "<node><interface name='" WPR_BUS_INTERFACE "'>"
      "<method name='Introduce'><arg direction='in' type='s' name='system_bus_name'/></method>"
      "<method name='Attach'>"
      "<arg direction='out' type='u' name='protocol'/>"
      "<arg direction='out' type='h' name='stats'/>"
      "<arg direction='out' type='u' name='state'/>"
      "<arg direction='out' type='a{sv}' name='description'/>"
      "<arg direction='out' type='a" WPR_NOTICE_TYPE "' name='notices'/>"
      "</method>"
      "<method name='Start'>"
      "<arg direction='in' type='u' name='job'/>"
      "<arg direction='in' type='a{sv}' name='choice'/>"
      "<arg direction='in' type='a(say)' name='files'/>"
      "<arg direction='in' type='s' name='program'/>"
      "</method>"
      "<method name='Stop'>"
      "<arg direction='in' type='u' name='job'/>"
      "<arg direction='in' type='h' name='folder'/>"
      "<arg direction='in' type='ay' name='name'/>"
      "<arg direction='in' type='s' name='note'/>"
      "<arg direction='in' type='u' name='flags'/>"
      "<arg direction='in' type='u' name='uid'/>"
      "<arg direction='out' type='" WPR_SAVED_TYPE "' name='saved'/>"
      "</method>"
      "<method name='Save'>"
      "<arg direction='in' type='u' name='job'/>"
      "<arg direction='in' type='h' name='folder'/>"
      "<arg direction='in' type='ay' name='name'/>"
      "<arg direction='in' type='s' name='note'/>"
      "<arg direction='in' type='u' name='flags'/>"
      "<arg direction='in' type='u' name='uid'/>"
      "<arg direction='out' type='" WPR_SAVED_TYPE "' name='saved'/>"
      "</method>"
      "<method name='Cancel'><arg direction='in' type='u' name='job'/></method>"
      "<method name='Mark'>"
      "<arg direction='in' type='u' name='job'/>"
      "<arg direction='in' type='s' name='text'/>"
      "</method>"
      "<method name='Flush'><arg direction='in' type='u' name='job'/></method>"
      "<method name='SetProfiles'>"
      "<arg direction='in' type='u' name='job'/>"
      "<arg direction='in' type='a{sv}' name='choice'/>"
      "<arg direction='in' type='a(say)' name='files'/>"
      "<arg direction='in' type='b' name='on'/>"
      "</method>"
      "<method name='Grow'>"
      "<arg direction='in' type='u' name='job'/>"
      "<arg direction='in' type='s' name='collector'/>"
      "<arg direction='in' type='t' name='bytes'/>"
      "</method>"
      "<method name='Unlock'>"
      "<arg direction='in' type='u' name='job'/>"
      "<arg direction='in' type='b' name='contents'/>"
      "</method>"
      "<method name='BusName'><arg direction='out' type='s' name='name'/></method>"
      "<method name='SetNote'><arg direction='in' type='s' name='note'/></method>"
      "<method name='Abandon'><arg direction='in' type='u' name='job'/></method>"
      "<method name='Describe'><arg direction='out' type='a{sv}' name='description'/></method>"
      "<method name='Stats'><arg direction='out' type='h' name='stats'/></method>"
      "<signal name='StateChanged'>"
      "<arg type='u' name='state'/><arg type='a{sv}' name='description'/>"
      "</signal>"
      "<signal name='Notice'>"
      "<arg type='u' name='severity'/><arg type='x' name='realtime_ns'/>"
      "<arg type='s' name='id'/><arg type='s' name='text'/>"
      "</signal>"
      "<signal name='Progress'>"
      "<arg type='s' name='phase'/><arg type='d' name='fraction'/>"
      "<arg type='t' name='done'/><arg type='t' name='total'/>"
      "</signal>"
      "</interface></node>";

static gpointer
parse (gpointer data)
{
  g_autoptr (GError) error = NULL;
  GDBusNodeInfo *node = g_dbus_node_info_new_for_xml (xml, &error);
  g_assert_no_error (error);
  return node;
}

GDBusInterfaceInfo *
wpr_bus_interface_info (void)
{
  static GOnce once = G_ONCE_INIT;
  return ((GDBusNodeInfo *)g_once (&once, parse, NULL))->interfaces[0];
}
