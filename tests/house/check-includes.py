#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""No arrow goes up: fails on an include that the layers (README.md, "Architecture") do not allow,
on a file without its SPDX line, and on GTK below ui/."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
# Everything may include base and its own room.
MAY = {
    'base': set(),
    'etl': set(), 'profile': set(), 'perf': set(),
    'world': {'perf'}, 'store': {'perf'},
    'source': {'world', 'store', 'profile', 'perf'},
    'trace': {'world', 'store', 'profile', 'perf'},
    'symbols': set(),
    'file': {'etl'},
    'sink': {'symbols', 'trace', 'etl', 'world', 'store', 'profile', 'perf'},
    'broker': {'world', 'profile', 'perf'},
    'recorder': {'source', 'sink', 'trace', 'store', 'world', 'profile', 'perf', 'etl', 'broker'},
}
# The doors of the core: the three nouns and the error domain. Which room may know which.
DOORS = {'wpr-profile.h': {'profile', 'source', 'trace', 'sink', 'recorder'},
         'wpr-recorder.h': {'source', 'recorder'},
         'wpr-trace.h': {'file', 'sink', 'symbols', 'recorder'},
         'wpr-trace-file.h': {'file'}}
LICENCE = {'core': 'LGPL-2.1-or-later', 'ui': 'GPL-3.0-or-later'}
faults = []


def includes(path):
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            yield number, match.group(1), match.group(2)


for path in sorted(p for top in ('core', 'ui', 'tests') for p in (ROOT / top).rglob('*.[ch]')):
    name = path.relative_to(ROOT)
    parts = name.parts
    first = path.read_text(encoding='utf-8').split('\n', 1)[0]
    wanted = LICENCE.get(parts[0])
    if 'SPDX-License-Identifier:' not in first or (wanted and wanted not in first):
        faults.append(f'{name}:1: the SPDX line is missing or names another licence')
    for number, kind, target in includes(path):
        where = f'{name}:{number}'
        if parts[0] == 'core' and re.match(r'(gtk|gdk|adwaita|gsk)', target):
            faults.append(f'{where}: {target}: nothing in core includes GTK')
        if parts[0] == 'core' and len(parts) > 2:
            room = parts[1]
            other = target.split('/')[0] if '/' in target else None
            if other in MAY and other not in MAY[room] | {room, 'base'}:
                faults.append(f'{where}: {room} may not include {target}')
            if target in DOORS and room not in DOORS[target]:
                faults.append(f'{where}: {room} may not include {target}')
        elif parts[0] == 'ui':
            if '/' in target and target.split('/')[0] in MAY:
                faults.append(f'{where}: a face includes the public headers only, not {target}')

for fault in faults:
    print(fault)
print(f'{len(faults)} faults in the layers')
sys.exit(1 if faults else 0)
