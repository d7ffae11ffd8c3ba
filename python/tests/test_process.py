"""Effects on the process: fork, signals, threads, exit.

Each case that forks, is interrupted or ends early runs in its own process,
so that its failures show.
"""
import os
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import locant
import numpy as np

LONG = """
import locant, numpy as np
r = np.random.default_rng(0)
q = r.standard_normal((1, 2, {tokens}, 32)).astype(np.float32)
def work():
    return locant.attention(q, q, q, "rope", causal=True)
"""


def run(code, tokens=64, **options):
    """Run code in a fresh interpreter: (status, stdout, stderr)."""
    program = LONG.format(tokens=tokens) + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", program], text=True,
                          capture_output=True, timeout=600, **options)
    return done.returncode, done.stdout, done.stderr


class Case(unittest.TestCase):
    def ends_well(self, code, tokens, printed=""):
        """The code prints this, nothing to stderr, and exits with 0."""
        self.assertEqual(run(code, tokens), (0, printed, ""))


class Import(unittest.TestCase):
    def test_changes_nothing_and_prints_nothing(self):
        for what in ("liblocant", "liblocant_lab"):
            with self.subTest(what):
                self.unchanged(what)

    def unchanged(self, what):
        code = """
        import ctypes, locale, signal, sys, threading
        import numpy
        tiny = numpy.array([5e-324, 1e-310])
        libm = ctypes.CDLL(None)
        def state():
            handlers = [signal.getsignal(s) for s in signal.valid_signals()]
            return (handlers, locale.setlocale(locale.LC_ALL),
                    libm.fegetround(), (tiny * 1.5).tolist(),
                    (numpy.float32(1e-45) * numpy.float32(1)).item(),
                    threading.active_count())
        before = state()
        import locant
        locant.rotate(numpy.ones((2, 4)), "rope")
        if sys.argv[1] == "liblocant_lab":
            try:
                locant._library.lab()
            except locant.Error:
                pass  # not in this build
        assert state() == before, (state(), before)
        for name in ("torch", "transformers", "matplotlib"):
            assert name not in sys.modules, name
        """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(code),
                               what], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))

    def test_without_a_library_is_one_sentence(self):
        environment = dict(os.environ, LOCANT_LIBRARY=os.path.dirname(__file__))
        status, out, error = run("", env=environment)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("ImportError: locant: no liblocant", error)
        self.assertIn("set LOCANT_LIBRARY to the folder of a build", error)


class Threads(unittest.TestCase):
    def test_other_threads_run_during_a_call(self):
        q = np.random.default_rng(0).standard_normal((1, 2, 3000, 32))
        done, steps = threading.Event(), []

        def count():
            while not done.is_set():
                steps.append(time.perf_counter())
                time.sleep(0)

        other = threading.Thread(target=count)
        other.start()
        while not steps:
            time.sleep(0.001)
        start = time.perf_counter()
        locant.attention(q, q, q)
        end = time.perf_counter()
        done.set()
        other.join()
        # With the GIL held the other thread could not step inside the call.
        inside = sum(start < t < end for t in steps)
        self.assertGreater(inside, 2, f"{end - start} s")

    def test_many_threads_get_the_same_bits(self):
        x = np.random.default_rng(0).standard_normal((4, 64, 32))
        wanted = [locant.rotate(x, "rope", offset=n) for n in range(8)]
        wrong = []

        def work(n):
            for _ in range(50):
                e = locant.Encoding("rope")
                if (locant.rotate(x, e, offset=n) != wanted[n]).any():
                    wrong.append(n)
                try:
                    locant.Encoding(f"no{n}such")
                except locant.Error as error:
                    if f"'no{n}such'" not in str(error):
                        wrong.append(str(error))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


@unittest.skipUnless(hasattr(os, "fork"), "no fork")
class Processes(Case):
    def test_fork_after_use(self):
        self.ends_well("""
        import os
        locant.set_threads(2)
        before = work()
        child = os.fork()
        if child == 0:
            same = (work() == before).all()
            os._exit(0 if same else 7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert (work() == before).all()
        """, 300)

    def test_fork_while_a_thread_works(self):
        status, out, error = run("""
        import os, threading
        locant.set_threads(2)
        before = work()
        thread = threading.Thread(target=work)
        thread.start()
        child = os.fork()
        if child == 0:
            os._exit(0 if (work() == before).all() else 7)
        thread.join()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """, 1500)
        self.assertEqual((status, out), (0, ""), error)

    def test_exit_while_a_thread_works(self):
        self.ends_well("""
        import threading
        started = threading.Event()
        def loop():
            started.set()
            while True:
                work()
        threading.Thread(target=loop, daemon=True).start()
        started.wait()
        work()
        """, 1000)

    def test_ctrl_c_stops_a_long_call(self):
        self.ends_well("""
        import os, signal, threading
        # a job in the background begins with Ctrl-C ignored
        signal.signal(signal.SIGINT, signal.default_int_handler)
        small = q[:, :, :64]
        before = locant.attention(small, small, small, "rope")
        def press():
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            press()
            work()  # minutes
            print("not stopped")
        except KeyboardInterrupt:
            print("stopped")
        assert (locant.attention(small, small, small, "rope")
                == before).all()
        # a handler that raises nothing still ends the call
        signal.signal(signal.SIGINT, lambda *_: print("handled"))
        try:
            press()
            work()
        except locant.Error as error:
            print(error.status.name)
        # one that ignores it does not
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        press()
        locant.attention(small, small, small, "rope")
        """, 1 << 18, "stopped\nhandled\nERR_INTERRUPTED\n")

    def test_exit_during_a_long_call(self):
        self.ends_well("""
        import threading, time
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        """, 1 << 18)
