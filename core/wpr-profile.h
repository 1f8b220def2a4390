/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What could be recorded: profiles, a person's choice, the machine, and the plan that comes of
 * them. All structs are read-only for callers; strings are UTF-8 and live as long as their owner.
 * Everything here may be called on any thread; a WprLibrary is not locked: fill it on one thread,
 * then share it. */
#pragma once

#include <gio/gio.h>
#include <wpr-error.h>

G_BEGIN_DECLS

typedef enum
{
  WPR_MODE_MEMORY,
  WPR_MODE_FILE
} WprMode;
typedef enum
{
  WPR_LEVEL_VERBOSE,
  WPR_LEVEL_LIGHT
} WprLevel;

/* A profile: one Name with up to four variants. */
typedef struct
{
  const char *name;           /* "CPU": what -start takes */
  const char *title;          /* its Description, translated for built-in ones */
  const char *symptom;        /* what a person says who needs it, translated; "" if none */
  const char *search_words;   /* further words to find it by, translated; "" if none */
  const char *category;       /* untranslated problem category, "Resource Analysis" */
  const char *category_title; /* translated */
  const char *source;         /* NULL: built in; else the file's display name */
  gboolean internal;          /* hidden (Internal="true") */
  gboolean is_default;        /* Default="true" */
  gboolean has[2][2];         /* [WprLevel][WprMode]: which variants exist */
} WprProfile;

/* A fault of a .wprp file. */
typedef struct
{
  char *file;         /* display name */
  guint line, column; /* from 1; 0 if unknown */
  char *path;         /* element path, "WindowsPerformanceRecorder/Profiles/Profile" */
  char *what;         /* what is wrong, and what was found */
  char *allowed;      /* what may stand there; "" if that says nothing */
  char *advice;       /* what to write instead; "" if nothing helps */
  gboolean is_error;  /* the profile cannot be used; else a warning */
  gboolean
      is_refused; /* WPR refuses such a file: an error where one is strict (-validate -strict) */
  guint32 wpr_number; /* 0xc558..., 0 if none */
} WprFault;

/* What a profile says and this machine or version does not do, with its place. */
typedef struct
{
  const char *file; /* display name */
  guint line, column;
  const char *path; /* element path, "/@Attribute" behind it for an attribute */
  const char *text; /* translated sentence */
} WprPlanNote;

typedef struct _WprLibrary WprLibrary;
/* The built-in profiles (compiled in). Never fails: a fault in them is a bug (g_error). */
WPR_API WprLibrary *wpr_library_new (void);
WPR_API WprLibrary *wpr_library_ref (WprLibrary *library);
WPR_API void wpr_library_unref (WprLibrary *library);
/* Adds a .wprp; an earlier one of the same display name is replaced, and what was handed out of it
 * (WprProfile, WprFault) is gone. bytes: the file as it is (UTF-8, UTF-8 with BOM, UTF-16). FALSE
 * with WPR_ERROR_PROFILE (message: first fault with file:line:column) when it cannot be used; its
 * faults are then still listed by wpr_library_get_faults(). */
WPR_API gboolean wpr_library_add_bytes (WprLibrary *library, GBytes *bytes,
                                        const char *display_name, GError **error);
WPR_API gboolean wpr_library_add_file (WprLibrary *library, const char *path, GError **error);
WPR_API guint wpr_library_get_n_profiles (WprLibrary *library);
WPR_API const WprProfile *wpr_library_get_profile (WprLibrary *library, guint index);
/* Faults of everything added so far. Elements are const WprFault *; owned by the library. */
WPR_API const GPtrArray *wpr_library_get_faults (WprLibrary *library);
/* Takes out what was added under that display name, faults too; what was handed out of it is gone.
 * FALSE: nothing was. */
WPR_API gboolean wpr_library_remove (WprLibrary *library, const char *display_name);
/* What the first profile of a file that can be started calls itself, also when the file cannot be
 * used; NULL if that could not be read. Free with g_free. */
