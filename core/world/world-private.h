/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the world is kept: facts as they were told, sorted by time, one list a pid; who lived when is
 * derived from them when asked, so that the order of telling cannot matter. Private to the room. */
#pragma once

#include "world/world.h"

G_BEGIN_DECLS

/* In the order in which facts of one time are taken. */
typedef enum
{
  WPR_FACT_BASE,    /* data: WprLife, the state of one life as kept by forget() or load() */
  WPR_FACT_FORK,    /* a: ppid, b: ptid; data: NULL, or the WprLife as born, or (data_is_name) the
                       thread's    name; flag: keep the life as born, the parent will be forgotten */
  WPR_FACT_PROC,    /* data: WprProcShot, what /proc showed */
  WPR_FACT_COMM,    /* data: GRefString; flag: by exec */
  WPR_FACT_MMAP,    /* data: WprMapInfo */
  WPR_FACT_CMDLINE, /* data: GRefString */
  WPR_FACT_UID,     /* a: uid */
  WPR_FACT_EXIT,
  WPR_FACT_GONE, /* a look into all of /proc, begun at a time (data: WprTime, g_free), has not shown
                    it */
  WPR_FACT_N_KINDS
} WprFactKind;

typedef struct
{
  WprTime time;
  guint8 kind;
  guint8 flag, data_is_name;
  guint32 tid, a, b;
  gpointer data; /* owned */
} WprFact;

/* A mapping without a time: shared by a process and the children it was forked into. */
typedef struct
{
  WprMapping mapping; /* .when unused; .path: GRefString */
  guint refs;
} WprMapInfo;
typedef struct
{
  WprMapInfo *info;
  WprTime when, until; /* until: covered by a later one, or gone with an exec */
  gboolean proc;       /* seen in /proc, not told by a record */
} WprMapState;

typedef struct
{
  WprThread thread; /* first: the public part; names are GRefStrings */
  WprTime evidence; /* the first moment it was known to exist */
  gboolean start_known;
} WprThreadLife;

/* One holder of a pid. */
typedef struct
{
  WprProcess process; /* first: the public part; texts are GRefStrings */
  GArray *maps;       /* WprMapState; process.mappings is made of it */
  GPtrArray *threads; /* WprThreadLife *, owned */
  WprTime evidence;
  WprTime proc_end; /* until when the newest look into /proc lasted; BEFORE: none */
  gboolean start_known, leader_exited;
  gboolean threads_sorted; /* by tid, then start */
  guint n_live;
} WprLife;

/* What one look into /proc/PID showed. Looking took from the fact's time to `end`. */
typedef struct
{
  WprTime end;
  guint32 ppid, uid;
  gboolean kernel;
  guint64 start_ticks;
  char *exe, *comm, *cmdline; /* GRefStrings, NULL: not known */
  GPtrArray *maps;            /* WprMapInfo * */
  GArray *threads;            /* WprProcThread */
} WprProcShot;
typedef struct
{
  guint32 tid;
  gint8 nice;
  guint8 policy, rt_priority;
  char *name; /* GRefString */
} WprProcThread;

/* All that is known of one pid. */
typedef struct
{
  guint32 pid;
  guint n_facts, n_room;
  WprFact *facts;
  GPtrArray *lives; /* WprLife *, ascending by start; NULL: to be derived */
  guint64 lives_generation;
  WprTime latest_child; /* the latest fork of a child: what is told of before changes the child */
  struct _WprDerivation *derivation; /* while being derived */
  WprTime drop_until; /* what it told up to here is about to be forgotten; BEFORE: nothing */
} WprEntry;

typedef struct
{
  WprTime time;
  guint32 pid, tid;
} WprDeath;

struct _WprWorld
{
  guint max_dead;
  guint64 n_forgotten;
  guint64 generation;      /* moves when something told late changes what children inherited */
  GHashTable *entries;     /* pid -> WprEntry */
  GHashTable *owners;      /* tid -> pid of its process, threads other than leaders */
  GHashTable *owners_more; /* tid -> GArray of further pids (guint32) */
  GArray *deaths;          /* WprDeath of leaders */
  GArray *thread_deaths;   /* WprDeath of other threads */
  guint deaths_at, thread_deaths_at; /* lengths at which the oldest are pushed out */
  GHashTable *listed;                /* pids of the newest whole look into /proc; NULL: none yet */
  WprTime listed_begun, listed_end;
  GArray *kernel_maps; /* WprMapping, texts GRefStrings */
};

