"""How soon `annals tail` shows a record after it is written, and what it costs while nothing is written; for scripts/bench."""
import json
import os
import random
import select
import subprocess
import time

WAYS = ("events", "polling")
LINES = 200
IDLE_SECONDS = 10
LATEST = 0.100  # seconds from the write of a record to the line that shows it
MAX_IDLE = 0.01  # of a core
PATIENCE = 10


def record(number):
    """A record as a client writes them, of about a kilobyte."""
    message = {"role": "user", "content": f"prompt {number} " + "word " * 150}
    return json.dumps({"type": "user", "uuid": f"00000000-0000-4000-8000-{number:012}", "parentUuid": None, "message": message}).encode() + b"\n"


def next_line(stream):
    """The next line of a pipe that is read without a buffer, and when its end came."""
    line = b""
    while not line.endswith(b"\n"):
        if not select.select([stream], [], [], PATIENCE)[0]:
            raise RuntimeError(f"nothing came for {PATIENCE} s")
        piece = os.read(stream.fileno(), 1 << 16)
        if not piece:
            raise RuntimeError("annals tail has ended")
        line += piece
    return line, time.perf_counter()


def processor_seconds(pid):
    """User and system time of all threads of a process; None where there is no /proc."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            # The name stands in brackets and may hold anything.
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def measure(annals, way, folder, environment, lines=LINES, idle=IDLE_SECONDS):
    """(latencies in seconds, share of a core while idle or None) of one way of noticing changes."""
    path = os.path.join(folder, f"tail-{way}.jsonl")
    with open(path, "wb") as file:
        file.write(record(0))
    command = [annals, "tail", path, "--json", "-n", "1", "--notice-by", way]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0, env=environment)
    latencies, chance = [], random.Random(1)
    try:
        next_line(process.stdout)
        for number in range(1, lines + 1):
            # At any moment of its sleep.
            time.sleep(chance.uniform(0.005, 0.060))
            line = record(number)
            start = time.perf_counter()
            with open(path, "ab", buffering=0) as file:
                file.write(line)
            shown, end = next_line(process.stdout)
            if f'"prompt {number} '.encode() not in shown:
                raise RuntimeError(f"another line than the one that was written: {shown[:200]}")
            latencies.append(end - start)
        before, start = processor_seconds(process.pid), time.perf_counter()
        time.sleep(idle)
        after, seconds = processor_seconds(process.pid), time.perf_counter() - start
    finally:
        process.kill()
        process.wait()
    return latencies, (after - before) / seconds if None not in (before, after) else None


def report(annals, folder, environment):
    """A Markdown table and what must hold of it."""
    rows = ["| `annals tail --json`, changes noticed by | p50 | p99 | worst | idle |", "|---|---|---|---|---|"]
    said = []
    for way in WAYS:
        latencies, idle = measure(annals, way, folder, environment)
        shown = "–" if idle is None else f"{idle:.2%} of a core"
        rows.append(row(way, latencies, shown))
        late = percentile(latencies, 0.99)
        said.append(claim(late < LATEST, f"by {way}, 99 of 100 records are shown within {LATEST * 1e3:.0f} ms ({late * 1e3:.1f})"))
        if idle is not None:
            said.append(claim(idle < MAX_IDLE, f"by {way}, an idle tail takes less than {MAX_IDLE:.0%} of a core ({idle:.2%})"))
    return "\n".join(rows), said


def row(way, latencies, idle):
    figures = [percentile(latencies, 0.5), percentile(latencies, 0.99), max(latencies)]
    return f"| {way} | " + " | ".join(f"{seconds * 1e3:.1f} ms" for seconds in figures) + f" | {idle} |"


def claim(holds, text):
    return f"{'holds' if holds else 'DOES NOT HOLD'}: {text}"


def self_test():
    assert percentile([3, 1, 2], 0.5) == 2 and percentile(list(range(200)), 0.99) == 198 and percentile([7], 0.99) == 7
    assert json.loads(record(12))["message"]["content"].startswith("prompt 12 ")
    assert row("events", [0.001, 0.002], "–") == "| events | 2.0 ms | 2.0 ms | 2.0 ms | – |"
    assert claim(False, "x") == "DOES NOT HOLD: x"
    own = processor_seconds(os.getpid())
    assert own is None or own > 0