WPR_API char *wpr_library_dup_title (WprLibrary *library, const char *display_name);
/* An attribute of a file's outermost element ("Author", "Comments", "Tag"), also when the file
 * cannot be used; NULL if it says nothing there. Free with g_free. */
WPR_API char *wpr_library_dup_remark (WprLibrary *library, const char *display_name,
                                      const char *attribute);
/* The .wprp format for people: plain text, or the source of wprp(5). Free with g_free. */
WPR_API char *wpr_profile_format_to_text (void);
WPR_API char *wpr_profile_format_to_man (void);
/* What of a file leads nowhere: definitions no profile of it uses. Elements are WprPlanNote *, in
 * the order of the text; they live as long as the file does. Free with g_ptr_array_unref. */
WPR_API GPtrArray *wpr_library_list_unused (WprLibrary *library, const char *display_name);
/* By name, as WPR spells it ("CPU", case-insensitive; with source NULL the built-in one wins). NULL
 * with WPR_ERROR_PROFILE and a suggestion where a name is nearly right. */
WPR_API const WprProfile *wpr_library_find (WprLibrary *library, const char *name,
                                            const char *source, GError **error);
/* The profile of a file that `wpr -start FILE.wprp` means: its Default, else its first. */
WPR_API const WprProfile *wpr_library_get_default (WprLibrary *library, const char *source,
                                                   GError **error);
/* What Tag of the outermost element says of a file whose profiles were chosen together: it stands
 * for all of them. WPR takes the first, since it knows one default only. */
#define WPR_PROFILE_TOGETHER "together"
/* The default, or everything of a file that is so marked: elements are const WprProfile *, at least
 * one. Free with g_ptr_array_unref; NULL with an error. */
WPR_API GPtrArray *wpr_library_list_defaults (WprLibrary *library, const char *source,
                                              GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprLibrary, wpr_library_unref)

/* One profile asked for. */
typedef struct
{
  char *name;
  char *source; /* display name of the .wprp, NULL: built in */
  int level;    /* a WprLevel, or -1: verbose unless only light exists */
} WprChoiceItem;

/* What a person asked for. Mutable until handed to someone; copy with _to_variant/_from_variant. */
typedef struct
{
  GPtrArray *profiles;         /* of WprChoiceItem * */
  WprMode mode;                /* -filemode */
  guint buffer_size_kb;        /* 0: what the profiles say */
  guint buffers;               /* 0: what the profiles say */
  double buffers_percent;      /* > 0: percent of memory instead of a number */
  guint max_size_mb;           /* -maxsize: of one file; 0: what the profiles say */
  guint max_files;             /* -maxfiles: so many of them; 0: what the profiles say */
  gboolean stop_at_max_size;   /* at -maxsize it stops; else the oldest go */
  guint duration_s;            /* 0: never stops by itself */
  guint sample_interval_100ns; /* 0: 10 000 (1 ms); 1221..10 000 000 */
  /* FALSE (-ownprograms): only with the rights that are there. TRUE, the default: where the machine
   * can be unlocked, as if it were */
  gboolean unlock;
  char *instance;    /* NULL: "WprApp" */
  char *record_to;   /* -recordtempto: folder for the raw recording, NULL: the state folder */
  char *save_folder; /* where -duration saves; NULL: the default one */
  guint save_flags;  /* WprSaveFlags of a file that is written because it stopped by itself */
} WprChoice;

WPR_API WprChoice *wpr_choice_new (void);
WPR_API void wpr_choice_free (WprChoice *choice);
/* name may carry ".light" or ".verbose" (any case). */
WPR_API void wpr_choice_add (WprChoice *choice, const char *name, const char *source, int level);
WPR_API GVariant *wpr_choice_to_variant (const WprChoice *choice); /* floating a{sv} */
WPR_API WprChoice *wpr_choice_from_variant (GVariant *variant, GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprChoice, wpr_choice_free)

