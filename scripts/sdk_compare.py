"""Compares what the SDK and annals say about a store, and explains what differs. The rules are checks, not excuses: each looks
for its cause in the very session that differs."""
import os
import re

from sdk_facts import Facts

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)

RULES = {
    "empty": "the SDK lists no empty file; `ls --all` does",
    "deeper": "the SDK looks for sessions in a project's folder only, not in folders below it",
    "name": "the SDK lists only files whose name is a uuid",
    "sidechain": "the SDK lists no file whose first line is a sidechain's",
    "no-title": "the SDK lists no file in whose first and last 64 KiB it finds neither title nor prompt",
    "two-projects": "the SDK lists an id once although two projects hold it",
    "command": "where only slash commands were typed, the SDK gives the bare name of the first and annals the whole command",
    "sub-agent": "the SDK takes what a sub-agent was asked for the first prompt of a person",
    "folder": "annals takes the working directory that most lines name; the SDK takes the first that it meets",
    "head-and-tail": "the SDK reads the first and last 64 KiB as text and can miss, or misread, what annals finds in the records",
    "bom": "the SDK drops the first line of a file that starts with a byte order mark",
    "two-objects": "the SDK drops a line that holds two objects, or NUL bytes, and cuts the chain there",
    "utf-8": "the SDK refuses a file with invalid UTF-8",
    "last-prompt": "the client goes on from the leaf that a last-prompt record names; the SDK does not know it",
    "leaf": "the client goes on from the last main line of the file; the SDK passes over meta, team and inner lines",
    "missing-parent": "the client bridges a missing parent to the line before it in time; the SDK cuts the history",
    "boundary-parent": "history starts at a compaction's boundary even if that has a parent; the SDK walks through it",
    "preserved": "the client puts a compaction's preserved segment back in its place; the SDK leaves it out",
    "old-layout": "the SDK knows no sub-agents beside the session file, where older releases put them",
}


def fold(text):
    """A prompt on one line, without the mark of a cut; a shell command of the person's as annals shows it."""
    text = re.sub(r"<bash-input>(.*?)</bash-input>", r"! \1", text or "", flags=re.S)
    return re.sub(r"\s+", " ", text).strip().rstrip("…").strip()


# ---- sessions ----


def sessions(listed_by_sdk, listed, config, say):
    """list_sessions against `ls --all`."""
    ours = {}
    for session in listed:
        ours.setdefault(session["id"], []).append(session)
    theirs = {info.session_id: info for info in listed_by_sdk}
    for name in sorted(theirs.keys() | ours.keys()):
        place = ours[name][0]["file"] if name in ours else name
        if name not in ours:
            say("sessions", place, "the SDK lists it, annals does not")
        elif name not in theirs:
            say("sessions", place, "annals lists it, the SDK does not", why_unlisted(ours[name]))
        else:
            compare_fields(theirs[name], ours[name], say)


def why_unlisted(candidates):
    for session in candidates:
        with open(session["file"], "rb") as file:
            facts = Facts(file.read())
        stem = os.path.basename(session["file"]).removesuffix(".jsonl")
        if not UUID.fullmatch(stem):
            return "name"
        if os.path.basename(os.path.dirname(os.path.dirname(session["file"]))) != "projects":
            return "deeper"
        if facts.empty:
            return "empty"
        if facts.first_is_sidechain:
            return "sidechain"
        if not session.get("firstPrompt") or session.get("bytes", 0) > 65536 or not any(map(facts.visible, facts.records)):
            return "no-title"
    return None


def compare_fields(info, candidates, say):
    """The fields that mean the same on both sides."""
    ours = next((session for session in candidates if session["bytes"] == info.file_size), candidates[0])
    place = ours["file"]
    if info.file_size != ours["bytes"]:
        say("sessions", place, f"bytes {info.file_size} / {ours['bytes']}", "two-projects" if len(candidates) > 1 else None)
    else:
        say("sessions")
    with open(place, "rb") as file:
        data = file.read()
    pairs = [
        ("first prompts", fold(info.first_prompt), fold(ours.get("firstPrompt"))),
        ("branches", info.git_branch, ours.get("gitBranch")),
        ("projects", info.cwd, ours.get("project")),
    ]
    for what, theirs, mine in pairs:
        if same(theirs, mine):
            say(what)
        else:
            say(what, place, f"{theirs!r} / {mine!r}", why_field(what, theirs, mine, data))


def same(theirs, mine):
    """Both say nothing, or one is the start of the other: the two cut long texts at different places."""
    if not theirs or not mine:
        return not theirs and not mine
    shorter, longer = sorted((theirs, mine), key=len)
    return shorter == longer or (len(shorter) >= 150 and longer.startswith(shorter[:150]))


