#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What recording costs, beside perf record and trace-cmd in the same run: same events, same ring
bytes a CPU, the load's events counted by a group of its own. Prints figures, ratios and what they
were measured on, also where we lose; asserts nothing.

  bench-record.py BUILD_FOLDER [SECTION...]      sections: see SECTIONS at the end
  WPR_BENCH_SCALE=0.2 makes every load a fifth as long."""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorders  # noqa: E402
import sizes  # noqa: E402
from recorders import run  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20
ROUNDS = 3
SCALE = float(os.environ.get("WPR_BENCH_SCALE", "1"))


class Bench:
    def __init__(self, build):
        self.build = build
        self.n_cpus = os.cpu_count()
        self.folder = tempfile.mkdtemp(prefix="wpr-bench-", dir="/var/tmp")
        self.wpr = recorders.Wpr(os.path.join(build, "ui/command/wpr"), HERE, self.folder)
        self.load_program = os.path.join(build, "tests/bench/bench-load")

    def peers(self):
        found = []
        if shutil.which("perf"):
            reader = os.path.join(self.build, "tests/bench/bench-perfdata")
            found.append(recorders.Perf(self.folder, reader))
        if shutil.which("trace-cmd"):
            found.append(recorders.TraceCmd(self.folder))
        return found

    def load(self, kind, amount, events=(), cpus=None):
        amount = max(int(amount * SCALE), 1)
        argv = [self.load_program, kind, str(amount), str(cpus or self.n_cpus)]
        text, _, _ = run(argv + ([",".join(events)] if events else []))
        return json.loads(text)


def verdict(good):
    return "met" if good else "NOT met"


def machine_facts(bench):
    model = "unknown CPU"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) >> 20
    versions = []
    for program, option in (("perf", "--version"), ("trace-cmd", "--version"),
                            (bench.wpr.program, "-version")):
        if shutil.which(program):
            text, _, _ = run([program, option], expect=range(256))
            versions.append(text.strip().splitlines()[0])
    print("machine   %s, %d CPUs, %d GiB, kernel %s"
          % (model, bench.n_cpus, memory, platform.release()))
    print("          %s" % "; ".join(versions))
    print("          other work on the machine is in these figures: its load average is said\n")


def load_average():
    with open("/proc/loadavg") as file:
        return "load average %s" % file.read().split(" ")[0]


# ---- recording beside the peers ----

LOADS = {  # profile, kind, amount a CPU
    "switches": ("Switches", "switches", 300000),
    "syscalls": ("Syscalls", "syscalls", 1500000),
}


def one_run(bench, recorder, profile, ring, events, kind, amount):
    recorder.start(profile, ring, bench.n_cpus, events)
    counted = bench.load(kind, amount, events)
    result = recorder.end()
    result["counted"] = counted["events"]
    result["seconds"] = counted["seconds"]
    return result


def beside_peers(bench, what):
    profile, kind, amount = LOADS[what]
    ring = 4 * MIB
    events = bench.wpr.plan(profile, ring, bench.n_cpus)
    all_recorders = [bench.wpr, *bench.peers()]
    results = {recorder.name: [] for recorder in all_recorders}
    fixed = {recorder.name: [] for recorder in all_recorders}
    for _ in range(ROUNDS):
        for recorder in all_recorders:
            for store, what_load in ((results, (kind, amount)), (fixed, ("idle", 1 / SCALE))):
                run_ = one_run(bench, recorder, profile, ring, events, *what_load)
                store[recorder.name].append(run_)
    print("%s: %d MiB a CPU, %d interleaved rounds, %s"
          % (what, ring // MIB, ROUNDS, load_average()))
    print("  events: %s" % ", ".join(events))
    print("  %-12s %26s %14s %12s %15s %12s" % ("", "CPU s per M events", "without fixed",
                                                "fixed CPU s", "lost", "bytes/event"))
    per_million = {}
    lost = {}
    for recorder in all_recorders:
        runs = results[recorder.name]
        base = statistics.median(one["cpu"] for one in fixed[recorder.name])
        costs = sorted(one["cpu"] / one["counted"] * 1e6 for one in runs)
        net = statistics.median((one["cpu"] - base) / one["counted"] * 1e6 for one in runs)
        per_million[recorder.name] = statistics.median(costs)
        lost[recorder.name] = sum(one["lost"] for one in runs)
        share = 100 * lost[recorder.name] / max(sum(one["counted"] for one in runs), 1)
        size = statistics.median(one["bytes"] / max(one["counted"] - one["lost"], 1)
                                 for one in runs)
        print("  %-12s %8.3f (%.3f..%.3f) %14.3f %12.2f %8d %4.1f %% %9.0f"
              % (recorder.name, per_million[recorder.name], costs[0], costs[-1], net, base,
                 lost[recorder.name], share, size))
    counted = statistics.median(one["counted"] / one["seconds"] for one in results["wpr"])
    print("  load: %.0f thousand events a second" % (counted / 1e3))
    if "perf record" in per_million:
        ratio = per_million["wpr"] / per_million["perf record"]
        limit = 1.0 if what == "switches" else 0.5
        print("  CPU: %.2f of perf record's (goal: at most %.1f): %s"
              % (ratio, limit, verdict(ratio <= limit)))
    if len(lost) > 1:
        least = min(n for name, n in lost.items() if name != "wpr")
        print("  losses: %d, best peer %d (goal: no more): %s"
              % (lost["wpr"], least, verdict(lost["wpr"] <= least)))
    print()


def saturated(bench):
    ring = 16 * MIB
    events = bench.wpr.plan("Syscalls", ring, bench.n_cpus)
    clean = 0
    rates = []
    for _ in range(5):
        result = one_run(bench, bench.wpr, "Syscalls", ring, events, "syscalls", 3000000)
        clean += result["lost"] == 0
        rates.append(result["counted"] / result["seconds"])
        print("  %.2f M events/s, lost %d" % (rates[-1] / 1e6, result["lost"]))
    print("saturated, 16 MiB a CPU: %d of 5 runs without a loss, %.2f M events/s, %s (goal: 5): %s\n"
          % (clean, statistics.median(rates) / 1e6, load_average(), verdict(clean == 5)))


# ---- to a finished file ----

def finished_file(bench):
    ring = 16 * MIB
    events = bench.wpr.plan("Switches", ring, bench.n_cpus)
    path = os.path.join(bench.folder, "finished.etl")
    amount = 150000

    begin = time.monotonic()
    bench.wpr.start("Switches", ring, bench.n_cpus, events)
    ours_counted = bench.load("switches", amount, events)
    stopped = bench.wpr.stop(path)
    ours_wall = time.monotonic() - begin
    ours = (ours_wall - ours_counted["seconds"], stopped["cpu"], stopped["bytes"])
    os.unlink(path)
    line = "  %-24s wall without the load %6.2f s, CPU %6.2f s, file %6.1f MiB"
    print("start to finished file, %d switch events, %s (wpr to .etl; perf record + perf script)"
          % (ours_counted["events"], load_average()))
    print(line % ("wpr", ours[0], ours[1], ours[2] / MIB))
    for perf in bench.peers()[:1]:
        begin = time.monotonic()
        perf.start("Switches", ring, bench.n_cpus, events)
        counted = bench.load("switches", amount, events)
        result = perf.end()
        text = os.path.join(bench.folder, "script.txt")
        script = ["sh", "-c", "exec perf script -i \"$0\" > \"$1\"", perf.file, text]
        _, cpu, _ = run(script, timeout=500)
        wall = time.monotonic() - begin - counted["seconds"]
        cpu += result["cpu"]
        print(line % ("perf record + script", wall, cpu, os.path.getsize(text) / MIB))
        print("  ratio: wall %.2f, CPU %.2f" % (ours[0] / wall, ours[1] / cpu))
        os.unlink(text)
    print()


# ---- memory mode ----

def function_calls():
    """Function-call interrupts of each CPU so far."""
    with open("/proc/interrupts") as file:
        n = len(file.readline().split())
        for line in file:
            if line.strip().startswith("CAL:"):
                return [int(word) for word in line.split()[1:1 + n]]
    return [0] * n


def memory_mode(bench):
    seconds = 10  # however short the rest is made: a tenth of a second's work is measured
    ring = 16 * MIB
    events = bench.wpr.plan("Syscalls", ring, bench.n_cpus)
    # 100 000 calls a second and CPU are twice as many events: sys_enter and sys_exit.
    n_cpus = min(bench.n_cpus, 2)
    bench.wpr.start("Syscalls", ring, bench.n_cpus, events, memory=True)
    time.sleep(1)  # started, and its first figures are out
    before = bench.wpr.process_cpu_ns()
    begin = time.monotonic()
    counted = bench.load("paced", seconds / SCALE, events, cpus=n_cpus)
    used = bench.wpr.process_cpu_ns() - before
    wall = time.monotonic() - begin
    result = bench.wpr.end()
    share = used / wall / 1e7
    print("memory mode, %.0f thousand tracepoints a second in the rings, %s"
          % (counted["events"] / counted["seconds"] / 1e3, load_average()))
    print("  the recorder used %.3f %% of one core (goal: under 0.2 %%): %s; lost %d"
          % (share, verdict(share < 0.2), result["lost"]))
    if bench.n_cpus > 1:
        quiet_cpu(bench, ring, events, seconds)
    print()


def quiet_cpu(bench, ring, events, seconds):
    """Interrupts to the last CPU while only the first has events to record, with and without us."""
    taskset = ("taskset", "-c", "0")
    idle_before = function_calls()
    bench.load("paced", seconds / SCALE, (), cpus=1)
    without = [now - then for now, then in zip(function_calls(), idle_before)]
    bench.wpr.start("Syscalls", ring, bench.n_cpus, events, memory=True, prefix=taskset)
    time.sleep(1)
    first = bench.wpr.status()["collectors"][0]["cpus"]
    before = function_calls()
    bench.load("paced", seconds / SCALE, (), cpus=1)
    during = [now - then for now, then in zip(function_calls(), before)]
    last = bench.wpr.status()["collectors"][0]["cpus"]
    bench.wpr.end()
    moved = [after["bytes"] - then["bytes"] for after, then in zip(last, first)]
    print("  function-call interrupts a CPU in %.0f s: without us %s, while recording %s"
          % (seconds, without, during))
    print("  ring bytes moved %s (goal: no interrupt to a CPU whose ring did not move)" % moved)


def large_ring(bench):
    # All rings together 256 MiB, or the next smaller power of two a CPU.
    ring = 1 << ((256 * MIB // bench.n_cpus).bit_length() - 1)
    print("stop to finished file, memory mode, full rings of %d MiB in all"
          % (ring * bench.n_cpus // MIB))
    for profile, kind, amount in (LOADS["switches"], LOADS["syscalls"]):
        path = os.path.join(bench.folder, "ring.etl")
        bench.wpr.start(profile, ring, bench.n_cpus, memory=True)
        filled = 0.0
        while filled < 1.0:
            run([bench.load_program, kind, str(amount), str(bench.n_cpus)])
            cpus = bench.wpr.status()["collectors"][0]["cpus"]
            filled = min(cpu["used_bytes"] / cpu["ring_bytes"] for cpu in cpus)
        before = bench.wpr.process_cpu_ns()
        stopped = bench.wpr.stop(path)
        used = stopped["cpu"] - before / 1e9
        print("  %-9s %5.2f s wall, %5.2f s of CPU, %d events, .etl %.0f MiB, %s (goal: 3 s): %s"
              % (kind, stopped["seconds"], used, stopped["info"]["events"], stopped["bytes"] / MIB,
                 load_average(), verdict(stopped["seconds"] < 3)))
        os.unlink(path)
    print()


# ---- memory of saving ----

def saving_memory(bench):
    ring = 16 * MIB
    events = bench.wpr.plan("Switches", ring, bench.n_cpus)
    print("memory while saving (anonymous memory of the recording process, most seen)")
    peaks = []
    for amount in (100000, 400000):
        path = os.path.join(bench.folder, "memory.etl")
        bench.wpr.start("Switches", ring, bench.n_cpus, events)
        bench.load("switches", amount, events)
        recording = bench.wpr.anonymous_kib()
        most = [recording]
        done = threading.Event()

        def watch(most=most, done=done):
            while not done.wait(0.005):
                most[0] = max(most[0], bench.wpr.anonymous_kib())

        watcher = threading.Thread(target=watch)
        watcher.start()
        stopped = bench.wpr.stop(path)
        done.set()
        watcher.join()
        os.unlink(path)
        peaks.append(most[0])
        print("  %8d events: %.1f MiB (before saving %.1f)"
              % (stopped["info"]["events"], most[0] / 1024, recording / 1024))
    ratio = peaks[1] / peaks[0]
    print("  four times as long: %.2f times the memory (goal: independent of length): %s\n"
          % (ratio, verdict(ratio < 1.25)))


def play_speed(bench):
    program = os.path.join(bench.build, "tests/bench/bench-play")
    text, _, _ = run([program, str(max(2 * SCALE, 0.2))], timeout=500)
    print("playing (goal: at least 1.5 M events a second and core), %s" % load_average())
    print("  " + text.strip().replace("\n", "\n  "))
    print()


def memory_of_files(bench):
    """Writing and reading back files of 10 MB to 4 GB, side by side."""
    program = os.path.join(bench.build, "tests/bench/bench-play")
    sizes_mb = ["10", "100"]
    # Both the made-up recording and its file.
    if os.environ.get("WPR_BENCH_LARGE") and shutil.disk_usage(bench.folder).free > 16 << 30:
        sizes_mb.append("4096")
    print("memory by the size of the file, %s (WPR_BENCH_LARGE=1: 4 GB, too)" % load_average())
    for size in sizes_mb:
        kept = os.path.join(bench.folder, "kept.etl")
        text, _, _ = run([program, "memory", size, kept], timeout=900)
        print("  write " + text.strip().replace("\n", "\n  write "))
        with subprocess.Popen([bench.wpr.program, "-info", kept], stdout=subprocess.DEVNULL,
                              env=bench.wpr.env) as child:
            _, _, usage = os.wait4(child.pid, 0)
            child.returncode = 0
        print("  %-20s -info %29.2f s of CPU, peak RSS at most %d KiB"
              % (size + " MB", recorders.spent(usage), usage.ru_maxrss))
        os.unlink(kept)
    print()


SECTIONS = {
    "switches": lambda bench: beside_peers(bench, "switches"),
    "syscalls": lambda bench: beside_peers(bench, "syscalls"),
    "saturated": saturated,
    "finished": finished_file,
    "bytes": sizes.bytes_an_event,
    "memory": memory_mode,
    "ring": large_ring,
    "saving": saving_memory,
    "play": play_speed,
    "files": memory_of_files,
}


def main():
    if len(sys.argv) < 2 or any(name not in SECTIONS for name in sys.argv[2:]):
        sys.exit("usage: bench-record.py BUILD_FOLDER [%s]" % "|".join(SECTIONS))
    recorders.become_reaper()
    bench = Bench(os.path.abspath(sys.argv[1]))
    try:
        machine_facts(bench)
        for name in sys.argv[2:] or SECTIONS:
            try:
                SECTIONS[name](bench)
            except (RuntimeError, OSError) as error:
                print("%s: could not be measured: %s\n" % (name, error))
            sys.stdout.flush()
    finally:
        run([bench.wpr.program, "-cancel"], bench.wpr.env, expect=range(256))
        shutil.rmtree(bench.folder, ignore_errors=True)


main()
