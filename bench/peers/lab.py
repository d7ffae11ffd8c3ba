"""locant_train() by ctypes: corpus, store, runs, and what one learned."""
import ctypes
import os
import random
import tempfile
from dataclasses import dataclass

import numpy as np
import torch

from lib_locant import Locant

FILES, LENGTHS, BUCKETS = 1, 5, 64
LETTERS = b"abcdefghijklmnopqrstuvwxyz"


class CorpusOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("kind", ctypes.c_int),
                ("paths", ctypes.POINTER(ctypes.c_char_p)),
                ("n_paths", ctypes.c_size_t), ("seed", ctypes.c_uint64),
                ("max_bytes", ctypes.c_size_t)]


class CorpusInfo(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("sha256", ctypes.c_char * 65),
                ("files", ctypes.c_size_t), ("bytes", ctypes.c_size_t),
                ("train_bytes", ctypes.c_size_t),
                ("valid_bytes", ctypes.c_size_t),
                ("test_bytes", ctypes.c_size_t)]


class TrainOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("encoding", ctypes.c_char_p),
                ("seed", ctypes.c_uint64), ("layers", ctypes.c_int64),
                ("width", ctypes.c_int64), ("heads", ctypes.c_int64),
                ("kv_heads", ctypes.c_int64), ("ff", ctypes.c_int64),
                ("rms_norm", ctypes.c_int), ("batch", ctypes.c_int64),
                ("length", ctypes.c_int64), ("steps", ctypes.c_int64),
                ("learning_rate", ctypes.c_double),
                ("checkpoint_every", ctypes.c_int64),
                ("progress", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("memory", ctypes.c_int64), ("source", ctypes.c_void_p),
                ("parent", ctypes.c_int64), ("constant_rate", ctypes.c_int)]


class RunInfo(ctypes.Structure):
    _fields_ = [("id", ctypes.c_int64), ("status", ctypes.c_char * 16),
                ("encoding", ctypes.c_char * 256),
                ("model", ctypes.c_char * 128),
                ("corpus_sha256", ctypes.c_char * 65),
                ("seed", ctypes.c_uint64), ("step", ctypes.c_int64),
                ("steps", ctypes.c_int64), ("batch", ctypes.c_int64),
                ("length", ctypes.c_int64), ("parameters", ctypes.c_int64),
                ("encoding_parameters", ctypes.c_int64),
                ("train_loss", ctypes.c_double), ("seconds", ctypes.c_double),
                ("tokens_per_second", ctypes.c_double),
                ("started", ctypes.c_char * 32), ("parent", ctypes.c_int64),
                ("source", ctypes.c_char * 32),
                ("message", ctypes.c_char * 512)]


class Evaluation(ctypes.Structure):
    _fields_ = [("length", ctypes.c_int64 * LENGTHS),
                ("same_targets", ctypes.c_double * LENGTHS),
                ("by_position", ctypes.c_double * BUCKETS),
                ("own_window", ctypes.c_double), ("valid", ctypes.c_double),
                ("shuffled", ctypes.c_double), ("causality", ctypes.c_double),
                ("blocks", ctypes.c_int64),
                ("tokens_per_second", ctypes.c_double),
                ("non_overlapping", ctypes.c_double * LENGTHS)]


# LOCANT_TRAIN_INIT, whose model is S
HEADS, BATCH, LENGTH, RATE = 4, 16, 128, 3e-3


@dataclass(frozen=True)
class Size:
    """A model; its feed-forward layer is four times as wide."""
    name: str
    layers: int
    width: int


SIZES = (Size("S", 3, 64), Size("M", 3, 96), Size("L", 4, 128))


def some_text(size):
    """Words of a small vocabulary, on one line."""
    r = random.Random(1)
    words = [bytes(r.choices(LETTERS, k=r.randint(2, 9))) for _ in range(300)]
    text = b""
    while len(text) < size:
        text += b" ".join(r.choices(words, k=1000)) + b" "
    return text[:size]


class Lab:
    """A store and a corpus of one text, in a temporary folder."""

    def __init__(self, folder):
        locant = Locant(folder, "liblocant_lab.so")
        self.call, self.set_threads = locant.call, locant.set_threads
        locant.lib.locant_corpus_info_of.restype = ctypes.POINTER(CorpusInfo)
        self.folder = tempfile.TemporaryDirectory()
        self.text = some_text(1 << 19)
        path = os.path.join(self.folder.name, "text.txt")
        with open(path, "wb") as file:
            file.write(self.text)
        self.corpus, self.store = ctypes.c_void_p(), ctypes.c_void_p()
        options = CorpusOptions(
            struct_size=ctypes.sizeof(CorpusOptions), kind=FILES, n_paths=1,
            paths=(ctypes.c_char_p * 1)(path.encode()), seed=1)
        self.call("corpus_create", ctypes.byref(self.corpus),
                  ctypes.byref(options))
        self.info = locant.lib.locant_corpus_info_of(self.corpus).contents
        self.call("store_open", ctypes.byref(self.store),
                  self.folder.name.encode())
        self.seed = 0

    def train(self, encoding, size, steps):
        """A run of its own: what the store says of it."""
        self.seed += 1
        options = TrainOptions(
            struct_size=ctypes.sizeof(TrainOptions), encoding=encoding.encode(),
            seed=self.seed, layers=size.layers, width=size.width, heads=HEADS,
            ff=4 * size.width,
            batch=BATCH, length=LENGTH, steps=steps, learning_rate=RATE,
            checkpoint_every=1 << 30)
        run, info = ctypes.c_int64(), RunInfo()
        self.call("train", ctypes.byref(run), self.store, self.corpus,
                  ctypes.byref(options))
        self.call("store_run", ctypes.byref(info), self.store, run)
        return info

    def weights(self, run):
        """Name to tensor, from the run's checkpoint."""
        from safetensors import safe_open
        path = f"{self.folder.name}/checkpoints/run-{run.id}.safetensors"
        with safe_open(path, "pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}

    def validation(self, run, blocks):
        """The validation loss of a run."""
        found = Evaluation()
        self.call("evaluate", ctypes.byref(found), self.store,
                  ctypes.c_int64(run.id), self.corpus, ctypes.c_int64(blocks))
        return found.valid

    def valid_windows(self, blocks):
        """The windows of that loss: tokens and targets [blocks, LENGTH].

        One text is cut after 90 % and 95 %, and its pieces, each after a zero
        byte, have 16 KiB at most (src/lab/corpus_split.c).
        """
        twentieth, piece = len(self.text) // 20, 16 << 10
        cut = self.text[twentieth * 18:twentieth * 19]
        pieces = [cut[i:i + piece] for i in range(0, len(cut), piece)]
        valid = b"".join(b"\0" + part for part in pieces)
        if len(valid) != self.info.valid_bytes:
            raise RuntimeError(f"the validation text has {len(valid)} bytes, "
                               f"locant's {self.info.valid_bytes}")
        room = len(valid) - LENGTH - 1
        ends = [LENGTH + 1 + int(w / blocks * room) for w in range(blocks)]
        windows = np.stack([np.frombuffer(valid[e - LENGTH - 1:e], np.uint8)
                            for e in ends])
        windows = torch.from_numpy(windows.astype(np.int64))
        return windows[:, :-1], windows[:, 1:]