def why_field(what, theirs, mine, data):
    """What the SDK finds, it finds as text in the head and the tail, wherever it stands: in our records' own fields it must not."""
    facts = Facts(data)
    if what == "projects":
        named = [record.get("cwd") for record in facts.order]
        return "folder" if theirs in named and named.count(mine) >= named.count(theirs) > 0 else None
    if what == "branches":
        own = [record.get("gitBranch") for record in facts.order]
        return "head-and-tail" if mine in own or (mine is None and theirs not in own) else None
    users = [record for record in facts.order if record["type"] == "user"]
    texts = [fold(text) for record in users for text in texts_of(record)]
    commands = {name.lstrip("/") for text in texts for name in re.findall(r"<command-name>(.*?)</command-name>", text)}
    gives_command = (theirs or "").lstrip("/") in commands
    if mine and gives_command and re.match(rf"/?{re.escape(theirs.lstrip('/'))}(\s|$)", mine):
        return "command"
    inner = [fold(text) for record in users if record.get("isSidechain") is True for text in texts_of(record)]
    if any(same(theirs, text) for text in inner):
        return "sub-agent"
    if not any(same(mine, text) for text in texts):
        return None
    # Words that come after the first 64 KiB are beyond its reach: then it has nothing, or a command that came before.
    return "head-and-tail" if (not theirs or gives_command) and len(data) > 65536 else None


def texts_of(record):
    """The texts of a user line."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]


# ---- one project: messages and sub-agents ----


def project(folder, config, annals, sdk, say):
    for name in sorted(os.listdir(folder)):
        path, session = os.path.join(folder, name), name.removesuffix(".jsonl")
        if not name.endswith(".jsonl") or not UUID.fullmatch(session) or os.path.getsize(path) == 0:
            continue
        with open(path, "rb") as file:
            facts = Facts(file.read())
        chain = annals.json("show", path, "--as", "tree", "--config-dir", config).get("chain", [])
        try:
            shown = [message.uuid for message in sdk.get_session_messages(session)]
        except UnicodeDecodeError:
            say("chains", path, "the SDK cannot read it", None if facts.is_utf8 else "utf-8")
        else:
            difference = messages(shown, chain, facts)
            say("chains", path, difference, why_messages(shown, chain, facts) if difference else None)
        agents = annals.json("show", path, "--as", "agents", "--config-dir", config)
        for difference, rule in sub_agents(sdk.list_subagents(session), agents, os.path.join(folder, session)):
            say("sub-agents", path, difference, rule)


def messages(shown, chain, facts):
    """What differs between the SDK's messages and the visible part of our chain; None where nothing does."""
    ours = [uuid for uuid in chain if facts.visible(uuid)]
    kept, theirs = set(ours), set(shown)
    known = kept | parallel(kept, facts)
    missing = [uuid for uuid in ours if uuid not in theirs]
    extra = [uuid for uuid in shown if uuid not in known]
    in_both = [uuid for uuid in shown if uuid in kept]
    if missing or extra:
        return f"{len(shown)} / {len(ours)} messages; only annals {missing[:2]} only SDK {extra[:2]}"
    return None if in_both == ours else "the same messages in another order"


def parallel(kept, facts):
    """Records that belong to a response of the chain although they hang elsewhere: parallel tools and their results."""
    responses = {facts.message_id(uuid) for uuid in kept} - {None}
    blocks = [uuid for uuid in facts.records if facts.message_id(uuid) in responses]
    asked = {block.get("id") for uuid in blocks for block in facts.blocks(uuid, "tool_use")}
    answers = lambda uuid: any(block.get("tool_use_id") in asked for block in facts.blocks(uuid, "tool_result"))
    return set(blocks) | {uuid for uuid in facts.records if answers(uuid)}


def why_messages(shown, chain, facts):
    """The rule that explains a difference of chains, if one does."""
    leaf = chain[-1] if chain else None
    root = facts.walk(shown[0])[-1] if shown else None
    cut_at = facts.parent(root) if root else None
    if facts.unreadable and (set(chain) - set(shown)) & facts.unreadable:
        first = facts.order[0]["uuid"] if facts.order else None
        return "bom" if facts.has_bom and facts.unreadable == {first} else "two-objects"
    if shown and leaf and shown[-1] not in set(facts.walk(leaf)) | parallel(set(chain), facts):
        return why_leaf(leaf, facts)
    if any("preservedSegment" in meta or "preservedMessages" in meta for meta in metadata(facts)):
        return "preserved"
    if cut_at and cut_at not in facts.records:
        return "missing-parent"
    if any(record.get("parentUuid") and record["uuid"] in chain for record in facts.boundaries()):
        return "boundary-parent"
    return why_leaf(leaf, facts) if leaf and not set(shown) & set(chain) else None


def why_leaf(leaf, facts):
    if facts.leaf_notes():
        return "last-prompt"
    return "leaf" if leaf == facts.last_main() else None


def metadata(facts):
    return [record.get("compactMetadata") or {} for record in facts.boundaries()]


