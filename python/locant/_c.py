"""What include/locant declares, for ctypes.

Written by tools/python_headers.py; do not edit.
"""
from __future__ import annotations

import math
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int32, c_int64, c_size_t, c_uint, c_uint32,
                    c_uint64, c_void_p)
from enum import IntEnum
from typing import Any

VERSION_MAJOR = 0

VERSION_MINOR = 1

VERSION_PATCH = 0

VERSION_STRING = "0.1.0"

MAX_RANK = 6


class Status(IntEnum):
    """locant_status"""
    OK = 0
    ERR_NULL = 1
    ERR_SHAPE = 2
    ERR_DTYPE = 3
    ERR_LAYOUT = 4
    ERR_PARAM = 5
    ERR_ALIAS = 6
    ERR_UNSUPPORTED = 7
    ERR_NOMEM = 8
    ERR_IO = 9
    ERR_FORMAT = 10
    ERR_INTERRUPTED = 11


class Dtype(IntEnum):
    """locant_dtype"""
    F32 = 0
    F16 = 1
    BF16 = 2
    F64 = 3
    I32 = 4
    I64 = 5


class Tensor(Structure):
    """locant_tensor"""
    _fields_ = [
        ("data", c_void_p),
        ("dtype", c_int),
        ("rank", c_int32),
        ("shape", c_int64 * 6),
        ("stride", c_int64 * 6),
    ]


class Allocator(Structure):
    """locant_allocator"""
    _fields_ = [
        ("alloc", CFUNCTYPE(c_void_p, c_size_t, c_void_p)),
        ("release", CFUNCTYPE(None, c_void_p, c_void_p)),
        ("context", c_void_p),
    ]

Task = CFUNCTYPE(None, c_void_p, c_size_t, c_int)

ParallelRunner = CFUNCTYPE(None, c_size_t, Task, c_void_p, c_void_p)

Poll = CFUNCTYPE(c_int, c_void_p)


class Random(Structure):
    """locant_random"""
    _fields_ = [
        ("seed", c_uint64),
        ("stream", c_uint64),
        ("index", c_uint64),
    ]


class AngleMode(IntEnum):
    """locant_angle_mode"""
    EXACT = 0
    HF = 1
    GGML = 2

DOOR_INPUT = 1
DOOR_ROTATE = 2
DOOR_SCORE = 4
DOOR_CONTENT = 8

TRAIT_RELATIVE = 1
TRAIT_ISOMETRIC = 2
TRAIT_LEARNED = 4
TRAIT_WALL = 8
TRAIT_MONOTONE = 16
TRAIT_LENGTH = 32
TRAIT_READS_X = 64
TRAIT_REAL = 128
TRAIT_CAUSAL = 256


class KeyInfo(Structure):
    """locant_key_info"""
    _fields_ = [
        ("name", c_char_p),
        ("kind", c_char_p),
        ("fallback", c_char_p),
        ("range", c_char_p),
        ("doc", c_char_p),
    ]


class Variant(Structure):
    """locant_variant"""
    _fields_ = [
        ("spec", c_char_p),
        ("title", c_char_p),
        ("used_by", c_char_p),
    ]


class EncodingInfo(Structure):
    """locant_encoding_info"""
    _fields_ = [
        ("name", c_char_p),
        ("title", c_char_p),
        ("formula", c_char_p),
        ("source", c_char_p),
        ("used_by", c_char_p),
        ("traps", c_char_p),
        ("doors", c_uint),
        ("traits", c_uint),
        ("gradient", c_char_p),
        ("variants", POINTER(Variant)),
    ]


class Sizes(Structure):
    """locant_sizes"""
    _fields_ = [
        ("width", c_int64),
        ("heads", c_int64),
        ("kv_heads", c_int64),
        ("head_dim", c_int64),
    ]


class ParamInfo(Structure):
    """locant_param_info"""
    _fields_ = [
        ("name", c_char_p),
        ("dims", c_char_p),
        ("doc", c_char_p),
        ("rank", c_int),
        ("shape", c_int64 * 6),
        ("rate", c_double),
        ("per_layer", c_int),
        ("doors", c_uint),
    ]

ROTATE_INVERSE = 1
ROTATE_KEY = 2


class ResizeKind(IntEnum):
    """locant_resize_kind"""
    LINEAR = 0
    CUBIC = 1


