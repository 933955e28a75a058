"""screen.py STEPS COMMAND…: a program in a terminal of its own, whose keys are pressed step by step.

STEPS is a JSON list: {"sees": TEXT} waits until the program has written this after what was seen before, {"press": KEYS} presses
keys, {"wait": SECONDS} waits. Exits as the program does; 99 with the last of its output if something is not seen in time.
"""
import fcntl
import json
import os
import pty
import re
import select
import struct
import sys
import termios
import time

SECONDS = 20
SIZE = (40, 100)
SEQUENCE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x00-\x08\x0b-\x1f]")


class Screen:
    def __init__(self, command):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe(command[0], command, {**os.environ, "TERM": "xterm-256color"})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        self.written, self.seen = b"", 0

    def read(self, seconds):
        """Takes what is written; False once the program has closed the terminal."""
        if select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.written += os.read(self.terminal, 65536)
            except OSError:
                return False
        return True

    def text(self):
        return SEQUENCE.sub(b"", self.written).decode("utf-8", "replace")

    def sees(self, wanted):
        end = time.monotonic() + SECONDS
        while True:
            at = self.text().find(wanted, self.seen)
            if at >= 0:
                self.seen = at + len(wanted)
                return
            if not self.read(0.1) or time.monotonic() > end:
                print(f"{wanted!r} is not seen: {self.text()[-1500:]}", file=sys.stderr)
                os.kill(self.process, 9)
                sys.exit(99)

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.read(0.05):
            pass

    def leave(self):
        end = time.monotonic() + SECONDS
        while self.read(0.1) and time.monotonic() < end:
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def main():
    screen = Screen(sys.argv[2:])
    for step in json.loads(sys.argv[1]):
        if "sees" in step:
            screen.sees(step["sees"])
        elif "press" in step:
            os.write(screen.terminal, step["press"].encode())
        else:
            screen.wait(step["wait"])
    return screen.leave()


if __name__ == "__main__":
    sys.exit(main())
