/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What recordings.c (the list, main thread) and recordings-work.c (files, workers) share. */
#pragma once

#include "aside.h"
#include "recordings.h"

G_BEGIN_DECLS

typedef enum
{
  WPR_RECORDINGS_CHANGED,
  WPR_RECORDINGS_LOOKED,
  WPR_RECORDINGS_TOAST,
  WPR_RECORDINGS_TROUBLE,
  WPR_RECORDINGS_CANNOT_TRASH,
  WPR_RECORDINGS_PROGRESS,
  WPR_RECORDINGS_STALE,
  WPR_RECORDINGS_N_SIGNALS
} WprRecordingsSignal;
extern guint wpr_recordings_signals[WPR_RECORDINGS_N_SIGNALS];
#define wpr_recordings_emit(self, signal, ...) \
  g_signal_emit (self, wpr_recordings_signals[signal], 0, ##__VA_ARGS__)

struct _WprRecordings
{
  GObject parent;
  GListStore *items;
  GPtrArray *unfinished;
  char *folder;
  guint64 free_bytes;
  gboolean was_read, closed;
  gboolean silent; /* the folder does not answer */
  char *fault;     /* why it cannot be read; NULL: it can, or is not there */
  gboolean watched;
  GFileMonitor *monitor; /* of the folder, while watched and once it was made */
  WprAside *files;       /* NULL until first used */
  WprAside *finisher;    /* NULL until first used: finishing takes minutes */
  char *finishing;
  GCancellable *finish;
};

/* Answers, in the main thread. */
void wpr_recordings_take_silence (WprRecordings *self);
void wpr_recordings_take_list (WprRecordings *self, GPtrArray *items, GPtrArray *unfinished,
                               guint64 free_bytes, const char *fault);
void wpr_recordings_take_monitor (WprRecordings *self, GFileMonitor *monitor);
void wpr_recordings_take_finished (WprRecordings *self, const char *toast);

G_END_DECLS
