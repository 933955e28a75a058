"""Sessions as a client writes them, made for tests, together with the history that is meant to come out of each.

A Session grows line by line; what the model is to see of it grows beside it in `history`, stated, not computed from the lines.
"""
import base64
import datetime
import json
import os
import struct
import time
import uuid
import zlib

from client import slug

NAMES = uuid.UUID("6f1a2c3e-0000-4000-8000-000000000000")


class Session:
    """One session file and the conversation that it means."""

    def __init__(self, name, version, model, workdir, hours_ago=1.0):
        self.name, self.version, self.model, self.workdir = name, version, model, os.path.realpath(workdir)
        self.id = str(uuid.uuid5(NAMES, name))
        self.time = time.time() - 3600 * hours_ago
        self.lines, self.history = [], []
        self.leaf, self.counted = None, 0

    def next_id(self, kind):
        self.counted += 1
        return uuid.uuid5(NAMES, f"{self.name} {kind} {self.counted}")

    def tick(self):
        self.time += 1
        moment = datetime.datetime.fromtimestamp(self.time, datetime.timezone.utc)
        return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"

    def side(self, record):
        """A record outside the chain."""
        self.lines.append(record)

    def chain(self, kind, parent=True, **fields):
        """A record of the chain, below the last one."""
        record = {
            "parentUuid": self.leaf if parent else None, "isSidechain": False, "userType": "external", "cwd": self.workdir,
            "sessionId": self.id, "version": self.version, "gitBranch": "HEAD", "type": kind, **fields,
            "uuid": str(self.next_id(kind)), "timestamp": self.tick(),
        }
        self.leaf = record["uuid"]
        self.lines.append(record)
        return record

    def prompt(self, *content):
        """A prompt: one text, or blocks."""
        plain = content[0] if len(content) == 1 and isinstance(content[0], str) else list(content)
        self.chain("user", message={"role": "user", "content": plain})
        self.history.append({"role": "user", "content": plain})

    def respond(self, *blocks):
        """A response, one line a block; only the last line has the stop reason."""
        last = len(blocks) - 1
        message_id = "msg_01" + self.next_id("message").hex[:22]
        reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        for number, block in enumerate(blocks):
            message = {
                "id": message_id, "type": "message", "role": "assistant", "model": self.model, "content": [block],
                "stop_reason": reason if number == last else None, "stop_sequence": None,
                "usage": {"input_tokens": 12, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 34},
            }
            record = self.chain("assistant", message=message, requestId="req_01" + message_id[6:])
            if block["type"] == "tool_use":
                self.callers = {**getattr(self, "callers", {}), block["id"]: record["uuid"]}
        self.history.append({"role": "assistant", "content": list(blocks)})

    def results(self, *results):
        """Results of tools, one line each, in one chain."""
        for result in results:
            owner = self.callers[result["tool_use_id"]]
            self.chain("user", message={"role": "user", "content": [result]}, toolUseResult="x", sourceToolAssistantUUID=owner)
        self.history.append({"role": "user", "content": list(results)})

    def compact(self, summary):
        """A compaction: the history starts again at its summary."""
        before = self.leaf
        self.chain("system", parent=False, subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info",
                   logicalParentUuid=before, compactMetadata={"trigger": "manual", "preTokens": 1234})
        message = {"role": "user", "content": summary}
        self.chain("user", message=message, isCompactSummary=True, isVisibleInTranscriptOnly=True)
        self.history = [message]

    def path(self, config):
        return os.path.join(config, "projects", slug(self.workdir), self.id + ".jsonl")

    def write(self, config):
        path = self.path(config)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in self.lines)
        os.utime(path, (self.time, self.time))
        return path


def text(words):
    return {"type": "text", "text": words}


def call(number, name, **arguments):
    return {"type": "tool_use", "id": f"toolu_01Made{number:018}", "name": name, "input": arguments}


