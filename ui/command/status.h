/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What -status says of one recording, for people and for programs. */
#pragma once

#include <wpr-recorder.h>

#include "json.h"

G_BEGIN_DECLS

void wpr_status_say (WprRecorder *recorder, gboolean profiles, gboolean collectors,
                     gboolean details);
/* One element of "recordings". */
void wpr_status_to_json (WprRecorder *recorder, WprJson *out);

G_END_DECLS
