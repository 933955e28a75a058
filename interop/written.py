"""Sessions that annals writes, by `annals new` and `annals append` alone, each with the history that it is meant to say.

A Written speaks like a Session of sessions.py: what is said goes to annals as plain messages, or as records where `raw` is set, and what
the model is to see of it is stated beside. Every line that annals acknowledged is remembered, byte for byte, at its place.
"""
import datetime
import json
import os
import subprocess
import uuid

from bench import Failed, read
from client import slug
from common import hermetic

CHAIN = ("user", "assistant", "system", "attachment", "progress")
# What annals decides for a record, whatever the record says.
DECIDED = ("sessionId",)
# The client that does not tell the model of the commands that it carried out itself.
TELLS_NO_COMMANDS = "2.0.76"


class Written:
    """One session file of annals' making."""

    def __init__(self, place, session_id=None, path=None, fork_of=None, history=()):
        self.place, self.id, self.path, self.fork_of = place, session_id, path, fork_of
        self.history, self.reminders, self.pending, self.raw = list(history), [], [], False
        self.kept = []  # (file, offset, bytes) of what annals acknowledged

    @classmethod
    def new(cls, place, *arguments):
        made = place.annals.json("new", "--cwd", place.workdir, "--config-dir", place.config, *arguments)
        return cls(place, made["session"], made["file"])

    @classmethod
    def fork(cls, place, session_id, history, at=None):
        """A copy of another session, which is made when the first words are said in it."""
        return cls(place, fork_of=(session_id, *(["--at", at] if at else [])), history=history)

    # ---- what is said ----

    def prompt(self, *content):
        plain = content[0] if len(content) == 1 and isinstance(content[0], str) else list(content)
        return self.user(plain)

    def meta(self, words):
        """Words of the client in the person's name, which the model sees."""
        return self.user(words, isMeta=True)

    def user(self, content, **fields):
        identity = str(uuid.uuid4())
        message = {"role": "user", "content": content}
        if self.raw:
            self.say({"type": "user", "message": message, "uuid": identity, **fields})
        else:
            self.say({**message, "uuid": identity, "metadata": fields} if fields else {**message, "uuid": identity})
        self.history.append(message)
        return identity

    def respond(self, *blocks):
        """A response: one plain message, or a record a block, of which only the last has the stop reason."""
        reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        usage = {"input_tokens": 12, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 34}
        identity = str(uuid.uuid4())
        common = {"role": "assistant", "model": self.place.model, "usage": usage}
        if self.raw:
            message_id = "msg_01" + uuid.uuid4().hex[:22]
            for number, block in enumerate(blocks, 1):
                last = number == len(blocks)
                message = {"id": message_id, "type": "message", **common, "content": [block], "stop_reason": reason if last else None}
                self.say({"type": "assistant", "message": message, "requestId": "req_01" + message_id[6:],
                          "uuid": identity if last else str(uuid.uuid4())})
        else:
            self.say({**common, "content": list(blocks), "stop_reason": reason, "uuid": identity})
        self.history.append({"role": "assistant", "content": list(blocks)})
        return identity

    def results(self, *results, shown=None):
        """Results of tools; `shown` is what an interface shows of each."""
        shown = shown or [{"stdout": "shown", "stderr": "", "interrupted": False, "isImage": False} for _ in results]
        if self.raw:
            for result, one in zip(results, shown):
                self.say({"type": "user", "message": {"role": "user", "content": [result]}, "toolUseResult": one})
        else:
            self.say({"role": "user", "content": list(results), "metadata": {"toolUseResult": shown if len(shown) > 1 else shown[0]}})
        self.history.append({"role": "user", "content": list(results)})

    def compact(self, summary):
        """A compaction: the history starts again at its summary."""
        self.notice("compact_boundary", content="Conversation compacted", isMeta=False, level="info",
                    compactMetadata={"trigger": "manual", "preTokens": 1234})
        message = {"role": "user", "content": summary}
        self.say({"type": "user", "message": message, "isCompactSummary": True, "isVisibleInTranscriptOnly": True})
        self.history, self.reminders = [message], []

    def notice(self, subtype, **fields):
        """A system record."""
        self.say({"type": "system", "subtype": subtype, **fields})

    def local_command(self, words):
        """A command that the client carried out itself: all but the oldest client tell the model of it."""
        self.notice("local_command", content=words, level="info", isMeta=False)
        if self.place.version != TELLS_NO_COMMANDS:
            self.history.append({"role": "user", "content": words})

    def attach(self, words, **attachment):
        """An attachment, which the client words for the model as a reminder."""
        self.say({"type": "attachment", "attachment": attachment})
        self.reminders.append(words)

    def progress(self, tool_use, **data):
        self.say({"type": "progress", "data": data, "toolUseID": tool_use, "parentToolUseID": tool_use})

    def side(self, record):
        """A record outside the chain."""
        self.say(record)

    def next_id(self, kind):
        return uuid.uuid4()

    def tick(self):
        return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")

    # ---- how it gets there ----

    def say(self, item):
        self.pending.append(item)

    def flush(self, agent=None, arguments=()):
        """Hands annals what was said, all of it by one `annals append`, and remembers the lines that it acknowledged."""
        items, self.pending = self.pending, []
        if self.fork_of:
            target = [*self.fork_of, "--fork"]
        else:
            target = [self.id, *self.place.patience]
        if agent:
            target += ["--agent", agent, *arguments]
        path = self.agent_file(agent) if agent else self.path
        before = os.path.getsize(path) if path and os.path.exists(path) else 0
        answers = append(self.place, target, items)
        if self.fork_of:
            self.fork_of, self.id = None, answers[0]["session"]
            path = self.path = os.path.join(self.place.config, "projects", slug(self.place.workdir), self.id + ".jsonl")
        data = read(path)[before:]
        if wrong := unlike(items, answers, data):
            raise Failed(f"annals append: {wrong}")
        self.kept.append((path, before, data))

    def agent(self, name, call, *items):
        """A sub-agent's conversation, in a file of its own."""
        self.flush()
        self.pending = list(items)
        self.flush(name, ["--agent-type", "general-purpose", "--description", call["input"]["description"], "--tool-use", call["id"]])

    def agent_file(self, name):
        return os.path.join(self.path.removesuffix(".jsonl"), "subagents", f"agent-{name}.jsonl")

    def hold(self):
        """Fails where something that annals acknowledged is no longer in its file, byte for byte."""
        for path, offset, data in self.kept:
            if wrong := lost(read(path), offset, data):
                raise Failed(f"{os.path.basename(path)}: {wrong}")


