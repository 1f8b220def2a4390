# SPDX-License-Identifier: GPL-3.0-or-later
"""The window beside sysprof's, on one private display in one run: how soon it is there, how soon it
answers a click, what it takes of memory and CPU, how long its main loop is ever away.

Pixels are seen in the X server's own memory (Xvfb -fbdir), so that nothing is asked of a server that
is busy painting. The first frame with many custom profiles is bench-window.c's. CPU is that of all
threads of the window's process; the process that records is the recorder's bench. Run by `run` inside
of tests/e2e/run-window."""

import ctypes
import json
import mmap
import os
import re
import signal
import statistics
import struct
import subprocess
import sys
import time

STARTS = 7
CLICKS = 3  # a start
SECONDS = 10.0
MENU_FROM_RIGHT = 142  # the menu button of the header bar; three buttons of the window come behind
HEADER_Y = 28
SETTLE_S = 3.0
HOVER_S = 0.3  # the button is lit then, and its tooltip, after half a second, not there
WIDTH, HEIGHT = 1280, 900


class Display:
    """The screen's bytes, and the pointer."""

    def __init__(self):
        with open(os.environ["E2E_FRAMEBUFFER"], "rb") as file:
            self.bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.first = len(self.bytes) - WIDTH * HEIGHT * 4
        self.x11 = ctypes.CDLL("libX11.so.6")
        self.xtst = ctypes.CDLL("libXtst.so.6")
        self.x11.XOpenDisplay.restype = ctypes.c_void_p
        self.display = ctypes.c_void_p(self.x11.XOpenDisplay(None))

    def look(self):
        """Every eighth line."""
        line = WIDTH * 4
        return [self.bytes[self.first + y * line:self.first + (y + 1) * line]
                for y in range(0, HEIGHT, 8)]

    def wait(self, before, since, limit=20.0):
        """ms until a line is another than before."""
        while time.monotonic() - since < limit:
            if self.look() != before:
                return (time.monotonic() - since) * 1e3
            time.sleep(0.0005)
        raise RuntimeError("nothing was painted")

    def move(self, x, y):
        self.xtst.XTestFakeMotionEvent(self.display, -1, x, y, ctypes.c_ulong(0))
        self.x11.XSync(self.display, 0)

    def button(self, down):
        self.xtst.XTestFakeButtonEvent(self.display, 1, down, ctypes.c_ulong(0))
        self.x11.XSync(self.display, 0)

    def click(self, x, y):
        self.move(x, y)
        time.sleep(0.5)
        self.button(1)
        self.button(0)


def keys(*what):
    subprocess.run(["xdotool", "key", *what], check=True)


