"""positions, rerotate, resize and graph against their formulas and each
other."""
import unittest

import locant
import numpy as np
from locant import positions as p


class Ids(unittest.TestCase):
    def test_padding_and_packing(self):
        mask = [[0, 0, 1, 1, 1], [1, 1, 1, 1, 0]]
        np.testing.assert_array_equal(p.from_mask(mask, pad=1),
                                      [[1, 1, 0, 1, 2], [0, 1, 2, 3, 1]])
        np.testing.assert_array_equal(
            p.from_tokens(np.array([[5, 7, 1]], np.int32), 1, first=2, pad=1),
            [[2, 3, 1]])
        at, documents = p.from_lengths([2, 3], 6)
        np.testing.assert_array_equal(at, [0, 1, 0, 1, 2, 0])
        np.testing.assert_array_equal(documents, [0, 0, 1, 1, 1, -1])
        with self.assertRaisesRegex(locant.Error, r"lengths\[1\] is -1"):
            p.from_lengths([2, -1])
        for one, two in zip(p.from_lengths([2, 3]), p.from_offsets([0, 2, 5])):
            np.testing.assert_array_equal(one, two)
        found, packed = p.packing(at[None])
        np.testing.assert_array_equal(found, [[0, 0, 1, 1, 1, 2]])
        self.assertIs(packed, True)

    def test_grids(self):
        np.testing.assert_array_equal(
            p.grid(2, 2, prefix=1), [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]])
        np.testing.assert_array_equal(p.grid(1, 2, 2)[:, 0], [0, 0, 1, 1])
        np.testing.assert_allclose(p.grid(2, 3, kind="longer")[:, 0],
                                   [-2 / 3] * 3 + [0] * 3, atol=1e-16)
        x = p.grid(2, 3, kind="centres", prefix=1)
        was = x.copy()
        self.assertIs(p.augment(x, 1, shift=0.5, jitter=1.5, rescale=2,
                                prefix=1), x)
        np.testing.assert_array_equal(x[0], was[0])
        self.assertTrue((x[1:] != was[1:]).any())
        again = p.augment(was.copy(), 1, shift=0.5, jitter=1.5, rescale=2,
                          prefix=1)
        np.testing.assert_array_equal(again, x)

    def test_segments(self):
        one = [p.text(2), p.image(2, 3), p.text(1), p.image(2, 3), p.text(1)]
        ids, delta = p.mrope(one)
        np.testing.assert_array_equal(ids[:, 0],
                                      [0, 1] + [2] * 6 + [5] + [6] * 6 + [9])
        self.assertEqual(delta, -6)
        same, later = p.multimodal(one)
        np.testing.assert_array_equal(same, ids)
        self.assertEqual(later, -6)
        self.assertEqual(p.mrope([p.text(1), p.video(9, 1, 2, 1)],
                                 next="grid")[0].shape, (19, 3))
        self.assertEqual(p.mrope_interval(2, 0.5), 1)
        clip = [p.text(3), p.clip(4, 1, 2, 0.5, 4)]
        ids, _ = p.multimodal(clip, "tm", rate=2, chunk=1)
        np.testing.assert_array_equal(
            ids[3:, 0], [3, 3, 4, 4, 3, 4, 5, 5, 6, 6, 5, 6])
        ids, _ = p.multimodal([p.text(3), p.image(2, 2), p.text(2)], "xd")
        np.testing.assert_array_equal(ids[:, 1],
                                      [0, 1, 2, 0, 1, 2, 0, 1, 2, 9, 10])
        ids, later = p.multimodal([p.text(1), p.video(2, 1, 1)], "video",
                                  delta=0.5, dtype=np.float64)
        np.testing.assert_array_equal(ids[:, 0], [0, 1, 1.5])
        self.assertEqual(later, -0.5)
        self.assertEqual(p.multimodal([p.audio(2)], "tm")[0].tolist(),
                         [[0] * 3, [1] * 3])
        self.assertEqual(p.multimodal([p.frames(2, 1, 1, 1, 1)])[0].shape,
                         (6, 3))
        self.assertEqual(p.tm_audio_tokens(3000), 750)

    def test_methods(self):
        drawn = p.randomized(2, 5, 100, 7)
        self.assertTrue((np.diff(drawn) > 0).all() and drawn.max() < 100)
        np.testing.assert_array_equal(p.randomized(2, 5, 100, 7), drawn)
        np.testing.assert_array_equal(p.spaced(3, 9), [0, 4, 8])
        skips = p.pose(3, 8, 2, 64, 1) - np.arange(8)
        self.assertTrue((np.diff(skips) >= 0).all() and skips.max() <= 56)
        np.testing.assert_array_equal(p.cape(1, 3)[0], [-1, 0, 1])
        self.assertFalse((p.cape(1, 3, 1, local_shift=0.5) == p.cape(1, 3))
                         .all())
        tokens, at = p.streaming(10, 2, 3)
        np.testing.assert_array_equal(tokens, [0, 1, 7, 8, 9])
        np.testing.assert_array_equal(at, range(5))
        q, k = p.selfextend(np.arange(8)[None], 2, 4)
        np.testing.assert_array_equal(k[0], np.arange(8) // 2)
        np.testing.assert_array_equal(q[0], np.arange(8) // 2 + 2)
        np.testing.assert_array_equal(p.longlora(4, 2, "cut"),
                                      [[0, 0, 1, 1], [0, 1, 1, 2]])
        np.testing.assert_array_equal(
            p.distances([5], [0, 3, 5], "rerope", 3), [[3, 2, 0]])
        np.testing.assert_allclose(
            p.temperatures([0, 8191], scale=0.1),
            [1, 1 + 0.1 * np.log(2)], rtol=1e-15)

    def test_refusals(self):
        for call in (lambda: p.from_mask([[0, 2]]),
                     lambda: p.grid(0, 2), lambda: p.grid(2, 2, kind="x"),
                     lambda: p.mrope([3]), lambda: p.mrope([p.text(-1)]),
                     lambda: p.multimodal([p.audio(1)], "xd"),
                     lambda: p.multimodal([p.video(2, 1, 1)], "video",
                                          delta=0.5),
                     lambda: p.multimodal([p.text(1)], "none"),
                     lambda: p.pose(1, 4, 9, 8, 0),
                     lambda: p.grid(2, 2, pretrained=(1, 2)),
                     lambda: p.augment(np.ones((2, 2)), 0, jitter=0)):
            with self.assertRaises(locant.Error):
                call()


class Tables(unittest.TestCase):
    def setUp(self):
        self.r = np.random.default_rng(3)

    def test_coordinates_by_row(self):
        x = self.r.standard_normal((2, 3, 4, 16)).astype(np.float32)
        at = self.r.standard_normal((2, 4, 3)) * 9
        found = locant.rotate(x, "axes(widths=4:6:6)", at)
        for b in range(2):
            np.testing.assert_array_equal(
                found[b], locant.rotate(x[b], "axes(widths=4:6:6)", at[b]))

    def test_coordinates_by_head(self):
        spec = "axes(widths=4:6:6)"
        x, dx = self.r.standard_normal((2, 2, 3, 4, 16)).astype(np.float32)
        at = self.r.standard_normal((2, 3, 4, 3)) * 9
        found = locant.rotate(x, spec, at)
        slope = locant.coordinates_backward(dx, x, spec, by_head=True)
        self.assertEqual(slope.shape, at.shape)
        for b, h in np.ndindex(2, 3):
            np.testing.assert_array_equal(
                found[b, h], locant.rotate(x[b, h], spec, at[b, h]))
            np.testing.assert_array_equal(
                slope[b, h],
                locant.coordinates_backward(dx[b, h], x[b, h], spec))

    def test_coordinates_have_a_gradient(self):
        spec, h = "axes(widths=4:6:6,pairing=blocks)", 1e-6
        x, dy = self.r.standard_normal((2, 2, 3, 4, 16))
        at = self.r.standard_normal((2, 4, 3))
        dx, _ = locant.rotate_backward(dy, spec, at, x=x)
        found = locant.coordinates_backward(dx, x, spec, by_row=True)
        self.assertEqual(found.shape, at.shape)
        for i in np.ndindex(at.shape):
            a, b = at.copy(), at.copy()
            a[i] += h
            b[i] -= h
            slope = (dy * (locant.rotate(x, spec, a)
                           - locant.rotate(x, spec, b))).sum() / (2 * h)
            self.assertAlmostEqual(found[i], slope, delta=1e-7)
        whole = locant.coordinates_backward(dx, x, spec)
        np.testing.assert_allclose(whole, found.sum(0), atol=1e-12)
        self.assertIs(locant.coordinates_backward(dx, x, spec, out=whole),
                      whole)

    def test_cached_keys_move(self):
        x = self.r.standard_normal((2, 5, 8))
        for old, new in (("rope", "rope"), ("rope", "rope(base=500000)")):
            cached = locant.rotate(x, old, [0, 1, 2, 3, 4])
            moved = locant.rerotate(cached, old, range(5), new,
                                    [7.5, 8, 9, 2, 1])
            np.testing.assert_allclose(
                moved, locant.rotate(x, new, [7.5, 8, 9, 2, 1]), atol=1e-13)
        with self.assertRaises(locant.Error):
            locant.rerotate(x, "rope", range(5), "alibi", range(5))

    def test_real_positions_move(self):
        """Frequencies are below a turn, positions are not whole."""
        x = self.r.standard_normal((3, 8))
        cached = locant.rotate(x, "rope", [0.25, 1.5, -2.75])
        moved = locant.rerotate(cached, "rope", [0.25, 1.5, -2.75], "rope",
                                [3, 4, 5])
        np.testing.assert_allclose(moved, locant.rotate(x, "rope", [3, 4, 5]),
                                   atol=1e-13)

    def test_resize(self):
        table = self.r.standard_normal((4, 3))
        np.testing.assert_array_equal(locant.resize_1d(table, 4), table)
        ends = locant.resize_1d(table, 7, align_corners=True)
        np.testing.assert_allclose(ends[::2], table, atol=1e-15)
        np.testing.assert_array_equal(
            locant.resize_1d(table, 7, "vit"), ends)
        both = locant.resize_2d(np.concatenate([table[:1], table]), 3, 3,
                                "timm", prefix=1)
        self.assertEqual(both.shape, (10, 3))
        np.testing.assert_array_equal(both[0], table[0])
        for call in (lambda: locant.resize_1d(table, 3, "other"),
                     lambda: locant.resize_1d(table[0], 3),
                     lambda: locant.resize_2d(table, 3, 3, from_rows=3,
                                              from_columns=3)):
            with self.assertRaises(locant.Error):
                call()

    def test_resizing_is_linear(self):
        """<dout, W table> = <W' dout, table>."""
        one, two = self.r.standard_normal((5, 2)), self.r.standard_normal((8, 2))
        back = locant.resize_1d_backward(two, 5, cubic=True)
        self.assertAlmostEqual(
            (two * locant.resize_1d(one, 8, cubic=True)).sum(),
            (back * one).sum(), delta=1e-12)
        one, two = self.r.standard_normal((7, 2)), self.r.standard_normal((13, 2))
        back = locant.resize_2d_backward(two, 3, 4, 2, 3, "hf", prefix=1)
        self.assertAlmostEqual(
            (two * locant.resize_2d(one, 3, 4, "hf", from_rows=2,
                                    from_columns=3, prefix=1)).sum(),
            (back * one).sum(), delta=1e-12)

    def test_queries_and_keys_at_once(self):
        q = self.r.standard_normal((2, 4, 5, 8)).astype(np.float32)
        k = self.r.standard_normal((2, 1, 5, 8)).astype(np.float32)
        for spec in ("rope", "xpos", "pope"):
            params = locant.Encoding(spec).init(0, heads=4, head_dim=8)
            if params:
                continue  # of heads, which q and k do not share here
            a, b = locant.rotate_qk(q, k, spec, offset=7)
            np.testing.assert_array_equal(a, locant.rotate(q, spec, offset=7))
            np.testing.assert_array_equal(
                b, locant.rotate(k, spec, offset=7, key=True))

    def test_rows_are_added(self):
        x = self.r.standard_normal((2, 5, 6)).astype(np.float32)
        table = locant.table("sinusoidal", 9, 6)
        np.testing.assert_array_equal(locant.add(x, "sinusoidal", offset=4),
                                      x + table[4:])
        learned = {"table": self.r.standard_normal((9, 6))}
        y = x.copy()
        self.assertIs(locant.add(y, "learned(length=9)", [8, 0, 1, 2, 3],
                                 params=learned, out=y), y)
        np.testing.assert_array_equal(
            y, x + learned["table"][[8, 0, 1, 2, 3]].astype(np.float32))

    def test_graph(self):
        try:
            g = locant.graph.Graph([(0, 1), (1, 2), (2, 1), (3, 3)], 4)
        except locant.Error as error:
            self.skipTest(str(error))
        self.assertEqual((g.info.edges, g.info.repeated, g.info.self_loops,
                          g.info.isolated, g.info.components), (2, 1, 1, 1, 2))
        np.testing.assert_array_equal(
            g.hops(), [[0, 1, 2, -1], [1, 0, 1, -1], [2, 1, 0, -1],
                       [-1, -1, -1, 0]])
        np.testing.assert_allclose(g.random_walk(2)[:, 1], [0.5, 1, 0.5, 0])
        try:
            values, vectors, degenerate = g.laplacian(4, "combinatorial")
        except locant.Error as error:
            self.skipTest(str(error))
        np.testing.assert_allclose(values, [0, 0, 1, 3], atol=1e-12)
        self.assertEqual(degenerate.tolist(), [1, 1, 0, 0])
        self.assertEqual(vectors.shape, (4, 4))
        for call in (lambda: locant.graph.Graph([(0, 9)], 2),
                     lambda: g.laplacian(2, "other")):
            with self.assertRaises(locant.Error):
                call()


if __name__ == "__main__":
    unittest.main()
