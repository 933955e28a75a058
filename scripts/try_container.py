"""Builds the container image of scripts/release and runs it, without a registry and without Docker; for scripts/try-packages.

The base image is made by debootstrap, once, below the cache folder; buildah builds from our Dockerfile. Both come from Debian."""
import json
import os
import shutil
import subprocess

from common import cache, locked

BASE = "docker.io/library/debian:stable-slim"


def installed(*names):
    """Whether these programs are there, or can be had."""
    missing = [name for name in names if not shutil.which(name)]
    if not missing:
        return True
    if not shutil.which("apt-get"):
        return False
    command = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def base_system():
    """A folder with a small Debian; None where it cannot be made."""
    root = os.path.join(cache("container"), "stable")
    with locked(cache("container")):
        if not os.path.exists(os.path.join(root, "ready")):
            shutil.rmtree(root, ignore_errors=True)
            made = subprocess.run(["debootstrap", "--variant=minbase", "stable", os.path.join(root, "system")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if made.returncode:
                return None
            open(os.path.join(root, "ready"), "w").close()
    return os.path.join(root, "system")


def try_container(tarball, folder, version, run, failed):
    """Why it could not be tried, or None."""
    if os.geteuid() != 0 or not installed("buildah", "debootstrap"):
        return "root, buildah and debootstrap are needed"
    system = base_system()
    if not system:
        return "debootstrap cannot make the base system"
    files = os.path.dirname(tarball)
    tool = ["buildah", "--root", os.path.join(folder, "images"), "--runroot", os.path.join(folder, "run"), "--storage-driver", "vfs"]
    container = run([*tool, "from", "scratch"], folder).strip()
    run([*tool, "copy", "--quiet", container, system, "/"], folder)
    run([*tool, "commit", "--quiet", "--rm", container, BASE], folder)
    built = [*tool, "bud", "--quiet", "--isolation", "chroot", "--pull-never", "--build-arg", f"TARBALL={os.path.basename(tarball)}", "--tag", "annals", files]
    run(built, folder)
    config = json.loads(run([*tool, "inspect", "--type", "image", "annals"], folder))["OCIv1"]["config"]
    if config["Entrypoint"] != ["annals"] or config["User"] != "reader":
        raise failed(f"the image starts {config}")
    container = run([*tool, "from", "--pull-never", "annals"], folder).strip()
    inside = [*tool, "run", "--isolation", "chroot", container, "--", "annals"]
    if version not in run([*inside, "--version"], folder):
        raise failed(f"it is not {version}")
    run([*inside, "demo", "--out", "/home/reader/demo"], folder)
    listed = json.loads(run([*inside, "--config-dir", "/home/reader/demo", "ls", "--json"], folder))
    if len(listed["sessions"]) < 10:
        raise failed("the made-up store has too few sessions")
    return None
