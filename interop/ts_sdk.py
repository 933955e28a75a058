"""Anthropic's TypeScript SDK for scripts that need it: from npm, without the client that it brings, into the cache folder."""
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scripts"))
from common import cache, locked  # noqa: E402

# The release that brings the client with which annals is compared.
VERSION = "0.3.325"
PACKAGES = [f"@anthropic-ai/claude-agent-sdk@{VERSION}", "zod@4"]
DOWNLOAD_SECONDS = 300


class Missing(Exception):
    """The SDK is not there and cannot be had; the text says why."""


def find():
    """The folder whose node_modules holds the SDK; None where it is not installed."""
    folder = os.path.join(cache("ts-sdk"), VERSION)
    return folder if os.path.isfile(os.path.join(folder, "node_modules", "@anthropic-ai", "claude-agent-sdk", "package.json")) else None


def install():
    """Makes sure that the SDK is there and returns its folder."""
    if found := find():
        return found
    if not shutil.which("npm") or not shutil.which("node"):
        raise Missing("npm or node is not installed")
    with locked(cache("ts-sdk")):
        return find() or download()


def download():
    top = cache("ts-sdk")
    final, partial, home = (os.path.join(top, name) for name in (VERSION, f".{VERSION}.partial", ".npm-home"))
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    os.makedirs(home, exist_ok=True)
    # No install script is run, and the client that the SDK brings is left out: both clients are named by path.
    command = ["npm", "install", "--prefix", partial, "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error", *PACKAGES]
    try:
        run = subprocess.run(command, env={**os.environ, "HOME": home}, capture_output=True, text=True, timeout=DOWNLOAD_SECONDS)
        said = run.stderr.strip().splitlines()[:1] if run.returncode else []
    except subprocess.TimeoutExpired:
        said = [f"no answer in {DOWNLOAD_SECONDS} s"]
    if said:
        shutil.rmtree(partial, ignore_errors=True)
        raise Missing(f"{PACKAGES[0]} cannot be downloaded ({said[0]})")
    shutil.rmtree(final, ignore_errors=True)
    os.rename(partial, final)
    return find()
