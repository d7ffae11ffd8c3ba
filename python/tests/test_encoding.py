"""The registry, specs, parameters, errors."""
import copy
import gc
import pickle
import unittest

import locant
import numpy as np


class Registry(unittest.TestCase):
    def test_lists_what_the_library_has(self):
        found = locant.encodings()
        self.assertEqual(list(found), sorted(found))
        self.assertEqual(found["rope"].doors, ("rotate",))
        self.assertIn("2104.09864", found["rope"].source)
        base = next(k for k in found["rope"].keys if k.name == "base")
        self.assertEqual((base.kind, base.fallback), ("number", "10000"))
        self.assertIn("rope(base=500000)",
                      [v.spec for v in found["rope"].variants])
        for name, info in found.items():
            self.assertEqual(info.name, name)
            self.assertTrue(info.formula and info.source and info.keys
                            is not None)
            self.assertLess(len(repr(info)), 200)

    def test_every_variant_parses_to_itself(self):
        for info in locant.encodings().values():
            for variant in info.variants:
                e = locant.Encoding(variant.spec)
                self.assertEqual(locant.Encoding(e.spec), e)


class Encodings(unittest.TestCase):
    def test_canonical_spec_and_equality(self):
        e = locant.Encoding(" rope( base = 10000, pairing=interleaved )")
        self.assertEqual(str(e), "rope(pairing=interleaved)")
        self.assertEqual(repr(e), "Encoding('rope(pairing=interleaved)')")
        self.assertEqual(len({e, locant.Encoding(e.spec)}), 1)
        self.assertNotEqual(e, locant.Encoding("rope"))
        self.assertEqual(e.info.name, "rope")

    def test_properties(self):
        e = locant.Encoding("randomized(length=64)+alibi")
        self.assertEqual(e.doors, ("score",))
        self.assertTrue(e.chooses_positions)
        self.assertEqual(locant.Encoding("learned(length=7)").length_limit, 7)
        self.assertEqual(locant.Encoding("learned").resolve(9).length_limit, 9)
        self.assertEqual(locant.Encoding("rope3d").axes, 3)
        self.assertIn("isometric", locant.Encoding("rope").traits)
        ids = e.ids(3, 8, seed=1, training=True)
        self.assertEqual((ids.shape, ids.dtype), ((3, 8), np.int64))
        self.assertTrue((np.diff(ids) > 0).all() and ids.max() < 64)

    def test_parameters(self):
        e = locant.Encoding("t5")
        (p,) = e.parameters(heads=4)
        self.assertEqual((p.name, p.shape, p.doors),
                         ("table", (32, 4), ("score",)))
        self.assertEqual(e.parameters()[0].shape, (32, 0))
        a, b = e.init(1, heads=4), e.init(1, heads=4)
        np.testing.assert_array_equal(a["table"], b["table"])
        self.assertFalse((a["table"] == e.init(2, heads=4)["table"]).all())
        with self.assertRaisesRegex(locant.Error, "table .* cannot be drawn"):
            e.init(1)
        e = locant.Encoding("kerple")
        params = {k: v - 100 for k, v in e.init(0, heads=2).items()}
        e.project(params)
        self.assertTrue(all((v > -1).all() for v in params.values()))

    def test_of_a_sum_by_part_and_name(self):
        e = locant.Encoding("t5+shaw(distance=4)")
        names = [p.name for p in e.parameters(heads=2, head_dim=8)]
        self.assertEqual(names[0], "t5.table")
        self.assertTrue(all("." in name for name in names))

    def test_of_a_layer(self):
        e = locant.Encoding("layers(local=window(size=4)+rope,global=t5)")
        self.assertEqual([e.layer(i).spec for i in (0, 3, 4, 7)],
                         ["window(size=4)+rope", "t5"] * 2)
        self.assertIs(e.layer(3), e.layer(7))
        alone = locant.Encoding("rope")
        self.assertIs(alone.layer(3), alone)

    def test_of_all_layers_by_a_map(self):
        e = locant.Encoding("layers(map=every(3,at=0,rope,else=alibi):"
                            "last(1,none))")
        specs = [one.spec for one in e.layers(6)]
        self.assertEqual(specs, ["rope", "alibi", "alibi", "rope", "alibi",
                                 "none"])
        self.assertEqual(e.layer_count, 0)
        self.assertEqual(e.layer(5).spec, "alibi")
        self.assertEqual(e.layer(5, 6).spec, "none")
        listed = locant.Encoding("layers(types=a:b:a,a=rope,b=t5)")
        self.assertEqual(listed.spec, "layers(map=list(a:b:a),a=rope,b=t5)")
        self.assertEqual(listed.layer_count, 3)
        self.assertIs(listed.layers()[0], listed.layers()[2])
        for encoding, count in ((e, 0), (listed, 4), (e, -1)):
            with self.assertRaises(locant.Error):
                encoding.layers(count)

    def test_copies_are_the_same(self):
        e = locant.Encoding("alibi(max=16)")
        for same in (pickle.loads(pickle.dumps(e)), copy.copy(e),
                     copy.deepcopy(e)):
            self.assertEqual(same, e)
        del e, same
        gc.collect()

    def test_errors_carry_status_and_message(self):
        for spec, part in (("rop", "did you mean 'rope'"),
                           ("rope(bas=1)", "base"), ("rope(base=-1)", "-1"),
                           ("rope(", "byte 5")):
            with self.assertRaises(locant.Error) as caught:
                locant.Encoding(spec)
            self.assertEqual(caught.exception.status, locant.Status.ERR_PARAM)
            self.assertIn(part, caught.exception.message)
            again = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((again.status, again.message),
                             (caught.exception.status,
                              caught.exception.message))
        with self.assertRaisesRegex(locant.Error, "is a int, expected a spec"):
            locant.rotate(np.ones((2, 2)), 3)

    def test_settings(self):
        before = locant.threads()
        locant.set_threads(3)
        self.assertEqual(locant.threads(), 3)
        locant.set_threads(0)
        self.assertEqual(locant.threads(), before)
        with self.assertRaisesRegex(locant.Error, "-1"):
            locant.set_threads(-1)
        name = locant.isa()
        locant.set_isa("base")
        self.assertEqual(locant.isa(), "base")
        locant.set_isa(None)
        self.assertEqual(locant.isa(), name)
