/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as a helpdesk would mail it. */
#include "profile-file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glib.h>

/* One tracepoint that no built-in profile records alone. %s: a size, a provider, a title, the
 * provider's Id. */
static const char profile[]
    = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<WindowsPerformanceRecorder Version=\"1.0\" Author=\"Helpdesk\">\n"
      "  <Profiles>\n"
      "    <EventCollector Id=\"Collector\" Name=\"Helpdesk Collector\">\n"
      "      <BufferSize Value=\"%s\"/>\n"
      "      <Buffers Value=\"16\"/>\n"
      "    </EventCollector>\n"
      "    <EventProvider Id=\"Exec\" Name=\"%s\"/>\n"
      "    <Profile Id=\"Begins.Verbose.Memory\" Name=\"Begins\" Description=\"%s\"\n"
      "             LoggingMode=\"Memory\" DetailLevel=\"Verbose\">\n"
      "      <Collectors>\n"
      "        <EventCollectorId Value=\"Collector\">\n"
      "          <EventProviders>\n"
      "            <EventProviderId Value=\"%s\"/>\n"
      "          </EventProviders>\n"
      "        </EventCollectorId>\n"
      "      </Collectors>\n"
      "    </Profile>\n"
      "  </Profiles>\n"
      "</WindowsPerformanceRecorder>\n";

static char *
write_file (const char *name, const char *size, const char *provider, const char *title,
            const char *id)
{
  g_autofree char *text = g_strdup_printf (profile, size, provider, title, id);
  char *path = g_build_filename (g_getenv ("E2E_PLACE"), name, NULL);
  assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

char *
write_provider_profile (const char *name, const char *title, const char *provider)
{
  return write_file (name, "256", provider, title, "Exec");
}

char *
write_titled_profile (const char *name, const char *title, const char *size, const char *id)
{
  return write_file (name, size, "tracepoint:sched:sched_process_exec", title, id);
}

char *
write_profile (const char *name, const char *size, const char *id)
{
  return write_titled_profile (name, "Programs that begin", size, id);
}

static const char flooding[]
    = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<WindowsPerformanceRecorder Version=\"1.0\" Author=\"Helpdesk\">\n"
      "  <Profiles>\n"
      "    <SystemCollector Id=\"System\" Name=\"NT Kernel Logger\">\n"
      "      <BufferSize Value=\"4\"/>\n"
      "      <Buffers Value=\"2\"/>\n"
      "    </SystemCollector>\n"
      "    <SystemProvider Id=\"Calls\">\n"
      "      <Keywords><Keyword Value=\"SystemCall\"/></Keywords>\n"
      "    </SystemProvider>\n"
      "    <Profile Id=\"EveryCall.Verbose.File\" Name=\"EveryCall\" Description=\"Every call\"\n"
      "             LoggingMode=\"File\" DetailLevel=\"Verbose\">\n"
      "      <Collectors>\n"
      "        <SystemCollectorId Value=\"System\">\n"
      "          <SystemProviderId Value=\"Calls\"/>\n"
      "        </SystemCollectorId>\n"
      "      </Collectors>\n"
      "    </Profile>\n"
      "  </Profiles>\n"
      "</WindowsPerformanceRecorder>\n";

char *
write_flooding_profile (const char *name)
{
  char *path = g_build_filename (g_getenv ("E2E_PLACE"), name, NULL);
  assert_true (g_file_set_contents (path, flooding, -1, NULL));
  return path;
}

static const char sampling[]
    = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
      "<WindowsPerformanceRecorder Version=\"1.0\" Author=\"Helpdesk\">\n"
      "  <Profiles>\n"
      "    <SystemCollector Id=\"System\" Name=\"NT Kernel Logger\">\n"
      "      <BufferSize Value=\"256\"/>\n"
      "      <Buffers Value=\"16\"/>\n"
      "    </SystemCollector>\n"
      "    <SystemProvider Id=\"Time\">\n"
      "      <Keywords><Keyword Value=\"SampledProfile\"/><Keyword Value=\"DiskIO\"/></Keywords>\n"
      "    </SystemProvider>\n"
      "    <Profile Id=\"Time.Verbose.Memory\" Name=\"Time\" Description=\"Where time goes\"\n"
      "             LoggingMode=\"Memory\" DetailLevel=\"Verbose\">\n"
      "      <Collectors>\n"
      "        <SystemCollectorId Value=\"System\">\n"
      "          <SystemProviderId Value=\"Time\"/>\n"
      "        </SystemCollectorId>\n"
      "      </Collectors>\n"
      "    </Profile>\n"
      "  </Profiles>\n"
      "</WindowsPerformanceRecorder>\n";

char *
write_sampling_profile (const char *name)
{
  char *path = g_build_filename (g_getenv ("E2E_PLACE"), name, NULL);
  assert_true (g_file_set_contents (path, sampling, -1, NULL));
  return path;
}
