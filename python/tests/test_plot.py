"""Figures as data and as matplotlib axes; callbacks."""
import ctypes
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import locant
import numpy as np
from locant import _c, _c_lab, _c_report, plot
from locant._library import Callback, lab, lib, make

try:
    lab()
    LAB = True
except locant.Error:
    LAB = False
MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None

# An encoding of each door, and others for figures that only some have.
DOORS = {"input": "sinusoidal", "rotate": "rope", "score": "t5",
         "content": "shaw", "any": "alibi"}
OF = {"buckets": "t5", "head-slopes": "alibi", "grid": "rope2d",
      "positions": "randomized(length=512)",
      "temperature": "temperature", "mask": "window(size=8)",
      "mask-last": "longlora(group=8)", "terms": "transformer-xl"}


def everything():
    """(name, encoding) of every figure of encodings."""
    for i in range(len(plot.names())):
        info = lab().locant_figure_at(i).contents
        name, of = info.name.decode(), info.of.decode()
        if of not in ("runs", "report") and name != "bias-initial":  # which is of a run
            yield name, OF.get(name) or DOORS[of]


@unittest.skipUnless(LAB, "this build has no lab")
class Data(unittest.TestCase):
    def test_every_figure_of_encodings(self):
        kinds = set()
        for name, of in everything():
            with self.subTest(name):
                found = plot.figures(name, of)
                self.assertTrue(found)
                for f in found:
                    self.assertEqual(f.name, name)
                    self.assertTrue(f.title and f.alt)
                    self.assertTrue(f.cells is not None or f.series)
                    kinds.add(f.kind)
        self.assertLess({_c_report.FigureKind.CURVES,
                         _c_report.FigureKind.HEATMAP}, kinds | {None})

    def test_numbers_are_those_of_the_library(self):
        (f,) = plot.figures("table", "sinusoidal", length=16, width=8)
        np.testing.assert_array_equal(
            f.cells, locant.table("sinusoidal", 16, 8, dtype=np.float64))
        (f,) = plot.figures("wavelengths", "rope(base=100)", width=32, heads=4)
        # 2 pi base^(2c/D), of frequencies rounded to float32
        np.testing.assert_allclose(
            f.series[0].x, 2 * np.pi * 100.0 ** (np.arange(4) / 4), rtol=2.0 ** -23)

    def test_refusals(self):
        with self.assertRaisesRegex(locant.Error, "no_such"):
            plot.figures("no_such", "rope")
        with self.assertRaises(locant.Error):
            plot.figures("bias", "rope")
        with self.assertRaises(AttributeError):
            plot.no_such

    def test_pictures_for_jupyter(self):
        for spec in [*DOORS.values(), *OF.values()]:
            picture = locant.Encoding(spec)._repr_svg_()
            self.assertTrue(picture.lstrip().startswith("<?xml") and
                            "</svg>" in picture, spec)


class Callbacks(unittest.TestCase):
    def test_an_exception_comes_out_of_the_call(self):
        def fail(*_):
            raise KeyError("from a callback")

        with self.assertRaisesRegex(KeyError, "from a callback"):
            with Callback(_c.Task, fail) as task:
                lib.locant_parallel_for(64, task, None)
        # and the library goes on
        seen = []
        with Callback(_c.Task, lambda _, n, slot: seen.append(n)) as task:
            lib.locant_parallel_for(64, task, None)
        self.assertEqual(sorted(seen), list(range(64)))

    def test_from_the_threads_of_the_library(self):
        locant.set_threads(4)
        meet = threading.Barrier(2)
        try:
            with Callback(_c.Task, lambda *_: meet.wait(60) * 0) as task:
                lib.locant_parallel_for(2, task, None)
        finally:
            locant.set_threads(0)
        self.assertFalse(meet.broken)

    @unittest.skipUnless(LAB, "this build has no lab")
    def test_stops_what_called_it(self):
        calls = []

        def fail(*_):
            calls.append(1)
            raise ZeroDivisionError

        # two kinds of layers: two figures, the second of which is not taken
        of = locant.Encoding("layers(local=rope,global=none,period=2)")
        with self.assertRaises(ZeroDivisionError):
            plot._visit("attention", of, fail, (), {})
        self.assertEqual(len(calls), 1)


