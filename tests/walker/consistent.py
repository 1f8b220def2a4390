#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""consistent.py FILE.etl ...: do the events of a recording of ours fit together?

Shares nothing with core/ nor with walker.c: knows only docs/etl.md. The walker sees whether bytes are laid out
well; this sees what no reader looks at and every analysis rests on: payloads as long as their layout,
whom a CPU runs, whose a stack is, whether processes, threads and images that came also went, whether what
the file says of itself is in it. Prints a line a file (with the requests and calls that began before it), and
"fault .." for what does not fit; ends with 1 if there was any.
Takes uncompressed files of one recording: not compressed, in parts, cut or joined."""

import collections
import struct
import sys

# Bytes of the payload of layouts without texts, by hook.
SIZES = {0x010A: 52, 0x010B: 52, 0x010C: 12, 0x010D: 12, 0x010E: 28, 0x010F: 12, 0x020A: 16, 0x020B: 16, 0x020C: 16,
         0x020E: 16, 0x0220: 40, 0x0262: 24, 0x0263: 24, 0x0442: 28, 0x0443: 44, 0x0444: 44, 0x044A: 40, 0x044C: 20,
         0x0524: 24, 0x0532: 8, 0x060A: 40, 0x060B: 32, 0x060C: 48, 0x060D: 32, 0x060F: 48, 0x061A: 64,
         0x061B: 56, 0x061C: 72, 0x061D: 56, 0x061F: 72, 0x080A: 32, 0x080B: 32, 0x081A: 56, 0x081B: 56,
         0x0B0A: 828, 0x0B0B: 568, 0x0F2E: 16, 0x0F33: 8, 0x0F34: 4, 0x0F43: 20, 0x0F44: 16, 0x0F45: 16,
         0x1825: 24, 0x1826: 24}
CALLS = (0x0440, 0x0441, 0x0442, 0x0443, 0x0444, 0x0445, 0x0446, 0x0447, 0x0448, 0x0449, 0x044A, 0x044B, 0x044D, 0x044F, 0x0450)
DONE = {0x010A: 0x010C, 0x010B: 0x010D, 0x010E: 0x010F}
HEADER = {0x02: 0x20, 0x04: 0x18, 0x11: 0x10}


class Record:
    """One event: hook of the kernel's, else None; what its header knows; payload."""
    __slots__ = ("cpu", "hook", "time", "tid", "pid", "data", "name")


def records(image):
    """Events in the file's order."""
    size = struct.unpack_from("<I", image)[0]
    for base in range(0, len(image), size):
        end, cpu = struct.unpack_from("<I", image, base + 0x30)[0], struct.unpack_from("<H", image, base + 0x28)[0]
        at = base + 0x48
        while at < base + end:
            kind = image[at + 2]
            record = Record()
            record.cpu, record.hook, record.tid, record.pid, record.name = cpu, None, None, None, None
            if kind in HEADER:
                length, record.hook = struct.unpack_from("<HH", image, at + 4)
                if kind == 0x11:
                    record.time = struct.unpack_from("<q", image, at + 8)[0]
                else:
                    record.tid, record.pid, record.time = struct.unpack_from("<IIq", image, at + 8)
                record.data = image[at + HEADER[kind]:at + length]
            else:
                length = struct.unpack_from("<H", image, at)[0]
                record.tid, record.pid, record.time = struct.unpack_from("<IIq", image, at + 8)
                record.data = image[at + 0x50:at + length] if kind == 0x13 else b""
                if kind == 0x13:
                    described(record, image[at + 0x50:at + length])
            yield record
            at += (length + 7) & ~7


def described(record, data):
    """Takes the items apart that tell the name of a self-describing event and of its provider."""
    at, names, more = 0, {}, 1
    while more:
        _, kind, more, length = struct.unpack_from("<HHHH", data, at)
        names[kind] = data[at + 8:at + 8 + length]
        at += (8 + length + 7) & ~7
    provider = names[12][2:].split(b"\0")[0].decode()
    record.name = provider + "/" + names[11][3:].split(b"\0")[0].decode()
    record.data = data[at:]


def tally(data):
    """Name of an event, and how many of it are in the file."""
    end = data.index(b"\0", 4)
    return data[4:end].decode(), struct.unpack_from("<IQQQ", data, end + 1)[3]


