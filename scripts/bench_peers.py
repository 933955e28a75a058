"""Programs that index and search a store, asked in the same way: ours, agentsview and cass. For scripts/bench.

Each has a folder of its own for its home and its data. They run without a network where the system can take it away (`leave_network`):
agentsview reports to its makers.
"""
import contextlib
import ctypes
import glob
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time

from common import cache, hermetic
from sdk_venv import python_of

TOOLS = cache("tools")
CASS_WANTED = "0.1.36"
HITS = 20
PATIENCE = 120


class Annals:
    """Ours."""

    name = "annals"
    found_codes = (0, 1)  # 1: nothing found

    def __init__(self, path, store, folder):
        self.path, self.store, self.home = path, store, os.path.join(folder, "annals")
        self.data = os.path.join(self.home, "data")
        self.environment = {**hermetic(self.home), "CLAUDE_CONFIG_DIR": store, "ANNALS_DATA_DIR": self.data}
        self.build = self.refresh = [path, "index", "--json"]

    def search(self, query):
        words = [query.text] + [f"project:{query.project}"] * bool(query.project) + [f"since:{query.since}"] * bool(query.since)
        return [self.path, "search", "--json", "--limit", str(HITS), " ".join(words)]

    def hits(self, printed):
        return json.loads(printed)["hits"]

    def start(self):
        """Makes searching possible."""

    @contextlib.contextmanager
    def awake(self):
        """What was started runs only while this is held, so that it takes nothing from the others."""
        yield

    def stop(self):
        """Ends what was started; the most memory that it took."""
        return 0


class Agentsview(Annals):
    """agentsview; its searches are answered by a server that must be running."""

    name = "agentsview"
    found_codes = (0,)

    def __init__(self, path, store, folder):
        self.path, self.store, self.home = path, store, os.path.join(folder, "agentsview")
        self.data, self.server = os.path.join(self.home, "data"), None
        self.environment = {**hermetic(self.home), "CLAUDE_CONFIG_DIR": store, "CLAUDE_PROJECTS_DIR": os.path.join(store, "projects"),
                            "AGENTSVIEW_DATA_DIR": self.data, "AGENTSVIEW_NO_DAEMON": "1"}
        self.build = self.refresh = [path, "sync"]

    def search(self, query):
        return [self.path, "session", "search", "--fts", *self.options(query)]

    def scan(self, query):
        """Without the index: substrings of everything that is in its database."""
        return [self.path, "session", "search", *self.options(query)]

    def options(self, query):
        return ["--include-children", "--include-automated", "--include-one-shot", "--json", "--limit", str(HITS),
                *["--project", query.project] * bool(query.project), *["--date-from", query.since] * bool(query.since), query.text]

    def hits(self, printed):
        return json.loads(printed).get("matches") or []

    def start(self):
        command = [self.path, "serve", "--no-browser", "--no-update-check", "--port", "0"]
        self.server = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while subprocess.run([self.path, "session", "list", "--limit", "1"], env=self.environment, capture_output=True).returncode:
            if time.monotonic() > until or self.server.poll() is not None:
                raise RuntimeError("agentsview does not serve")
            time.sleep(0.5)
        self.server.send_signal(signal.SIGSTOP)

    @contextlib.contextmanager
    def awake(self):
        self.server.send_signal(signal.SIGCONT)
        try:
            yield
        finally:
            self.server.send_signal(signal.SIGSTOP)

    def stop(self):
        if not self.server:
            return 0
        peak = peak_of(self.server.pid)
        self.server.send_signal(signal.SIGCONT)
        self.server.terminate()
        self.server.wait()
        return peak


