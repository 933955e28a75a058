"""What scripts/team-proof compares: the answers of files with those of a team's engine."""
import collections
import concurrent.futures
import json
import os
import re
import statistics
import time

BY = ["day", "week", "month", "hour", "session", "project", "model", "agent", "block", "tool"]
# Filters, phrases, prefixes, exclusions, names, and words that are everywhere.
QUERIES = """error
test
"unit test"
fix bug
cache OR index
function -test
get*
config*
"no such file"
tool:Bash error
tool:bash ls
tool:Read
tool:Edit function
tool:Grep
in:prompts add
in:prompts the
in:replies done
in:thinking maybe
in:tools error
role:user please
role:assistant fixed
role:tool failed
error:true
error:true file
cache -in:tools
kind:title the
kind:title add
kind:tool_call path
kind:tool_result "0 failed"
kind:plan step
kind:memory prefer
since:2025-01-01 test
before:2030-01-01 index
until:2024-01-01 test
project:shop error
project:api test
session:1 test
file:src error
file:.rs test
file:README
userName
getUserName
parse_config
src/main
"cargo test"
"npm run"
cargo OR npm
cargo -npm
http*
json "parse"
timeout retry
database schema
"merge conflict"
git commit
TODO
panicked
日本
café
thread OR lock
render component""".splitlines()


def rebuild(items, folder):
    """Writes a store from the items of `annals collect`."""
    files = collections.defaultdict(list)
    for item in items:
        files[item["file"]].append(item)
    for name, found in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        found = [item for item in found if item["generation"] == max(item["generation"] for item in found)]
        active = None
        with open(path, "w", encoding="utf-8", newline="") as file:
            for item in sorted(found, key=lambda item: item["offset"]):
                file.write((item["text"] or "") + ("\n" if item["form"] == "line" else ""))
                active = max(filter(None, (active, newest(item["text"] or ""), item.get("modified", 0) / 1000)), default=None)
        if active:
            os.utime(path, (active, active))


def newest(text):
    """The time that a line states, in seconds."""
    found = re.search(r'"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)Z"', text)
    if not found:
        return None
    import datetime
    return datetime.datetime.fromisoformat(found.group(1)).replace(tzinfo=datetime.timezone.utc).timestamp()


def plain(value, roots):
    """An answer without what may differ: whose it is, and in which folder."""
    if isinstance(value, dict):
        left_out = {"store", "machine", "person"}
        return {key: plain(one, roots) for key, one in value.items() if key not in left_out}
    if isinstance(value, list):
        return [plain(one, roots) for one in value]
    if isinstance(value, str):
        for root in roots:
            if value.startswith(root + "/"):
                return value[len(root) + 1:]
    return value


def without_marks_of_lost_outputs(answer, machine):
    """The engine marks messages whose output it was not sent. That is right where the store does not have it either."""
    for message in answer if isinstance(answer, list) else [answer]:
        named = re.findall(r"tool-results[/\\\\]+([^\s\"\\\\/]+)", json.dumps(message))
        if message.get("notCollected") and named and not all(has_output(machine.redacted, name) for name in named):
            del message["notCollected"]
    return answer


def has_output(store, name):
    return any(os.path.basename(folder) == "tool-results" and name in names for folder, _, names in os.walk(os.path.join(store, "projects")))


class Comparison:
    def __init__(self, annals, machines, at):
        self.annals, self.machines, self.at = annals, machines, at
        self.roots = [machine.redacted for machine in machines]
        self.counts, self.differences = collections.Counter(), []
        # Seconds of each answer, by the files and by the engine.
        self.seconds = collections.defaultdict(list)

    def ask(self, kind, arguments, machines, scope=(), settle=lambda answer: answer):
        """Asks both sides the same question."""
        here = [word for machine in machines for word in ("--config-dir", machine.redacted)]
        with concurrent.futures.ThreadPoolExecutor(2) as both:
            asked = [both.submit(self.timed, *arguments, *where) for where in (here, ("--at", self.at, *scope))]
        found = [one.result() for one in asked]
        local, team = (settle(plain(answer, self.roots)) for answer, _ in found)
        self.seconds[kind].append([taken for _, taken in found])
        self.counts[kind] += 1
        if local != team:
            self.differences.append(kind)
            print(f"differs: annals {' '.join(arguments)} {' '.join(scope)}")
            for line in first_differences(local, team):
                print(f"  {line}", flush=True)
        return local

    def timed(self, *arguments):
        start = time.monotonic()
        return self.annals.json(*arguments), time.monotonic() - start

    def report(self):
        """The result by kind, for programs."""
        median = lambda kind, side: round(statistics.median(pair[side] for pair in self.seconds[kind]), 3)  # noqa: E731
        return {kind: {"compared": count, "differ": self.differences.count(kind), "medianFiles": median(kind, 0), "medianEngine": median(kind, 1)}
                for kind, count in self.counts.items()}

    def print_table(self):
        """The result for docs/benchmarks.md."""
        print("| question | compared | differ | files, median | engine, median |\n|---|---|---|---|---|")
        for kind, row in self.report().items():
            print(f"| `{kind}` | {row['compared']} | {row['differ']} | {row['medianFiles']:.2f} s | {row['medianEngine']:.2f} s |")


