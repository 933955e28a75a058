"""ClickHouse's HTTP interface over the engine as a library: what annals uses of it, no more. Run by scripts/engine.

Requests as at https://clickhouse.com/docs/interfaces/http: a statement in `query` or in the body, the rows of an INSERT in the body,
`param_NAME`, settings as parameters, `X-ClickHouse-User` and `X-ClickHouse-Key`, `Content-Encoding`. A failure has its code in
`X-ClickHouse-Exception-Code`. For tests, POST /fail?code=N&after=K&times=T lets INSERTs fail: T of them, behind the next K. POST
/hold?after=K holds the one behind the next K until /release lets it go on or /drop lets it fail; /held says whether it has come.
"""
import argparse
import gzip
import hmac
import json
import os
import re
import sys
import tempfile
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

import zstandard
from chdb import session

# Parameters of a request that are not settings of the engine.
NO_SETTINGS = {"query", "database", "default_format", "wait_end_of_query", "query_id", "user", "password", "compress", "decompress"}
# What a server answers with these codes; everything else is 500.
STATUS = {"60": 404, "81": 404, "516": 403, "497": 403, "62": 400, "27": 400, "117": 400, "26": 400, "46": 404, "47": 404}
FORMAT = re.compile(r"(?is)\bformat\s+(\w+)\s*;?\s*$")
FILTERED = re.compile(r" SETTINGS additional_table_filters = \{.*\}\s*$", re.DOTALL)
INSERT = re.compile(r"(?is)\s*insert\b.*\bformat\s+\w+\s*$")


class Engine:
    """The library runs one statement at a time."""

    def __init__(self, folder, configuration=None):
        self.session = session.Session(f"{folder}?config-file={configuration}" if configuration else folder)
        self.lock = threading.Lock()
        self.failure = None
        self.hold, self.is_held, self.released, self.is_dropped = None, threading.Event(), threading.Event(), False

    def run(self, statement, rows, parameters, settings, database):
        longest = settings.pop("max_query_size", None)
        settings = ", ".join(f"{name} = {value if value.isdigit() else quoted(value)}" for name, value in settings.items())
        if INSERT.match(statement):
            self.wait_if_told()
            self.fail_if_told()
            head = FORMAT.sub(lambda found: (f"SETTINGS {settings} " if settings else "") + found.group(0), statement)
            # The engine reads the rows behind the statement, as its own client sends them.
            statement, form, parameters = head + "\n" + rows.decode("utf-8"), "TabSeparated", {}
        else:
            found = FORMAT.search(statement)
            form = found.group(1) if found else "TabSeparated"
            statement = statement[: found.start()] if found else statement
            if settings and re.match(r"(?is)\s*(select|with)\b", statement):
                statement += f"{',' if FILTERED.search(statement) else ' SETTINGS'} {settings}"
        with self.lock:
            if longest:
                # It says how much of a statement is read, so it cannot be a part of it.
                self.session.query(f"SET max_query_size = {int(longest) + len(settings) + 20}")
            if database:
                self.session.query(f"USE {database}")
            answer = self.session.query(statement, form, params=parameters) if parameters else self.session.query(statement, form)
        return answer.bytes() if answer is not None else b""

    def control(self, path, values):
        """Does what a test tells; the answer, or None if it is no such request."""
        if path == "/fail":
            self.failure = (values["code"], int(values.get("after", 0)), int(values.get("times", 1)))
        elif path == "/hold":
            self.is_held.clear()
            self.released.clear()
            self.hold, self.is_dropped = int(values.get("after", 0)), False
        elif path in ("/release", "/drop"):
            self.hold, self.is_dropped = None, path == "/drop"
            self.released.set()
        elif path == "/held":
            return b"held" if self.is_held.is_set() else b"no"
        else:
            return None
        return b""

    def wait_if_told(self):
        with self.lock:
            if self.hold is None:
                return
            self.hold -= 1
            if self.hold >= 0:
                return
            self.hold = None
        self.is_held.set()
        self.released.wait()
        if self.is_dropped:
            raise RuntimeError("Code: 999. DB::Exception: told to drop it")

    def fail_if_told(self):
        with self.lock:
            if self.failure is None:
                return
            code, after, times = self.failure
            if after > 0:
                self.failure = (code, after - 1, times)
                return
            self.failure = (code, 0, times - 1) if times > 1 else None
        raise RuntimeError(f"Code: {code}. DB::Exception: told to fail")


