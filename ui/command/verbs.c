/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of verbs. A verb without a function belongs to a later version; it is listed so that a
 * script that uses it is told so rather than "unknown". */
#include "config.h"
#include "verbs.h"

#include <glib/gi18n.h>

static const WprVerb verbs[] = {
  { "start",
    "[FILE.wprp!]PROFILE[.light|.verbose] ... [-filemode] [-recordtempto DIR] [-buffersize KB] "
    "[-buffers N|N%] [-maxsize MB] [-maxfiles N] [-duration SECONDS] [-ownprograms] [-instancename "
    "NAME]",
    N_ ("Begins a recording that goes on when the command has ended. In memory mode, the default, "
        "it keeps the newest events in memory until you save them; with -filemode it writes all of "
        "them to disk. With -duration the command waits, then saves by itself and prints where. "
        "Who is not root is asked for an administrator's password where the recording service is "
        "installed; -ownprograms asks nobody and records your own programs only."),
    wpr_verb_start },
  { "stop",
    "FILE.etl [\"WHAT WAS WRONG\"] [-compress] [-skipPdbGen] [-debuginfod] [-instancename NAME]",
    N_ ("Stops the recording and saves it. Ctrl-C while it saves keeps the raw recording and says "
        "where it is. With -compress the file takes about a fifth of the space. Where a size of "
        "files was asked for, what is more goes into FILE-2.etl, FILE-3.etl .., each complete by "
        "itself. Functions are named in the file; -skipPdbGen leaves that out, -debuginfod asks "
        "the servers that DEBUGINFOD_URLS names, too."),
    wpr_verb_stop },
  { "save",
    "FILE.etl [\"WHAT WAS WRONG\"] [-compress] [-skipPdbGen] [-debuginfod] [-instancename NAME]",
    N_ ("Saves what the buffers in memory hold, and goes on recording."), wpr_verb_save },
  { "cancel", "[-instancename NAME]", N_ ("Stops the recording and throws it away."),
    wpr_verb_cancel },
  { "status", "[profiles] [collectors [-details]] [-instancename NAME] [-json]",
    N_ ("Says what is being recorded, since when and by whom, how full the buffers are, and "
        "whether events were lost."),
    wpr_verb_status },
  { "profiles", "[FILE.wprp] [-json]", N_ ("Lists the profiles that can be recorded."),
    wpr_verb_profiles },
  { "profiledetails",
    "[FILE.wprp!]PROFILE[+PROFILE ...] [-filemode] [-buffersize KB] [-buffers N|N%] [-json]",
    N_ ("Shows what would be recorded: collectors, buffers, events with who asked for each, and "
        "what is not available here and why."),
    wpr_verb_profiledetails },
  { "validate", "FILE.wprp ... [-strict] [-json]",
    N_ ("Lists everything that is wrong with profile files, with line and column and what is "
        "allowed there. -strict: what Windows Performance Recorder would refuse is an error, "
        "too."),
    wpr_verb_validate },
  { "exportprofile", "[FILE.wprp!]PROFILE[+PROFILE ...] OUT.wprp [-filemode]",
    N_ ("Writes the profiles chosen, with all they build on, as one .wprp file."),
    wpr_verb_exportprofile },
  { "providers", "[-json]",
    N_ ("Lists the kernel events of this machine, and where the providers that Windows profiles "
        "name lead."),
    wpr_verb_providers },
  { "pmcsources", "[-json]", N_ ("Lists counters of the processor, and which this machine has."),
    wpr_verb_pmcsources },
  { "setprofint", "N",
    N_ ("Sets the sampling interval of recordings to come, 1221 to 10000000 units of 100 ns."),
    wpr_verb_setprofint },
  { "profint", "[-json]", N_ ("Prints the sampling interval."), wpr_verb_profint },
  { "resetprofint", "", N_ ("Sets the sampling interval back to 1 ms."), wpr_verb_resetprofint },
  { "flush", "[-instancename NAME]",
    N_ ("Writes what the buffers of a recording to disk hold to disk now."), wpr_verb_flush },
  { "enable", "[FILE.wprp!]PROFILE[.light|.verbose] ... [-instancename NAME]",
    N_ ("Adds profiles to the recording that runs, without a gap in what it records already."),
    wpr_verb_enable },
  { "disable", "[FILE.wprp!]PROFILE ... [-instancename NAME]",
    N_ ("Takes profiles out of the recording that runs; it goes on with the others."),
    wpr_verb_disable },
  { "marker", "\"TEXT\" [-instancename NAME]",
    N_ ("Puts a mark with a sentence into the recording."), wpr_verb_marker },
  { "info", "FILE.etl [-json]",
    N_ ("Says what a recording holds and how it was made, and checks every buffer and event of "
        "it."),
    wpr_verb_info },
  { "dump", "FILE.etl [-filter EXPR] [-from T] [-to T] [-stacks] [-csv|-json]",
    N_ ("Prints the events of a file in the order of time, one a line, with their fields, and with "
        "-stacks the functions that led there. EXPR is as in ProcessName=\"myapp\" && Level<=3; "
        "\"wpr -help filter\" explains it. T is in seconds since the beginning, or a time of day, "
        "or a date and time."),
    wpr_verb_dump },
  { "merge", "A.etl B.etl ... OUT.etl [-json]",
    N_ ("Joins several files, also of other computers and of Windows, into a new one, in the order "
        "of wall-clock time. Says what cannot be told apart in it."),
    wpr_verb_merge },
  { "recover", "[DIR|FILE.etl] [-compress] [-skipPdbGen] [-debuginfod] [-json]",
    N_ ("Finishes raw recordings that a crash or a cancelled save left, into the folder for saved "
        "recordings. DIR: those of a folder that was given to -recordtempto. FILE.etl: makes a "
        "finished file of one whose writer stopped in the middle; the other is kept beside it."),
    wpr_verb_recover },
  { "purgecache", "[-json]",
    N_ ("Empties the cache of function names that saving keeps between recordings."),
    wpr_verb_purgecache },
  { "help", "[COMMAND|profiles|filter]",
    N_ ("Explains a command, or lists them all. \"wpr -help profiles\" explains the format of "
        "profile files, \"wpr -help filter\" the filters of -dump."),
    wpr_verb_help },
  { "version", "[-json]", N_ ("Prints the version."), wpr_verb_version },
  { "capturestateondemand", "", N_ ("Records the present state of providers."), NULL },
  { "export", "", N_ ("Writes a recording for other tools."), NULL },
  { "boottrace", "", N_ ("Records the next boot."), NULL },
  { "heaptracingconfig", "", N_ ("Chooses the programs that the Heap profile watches."), NULL },
  { "log", "", N_ ("Switches the tool's own log."), NULL },
};

const WprVerb *
wpr_verb_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    if (g_ascii_strcasecmp (verbs[i].name, name) == 0)
      return &verbs[i];
  return NULL;
}

const WprVerb *
wpr_verb_table (gsize *n)
{
  *n = G_N_ELEMENTS (verbs);
  return verbs;
}
