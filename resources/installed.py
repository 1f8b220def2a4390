#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""usage: installed.py install BUILD | uninstall PREFIX      as root; ./dev install and ./dev uninstall call it
Installs what BUILD holds and writes down, in PREFIX/share/wpr/installed.json, every file, every folder that was not there
before, and every cache that others' tools made of it; uninstall takes exactly that away again. What people recorded, and
their settings, stay."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIST = 'share/wpr/installed.json'
# Folder below PREFIX/share, how its cache is made anew.
CACHES = (('mime', ('update-mime-database', '.')),
          ('applications', ('update-desktop-database', '-q', '.')),
          ('icons/hicolor', ('gtk-update-icon-cache', '-q', '-t', '-f', '.')),
          ('glib-2.0/schemas', ('glib-compile-schemas', '.')))


def files_below(folder):
    return {str(path) for path in pathlib.Path(folder).rglob('*') if path.is_symlink() or not path.is_dir()}


def folders_below(folder):
    return {str(path) for path in pathlib.Path(folder).rglob('*') if path.is_dir() and not path.is_symlink()}


def run(*command, **options):
    """A tool of the system, where there is one; what it says is passed on, and is no reason to stop."""
    if shutil.which(command[0]) is not None:
        subprocess.run(command, check=False, **options)


def tell_system(prefix):
    """Polkit watches its folders; the others have to be told."""
    if prefix in ('/usr', '/usr/local'):
        run('ldconfig')
    if os.path.exists('/run/systemd/system'):
        run('systemctl', 'daemon-reload')
    if os.path.exists('/run/dbus/system_bus_socket'):
        run('gdbus', 'call', '--system', '--dest', 'org.freedesktop.DBus', '--object-path', '/org/freedesktop/DBus',
            '--method', 'org.freedesktop.DBus.ReloadConfig', stdout=subprocess.DEVNULL)


def read_list(prefix):
    try:
        with open(os.path.join(prefix, LIST), encoding='utf-8') as file:
            return json.load(file)
    except FileNotFoundError:
        return {'files': [], 'folders': [], 'caches': []}


def remove(paths):
    for path in paths:
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass


def remove_folders(paths):
    """Deepest first; one that somebody else uses by now stays."""
    for path in sorted(paths, key=len, reverse=True):
        try:
            os.rmdir(path)
        except OSError:
            pass


def caches_there(prefix):
    return set().union(*(files_below(f'{prefix}/share/{folder}') for folder, _ in CACHES))


def install(build):
    options = json.loads(subprocess.run(['meson', 'introspect', '--buildoptions', build], check=True, capture_output=True,
                                        text=True).stdout)
    prefix = next(option['value'] for option in options if option['name'] == 'prefix')
    before = read_list(prefix)
    meson = ['meson', 'install', '-C', build, '--no-rebuild', '--quiet']
    # Into an empty folder first: that is what there will be.
    with tempfile.TemporaryDirectory() as stage:
        subprocess.run([*meson, '--destdir', stage], check=True)
        files = {path[len(stage):] for path in files_below(stage)}
        folders = {path[len(stage):] for path in folders_below(stage)}
    files.add(os.path.join(prefix, LIST))
    folders = {path for path in folders if not os.path.isdir(path)} | set(before['folders'])
    others = caches_there(prefix) - files - set(before['caches'])
    folders_there = folders_below(f'{prefix}/share') if os.path.isdir(f'{prefix}/share') else set()
    subprocess.run(meson, check=True)
    folders |= folders_below(f'{prefix}/share') - folders_there
    remove(set(before['files']) - files)  # of an older version
    with open(os.path.join(prefix, LIST), 'w', encoding='utf-8') as file:
        json.dump({'files': sorted(files), 'folders': sorted(folders),
                   'caches': sorted(caches_there(prefix) - files - others)}, file, indent=1)
    tell_system(prefix)
    print(f'Installed below {prefix}: {len(files)} files. "./dev uninstall" takes them away again.')
    if not os.path.exists('/usr/share/polkit-1/actions/io.github.performance_recorder.Broker.policy'):
        print('The broker is not where polkit and the bus look (prefix /usr or /usr/local): without it only root records all.')


def uninstall(prefix):
    there = read_list(prefix)
    if not there['files']:
        sys.exit(f'Nothing of Performance Recorder was installed below {prefix} by ./dev install.')
    if os.path.exists('/run/systemd/system'):
        run('systemctl', 'stop', 'wpr-broker.service')
    remove(there['files'])
    for folder, command in CACHES:
        path = f'{prefix}/share/{folder}'
        if files_below(path) - set(there['caches']):
            run(*command, cwd=path)
        else:
            remove(files_below(path))
    remove_folders(there['folders'])
    tell_system(prefix)
    print(f'Removed from below {prefix}: {len(there["files"])} files. Recordings and settings of people were not touched.')


if len(sys.argv) != 3 or sys.argv[1] not in ('install', 'uninstall'):
    sys.exit(__doc__)
os.umask(0o022)
{'install': install, 'uninstall': uninstall}[sys.argv[1]](os.path.realpath(sys.argv[2]))