class Resize(Structure):
    """locant_resize"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("align_corners", c_int),
        ("antialias", c_int),
        ("offset", c_double),
        ("prefix", c_int64),
        ("from_rows", c_int64),
        ("from_columns", c_int64),
        ("rows", c_int64),
        ("columns", c_int64),
    ]


class ResizeForm(IntEnum):
    """locant_resize_form"""
    VIT = 0
    HF = 1
    TIMM = 2
    DINOV2 = 3
    DINOV2_REG = 4
    QWEN3VL = 5


class Mask(IntEnum):
    """locant_mask"""
    NONE = 0
    CAUSAL = 1

ATTENTION_KEYS_TURNED = 1


class Attention(Structure):
    """locant_attention"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("q", POINTER(Tensor)),
        ("k", POINTER(Tensor)),
        ("v", POINTER(Tensor)),
        ("q_pos", POINTER(Tensor)),
        ("k_pos", POINTER(Tensor)),
        ("encoding", c_void_p),
        ("params", POINTER(Tensor)),
        ("mask", c_int),
        ("scale", c_double),
        ("x", POINTER(Tensor)),
        ("q_coords", POINTER(Tensor)),
        ("k_coords", POINTER(Tensor)),
        ("q_docs", POINTER(Tensor)),
        ("k_docs", POINTER(Tensor)),
        ("flags", c_int),
        ("window", c_int64),
        ("softcap", c_double),
        ("sinks", POINTER(Tensor)),
    ]


class AttentionGradients(Structure):
    """locant_attention_gradients"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("dq", POINTER(Tensor)),
        ("dk", POINTER(Tensor)),
        ("dv", POINTER(Tensor)),
        ("dparams", POINTER(Tensor)),
        ("dx", POINTER(Tensor)),
        ("dsinks", POINTER(Tensor)),
    ]


class GridKind(IntEnum):
    """locant_grid_kind"""
    INTEGER = 0
    CENTRES = 1
    PRETRAINED = 2


class Grid(Structure):
    """locant_grid"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("frames", c_int64),
        ("rows", c_int64),
        ("cols", c_int64),
        ("merge", c_int64),
        ("prefix", c_int64),
        ("pretrained", c_double * 3),
    ]


class SegmentKind(IntEnum):
    """locant_segment_kind"""
    TEXT = 0
    IMAGE = 1
    VIDEO = 2
    FRAMES = 3


class Segment(Structure):
    """locant_segment"""
    _fields_ = [
        ("kind", c_int),
        ("tokens", c_int64),
        ("frames", c_int64),
        ("rows", c_int64),
        ("cols", c_int64),
        ("interval", c_int64),
        ("before", c_int64),
        ("after", c_int64),
    ]


class MropeNext(IntEnum):
    """locant_mrope_next"""
    MAX = 0
    GRID = 1


class Cape(Structure):
    """locant_cape"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("step", c_double),
        ("global_shift", c_double),
        ("local_shift", c_double),
        ("max_scale", c_double),
        ("centred", c_int),
    ]


class LongloraForm(IntEnum):
    """locant_longlora_form"""
    ROLL = 0
    CUT = 1


class DistanceKind(IntEnum):
    """locant_distance_kind"""
    REROPE = 0
    LEAKY = 1
    SELFEXTEND = 2
    STREAMING = 3


class DistanceForm(Structure):
    """locant_distance_form"""
    _fields_ = [
        ("kind", c_int),
        ("window", c_int64),
        ("group", c_int64),
        ("factor", c_double),
        ("sinks", c_int64),
    ]


class TemperatureKind(IntEnum):
    """locant_temperature_kind"""
    LLAMA4 = 0
    MINISTRAL = 1
    LOGN = 2
    INKLING = 3


class TemperatureForm(Structure):
    """locant_temperature_form"""
    _fields_ = [
        ("kind", c_int),
        ("scale", c_double),
        ("length", c_int64),
    ]


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


class CorpusKind(IntEnum):
    """locant_corpus_kind"""
    HEADERS = 0
    FILES = 1
    GENERATED = 2


class CorpusOptions(Structure):
    """locant_corpus_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("paths", POINTER(c_char_p)),
        ("n_paths", c_size_t),
        ("seed", c_uint64),
        ("max_bytes", c_size_t),
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
    ]

RunVisitor = CFUNCTYPE(c_int, POINTER(RunInfo), c_void_p)

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
    ]


