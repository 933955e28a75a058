"""Sessions that `annals chat` wrote, cut as a power failure cuts them: the SDK and annals read the same chain, before and after
annals has resumed them."""
import json
import os
import subprocess

import sdk_compare
from bench import Failed, read
from common import hermetic
from sdk_facts import Facts

SCRIPT = {
    "work": [
        [{"type": "thinking", "thinking": "Hm: é 漢 😀."}, {"type": "text", "text": "Zwei Wünsche, 漢字 und 😀."},
         {"type": "tool_use", "name": "Bash", "input": {"command": "echo 'é 😀'", "description": "Sagt é"}},
         {"type": "tool_use", "name": "Bash", "input": {"command": "printf 漢; exit 3", "description": "Fails"}}],
        [{"type": "text", "text": "Fertig: naïve façade 😀."}],
    ],
    "on": [[{"type": "text", "text": "Weiter geht’s."}]],
}
LONG_AGO = 1_700_000_000
INSIDE = 7  # cuts inside of a line that is cut at all
LETTERS = 12  # cuts inside of letters, over the whole file


class Chat:
    """`annals chat` against an API of its own."""

    def __init__(self, place):
        self.place = place
        script = os.path.join(os.path.dirname(place.workdir), "script.json")
        with open(script, "w", encoding="utf-8") as file:
            json.dump(SCRIPT, file)
        self.api = subprocess.Popen([place.annals.path, "mock-api", "--quiet", "--json", "--script", script],
                                    stdout=subprocess.PIPE, env=hermetic(place.annals.home.name))

    def __enter__(self):
        self.url = json.loads(self.api.stdout.readline())["url"]
        return self

    def __exit__(self, *_):
        self.api.terminate()
        self.api.wait()
        self.api.stdout.close()

    def say(self, prompt, *arguments):
        environment = {**hermetic(self.place.annals.home.name), "ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": self.url}
        words = [self.place.annals.path, "--config-dir", self.place.config, "chat", "-p", prompt, "--model", self.place.model,
                 "--allowedTools", "Bash", "--output-format", "json", *arguments]
        done = subprocess.run(words, capture_output=True, cwd=self.place.workdir, env=environment, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise Failed(f"annals chat {' '.join(arguments)}: exit {done.returncode}: {done.stderr.decode(errors='replace')}")
        return json.loads(done.stdout)["session_id"]


def cuts(data):
    """Where a file is cut: at every line's end, inside of the last line of each kind, and inside of letters."""
    ends = [place + 1 for place, byte in enumerate(data) if byte == ord("\n")]
    lines = list(zip([0, *ends], ends))
    last = {json.loads(data[start:end])["type"]: (start, end) for start, end in lines}
    inside = {start + (end - start) * part // (INSIDE + 1) for start, end in last.values() for part in range(1, INSIDE + 1)}
    # Everything of the last line but its end: it is whole, and not ended.
    inside |= {end - 1 for _, end in last.values()}
    letters = [place for place, byte in enumerate(data) if byte & 0xC0 == 0x80]
    letters = letters[:: max(1, len(letters) // LETTERS)]
    # The first prompt is there: without it there is no session.
    first = next(end for start, end in lines if json.loads(data[start:end])["type"] == "user")
    return sorted(place for place in {*ends, *inside, *letters} if place >= first)


def compare(place, session_id, path, what):
    """The SDK's chain is ours; returns it, or None where the SDK refuses the file because a letter is torn."""
    facts = Facts(read(path))
    chain = place.tell("show", path, "--as", "tree")["chain"]
    try:
        shown = [message.uuid for message in place.sdk.get_session_messages(session_id)]
    except UnicodeDecodeError:
        if facts.is_utf8:
            raise Failed(f"{what}: the SDK cannot read it") from None
        return None
    if difference := sdk_compare.messages(shown, chain, facts):
        raise Failed(f"{what}: {difference} ({sdk_compare.why_messages(shown, chain, facts)})")
    return shown


def case_the_sdk_reads_what_is_left_of_cut_chats(place):
    with Chat(place) as chat:
        session_id = chat.say("Tu es: @@work@@ é")
        chat.say("Und: @@on@@", "--resume", session_id)
        path = place.file(session_id)
        whole = read(path)
        places, refused, before = cuts(whole), 0, 0
        for at in places:
            what = f"cut at {at} of {len(whole)}"
            with open(path, "wb") as file:
                file.write(whole[:at])
            # The writer is long gone.
            os.utime(path, (LONG_AGO, LONG_AGO))
            shown = compare(place, session_id, path, what)
            refused += shown is None
            if shown is not None and len(shown) < before:
                raise Failed(f"{what}: {len(shown)} messages, and {before} before")
            before = len(shown) if shown is not None else before
            chat.say("Go on: @@on@@", "--resume", session_id)
            if not (after := compare(place, session_id, path, f"{what}, and resumed")):
                raise Failed(f"{what}: the SDK refuses it after annals has gone on")
            answer = place.sdk.get_session_messages(session_id)[-1].message["content"]
            if "Weiter" not in str(answer) or len(after) <= len(shown or []):
                raise Failed(f"{what}: it does not go on: {answer!r}")
    print(f"       {len(places)} cuts, each before and after annals went on; torn letters at which the SDK refuses the file: {refused}")


def self_test():
    lines = [{"type": "mode"}, {"type": "user", "message": "é"}, {"type": "assistant", "message": "漢😀"}]
    data = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)
    found = cuts(data)
    assert len(data) in found and len(data) - 1 in found and data.index("漢".encode()) + 1 in found, found
    assert all(place >= data.index(b"assistant") - 10 for place in found), found