@unittest.skipUnless(LAB, "this build has no lab")
class Runs(unittest.TestCase):
    def train(self, store, progress):
        """A run of one step on generated text, its progress watched."""
        corpus, run = ctypes.c_void_p(), ctypes.c_int64()
        lab().locant_corpus_create(corpus, make(
            _c_lab.CorpusOptions, kind=_c_lab.CorpusKind.GENERATED,
            max_bytes=1 << 17))
        try:
            with Callback(_c_lab.ProgressFn, progress) as watch:
                lab().locant_train(run, store, corpus, make(
                    _c_lab.TrainOptions, layers=1, width=16, heads=2, ff=16,
                    batch=1, length=16, steps=1, progress=watch))
        finally:
            lab().locant_corpus_free(corpus)
        return run.value

    def test_a_store_and_an_exception_while_training(self):
        def fail(progress, _):
            seen.append(progress.contents.phase)
            raise InterruptedError

        seen, store = [], ctypes.c_void_p()
        with tempfile.TemporaryDirectory() as folder:
            lab().locant_store_open(store, os.fsencode(folder))
            with self.assertRaises(InterruptedError):
                self.train(store, fail)
            self.assertEqual(set(seen), {b"train"})
            run = self.train(store, lambda *_: 0)
            lab().locant_store_close(store)
            (f,) = plot.figures("training", folder)
            (g,) = plot.figures("training", folder, runs=[run])
        self.assertEqual(len(f.series), 1)
        np.testing.assert_array_equal(f.series[0].y, g.series[0].y)

    def train_task(self, store):
        """T1 of one step, scored at two lengths."""
        o, run = make(_c_lab.TrainOptions), ctypes.c_int64()
        lab().locant_task_options(ctypes.byref(o), b"T1")
        o.encoding, o.layers, o.width, o.heads = b"alibi", 1, 16, 2
        o.ff, o.batch, o.steps = 16, 1, 1
        lab().locant_train(run, store, None, o)
        lengths = (ctypes.c_int64 * 2)(128, 256)
        with Callback(_c_report.TaskVisitor, lambda *_: 0) as visit:
            lab().locant_task_evaluate(store, run.value, make(
                _c_report.TaskEvalOptions, items=11, lengths=lengths,
                n_lengths=2), visit, None)

    def test_figures_of_tasks_and_of_text(self):
        store = ctypes.c_void_p()
        with tempfile.TemporaryDirectory() as folder:
            lab().locant_store_open(store, os.fsencode(folder))
            self.train(store, lambda *_: 0)
            self.train_task(store)
            lab().locant_store_close(store)
            (text,) = plot.figures("training", folder)
            scores = plot.figures("task-scores", folder)
            (at,) = plot.figures("task-places", folder, length=256)
        self.assertNotEqual(text.series[0].label, "alibi")
        self.assertEqual([f.title for f in scores],
                         ["T1, length 128, items=11",
                          "T1, length 256, items=11"])
        self.assertEqual(at.row_names, ("alibi",))
        self.assertLessEqual(set(at.col_names), {str(2 ** k) for k in range(7)})
        self.assertEqual((at.y_range, at.cells.shape),
                         ((0, 1), (1, len(at.col_names))))


@unittest.skipUnless(LAB and MATPLOTLIB, "no matplotlib")
class Axes(unittest.TestCase):
    def setUp(self):
        import matplotlib
        matplotlib.use("Agg")

    def tearDown(self):
        from matplotlib import pyplot
        pyplot.close("all")

    def test_every_figure_is_drawn(self):
        from matplotlib import pyplot
        for name, of in everything():
            with self.subTest(name):
                drawn = getattr(plot, name.replace("-", "_"))(of)
                for ax in drawn if isinstance(drawn, list) else [drawn]:
                    self.assertTrue(ax.get_title())
                    self.assertTrue(ax.lines or ax.images or ax.patches)
                    pyplot.close(ax.figure)

    def test_what_is_drawn_is_the_data(self):
        (f,) = plot.figures("bias", "alibi")
        ax = plot.bias("alibi")
        for line, s in zip(ax.lines, f.series):
            np.testing.assert_array_equal(line.get_ydata(), s.y)
        (f,) = plot.figures("similarity", "sinusoidal")
        ax = plot.similarity("sinusoidal")
        np.testing.assert_array_equal(ax.images[0].get_array(), f.cells)

    def test_given_axes_are_used(self):
        from matplotlib import pyplot
        ax = pyplot.subplots()[1]
        self.assertIs(plot.bias("alibi", ax), ax)

    def test_every_kind(self):
        y = np.array([1.0, 2.0, 4.0])
        for kind in _c_report.FigureKind:
            s = plot.Series("a", y, y, y - 1, y + 1, 1, True, -1)
            ax = plot.draw(plot.Figure(
                "x", kind, "title", "x", "y", "", "", (s, s), ((2.0, "m"),),
                kind == _c_report.FigureKind.CURVES, (0.0, 5.0),
                np.outer(y, y), True, True, 0, 1, 0, 1))
            self.assertEqual(ax.get_title(), "title")


@unittest.skipUnless(LAB and not MATPLOTLIB, "matplotlib is there")
class WithoutMatplotlib(unittest.TestCase):
    def test_one_sentence(self):
        with self.assertRaisesRegex(ImportError, "^locant.plot needs "
                                    "matplotlib, which cannot be imported"):
            plot.bias("alibi")


@unittest.skipUnless(LAB, "this build has no lab")
class Import(unittest.TestCase):
    def test_matplotlib_only_when_drawing(self):
        code = ("import sys, locant; locant.plot.figures('bias', 'alibi'); "
                "assert 'matplotlib' not in sys.modules")
        subprocess.run([sys.executable, "-c", code], check=True)
