"""Files and folders that a prompt mentions, and lines for the shell: annals chat records them as the client does, and each resumes the other's session."""
import json
import os

import sessions
from bench import LEAVES_NO_TRACE, Failed, file_of
from chat import SCRIPT, ours, take_turns
from round_trip import agree

SAID = 'See @note.txt, @"my file.txt" (@no.txt) @part.txt#L2-3 and @dir; @missing.txt or me@note.txt. @@hello@@'


def prepare(bench):
    os.makedirs(os.path.join(bench.workdir, "dir", "sub"))
    for name, text in (("note.txt", "A NOTE\n"), ("my file.txt", "SPACED\n"), ("part.txt", "one\ntwo\nthree\nfour\n"), ("dir/a.rs", "fn a() {}\n"), ("no.txt", "NO\n")):
        with open(os.path.join(bench.workdir, name), "w", encoding="utf-8") as file:
            file.write(text)


def records(bench, session_id):
    """What a prompt has left in a file: its line, and what it mentions; how lines are counted is the tool's affair."""
    found = []
    with open(file_of(bench, session_id), encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            attachment = record.get("attachment") or {}
            if record["type"] == "user":
                found.append(("user", record["message"]["content"]))
            elif attachment.get("type") == "file":
                kept = attachment["content"]["file"]
                found.append(("file", attachment["filename"], attachment["displayPath"], kept["content"].strip(), kept["startLine"]))
            elif attachment.get("type") == "directory":
                found.append(("directory", attachment["path"], attachment["displayPath"], attachment["content"]))
    return found


def case_both_attach_the_same(bench):
    if bench.version == LEAVES_NO_TRACE:
        bench.said = "not compared, it writes no attachments"
        return
    prepare(bench)
    theirs = records(bench, bench.ask(prompt=SAID, script=SCRIPT).session)
    _, session_id = ours(bench, prompt=SAID)
    found = records(bench, session_id)
    if sorted(map(str, found)) != sorted(map(str, theirs)) or len(found) != 5:
        raise Failed(f"theirs: {theirs}\nours: {found}")


def case_ours_mentions_files(bench):
    prepare(bench)
    _, session_id = ours(bench, prompt=SAID)
    take_turns(bench, session_id, "A NOTE", "SPACED", "a.rs")


def shell_line(session, bench):
    """What annals chat writes for `!echo hi` in a terminal."""
    session.prompt("<bash-input>echo hi</bash-input>")
    session.prompt("<bash-stdout>hi</bash-stdout><bash-stderr></bash-stderr>")
    session.respond(sessions.text("It says hi."))


def case_lines_for_the_shell_are_resumed(bench):
    session = bench.session(shell_line)
    agree(bench, session.path(bench.config), session.id)
    take_turns(bench, session.id, "<bash-stdout>hi</bash-stdout>")
