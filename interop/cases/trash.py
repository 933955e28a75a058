"""annals takes sessions away and brings them back: the client finds none that is in the trash, and resumes what came back."""
import os
import shutil

import sessions
from bench import Failed, file_of, read
from common import find_shared
from every_kind import every_kind
from written import Written

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]
GONE = "00000000-0000-4000-8000-000000000000"
LONG_AGO = 1_700_000_000
LARGEST = 700_000
MAX_REAL = 3


def tree(folder):
    """Every file below a folder, with its bytes."""
    found = {}
    for top, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(top, name)
            found[path] = read(path)
    return found


def annals(bench, *arguments):
    """The JSON that annals prints, for this store, with a journal and a trash of its own."""
    data = os.path.join(os.path.dirname(bench.config), "data")
    return bench.annals.json(*arguments, "--config-dir", bench.config, "--data-dir", data)


def aged(path):
    os.utime(path, (os.path.getmtime(path) - 3600,) * 2)


def resumes(bench, path, session_id, predicted):
    """The client sends what annals predicted of the file before anything was done."""
    if bench.would_send(path) != predicted:
        raise Failed("annals predicts something else than before")
    done = bench.ask("--resume", session_id, prompt=PROMPT)
    bench.expect(predicted + ASKED, bench.sent(done, PROMPT), "annals and the client")


def is_not_found(bench, session_id):
    done = bench.run("--resume", session_id, prompt=PROMPT)
    if done.conversations or (done.code == 0 and done.result.get("is_error") is False):
        raise Failed(f"the client resumes a session that is in the trash: {done.explain()}")


def there_and_back(bench, path, session_id):
    """Trashed, the client does not find it; restored, it resumes with the same history."""
    aged(path)
    predicted, before = bench.would_send(path), tree(os.path.join(bench.config, "projects"))
    done = annals(bench, "trash", path, "--yes")
    if "undo" not in done or os.path.exists(path):
        raise Failed(f"trash: {done}")
    is_not_found(bench, session_id)
    done = annals(bench, "restore", session_id, "--yes")
    if "undo" not in done:
        raise Failed(f"restore: {done}")
    after = tree(os.path.join(bench.config, "projects"))
    if {name: after.get(name) for name in before} != before:
        raise Failed("not every byte is back")
    resumes(bench, path, session_id, predicted)


def case_a_trashed_session_is_not_found_and_a_restored_one_resumes(bench):
    session = bench.session(sessions.everything)
    there_and_back(bench, session.path(bench.config), session.id)


def case_a_session_with_every_kind_of_record_there_and_back(bench):
    session = Written.new(bench, "--title", "Every kind")
    every_kind(session, 1)
    there_and_back(bench, session.path, session.id)


def case_a_tidied_store_resumes(bench):
    """Litter of every kind around a session: it goes, and the client goes on as if it were there."""
    session = bench.session(sessions.everything)
    path = session.path(bench.config)
    aged(path)
    predicted = bench.would_send(path)
    project = os.path.dirname(path)
    litter = [os.path.join(bench.config, "todos", f"{GONE}-agent-{GONE}.json"), os.path.join(project, f"{GONE}.jsonl"),
              os.path.join(bench.config, "tasks", GONE, "1.json"), os.path.join(project, GONE, "tool-results", "toolu_1.txt"),
              os.path.join(bench.config, "file-history", GONE, "00ff00ff00ff00ff@v1"), os.path.join(bench.config, "sessions", "99999998.json")]
    # The empty session has the outputs: it would be left, so it gets another name.
    litter[1] = os.path.join(project, GONE.replace("0", "1") + ".jsonl")
    for one in litter:
        os.makedirs(os.path.dirname(one), exist_ok=True)
        with open(one, "w", encoding="utf-8") as file:
            file.write("" if one.endswith(".jsonl") else "{}")
        os.utime(one, (LONG_AGO, LONG_AGO))
    done = annals(bench, "gc", "--yes")
    if sorted(one["file"] for one in done["files"]) != sorted(litter) or any(map(os.path.exists, litter)):
        raise Failed(f"gc: {done}")
    resumes(bench, path, session.id, predicted)


def case_real_sessions_there_and_back(bench):
    """Real ones, where they are on this machine."""
    corpus = find_shared("corpus", "ANNALS_CORPUS")
    if not corpus:
        return
    found = []
    for folder, _, names in sorted(os.walk(corpus)):
        paths = [os.path.join(folder, name) for name in sorted(names) if name.endswith(".jsonl") and not name.startswith("agent-")]
        fitting = [path for path in paths if "projects" in folder and 2_000 < os.path.getsize(path) < LARGEST]
        # Thoughts of real models are signed by the real API: the scripted one would refuse them.
        found += [path for path in fitting if b'"thinking"' not in read(path) and bench.would_send(path)][:1]
    for path in found[:: max(1, len(found) // MAX_REAL)][:MAX_REAL]:
        session_id = os.path.basename(path).removesuffix(".jsonl")
        there = file_of(bench, session_id)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        shutil.copy(path, there)
        there_and_back(bench, there, session_id)