def append(place, target, items):
    """`annals append`, an answer an item."""
    # The client has written just now, and nothing tells annals that it has ended.
    patience = [] if "--wait" in target else ["--wait", "10"]
    command = [place.annals.path, "append", *target, *patience, "--config-dir", place.config]
    lines = "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
    run = subprocess.run(command, input=lines.encode(), capture_output=True, env=hermetic(place.annals.home.name), cwd=place.workdir)
    if run.returncode:
        raise Failed(f"annals append {' '.join(target)}: exit {run.returncode}: {(run.stdout[-300:] + run.stderr).decode(errors='replace').strip()}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def lost(data, offset, kept):
    """Where the first of the kept lines is no longer as it was; None where all are."""
    for line in kept.splitlines(keepends=True):
        if data[offset:offset + len(line)] != line:
            return f"byte {offset}: an acknowledged line is no longer there: {line[:200]!r}"
        offset += len(line)
    return None


def unlike(items, answers, data):
    """What is wrong with the lines that annals wrote for these items and with its answers; None where nothing is."""
    if len(answers) != len(items):
        return f"{len(answers)} answers to {len(items)} lines"
    records = [json.loads(line) for line in data.splitlines()]
    chain = [record["uuid"] for record in records if record["type"] in CHAIN]
    told = [identity for answer in answers for identity in answer.get("uuids", [answer["uuid"]]) if identity]
    if not told == chain[len(chain) - len(told):]:
        return f"the answers name {told}, the file has {chain}"
    at = 0
    for item in items:
        found = next((place for place in range(at, len(records)) if says(records[place], item)), None)
        if found is None:
            return f"no line says what it was given: {json.dumps(item, ensure_ascii=False)[:300]}"
        at = found + 1
    return None


def says(record, item):
    """Whether a record says all that it was given. A plain message is known by its last record."""
    if "type" in item:
        return all(record.get(key, item) == value for key, value in item.items() if key not in DECIDED)
    message, content = record.get("message", {}), item["content"]
    blocks = message.get("content")
    ends = blocks == content or (isinstance(blocks, list) and isinstance(content, list) and blocks == content[-len(blocks):])
    return message.get("role") == item["role"] and bool(ends) and item.get("uuid", record["uuid"]) == record["uuid"]


def self_test():
    line = lambda **fields: json.dumps({"type": "user", "message": {"role": "user", "content": "a"}, "uuid": "u", "sessionId": "s", **fields})
    data = (line() + "\n").encode()
    answer = {"uuid": "u", "parentUuid": None}
    assert unlike([{"role": "user", "content": "a"}], [answer], data) is None
    assert unlike([{"role": "user", "content": "b"}], [answer], data), "other words"
    assert unlike([{"role": "user", "content": "a"}], [], data), "no answer"
    assert unlike([{"role": "user", "content": "a"}], [{"uuid": "v"}], data), "another line acknowledged"
    record = {"type": "user", "message": {"role": "user", "content": "a"}, "isMeta": True, "sessionId": "other"}
    assert unlike([record], [answer], (line(isMeta=True) + "\n").encode()) is None
    assert unlike([record], [answer], data), "a field of a record is gone"
    assert unlike([{"type": "tag", "tag": "x"}], [{"uuid": None}], b'{"type":"tag","tag":"y"}\n')
    results = [{"type": "tool_result", "tool_use_id": "t1"}, {"type": "tool_result", "tool_use_id": "t2"}]
    two = (line(uuid="u1", message={"role": "user", "content": results[:1]}) + "\n" + line(message={"role": "user", "content": results[1:]}) + "\n").encode()
    assert unlike([{"role": "user", "content": results}], [{"uuid": "u", "uuids": ["u1", "u"]}], two) is None
    assert lost(b"one\ntwo\n", 4, b"two\n") is None
    assert lost(b"one\ntwi\n", 4, b"two\n") and lost(b"one\n", 4, b"two\n") and lost(b"one\n\ntwo\n", 4, b"two\n")
