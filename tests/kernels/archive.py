# SPDX-License-Identifier: GPL-2.0-only
"""Debian's kernels out of its archive: found, verified and downloaded by apt in a root of its
own, one for each suite, so that the machine's own sources and lists stay as they are. What
was downloaded once is kept."""
import glob
import lzma
import os
import re
import shutil
import subprocess
import time

LISTS_AGE_S = 7 * 86400
LIMIT_S = 900  # of one command
KEYRINGS = "/usr/share/keyrings/debian-archive-keyring.gpg"


class Missing(Exception):
    """Why a kernel cannot be had here."""


def run(*command, **more):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              stdin=subprocess.DEVNULL, check=False, timeout=LIMIT_S, **more)
    except OSError as e:
        raise Missing(f"{command[0]}: {e}") from e
    except subprocess.TimeoutExpired as e:
        raise Missing(f"{command[0]} took more than {LIMIT_S:.0f} s") from e
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Missing(f"{os.path.basename(command[0])}: {said[-1] if said else 'failed'}")
    return done.stdout


def mirrors():
    """Where this machine has Debian itself and its security updates from: (URI, security URI)."""
    out = run("apt-get", "indextargets", "--format", "$(LABEL)|$(REPO_URI)",
              "Created-By: Packages")
    found = dict(line.split("|", 1) for line in out.splitlines() if "|" in line)
    if "Debian" not in found:
        raise Missing("no Debian archive among this machine's apt sources")
    return found["Debian"], found.get("Debian-Security")


class Suite:
    """A suite of Debian with an apt root below `cache`."""

    def __init__(self, name, cache, arch="amd64"):
        self.name, self.arch = name, arch
        self.root = os.path.join(cache, "apt", f"{name}-{arch}")

    def apt(self, tool, *args):
        options = {
            "Dir": self.root + "/",
            "Dir::Etc::SourceList": self.root + "/sources.list",
            "Dir::Etc::SourceParts": "/dev/null",
            "Dir::Etc::Parts": "/dev/null",
            "Dir::Etc::PreferencesParts": "/dev/null",
            "Dir::Etc::Trusted": KEYRINGS,
            "Dir::State::Status": self.root + "/status",
            "Dir::Cache::Archives": self.root + "/archives",
            "APT::Architecture": self.arch,
            "APT::Architectures": self.arch,
            "APT::Sandbox::User": "root",
            "Acquire::Languages": "none",
            "Acquire::Retries": "1",
            "Acquire::http::Timeout": "15",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
            "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled": "false",
        }
        command = [tool]
        for key, value in options.items():
            command += ["-o", f"{key}={value}"]
        return run(*command, *args, cwd=self.root)

    def write_sources(self):
        debian, security = mirrors()
        lines = [f"deb [signed-by={KEYRINGS}] {debian} {self.name} main\n"]
        if security and self.name not in ("sid", "experimental"):
            lines.append(f"deb [signed-by={KEYRINGS}] {security} {self.name}-security main\n")
        with open(self.root + "/sources.list", "w", encoding="ascii") as f:
            f.writelines(lines)

    def update(self):
        for folder in ("archives/partial", "var/lib/apt/lists/partial"):
            os.makedirs(os.path.join(self.root, folder), exist_ok=True)
        open(self.root + "/status", "w", encoding="ascii").close()
        stamp = self.root + "/updated"
        if os.path.exists(stamp) and time.time() - os.path.getmtime(stamp) < LISTS_AGE_S:
            return
        self.write_sources()
        self.apt("apt-get", "update", "-qq")
        open(stamp, "w", encoding="ascii").close()

    def depends(self, package):
        out = self.apt("apt-cache", "show", "--no-all-versions", package)
        found = re.search(r"^Depends:(.*)$", out, re.M)
        return re.findall(r"[a-z0-9][a-z0-9+.-]+", found[1] if found else "")

    def kernel_packages(self):
        """The packages that hold the suite's own kernel: one, or image and modules apart."""
        named = re.compile(rf"linux-(image|binary|modules)-\d\S*-{self.arch}$")
        image = [p for p in self.depends(f"linux-image-{self.arch}") if named.match(p)]
        if not image:
            raise Missing(f"{self.name} has no linux-image-{self.arch}")
        return image[:1] + [p for p in self.depends(image[0]) if named.match(p)]

    def download(self, package):
        """Its .deb; apt checks it against the signed lists."""
        have = glob.glob(f"{self.root}/{package}_*.deb")
        if not have:
            self.apt("apt-get", "download", "-qq", package)
            have = glob.glob(f"{self.root}/{package}_*.deb")
        return have[0]


