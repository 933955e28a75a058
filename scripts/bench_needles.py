"""Words that occur once, planted in a store where people look for them; and lines that a session grows by. For scripts/bench."""
import datetime
import glob
import json
import os
import uuid

SESSIONS = 3
PLACES = ("prompt", "reply", "thinking", "tool input", "tool output", "failure", "large output", "sub-agent", "about the session")
# What is planted where, in the first, the second and the third session.
VARIANTS = {
    "tool input": ("Bash command", "Edit new_string", "Grep pattern"),
    "tool output": ("Bash output", "Read result", "Grep result"),
    "failure": ("failed Bash", "refused Edit", "API error"),
    "large output": ("file in tool-results", "end of a result of 200 KB", "toolUseResult only"),
    "sub-agent": ("its prompt", "its reply", "its tool output"),
    "about the session": ("compaction summary", "title", "history.jsonl"),
}
LARGE = 200 * 1000
SYLLABLES = ("ba", "ci", "do", "fu", "ga", "hi", "jo", "ku", "la", "mi", "no", "pu", "ra")
ENVELOPE = ("userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "agentId", "slug")


def word(number):
    """A word of letters alone that no store has; none is the beginning of another."""
    syllables = [SYLLABLES[(number * step + step) % len(SYLLABLES)] for step in (1, 5)] + [SYLLABLES[number // len(SYLLABLES)]]
    return "zyx" + "".join(syllables) + "qua"


def needles():
    """(place, what exactly, session's number, word) of each."""
    pairs = [(place, session) for place in PLACES for session in range(SESSIONS)]
    return [(place, VARIANTS.get(place, (place,) * SESSIONS)[session], session, word(at)) for at, (place, session) in enumerate(pairs)]


class Conversation:
    """The end of a session's file, where records are added as a client would."""

    def __init__(self, path):
        self.path, self.lines = path, []
        with open(path, "rb") as file:
            known = [record for record in map(parsed, file) if record.get("uuid") and record.get("timestamp") and record.get("message")]
        last = known[-1]
        self.envelope = {name: last[name] for name in ENVELOPE if name in last}
        self.is_sidechain = bool(last.get("isSidechain"))
        self.parent = last["uuid"]
        self.moment = datetime.datetime.fromisoformat(last["timestamp"].replace("Z", "+00:00"))

    def fresh(self, what):
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.path} {self.parent} {len(self.lines)} {what}"))

    def record(self, kind, **fields):
        self.moment += datetime.timedelta(seconds=2)
        stamp = self.moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.moment.microsecond // 1000:03}Z"
        name = self.fresh("record")
        self.lines.append({"parentUuid": self.parent, "isSidechain": self.is_sidechain, "type": kind, **fields, "uuid": name, "timestamp": stamp, **self.envelope})
        self.parent = name

    def user(self, content, **fields):
        self.record("user", message={"role": "user", "content": content}, **fields)

    def assistant(self, block, **fields):
        usage = {"input_tokens": 3, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 900, "output_tokens": 12}
        message = {"model": "claude-opus-4-8", "id": "msg_" + self.fresh("message"), "type": "message", "role": "assistant", "content": [block],
                   "stop_reason": "tool_use" if block["type"] == "tool_use" else "end_turn", "stop_sequence": None, "usage": usage}
        self.record("assistant", message=message, requestId="req_" + self.fresh("request"), **fields)

    def text(self, text, **fields):
        self.assistant({"type": "text", "text": text}, **fields)

    def tool(self, name, given, result, detail, **fields):
        call = "toolu_" + self.fresh("call").replace("-", "")[:24]
        self.assistant({"type": "tool_use", "id": call, "name": name, "input": given})
        self.user([{"tool_use_id": call, "type": "tool_result", "content": result, **fields}], toolUseResult=detail)

    def write(self):
        with open(self.path, "ab") as file:
            file.write(b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in self.lines))


def parsed(line):
    """A line's record; nothing where it holds none."""
    try:
        record = json.loads(line)
    except ValueError:
        return {}
    return record if isinstance(record, dict) else {}


def chosen(store):
    """Sessions of middling size that have sub-agents, and one of these for each."""
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(store), "projects", "*", "*.jsonl"))):
        agents = sorted(glob.glob(os.path.join(glob.escape(path[: -len(".jsonl")]), "subagents", "agent-*.jsonl")))
        if agents and ends_whole(path) and ends_whole(agents[0]):
            found.append((os.path.getsize(path), path, agents[0]))
    found.sort()
    if len(found) < SESSIONS:
        raise RuntimeError(f"{store} has {len(found)} sessions with sub-agents, and {SESSIONS} are needed")
    return [found[len(found) * (at + 1) // (SESSIONS + 1)][1:] for at in range(SESSIONS)]


def ends_whole(path):
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    return bool(lines) and lines[-1].endswith(b"\n") and any(parsed(line).get("uuid") and parsed(line).get("message") for line in lines[-20:])


def plant(store):
    """Plants all needles in a store; which they are."""
    planted = needles()
    for number, (path, agent) in enumerate(chosen(store)):
        words = {place: said for place, _, session, said in planted if session == number}
        session, thread = Conversation(path), Conversation(agent)
        talk(session, words)
        work(session, words, number)
        fail(session, words["failure"], number)
        print_much(session, words["large output"], number)
        delegate(thread, words["sub-agent"], number)
        describe(session, words["about the session"], number, store)
        session.write()
        thread.write()
    return planted


def talk(session, words):
    session.user(f"Please look at the {words['prompt']} again before we release.")
    session.assistant({"type": "thinking", "thinking": f"The {words['thinking']} may be the reason; look there first.", "signature": "c2ln"})
    session.text(f"I looked: the {words['reply']} is read twice. I will change that.")


def work(session, words, number):
    given, printed = words["tool input"], words["tool output"]
    plain = {"stdout": "done", "stderr": "", "interrupted": False, "isImage": False}
    inputs = (("Bash", {"command": f"make {given}", "description": "Build it"}, "done", plain),
              ("Edit", {"file_path": "/src/a.rs", "old_string": "let a = 1;", "new_string": f"let {given} = 1;"}, "The file has been updated.", {"filePath": "/src/a.rs"}),
              ("Grep", {"pattern": given, "output_mode": "files_with_matches"}, "No files found", {"mode": "files_with_matches", "filenames": [], "numFiles": 0}))
    said = f"12: let {printed} = read(path)?;"
    outputs = (("Bash", {"command": "make test", "description": "Test it"}, f"ok 12 {printed}", {**plain, "stdout": f"ok 12 {printed}"}),
               ("Read", {"file_path": "/src/b.rs"}, said, {"type": "text", "file": {"filePath": "/src/b.rs", "content": said, "numLines": 1, "startLine": 1, "totalLines": 1}}),
               ("Grep", {"pattern": "read", "output_mode": "content"}, said, {"mode": "content", "numFiles": 1, "filenames": [], "content": said, "numLines": 1}))
    session.tool(*inputs[number])
    session.tool(*outputs[number])


def fail(session, said, number):
    if number == 0:
        text = f"Exit code 1\nerror: no rule to make {said}"
        session.tool("Bash", {"command": "make all", "description": "Build all"}, text, f"Error: {text}", is_error=True)
    elif number == 1:
        text = f"<tool_use_error>String to replace not found: {said}</tool_use_error>"
        session.tool("Edit", {"file_path": "/src/c.rs", "old_string": "b", "new_string": "c"}, text, f"Error: {text}", is_error=True)
    else:
        session.text(f"API Error: 400 {said} is not a model", error="unknown", isApiErrorMessage=True)


def print_much(session, said, number):
    much = "\n".join(f"{at:06} compiled one more part of the whole" for at in range(LARGE // 42)) + f"\nlinked {said}\n"
    given = {"command": "make --print-data-base", "description": "Print everything"}
    detail = {"stdout": much, "stderr": "", "interrupted": False, "isImage": False}
    if number == 0:
        folder = os.path.join(session.path[: -len(".jsonl")], "tool-results")
        os.makedirs(folder, exist_ok=True)
        kept = os.path.join(folder, "bneedle01.txt")
        with open(kept, "w", encoding="utf-8") as file:
            file.write(much)
        shown = f"<persisted-output>\nOutput too large (200KB). Full output saved to: {kept}\n\nPreview (first 2KB):\n{much[:2000]}\n...\n</persisted-output>"
        session.tool("Bash", given, shown, {**detail, "stdout": much[:2000], "persistedOutputPath": kept, "persistedOutputSize": len(much)})
    elif number == 1:
        session.tool("Bash", given, much, detail)
    else:
        changed = {"filePath": "/src/d.rs", "oldString": "a", "newString": "b", "originalFile": f"let a = {said};\n", "structuredPatch": []}
        session.tool("Edit", {"file_path": "/src/d.rs", "old_string": "a", "new_string": "b"}, "The file has been updated.", changed)


def delegate(thread, said, number):
    if number == 0:
        thread.user(f"Find every use of {said}.")
    elif number == 1:
        thread.text(f"Every use of {said} is in one file.")
    else:
        thread.tool("Bash", {"command": "ls", "description": "List"}, f"{said}.rs", {"stdout": f"{said}.rs", "stderr": "", "interrupted": False, "isImage": False})


def describe(session, said, number, store):
    if number == 0:
        after, session.parent = session.parent, None
        session.record("system", subtype="compact_boundary", content="Conversation compacted", isMeta=False, level="info", logicalParentUuid=after,
                       compactMetadata={"trigger": "auto", "preTokens": 150000})
        session.user(f"What was done so far: the {said} was moved.", isCompactSummary=True, isVisibleInTranscriptOnly=True)
    elif number == 1:
        session.lines.append({"type": "custom-title", "customTitle": f"Move the {said}", "sessionId": session.envelope["sessionId"]})
    else:
        entry = {"display": f"where is the {said} now?", "pastedContents": {}, "timestamp": int(session.moment.timestamp() * 1000),
                 "project": session.envelope.get("cwd", "/"), "sessionId": session.envelope["sessionId"]}
        with open(os.path.join(store, "history.jsonl"), "ab") as file:
            file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")


def grow(path, lines, turn):
    """Adds lines of conversation to a session."""
    session = Conversation(path)
    for at in range(lines // 2):
        session.user(f"Round {turn}, question {at}: does the parser keep the order of the keys?")
        session.text(f"Yes. In round {turn} case {at} keeps them; the index is written after the last one.")
    session.write()
