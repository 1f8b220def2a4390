#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the broker's files say, as those who read them understand it: polkitd (below with-system-bus), systemd, the bus.
usage: check-files.py BUILD SOURCE"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

BUILD, SOURCE = (pathlib.Path(argument) for argument in sys.argv[1:3])
ID = 'io.github.performance_recorder'
LANG = '{http://www.w3.org/XML/1998/namespace}lang'
# systemd's own figure in tenths; what is left is being root, five capabilities, perf_event_open, and seeing /proc.
EXPOSURE_MOST = 20
faults = []


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        faults.append(f'{" ".join(command)}: {done.stdout}{done.stderr}')
    return done.stdout + done.stderr


def polkit():
    """Nobody is allowed by default but an active local user with an administrator's password."""
    for action in ('record-system', 'record-contents'):
        said = run('pkaction', '--verbose', '--action-id', f'{ID}.{action}')
        for line in ('implicit any: *no$', 'implicit inactive: *no$', 'implicit active: *auth_admin_keep$'):
            if not re.search(line, said, re.M):
                faults.append(f'{action}: not "{line}": {said}')
    path = BUILD / 'resources/broker' / f'{ID}.Broker.policy'
    if pathlib.Path('/usr/share/polkit-1/policyconfig-1.dtd').exists():
        run('xmllint', '--noout', '--nonet', '--dtdvalid', '/usr/share/polkit-1/policyconfig-1.dtd', str(path))
    actions = xml.etree.ElementTree.parse(path).findall('action')
    if len(actions) != 2:
        faults.append(f'{len(actions)} actions')
    languages = (SOURCE / 'po/LINGUAS').read_text().split()
    for action in actions:
        for tag in ('description', 'message'):
            there = {text.get(LANG) for text in action.findall(tag)}
            if there != {None, *languages}:
                faults.append(f'{action.get("id")}: {tag} in {there}')
        if 'until that recording ends' not in action.findtext('message'):
            faults.append(f'{action.get("id")}: does not say for how long')


def unit():
    name = 'wpr-broker.service'
    text = (BUILD / 'resources/broker' / name).read_text()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_text(re.sub('(?m)^ExecStart=.*', f'ExecStart={BUILD}/core/broker/wpr-broker', text))
        said = run('systemd-analyze', 'verify', '--man=no', str(path))
        if name in said:
            faults.append(said)
        said = run('systemd-analyze', 'security', '--offline=yes', f'--threshold={EXPOSURE_MOST}', str(path))
        print(said.strip().splitlines()[-1])
    if not re.search(r'(?m)^BusName=' + re.escape(f'{ID}.Broker') + '$', text):
        faults.append('the unit has another name on the bus')


def bus():
    path = SOURCE / 'resources/broker' / f'{ID}.Broker.conf'
    # Debian's DTD of these files knows fewer attributes than its own bus; that bus has read it to get here.
    run('xmllint', '--noout', '--nonet', str(path))
    service = (BUILD / 'resources/broker' / f'{ID}.Broker.service').read_text()
    for line in (f'Name={ID}.Broker', 'User=root', 'SystemdService=wpr-broker.service'):
        if line not in service.splitlines():
            faults.append(f'the bus\'s service file has no "{line}"')


if shutil.which('xmllint') is None:
    print('SKIPPED: xmllint is not installed')
    sys.exit(77)
polkit()
unit()
bus()
for fault in faults:
    print(fault)
print(f'{len(faults)} faults')
sys.exit(bool(faults))
