"""Secrets are taken out of a session by annals, and the client resumes what is left: it is what annals predicted."""
import json
import os
import random
import subprocess

import sessions
from bench import Failed, read
from common import hermetic

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]
LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def token():
    """A token of a known shape that opens nothing."""
    return "ghp_" + "".join(random.Random(7).choices(LETTERS, k=36))


def annals(bench, *arguments):
    """One run of annals, with a data folder of its own; its exit code and what it says."""
    home = os.path.join(bench.config, "..", "home")
    os.makedirs(home, exist_ok=True)
    words = [bench.annals.path, "--config-dir", bench.config, "--data-dir", os.path.join(home, "data"), *arguments]
    done = subprocess.run(words, capture_output=True, text=True, env=hermetic(home), check=False)
    return done.returncode, done.stdout + done.stderr


def redacted(bench, path, *options):
    """Redacts a file, and holds it to its word: nothing is found again."""
    code, said = annals(bench, "redact", path, "--yes", *options)
    if code:
        raise Failed(f"redact: {code} {said}")
    code, said = annals(bench, "redact", path, "--scan", *options)
    if code:
        raise Failed(f"a second scan finds something: {said}")


def secretive(session, bench):
    """A talk in which a token is everywhere: asked, thought, called, answered, and after a compaction."""
    secret = token()
    sessions.talk(session, bench)
    session.prompt(f"Use \"{secret}\",\nand DB_PASSWORD=Xk29-mmQp7-horse.")
    session.respond(bench.thinking(f"They said {secret}."), sessions.text("I will."))
    session.prompt("Look at it.")
    session.respond(bench.thinking("Nothing secret here."), sessions.call(31, "Bash", command=f"echo {secret}", description="Say"))
    session.results(sessions.result(31, f"{secret} é Xk29-mmQp7-horse"))
    session.respond(sessions.text(f"It is {secret}."))
    session.prompt("Thank you.")
    session.respond(bench.thinking("Done."), sessions.text("You are welcome."))


def resumes(bench, path, session_id):
    """The client sends what annals predicts of the file; that is the answer."""
    predicted = bench.would_send(path)
    done = bench.ask("--resume", session_id, prompt=PROMPT)
    bench.expect(predicted + ASKED, bench.sent(done, PROMPT), "annals and the client")
    return json.dumps(bench.sent(done, PROMPT), ensure_ascii=False)


def case_a_redacted_session_resumes(bench):
    session = bench.session(secretive)
    path = session.path(bench.config)
    before = read(path)
    redacted(bench, path)
    sent = resumes(bench, path, session.id)
    if token() in sent or "Xk29-mmQp7-horse" in sent:
        raise Failed("a secret is sent")
    for word in ("[REDACTED:github-token:1]", "[REDACTED:assignment:1]", "You are welcome.", "A blue square."):
        if word not in sent:
            raise Failed(f"{word} is not sent")
    if before == read(path):
        raise Failed("nothing was changed")


def case_a_harmless_session_is_left_alone(bench):
    session = bench.session(sessions.everything)
    before = read(session.path(bench.config))
    redacted(bench, session.path(bench.config))
    if read(session.path(bench.config)) != before:
        raise Failed("a session without a secret was changed")


def case_a_pattern_in_every_kind_of_record(bench):
    session = bench.session(sessions.everything)
    options = ("--pattern", "(?i)two|picture|think|one|summary")
    redacted(bench, session.path(bench.config), *options)
    if "[REDACTED:pattern:1]" not in resumes(bench, session.path(bench.config), session.id):
        raise Failed("no placeholder is sent")
