"""Other coding agents from npm: do they read what `annals mcp install` writes, and start the server? For interop/memory."""
import json
import os
import shutil
import subprocess
import tempfile

import client
from common import cache, locked

SECONDS = 120


def npm_program(folder, package, name):
    """(the command of a program from npm, why there is none)."""
    folder = cache(folder)
    script = os.path.join(folder, "node_modules", ".bin", name)
    with locked(folder):
        if not os.path.exists(script):
            if not shutil.which("npm"):
                return None, "npm is not installed"
            command = ["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", package]
            run = subprocess.run(command, env={**os.environ, "HOME": folder}, capture_output=True, text=True, timeout=600)
            if run.returncode:
                return None, f"{package} cannot be installed: {run.stderr.strip().splitlines()[:1]}"
    return [script], None


def installed_home(store, name, top):
    """A home in which `annals mcp install` has registered the server with a client, and its environment."""
    home = tempfile.mkdtemp(dir=top)
    environment = {**store.environment, "HOME": home, "XDG_CONFIG_HOME": os.path.join(home, ".config")}
    run = subprocess.run([store.annals, "mcp", "install", name, "--yes"], capture_output=True, text=True, env=environment, cwd=store.work)
    if run.returncode:
        raise RuntimeError(f"annals mcp install {name}: {run.stderr.strip()[:300]}")
    return home, environment


def listed(command, environment, store):
    """What a client prints, in a network of its own."""
    run = subprocess.run([*client.namespace(), *command], capture_output=True, text=True, timeout=SECONDS, env=environment, cwd=store.work, stdin=subprocess.DEVNULL)
    return run.stdout + run.stderr


def codex(store, command, top):
    """What is wrong with the server as Codex sees it."""
    _, environment = installed_home(store, "codex", top)
    said = listed([*command, "mcp", "get", "annals"], environment, store)
    wanted = ["enabled: true", f"command: {store.annals}", "args: mcp serve"]
    return [f"Codex does not say {line!r}: {said[-300:]}" for line in wanted if line not in said]


def gemini(store, command, top):
    """The same for Gemini, which also starts the server in a folder that it trusts."""
    home, environment = installed_home(store, "gemini", top)
    with open(os.path.join(home, ".gemini", "trustedFolders.json"), "w", encoding="utf-8") as file:
        json.dump({store.work: "TRUST_FOLDER"}, file)
    said = listed([*command, "mcp", "list"], {**environment, "GEMINI_API_KEY": "none"}, store)
    is_connected = any("annals:" in line and "Connected" in line for line in said.splitlines())
    return [] if is_connected else [f"Gemini is not connected: {said[-300:]}"]
