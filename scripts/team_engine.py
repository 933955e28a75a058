"""What scripts/team-proof and scripts/team-rights share: the binary in a home of its own, and a team's engine."""
import json
import os
import subprocess
import sys

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


def start_engine(folder, *options):
    """Starts the engine over tables in a folder: the process, which ends when its input is closed, and the address."""
    process = subprocess.Popen([sys.executable, os.path.join(ROOT, "scripts", "engine"), "--dir", os.path.join(folder, "engine"), *options],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline().strip()
    if not line.startswith("http://"):
        if process.wait() == SKIPPED:
            skip(line.removeprefix("skipped: "))
        raise SystemExit("the engine did not start")
    return process, line
