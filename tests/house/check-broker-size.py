#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What runs as root for others is to be read in one sitting: fails when the code of core/broker (the
service without core/broker/client) has 1 500 lines. Counted is what is left of its .c and .h files
once comments, blank lines and lines with nothing but a brace are taken away; docs/broker.md has the rule.
usage: check-broker-size.py ROOT [--each]"""
import pathlib
import re
import sys

MOST = 1500  # below this
# A text or a character is kept whole, so that "/*" in one begins no comment.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.DOTALL)


def lines_of(text):
    """Lines of code; a comment within one leaves a space."""
    bare = TOKEN.sub(lambda m: ' ' if m[0].startswith('/') else m[0], text)
    return sum(1 for line in bare.split('\n') if not re.fullmatch(r'\s*[{}]?;?\s*', line))


assert lines_of('/* a\n b */\nint a; /* c */\n\n{\n}\n};\nf ("/*");\n// d\n') == 2
room = pathlib.Path(sys.argv[1], 'core', 'broker')
sizes = {path.name: lines_of(path.read_text(encoding='utf-8')) for path in sorted(room.glob('*.[ch]'))}
assert 'verbs.c' in sizes, f'the service is not in {room}'
if '--each' in sys.argv:
    for name, lines in sizes.items():
        print(f'{lines:5} {name}')
total = sum(sizes.values())
print(f'the service has {total} lines of code; fewer than {MOST} are allowed')
sys.exit(0 if total < MOST else 1)
