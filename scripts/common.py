"""What the scripts share: where things are, how a check says that it was skipped, how the binary is run."""
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
SDK = "claude-agent-sdk"
SKIPPED = 77  # the exit code by which ./check knows that a step did not run


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


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


def binary(named=None):
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    path = os.path.abspath(named or os.path.join(target, "release", "annals"))
    if not os.path.isfile(path):
        sys.exit(f"no binary at {path}: run cargo build --release")
    return path


def sdk_python():
    """(the Python of .venv, which has the SDK and is made where it is missing; why there is none)."""
    python = os.path.join(VENV, "Scripts" if os.name == "nt" else "bin", "python")
    probe = [python, "-c", "import claude_agent_sdk"]
    if os.path.exists(python) and subprocess.run(probe, capture_output=True).returncode == 0:
        return python, None
    print(f"installing {SDK} into .venv", file=sys.stderr)
    for command in ([sys.executable, "-m", "venv", VENV], [python, "-m", "pip", "install", "--quiet", SDK]):
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            return None, f"{SDK} cannot be installed: {(run.stderr or run.stdout).strip().splitlines()[-1:]}"
    return python, None


def hermetic(home):
    """An environment in which nothing can find the home of whoever runs this."""
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
