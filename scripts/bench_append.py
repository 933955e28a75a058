"""How fast records are appended, beside the SDK and beside what the disk costs; for scripts/bench.

Run by itself it is the part that needs the SDK's own Python: bench_append.py --sdk SESSION FOLDER BYTES COUNT
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
from bench_tail import claim, percentile  # noqa: E402

SIZES = (300, 4096)  # bytes of what a prompt says
STREAMED = 2000  # records that one process is fed at once
SINGLE = 200  # records one at a time
LONG = 100 * 10**6
MIN_RATE = 10_000  # streamed records a second
STREAMS = ("annals append", "annals append --no-sync")


def prompt(number, size):
    """A plain message whose text has this many bytes."""
    text = f"prompt {number} ".ljust(size, "x")
    return json.dumps({"role": "user", "content": text}, separators=(",", ":")).encode() + b"\n"


# ---- the ways ----


class Appender:
    """`annals append` on a session; it has opened it, and answered once, when this is made."""

    def __init__(self, annals, session, environment, options):
        start = time.perf_counter()
        command = [annals, "append", session, *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment)
        self.rest = b""
        self.ask(prompt(0, 10))
        self.opening = time.perf_counter() - start

    def answers(self, count):
        """Waits for this many answers; none may be a refusal."""
        while count:
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            if not piece:
                raise RuntimeError("annals append has ended")
            *lines, self.rest = (self.rest + piece).split(b"\n")
            refused = [line for line in lines if not line.startswith(b'{"uuid":"')]
            if refused:
                raise RuntimeError(f"refused: {refused[0][:200]}")
            count -= len(lines)

    def ask(self, line):
        self.process.stdin.write(line)
        self.answers(1)

    def stream(self, lines):
        """Seconds from the first byte in to the last answer out."""
        writing = threading.Thread(target=self.process.stdin.write, args=(b"".join(lines),))
        start = time.perf_counter()
        writing.start()
        self.answers(len(lines))
        seconds = time.perf_counter() - start
        writing.join()
        return seconds

    def end(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            raise RuntimeError(f"annals append: exit {self.process.returncode}")


def timed(work, count):
    """Seconds of each call."""
    taken = []
    for number in range(count):
        start = time.perf_counter()
        work(number)
        taken.append(time.perf_counter() - start)
    return taken


def bare(path, line, count, synced):
    """The least that any program can do: a `write`, and, where asked for, an `fsync`; nothing is checked or looked up."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND)

    def work(_):
        os.write(file, line)
        if synced:
            os.fsync(file)

    try:
        return timed(work, count)
    finally:
        os.close(file)


def sdk_inside(session, folder, size, count):
    """The SDK's way to append: a title, as long as our record is. It has no way to append a message, and none that syncs."""
    from claude_agent_sdk import rename_session

    empty = len(json.dumps({"type": "custom-title", "customTitle": "", "sessionId": session}, separators=(",", ":"))) + 1
    title = "x" * (size - empty)
    # With the folder it looks in one project, without it in all: there is one, so that the quicker of the two counts.
    where = min((None, folder), key=lambda place: sum(timed(lambda _: rename_session(session, title, place), 20)))
    return timed(lambda _: rename_session(session, title, where), count)


