#!/usr/bin/env python3
"""client.py VERSION CONFIG_DIR WORKDIR [--script FILE] [--api BINARY] -- ARGUMENTS: one run of a public client.

The client has a home of its own, an empty environment, and a network that is nothing but loopback, on which the scripted API
plays and checks every request. Prints what the client said, its exit code, and each request with the rules that it breaks.
"""
import argparse
import functools
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import clients  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 60
# Whatever a script calls for is allowed: there is nothing to harm in a work folder of its own.
SETTINGS = {
    "permissions": {
        "allow": ["Read", "Write", "Edit", "Bash", "Glob", "Grep", "TodoWrite", "Task", "Agent", "TaskCreate", "TaskUpdate"],
        "defaultMode": "acceptEdits",
    }
}


class Run:
    """What one run of a client said and sent."""

    def __init__(self, answer, requests):
        self.code, self.out, self.error, self.timed_out = (answer[key] for key in ("code", "out", "error", "timed_out"))
        self.requests = requests

    @property
    def result(self):
        """The client's own summary, the last one of a stream; empty where it gave none."""
        try:
            found = json.loads(self.out)
        except ValueError:
            found = next((line for line in reversed(self.lines) if line.get("type") == "result"), {})
        return found if isinstance(found, dict) else {}

    @property
    def lines(self):
        """The objects of a stream."""
        try:
            return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]
        except ValueError:
            return []

    @property
    def session(self):
        return self.result.get("session_id")

    @property
    def violations(self):
        return [f"{broken['rule']} at {broken['place']}" for request in self.requests for broken in request["violations"]]

    @property
    def conversations(self):
        """The bodies of the requests that carry the conversation: those with tools, not the client's asides."""
        bodies = (request["body"] for request in self.requests if request["path"].split("?")[0] == "/v1/messages")
        return [body for body in bodies if isinstance(body, dict) and body.get("tools")]

    def explain(self):
        state = "no answer in time" if self.timed_out else f"exit {self.code}"
        return f"{state}: {(self.out + self.error).strip()[-300:]}"


@functools.lru_cache(maxsize=None)
def namespace():
    """The command that gives what follows a network of its own; None where the system allows none."""
    if not shutil.which("unshare"):
        return None
    for prefix in (["unshare", "--net", "--"], ["unshare", "--user", "--map-root-user", "--net", "--"]):
        if subprocess.run([*prefix, "true"], capture_output=True).returncode == 0:
            return prefix
    return None


def environment(config, home):
    node = os.path.dirname(shutil.which("node") or "")
    path = os.pathsep.join(part for part in (node, "/usr/sbin", "/usr/bin", "/bin") if part)
    return {
        "PATH": path, "HOME": home, "CLAUDE_CONFIG_DIR": config, "TMPDIR": home, "CLAUDE_CODE_TMPDIR": home, "TERM": "dumb",
        "LANG": "C.UTF-8", "SHELL": "/bin/bash", "TZ": "UTC", "ANTHROPIC_API_KEY": "dummy-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1", "DISABLE_BUG_COMMAND": "1",
        # The original has none by default, and the same questions are compared.
        "ANNALS_SANDBOX": "off",
    }


def run(command, api, config, workdir, arguments, script=None, services=()):
    """Runs the client that `command` starts, with these arguments, against the API whose program is `api`; services run beside it."""
    prefix = namespace()
    if not prefix:
        raise RuntimeError("no network namespaces: the client is not run where it could reach a network")
    settings = os.path.join(config, "settings.json")
    os.makedirs(config, exist_ok=True)
    os.makedirs(workdir, exist_ok=True)
    if not os.path.exists(settings):
        with open(settings, "w", encoding="utf-8") as file:
            json.dump(SETTINGS, file)
    with tempfile.TemporaryDirectory(prefix="annals-client-") as scratch:
        log, home, script_file = (os.path.join(scratch, name) for name in ("log", "home", "script.json"))
        os.mkdir(home)
        with open(script_file, "w", encoding="utf-8") as file:
            json.dump(script or {}, file)
        order = {
            "api": [api, "--script", script_file, "--workdir", workdir, "--log", log],
            "command": [*command, *arguments], "environment": environment(config, home), "folder": workdir, "seconds": SECONDS,
            "services": list(services),
        }
        inside = subprocess.run([*prefix, sys.executable, os.path.join(HERE, "inside.py")], input=json.dumps(order),
                                capture_output=True, text=True, timeout=SECONDS + 30)
        if inside.returncode:
            raise RuntimeError(f"the namespace failed: {inside.stderr.strip()[-300:]}")
        requests = []
        for path in sorted(glob.glob(os.path.join(log, "*.json"))):
            with open(path, encoding="utf-8") as file:
                requests.append(json.load(file))
        return Run(json.loads(inside.stdout), requests)


def slug(path):
    """The name of a work folder's folder below projects/; the short form, for paths of test folders."""
    units = os.path.realpath(path).encode("utf-16-le")
    letters = (units[at:at + 2].decode("utf-16-le", "replace") for at in range(0, len(units), 2))
    return "".join(letter if re.fullmatch("[A-Za-z0-9]", letter) else "-" for letter in letters)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version")
    parser.add_argument("config")
    parser.add_argument("workdir")
    parser.add_argument("--script", help="a file {NAME: [STEP, ...]}")
    parser.add_argument("--api", required=True, help="the scripted-api program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    script = None
    if given.script:
        with open(given.script, encoding="utf-8") as file:
            script = json.load(file)
    arguments = given.arguments[1:] if given.arguments[:1] == ["--"] else given.arguments
    done = run(clients.install(given.version), given.api, os.path.abspath(given.config), os.path.abspath(given.workdir), arguments, script)
    print(done.out, end="")
    print(done.error, end="", file=sys.stderr)
    for request in done.requests:
        broken = ", ".join(f"{one['rule']} at {one['place']}" for one in request["violations"])
        print(f"{request['method']} {request['path']} {request['status']} {broken}", file=sys.stderr)
    return done.code


if __name__ == "__main__":
    sys.exit(main())
