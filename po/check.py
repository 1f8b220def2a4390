#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every catalogue is sound and whole: msgfmt accepts it, nothing in it is fuzzy or untranslated, and
it has every text of the sources POTFILES names. usage: check.py ROOT [--sources]"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
PO = ROOT / 'po'
KEYWORDS = ['_', 'N_', 'C_:1c,2', 'g_dngettext:2,3']
bad = 0


def entries(*command):
    """The msgids a gettext tool prints, without the header's empty one."""
    text = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    return {block for block in text.split('\n') if block.startswith('msgid ') and block != 'msgid ""'}


for language in (PO / 'LINGUAS').read_text().split():
    catalogue = str(PO / f'{language}.po')
    if subprocess.run(['msgfmt', '--check', '-o', '/dev/null', catalogue]).returncode != 0:
        bad += 1
    for option in ('--untranslated', '--only-fuzzy'):
        for entry in sorted(entries('msgattrib', '--no-wrap', option, '--no-obsolete', catalogue)):
            print(f'{language}: {option[2:]}: {entry}')
            bad += 1
    if '--sources' in sys.argv:
        listed = [line for line in (PO / 'POTFILES').read_text().split('\n') if line and line[0] != '#']
        wanted = entries('xgettext', '--from-code=UTF-8', '--no-wrap', '-o', '-',
                         *(f'--keyword={keyword}' for keyword in KEYWORDS), *listed)
        for entry in sorted(wanted - entries('msgcat', '--no-wrap', catalogue)):
            print(f'{language}: missing: {entry}')
            bad += 1
print(f'{bad} faults in the translations')
sys.exit(1 if bad else 0)
