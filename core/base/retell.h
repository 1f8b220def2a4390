/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sentence of this program that comes from a process in another language, told in one's own. */
#pragma once

#include <glib.h>

/* A text that some message of a catalogue makes, in the language of this process: its arguments
 * stay, but for those that are such texts themselves. What no message makes comes back as it is. Of
 * the text domain's folder (bindtextdomain), whose catalogues are read once. Any thread. Free with
 * g_free. */
char *wpr_retell (const char *text);
