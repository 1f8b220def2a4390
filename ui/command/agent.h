/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polkit's question at a terminal: its text agent, started for who is asked about: the recorder
 * that records this machine, or who wants something of root's recording. */
#pragma once

#include <wpr-recorder.h>

G_BEGIN_DECLS

/* Starts pkttyagent and waits until it is ready to ask. 0: there is no terminal, no such program,
 * or no bus; then somebody else asks (a desktop's agent), or nobody. */
GPid wpr_agent_begin (WprRecorder *recorder);
/* The same for what this process asks of a recording of root's ("root:NAME"); 0 for others, too. */
GPid wpr_agent_begin_for_guest (const char *instance);
/* Ends it and gives the terminal back as it was; 0 ok. */
void wpr_agent_end (GPid agent);

G_END_DECLS
