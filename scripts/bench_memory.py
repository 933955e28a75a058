"""How long the tools of `annals mcp serve` take, one call after another over a large store; for scripts/bench."""
import json
import random
import re
import subprocess
import time

CALLS = 40  # of each tool
LIMIT = 0.050  # seconds in which 99 of 100 calls are answered
WORDS = ["certificate", "voucher", "index", "backup", "timeout", "retention", "partition", "clipboard", "rotate", "checksum", "firewall", "wishlist"]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Server:
    """A server, asked over its standard input."""

    def __init__(self, annals, environment, folder):
        self.process = subprocess.Popen([annals, "mcp", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=folder)

    def call(self, tool, arguments):
        """(seconds, text)"""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        start = time.perf_counter()
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        seconds = time.perf_counter() - start
        if not line:
            raise RuntimeError("annals mcp serve has ended")
        result = json.loads(line)["result"]
        if result["isError"]:
            raise RuntimeError(f"{tool} {arguments}: {result['content'][0]['text'][:200]}")
        return seconds, result["content"][0]["text"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)


def questions(found, chance):
    """Arguments for each tool, from what a first search found."""
    hits = re.findall(r"annals show ([0-9a-f-]{36}) --around (\d+)", found)
    session, line = chance.choice(hits) if hits else ("last", "1")
    two = " ".join(chance.sample(WORDS, 2))
    return [
        ("search_sessions", {"query": two, "project": "all"}),
        ("search_sessions", {"query": f"why did the {two} fail when we tried {chance.choice(WORDS)}", "project": "all"}),
        ("read_session", {"session": session, "around": line}),
        ("topic", {"topic": chance.choice(WORDS), "project": "all"}),
        ("file_history", {"path": f"{chance.choice(WORDS)}.rs", "project": "all"}),
        ("todos_and_plans", {"project": "all"}),
        ("usage", {"project": "all"}),
        ("before_compaction", {"session": session}),
    ]


def report(annals, store, environment, folder, calls=CALLS):
    """(a Markdown table, what the project says of itself against it)"""
    environment = {**environment, "CLAUDE_CONFIG_DIR": store}
    subprocess.run([annals, "index", "--quiet"], check=True, env=environment, stdout=subprocess.DEVNULL)
    server, chance, seen = Server(annals, environment, folder), random.Random(1), {}
    try:
        server.call("usage", {"project": "all"})
        for _ in range(calls):
            _, found = server.call("search_sessions", {"query": chance.choice(WORDS), "project": "all"})
            for number, (tool, arguments) in enumerate(questions(found, chance)):
                seconds, text = server.call(tool, arguments)
                name = f"{tool}, a sentence" if number == 1 else tool
                seen.setdefault(name, []).append((seconds, len(text) / 4))
    finally:
        server.close()
    rows = ["| tool | median | p99 | slowest | tokens, mean |", "|---|---|---|---|---|"]
    for name, figures in seen.items():
        times = [seconds for seconds, _ in figures]
        tokens = sum(size for _, size in figures) / len(figures)
        rows.append(f"| `{name}` | {percentile(times, 0.5) * 1e3:.1f} ms | {percentile(times, 0.99) * 1e3:.1f} ms | {max(times) * 1e3:.1f} ms | {tokens:.0f} |")
    every = percentile([seconds for figures in seen.values() for seconds, _ in figures], 0.99)
    return "\n".join(rows), [f"{'holds' if every < LIMIT else 'DOES NOT HOLD'}: 99 of 100 calls in under {LIMIT * 1e3:.0f} ms ({every * 1e3:.1f})"]


def self_test():
    assert percentile([3, 1, 2], 0.5) == 2 and percentile(list(range(100)), 0.99) == 99
    asked = questions("[x] annals show 0024bbf5-091e-4839-b0be-f9e8fd6222fb --around 56 · user", random.Random(1))
    assert ("read_session", {"session": "0024bbf5-091e-4839-b0be-f9e8fd6222fb", "around": "56"}) in asked
    assert questions("", random.Random(1))[2][1]["session"] == "last"
