"""The chat screen of annals: what is steered, queued, rewound and branched there leaves sessions that the client resumes."""
import glob
import json
import os
import sys

import client
from bench import Failed, read
from chat import SCRIPT, go_on
from round_trip import agree

DRIVER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "screen.py")
ALL = {
    **SCRIPT,
    "silent": [{"content": [{"type": "text", "text": "never"}], "play": ["stall"]}],
    "slow": [[{"type": "tool_use", "name": "Bash", "input": {"command": "echo begun; sleep 3"}}], [{"type": "text", "text": "Slept well."}]],
    "change": [
        [{"type": "tool_use", "name": "Bash", "input": {"command": "printf 'thirty beds' > beds.txt; printf theirs > kept.txt"}}],
        [{"type": "text", "text": "Changed."}],
    ],
    "write": [[{"type": "tool_use", "name": "Write", "input": {"file_path": "{{CWD}}/beds.txt", "content": "thirty beds\n"}}], [{"type": "text", "text": "Written."}]],
}
# Keys that come right after a question are not for it.
SETTLE = {"wait": 0.9}


def sees(text):
    return {"sees": text}


def press(keys):
    return {"press": keys}


def journey(bench, *steps):
    """One conversation on the chat screen; the sessions that are there afterwards, oldest first."""
    chat = [bench.annals.path, "--data-dir", os.path.join(bench.config, os.pardir, "data"), "chat", "--screen", "inline", "--model", bench.model]
    steps = [sees("shift-tab"), *steps, press("/exit\r")]
    done = client.run([sys.executable, DRIVER, json.dumps(steps)], bench.api, bench.config, bench.workdir, chat, ALL)
    if done.code or done.timed_out:
        raise Failed("ours: " + done.explain() + done.error)
    if done.violations:
        raise Failed("the API would refuse ours: " + "; ".join(sorted(set(done.violations))))
    files = glob.glob(os.path.join(bench.config, "projects", "*", "*.jsonl"))
    return sorted(files, key=os.path.getmtime)


def session_of(path):
    return os.path.basename(path).removesuffix(".jsonl")


def resumed(bench, path, *said):
    """The client sends what ours would, goes on, and ours goes on after it."""
    agree(bench, path, session_of(path))
    go_on(bench, session_of(path), *said)


def case_escape_before_any_output(bench):
    path, = journey(
        bench, press("Say @@hello@@\r"), sees("Good day."), press("@@silent@@\r"), sees("esc to interrupt"), SETTLE, press("\x1b"),
        sees("interrupted"), sees("❯ @@silent@@"), press("\x15"), press("We: @@ours@@\r"), sees("Said by us."))
    if "@@silent@@" not in read(path).decode():
        raise Failed("the prompt that was given back is not in the file")
    if "@@silent@@" in str(bench.would_send(path)):
        raise Failed("the prompt that was given back is sent again")
    resumed(bench, path, "Good day.", "Said by us.")


def case_queued_prompts(bench):
    path, = journey(bench, press("@@slow@@\r"), sees("begun"), press("and then @@ours@@\r"), sees("queued: and then"), sees("Said by us."))
    resumed(bench, path, "begun", "and then @@ours@@")


def case_lines_for_the_shell(bench):
    path, = journey(bench, press("!echo @@hello@@\r"), sees("Good day."))
    if "<bash-input>echo @@hello@@</bash-input>" not in read(path).decode():
        raise Failed(read(path).decode())
    resumed(bench, path, "<bash-stdout>@@hello@@", "Good day.")


def case_rewind_of_conversation_and_files(bench):
    path, = journey(
        bench, press("Say @@hello@@\r"), sees("Good day."), press("Now @@write@@\r"), sees("Written."), SETTLE, press("/rewind\r"),
        sees("rewind to before which prompt?"), press("\r"), sees("1. files and conversation"), SETTLE, press("1"), sees("❯ Now @@write@@"),
        press("\x15"), press("We: @@ours@@\r"), sees("Said by us."))
    if os.path.exists(os.path.join(bench.workdir, "beds.txt")):
        raise Failed("the file is still there")
    if "thirty beds" in str(bench.would_send(path)):
        raise Failed("what was rewound is sent again")
    resumed(bench, path, "Good day.", "Said by us.")


def case_rewind_of_files_that_commands_changed(bench):
    os.makedirs(bench.workdir, exist_ok=True)
    kept = os.path.join(bench.workdir, "kept.txt")
    with open(kept, "w", encoding="utf-8") as file:
        file.write("mine\n")
    path, = journey(
        bench, press("Say @@hello@@\r"), sees("Good day."), press("Now @@change@@\r"), sees("Changed."), SETTLE, press("/rewind\r"),
        sees("rewind to before which prompt?"), press("\r"), sees("2 files, 2 changed by commands"), sees("1. files and conversation"), SETTLE,
        press("1"), sees("❯ Now @@change@@"), press("\x15"), press("We: @@ours@@\r"), sees("Said by us."))
    if os.path.exists(os.path.join(bench.workdir, "beds.txt")) or read(kept) != b"mine\n":
        raise Failed("the files are not as they were")
    resumed(bench, path, "Good day.", "Said by us.")


