"""Tiny random models of every family: transformers against the oracle, and
'locant model logits' and 'generate' against the oracle.

One line a family shows the errors, relative to the largest logit.
"""
import os
import sys
import tempfile
import unittest

try:
    import numpy as np
    import torch
    import transformers
except ImportError as error:
    raise unittest.SkipTest(f"{error.name} is not installed") from None
import decoder_configs
import make_models
import model_configs
import model_oracle
import other_dialects
import own_models
from model_command import Command
from model_oracle.decoder_families import FAMILIES as DECODERS

assert torch and transformers
# float32 rounds by 2^-24; models of three layers have some 150 operations in a
# row, and roots, exponentials and angles amplify that less than tenfold.
FLOAT32 = 3e-5
# float64 rounds by 2^-53, with room for a sum in another order.
FLOAT64 = 1e-9
# bfloat16 rounds by 2^-9, which sharp attention amplifies; a part left out shows
# as 1.  Experts that change places change more.
BFLOAT16 = 0.25
NEW = 6
# Their bias is of positions that are counted, or they take none.
NO_POSITIONS = ("opt", "opt_350m", "bloom", "bloom_late", "mpt", "mpt_16",
                "mpt_scaled", "falcon_rw",
                "deberta_v2", "deberta_v3", "deberta_plain", "qwen1",
                "qwen1_short", *decoder_configs.KIMI)
# Encoders; ids alone do not make positions of several axes; frequencies that
# change with the length leave cached keys as they were, but for Phi-3.
NO_GENERATION = (*model_configs.ENCODERS, *model_configs.AXES, "qwen1",
                 "llama_dynamic", "cohere_dynamic", "llama_longrope")
WINDOWS = ("sliding_window", "attention_chunk_size", "local_attention")


def paddings(ids):
    """A mask that hides the first tokens of one row, the last of another."""
    mask = np.ones_like(ids)
    mask[0, :5] = 0
    mask[1, -4:] = 0
    return mask


