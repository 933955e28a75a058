"""What the SDK and annals make of each other's sessions. A case is a function whose name starts with `case_`, given a place."""
import itertools
import json
import os

import normal
import sdk_cuts
import sessions
from bench import Failed, read
from every_kind import every_kind, tag, title
from sdk_cuts import case_the_sdk_reads_what_is_left_of_cut_chats  # noqa: F401
from sessions import text
from written import Written

NEEDED = ("list_sessions", "get_session_info", "get_session_messages", "list_subagents", "get_subagent_messages", "rename_session",
          "tag_session", "fork_session")
BIG = 40_000  # long enough that the SDK, which reads the first and last 64 KiB, does not see what stood before
HIDDEN = ("A word of the client's", "<local-command-stdout>")
NUMBERS = itertools.count(9000, 10)  # of tool calls: a fork must not use those of its original again
OWN = "é 漢 😀 \"quoted\""


class Place:
    """A store with a work folder, annals and the SDK."""

    version, model = "2.1.325", "claude-opus-5-5"
    patience = ["--wait", "10"]  # the SDK, too, leaves no other trace than the time of the file

    def __init__(self, annals, sdk, top):
        self.annals, self.sdk = annals, sdk
        self.config, self.workdir = os.path.join(top, "config"), os.path.join(top, "work")
        os.makedirs(self.workdir)
        os.makedirs(self.config)
        os.environ["CLAUDE_CONFIG_DIR"] = self.config

    def thinking(self, words):
        return {"type": "thinking", "thinking": words, "signature": "c2lnbmVk"}

    def redacted(self, words):
        return {"type": "redacted_thinking", "data": "aGlkZGVu"}

    def tell(self, *arguments):
        return self.annals.json(*arguments, "--config-dir", self.config)

    def listed(self, session_id):
        found = [one for one in self.tell("ls")["sessions"] if one["id"] == session_id]
        return found[0] if found else {}

    def file(self, session_id):
        return self.listed(session_id)["file"]


def equal(want, got, what):
    if want != got:
        raise Failed(f"{what}: wanted {want!r}, got {got!r}")


def same_words(want, got, what):
    if found := normal.difference(want, got):
        raise Failed(f"{what}: {found}")


def seen_by_sdk(history):
    """A history less what the SDK does not show: words of the client, output of its commands."""
    return [message for message in history if not str(message["content"]).startswith(HIDDEN)]


def shown_lines(data):
    """The ids of the lines that the SDK is to show, in order: since the last compaction, without meta lines."""
    records = [json.loads(line) for line in data.splitlines()]
    start = max([place for place, record in enumerate(records) if record.get("subtype") == "compact_boundary"], default=0)
    shown = [record for record in records[start:] if record["type"] in ("user", "assistant")]
    return [record["uuid"] for record in shown if not record.get("isMeta") and not record.get("isSidechain")]


def begun(place, *arguments):
    """A session of annals' own with every kind of record, before a compaction and behind it."""
    session = Written.new(place, "--git-branch", "feature/one", *arguments)
    every_kind(session, 1)
    session.compact("This session is being continued. Summary: part 1 is done.")
    session.respond(text("I remember."))
    every_kind(session, 2)
    return session


def turn(session, words):
    """One more turn by annals, with tools at once."""
    number = next(NUMBERS)
    session.prompt(words)
    session.respond(session.place.thinking("Two."), sessions.call(number, "Bash", command="ls"), sessions.call(number + 1, "Bash", command="pwd"))
    session.results(sessions.result(number, "a.txt"), sessions.result(number + 1, "no", is_error=True))
    last = session.respond(text(f"Done: {words}"))
    session.flush()
    return last


def agree(place, session, what):
    """The session says the same to the SDK, to annals and to its writer, and nothing is wrong with it."""
    messages = place.sdk.get_session_messages(session.id)
    equal(shown_lines(read(session.path)), [message.uuid for message in messages], f"{what}: the order of the SDK's messages")
    same_words(seen_by_sdk(session.history), [message.message for message in messages], f"{what}: the SDK's messages")
    same_words(session.history, place.tell("show", session.path, "--as", "api")["messages"], f"{what}: annals show --as api")
    sound(place, session.path, what)


