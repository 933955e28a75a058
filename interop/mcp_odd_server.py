"""A server without any SDK, for what no SDK lets a server say: `mcp_odd_server.py hostile|bad|changing`."""
import json
import sys

OBJECT = {"type": "object", "properties": {}}
HOSTILE = [
    {"name": "weird.name/with space", "description": "plain", "inputSchema": OBJECT},
    {"name": "a__b", "description": "plain", "inputSchema": OBJECT},
    {"name": "\u001b[2Jé", "description": "one\u001b[31m two\u202e three\u200b", "inputSchema": OBJECT},
    {"name": "long", "description": "x" * 5000, "inputSchema": OBJECT},
]
BAD = [{"name": "good", "description": "plain", "inputSchema": OBJECT}, {"name": "bad", "description": "no schema"}]


def main(kind):
    tools = {"hostile": HOSTILE, "bad": BAD, "changing": [{"name": "first", "description": "plain", "inputSchema": OBJECT}]}[kind]

    def say(message):
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    for line in sys.stdin:
        message = json.loads(line)
        number, method = message.get("id"), message.get("method")
        if number is None or method is None:
            continue
        if method == "initialize":
            capabilities = {"tools": {"listChanged": True}}
            say({"id": number, "result": {"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": {"name": "odd", "version": "1"}}})
        elif method == "tools/list":
            say({"id": number, "result": {"tools": tools}})
        elif method == "tools/call":
            called = message["params"]["name"]
            if called == "first":
                tools = [*tools, {"name": "second", "description": "plain", "inputSchema": OBJECT}]
                say({"method": "notifications/tools/list_changed"})
            say({"id": number, "result": {"content": [{"type": "text", "text": f"called {called!r}"}]}})
        else:
            say({"id": number, "error": {"code": -32601, "message": "Method not found"}})


if __name__ == "__main__":
    main(sys.argv[1])
