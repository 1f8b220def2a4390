/* SPDX-License-Identifier: GPL-3.0-or-later */
/* .wprp files of the window's tests. */
#pragma once

/* Writes NAME into the test's place: a profile "Programs that begin" with one tracepoint no
 * built-in profile records alone. size: of its buffers, "256"; id: of its provider, "Exec" is
 * there. Its path; free with g_free. */
char *write_profile (const char *name, const char *size, const char *id);
/* One with a provider of that name instead. */
char *write_provider_profile (const char *name, const char *title, const char *provider);
/* The same under another title. */
char *write_titled_profile (const char *name, const char *title, const char *size, const char *id);
/* "Every call": system calls into a file, in two buffers of 4 KB; verbose alone. */
char *write_flooding_profile (const char *name);
/* "Where time goes": samples, which need no approval, and disks, which do. */
char *write_sampling_profile (const char *name);