def sound(place, path, what):
    found = place.tell("check", path)["sessions"][0]
    # Forks by the SDK have times of their own, and 2.0.76 goes by time: what it then passes over is not counted here.
    loses = lambda client: client["lost"] and not client["version"].startswith("2.0.")  # noqa: E731
    bad = [client for client in found["clients"] if not client["resumes"] or loses(client)]
    bad += [problem for problem in found["problems"] if problem["kind"] != "unknown-record"]
    equal([], bad, f"{what}: annals check")


def named(place, session_id, heading, label, what):
    """Both sides list the session under this title and this tag."""
    info, ours = place.sdk.get_session_info(session_id), place.listed(session_id)
    equal((heading, label), (info.custom_title, info.tag), f"{what}: the SDK's title and tag")
    equal((heading, label), (ours["title"], ours.get("tag")), f"{what}: annals' title and tag")


def case_the_sdk_lists_what_annals_wrote(place):
    full = begun(place)
    plain = Written.new(place, "--title", "Small", "--tag", "few")
    turn(plain, "A small thing.\nOn two lines.")
    elsewhere = os.path.join(os.path.dirname(place.workdir), "other.folder")
    os.makedirs(elsewhere)
    made = place.tell("new", "--cwd", elsewhere)
    other = Written(place, made["session"], made["file"])
    turn(other, "Something else.")
    infos = {info.session_id: info for info in place.sdk.list_sessions()}
    equal({full.id, plain.id, other.id}, set(infos), "list_sessions")
    facts = lambda session: (infos[session.id].custom_title, infos[session.id].tag, infos[session.id].git_branch, infos[session.id].cwd)
    equal((title(2), tag(2), "feature/one", place.workdir), facts(full), "the full session")
    equal(("Small", "few", "HEAD", place.workdir), facts(plain), "the small session")
    equal((None, None, "HEAD", elsewhere), facts(other), "the session elsewhere")
    equal("A small thing. On two lines.", infos[plain.id].first_prompt, "the first prompt")
    if not infos[full.id].first_prompt.startswith("Part 1: naïve façade, 漢字, 😀, \"quotes\""):
        raise Failed(f"the first prompt: {infos[full.id].first_prompt!r}")
    equal({full.id, plain.id}, {info.session_id for info in place.sdk.list_sessions(directory=place.workdir)}, "list_sessions of a folder")
    for session in (full, plain, other):
        info = place.sdk.get_session_info(session.id)
        equal(infos[session.id], info, "get_session_info")
        equal(os.path.getsize(session.path), info.file_size, "file_size")
        ours = place.listed(session.id)
        equal((info.git_branch, info.cwd, info.file_size), (ours["gitBranch"], ours["project"], ours["bytes"]), "the SDK and annals ls")


def case_the_sdk_finds_titles_of_long_sessions(place):
    session = Written.new(place, "--title", OWN, "--tag", "long")
    for number in range(6):
        turn(session, f"{number} " + "x" * BIG)
    named(place, session.id, OWN, "long", "a long session")
    agree(place, session, "a long session")


def case_the_sdk_reads_what_annals_wrote(place):
    session = begun(place)
    agree(place, session, "every kind")
    turn(session, "One more.")
    agree(place, session, "one more turn")
    page = place.sdk.get_session_messages(session.id, directory=place.workdir, limit=3, offset=2)
    equal(shown_lines(read(session.path))[2:5], [message.uuid for message in page], "a page of messages")


def case_the_sdk_reads_sub_agents(place):
    session = begun(place)
    equal(["a000001", "a000002"], sorted(place.sdk.list_subagents(session.id)), "list_subagents")
    for part in (1, 2):
        name = f"a{part:06}"
        messages = place.sdk.get_subagent_messages(session.id, name)
        lines = [json.loads(line) for line in read(session.agent_file(name)).splitlines()]
        equal([line["uuid"] for line in lines], [message.uuid for message in messages], "the order of get_subagent_messages")
        said = [{"role": "user", "content": "Look around."},
                {"role": "assistant", "content": [text("Looking."), sessions.call(part * 100 + 7, "Bash", command="echo seen", description="Look")]},
                {"role": "user", "content": [sessions.result(part * 100 + 7, "seen")]}, {"role": "assistant", "content": "Seen."}]
        same_words(said, [message.message for message in messages], "get_subagent_messages")
        caller = sessions.call(part * 100 + 6, "Task")["id"]
        equal({caller}, {message.parent_tool_use_id for message in messages}, "the call that started the sub-agent")


