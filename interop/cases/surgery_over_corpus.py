"""Every operation over real sessions of every release in the corpus: the client resumes each result with the history that was promised.

For each session: the operation's `--dry-run --json` says how many messages and tokens the client will send; the operation is carried out;
`annals show --as api` of the result must say as much, it must be right against the original (operations.py), and the real client must send
it, word for word. `run` tries a few sessions a case, others each day; `run --whole` all that real_sessions.py chooses.

What does not count, since it is no doing of the operation: thinking (the real API signed it, so the scripted one would refuse it, and newer
clients leave out that of another model), but what is sent of it must be as promised; the client's own words for a call that was never answered;
inputs of two tools, which some clients leave out; references to tools that the client at hand may not have; white space at the end of a
result, where the client may put a reminder; what the client says behind the prompt, such as a wish for a summary where the session is long.
"""
import datetime
import json
import os
import subprocess

import journeys
import normal
import operations
import real_sessions
from bench import Failed, read
from common import hermetic
from operations import OPERATIONS, THOUGHTS, Situation

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]
A_FEW, AT_LEAST = 2, 30  # sessions a case: in a run of every day, and in a whole one
# Rules of the API that real sessions break whatever annals does: the keys of the scripted API never signed their thinking.
NOT_OURS = ("thinking_unchanged",)
# 2.0.76 sends empty texts that newer clients wrote and leave out, wherever it finds them.
SENDS_EMPTY_TEXTS, EMPTY_TEXT = "2.0.76", "text_not_empty"
NEVER_ANSWERED = "[the session ended before this call was answered]"
# Inputs of calls that some clients leave out: all of them, or those that they had added themselves.
NOT_SENT = {"ExitPlanMode": (), "SendMessage": ("type", "recipient", "content")}
DOES_NOT_APPLY = (1, 2)  # exit codes: nothing found, or refused with a reason


class Broken(Failed):
    """A request that breaks a rule of the API."""


class Apart(Exception):
    """A session that an operation does not apply to, or that no client resumes; the text says why."""


