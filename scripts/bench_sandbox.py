"""What a sandbox adds to the start of a command of `annals chat`; for scripts/bench."""
import json
import os
import socket
import subprocess
import time

COMMANDS = 60  # of one conversation
RUNS = 200  # of the stage alone
LIMIT = 0.015  # seconds that a command may start later


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def script():
    """A conversation in which the model runs a command that does nothing, again and again."""
    call = [{"type": "tool_use", "name": "Bash", "input": {"command": "true"}}]
    return {"bench": [call] * COMMANDS + [[{"type": "text", "text": "done"}]]}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def workspace(folder):
    """A repository of some size."""
    work = os.path.join(folder, "work")
    for number in range(300):
        path = os.path.join(work, f"src/module{number % 20}/file{number}.rs")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write("fn main() {}\n")
    subprocess.run(["git", "init", "-q", work], check=True, stdout=subprocess.DEVNULL)
    return work


def conversation(annals, work, folder, environment, sandbox):
    """Seconds of one conversation with all its commands."""
    port, plan = free_port(), os.path.join(folder, "script.json")
    with open(plan, "w", encoding="utf-8") as file:
        json.dump(script(), file)
    api = subprocess.Popen([annals, "mock-api", "--script", plan, "--port", str(port), "--workdir", work], env=environment,
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        api.stdout.readline()
        own = {**environment, "ANTHROPIC_API_KEY": "dummy-key", "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}", "TMPDIR": folder}
        command = [annals, "chat", "-p", "--no-session-persistence", "--allowedTools", "Bash", "--sandbox", sandbox, "--", "go @@bench@@"]
        start = time.perf_counter()
        done = subprocess.run(command, cwd=work, env=own, capture_output=True, text=True)
        if done.returncode or "done" not in done.stdout:
            raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()[-300:]}")
        return time.perf_counter() - start
    finally:
        api.kill()
        api.wait()


def starts(command, environment):
    """Seconds that each of many runs of a command takes."""
    taken = []
    for _ in range(RUNS):
        start = time.perf_counter()
        done = subprocess.run(command, env=environment, capture_output=True)
        taken.append(time.perf_counter() - start)
        if done.returncode:
            raise RuntimeError(f"{command[0]}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return taken


def stages(annals, work, home):
    """A command that does nothing: alone, and by each means."""
    plain = ["bash", "-c", ":"]
    stage = [annals, "sandbox-stage"]
    found = {"without": plain, "Landlock": [*stage, "--landlock", "--write", work, "--hide", os.path.join(home, ".ssh"), "--", *plain]}
    bubblewrap = "/usr/bin/bwrap"
    if os.path.exists(bubblewrap):
        view = ["--unshare-pid", "--unshare-ipc", "--new-session", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-net"]
        git = os.path.join(work, ".git")
        closed = [word for name in ("config", "hooks") for word in ("--ro-bind", os.path.join(git, name), os.path.join(git, name))]
        found["bubblewrap"] = [bubblewrap, *view, "--bind", work, work, "--bind", git, git, *closed, "--chdir", work, "--", *stage, "--", *plain]
    return found


def report(annals, folder, environment, rounds):
    """A Markdown table and what must hold of it."""
    work, home = workspace(folder), environment["HOME"]
    os.makedirs(os.path.join(home, ".ssh"), exist_ok=True)
    rows, said = ["| start of a command | p50 | p99 | more than without |", "|---|---|---|---|"], []
    base = None
    for name, command in stages(annals, work, home).items():
        try:
            taken = starts(command, environment)
        except RuntimeError as fault:
            said.append(f"left out: {name}: {fault}")
            continue
        middle = percentile(taken, 0.5)
        base = middle if base is None else base
        rows.append(row(name, taken, middle - base))
        if name != "without":
            said.append(claim(middle - base < LIMIT, f"{name}: under {LIMIT * 1e3:.0f} ms more ({(middle - base) * 1e3:.1f})"))
    best = {sandbox: min(conversation(annals, work, folder, environment, sandbox) for _ in range(rounds)) for sandbox in ("off", "require")}
    more = (best["require"] - best["off"]) / COMMANDS
    rows.append(f"| each of {COMMANDS} commands of `annals chat`, with its plan and what it watches | | | {more * 1e3:.1f} ms |")
    said.append(claim(more < LIMIT, f"in a conversation: under {LIMIT * 1e3:.0f} ms more for each command ({more * 1e3:.1f})"))
    return "\n".join(rows), said


def row(name, taken, more):
    figures = [percentile(taken, 0.5), percentile(taken, 0.99)]
    return f"| {name} | " + " | ".join(f"{seconds * 1e3:.1f} ms" for seconds in figures) + f" | {more * 1e3:.1f} ms |"


def claim(holds, text):
    return f"{'holds' if holds else 'DOES NOT HOLD'}: {text}"


def self_test():
    assert percentile([3, 1, 2], 0.5) == 2 and claim(True, "x") == "holds: x"
    assert len(script()["bench"]) == COMMANDS + 1
    assert row("Landlock", [0.004, 0.006], 0.002) == "| Landlock | 6.0 ms | 6.0 ms | 2.0 ms |"
    assert "sandbox-stage" in stages("annals", "/w", "/h")["Landlock"]
