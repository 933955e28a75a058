"""The client writes, annals reads, the client reads again: all three agree on what is said."""
import json

import sessions
from bench import Failed, file_of, read
from every_kind import agent_tool

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]
SCRIPT = {
    "work": [
        [{"type": "thinking", "thinking": "I will write a file."}, {"type": "text", "text": "Writing."},
         {"type": "tool_use", "name": "Write", "input": {"file_path": "{{CWD}}/a.txt", "content": "alpha\nbeta\n"}}],
        {"chunk_bytes": 7, "content": [
            {"type": "text", "text": "Two at once."}, {"type": "tool_use", "name": "Read", "input": {"file_path": "{{CWD}}/a.txt"}},
            {"type": "tool_use", "name": "Bash", "input": {"command": "echo hi; echo err >&2", "description": "Speak"}}]},
        [{"type": "tool_use", "name": "Bash", "input": {"command": "exit 3", "description": "Fail"}}],
        [{"type": "thinking", "thinking": "Enough."}, {"type": "text", "text": "All done: é 漢 😀."}],
    ],
    "delegate": [
        [{"type": "text", "text": "Delegating."},
         {"type": "tool_use", "name": "AGENT", "input": {"description": "Look", "prompt": "Look around: @@look@@", "subagent_type": "general-purpose"}}],
        [{"type": "text", "text": "Delegated."}],
    ],
    "look": [
        [{"type": "text", "text": "Looking."}, {"type": "tool_use", "name": "Bash", "input": {"command": "echo seen", "description": "Look"}}],
        [{"type": "text", "text": "Seen."}],
    ],
}
LAST_ANSWER = "All done: é 漢 😀."


def agree(bench, path, session_id):
    """What annals reads off a file is what the client sends of it."""
    predicted = bench.would_send(path)
    done = bench.ask("--resume", session_id, prompt=PROMPT)
    bench.expect(predicted + ASKED, bench.sent(done, PROMPT), "annals and the client")


def worked(bench, session_id=None):
    """A run that uses tools: its session, and the conversation as it stood at the end."""
    prompt = "Do the work: @@work@@"
    done = bench.ask(*(["--resume", session_id] if session_id else []), prompt=prompt, script=SCRIPT)
    if done.result.get("result") != LAST_ANSWER:
        raise Failed("the script was not played to its end: " + done.explain())
    return done.session, done.conversations[-1]["messages"]


def case_what_the_client_wrote(bench):
    session_id, _ = worked(bench)
    agree(bench, file_of(bench, session_id), session_id)


def case_what_the_client_appended(bench):
    session = bench.session(sessions.everything)
    path = session.path(bench.config)
    before = read(path)
    session_id, last = worked(bench, session.id)
    if session_id != session.id or not read(path).startswith(before):
        raise Failed("the client did not append to the file")
    prompted = next(at for at, message in enumerate(last) if "@@work@@" in str(message["content"]))
    bench.expect(session.history, last[:prompted], "the history under the work")
    agree(bench, path, session.id)


def case_what_a_sub_agent_did(bench):
    script = json.loads(json.dumps(SCRIPT).replace("AGENT", agent_tool(bench.version)))
    done = bench.ask(prompt="Have it done: @@delegate@@", script=script)
    if "Look around" not in json.dumps([body["messages"][0] for body in done.conversations]):
        raise Failed("no sub-agent came to speak")
    agree(bench, file_of(bench, done.session), done.session)


def case_what_the_client_compacted(bench):
    session = bench.session(sessions.talk)
    bench.ask("--resume", session.id, prompt="/compact")
    # The newest clients keep the last answer; what came first is only in the summary, if anywhere.
    if "Good day." in json.dumps(bench.would_send(session.path(bench.config))):
        raise Failed("annals still shows what stood before the compaction")
    agree(bench, session.path(bench.config), session.id)


def case_what_the_client_forked(bench):
    session = bench.session(sessions.everything)
    fork = bench.ask("--resume", session.id, "--fork-session", prompt="Another way.").session
    agree(bench, file_of(bench, fork), fork)
