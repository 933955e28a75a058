"""Plan mode: annals chat and the client record it alike, once, and each resumes the other's session."""
import json
import re

from bench import LEAVES_NO_TRACE, Failed, file_of
from chat import SCRIPT, ours, take_turns

PLAN = ("--permission-mode", "plan")


def records(bench, session_id):
    """The records of plan mode in a file; the name of the plan is that of the session."""
    found = []
    with open(file_of(bench, session_id), encoding="utf-8") as file:
        for line in file:
            attachment = json.loads(line).get("attachment") or {}
            if attachment.get("type") in ("plan_mode", "plan_mode_exit"):
                found.append({**attachment, "planFilePath": re.sub(r"[\w-]+\.md$", "NAME.md", attachment["planFilePath"])})
    return found


def case_plan_mode_is_recorded_once(bench):
    if bench.version == LEAVES_NO_TRACE:
        bench.said = "not compared: it records no plan mode"
        return
    theirs = bench.ask(*PLAN, prompt="Say @@hello@@", script=SCRIPT).session
    bench.ask("--resume", theirs, *PLAN, prompt="And more")
    _, found = ours(bench, *PLAN, prompt="Say @@hello@@")
    ours(bench, "--resume", found, *PLAN, prompt="And more")
    if len(records(bench, found)) != 1 or records(bench, found) != records(bench, theirs):
        raise Failed(f"theirs: {records(bench, theirs)}\nours: {records(bench, found)}")
    if bench.version != "2.1.325":
        return
    # Its end is recorded once, too.
    for _ in range(2):
        bench.ask("--resume", theirs, "--permission-mode", "acceptEdits", prompt="Now do it")
        ours(bench, "--resume", found, "--permission-mode", "acceptEdits", prompt="Now do it")
    if len(records(bench, found)) != 2 or records(bench, found) != records(bench, theirs):
        raise Failed(f"theirs: {records(bench, theirs)}\nours: {records(bench, found)}")
    bench.ask("--resume", theirs, *PLAN, prompt="Plan again")
    # One that the client has written is not told again.
    before = records(bench, theirs)
    ours(bench, "--resume", theirs, *PLAN, prompt="Still")
    if records(bench, theirs) != before:
        raise Failed(f"told again: {records(bench, theirs)}")


def case_ours_in_plan_mode_goes_on(bench):
    _, session_id = ours(bench, *PLAN, prompt="Say @@hello@@")
    take_turns(bench, session_id, "Good day.")
