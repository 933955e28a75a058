"""How small and how fast `annals archive` is, beside zstd on the same files, in one run."""
import json
import os
import shutil
import subprocess
import time

from common import find_shared

MEMORY_LIMIT = 200 * 10**6
MIN_SPEED = 100 * 10**6
# What belongs to no session is not kept, and not counted.
FOLDERS = ("projects", "todos", "tasks", "file-history", "session-env", "image-cache")


def report(annals, folder, environment, demo_bytes, rounds, write_long_file):
    """Tables, and what must hold."""
    rows, said = [], []
    demo = os.path.join(folder, "archive-demo")
    subprocess.run([annals, "demo", "--out", demo, "--bytes", str(demo_bytes)], check=True, env=environment, stdout=subprocess.DEVNULL)
    stores = [("demo store", demo)]
    corpus = find_shared("corpus", "ANNALS_CORPUS")
    if corpus:
        joined = os.path.join(folder, "archive-corpus")
        join(corpus, joined)
        stores.append(("corpus", joined))
    for name, store in stores:
        measured = compare(annals, folder, environment, store, rounds)
        rows.append(row(name, measured))
        said.extend(claims(name, measured))
    long_store = os.path.join(folder, "archive-long")
    long_file = os.path.join(long_store, "projects", "-long", "00000000-0000-4000-8000-000000000000.jsonl")
    os.makedirs(os.path.dirname(long_file))
    size = write_long_file(demo, long_file, 10**9)
    seconds, _, memory, _ = archive(annals, folder, environment, long_store)
    back, back_memory = restore(annals, folder, environment, long_store, long_file)
    long_row = f"| {size / 1e9:.2f} GB | {seconds:.1f} s | {memory / 1e6:.0f} MB | {back:.1f} s | {back_memory / 1e6:.0f} MB |"
    said.append(verdict(memory <= MEMORY_LIMIT and back_memory <= MEMORY_LIMIT, f"a session of {size / 1e9:.2f} GB is kept in {memory / 1e6:.0f} MB of memory, and restored in {back_memory / 1e6:.0f} MB"))
    if not corpus:
        said.append("skipped: the corpus is not there (set ANNALS_CORPUS to its folder)")
    head = "| files | bytes | `zstd -3` a file | `zstd -19` a file | vault | of `zstd -19` | `zstd -3`, 2 processes (processor time) | `annals archive` (the same) | peak memory |\n|---|---|---|---|---|---|---|---|---|"
    long_head = "| one session of | kept in | memory | restored in | memory |\n|---|---|---|---|---|"
    return "\n".join([head, *rows]) + f"\n\n{long_head}\n{long_row}", said


def join(corpus, target):
    """The stores of the corpus as one; each project keeps its own folder."""
    for root, folders, _ in os.walk(corpus):
        if "projects" not in folders:
            continue
        name = os.path.relpath(root, corpus).replace(os.sep, "-")
        for slug in os.listdir(os.path.join(root, "projects")):
            source = os.path.join(root, "projects", slug)
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(target, "projects", f"-{name}{slug}"), dirs_exist_ok=True)
        for side in FOLDERS[1:]:
            if os.path.isdir(os.path.join(root, side)):
                shutil.copytree(os.path.join(root, side), os.path.join(target, side), dirs_exist_ok=True)


def files_of(store):
    for folder in FOLDERS:
        for root, _, names in os.walk(os.path.join(store, folder)):
            parts = os.path.relpath(root, store).split(os.sep)
            if "memory" in parts[2:3]:
                continue
            yield from (os.path.join(root, name) for name in names if not name.endswith(".lock") and name != "sessions-index.json")


def compare(annals, folder, environment, store, rounds):
    files = [path for path in files_of(store) if os.path.getsize(path)]
    total = sum(map(os.path.getsize, files))
    small = zstd(files, 19, folder)[0]
    theirs, ours = [], []
    for _ in range(rounds):
        plain, *times = zstd(files, 3, folder)
        theirs.append(times)
        *times, memory, said = archive(annals, folder, environment, store)
        ours.append(times)
    best = lambda runs: [min(column) for column in zip(*runs)]
    return {"files": len(files), "bytes": total, "kept": said["bytes"], "three": plain, "nineteen": small, "vault": said["stored"],
            "theirs": best(theirs), "ours": best(ours), "memory": memory}


