"""What runs inside a network of its own: loopback goes up, the scripted API starts, the client runs, all of it ends.

Called by client.py as `unshare … python3 inside.py`, with one JSON object on standard input (api, command, environment, folder,
seconds; services that run meanwhile) and one on standard output (code, out, error, timed_out). Nothing here knows what a session is.
"""
import fcntl
import json
import os
import signal
import socket
import struct
import subprocess
import sys

SET_INTERFACE_FLAGS = 0x8914  # SIOCSIFFLAGS
UP_AND_RUNNING = 0x1 | 0x40


def loopback_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_INTERFACE_FLAGS, struct.pack("16sH14s", b"lo", UP_AND_RUNNING, b""))


def run_client(order, url):
    environment = {**order["environment"], "ANTHROPIC_BASE_URL": url}
    client = subprocess.Popen(order["command"], cwd=order["folder"], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True)
    timed_out = False
    try:
        out, error = client.communicate(timeout=order["seconds"])
    except subprocess.TimeoutExpired:
        timed_out = True
        os.killpg(client.pid, signal.SIGKILL)
        out, error = client.communicate()
    decode = lambda data: data.decode("utf-8", "replace")
    return {"code": client.returncode, "out": decode(out), "error": decode(error), "timed_out": timed_out}


def beside_api(run):
    """Reads the order, and answers with what `run` makes of it and of the address of an API that plays meanwhile."""
    order = json.load(sys.stdin)
    loopback_up()
    services = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) for command in order.get("services", [])]
    for service in services:
        # Its first line says that it listens.
        service.stdout.readline()
    # It stops when this end of its standard input is closed, whatever becomes of us.
    with subprocess.Popen(order["api"], env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as api:
        url = api.stdout.readline().decode().strip()
        if not url:
            sys.exit("the scripted API did not start")
        json.dump(run(order, url), sys.stdout)
        api.stdin.close()
    for service in services:
        service.kill()


if __name__ == "__main__":
    beside_api(run_client)
