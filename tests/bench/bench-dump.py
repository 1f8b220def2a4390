#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""How fast events become text, beside perf script and babeltrace2: one load, recorded by wpr and by
perf at once, perf's recording also as CTF (perf data convert). And whether reading takes the same
memory for 10 MiB and for 4 GiB. Prints figures, asserts nothing.

  bench-dump.py BUILD_FOLDER [text|memory ...]
  WPR_BENCH_SCALE=0.2 makes the load and the largest file a fifth as large."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import recorders  # noqa: E402
from recorders import run, spent  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SCALE = float(os.environ.get("WPR_BENCH_SCALE", "1"))
ROUNDS = 3
SWITCHES = 400000  # a CPU: some 1.6 million events on two
EVENTS = ("sched:sched_switch", "sched:sched_waking", "sched:sched_wakeup_new")
GOAL = 1.5e6  # events a second a core
MIB = (10, 100, 1000, 4096)


def measure(argv):
    """Lines on stdout, CPU seconds and peak memory in KiB of a command."""
    lines = 0
    with tempfile.TemporaryFile() as said, \
            subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=said) as child:
        while True:
            block = os.read(child.stdout.fileno(), 1 << 20)
            if not block:
                break
            lines += block.count(b"\n")
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        if child.returncode != 0:
            raise RuntimeError("%s ended with %d: %s"
                               % (" ".join(argv), child.returncode, said.read()[-600:]))
    return lines, spent(usage), usage.ru_maxrss


def best(argv):
    """The round that other work on the machine disturbed least."""
    return min((measure(argv) for _ in range(ROUNDS)), key=lambda one: one[1])


def line(name, lines, events, seconds, kib):
    print("  %-34s %9d lines  %6.2f s CPU  %5.2f M events/s a core  %6.1f MiB"
          % (name, lines, seconds, events / seconds / 1e6, kib / 1024))
    return events / seconds


def text(build, folder):
    wpr = recorders.Wpr(os.path.join(build, "ui/command/wpr"), HERE, folder)
    n_cpus = os.cpu_count()
    etl, ctf = os.path.join(folder, "load.etl"), os.path.join(folder, "ctf")
    perf = recorders.Perf(folder, os.path.join(build, "tests/bench/bench-perfdata")) \
        if shutil.which("perf") else None
    wpr.start("Switches.Light", 32 << 20, n_cpus)
    if perf:
        perf.start("Switches.Light", 32 << 20, n_cpus, EVENTS)
    run([os.path.join(build, "tests/bench/bench-load"), "switches",
         str(max(int(SWITCHES * SCALE), 1000)), str(n_cpus)])
    if perf:
        perf.end()
    wpr.stop(etl)
    info, _, _ = run([wpr.program, "-info", etl, "-json"], expect=(0, 9))
    events = json.loads(info)["events"]
    print("text of one load: switches and wake-ups on %d CPUs (goal: %.1f M events/s a core)"
          % (n_cpus, GOAL / 1e6))
    rates = [line("wpr -dump" + option, one[0], events, *one[1:])
             for option, one in ((option, best([wpr.program, "-dump", etl, *option.split()]))
                                 for option in ("", " -csv", " -json"))]
    print("  goal %s" % ("met" if rates[0] >= GOAL else "NOT met"))
    if not perf:
        print("  perf is not installed: nothing to compare with")
        return
    lines, seconds, kib = best(["perf", "script", "-i", perf.file])
    line("perf script", lines, lines, seconds, kib)
    if shutil.which("babeltrace2"):
        run(["perf", "data", "convert", "-i", perf.file, "--to-ctf", ctf])
        lines, seconds, kib = best(["babeltrace2", ctf])
        line("babeltrace2 (CTF by perf data convert)", lines, lines, seconds, kib)
    else:
        print("  babeltrace2 is not installed")


def memory(build, folder):
    program, maker = os.path.join(build, "ui/command/wpr"), os.path.join(build, "tests/bench/make-etl")
    path = os.path.join(folder, "made.etl")
    print("memory of reading, by the size of the file (switches, wake-ups, stacks, fields)")
    for mib in MIB:
        size = max(int(mib * (SCALE if mib == MIB[-1] else 1)), 10)
        out, _, _ = run([maker, path, str(size)])
        for option in ("-info", "-dump"):
            lines, seconds, kib = measure([program, option, path])
            line("%4d MiB  wpr %s" % (size, option), lines, int(out), seconds, kib)
        os.unlink(path)


SECTIONS = {"text": text, "memory": memory}


def main():
    build, wanted = sys.argv[1], sys.argv[2:] or list(SECTIONS)
    folder = tempfile.mkdtemp(prefix="wpr-bench-", dir="/var/tmp")
    recorders.become_reaper()
    try:
        for name in wanted:
            SECTIONS[name](build, folder)
            print()
    finally:
        shutil.rmtree(folder)


main()