/* facts.c */
WprEntry *wpr_world_entry (WprWorld *world, guint32 pid, gboolean make);
void wpr_entry_free (WprEntry *entry);
void wpr_entry_add (WprWorld *world, WprEntry *entry, const WprFact *fact); /* takes the data */
void wpr_fact_clear (WprFact *fact);
void wpr_world_add_owner (WprWorld *world, guint32 tid, guint32 pid);
void wpr_world_drop_owner (WprWorld *world, guint32 tid, guint32 pid);
void wpr_entry_add_owners (WprWorld *world, const WprEntry *entry);
WprMapInfo *wpr_map_info_new (const WprMapping *mapping); /* path is made a GRefString */
WprMapInfo *wpr_map_info_ref (WprMapInfo *info);
void wpr_map_info_unref (WprMapInfo *info);
void wpr_proc_shot_free (WprProcShot *shot);
char *wpr_text (const char *text); /* GRefString of valid UTF-8, interned; NULL stays NULL */

/* life.c */
WprLife *wpr_life_new (guint32 pid, WprTime start);
WprLife *wpr_life_copy (const WprLife *life);
void wpr_life_free (WprLife *life);
void wpr_life_add_program (WprLife *life, WprTime when, gboolean exec, const char *exe,
                           const char *comm, const char *cmdline);
void wpr_life_add_map (WprLife *life, WprMapInfo *info, WprTime when, gboolean proc);
WprThreadLife *wpr_life_add_thread (WprLife *life, guint32 tid, WprTime start);
WprThreadLife *wpr_life_thread_at (const WprLife *life, guint32 tid, WprTime when);
void wpr_thread_life_free (WprThreadLife *thread);
void wpr_thread_life_add_name (WprThreadLife *thread, WprTime when, const char *name);
const char *wpr_thread_life_name (const WprThreadLife *thread, WprTime when);
WprProgram *wpr_life_program_at (const WprLife *life, WprTime when);
void wpr_life_finish_maps (WprLife *life);
void wpr_life_finish (WprLife *life);  /* maps, and threads sorted */
void wpr_life_publish (WprLife *life); /* makes process.mappings */
/* Drops what was over before `oldest`. */
void wpr_life_trim (WprLife *life, WprTime oldest);

/* derive.c: facts of one pid, one after the other in time order, become lives. */
typedef struct _WprDerivation WprDerivation;
WprDerivation *wpr_derivation_new (WprWorld *world, WprEntry *entry);
void wpr_derivation_take (WprDerivation *derivation, WprFact *fact);
GPtrArray *wpr_derivation_finish (WprDerivation *derivation); /* frees it; gives the lives */

/* replay.c */
/* Gives the lives that follow from the facts up to and with `limit`, also of parents derived along.
 */
typedef void (*WprDerived) (WprWorld *world, WprEntry *entry, GPtrArray *lives, gpointer data);
void wpr_world_derive (WprWorld *world, GPtrArray *entries, WprTime limit, WprDerived func,
                       gpointer data);
void wpr_world_need_lives (WprWorld *world, GPtrArray *entries);
void wpr_world_derive_all (WprWorld *world);
GPtrArray *wpr_world_lives (WprWorld *world, WprEntry *entry);
WprLife *wpr_lives_at (GPtrArray *lives, WprTime when);

/* kernel.c */
GArray *wpr_kernel_maps_new (void);
void wpr_kernel_maps_add (WprWorld *world, WprTime when, guint64 start, guint64 length,
                          const char *name);
void wpr_kernel_maps_add_mapping (WprWorld *world, const WprMapping *mapping);

/* forget.c */
void wpr_world_note_death (WprWorld *world, WprTime time, guint32 pid, guint32 tid);

G_END_DECLS
