# SPDX-License-Identifier: GPL-2.0-only
"""Chromium without a screen, driven by ChromeDriver: W3C WebDriver, as far as tests need it
(https://www.w3.org/TR/webdriver2/)."""
import base64
import json
import re
import shutil
import subprocess
import tempfile
import urllib.request

import live

# /dev/shm is small in containers, and there is no user other than root to be put into a sandbox.
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
           "--window-size=1300,900", "--disable-extensions", "--no-first-run"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
STARTED = re.compile(r"started successfully on port (\d+)")


class Browser:
    def __init__(self):
        self.driver = shutil.which("chromedriver")
        self.chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        if not self.driver or not self.chromium:
            raise live.Skip("no chromium and chromedriver here")
        self.home, self.process, self.at = None, None, ""

    def __enter__(self):
        self.home = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.process = subprocess.Popen([self.driver, "--port=0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True,
                                        start_new_session=True)
        port = next(m[1] for m in map(STARTED.search, self.process.stdout) if m)
        self.at = f"http://127.0.0.1:{port}/session"
        wanted = {"browserName": "chrome", "unhandledPromptBehavior": "ignore",
                  "goog:chromeOptions": {"binary": self.chromium, "args":
                                         [*OPTIONS, f"--user-data-dir={self.home.name}"]},
                  "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.post("", capabilities={"alwaysMatch": wanted})
        self.at += "/" + session["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.ask(urllib.request.Request(self.at, method="DELETE"))
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.home.cleanup()

    @staticmethod
    def ask(request):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise AssertionError(json.load(e)["value"]["message"]) from e

    def post(self, path, **body):
        return self.ask(urllib.request.Request(self.at + path, json.dumps(body).encode(),
                                               {"Content-Type": "application/json"}))

    def get(self, path):
        return self.ask(self.at + path)

    def open(self, path):
        self.post("/url", url="file://" + path)

    def script(self, text, *args):
        return self.post("/execute/sync", script=text, args=list(args))

    def find(self, css):
        return self.post("/element", using="css selector", value=css)

    def click(self, element):
        """One that a script returned, or the first that a selector means."""
        element = self.find(element) if isinstance(element, str) else element
        self.post(f"/element/{element[ELEMENT]}/click")

    def type(self, css, text):
        self.post(f"/element/{self.find(css)[ELEMENT]}/value", text=text)

    def answer(self, text):
        """What a page's prompt is told."""
        self.post("/alert/text", text=text)
        self.post("/alert/accept")

    def screenshot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.get("/screenshot")))

    def complaints(self):
        """What the console said: errors of scripts, what a policy refused."""
        return [x["message"] for x in self.post("/se/log", type="browser")]
