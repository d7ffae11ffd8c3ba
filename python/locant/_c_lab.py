"""What include/locant declares of liblocant_lab, for ctypes.

Written by tools/python_headers.py; do not edit.
"""
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int64, c_size_t, c_uint64, c_void_p)
from enum import IntEnum
from typing import Any

from ._c import INIT, Tensor


class Array(Structure):
    """locant_array"""
    _fields_ = [
        ("tensor", Tensor),
        ("memory", c_void_p),
    ]


class NamedTensor(Structure):
    """locant_named_tensor"""
    _fields_ = [
        ("name", c_char_p),
        ("tensor", Tensor),
    ]


class GraphInfo(Structure):
    """locant_graph_info"""
    _fields_ = [
        ("nodes", c_int64),
        ("edges", c_int64),
        ("repeated", c_int64),
        ("self_loops", c_int64),
        ("isolated", c_int64),
        ("components", c_int64),
    ]


class Laplacian(IntEnum):
    """locant_laplacian"""
    SYMMETRIC = 0
    COMBINATORIAL = 1
    RANDOM_WALK = 2


class Piece(Structure):
    """locant_piece"""
    _fields_ = [
        ("peer", c_int),
        ("data", c_void_p),
        ("bytes", c_size_t),
    ]


class Group(Structure):
    """locant_group"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("rank", c_int),
        ("size", c_int),
        ("exchange", CFUNCTYPE(c_int, POINTER(Piece), c_size_t, POINTER(Piece), c_size_t, c_void_p)),
        ("context", c_void_p),
    ]


class CorpusKind(IntEnum):
    """locant_corpus_kind"""
    HEADERS = 0
    FILES = 1
    GENERATED = 2


class Keep(IntEnum):
    """locant_keep"""
    DEFAULT = 0
    TEXT = 1
    HASH = 2


class CorpusOptions(Structure):
    """locant_corpus_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("paths", POINTER(c_char_p)),
        ("n_paths", c_size_t),
        ("seed", c_uint64),
        ("max_bytes", c_size_t),
        ("keep", c_int),
    ]


class CorpusInfo(Structure):
    """locant_corpus_info"""
    _fields_ = [
        ("kind", c_int),
        ("sha256", c_char * 65),
        ("files", c_size_t),
        ("bytes", c_size_t),
        ("train_bytes", c_size_t),
        ("valid_bytes", c_size_t),
        ("test_bytes", c_size_t),
        ("unreadable", c_size_t),
        ("unreadable_path", c_char * 88),
    ]


class RunInfo(Structure):
    """locant_run_info"""
    _fields_ = [
        ("id", c_int64),
        ("status", c_char * 16),
        ("encoding", c_char * 256),
        ("model", c_char * 128),
        ("corpus_sha256", c_char * 65),
        ("seed", c_uint64),
        ("step", c_int64),
        ("steps", c_int64),
        ("batch", c_int64),
        ("length", c_int64),
        ("parameters", c_int64),
        ("encoding_parameters", c_int64),
        ("train_loss", c_double),
        ("seconds", c_double),
        ("tokens_per_second", c_double),
        ("started", c_char * 32),
        ("parent", c_int64),
        ("source", c_char * 32),
        ("message", c_char * 512),
        ("gradient_norm", c_double),
        ("encoding_gradient_norm", c_double),
        ("optimizer", c_char * 8),
        ("build", c_char * 512),
        ("batch_checksum", c_char * 17),
    ]

RunVisitor = CFUNCTYPE(c_int, POINTER(RunInfo), c_void_p)


class StoreMerged(Structure):
    """locant_store_merged"""
    _fields_ = [
        ("added", c_int64),
        ("continued", c_int64),
        ("kept", c_int64),
    ]

SqlVisitor = CFUNCTYPE(c_int, c_int, POINTER(c_char_p), POINTER(c_char_p), c_char_p, c_void_p)


class Progress(Structure):
    """locant_progress"""
    _fields_ = [
        ("phase", c_char_p),
        ("encoding", c_char_p),
        ("seed", c_uint64),
        ("step", c_int64),
        ("steps", c_int64),
        ("loss", c_double),
        ("rate", c_double),
        ("done", c_int64),
        ("total", c_int64),
        ("elapsed", c_double),
        ("left", c_double),
        ("notice", c_char_p),
    ]

ProgressFn = CFUNCTYPE(c_int, POINTER(Progress), c_void_p)


class Optimizer(IntEnum):
    """locant_optimizer"""
    ADAMW = 0
    MUON = 1


