/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The insides of the opener of own programs: opener-own.c are its verbs, opener-own-threads.c opens
 * thread by thread, opener-own-programs.c looks who is there. Private to the room. */
#pragma once

#include "perf/opener-local.h"
#include "perf/record.h"

G_BEGIN_DECLS

/* A program of this user's that runs. */
typedef struct
{
  guint32 pid;
  guint64 rss_pages;
  char name[17]; /* its comm */
  GArray *tids;  /* guint32 */
} WprOwnProgram;

/* Programs below `proc` whose real user that is, the largest first; those that run with other
 * rights as well, which may not be opened. Free with g_ptr_array_unref. */
GPtrArray *wpr_own_programs_list (const char *proc, guint32 uid);
/* Its threads as of now; none if it has ended. */
void wpr_own_program_relist (const char *proc, WprOwnProgram *program);

/* An event as it is opened on each thread: one of the rows, and whether it tells the switches that
 * another row asks for. */
typedef struct
{
  guint event; /* index into events */
  gboolean switches;
} WprOwnCarrier;

#define WPR_TYPE_OPENER_OWN (wpr_opener_own_get_type ())
G_DECLARE_FINAL_TYPE (WprOpenerOwn, wpr_opener_own, WPR, OPENER_OWN, WprOpenerLocal)

struct _WprOpenerOwn
{
  WprOpenerLocal parent_instance;
  gboolean sees_kernel;
  guint n_open, most;   /* descriptors of members */
  GHashTable *refused;  /* row -> errno: what the kernel has not, for any thread */
  GHashTable *left_out; /* name -> number of threads that are not recorded: no room */
  GHashTable *apart;    /* ring sets in which switches have an event of their own */
  GHashTable *closed;   /* names of programs that may not be looked into */
  WprIdTable *ids;      /* of the sideband: none, its records are told apart by type */
};

/* Carriers of all rows of a ring set (G_MAXUINT: of all sets). */
GArray *wpr_own_carriers (WprOpenerOwn *self, guint ring);
/* Opens carriers on every thread of this user, on the CPU or all (G_MAXUINT). Threads that a thread
 * starts once its events are open inherit them, and are known by the records of their birth. */
void wpr_own_open_threads (WprOpenerOwn *self, const GArray *carriers, guint cpu,
                           WprOpened *opened);

G_END_DECLS
