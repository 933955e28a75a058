"""Anthropic's Python SDK for scripts that need it: from PyPI by name, into a virtual environment of the project's own."""
import os
import subprocess
import sys

from common import ROOT, skip

VENV = os.path.join(ROOT, ".venv")
PACKAGE = "claude-agent-sdk"
INSIDE = "--inside"


def python_of(venv):
    return os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python")


def has_sdk(python):
    probe = [python, "-c", "import claude_agent_sdk"]
    return os.path.exists(python) and subprocess.run(probe, capture_output=True).returncode == 0


def python_with_sdk():
    """(the Python of .venv, which is made where it is missing; why there is none)."""
    python = python_of(VENV)
    if has_sdk(python):
        return python, None
    print(f"installing {PACKAGE} into .venv", file=sys.stderr, flush=True)
    for command in ([sys.executable, "-m", "venv", VENV], [python, "-m", "pip", "install", "--quiet", PACKAGE]):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            return None, f"{PACKAGE} cannot be installed: {(run.stderr or run.stdout).strip().splitlines()[-1:]}"
    return python, None


def enter(script):
    """Goes on with the script inside .venv: the SDK can be imported only there."""
    if INSIDE in sys.argv:
        return
    python, reason = python_with_sdk()
    if not python:
        skip(reason)
    os.execv(python, [python, os.path.abspath(script), *sys.argv[1:], INSIDE])