class TrainOptions(Structure):
    """locant_train_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("encoding", c_char_p),
        ("seed", c_uint64),
        ("layers", c_int64),
        ("width", c_int64),
        ("heads", c_int64),
        ("kv_heads", c_int64),
        ("ff", c_int64),
        ("rms_norm", c_int),
        ("batch", c_int64),
        ("length", c_int64),
        ("steps", c_int64),
        ("learning_rate", c_double),
        ("checkpoint_every", c_int64),
        ("progress", ProgressFn),
        ("context", c_void_p),
        ("memory", c_int64),
        ("source", c_void_p),
        ("parent", c_int64),
        ("constant_rate", c_int),
        ("optimizer", c_int),
        ("muon_rate", c_double),
        ("vocabulary", c_int),
        ("leaves", c_int64),
        ("group", POINTER(Group)),
        ("gather_limit", c_int64),
    ]


EVAL_LENGTHS = 5
EVAL_BUCKETS = 64


class Evaluation(Structure):
    """locant_evaluation"""
    _fields_ = [
        ("length", c_int64 * 5),
        ("same_targets", c_double * 5),
        ("by_position", c_double * 64),
        ("own_window", c_double),
        ("valid", c_double),
        ("shuffled", c_double),
        ("causality", c_double),
        ("blocks", c_int64),
        ("tokens_per_second", c_double),
        ("non_overlapping", c_double * 5),
        ("replaced", c_double),
        ("truncated", c_double),
    ]


class EvalPolicy(IntEnum):
    """locant_eval_policy"""
    NONE = 0
    CLAMP = 1
    WRAP = 2
    RESAMPLE = 3


class EvalOptions(Structure):
    """locant_eval_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("blocks", c_int64),
        ("encoding", c_char_p),
        ("policy", c_int),
        ("lengths", POINTER(c_int64)),
        ("n_lengths", c_size_t),
        ("group", POINTER(Group)),
    ]


# What the _INIT macros set besides struct_size.
INIT.update({
    CorpusOptions: {},
    TrainOptions: {"encoding": b"none", "seed": 1, "layers": 3, "width": 64, "heads": 4, "ff": 256, "batch": 16, "length": 128, "steps": 600, "learning_rate": 3e-3, "muon_rate": 0.02},
    EvalOptions: {},
})

# Function: result, arguments.  "status": one to be checked.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "locant_npy_read": ("status", [POINTER(Array), c_char_p]),
    "locant_npy_parse": ("status", [POINTER(Array), c_void_p, c_size_t, c_char_p]),
    "locant_npy_write": ("status", [c_char_p, POINTER(Tensor)]),
    "locant_array_free": (None, [POINTER(Array)]),
    "locant_file_write": ("status", [c_char_p, c_void_p, c_size_t]),
    "locant_tensors_read": ("status", [POINTER(c_void_p), c_char_p]),
    "locant_tensors_parse": ("status", [POINTER(c_void_p), c_void_p, c_size_t, c_char_p]),
    "locant_tensors_free": (None, [c_void_p]),
    "locant_tensors_at": (POINTER(Tensor), [c_void_p, c_size_t, POINTER(c_char_p)]),
    "locant_tensors_find": (POINTER(Tensor), [c_void_p, c_char_p]),
    "locant_tensors_metadata": (c_char_p, [c_void_p, c_char_p]),
    "locant_tensors_write": ("status", [c_char_p, POINTER(NamedTensor), c_size_t, POINTER(c_char_p), c_size_t]),
    "locant_graph_create": ("status", [POINTER(c_void_p), POINTER(Tensor), c_int64]),
    "locant_graph_free": (None, [c_void_p]),
    "locant_graph_info_of": (POINTER(GraphInfo), [c_void_p]),
    "locant_graph_laplacian": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), c_void_p, c_int, c_int]),
    "locant_graph_random_walk": ("status", [POINTER(Tensor), c_void_p, c_double]),
    "locant_graph_hops": ("status", [POINTER(Tensor), c_void_p]),
    "locant_corpus_create": ("status", [POINTER(c_void_p), POINTER(CorpusOptions)]),
    "locant_corpus_free": (None, [c_void_p]),
    "locant_corpus_info_of": (POINTER(CorpusInfo), [c_void_p]),
    "locant_store_open": ("status", [POINTER(c_void_p), c_char_p]),
    "locant_store_open_alone": ("status", [POINTER(c_void_p), c_char_p]),
    "locant_store_open_readonly": ("status", [POINTER(c_void_p), c_char_p]),
    "locant_store_close": (None, [c_void_p]),
    "locant_store_any_isa": (None, [c_void_p, c_int]),
    "locant_store_runs": ("status", [c_void_p, RunVisitor, c_void_p]),
    "locant_store_run": ("status", [POINTER(RunInfo), c_void_p, c_int64]),
    "locant_store_remove": ("status", [c_void_p, c_int64]),
    "locant_store_merge": ("status", [POINTER(StoreMerged), c_void_p, c_void_p]),
    "locant_store_sql": ("status", [c_void_p, c_char_p, SqlVisitor, c_void_p]),
    "locant_optimizer_name": (c_char_p, [c_int]),
    "locant_train": ("status", [POINTER(c_int64), c_void_p, c_void_p, POINTER(TrainOptions)]),
    "locant_train_check": ("status", [c_void_p, POINTER(TrainOptions)]),
    "locant_store_corpus": ("status", [POINTER(c_void_p), c_void_p, c_int64]),
    "locant_store_headers": ("status", [POINTER(c_void_p), c_void_p]),
    "locant_store_kept_text": ("status", [POINTER(c_void_p), c_void_p, c_char_p]),
    "locant_resume": ("status", [c_void_p, c_int64, c_void_p, ProgressFn, c_void_p]),
    "locant_evaluate": ("status", [POINTER(Evaluation), c_void_p, c_int64, c_void_p, c_int64]),
    "locant_eval_policy_name": (c_char_p, [c_int]),
    "locant_evaluate_as": ("status", [POINTER(Evaluation), c_void_p, c_int64, c_void_p, POINTER(EvalOptions)]),
}
