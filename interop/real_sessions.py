"""Which real sessions operations are tried on, and how one of them gets into a home.

The choice is fixed by the corpus alone ($ANNALS_CORPUS, else ../shared/corpus): of every release that wrote one of its sessions the
smallest with two turns and a few replies, else with a few replies, else with any. That is 42 sessions, from 1.0.17 to 2.1.219.
"""
import functools
import os
import re
import shutil
import time

from bench import file_of, read
from common import find_shared

NAME = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl")
VERSION = re.compile(rb'"version":"(\d+)\.(\d+)\.(\d+)')
FEW_REPLIES = 3
AN_HOUR = 3_600


class Real:
    """A session of the corpus."""

    def __init__(self, path):
        self.path, self.id = path, os.path.basename(path).removesuffix(".jsonl")
        self.bytes = read(path)
        versions = VERSION.findall(self.bytes)
        self.version = tuple(map(int, versions[-1])) if versions else None

    @property
    def replies(self):
        return self.bytes.count(b'"type":"assistant"')

    @property
    def label(self):
        return f"{'.'.join(map(str, self.version))} {self.id[:8]}"

    def put(self, bench):
        """Writes it into the project of the work folder, as it is in the corpus, with what lies in its folder; the path."""
        path = file_of(bench, self.id)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(self.bytes)
        settle(path)
        folder, own = self.path.removesuffix(".jsonl"), path.removesuffix(".jsonl")
        if os.path.isdir(folder) and not os.path.isdir(own):
            shutil.copytree(folder, own, copy_function=shutil.copyfile)
        return path


def settle(path):
    """A file that was just written looks as if a client were at it; one that is a month old, a client deletes when it starts."""
    before = time.time() - AN_HOUR
    os.utime(path, (before, before))


def all_real():
    """Every session of the corpus in which a model said something, in the order of the releases and sizes."""
    corpus = find_shared("corpus", "ANNALS_CORPUS")
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(corpus or os.devnull) for name in names if NAME.fullmatch(name)]
    found = [real for real in map(Real, paths) if real.version and real.replies]
    return sorted(found, key=lambda real: (real.version, len(real.bytes), real.path))


@functools.lru_cache(maxsize=None)
def chosen(annals):
    """The choice, in the order of the releases."""
    releases = {}
    for real in all_real():
        releases.setdefault(real.version, []).append(real)
    talks = lambda real: real.replies >= FEW_REPLIES
    has_turns = lambda real: len(annals.json("show", real.path, "--as", "turns")["turns"]) > 1
    first = lambda found, *wishes: next((real for real in found if all(wish(real) for wish in wishes)), None)
    return [first(found, talks, has_turns) or first(found, talks) or found[-1] for found in releases.values()]
