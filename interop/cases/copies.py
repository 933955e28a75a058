"""annals clones and forks sessions, and the client resumes the copies as with their sources."""
import glob
import json
import os

import client
import sessions
from bench import Failed, read
from every_kind import every_kind
from written import Written

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]


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
    copy = annals(bench, "clone", session.id, "--yes")
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
    copy = annals(bench, "clone", session.id, "--into", bench.workdir, "--yes")
    if os.path.basename(os.path.dirname(copy["file"])) != client.slug(bench.workdir):
        raise Failed(f"{copy['file']} is not in the project of {bench.workdir}")
    goes_on(bench, copy, source, "a clone elsewhere")


def case_a_bundle_in_another_project(bench):
    session = Written.new(bench)
    every_kind(session, 1)
    source, bundle = bench.would_send(session.path), bench.workdir + ".bundle"
    annals(bench, "export", session.id, "--as", "bundle", "--to", bundle)
    bench.workdir = bench.workdir + "-other"
    os.makedirs(bench.workdir)
    copy = annals(bench, "import", bundle, "--project", bench.workdir, "--new-id", "--yes")
    has_none_of(copy["file"], session.id)
    goes_on(bench, copy, source, "an imported bundle")


def case_forks(bench):
    session = bench.session(sessions.everything)
    whole = bench.would_send(session.path(bench.config))
    for keep in ([], ["--keep-ids"]):
        goes_on(bench, annals(bench, "fork", session.id, *keep, "--yes"), whole, f"a fork of the end {keep}")
    # The second turn stands before the compaction: what follows it is not to be seen.
    early = annals(bench, "fork", session.id, "--turn", "2", "--yes")
    said = json.dumps(bench.would_send(early["file"]), ensure_ascii=False)
    if "blue square" not in said or "Summary" in said or "Think about it" in said:
        raise Failed(f"the fork from before the compaction says {said[:300]}")
    goes_on(bench, early, None, "a fork from before a compaction")
