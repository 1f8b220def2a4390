#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`./dev install` puts everything where this system finds it, and `./dev uninstall` leaves nothing: on this machine's own
/usr, /etc and /var, below an overlay of a mount namespace, whose upper folders then hold every change that was made.
usage: check-uninstall.py BUILD SOURCE"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time

BUILD, SOURCE = sys.argv[1], sys.argv[2]
PLACES = ('usr', 'etc', 'var')
# Made anew by ldconfig, from what is there.
REMADE = {'/etc/ld.so.cache', '/var/cache/ldconfig/aux-cache'}
BROKER = 'io.github.performance_recorder.Broker'
# Where Debian 12's polkit, bus and systemd look, with the prefix /usr/local.
FOUND = (f'/usr/share/polkit-1/actions/{BROKER}.policy', f'/etc/dbus-1/system.d/{BROKER}.conf',
         f'/usr/local/share/dbus-1/system-services/{BROKER}.service', '/usr/local/lib/systemd/system/wpr-broker.service',
         '/usr/local/libexec/wpr-broker', '/usr/local/bin/wpr', '/usr/local/share/mime/application/x-etl.xml')
faults = []


def changes(place):
    """What of the upper folder is not as it was below: path -> what happened."""
    found = {}
    for name in PLACES:
        upper = pathlib.Path(place, name, 'upper')
        for path in sorted(upper.rglob('*')):
            real = '/' + name + str(path)[len(str(upper)):]
            below = pathlib.Path(place, 'below', name + str(path)[len(str(upper)):])
            status = path.lstat()
            if stat.S_ISCHR(status.st_mode) and status.st_rdev == 0:
                found[real] = 'is gone'
            elif not below.exists() and not below.is_symlink():
                found[real] = 'was left'
            elif path.is_file() and not path.is_symlink() and path.read_bytes() != below.read_bytes():
                found[real] = 'is another'
    return {path: what for path, what in found.items() if path not in REMADE}


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, **options)
    if done.returncode != 0:
        faults.append(f'{" ".join(command)}: {done.returncode}: {done.stdout}{done.stderr}')
    return done.stdout


def call_the_broker():
    """The distribution's own bus and polkitd, as they are, find what was installed: an ordinary user is told no."""
    polkitd = next((path for path in ('/usr/lib/polkit-1/polkitd', '/usr/libexec/polkitd') if os.path.exists(path)), None)
    if polkitd is None or not os.path.exists('/usr/share/dbus-1/system.conf'):
        print('polkitd or the system bus is not installed here, not asked')
        return
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'mode=755', 'none', '/run'], check=True)
    os.mkdir('/run/dbus')
    programs = []
    for command in (['dbus-daemon', '--system', '--nofork', '--nopidfile'], [polkitd, '--no-debug']):
        programs.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        end = time.monotonic() + 20
        while not os.path.exists('/run/dbus/system_bus_socket') and time.monotonic() < end:
            time.sleep(0.05)
    said = run('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', 'gdbus', 'call', '--system', '--timeout', '60',
               '--dest', BROKER, '--object-path', '/io/github/performance_recorder/Broker', '--method',
               'io.github.performance_recorder.Broker1.Ask')
    if said.strip() != "('no',)":
        faults.append(f'the broker says {said}')
    for program in reversed(programs):  # the broker ends with the bus
        program.terminate()
        program.wait(timeout=20)


def inside(place):
    subprocess.run(['mount', '--make-rprivate', '/'], check=True)
    subprocess.run(['mount', '-t', 'tmpfs', 'none', place], check=True)
    os.mkdir(f'{place}/below')
    subprocess.run(['mount', '--bind', '/', f'{place}/below'], check=True)
    for name in PLACES:
        os.makedirs(f'{place}/{name}/upper')
        os.makedirs(f'{place}/{name}/work')
        if subprocess.run(['mount', '-t', 'overlay', 'none', f'/{name}', '-o',
                           f'lowerdir=/{name},upperdir={place}/{name}/upper,workdir={place}/{name}/work']).returncode != 0:
            print('SKIPPED: this kernel has no overlay file system here')
            return 77
    helper = f'{SOURCE}/resources/installed.py'
    run('python3', helper, 'install', BUILD)
    for path in FOUND:
        if not os.path.exists(path):
            faults.append(f'not there: {path}')
    run('/usr/local/bin/wpr', '-help')  # the library is found
    run('systemd-analyze', 'verify', '--man=no', '/usr/local/lib/systemd/system/wpr-broker.service')
    if '/usr/local/lib/systemd/system' not in run('systemd-analyze', 'unit-paths').split():
        faults.append('systemd does not look for units where ours is')
    call_the_broker()
    if not changes(place):
        faults.append('the installation left no trace, so this test sees nothing')
    first = changes(place)
    run('python3', helper, 'install', BUILD)  # over itself
    if set(changes(place)) != set(first):
        faults.append(f'a second installation is not the first: {set(changes(place)) ^ set(first)}')
    run('python3', helper, 'uninstall', '/usr/local')
    for path, what in changes(place).items():
        faults.append(f'{path} {what}')
    done = subprocess.run(['python3', helper, 'uninstall', '/usr/local'], capture_output=True, text=True)
    if done.returncode == 0:
        faults.append('nothing was there, and it was taken away')
    for fault in faults[:40]:
        print(fault)
    print(f'{len(first)} changes by installing, {len(faults)} faults')
    return bool(faults)


def main():
    if os.environ.get('WPR_TEST_INSIDE'):
        sys.exit(inside(os.environ['WPR_TEST_INSIDE']))
    if os.geteuid() != 0 or shutil.which('unshare') is None:
        print('SKIPPED: installing needs root, and unshare to do it where nothing stays')
        sys.exit(77)
    place = tempfile.mkdtemp(prefix='wpr-install-')
    try:
        done = subprocess.run(['unshare', '-m', sys.executable, *sys.argv], env=dict(os.environ, WPR_TEST_INSIDE=place))
    finally:
        os.rmdir(place)
    sys.exit(done.returncode)


main()
