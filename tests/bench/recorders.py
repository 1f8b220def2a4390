# SPDX-License-Identifier: LGPL-2.1-or-later
"""Three recorders behind one interface: started, stopped, and asked what they cost and lost.

CPU is user and system time of every process a recorder needed, which includes what the kernel did
on their behalf (write, splice); interrupts of other CPUs are the load's, for all three alike. Does
not live here: what is measured with them (bench-record.py)."""

import ctypes
import json
import os
import re
import signal
import subprocess
import threading
import time

PR_SET_CHILD_SUBREAPER = 36


def become_reaper():
    """Orphans become our children, so that wait4() says what wpr's recording process cost."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def spent(usage):
    return usage.ru_utime + usage.ru_stime


def run(argv, env=None, expect=(0,), timeout=300):
    """Runs to the end: output, CPU seconds, exit status."""
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as child:
        timer = threading.Timer(timeout, child.kill)
        timer.start()
        output = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
    text = output.decode(errors="replace")
    if child.returncode not in expect:
        raise RuntimeError("%s ended with %d: %s" % (" ".join(argv), child.returncode, text[-600:]))
    return text, spent(usage), child.returncode


class Wpr:
    name = "wpr"

    def __init__(self, program, here, folder):
        self.program = program
        self.profiles = os.path.join(here, "bench.wprp")
        self.env = dict(os.environ, WPR_RUNTIME_DIR=os.path.join(folder, "run"),
                        WPR_STATE_DIR=os.path.join(folder, "state"), LC_ALL="C.UTF-8")
        os.makedirs(self.env["WPR_RUNTIME_DIR"], mode=0o700, exist_ok=True)
        self.cpu = 0.0
        self.pid = 0

    def command(self, *arguments, expect=(0,)):
        text, cpu, status = run([self.program, *arguments], self.env, expect)
        self.cpu += cpu
        return text, status

    def plan(self, profile, ring_bytes, n_cpus):
        """Names of the events that are recorded for a profile."""
        text, _ = self.command("-profiledetails", "%s!%s" % (self.profiles, profile), "-filemode",
                               "-buffers", str(ring_bytes * n_cpus >> 20), "-json")
        collectors = json.loads(text)["collectors"]
        if collectors[0]["ring_bytes"] != ring_bytes:
            raise RuntimeError("asked for %d bytes a CPU, got %d"
                               % (ring_bytes, collectors[0]["ring_bytes"]))
        return [item["name"] for item in collectors[0]["items"] if item["kind"] == "tracepoint"]

    def start(self, profile, ring_bytes, n_cpus, events=(), memory=False, prefix=()):
        self.cpu = 0.0
        arguments = [self.program, "-start", "%s!%s" % (self.profiles, profile), "-buffersize",
                     "1024", "-buffers", str(max(ring_bytes * n_cpus >> 20, 1))]
        _, cpu, _ = run([*prefix, *arguments, *([] if memory else ["-filemode"])], self.env)
        self.cpu += cpu
        self.pid = self.status()["pid"]

    def status(self):
        text, _, _ = run([self.program, "-status", "-json"], self.env)
        return json.loads(text)["recordings"][0]

    def reap(self):
        """The recording process's own time, once it has ended."""
        try:
            self.cpu += spent(os.wait4(self.pid, 0)[2])
        except ChildProcessError:
            raise RuntimeError("the recording process is not ours to wait for: systemd started it."
                               " Run the bench outside of a user session") from None

    def end(self):
        """Stops without a file: what recording alone costs. Events and losses of the recording."""
        time.sleep(0.7)  # counts are read twice a second
        status = self.status()
        self.command("-cancel")
        self.reap()
        return {"cpu": self.cpu, "events": status["events"], "lost": status["lost"],
                "bytes": status["bytes_written"]}

    def stop(self, path, *options):
        """Stops into a file. Seconds until it is there, and what -info says of it."""
        begin = time.monotonic()
        _, code = self.command("-stop", path, *options, expect=(0, 7))
        seconds = time.monotonic() - begin
        self.reap()
        cpu = self.cpu
        text, _ = self.command("-info", path, "-json", expect=(0, 7))
        return {"seconds": seconds, "cpu": cpu, "info": json.loads(text), "lost_said": code == 7,
                "bytes": os.path.getsize(path)}

    def process_cpu_ns(self):
        """CPU the recording process has used so far, all its threads, in ns."""
        total = 0
        for task in os.listdir("/proc/%d/task" % self.pid):
            with open("/proc/%d/task/%s/schedstat" % (self.pid, task)) as file:
                total += int(file.read().split()[0])
        return total

    def anonymous_kib(self):
        try:
            with open("/proc/%d/status" % self.pid) as file:
                return int(re.search(r"RssAnon:\s+(\d+)", file.read()).group(1))
        except (OSError, AttributeError):
            return 0