class Preset(IntEnum):
    """locant_preset"""
    SMOKE = 0
    QUICK = 1
    HOUR = 2
    FULL = 3
    HOMEWORK = 4

WITH_EXTENSION = 1


class ReportOptions(Structure):
    """locant_report_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("preset", c_int),
        ("encodings", POINTER(c_char_p)),
        ("n_encodings", c_size_t),
        ("seeds", c_int),
        ("directory", c_char_p),
        ("path", c_char_p),
        ("commit", c_char_p),
        ("progress", ProgressFn),
        ("context", c_void_p),
        ("with", c_uint),
    ]


class ReportRow(Structure):
    """locant_report_row"""
    _fields_ = [
        ("encoding", c_char * 256),
        ("seeds", c_int),
        ("length", c_int64 * 5),
        ("loss", c_double * 5),
        ("half_width", c_double * 5),
        ("gain", c_double),
        ("parameters", c_int64),
        ("encoding_parameters", c_int64),
        ("train_tokens_per_second", c_double),
        ("eval_tokens_per_second", c_double),
        ("seconds", c_double),
        ("bytes", c_int64),
    ]

GATE_VALUES = 6


class ReportGate(Structure):
    """locant_report_gate"""
    _fields_ = [
        ("name", c_char * 8),
        ("passed", c_int),
        ("sentence", c_char * 768),
        ("text", c_char * 16),
        ("value", c_double * 6),
        ("spec", c_char * 256 * 2),
    ]


class Report(Structure):
    """locant_report"""
    _fields_ = [
        ("rows", POINTER(ReportRow)),
        ("n_rows", c_size_t),
        ("gates", ReportGate * 7),
        ("corpus", CorpusInfo),
        ("seconds", c_double),
        ("json", c_char_p),
    ]


class FigureKind(IntEnum):
    """locant_figure_kind"""
    CURVES = 0
    HEATMAP = 1
    BARS = 2
    STRIPS = 3
    POINTS = 4


class Series(Structure):
    """locant_series"""
    _fields_ = [
        ("label", c_char_p),
        ("n", c_size_t),
        ("x", POINTER(c_double)),
        ("y", POINTER(c_double)),
        ("low", POINTER(c_double)),
        ("high", POINTER(c_double)),
        ("dashed", c_int),
        ("marks", c_int),
        ("color", c_int),
        ("label_zh", c_char_p),
    ]


class Mark(Structure):
    """locant_mark"""
    _fields_ = [
        ("x", c_double),
        ("label", c_char_p),
        ("label_zh", c_char_p),
    ]


class Figure(Structure):
    """locant_figure"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("kind", c_int),
        ("title", c_char_p),
        ("x_label", c_char_p),
        ("y_label", c_char_p),
        ("log_x", c_int),
        ("width", c_int),
        ("height", c_int),
        ("series", POINTER(Series)),
        ("n_series", c_size_t),
        ("marks", POINTER(Mark)),
        ("n_marks", c_size_t),
        ("cells", POINTER(c_double)),
        ("rows", c_int64),
        ("cols", c_int64),
        ("diverging", c_int),
        ("x_first", c_double),
        ("x_step", c_double),
        ("y_first", c_double),
        ("y_step", c_double),
        ("y_min", c_double),
        ("y_max", c_double),
        ("numbers", c_int),
        ("title_zh", c_char_p),
        ("x_label_zh", c_char_p),
        ("y_label_zh", c_char_p),
        ("name", c_char_p),
    ]


class Terminal(IntEnum):
    """locant_terminal"""
    TERMINAL_ASCII = 0
    TERMINAL_16 = 1
    TERMINAL_256 = 2
    TERMINAL_24 = 3


class FigureInfo(Structure):
    """locant_figure_info"""
    _fields_ = [
        ("name", c_char_p),
        ("of", c_char_p),
        ("title", c_char_p),
        ("title_zh", c_char_p),
    ]


