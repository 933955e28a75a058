"""annals makes sessions shorter, and the client resumes what is left: it is what annals predicted, and what was meant."""
import json
import os

import sessions
from bench import Failed
from every_kind import every_kind
from sessions import text
from written import Written

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]
REMOVED = "[annals removed "
CALL, THOUGHT = '"type": "tool_use"', '"type": "thinking"'


def shortened(bench, command, path, *options):
    """One run of strip or compress, some time after the file was last written."""
    os.utime(path, (os.path.getmtime(path) - 3600,) * 2)
    done = bench.annals.json(command, path, *options, "--yes")
    if "undo" not in done:
        raise Failed(f"{command} {options}: {done}")
    os.utime(path, (os.path.getmtime(path) - 3600,) * 2)


def resumes(bench, path, session_id):
    """The client sends what annals predicts of the file; that is the answer, as one text."""
    predicted = bench.would_send(path)
    done = bench.ask("--resume", session_id, prompt=PROMPT)
    sent = bench.sent(done, PROMPT)
    bench.expect(predicted + ASKED, sent, "annals and the client")
    return json.dumps(sent, ensure_ascii=False)


def holds(sent, there=(), gone=()):
    for words in there:
        if words not in sent:
            raise Failed(f"it is not sent: {words}")
    for words in gone:
        if words in sent:
            raise Failed(f"it is still sent: {words}")


def busy(session, bench):
    """Four turns: tools at once after thinking, a call with nothing but thinking, a picture, and words."""
    long = "a line of output that is repeated\n" * 200
    session.prompt("Look twice.")
    session.respond(bench.thinking("Both at once."), text("Looking."), sessions.call(1, "Bash", command="ls", description="List"),
                    sessions.call(2, "Read", file_path="/a/b.txt"))
    session.results(sessions.result(1, "a.txt"), sessions.result(2, long))
    session.respond(text("Seen both."))
    session.prompt("Once more.")
    session.respond(bench.thinking("Just do it."), sessions.call(3, "Bash", command="exit 3", description="Fail"))
    session.results(sessions.result(3, "Exit code 3", is_error=True))
    session.respond(bench.thinking("It failed."), text("It failed."))
    session.prompt(text("What is this?"), sessions.picture())
    session.respond(text("A picture."))
    session.prompt("Thank you.")
    session.respond(bench.thinking("Polite."), text("Welcome."))


def case_without_tools_and_thinking(bench):
    session = bench.session(busy)
    path = session.path(bench.config)
    shortened(bench, "strip", path, "--tools", "all", "--thinking")
    sent = resumes(bench, path, session.id)
    holds(sent, ["Looking.", "Seen both.", "It failed.", "Welcome."], [CALL, THOUGHT, "line of output that", "Exit code 3"])


def case_without_tools_thoughts_hold(bench):
    session = bench.session(busy)
    path = session.path(bench.config)
    shortened(bench, "strip", path, "--tools", "Bash")
    holds(resumes(bench, path, session.id), ["Looking.", "line of output that", "It failed."], ["Exit code 3", "Just do it."])


def case_with_words_for_results_and_pictures(bench):
    session = bench.session(busy)
    path = session.path(bench.config)
    shortened(bench, "strip", path, "--tools", "Read", "--keep-calls", "--images")
    holds(resumes(bench, path, session.id), [REMOVED, "/a/b.txt", "a.txt", "What is this?"], ["line of output that", "base64"])


def case_compressed(bench):
    session = bench.session(busy)
    path = session.path(bench.config)
    shortened(bench, "compress", path, "--keep-turns", "2")
    sent = resumes(bench, path, session.id)
    holds(sent, ["shortened by annals", "Look twice.", "Once more.", "A picture.", "Welcome."], ["line of output that", CALL, "Just do it."])
    # The client went on in the file: it can be done again, and the first summary is part of the second.
    shortened(bench, "compress", path, "--keep-turns", "1")
    holds(resumes(bench, path, session.id), ["Look twice.", "What is this?", PROMPT], [CALL, THOUGHT])


def case_every_kind_of_record(bench):
    session = Written.new(bench, "--title", "Every kind")
    every_kind(session, 1)
    every_kind(session, 2)
    shortened(bench, "strip", session.path, "--tools", "all", "--thinking", "--images", "--progress", "--attachments")
    holds(resumes(bench, session.path, session.id), ["Part 1 is done.", "Part 2 is done."], [CALL, THOUGHT, "base64"])
    shortened(bench, "compress", session.path, "--keep-turns", "2")
    holds(resumes(bench, session.path, session.id), ["shortened by annals"], [CALL])
