"""The bench on which a case works: a fresh config dir and work folder, one client, the annals binary, the scripted API."""
import functools
import json
import os
import subprocess
import traceback
import urllib.error
import urllib.request

import client
import normal
import sessions


class Failed(Exception):
    """A case that does not hold; the text says how."""


@functools.lru_cache(maxsize=None)
def signed(api, option, words):
    return subprocess.run([api, option, words], capture_output=True, text=True, check=True).stdout.strip()


# This client leaves no other trace than the time of the file: a writer that follows it must wait until that is no longer fresh.
LEAVES_NO_TRACE = "2.0.76"


class Bench:
    """What a case is given."""

    def __init__(self, version, model, command, api, annals, top, whole=False, session_word=""):
        self.version, self.model, self.command, self.api, self.annals = version, model, command, api, annals
        self.config, self.workdir = os.path.join(top, "config"), os.path.join(top, "work")
        # Whether all real sessions are wanted, or those with a word in their label; and what a case has to say of itself.
        self.whole, self.session_word, self.said = whole, session_word, ""
        self.patience = ["--wait", "10"] if version == LEAVES_NO_TRACE else []
        os.makedirs(self.config)
        os.makedirs(self.workdir)

    def thinking(self, words):
        """A thinking block as the scripted API signs it."""
        return {"type": "thinking", "thinking": words, "signature": signed(self.api, "--sign", words)}

    def redacted(self, words):
        return {"type": "redacted_thinking", "data": signed(self.api, "--redact", words)}

    def session(self, fill, name=None, hours_ago=1.0):
        """A session in the config dir, filled by one of the functions of sessions.py."""
        made = sessions.Session(name or fill.__name__, self.version, self.model, self.workdir, hours_ago)
        fill(made, self)
        made.write(self.config)
        return made

    def run(self, *arguments, prompt, script=None):
        """One run of the client, whatever comes of it."""
        words = ["-p", *arguments, prompt, "--model", self.model, "--output-format", "json"]
        return client.run(self.command, self.api, self.config, self.workdir, words, script)

    def ask(self, *arguments, prompt, script=None):
        """One run of the client that must go well: no rule broken, an answer, exit 0."""
        done = self.run(*arguments, prompt=prompt, script=script)
        if done.violations:
            raise Failed("the API would refuse it: " + "; ".join(sorted(set(done.violations))))
        if done.code or done.result.get("is_error") is not False:
            raise Failed(done.explain())
        return done

    def sent(self, done, prompt):
        """The messages of the first request that carries the prompt."""
        for body in done.conversations:
            if prompt in json.dumps(body["messages"][-3:], ensure_ascii=False):
                return body["messages"]
        raise Failed("no request carries the prompt: " + done.explain())

    def expect(self, want, got, what):
        if found := normal.difference(want, got):
            raise Failed(f"{what}: {found}")

    def would_send(self, path):
        """What annals says that this client would send of a file."""
        return self.annals.json("show", path, "--as", "api", "--client", self.version)["messages"]

    def post(self, body):
        """One request to the API from here: its status and the rules that it breaks."""
        log = os.path.join(self.config, "posted")
        with subprocess.Popen([self.api, "--log", log], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as api:
            url = api.stdout.readline().decode().strip()
            headers = {"anthropic-version": "2023-06-01", "x-api-key": "dummy-key", "content-type": "application/json"}
            request = urllib.request.Request(url + "/v1/messages", json.dumps(body).encode(), headers)
            try:
                with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
                    status = answer.status
            except urllib.error.HTTPError as error:
                status = error.code
            api.stdin.close()
        with open(os.path.join(log, "000.json"), encoding="utf-8") as file:
            return status, [broken["rule"] for broken in json.load(file)["violations"]]


def judge(function, bench):
    """What is wrong with a case; None where it holds."""
    try:
        function(bench)
    except Failed as fault:
        return str(fault)
    except Exception:  # a case that breaks down has not held
        return traceback.format_exc()
    return None


def file_of(bench, session_id):
    """Where the client keeps a session."""
    return os.path.join(bench.config, "projects", client.slug(bench.workdir), session_id + ".jsonl")


def read(path):
    with open(path, "rb") as file:
        return file.read()
