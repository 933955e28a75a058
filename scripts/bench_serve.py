"""How soon `annals serve` shows a long session, what it holds in memory, and what following costs; for scripts/bench."""
import http.client
import json
import os
import re
import socket
import subprocess
import threading
import time
import urllib.parse

from common import report_failure

SIZE, RECORDS = 10**8, 50_000
LARGE = 10  # large sessions that are opened
FIRST_BYTE_LIMIT = 0.2
PAGE_LIMIT = 1.0
MEMORY_LIMIT = 150 * 10**6
IDLE_LIMIT = 0.02
EVENT_LIMIT = 1.0
IDLE_SECONDS = 20
APPENDED = 20


def session_id(number):
    return f"5e55{number:04}-0000-4000-8000-000000000000"


def records(session, count=RECORDS, size=SIZE):
    """The lines of a session as a long one is: prompts, replies, calls with outputs, titles; this number of them, of this size together."""
    average = size // count
    for number in range(count):
        kind = number % 10
        time_text = f"2026-{1 + number // 200_000 % 12:02}-{1 + number // 7200 % 28:02}T{number // 300 % 24:02}:{number // 5 % 60:02}:{number % 5 * 10:02}.000Z"
        own = {"parentUuid": f"{number - 1:08x}-0000-4000-8000-000000000000" if number else None, "isSidechain": False, "sessionId": session,
               "uuid": f"{number:08x}-0000-4000-8000-000000000000", "timestamp": time_text, "cwd": "/work/shop", "version": "2.1.325", "gitBranch": "main"}
        words = "the till counts what the shop sells and says `sum` of it, line by line.\n"
        if kind == 0:
            message, name = {"role": "user", "content": f"Please look at part {number}. " + words * 3}, "user"
        elif kind in (2, 4, 6, 8):
            text = words * max(1, (average * 2 - 700) // len(words))
            block = {"type": "tool_result", "tool_use_id": f"toolu_{number - 1}", "content": text}
            message, name = {"role": "user", "content": [block]}, "user"
        else:
            call = {"type": "tool_use", "id": f"toolu_{number}", "name": ("Bash", "Read")[kind % 4 // 2], "input": {"command": f"cat part{number}", "file_path": f"/work/shop/part{number}"}}
            text = {"type": "text", "text": f"**Part {number}** is fine:\n\n" + words * max(1, (average - 700) // len(words))}
            message = {"role": "assistant", "model": "claude-sonnet-4-5", "id": f"msg_{number}", "content": [text] if kind == 9 else [call],
                       "usage": {"input_tokens": 10, "output_tokens": 200, "cache_read_input_tokens": 50_000, "cache_creation_input_tokens": 100}}
            name = "assistant"
        yield json.dumps({**own, "type": name, "message": message}, separators=(",", ":")) + "\n"


def write_store(store, count):
    """A store with this number of large sessions; the bytes of one."""
    folder = os.path.join(store, "projects", "-work-shop")
    os.makedirs(folder, exist_ok=True)
    first = os.path.join(folder, f"{session_id(0)}.jsonl")
    with open(first, "w", encoding="utf-8") as file:
        file.writelines(records(session_id(0)))
    with open(first, "rb") as file:
        content = file.read()
    for number in range(1, count):
        with open(os.path.join(folder, f"{session_id(number)}.jsonl"), "wb") as file:
            file.write(content.replace(session_id(0).encode(), session_id(number).encode()))
    return len(content)


class Server:
    """A running `annals serve`, and a client of it."""

    def __init__(self, annals, environment):
        self.process = subprocess.Popen([annals, "serve", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True)
        url = urllib.parse.urlsplit(json.loads(self.process.stdout.readline())["url"])
        self.host, self.token = url.netloc, urllib.parse.parse_qs(url.query)["token"][0]
        self.cookie = f"annals-{url.port}={self.token}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def get(self, path):
        """(status, seconds to the first byte of the body, seconds to the last, body)"""
        connection = http.client.HTTPConnection(self.host, timeout=120)
        start = time.perf_counter()
        connection.request("GET", path, headers={"Cookie": self.cookie})
        answer = connection.getresponse()
        first = answer.read(1)
        begun = time.perf_counter() - start
        body = first + answer.read()
        ended = time.perf_counter() - start
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status}")
        return begun, ended, body.decode()

    def memory(self):
        """(bytes now, highest so far)"""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            text = file.read()
        return tuple(int(re.search(rf"{name}:\s+(\d+) kB", text)[1]) * 1024 for name in ("VmRSS", "VmHWM"))

    def processor_time(self):
        """Of the server and of what it has started: at its start, another process reads the sessions."""
        ticks = 0
        for name in os.listdir("/proc"):
            if name.isdecimal():
                try:
                    with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                        fields = file.read().rsplit(") ", 1)[1].split()
                except OSError:
                    continue
                if int(name) == self.process.pid:
                    ticks += sum(int(field) for field in fields[11:15])
                elif int(fields[1]) == self.process.pid:
                    ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class Events(threading.Thread):
    """Reads what a page that follows a session is told, and when."""

    def __init__(self, server, path):
        super().__init__(daemon=True)
        name, port = server.host.rsplit(":", 1)
        self.socket = socket.create_connection((name, int(port)))
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nCookie: {server.cookie}\r\n\r\n".encode())
        self.text, self.changed = "", threading.Condition()

    def run(self):
        while piece := self.socket.recv(65536):
            with self.changed:
                self.text += piece.decode(errors="replace")
                self.changed.notify_all()

    def wait_for(self, text, seconds=30):
        with self.changed:
            if not self.changed.wait_for(lambda: text in self.text, seconds):
                raise RuntimeError(f"{text!r} was not told within {seconds} s")


def delays(server, path, session, count=APPENDED):
    """Seconds from appending a line to its event, sorted."""
    found = []
    _, _, page = server.get(f"/session/{session}")
    query = re.search(r'data-query="([^"]*)"', page)[1].replace("&amp;", "&")
    events = Events(server, f"/session/{session}/events?{query}")
    events.start()
    events.wait_for("event: open")
    for number in range(count):
        mark = f"appended-{number}-{time.time_ns()}"
        line = json.dumps({"type": "assistant", "uuid": f"{10**7 + number:08x}-0000-4000-8000-000000000000", "parentUuid": f"{RECORDS - 1:08x}-0000-4000-8000-000000000000", "isSidechain": False,
                           "sessionId": session, "timestamp": "2026-12-31T00:00:00.000Z", "message": {"role": "assistant", "id": f"msg_new_{number}", "content": [{"type": "text", "text": mark}]}})
        start = time.perf_counter()
        with open(path, "a", encoding="utf-8") as file:
            file.write(line + "\n")
        events.wait_for(mark)
        found.append(time.perf_counter() - start)
        time.sleep(0.2)
    return sorted(found), events


def measure(annals, store, environment, rounds):
    """The figures by name: seconds, bytes, shares."""
    session, path = session_id(0), os.path.join(store, "projects", "-work-shop", f"{session_id(0)}.jsonl")
    figures = {"first byte": [], "whole page": [], "first byte again": [], "page again": [], "window": []}
    for _ in range(rounds):
        # Each time a new process: what it has read is not known before.
        with Server(annals, environment) as server:
            begun, ended, page = server.get(f"/session/{session}")
            figures["first byte"].append(begun)
            figures["whole page"].append(ended)
            begun, ended, page = server.get(f"/session/{session}")
            figures["first byte again"].append(begun)
            figures["page again"].append(ended)
            query = re.search(r'data-query="([^"]*)"', page)[1].replace("&amp;", "&")
            windows = page.count('class="window"')
            for number in (1, windows // 2, windows - 1):
                figures["window"].append(server.get(f"/session/{session}/window/{number}?{query}")[1])
    best = {name: min(values) for name, values in figures.items()}
    best["window"] = max(figures["window"])
    best["windows"] = windows
    with Server(annals, environment) as server:
        wait_for_index(server)
        best["memory before"] = server.memory()[0]
        for number in range(LARGE):
            server.get(f"/session/{session_id(number)}")
        best["memory"], best["peak"] = server.memory()
        best["events"], events = delays(server, path, session)
        # What a page does after an event, and what the index does, is over by then.
        time.sleep(3)
        before = server.processor_time()
        time.sleep(IDLE_SECONDS)
        best["idle"] = (server.processor_time() - before) / IDLE_SECONDS
        best["memory after events"] = server.memory()[0]
        events.socket.close()
    return best


def wait_for_index(server):
    """Until the server has done what it does in the background at its start."""
    last, quiet = server.processor_time(), 0
    while quiet < 4:
        time.sleep(0.5)
        now = server.processor_time()
        quiet, last = (quiet + 1 if now == last else 0), now


def claims(best):
    """What the project says of `annals serve`, against these figures."""
    said = lambda holds, text: f"{'holds' if holds else 'DOES NOT HOLD'}: {text}"
    slowest = best["events"][-1]
    return [
        said(best["first byte"] < FIRST_BYTE_LIMIT, f"first byte of the page of a large session in under {FIRST_BYTE_LIMIT * 1e3:.0f} ms ({best['first byte'] * 1e3:.0f})"),
        said(best["whole page"] < PAGE_LIMIT, f"the whole page in under {PAGE_LIMIT:.0f} s ({best['whole page']:.2f})"),
        said(best["memory"] < MEMORY_LIMIT, f"memory after {LARGE} large sessions under {MEMORY_LIMIT / 1e6:.0f} MB ({best['memory'] / 1e6:.0f})"),
        said(best["idle"] < IDLE_LIMIT, f"a session that is followed and quiet takes under {IDLE_LIMIT * 100:.0f} % of a core ({best['idle'] * 100:.1f})"),
        said(slowest < EVENT_LIMIT, f"what is appended is told in under {EVENT_LIMIT:.0f} s ({slowest * 1e3:.0f} ms)"),
    ]


def table(best):
    middle = best["events"][len(best["events"]) // 2]
    rows = [
        ("first byte of the page, new server", f"{best['first byte'] * 1e3:.0f} ms"),
        ("whole page, new server", f"{best['whole page'] * 1e3:.0f} ms"),
        ("first byte and whole page, opened before", f"{best['first byte again'] * 1e3:.0f} and {best['page again'] * 1e3:.0f} ms"),
        (f"a window further down (of {best['windows']}), the slowest", f"{best['window'] * 1e3:.0f} ms"),
        (f"memory: at the start, after {LARGE} sessions, at most", f"{best['memory before'] / 1e6:.0f}, {best['memory'] / 1e6:.0f}, {best['peak'] / 1e6:.0f} MB"),
        ("from an appended line to its event: p50, slowest", f"{middle * 1e3:.0f} and {best['events'][-1] * 1e3:.0f} ms"),
        ("processor, a session followed and quiet", f"{best['idle'] * 100:.1f} % of a core"),
    ]
    return "| | |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows)


def report_serve(annals, folder, environment, rounds):
    """Prints the table and whether the requirements are met."""
    store = os.path.join(folder, "serve-store")
    size = write_store(store, LARGE)
    environment = {**environment, "CLAUDE_CONFIG_DIR": store, "ANNALS_DATA_DIR": os.path.join(folder, "serve-data")}
    try:
        best = measure(annals, store, environment, rounds)
    except (OSError, RuntimeError) as fault:
        report_failure("annals serve", fault)
        return
    print(f"`annals serve` over {LARGE} sessions of {size / 1e6:.0f} MB and {RECORDS:,} records each, best of {rounds}:\n\n{table(best)}\n")
    for line in claims(best):
        print(f"- {line}")


def self_test():
    lines = list(records(session_id(3), 100, 200_000))
    assert len(lines) == 100 and 150_000 < sum(map(len, lines)) < 260_000, sum(map(len, lines))
    parsed = [json.loads(line) for line in lines]
    assert all(before["uuid"] == after["parentUuid"] for before, after in zip(parsed, parsed[1:]))
    best = {"first byte": 0.3, "whole page": 0.9, "first byte again": 0.01, "page again": 0.02, "window": 0.03, "windows": 9, "memory before": 2e7,
            "memory": 1e8, "peak": 3e8, "idle": 0.001, "events": [0.01, 0.02]}
    assert [line.split(":")[0] for line in claims(best)] == ["DOES NOT HOLD"] + ["holds"] * 4
    assert "| whole page, new server | 900 ms |" in table(best)
