"""Anthropic's Python SDK for scripts that need it: from PyPI by name, into a virtual environment in the cache folder.

Run as a program, it only installs: `./check` does that while the compiler is at work."""
import os
import sys

from common import skip
from pypi import python_of, python_with  # noqa: F401

PACKAGE = "claude-agent-sdk"
INSIDE = "--inside"


def python_with_sdk():
    """(a Python that has the SDK, installed if it is missing; why there is none)."""
    return python_with("sdk", [PACKAGE], ["claude_agent_sdk"])


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
