"""Where the public clients are and how they get there: npm packages by version, never part of the project.

The folder is $ANNALS_CLIENTS, else .clients at the root of the project (git-ignored): VERSION/node_modules/@anthropic-ai/...
Up to 2.1.112 a client is a cli.js for node, from 2.1.113 a binary in a package of its own.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = "@anthropic-ai/claude-code"
DOWNLOAD_SECONDS = 300


class Missing(Exception):
    """A client that is not there and cannot be had; the text says why."""


def folder():
    return os.path.abspath(os.environ.get("ANNALS_CLIENTS") or os.path.join(ROOT, ".clients"))


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
