# SPDX-License-Identifier: GPL-2.0-only
"""A kernel booted under qemu, by emulation alone: this machine's own files are its root, read
only, through 9p; its disk is an ext4 of its own. The program runs in it as root and says what
it found on the second serial line. Nothing of this machine can be written by the guest but
that line's file."""
import gzip
import os
import shutil
import subprocess
import tempfile

from archive import Missing, run

MEMORY_MIB = 1536
DISK_MIB = 256
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "crc32c_generic", "virtio_blk", "ext4")
KEPT = (1 << 20) - 1  # of a console, what a report may quote

INIT = """#!/busybox sh
/busybox mount -t proc proc /proc
/busybox mount -t devtmpfs dev /dev
for m in {modules}; do /busybox insmod /modules/$m.ko || echo "no module $m"; done
/busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose root /root ||
	/busybox poweroff -f
/busybox mount -t tmpfs -o mode=755 tmpfs /root/run
/busybox mkdir /root/run/project /root/run/disk
/busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose project \\
	/root/run/project
/busybox mount -t tmpfs tmpfs /root/tmp
/busybox mount -t ext4 /dev/vda /root/run/disk
/busybox mount -t sysfs sys /root/sys
/busybox mount -t tracefs nodev /root/sys/kernel/tracing
/busybox mount -t cgroup2 nodev /root/sys/fs/cgroup
/busybox mount --move /dev /root/dev
/busybox mount --move /proc /root/proc
exec /busybox switch_root /root /bin/sh -c \\
	'cd /run/project; export HOME=/nonexistent LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin;
	({command}) </dev/null >/dev/ttyS1; sync; echo o >/proc/sysrq-trigger; sleep 60'
"""


def cpio(files):
    """A newc archive of (name, mode, bytes)."""
    out, number = bytearray(), 0
    for name, mode, data in [*files, ("TRAILER!!!", 0, b"")]:
        number += 1
        path = name.encode() + b"\0"
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(path), 0]
        out += b"070701" + b"".join(b"%08X" % f for f in fields) + path
        out += b"\0" * (-len(out) % 4)
        out += data
        out += b"\0" * (-len(out) % 4)
    return bytes(out)


def initramfs(kernel, command, path):
    with open(shutil.which("busybox") or "/bin/busybox", "rb") as f:
        busybox = f.read()
    modules = kernel.with_needed(MODULES)
    init = INIT.format(modules=" ".join(name for name, _ in modules), command=command)
    folders = [(name, 0o40755, b"") for name in ("dev", "proc", "root", "modules")]
    files = [("busybox", 0o100755, busybox), ("init", 0o100755, init.encode())]
    files += [(f"modules/{name}.ko", 0o100644, data) for name, data in modules]
    with gzip.open(path, "wb", compresslevel=1) as f:
        f.write(cpio(folders + files))


def make_disk(path):
    with open(path, "wb") as f:
        f.truncate(DISK_MIB << 20)
    tool = shutil.which("mkfs.ext4") or "/usr/sbin/mkfs.ext4"
    run(tool, "-q", "-F", "-m", "0", path)


def can_run():
    """Missing says what is not here to run guests with."""
    for tool, package in (("qemu-system-x86_64", "qemu-system-x86"), ("busybox", "busybox-static")):
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed (package {package})")


def machine(kernel, project, folder, cpus):
    share = "local,security_model=none,readonly=on,multidevs=remap"
    return ["nice", "-n", "19", "qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max",
            "-machine", "q35", "-m", str(MEMORY_MIB), "-smp", str(cpus), "-nodefaults",
            "-no-reboot", "-display", "none", "-net", "none",
            "-kernel", kernel.image, "-initrd", folder + "/initrd",
            "-append", "console=ttyS0 panic=-1 quiet loglevel=4 mitigations=off no_timer_check "
            "tsc=reliable",
            "-drive", f"file={folder}/disk,if=virtio,format=raw,cache=unsafe",
            "-virtfs", f"{share},path=/,mount_tag=root",
            "-virtfs", f"{share},path={project},mount_tag=project",
            "-serial", f"file:{folder}/console", "-serial", f"file:{folder}/said"]


def tail(path, n=15):
    with open(path, "rb") as f:
        text = f.read(KEPT).decode(errors="replace")
    return text.replace("\r", "").strip().splitlines()[-n:]


class Ended:
    """What a guest said, the last of its console, and whether it had to be ended."""

    def __init__(self, said, console, in_time):
        self.said, self.console, self.in_time = said, console, in_time


def boot(kernel, project, command, seconds, cpus=2):
    """Runs a shell command in the project's folder of a guest and waits for the guest's end."""
    can_run()
    with tempfile.TemporaryDirectory(prefix="proftop-kernel-") as folder:
        initramfs(kernel, command, folder + "/initrd")
        make_disk(folder + "/disk")
        try:
            done = subprocess.run(machine(kernel, project, folder, cpus), timeout=seconds,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
        except subprocess.TimeoutExpired:
            done = None
        if done and done.returncode:
            raise Missing(f"qemu: {(done.stdout.strip().splitlines() or ['failed'])[-1]}")
        with open(folder + "/said", encoding="utf-8", errors="replace") as f:
            said = f.read().replace("\r", "")
        return Ended(said, tail(folder + "/console"), done is not None)
