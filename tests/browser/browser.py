"""Chromium without a window, driven over a pipe with the standard library.

The protocol: JSON messages that end with a zero byte, to descriptor 3 and from
descriptor 4 of the browser (--remote-debugging-pipe).
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
        "Escape": 27, "Enter": 13, "Tab": 9, " ": 32}
TEXT = {"Enter": "\r", " ": " "}
WATCH = """addEventListener("securitypolicyviolation", (event) =>
  (window.violations = window.violations || []).push(
    event.violatedDirective + " " + event.blockedURI));"""


def find():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Broken(Exception):
    pass


class Silent(Broken):
    """The browser does not answer."""


class Browser:
    def __init__(self, path, patience=100):
        self.patience = patience  # seconds without an answer
        self.folder = tempfile.mkdtemp(prefix="locant-browser-")
        to_child, self.to = os.pipe()
        self.out, from_child = os.pipe()
        command = [path, "--headless=new", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder}", "--no-first-run",
                   "--disable-gpu", "--disable-dev-shm-usage",
                   "--disable-background-networking", "--disable-extensions",
                   "--disable-component-update", "--disable-sync",
                   "--hide-scrollbars", "--lang=en-US", "--mute-audio"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")
        self.process = subprocess.Popen(
            ["sh", "-c", f"exec \"$@\" 3<&{to_child} 4>&{from_child}", "sh",
             *command], pass_fds=(to_child, from_child),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.rest, self.number, self.events = b"", 0, []
        self.session = self.target = None

    def close(self):
        try:
            self.send("Browser.close", root=True)
        except (Broken, OSError):
            pass
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.out)
        shutil.rmtree(self.folder, ignore_errors=True)

    # ------------------------------------------------------------ messages

    def receive(self, seconds):
        """The next message; None if none comes in time."""
        while b"\0" not in self.rest:
            if not select.select([self.out], [], [], seconds)[0]:
                return None
            chunk = os.read(self.out, 1 << 16)
            if not chunk:
                raise Broken("the browser ended")
            self.rest += chunk
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, root=False, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session and not root:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.receive(self.patience)
            if answer is None:
                raise Silent(f"{method}: no answer in {self.patience} s")
            if answer.get("id") == self.number:
                break
            if "method" in answer:
                self.events.append(answer)
        if "error" in answer:
            raise Broken(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait(self, method):
        """Until that event has come; those before it are kept."""
        seen = 0
        while True:
            for event in self.events[seen:]:
                if event["method"] == method:
                    return event["params"]
            seen = len(self.events)
            event = self.receive(self.patience)
            if event is None:
                raise Silent(f"no {method} in {self.patience} s")
            if "method" in event:
                self.events.append(event)

    def of(self, *methods):
        return [e["params"] for e in self.events if e["method"] in methods]

    # ---------------------------------------------------------------- page

    def open(self, url, width=1200, height=900, scripts=True, language="en-US",
             **media):
        """A new page, loaded: in 'seconds' by the clock, of which its thread
        worked 'work'.  media: prefers_color_scheme="dark", .."""
        self.events, self.session = [], None
        if self.target:
            self.send("Target.closeTarget", targetId=self.target)
        self.target = self.send("Target.createTarget",
                                url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", flatten=True,
                                 targetId=self.target)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.bringToFront")  # only a page in front draws frames
        self.send("Performance.enable", timeDomain="threadTicks")
        self.send("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setUserAgentOverride", userAgent="",
                  acceptLanguage=language)
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": k.replace("_", "-"), "value": v}
            for k, v in media.items()])
        if not scripts:
            self.send("Emulation.setScriptExecutionDisabled", value=True)
        else:
            self.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.events = []
        began = time.monotonic()
        self.send("Page.navigate", url=url)
        self.wait("Page.loadEventFired")
        self.seconds = time.monotonic() - began
        metrics = self.send("Performance.getMetrics")["metrics"]
        self.work = next(m["value"] for m in metrics
                         if m["name"] == "TaskDuration")

    def js(self, expression):
        """The value of an expression in the page."""
        out = self.send("Runtime.evaluate", expression=expression,
                        returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in out:
            details = out["exceptionDetails"]
            raise Broken(details.get("exception", details).get(
                "description", str(details)))
        return out["result"].get("value")

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, name, shift=False):
        for kind in ("keyDown", "keyUp"):
            typed = ({"text": TEXT[name]} if kind == "keyDown" and name in TEXT
                     else {})
            self.send("Input.dispatchKeyEvent", type=kind, key=name,
                      code="Space" if name == " " else name,
                      windowsVirtualKeyCode=KEYS[name],
                      modifiers=8 if shift else 0, **typed)

    def picture(self, path, whole=True):
        size = self.send("Page.getLayoutMetrics")["cssContentSize"]
        height = min(size["height"], 16000) if whole else 900
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height,
                "scale": 1}
        data = self.send("Page.captureScreenshot", format="png", clip=clip,
                         optimizeForSpeed=True,
                         captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path):
        data = self.send("Page.printToPDF", printBackground=False,
                         paperWidth=8.27, paperHeight=11.69)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