class Family:
    """A model in a folder, and what the oracle says about it; 'model' is None
    if transformers has no class for it."""

    def __init__(self, name, folder):
        self.name, self.folder = name, os.path.join(folder, name)
        if name in own_models.MODELS:
            self.model = None
            own_models.write(self.folder, own_models.MODELS[name])
            g = np.random.default_rng(1)
            self.given = {"ids": g.integers(
                0, own_models.MODELS[name]["vocab_size"], (2, 24))}
        else:
            self.model = make_models.written(name, self.folder,
                                             make_models.made(name))
            self.given = make_models.inputs(name, self.model)
        self.checkpoint = model_oracle.Checkpoint(self.folder)
        self.truth = make_models.masked(
            model_oracle.logits(self.checkpoint, self.given), self.given)
        self.words = [f"{name:20}"]

    def cases(self):
        """(word, inputs) of what is compared beside the plain run."""
        if "ids" not in self.given or self.name.startswith("transfo_xl"):
            return
        yield "mask", dict(self.given, mask=paddings(self.given["ids"]))
        if self.name in model_configs.IMAGES:
            ids = make_models.tokens(self.model, seed=6) % \
                self.model.config.vision_start_token_id
            yield "several", make_models.several(self.model, ids, [
                [(2, (1, 2, 4)), (6, (2, 4, 4))], [(1, (1, 6, 10))]])
        config = self.checkpoint.c
        if self.name in NO_POSITIONS or self.name in model_configs.AXES or \
                self.given.keys() & {"decoder_ids", "pixels"} or \
                any(config.get(w) for w in WINDOWS):
            return
        ids = self.given["ids"]
        jumps = np.cumsum(np.arange(ids.shape[1]) % 3, -1) + [[3], [0]]
        yield "positions", dict(self.given, positions=jumps,
                                mask=np.ones_like(ids))

    def output(self):
        """The option for models without a head."""
        if self.model is None or \
                make_models.truth_file(self.model) == "logits.npy":
            return []
        return ["--hidden"]

    def error(self, given, got):
        truth = self.truth if given is self.given else make_models.masked(
            model_oracle.logits(self.checkpoint, given), given)
        if truth.shape != got.shape:
            raise AssertionError(f"{self.name}: shape {got.shape}, "
                                 f"expected {truth.shape}")
        worst = np.abs(truth - make_models.masked(got, given)).max()
        return worst / np.abs(truth).max()

    def continued(self, ids, n):
        """Greedy tokens by the oracle, each from all before it."""
        given = dict(self.given)
        key = "decoder_ids" if "decoder_ids" in given else "ids"
        given[key] = ids
        for _ in range(n):
            last = model_oracle.logits(self.checkpoint, given)[:, -1]
            given[key] = np.concatenate(
                [given[key], last.argmax(-1)[:, None]], 1)
            if "types" in given:
                given["types"] = np.zeros_like(given[key])
        return given[key]


    def prompt(self):
        """(inputs, tokens that follow) of the first part of the ids, or of
        the start of a decoder."""
        given, pair = dict(self.given), "decoder_ids" in self.given
        start = given.pop("decoder_ids")[:, :1] if pair else \
            given["ids"][:, :16]
        if not pair:
            given["ids"] = start
        return given, self.continued(start, NEW)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.families = [Family(n, cls.work.name)
                        for n in (*model_configs.MODELS,
                                  *own_models.MODELS)]
        cls.command = Command(os.environ["LOCANT_LIBRARY"])

    @classmethod
    def tearDownClass(cls):
        for family in cls.families:
            print(" ".join(family.words), file=sys.stderr)
        cls.work.cleanup()

    def limited(self, family, word, found, limit):
        family.words.append(f"{word} {found:.1e}")
        with self.subTest(family=family.name, of=word):
            self.assertLess(found, limit)

    def verb(self, name, option=""):
        if not self.command.knows(name, option):
            self.skipTest(f"this build has no 'locant model {name}'")

    def test_1_transformers(self):
        for family in self.families:
            if family.model is None or \
                    family.name in model_configs.MISREAD:
                continue
            for word, given in (("plain", family.given), *family.cases()):
                with self.subTest(family=family.name, of=word):
                    got = make_models.run(family.model, given)
                    self.limited(family, f"hf {word}",
                                 family.error(given, got), FLOAT32)

    def test_2_logits(self):
        self.verb("logits")
        for family in self.families:
            for word, given in (("plain", family.given), *family.cases()):
                for dtype, limit in (("f64", FLOAT64), ("f32", FLOAT32)):
                    with self.subTest(family=family.name, of=word):
                        got = self.command.run("logits", family.folder, given,
                                               "--dtype", dtype, *family.output())
                        self.limited(family, f"{dtype} {word}",
                                     family.error(given, got), limit)

    def test_2_check(self):
        """The tensors that transformers saves are those that 'check' expects."""
        self.verb("check")
        for family in self.families:
            with self.subTest(family=family.name):
                found = self.command.findings(family.folder)
                self.assertEqual({}, {i: s for i, s in found.items()
                                      if i in ("T01", "T02", "T03", "X07")})

    def test_3_bfloat16(self):
        self.verb("logits")
        for family in self.families:
            if family.name in (*decoder_configs.MIXTURES,
                               *model_configs.MIXED, "kimi_linear",
                               "kimi_linear_saved", "qwen3_next"):
                continue
            with self.subTest(family=family.name):
                got = self.command.run("logits", family.folder, family.given,
                                       "--dtype", "bf16", *family.output())
                self.limited(family, "bf16", family.error(family.given, got),
                             BFLOAT16)

    def test_4_hidden(self):
        self.verb("logits")
        for family in self.families:
            if "ids" not in family.given:
                continue
            truth = model_oracle.hidden(family.checkpoint, family.given)
            with self.subTest(family=family.name):
                got = self.command.run("logits", family.folder, family.given,
                                       "--dtype", "f64", "--hidden")
                self.assertEqual(got.shape, truth.shape)
                self.limited(family, "hidden", np.abs(got - truth).max() /
                             np.abs(truth).max(), FLOAT64)
            if family.name == "opt_350m":  # its last map is one of states
                with torch.no_grad():
                    got = family.model.base_model(torch.tensor(
                        family.given["ids"])).last_hidden_state.numpy()
                self.limited(family, "hf hidden", np.abs(got - truth).max() /
                             np.abs(truth).max(), FLOAT32)

    def test_5_generate(self):
        """Step by step from a cache: the tokens of whole runs."""
        theirs = self.command.knows("generate")
        for family in self.families:
            if "ids" not in family.given or family.name in NO_GENERATION:
                continue
            given, truth = family.prompt()
            with self.subTest(family=family.name):
                if family.model is not None and \
                        family.name not in model_configs.MISREAD:
                    np.testing.assert_array_equal(
                        make_models.continued(family.model, given, NEW), truth)
                    family.words.append("hf generate")
                if not theirs:
                    continue
                got = self.command.run("generate", family.folder, given,
                                       "--tokens", NEW, "--dtype", "f64",
                                       "--ignore-eos")
                np.testing.assert_array_equal(got, truth)
                family.words.append("generate")
        self.verb("generate")

    def test_6_old_keys(self):
        """The same models with the keys of transformers 4."""
        for family in self.families:
            if family.name not in model_configs.OLD_KEYS:
                continue
            make_models.save(family.folder, family.model, family.given)
            old = family.folder + "_hf4"
            with self.subTest(family=family.name):
                found = make_models.write_old(family.name, family.folder, old)
                self.limited(family, "hf 4", found, FLOAT32)
                if self.command.knows("logits"):
                    got = self.command.run("logits", old, family.given,
                                           "--dtype", "f64")
                    self.limited(family, "f64 of 4",
                                 family.error(family.given, got), FLOAT64)

    def test_7_sparse_keys(self):
        """What a config leaves out is what its class says."""
        for family in self.families:
            if family.model is None or family.name in model_configs.MISREAD:
                continue
            make_models.save(family.folder, family.model, family.given)
            new = family.folder + "_sparse"
            with self.subTest(family=family.name):
                found = make_models.write_sparse(family.name, family.folder,
                                                 new)
                self.limited(family, "hf sparse", found, FLOAT32)
                if self.command.knows("logits"):
                    got = self.command.run("logits", new, family.given,
                                           "--dtype", "f64",
                                           *family.output())
                    self.limited(family, "f64 sparse",
                                 family.error(family.given, got), FLOAT64)

    def test_7_shards(self):
        self.verb("logits")
        family = self.families[0]
        folder = os.path.join(self.work.name, "shards")
        family.model.save_pretrained(folder, max_shard_size="20KB")
        self.assertGreater(len(os.listdir(folder)), 4)
        got = self.command.run("logits", folder, family.given, "--dtype",
                               "f64")
        self.limited(family, "shards", family.error(family.given, got),
                     FLOAT64)

    def test_8_native(self):
        """Folders with params.json, whose pairs are neighbours."""
        self.verb("logits")
        for name, who in (("llama", "meta"), ("mistral", "mistral")):
            family = next(f for f in self.families if f.name == name)
            folder = family.folder + "_native"
            other_dialects.write_native(family.folder, folder, who)
            with self.subTest(family=name):
                got = self.command.run("logits", folder, family.given,
                                       "--dtype", "f64")
                self.limited(family, "native", family.error(family.given, got),
                             FLOAT64)

    def test_9_pairings(self):
        """Converted to the other pairing, a model gives the same logits."""
        self.verb("convert")
        self.verb("logits")
        for family in self.families:
            pairing = self.other_pairing(family)
            if pairing is None:
                continue
            folder = family.folder + "_pairs"
            with self.subTest(family=family.name):
                self.command.make("convert", family.folder, folder,
                                  "--pairing", pairing, "--verify")
                got = self.command.run("logits", folder, family.given,
                                       "--dtype", "f64")
                self.limited(family, pairing,
                             family.error(family.given, got), FLOAT64)

    def test_9_gguf(self):
        """A GGUF file gives the same logits, or is refused, or 'convert' says
        what of its positions has no key."""
        self.verb("convert", "gguf")
        self.verb("logits")
        for family in self.families:
            folder = family.folder + "_gguf"
            with self.subTest(family=family.name):
                if not self.command.make("convert", family.folder, folder,
                                         "--format", "gguf", refuses=True):
                    continue
                file = next(f for f in os.listdir(folder)
                            if f.endswith(".gguf"))
                file = os.path.join(folder, file)
                if family.checkpoint.kind == "bert":  # a file has no head
                    truth = model_oracle.hidden(family.checkpoint,
                                                family.given)
                    got = self.command.run("logits", file, family.given,
                                           "--dtype", "f64", "--hidden")
                    found = np.abs(got - truth).max() / np.abs(truth).max()
                else:
                    got = self.command.run("logits", file, family.given,
                                           "--dtype", "f64")
                    found = family.error(family.given, got)
                # Factors of frequencies are stored in float32.
                self.limited(family, "gguf", found, FLOAT32)

    @staticmethod
    def other_pairing(family):
        """None: the model has no rotation to convert."""
        row = DECODERS.get(family.checkpoint.kind)
        if family.name in ("falcon_rw", *decoder_configs.KIMI):
            return None
        if row is not None and "pixels" not in family.given:
            latent = family.checkpoint.c.get("kv_lora_rank")
            return "half" if row.interleaved or latent else "interleaved"
        if family.checkpoint.kind in ("gpt_neox", "falcon", "modernbert"):
            return "interleaved"
        return "half" if family.checkpoint.kind == "gptj" else None


if __name__ == "__main__":
    unittest.main()