def with_s3(bucket, folder):
    """A configuration in which tables are in a bucket, with what the engine knows of them in a folder beside its tables."""
    path = f"{folder}/s3.xml"
    with open(path, "w", encoding="utf-8") as file:
        file.write("<clickhouse><storage_configuration><disks><bucket><type>s3</type><access_key_id>any</access_key_id><secret_access_key>any</secret_access_key>"
                   f"<endpoint>{escape(bucket)}</endpoint></bucket></disks>"
                   "<policies><bucket><volumes><main><disk>bucket</disk></main></volumes></bucket></policies></storage_configuration>"
                   "<merge_tree><storage_policy>bucket</storage_policy></merge_tree></clickhouse>")
    return path


def configured(policies, folder):
    """A configuration whose only login has these row policies: conditions by database and table. The library runs everything as one
    login, which is called `default`, and cannot make policies by SQL."""
    tables = {}
    for name, condition in policies.items():
        database, table = name.split(".")
        tables.setdefault(database, []).append(f"<{table}><filter>{escape(condition)}</filter></{table}>")
    databases = "".join(f"<{database}>{''.join(filters)}</{database}>" for database, filters in tables.items())
    files = {
        "policies.xml": f"<clickhouse><user_directories><users_xml><path>{folder}/logins.xml</path></users_xml></user_directories></clickhouse>",
        "logins.xml": "<clickhouse><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>"
                      "<networks><ip>::/0</ip></networks><profile>default</profile><quota>default</quota>"
                      f"<databases>{databases}</databases></default></users></clickhouse>",
    }
    for name, text in files.items():
        with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    return f"{folder}/policies.xml"


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def handler(engine, login):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def answer(self, status, body, code=None):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-ClickHouse-Format", "TabSeparated")
            if code:
                self.send_header("X-ClickHouse-Exception-Code", code)
            try:
                self.end_headers()
                self.wfile.write(body)
            except ConnectionError:
                self.close_connection = True  # Who asked is gone.

        def body(self):
            bytes_ = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            encoding = self.headers.get("Content-Encoding", "identity")
            if encoding == "gzip":
                return gzip.decompress(bytes_)
            return zstandard.ZstdDecompressor().decompressobj().decompress(bytes_) if encoding == "zstd" else bytes_

        def do_GET(self):
            if self.path == "/ping":
                return self.answer(200, b"Ok.\n")
            self.do_POST()

        def do_POST(self):
            url = urllib.parse.urlsplit(self.path)
            values = {name: all_[0] for name, all_ in urllib.parse.parse_qs(url.query, keep_blank_values=True).items()}
            body = self.body()
            told = engine.control(url.path, values)
            if told is not None:
                return self.answer(200, told)
            user, key = self.headers.get("X-ClickHouse-User", "default"), self.headers.get("X-ClickHouse-Key", "")
            if login and not (hmac.compare_digest(user, login[0]) and hmac.compare_digest(key, login[1])):
                return self.answer(403, f"Code: 516. DB::Exception: {user}: Authentication failed".encode(), "516")
            statement = values.get("query") or body.decode("utf-8")
            rows = body if values.get("query") else b""
            parameters = {name[6:]: value for name, value in values.items() if name.startswith("param_")}
            settings = {name: value for name, value in values.items() if name not in NO_SETTINGS and not name.startswith("param_")}
            try:
                answer = engine.run(statement, rows, parameters, settings, values.get("database"))
            except Exception as error:  # whatever it is, a server would answer
                text = str(error)
                found = re.search(r"Code: (\d+)", text)
                code = found.group(1) if found else "1002"
                return self.answer(STATUS.get(code, 500), text.encode("utf-8"), code)
            self.answer(200, answer)

    return Handler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--user")
    parser.add_argument("--password-file")
    parser.add_argument("--policies")
    parser.add_argument("--s3")
    args = parser.parse_args()
    login = None
    if args.user:
        with open(args.password_file, encoding="utf-8") as file:
            login = (args.user, file.read().strip())
    with tempfile.TemporaryDirectory(prefix="annals-engine-") as temporary:
        configuration = with_s3(args.s3, temporary) if args.s3 else None
        if args.policies:
            with open(args.policies, encoding="utf-8") as file:
                configuration = configured(json.load(file), temporary)
        engine = Engine(args.dir or os.path.join(temporary, "engine"), configuration)
        server = ThreadingHTTPServer(("127.0.0.1", args.port), handler(engine, login))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        print(f"http://127.0.0.1:{server.server_port}", flush=True)
        sys.stdin.read()
        server.shutdown()
        engine.session.close()


if __name__ == "__main__":
    main()
