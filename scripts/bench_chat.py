"""`annals chat` beside the original, against the same scripted API in a network of their own: how soon the first request comes, how
much memory that takes, the same with three MCP servers and five hooks, how soon a session of 100 MB is resumed, and what a streamed token
costs as a conversation grows."""
import json
import os
import statistics
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
SECONDS = 120
LONG_SESSION = 100 * 10**6
MAX_SHARE = 1 / 3
# Small ones: what is measured is the client.
SERVERS = {f"srv{number}": {"command": "python3", "args": ["-S", "-E", os.path.join(os.path.dirname(HERE), "interop", "hook_services.py"), "mcp"]} for number in range(3)}
HOOKS = {event: [{"hooks": [{"type": "command", "command": "true"}]}] for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")}
# Of what a token costs in the first two hundred turns: noise, and no growth.
MAX_GROWTH = 1.25
TURNS = 1000
# Every tenth answer is a long one.
LONG_EVERY = 10
SCRIPT = {
    "bench": [[{"type": "text", "text": "Done."}]],
    "short": [[{"type": "text", "text": "Yes."}]],
    # Sixteen blocks of 64 pieces: some thousand tokens, as they stream.
    "long": [[{"type": "text", "text": f"{number} " + "word " * 310} for number in range(16)]],
}


class Bench:
    """Clients that are measured, each in a home of its own."""

    def __init__(self, annals, api, folder):
        self.annals, self.api, self.folder = annals, api, folder
        self.script = os.path.join(folder, "chat-script.json")
        with open(self.script, "w", encoding="utf-8") as file:
            json.dump(SCRIPT, file)

    def inside(self, command, arguments, prompts=None, hooks=None):
        """One run in a fresh home; a long session lies in it where one is resumed."""
        with tempfile.TemporaryDirectory(prefix="chat-", dir=self.folder) as top:
            config, work, home = (os.path.join(top, name) for name in ("config", "work", "home"))
            for folder in (config, work, home):
                os.mkdir(folder)
            with open(os.path.join(config, "settings.json"), "w", encoding="utf-8") as file:
                json.dump({**client.SETTINGS, **({"hooks": hooks} if hooks else {})}, file)
            if "--resume" in arguments:
                long_session(work).write(config)
            environment = {**client.environment(config, home), "ANNALS_DATA_DIR": os.path.join(top, "data")}
            order = {
                "api": [self.api, "--script", self.script, "--workdir", work], "command": [*command, *arguments], "environment": environment,
                "folder": work, "seconds": SECONDS, "mark": "@@bench@@", "prompts": prompts,
            }
            run = subprocess.run([*client.namespace(), sys.executable, os.path.join(HERE, "bench_chat_inside.py")], input=json.dumps(order),
                                 capture_output=True, text=True)
            if run.returncode:
                raise RuntimeError(f"the namespace failed: {run.stderr.strip()[-300:]}")
            done = json.loads(run.stdout)
            if done["code"] or (not prompts and done["first"] is None):
                raise RuntimeError(f"{command[-1]}: exit {done['code']}: {done.get('out', '')}")
            return done


def long_session(work):
    """A long session that was summed up near its end, as one that long is: what is sent of it is short."""
    made = sessions.Session("long", ORIGINAL, MODEL, work)
    number, size = 0, 0
    output = "an ordinary line of the output of a command, as there are many\n" * 150
    while size < LONG_SESSION:
        number += 1
        made.prompt(f"Look at file {number}.")
        made.respond(sessions.text("I look."), sessions.call(number, "Bash", command=f"cat file-{number}"))
        made.results(sessions.result(number, output))
        made.respond(sessions.text("It is as it should be. " * 20))
        size += len(output) + 3200
    made.compact("Files were looked at; all are as they should be.")
    for _ in range(10):
        made.prompt("Go on.")
        made.respond(sessions.text("It goes on."))
    return made


def best(runs, key):
    return min(run[key] for run in runs)


def token_growth(costs):
    """What the tokens of a long answer cost in the last two hundred turns, and in the first: beside the short answer before it, so
    that what both have in common (the request with all that was said) falls out."""
    def of(part):
        return statistics.median(part[at] - part[at - 1] for at in range(LONG_EVERY - 1, len(part), LONG_EVERY))
    return of(costs[-200:]), of(costs[:200])


def report(annals, api, folder, rounds):
    """(tables in Markdown, what holds)."""
    if not client.namespace():
        raise RuntimeError("no network namespaces: the original is not run where it could reach a network")
    bench = Bench(annals, api, folder)
    programs = {"annals chat": [annals, "chat"], f"original {ORIGINAL}": clients.install(ORIGINAL)}
    words = ["--model", MODEL, "--output-format", "json"]
    session = long_session(folder).id
    servers = ["--mcp-config", json.dumps({"mcpServers": SERVERS})]
    runs = {name: ([], [], []) for name in programs}
    for _ in range(rounds):
        for name, command in programs.items():
            runs[name][0].append(bench.inside(command, ["-p", "Say @@bench@@", *words]))
            runs[name][1].append(bench.inside(command, ["-p", "--resume", session, "Say @@bench@@", *words]))
            runs[name][2].append(bench.inside(command, ["-p", "Say @@bench@@", *words, *servers], hooks=HOOKS))
    rows = ["| | first request | peak memory | first request of 100 MB | its peak memory | first request with 3 servers and 5 hooks | its peak memory |", "|---|---|---|---|---|---|---|"]
    figures = []
    for name, of_kind in runs.items():
        found = [best(kind, key) for kind in of_kind for key in ("first", "peak")]
        figures.append(found)
        shown = [f"{value * 1e3:.0f} ms" if at % 2 == 0 else f"{value / 1e6:.0f} MB" for at, value in enumerate(found)]
        rows.append(f"| `{name}` | {' | '.join(shown)} |")
    ours, theirs = figures
    lines = []
    what_holds = {0: "first request", 1: "peak memory", 2: "first request of a session of 100 MB", 4: "first request with three MCP servers and five hooks", 5: "their peak memory"}
    for number, what in what_holds.items():
        share = ours[number] / theirs[number]
        lines.append(f"{'holds' if share <= MAX_SHARE else 'DOES NOT HOLD'}: {what} at most a third of the original's ({share:.2f})")
    prompts = [f"Say @@{'long' if turn % LONG_EVERY == LONG_EVERY - 1 else 'short'}@@" for turn in range(TURNS)]
    stream = ["-p", "--model", MODEL, "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
    costs = bench.inside([annals, "chat"], stream, prompts)["costs"]
    if len(costs) < TURNS:
        raise RuntimeError(f"the conversation ended after {len(costs)} turns")
    last, first = token_growth(costs)
    lines.append(f"{'holds' if last <= MAX_GROWTH * first else 'DOES NOT HOLD'}: a streamed token costs the same after {TURNS} turns "
                 f"({last / first:.2f} times the first two hundred; a long answer {first * 1e3:.2f} and {last * 1e3:.2f} ms)")
    return "\n".join(rows), lines


def self_test():
    costs = ([0.001] * (LONG_EVERY - 1) + [0.003]) * (TURNS // LONG_EVERY)
    last, first = token_growth(costs)
    assert abs(last - 0.002) < 1e-9 and abs(first - 0.002) < 1e-9
    made = sessions.Session("small", ORIGINAL, MODEL, "/")
    made.prompt("a")
    assert made.lines[0]["version"] == ORIGINAL