def summarized(bench, choice, told, *then):
    path, = journey(
        bench, press("Say @@hello@@\r"), sees("Good day."), press("Now @@theirs@@\r"), sees("Said by them."), SETTLE, press("/rewind\r"),
        sees("rewind to before which prompt?"), press("\r"), sees("5. summarize up to here"), SETTLE, press(choice), sees(told), SETTLE,
        *then, press("\x15"), press("We: @@ours@@\r"), sees("Said by us."))
    return path


def case_summary_from_here(bench):
    path = summarized(bench, "4", "summarized from that prompt on", sees("❯ Now @@theirs@@"))
    if "Now @@theirs@@" in str(bench.would_send(path)):
        raise Failed("what was summarized is sent")
    # 2.0.76 knows nothing of messages that a compaction keeps.
    resumed(bench, path, *(["Good day."] if bench.version != "2.0.76" else []), "Said by us.")


def case_summary_up_to_here(bench):
    path = summarized(bench, "5", "conversation compacted")
    if "Good day." in str(bench.would_send(path)):
        raise Failed("what was summarized is sent")
    resumed(bench, path, *(["Said by them."] if bench.version != "2.0.76" else []), "Said by us.")


def case_image_that_is_dropped(bench):
    os.makedirs(bench.workdir, exist_ok=True)
    shot = os.path.join(bench.workdir, "my shot.gif")
    with open(shot, "wb") as file:
        file.write(b"GIF89a\x28\0\x28\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;")
    path, = journey(
        bench, press("Look @@hello@@ \x1b[200~" + shot.replace(" ", "\\ ") + "\x1b[201~"), sees("[Image #1]"), SETTLE, press("\r"), sees("Good day."))
    if '"imagePasteIds":[1]' not in read(path).decode():
        raise Failed(read(path).decode())
    resumed(bench, path, "image/gif", "[Image: source: " + shot + "]", "Good day.")


def case_branch(bench):
    first, second = journey(
        bench, press("Say @@hello@@\r"), sees("Good day."), press("/branch Other beds\r"), sees("resumed"), press("We: @@ours@@\r"), sees("Said by us."))
    if "Said by us." in read(first).decode() or "Said by us." not in read(second).decode():
        raise Failed("the branch is not in a file of its own")
    resumed(bench, second, "Good day.", "Said by us.")
    resumed(bench, first, "Good day.")


def case_a_resource_of_a_server_is_attached(bench):
    """As the client records it on its own screen; with -p the mention stays text (see interop/mcp)."""
    server = {"command": sys.executable, "args": ["-B", os.path.join(os.path.dirname(DRIVER), "mcp_odd_server.py"), "one"]}
    with open(os.path.join(bench.config, ".claude.json"), "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {"srv": server}}, file)
    path, = journey(bench, {"wait": 2}, press("Look at @srv:mem://note now @@hello@@\r"), sees("Good day."))
    kept = [json.loads(line).get("attachment") or {} for line in read(path).splitlines()]
    kept = [attachment for attachment in kept if attachment.get("type") == "mcp_resource"]
    wanted = {"server": "srv", "uri": "mem://note", "name": "note", "content": {"contents": [{"uri": "mem://note", "mimeType": "text/plain", "text": "THE NOTE"}]}}
    if len(kept) != 1 or {key: kept[0].get(key) for key in wanted} != wanted:
        raise Failed(f"not attached as it should be: {kept}")
    resumed(bench, path, "THE NOTE")


def case_hooks_are_notified_of_a_question(bench):
    """What the client tells such a hook after six seconds, with the same keys."""
    settings = {"hooks": {"Notification": [{"matcher": "permission_prompt", "hooks": [{"type": "command", "command": "cat > notified"}]}]}}
    with open(os.path.join(bench.config, "settings.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file)
    path, = journey(bench, press("@@write@@\r"), sees("beds.txt"), {"wait": 8}, press("y"), sees("Written."))
    told = json.loads(read(os.path.join(bench.workdir, "notified")))
    wanted = {"session_id": session_of(path), "transcript_path": path, "cwd": bench.workdir, "hook_event_name": "Notification", "notification_type": "permission_prompt"}
    if {key: told.get(key) for key in wanted} != wanted or not told.get("message") or "permission_mode" in told:
        raise Failed(f"the hook was told: {told}")
    resumed(bench, path, "Written.")
