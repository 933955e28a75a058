"""Scenarios of hooks: what the settings say, what the API answers, what is asked. Each runs with the original and with annals.

A hook is a shell script: it notes what it is told, then does what the scenario says. Words in capitals are ours, so that they are found
again in requests and records.
"""
import json
import os

SERVICES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hook_services.py")
PORT = 7171
TEXT = lambda words: [{"type": "text", "text": words}]
CALL = lambda tool, /, **given: [{"type": "tool_use", "name": tool, "input": given}]
BASH = lambda command: CALL("Bash", command=command, description="does it")

SCRIPTS = {
    "hello": [TEXT("Hello there."), TEXT("Hello again."), *[TEXT(f"Hello {number}.") for number in range(3, 14)]],
    "bash": [BASH("echo one"), TEXT("Said.")],
    "touch": [BASH("touch made"), TEXT("Made.")],
    "fail": [BASH("exit 3"), TEXT("It failed.")],
    "two": [[*BASH("echo one"), *BASH("echo two")], TEXT("Both.")],
    "move": [BASH("mkdir -p below && cd below"), BASH("pwd; echo V=$FROM_HOOK"), TEXT("Moved.")],
    "variable": [BASH("echo V=$FROM_HOOK"), TEXT("Said.")],
    "sleep": [BASH("sleep 2"), TEXT("Slept.")],
    "write": [CALL("Write", file_path="{{CWD}}/a.txt", content="alpha\n"), TEXT("Written.")],
    "unknown": [CALL("NoSuchTool", a=1), TEXT("There is none.")],
    "agent": [CALL("Agent", subagent_type="general-purpose", description="a look", prompt="Look @@inner@@", run_in_background=False), TEXT("The agent is done.")],
    "inner": [TEXT("Inner words.")],
    "read": [CALL("Read", file_path="{{CWD}}/sub/deep/b.rs"), TEXT("Read.")],
    "guarded": [CALL("Agent", subagent_type="guarded", description="a look", prompt="Look @@inner_touch@@", run_in_background=False), BASH("echo outer"), TEXT("The agent is done.")],
    "inner_touch": [BASH("touch made"), TEXT("Inner words.")],
    "skill": [CALL("Skill", skill="careful"), BASH("touch made"), TEXT("Used.")],
    "one": [BASH("echo one"), TEXT("One.")],
    "fine": [TEXT('{"ok":true}')],
    "not_fine": [TEXT('{"ok":false,"reason":"JUDGED-NO"}')],
    "unclear": [TEXT("Perhaps.")],
    "reads": [[*CALL("Read", file_path="{{CWD}}/a.txt"), *CALL("Read", file_path="{{CWD}}/b.txt")], TEXT("Both read.")],
    "refused": [{"status": 400, "error": "invalid_request_error", "message": "that is wrong", "content": []}],
}


def answer(event, **fields):
    """The JSON of an answer that is about one event."""
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


class Hook:
    """A hook: its event, and what its script does after it noted what it was told."""

    def __init__(self, event, say=None, errors="", code=0, script="", matcher=None, in_file=False, **handler):
        self.event, self.matcher, self.handler, self.code = event, matcher, handler, code
        # A file of the scenario names it as {{HOOK0}}, not the settings.
        self.is_in_file = in_file
        said = self.said = json.dumps(say) if isinstance(say, dict) else say or ""
        self.script = "\n".join(filter(None, [script, said and f"cat <<'END'\n{said}\nEND", errors and f"echo '{errors}' >&2", f"exit {code}"]))


class Scenario:
    """Hooks, and a prompt."""

    def __init__(self, name, prompt, *hooks, settings=None, quick=False, arguments=(), files=None, then=None):
        self.name, self.prompt, self.hooks, self.settings, self.is_quick, self.arguments = name, prompt, hooks, settings or {}, quick, arguments
        # A list of prompts is a stream of them, whose input stays open for a while; `then` are arguments of a second run.
        self.then = then
        # Files of the work folder, or below config/ of the config dir.
        self.files = files or {}


