/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What can produce events, one file each: the hook table. Sources join best-effort: one that fails
 * is reported by a notice and the others record, unless the plan is strict. All hooks: worker
 * thread only. */
#pragma once

#include <glib-object.h>
#include "perf/event.h"
#include "store/store.h"
#include "world/world.h"
#include "wpr-recorder.h"

G_BEGIN_DECLS

#define WPR_NS_PER_SECOND G_GINT64_CONSTANT (1000000000)

/* What the recorder lends a source for one recording. Fields are set by the recorder before
 * prepare; store is NULL in memory mode until a save lends one. */
typedef struct
{
  const WprPlan *plan;
  const WprMachine *machine;
  WprManifest *manifest; /* prepare adds collectors, events and ids to it */
  WprStore *store;       /* file mode: from start on */
  WprWorld *world;       /* live */
  WprOpener *opener;
  GArray *own_tids;  /* guint32: the recorder's threads that write, kept out of syscall, block and
                        file events */
  gboolean backward; /* memory mode */
  gboolean gathers;  /* while many events are added: ids go into the manifest, which the recorder
                        writes */
  gint64 started_ns; /* MONOTONIC, 0 before start */
  /* A look into the open files of all processes by somebody who may: WprOpenFiles, NULL if not now.
   * NULL: this process looks itself. */
  GPtrArray *(*open_files) (gpointer data, gboolean positions);
  gpointer open_files_data;
  /* Tells a person and the file. id is a stable word (WprNotice). */
  void (*notice) (gpointer data, WprSeverity severity, const char *id, const char *text);
  gpointer notice_data;
} WprSession;

/* Figures of one collector on one CPU, added up by the recorder. */
typedef struct
{
  guint collector, cpu;
  gboolean online;
  guint64 ring_bytes, used_bytes, bytes, events, lost, overwritten_bytes, drained_bytes;
  WprTime oldest; /* memory mode: MONOTONIC, from when on the ring holds everything; 0 not known */
} WprSourceFigures;

#define WPR_TYPE_SOURCE (wpr_source_get_type ())
G_DECLARE_DERIVABLE_TYPE (WprSource, wpr_source, WPR, SOURCE, GObject)

struct _WprSourceClass
{
  GObjectClass parent_class;
  /* Says into the machine what it could record here. */
  void (*probe) (WprSource *self, WprMachine *machine);
  /* Opens everything, disabled. TRUE with nothing to do for a plan that has none of its items. */
  gboolean (*prepare) (WprSource *self, WprSession *session, GError **error);
  /* Two steps of start: with sideband TRUE what tells of processes, before /proc is read; then the
   * collectors. */
  gboolean (*start) (WprSource *self, WprSession *session, gboolean sideband, GError **error);
  /* DISABLE; then the final counts are read and noted; then drain (file mode) to the end. */
  gboolean (*stop) (WprSource *self, WprSession *session, GError **error);
  /* File mode: rings into the store; both modes: sideband. Called when a watermark woke us and ten
   * times a second. */
  gboolean (*drain) (WprSource *self, WprSession *session, GError **error);
  /* Memory mode: what the rings hold into the (fresh) store of a save, without pausing; notes RING,
   * TALLY, LOSS too. Returns the MONOTONIC time of the oldest event from which on all CPUs are
   * complete in *complete_from. */
  gboolean (*copy) (WprSource *self, WprSession *session, WprStore *store, WprTime *complete_from,
                    GError **error);
  /* One item on or off while recording: of session->plan where it is on. An item that is on with
   * other attributes is replaced. Refused by the kernel: a notice, unless it is strict. */
  gboolean (*set) (WprSource *self, WprSession *session, const WprPlanItem *item, gboolean on,
                   GError **error);
  /* The rings of a collector to so many bytes a CPU while recording, without a gap. TRUE with
   * nothing to do where it is not this source's. */
  gboolean (*grow) (WprSource *self, WprSession *session, guint collector, guint64 ring_bytes,
                    GError **error);
  /* Appends WprSourceFigures, and the losses of the second just over as notes and in `losses`
   * (WprSourceLoss). counts: read the groups, too (2 Hz, only CPUs whose head moved). */
  void (*figures) (WprSource *self, WprSession *session, gboolean counts, GArray *figures,
                   GArray *losses);
  /* Descriptors to wait on for drain: appends int. */
  void (*poll_fds) (WprSource *self, GArray *fds);
  /* What it opened records nothing any more: the right to it was withdrawn. From here on there is a
   * gap, and nothing is opened or changed. */
  void (*withdraw) (WprSource *self, WprSession *session);
  /* Frees what prepare opened; slow (20-35 ms a tracepoint). */
  void (*close) (WprSource *self);
};
typedef struct
{
  guint collector, cpu;
  guint32 row;
  guint64 count;
} WprSourceLoss;

void wpr_source_probe (WprSource *self, WprMachine *machine);
gboolean wpr_source_prepare (WprSource *self, WprSession *session, GError **error);
gboolean wpr_source_start (WprSource *self, WprSession *session, gboolean sideband, GError **error);
gboolean wpr_source_stop (WprSource *self, WprSession *session, GError **error);
gboolean wpr_source_drain (WprSource *self, WprSession *session, GError **error);
gboolean wpr_source_copy (WprSource *self, WprSession *session, WprStore *store,
                          WprTime *complete_from, GError **error);
gboolean wpr_source_set (WprSource *self, WprSession *session, const WprPlanItem *item, gboolean on,
                         GError **error);
gboolean wpr_source_grow (WprSource *self, WprSession *session, guint collector, guint64 ring_bytes,
                          GError **error);
void wpr_source_figures (WprSource *self, WprSession *session, gboolean counts, GArray *figures,
                         GArray *losses);
void wpr_source_poll_fds (WprSource *self, GArray *fds);
void wpr_source_withdraw (WprSource *self, WprSession *session);
void wpr_source_close (WprSource *self);

WprSource *wpr_source_kernel_new (void);
/* guint32: which collector of the manifest each ring set of the opener is. */
const GArray *wpr_source_kernel_ring_sets (WprSource *source);
WprSource *wpr_source_sampler_new (void);
WprSource *wpr_source_files_new (void);
WprSource *wpr_source_mark_new (void);
/* One mark, on the CPU it was made on. */
gboolean wpr_source_mark_add (WprSource *self, WprSession *session, const char *text, WprTime when,
                              guint cpu, GError **error);
/* Asked for by a keyword that means operations on files: its events are read as such. */
gboolean wpr_source_is_file (const WprPlanItem *item);
/* All sources of this version, in order: kernel, sampler, files, mark. */
GPtrArray *wpr_sources_new (void);

G_END_DECLS