class FigureView(Structure):
    """locant_figure_view"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("length", c_int64),
        ("position", c_int64),
        ("head", c_int64),
        ("trained", c_int64),
        ("width", c_int64),
        ("heads", c_int64),
        ("factor", c_double),
        ("seed", c_uint64),
    ]

FigureTaker = CFUNCTYPE(c_int, POINTER(Figure), c_char_p, c_char_p, c_void_p)

FLIP_MAX = 20


class Difference(Structure):
    """locant_difference"""
    _fields_ = [
        ("mean", c_double),
        ("half", c_double),
        ("p", c_double),
    ]


class Interval(Structure):
    """locant_interval"""
    _fields_ = [
        ("mean", c_double),
        ("low", c_double),
        ("high", c_double),
        ("seed_error", c_double),
        ("data_error", c_double),
    ]


class TaskTest(Structure):
    """locant_task_test"""
    _fields_ = [
        ("length", c_int64),
        ("setting", c_char_p),
        ("value", c_int64),
    ]


class TaskInfo(Structure):
    """locant_task_info"""
    _fields_ = [
        ("id", c_char_p),
        ("title", c_char_p),
        ("definition", c_char_p),
        ("metric", c_char_p),
        ("unit", c_char_p),
        ("place", c_char_p),
        ("chance", c_double),
        ("vocab", c_int64),
        ("length", c_int64),
        ("upto", c_int),
        ("control", c_int),
        ("fine_tune", c_int),
        ("layers", c_int64),
        ("width", c_int64),
        ("heads", c_int64),
        ("batch", c_int64),
        ("steps", c_int64),
        ("learning_rate", c_double),
        ("items", c_int64),
        ("tests", POINTER(TaskTest)),
    ]


class TaskScore(Structure):
    """locant_task_score"""
    _fields_ = [
        ("task", c_char_p),
        ("setting", c_char_p),
        ("length", c_int64),
        ("place", c_int64),
        ("items", c_int64),
        ("exact", c_int64),
        ("tokens", c_int64),
        ("hits", c_int64),
        ("loss", c_double),
        ("floor", c_double),
    ]

TaskVisitor = CFUNCTYPE(c_int, POINTER(TaskScore), c_void_p)


class TaskEvalOptions(Structure):
    """locant_task_eval_options"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("items", c_int64),
        ("test_seed", c_uint64),
        ("lengths", POINTER(c_int64)),
        ("n_lengths", c_size_t),
        ("progress", ProgressFn),
        ("context", c_void_p),
    ]

TaskRecordVisitor = CFUNCTYPE(c_int, POINTER(RunInfo), c_char_p, POINTER(TaskScore), c_void_p)


# What the _INIT macros set besides struct_size.
INIT: dict[type[Structure], dict[str, Any]] = {
    Resize: {},
    Attention: {"scale": math.inf},
    AttentionGradients: {},
    Grid: {"frames": 1, "rows": 1, "cols": 1, "merge": 1, "pretrained": (1, 1, 1)},
    Cape: {"step": 1, "max_scale": 1, "centred": 1},
    CorpusOptions: {},
    TrainOptions: {"encoding": b"none", "seed": 1, "layers": 3, "width": 64, "heads": 4, "ff": 256, "batch": 16, "length": 128, "steps": 600, "learning_rate": 3e-3},
    EvalOptions: {},
    ReportOptions: {"preset": 1, "directory": b"locant-lab", "path": b"locant-report.html"},
    Figure: {},
    FigureView: {},
    TaskEvalOptions: {"test_seed": 1},
}

# Name in C: mirror.
STRUCTS: dict[str, type[Structure]] = {
    "locant_tensor": Tensor,
    "locant_allocator": Allocator,
    "locant_random": Random,
    "locant_key_info": KeyInfo,
    "locant_variant": Variant,
    "locant_encoding_info": EncodingInfo,
    "locant_sizes": Sizes,
    "locant_param_info": ParamInfo,
    "locant_resize": Resize,
    "locant_attention": Attention,
    "locant_attention_gradients": AttentionGradients,
    "locant_grid": Grid,
    "locant_segment": Segment,
    "locant_cape": Cape,
    "locant_distance_form": DistanceForm,
    "locant_temperature_form": TemperatureForm,
    "locant_array": Array,
    "locant_named_tensor": NamedTensor,
    "locant_graph_info": GraphInfo,
    "locant_corpus_options": CorpusOptions,
    "locant_corpus_info": CorpusInfo,
    "locant_run_info": RunInfo,
    "locant_progress": Progress,
    "locant_train_options": TrainOptions,
    "locant_evaluation": Evaluation,
    "locant_eval_options": EvalOptions,
    "locant_report_options": ReportOptions,
    "locant_report_row": ReportRow,
    "locant_report_gate": ReportGate,
    "locant_report": Report,
    "locant_series": Series,
    "locant_mark": Mark,
    "locant_figure": Figure,
    "locant_figure_info": FigureInfo,
    "locant_figure_view": FigureView,
    "locant_difference": Difference,
    "locant_interval": Interval,
    "locant_task_test": TaskTest,
    "locant_task_info": TaskInfo,
    "locant_task_score": TaskScore,
    "locant_task_eval_options": TaskEvalOptions,
}

