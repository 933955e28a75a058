"""Operations that take a session away and bring it back where it was: each is given the session in its place, and leaves it there.

`answer` asks annals and gives its JSON; a refusal with a reason sets the session apart (cases/surgery_over_corpus.py).
"""
import os
import re
import shutil
import uuid

import client
from bench import Failed, read


class NotHere(Exception):
    """There is no such journey for this session; the text says why."""


def trash_and_restore(bench, answer, path, turns):
    """To the trash, and back."""
    before = read(path)
    answer("trash", path, "--yes")
    if os.path.exists(path):
        raise Failed("it is still there")
    answer("restore", session_of(path), "--yes")
    if read(path) != before:
        raise Failed("it came back as something else")


def archive_and_restore(bench, answer, path, turns):
    """Into the vault; the client deletes it, with its folder; and back."""
    before = read(path)
    answer("archive", path)
    os.remove(path)
    shutil.rmtree(path.removesuffix(".jsonl"), ignore_errors=True)
    answer("restore", session_of(path), "--yes")
    if read(path) != before:
        raise Failed("it came back as something else")


def bundle_and_import(bench, answer, path, turns):
    """Into a bundle, to the trash, and back from the bundle."""
    before, bundle = read(path), bench.workdir + ".bundle"
    answer("export", path, "--as", "bundle", "--to", bundle, "--force")
    answer("trash", path, "--yes")
    answer("import", bundle, "--yes")
    if read(path) != before:
        raise Failed("it came back as something else")


def move_here(bench, answer, path, turns):
    """It lies where its records say that it was, and that folder was moved here."""
    cwd = next((found.decode() for found in re.findall(rb'"cwd":"(/[^"\\]+)"', read(path))), None)
    if cwd is None or client.slug(cwd) == client.slug(bench.workdir):
        raise NotHere("no folder that it could come from")
    old = os.path.join(bench.config, "projects", client.slug(cwd))
    os.makedirs(old, exist_ok=True)
    for name in (path, path.removesuffix(".jsonl")):
        if os.path.exists(name):
            shutil.rmtree(os.path.join(old, os.path.basename(name)), ignore_errors=True)
            os.rename(name, os.path.join(old, os.path.basename(name)))
    answer("move-project", cwd, bench.workdir, "--yes")
    if not os.path.exists(path):
        raise Failed("it is not here")
    if b'"cwd":"' + cwd.encode() + b'"' in read(path):
        raise Failed("a line still names the old folder")


def cut_and_merge(bench, answer, path, turns):
    """Cut before the prompt in its middle, under two ids, and made one again."""
    lines, first = read(path).splitlines(keepends=True), session_of(path)
    prompts = [turn["promptUuid"] for turn in turns]
    if len(prompts) < 2:
        raise NotHere("it has too few turns")
    start = next(at for at, line in enumerate(lines) if f'"uuid":"{prompts[len(prompts) // 2]}"'.encode() in line.replace(b'": "', b'":"'))
    second = str(uuid.uuid5(uuid.NAMESPACE_URL, first))
    other = os.path.join(os.path.dirname(path), second + ".jsonl")
    age = os.stat(path)
    with open(path, "wb") as file:
        file.write(b"".join(lines[:start]))
    with open(other, "wb") as file:
        file.write(re.sub(rb'"sessionId":\s*"[^"]*"', b'"sessionId":"' + second.encode() + b'"', b"".join(lines[start:])))
    for name in (path, other):
        os.utime(name, (age.st_atime, age.st_mtime))
    answer("merge", path, other, "--anyway", "--yes")
    if os.path.exists(other):
        raise Failed("the second half is still there")


def session_of(path):
    return os.path.basename(path).removesuffix(".jsonl")