/* How much this process may do by itself: each sees what the one above it sees, and more. */
typedef enum
{
  WPR_RIGHTS_NONE,   /* no event of the kernel */
  WPR_RIGHTS_OWN,    /* samples, switches, faults, task records of this user's programs */
  WPR_RIGHTS_SYSTEM, /* the same of all programs and of the kernel; no tracepoints */
  WPR_RIGHTS_FULL,   /* system-wide events and tracepoints with data */
} WprRights;

WPR_API const char *wpr_rights_name (WprRights rights); /* "own": stable, untranslated */

/* Whether the broker would give what this process lacks. */
typedef enum
{
  WPR_UNLOCK_NONE, /* there is no broker, or it would refuse */
  WPR_UNLOCK_ASK,  /* after asking: for an administrator's password, or whatever the policy says */
  WPR_UNLOCK_YES,  /* without asking */
} WprUnlock;

typedef enum
{
  WPR_HAVE_UNKNOWN,
  WPR_HAVE_YES,
  WPR_HAVE_NO,
  WPR_HAVE_REFUSED
} WprHave;

/* What can be had here: a value. Probed by wpr_machine_probe() (wpr-recorder.h), or made up by a
 * test. */
typedef struct _WprMachine WprMachine;
WPR_API WprMachine *wpr_machine_new (guint n_cpus, guint64 memory_bytes, WprRights rights);
WPR_API WprMachine *wpr_machine_ref (WprMachine *machine);
WPR_API void wpr_machine_unref (WprMachine *machine);
WPR_API guint wpr_machine_get_n_cpus (const WprMachine *machine);   /* online */
WPR_API guint64 wpr_machine_get_memory (const WprMachine *machine); /* bytes */
WPR_API WprRights wpr_machine_get_rights (const WprMachine *machine);
/* Why the rights are no more, and what helps: translated sentences; "" with full rights. */
WPR_API const char *wpr_machine_get_rights_text (const WprMachine *machine);
WPR_API void wpr_machine_set_rights_text (WprMachine *machine, const char *text);
/* NONE unless set. Says nothing where the rights are full already. */
WPR_API WprUnlock wpr_machine_get_unlock (const WprMachine *machine);
WPR_API void wpr_machine_set_unlock (WprMachine *machine, WprUnlock unlock);
/* With WPR_RIGHTS_OWN: also what own programs do inside the kernel (perf_event_paranoid 1). */
WPR_API gboolean wpr_machine_get_sees_kernel (const WprMachine *machine);
WPR_API void wpr_machine_set_sees_kernel (WprMachine *machine, gboolean sees);
/* Threads of this user's programs that an event could be opened on; 0: nobody counted. */
WPR_API guint wpr_machine_get_own_threads (const WprMachine *machine);
WPR_API void wpr_machine_set_own_threads (WprMachine *machine, guint n);
WPR_API void wpr_machine_set_max_possible_cpu (WprMachine *machine, guint highest);
WPR_API guint wpr_machine_get_max_possible_cpu (const WprMachine *machine);
WPR_API void wpr_machine_set_has_pmu (WprMachine *machine, gboolean has);
WPR_API gboolean wpr_machine_get_has_pmu (const WprMachine *machine);
/* "INTEL", "AMD", "ARM" with family and model: which ProfileSources hold. NULL: not known. */
WPR_API void wpr_machine_set_processor (WprMachine *machine, const char *architecture, int family,
                                        int model);
WPR_API const char *wpr_machine_get_processor (const WprMachine *machine, int *family, int *model);
WPR_API void wpr_machine_set_kernel (WprMachine *machine, const char *release);
WPR_API const char *wpr_machine_get_kernel (const WprMachine *machine);
/* Tracepoints: "sched:sched_switch". What nobody set is the default (UNKNOWN unless changed). */
WPR_API void wpr_machine_set_event (WprMachine *machine, const char *event, WprHave have);
WPR_API void wpr_machine_set_default (WprMachine *machine, WprHave have);
WPR_API WprHave wpr_machine_get_event (const WprMachine *machine, const char *event);
/* Names known present, matching a "system:pattern" with * and ?; sorted; for wildcards. Free with
 * g_ptr_array_unref. */
