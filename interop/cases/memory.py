"""Memory files: of folders below and rules for certain files. annals chat and the client tell the model the same, and each resumes the other's session."""
import json
import os
import time

from bench import LEAVES_NO_TRACE, Failed, file_of
from chat import FRESH_SECONDS, ours, take_turns
from round_trip import LAST_ANSWER

FILES = {
    "CLAUDE.md": "Top @extra.md\n", "extra.md": "Extra\n",
    "sub/CLAUDE.md": "Sub @imp.md\n", "sub/imp.md": "Imported\n", "sub/.claude/CLAUDE.md": "Dotted\n", "sub/CLAUDE.local.md": "Local\n",
    "sub/.claude/rules/n.md": "Nested rule\n", "sub/deep/CLAUDE.md": "Deep\n", "sub/deep/b.rs": "fn b() {}\n", "sub/a.txt": "alpha\n",
    ".claude/rules/always.md": "Always\n", ".claude/rules/rust.md": "---\npaths: \"**/*.{rs,toml}\"\n---\nRust\n",
    ".claude/rules/dir/text.md": "---\npaths:\n  - \"sub/*.txt\"\n---\nText\n", ".claude/rules/python.md": "---\npaths: \"*.py\"\n---\nPython\n",
}
READ = lambda path: [{"type": "tool_use", "name": "Read", "input": {"file_path": "{{CWD}}/" + path}}]
SCRIPT = {
    "read": [READ("sub/a.txt"), READ("sub/deep/b.rs"), READ("sub/a.txt"), [{"type": "text", "text": LAST_ANSWER}]],
    "theirs": [[{"type": "text", "text": "Said by them."}]],
    "again": [READ("sub/deep/b.rs"), [{"type": "text", "text": LAST_ANSWER}]],
}


def prepare(bench):
    for name, text in FILES.items():
        path = os.path.join(bench.workdir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def records(bench, session_id):
    """What the model was told of memory files, without what only the newest client adds."""
    with open(file_of(bench, session_id), encoding="utf-8") as file:
        attachments = [json.loads(line).get("attachment") or {} for line in file]
    told = [attachment for attachment in attachments if attachment.get("type") == "nested_memory"]
    for attachment in told:
        attachment["content"].pop("isRule", None)
    return told


def ask_ours(bench, *arguments, prompt):
    return ours(bench, "--trust", *arguments, prompt=prompt, script=SCRIPT)


def case_both_tell_the_same(bench):
    prepare(bench)
    theirs = records(bench, bench.ask(prompt="Do @@read@@", script=SCRIPT).session)
    _, session_id = ask_ours(bench, prompt="Do @@read@@")
    found = records(bench, session_id)
    if len(found) != 8:
        raise Failed(f"ours told of {[one['displayPath'] for one in found]}")
    # The oldest client writes no attachments.
    if bench.version != LEAVES_NO_TRACE and found != theirs:
        raise Failed(f"theirs: {theirs}\nours: {found}")


def case_what_was_told_is_known_when_resumed(bench):
    prepare(bench)
    _, session_id = ask_ours(bench, prompt="Do @@read@@")
    if bench.version == "2.1.325":
        take_turns(bench, session_id, "Imported", "Nested rule")
    else:
        # The older ones trim a result that reminders follow.
        bench.ask("--resume", session_id, prompt="You: @@theirs@@", script=SCRIPT)
    if bench.version == LEAVES_NO_TRACE:
        time.sleep(FRESH_SECONDS)
    before = len(records(bench, session_id))
    ask_ours(bench, "--resume", session_id, prompt="Do @@again@@")
    if (after := len(records(bench, session_id))) != before:
        raise Failed(f"it was told again: {before} and then {after}")


def case_theirs_told_and_ours_knows(bench):
    prepare(bench)
    session_id = bench.ask(prompt="Do @@read@@", script=SCRIPT).session
    if bench.version == LEAVES_NO_TRACE:
        return
    before = len(records(bench, session_id))
    sent, _ = ask_ours(bench, "--resume", session_id, prompt="Do @@again@@")
    if "Imported" not in str(sent) or len(records(bench, session_id)) != before:
        raise Failed(f"ours told it again, or does not send it: {str(sent)[-600:]}")