def case_names_by_either_hold_for_both(place):
    session = begun(place)
    place.sdk.rename_session(session.id, f"By the SDK: {OWN}")
    place.sdk.tag_session(session.id, "by-sdk")
    named(place, session.id, f"By the SDK: {OWN}", "by-sdk", "after the SDK")
    agree(place, session, "after the SDK's names")
    turn(session, "After the SDK's names. " + "x" * BIG * 2)
    named(place, session.id, f"By the SDK: {OWN}", "by-sdk", "after annals went on")
    place.tell("rename", session.id, f"By annals: {OWN}", "--yes")
    place.tell("tag", session.id, "by-annals", "--yes")
    named(place, session.id, f"By annals: {OWN}", "by-annals", "after annals")
    place.sdk.tag_session(session.id, None)
    named(place, session.id, f"By annals: {OWN}", None, "after the SDK took the tag away")
    place.sdk.tag_session(session.id, "again")
    place.tell("tag", session.id, "", "--yes")
    named(place, session.id, f"By annals: {OWN}", None, "after annals took the tag away")
    agree(place, session, "after all names")
    session.hold()


def case_annals_goes_on_with_forks_by_the_sdk(place):
    session = begun(place)
    before = read(session.path)
    made = place.sdk.fork_session(session.id, title="A fork").session_id
    fork = Written(place, made, place.file(made), history=session.history)
    agree(place, fork, "the fork")
    named(place, fork.id, "A fork", None, "the fork")
    turn(fork, "On with the fork.")
    agree(place, fork, "the fork, further on")
    place.tell("rename", fork.id, "Renamed by annals", "--yes")
    place.tell("tag", fork.id, "forked", "--yes")
    named(place, fork.id, "Renamed by annals", "forked", "the fork")
    again = place.sdk.fork_session(fork.id).session_id
    named(place, again, "Renamed by annals (fork)", None, "the fork of the fork")
    agree(place, Written(place, again, place.file(again), history=fork.history), "the fork of the fork")
    equal(before, read(session.path), "the original")
    fork.hold()


def case_annals_goes_on_with_forks_from_the_middle(place):
    session = Written.new(place)
    middle = turn(session, "First.")
    history = list(session.history)
    turn(session, "Second.")
    made = place.sdk.fork_session(session.id, up_to_message_id=middle).session_id
    fork = Written(place, made, place.file(made), history=history)
    named(place, made, "First. (fork)", None, "the fork")
    agree(place, fork, "the fork")
    turn(fork, "Another second.")
    agree(place, fork, "the fork, further on")
    agree(place, session, "the original")


def case_the_sdk_reads_forks_by_annals(place):
    session = begun(place)
    fork = Written.fork(place, session.id, session.history)
    turn(fork, "A fork by annals.")
    agree(place, fork, "the fork")
    place.sdk.rename_session(fork.id, "By the SDK")
    place.sdk.tag_session(fork.id, "branch")
    named(place, fork.id, "By the SDK", "branch", "the fork")
    turn(fork, "Further on.")
    agree(place, fork, "the fork, further on")
    agree(place, session, "the original")


def self_test():
    sdk_cuts.self_test()
    line = lambda kind, uuid, **fields: json.dumps({"type": kind, "uuid": uuid, **fields}) + "\n"
    data = line("user", "a") + line("system", "b", subtype="compact_boundary") + line("user", "c") + line("user", "m", isMeta=True)
    data += line("tag", None) + line("assistant", "d") + line("assistant", "s", isSidechain=True)
    equal(["c", "d"], shown_lines(data.encode()), "self-test")
    equal(["a"], shown_lines(line("user", "a").encode()), "self-test")
    words = lambda *texts: [{"role": "user", "content": each} for each in texts]
    equal(words("x"), seen_by_sdk(words("A word of the client's, too.", "x")), "self-test")
    for fails in (lambda: equal(1, 2, "x"), lambda: same_words(words("x"), words("y"), "x")):
        try:
            fails()
        except Failed:
            continue
        raise AssertionError("nobody noticed")
