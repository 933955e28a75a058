"""The harness can fail: what the real API refuses is refused here, and a history that is not as meant is seen."""
import normal
import sessions
from bench import Failed

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]


def case_changed_thinking_is_refused(bench):
    def changed(session, bench):
        session.prompt("Think.")
        session.respond({**bench.thinking("The plan."), "thinking": "Another plan."}, sessions.text("Done."))

    session = bench.session(changed)
    done = bench.run("--resume", session.id, prompt=PROMPT)
    if not any(broken.startswith("thinking_unchanged at messages.") for broken in done.violations):
        raise Failed(f"nobody noticed: {done.violations}")
    refused = [request for request in done.requests if request["violations"]]
    if any(request["status"] != 400 for request in refused):
        raise Failed("it was noticed and not refused")


def case_a_broken_pair_is_refused(bench):
    call, result = sessions.call(1, "Bash", command="ls"), sessions.result(1, "a.txt")
    body = {"model": bench.model, "max_tokens": 9, "messages": [
        {"role": "user", "content": "Look."}, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]}
    if (found := bench.post(body)) != (200, []):
        raise Failed(f"a sound request: {found}")
    body["messages"][2]["content"] = [sessions.text("no result")]
    if (found := bench.post(body)) != (400, ["tool_use_answered"]):
        raise Failed(f"a call without a result: {found}")


def case_a_missing_result_is_seen(bench):
    def torn(session, bench):
        session.prompt("Look.")
        session.respond(sessions.text("Looking."), sessions.call(1, "Bash", command="ls", description="List"))
        session.prompt("Well?")
        session.respond(sessions.text("Nothing."))

    # A client heals the file before it sends it: what it sends is sound, and not what the file says.
    session = bench.session(torn)
    done = bench.ask("--resume", session.id, prompt=PROMPT)
    if not normal.difference(session.history + ASKED, bench.sent(done, PROMPT)):
        raise Failed("the call without a result was sent as it is")
