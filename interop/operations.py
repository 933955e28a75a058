"""Every operation of annals that changes a session: how it is asked for, and what must be true of what clients send afterwards.

OPERATIONS is the table; a new operation is one line in it. `ask` gives the words of the command for a session (None where there is nothing
to ask for), `right` holds the promise for the result against the promise for the original, as messages of the API.
"""
import dataclasses
import json
import re
from typing import Callable, Optional

import journeys
import normal
from bench import Failed

OWN_ID = re.compile(r"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|a[0-9a-f]{16}|[0-9a-f]{7,8})\b")
PLACEHOLDER = re.compile(r"\[REDACTED:[a-z-]+:\d+\]")
THOUGHTS = ("thinking", "redacted_thinking")
NO_PROGRESS = "2.0.76"  # the client that cannot cross progress, and finds more history where it is gone
LONG_RESULT = 2_000
PATTERN = "(?i)the|file"  # what is redacted: nearly every text has it
ORPHANED = "[Orphaned tool result removed due to conversation resume]"  # for which a repair finds the result


@dataclasses.dataclass
class Operation:
    """One line of the table."""

    name: str
    ask: Callable  # (session as it is, turns) -> words of the command, the session left out
    right: Callable  # (original messages, result messages, situation) -> None, or raises Failed
    damage: Optional[Callable] = None  # what is done to the file first
    makes_new: bool = False  # the result is another session
    then: tuple = ()  # further commands on the same session
    journey: Optional[Callable] = None  # instead of one command: several, after which the session is where it was (journeys.py)


@dataclasses.dataclass
class Situation:
    """What a check may want to know besides the messages."""

    version: str
    turns: list
    words: list


# ---- what must be true ----

def blocks(messages, kinds=None):
    """All blocks that count, in order."""
    found = [(role, block) for role, inner in normal.of_messages(messages) for block in inner]
    return [(role, block) for role, block in found if kinds is None or block["type"] in kinds]


def texts(messages, role=None):
    """All texts; whether one ends its line depends on what follows it."""
    return [block["text"].rstrip("\n") for whose, block in blocks(messages, ("text",)) if role in (None, whose)]


def in_order(part, whole):
    """The first of `part` that is not in `whole`, in order; None where all are."""
    rest = iter(whole)
    return next((one for one in part if not any(one == other for other in rest)), None)


def the_same(original, result, _):
    if found := normal.difference(nameless(original), nameless(result)):
        raise Failed(f"it says something else than the original: {found}")


def nameless(messages):
    """Messages without the ids that a copy has of its own."""
    return json.loads(OWN_ID.sub("ID", json.dumps(messages)))


def the_same_elsewhere(original, result, situation):
    """The same, but for the folder of the project in paths into it, which lead to files that moved along."""
    placeless = lambda messages: json.loads(re.sub(r"(projects/)-[A-Za-z0-9-]+", r"\1FOLDER", json.dumps(messages)))
    the_same(placeless(original), placeless(result), situation)


def ends_with_the_turn(original, result, situation):
    turn = int(situation.words[situation.words.index("--turn") + 1])
    said = texts(result)
    for following in situation.turns[turn:]:
        prompt = following["prompt"]
        if prompt in said and not any(prompt == before["prompt"] for before in situation.turns[:turn]):
            raise Failed(f"the fork of turn {turn} continues with {prompt[:100]!r}")
    if not said:
        raise Failed("the fork says nothing")


def words_stay(original, result, situation):
    """Every word of the model is still sent, and, but for the client that now finds more, nothing else is."""
    if missing := in_order(texts(original, "assistant"), texts(result, "assistant")):
        raise Failed(f"a reply is no longer sent: {missing[:200]!r}")
    new = in_order(texts(result, "assistant"), texts(original, "assistant"))
    if new and situation.version != NO_PROGRESS:
        raise Failed(f"it says what was not said: {new[:200]!r}")


def talk_alone(original, result, situation):
    words_stay(original, result, situation)
    for role, block in blocks(result):
        if block["type"] in ("tool_use", "tool_result", *THOUGHTS):
            raise Failed(f"{block['type']} is still sent")


def short_results(original, result, situation):
    words_stay(original, result, situation)
    of = lambda messages: [block["id"] for _, block in blocks(messages, ("tool_use",))]
    if missing := in_order(of(original), of(result)):
        raise Failed(f"the call {missing} is gone")
    for _, block in blocks(result, ("tool_result",)):
        for inner in block["content"]:
            if inner["type"] == "image":
                raise Failed(f"{block['id']}: an image is still sent")
            if len(inner.get("text", "")) > LONG_RESULT:
                raise Failed(f"{block['id']}: {len(inner['text'])} characters are still sent")


def summed_up(original, result, _):
    first, *rest = texts(result)
    if "shortened by annals" not in first:
        raise Failed(f"it starts with {first[:200]!r}, not with the summary")
    # What stays is what was said last; where a client finds more than before, what was said last is still there.
    before, count = texts(original), min(len(rest), len(texts(original)))
    if count and before[-count:] != rest[-count:]:
        raise Failed("what stays is not what was said last")


def nothing_less(original, result, _):
    if len(result) < len(original):
        raise Failed(f"{len(original)} messages became {len(result)}")
    left = texts(result)
    for text in texts(original):
        if text == ORPHANED:
            continue
        if text not in left:
            raise Failed(f"it is no longer sent: {text[:200]!r}")
        left.remove(text)


