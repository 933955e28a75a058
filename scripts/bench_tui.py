"""How soon `annals tui` shows a list and a long session, and how soon it answers a key; for scripts/bench."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

from bench_serve import RECORDS, SIZE, records, session_id
from common import report_failure

LISTED = 1000  # sessions of the list
SMALL, SMALL_SIZE = 40, 60_000  # records and bytes of each
KEYS = 40
ROWS, COLUMNS = 24, 80
FRAME_LIMIT = 0.2
KEY_LIMIT = 0.05


class Screen:
    """A running `annals tui` in a terminal of its own, and when it wrote what."""

    def __init__(self, annals, environment, *arguments):
        self.start, self.text = time.perf_counter(), b""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.execve(annals, [annals, "tui", *arguments], {**environment, "TERM": "xterm-256color"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)

    def read(self, seconds):
        """Whether something was written within this time."""
        if not select.select([self.terminal], [], [], max(0, seconds))[0]:
            return False
        try:
            self.text += os.read(self.terminal, 1 << 16)
        except OSError as fault:
            raise RuntimeError(f"annals tui ended: {plain(self.text)[-300:]}") from fault
        return True

    def wait_for(self, mark, seconds=60):
        """The seconds from the start until a text was there."""
        while mark not in plain(self.text):
            if not self.read(self.start + seconds - time.perf_counter()):
                raise RuntimeError(f"{mark!r} was not shown within {seconds} s: {plain(self.text)[-300:]}")
        return time.perf_counter() - self.start

    def answer(self, key):
        """The seconds from a key to the first byte of the next frame."""
        while self.read(0.05):
            pass
        start = time.perf_counter()
        os.write(self.terminal, key)
        if not self.read(10):
            raise RuntimeError(f"{key!r} changed nothing")
        return time.perf_counter() - start


def plain(text):
    """What was written, without what moves and colours it."""
    return re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b" ", text)


def write_list(store, count=LISTED):
    for number in range(count):
        folder = os.path.join(store, "projects", f"-work-shop{number % 20}")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{session_id(number)}.jsonl"), "w", encoding="utf-8") as file:
            file.writelines(records(session_id(number), SMALL, SMALL_SIZE))


def measure(annals, environment, stores, rounds):
    """The figures by name, in seconds: the best of the first frames, all of the keys."""
    listing, large = ({**environment, "CLAUDE_CONFIG_DIR": store, "ANNALS_DATA_DIR": store + "-data"} for store in stores)
    found = {name: [] for name in ("first frame", "list", "session", "whole session", "list keys", "session keys")}
    for _ in range(rounds):
        with Screen(annals, listing) as screen:
            found["first frame"].append(screen.wait_for(b"help"))
            found["list"].append(screen.wait_for(b"part 0"))
            if len(found["list"]) == rounds:
                found["list keys"] = sorted(screen.answer(key) for key in [b"j"] * (KEYS // 2) + [b"k"] * (KEYS // 2))
        with Screen(annals, large, session_id(0)) as screen:
            found["session"].append(screen.wait_for(b"cat part1"))
            found["whole session"].append(screen.wait_for(f"1/{RECORDS // 10}".encode()))
            if len(found["session"]) == rounds:
                found["session keys"] = sorted(screen.answer(key) for key in [b"]", b"G", b"g", b"j", b" "] * (KEYS // 5))
    return {name: values if name.endswith("keys") else min(values) for name, values in found.items()}


def table(best, size):
    middle, slowest = (lambda keys: keys[len(keys) // 2] * 1e3), (lambda keys: keys[-1] * 1e3)
    rows = [
        ("first frame", f"{best['first frame'] * 1e3:.0f} ms"),
        (f"the list of {LISTED:,} sessions", f"{best['list'] * 1e3:.0f} ms"),
        (f"a key in the list: p50, slowest of {KEYS}", f"{middle(best['list keys']):.0f} and {slowest(best['list keys']):.0f} ms"),
        (f"a session of {size / 1e6:.0f} MB: its first page", f"{best['session'] * 1e3:.0f} ms"),
        ("all of it is read", f"{best['whole session']:.2f} s"),
        (f"a key in it (next prompt, end, start, down, page): p50, slowest of {KEYS}", f"{middle(best['session keys']):.0f} and {slowest(best['session keys']):.0f} ms"),
    ]
    return "| | |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows)


def claims(best):
    said = lambda holds, text: f"{'holds' if holds else 'DOES NOT HOLD'}: {text}"
    frame, key = max(best["list"], best["session"]), max(best["list keys"][len(best["list keys"]) // 2], best["session keys"][len(best["session keys"]) // 2])
    return [
        said(frame < FRAME_LIMIT, f"the list and the first page of a large session in under {FRAME_LIMIT * 1e3:.0f} ms ({frame * 1e3:.0f})"),
        said(key < KEY_LIMIT, f"half of all keys are answered in under {KEY_LIMIT * 1e3:.0f} ms ({key * 1e3:.0f})"),
    ]


def report_tui(annals, folder, environment, rounds):
    """Prints the table and whether the requirements are met."""
    listing, large = (os.path.join(folder, name) for name in ("tui-list", "tui-large"))
    write_list(listing)
    place = os.path.join(large, "projects", "-work-shop")
    os.makedirs(place)
    with open(os.path.join(place, f"{session_id(0)}.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(records(session_id(0), RECORDS, SIZE))
    size = os.path.getsize(os.path.join(place, f"{session_id(0)}.jsonl"))
    try:
        best = measure(annals, environment, (listing, large), rounds)
    except (OSError, RuntimeError) as fault:
        report_failure("annals tui", fault)
        return
    print(f"`annals tui`, {COLUMNS}×{ROWS}, from the start of the process, best of {rounds}:\n\n{table(best, size)}\n")
    for line in claims(best):
        print(f"- {line}")


def self_test():
    assert plain(b"\x1b[1;31mPlease\x1b[2Clook") == b" Please look"
    best = {"first frame": 0.01, "list": 0.3, "session": 0.02, "whole session": 1.5, "list keys": [0.01, 0.02, 0.03], "session keys": [0.01, 0.02, 0.09]}
    assert [line.split(":")[0] for line in claims(best)] == ["DOES NOT HOLD", "holds"]
    assert "| the list of 1,000 sessions | 300 ms |" in table(best, SIZE)
