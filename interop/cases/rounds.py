"""A session that annals began goes back and forth between annals and the client, three times each way, and means the same to both."""
import json

import normal
import sessions
from bench import Failed, file_of, read
from every_kind import every_kind, tag, title
from round_trip import LAST_ANSWER, worked
from sessions import text
from written import Written

ROUNDS = 3
PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]


def steps(number):
    """What the client does in a round: thinking, a tool, tools at once, one that fails."""
    file = f"{{{{CWD}}}}/round-{number}.txt"
    return [
        [{"type": "thinking", "thinking": f"Round {number}: I will write a file."}, {"type": "text", "text": "Writing."},
         {"type": "tool_use", "name": "Write", "input": {"file_path": file, "content": "alpha\nbeta\n"}}],
        [{"type": "text", "text": "Three at once."}, {"type": "tool_use", "name": "Read", "input": {"file_path": file}},
         {"type": "tool_use", "name": "Bash", "input": {"command": "echo hi; echo err >&2", "description": "Speak"}},
         {"type": "tool_use", "name": "Bash", "input": {"command": "exit 3", "description": "Fail"}}],
        [{"type": "thinking", "thinking": "Enough."}, {"type": "text", "text": f"Round {number} is done: é 漢 😀."}],
    ]


def said(blocks, workdir):
    """What an assistant said, less what the API adds to it."""
    plain = [{key: block[key] for key in ("type", "text", "thinking", "name", "input") if key in block} for block in blocks]
    return json.loads(json.dumps(plain).replace("{{CWD}}", workdir))


def client_turn(bench, session, number, arguments):
    """The client resumes the session, with tools; what it adds is part of the history from then on."""
    predicted = bench.would_send(session.path)
    bench.expect(session.history, predicted, f"round {number}: annals reads itself")
    prompt, script = f"Round {number}: @@round{number}@@", steps(number)
    before = read(session.path)
    done = bench.ask(*arguments, prompt=prompt, script={f"round{number}": script})
    if done.session != session.id or not read(session.path).startswith(before):
        raise Failed(f"round {number}: the client did not continue {session.id}: {done.session}")
    asked = [{"role": "user", "content": prompt}]
    sent = bench.sent(done, prompt)
    bench.expect(session.history + asked, sent, f"round {number}: what was meant and what the client sends")
    bench.expect(predicted + asked, sent, f"round {number}: what annals predicts and what the client sends")
    for words in session.reminders:
        if words not in json.dumps(sent, ensure_ascii=False):
            raise Failed(f"round {number}: the attachment is not sent: {words}")
    last = done.conversations[-1]["messages"]
    at = next(place for place, message in enumerate(last) if prompt in str(message["content"]))
    bench.expect(session.history, last[:at], f"round {number}: the history under the work")
    played = last[at:] + [{"role": "assistant", "content": answered(bench, script)}]
    replies = [said(message["content"], bench.workdir) for message in played if message["role"] == "assistant"]
    if replies != [said(step, bench.workdir) for step in script]:
        raise Failed(f"round {number}: the script was not played to its end: {replies}")
    session.history += played
    bench.expect(session.history, bench.would_send(session.path), f"round {number}: annals reads what the client wrote")
    resumes(bench, session.path)


def answered(bench, script):
    """The last answer of a script, signed as the API does it."""
    return [bench.thinking(block["thinking"]) if block["type"] == "thinking" else block for block in script[-1]]


def annals_turn(session, number):
    """annals resumes the session: a prompt, thinking, tools at once, an answer. Every other time as records."""
    call = lambda place, words: sessions.call(9000 + 10 * number + place, "Bash", command=f"echo {words}", description="Speak")
    result = lambda place, content, **fields: sessions.result(9000 + 10 * number + place, content, **fields)
    session.raw = number % 2 == 0
    session.prompt(f"A prompt by annals, {number}.")
    session.respond(session.place.thinking(f"Thought by annals, {number}."), text("Both."), call(1, "one"), call(2, "two"))
    session.results(result(1, "one"), result(2, "it failed", is_error=True))
    session.respond(session.place.thinking("Half of it went well."), text(f"An answer by annals, {number}."))
    session.raw = False
    session.notice("turn_duration", durationMs=10 * number, isMeta=False)
    session.flush()


def checked(bench, path):
    """What `annals check` says of a file."""
    return bench.annals.json("check", path, "--config-dir", bench.config)["sessions"][0]


def resumes(bench, path):
    found = next(client for client in checked(bench, path)["clients"] if client["version"] == bench.version)
    # 2.0.76 writes the end of a conversation again when it goes on: the first copies are left beside its branch.
    lost = 0 if bench.version.startswith("2.0.") else found["lost"]
    if not found["resumes"] or lost:
        raise Failed(f"annals check: {found}")


def sound(bench, session):
    """Nothing is wrong with what annals wrote, for any client: only the record that nobody knows is noted."""
    found = checked(bench, session.path)
    if bad := [client for client in found["clients"] if not client["resumes"] or client["lost"]]:
        raise Failed(f"annals check of its own file: {bad}")
    if problems := [problem for problem in found["problems"] if problem["kind"] != "unknown-record"]:
        raise Failed(f"annals check of its own file: {problems}")


