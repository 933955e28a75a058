"""annals takes a conversation back to a prompt, and files with it: the client goes on from there, and its own copies are understood."""
import json
import os

import sessions
from bench import Failed, file_of, read
from trash import aged, annals

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]
EDITS = ["--permission-mode", "acceptEdits"]


def text(words):
    return {"type": "text", "text": words}


def call(name, **given):
    return {"type": "tool_use", "name": name, "input": given}


TALK = {name: [[text(f"This is answer {name}.")]] for name in ("one", "two", "three")}


def three_turns(bench):
    """A session of three turns, all written by the client."""
    done = bench.ask(prompt="First @@one@@", script=TALK)
    for name in ("two", "three"):
        bench.ask("--resume", done.session, prompt=f"Then @@{name}@@", script=TALK)
    path = file_of(bench, done.session)
    aged(path)
    return done.session, path


def goes_on(bench, session_id, path, there, absent):
    """The client sends what annals predicts of the file, and nothing of what was gone back behind."""
    predicted = bench.would_send(path)
    done = bench.ask("--resume", session_id, prompt=PROMPT)
    sent = bench.sent(done, PROMPT)
    bench.expect(predicted + ASKED, sent, "annals and the client")
    said = json.dumps(sent, ensure_ascii=False)
    for words in there:
        if words not in said:
            raise Failed(f"{words!r} is not sent: {said[:600]}")
    for words in absent:
        if words in said:
            raise Failed(f"{words!r} is still sent: {said[:600]}")


def case_the_client_goes_on_from_before_a_prompt(bench):
    for turn, there, absent in ((3, ["answer one", "answer two"], ["answer three"]), (2, ["answer one"], ["answer two", "answer three"])):
        session_id, path = three_turns(bench)
        before = read(path)
        done = annals(bench, "rewind", path, "--to", str(turn), "--conversation", "--yes")
        if done["conversation"]["does"] != "back" or not read(path).startswith(before):
            raise Failed(f"rewind: {done}")
        goes_on(bench, session_id, path, there, absent)
        # It went on from there: a second resume stays on the new branch.
        aged(path)
        done = bench.ask("--resume", session_id, prompt="Once more?")
        said = json.dumps(bench.sent(done, "Once more?"), ensure_ascii=False)
        if PROMPT not in said or any(words in said for words in absent):
            raise Failed(f"the second resume sends {said[:600]}")


def case_undo_brings_the_conversation_forward_again(bench):
    session_id, path = three_turns(bench)
    before = read(path)
    annals(bench, "rewind", path, "--to", "2", "--conversation", "--yes")
    annals(bench, "undo", "--yes")
    if read(path) != before:
        raise Failed("not every byte is back")
    goes_on(bench, session_id, path, ["answer one", "answer two", "answer three"], [])


def case_every_turn_of_a_rich_session(bench):
    session = bench.session(sessions.everything)
    path = session.path(bench.config)
    turns = annals(bench, "rewind", path)["turns"]
    whole, went = read(path), 0
    for turn in turns[1:]:
        with open(path, "wb") as file:
            file.write(whole)
        aged(path)
        done = annals(bench, "rewind", path, "--to", str(turn["number"]), "--conversation", "--yes")
        does = done["conversation"]["does"]
        if does == "back":
            goes_on(bench, session.id, path, [], [])
        elif does == "forked":
            goes_on(bench, done["conversation"]["session"], done["conversation"]["file"], [], [])
        else:
            raise Failed(f"rewind: {done}")
        went += 1
    if went < 2:
        raise Failed(f"only {went} turns")


def case_the_copies_of_the_client_bring_files_back(bench):
    """The client edits files in three turns, with its own copies; each turn is rewound to, and undone."""
    with open(os.path.join(bench.config, "settings.json"), "w", encoding="utf-8") as file:
        json.dump({"env": {"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "1"}}, file)
    old, new = (os.path.join(bench.workdir, name) for name in ("old.txt", "new.txt"))
    with open(old, "w", encoding="utf-8") as file:
        file.write("one\n")
    script = {
        "first": [[call("Read", file_path=old)], [call("Edit", file_path=old, old_string="one", new_string="two")],
                  [call("Write", file_path=new, content="fresh\n")], [text("Done.")]],
        "second": [[call("Read", file_path=old)], [call("Edit", file_path=old, old_string="two", new_string="three")], [text("Done.")]],
        "third": [[call("Read", file_path=new)], [call("Edit", file_path=new, old_string="fresh", new_string="stale")], [text("Done.")]],
    }
    done = bench.ask(*EDITS, prompt="Do @@first@@", script=script)
    for name in ("second", "third"):
        bench.ask("--resume", done.session, *EDITS, prompt=f"Do @@{name}@@", script=script)
    path = file_of(bench, done.session)
    aged(path)

    def state():
        return tuple(read(file).decode() if os.path.exists(file) else None for file in (old, new))

    states = [("one\n", None), ("two\n", "fresh\n"), ("three\n", "fresh\n")]
    if state() != ("three\n", "stale\n"):
        raise Failed(f"the client left {state()}")
    turns = annals(bench, "rewind", path)["turns"]
    if [turn["files"] for turn in turns] != [2, 1, 1]:
        raise Failed(f"turns: {turns}")
    for turn, then in enumerate(states, 1):
        changed = annals(bench, "rewind", path, "--to", str(turn), "--code", "--yes")
        if state() != then:
            raise Failed(f"turn {turn}: {state()}, not {then}: {changed['files']}")
        annals(bench, "undo", "--yes")
        if state() != ("three\n", "stale\n"):
            raise Failed(f"turn {turn}, undone: {state()}")
