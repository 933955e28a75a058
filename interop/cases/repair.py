"""Sessions are broken, `annals repair` mends them, and the client resumes what annals predicts, never less than before."""
import json
import os

import sessions
from bench import Failed, read
from round_trip import ASKED, PROMPT


def lines_of(path):
    return read(path).splitlines(keepends=True)


def write(path, lines):
    times = os.stat(path)
    with open(path, "wb") as file:
        file.write(b"".join(lines))
    # A file that was just written looks as if a client were at it.
    os.utime(path, (times.st_mtime, times.st_mtime))


def with_field(line, key, value):
    record = json.loads(line)
    record[key] = value
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def repaired(bench, fill, damage, meant=None):
    """Breaks a session, mends it, and lets the client continue it. `meant`: what must come out, where it is known."""
    session = bench.session(fill)
    path = session.path(bench.config)
    lines = lines_of(path)
    damage(lines)
    write(path, lines)
    before = bench.would_send(path)
    done = bench.annals.json("repair", path, "--yes", "--data-dir", os.path.join(bench.config, "annals-data"))
    if not done.get("undo"):
        raise Failed(f"nothing was repaired: {done}")
    predicted = bench.would_send(path)
    if len(predicted) < len(before):
        raise Failed(f"{len(before)} messages became {len(predicted)}")
    done = bench.ask("--resume", session.id, prompt=PROMPT)
    bench.expect(predicted + ASKED, bench.sent(done, PROMPT), "annals and the client")
    if meant:
        bench.expect(meant(session) + ASKED, bench.sent(done, PROMPT), "what was meant")


def whole(session):
    return session.history


def place_of(lines, word, last=False):
    found = [number for number, line in enumerate(lines) if word in line]
    return found[-1 if last else 0]


def case_a_line_that_starts_over(bench):
    def damage(lines):
        place = place_of(lines, b"What is in this picture?")
        lines[place] = with_field(lines[place], "parentUuid", None)
    repaired(bench, sessions.talk, damage, whole)


def case_missing_parents(bench):
    def damage(lines):
        for place in (place_of(lines, b"And again, with a tool."), place_of(lines, b"Two files.")):
            lines[place] = with_field(lines[place], "parentUuid", "deadbeef-0000-4000-8000-000000000000")
    repaired(bench, sessions.thinking, damage, whole)


def case_glued_lines_and_noise(bench):
    def damage(lines):
        place = place_of(lines, b"What is in this picture?")
        lines[place - 1] = lines[place - 1].rstrip(b"\n")
        lines.insert(1, b"\0" * 512 + b"\n")
        lines.append(b'{"type":"user","uuid":"torn')
    repaired(bench, sessions.talk, damage, whole)


def case_a_circle(bench):
    def damage(lines):
        lines[0] = with_field(lines[0], "parentUuid", json.loads(lines[-1])["uuid"])
    repaired(bench, sessions.talk, damage, whole)


def case_lines_before_their_parents(bench):
    def damage(lines):
        lines.insert(0, lines.pop(place_of(lines, b"What is in this picture?")))
    repaired(bench, sessions.talk, damage, whole)


def case_a_result_is_lost(bench):
    def damage(lines):
        del lines[place_of(lines, b'"content":"one"')]
    repaired(bench, sessions.tools, damage)


def case_a_call_is_lost(bench):
    def damage(lines):
        del lines[place_of(lines, b"echo two")]
    repaired(bench, sessions.tools, damage)


def case_a_reply_is_torn_behind_its_thought(bench):
    def damage(lines):
        place = place_of(lines, b"Thought about.")
        lines[place] = lines[place][:90] + b"\n"
    repaired(bench, sessions.thinking, damage)


def case_a_summary_is_lost(bench):
    def damage(lines):
        del lines[place_of(lines, b"isCompactSummary"):]
    repaired(bench, sessions.compaction, damage)


def case_many_faults_at_once(bench):
    def damage(lines):
        lines[1] = with_field(lines[1], "parentUuid", None)
        lines.insert(3, lines[2])
        place = place_of(lines, b"Three at once.")
        lines[place] = lines[place][:120]
        lines.append(b"\0\0\0")
    repaired(bench, sessions.everything, damage)
