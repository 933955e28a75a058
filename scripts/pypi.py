"""Virtual environments in the cache folder, for scripts that need packages of PyPI."""
import os
import shutil
import subprocess
import sys

from common import cache, locked


def folder(name):
    # A virtual environment belongs to the Python that made it.
    return os.path.join(cache(name), f"python{sys.version_info.major}.{sys.version_info.minor}")


def python_of(venv):
    return os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python")


def python_with(name, packages, modules):
    """(a Python that has these modules, installed if they are missing; why there is none)."""
    python = python_of(folder(name))
    probe = [python, "-c", f"import {', '.join(modules)}"]
    with locked(cache(name)):
        if os.path.exists(python) and subprocess.run(probe, capture_output=True).returncode == 0:
            return python, None
        print(f"installing {' '.join(packages)} into {folder(name)}", file=sys.stderr, flush=True)
        shutil.rmtree(folder(name), ignore_errors=True)
        for command in ([sys.executable, "-m", "venv", folder(name)], [python, "-m", "pip", "install", "--quiet", *packages]):
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode != 0:
                return None, f"{' '.join(packages)} cannot be installed: {(run.stderr or run.stdout).strip().splitlines()[-1:]}"
    return python, None
