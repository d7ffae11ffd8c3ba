"""'locant model' of a build, run on arrays."""
import json
import os
import subprocess
import tempfile

import numpy as np

OPTIONS = {"ids": "-i", "mask": "--mask", "types": "--types",
           "decoder_ids": "--decoder-ids", "pixels": "--pixels", "grid": "--grid",
           "positions": "--positions"}


class Command:
    def __init__(self, build):
        self.locant = os.path.join(build, "locant")

    def knows(self, verb, option=""):
        """Whether the help of a verb can be had and names an option."""
        if not os.path.exists(self.locant):
            return False
        done = subprocess.run([self.locant, "model", verb, "--help"],
                              capture_output=True, text=True, check=False)
        return done.returncode == 0 and option in done.stdout

    def run(self, verb, folder, given, *options):
        """The array that a verb writes."""
        with tempfile.TemporaryDirectory() as work:
            line = [self.locant, "model", verb, folder]
            for name, value in given.items():
                path = os.path.join(work, name + ".npy")
                np.save(path, value)
                line += [OPTIONS[name], path]
            out = os.path.join(work, "out.npy")
            done = subprocess.run(
                [*line, *map(str, options), "-o", out], capture_output=True,
                text=True, check=False)
            self.check(done)
            return np.load(out)

    def findings(self, model):
        """{id: sentence} of the checks that fire on a model."""
        done = subprocess.run([self.locant, "model", "check", model, "--json"],
                              capture_output=True, text=True, check=False)
        if done.returncode > 1:
            self.check(done)
        return {f["id"]: f["sentence"] for f in json.loads(done.stdout)}

    @staticmethod
    def check(done):
        if done.returncode != 0:
            raise RuntimeError(f"exit {done.returncode}: "
                               f"{done.stderr.strip()}")

    def make(self, verb, folder, out, *options, refuses=False):
        """Whether a verb writes a folder of the same function; refuses: no
        failure if it says that it cannot (exit 3), or where they differ."""
        done = subprocess.run(
            [self.locant, "model", verb, folder, *options, "-o", out],
            capture_output=True, text=True, check=False)
        if refuses and done.returncode == 3:
            return False
        self.check(done)
        return not (refuses and "its positions differ" in done.stderr)
