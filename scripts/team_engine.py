"""What the scripts about a team share: the binary in a home of its own, its servers, and a team's engine."""
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

from common import ROOT, SKIPPED, hermetic, skip


class Annals:
    """The binary, in a home of its own."""

    def __init__(self, path, home):
        self.path, self.environment = path, hermetic(home)

    def run(self, *arguments, accept=(0, 1, 3)):
        run = subprocess.run([self.path, *arguments], capture_output=True, env=self.environment)
        if run.returncode not in accept:
            raise SystemExit(f"annals {' '.join(arguments)}: exit {run.returncode}: {run.stderr.decode(errors='replace').strip()}")
        return run.stdout

    def json(self, *arguments):
        """The documents that a command prints: one, or a list of several."""
        documents = [json.loads(line) for line in self.run(*arguments, "--json").splitlines()]
        return documents[0] if len(documents) == 1 else documents


class Server:
    """`annals receive` or `annals serve --from`."""

    def __init__(self, annals, *arguments):
        self.process = subprocess.Popen([annals.path, "--quiet", *arguments], stdout=subprocess.PIPE, env=annals.environment, text=True)
        self.url = self.process.stdout.readline().strip()

    def request(self, method, path, token, body=None, headers=()):
        headers = dict(headers)
        if token.startswith("url:"):
            path += ("&" if "?" in path else "?") + "token=" + token[4:]
        elif token.startswith("basic:"):
            headers["Authorization"] = "Basic " + token[6:]
        elif token:
            headers["Authorization"] = "Bearer " + token
        request = urllib.request.Request(self.url + path, data=body, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def end(self):
        self.process.terminate()
        self.process.wait()


def usage_of(process):
    """Processor time and memory of a process, in seconds and bytes."""
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    with open(f"/proc/{process.pid}/statm") as file:
        pages = int(file.read().split()[1])
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def start_engine(folder, *options, disk=()):
    """Starts the engine over tables in a folder: the process, which ends when its input is closed, and the address. `disk` is a command that
    runs it on a disk of its own."""
    process = subprocess.Popen([*disk, sys.executable, os.path.join(ROOT, "scripts", "engine"), "--dir", os.path.join(folder, "engine"), *options],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline().strip()
    if not line.startswith("http://"):
        if process.wait() == SKIPPED:
            skip(line.removeprefix("skipped: "))
        raise SystemExit("the engine did not start")
    return process, line
