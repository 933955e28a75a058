"""Sub-agents and commands in the background, and tasks: annals chat and the client write the same records, and each resumes the other's session."""
import json
import os
import re
import sys

from bench import LEAVES_NO_TRACE, Failed, file_of
from chat import SCRIPT, ours, take_turns
from round_trip import LAST_ANSWER

ERRAND = {"description": "An errand", "prompt": "Go: @@inner@@", "subagent_type": "general-purpose", "run_in_background": True}
PLAY = {
    **SCRIPT,
    "behind": [
        [{"type": "tool_use", "name": "Agent", "input": ERRAND}],
        [{"type": "text", "text": "It works."}],
        [{"type": "text", "text": LAST_ANSWER}],
    ],
    "inner": [[{"type": "text", "text": "The inner answer."}]],
    "command": [
        [{"type": "tool_use", "name": "Bash", "input": {"command": "sleep 1; exit 3", "description": "wait", "run_in_background": True}}],
        [{"type": "text", "text": "It runs."}],
        [{"type": "text", "text": LAST_ANSWER}],
    ],
    "tasks": [
        [{"type": "tool_use", "name": "TaskCreate", "input": {"subject": "One", "description": "first", "activeForm": "Doing one"}}],
        [{"type": "tool_use", "name": "TaskCreate", "input": {"subject": "Two", "description": "second", "metadata": {"k": [1, {"z": 2}]}}}],
        [{"type": "tool_use", "name": "TaskUpdate", "input": {"taskId": "2", "status": "in_progress", "addBlockedBy": ["1"], "owner": "me"}}],
        [{"type": "tool_use", "name": "TaskList", "input": {}}],
        [{"type": "tool_use", "name": "TaskGet", "input": {"taskId": "2"}}],
        [{"type": "tool_use", "name": "TaskUpdate", "input": {"taskId": "1", "status": "deleted"}}],
        [{"type": "text", "text": LAST_ANSWER}],
    ],
}
# What each release says in its own words, or what differs from run to run.
OWN = r"<(task-id|tool-use-id|output-file|usage|note)>.*?</\1>\n?|\. TaskOutput shows what it printed\."


