"""How fast, how small and how complete the index and the search are, beside agentsview, cass and ripgrep, in one run; for scripts/bench."""
import collections
import json
import os
import statistics
import subprocess
import tempfile
import time

import bench_needles
import bench_peers

NEW_LINES = 100
SMALL = 100 * 10**6
EXACT_ROUNDS = 5
USAGE_RUNS = 20
LEAST_RUNS = 100
# What must hold.
BUILD_SHARE = {"agentsview": 1 / 5, "cass": 1 / 2}
CASS_SECONDS = 54  # of the release that is compared with, for 1.07 GB on this kind of machine: where it cannot be had
BUILD_MEMORY = 200 * 10**6
DISK_SHARE = 0.3
IDLE_REFRESH, GROWN_REFRESH = 0.050, 0.080
SEARCH_MIDDLE, SEARCH_LATE = 0.010, 0.040
EXACT_TIMES = 1.5
USAGE_SECONDS = 0.030
NEAR_CONSTANT = 2.0  # times, for a store ten times the size

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


# ---- measuring ----


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

    def each(self, what, action):
        for program in list(self.programs):
            try:
                self.figures[program.name].setdefault(what, []).append(action(program))
            except (OSError, RuntimeError, ValueError) as fault:
                self.programs.remove(program)
                self.failed.append(f"{program.name}: {what}: {fault}")

    def measure(self):
        for _ in range(max(1, self.rounds // 2)):
            self.each("build", self.build)
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
            for _ in range(max(self.rounds, -(-LEAST_RUNS // len(asked)))):
                for query in asked:
                    self.each(query, lambda program: run(program.search(query), program.environment, program.found_codes))
            self.each("found", lambda program: [self.finds(program, program.search, said) for _, _, _, said in self.planted])
            self.each("scanned", lambda program: hasattr(program, "scan") and [self.finds(program, program.scan, said) for _, _, _, said in self.planted])
        finally:
            # Those that failed on the way may still have something running.
            self.served = {program.name: program.stop() for program in self.started}

    def build(self, program):
        empty(program.data)
        return run(program.build, program.environment)

    def finds(self, program, ask, said):
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


# ---- reporting ----


def report(annals, rg, folder, size, rounds, make_store):
    """Tables and what must hold, over a store of this size and, for ours alone, a small one."""
    kinds, missing = bench_peers.peers()
    said = [f"skipped: {reason}" for reason in missing]
    if not bench_peers.leave_network():
        said.append("the programs had the network, which could not be taken from them")
    ours, benches = (bench_peers.Annals, annals), []
    for name, amount, measured in (("small", min(SMALL, size // 10), [ours]), ("large", size, [ours, *kinds])):
        place = os.path.join(folder, name)
        store = os.path.join(place, "home", ".claude")
        make_store(store, amount)
        planted = bench_needles.plant(store)
        programs = bench_peers.over(store, place, measured)
        bench = Bench(programs, store, planted, rounds)
        bench.measure()
        bench.usage = usage(programs[0])
        benches.append(bench)
    small, large = benches
    versions = {program.name: bench_peers.version(program.path) for program in programs}
    rows = exact(programs[0], rg, large.planted) if rg else []
    if not rg:
        said.append("skipped: ripgrep is not there and could not be installed")
    said += [f"failed: {reason}" for reason in small.failed + large.failed]
    busy = [f"the machine was busy with other things (load {os.getloadavg()[0]:.1f}): measure again when it is not"] * (os.getloadavg()[0] > 2 * (os.cpu_count() or 1))
    text = "\n\n".join([*busy, *tables(large, versions), exact_table(rows), growth_table(small, large)])
    return text, list(claims(large, small, rows, versions)) + said


def milli(seconds):
    return f"{seconds * 1e3:.0f} ms" if seconds >= 0.01 else f"{seconds * 1e3:.1f} ms"


def tables(bench, versions):
    names = [name for name, figures in bench.figures.items() if "build" in figures]
    titled = lambda name: f"{name} {versions[name]}"
    rows = ["| program | build | processor time | peak memory | on disk | of the store |", "|---|---|---|---|---|---|"]
    for name in names:
        built, disk = best(bench.figures[name]["build"]), bench.figures[name]["disk"][0]
        rows.append(f"| {titled(name)} | {built.wall:.1f} s | {built.work:.1f} s | {built.peak / 1e6:.0f} MB | {disk / 1e6:.0f} MB | {disk / bench.size:.2f} |")
    yield "\n".join(rows)
    rows = [f"| program | refresh, nothing new | after {NEW_LINES} lines | peak memory |", "|---|---|---|---|"]
    for name in names:
        idle, grown = (best(bench.figures[name][what]) if what in bench.figures[name] else None for what in ("idle", "grown"))
        if idle and grown:
            rows.append(f"| {titled(name)} | {milli(idle.wall)} | {milli(grown.wall)} | {max(idle.peak, grown.peak) / 1e6:.0f} MB |")
    yield "\n".join(rows)
    rows = ["| program | search p50 | p99 | best round | rare | phrase | common | filtered | slowest query | peak memory |", "|---|---|---|---|---|---|---|---|---|---|"]
    for name in names:
        runs = bench.searches(name)
        if runs:
            kinds = " | ".join(milli(statistics.median(one.wall for one in bench.searches(name, kind))) for kind in ("rare", "phrase", "common", "filtered"))
            middle, late = (milli(percentile([one.wall for one in runs], share)) for share in (0.5, 0.99))
            (query, wall), server = bench.slowest(name), bench.served.get(name)
            peak = f"{max(one.peak for one in runs) / 1e6:.0f} MB" + f", its server {server / 1e6:.0f} MB" * bool(server)
            calm = " / ".join(map(milli, bench.best_round(name)))
            rows.append(f"| {titled(name)} | {middle} | {late} | {calm} | {kinds} | {milli(wall)} ({query.kind}: {query.text}) | {peak} |")
    yield "\n".join(rows)
    yield needle_table(bench)


def needle_table(bench):
    """Of the needles of each place, how many each way of searching finds."""
    ways = {}
    for name, figures in bench.figures.items():
        for what, title in (("found", name), ("scanned", f"{name}, by scanning")):
            if figures.get(what) and figures[what][0]:
                ways[title] = figures[what][0]
    rows = ["| planted in | " + " | ".join(ways) + " |", "|---|" + "---|" * len(ways)]
    for place in bench_needles.PLACES:
        at = [number for number, needle in enumerate(bench.planted) if needle[0] == place]
        cells = []
        for found in ways.values():
            missed = [bench.planted[number][1] for number in at if not found[number]]
            cells.append(f"{len(at) - len(missed)}" + f" (not: {', '.join(missed)})" * (0 < len(missed) < len(at)))
        rows.append(f"| {place} | " + " | ".join(cells) + " |")
    rows.append("| all of them | " + " | ".join(f"{sum(found)} of {len(found)}" for found in ways.values()) + " |")
    return "\n".join(rows)


def exact_table(rows):
    head = ["| letter for letter | hits | `annals search --exact` | `rg -F -c` | times |", "|---|---|---|---|---|"]
    return "\n".join(head + [f"| `{said}` | {total:,} | {milli(ours.wall)} | {milli(theirs.wall)} | {ours.wall / theirs.wall:.2f} |" for said, total, ours, theirs in rows])


def growth(bench):
    """Build, refreshes, p50 and p99 of the searches, usage; of ours."""
    figures = bench.figures["annals"]
    walls = [one.wall for one in bench.searches("annals")]
    return [*(best(figures[what]).wall for what in ("build", "idle", "grown")), percentile(walls, 0.5), percentile(walls, 0.99), bench.usage[0]]


def growth_table(small, large):
    rows = ["| store | build | refresh, nothing new | after 100 lines | search p50 | p99 | `usage` |", "|---|---|---|---|---|---|---|"]
    for bench in (small, large):
        build, *rest = growth(bench)
        rows.append(f"| {bench.size / 1e6:,.0f} MB | {build:.1f} s | " + " | ".join(map(milli, rest)) + " |")
    return "\n".join(rows)


def verdict(holds, text):
    return f"{'holds' if holds else 'DOES NOT HOLD'}: {text}"


def claims(bench, small, rows, versions):
    """What the project says of its index, against these figures."""
    ours = bench.figures["annals"]
    built, disk = best(ours["build"]), ours["disk"][0]
    for name, most in BUILD_SHARE.items():
        if bench.figures.get(name, {}).get("build"):
            theirs = best(bench.figures[name]["build"])
            yield verdict(built.wall <= most * theirs.wall, f"built in at most {most:.1f} of the time of {name} {versions[name]} ({built.wall / theirs.wall:.2f}; of its processor time {built.work / theirs.work:.2f})")
    if versions.get("cass") != bench_peers.CASS_WANTED:
        allowed = BUILD_SHARE["cass"] * CASS_SECONDS * bench.size / 1.07e9
        yield verdict(built.wall <= allowed, f"built in at most {allowed:.1f} s, half of what cass {bench_peers.CASS_WANTED} once took for as much ({built.wall:.1f})")
    yield verdict(built.peak < BUILD_MEMORY, f"built in under {BUILD_MEMORY / 1e6:.0f} MB ({built.peak / 1e6:.0f})")
    yield verdict(disk <= DISK_SHARE * bench.size, f"at most {DISK_SHARE} of the store on disk ({disk / bench.size:.2f})")
    idle, grown = best(ours["idle"]).wall, best(ours["grown"]).wall
    yield verdict(idle < IDLE_REFRESH, f"refresh with nothing new under {milli(IDLE_REFRESH)} ({milli(idle)})")
    yield verdict(grown < GROWN_REFRESH, f"refresh after {NEW_LINES} lines under {milli(GROWN_REFRESH)} ({milli(grown)})")
    walls = [one.wall for one in bench.searches("annals")]
    middle, late = percentile(walls, 0.5), percentile(walls, 0.99)
    calm = bench.best_round("annals")
    yield verdict(middle < SEARCH_MIDDLE, f"search p50 under {milli(SEARCH_MIDDLE)} ({milli(middle)} of {len(walls)} runs; {milli(calm[0])} in the best round)")
    yield verdict(late < SEARCH_LATE, f"search p99 under {milli(SEARCH_LATE)} ({milli(late)} of {len(walls)} runs; {milli(calm[1])} in the best round)")
    found = ours["found"][0]
    missed = [f"{place}: {what}" for (place, what, _, _), is_found in zip(bench.planted, found) if not is_found]
    yield verdict(not missed, f"all {len(found)} needles found ({sum(found)}{'; not ' + ', '.join(missed) if missed else ''})")
    if rows:
        times = [mine.wall / theirs.wall for _, _, mine, theirs in rows]
        yield verdict(max(times) <= EXACT_TIMES, f"`--exact` at most {EXACT_TIMES} times ripgrep ({', '.join(f'{ratio:.2f}' for ratio in times)})")
    wall, is_exact = bench.usage
    yield verdict(wall < USAGE_SECONDS, f"`usage` with a fresh index under {milli(USAGE_SECONDS)} ({milli(wall)})")
    yield verdict(is_exact, "`usage` says the same with the index and without")
    yield from growth_claims(growth(small), growth(bench), bench.size / small.size)


def growth_claims(before, after, times):
    build = after[0] / before[0]
    yield verdict(build <= times, f"a store {times:.1f} times the size is built in at most {times:.1f} times the time ({build:.1f})")
    for name, then, now in zip(("refresh with nothing new", f"refresh after {NEW_LINES} lines", "search p50"), before[1:4], after[1:4]):
        yield verdict(now <= NEAR_CONSTANT * then, f"{name}: near constant, at most {NEAR_CONSTANT:.0f} times ({now / then:.1f})")


def self_test():
    planted = bench_needles.needles()
    words = [needle[3] for needle in planted]
    assert len(planted) == 27 and len(set(words)) == 27 and all(text.isalpha() and text.islower() for text in words), words
    assert not any(one != other and other.startswith(one) for one in words for other in words)
    asked = queries(planted)
    assert len(asked) >= 20 and len(set(asked)) == len(asked) and {query.kind for query in asked} == {"rare", "phrase", "common", "filtered"}
    assert all(sum(query.kind == kind for query in asked) == 6 for kind in ("rare", "phrase", "common", "filtered"))
    assert percentile(list(range(100)), 0.5) == 50 and percentile([1, 2], 0.99) == 2
    assert best([Run(2, 1, 5), Run(1, 3, 9)]) == Run(1, 1, 9)
    assert settled(b'{"month":{"projectedUsd":1,"usd":2}}') == settled(b'{"month":{"projectedUsd":3,"usd":2}}') != settled(b'{"month":{"usd":3}}')
    said = list(growth_claims([1, 0.01, 0.02, 0.005, 0, 0], [9, 0.05, 0.02, 0.006, 0, 0], 10))
    assert [text.split(":")[0] for text in said] == ["holds", "DOES NOT HOLD", "holds", "holds"], said
    with tempfile.TemporaryDirectory() as folder:
        self_test_store(folder)
        self_test_claims(folder)


def self_test_store(folder):
    """A store of three sessions: what is planted is JSON, is there once, and is chained; a session grows by as many lines as asked."""
    store = os.path.join(folder, "store")
    for number in range(4):
        path = os.path.join(store, "projects", "-p", f"{number}.jsonl")
        agent = os.path.join(store, "projects", "-p", str(number), "subagents", "agent-a.jsonl")
        os.makedirs(os.path.dirname(agent))
        for name in (path, agent):
            first = {"type": "user", "uuid": f"u{number}", "timestamp": "2026-01-01T00:00:00.000Z", "sessionId": str(number), "cwd": "/p", "message": {"role": "user", "content": "x" * number}}
            with open(name, "w", encoding="utf-8") as file:
                file.write(json.dumps(first) + "\n")
    planted, texts = bench_needles.plant(store), {}
    for place, _, names in os.walk(store):
        for name in names:
            with open(os.path.join(place, name), encoding="utf-8") as file:
                texts[os.path.join(place, name)] = file.read()
    for _, what, _, said in planted:
        assert sum(said in text for text in texts.values()) == 1, (what, said)
    for name, text in texts.items():
        if name.endswith(".jsonl"):
            records = [json.loads(line) for line in text.splitlines()]
            chained = [record for record in records if record.get("uuid")]
            roots = [record for record in chained[1:] if record["parentUuid"] is None]
            assert all(after["parentUuid"] == before["uuid"] or after in roots for before, after in zip(chained, chained[1:])) and len(roots) <= 1, name
    grown = os.path.join(store, "projects", "-p", "1.jsonl")
    bench_needles.grow(grown, 100, 0)
    with open(grown, encoding="utf-8") as file:
        assert len(file.readlines()) == len(texts[grown].splitlines()) + 100
    empty(store)
    assert os.listdir(store) == []


def self_test_claims(folder):
    """Figures that hold, and a needle that is missing, are told apart."""
    class Quick(bench_peers.Annals):
        def search(self, query):
            return ["true"]

    program = Quick("true", folder, folder)
    program.build = program.refresh = ["true"]
    bench = Bench([program], folder, bench_needles.needles(), 1)
    bench.size, bench.usage = 10**9, (0.02, True)
    bench.figures["annals"] = {"build": [Run(10, 15, 150e6)], "disk": [2 * 10**8], "idle": [Run(0.01, 0, 0)], "grown": [Run(0.09, 0, 0)], "found": [[True] * 26 + [False]]}
    bench.each(Query("rare", "x"), lambda one: run(one.search(None), dict(os.environ)))
    assert bench.best_round("annals")[0] == bench.searches("annals")[0].wall and bench.slowest("annals")[0].text == "x"
    assert len(bench.searches("annals", "rare")) == 1 and not bench.searches("annals", "common")
    said = list(claims(bench, bench, [("w", 1, Run(0.2, 0, 0), Run(0.1, 0, 0))], {"annals": "1.0"}))
    failing = [text for text in said if text.startswith("DOES NOT HOLD")]
    assert len(failing) == 3 and "after 100 lines under 80 ms (90 ms)" in failing[0] and "history.jsonl" in failing[1] and "(2.00)" in failing[2], said
    assert "26 of 27" in needle_table(bench) and "2 (not: history.jsonl)" in needle_table(bench)
    bench.each("bad", lambda one: run(["false"], dict(os.environ)))
    assert not bench.programs and "exit 1" in bench.failed[0]
