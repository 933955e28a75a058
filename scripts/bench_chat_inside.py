"""What runs inside a network of its own while `annals chat` and the original are measured: loopback goes up, the scripted API
starts, the client runs behind a relay that sees when its request comes.

Called by bench_chat.py as `unshare … python3 bench_chat_inside.py`, with one JSON object on standard input (api, command, environment,
folder, seconds, mark, and perhaps prompts) and one on standard output. With `prompts`, the client is asked them one after another on its
standard input, and what each answer costs it in processor time is noted.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "interop"))
sys.dont_write_bytecode = True
from inside import beside_api  # noqa: E402

PIECE = 1 << 16


class Relay:
    """Hands bytes on between client and API, and notes when a request with the mark in it begins and has been handed on."""

    def __init__(self, url, mark):
        host, port = url.split("//")[1].rstrip("/").split(":")
        self.target, self.mark = (host, int(port)), mark.encode()
        self.seen = threading.Event()
        self.first = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(self.target)
            threading.Thread(target=self.carry, args=(near, far, True), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near, False), daemon=True).start()

    def carry(self, source, sink, is_request):
        tail = b""
        began = None
        try:
            while data := source.recv(PIECE):
                if is_request and self.first is None:
                    # A request is there when its first byte is, whatever it takes to hand a long one on.
                    began = time.perf_counter() if began is None or data.startswith(b"POST ") else began
                    tail = tail[-len(self.mark):] + data
                    if self.mark in tail:
                        self.first = began
                        self.seen.set()
                sink.sendall(data)
        except OSError:
            pass
        finally:
            sink.close()


def start(order, url, **pipes):
    environment = {**order["environment"], "ANTHROPIC_BASE_URL": url}
    return subprocess.Popen(order["command"], cwd=order["folder"], env=environment, start_new_session=True, **pipes)


def once(order, relay):
    """One prompt: when the request came, how long it took in all, the peak of memory."""
    began = time.perf_counter()
    client = start(order, relay.url, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    timer = threading.Timer(order["seconds"], lambda: os.killpg(client.pid, signal.SIGKILL))
    timer.start()
    said = client.stdout.read()
    _, status, usage = os.wait4(client.pid, 0)
    timer.cancel()
    client.returncode = os.waitstatus_to_exitcode(status)
    return {"code": client.returncode, "out": said.decode("utf-8", "replace")[-400:], "first": relay.first and relay.first - began,
            "all": time.perf_counter() - began, "peak": usage.ru_maxrss * 1024}


def processor_seconds(pid):
    """What a process, with all of its threads, has had of the processors."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def one_after_another(order, relay):
    """Many prompts in one conversation: the processor time of each turn."""
    client = start(order, relay.url, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    costs, before = [], 0.0
    for prompt in order["prompts"]:
        client.stdin.write((json.dumps({"type": "user", "message": {"role": "user", "content": prompt}}) + "\n").encode())
        client.stdin.flush()
        while (line := client.stdout.readline()) and b'"type":"result"' not in line:
            pass
        if not line:
            break
        now = processor_seconds(client.pid)
        costs.append(now - before)
        before = now
    client.stdin.close()
    client.stdout.read()
    _, status, usage = os.wait4(client.pid, 0)
    client.returncode = os.waitstatus_to_exitcode(status)
    return {"code": client.returncode, "costs": costs, "peak": usage.ru_maxrss * 1024}


def measure(order, url):
    relay = Relay(url, order["mark"])
    return one_after_another(order, relay) if order.get("prompts") else once(order, relay)


if __name__ == "__main__":
    beside_api(measure)