ASK = {"permissions": {"allow": []}}
TOLD = ("SessionStart", "UserPromptSubmit", "MessageDisplay", "PreToolUse", "PermissionRequest", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
        "CwdChanged", "SubagentStart", "SubagentStop", "Stop", "SessionEnd")
NOTES = {
    "CLAUDE.md": "Top @extra.md\n", "extra.md": "Extra\n", "CLAUDE.local.md": "Local\n", "config/CLAUDE.md": "Mine\n", "config/rules/own.md": "Own\n",
    ".claude/rules/always.md": "Always\n", ".claude/rules/rust.md": "---\npaths: \"**/*.{rs,toml}\"\n---\nRust\n", ".claude/rules/none.md": "---\npaths: [\"*.py\"]\n---\nPython\n",
    "sub/CLAUDE.md": "Sub @imp.md\n", "sub/imp.md": "Imported\n", "sub/deep/.claude/CLAUDE.md": "Deep\n", "sub/deep/.claude/rules/r.md": "Rule\n", "sub/deep/b.rs": "fn b() {}\n",
}
COMMANDS = {"config/commands/greet.md": "Greet $0: $ARGUMENTS\n"}
ALL = [Hook(event) for event in TOLD]
MCP = ("--mcp-config", json.dumps({"mcpServers": {"srv": {"command": "python3", "args": [SERVICES, "mcp"]}}}))
DENY = answer("PreToolUse", permissionDecision="deny", permissionDecisionReason="NO-REASON")
DEFER = answer("PreToolUse", permissionDecision="defer")


def http(event, say=None, status=200, **handler):
    """A handler that is an address."""
    return Hook(event, say, code=status, type="http", url="{{URL}}", **handler)


def of_server(event, words, **handler):
    """A handler that is a tool of a server, which says these words."""
    return Hook(event, type="mcp_tool", server="srv", tool="echo", input={"words": words}, **handler)


def judged(event, script, **handler):
    """A handler that a model answers."""
    return Hook(event, type="prompt", prompt=f"Is it fine? $ARGUMENTS @@{script}@@", **handler)


def matter(event, number, matcher="Bash", more=""):
    """Hooks of a front matter."""
    return f"  {event}:\n    - matcher: \"{matcher}\"\n      hooks:\n        - type: command\n          command: \"{{{{HOOK{number}}}}}\"\n{more}"


def agent_file(*hooks):
    return {"config/agents/guarded.md": "---\nname: guarded\ndescription: Looks\nhooks:\n" + "".join(hooks) + "---\nLook around.\n"}


def skill_file(*hooks):
    return {"config/skills/careful/SKILL.md": "---\nname: careful\ndescription: Careful work\nhooks:\n" + "".join(hooks) + "---\nBe careful. $ARGUMENTS\n"}


AGENTS = {"permissions": {"allow": ["Agent", "Task", "Bash", "Skill"]}}

