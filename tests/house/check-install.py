#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What `meson install` puts into an empty folder is whole: programs, library, headers, profiles, manual, man pages,
completions, and everything a desktop wants to know, each accepted by its own validator where that is installed.
usage: check-install.py BUILD"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1])
ID = 'io.github.performance_recorder.Wpr'
EXPECTED = [
    'bin/wpr', 'bin/wprui', 'lib/**/libwprcore.so.0', 'include/wpr/wpr-trace.h', 'include/wpr/wpr-recorder.h',
    'include/wpr/wpr-profile.h', 'include/wpr/wpr-error.h', 'lib/**/pkgconfig/wprcore.pc',
    f'share/applications/{ID}.desktop', f'share/metainfo/{ID}.metainfo.xml', f'share/mime/packages/{ID}.xml',
    f'share/dbus-1/services/{ID}.service', f'share/glib-2.0/schemas/{ID}.gschema.xml',
    f'share/icons/hicolor/scalable/apps/{ID}.svg', f'share/icons/hicolor/symbolic/apps/{ID}-symbolic.svg',
    'share/man/man8/wpr-broker.8', 'share/doc/performance-recorder/examples/50-performance-recorder.rules',
    'share/man/man1/wpr.1', 'share/man/man1/wprui.1', 'share/man/man5/wprp.5',
    'share/bash-completion/completions/wpr', 'share/bash-completion/completions/wprui',
    'share/wpr/help/C/index.html', 'share/wpr/help/zh_CN/index.html', 'share/wpr/profiles/GeneralProfile.wprp',
    'share/wpr/profiles/providers.ini', 'share/locale/zh_CN/LC_MESSAGES/wpr.mo',
]
# The broker's files lie where the system looks for them, below / and not below every prefix.
BROKER = 'io.github.performance_recorder.Broker'
EXPECTED_SYSTEM = [
    f'usr/share/polkit-1/actions/{BROKER}.policy', f'**/dbus-1/system.d/{BROKER}.conf',
    f'**/dbus-1/system-services/{BROKER}.service', '**/lib/systemd/system/wpr-broker.service', '**/libexec/wpr-broker',
]
faults = []


def run(*command):
    """Runs a validator, if it is there; what it says is a fault if it fails."""
    if shutil.which(command[0]) is None:
        print(f'not installed here, not asked: {command[0]}')
        return ''
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        faults.append(f'{command[0]}: {done.stdout}{done.stderr}')
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run(['meson', 'install', '-C', str(BUILD), '--no-rebuild', '--destdir', folder],
                          capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    prefix = next(path.parent.parent for path in pathlib.Path(folder).glob('**/bin/wpr'))
    for name in EXPECTED:
        if not list(prefix.glob(name)):
            faults.append(f'missing: {name}')
    for name in EXPECTED_SYSTEM:
        if not list(pathlib.Path(folder).glob(name)):
            faults.append(f'missing: {name}')
    share = prefix / 'share'
    run('desktop-file-validate', str(share / 'applications' / f'{ID}.desktop'))
    run('appstreamcli', 'validate', '--no-net', str(share / 'metainfo' / f'{ID}.metainfo.xml'))
    run('glib-compile-schemas', '--strict', '--dry-run', str(share / 'glib-2.0/schemas'))
    run('update-mime-database', str(share / 'mime'))
    for page in sorted(share.glob('man/man*/*')):
        run('man', '--warnings', '-l', '-Tutf8', '-P', 'cat', str(page))
    for page in share.glob('wpr/help/*/index.html'):
        run('xmllint', '--html', '--noout', '--nonet', str(page))
    for script in share.glob('bash-completion/completions/*'):
        run('bash', '-n', str(script))
    globs = share / 'mime/globs2'
    if globs.exists():
        text = globs.read_text()
        for line in ('application/x-wprp+xml:*.wprp', 'application/x-etl:*.etl'):
            if line not in text:
                faults.append(f'no MIME type for {line}')
    service = (share / 'dbus-1/services' / f'{ID}.service').read_text()
    if '/bin/wprui --gapplication-service' not in service:
        faults.append('the D-Bus service starts nothing that is installed')

for fault in faults:
    print(fault)
print(f'{len(EXPECTED) + len(EXPECTED_SYSTEM)} files looked for, {len(faults)} faults')
sys.exit(bool(faults))