class Judge:
    def __init__(self):
        self.faults = []
        self.counts = collections.Counter()
        self.running = {}  # CPU -> thread
        self.seen = collections.defaultdict(set)  # CPU -> (time, thread or None)
        self.alive = {"process": collections.Counter(), "thread": collections.Counter(), "image": collections.Counter()}
        self.threads = set()
        self.begun, self.keys, self.told = set(), set(), set()
        self.tallies, self.totals = collections.Counter(), None
        self.stacks = []

    def fault(self, text, record):
        self.faults.append("%s (hook %s, time %d, CPU %d)" % (text, record.name or "%04x" % record.hook, record.time, record.cpu))

    def coming(self, what, key, record):
        if self.alive[what][key]:
            self.fault("%s %s comes twice" % (what, key), record)
        self.alive[what][key] = 1

    def going(self, what, key, record):
        if not self.alive[what][key]:
            self.fault("%s %s goes and never came" % (what, key), record)
        self.alive[what][key] = 0

    def life(self, record):
        hook, data = record.hook, record.data
        if hook in (0x0301, 0x0303):
            self.coming("process", struct.unpack_from("<I", data, 8)[0], record)
        elif hook in (0x0302, 0x0304):
            self.going("process", struct.unpack_from("<I", data, 8)[0], record)
        elif hook in (0x0501, 0x0503, 0x0502, 0x0504):
            pid, tid = struct.unpack_from("<II", data)
            self.threads.add(tid)
            if tid:  # one a CPU
                (self.coming if hook in (0x0501, 0x0503) else self.going)("thread", tid, record)
        elif hook in (0x030A, 0x1403, 0x1402, 0x1404):
            base, size, pid = struct.unpack_from("<QQI", data)
            key = (pid, base, bytes(data[56:]).decode("utf-16-le").rstrip("\0"))  # nobody tells of an unmapped one
            (self.coming if hook in (0x030A, 0x1403) else self.going)("image", key, record)

    def kernel(self, record):
        hook, data, cpu = record.hook, record.data, record.cpu
        if hook in SIZES and len(data) != SIZES[hook]:
            self.fault("payload of %d bytes, its layout has %d" % (len(data), SIZES[hook]), record)
        tid = record.tid
        if hook == 0x0524:
            new, old = struct.unpack_from("<II", data)
            if self.running.get(cpu, old) != old:
                self.fault("thread %d leaves, %d ran" % (old, self.running[cpu]), record)
            self.running[cpu] = new
            self.seen[cpu].add((record.time, old))
            tid = new
        elif hook == 0x0F2E:
            tid = struct.unpack_from("<I", data, 8)[0]
        elif hook == 0x1820 or hook in (0x1825, 0x1826):
            time, pid, thread = struct.unpack_from("<QII", data)
            self.stacks.append((record, time, thread))
            if hook != 0x1820:
                self.keys.add((hook, struct.unpack_from("<Q", data, 16)[0]))
            return
        elif hook in (0x1823, 0x1824):
            self.told.add(struct.unpack_from("<Q", data)[0])
        elif hook in DONE.values():
            self.begun.add((hook, struct.unpack_from("<Q", data)[0]))
        elif hook in CALLS:
            self.begun.add(("call", struct.unpack_from("<Q", data, 8 if hook in (0x0443, 0x0444) else 0)[0]))
        self.ends(record)
        self.seen[cpu].add((record.time, tid))
        self.life(record)

    def ends(self, record):
        """What ends had begun, unless it began before the file did: that is only counted."""
        hook, data = record.hook, record.data
        if hook in DONE:
            key = (DONE[hook], struct.unpack_from("<Q", data, 16 if hook == 0x010E else 32)[0])
        elif hook == 0x044C:
            key = ("call", struct.unpack_from("<Q", data)[0])
        else:
            return
        self.counts["not begun %04x" % hook] += key not in self.begun

    def take(self, record):
        self.counts[record.name or record.hook] += 1
        if record.hook is not None:
            self.kernel(record)
            return
        self.seen[record.cpu].add((record.time, record.tid))
        if record.name == "Linux.Recorder/Tally":
            name, kept = tally(record.data)
            self.tallies[name] += kept
        elif record.name == "Linux.Recorder/Totals":
            self.totals = struct.unpack_from("<5Q", record.data)

    def close(self):
        for record, time, thread in self.stacks:
            seen = self.seen[record.cpu]
            if (time, thread) not in seen and (time, None) not in seen:
                self.fault("stack of thread %d at %d has no event" % (thread, time), record)
        lost = len([key for key in self.keys if key[1] not in self.told])
        if lost:
            self.faults.append("%d keys of stacks are never told" % lost)
        for what, keys in self.alive.items():
            left = [key for key, there in keys.items() if there]
            if left:
                self.faults.append("%d %ss neither ended nor are there at the end, such as %s" % (len(left), what, left[0]))
        switches, inferred = self.counts[0x0524], self.totals[4] if self.totals else 0
        for names, have in ((("sched:sched_switch",), switches - inferred),
                            (("sched:sched_waking", "sched:sched_wakeup_new"), self.counts[0x0532]),
                            (("cpu-clock", "cycles"), self.counts[0x0F2E]),
                            (("raw_syscalls:sys_enter",), self.counts[0x0F33]),
                            (("raw_syscalls:sys_exit",), self.counts[0x0F34])):
            if any(name in self.tallies for name in names):
                told = sum(self.tallies[name] for name in names)
                if told != have:
                    self.faults.append("%s: %d told, %d in the file" % (names[0], told, have))


def main(paths):
    wrong = 0
    for path in paths:
        with open(path, "rb") as file:
            image = file.read()
        judge = Judge()
        # A CPU's events are in the order of time, those of several CPUs not; Python's sorting is stable.
        for record in sorted(records(image), key=lambda record: (record.time, record.cpu)):
            judge.take(record)
        judge.close()
        print("%s: %d events, %d stacks, %d faults %s" % (path, sum(judge.counts.values()), len(judge.stacks), len(judge.faults),
              {k: v for k, v in judge.counts.items() if isinstance(k, str) and k.startswith("not begun") and v}))
        for text in judge.faults[:20]:
            print("fault", text)
        wrong += len(judge.faults)
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
