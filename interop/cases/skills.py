"""Skills: for one folder, annals chat and the client write the same records, and each resumes the other's session."""
import json
import os
import time

from bench import LEAVES_NO_TRACE, Failed, file_of
from chat import FRESH_SECONDS, SCRIPT, ours, take_turns
from round_trip import LAST_ANSWER

GREET = """---
description: Greets somebody
allowed-tools: Bash(echo:*)
argument-hint: [name]
---
Greet NAME, all: $ARGUMENTS, from ${CLAUDE_SKILL_DIR}.
Printed: !`echo one`
"""
PLAIN = "---\ndescription: Plain\n---\nPlain words.\n"
PLAY = {
    **SCRIPT,
    "use": [
        [{"type": "tool_use", "name": "Skill", "input": {"skill": "greet", "args": "Ann Lee"}}],
        [{"type": "tool_use", "name": "Skill", "input": {"skill": "plain"}}],
        [{"type": "tool_use", "name": "Bash", "input": {"command": "echo hi there", "description": "Say hi"}}],
        [{"type": "text", "text": LAST_ANSWER}],
    ],
}


def prepare(bench):
    # The oldest client knows `$ARGUMENTS` alone.
    name = "nobody" if bench.version == LEAVES_NO_TRACE else "$0"
    for skill, text in (("greet", GREET.replace("NAME", name)), ("plain", PLAIN)):
        folder = os.path.join(bench.config, "skills", skill)
        os.makedirs(folder)
        with open(os.path.join(folder, "SKILL.md"), "w", encoding="utf-8") as file:
            file.write(text)
    with open(os.path.join(bench.config, "settings.json"), "w", encoding="utf-8") as file:
        json.dump({"permissions": {"allow": ["Skill"]}}, file)


def records(bench, session_id):
    """What a skill has left in a file: results of its calls, texts, rules; and whether the list tells of our skills."""
    found, listed = [], False
    with open(file_of(bench, session_id), encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            attachment = record.get("attachment") or {}
            if attachment.get("type") == "skill_listing":
                listed = listed or "- greet: Greets somebody" in attachment["content"]
            elif attachment.get("type") == "command_permissions":
                found.append(attachment)
            elif "sourceToolUseID" in record:
                found.append(["text", record["message"], record["isMeta"]])
            elif isinstance(record.get("toolUseResult"), dict) and "commandName" in record["toolUseResult"]:
                found.append(["result", record["toolUseResult"], record["message"]["content"][0]["content"]])
            elif record["type"] == "user" and "<command-name>" in str(record["message"]["content"]):
                found.append(["command", record["message"]["content"]])
    return found, listed


def case_both_write_the_same(bench):
    prepare(bench)
    if bench.version == LEAVES_NO_TRACE:
        bench.said = "not compared: it writes other records"
        return
    theirs = records(bench, bench.ask(prompt="Do @@use@@", script=PLAY).session)
    _, session_id = ours(bench, prompt="Do @@use@@", script=PLAY)
    found = records(bench, session_id)
    if len(found[0]) != 6 or found != theirs:
        raise Failed(f"theirs: {theirs}\nours: {found}")


def case_ours_uses_a_skill(bench):
    prepare(bench)
    _, session_id = ours(bench, prompt="Do @@use@@", script=PLAY)
    take_turns(bench, session_id, "Base directory for this skill", "Printed: one", "hi there")


def case_ours_names_a_skill(bench):
    prepare(bench)
    _, session_id = ours(bench, prompt="/greet Ann @@hello@@")
    take_turns(bench, session_id, "<command-name>/greet</command-name>", "Printed: one")


def case_theirs_uses_a_skill_and_ours_goes_on(bench):
    prepare(bench)
    session_id = bench.ask(prompt="Do @@use@@", script=PLAY).session
    if bench.version == LEAVES_NO_TRACE:
        time.sleep(FRESH_SECONDS)
    sent, _ = ours(bench, "--resume", session_id, prompt="We: @@ours@@")
    if "Plain words." not in str(sent):
        raise Failed(f"ours does not send it: {str(sent)[-600:]}")


FORK = "---\ndescription: Forks\ncontext: fork\nagent: Explore\n---\nFork for $ARGUMENTS: @@fork@@\n"
BELOW = "---\ndescription: Below\n---\nBelow words.\n"
MORE = {
    **SCRIPT,
    "forked": [[{"type": "tool_use", "name": "Skill", "input": {"skill": "errand", "args": "Ann"}}], [{"type": "text", "text": LAST_ANSWER}]],
    "fork": [[{"type": "text", "text": "Fork answer."}]],
    "below": [
        [{"type": "tool_use", "name": "Read", "input": {"file_path": "{{CWD}}/sub/a.txt"}}],
        [{"type": "tool_use", "name": "Skill", "input": {"skill": "below"}}],
        [{"type": "tool_use", "name": "Skill", "input": {"skill": "sub:errand"}}],
        [{"type": "text", "text": LAST_ANSWER}],
    ],
}


def prepare_more(bench):
    files = {
        os.path.join(bench.config, "skills", "errand", "SKILL.md"): FORK,
        os.path.join(bench.workdir, "sub", ".claude", "skills", "below", "SKILL.md"): BELOW,
        os.path.join(bench.workdir, "sub", ".claude", "skills", "errand", "SKILL.md"): BELOW,
        os.path.join(bench.workdir, "sub", ".claude", "skills", "group", "inner", "SKILL.md"): BELOW,
        os.path.join(bench.workdir, "sub", "a.txt"): "alpha\n",
        os.path.join(bench.config, "settings.json"): json.dumps({"permissions": {"allow": ["Skill", "Read"]}}),
    }
    for path, text in files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def found_below(bench, session_id):
    """Skills that were found, listed and used; and one that ran in a sub-agent."""
    found = []
    with open(file_of(bench, session_id), encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            attachment, kept = record.get("attachment") or {}, record.get("toolUseResult")
            if attachment.get("type") == "dynamic_skill":
                found.append({**attachment, "skillNames": sorted(attachment["skillNames"])})
            elif attachment.get("type") == "skill_listing" and not attachment["isInitial"]:
                found.append(sorted(attachment["names"]))
            elif isinstance(kept, dict) and "commandName" in kept:
                found.append([record["message"]["content"][0]["content"], {**kept, "agentId": bool(kept.get("agentId"))}])
    return found


def compare_more(bench, script, count, *said):
    if bench.version != "2.1.325":
        bench.said = "not compared: written for the newest"
        return
    prepare_more(bench)
    theirs = found_below(bench, bench.ask(prompt=f"Do @@{script}@@", script=MORE).session)
    _, session_id = ours(bench, "--trust", prompt=f"Do @@{script}@@", script=MORE)
    found = found_below(bench, session_id)
    if len(found) != count or found != theirs:
        raise Failed(f"theirs: {theirs}\nours: {found}")
    take_turns(bench, session_id, *said)


def case_both_run_a_skill_in_a_sub_agent(bench):
    compare_more(bench, "forked", 1, "Fork answer.")


def case_both_find_skills_below(bench):
    compare_more(bench, "below", 4, "Below words.")
