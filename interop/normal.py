"""One normal form for conversations: what was meant, what a client sent, what annals says would be sent.

Everything that a session holds counts, in full and in order. Left out is what a client adds by a policy of the moment: system messages,
reminders, fillers for what is empty, cache marks, the line break that newer clients put between texts when they join neighbouring
lines. Neighbours of one role are one message, as the API sees them.
"""
import json
import re

FILLERS = {"No response requested.", "Continue from where you left off.", "(no content)"}
REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.S)

MARK = re.compile(r"</?system-reminder>")


def blocks_of(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content or []


def after_reminder(text):
    """Where the reminder ends that a text begins with; None where it begins with none. The oldest client puts one into another."""
    depth = 0
    for mark in MARK.finditer(text):
        if depth == 0 and text[:mark.start()].strip():
            return None
        depth += 1 if mark[0][1] != "/" else -1
        if depth == 0:
            return mark.end() + len(text[mark.end():]) - len(text[mark.end():].lstrip())
    return None


def without_reminders(text):
    """A text less the reminders around it; reminders inside a sentence are somebody's words."""
    while end := after_reminder(text):
        text = text[end:]
    while matches := [match for match in REMINDER.finditer(text) if match.end() == len(text)]:
        text = text[:matches[0].start()]
    return text


def of_block(block):
    """A block as far as it counts; None where it does not."""
    kind = block["type"]
    if kind == "text":
        text = without_reminders(block["text"])
        return None if text in FILLERS or not text else {"type": "text", "text": text}
    if kind == "tool_use":
        return {key: block[key] for key in ("type", "id", "name", "input")}
    if kind == "tool_result":
        inner = [found for found in map(of_block, blocks_of(block.get("content"))) if found]
        return {"type": kind, "id": block["tool_use_id"], "content": inner, "is_error": bool(block.get("is_error"))}
    return {key: value for key, value in block.items() if key != "cache_control"}


def of_messages(messages):
    """[{role, content}] as [(role, [block])]."""
    turns = []
    for message in messages:
        found = [block for block in map(of_block, blocks_of(message["content"])) if block]
        if message["role"] == "system" or not found:
            continue
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(found)
        else:
            turns.append((message["role"], found))
    return [(role, list(unbroken(blocks))) for role, blocks in turns]


def unbroken(blocks):
    """The blocks, without line breaks at the end of a text that another text follows."""
    for block, following in zip(blocks, [*blocks[1:], None]):
        before_text = following and block["type"] == following["type"] == "text"
        yield {**block, "text": block["text"].rstrip("\n")} if before_text else block


def difference(want, got):
    """Where two lists of messages first differ, in words; None where they say the same."""
    want, got = of_messages(want), of_messages(got)
    if want == got:
        return None
    at = next((place for place, (left, right) in enumerate(zip(want, got)) if left != right), min(len(want), len(got)))
    show = lambda side: json.dumps(side[at], ensure_ascii=False)[:400] if at < len(side) else "the end"
    return f"message {at + 1} of {len(want)}/{len(got)}:\n      wanted {show(want)}\n      got    {show(got)}"


def self_test():
    text = lambda role, *texts: {"role": role, "content": [{"type": "text", "text": each} for each in texts]}
    assert difference([text("user", "a")], [{"role": "user", "content": "a"}]) is None
    assert difference([text("user", "a", "b")], [text("user", "b", "a")]), "the order counts"
    assert difference([text("user", "a")], [text("user", "a ")]), "each letter counts"
    assert difference([text("user", "a", "b")], [text("user", "a"), {"role": "system", "content": "x"}, text("user", "b")]) is None
    reminded = text("user", "<system-reminder>x</system-reminder>", "a\n<system-reminder>\ny\n</system-reminder>\n")
    assert difference([text("user", "a")], [reminded]) is None, of_messages([reminded])
    nested = text("user", "<system-reminder>x<system-reminder>y</system-reminder>z</system-reminder>\na")
    assert difference([text("user", "a")], [nested]) is None, of_messages([nested])
    assert difference([text("user", "a"), text("user", "b\n")], [text("user", "a\n", "b\n")]) is None, "a line break at the seam"
    assert difference([text("user", "a", "b\n")], [text("user", "a", "b")]), "no seam, no line break"
    quoted = "say <system-reminder>x</system-reminder> please"
    assert of_messages([text("user", quoted)]) == [("user", [{"type": "text", "text": quoted}])]
    assert difference([text("user", "a"), text("assistant", "No response requested."), text("user", "b")], [text("user", "a", "b")]) is None
    call = {"type": "tool_use", "id": "t", "name": "X", "input": {"a": 1}}
    assert difference([{"role": "assistant", "content": [call]}], [{"role": "assistant", "content": [{**call, "input": {"a": 2}}]}])
    result = {"type": "tool_result", "tool_use_id": "t", "content": "ok", "cache_control": {"type": "ephemeral"}}
    same = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "ok"}], "is_error": False}
    assert difference([{"role": "user", "content": [result]}], [{"role": "user", "content": [same]}]) is None
    assert difference([{"role": "user", "content": [result]}], [{"role": "user", "content": [{**same, "is_error": True}]}])
    thought = {"type": "thinking", "thinking": "a", "signature": "s"}
    assert difference([{"role": "assistant", "content": [thought]}], [])