WPR_API GPtrArray *wpr_machine_match_events (const WprMachine *machine, const char *pattern);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprMachine, wpr_machine_unref)

/* ---- the plan ---- */

typedef enum
{
  WPR_ITEM_TRACEPOINT, /* name "sched:sched_switch" */
  WPR_ITEM_SOFTWARE,   /* name "cpu-clock", "page-faults", "major-faults" */
  WPR_ITEM_HARDWARE,   /* name "cycles", "instructions", "r01c2" (raw) */
  WPR_ITEM_SIDEBAND,   /* name "sideband": mmap2, comm, task, build ids. One a plan, always there */
  WPR_ITEM_SAMPLER,  /* name "meminfo", "vmstat", "psi", "rss": read by the recorder at an interval
                      */
  WPR_ITEM_SWITCHES, /* name "switches": what the kernel tells of them without tracepoints */
} WprItemKind;

typedef enum
{
  WPR_STACK_NONE,
  WPR_STACK_KERNEL,
  WPR_STACK_FULL
} WprStack; /* FULL: kernel and user */

/* One Linux event of a collector. */
typedef struct
{
  WprItemKind kind;
  const char *name;
  WprStack stack;
  guint64 period; /* tracepoints, faults: 1. cpu-clock: ns. cycles: 0 with interval_ns (frequency
                     from it) */
  guint64 interval_ns; /* samples and samplers: the interval; else 0 */
  gboolean skip_self;  /* the recorder's own threads are filtered out (syscalls, block, file) */
  const char *filter;  /* further filter of a tracepoint, as the kernel reads it; NULL: none */
  /* of const char *: programs whose threads that run when recording starts pass the filter too,
   * whatever their names; NULL: none */
  const GPtrArray *programs;
  gboolean strict;           /* the start fails if it is refused */
  const GPtrArray *asked_by; /* of const char *: "CPU: keyword CSwitch", for people */
  const GPtrArray *keywords; /* of const char *: "CSwitch" */
  const GPtrArray *profiles; /* of const char *: names of the profiles that asked */
} WprPlanItem;

typedef enum
{
  WPR_COLLECTOR_SYSTEM,
  WPR_COLLECTOR_EVENT
} WprCollectorKind;

typedef struct
{
  const char *name; /* "WPR System Collector" */
  WprCollectorKind kind;
  guint buffer_kb;                    /* BufferSize, as asked and kept */
  guint buffers_asked;                /* number of buffers asked for in all */
  guint buffers_granted;              /* ring_bytes x CPUs / BufferSize */
  guint64 bytes_asked, bytes_granted; /* in all */
  guint64 ring_bytes;                 /* a CPU: a power of two of pages */
  const GPtrArray *items; /* of const WprPlanItem *; a collector without items is not opened */
} WprPlanCollector;

typedef enum
{
  WPR_MISSING_NOT_HERE,       /* this kernel has no such event */
  WPR_MISSING_REFUSED,        /* the kernel refuses it, also to administrators */
  WPR_MISSING_NO_COUNTERPART, /* Linux has nothing like it */
  WPR_MISSING_NEEDS_RIGHTS,   /* needs rights this user has not */
  WPR_MISSING_LATER,          /* not in this version */
} WprMissingReason;

typedef struct
{
  const char
      *what; /* "irq_vectors:irq_work_exit", "keyword Registry", "provider Microsoft-Windows-Foo" */
  WprMissingReason reason;
  const char *text;          /* translated sentence */
  const GPtrArray *asked_by; /* of const char * */
  gboolean strict;           /* a profile cannot do without: the start fails */
} WprPlanMissing;

/* Descriptors that a recording of own programs takes at most: the largest programs come first. */
#define WPR_OWN_FILES_MOST 4096u

