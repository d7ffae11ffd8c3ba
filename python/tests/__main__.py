"""Run the tests of the Python package against a build.

usage: python3 python/tests BUILD [NAME...]     NAME: test_doors, ..

Tests of missing packages are skipped, with a message.  The last line is
"N passed, N failed".
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Result(unittest.TextTestResult):
    """Collects skipped tests by reason, and counts those that passed."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main(build, names):
    os.environ["LOCANT_LIBRARY"] = os.path.abspath(build)
    folder = os.path.dirname(HERE)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = folder + (f":{before}" if before else "")
    sys.path[:0] = [folder, HERE]
    loader = unittest.defaultTestLoader
    suite = (loader.loadTestsFromNames(names) if names
             else loader.discover(HERE, top_level_dir=HERE))
    done = unittest.TextTestRunner(resultclass=Result).run(suite)
    for reason in sorted({reason for _, reason in done.skipped}):
        print(f"skipped: {reason}")
    bad = len(done.failures) + len(done.errors) + \
        len(done.unexpectedSuccesses)
    print(f"{done.passed} passed, {bad} failed")
    return 1 if bad or not done.passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
