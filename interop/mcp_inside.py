"""What runs inside a network of its own: loopback goes up, the scripted API and MCP servers over HTTP start, a client is driven by the control
protocol, all of it ends.

Called by interop/mcp as `unshare … python3 mcp_inside.py`, with one JSON object on standard input (api, servers, command, environment, folder, prompt,
seconds) and one on standard output (lines, error, code).
"""
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from inside import beside_api  # noqa: E402


def reachable(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def run_client(order, url):
    servers = [subprocess.Popen(one["command"], env=order["environment"], cwd=order["folder"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL) for one in order["servers"]]
    try:
        deadline = time.monotonic() + 20
        while not all(reachable(one["port"]) for one in order["servers"]) and time.monotonic() < deadline:
            time.sleep(0.05)
        return drive(order, url)
    finally:
        for server in servers:
            server.kill()


def drive(order, url):
    """Sends a prompt, waits for its result, asks for the state of the servers, and ends the session."""
    client = subprocess.Popen(order["command"], cwd=order["folder"], env={**order["environment"], "ANTHROPIC_BASE_URL": url}, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True)
    killer = threading.Timer(order["seconds"], lambda: os.killpg(client.pid, signal.SIGKILL))
    killer.start()
    lines = []

    def send(message):
        client.stdin.write(json.dumps(message) + "\n")
        client.stdin.flush()

    def until(kind):
        for line in client.stdout:
            if line.startswith("{"):
                lines.append(json.loads(line))
                if lines[-1].get("type") == kind:
                    return

    errors = []
    reader = threading.Thread(target=lambda: errors.append(client.stderr.read()))
    reader.start()
    try:
        send({"type": "control_request", "request_id": "begin", "request": {"subtype": "initialize", "hooks": None}})
        until("control_response")
        for prompt in order["prompts"]:
            send({"type": "user", "message": {"role": "user", "content": prompt}, "parent_tool_use_id": None, "session_id": "default"})
            until("result")
        send({"type": "control_request", "request_id": "status", "request": {"subtype": "mcp_status"}})
        until("control_response")
        client.stdin.close()
        for line in client.stdout:
            if line.startswith("{"):
                lines.append(json.loads(line))
    except BrokenPipeError:
        pass
    code = client.wait()
    killer.cancel()
    reader.join()
    return {"lines": lines, "error": errors[0] if errors else "", "code": code}


if __name__ == "__main__":
    beside_api(run_client)
