"""Sessions that were cut in two: annals makes one of the halves again, and the client resumes all of it."""
import glob
import json
import os
import re
import uuid

import sessions
from bench import Failed, file_of, read
from every_kind import every_kind
from move import ASKED, PROMPT, age, real_sessions, sent_by_client
from sessions import text
from written import Written


def halves(bench, session_id, lines, at, tell=lambda line: line):
    """Writes lines as two sessions, the second under a name of its own; the ids and the paths."""
    other = str(uuid.uuid5(sessions.NAMES, session_id))
    named = re.compile(rb'("sessionId": ?")' + session_id.encode())
    cut = {session_id: lines[:at], other: [tell(named.sub(rb"\g<1>" + other.encode(), line)) for line in lines[at:]]}
    for name, part in cut.items():
        path = file_of(bench, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"\n".join(part) + b"\n")
        age(path)
    return other


def merged(bench, first, second, *options):
    done = bench.annals.json("merge", file_of(bench, first), file_of(bench, second), "--yes", *options)
    if "undo" not in done or os.path.exists(file_of(bench, second)):
        raise Failed(f"merge: {done}")
    age(file_of(bench, first))


def resumes(bench, session_id, want, what):
    promised = bench.would_send(file_of(bench, session_id))
    if want is not None:
        bench.expect(want, promised, f"{what}: annals")
    done = bench.ask("--resume", session_id, prompt=PROMPT)
    bench.expect(promised + ASKED, bench.sent(done, PROMPT), f"{what}: the client")


def talk(session, bench):
    for number in ("one", "two", "three", "four"):
        session.prompt(f"Say {number}.")
        session.respond(bench.thinking(f"So, {number}."), text(f"{number}."))


def orphaned(line):
    """The first line of a file that knows nothing of another."""
    record = json.loads(line)
    return json.dumps({**record, "parentUuid": None}).encode() if "Say three." in line.decode() else line


def case_halves(bench):
    session = bench.session(talk)
    path = session.path(bench.config)
    want, lines = bench.would_send(path), read(path).splitlines()
    at = next(number for number, line in enumerate(lines) if b"Say three." in line)
    for tell in (lambda line: line, orphaned):
        other = halves(bench, session.id, lines, at, tell)
        merged(bench, session.id, other)
        resumes(bench, session.id, want, "two halves")


def case_the_client_forked_and_went_on(bench):
    """The client's own fork, which repeats the first and goes on, becomes part of it."""
    session = bench.session(talk)
    age(session.path(bench.config))
    fork = bench.ask("--resume", session.id, "--fork-session", prompt="Go on elsewhere.").session
    if fork in (None, session.id):
        raise Failed("the client made no fork")
    age(file_of(bench, fork))
    want = bench.would_send(file_of(bench, fork))
    merged(bench, session.id, fork)
    resumes(bench, session.id, want, "a fork of the client")


def case_every_kind_of_record(bench):
    session, second = Written.new(bench), Written.new(bench)
    every_kind(session, 1)
    every_kind(second, 2)
    for written in (session, second):
        age(written.path)
    first, then = bench.would_send(session.path), bench.would_send(second.path)
    outputs = len(glob.glob(os.path.join(second.path.removesuffix(".jsonl"), "*", "*")))
    merged(bench, session.id, second.id, "--anyway")
    said = json.dumps(bench.would_send(session.path), ensure_ascii=False)
    for message in (first[0], first[-1], then[0], then[-1]):
        words = message["content"] if isinstance(message["content"], str) else next(block.get("text", "") for block in message["content"])
        if json.dumps(words, ensure_ascii=False)[1:-1] not in said:
            raise Failed(f"it is not sent: {words[:200]}")
    if outputs and not len(glob.glob(os.path.join(session.path.removesuffix(".jsonl"), "*", "*"))) >= outputs:
        raise Failed("what belongs to the second did not come over")
    resumes(bench, session.id, None, "sessions of every kind")


def case_real_sessions(bench):
    """Real sessions, cut before a prompt, and made one again: the client sends what it sends of the whole."""
    found, done = real_sessions(turns=2), 0
    for session_id, original in found:
        whole, path = read(original), file_of(bench, session_id)
        prompts = [turn["promptUuid"].encode() for turn in bench.annals.json("show", original, "--as", "turns")["turns"]]
        if len(prompts) < 2 or not bench.would_send(original):
            continue
        lines = whole.splitlines()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        want = sent_by_client(bench, session_id, path, whole)
        for prompt in prompts[len(prompts) // 2:]:
            at = next(number for number, line in enumerate(lines) if b'"uuid":"' + prompt in line)
            try:
                merged(bench, session_id, halves(bench, session_id, lines, at))
            except RuntimeError as refusal:
                # A prompt that was sent again after a rewind is no second half.
                if "they diverged" in str(refusal):
                    continue
                raise
            bench.expect(bench.would_send(original), bench.would_send(path), f"{session_id}: annals")
            bench.expect(want, sent_by_client(bench, session_id, path, None), f"{session_id}: the client")
            done += 1
            break
    if found and not done:
        raise Failed("no real session could be merged")
