"""annals chat and the client take turns in one session: each sends what the other has written, and the API accepts all of it."""
import glob
import json
import os
import time

import client
import sessions
from bench import LEAVES_NO_TRACE, Failed, file_of, read
from round_trip import LAST_ANSWER, agree
from round_trip import SCRIPT as WORK
from every_kind import agent_tool

SCRIPT = {
    "hello": [[{"type": "thinking", "thinking": "A greeting: é 漢 😀."}, {"type": "text", "text": "Good day."}]],
    "ours": [[{"type": "thinking", "thinking": "Our turn."}, {"type": "text", "text": "Said by us."}]],
    "theirs": [[{"type": "thinking", "thinking": "Their turn."}, {"type": "text", "text": "Said by them."}]],
}
# The one that runs a command is the one that is interrupted.
STOP = [{"type": "tool_use", "name": "Bash", "input": {"command": "echo begun; kill -INT $PPID; sleep 30", "description": "Wait"}}]


def errand(tool, script):
    words = {"description": "An errand", "prompt": f"Go: @@{script}@@", "subagent_type": "general-purpose"}
    return {"type": "tool_use", "name": tool, "input": words}


# How long after a write of the client that leaves no trace a file counts as its own.
FRESH_SECONDS = 10


def run(bench, *arguments, prompt, script=None):
    """One run of annals chat that breaks no rule, whatever comes of it."""
    command = [bench.annals.path, "--data-dir", os.path.join(bench.config, os.pardir, "data"), "chat"]
    words = ["-p", *arguments, prompt, "--model", bench.model, "--output-format", "json"]
    done = client.run(command, bench.api, bench.config, bench.workdir, words, script or SCRIPT)
    if done.violations:
        raise Failed("the API would refuse ours: " + "; ".join(sorted(set(done.violations))))
    return done


def ours(bench, *arguments, prompt, script=None):
    """One run of annals chat that must go well: what it sent, and the session."""
    done = run(bench, *arguments, prompt=prompt, script=script)
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


def take_turns(bench, session_id, *said):
    """Theirs, ours and theirs again, in a session of ours; ours still says these words."""
    agree(bench, file_of(bench, session_id), session_id)
    go_on(bench, session_id, *said)


def go_on(bench, session_id, *said):
    path = file_of(bench, session_id)
    bench.ask("--resume", session_id, prompt="You: @@theirs@@", script=SCRIPT)
    if bench.version == LEAVES_NO_TRACE:
        time.sleep(FRESH_SECONDS)
    sent, _ = ours(bench, "--resume", session_id, prompt="We: @@ours@@")
    for words in (*said, "Said by them."):
        if words not in str(sent):
            raise Failed(f"ours does not send {words!r}: {str(sent)[-900:]}")
    agree(bench, path, session_id)


def agent_files(bench, session_id):
    return sorted(glob.glob(os.path.join(file_of(bench, session_id).removesuffix(".jsonl"), "subagents", "agent-*.jsonl")))


def case_ours_sends_sub_agents(bench):
    script = {
        **WORK,
        "both": [[{"type": "text", "text": "Two at once."}, errand("Agent", "look"), errand("Agent", "deep")], [{"type": "text", "text": LAST_ANSWER}]],
        "deep": [[errand("Agent", "look")], [{"type": "text", "text": "Asked somebody."}]],
    }
    _, session_id = ours(bench, prompt="Have it done: @@both@@", script=script)
    files = agent_files(bench, session_id)
    if len(files) != 3:
        raise Failed(f"{len(files)} files of sub-agents: {files}")
    linked = bench.annals.json("show", file_of(bench, session_id), "--as", "agents")
    if linked["unlinked"] or len(linked["agents"]) != 3:
        raise Failed(f"annals does not link them: {linked}")
    take_turns(bench, session_id, "Seen.", "Asked somebody.", "agentId: ")
    # Theirs sends one too, by the name that it has there, and ours goes on.
    named = json.loads(json.dumps(WORK).replace("AGENT", agent_tool(bench.version)))
    bench.ask("--resume", session_id, prompt="You send one: @@delegate@@", script=named)
    if bench.version == LEAVES_NO_TRACE:
        time.sleep(FRESH_SECONDS)
    ours(bench, "--resume", session_id, prompt="We: @@ours@@")
    agree(bench, file_of(bench, session_id), session_id)


def stopped(bench, script):
    """A session of ours that a person stopped: every call has its result, and a marker stands behind them."""
    done = run(bench, prompt="Begin: @@begin@@", script={**SCRIPT, **script})
    if done.code != 130:
        raise Failed("ours was not interrupted: " + done.explain())
    session_id = done.result.get("session_id")
    for path in [file_of(bench, session_id), *agent_files(bench, session_id)]:
        if b"[Request interrupted by user" not in read(path):
            raise Failed(f"{path} does not say that it was interrupted")
    return session_id


def case_ours_was_interrupted(bench):
    session_id = stopped(bench, {"begin": [STOP, [{"type": "text", "text": "Never said."}]]})
    take_turns(bench, session_id, "interrupted by user")


def case_ours_was_interrupted_while_sub_agents_worked(bench):
    waits = [{"type": "tool_use", "name": "Bash", "input": {"command": "sleep 30", "description": "Wait"}}]
    script = {"begin": [[errand("Agent", "stop"), errand("Agent", "wait")]], "stop": [STOP], "wait": [waits]}
    session_id = stopped(bench, script)
    if len(agent_files(bench, session_id)) != 2:
        raise Failed("both had a file")
    take_turns(bench, session_id, "interrupted by user")


def case_ours_was_killed_while_a_sub_agent_worked(bench):
    kill = [{"type": "tool_use", "name": "Bash", "input": {"command": "kill -KILL $PPID", "description": "Kill"}}]
    session_id = "3f2a9c1e-0000-4000-8000-00000000c0de"
    done = run(bench, "--session-id", session_id, prompt="Begin: @@begin@@", script={"begin": [[errand("Agent", "kill")]], "kill": [kill]})
    if done.code != -9 or len(agent_files(bench, session_id)) != 1:
        raise Failed("ours was not killed: " + done.explain())
    # How a call that nobody answered is worded is the client's own affair.
    go_on(bench, session_id, "Begin: ")


def case_ours_was_summed_up(bench):
    call = {"type": "tool_use", "name": "Bash", "input": {"command": "echo hi", "description": "Speak"}}
    full = {"content": [{"type": "text", "text": "FORGOTTEN"}, call], "usage": {"input_tokens": 960000}}
    script = {"long": [full, [{"type": "text", "text": "KEPT. Next: @@after@@"}]], "after": [[{"type": "text", "text": LAST_ANSWER}]]}
    _, session_id = ours(bench, prompt="Go far: @@long@@", script=script)
    sent, _ = ours(bench, "--resume", session_id, prompt="We: @@ours@@")
    if "FORGOTTEN" in str(sent) or "KEPT" not in str(sent):
        raise Failed(f"it was not summed up: {str(sent)[:900]}")
    take_turns(bench, session_id, "KEPT")
