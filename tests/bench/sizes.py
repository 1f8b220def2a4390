# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bytes an event: the same load, recorded by each, into the file each writes. What a file has
whatever is recorded (who was there, names of functions, formats) is measured with an idle second
and told apart. Does not live here: the recorders (recorders.py)."""

import os

from recorders import TraceCmd

MIB = 1 << 20
RING = 16 * MIB

LOADS = {  # profile, kind of load, amount a CPU, what perf records instead of the tracepoints
    "scheduler": ("Switches", "switches", 200000, None),
    "system calls": ("Syscalls", "syscalls", 400000, None),
    "disk": ("Disk", "disk", 8000, None),
    # Frame pointers, as we; a sample a millisecond. -B: perf 6.1 aborts while it gathers build ids
    # of processes that are gone.
    "samples with stacks": ("Samples", "stacks", 5, ("-B", "-e", "cpu-clock", "-c", "1000000", "-g")),
}


def our_file(bench, profile, events, kind, amount, options):
    """Bytes, and events of the load in it."""
    path = os.path.join(bench.folder, "bytes.etl")
    bench.wpr.start(profile, RING, bench.n_cpus)
    counted = bench.load(kind, amount, events)
    stopped = bench.wpr.stop(path, *options)
    os.unlink(path)
    samples = sum(row["count"] for row in stopped["info"]["counts"]
                  if (row["provider"], row["name"]) == ("PerfInfo", "SampledProfile"))
    n = counted["events"] - stopped["info"]["events_lost"] if events else samples
    return stopped["bytes"], n, stopped["seconds"]


def their_file(bench, peer, profile, events, kind, amount, how):
    if how is not None and isinstance(peer, TraceCmd):
        return None  # it has no samples with stacks
    if how is None:
        peer.start(profile, RING, bench.n_cpus, events)
    else:
        peer.start(profile, RING, bench.n_cpus, (), how=how)
    counted = bench.load(kind, amount, events)
    result = peer.end()
    return result["bytes"], counted["events"] - result["lost"] if events else result["events"], None


def measure(bench, name):
    profile, kind, amount, how = LOADS[name]
    events = bench.wpr.plan(profile, RING, bench.n_cpus) if how is None else ()
    rows = [(".etl", lambda *load: our_file(bench, profile, events, *load, ())),
            (".etl -compress", lambda *load: our_file(bench, profile, events, *load,
                                                      ("-compress",)))]
    for peer in bench.peers():
        rows.append(("perf.data" if peer.name == "perf record" else "trace.dat",
                     lambda *load, peer=peer: their_file(bench, peer, profile, events, *load, how)))
    print("bytes an event, %s" % name)
    for what, record in rows:
        fixed, full = record("idle", 1 / bench_scale()), record(kind, amount)
        if fixed is None or full is None:
            print("  %-15s       - (does not record this)" % what)
            continue
        size, n, seconds = full
        print("  %-15s %7.1f, without what is there anyway %7.1f  (%d events, %.1f MiB, idle %.2f"
              " MiB%s)" % (what, size / max(n, 1), max(size - fixed[0], 0) / max(n, 1), n,
                           size / MIB, fixed[0] / MIB,
                           ", stop %.2f s" % seconds if seconds is not None else ""))


def bench_scale():
    return float(os.environ.get("WPR_BENCH_SCALE", "1"))


def bytes_an_event(bench):
    for name in LOADS:
        measure(bench, name)
    print()
