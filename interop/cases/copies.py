"""annals clones and forks sessions, and the client goes on with the copies as with their sources."""
import glob
import json
import os
import re
import shutil

import client
import sessions
from bench import Failed, read
from common import find_shared
from every_kind import every_kind
from written import Written

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]
# So many real sessions are cloned for each client; larger ones take the client too long.
MOST_REAL, MOST_BYTES = 3, 400_000
OWN_ID = re.compile(r"\b(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|a[0-9a-f]{16}|[0-9a-f]{7,8})\b")


def annals(bench, *arguments):
    return bench.annals.json(*arguments, "--config-dir", bench.config)


def goes_on(bench, copy, want, what):
    """The client resumes a copy with the history that annals promises of it, which is the one that is wanted."""
    promised = bench.would_send(copy["file"])
    if want is not None:
        bench.expect(want, promised, f"{what}: annals")
    done = bench.ask("--resume", copy["session"], prompt=PROMPT)
    bench.expect(promised + ASKED, bench.sent(done, PROMPT), f"{what}: the client")


def has_none_of(path, session_id):
    """No line of the copy names the session that it comes from by a whole string."""
    text = read(path).decode(errors="replace")
    if f'"{session_id}"' in text:
        raise Failed(f"the copy still names {session_id}")


def case_a_clone(bench):
    session = Written.new(bench)
    every_kind(session, 1)
    session.compact("Summary of part 1.")
    every_kind(session, 2)
    copy = annals(bench, "clone", session.id)
    has_none_of(copy["file"], session.id)
    goes_on(bench, copy, bench.would_send(session.path), "a clone")
    agents = [glob.glob(os.path.join(path.removesuffix(".jsonl"), "subagents", "*")) for path in (session.path, copy["file"])]
    if len(agents[0]) != len(agents[1]) or not agents[0]:
        raise Failed(f"{len(agents[1])} files of sub-agents, not {len(agents[0])}")


def case_a_clone_in_another_project(bench):
    session = bench.session(sessions.everything)
    source = bench.would_send(session.path(bench.config))
    bench.workdir = bench.workdir + "-other"
    os.makedirs(bench.workdir)
    copy = annals(bench, "clone", session.id, "--into", bench.workdir)
    if os.path.basename(os.path.dirname(copy["file"])) != client.slug(bench.workdir):
        raise Failed(f"{copy['file']} is not in the project of {bench.workdir}")
    goes_on(bench, copy, source, "a clone elsewhere")


def case_forks(bench):
    session = bench.session(sessions.everything)
    whole = bench.would_send(session.path(bench.config))
    for keep in ([], ["--keep-ids"]):
        goes_on(bench, annals(bench, "fork", session.id, *keep), whole, f"a fork of the end {keep}")
    # The second turn stands before the compaction: what follows it is not to be seen.
    early = annals(bench, "fork", session.id, "--turn", "2")
    said = json.dumps(bench.would_send(early["file"]), ensure_ascii=False)
    if "blue square" not in said or "Summary" in said or "Think about it" in said:
        raise Failed(f"the fork from before the compaction says {said[:300]}")
    goes_on(bench, early, None, "a fork from before a compaction")


def case_clones_of_real_sessions(bench):
    corpus = find_shared("corpus", "ANNALS_CORPUS")
    if not corpus:
        return
    folder = os.path.join(bench.config, "projects", client.slug(bench.workdir))
    os.makedirs(folder)
    found = sorted(glob.glob(os.path.join(corpus, "*", "projects", "*", "*-*-*-*-*.jsonl")), key=lambda path: path[::-1])
    chosen = [path for path in found if 20_000 < os.path.getsize(path) < MOST_BYTES and not os.path.basename(path).startswith("agent-")]
    by_version = {}
    for path in chosen:
        version = next((json.loads(line).get("version") for line in read(path).splitlines() if b'"version":"' in line and line.endswith(b"}")), None)
        by_version.setdefault(version, path)
    for path in list(by_version.values())[:MOST_REAL]:
        kept = shutil.copy(path, folder)
        source = annals(bench, "show", kept, "--as", "api", "--client", bench.version)
        copy = annals(bench, "clone", kept, "--into", bench.workdir)
        name = os.path.basename(kept).removesuffix(".jsonl")
        has_none_of(copy["file"], name)
        if "messages" not in source:
            continue
        promised = bench.would_send(copy["file"])
        if len(promised) != len(source["messages"]):
            raise Failed(f"{name}: {len(promised)} messages, not {len(source['messages'])}")
        # What the client words by itself, such as a call that was never answered, it words for both alike.
        of_source, of_copy = (nameless(bench.sent(bench.run("--resume", name, prompt=PROMPT), PROMPT)) for name in (name, copy["session"]))
        bench.expect(of_source, of_copy, f"a clone of {name}")


def nameless(messages):
    """Messages without the ids that a clone has of its own."""
    return json.loads(OWN_ID.sub("ID", json.dumps(messages)))