def records(bench, session_id):
    """What a sub-agent in the background has left in the file of its session."""
    found = []
    with open(file_of(bench, session_id), encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            content = record.get("content") if record["type"] == "queue-operation" else (record.get("message") or {}).get("content")
            result = record.get("toolUseResult")
            if isinstance(result, dict) and result.get("status") == "async_launched":
                found.append(["launched", result["isAsync"], result["description"], result["prompt"]])
            elif isinstance(content, str) and content.startswith("<task-notification>"):
                words = re.sub(OWN, "", content, flags=re.S).replace("finished", "completed")
                found.append([record["type"], record.get("operation"), (record.get("origin") or {}).get("kind"), words])
    return found


def case_both_write_the_same(bench):
    if bench.version == LEAVES_NO_TRACE:
        bench.said = "not compared: it has no agents in the background"
        return
    theirs = records(bench, bench.ask(prompt="Do @@behind@@", script=PLAY).session)
    found = records(bench, ours(bench, prompt="Do @@behind@@", script=PLAY)[1])
    if len(found) != 3 or found != theirs:
        raise Failed(f"theirs: {theirs}\nours: {found}")


def case_ours_in_the_background_goes_on(bench):
    _, session_id = ours(bench, prompt="Do @@behind@@", script=PLAY)
    take_turns(bench, session_id, "The inner answer.")


def case_the_end_of_a_command_is_the_same(bench):
    if bench.version != "2.1.325":
        bench.said = "compared with the newest alone"
        return
    theirs = records(bench, bench.ask(prompt="Do @@command@@", script=PLAY).session)
    found = records(bench, ours(bench, prompt="Do @@command@@", script=PLAY)[1])
    if len(found) != 2 or found != theirs:
        raise Failed(f"theirs: {theirs}\nours: {found}")


def case_ours_with_a_command_in_the_background_goes_on(bench):
    _, session_id = ours(bench, prompt="Do @@command@@", script=PLAY)
    take_turns(bench, session_id, "wait")


def task_files(bench, session_id):
    folder = os.path.join(bench.config, "tasks", session_id)
    names = sorted(name for name in os.listdir(folder) if name != ".lock")
    found = {}
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found[name] = file.read()
    return found


def case_tasks_have_the_same_files(bench):
    if bench.version != "2.1.325":
        bench.said = "not compared: it has no tasks in print mode"
        return
    # With its newest model it has none.
    bench.model = "claude-sonnet-4-5"
    with open(os.path.join(bench.config, "settings.json"), "w", encoding="utf-8") as file:
        json.dump({"env": {"CLAUDE_CODE_ENABLE_TASKS": "1"}, "permissions": {"allow": ["TaskCreate", "TaskUpdate", "TaskGet", "TaskList"]}}, file)
    theirs = task_files(bench, bench.ask(prompt="Do @@tasks@@", script=PLAY).session)
    found = task_files(bench, ours(bench, prompt="Do @@tasks@@", script=PLAY)[1])
    if len(found) != 2 or found != theirs:
        raise Failed(f"theirs: {theirs}\nours: {found}")


# The id of the only sub-agent of the session is not known to a script: a hook fills it in.
FILLER = """import glob, json, os, sys
told = json.load(sys.stdin)
agents = glob.glob(os.path.join(told["transcript_path"].removesuffix(".jsonl"), "subagents", "agent-*.jsonl"))
given = {**told["tool_input"], "to": os.path.basename(agents[0])[len("agent-"):-len(".jsonl")]}
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": given}}))
"""
MESSAGES = {
    **SCRIPT,
    "ended": [[{"type": "tool_use", "name": "Agent", "input": ERRAND}], [{"type": "text", "text": "Waiting."}]],
    "inner": [[{"type": "text", "text": "The first answer @@next@@."}]],
    "next": [
        [{"type": "tool_use", "name": "SendMessage", "input": {"to": "it", "summary": "More", "message": "Again: @@again@@"}}],
        [{"type": "text", "text": "Sent."}],
        [{"type": "text", "text": LAST_ANSWER}],
    ],
    "again": [[{"type": "text", "text": "The second answer."}]],
}


def messages(bench, session_id):
    """What a message to a sub-agent that had ended has left: its result, the line that it opens, the answers that were told."""
    path = file_of(bench, session_id)
    with open(path, encoding="utf-8") as file:
        session = [json.loads(line) for line in file]
    agents = [name for name in os.listdir(os.path.join(path.removesuffix(".jsonl"), "subagents")) if name.endswith(".jsonl")]
    with open(os.path.join(path.removesuffix(".jsonl"), "subagents", agents[0]), encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    sent = [record["toolUseResult"] for record in session if isinstance(record.get("toolUseResult"), dict) and "success" in record["toolUseResult"]]
    agent = agents[0][len("agent-"):-len(".jsonl")]
    told = [re.search("<result>(.*)</result>", record["message"]["content"])[1] for record in session
            if record["type"] == "user" and str(record["message"]["content"]).startswith("<task-notification>")]
    opened = [(record.get("isMeta"), record.get("origin")) for record in lines if record["type"] == "user" and "@@again@@" in str(record["message"]["content"])]
    return [len(agents), [(one["success"], one.get("resumedAgentId") == agent, one["pin"]["id"] == agent) for one in sent], told, opened]


def case_both_continue_a_sub_agent_that_has_ended(bench):
    if bench.version != "2.1.325":
        bench.said = "not compared: it sends no messages"
        return
    filler = os.path.join(bench.config, "filler.py")
    with open(filler, "w", encoding="utf-8") as file:
        file.write(FILLER)
    settings = {"permissions": {"allow": ["Agent", "SendMessage"]}, "env": {"ENABLE_TOOL_SEARCH": "false"},
                "hooks": {"PreToolUse": [{"matcher": "SendMessage", "hooks": [{"type": "command", "command": f"{sys.executable} {filler}"}]}]}}
    with open(os.path.join(bench.config, "settings.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file)
    theirs = messages(bench, bench.ask(prompt="Do @@ended@@", script=MESSAGES).session)
    _, session_id = ours(bench, prompt="Do @@ended@@", script=MESSAGES)
    found = messages(bench, session_id)
    wanted = [1, [(True, True, True)], ["The first answer @@next@@.", "The second answer."], [(True, {"kind": "coordinator"})]]
    if found != wanted or theirs != wanted:
        raise Failed(f"theirs: {theirs}\nours: {found}")
    take_turns(bench, session_id, "The second answer.")