CONSTANTS: dict[str, int] = {
    "LOCANT_VERSION_MAJOR": 0,
    "LOCANT_VERSION_MINOR": 1,
    "LOCANT_VERSION_PATCH": 0,
    "LOCANT_MAX_RANK": 6,
    "LOCANT_OK": 0,
    "LOCANT_ERR_NULL": 1,
    "LOCANT_ERR_SHAPE": 2,
    "LOCANT_ERR_DTYPE": 3,
    "LOCANT_ERR_LAYOUT": 4,
    "LOCANT_ERR_PARAM": 5,
    "LOCANT_ERR_ALIAS": 6,
    "LOCANT_ERR_UNSUPPORTED": 7,
    "LOCANT_ERR_NOMEM": 8,
    "LOCANT_ERR_IO": 9,
    "LOCANT_ERR_FORMAT": 10,
    "LOCANT_ERR_INTERRUPTED": 11,
    "LOCANT_F32": 0,
    "LOCANT_F16": 1,
    "LOCANT_BF16": 2,
    "LOCANT_F64": 3,
    "LOCANT_I32": 4,
    "LOCANT_I64": 5,
    "LOCANT_ANGLES_EXACT": 0,
    "LOCANT_ANGLES_HF": 1,
    "LOCANT_ANGLES_GGML": 2,
    "LOCANT_DOOR_INPUT": 1,
    "LOCANT_DOOR_ROTATE": 2,
    "LOCANT_DOOR_SCORE": 4,
    "LOCANT_DOOR_CONTENT": 8,
    "LOCANT_TRAIT_RELATIVE": 1,
    "LOCANT_TRAIT_ISOMETRIC": 2,
    "LOCANT_TRAIT_LEARNED": 4,
    "LOCANT_TRAIT_WALL": 8,
    "LOCANT_TRAIT_MONOTONE": 16,
    "LOCANT_TRAIT_LENGTH": 32,
    "LOCANT_TRAIT_READS_X": 64,
    "LOCANT_TRAIT_REAL": 128,
    "LOCANT_TRAIT_CAUSAL": 256,
    "LOCANT_ROTATE_INVERSE": 1,
    "LOCANT_ROTATE_KEY": 2,
    "LOCANT_RESIZE_LINEAR": 0,
    "LOCANT_RESIZE_CUBIC": 1,
    "LOCANT_RESIZE_VIT": 0,
    "LOCANT_RESIZE_HF": 1,
    "LOCANT_RESIZE_TIMM": 2,
    "LOCANT_RESIZE_DINOV2": 3,
    "LOCANT_RESIZE_DINOV2_REG": 4,
    "LOCANT_RESIZE_QWEN3VL": 5,
    "LOCANT_MASK_NONE": 0,
    "LOCANT_MASK_CAUSAL": 1,
    "LOCANT_ATTENTION_KEYS_TURNED": 1,
    "LOCANT_GRID_INTEGER": 0,
    "LOCANT_GRID_CENTRES": 1,
    "LOCANT_GRID_PRETRAINED": 2,
    "LOCANT_SEGMENT_TEXT": 0,
    "LOCANT_SEGMENT_IMAGE": 1,
    "LOCANT_SEGMENT_VIDEO": 2,
    "LOCANT_SEGMENT_FRAMES": 3,
    "LOCANT_MROPE_MAX": 0,
    "LOCANT_MROPE_GRID": 1,
    "LOCANT_LONGLORA_ROLL": 0,
    "LOCANT_LONGLORA_CUT": 1,
    "LOCANT_DISTANCE_REROPE": 0,
    "LOCANT_DISTANCE_LEAKY": 1,
    "LOCANT_DISTANCE_SELFEXTEND": 2,
    "LOCANT_DISTANCE_STREAMING": 3,
    "LOCANT_TEMPERATURE_LLAMA4": 0,
    "LOCANT_TEMPERATURE_MINISTRAL": 1,
    "LOCANT_TEMPERATURE_LOGN": 2,
    "LOCANT_TEMPERATURE_INKLING": 3,
    "LOCANT_LAPLACIAN_SYMMETRIC": 0,
    "LOCANT_LAPLACIAN_COMBINATORIAL": 1,
    "LOCANT_LAPLACIAN_RANDOM_WALK": 2,
    "LOCANT_CORPUS_HEADERS": 0,
    "LOCANT_CORPUS_FILES": 1,
    "LOCANT_CORPUS_GENERATED": 2,
    "LOCANT_EVAL_LENGTHS": 5,
    "LOCANT_EVAL_BUCKETS": 64,
    "LOCANT_POLICY_NONE": 0,
    "LOCANT_POLICY_CLAMP": 1,
    "LOCANT_POLICY_WRAP": 2,
    "LOCANT_POLICY_RESAMPLE": 3,
    "LOCANT_PRESET_SMOKE": 0,
    "LOCANT_PRESET_QUICK": 1,
    "LOCANT_PRESET_HOUR": 2,
    "LOCANT_PRESET_FULL": 3,
    "LOCANT_PRESET_HOMEWORK": 4,
    "LOCANT_WITH_EXTENSION": 1,
    "LOCANT_GATE_VALUES": 6,
    "LOCANT_FIGURE_CURVES": 0,
    "LOCANT_FIGURE_HEATMAP": 1,
    "LOCANT_FIGURE_BARS": 2,
    "LOCANT_FIGURE_STRIPS": 3,
    "LOCANT_FIGURE_POINTS": 4,
    "LOCANT_TERMINAL_ASCII": 0,
    "LOCANT_TERMINAL_16": 1,
    "LOCANT_TERMINAL_256": 2,
    "LOCANT_TERMINAL_24": 3,
    "LOCANT_FLIP_MAX": 20,
}

