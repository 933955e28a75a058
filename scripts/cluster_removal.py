"""What scripts/team-cluster proves of forgetting, retention and rebuild over shards: on every server, by its rows and by its files."""
import datetime
import os
import shutil
import subprocess
import time

import cluster_schema
import cluster_servers
import cluster_words
from cluster_balancer import ask
from cluster_servers import DATABASE

DERIVED = ["messages", "calls", "responses", "facts"]
KEYS = {"lines": "machine, file, generation, offset", "messages": "machine, file, generation, offset, block, words", "calls": "call, half, machine, file, line, tool",
        "responses": "key, machine, file, line, output, toString(cost)", "facts": "machine, file, kind, line, value", "files": "machine, file, generation, version"}
AWAY = 74
# How long a command may wait for servers that get no further, and how long files that were replaced may stay.
WAIT, PATIENCE = 30, 60


def prove(proof):
    proof.cluster.let_rewrite()
    rebuild(proof)
    forget_session(proof)
    forget_person(proof)
    retention(proof)


def team(proof, *arguments, accept=(0,)):
    """Runs a command of `annals team` that changes all servers: the exit code and what it says."""
    run = subprocess.run([proof.annals.path, "team", *arguments, "--wait", str(WAIT), "--apply", "--at", proof.at], env=proof.annals.environment, capture_output=True, text=True)
    if run.returncode not in accept:
        proof.fail(f"team {' '.join(arguments)} ended with {run.returncode}: {run.stderr.strip()} ({proof.balancer.refused})")
    return run.stderr.strip()


def sums(proof, table):
    """Rows of a table on each shard, each once: how many, and a sum that tells others from these."""
    question = f"SELECT count() AS rows, sum(hash) AS sum FROM (SELECT DISTINCT cityHash64({KEYS[table]}) AS hash FROM {DATABASE}.{table}_local)"
    return {place: ask(ports[0], question)[0] for place, ports in proof.cluster.ports.items()}


def rebuild(proof):
    before = {table: sums(proof, table) for table in DERIVED}
    start = time.monotonic()
    team(proof, "rebuild")
    proof.cluster.wait_until_equal()
    for table in DERIVED:
        after = sums(proof, table)
        if after != before[table]:
            proof.fail(f"rebuild made other rows of {table}: {before[table]}, {after}")
    for port in proof.cluster.http_ports():
        left = ask(port, f"SELECT name FROM system.tables WHERE database = '{DATABASE}' AND name LIKE '%rebuild%'")
        if left:
            proof.fail(f"rebuild left {left}")
    proof.compare_usage()
    print(f"rebuild: the same rows of {', '.join(DERIVED)} on each server, {time.monotonic() - start:.0f} s", flush=True)


def rows_of(proof, condition, tables=cluster_schema.ITEM_TABLES):
    """Rows that match, by server; of those that run."""
    found = {}
    for place, ports in proof.cluster.ports.items():
        if proof.cluster.servers[place].process:
            found[place] = sum(int(ask(ports[0], f"SELECT count() AS rows FROM {DATABASE}.{table}_local WHERE {condition(table)}")[0]["rows"]) for table in tables)
    return found


def of_session(session):
    return lambda table: f"position(file, '{session}') > 0" if table == "responses" else f"(session = '{session}' OR position(file, '{session}') > 0)"


def of_machines(machines):
    names = ", ".join(f"'{machine.id}'" for machine in machines)
    return lambda _: f"machine IN ({names})"


def expect_gone(proof, what, condition):
    found = rows_of(proof, condition)
    if any(found.values()):
        proof.fail(f"{what}: rows are left: {found}")


def files_with(proof, words):
    """The files of the servers that hold these words, unpacked."""
    import engine_disk  # It needs zstandard, which the self-test does without.
    found = set()
    for node in proof.cluster.servers.values():
        for base, _, names in os.walk(os.path.join(node.folder, "data")):
            for name in names:
                try:
                    with open(os.path.join(base, name), "rb") as file:
                        data = file.read()
                except FileNotFoundError:
                    continue
                texts = data, engine_disk.unpacked(data)
                if any(one.encode() in text for one in words for text in texts):
                    found.add(os.path.relpath(os.path.join(base, name), node.folder))
    return found


def expect_no_files(proof, what, words):
    """No file may hold a word; what a server has put aside after it was killed is the operator's, and is removed here as by one."""
    end = time.monotonic() + PATIENCE
    while True:
        found = files_with(proof, words)
        aside = {name for name in found if "/detached/" in name}
        found -= aside
        if not found:
            break
        if time.monotonic() > end:
            proof.fail(f"{what}: {len(found)} files hold its words after {PATIENCE} s, such as {sorted(found)[:3]}")
            return
        time.sleep(1)
    for node in proof.cluster.servers.values():
        for name in aside:
            shutil.rmtree(os.path.dirname(os.path.join(node.folder, name)), ignore_errors=True)
    if aside:
        print(f"{what}: in {len(aside)} files of parts that a server has put aside ({', '.join(sorted(aside)[:2])}); removed by hand", flush=True)


def words_of(sessions):
    return [f"zq{session.replace('-', '')[:16]}" for session in sessions]


def send_again(proof, machines):
    for machine in machines:
        machine.collect_again(proof.at, (0, 3))
    proof.cluster.wait_until_equal()