def zstd(files, level, folder):
    """The sizes of the files compressed one by one, summed, how long two processes take, and how much of it is processor time."""
    out = os.path.join(folder, "zstd-out")
    shutil.rmtree(out, ignore_errors=True)
    halves, sizes = ([], []), [0, 0]
    for path in sorted(files, key=os.path.getsize, reverse=True):
        at = sizes.index(min(sizes))
        halves[at].append(path)
        sizes[at] += os.path.getsize(path)
    started, running = time.monotonic(), []
    for at, half in enumerate(halves):
        listed = os.path.join(folder, f"zstd-list-{at}")
        with open(listed, "w") as file:
            file.write("\n".join(half) + "\n")
        running.append(subprocess.Popen(["zstd", f"-{level}", "-q", "-f", "--output-dir-mirror", out, "--filelist", listed]))
    work = 0
    for process in running:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        work += usage.ru_utime + usage.ru_stime
        if process.returncode:
            raise RuntimeError(f"zstd -{level} failed")
    seconds = time.monotonic() - started
    total = sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(out) for name in names)
    shutil.rmtree(out)
    return total, seconds, work


def measured(command, environment):
    started = time.monotonic()
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {process.returncode}")
    return time.monotonic() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, json.loads(out)


def archive(annals, folder, environment, store):
    data = os.path.join(folder, "archive-data")
    shutil.rmtree(data, ignore_errors=True)
    return measured([annals, "--config-dir", store, "--data-dir", data, "archive", "--all", "--json"], environment)


def restore(annals, folder, environment, store, path):
    data, session = os.path.join(folder, "archive-data"), os.path.splitext(os.path.basename(path))[0]
    target = os.path.join(folder, "archive-restored")
    command = [annals, "--config-dir", store, "--data-dir", data, "restore", session, "--to", target, "--yes", "--json"]
    seconds, _, memory, _ = measured(command, environment)
    if subprocess.run(["cmp", "-s", path, os.path.join(target, os.path.relpath(path, store))]).returncode:
        raise RuntimeError("what came back is not what was kept")
    return seconds, memory


def row(name, m):
    mega = lambda size: f"{size / 1e6:.1f} MB"
    speed = lambda times: f"{m['bytes'] / times[0] / 1e6:.0f} MB/s ({times[1]:.1f} s)"
    return (f"| {name}, {m['files']:,} | {mega(m['bytes'])} | {mega(m['three'])} | {mega(m['nineteen'])} | {mega(m['vault'])} "
            f"| {m['vault'] / m['nineteen']:.3f} | {speed(m['theirs'])} | {speed(m['ours'])} | {m['memory'] / 1e6:.0f} MB |")


def claims(name, m):
    # What belongs to no session (sub-agents of deleted ones) is not kept: the sizes are compared byte for byte that is.
    covered = min(m["kept"] / m["bytes"], 1)
    share = m["vault"] / m["nineteen"] / covered
    yield verdict(share <= 1, f"{name}: the vault is {share:.3f} times `zstd -19` a file, for the {covered:.1%} of these bytes that are kept")
    wall, work = (m["bytes"] / seconds for seconds in (m["ours"][0], m["ours"][1] / 2))
    # On a busy machine the clock on the wall tells of the others; half the processor time is what two free cores would take.
    is_busy = os.getloadavg()[0] > 2 * (os.cpu_count() or 1)
    said = f"{wall / 1e6:.0f} MB/s" + f" while others were at work; by processor time {work / 1e6:.0f} MB/s" * is_busy
    yield verdict(max(wall, work * is_busy) >= MIN_SPEED, f"{name}: {said}")
    yield verdict(m["memory"] <= MEMORY_LIMIT, f"{name}: {m['memory'] / 1e6:.0f} MB of memory")


def verdict(holds, text):
    return f"{'holds' if holds else 'DOES NOT HOLD'}: {text}"
