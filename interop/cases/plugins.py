"""Plugins of --plugin-dir: a command, a type of sub-agent, a skill, a hook and an MCP server mean the same with annals chat and the client."""
import json
import os
import sys

from bench import LEAVES_NO_TRACE, Failed, file_of
from chat import SCRIPT, ours, take_turns
from every_kind import agent_tool
from round_trip import LAST_ANSWER

SERVER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "mcp_odd_server.py")
TOOL = "mcp__plugin_plug_srv__good"
FILES = {
    ".claude-plugin/plugin.json": json.dumps({"name": "plug", "version": "1.0.0"}),
    "commands/hi.md": "---\ndescription: Says hi\n---\nSay hi to $ARGUMENTS from ${CLAUDE_PLUGIN_ROOT}.\n",
    "agents/helper.md": "---\nname: helper\ndescription: Helps\n---\nYou are the HELPER OF PLUG.\n",
    "skills/greet/SKILL.md": "---\ndescription: Greets\n---\nGreet $ARGUMENTS.\n",
    "hooks/hooks.json": json.dumps({"hooks": {"PostToolUse": [{"matcher": "Skill|mcp__.*", "hooks": [
        {"type": "command", "command": "echo \"$(basename \"$CLAUDE_PLUGIN_ROOT\")\" >> hooked"}]}]}}),
}
PLAY = {
    **SCRIPT,
    "all": [
        [{"type": "tool_use", "name": "Skill", "input": {"skill": "plug:greet", "args": "Ann"}}],
        [{"type": "tool_use", "name": TOOL, "input": {}}],
        [{"type": "tool_use", "name": "AGENT", "input": {"description": "Help", "prompt": "Help: @@helped@@", "subagent_type": "plug:helper", "run_in_background": False}}],
        [{"type": "text", "text": LAST_ANSWER}],
    ],
    "helped": [[{"type": "text", "text": "Helped."}]],
}


def prepare(bench):
    """The plugin and rules for what it brings; the options that load it, and the script."""
    root = os.path.join(bench.workdir, "plug")
    server = {"command": sys.executable, "args": ["-B", SERVER, "one"]}
    for path, text in {**FILES, ".mcp.json": json.dumps({"mcpServers": {"srv": server}})}.items():
        path = os.path.join(root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    settings = {"permissions": {"allow": ["Skill", "Agent", "Task", TOOL]}, "env": {"ENABLE_TOOL_SEARCH": "false"}}
    with open(os.path.join(bench.config, "settings.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file)
    # With a blank, 2.0.76 takes the prompt for another folder.
    return [f"--plugin-dir={root}"], json.loads(json.dumps(PLAY).replace('"AGENT"', f'"{agent_tool(bench.version)}"'))


def facts(bench, session_id):
    """What the parts of the plugin have left in a session, and what its hook has written."""
    found = []
    with open(file_of(bench, session_id), encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            kept = record.get("toolUseResult")
            if isinstance(kept, dict) and "commandName" in kept:
                found.append(["skill", kept["commandName"]])
            elif "sourceToolUseID" in record:
                found.append(["text", record["message"]["content"][0]["text"]])
            elif "toolUseResult" in record and "called" in str(kept):
                found.append(["server", "called 'good'" in str(kept)])
            elif isinstance(kept, dict) and "agentId" in kept:
                found.append(["agent", kept.get("agentType", "plug:helper")])
    with open(os.path.join(bench.workdir, "hooked"), encoding="utf-8") as file:
        hooked = file.read()
    os.remove(os.path.join(bench.workdir, "hooked"))
    return found, hooked


def case_both_use_what_a_plugin_brings(bench):
    if bench.version == LEAVES_NO_TRACE:
        bench.said = "not compared: it knows no skills of plugins"
        return
    options, script = prepare(bench)
    theirs = facts(bench, bench.ask(*options, prompt="Do @@all@@", script=script).session)
    _, session_id = ours(bench, *options, prompt="Do @@all@@", script=script)
    found = facts(bench, session_id)
    if [kind for kind, _ in found[0]] != ["skill", "text", "server", "agent"] or found != theirs or found[1] != "plug\n" * 2:
        raise Failed(f"theirs: {theirs}\nours: {found}")
    take_turns(bench, session_id, "Greet Ann.", "Helped.")


def case_both_run_the_command_of_a_plugin(bench):
    options, script = prepare(bench)
    wanted = f"Say hi to Ann @@hello@@ from {os.path.join(bench.workdir, 'plug')}."
    sent = bench.ask(*options, prompt="/plug:hi Ann @@hello@@", script=script).conversations[-1]["messages"]
    mine, session_id = ours(bench, *options, prompt="/plug:hi Ann @@hello@@")
    for who, messages in (("theirs", sent), ("ours", mine)):
        if wanted not in str(messages):
            raise Failed(f"{who} does not send {wanted!r}: {str(messages)[-900:]}")
    take_turns(bench, session_id, wanted)
