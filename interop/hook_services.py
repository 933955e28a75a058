"""What hooks of scenarios reach: `hook_services.py http PORT FOLDER` answers posts to /NN with FOLDER/answer-NN and notes them in FOLDER/told-NN;
`hook_services.py mcp` is a server whose tool `echo` says the words that it is given."""
import json
import os
import sys


def serve_http(port, folder):
    # A server that is measured should not wait for it.
    import http.server

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            number = os.path.basename(self.path)
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with open(os.path.join(folder, f"told-{number}"), "ab") as file:
                file.write(body.rstrip(b"\n") + b"\n")
            with open(os.path.join(folder, f"answer-{number}"), encoding="utf-8") as file:
                status, answer = file.read().split("\n", 1)
            self.send_response(int(status))
            self.send_header("Content-Length", str(len(answer.encode())))
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Answers)
    print("ready", flush=True)
    server.serve_forever()


def serve_mcp():
    echo = {"name": "echo", "description": "Says the words", "inputSchema": {"type": "object", "properties": {"words": {"type": "string"}}}}
    results = {
        "initialize": lambda _: {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "resources": {}}, "serverInfo": {"name": "srv", "version": "1"}},
        "tools/list": lambda _: {"tools": [echo]},
        "resources/list": lambda _: {"resources": [{"uri": "mem://a", "name": "a", "description": "the first", "mimeType": "text/plain"}]},
        "resources/read": lambda params: {"contents": [{"uri": params["uri"], "mimeType": "text/plain", "text": "ALPHA-RESOURCE"}]},
        "tools/call": lambda params: {"content": [{"type": "text", "text": params["arguments"].get("words", "")}]},
    }
    for line in sys.stdin:
        message = json.loads(line)
        number, method = message.get("id"), message.get("method")
        if number is None or method is None:
            continue
        is_known = method in results and (method != "tools/call" or message["params"]["name"] == "echo")
        answer = {"result": results[method](message.get("params"))} if is_known else {"error": {"code": -32601, "message": "NO-SUCH-THING"}}
        print(json.dumps({"jsonrpc": "2.0", "id": number, **answer}), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "mcp":
        serve_mcp()
    else:
        serve_http(int(sys.argv[2]), sys.argv[3])