class Perf:
    name = "perf record"

    def __init__(self, folder, reader):
        self.file = os.path.join(folder, "perf.data")
        self.reader = reader
        self.child = None
        self.pipes = ()

    def start(self, profile, ring_bytes, n_cpus, events=(), memory=False, how=("-c", "1")):
        argv = ["perf", "record", "-q", "-a", *how, "-m", "%dM" % (ring_bytes >> 20),
                "-o", self.file]
        for event in events:
            argv += ["-e", event]
        # perf is ready when its control descriptor has answered.
        control, answer = os.pipe(), os.pipe()
        argv += ["-D", "-1", "--control", "fd:%d,%d" % (control[0], answer[1])]
        self.child = subprocess.Popen(argv, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, pass_fds=(control[0], answer[1]))
        os.close(control[0])
        os.close(answer[1])
        os.write(control[1], b"enable\n")
        os.read(answer[0], 16)
        self.pipes = (control[1], answer[0])

    def end(self):
        os.kill(self.child.pid, signal.SIGINT)  # send_signal() would reap it
        _, _, usage = os.wait4(self.child.pid, 0)
        self.child.returncode = 0
        for pipe in self.pipes:
            os.close(pipe)
        text, _, _ = run([self.reader, self.file])
        found = json.loads(text)
        return {"cpu": spent(usage), "events": found["samples"], "lost": found["lost"],
                "bytes": found["file_bytes"], "sample_bytes": found["sample_bytes"]}


# Some machines do not let even root touch the function tracer, which trace-cmd resets before it
# records events. In a mount namespace of its own it then finds empty files there instead.
WITHOUT_FUNCTION_TRACER = """
mount --bind "$0/ftrace_enabled" /proc/sys/kernel/ftrace_enabled
for name in set_ftrace_filter set_ftrace_notrace set_ftrace_pid set_ftrace_notrace_pid; do
  [ -e /sys/kernel/tracing/$name ] && mount --bind "$0/empty" /sys/kernel/tracing/$name
done
exec "$@"
"""


class TraceCmd:
    name = "trace-cmd"

    def __init__(self, folder):
        self.folder = folder
        self.file = os.path.join(folder, "trace.dat")
        self.child = None
        self.prefix = [] if self.may_reset_function_tracer() else \
            ["unshare", "-m", "sh", "-c", WITHOUT_FUNCTION_TRACER, folder]

    def may_reset_function_tracer(self):
        with open(os.path.join(self.folder, "ftrace_enabled"), "w") as file:
            file.write("1\n")
        with open(os.path.join(self.folder, "empty"), "w"):
            pass
        try:
            with open("/proc/sys/kernel/ftrace_enabled") as file:
                value = file.read()
            with open("/proc/sys/kernel/ftrace_enabled", "w") as file:
                file.write(value)
            return True
        except OSError:
            return False

    def start(self, profile, ring_bytes, n_cpus, events=(), memory=False):
        # Uncompressed, as the others write.
        argv = self.prefix + ["trace-cmd", "record", "--compression", "none", "-b",
                              str(ring_bytes >> 10), "-o", self.file]
        for event in events:
            argv += ["-e", event]
        for name in os.listdir(self.folder):
            if name.startswith("trace.dat"):
                os.unlink(os.path.join(self.folder, name))
        self.child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wait_for_file(self.file + ".cpu%d" % (n_cpus - 1))

    def end(self):
        os.kill(self.child.pid, signal.SIGINT)  # send_signal() would reap it
        output = self.child.stdout.read().decode(errors="replace")
        _, _, usage = os.wait4(self.child.pid, 0)
        self.child.returncode = 0
        lost = sum(int(n) for n in re.findall(r"CPU\s*\d+: (\d+) events lost", output))
        return {"cpu": spent(usage), "events": None, "lost": lost,
                "bytes": os.path.getsize(self.file)}


def wait_for_file(path):
    """trace-cmd has no way to say that it records; its last file is the nearest sign."""
    until = time.monotonic() + 20
    while not os.path.exists(path):
        if time.monotonic() > until:
            raise RuntimeError("trace-cmd did not begin to record")
        time.sleep(0.02)
    time.sleep(0.5)