class Cass(Annals):
    """cass finds the store as `.claude` of its home, so that its home is the folder above the store."""

    name = "cass"
    found_codes = (0,)

    def __init__(self, path, store, folder):
        self.path, self.store, self.home = path, store, os.path.dirname(store)
        self.data = os.path.join(folder, "cass", "data")
        apart = {name: os.path.join(folder, "cass", name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
        self.environment = {**hermetic(self.home), **apart, "CLAUDE_CONFIG_DIR": store, "CASS_DATA_DIR": self.data, "CODING_AGENT_SEARCH_NO_UPDATE_PROMPT": "1"}
        self.build = [path, "index", "--full", "--json", "--data-dir", self.data]
        self.refresh = [path, "index", "--json", "--data-dir", self.data]

    def search(self, query):
        where = ["--workspace", query.folder] * bool(query.project) + ["--since", query.since] * bool(query.since)
        return [self.path, "search", query.text, "--json", "--mode", "lexical", "--limit", str(HITS), *where, "--data-dir", self.data]

    def hits(self, printed):
        return json.loads(printed).get("hits") or []


def peak_of(pid):
    """The most memory that a running process has taken; 0 where the system does not tell."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            told = re.search(r"VmHWM:\s*(\d+) kB", file.read())
    except OSError:
        return 0
    return int(told[1]) * 1024 if told else 0


# ---- getting them ----


def agentsview():
    """(the newest agentsview of PyPI, why there is none); its program, without the Python that starts it."""
    venv = os.path.join(TOOLS, "agentsview")
    inside = os.path.join(venv, "*", "**", "agentsview", "bin", "agentsview")
    if not glob.glob(inside, recursive=True):
        print(f"installing agentsview into {TOOLS}", file=sys.stderr, flush=True)
        for command in ([sys.executable, "-m", "venv", venv], [python_of(venv), "-m", "pip", "install", "--quiet", "agentsview"]):
            reason = complaint_of(command)
            if reason:
                return None, f"agentsview cannot be installed: {reason}"
    found = glob.glob(inside, recursive=True)
    return (found[0], None) if found else (None, "agentsview has no program for this system")


def cass():
    """(cass, why there is none). Not installed by itself: its build takes longer than the whole benchmark, and newer releases need a nightly compiler."""
    path = os.path.join(TOOLS, "bin", "cass")
    if os.path.isfile(path):
        return path, None
    return None, f"cass is not installed; this would: cargo install coding-agent-search --locked --version {CASS_WANTED} --root {TOOLS}"


def complaint_of(command):
    """Runs a command; the last line that it said where it failed."""
    os.makedirs(TOOLS, exist_ok=True)
    try:
        run = subprocess.run(command, capture_output=True, text=True, cwd=TOOLS)
    except OSError as fault:
        return str(fault)
    said = (run.stderr or run.stdout).strip().splitlines() or ["it does not say why"]
    return said[-1] if run.returncode else None


def version(path):
    run = subprocess.run([path, "--version"], capture_output=True, text=True, env=hermetic(TOOLS))
    number = re.search(r"\d+\.\d+[\w.]*", run.stdout)
    return number[0] if number else "of an unknown version"


def peers():
    """Those that can be had, as (what to make of it, its path), and why others cannot."""
    got = [(kind, *get()) for kind, get in ((Agentsview, agentsview), (Cass, cass))]
    return [(kind, path) for kind, path, _ in got if path], [reason for _, path, reason in got if not path]


def over(store, folder, kinds):
    """Programs over a store, with empty folders of their own."""
    programs = [kind(path, store, folder) for kind, path in kinds]
    for program in programs:
        for place in (program.home, program.data):
            os.makedirs(place, exist_ok=True)
    return programs


def leave_network():
    """Takes the network from this process and all that it starts, but for the loopback; whether the system can."""
    if not sys.platform.startswith("linux"):
        return False
    import fcntl  # Windows has none

    new_user, new_network, owner, group = 0x10000000, 0x40000000, os.getuid(), os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(new_network):
        # Who is not the administrator may be one in a world of their own.
        if libc.unshare(new_user | new_network):
            return False
        for name, text in (("setgroups", "deny"), ("uid_map", f"{owner} {owner} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)
    set_flags, up_and_running = 0x8914, 0x41
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", up_and_running))
    return True