class Window:
    def __init__(self, display, name, argv, width, turns):
        self.display, self.name, self.argv, self.width = display, name, argv, width
        self.place = os.environ["E2E_PLACE"]
        self.env = dict(os.environ)
        # asks clocks at every turn of the main loop: not where CPU is measured
        self.timed = {"LD_PRELOAD": turns, "WPR_TURNS": self.place + "/turns"}
        self.child = None

    def start(self, timed=False):
        """ms from fork to the first pixel."""
        before = self.display.look()
        begin = time.monotonic()
        self.child = subprocess.Popen(self.argv, env=dict(self.env, **(self.timed if timed else {})), stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
        return self.display.wait(before, begin)

    def end(self):
        self.child.send_signal(signal.SIGKILL)
        self.child.wait()
        time.sleep(0.7)  # the screen is empty again, the name on the bus free

    def click(self):
        """ms from a click on the menu button to paint: the menu opens and closes in turn."""
        self.display.move(self.width - MENU_FROM_RIGHT, HEADER_Y)
        time.sleep(HOVER_S)
        before = self.display.look()
        begin = time.monotonic()
        self.display.button(1)
        self.display.button(0)
        took = self.display.wait(before, begin)
        self.display.move(WIDTH - 4, HEIGHT - 4)
        time.sleep(0.7)
        return took

    def memory(self):
        with open("/proc/%d/smaps_rollup" % self.child.pid) as file:
            text = file.read()
        return [int(re.search(r"^%s:\s+(\d+)" % key, text, re.M).group(1)) / 1024
                for key in ("Rss", "Pss", "Private_Dirty")]

    def cpu_ns(self):
        total = 0
        for task in os.listdir("/proc/%d/task" % self.child.pid):
            with open("/proc/%d/task/%s/schedstat" % (self.child.pid, task)) as file:
                total += int(file.read().split()[0])
        return total

    def share(self):
        """Percent of one core, over SECONDS."""
        begin, cpu = time.monotonic(), self.cpu_ns()
        time.sleep(SECONDS)
        return (self.cpu_ns() - cpu) / 1e7 / (time.monotonic() - begin)

    def longest(self):
        """ms of clock and of CPU that the longest turn of the main loop took since the last call."""
        with open(self.place + "/turns", "r+b") as file:
            clock, cpu, _ = struct.unpack("3Q", file.read(24))
            file.seek(0)
            file.write(bytes(24))
        return clock / 1e6, cpu / 1e6


def measure_starts(windows):
    """Turn by turn, so that what else the machine does is the same for each; the first fills caches."""
    found = {window.name: [] for window in windows}
    clicks = {window.name: [] for window in windows}
    for i in range(STARTS + 1):
        for window in windows:
            took = window.start()
            time.sleep(2.0)
            if i > 0:
                found[window.name].append(took)
                clicks[window.name] += [window.click() for _ in range(CLICKS)]
            window.end()
    return {name: {"first": found[name], "clicks": clicks[name]} for name in found}


def measure_memory(windows, figures):
    """Both are there: what they share with each other, and with whatever else runs, is the same for each."""
    for window in windows:
        window.start()
    time.sleep(2 * SETTLE_S)
    for window in windows:
        figures[window.name]["memory"] = window.memory()
    for window in windows:
        window.end()


def measure(window, record, figures):
    for timed in (False, True):
        window.start(timed)
        window.display.move(WIDTH - 4, HEIGHT - 4)
        time.sleep(2 * SETTLE_S)
        if timed:
            figures["turn_start"] = window.longest()
        else:
            figures["idle"] = window.share()
        try:
            record(window)
        except RuntimeError as error:
            print("  %s did not record here: %s" % (window.name, error))
            break
        time.sleep(SETTLE_S)
        if timed:
            figures["turn_record"] = window.longest()
            time.sleep(SECONDS)
            figures["turn"] = window.longest()
        else:
            figures["recording"] = window.share()
            figures["memory_recording"] = window.memory()
            if os.environ.get("BENCH_PICTURES"):
                subprocess.run(["import", "-window", "root",
                                "%s/%s.png" % (os.environ["BENCH_PICTURES"], window.name)], check=False)
        window.end()
        subprocess.run([os.environ["WPR_RECORDER"], "-cancel"], stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
    if window.child.poll() is None:
        window.end()
    return figures


def record_wprui(wpr):
    def record(window):
        keys("ctrl+r")
        window.display.move(WIDTH - 4, HEIGHT - 4)
        for _ in range(100):
            time.sleep(0.1)
            text = subprocess.run([wpr, "-status", "-json"], stdout=subprocess.PIPE, check=False).stdout
            if any(found["state"] == "recording" for found in json.loads(text or "{}").get("recordings", [])):
                return
        raise RuntimeError("it does not say that it records")
    return record


def record_sysprof(window):
    # the call graph is the system service's, which needs a system bus: the instruments of its own are enough
    for x, y in ((134, 440), (422, 440)):
        window.display.click(x, y)
    window.display.click(560, 688)
    window.display.move(WIDTH - 4, HEIGHT - 4)
    time.sleep(2.0)
    if window.child.poll() is not None:
        raise RuntimeError("it ended with %d" % window.child.returncode)


def middle(values):
    return "%.0f ms (%.0f to %.0f)" % (statistics.median(values), min(values), max(values))


ROWS = (
    ("fork to first pixel", lambda f: middle(f["first"])),
    ("click to paint", lambda f: middle(f["clicks"])),
    ("RSS / PSS / own", lambda f: "%.1f / %.1f / %.1f MB" % tuple(f["memory"])),
    ("CPU when idle", lambda f: "%.2f %%" % f["idle"]),
    ("CPU while recording", lambda f: "%.2f %%" % f["recording"]),
    ("the same recording", lambda f: "%.1f / %.1f / %.1f MB" % tuple(f["memory_recording"])),
    ("longest turn: starting", lambda f: "%.0f ms, %.0f of CPU" % f["turn_start"]),
    ("longest turn: to record", lambda f: "%.0f ms, %.0f of CPU" % f["turn_record"]),
    ("longest turn: recording", lambda f: "%.0f ms, %.0f of CPU" % f["turn"]),
)


def cell(figures, show):
    try:
        return show(figures)
    except (KeyError, TypeError):
        return "-"


def main():
    build = sys.argv[1]
    turns = build + "/tests/bench/bench-turns.so"
    wpr = build + "/ui/command/wpr"
    display = Display()
    os.environ["WPR_RECORDER"] = wpr
    programs = [(Window(display, "wprui", [build + "/ui/window/wprui"], 960, turns), record_wprui(wpr))]
    if subprocess.run(["sh", "-c", "command -v sysprof"], stdout=subprocess.DEVNULL, check=False).returncode == 0:
        programs.append((Window(display, "sysprof", ["sysprof"], 700, turns), record_sysprof))
    else:
        print("  sysprof is not installed: alone")
    starts = measure_starts([window for window, _ in programs])
    measure_memory([window for window, _ in programs], starts)
    table = [(window.name, measure(window, record, starts[window.name])) for window, record in programs]
    print("  %-24s" % "" + "".join("%-28s" % name for name, _ in table))
    for label, show in ROWS:
        print("  %-24s" % label + "".join("%-28s" % cell(figures, show) for _, figures in table))


main()
