"""annals chat and the client take turns in one session: each sends what the other has written, and the API accepts all of it."""
import os
import time

import client
import sessions
from bench import LEAVES_NO_TRACE, Failed, file_of, read
from round_trip import LAST_ANSWER, agree
from round_trip import SCRIPT as WORK

SCRIPT = {
    "hello": [[{"type": "thinking", "thinking": "A greeting: é 漢 😀."}, {"type": "text", "text": "Good day."}]],
    "ours": [[{"type": "thinking", "thinking": "Our turn."}, {"type": "text", "text": "Said by us."}]],
    "theirs": [[{"type": "thinking", "thinking": "Their turn."}, {"type": "text", "text": "Said by them."}]],
}
# How long after a write of the client that leaves no trace a file counts as its own.
FRESH_SECONDS = 10


def ours(bench, *arguments, prompt, script=None):
    """One run of annals chat that must go well: what it sent, and the session."""
    command = [bench.annals.path, "--data-dir", os.path.join(bench.config, os.pardir, "data"), "chat"]
    words = ["-p", *arguments, prompt, "--model", bench.model, "--output-format", "json"]
    done = client.run(command, bench.api, bench.config, bench.workdir, words, script or SCRIPT)
    if done.violations:
        raise Failed("the API would refuse ours: " + "; ".join(sorted(set(done.violations))))
    if done.code or done.result.get("is_error") is not False:
        raise Failed("ours: " + done.explain())
    if script and done.result["result"] != LAST_ANSWER:
        raise Failed("ours did not play the script to its end: " + done.explain())
    return done.requests[-1]["body"]["messages"], done.session


def case_ours_theirs_ours_theirs(bench):
    _, session_id = ours(bench, prompt="Say @@hello@@")
    path = file_of(bench, session_id)
    agree(bench, path, session_id)
    bench.ask("--resume", session_id, prompt="You: @@theirs@@", script=SCRIPT)
    if bench.version == LEAVES_NO_TRACE:
        time.sleep(FRESH_SECONDS)
    before = read(path)
    sent, again = ours(bench, "--resume", session_id, prompt="We: @@ours@@")
    if again != session_id or not read(path).startswith(before):
        raise Failed("it was not appended to")
    said = str(sent)
    for words in ("Good day.", "Said by them.", "A greeting"):
        if words not in said:
            raise Failed(f"ours does not send {words!r}: {said[-600:]}")
    agree(bench, path, session_id)


def case_ours_goes_on_with_everything(bench):
    session = bench.session(sessions.everything)
    ours(bench, "--resume", session.id, prompt="We: @@ours@@")
    agree(bench, session.path(bench.config), session.id)


def case_ours_works_with_tools(bench):
    sent, session_id = ours(bench, prompt="Do the work: @@work@@", script=WORK)
    said = str(sent)
    for words in ("alpha", "hi", "is_error"):
        if words not in said:
            raise Failed(f"the results do not say {words!r}: {said[-900:]}")
    path = file_of(bench, session_id)
    agree(bench, path, session_id)
    bench.ask("--resume", session_id, prompt="Do the work: @@work@@", script=WORK)
    if bench.version == LEAVES_NO_TRACE:
        time.sleep(FRESH_SECONDS)
    ours(bench, "--resume", session_id, prompt="Once more: @@work@@", script=WORK)
    agree(bench, path, session_id)
