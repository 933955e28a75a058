"""Where the public clients are and how they get there: npm packages by version, never part of the project.

The folder is $ANNALS_CLIENTS, else `clients` in the cache folder of the scripts: VERSION/node_modules/@anthropic-ai/...
Up to 2.1.112 a client is a cli.js for node, from 2.1.113 a binary in a package of its own.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts"))
from common import cache, locked  # noqa: E402

PACKAGE = "@anthropic-ai/claude-code"
DOWNLOAD_SECONDS = 300
# The releases that are tried, each with the model that it asks by default: thinking is only sent to the model that it came from.
MODELS = {"2.0.76": "claude-sonnet-4-5-20250929", "2.1.112": "claude-sonnet-4-6", "2.1.325": "claude-opus-5-5"}


class Missing(Exception):
    """A client that is not there and cannot be had; the text says why."""


def folder():
    return os.path.abspath(os.environ.get("ANNALS_CLIENTS") or cache("clients"))


def find(version, below=None):
    """The command that starts this client; None where it is not installed."""
    scope = os.path.join(below or folder(), version, "node_modules", "@anthropic-ai")
    for binary in sorted(glob.glob(os.path.join(scope, "claude-code-*", "claude"))):
        if os.access(binary, os.X_OK):
            return [binary]
    script = os.path.join(scope, "claude-code", "cli.js")
    node = shutil.which("node")
    return [node, script] if os.path.isfile(script) and node else None


def install(version):
    """Makes sure that this client is there and returns the command that starts it."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise Missing(f"{version} is no version")
    if found := find(version):
        return found
    if not shutil.which("npm"):
        raise Missing("npm is not installed")
    os.makedirs(folder(), exist_ok=True)
    with locked(folder()):
        return find(version) or download(version)


def download(version):
    final, partial = os.path.join(folder(), version), os.path.join(folder(), f".{version}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    home = os.path.join(folder(), ".npm-home")
    os.makedirs(os.path.join(partial, version))
    os.makedirs(home, exist_ok=True)
    # No install script is run: the packages need none, and nothing of theirs has any business in a home.
    command = ["npm", "install", "--prefix", os.path.join(partial, version), "--ignore-scripts", "--no-audit", "--no-fund",
               "--loglevel=error", f"{PACKAGE}@{version}"]
    try:
        run = subprocess.run(command, env={**os.environ, "HOME": home}, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS)
        said = run.stderr.strip().splitlines()[:1] if run.returncode else []
    except subprocess.TimeoutExpired:
        said = [f"no answer in {DOWNLOAD_SECONDS} s"]
    if said or not find(version, partial):
        shutil.rmtree(partial, ignore_errors=True)
        raise Missing(f"{PACKAGE}@{version} cannot be downloaded ({said[0] if said else 'it holds no client for this system'})")
    # Renamed only when whole: half a download must not look like a client.
    shutil.rmtree(final, ignore_errors=True)
    os.rename(os.path.join(partial, version), final)
    shutil.rmtree(partial, ignore_errors=True)
    return find(version)
