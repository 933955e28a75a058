"""The pictures of the chat screen, for scripts/picture: tmux draws it, and the scripted API answers."""
import json
import os
import subprocess
import time

COLUMNS, ROWS = 100, 32
SECONDS = 30
SCRIPT = {
    "beds": [
        [{"type": "thinking", "thinking": "The plan is in beds.txt.\nRead it first."}, {"type": "text", "text": "Let me look at the plan."},
         {"type": "tool_use", "name": "Read", "input": {"file_path": "{{CWD}}/beds.txt"}}],
        [{"type": "text", "text": "There are **three beds**:\n\n| bed | grows | water |\n|---|---|---|\n| 1 | beans | daily |\n| 2 | onions | weekly |\n| 3 | nothing yet | |\n\nBed 3 is free. I can plan it:"},
         {"type": "tool_use", "name": "Write", "input": {"file_path": "{{CWD}}/beds.txt", "content": "1 beans\n2 onions\n3 tomatoes\n"}}],
        [{"type": "text", "text": "Bed 3 has **tomatoes** now."}],
    ],
    "paths": [
        [{"type": "tool_use", "name": "Agent", "input": {"description": "Look at the paths", "prompt": "Which paths lead to the beds? @@look@@", "subagent_type": "general-purpose"}}],
        [{"type": "text", "text": "Two paths lead there."}],
    ],
    "look": [
        [{"type": "text", "text": "I look at the plan of the paths."}, {"type": "tool_use", "name": "Bash", "input": {"command": "cat paths.txt"}}],
        [{"type": "text", "text": "One path comes from the gate, one from the shed."}],
    ],
    "water": [
        [{"type": "tool_use", "name": "Bash", "input": {"command": "sed 's/$/ water/' beds.txt > water.txt && rm seeds.txt"}}],
        [{"type": "text", "text": "`water.txt` says which beds to water."}],
    ],
}


class Tmux:
    """A server of its own, in which one program runs."""

    def __init__(self, top, environment, work, command):
        self.words, self.environment = ["tmux", "-u", "-f", "/dev/null", "-S", os.path.join(top, "tmux")], environment
        size = ["-x", str(COLUMNS), "-y", str(ROWS)]
        self.run("new-session", "-d", "-s", "it", "-c", work, *size, *command)

    def run(self, *words):
        done = subprocess.run([*self.words, *words], env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"tmux {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def sees(self, text):
        end = time.monotonic() + SECONDS
        while text not in (shown := self.run("capture-pane", "-p", "-t", "it")):
            if time.monotonic() > end:
                raise RuntimeError(f"{text!r} is not on the screen:\n{shown}")
            time.sleep(0.1)
        # The frame is complete, and keys are for it.
        time.sleep(0.9)

    def press(self, *keys):
        self.run("send-keys", "-t", "it", *keys)

    def type(self, text):
        self.run("send-keys", "-t", "it", "-l", text)

    def lines(self):
        return self.run("capture-pane", "-e", "-p", "-t", "it").rstrip("\n").split("\n")


def pictures(annals, api, top):
    """[(name, title, lines)] of the main screens."""
    work, script = os.path.join(top, "garden"), os.path.join(top, "script.json")
    os.mkdir(work)
    os.mkdir(os.path.join(top, "config"))
    with open(os.path.join(work, "beds.txt"), "w", encoding="utf-8") as file:
        file.write("1 beans\n2 onions\n3\n")
    with open(os.path.join(work, "seeds.txt"), "w", encoding="utf-8") as file:
        file.write("tomatoes\n")
    with open(os.path.join(work, "paths.txt"), "w", encoding="utf-8") as file:
        file.write("gate -> beds\nshed -> beds\n")
    with open(script, "w", encoding="utf-8") as file:
        json.dump(SCRIPT, file)
    with subprocess.Popen([api, "--script", script, "--workdir", work], env={}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        url = server.stdout.readline().decode().strip()
        environment = {
            "HOME": top, "PATH": os.environ.get("PATH", ""), "TZ": "UTC", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
            "CLAUDE_CONFIG_DIR": os.path.join(top, "config"), "ANNALS_DATA_DIR": os.path.join(top, "data"), "ANTHROPIC_API_KEY": "dummy-key",
            "ANTHROPIC_BASE_URL": url,
        }
        tmux = Tmux(top, environment, work, [os.path.abspath(annals), "chat", "--screen", "full", "--model", "claude-opus-4-5", "--allowed-tools", "Bash"])
        try:
            tmux.sees("? keys")
            tmux.type("Which bed is free? Plan it. @@beds@@")
            tmux.press("Enter")
            tmux.sees("? Write")
            question = ("chat-question", "annals chat: a question with the whole change", tmux.lines())
            tmux.press("y")
            tmux.sees("tomatoes now.")
            talk = ("chat-conversation", "annals chat: a conversation with Markdown and a change", tmux.lines())
            tmux.type("/re")
            tmux.sees("/rename")
            menu = ("chat-menu", "annals chat: commands while one is typed", tmux.lines())
            tmux.press("C-u")
            tmux.type("/context")
            tmux.press("Enter")
            tmux.sees("free")
            context = ("chat-context", "annals chat: what fills the context window", tmux.lines())
            tmux.type("When do I water them? @@water@@")
            tmux.press("Enter")
            tmux.sees("which beds to water.")
            tmux.type("/rewind")
            tmux.press("Enter")
            tmux.sees("rewind to before which prompt?")
            tmux.press("Up", "Enter")
            tmux.sees("summarize up to here")
            rewind = ("chat-rewind", "annals chat: what goes back to before a prompt", tmux.lines())
            tmux.press("Escape")
            tmux.sees("? keys")
            tmux.type("Which paths lead there? @@paths@@")
            tmux.press("Enter")
            tmux.sees("Two paths lead there.")
            tmux.press("C-o")
            tmux.sees("q leaves")
            transcript = ("chat-transcript", "annals chat: the transcript with a sub-agent", tmux.lines())
            tmux.press("q")
            # A new session, so that there is one to resume.
            tmux.type("/clear")
            tmux.press("Enter")
            tmux.sees("· new ·")
            tmux.type("/resume")
            tmux.press("Enter")
            tmux.sees("enter chooses")
            resume = ("chat-resume", "annals chat: sessions to resume", tmux.lines())
            return [question, talk, menu, context, rewind, transcript, resume]
        finally:
            tmux.run("kill-server")
            server.stdin.close()
