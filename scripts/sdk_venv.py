"""Anthropic's Python SDK for scripts that need it: from PyPI by name, into a virtual environment in the cache folder.

Run as a program, it only installs: `./check` does that while the compiler is at work."""
import os
import shutil
import subprocess
import sys

from common import cache, locked, skip

PACKAGE = "claude-agent-sdk"
INSIDE = "--inside"


def folder():
    # A virtual environment belongs to the Python that made it.
    return os.path.join(cache("sdk"), f"python{sys.version_info.major}.{sys.version_info.minor}")


def python_of(venv):
    return os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python")


def has_sdk(python):
    probe = [python, "-c", "import claude_agent_sdk"]
    return os.path.exists(python) and subprocess.run(probe, capture_output=True).returncode == 0


def python_with_sdk():
    """(a Python that has the SDK, installed if it is missing; why there is none)."""
    python = python_of(folder())
    with locked(cache("sdk")):
        if has_sdk(python):
            return python, None
        print(f"installing {PACKAGE} into {folder()}", file=sys.stderr, flush=True)
        shutil.rmtree(folder(), ignore_errors=True)
        for command in ([sys.executable, "-m", "venv", folder()], [python, "-m", "pip", "install", "--quiet", PACKAGE]):
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode != 0:
                return None, f"{PACKAGE} cannot be installed: {(run.stderr or run.stdout).strip().splitlines()[-1:]}"
    return python, None


def enter(script):
    """Runs the script again with the Python that has the SDK: it can be imported only there."""
    if INSIDE in sys.argv:
        return
    python, reason = python_with_sdk()
    if not python:
        skip(reason)
    os.execv(python, [python, os.path.abspath(script), *sys.argv[1:], INSIDE])


if __name__ == "__main__":
    sys.exit(python_with_sdk()[1])
