"""What runs inside a network of its own while the chat screens are measured: loopback goes up, the scripted API starts, the client
runs in a terminal whose keys are pressed here.

Called by bench_screen.py as `unshare … python3 bench_screen_inside.py`, with one JSON object on standard input (api, command, environment,
folder, size, ready, letters, prompt) and one on standard output.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))
sys.dont_write_bytecode = True
from inside import beside_api  # noqa: E402

SECONDS = 120
TICKS = os.sysconf("SC_CLK_TCK")
IDLE_SECONDS = 5
KEY_PAUSE = 0.05
SEQUENCE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.")


class Screen:
    """A client in a terminal, and when it wrote what."""

    def __init__(self, order, url):
        environment = {**order["environment"], "ANTHROPIC_BASE_URL": url, "TERM": "xterm-256color"}
        self.start, self.text = time.perf_counter(), b""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", *order["size"], 0, 0))
            os.chdir(order["folder"])
            os.execve(order["command"][0], order["command"], environment)

    def read(self, seconds):
        """Whether something was written within this time."""
        if not select.select([self.terminal], [], [], max(0, seconds))[0]:
            return False
        try:
            self.text += os.read(self.terminal, 1 << 16)
        except OSError:
            sys.exit(f"the client ended: {self.text[-300:]!r}")
        return True

    def wait_for(self, mark, behind=0):
        """The moment at which a text was there, after what was written before."""
        end = time.perf_counter() + SECONDS
        while mark.encode() not in SEQUENCE.sub(b"", self.text[behind:]):
            if not self.read(end - time.perf_counter()):
                sys.exit(f"{mark!r} was not shown: {SEQUENCE.sub(b'', self.text)[-500:]!r}")
        return time.perf_counter()

    def rest(self, seconds):
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self.read(left)

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def processor(self):
        """What the process has had of the processors so far, threads that have ended included."""
        with open(f"/proc/{self.process}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self):
        with open(f"/proc/{self.process}/status", encoding="ascii") as file:
            found = {line.split(":")[0]: line.split()[1] for line in file if line.startswith(("VmRSS", "VmHWM"))}
        return int(found["VmRSS"]) * 1024, int(found["VmHWM"]) * 1024


def measure(order, url):
    screen = Screen(order, url)
    try:
        found = {"frame": screen.wait_for(order["ready"]) - screen.start}
        # The original asks about its modes first; on an empty input the key does nothing.
        screen.rest(4)
        screen.press("\r")
        screen.rest(3)
        before = screen.processor()
        screen.rest(IDLE_SECONDS)
        found["idle"] = (screen.processor() - before) / IDLE_SECONDS
        behind = len(screen.text)
        screen.press(order["prompt"] + "\r")
        screen.wait_for(order["begins"], behind)
        before, began, keys = screen.processor(), time.perf_counter(), []
        for letter in order["letters"]:
            behind, pressed = len(screen.text), time.perf_counter()
            screen.press(letter)
            keys.append(screen.wait_for(letter, behind) - pressed)
            screen.rest(KEY_PAUSE)
        found["streaming"] = (screen.processor() - before) / (time.perf_counter() - began)
        found["keys"] = keys
        found["is_streamed"] = order["ends"].encode() not in SEQUENCE.sub(b"", screen.text)
        found["memory"], found["peak"] = screen.memory()
        return found
    finally:
        os.kill(screen.process, signal.SIGKILL)
        os.waitpid(screen.process, 0)


if __name__ == "__main__":
    beside_api(measure)
