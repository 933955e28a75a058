"""A browser for tests: chromium through chromedriver, spoken to over plain HTTP. Installs what is missing where it may."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from common import cache, locked, skip

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Escape": "\ue00c", "Tab": "\ue004", "Enter": "\ue007"}


def programs():
    """chromium and chromedriver; installed by apt where that is possible, else the step is skipped."""
    found = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if not all(found) and shutil.which("apt-get") and os.geteuid() == 0:
        print("installing chromium and chromedriver (Debian)", flush=True)
        packages = ["chromium", "chromium-driver", "fonts-dejavu-core"]
        subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if not all(found):
        skip("no chromium and chromedriver, and they cannot be installed here (Debian: apt install chromium chromium-driver)")
    return found


def axe_core():
    """The text of axe-core, from npm; None where npm cannot get it."""
    folder = cache("axe-core")
    path = os.path.join(folder, "node_modules", "axe-core", "axe.min.js")
    with locked(folder):
        if not os.path.isfile(path) and shutil.which("npm"):
            command = ["npm", "install", "--silent", "--no-save", "--ignore-scripts", "--prefix", folder, "axe-core@4"]
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=90)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


class Browser:
    """One window of a browser."""

    def __init__(self, width=1200, height=900, dark=False):
        chromium, driver = programs()
        self.home = tempfile.mkdtemp(prefix="annals-browser-")
        environment = {"PATH": os.environ["PATH"], "HOME": self.home, "LANG": "C.UTF-8"}
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        self.port = None
        for line in self.process.stdout:
            if match := re.search(r"successfully on port (\d+)", line):
                self.port = int(match.group(1))
                break
        options = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}", "--hide-scrollbars",
                   "--disable-background-networking", "--no-first-run", f"--user-data-dir={self.home}/profile",
                   # A request to anywhere else would be seen, and would not get there.
                   "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
        options += ["--no-sandbox"] if os.geteuid() == 0 else []
        options += ["--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"binary": chromium, "args": options},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = None
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        self.call("POST", "/timeouts", {"script": 30000, "pageLoad": 60000})

    def call(self, method, path, body=None):
        path = path if self.session is None else f"/session/{self.session}{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].splitlines()[0]) from None

    def open(self, address):
        self.call("POST", "/url", {"url": address})
        # Until a page has been painted the browser throws keys away.
        self.run_async("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))")

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        return self.call("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=10, what=None):
        """Waits until a script returns something."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.run("return " + script, *arguments):
                return value
            time.sleep(0.05)
        raise AssertionError(f"did not happen within {seconds} s: {what or script}")

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.call("POST", f"/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def text(self):
        return self.run("return document.body.innerText")

    def size(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def complaints(self):
        """What the console has, without what a page says on purpose."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """Addresses that were asked for since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.call("POST", "/se/log", {"type": "performance"})]
        return [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(10)
            shutil.rmtree(self.home, ignore_errors=True)