def sdk(python, session, folder, size, count, environment):
    command = [python, os.path.abspath(__file__), "--sdk", session, folder, str(size), str(count)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    if run.returncode != 0:
        raise RuntimeError(f"the SDK: {run.stderr.strip()[-300:]}")
    return json.loads(run.stdout)


# ---- the sessions ----


class Sessions:
    """A session of its own for each program, so that none finds another at work; all alike, and left alone for a while."""

    def __init__(self, annals, folder, environment, content=None):
        self.work = os.path.join(folder, "work")
        os.makedirs(self.work, exist_ok=True)
        self.environment = environment
        self.ids = []
        for _ in range(3):
            made = subprocess.run([annals, "new"], cwd=self.work, env=environment, capture_output=True, text=True, check=True)
            self.ids.append(made.stdout.strip())
            first = Appender(annals, self.ids[-1], environment, ())
            first.end()
            if content:
                with open(self.path(-1), "wb") as out, open(content, "rb") as source:
                    while piece := source.read(1 << 20):
                        out.write(piece)
                os.utime(self.path(-1), (0, 0))

    def path(self, at):
        for place, _, names in os.walk(os.path.join(self.environment["CLAUDE_CONFIG_DIR"], "projects")):
            if f"{self.ids[at]}.jsonl" in names:
                return os.path.join(place, f"{self.ids[at]}.jsonl")
        raise RuntimeError(f"no session {self.ids[at]}")


def once(annals, python, sessions, size, best):
    """One turn of every way; `best` keeps the quickest stream, and the calls of the turn with the quickest median."""
    ours, plain, theirs = 0, 1, 2

    def keep(way, taken):
        known = best.get(way)
        better = known is None or percentile(taken, 0.5) < percentile(known, 0.5)
        best[way] = taken if better else known

    for way in STREAMS:
        before = os.path.getsize(sessions.path(ours))
        appender = Appender(annals, sessions.ids[ours], sessions.environment, way.split()[2:])
        opened = os.path.getsize(sessions.path(ours))
        keep("opening", [appender.opening])
        keep(way, [appender.stream([prompt(number, size) for number in range(STREAMED)])])
        length = (os.path.getsize(sessions.path(ours)) - opened) // STREAMED
        assert opened > before
        lines = [prompt(number, size) for number in range(SINGLE)]
        keep(f"{way}, one at a time", timed(lambda number: appender.ask(lines[number]), SINGLE))
        appender.end()
    line = b"x" * (length - 1) + b"\n"
    keep("write and fsync", bare(sessions.path(plain), line, SINGLE, True))
    keep("write", bare(sessions.path(plain), line, SINGLE, False))
    if python:
        keep("SDK rename_session", sdk(python, sessions.ids[theirs], sessions.work, length, SINGLE, sessions.environment))
    return length


# ---- reporting ----

SYNCED = ("annals append, one at a time", "write and fsync")
UNSYNCED = ("annals append --no-sync, one at a time", "write", "SDK rename_session")


def rows(name, size, best):
    """Rows of the two tables of one session and one size: streams, and one at a time."""
    streamed = []
    for way in STREAMS:
        seconds = best[way][0]
        base = percentile(best["SDK rename_session"], 0.5) * STREAMED if "SDK rename_session" in best else None
        ratio = f"{base / seconds:.1f}" if base else "–"
        streamed.append(f"| {name} | {size} B | `{way}` | {STREAMED / seconds:,.0f} | {ratio} |")
    single = []
    for group in (SYNCED, UNSYNCED):
        base = percentile(best[group[0]], 0.5)
        for way in group:
            if way not in best:
                continue
            middle, late = percentile(best[way], 0.5), percentile(best[way], 0.99)
            disk = "synced" if group is SYNCED else "not synced"
            single.append(f"| {name} | {size} B | {disk} | {way} | {middle * 1e6:,.0f} µs | {late * 1e6:,.0f} µs | {middle / base:.2f} |")
    return streamed, single


def report(annals, python, folder, environment, content, rounds):
    """Markdown and what must hold of it. `content` is what a long session holds."""
    streamed = ["| session | prompt | run | records a second | times the SDK's |", "|---|---|---|---|---|"]
    single = ["| session | prompt | | one record at a time | p50 | p99 | times ours |", "|---|---|---|---|---|---|---|"]
    openings, said, lengths, slowest = {}, [], {}, None
    for name, source in (("fresh", None), (f"{LONG // 10**6} MB", content)):
        best = {size: {} for size in SIZES}
        for _ in range(rounds):
            for size in SIZES:
                # A fresh session stays one: each turn has its own.
                with tempfile.TemporaryDirectory(dir=folder, prefix="append-") as own:
                    os.makedirs(os.path.join(own, ".claude"))
                    place = {**environment, "HOME": own, "CLAUDE_CONFIG_DIR": os.path.join(own, ".claude"), "ANNALS_DATA_DIR": os.path.join(own, "data")}
                    lengths[size] = once(annals, python, Sessions(annals, own, place, source), size, best[size])
        for size in SIZES:
            more, calls = rows(name, size, best[size])
            streamed += more
            single += calls
            rate = STREAMED / best[size][STREAMS[0]][0]
            slowest = min(slowest or rate, rate)
        openings[name] = min(best[size]["opening"][0] for size in SIZES)
    said.append(claim(slowest >= MIN_RATE, f"at least {MIN_RATE:,} records a second, on the disk before they are answered ({slowest:,.0f})"))
    opening = ", ".join(f"{name} {seconds * 1e3:.0f} ms" for name, seconds in openings.items())
    sizes = " and ".join(f"{lengths[size]:,}" for size in SIZES)
    text = f"Lines of {sizes} bytes. From the start of the process to its first answer: {opening}.\n\n" + "\n".join(streamed) + "\n\n" + "\n".join(single)
    return text, said


def self_test():
    line = prompt(7, 300)
    assert len(json.loads(line)["content"]) == 300 and line.endswith(b"\n") and line.count(b"\n") == 1
    best = {STREAMS[0]: [0.1], STREAMS[1]: [0.05], SYNCED[0]: [0.002], SYNCED[1]: [0.001], UNSYNCED[0]: [0.0001], UNSYNCED[1]: [0.00001], UNSYNCED[2]: [0.0002]}
    streamed, single = rows("fresh", 300, best)
    assert streamed[0] == "| fresh | 300 B | `annals append` | 20,000 | 4.0 |", streamed
    assert single[1] == "| fresh | 300 B | synced | write and fsync | 1,000 µs | 1,000 µs | 0.50 |", single
    assert single[4].endswith("| 200 µs | 200 µs | 2.00 |") and len(single) == 5, single
    del best[UNSYNCED[2]]
    streamed, single = rows("fresh", 300, best)
    assert streamed[1].endswith("| 40,000 | – |") and len(single) == 4, (streamed, single)
    with tempfile.NamedTemporaryFile() as file:
        assert len(bare(file.name, b"abc\n", 3, True)) == 3 and os.path.getsize(file.name) == 12


if __name__ == "__main__" and sys.argv[1:2] == ["--sdk"]:
    print(json.dumps(sdk_inside(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))))
