"""What the scripts share: where things are, how a check says that it was skipped, how the binary is run."""
import contextlib
import fcntl
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SKIPPED = 77  # the exit code by which ./check knows that a step did not run


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


failures = []  # what a benchmark could not measure


def report_failure(what, fault):
    failures.append(what)
    print(f"- failed: {what}: {fault}")


def sample_number():
    """A number that differs whenever crates/ has changed, so that in time every part of a sample is run; 0 where there is no git."""
    run = subprocess.run(["git", "rev-parse", "--short=8", "HEAD:crates"], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(run.stdout.strip() or "0", 16)


def find_shared(name, variable):
    """A folder of data that is kept outside the project: the variable's, else ../shared/NAME; None where there is neither."""
    named = os.environ.get(variable)
    if named and not os.path.isdir(named):
        sys.exit(f"{variable} names {named}, which is not a folder")
    path = os.path.abspath(named or os.path.join(os.path.dirname(ROOT), "shared", name))
    return path if os.path.isdir(path) else None


def shared(name, variable):
    """Such a folder; without it the script is skipped."""
    return find_shared(name, variable) or skip(f"no {name} (set {variable} to its folder)")


def cache(name):
    """A folder for what scripts install, outside the checkout so that every clone shares it: $ANNALS_CACHE, else the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    path = os.path.join(os.path.abspath(os.environ.get("ANNALS_CACHE") or os.path.join(base, "annals-dev")), name)
    os.makedirs(path, exist_ok=True)
    return path


@contextlib.contextmanager
def locked(folder):
    """One installer at a time: checks of two clones may run at once."""
    with open(os.path.join(folder, ".lock"), "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def built(name, profile):
    """A program of this project, built by cargo."""
    target = os.path.abspath(os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target"))
    path = os.path.join(target, profile, name)
    if not os.path.isfile(path):
        sys.exit(f"no binary at {path}: run cargo build --workspace{'' if profile == 'debug' else f' --profile {profile}'}")
    return path


def binary(named=None):
    """The annals to test: the one that is named, else the one that the tests built."""
    return os.path.abspath(named) if named else built("annals", "debug")


def hermetic(home):
    """An environment that hides the caller's home; the store that it names is there, and empty at first."""
    os.makedirs(os.path.join(home, ".claude"), exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LANG")}
    return {**kept, "HOME": home, "USERPROFILE": home, "CLAUDE_CONFIG_DIR": os.path.join(home, ".claude"),
            "ANNALS_DATA_DIR": os.path.join(home, "data"), "NO_COLOR": "1", "TZ": "UTC"}


class Annals:
    """The binary, run in a home of its own."""

    def __init__(self, path):
        self.path = path
        self.home = tempfile.TemporaryDirectory(prefix="annals-home-")

    def json(self, *arguments):
        """The JSON that a command prints. Exit 1 (nothing found) and 3 (problems in the data) are answers too."""
        run = subprocess.run([self.path, *arguments, "--json"], capture_output=True, env=hermetic(self.home.name))
        if run.returncode not in (0, 1, 3):
            raise RuntimeError(f"{' '.join(arguments)}: exit {run.returncode}: {run.stderr.decode(errors='replace').strip()}")
        return json.loads(run.stdout)