def first_differences(left, right, path="", most=4):
    """Where two answers differ: files, then engine."""
    if type(left) is not type(right):
        return [f"{path}: {short(left)} / {short(right)}"]
    found = []
    if isinstance(left, dict):
        for key in [*left, *(key for key in right if key not in left)]:
            if key not in left or key not in right:
                found.append(f"{path}.{key}: only {'engine' if key not in left else 'files'}: {short(left.get(key, right.get(key)))}")
            elif left[key] != right[key]:
                found += first_differences(left[key], right[key], f"{path}.{key}")
    elif isinstance(left, list):
        if len(left) != len(right):
            found.append(f"{path}: {len(left)} / {len(right)} rows")
        for at, (one, other) in enumerate(zip(left, right)):
            if one != other:
                found += first_differences(one, other, f"{path}[{at}]" + (f" of {one['file']}" if isinstance(one, dict) and "file" in one else ""))
    elif left != right:
        found.append(f"{path}: {short(left)} / {short(right)}")
    return found[:most]


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 160 else text[:160] + "…"


def same_order(answer):
    """Hits of one score may come in any order; sorted by what names them. If not all matches were counted, the counts are of those that were."""
    if answer["isMore"]:
        answer.pop("total")
    for hit in answer["hits"]:
        hit.pop("score")
        if answer["isMore"]:
            hit.pop("sessionHits")
    answer["hits"].sort(key=lambda hit: (hit["file"], hit["line"], hit["block"]))
    return answer


def by_id(answer):
    for session in answer["sessions"]:
        # Nor are those of sessions; without a time of their own they have none.
        session.pop("modified")
        if not session["created"]:
            session.pop("active")
    answer["sessions"].sort(key=lambda session: (session["id"], session["file"]))
    return answer


def compare(annals, machines, at, quick, sample=1):
    """Compares everything, and returns what differs."""
    return compared(annals, machines, at, quick, sample).differences


def compared(annals, machines, at, quick, sample=1):
    """Compares everything. Both sides of a question are asked at once, so their times are those of a busy machine."""
    both = Comparison(annals, machines, at)
    for by in BY:
        both.ask("usage", ["usage", "--by", by, "--tz", "UTC"], machines)
    both.ask("usage", ["usage", "--by", "day", "--since", "2025-06-01", "--model", "opus"], machines)
    both.ask("stats", ["stats", "--tz", "UTC", "--limit", "50"], machines)
    both.ask("ls", ["ls", "--all"], machines, settle=by_id)
    for machine in machines:
        scope = ("--machine", machine.id)
        listed = annals.json("ls", "--all", "--config-dir", machine.redacted)["sessions"]
        for session in listed[:3] if quick else listed[::sample]:
            for form in ("messages", "usage") if quick else ("messages", "records", "turns", "tools", "agents", "tree", "usage", "counts"):
                both.ask("show", ["show", session["id"], "--as", form], [machine], scope, lambda answer: without_marks_of_lost_outputs(answer, machine) if form == "messages" else answer)
        for query in QUERIES[machine.at::9] if quick else QUERIES:
            both.ask("search", ["search", query, "--limit", "1000"], [machine], scope, same_order)
        for query in QUERIES[machine.at::20]:
            both.ask("search --context", ["search", query, "--limit", "1000", "--context", "2"], [machine], scope, same_order)
    counts = ", ".join(f"{count} {kind}" for kind, count in both.counts.items())
    print(f"compared {counts}; {len(both.differences)} differ")
    return both
