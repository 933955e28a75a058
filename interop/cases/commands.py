"""Custom commands: for one file, annals chat and the client write the same records, and each resumes the other's session."""
import json
import os
import time

from bench import LEAVES_NO_TRACE, Failed, file_of
from chat import FRESH_SECONDS, SCRIPT, ours, run, take_turns
from round_trip import agree

# The oldest client knows `$ARGUMENTS` alone, and writes no attachments.
OLDEST = LEAVES_NO_TRACE
GREET = """---
description: Greets somebody
argument-hint: [name] [word]
allowed-tools: Bash(echo:*), Read
model: MODEL
---

Greet: @@hello@@ PLACES, all: $ARGUMENTS.

Printed: !`echo one; echo two >&2`
File: @note.txt
"""
SAID = "/sub:greet \"Ann Lee\" 'good day' x"


def prepare(bench, **commands):
    for name, text in commands.items():
        path = os.path.join(bench.config, "commands", "sub", name + ".md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(bench.workdir, "note.txt"), "w", encoding="utf-8") as file:
        file.write("A NOTE\n")


def greeting(bench):
    # What stands for an argument that was not given differs: the newest client leaves the place as it is.
    places = {OLDEST: "nobody", "2.1.325": "$0, $1, $ARGUMENTS[2], $7"}.get(bench.version, "$0, $1, $ARGUMENTS[2]")
    return GREET.replace("MODEL", bench.model).replace("PLACES", places)


def records(bench, session_id):
    """What a command has left in a file: its user lines, and its attachments but for what others add to them."""
    found = []
    with open(file_of(bench, session_id), encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            attachment = record.get("attachment") or {}
            if record["type"] == "user":
                found.append(("meta" if record.get("isMeta") else "user", record["message"]))
            elif attachment.get("type") == "command_permissions":
                found.append(("command_permissions", attachment))
            elif attachment.get("type") == "file":
                kept = attachment["content"]
                keys = (sorted(kept), kept["type"], sorted(kept["file"]), kept["file"]["content"].strip())
                found.append(("file", attachment["filename"], attachment["displayPath"], keys))
    return found


def case_both_write_the_same(bench):
    prepare(bench, greet=greeting(bench))
    theirs = records(bench, bench.ask(prompt=SAID, script=SCRIPT).session)
    _, session_id = ours(bench, prompt=SAID)
    found = records(bench, session_id)
    kinds = [record[0] for record in found]
    if kinds != ["user", "meta", "file", "command_permissions"]:
        raise Failed(f"ours wrote {kinds}")
    if bench.version == OLDEST:
        found = found[:2]
    if found != theirs:
        raise Failed(f"theirs: {theirs}\nours: {found}")


def case_ours_says_a_command(bench):
    prepare(bench, greet=greeting(bench))
    _, session_id = ours(bench, prompt=SAID)
    take_turns(bench, session_id, "<command-name>/sub:greet</command-name>", "Ann Lee", "one\\ntwo", "A NOTE", "Good day.")


def case_theirs_says_a_command_and_ours_another(bench):
    prepare(bench, greet=greeting(bench), plain="Plain: @@ours@@\n")
    session_id = bench.ask(prompt=SAID, script=SCRIPT).session
    agree(bench, file_of(bench, session_id), session_id)
    if bench.version == LEAVES_NO_TRACE:
        time.sleep(FRESH_SECONDS)
    sent, _ = ours(bench, "--resume", session_id, prompt="/sub:plain three four")
    for words in ("one\\ntwo", "ARGUMENTS: three four", "Good day."):
        if words not in str(sent):
            raise Failed(f"ours does not send {words!r}: {str(sent)[-900:]}")
    take_turns(bench, session_id, "ARGUMENTS: three four")


def case_ours_could_not_carry_a_command_out(bench):
    prepare(bench, fails="---\nallowed-tools: Bash\n---\nNever: @@hello@@ !`echo broken; exit 3`\n")
    done = run(bench, prompt="/sub:fails now")
    if done.code != 1 or done.requests or "was not run" not in str(done.result.get("errors")):
        raise Failed("ours carried it out: " + done.explain())
    session_id = done.session
    ours(bench, "--resume", session_id, prompt="We: @@ours@@")
    take_turns(bench, session_id, "Said by us.")