def answer(bench, *words):
    """One run of annals: the JSON that it gives. Where it refuses, the session stands apart."""
    command = [bench.annals.path, *words, "--json", "--config-dir", bench.config, "--data-dir", os.path.join(bench.config, "..", "data")]
    done = subprocess.run(command, capture_output=True, text=True, env=hermetic(bench.annals.home.name), check=False)
    if done.returncode in DOES_NOT_APPLY:
        raise Apart((done.stderr.splitlines() or ["nothing"])[0].removeprefix("annals: "))
    if done.returncode not in (0, 3):
        raise Failed(f"{' '.join(words)}: exit {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def promise(bench, path):
    """What annals says that this client sends of a file."""
    shown = answer(bench, "show", path, "--as", "api", "--client", bench.version)
    if not shown.get("messages"):
        raise Apart("the client sends nothing of it")
    return shown["messages"]


def predicted(bench, dry):
    """How many messages the preview promises of this client, and about how many tokens; None where it promises nothing."""
    found = [client for client in dry.get("clients", []) if client["client"] == bench.version]
    return (found[0].get("messagesAfter"), found[0].get("tokensAfter")) if found else None


def carry_out(bench, operation, real):
    """One operation on one session, up to the client's answer."""
    path = real.put(bench)
    data = operation.damage(real.bytes) if operation.damage else real.bytes
    if data is None:
        raise Apart("it is too short to be broken")
    with open(path, "wb") as file:
        file.write(data)
    real_sessions.settle(path)
    original = promise(bench, path)
    turns = answer(bench, "show", path, "--as", "turns")["turns"]
    if operation.journey:
        return journey(bench, operation, path, data, original, turns)
    words = operation.ask(data, turns)
    if words is None:
        raise Apart("it has too few turns")
    command, *options = words
    # A title goes right behind the session.
    on = lambda session, *more: answer(bench, command, session, *options, *more)
    dry = on(path, "--dry-run")
    if read(path) != data:
        raise Failed("a preview wrote to the file")
    done = on(path, "--yes")
    for further in operation.then:
        answer(bench, further[0], path, *further[1:], "--yes")
    if "undo" not in done:
        if read(path) != data:
            raise Failed("there was nothing to do, and the file was changed")
        return "untouched"
    result = done["file"] if operation.makes_new else path
    promised = promise(bench, result)
    kept = predicted(bench, dry)
    if kept is not None and kept[0] != len(promised):
        raise Failed(f"the preview promised {kept[0]} messages, there are {len(promised)}")
    operation.right(original, promised, Situation(bench.version, turns, words))
    resumes_as_promised(bench, result, promised, (path, data, original))
    return "held"


def journey(bench, operation, path, data, original, turns):
    """The session goes somewhere and comes back."""
    try:
        operation.journey(bench, lambda *words: answer(bench, *words), path, turns)
    except journeys.NotHere as why:
        raise Apart(str(why)) from why
    promised = promise(bench, path)
    operation.right(original, promised, Situation(bench.version, turns, []))
    resumes_as_promised(bench, path, promised, (path, data, original))
    return "held"


def resumes_as_promised(bench, result, promised, before):
    """The client resumes the result. Where it breaks a rule of the API: does it with the session as it was, too?"""
    real_sessions.settle(result)
    try:
        resumes(bench, session_of(result), promised)
    except Broken as fault:
        path, data, original = before
        with open(path, "wb") as file:
            file.write(data)
        try:
            resumes(bench, session_of(path), original)
        except Broken as same:
            if str(same) == str(fault):
                raise Apart(f"of the session as it was, {fault}") from fault
        raise


def session_of(path):
    return os.path.basename(path).removesuffix(".jsonl")


def resumes(bench, session_id, promised):
    """The client sends what was promised, and breaks no rule of the API by it."""
    done = bench.run("--resume", session_id, prompt=PROMPT)
    not_ours = (*NOT_OURS, EMPTY_TEXT) if bench.version == SENDS_EMPTY_TEXTS else NOT_OURS
    broken = sorted({rule for rule in done.violations if not rule.startswith(not_ours)})
    if broken:
        raise Broken("the API would refuse it: " + "; ".join(broken))
    if not done.violations and (done.code or done.result.get("is_error") is not False):
        raise Failed(done.explain())
    sent = up_to_prompt(bench.sent(done, PROMPT))
    bench.expect(plain(promised, promised) + ASKED, plain(sent, promised), "the client does not send what was promised")
    thoughts = lambda messages: [block for _, block in operations.blocks(messages, THOUGHTS)]
    if operations.in_order(thoughts(sent), thoughts(promised)):
        raise Failed("the client sends a thought that was not promised")


def trimmed(block):
    return {**block, "text": normal.without_reminders(block["text"]).rstrip()} if block["type"] == "text" else block


def up_to_prompt(messages):
    """What is sent, without what the client says behind the prompt."""
    for at in reversed(range(len(messages))):
        blocks = normal.blocks_of(messages[at]["content"])
        places = [place for place, block in enumerate(blocks) if block.get("text", "").strip() == PROMPT]
        if places:
            return [*messages[:at], {**messages[at], "content": [*blocks[:places[-1]], {"type": "text", "text": PROMPT}]}]
    return messages


def plain(messages, promised):
    """Messages without what does not count."""
    results = [block for message in promised for block in normal.blocks_of(message["content"]) if block["type"] == "tool_result"]
    speaks = lambda block: any(word in json.dumps(block.get("content")) for word in (NEVER_ANSWERED, '"tool_reference"'))
    worded = {block["tool_use_id"] for block in results if speaks(block)}

    def of(block):
        if block["type"] == "tool_result" and block["tool_use_id"] in worded:
            return {**block, "content": [], "is_error": True}
        if block["type"] == "tool_result":
            return {**block, "content": [trimmed(inner) for inner in normal.blocks_of(block.get("content"))]}
        if block["type"] == "tool_use" and block["name"] in NOT_SENT:
            left_out = NOT_SENT[block["name"]]
            return {**block, "input": {key: value for key, value in block["input"].items() if left_out and key not in left_out}}
        return block

    counts = lambda block: block["type"] not in THOUGHTS and block.get("text") != "Tool loaded."
    kept = lambda content: [of(block) for block in normal.blocks_of(content) if counts(block)]
    return [{**message, "content": kept(message["content"])} for message in messages]


def sample(bench, place):
    """The sessions of this run: all, or a few that move on from day to day and from case to case."""
    wanted = lambda real: any(word in real.label for word in bench.session_word.split(","))
    every = [real for real in real_sessions.chosen(bench.annals) if wanted(real)]
    if not every:
        bench.said = "no corpus"
    if bench.whole or not every:
        return every
    day = datetime.date.today().toordinal()
    start = (day * A_FEW + place * 5) % len(every)
    return (every + every)[start:start + A_FEW * (len(every) // A_FEW):len(every) // A_FEW][:A_FEW]


def over_corpus(bench, operation, place):
    counts, apart, wrong = {"held": 0, "untouched": 0}, {}, []
    for real in sample(bench, place):
        try:
            counts[carry_out(bench, operation, real)] += 1
        except Apart as why:
            apart.setdefault(str(why).split(": ")[-1][:60], []).append(real.label)
        except Failed as fault:
            wrong.append(f"{real.label}: {fault}")
    held = counts["held"] + counts["untouched"]
    reasons = "".join(f"; {len(labels)} apart: {why} ({', '.join(labels)})" for why, labels in apart.items())
    bench.said = f"{held} of {held + len(wrong)} held, {counts['untouched']} of them untouched{reasons}"
    if bench.whole and not bench.session_word and held < AT_LEAST:
        wrong.append(f"that are fewer than {AT_LEAST}")
    if wrong:
        raise Failed("\n".join(wrong))


def tried(operation, place):
    return lambda bench: over_corpus(bench, operation, place)


for _place, _operation in enumerate(OPERATIONS):
    globals()["case_" + _operation.name.replace(" ", "_")] = tried(_operation, _place)
