"""The client reads sessions that it did not write: what reaches the API is the history that was meant."""
import os

import sessions
from bench import Failed, file_of, read

PROMPT = "And what next?"
ASKED = [{"role": "user", "content": PROMPT}]


def resumed(bench, fill):
    session = bench.session(fill)
    done = bench.ask("--resume", session.id, prompt=PROMPT)
    bench.expect(session.history + ASKED, bench.sent(done, PROMPT), "resume")


def case_resume_prompts_and_pictures(bench):
    resumed(bench, sessions.talk)


def case_resume_neighbouring_prompts(bench):
    resumed(bench, sessions.neighbours)


def case_resume_thinking(bench):
    resumed(bench, sessions.thinking)


def case_resume_parallel_tools(bench):
    resumed(bench, sessions.tools)


def case_resume_after_a_compaction(bench):
    resumed(bench, sessions.compaction)


def case_resume_among_side_records(bench):
    resumed(bench, sessions.side_records)


def case_continue_takes_the_newest(bench):
    bench.session(sessions.talk, hours_ago=9.0)
    newest = bench.session(sessions.everything)
    bench.session(sessions.tools, hours_ago=5.0)
    done = bench.ask("--continue", prompt=PROMPT)
    if done.session != newest.id:
        raise Failed(f"it went on with {done.session}, not {newest.id}")
    bench.expect(newest.history + ASKED, bench.sent(done, PROMPT), "continue")


def case_fork_leaves_the_original(bench):
    session = bench.session(sessions.everything)
    before = read(session.path(bench.config))
    done = bench.ask("--resume", session.id, "--fork-session", prompt=PROMPT)
    bench.expect(session.history + ASKED, bench.sent(done, PROMPT), "fork")
    if done.session in (None, session.id) or not os.path.isfile(file_of(bench, done.session)):
        raise Failed(f"no file of its own: {done.session}")
    if read(session.path(bench.config)) != before:
        raise Failed("the original changed")
