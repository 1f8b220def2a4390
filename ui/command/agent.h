/* SPDX-License-Identifier: GPL-3.0-or-later */
/* polkit's question at a terminal: its text agent, started for the recorder, which is who is asked
 * about. */
#pragma once

#include <wpr-recorder.h>

G_BEGIN_DECLS

/* Starts pkttyagent and waits until it is ready to ask. 0: there is no terminal, no such program,
 * or no bus; then somebody else asks (a desktop's agent), or nobody. */
GPid wpr_agent_begin (WprRecorder *recorder);
/* Ends it and gives the terminal back as it was; 0 ok. */
void wpr_agent_end (GPid agent);

G_END_DECLS