SCENARIOS = [
    # What each event tells.
    Scenario("told_of_a_call", "@@bash@@", *ALL, quick=True),
    Scenario("told_of_a_failed_call", "@@fail@@", *ALL),
    Scenario("told_of_two_calls", "@@two@@", *ALL),
    Scenario("told_of_a_file", "@@write@@", *ALL, settings={"permissions": {"allow": ["Write"]}}),
    Scenario("told_of_a_moved_folder", "@@move@@", *ALL),
    Scenario("told_of_a_question", "@@touch@@", *ALL, settings=ASK),
    Scenario("told_of_an_unknown_tool", "@@unknown@@", *ALL),
    Scenario("told_of_an_agent", "@@agent@@", *ALL, settings={"permissions": {"allow": ["Agent", "Task"]}}, quick=True),
    Scenario("told_of_a_compaction", "/compact keep x", Hook("PreCompact"), Hook("PostCompact"), Hook("SessionStart")),
    Scenario("told_of_instructions", "@@read@@", Hook("InstructionsLoaded"), settings={"permissions": {"allow": ["Read"]}}, files=NOTES, quick=True),
    Scenario("told_of_a_command", "/greet Ann @@hello@@", Hook("UserPromptExpansion", "PLAIN-EXPANSION"), files=COMMANDS, quick=True),
    Scenario("command_context", "/greet Ann @@hello@@", Hook("UserPromptExpansion", answer("UserPromptExpansion", additionalContext="JSON-EXPANSION")), files=COMMANDS),
    # PreToolUse: every outcome.
    Scenario("pre_silent", "@@bash@@", Hook("PreToolUse")),
    Scenario("pre_text", "@@bash@@", Hook("PreToolUse", "PLAIN-PRE")),
    Scenario("pre_exit_1", "@@bash@@", Hook("PreToolUse", "some stdout", "STDERR-LINE", 1)),
    Scenario("pre_exit_2", "@@touch@@", Hook("PreToolUse", "", "STDERR-NO", 2), quick=True),
    Scenario("pre_exit_2_with_allow", "@@touch@@", Hook("PreToolUse", answer("PreToolUse", permissionDecision="allow", additionalContext="STILL-TOLD"), "STDERR-NO", 2)),
    Scenario("pre_exit_1_with_deny", "@@touch@@", Hook("PreToolUse", answer("PreToolUse", permissionDecision="deny", permissionDecisionReason="BY-JSON"), "", 1)),
    Scenario("pre_deny", "@@touch@@", Hook("PreToolUse", answer("PreToolUse", permissionDecision="deny", permissionDecisionReason="NO-REASON")), quick=True),
    Scenario("pre_old_block", "@@touch@@", Hook("PreToolUse", {"decision": "block", "reason": "OLD-WAY"})),
    Scenario("pre_allow", "@@touch@@", Hook("PreToolUse", answer("PreToolUse", permissionDecision="allow")), settings=ASK, quick=True),
    Scenario("pre_old_approve", "@@touch@@", Hook("PreToolUse", {"decision": "approve"}), settings=ASK),
    Scenario("pre_ask", "@@touch@@", Hook("PreToolUse", answer("PreToolUse", permissionDecision="ask", permissionDecisionReason="ASK-FIRST"))),
    Scenario("pre_updated_input", "@@touch@@", Hook("PreToolUse", answer("PreToolUse", permissionDecision="allow", updatedInput={"command": "touch other", "description": "x"}))),
    Scenario("pre_context", "@@bash@@", Hook("PreToolUse", answer("PreToolUse", additionalContext="JSON-PRE"))),
    Scenario("pre_system_message", "@@bash@@", Hook("PreToolUse", {"systemMessage": "SYS-PRE"})),
    Scenario("pre_stop", "@@touch@@", Hook("PreToolUse", {"continue": False, "stopReason": "STOPPED-PRE"})),
    Scenario("pre_broken_json", "@@bash@@", Hook("PreToolUse", "{BROKEN")),
    Scenario("pre_invalid_json", "@@bash@@", Hook("PreToolUse", {"decision": "maybe"})),
    Scenario("pre_wrong_event", "@@touch@@", Hook("PreToolUse", answer("Stop", permissionDecision="deny"))),
    Scenario("pre_missing_program", "@@touch@@", Hook("PreToolUse", script="/no/such/program; exit $?")),
    Scenario("pre_timeout", "@@bash@@", Hook("PreToolUse", script="sleep 20", timeout=1)),
    Scenario("pre_two_denies", "@@touch@@", Hook("PreToolUse", answer("PreToolUse", permissionDecision="deny", permissionDecisionReason="FIRST")),
             Hook("PreToolUse", answer("PreToolUse", permissionDecision="deny", permissionDecisionReason="LAST"), script="sleep 1")),
    Scenario("pre_deny_beats_allow", "@@touch@@", Hook("PreToolUse", answer("PreToolUse", permissionDecision="allow")),
             Hook("PreToolUse", answer("PreToolUse", permissionDecision="deny", permissionDecisionReason="DENIED"))),
    Scenario("pre_other_matcher", "@@bash@@", Hook("PreToolUse", "NEVER", matcher="Read|Edit")),
    Scenario("pre_expression", "@@bash@@", Hook("PreToolUse", "MATCHED", matcher="B.*h")),
    Scenario("pre_condition", "@@touch@@", Hook("PreToolUse", "MATCHED", **{"if": "Bash(touch *)"}), Hook("PreToolUse", "NEVER", script="true", **{"if": "Bash(git *)"})),
    # PermissionRequest.
    Scenario("request_allow", "@@touch@@", Hook("PermissionRequest", answer("PermissionRequest", decision={"behavior": "allow"})), settings=ASK, quick=True),
    Scenario("request_deny", "@@touch@@", Hook("PermissionRequest", answer("PermissionRequest", decision={"behavior": "deny", "message": "NOT-NOW"})), settings=ASK),
    Scenario("request_interrupt", "@@touch@@", Hook("PermissionRequest", answer("PermissionRequest", decision={"behavior": "deny", "message": "ENOUGH", "interrupt": True})), settings=ASK),
    Scenario("request_exit_2", "@@touch@@", Hook("PermissionRequest", "", "NO", 2), settings=ASK),
    # After calls.
    Scenario("post_text", "@@bash@@", Hook("PostToolUse", "PLAIN-POST")),
    Scenario("post_exit_2", "@@bash@@", Hook("PostToolUse", "", "POST-STDERR", 2), quick=True),
    Scenario("post_block", "@@bash@@", Hook("PostToolUse", {"decision": "block", "reason": "POST-BLOCK"})),
    Scenario("post_context", "@@bash@@", Hook("PostToolUse", answer("PostToolUse", additionalContext="JSON-POST")), quick=True),
    Scenario("post_stop", "@@bash@@", Hook("PostToolUse", {"continue": False, "stopReason": "STOPPED-POST"})),
    Scenario("post_updated_output", "@@bash@@", Hook("PostToolUse", answer("PostToolUse", updatedToolOutput={
        "stdout": "REPLACED", "stderr": "", "interrupted": False, "isImage": False}))),
    Scenario("failure_context", "@@fail@@", Hook("PostToolUseFailure", answer("PostToolUseFailure", additionalContext="JSON-FAIL"))),
    Scenario("failure_exit_2", "@@fail@@", Hook("PostToolUseFailure", "", "FAIL-STDERR", 2)),
    Scenario("batch_context", "@@two@@", Hook("PostToolBatch", answer("PostToolBatch", additionalContext="JSON-BATCH"))),
    Scenario("batch_block", "@@two@@", Hook("PostToolBatch", {"decision": "block", "reason": "BATCH-BLOCK"})),
    # Prompts and starts.
    Scenario("prompt_text", "@@hello@@", Hook("UserPromptSubmit", "PLAIN-PROMPT"), quick=True),
    Scenario("prompt_context", "@@hello@@", Hook("UserPromptSubmit", answer("UserPromptSubmit", additionalContext="JSON-PROMPT"))),
    Scenario("prompt_exit_2", "@@hello@@", Hook("UserPromptSubmit", "", "BAD-PROMPT", 2)),
    Scenario("prompt_block", "@@hello@@", Hook("UserPromptSubmit", {"decision": "block", "reason": "BLOCKED-PROMPT"}), quick=True),
    Scenario("prompt_stop", "@@hello@@", Hook("UserPromptSubmit", {"continue": False, "stopReason": "STOPPED-PROMPT"})),
    Scenario("prompt_title", "@@hello@@", Hook("UserPromptSubmit", answer("UserPromptSubmit", sessionTitle="TITLE-OF-HOOK"))),
    Scenario("start_text", "@@hello@@", Hook("SessionStart", "PLAIN-START"), quick=True),
    Scenario("start_context", "@@hello@@", Hook("SessionStart", answer("SessionStart", additionalContext="JSON-START"))),
    Scenario("start_other_source", "@@hello@@", Hook("SessionStart", "NEVER", matcher="resume")),
    Scenario("start_variable", "@@variable@@", Hook("SessionStart", script="echo 'export FROM_HOOK=one' >> \"$CLAUDE_ENV_FILE\"")),
    Scenario("move_variable", "@@move@@", Hook("CwdChanged", script="echo 'export FROM_HOOK=two' >> \"$CLAUDE_ENV_FILE\"")),
    # Ends.
    Scenario("stop_silent", "@@hello@@", Hook("Stop")),
    Scenario("stop_text", "@@hello@@", Hook("Stop", "PLAIN-STOP")),
    Scenario("stop_block_once", "@@hello@@", Hook("Stop", script="grep -q '\"stop_hook_active\":true' \"$TOLD\" && exit 0\necho '{\"decision\":\"block\",\"reason\":\"MORE-PLEASE\"}'"), quick=True),
    Scenario("stop_exit_2_once", "@@hello@@", Hook("Stop", script="grep -q '\"stop_hook_active\":true' \"$TOLD\" && exit 0\necho MORE-STDERR >&2; exit 2")),
    Scenario("stop_block_always", "@@hello@@", Hook("Stop", {"decision": "block", "reason": "NEVER-ENOUGH"})),
    Scenario("stop_prevented", "@@hello@@", Hook("Stop", {"continue": False, "stopReason": "STOPPED-STOP"})),
    Scenario("stop_system_message", "@@hello@@", Hook("Stop", {"systemMessage": "SYS-STOP"})),
    Scenario("agent_stop_block_once", "@@agent@@", Hook("SubagentStop", script="grep -q '\"stop_hook_active\":true' \"$TOLD\" && exit 0\necho '{\"decision\":\"block\",\"reason\":\"AGENT-MORE\"}'"),
             settings={"permissions": {"allow": ["Agent", "Task"]}}),
    Scenario("agent_start_context", "@@agent@@", Hook("SubagentStart", answer("SubagentStart", additionalContext="AGENT-START")), settings={"permissions": {"allow": ["Agent", "Task"]}}),
    Scenario("compaction_prevented", "/compact", Hook("PreCompact", "", "NOT-COMPACT", 2)),
    # Handlers that are no commands.
    Scenario("http_silent", "@@bash@@", http("PreToolUse")),
    Scenario("http_deny", "@@touch@@", http("PreToolUse", DENY), quick=True),
    Scenario("http_context", "@@bash@@", http("PostToolUse", answer("PostToolUse", additionalContext="JSON-HTTP"))),
    Scenario("http_text", "@@bash@@", http("PreToolUse", "PLAIN-HTTP")),
    Scenario("http_status", "@@bash@@", http("PreToolUse", DENY, 500)),
    Scenario("http_nobody", "@@touch@@", Hook("PreToolUse", type="http", url="http://127.0.0.1:7172/none")),
    Scenario("http_prompt", "@@hello@@", http("UserPromptSubmit", {"decision": "block", "reason": "BLOCKED-HTTP"})),
    Scenario("prompt_handler_fine", "@@bash@@", judged("PreToolUse", "fine")),
    Scenario("prompt_handler_no", "@@touch@@", judged("PreToolUse", "not_fine")),
    Scenario("prompt_handler_unclear", "@@bash@@", judged("PreToolUse", "unclear")),
    Scenario("server_text", "@@bash@@", of_server("PreToolUse", "PLAIN-SERVER"), arguments=MCP),
    Scenario("server_deny", "@@touch@@", of_server("PreToolUse", json.dumps(DENY)), arguments=MCP, quick=True),
    Scenario("server_filled_in", "@@bash@@", of_server("PostToolUse", "RAN ${tool_input.command} ${tool_input.none} ${session_id}"), arguments=MCP),
    Scenario("server_context", "@@bash@@", of_server("PostToolUse", json.dumps(answer("PostToolUse", additionalContext="JSON-SERVER"))), arguments=MCP),
    Scenario("server_prompt", "@@hello@@", of_server("UserPromptSubmit", "PLAIN-PROMPT"), arguments=MCP),
    Scenario("server_missing", "@@touch@@", of_server("PreToolUse", "NEVER")),
    Scenario("server_no_such_tool", "@@touch@@", Hook("PreToolUse", type="mcp_tool", server="srv", tool="none"), arguments=MCP),
    # Front matter.
    Scenario("agent_matter", "@@guarded@@", Hook("PreToolUse", in_file=True), settings=AGENTS, files=agent_file(matter("PreToolUse", 0)), quick=True),
    Scenario("agent_matter_denies", "@@guarded@@", Hook("PreToolUse", DENY, in_file=True), settings=AGENTS, files=agent_file(matter("PreToolUse", 0))),
    Scenario("agent_matter_stop", "@@guarded@@", Hook("Stop", in_file=True), settings=AGENTS, files=agent_file(matter("Stop", 0, ""))),
    Scenario("agent_matter_start", "@@guarded@@", Hook("SubagentStart", in_file=True), settings=AGENTS, files=agent_file(matter("SubagentStart", 0, ""))),
    Scenario("skill_matter", "/careful @@touch@@", Hook("PreToolUse", in_file=True), settings=AGENTS, files=skill_file(matter("PreToolUse", 0)), quick=True),
    Scenario("skill_matter_denies", "/careful @@touch@@", Hook("PreToolUse", DENY, in_file=True), settings=AGENTS, files=skill_file(matter("PreToolUse", 0))),
    Scenario("skill_matter_by_model", "@@skill@@", Hook("PreToolUse", in_file=True), Hook("Stop", in_file=True), settings=AGENTS, files=skill_file(matter("PreToolUse", 0, ""), matter("Stop", 1, ""))),
    Scenario("skill_matter_next_turn", ["/careful @@one@@", "Now @@bash@@"], Hook("PreToolUse", in_file=True), settings=AGENTS, files=skill_file(matter("PreToolUse", 0))),
    Scenario("skill_matter_once", ["/careful @@one@@", "Now @@bash@@"], Hook("PreToolUse", in_file=True), settings=AGENTS, files=skill_file(matter("PreToolUse", 0, more="          once: true\n"))),
    Scenario("command_matter", "/careful @@touch@@", Hook("PreToolUse", in_file=True), settings=AGENTS,
             files={"config/commands/careful.md": skill_file(matter("PreToolUse", 0))["config/skills/careful/SKILL.md"]}),
    # Calls that are left for later.
    Scenario("defer", "@@touch@@", Hook("PreToolUse", DEFER), quick=True),
    # The original notes them in the order in which their hooks end.
    Scenario("defer_of_two", "@@two@@", Hook("PreToolUse", DEFER, **{"if": "Bash(echo one)"}), Hook("PreToolUse", DEFER, script="sleep 1", **{"if": "Bash(echo two)"})),
    Scenario("defer_beats_ask", "@@touch@@", Hook("PreToolUse", DEFER), Hook("PreToolUse", answer("PreToolUse", permissionDecision="ask"), script="true")),
    Scenario("defer_loses_to_deny", "@@touch@@", Hook("PreToolUse", DEFER), Hook("PreToolUse", DENY, script="true")),
    Scenario("defer_then_run", "@@touch@@", Hook("PreToolUse", script=f"[ -e \"$TOLD.again\" ] && exit 0\ntouch \"$TOLD.again\"\necho '{json.dumps(DEFER)}'"), then=()),
    Scenario("defer_then_defer", "@@touch@@", Hook("PreToolUse", DEFER), then=()),
    Scenario("defer_then_prompt", "@@touch@@", Hook("PreToolUse", DEFER), then=("Go on @@hello@@",)),
    # Failures are told while somebody still listens.
    Scenario("told_of_a_failure", ["@@refused@@"], Hook("StopFailure"), Hook("Stop"), quick=True),
    # Which handlers run, and how.
    Scenario("calls_beside_each_other", "@@reads@@", Hook("PreToolUse", script="sleep 1"), files={"a.txt": "a\n", "b.txt": "b\n"}, settings={"permissions": {"allow": ["Read"]}}),
    Scenario("same_command_once", "@@bash@@", Hook("PreToolUse", "ONCE"), settings={"twice": True}),
    Scenario("all_disabled", "@@touch@@", Hook("PreToolUse", "", "NO", 2), settings={"disableAllHooks": True}),
    Scenario("in_the_background", "@@sleep@@", Hook("PreToolUse", {**answer("PreToolUse", additionalContext="LATE-CONTEXT")}, **{"async": True})),
]