def sub_agents(theirs, ours, folder):
    """(difference, rule) for each sub-agent that only one of the two knows; (None, None) for each that both do."""
    inside = os.path.join(folder, "subagents") + os.sep
    mine = {agent["id"]: agent.get("file") or "" for agent in ours.get("agents", []) + ours.get("unlinked", [])}
    for name in sorted(set(theirs) | mine.keys()):
        if name not in mine:
            yield f"only the SDK knows {name}", None
        elif name not in theirs:
            yield f"only annals knows {name}", None if mine[name].startswith(inside) else "old-layout"
        else:
            yield None, None


# ---- tests of this file ----


def self_test():
    import json

    def line(uuid, parent=None, kind="user", **more):
        record = {"type": kind, "uuid": uuid, "parentUuid": parent, "message": {"role": kind, "content": uuid}, **more}
        return json.dumps(record).encode() + b"\n"

    def response(uuid, parent, message, *blocks):
        return line(uuid, parent, "assistant", message={"id": message, "content": list(blocks)})

    plain = Facts(line("a") + line("b", "a", "assistant") + line("m", "b", isMeta=True))
    assert messages(["a", "b"], ["a", "b", "m"], plain) is None, "meta lines are not shown by the SDK"
    assert messages(["b"], ["a", "b"], plain) and messages(["b", "a"], ["a", "b"], plain)
    assert why_messages(["b"], ["a", "b"], plain) is None, "a plain loss must stay unexplained"

    parallel = Facts(
        line("a")
        + response("t1", "a", "x", {"type": "tool_use", "id": "1"})
        + response("t2", "t1", "x", {"type": "tool_use", "id": "2"})
        + line("r1", "t1", message={"content": [{"type": "tool_result", "tool_use_id": "1"}]})
        + line("r2", "t2", message={"content": [{"type": "tool_result", "tool_use_id": "2"}]})
        + line("b", "r2", "assistant")
    )
    assert messages(["a", "t1", "t2", "r1", "r2", "b"], ["a", "t1", "t2", "r2", "b"], parallel) is None

    marked = Facts(b"\xef\xbb\xbf" + line("a") + line("b", "a"))
    assert why_messages(["b"], ["a", "b"], marked) == "bom"
    double = Facts(line("a").strip() + line("b", "a") + line("c", "b"))
    assert why_messages(["c"], ["a", "b", "c"], double) == "two-objects"
    gap = Facts(line("a") + line("c", "gone"))
    assert why_messages(["c"], ["a", "c"], gap) == "missing-parent"
    noted = Facts(line("a") + line("b", "a") + line("c", "a") + b'{"type":"last-prompt","leafUuid":"b"}\n')
    assert why_messages(["a", "c"], ["a", "b"], noted) == "last-prompt"
    meta = Facts(line("a") + line("b", "a") + line("c", "a", isMeta=True))
    assert why_messages(["a", "b"], ["a", "c"], meta) == "leaf"
    edge = Facts(line("a") + line("k", "a", "system", subtype="compact_boundary") + line("s", "k"))
    assert why_messages(["a", "s"], ["k", "s"], edge) == "boundary-parent"

    agents = {"agents": [{"id": "1", "file": "/s/subagents/agent-1.jsonl"}], "unlinked": [{"id": "2", "file": "/agent-2.jsonl"}]}
    assert list(sub_agents(["1"], agents, "/s")) == [(None, None), ("only annals knows 2", "old-layout")]
    assert [rule for _, rule in sub_agents(["3"], {}, "/s")] == [None]
    assert same("x" * 200, "x" * 180) and not same("ab", "abc") and same(None, "")
    typed = line("a", message={"content": "<command-name>/clear</command-name>"}) + line("b", "a", message={"content": "go"})
    assert why_field("first prompts", "/clear", "/clear now", typed) == "command"
    assert why_field("first prompts", "/clear", "go", typed) is None
    assert why_field("first prompts", "/clear", "go", typed + b" " * 65536) == "head-and-tail"
    assert why_field("first prompts", "go", "/clearly not", typed) is None
    inner = line("a", isSidechain=True, message={"content": "look"}) + line("b", message={"content": "go"})
    assert why_field("first prompts", "look", "go", inner) == "sub-agent"
    assert why_field("first prompts", "go", "not in the file", typed) is None
    assert fold("<bash-input>ls\n-l</bash-input>") == "! ls -l"
    moved = line("a", cwd="/a") + line("b", "a", cwd="/b") + line("c", "b", cwd="/b")
    assert why_field("projects", "/a", "/b", moved) == "folder" and why_field("projects", "/b", "/a", moved) is None
    assert why_field("branches", "main", "other", line("a", gitBranch="main")) is None
    assert set(RULES) >= {"bom", "leaf", "preserved"}
    print("agree-with-sdk: self-test passed")
