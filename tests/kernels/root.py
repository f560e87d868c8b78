#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""
A root of another architecture, below build/: what cross compilers link with and what a guest of
that architecture runs on. It is Debian's packages, found and verified by apt in a root of its
own and unpacked, never configured; this machine's packages stay as they are.

	root.py ARCH		makes it where it is not there yet and prints its path
"""
import glob
import os
import shutil
import sys

import archive
from archive import Missing, run

SUITE = "bookworm"
# What proftop is built with, as scripts/deps names it for this machine.
DEV = ("libc6-dev", "libgcc-12-dev", "linux-libc-dev", "libbpf-dev", "libelf-dev", "libdw-dev",
       "libcapstone-dev", "libiberty-dev", "libjson-c-dev", "libncurses-dev", "libcap-dev",
       "zlib1g-dev", "libzstd-dev", "liblzma-dev", "libpcre2-dev", "libprotobuf-c-dev", "libmicrohttpd-dev",
       "libcmocka-dev")
# What tests in a guest run with.
GUEST = ("bash", "dash", "coreutils", "grep", "sed", "util-linux", "procps", "python3", "iproute2", "linux-perf",
         "busybox-static", "libc-bin")
MERGED = ("bin", "sbin", "lib")  # are links into /usr, whatever a package has


def stays_inside(folder):
    """Links to absolute paths lead out of the root for whoever is not chrooted: made relative."""
    for path, folders, files in os.walk(folder):
        for name in folders + files:
            link = os.path.join(path, name)
            if os.path.islink(link) and os.readlink(link).startswith("/"):
                to = folder + os.readlink(link)
                os.unlink(link)
                os.symlink(os.path.relpath(to, path), link)


def unpack(debs, folder):
    shutil.rmtree(folder, ignore_errors=True)
    for name in MERGED:
        os.makedirs(f"{folder}/usr/{name}")
        os.symlink("usr/" + name, f"{folder}/{name}")
    for name in ("dev", "proc", "sys", "tmp", "run", "etc"):
        os.mkdir(f"{folder}/{name}")
    for deb in debs:
        run("dpkg-deb", "-x", deb, folder)
    stays_inside(folder)


def make(arch, cache, packages=DEV + GUEST):
    """The root's folder; Missing says why there is none."""
    folder, wanted = os.path.join(cache, f"root-{arch}"), " ".join(packages)
    if archive.kept(folder) == wanted:
        return folder
    at = archive.Suite(SUITE, cache, arch)
    os.makedirs(at.root, exist_ok=True)
    at.update()
    # Nothing is installed there by its own account, so all that is needed comes along.
    at.apt("apt-get", "install", "-qq", "-y", "--download-only", "--no-install-recommends",
           *packages)
    unpack(sorted(glob.glob(at.root + "/archives/*.deb")), folder)
    shutil.rmtree(at.root + "/archives")
    os.makedirs(at.root + "/archives/partial")
    with open(folder + "/complete", "w", encoding="ascii") as f:
        f.write(wanted)
    return folder


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    cache = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../build/kernels")
    try:
        print(make(sys.argv[1], os.path.realpath(cache)))
    except Missing as e:
        sys.exit(f"no root of {sys.argv[1]}: {e}")


if __name__ == "__main__":
    main()