def ours_are_sound(bench, session, original=None):
    """Whatever annals finds wrong in the file at the end stands in lines that the client wrote; a fork has no more of it than its original."""
    copied = [said_of(problem) for problem in checked(bench, original)["problems"]] if original else []
    ours = [(offset, offset + len(data)) for path, offset, data in session.kept if path == session.path]
    for problem in checked(bench, session.path)["problems"]:
        is_ours = any(start <= problem["offset"] < end for start, end in ours)
        if is_ours and problem["kind"] != "unknown-record" and said_of(problem) not in copied:
            raise Failed(f"annals check of a line that annals wrote: {problem}")


def said_of(problem):
    """A problem wherever it stands: its message names the record or the call."""
    return problem["kind"], problem["message"]


def begun(bench, *arguments):
    """A session of annals' own with every kind of record, before a compaction and behind it."""
    session = Written.new(bench, *arguments)
    every_kind(session, 1)
    session.compact("This session is being continued. Summary: part 1 is done.")
    session.respond(text("I remember."))
    every_kind(session, 2)
    sound(bench, session)
    return session


def listed(bench, session):
    """The session is listed with its title, its tag, its branch and its sub-agents."""
    found = [one for one in bench.annals.json("ls", "--config-dir", bench.config)["sessions"] if one["id"] == session.id]
    names = [(one["title"], one.get("tag"), one["subAgents"]) for one in found]
    if names != [(title(2), tag(2), 2)]:
        raise Failed(f"annals ls: {names}")
    agents = bench.annals.json("show", session.path, "--as", "agents", "--config-dir", bench.config)
    linked = sorted((one["id"], one["toolUseId"]) for one in agents["agents"])
    wanted = [(f"a{part:06}", sessions.call(part * 100 + 6, "Task")["id"]) for part in (1, 2)]
    if linked != wanted or agents["unlinked"]:
        raise Failed(f"annals show --as agents: {agents}")


def case_three_rounds_each_way(bench):
    bench.session(sessions.talk, hours_ago=9.0)
    session = begun(bench)
    listed(bench, session)
    for number in range(1, ROUNDS + 1):
        # Once without its name: the client itself must find it, and take it for the newest.
        client_turn(bench, session, number, ["--continue"] if number == 2 else ["--resume", session.id])
        annals_turn(session, number)
        resumes(bench, session.path)
    before = read(session.path)
    done = bench.ask("--resume", session.id, "--fork-session", prompt=PROMPT)
    bench.expect(session.history + ASKED, bench.sent(done, PROMPT), "the client's fork")
    bench.expect(bench.would_send(session.path) + ASKED, bench.sent(done, PROMPT), "the client's fork and annals")
    if done.session == session.id or read(session.path) != before:
        raise Failed("the client's fork is no fork")
    resumes(bench, file_of(bench, done.session))
    session.hold()
    ours_are_sound(bench, session)
    listed(bench, session)


def case_the_client_resumes_a_fork_by_annals(bench):
    session = begun(bench, "--client-version", bench.version)
    client_turn(bench, session, 1, ["--resume", session.id])
    before = read(session.path)
    fork = Written.fork(bench, session.id, session.history)
    annals_turn(fork, 1)
    bench.expect(fork.history, bench.would_send(fork.path), "annals reads its fork")
    client_turn(bench, fork, 2, ["--resume", fork.id])
    annals_turn(fork, 2)
    bench.expect(fork.history, bench.would_send(fork.path), "annals reads its fork again")
    if fork.id == session.id or read(session.path) != before:
        raise Failed("the original changed")
    fork.hold()
    ours_are_sound(bench, fork, session.path)


def case_a_fork_by_annals_from_the_middle(bench):
    session_id, last = worked(bench)
    path = file_of(bench, session_id)
    before = read(path)
    at, history = middle(read(path), last)
    fork = Written.fork(bench, session_id, history, at)
    annals_turn(fork, 1)
    done = bench.ask("--resume", fork.id, prompt=PROMPT)
    bench.expect(fork.history + ASKED, bench.sent(done, PROMPT), "the fork from the middle")
    if LAST_ANSWER in json.dumps(bench.would_send(fork.path), ensure_ascii=False) or read(path) != before:
        raise Failed("the fork goes on where the original ended, or changed it")
    fork.hold()


def middle(data, last):
    """The record with the first tool's result, and the conversation up to it."""
    results = [block["tool_use_id"] for message in last for block in blocks(message) if block["type"] == "tool_result"]
    end = next(place for place, message in enumerate(last) if any(block.get("tool_use_id") == results[0] for block in blocks(message)))
    for line in data.splitlines():
        record = json.loads(line)
        if record["type"] == "user" and results[0] in json.dumps(record["message"]):
            return record["uuid"], last[:end + 1]
    raise Failed("the client wrote no result")


def blocks(message):
    return message["content"] if isinstance(message["content"], list) else []


def case_a_changed_letter_is_seen(bench):
    """The comparison of these cases can fail: somebody changes one letter of what annals wrote."""
    session = begun(bench)
    data = read(session.path)
    with open(session.path, "wb") as file:
        file.write(data.replace(b"Part 2 is done.", b"Part 2 is gone."))
    try:
        session.hold()
    except Failed:
        done = bench.ask("--resume", session.id, prompt=PROMPT)
        if normal.difference(session.history + ASKED, bench.sent(done, PROMPT)):
            return
    raise Failed("nobody noticed")
