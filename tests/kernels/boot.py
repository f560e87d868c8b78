# SPDX-License-Identifier: GPL-2.0-only
"""A kernel booted under qemu, by emulation alone: this machine's own files, or those of a root of
another architecture (root.py), are its root, read only, through 9p; its disk is an ext4 of its
own. The program runs in it as root and says what it found on the second serial line. Nothing of
this machine can be written by the guest but that line's file."""
import gzip
import os
import shutil
import subprocess
import tempfile

from archive import Missing, run

MEMORY_MIB = 1536
DISK_MIB = 256
# With guests of its own: qemu emulates AMD's virtual machines.
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "crc32c_generic", "virtio_blk", "ext4",
           "loop", "kvm_amd", "veth", "sch_netem")
KEPT = (1 << 20) - 1  # of a console, what a report may quote

INIT = """#!/busybox sh
/busybox mount -t proc proc /proc
/busybox mount -t devtmpfs dev /dev
for m in {modules}; do /busybox insmod /modules/$m.ko || echo "no module $m"; done
/busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose root /root ||
	/busybox poweroff -f
/busybox mount -t tmpfs -o mode=755 tmpfs /root/run
/busybox mkdir /root/run/project /root/run/disk /root/run/ram
/busybox mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose project \\
	/root/run/project
/busybox mount --bind /root/run/project/{build} /root/run/project/build
/busybox mount -t tmpfs tmpfs /root/tmp
/busybox mount -t ext4 /dev/vda /root/run/disk
/busybox mount -t ramfs ramfs /root/run/ram
/busybox mount -t sysfs sys /root/sys
/busybox mount -t tracefs nodev /root/sys/kernel/tracing
/busybox mount -t cgroup2 nodev /root/sys/fs/cgroup
/busybox mount --move /dev /root/dev
/busybox mkdir -p /root/dev/pts /root/dev/shm
/busybox mount -t tmpfs tmpfs /root/dev/shm
/busybox mount --bind /root/run/disk /root/var/tmp
/busybox mount -t devpts -o ptmxmode=666 devpts /root/dev/pts
/busybox mount --move /proc /root/proc
exec /busybox switch_root /root /bin/sh -c \\
	'cd /run/project; export HOME=/nonexistent LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin;
	({command}) </dev/null >/dev/{says}; sync; echo o >/proc/sysrq-trigger; while :; do :; done'
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


class Guest:
    """
    A machine to emulate: what serves as its root, which folder of the project its programs are
    in, and the names of its first serial line and of the one it says its findings on.
    """

    def __init__(self, qemu, package, options, **more):
        self.qemu, self.package, self.options = qemu, package, options
        self.root, self.build = "/", "build"
        self.append, self.console, self.says = "", "ttyS0", "ttyS1"
        self.line = "-serial", "file:{}"
        self.__dict__.update(more)

    def busybox(self):
        return (shutil.which("busybox") or "/bin/busybox" if self.root == "/" else
                self.root + "/bin/busybox")


# One thread for both CPUs. With a thread each, one goes on for a moment with what it translated
# before the other changed the kernel's code; where tracepoints are switched on it then meets a
# breakpoint that the kernel has forgotten, which ends in a panic, or within the scheduler in silence.
X86 = Guest("qemu-system-x86_64", "qemu-system-x86",
            ["-accel", "tcg,thread=single", "-cpu", "max", "-machine", "q35"],
            append="mitigations=off no_timer_check tsc=reliable")


def arm64(root, build):
    """
    By counting instructions (-icount) qemu's clock goes with what it executes, and its counter of
    instructions works. Return addresses are signed, as on the servers that there are; vectors are
    left out, since nothing here needs them.
    """
    return Guest("qemu-system-aarch64", "qemu-system-arm",
                 ["-icount", "shift=2,sleep=off", "-cpu", "max,pauth-impdef=on,sve=off",
                  "-machine", "virt"],
                 root=root, build=build, console="ttyAMA0", says="ttyS0",
                 line=("-chardev", "file,id=said,path={}", "-device", "pci-serial,chardev=said"))


def initramfs(guest, kernel, command, path):
    with open(guest.busybox(), "rb") as f:
        busybox = f.read()
    modules = kernel.with_needed(MODULES)
    init = INIT.format(modules=" ".join(name for name, _ in modules), command=command,
                       build=guest.build, says=guest.says)
    folders = [(name, 0o40755, b"") for name in ("dev", "proc", "root", "modules")]
    files = [("busybox", 0o100755, busybox), ("init", 0o100755, init.encode())]
    files += [(f"modules/{name}.ko", 0o100644, data) for name, data in modules]
    with gzip.open(path, "wb", compresslevel=1) as f:
        f.write(cpio(folders + files))


def make_disk(path):
    with open(path, "wb") as f:
        f.truncate(DISK_MIB << 20)
    tool = shutil.which("mkfs.ext4") or "/usr/sbin/mkfs.ext4"
    run(tool, "-q", "-F", "-m", "0", "-b", "4096", path)


def can_run(guest=X86):
    """Missing says what is not here to run guests with."""
    if not shutil.which(guest.qemu):
        raise Missing(f"{guest.qemu} is not installed (package {guest.package})")
    if not os.path.exists(guest.busybox()):
        raise Missing("busybox is not installed (package busybox-static)")


def machine(guest, kernel, project, folder, cpus, nice):
    share = "local,security_model=none,readonly=on,multidevs=remap"
    return ["nice", "-n", str(nice), guest.qemu, *guest.options,
            "-m", str(MEMORY_MIB), "-smp", str(cpus), "-nodefaults",
            "-no-reboot", "-display", "none", "-net", "none",
            "-kernel", kernel.image, "-initrd", folder + "/initrd",
            "-append", f"console={guest.console} panic=-1 quiet loglevel=4 {guest.append}",
            "-drive", f"file={folder}/disk,if=virtio,format=raw,cache=unsafe",
            "-virtfs", f"{share},path={guest.root},mount_tag=root",
            "-virtfs", f"{share},path={project},mount_tag=project",
            "-serial", f"file:{folder}/console",
            *(part.format(folder + "/said") for part in guest.line)]


def tail(path, n=15):
    with open(path, "rb") as f:
        text = f.read(KEPT).decode(errors="replace")
    return text.replace("\r", "").strip().splitlines()[-n:]


class Ended:
    """What a guest said, the last of its console, and whether it had to be ended."""

    def __init__(self, said, console, in_time):
        self.said, self.console, self.in_time = said, console, in_time


def boot(kernel, project, command, seconds, cpus=2, guest=X86, nice=5):
    """Runs a shell command in the project's folder of a guest and waits for the guest's end."""
    can_run(guest)
    assert "'" not in command, "it is quoted within single quotes"
    with tempfile.TemporaryDirectory(prefix="proftop-kernel-") as folder:
        initramfs(guest, kernel, command, folder + "/initrd")
        make_disk(folder + "/disk")
        try:
            done = subprocess.run(machine(guest, kernel, project, folder, cpus, nice),
                                  timeout=seconds, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
        except subprocess.TimeoutExpired:
            done = None
        if done and done.returncode:
            raise Missing(f"qemu: {(done.stdout.strip().splitlines() or ['failed'])[-1]}")
        with open(folder + "/said", encoding="utf-8", errors="replace") as f:
            said = f.read().replace("\r", "")
        return Ended(said, tail(folder + "/console"), done is not None)
