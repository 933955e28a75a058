"""The chat screen of `annals chat` beside that of the original, in terminals of their own, against the same scripted API in a network of
their own: the first frame, of a new and of a long session; how soon a key is on the screen while text streams in; what that costs."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "interop"))
import client  # noqa: E402
import clients  # noqa: E402
import sessions  # noqa: E402

ORIGINAL = "2.1.325"
MODEL = "claude-sonnet-4-5-20250929"
ROWS, COLUMNS = 40, 100
MESSAGES = 5000
TOKENS_PER_SECOND = 200
# Sixty-four pieces of a block, each a token; far more than the keys take, even where each of them takes a second. The client is ended
# after the last key.
BLOCKS, PIECES = 192, 64
KEY_LIMIT = 0.016
# Letters that nothing else on the screen has, each pressed once.
LETTERS = "αβγδεζηθικλμνξοπρστυφχψωбвгджзийклмнптфцчшщъыьэюяѓђљњћџ"


def play():
    """The stream: an event for each token, at this speed."""
    count = 1 + BLOCKS * (PIECES + 2)
    parts = ["head"]
    for event in range(count):
        parts += [{"events": [event, event + 1]}, {"wait_ms": 1000 // TOKENS_PER_SECOND}]
    return [*parts, {"events": [count, 10**6]}, "end"]


def script():
    blocks = [{"type": "text", "text": "begun " + "word " * (PIECES - 2) + "line\n"} for _ in range(BLOCKS - 1)]
    blocks.append({"type": "text", "text": "word " * (PIECES - 1) + "finish"})
    return {"stream": [{"content": blocks, "play": play()}]}


def long_session(work):
    made = sessions.Session("screen", ORIGINAL, MODEL, work)
    for number in range(MESSAGES // 2):
        made.prompt(f"Look at bed{number}.")
        made.respond(sessions.text(f"Bed{number} is **as it should be**."))
    return made


def run(command, arguments, api, folder, is_long):
    """One conversation on the screen of a client."""
    with tempfile.TemporaryDirectory(prefix="screen-", dir=folder) as top:
        config, work, home = (os.path.join(top, name) for name in ("config", "work", "home"))
        for place in (config, work, home):
            os.mkdir(place)
        work = os.path.realpath(work)
        key = client.environment(config, home)["ANTHROPIC_API_KEY"]
        known = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        for name, content in {
            "settings.json": client.SETTINGS,
            ".claude.json": {"hasCompletedOnboarding": True, "theme": "dark", "projects": {work: known}, "customApiKeyResponses": {"approved": [key[-20:]], "rejected": []}},
        }.items():
            with open(os.path.join(config, name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        resume = []
        if is_long:
            made = long_session(work)
            made.write(config)
            resume = ["--resume", made.id]
        script_file = os.path.join(top, "script.json")
        with open(script_file, "w", encoding="utf-8") as file:
            json.dump(script(), file)
        order = {
            "api": [api, "--script", script_file, "--workdir", work], "command": [*command, *arguments, "--model", MODEL, *resume],
            "environment": {**client.environment(config, home), "ANNALS_DATA_DIR": os.path.join(top, "data")}, "folder": work,
            "size": [ROWS, COLUMNS], "ready": f"Bed{MESSAGES // 2 - 1}" if is_long else "❯", "letters": LETTERS,
            "prompt": "Say @@stream@@", "begins": "begun", "ends": "finish",
        }
        inside = [*client.namespace(), sys.executable, os.path.join(HERE, "bench_screen_inside.py")]
        done = subprocess.run(inside, input=json.dumps(order), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{command[-1]}: {done.stderr.strip()[-600:]}")
        found = json.loads(done.stdout)
        if not found["is_streamed"]:
            raise RuntimeError(f"{command[-1]}: the answer had ended before the last key")
        return found


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def figures(runs):
    """The best of each figure; of keys all that were pressed."""
    new, long = runs
    keys = [key for run in long for key in run["keys"]]
    best = lambda found, key: min(run[key] for run in found)
    return {
        "first frame": best(new, "frame"), f"first frame of {MESSAGES:,} messages": best(long, "frame"),
        "key to screen while streaming, p50": percentile(keys, 0.5), "key to screen while streaming, p99": percentile(keys, 0.99),
        "processor, idle": best(long, "idle"), "processor, streaming": best(long, "streaming"), "memory": best(long, "memory"), "peak memory": best(long, "peak"),
    }


def shown(name, value):
    if "memory" in name:
        return f"{value / 1e6:.0f} MB"
    return f"{value * 100:.1f} %" if name.startswith("processor") else f"{value * 1e3:.0f} ms"


def report(annals, api, folder, rounds):
    """(a table in Markdown, what holds)."""
    if not client.namespace():
        raise RuntimeError("no network namespaces: the original is not run where it could reach a network")
    programs = {f"annals chat --screen {layout}": ([annals], ["chat", "--trust", "--screen", layout]) for layout in ("inline", "full")}
    programs[f"original {ORIGINAL}"] = (clients.install(ORIGINAL), [])
    runs = {name: ([], []) for name in programs}
    for _ in range(rounds):
        for name, (command, arguments) in programs.items():
            for is_long in (False, True):
                runs[name][is_long].append(run(command, arguments, api, folder, is_long))
    *ours, theirs = (figures(found) for found in runs.values())
    rows = [f"| | {' | '.join(f'`{name}`' for name in runs)} |", "|---" * (len(runs) + 1) + "|"]
    rows += [f"| {name} | {' | '.join(shown(name, found[name]) for found in (*ours, theirs))} |" for name in theirs]
    said = lambda holds, text: f"{'holds' if holds else 'DOES NOT HOLD'}: {text}"
    behind = [name for name in theirs if any(found[name] > theirs[name] for found in ours)]
    slow = max(found["key to screen while streaming, p99"] for found in ours)
    return "\n".join(rows), [
        said(not behind, f"ahead of the original in each figure{' (not: ' + ', '.join(behind) + ')' if behind else ''}"),
        said(slow < KEY_LIMIT, f"99 of 100 keys are on the screen in under {KEY_LIMIT * 1e3:.0f} ms ({slow * 1e3:.1f})"),
    ]


def self_test():
    assert len(set(LETTERS)) == len(LETTERS) and not set(LETTERS) & set(json.dumps(script()["stream"][0]["content"]))
    assert len(LETTERS) < BLOCKS * PIECES / TOKENS_PER_SECOND
    assert percentile([3, 1, 2], 0.5) == 2 and percentile([1], 0.99) == 1
    assert (shown("peak memory", 2e6), shown("processor, idle", 0.015), shown("first frame", 0.25)) == ("2 MB", "1.5 %", "250 ms")