class Kernel:
    """An unpacked kernel: its release, its image and its modules."""

    def __init__(self, folder):
        self.folder = folder
        images = (glob.glob(folder + "/boot/vmlinu?-*") +
                  glob.glob(folder + "/usr/lib/modules/*/vmlinu?"))
        if not images:
            raise Missing(f"no kernel in {folder}")
        self.image = images[0]
        self.release = os.path.basename(
            self.image if "/boot/" in self.image else os.path.dirname(self.image))
        self.release = self.release.removeprefix("vmlinuz-").removeprefix("vmlinux-")
        self.paths = {}
        for path in glob.glob(f"{folder}/**/modules/{self.release}/**/*.ko*", recursive=True):
            self.paths[os.path.basename(path).split(".ko")[0].replace("-", "_")] = path

    def module(self, name):
        """The module's bytes, or None where it is built in."""
        path = self.paths.get(name)
        if not path:
            return None
        opener = lzma.open if path.endswith(".xz") else open
        with opener(path, "rb") as f:
            return f.read()

    def with_needed(self, names):
        """(name, bytes) of these modules and all that they need, in the order to load them."""
        order, seen = [], set()

        def visit(name):
            if name in seen:
                return
            seen.add(name)
            data = self.module(name)
            if data is None:
                return
            # From the module itself: the package has no modules.dep.
            needs = re.search(rb"\0depends=([^\0]*)\0", b"\0" + data)
            for need in (needs[1].decode().split(",") if needs and needs[1] else []):
                visit(need.replace("-", "_"))
            order.append((name, data))

        for name in names:
            visit(name)
        return order

    def keep(self, names):
        """Takes away all modules but these and what they need: there are thousands."""
        needed = {name for name, _ in self.with_needed(names)}
        for name, path in self.paths.items():
            if name not in needed:
                os.unlink(path)


def kept(folder):
    """The modules that the kernel in a folder was kept with; None when there is none."""
    try:
        with open(folder + "/complete", encoding="ascii") as f:
            return f.read()
    except FileNotFoundError:
        return None


def is_newest(kernel, at):
    """Whether the suite has no other kernel by now; what cannot be asked is not."""
    try:
        at.update()
        return f"-{kernel.release}" in at.kernel_packages()[0]
    except Missing as e:
        print(f"{at.name}: {kernel.release} is the one kept; whether it is the newest: {e}")
        return True


def fetch(suite, cache, modules, arch="amd64", newest=False):
    """
    The suite's kernel with these modules, unpacked below `cache`, where it stays until another one
    is asked for as the newest; Missing says why there is none.
    """
    folder, wanted = os.path.join(cache, f"{suite}-{arch}"), " ".join(modules)
    for tool in ("apt-get", "apt-cache", "dpkg-deb"):
        if not shutil.which(tool):
            raise Missing(f"{tool} is not installed")
    at = Suite(suite, cache, arch)
    os.makedirs(at.root, exist_ok=True)
    if kept(folder) == wanted and (not newest or is_newest(Kernel(folder), at)):
        return Kernel(folder)
    at.update()
    shutil.rmtree(folder, ignore_errors=True)
    for package in at.kernel_packages():
        deb = at.download(package)
        run("dpkg-deb", "-x", deb, folder)
        os.unlink(deb)
    kernel = Kernel(folder)
    kernel.keep(modules)
    with open(folder + "/complete", "w", encoding="ascii") as f:
        f.write(wanted)
    return kernel
