"""A load balancer before ClickHouse servers, which also puts our requests into words that a server of 2018 knows.

Of a request it changes these things, and nothing of an answer: values for `{name:Type}` and `currentUser()` go into the statement, a body packed by zstd is
unpacked, numbers of 128 bits become texts, settings that are newer than the server are left out, the token of an insert among them (rows that are the
same are then known by their hash), and what such a server cannot say is said otherwise (scripts/cluster_words.py). Each request goes to the next server; one that cannot be reached is passed over. A test is told of every insert once it is done, and can lose its answer.
"""
import http.client
import json
import re
import socket
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cluster_words

KNOWN_SETTINGS = {"query", "wait_end_of_query", "output_format_json_quote_64bit_integers", "distributed_product_mode", "distributed_ddl_task_timeout", "max_query_size", "skip_unavailable_shards"}
INSERT = re.compile(r"INSERT INTO \w+\.(\w+) FORMAT JSONEachRow$")
PLACE = re.compile(r"\{(\w+):(\w+(?:\(\w+\))?)\}")
# A number of 128 bits: a text in the reduced tables.
WIDE = re.compile(rb'"key":(\d+)')
SECONDS = 120


def literal(value, kind):
    """A value of a request as part of a statement. It is escaped already, as in a file of values separated by tabs."""
    if kind.startswith("Int") or kind.startswith("UInt"):
        return str(int(value))
    return value if kind.startswith("Array") else f"'{value}'"


def translated(values, statement, user, addresses):
    """The statement, and what is left of the parameters of a request."""
    parameters = {name[6:]: value for name, value in values.items() if name.startswith("param_")}
    statement = PLACE.sub(lambda found: literal(parameters[found.group(1)], found.group(2)), statement)
    statement = cluster_words.old(statement.replace("currentUser()", literal(user, "String")), addresses)
    return statement, {name: value for name, value in values.items() if name in KNOWN_SETTINGS}


class Balancer:
    """Hands requests on to servers, which are ports of this machine."""

    def __init__(self, ports, unpack, addresses=()):
        self.ports, self.unpack, self.turn, self.lock = ports, unpack, 0, threading.Lock()
        # Of the servers for each other, in the order of shards and replicas.
        self.addresses = list(addresses)
        # Told of every other statement once it is done.
        self.listen = None
        self.watch, self.last_insert, self.inserts, self.passed_over, self.refused = None, None, 0, 0, None
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler(self))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.at = f"clickhouse+http://127.0.0.1:{self.server.server_port}"

    def exchange(self, path, body, headers):
        """The answer of the next server that can be reached, and its port."""
        for _ in self.ports:
            with self.lock:
                port = self.ports[self.turn % len(self.ports)]
                self.turn += 1
            try:
                return self.exchange_with(port, path, body, headers)
            except OSError:
                self.passed_over += 1
        return 502, b"no server can be reached", None

    @staticmethod
    def exchange_with(port, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        try:
            connection.request("POST", path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.read(), port
        except http.client.HTTPException as error:
            raise OSError(error) from error
        finally:
            connection.close()

    def reachable(self):
        """Which servers can be reached, by their place."""
        found = {}
        for place, address in enumerate(self.addresses, 1):
            host, _, port = address.rpartition(":")
            try:
                socket.create_connection((host, int(port)), timeout=5).close()
                found[place] = address
            except OSError:
                pass
        return found

    def handle(self, url, body, headers):
        """The answer to a request; None if it gets lost."""
        values = {name: all_[0] for name, all_ in urllib.parse.parse_qs(urllib.parse.urlsplit(url).query, keep_blank_values=True).items()}
        kept = {name: value for name, value in headers.items() if name.lower().startswith("x-clickhouse-")}
        if headers.get("Content-Encoding") == "zstd":
            body = self.unpack(body)
        statement, settings = translated(values, values.get("query") or body.decode(), headers.get("X-ClickHouse-User", "default"), self.reachable())
        if not statement:
            return 200, b""
        table = INSERT.match(statement)
        if not table:
            answer = self.exchange("/?" + urllib.parse.urlencode({**settings, "insert_distributed_sync": "1"}), statement.encode(), kept)
            if answer[0] != 200:
                self.refused = statement, answer[1]
            if self.listen:
                self.listen(statement)
            return answer[:2]
        rows = WIDE.sub(rb'"key":"\1"', body) if table.group(1).startswith("responses") else body
        path = "/?" + urllib.parse.urlencode({**settings, "insert_distributed_sync": "1", "input_format_skip_unknown_fields": "1"})
        with self.lock:
            self.inserts += 1
        status, answer, port = self.exchange(path, rows, kept)
        if status == 200:
            self.last_insert = path, rows, kept
        is_lost = self.watch and self.watch(port)
        return None if is_lost else (status, answer)


def handler(balancer):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = balancer.handle(self.path, body, self.headers)
            self.close_connection = True
            if answer is None:
                return
            status, text = answer
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST

    return Handler


def ask(port, question, settings=()):
    """Rows of an answer of one server."""
    path = "/?" + urllib.parse.urlencode({"database": "default", **dict(settings)})
    status, text, _ = Balancer.exchange_with(port, path, (question + " FORMAT JSONEachRow").encode(), {})
    if status != 200:
        raise OSError(f"server at {port}: {text.decode(errors='replace')[:300]}")
    return [json.loads(line) for line in text.splitlines()]
