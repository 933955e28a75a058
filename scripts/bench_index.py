"""How fast, how small and how complete the index and the search are, beside agentsview, cass and ripgrep, in one run; for scripts/bench."""
import json
import os
import tempfile

import bench_index_tables
import bench_needles
import bench_peers
from bench_index_runs import Bench, Run, best, empty, exact, percentile, queries, settled, usage
from bench_index_tables import claims, exact_table, growth_table, tables
from common import report_failure

SMALL = 100 * 10**6


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
        benches.append(Bench(bench_peers.over(store, place, measured), store, planted, rounds))
    # In turns, and the small one so often that it takes as long: a change of the machine's speed must not look like growth, and a
    # second in which it is quick is found more easily than ten of them. Others take so long that half of the turns must do; in
    # the other half ours is built alone, for its growth.
    for turn in range(rounds):
        what, most = ("build", None) if turn < max(1, rounds // 2) else ("again", 1)
        for bench in benches:
            for _ in range(max(1, round(benches[-1].size / bench.size))):
                bench.each(what, bench.build, most)
    for bench in benches:
        bench.measure()
        if bench.started[0] not in bench.programs:
            raise RuntimeError("; ".join(bench.failed))
        bench.usage = usage(bench.started[0])
    programs = benches[-1].started
    small, large = benches
    versions = {program.name: bench_peers.version(program.path) for program in programs}
    rows = exact(programs[0], rg, large.planted) if rg else []
    if not rg:
        said.append("skipped: ripgrep is not there and could not be installed")
    for reason in small.failed + large.failed:
        report_failure(*reason.split(": ", 1))
    busy = [f"the machine was busy with other things (load {os.getloadavg()[0]:.1f}): measure again when it is not"] * (os.getloadavg()[0] > 2 * (os.cpu_count() or 1))
    text = "\n\n".join([*busy, *tables(large, versions), exact_table(rows), growth_table(small, large)])
    return text, list(claims(large, small, rows, versions)) + said


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
    with tempfile.TemporaryDirectory() as folder:
        self_test_store(folder)
        bench_index_tables.self_test(folder)


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
