"""A server without any SDK, for what no SDK lets a server say: `mcp_odd_server.py hostile|bad|changing`; and one with a plain tool and a resource: `one`."""
import json
import queue
import sys
import threading

OBJECT = {"type": "object", "properties": {}}
HOSTILE = [
    {"name": "weird.name/with space", "description": "plain", "inputSchema": OBJECT},
    {"name": "a__b", "description": "plain", "inputSchema": OBJECT},
    {"name": "\u001b[2Jé", "description": "one\u001b[31m two\u202e three\u200b", "inputSchema": OBJECT},
    {"name": "long", "description": "x" * 5000, "inputSchema": OBJECT},
]
# How long a call that changes the list waits for the client to ask for it again, so that no client is too slow for what follows.
PATIENCE = 3
BAD = [{"name": "good", "description": "plain", "inputSchema": OBJECT}, {"name": "bad", "description": "no schema"}]

NOTE = {"uri": "mem://note", "mimeType": "text/plain", "text": "THE NOTE"}


def main(kind):
    tools = {"hostile": HOSTILE, "bad": BAD, "one": BAD[:1], "changing": [{"name": "first", "description": "plain", "inputSchema": OBJECT}]}[kind]

    def say(message):
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    lines = queue.Queue()

    def read():
        for line in sys.stdin:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    waiting = None

    def answer_call():
        nonlocal waiting
        number, called = waiting
        waiting = None
        say({"id": number, "result": {"content": [{"type": "text", "text": f"called {called!r}"}]}})

    while True:
        try:
            line = lines.get(timeout=PATIENCE if waiting else None)
        except queue.Empty:
            answer_call()
            continue
        if line is None:
            return
        message = json.loads(line)
        number, method = message.get("id"), message.get("method")
        if number is None or method is None:
            continue
        if method == "initialize":
            capabilities = {"tools": {"listChanged": True}, **({"resources": {}} if kind == "one" else {})}
            say({"id": number, "result": {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": {"name": "odd", "version": "1"}}})
        elif method == "tools/list":
            say({"id": number, "result": {"tools": tools}})
            if waiting:
                answer_call()
        elif method == "resources/list" and kind == "one":
            say({"id": number, "result": {"resources": [{"uri": NOTE["uri"], "name": "note", "mimeType": NOTE["mimeType"]}]}})
        elif method == "resources/read" and kind == "one":
            say({"id": number, "result": {"contents": [NOTE]}})
        elif method == "tools/call":
            waiting = number, message["params"]["name"]
            if waiting[1] == "first" and kind == "changing":
                tools = [*tools, {"name": "second", "description": "plain", "inputSchema": OBJECT}]
                say({"method": "notifications/tools/list_changed"})
            else:
                answer_call()
        else:
            say({"id": number, "error": {"code": -32601, "message": "Method not found"}})


if __name__ == "__main__":
    main(sys.argv[1])