# Function: result, arguments.  "status": one that must be checked.
CORE: dict[str, tuple[Any, list[Any]]] = {
    "locant_version": (c_char_p, []),
    "locant_status_name": (c_char_p, [c_int]),
    "locant_last_error": (c_char_p, []),
    "locant_fail": (c_int, [c_int, c_char_p]),
    "locant_dtype_size": (c_size_t, [c_int]),
    "locant_dtype_name": (c_char_p, [c_int]),
    "locant_dense": (Tensor, [c_void_p, c_int, c_int, POINTER(c_int64)]),
    "locant_set_allocator": (None, [POINTER(Allocator)]),
    "locant_alloc": (c_void_p, [c_size_t]),
    "locant_release": (None, [c_void_p]),
    "locant_set_threads": ("status", [c_int]),
    "locant_threads": (c_int, []),
    "locant_parallel_for": (None, [c_size_t, Task, c_void_p]),
    "locant_set_parallel_for": (None, [ParallelRunner, c_void_p]),
    "locant_set_poll": (None, [Poll, c_void_p]),
    "locant_philox": (None, [POINTER(c_uint32), POINTER(c_uint32), POINTER(c_uint32)]),
    "locant_random_word": (c_uint32, [POINTER(Random)]),
    "locant_random_uniform": (c_double, [POINTER(Random)]),
    "locant_random_below": (c_uint64, [POINTER(Random), c_uint64]),
    "locant_random_normal": (c_double, [POINTER(Random)]),
    "locant_set_isa": ("status", [c_char_p]),
    "locant_isa": (c_char_p, []),
    "locant_isa_at": (c_char_p, [c_int, POINTER(c_int)]),
    "locant_angles": ("status", [POINTER(Tensor), POINTER(Tensor), c_double, c_int]),
    "locant_encoding_at": (POINTER(EncodingInfo), [c_int]),
    "locant_encoding_key": (c_int, [POINTER(KeyInfo), c_char_p, c_int]),
    "locant_encoding_create": ("status", [POINTER(c_void_p), c_char_p]),
    "locant_encoding_resolve": ("status", [POINTER(c_void_p), c_void_p, c_int64]),
    "locant_encoding_free": (None, [c_void_p]),
    "locant_encoding_spec": (c_char_p, [c_void_p]),
    "locant_encoding_info_of": (POINTER(EncodingInfo), [c_void_p]),
    "locant_encoding_doors": (c_uint, [c_void_p]),
    "locant_encoding_traits": (c_uint, [c_void_p]),
    "locant_encoding_axes": (c_int, [c_void_p]),
    "locant_encoding_layer": (c_void_p, [POINTER(c_int), c_void_p, c_int64]),
    "locant_encoding_reach": (c_int64, [c_void_p]),
    "locant_encoding_places": (c_int, [c_void_p]),
    "locant_encoding_ids": ("status", [POINTER(Tensor), c_void_p, c_uint64, c_int]),
    "locant_encoding_param": (c_int, [POINTER(ParamInfo), c_void_p, c_int, POINTER(Sizes)]),
    "locant_encoding_param_init": ("status", [POINTER(Tensor), c_void_p, c_int, c_uint64]),
    "locant_encoding_param_project": ("status", [POINTER(Tensor), c_void_p, c_int]),
    "locant_encoding_table": ("status", [POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_add": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_table_backward": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_rotated_width": (c_int64, [c_void_p, c_int64]),
    "locant_encoding_rotate": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), c_int]),
    "locant_encoding_rotate_qk": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), c_int]),
    "locant_encoding_rotate_backward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), c_int]),
    "locant_encoding_rerotate": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), c_void_p, POINTER(Tensor)]),
    "locant_encoding_similarity": ("status", [POINTER(Tensor), c_void_p, POINTER(Tensor), c_int64, POINTER(Tensor)]),
    "locant_encoding_bias": ("status", [POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_encoding_bias_backward": ("status", [POINTER(Tensor), POINTER(Tensor), c_void_p, POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_resize_set_form": ("status", [POINTER(Resize), c_int]),
    "locant_resize_form_name": (c_char_p, [c_int]),
    "locant_resize_1d": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Resize)]),
    "locant_resize_1d_backward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Resize)]),
    "locant_resize_2d": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Resize)]),
    "locant_resize_2d_backward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Resize)]),
    "locant_attention_workspace": ("status", [POINTER(c_size_t), POINTER(Attention)]),
    "locant_attention_forward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Attention), c_void_p, c_size_t]),
    "locant_attention_backward": ("status", [POINTER(AttentionGradients), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Attention), c_void_p, c_size_t]),
    "locant_attention_reference": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Attention)]),
    "locant_attention_reference_backward": ("status", [POINTER(AttentionGradients), POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), POINTER(Attention)]),
    "locant_positions_from_mask": ("status", [POINTER(Tensor), POINTER(Tensor), c_int64, c_int64]),
    "locant_positions_from_tokens": ("status", [POINTER(Tensor), POINTER(Tensor), c_int64, c_int64, c_int64]),
    "locant_positions_from_lengths": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_positions_from_offsets": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_positions_packing": ("status", [POINTER(Tensor), POINTER(c_int), POINTER(Tensor)]),
    "locant_positions_from_grid": ("status", [POINTER(Tensor), POINTER(Grid)]),
    "locant_mrope_tokens": ("status", [POINTER(c_int64), POINTER(Segment), c_size_t]),
    "locant_positions_from_segments": ("status", [POINTER(Tensor), POINTER(c_int64), POINTER(Segment), c_size_t, c_int]),
    "locant_mrope_interval": ("status", [POINTER(c_int64), c_int64, c_double]),
    "locant_positions_randomized": ("status", [POINTER(Tensor), c_int64, POINTER(Random)]),
    "locant_positions_spaced": ("status", [POINTER(Tensor), c_int64]),
    "locant_positions_pose": ("status", [POINTER(Tensor), c_int64, c_int64, POINTER(Random)]),
    "locant_positions_cape": ("status", [POINTER(Tensor), POINTER(Cape), POINTER(Random)]),
    "locant_streaming_kept": ("status", [POINTER(c_int64), c_int64, c_int64, c_int64]),
    "locant_positions_streaming": ("status", [POINTER(Tensor), POINTER(Tensor), c_int64, c_int64, c_int64]),
    "locant_positions_selfextend": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), c_int64, c_int64]),
    "locant_positions_longlora": ("status", [POINTER(Tensor), c_int64, c_int]),
    "locant_distance": ("status", [POINTER(c_double), POINTER(DistanceForm), c_int64, c_int64]),
    "locant_distances": ("status", [POINTER(Tensor), POINTER(DistanceForm), POINTER(Tensor), POINTER(Tensor)]),
    "locant_temperature": ("status", [POINTER(c_double), POINTER(TemperatureForm), c_int64]),
    "locant_temperatures": ("status", [POINTER(Tensor), POINTER(TemperatureForm), POINTER(Tensor)]),
}

