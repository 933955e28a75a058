"""A server over HTTP that lets nobody in: `mcp_locked_server.py PORT` answers 401, and says where a token is to be had, which is nowhere."""
import http.server
import sys


class Locked(http.server.BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        is_lookup = self.path.startswith("/.well-known/")
        self.send_response(404 if is_lookup else 401)
        if not is_lookup:
            self.send_header("www-authenticate", 'Bearer error="invalid_token"')
        self.send_header("content-length", "0")
        self.end_headers()

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Locked).serve_forever()
