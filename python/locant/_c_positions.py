"""What include/locant declares of liblocant, for ctypes.

Written by tools/python_headers.py; do not edit.
"""
from __future__ import annotations

from ctypes import (POINTER, Structure, c_double, c_int, c_int64, c_size_t,
                    c_void_p)
from enum import IntEnum
from typing import Any

from ._c import INIT, Random, Tensor


class GridKind(IntEnum):
    """locant_grid_kind"""
    INTEGER = 0
    CENTRES = 1
    PRETRAINED = 2
    LONGER = 3
    SHORTER = 4


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
    AUDIO = 4
    CLIP = 5


class Segment(Structure):
    """locant_segment"""
    _fields_ = [
        ("kind", c_int),
        ("tokens", c_int64),
        ("frames", c_int64),
        ("rows", c_int64),
        ("cols", c_int64),
        ("interval", c_double),
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


class IdsScheme(IntEnum):
    """locant_ids_scheme"""
    QWEN3_VL = 0
    TM = 1
    XD = 2
    VIDEO = 3
    FLUX = 4
    FLUX2 = 5
    QWEN_IMAGE = 6


class Ids(Structure):
    """locant_ids"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("scheme", c_int),
        ("delta", c_double),
        ("rate", c_double),
        ("chunk", c_double),
        ("first_image", c_int64),
    ]


class Augment(Structure):
    """locant_augment"""
    _fields_ = [
        ("struct_size", c_size_t),
        ("shift", c_double),
        ("jitter", c_double),
        ("rescale", c_double),
        ("prefix", c_int64),
    ]


# What the _INIT macros set besides struct_size.
INIT.update({
    Grid: {"frames": 1, "rows": 1, "cols": 1, "merge": 1, "pretrained": (1, 1, 1)},
    Cape: {"step": 1, "max_scale": 1, "centred": 1},
    Ids: {"delta": 2, "rate": 25, "chunk": 2},
    Augment: {"jitter": 1, "rescale": 1},
})

# Function: result, arguments.  "status": one to be checked.
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "locant_positions_from_mask": ("status", [POINTER(Tensor), POINTER(Tensor), c_int64, c_int64]),
    "locant_positions_from_tokens": ("status", [POINTER(Tensor), POINTER(Tensor), c_int64, c_int64, c_int64]),
    "locant_positions_from_lengths": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_positions_from_offsets": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor)]),
    "locant_positions_packing": ("status", [POINTER(Tensor), POINTER(c_int), POINTER(Tensor)]),
    "locant_positions_from_grid": ("status", [POINTER(Tensor), POINTER(Grid)]),
    "locant_mrope_tokens": ("status", [POINTER(c_int64), POINTER(Segment), c_size_t]),
    "locant_positions_from_segments": ("status", [POINTER(Tensor), POINTER(c_int64), POINTER(Segment), c_size_t, c_int]),
    "locant_mrope_interval": ("status", [POINTER(c_double), c_int64, c_double]),
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
    "locant_ids_shape": ("status", [POINTER(c_int64), POINTER(c_int64), POINTER(Ids), POINTER(Segment), c_size_t]),
    "locant_positions_multimodal": ("status", [POINTER(Tensor), POINTER(c_double), POINTER(Ids), POINTER(Segment), c_size_t]),
    "locant_tm_audio_tokens": ("status", [POINTER(c_int64), c_int64]),
    "locant_positions_augment": ("status", [POINTER(Tensor), POINTER(Augment), POINTER(Random)]),
    "locant_coordinates_backward": ("status", [POINTER(Tensor), POINTER(Tensor), POINTER(Tensor), c_void_p, c_int]),
}
