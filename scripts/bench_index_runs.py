"""What is asked of programs that index and search, and how it is measured; for scripts/bench."""
import collections
import json
import os
import statistics
import subprocess
import tempfile
import time

import bench_needles

NEW_LINES = 100
EXACT_ROUNDS = 5
USAGE_RUNS = 20
MIN_RUNS = 100

Query = collections.namedtuple("Query", "kind text project folder since", defaults=(None, None, None))
Run = collections.namedtuple("Run", "wall work peak")
FOLDERS = {"ferrite": "/home/mira/work/ferrite", "lantern-shop": "/home/mira/work/lantern-shop", "harbor": "/Users/tomas/dev/harbor.infra"}


def queries(planted):
    """A fixed list of four kinds: words that occur once, phrases, words that occur everywhere, and words in a project or since a day."""
    rare = [said for place, _, _, said in planted if place in ("prompt", "reply")]
    phrases = ("load balancer", "service account", "dns record", "hard link", "maintenance window", "gift card")
    common = ("index", "error", "timeout", "snapshot", "checkout", "retry")
    inside = (("index", "ferrite"), ("checkout", "lantern-shop"), ("error", "ferrite"))
    recent = (("snapshot", "2026-06-01"), ("timeout", "2026-06-01"), ("retry", "2026-10-01"))
    return ([Query("rare", text) for text in rare] + [Query("phrase", f'"{text}"') for text in phrases] + [Query("common", text) for text in common]
            + [Query("filtered", text, project, FOLDERS[project]) for text, project in inside]
            + [Query("filtered", text, since=since) for text, since in recent])


def run(command, environment, codes=(0,), out=subprocess.DEVNULL):
    """One process from its start to its end; the peak is that of the largest of it and its children."""
    with tempfile.TemporaryFile() as complaint:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=complaint, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            complaint.seek(0)
            raise RuntimeError(f"{' '.join(command)}: exit {process.returncode}: {complaint.read().decode(errors='replace').strip()[-300:]}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def answer(command, environment, codes):
    with tempfile.TemporaryFile() as out:
        run(command, environment, codes, out)
        out.seek(0)
        return out.read()


def best(runs):
    return Run(min(one.wall for one in runs), min(one.work for one in runs), max(one.peak for one in runs))


def bytes_below(folder):
    return sum(os.lstat(os.path.join(place, name)).st_size for place, _, names in os.walk(folder) for name in names)


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Bench:
    """The programs over one store, and what was measured of each. One that fails is left out from there on, with its reason."""

    def __init__(self, programs, store, planted, rounds):
        self.programs, self.started, self.store, self.planted, self.rounds = list(programs), list(programs), store, planted, rounds
        self.size, self.failed, self.served, self.figures = bytes_below(store), [], {}, {program.name: {} for program in programs}

    def each(self, what, action, most=None):
        """Does it with each program, or with the first few; ours is the first."""
        for program in self.programs[:most]:
            try:
                self.figures[program.name].setdefault(what, []).append(action(program))
            except (OSError, RuntimeError, ValueError) as fault:
                self.programs.remove(program)
                self.failed.append(f"{program.name}: {what}: {fault}")

    def measure(self):
        self.each("disk", lambda program: bytes_below(program.data))
        grown = bench_needles.chosen(self.store)[0][0]
        for turn in range(self.rounds):
            self.each("settle", lambda program: run(program.refresh, program.environment))
            self.each("idle", lambda program: run(program.refresh, program.environment))
            bench_needles.grow(grown, NEW_LINES, turn)
            self.each("grown", lambda program: run(program.refresh, program.environment))
        try:
            self.each("start", lambda program: program.start())
            asked = queries(self.planted)
            for _ in range(max(self.rounds, -(-MIN_RUNS // len(asked)))):
                for query in asked:
                    self.each(query, lambda program: self.ask(program, query))
            self.each("found", lambda program: [self.finds(program, program.search, said) for _, _, _, said in self.planted])
            self.each("scanned", lambda program: hasattr(program, "scan") and [self.finds(program, program.scan, said) for _, _, _, said in self.planted])
        finally:
            # Those that failed on the way may still have something running.
            self.served = {program.name: program.stop() for program in self.started}

    def build(self, program):
        empty(program.data)
        return run(program.build, program.environment)

    def ask(self, program, query):
        with program.awake():
            return run(program.search(query), program.environment, program.found_codes)

    def finds(self, program, ask, said):
        with program.awake():
            printed = answer(ask(Query("rare", said)), program.environment, program.found_codes)
        return any(said in json.dumps(hit).lower() for hit in program.hits(printed))

    def searches(self, name, kind=None):
        """The times of all searches of a kind."""
        return [one for query, runs in self.figures[name].items() if isinstance(query, Query) and kind in (None, query.kind) for one in runs]

    def best_round(self, name):
        """(p50, p99) of the whole list of queries, of the rounds where each was best: what is left when the machine is busy now and then."""
        rounds = list(zip(*(runs for query, runs in self.figures[name].items() if isinstance(query, Query))))
        return [min(percentile([one.wall for one in each], share) for each in rounds) for share in (0.5, 0.99)]

    def slowest(self, name):
        """The query whose median is the highest."""
        asked = {query: statistics.median(one.wall for one in runs) for query, runs in self.figures[name].items() if isinstance(query, Query)}
        return max(asked.items(), key=lambda pair: pair[1])


def empty(folder):
    """Deletes what a folder holds."""
    for place, folders, names in os.walk(folder, topdown=False):
        for name in names:
            os.unlink(os.path.join(place, name))
        for name in folders:
            inner = os.path.join(place, name)
            os.unlink(inner) if os.path.islink(inner) else os.rmdir(inner)


def exact(program, rg, planted):
    """(word, how often, ours, ripgrep's) for words letter for letter, in turns; the files that are searched are the same."""
    places = [path for path in (os.path.join(program.store, name) for name in ("projects", "history.jsonl", "plans")) if os.path.exists(path)]
    rows = []
    for said in (planted[0][3], planted[12][3], "no such text", "reconcile_snapshot", "checkout"):
        ours, theirs = [], []
        for _ in range(EXACT_ROUNDS):
            ours.append(run([program.path, "search", "--exact", "--json", said], program.environment, (0, 1)))
            theirs.append(run([rg, "--no-ignore", "--hidden", "-c", "-F", said, *places], program.environment, (0, 1)))
        total = json.loads(answer([program.path, "search", "--exact", "--json", said], program.environment, (0, 1)))["total"]
        rows.append((said, total, best(ours), best(theirs)))
    return rows


def usage(program):
    """(the median of whole processes with a fresh index, whether it says what the files say)."""
    command = [program.path, "usage", "--json"]
    walls = [run(command, program.environment).wall for _ in range(USAGE_RUNS)]
    return statistics.median(walls), settled(answer(command, program.environment, (0,))) == settled(answer([*command, "--no-index"], program.environment, (0,)))


def settled(printed):
    """What does not depend on the instant at which it is asked."""
    told = json.loads(printed)
    told.get("month", {}).pop("projectedUsd", None)
    return told
