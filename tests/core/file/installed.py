#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs the library and its headers into a folder, compiles reader.c against nothing else, and
runs it over a small trace. usage: installed.py MESON BUILD_FOLDER PREFIX LIBDIR CC..."""

import os
import subprocess
import sys
import tempfile

os.environ.pop("LD_LIBRARY_PATH", None)  # the installed library, not the built one
MESON, BUILD, PREFIX, LIBDIR, *CC = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
TRACE = os.path.join(HERE, "../../fuzz/seeds/fuzz-file/small.etl")
EXPECTED = """2 processors, started 1796043600000000000
2.000 ms first (10) 11 PerfInfo/SampledProfile InstructionPointer=18446744071578845200 ThreadId=11 """
STACK = """
  [kernel.kallsyms]+0x10
  tool!main+0x5
1 events, 0 faults
"""


def output(*argv, **options):
    return subprocess.run(argv, check=True, capture_output=True, text=True, **options).stdout


with tempfile.TemporaryDirectory(prefix="wpr-installed-") as root:
    output(MESON, "install", "-C", BUILD, "--no-rebuild", "--destdir", root, "--tags", "devel,runtime")
    prefix = root + PREFIX
    libdir = os.path.join(prefix, LIBDIR)
    glib = output("pkg-config", "--cflags", "--libs", "gio-2.0").split()
    reader = os.path.join(root, "reader")
    subprocess.run([*CC, "-std=c11", "-Wall", "-Wextra", "-Werror", os.path.join(HERE, "reader.c"), "-o", reader,
                    "-I", os.path.join(prefix, "include", "wpr"), "-L", libdir, "-lwprcore",
                    "-Wl,-rpath," + libdir, *glib], check=True)
    text = output(reader, TRACE, "ProcessName == first && EventName == SampledProfile")
    if not text.startswith(EXPECTED) or not text.endswith(STACK):
        sys.exit("unexpected:\n" + text)
    failed = subprocess.run([reader, TRACE, "Cpu =="], capture_output=True, text=True)
    if failed.returncode != 1 or "column 7" not in failed.stderr:
        sys.exit("unexpected:\n" + failed.stderr)
    # A member of another header must not be needed, nor the private ones be there.
    headers = sorted(os.listdir(os.path.join(prefix, "include", "wpr")))
    print("installed:", *headers)
