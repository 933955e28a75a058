"""How fast `annals export` makes a page of one long session, beside claude-code-log and claude-code-transcripts; for scripts/bench."""
import json
import os
import subprocess
import sys

from common import cache, locked, report_failure

PEERS = ("claude-code-log", "claude-code-transcripts")
SIZE = 10**7
MIN_LEAD = 20.0  # times faster than the faster of them


def installed_peers():
    """({name: program}, why one is missing): from PyPI by name, into a virtual environment in the cache folder."""
    folder = os.path.join(cache("export-peers"), f"python{sys.version_info.major}.{sys.version_info.minor}")
    place = os.path.join(folder, "Scripts" if os.name == "nt" else "bin")
    with locked(cache("export-peers")):
        for command in ([sys.executable, "-m", "venv", folder], [os.path.join(place, "python"), "-m", "pip", "install", "--quiet", "--upgrade", *PEERS]):
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode != 0:
                return {}, f"{' and '.join(PEERS)} cannot be installed: {(run.stderr or run.stdout).strip().splitlines()[-1:]}"
    return {name: os.path.join(place, name) for name in PEERS}, None


def write_session(store, path, size=SIZE):
    """One session of about this size: the longest of a store again and again, as one conversation."""
    files = [os.path.join(place, name) for place, _, names in os.walk(store) for name in names
             if name.endswith(".jsonl") and "subagents" not in place and not name.startswith("agent-")]
    longest = max((name for name in files if name != path and os.sep + "projects" + os.sep in name), key=os.path.getsize)
    with open(longest, "rb") as file:
        records = [json.loads(line) for line in file if line.strip()]
    records = [record for record in records if record.get("type") in ("user", "assistant") and not record.get("isSidechain")]
    session, written, turn, parent = os.path.splitext(os.path.basename(path))[0], 0, 0, None
    with open(path, "wb") as out:
        while written < size:
            turn += 1
            for number, record in enumerate(records):
                text = json.dumps(record)
                for key in ("toolu_", "msg_"):
                    text = text.replace(key, f"{key}{turn:04}")
                copy = json.loads(text)
                copy["uuid"], copy["parentUuid"], copy["sessionId"] = f"{turn:08x}-{number:04x}-4000-8000-000000000000", parent, session
                parent = copy["uuid"]
                written += out.write(json.dumps(copy, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")
    return written


def report_export(annals, folder, environment, rounds, in_turns):
    """Prints the table and whether the lead is large enough."""
    store = os.path.join(folder, "store")
    subprocess.run([annals, "demo", "--out", store], check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    session = os.path.join(folder, "5e551011-0000-4000-8000-000000000000.jsonl")
    size = write_session(store, session)
    peers, reason = installed_peers()
    pages = os.path.join(folder, "pages")
    ours, synced = "annals export --to -", "annals export --to DIR"
    jobs = [(ours, ["sh", "-c", f'"$0" export "$1" --to - > "$2"', annals, session, os.path.join(folder, "page.html")])]
    # Into a folder, every file is synced to the disk before it gets its name.
    jobs.append((synced, [annals, "export", session, "--force", "--to", os.path.join(pages, "annals")]))
    if peers:
        jobs.append(("claude-code-log", [peers["claude-code-log"], "convert", session, "-o", os.path.join(pages, "log.html"), "--no-cache"]))
        jobs.append(("claude-code-transcripts", [peers["claude-code-transcripts"], "json", session, "-o", os.path.join(pages, "transcripts")]))
    best, failed = in_turns(jobs, environment, rounds)
    print(f"One session of {size / 1e6:.1f} MB as HTML, best of {rounds}, taking turns.\n")
    print("| run | wall | processor time | peak memory | times ours | written |\n|---|---|---|---|---|---|")
    written = {ours: "annals", synced: "annals", "claude-code-log": "log.html", "claude-code-transcripts": "transcripts"}
    for name, (wall, work, peak) in best.items():
        bytes_written = size_of(os.path.join(pages, written[name]))
        print(f"| `{name}` | {wall:.2f} s | {work:.2f} s | {peak / 1e6:.0f} MB | {wall / best[ours][0]:.1f} | {bytes_written / 1e6:.1f} MB |")
    for name, why in failed.items():
        report_failure(name, why)
    if reason:
        print(f"\n{reason}")
    theirs = [wall for name, (wall, _, _) in best.items() if name in PEERS]
    if theirs and ours in best:
        lead = min(theirs) / best[ours][0]
        print(f"\n{'holds' if lead >= MIN_LEAD else 'FAILS'}: {lead:.0f} times faster than the faster of them (at least {MIN_LEAD:.0f})")


def size_of(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(path) for name in names)
