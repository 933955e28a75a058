"""The API fails and the client copes: what it leaves in the file is still what it sends next."""
import sessions
from bench import Failed
from round_trip import agree

SCRIPT = {
    "busy": [{"status": 529, "error": "overloaded_error", "message": "Overloaded", "times": 2, "content": [{"type": "text", "text": "At last."}]}],
    "cut": [
        {"break_after_events": 9, "times": 1, "content": [
            {"type": "text", "text": "The first part."},
            {"type": "tool_use", "name": "Bash", "input": {"command": "echo hi; echo and some more words", "description": "Speak"}}]},
        [{"type": "text", "text": "The end."}],
    ],
}


def case_after_an_overload(bench):
    session = bench.session(sessions.talk)
    done = bench.ask("--resume", session.id, prompt="Go on: @@busy@@", script=SCRIPT)
    statuses = [request["status"] for request in done.requests if request["method"] == "POST"]
    if statuses.count(529) != 2 or done.result["result"] != "At last.":
        raise Failed(f"it did not try again: {statuses}, {done.explain()}")
    agree(bench, session.path(bench.config), session.id)


def case_after_a_stream_that_broke_off(bench):
    session = bench.session(sessions.talk)
    # Some releases go on by themselves, some give up: either way the file must hold what is sent next.
    done = bench.run("--resume", session.id, prompt="Go on: @@cut@@", script=SCRIPT)
    if done.violations:
        raise Failed("the API would refuse it: " + "; ".join(done.violations))
    agree(bench, session.path(bench.config), session.id)
