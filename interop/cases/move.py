"""A folder was moved: annals lets its sessions follow, and the client resumes them in the new place as it would have in the old."""
import json
import os
import re
import shutil

import client
import sessions
from bench import Failed, file_of, read
from common import find_shared
from every_kind import every_kind
from written import Written

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]
# Real sessions, one of each release: at most this many, none larger.
MAX_REAL, LARGEST = int(os.environ.get("ANNALS_INTEROP_REAL", "6")), 400_000
NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl")


def age(path, hours=2):
    """A file that was just written looks as if a client were at it."""
    time = os.path.getmtime(path) - 3600 * hours
    os.utime(path, (time, time))


def real_sessions(turns=1):
    """(id, path) of real sessions that end with a reply, one of each release, spread over all that there are."""
    corpus, by_version = find_shared("corpus", "ANNALS_CORPUS"), {}
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(corpus or os.devnull) for name in names if NAME.fullmatch(name)]
    for path in sorted(paths, key=os.path.getsize, reverse=True):
        lines = read(path).splitlines()
        found = re.search(rb'"version":"([^"]+)"', read(path))
        prompts = [line for line in lines if b'"type":"user"' in line and b'"content":"' in line and b'"tool_result"' not in line]
        if found and os.path.getsize(path) <= LARGEST and len(prompts) >= turns and any(b'"type":"assistant"' in line for line in lines):
            by_version.setdefault(tuple(map(int, re.findall(r"\d+", found[1].decode()))), (os.path.basename(path).removesuffix(".jsonl"), path))
    chosen = [by_version[version] for version in sorted(by_version)]
    step = max(1, -(-len(chosen) // MAX_REAL))
    return chosen[::step]


def working_directory(path):
    return next((cwd.decode() for cwd in re.findall(rb'"cwd":"([^"\\]+)"', read(path))), None)


def moved(bench, *options):
    """Moves the work folder, on the disk and in the store."""
    old, bench.workdir = bench.workdir, bench.workdir + "-moved"
    os.rename(old, bench.workdir)
    done = bench.annals.json("move-project", old, bench.workdir, "--yes", *options, "--config-dir", bench.config)
    if "undo" not in done:
        raise Failed(f"move-project: {done}")
    return old


def resumes(bench, session_id, want, what):
    """The client finds the session in the new place, and sends what annals predicted of it in the old one."""
    path = os.path.join(bench.config, "projects", client.slug(bench.workdir), session_id + ".jsonl")
    promised = bench.would_send(path)
    if want is not None:
        bench.expect(want, promised, f"{what}: annals")
    done = bench.ask("--resume", session_id, prompt=PROMPT)
    bench.expect(promised + ASKED, bench.sent(done, PROMPT), f"{what}: the client")
    return path


def case_a_folder_that_moved(bench):
    session = Written.new(bench)
    every_kind(session, 1)
    session.compact("Summary of part 1.")
    every_kind(session, 2)
    want = bench.would_send(session.path)
    age(session.path)
    old = moved(bench)
    path = resumes(bench, session.id, want, "a session of every kind")
    for line in read(path).splitlines():
        if json.loads(line).get("cwd") == old:
            raise Failed("a line still names the old folder")


def case_the_newest_is_still_the_newest(bench):
    older = bench.session(sessions.everything, name="older", hours_ago=9)
    newer = bench.session(sessions.everything, name="newer", hours_ago=3)
    for hours, session in ((9, older), (3, newer)):
        age(session.path(bench.config), hours)
    # Of two sessions the client resumes the one that was written last, however they were put into the store.
    moved(bench)
    done = bench.ask("--continue", prompt=PROMPT)
    if done.result.get("session_id") != newer.id:
        raise Failed(f"the client resumes {done.result.get('session_id')}, not {newer.id}")


def case_working_directories_stay(bench):
    session = bench.session(sessions.everything)
    want = bench.would_send(session.path(bench.config))
    age(session.path(bench.config))
    moved(bench, "--keep-cwd")
    resumes(bench, session.id, want, "with the old working directories")


def sent_by_client(bench, session_id, path, lines):
    """What the client sends of a real session, as it is or after an operation. What it words by itself, it words for both alike; so it is with
    rules of the API that a real session breaks: the scripted one has not signed its thoughts."""
    if lines is not None:
        with open(path, "wb") as file:
            file.write(lines)
    age(path)
    return bench.sent(bench.run("--resume", session_id, prompt=PROMPT), PROMPT)


def case_real_sessions(bench):
    """Real sessions are put where their records say that they were, and their folders were moved here."""
    for session_id, original in real_sessions():
        cwd, lines, here = working_directory(original), read(original), file_of(bench, session_id)
        os.makedirs(os.path.dirname(here), exist_ok=True)
        if not cwd.startswith("/") or not bench.would_send(original):
            continue
        want = sent_by_client(bench, session_id, here, lines)
        os.remove(here)
        old = os.path.join(bench.config, "projects", client.slug(cwd))
        os.makedirs(old, exist_ok=True)
        path = os.path.join(old, session_id + ".jsonl")
        shutil.copyfile(original, path)
        age(path)
        promised = bench.would_send(path)
        done = bench.annals.json("move-project", cwd, bench.workdir, "--yes", "--config-dir", bench.config)
        if "undo" not in done or os.path.exists(path):
            raise Failed(f"{session_id}: {done}")
        bench.expect(promised, bench.would_send(here), f"{session_id}: annals")
        bench.expect(want, sent_by_client(bench, session_id, here, None), f"{session_id}: the client")