/* What will really be recorded. Immutable, reference counted. */
typedef struct
{
  WprMode mode;
  WprLevel level;              /* the highest asked */
  const GPtrArray *profiles;   /* of const char *: variant ids, "CPU.Verbose.Memory" */
  const GPtrArray *titles;     /* of const char *: translated titles in the same order */
  const GPtrArray *collectors; /* of const WprPlanCollector *; the system collector first */
  const GPtrArray *missing;    /* of const WprPlanMissing * */
  const GPtrArray
      *notices;           /* of const char *: translated; what was cut, disagreements, fallbacks */
  const GPtrArray *notes; /* of const WprPlanNote *: by file and line */
  guint n_kinds;          /* kinds of events that will be recorded */
  guint64 memory_bytes;   /* rings of all collectors and sideband */
  guint duration_s;
  guint64 max_bytes;      /* file mode: of the raw recording; 0: no limit */
  gboolean is_sequential; /* stops at max_bytes; else the oldest go */
  guint stack_cache_kb;   /* call stacks are written once each (StackCaching); 0: in full */
  guint64 part_bytes;     /* of one finished .etl: what is more becomes several; 0: one file */
  /* File mode: what was recorded is on the disk, whatever happens to the machine, at most so many
   * seconds (FlushTimer) or bytes (FlushThreshold buffers) later; 0: not asked for */
  guint flush_timer_s;
  guint64 flush_bytes;
  gboolean strict;       /* something of it is strict: see the items and what is missing */
  gboolean needs_rights; /* nothing of it can be recorded for want of rights */
  /* What it was made for: the machine's rights, or FULL where `unlock` says that the broker has to
   * be asked first */
  WprRights rights;
  gboolean unlock;
  const char *rights_text; /* translated sentences: what is seen with them, and what it costs; ""
                              where that is everything or nothing */
  const char *rights_help; /* what helps to see more; "" where nothing is to be said */
  guint open_files;        /* WPR_RIGHTS_OWN: descriptors wanted, threads x CPUs x events; more than
                              WPR_OWN_FILES_MOST are not opened. Else 0 */
  const char *digest; /* SHA-256 over everything above but texts: equal digests, equal recordings */
} WprPlan;

/* A pure function of its arguments: opens nothing, any thread, under 50 ms. Errors:
 * WPR_ERROR_PROFILE (unknown profile, Internal 0xc558101c, collectors that disagree),
 * WPR_ERROR_USAGE (numbers out of range, with the limit). A plan in which nothing can be had is not
 * an error. */
WPR_API WprPlan *wpr_plan_new (WprLibrary *library, const WprChoice *choice,
                               const WprMachine *machine, GError **error);
WPR_API WprPlan *wpr_plan_ref (WprPlan *plan);
WPR_API void wpr_plan_unref (WprPlan *plan);
/* The plan as text for people (-profiledetails, Copy as Text), and as JSON (schema version 1). Free
 * with g_free. */
WPR_API char *wpr_plan_to_text (const WprPlan *plan);
WPR_API char *wpr_plan_to_json (const WprPlan *plan);
/* The chosen variants with everything they build on, in the buffers that are asked for, as one
 * .wprp that WPR's schema accepts and from which the same plan comes; several are marked
 * WPR_PROFILE_TOGETHER. Errors as wpr_plan_new(). Free with g_free. */
WPR_API char *wpr_profile_export (WprLibrary *library, const WprChoice *choice, GError **error);
/* A counter of a processor by Windows' name, and what it is here. */
typedef struct
{
  const char *name;  /* "InstructionRetired" */
  const char *event; /* "instructions" */
  gboolean software; /* counted by the kernel: every machine has it */
} WprCounter;
WPR_API const WprCounter *wpr_counter_get (guint index); /* NULL behind the last */
/* Known providers with where they lead, "tracepoint:block:*, lttng:...": three char * each, name,
 * GUID ("" if it has none) and targets. Free with g_ptr_array_unref. */
WPR_API GPtrArray *wpr_library_list_providers (WprLibrary *library);
/* Plain words for an item ("Each switch from one thread to another"), translated; static. */
WPR_API const char *wpr_plan_item_describe (const WprPlanItem *item);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (WprPlan, wpr_plan_unref)

G_END_DECLS
