/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A merge of the local back end: queued behind others on the jobs thread, reported on the worker.
 */
#pragma once

#include "recorder/local.h"

G_BEGIN_DECLS

/* On the worker, before the task is answered. saved and error stay the caller's. */
typedef void (*WprMergeDone) (WprLocal *local, WprSaved *saved, GError *error);

/* Takes over task (NULL ok: on behalf of who called this process), folder_fd, kallsyms_fd (-1:
 * none) and hold (the store's). note NULL: what wpr_recorder_set_note() says last. */
void wpr_merge_queue (WprLocal *local, GTask *task, const char *store_path, WprStoreHold hold,
                      int kallsyms_fd, int folder_fd, const char *name, const char *note,
                      WprMergeDone done);

G_END_DECLS
