# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the names of the system calls of the machine that is built for, by number, as rows of a C
array. Usage: syscalls.py OUTPUT COMPILER..."""
import re
import subprocess
import sys

macros = subprocess.run(sys.argv[2:] + ["-E", "-dM", "-include", "sys/syscall.h", "-x", "c", "/dev/null"],
                        check=True, capture_output=True, text=True).stdout
numbers = dict(re.findall(r"^#define __NR_(\w+) (\d+)$", macros, re.M))
numbers.pop("syscalls", None)
if len(numbers) < 100:
    sys.exit("The compiler names only %d system calls." % len(numbers))
with open(sys.argv[1], "w", encoding="utf-8") as out:
    out.write("/* Made by core/sink/syscalls.py. */\n")
    for name, number in sorted(numbers.items(), key=lambda row: int(row[1])):
        out.write('[%s] = "%s",\n' % (number, name))