def forget_session(proof):
    machine = proof.machines[-1]
    session, other = machine.sessions[0], machine.sessions[1]
    words, condition = words_of([session]), of_session(session)
    before, kept = rows_of(proof, condition), rows_of(proof, of_session(other))
    if not any(before.values()) or not files_with(proof, words):
        proof.fail("the session that is to be forgotten is not there")
    team(proof, "forget", "--session", session)
    expect_gone(proof, "a session that was forgotten", condition)
    send_again(proof, [machine])
    expect_gone(proof, "a session that was sent again", condition)
    expect_no_files(proof, "a session that was forgotten", words)
    left = rows_of(proof, of_session(other))
    if any(left[place] < rows for place, rows in kept.items()):
        proof.fail(f"rows of another session are gone, too: {kept}, {left}")
    print(f"forget a session: {sum(before.values())} rows on all servers, then none; none came back", flush=True)


def forget_person(proof):
    """A replica is killed behind the first statement that removes rows; the command is repeated when it is back."""
    gone, stays = proof.machines[-1], proof.machines[0]
    proof.annals.run("team", "assign", gone.id, "ben", "--at", proof.at, accept=(0,))
    condition, kept = of_machines([gone]), rows_of(proof, of_machines([stays]))
    before, killed = rows_of(proof, condition), []

    def kill(statement):
        if " DELETE WHERE " in statement and not killed:
            killed.append((1, 0))
            proof.cluster.servers[1, 0].kill()

    proof.balancer.listen = kill
    said = team(proof, "forget", "--person", "ben", accept=(AWAY,))
    proof.balancer.listen = None
    name = f"127.0.0.1:{proof.cluster.ports[1, 0][1]}"
    if not killed or name not in said:
        proof.fail(f"forget does not name the server that is away ({name}): {said}")
    print(f"forget a person, a replica away: {said[:200]}")
    expect_gone(proof, "a person, on the servers that are there", condition)
    again = team(proof, "forget", "--person", "ben", accept=(AWAY,))
    if name not in again:
        proof.fail(f"the second time, forget does not name the server that is away: {again}")
    proof.cluster.start_server((1, 0))
    start = time.monotonic()
    team(proof, "forget", "--person", "ben")
    print(f"repeated when the replica is back: {time.monotonic() - start:.1f} s", flush=True)
    expect_gone(proof, "a person", condition)
    send_again(proof, [gone])
    expect_gone(proof, "a person whose machine sent again", condition)
    expect_no_files(proof, "a person", words_of(gone.sessions))
    left = rows_of(proof, of_machines([stays]))
    if left != kept:
        proof.fail(f"rows of another machine are gone, too: {kept}, {left}")
    print(f"forget a person: {sum(before.values())} rows on all servers, then none; none came back", flush=True)


def retention(proof):
    """Rows of old days go, also from a replica that is away when it is set."""
    tables = ["lines", *DERIVED]
    machine = proof.machines[0]
    machine.grow()
    machine.collect(proof.at)
    proof.cluster.wait_until_equal()
    days = (datetime.date.today() - datetime.date(2026, 1, 1)).days - 30
    old = lambda _: f"day < today() - {days}"  # noqa: E731
    before, young = rows_of(proof, old, tables), rows_of(proof, lambda _: f"day >= today() - {days}", tables)
    proof.cluster.servers[0, 1].kill()
    said = team(proof, "retention", str(days), accept=(AWAY,))
    name = f"127.0.0.1:{proof.cluster.ports[0, 1][1]}"
    if name not in said or not any(before.values()):
        proof.fail(f"retention does not name the server that is away ({name}): {said}; {before}")
    proof.cluster.start_server((0, 1))
    team(proof, "retention", str(days))
    cluster_servers.wait_for("the end of retention", lambda: not any(rows_of(proof, old, tables).values()))
    if rows_of(proof, lambda _: f"day >= today() - {days}", tables) != young:
        proof.fail("retention has removed younger rows")
    print(f"retention of {days} days: {sum(before.values())} rows on all servers, then none older; {sum(young.values())} stay", flush=True)


def self_test():
    old = cluster_words.old
    assert old("SELECT 1 FROM clusterAllReplicas('c', d.t) WHERE 1", {1: "h:1", 2: "h:2"}) == (
        "SELECT 1 FROM (SELECT *, toUInt32(1) AS _shard_num FROM remote('h:1', d, t) UNION ALL SELECT *, toUInt32(2) AS _shard_num FROM remote('h:2', d, t)) WHERE 1")
    assert old("WITH _a AS (SELECT ')' FROM t), _b AS (SELECT * FROM _a) SELECT * FROM _b", {}) == " SELECT * FROM (SELECT * FROM (SELECT ')' FROM t) AS _a) AS _b"
    assert old("hasAllTokens(words, ['a','b'])", {}) == "(position(words, ' a ') > 0 AND position(words, ' b ') > 0)"
    assert old("EXCHANGE TABLES d.a AND d.b ON CLUSTER 'c'", {}) == "RENAME TABLE d.a TO d.a_away, d.b TO d.a, d.a_away TO d.b ON CLUSTER 'c'"
    assert old("ALTER TABLE d.a MODIFY TTL day + INTERVAL 9 DAY DELETE", {}) == "ALTER TABLE d.a DELETE WHERE day < today() - 9"
    assert old("ALTER TABLE d.a REMOVE TTL", {}) == ""
    assert old("DROP TABLE IF EXISTS d.a ON CLUSTER 'c' SYNC", {}) == "DROP TABLE IF EXISTS d.a ON CLUSTER 'c'"