def result(number, content, **fields):
    return {"type": "tool_result", "tool_use_id": f"toolu_01Made{number:018}", "content": content, **fields}


def picture():
    """A real PNG: four by four pixels, one colour."""
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = zlib.compress((b"\0" + b"\x20\x80\xc0" * 4) * 4)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 2, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    return {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": base64.b64encode(data).decode()}}


def talk(session, bench):
    """Prompts and answers, one prompt with a picture."""
    session.prompt("Hello: naïve façade, 漢字, 😀, and a \"quoted\" \\ path.")
    session.respond(text("Good day.\n\nTwo paragraphs."))
    session.prompt(text("What is in this picture?"), picture())
    session.respond(text("A blue square."))


def neighbours(session, bench):
    """Prompts on prompts, without an answer between."""
    session.prompt("One.")
    session.prompt("Two.")
    session.prompt(text("Three."), picture())
    session.prompt("Four.")
    session.respond(text("All four."))


def thinking(session, bench):
    """Thinking that is signed, hidden, and between tool calls."""
    session.prompt("Think about it.")
    session.respond(bench.thinking("First a plan.\nThen the rest: é."), text("Thought about."))
    session.prompt("And again, with a tool.")
    session.respond(bench.thinking("I should look."), bench.redacted("hidden"), text("Looking."), call(1, "Bash", command="ls", description="List"))
    session.results(result(1, "a.txt\nb.txt"))
    session.respond(bench.thinking("Two files."), text("There are two files."))


def tools(session, bench):
    """Tools in parallel, one of them failing, and a result with a picture."""
    session.prompt("Use your tools.")
    session.respond(text("Three at once."), call(11, "Bash", command="echo one", description="One"),
                    call(12, "Bash", command="exit 3", description="Fail"), call(13, "Read", file_path="/tmp/picture.png"))
    session.results(result(11, "one"), result(12, "Exit code 3", is_error=True), result(13, [picture()]))
    session.respond(text("One failed."), call(14, "Bash", command="echo two", description="Two"))
    session.results(result(14, [text("two"), text("lines")]))
    session.respond(text("All done."))


def compaction(session, bench):
    """A conversation that was compacted, and what came after."""
    talk(session, bench)
    session.compact("This session is being continued. Summary: we spoke of a blue square.")
    session.respond(text("I remember."))
    session.prompt("What did we speak of?")
    session.respond(text("Of a blue square."))


def side_records(session, bench):
    """Records outside the chain, among them one that nobody knows."""
    session.side({"type": "summary", "summary": "A talk", "leafUuid": str(uuid.uuid5(NAMES, "elsewhere"))})
    session.side({"type": "file-history-snapshot", "messageId": str(session.next_id("snapshot")), "isSnapshotUpdate": False,
                  "snapshot": {"messageId": str(session.next_id("snapshot")), "trackedFileBackups": {}, "timestamp": session.tick()}})
    talk(session, bench)
    session.side({"type": "queue-operation", "operation": "enqueue", "timestamp": session.tick(), "sessionId": session.id, "content": "later"})
    session.side({"type": "queue-operation", "operation": "dequeue", "timestamp": session.tick(), "sessionId": session.id})
    session.side({"type": "something-of-2031", "sessionId": session.id, "payload": {"uuid": "not one", "list": [1, 2.50, None]}})
    session.prompt("Go on.")
    session.respond(text("Going on."))
    session.side({"type": "custom-title", "customTitle": "A title", "sessionId": session.id})
    session.side({"type": "last-prompt", "lastPrompt": "Go on.", "sessionId": session.id})


def everything(session, bench):
    """All of it in one session."""
    talk(session, bench)
    thinking(session, bench)
    session.compact("Summary of a long talk.")
    session.respond(text("Ready."))
    side_records(session, bench)
    thinking_again = bench.thinking("Still here.")
    session.prompt("One more.")
    session.respond(thinking_again, text("Here it is."))
    tools(session, bench)
