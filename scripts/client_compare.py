"""One normal form for what a client was seen to send and for what annals says it would send.

Only what the session file holds counts: for each run of messages of one role, the set of its texts (the first 60 characters, white
space folded), tool calls and results. Left out on both sides is what a client adds, words or drops by a policy of the moment: reminders,
thinking, fallback blocks, fillers for what is empty or missing.

The recordings are one string a message: `U[…]` or `A[…]`, its items joined by ` | `: a text, `TU(id)`, `TR(id:first words)`, `IMAGE`.
"""
import re

FILLERS = {"No response requested.", "Continue from where you left off.", "(no content)", "Tool loaded.", "[Tool use interrupted]"}
DROPPED = {"thinking", "redacted_thinking", "fallback"}
KINDS = {"IMAGE", "DOCUMENT", "SERVER_TOOL_USE", "WEB_SEARCH_TOOL_RESULT"}
BAR = " | "
CALL = re.compile(r"TU\(([^)|]*)\)?(?: \| |\Z)")
# The first words of a result may hold bars and brackets of their own: it ends where a bracket is followed by a bar or the end.
RESULT = re.compile(r"TR\(([^:!)]*).*?\)(?: \| |\Z)", re.S)


def fold(text):
    return re.sub(r"\s+", " ", text).strip()[:60].rstrip(".… ")


def of_recording(message):
    """The items of a recorded message."""
    rest = message[2:-1]
    while rest:
        if match := CALL.match(rest):
            yield f"use {match[1]}"
        elif match := RESULT.match(rest):
            yield f"result {match[1]}"
        else:
            part, _, rest = rest.partition(BAR)
            if part.lower() not in DROPPED:
                yield part.lower() if part in KINDS else part
            continue
        rest = rest[match.end():]


def of_message(message):
    """The items of a message as annals gives it."""
    content = message["content"]
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
        kind = block["type"]
        if kind == "text" and not block["text"].lstrip().startswith("<system-reminder>"):
            # Recordings cut long texts, and a bar inside a text looks like one between items.
            yield from (block["text"] if len(block["text"]) < 90 else block["text"][:87] + "...").split(BAR)
        elif kind == "tool_use":
            yield "use " + block["id"].replace("toolu_", "")
        elif kind == "tool_result":
            yield "result " + block["tool_use_id"].replace("toolu_", "")
        elif kind != "text" and kind not in DROPPED:
            yield kind


def normal(messages):
    """[(role, items)] to [(role, set of items)]: fillers gone, neighbours of one role joined."""
    fillers = {fold(text) for text in FILLERS} | {""}
    runs = []
    for role, items in messages:
        kept = {item if item.startswith(("use ", "result ")) else fold(item) for item in items} - fillers
        if kept and runs and runs[-1][0] == role:
            runs[-1][1].update(kept)
        elif kept:
            runs.append((role, kept))
    return runs


def difference(history, messages):
    """Where the two first differ, in words; None where they agree."""
    want = normal((recorded[0], of_recording(recorded)) for recorded in history)
    got = normal((message["role"][0].upper(), of_message(message)) for message in messages)
    if want == got:
        return None
    at = next((place for place, (left, right) in enumerate(zip(want, got)) if left != right), min(len(want), len(got)))
    show = lambda side: f"{side[at][0]} {sorted(side[at][1])[:3]}"[:200] if at < len(side) else "the end"
    return f"message {at + 1} of {len(want)}/{len(got)}: client {show(want)}, annals {show(got)}"


def self_test():
    recorded = "U[hello | TU(1) | TR(2:a | b) | TR(3!:x (y) z) | IMAGE | THINKING | (no content)]"
    assert list(of_recording(recorded)) == ["hello", "use 1", "result 2", "result 3", "image", "(no content)"], list(of_recording(recorded))
    message = {
        "role": "user",
        "content": [
            {"type": "text", "text": "hello"},
            {"type": "text", "text": "<system-reminder>x"},
            {"type": "tool_use", "id": "toolu_1"},
            {"type": "tool_result", "tool_use_id": "toolu_2"},
            {"type": "tool_result", "tool_use_id": "3"},
            {"type": "image"},
        ],
    }
    assert difference([recorded], [message]) is None
    assert difference([recorded, "A[No response requested.]"], [message]) is None, "fillers do not count"
    assert difference(["U[a]", "U[b]"], [{"role": "user", "content": "b"}, {"role": "user", "content": "a"}]) is None, "one role, one run"
    assert difference(["U[a]", "A[b]"], [{"role": "user", "content": "a"}])
    assert difference(["U[TR(1:x)]"], [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_2"}]}])
    long = "x" * 70 + " | " + "y" * 40
    assert difference([f"U[{long[:87]}...]"], [{"role": "user", "content": long}]) is None