def leaves(value):
    """Every string inside a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)


def redacted(original, result, _):
    """Only placeholders are new: between them, every string is as it was."""
    counts = lambda block: block["type"] not in THOUGHTS and block.get("text") != "[REDACTED:thinking]"
    spoken = lambda messages: [text.rstrip("\n") for _, block in blocks(messages) if counts(block) for text in leaves(block)]
    before, after = spoken(original), spoken(result)
    if len(before) != len(after):
        raise Failed(f"{len(before)} strings became {len(after)}")
    for old, new in zip(before, after):
        if not is_redaction(old, new):
            raise Failed(f"more than a secret changed: {old[:150]!r} became {new[:150]!r}")
    # Most often it is in a text; where only a thought had it, the thought is gone.
    if before == after and any(re.search(PATTERN, text) for text in texts(original)):
        raise Failed("no placeholder is sent")


def is_redaction(old, new):
    first, *pieces = PLACEHOLDER.split(new)
    if not old.startswith(first) or (not pieces and old != new):
        return False
    at = len(first)
    for piece in pieces[:-1]:
        at = old.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return not pieces or (old.endswith(pieces[-1]) and len(old) - len(pieces[-1]) >= at)


# ---- how it is asked for ----

def always(*words):
    return lambda data, turns: list(words)


def at_a_turn(*words):
    """In the middle of the session; where it has one turn, at its end."""
    return lambda data, turns: [*words, "--turn", str((len(turns) + 1) // 2)] if turns else None


def with_turns(*words):
    return lambda data, turns: list(words) if len(turns) > 1 else None


def chain(lines):
    """The places of the lines that go on from another line of the conversation."""
    return [place for place, line in enumerate(lines) if b'"parentUuid":"' in line and b'"isSidechain":true' not in line]


def break_it(data):
    """A broken copy: in the middle a line that starts over, near the beginning two lines glued, at the end a torn one."""
    lines = [line if line.endswith(b"\n") else line + b"\n" for line in data.splitlines(keepends=True)]
    places = chain(lines)
    if len(places) < 4:
        return None
    middle = places[len(places) // 2]
    lines[middle] = re.sub(rb'"parentUuid":"[^"]*"', b'"parentUuid":null', lines[middle], count=1)
    lines[places[1]] = lines[places[1]].rstrip(b"\n")
    return b"".join(lines) + lines[places[-1]][:60]


STRIP_TO_TALK = always("strip", "--tools", "all", "--thinking")
STRIP_TO_SHORT = always("strip", "--tools", "all", "--keep-calls", "--images", "--progress", "--attachments", "--large-results", str(LONG_RESULT))

OPERATIONS = [
    Operation("clone", always("clone"), the_same, makes_new=True),
    Operation("fork at the end", always("fork"), the_same, makes_new=True),
    Operation("fork at a turn", at_a_turn("fork"), ends_with_the_turn, makes_new=True),
    Operation("fork with its ids", always("fork", "--keep-ids"), the_same, makes_new=True),
    Operation("strip to the talk", STRIP_TO_TALK, talk_alone),
    Operation("strip to short results", STRIP_TO_SHORT, short_results),
    Operation("compress", with_turns("compress", "--keep-turns", "1"), summed_up),
    Operation("redact", always("redact", "--pattern", PATTERN), redacted),
    Operation("repair broken copies", always("repair"), nothing_less, damage=break_it),
    Operation("repair as they are", always("repair"), nothing_less),
    Operation("move-project", always(), the_same_elsewhere, journey=journeys.move_here),
    Operation("merge", always(), nothing_less, journey=journeys.cut_and_merge),
    Operation("trash and restore", always(), the_same, journey=journeys.trash_and_restore),
    Operation("archive and restore", always(), the_same, journey=journeys.archive_and_restore),
    Operation("bundle and import", always(), the_same, journey=journeys.bundle_and_import),
    Operation("rename and tag", always("rename", "Another name"), the_same, then=(["tag", "a-tag"],)),
]


def self_test():
    say = lambda role, *said: {"role": role, "content": [{"type": "text", "text": text} for text in said]}
    old = [say("user", "the key is abc"), say("assistant", "so it is")]
    new = [say("user", "[REDACTED:pattern:1] key is [REDACTED:assignment:1]"), say("assistant", "so it is")]
    situation = Situation("2.1.325", [{"prompt": "a"}, {"prompt": "b"}], ["fork", "--turn", "1"])
    holds = lambda right, *sides: not fails(right, *sides)

    def fails(right, *sides):
        try:
            right(*sides, situation)
        except Failed:
            return True
        return False

    assert holds(redacted, old, new)
    assert fails(redacted, old, old) and fails(redacted, old, [new[0], say("assistant", "so it was")])
    assert fails(redacted, old, [say("user", "[REDACTED:pattern:1] lock is [REDACTED:assignment:1]"), old[1]])
    assert holds(the_same, old, old) and fails(the_same, old, new)
    here, there = ([say("user", f"/h/projects/{folder}/x.txt")] for folder in ("-a-b", "-c"))
    assert holds(the_same_elsewhere, here, there) and fails(the_same, here, there) and fails(the_same_elsewhere, here, old)
    assert holds(words_stay, old, new) and fails(words_stay, old, old[:1]) and fails(words_stay, old[:1], old)
    assert holds(ends_with_the_turn, old, [say("user", "a")]) and fails(ends_with_the_turn, old, [say("user", "a", "b")])
    assert fails(talk_alone, [], [{"role": "assistant", "content": [{"type": "thinking", "thinking": "x"}]}])
    assert holds(nothing_less, old, old) and fails(nothing_less, old, new) and fails(nothing_less, old, old[:1])
    summary = say("user", "shortened by annals")
    assert holds(summed_up, old, [summary, old[1]]) and fails(summed_up, old, [summary, old[0]]) and fails(summed_up, old, old)
    assert in_order([1, 3], [1, 2, 3]) is None and in_order([3, 1], [1, 2, 3]) == 1
