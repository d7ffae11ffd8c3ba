"""What include/locant declares of liblocant_lab, for ctypes.

Written by tools/python_headers.py; do not edit.
"""
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,
                    c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p)
from enum import IntEnum
from typing import Any

from ._c import INIT
from ._c_lab import CorpusInfo, ProgressFn, RunInfo, TrainOptions


class FigureKind(IntEnum):
    """locant_figure_kind"""
    CURVES = 0
    HEATMAP = 1
    BARS = 2
    STRIPS = 3
    POINTS = 4
    PANELS = 5


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
        ("row_names", POINTER(c_char_p)),
        ("col_names", POINTER(c_char_p)),
        ("chinese", c_int),
        ("panels", c_void_p),
        ("n_panels", c_size_t),
        ("panel_cols", c_int),
    ]


class Terminal(IntEnum):
    """locant_terminal"""
    TERMINAL_ASCII = 0
    TERMINAL_16 = 1
    TERMINAL_256 = 2
    TERMINAL_24 = 3
    TERMINAL_PLAIN = 4


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
        ("encoding", c_char_p),
        ("chinese", c_int),
        ("text", c_char_p),
        ("text_size", c_size_t),
        ("layer", c_int64),
    ]

FigureTaker = CFUNCTYPE(c_int, POINTER(Figure), c_char_p, c_char_p, c_void_p)


class Preset(IntEnum):
    """locant_preset"""
    SMOKE = 0
    QUICK = 1
    HOUR = 2
    FULL = 3
    HOMEWORK = 4


WITH_EXTENSION = 1
WITH_TASKS = 2
WITH_SURFACE = 4


OF_PRESET = -1


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
        ("tasks", c_char_p),
        ("minutes", c_int),
        ("any_isa", c_int),
        ("optimizer", c_int),
        ("vocabulary", c_int),
        ("export_folder", c_char_p),
        ("runs", POINTER(c_int64)),
        ("n_runs", c_size_t),
        ("plan", c_char_p),
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
        ("not_applicable", c_int),
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
        ("vocabulary", c_int),
        ("json", c_char_p),
    ]


MOST_PARTS = 100000


FLIP_MAX = 20


class Difference(Structure):
    """locant_difference"""
    _fields_ = [
        ("mean", c_double),
        ("half", c_double),
        ("p", c_double),
        ("t_p", c_double),
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


class Study(Structure):
    """locant_study"""
    _fields_ = [
        ("id", c_int64),
        ("made", c_char * 32),
        ("command", c_char_p),
        ("sources", c_char_p),
        ("corpus", CorpusInfo),
        ("packed_bytes", c_size_t),
    ]


class StudySource(Structure):
    """locant_study_source"""
    _fields_ = [
        ("path", c_char_p),
        ("store", c_void_p),
        ("id", c_int64),
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
INIT.update({
    Figure: {},
    FigureView: {"head": -1, "layer": -1},
    ReportOptions: {"preset": 1, "directory": b"locant-lab", "path": b"locant-report.html", "optimizer": -1, "vocabulary": -1},
    TaskEvalOptions: {"test_seed": 1},
})

# Function: result, arguments.  "status": one to be checked.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "locant_figure_write": ("status", [POINTER(Figure), c_char_p]),
    "locant_figure_svg": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure)]),
    "locant_figure_inline": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure), c_char_p]),
    "locant_figure_css": ("status", [POINTER(c_void_p), POINTER(c_size_t)]),
    "locant_figure_terminal": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure), c_int, c_int]),
    "locant_figure_json": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure)]),
    "locant_figure_csv": ("status", [POINTER(c_void_p), POINTER(c_size_t), POINTER(Figure)]),
    "locant_figure_at": (POINTER(FigureInfo), [c_int]),
    "locant_chinese": (c_char_p, [c_char_p]),
    "locant_figure_of_encoding": ("status", [c_char_p, c_void_p, POINTER(FigureView), FigureTaker, c_void_p]),
    "locant_figure_of_runs": ("status", [c_char_p, c_void_p, POINTER(c_int64), c_size_t, POINTER(FigureView), FigureTaker, c_void_p]),
    "locant_probe": ("status", [POINTER(c_void_p), c_void_p, c_int64, ProgressFn, c_void_p]),
    "locant_report_run": ("status", [POINTER(Report), c_void_p, POINTER(ReportOptions)]),
    "locant_report_free": (None, [POINTER(Report)]),
    "locant_report_make_plan": ("status", [POINTER(c_int), c_char_p, c_void_p, POINTER(ReportOptions)]),
    "locant_report_part": ("status", [POINTER(c_int64), c_void_p, POINTER(ReportOptions), c_int, c_int]),
    "locant_paired": ("status", [POINTER(Difference), POINTER(c_double), c_size_t, c_double]),
    "locant_holm": ("status", [POINTER(c_double), POINTER(c_double), c_size_t]),
    "locant_flip_seeds": (c_size_t, [c_size_t, c_double]),
    "locant_power": (c_double, [c_double, c_double, c_size_t, c_double]),
    "locant_power_seeds": (c_size_t, [c_double, c_double, c_double, c_double, c_size_t]),
    "locant_bootstrap": ("status", [POINTER(Interval), POINTER(c_double), c_size_t, c_size_t, c_double, c_uint64]),
    "locant_wilson": ("status", [POINTER(c_double), POINTER(c_double), c_size_t, c_size_t, c_double]),
    "locant_share": (c_double, [POINTER(c_double), c_size_t, c_double]),
    "locant_ranks": ("status", [POINTER(c_int), POINTER(c_double), c_size_t, c_size_t, c_size_t, c_double]),
    "locant_mean_reciprocal_rank": ("status", [POINTER(c_double), POINTER(c_int), c_size_t, c_size_t]),
    "locant_store_study": ("status", [POINTER(Study), c_void_p, c_int64]),
    "locant_study_free": (None, [POINTER(Study)]),
    "locant_study_export": ("status", [c_void_p, c_int64, c_char_p, c_int]),
    "locant_study_import": ("status", [POINTER(c_int64), c_char_p, c_char_p]),
    "locant_study_corpus": ("status", [POINTER(c_void_p), c_char_p]),
    "locant_study_compare": ("status", [POINTER(c_void_p), POINTER(StudySource), POINTER(StudySource), c_char_p]),
    "locant_task_at": (POINTER(TaskInfo), [c_int]),
    "locant_task_find": (POINTER(TaskInfo), [c_char_p]),
    "locant_task_options": ("status", [POINTER(TrainOptions), c_char_p]),
    "locant_task_of": ("status", [POINTER(POINTER(TaskInfo)), c_void_p, c_int64]),
    "locant_task_evaluate": ("status", [c_void_p, c_int64, POINTER(TaskEvalOptions), TaskVisitor, c_void_p]),
    "locant_task_recorded": ("status", [c_void_p, TaskRecordVisitor, c_void_p]),
}