LAB: dict[str, tuple[Any, list[Any]]] = {
    "locant_npy_read": ("status", [POINTER(Array), c_char_p]),
    "locant_npy_parse": ("status", [POINTER(Array), c_void_p, c_size_t, c_char_p]),
    "locant_npy_write": ("status", [c_char_p, POINTER(Tensor)]),
    "locant_array_free": (None, [POINTER(Array)]),
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
    "locant_store_open_readonly": ("status", [POINTER(c_void_p), c_char_p]),
    "locant_store_close": (None, [c_void_p]),
    "locant_store_runs": ("status", [c_void_p, RunVisitor, c_void_p]),
    "locant_store_run": ("status", [POINTER(RunInfo), c_void_p, c_int64]),
    "locant_store_remove": ("status", [c_void_p, c_int64]),
    "locant_store_sql": ("status", [c_void_p, c_char_p, SqlVisitor, c_void_p]),
    "locant_train": ("status", [POINTER(c_int64), c_void_p, c_void_p, POINTER(TrainOptions)]),
    "locant_store_corpus": ("status", [POINTER(c_void_p), c_void_p, c_int64]),
    "locant_resume": ("status", [c_void_p, c_int64, c_void_p, ProgressFn, c_void_p]),
    "locant_evaluate": ("status", [POINTER(Evaluation), c_void_p, c_int64, c_void_p, c_int64]),
    "locant_eval_policy_name": (c_char_p, [c_int]),
    "locant_evaluate_as": ("status", [POINTER(Evaluation), c_void_p, c_int64, c_void_p, POINTER(EvalOptions)]),
    "locant_report_run": ("status", [POINTER(Report), c_void_p, POINTER(ReportOptions)]),
    "locant_report_free": (None, [POINTER(Report)]),
    "locant_figure_write": ("status", [POINTER(Figure), c_char_p]),
    "locant_figure_svg": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure)]),
    "locant_figure_inline": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure), c_char_p]),
    "locant_figure_css": ("status", [POINTER(c_void_p), POINTER(c_size_t)]),
    "locant_figure_terminal": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure), c_int, c_int]),
    "locant_figure_json": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure)]),
    "locant_figure_csv": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure)]),
    "locant_figure_at": (POINTER(FigureInfo), [c_int]),
    "locant_figure_of_encoding": ("status", [c_char_p, c_void_p, POINTER(FigureView), FigureTaker, c_void_p]),
    "locant_figure_of_runs": ("status", [c_char_p, c_void_p, POINTER(c_int64), c_size_t, POINTER(FigureView), FigureTaker, c_void_p]),
    "locant_probe": ("status", [POINTER(c_void_p), c_void_p, c_int64, ProgressFn, c_void_p]),
    "locant_paired": ("status", [POINTER(Difference), POINTER(c_double), c_size_t, c_double]),
    "locant_holm": ("status", [POINTER(c_double), POINTER(c_double), c_size_t]),
    "locant_bootstrap": ("status", [POINTER(Interval), POINTER(c_double), c_size_t, c_size_t, c_double, c_uint64]),
    "locant_wilson": ("status", [POINTER(c_double), POINTER(c_double), c_size_t, c_size_t, c_double]),
    "locant_share": (c_double, [POINTER(c_double), c_size_t, c_double]),
    "locant_ranks": ("status", [POINTER(c_int), POINTER(c_double), c_size_t, c_size_t, c_size_t, c_double]),
    "locant_mean_reciprocal_rank": ("status", [POINTER(c_double), POINTER(c_int), c_size_t, c_size_t]),
    "locant_task_at": (POINTER(TaskInfo), [c_int]),
    "locant_task_find": (POINTER(TaskInfo), [c_char_p]),
    "locant_task_options": ("status", [POINTER(TrainOptions), c_char_p]),
    "locant_task_of": ("status", [POINTER(POINTER(TaskInfo)), c_void_p, c_int64]),
    "locant_task_evaluate": ("status", [c_void_p, c_int64, POINTER(TaskEvalOptions), TaskVisitor, c_void_p]),
    "locant_task_recorded": ("status", [c_void_p, TaskRecordVisitor, c_void_p]),
}
