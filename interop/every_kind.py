"""A part of a session that holds every kind of record: what a program that knows the format could ever hand to annals.

It is filled into a Written of written.py. Parts are numbered, so that a session can have several, before a compaction and behind it.
"""
import sessions
from sessions import picture, text

UNKNOWN_LINE = "00000000-1111-4222-8333-444444444444"


def every_kind(session, part):
    call = lambda number, name, **arguments: sessions.call(part * 100 + number, name, **arguments)
    result = lambda number, content, **fields: sessions.result(part * 100 + number, content, **fields)
    think = session.place.thinking
    session.side({"type": "queue-operation", "operation": "enqueue", "timestamp": session.tick(), "sessionId": session.id, "content": f"Part {part}."})
    session.side({"type": "queue-operation", "operation": "dequeue", "timestamp": session.tick(), "sessionId": session.id})
    first = session.prompt(f"Part {part}: naïve façade, 漢字, 😀, \"quotes\", a \\ path and a last line.\n\nThat is all.")
    backups = {"a.txt": {"backupFileName": None, "version": 1, "backupTime": session.tick()}}
    session.side({"type": "file-history-snapshot", "messageId": first, "isSnapshotUpdate": False,
                  "snapshot": {"messageId": first, "trackedFileBackups": backups, "timestamp": session.tick()}})
    session.respond(think(f"A plan for part {part}: é."), text("Understood.\n\nTwo paragraphs."))
    session.notice("turn_duration", durationMs=1234, messageCount=2, isMeta=False)

    session.prompt(text(f"What is in picture {part}?"), picture())
    session.meta(f"A word of the client's, in part {part}.")
    session.respond(text("Three at once."), call(1, "Bash", command="echo one", description="One"),
                    call(2, "Bash", command="exit 3", description="Fail"), call(3, "Read", file_path="/no/such/picture.png"))
    session.progress(call(1, "Bash")["id"], type="bash_progress", output="one", fullOutput="one", elapsedTimeSeconds=1, totalLines=1)
    session.results(result(1, "one"), result(2, "Exit code 3", is_error=True), result(3, [picture()]),
                    shown=[{"stdout": "one", "stderr": "", "interrupted": False, "isImage": False}, "Error: Exit code 3", {"type": "image"}])
    session.side({"type": "file-history-delta", "messageId": first, "snapshotMessageId": first, "timestamp": session.tick(),
                  "trackedFileBackups": {"a.txt": {"backupFileName": "0123456789abcdef@v2", "version": 2, "backupTime": session.tick()}}})
    session.notice("api_error", level="error", error={"status": 529, "error": {"type": "overloaded_error", "message": "Overloaded"}},
                   retryInMs=500.5, retryAttempt=1, maxRetries=10)

    session.raw = True
    session.respond(think("Two more."), session.place.redacted("hidden"), text("Going on."), call(4, "Bash", command="echo two", description="Two"),
                    call(5, "Bash", command="echo three", description="Three"))
    session.results(result(4, [text("two"), text("lines")]), result(5, "three"))
    session.attach(f"Also the corner of part {part}.", type="queued_command", prompt=f"Also the corner of part {part}.", commandMode="prompt")
    session.raw = False

    agent = call(6, agent_tool(session.place.version), description="Look", prompt="Look around.", subagent_type="general-purpose")
    session.respond(text("Delegating."), agent)
    name = f"a{part:06}"
    inner = call(7, "Bash", command="echo seen", description="Look")
    session.agent(name, agent, {"role": "user", "content": "Look around."},
                  {"role": "assistant", "model": session.place.model, "content": [text("Looking."), inner]},
                  {"role": "user", "content": [result(7, "seen")]},
                  {"role": "assistant", "model": session.place.model, "content": [text("Seen.")]})
    session.results(result(6, [text("Seen.")]), shown=[{
        "status": "completed", "prompt": "Look around.", "agentId": name, "content": [text("Seen.")],
        "totalDurationMs": 12, "totalTokens": 34, "totalToolUseCount": 1}])
    session.respond(think("It saw."), text("It has been seen."))
    session.local_command(f"<local-command-stdout>part {part}</local-command-stdout>")
    session.prompt(f"End of part {part}.")
    last = session.respond(text(f"Part {part} is done."))
    sides(session, part, last)
    session.flush()


def agent_tool(version):
    """What the tool is called that starts a sub-agent: newer clients know the old name and send the new one."""
    return "Task" if version.startswith("2.0.") else "Agent"


def sides(session, part, leaf):
    """Records outside the chain, among them one that nobody knows."""
    of_session = lambda kind, **fields: session.side({"type": kind, **fields, "sessionId": session.id})
    session.side({"type": "summary", "summary": f"Part {part}, summed up", "leafUuid": UNKNOWN_LINE})
    of_session("ai-title", aiTitle=f"A model's title {part}")
    of_session("custom-title", customTitle=title(part))
    of_session("tag", tag=tag(part))
    of_session("last-prompt", lastPrompt=f"End of part {part}.", leafUuid=leaf)
    of_session("mode", mode="normal")
    of_session("permission-mode", permissionMode="default")
    of_session("pr-link", prNumber=part, prUrl=f"https://example.invalid/pull/{part}", prRepository="some/where", timestamp=session.tick())
    of_session("something-of-2031", payload={"uuid": "not one", "list": [1, 2.5, None]})


def title(part):
    return f"A person's title {part}: é 漢"


def tag(part):
    return f"tag-{part}"
